/* load_plan.c - see load_plan.h: what all kinds of mappings have in common. */
#include "sim/mapping/load_plan.h"

#include "sim/load/sark_layout.h"
#include "sim/mapping/plan_blocks.h"
#include "sim/mapping/plan_kinds.h"
#include "sim/mapping/plan_neurons.h"
#include "workloads/nn/int8.h"
#include "workloads/nn/part_plan.h"

#include <stdlib.h>
#include <string.h>

enum {
    DTCM_FIRST = 0x00400000,
    ALIGNMENT = 64,  /* of what lies in SDRAM */
    COUNTER_LOCK = 8 /* the first lock that no convention has taken */
};

/* Word of System RAM that deals out images: behind the heap's use, in the user words of the system
 * variables. */
#define COUNTER_ADDRESS 0xe5007f70u

static uint32_t aligned(uint64_t bytes, uint32_t alignment)
{
    return (uint32_t)((bytes + alignment - 1) / alignment * alignment);
}

/* ---- steps of all kinds ---- */

void plan_program_bytes(const struct elf_image *program, uint32_t *itcm, uint32_t *dtcm)
{
    *itcm = 0;
    *dtcm = 0;
    for (size_t i = 0; i < program->segment_count; i++) {
        const struct elf_segment *segment = &program->segment[i];
        const uint32_t end = segment->address + segment->memory_bytes;
        if (segment->address >= DTCM_FIRST) {
            *dtcm = end - DTCM_FIRST > *dtcm ? end - DTCM_FIRST : *dtcm;
        } else {
            *itcm = end > *itcm ? end : *itcm;
        }
    }
}

enum status plan_refuse_dtcm(const struct load_plan *plan, const struct plan_request *request,
                             uint32_t needed, uint32_t parameters, const char *hint,
                             struct diagnostic *diagnostic)
{
    return config_refuse(request->config, "mapping.kind", hint, diagnostic,
                         "network %s does not fit a core: it needs %u bytes of DTCM (%u of them "
                         "parameters), there are %llu",
                         plan->network->name, needed, parameters,
                         (unsigned long long)request->config->machine.chip_dtcm_bytes);
}

uint32_t plan_take(uint32_t *next, uint64_t bytes)
{
    const uint32_t address = *next;
    *next += aligned(bytes, ALIGNMENT);
    return address;
}

enum status plan_begin_memory(struct load_plan *plan, const struct plan_request *request,
                              uint64_t others, uint32_t *next, struct diagnostic *diagnostic)
{
    static const uint64_t TAKEN = SARK_SDRAM_HEAP - SARK_SDRAM_BASE + SARK_SYSTEM_HEAP_BYTES;
    const uint64_t image_bytes = aligned(plan->table->image_pixels, 4);
    const uint64_t sdram_bytes = request->config->machine.sdram_bytes;
    const uint64_t room = sdram_bytes < TAKEN ? 0 : sdram_bytes - TAKEN;
    const uint32_t images = plan->chip[0].image_count; /* no chip has more */
    const uint64_t wanted = images * (image_bytes + sizeof(struct nn_result)) + others +
                            sizeof plan->run + 5ull * ALIGNMENT;
    if (wanted > room) {
        return config_refuse(
            request->config, "sdram.size", "enlarge it, or use fewer data.test_images", diagnostic,
            "the images and results need %llu bytes of SDRAM, there is room for %llu",
            (unsigned long long)wanted, (unsigned long long)room);
    }
    *next = SARK_SDRAM_HEAP;
    plan->plan_address = plan_take(next, sizeof plan->run);
    plan->run = (struct nn_plan){.magic = NN_PLAN_MAGIC,
                                 .version = NN_PLAN_VERSION,
                                 .table_bytes = plan->table->bytes,
                                 .table_check = nn_check(plan->table, plan->table->bytes),
                                 .image_bytes = (uint32_t)image_bytes,
                                 .image_count = images,
                                 .counter = COUNTER_ADDRESS,
                                 .counter_lock = COUNTER_LOCK};
    return STATUS_OK;
}

void plan_place_images(struct load_plan *plan, uint32_t *next)
{
    const uint64_t images = plan->run.image_count;
    plan->run.images = plan_take(next, plan->run.image_bytes * images);
    plan->run.results = plan_take(next, sizeof(struct nn_result) * images);
    plan->end = *next;
}

void plan_add_tensor(struct load_plan *plan, struct machine_core core,
                     const struct network_layer *layer, const char *what, const char *part,
                     uint32_t address, uint32_t rank, const uint32_t *shape)
{
    static const char *const TYPE[] = {[NETWORK_INT16] = "int16",
                                       [NETWORK_S1615] = "int32",
                                       [NETWORK_FLOAT32] = "float32",
                                       [NETWORK_INT8] = "int8"};
    const struct network *network = plan->network;
    struct load_plan_tensor *tensor = &plan->tensor[plan->tensor_count++];
    *tensor = (struct load_plan_tensor){.type = TYPE[network->numbers],
                                        .fraction = network->weight_fraction,
                                        .rank = rank,
                                        .core = core,
                                        .address = address,
                                        .stride_bytes = network_value_bytes(network)};
    if (network->numbers == NETWORK_INT8) { /* biases are int16, in the layer's format */
        tensor->fraction = plan->table->layer[layer - network->layer].weight_fraction;
        tensor->fraction -= rank > 1 ? NN_INT8_SHIFT : 0;
        tensor->type = rank > 1 ? TYPE[NETWORK_INT8] : TYPE[NETWORK_INT16];
        tensor->stride_bytes = rank > 1 ? sizeof(int8_t) : sizeof(int16_t);
    }
    (void)snprintf(tensor->name, sizeof tensor->name, "%s.%s%s", layer->name, what, part);
    for (uint32_t i = 0; i < rank; i++) {
        tensor->shape[i] = shape[i];
        tensor->stride_bytes *= i == 0 ? 1 : shape[i];
    }
}

/* ---- the whole ---- */

/* A kind that does not do what is asked for. */
static enum status refuse_kind(const struct sim_config *config, struct diagnostic *diagnostic)
{
    const bool trains = config->mode == CONFIG_MODE_TRAIN;
    const bool for_training = config->mapping_kind == CONFIG_MAPPING_KIND_REPLICA_PER_CHIP ||
                              config->mapping_kind == CONFIG_MAPPING_KIND_NEURON_BLOCKS ||
                              config->mapping_kind == CONFIG_MAPPING_KIND_NEURON_PER_CORE;
    const bool for_tests = config->mapping_kind == CONFIG_MAPPING_KIND_FEATURE_MAPS_PER_CORE;
    if (trains ? !for_tests : !for_training) {
        return STATUS_OK;
    }
    return config_refuse(config, "mapping.kind",
                         trains ? "replica_per_core, replica_per_chip, neuron_blocks and "
                                  "neuron_per_core train"
                                : "replica_per_core and feature_maps_per_core classify",
                         diagnostic, "%s is a mapping %s",
                         config_mapping_kind_text(config->mapping_kind),
                         trains ? "that only classifies" : "for training");
}

static enum status make_kind(struct load_plan *plan, const struct plan_request *request,
                             struct diagnostic *diagnostic)
{
    if (request->config->mode == CONFIG_MODE_TRAIN) {
        return plan_train_make(plan, request, diagnostic);
    }
    return request->config->mapping_kind == CONFIG_MAPPING_KIND_FEATURE_MAPS_PER_CORE
               ? plan_maps_make(plan, request, diagnostic)
               : plan_replicas_make(plan, request, diagnostic);
}

enum status load_plan_make(const struct sim_config *config, const struct network *network,
                           const struct nn_table *table, const uint8_t *parameters,
                           const struct dataset *images, const struct dataset *train_images,
                           const struct elf_image *program, bool table_in_program,
                           struct load_plan *plan, struct diagnostic *diagnostic)
{
    const struct plan_request request = {config, program, table_in_program};
    *plan = (struct load_plan){.network = network,
                               .table = table,
                               .parameters = parameters,
                               .images = images,
                               .train_images = train_images};
    enum status status = refuse_kind(config, diagnostic);
    if (status == STATUS_OK) {
        status = plan_chips_choose(plan, config, diagnostic);
    }
    if (status == STATUS_OK) {
        status = make_kind(plan, &request, diagnostic);
    }
    if (status != STATUS_OK) {
        load_plan_deinit(plan);
    }
    return status;
}

void load_plan_deinit(struct load_plan *plan)
{
    plan_maps_deinit(plan);
    plan_train_deinit(plan);
    routing_deinit(&plan->routing);
    free(plan->chip);
    free(plan->core);
    free(plan->tensor);
    *plan = (struct load_plan){0};
}

static enum status write_images(const struct load_plan *plan, const struct load_plan_chip *chip,
                                struct machine *machine)
{
    const uint32_t pixels = plan->table->image_pixels;
    for (uint32_t i = 0; i < chip->image_count; i++) {
        const enum status status =
            machine_write(machine, chip->core, plan->run.images + i * plan->run.image_bytes,
                          plan->images->images + (size_t)(chip->first_image + i) * pixels, pixels);
        if (status != STATUS_OK) {
            return status;
        }
    }
    return STATUS_OK;
}

static enum status write_chip(const struct load_plan *plan, const struct load_plan_chip *chip,
                              struct machine *machine)
{
    const struct machine_core core = chip->core;
    const uint32_t first_image = 0;
    struct nn_plan run = plan->run;
    run.image_count = chip->image_count;
    enum status status = machine_write(machine, core, plan->plan_address, &run, sizeof run);
    if (status == STATUS_OK) {
        status = plan->train != NULL  ? plan_train_write(plan, chip, machine)
                 : plan->maps != NULL ? plan_maps_write(plan, chip, machine)
                                      : plan_replicas_write(plan, chip, machine);
    }
    if (status == STATUS_OK) {
        status = machine_write(machine, core, run.counter, &first_image, sizeof first_image);
    }
    return status == STATUS_OK ? write_images(plan, chip, machine) : status;
}

enum status load_plan_write(const struct load_plan *plan, struct machine *machine,
                            struct diagnostic *diagnostic)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < plan->chip_count && status == STATUS_OK; i++) {
        status = write_chip(plan, &plan->chip[i], machine);
    }
    if (status != STATUS_OK) {
        return diagnose(diagnostic, status, "the machine's memory cannot hold the load plan");
    }
    return routing_write(&plan->routing, machine, diagnostic);
}

/* ---- reading back ---- */

uint64_t load_plan_dealt(const struct load_plan *plan, const struct machine *machine)
{
    uint64_t dealt = 0;
    for (size_t i = 0; i < plan->chip_count; i++) {
        uint32_t next = 0;
        (void)machine_read(machine, plan->chip[i].core, plan->run.counter, &next, sizeof next);
        dealt += next < plan->chip[i].image_count ? next : plan->chip[i].image_count;
    }
    return dealt;
}

enum status load_plan_read_results(const struct load_plan *plan, const struct machine *machine,
                                   struct nn_result *results)
{
    enum status status = STATUS_OK;
    if (plan->train != NULL && plan->train->blocks) {
        return plan_blocks_read_results(plan, machine, results);
    }
    if (plan->train != NULL && plan->train->neurons) {
        return plan_neurons_read_results(plan, machine, results);
    }
    for (size_t i = 0; i < plan->chip_count && status == STATUS_OK; i++) {
        const struct load_plan_chip *chip = &plan->chip[i];
        status = machine_read(machine, chip->core, plan->run.results, results + chip->first_image,
                              chip->image_count * (uint32_t)sizeof *results);
    }
    return status;
}

enum status load_plan_read_numerics(const struct load_plan *plan, const struct machine *machine,
                                    uint64_t *saturations, uint64_t *overflows)
{
    const size_t parts = plan->maps == NULL ? 0 : plan->maps->part_count;
    for (size_t i = 0; i < plan->chip_count; i++) {
        for (size_t p = 0; p < parts; p++) {
            struct nn_part_totals totals;
            const enum status status =
                machine_read(machine, plan->chip[i].core, plan->maps->part[p].record.totals,
                             &totals, sizeof totals);
            if (status != STATUS_OK) {
                return status;
            }
            *saturations += totals.saturations;
            *overflows += totals.overflows;
        }
    }
    return STATUS_OK;
}
