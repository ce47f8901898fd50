/* load_plan.c - see load_plan.h. */
#include "sim/mapping/load_plan.h"

#include "sim/load/machine_load.h"
#include "sim/load/sark_layout.h"
#include "workloads/nn/kernels.h"

#include <stdlib.h>
#include <string.h>

enum {
    DTCM_FIRST = 0x00400000,
    /* what a program's own stacks take: app.ld's __stack_bytes and the heap's own blocks */
    STACK_BYTES = 4992,
    HEAP_BLOCK_BYTES_EACH = 16,
    ALIGNMENT = 64,   /* of what lies in SDRAM */
    COUNTER_LOCK = 8, /* the first lock that no convention has taken */
    SLOTS = 2         /* images in a core at a time */
};

/* Word of System RAM that deals out images: behind the heap's use, in the user words of the system
 * variables. */
#define COUNTER_ADDRESS 0xe5007f70u

static uint32_t aligned(uint64_t bytes, uint32_t alignment)
{
    return (uint32_t)((bytes + alignment - 1) / alignment * alignment);
}

/* ---- cores ---- */

static enum status check_cores(const struct sim_config *config, struct diagnostic *diagnostic)
{
    const uint64_t have = config->machine.chip_cores - config->machine.chip_monitor_cores;
    const uint64_t chips = config->machine.board_width * config->machine.board_height;
    const char *key = NULL;
    uint64_t asked = 0;
    uint64_t available = 0;
    if (config->mapping_cores_per_chip > have) {
        key = "mapping.cores_per_chip";
        asked = config->mapping_cores_per_chip;
        available = have;
    } else if (config->mapping_chips > chips) {
        key = "mapping.chips";
        asked = config->mapping_chips;
        available = chips;
    }
    if (key == NULL) {
        return STATUS_OK;
    }
    const struct config_place place = config_place_of(config, key);
    const enum status status =
        diagnose(diagnostic, STATUS_CONFIGURATION,
                 "%llu asked for, the machine has %llu: %llu short", (unsigned long long)asked,
                 (unsigned long long)available, (unsigned long long)(asked - available));
    diagnostic_at(diagnostic, place.file, place.line, place.column);
    diagnostic_key(diagnostic, key);
    diagnostic_hint(
        diagnostic,
        "a chip has %llu cores, %llu of them for the monitor; the machine has %llu chips",
        (unsigned long long)config->machine.chip_cores,
        (unsigned long long)config->machine.chip_monitor_cores, (unsigned long long)chips);
    return status;
}

static void program_bytes(const struct elf_image *program, uint32_t *itcm, uint32_t *dtcm)
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

/* What replica_infer allocates in DTCM. */
static uint32_t heap_bytes(const struct load_plan *plan, bool table_in_program)
{
    const uint32_t parts[] = {plan->run.parameter_bytes,
                              plan->table->activation_bytes,
                              (NN_EXP_STEPS + 1) * (uint32_t)sizeof(uint32_t),
                              table_in_program ? 0 : plan->table->bytes,
                              SLOTS * plan->run.image_bytes,
                              SLOTS * (uint32_t)sizeof(struct nn_result)};
    uint32_t sum = HEAP_BLOCK_BYTES_EACH * (sizeof parts / sizeof *parts + SLOTS + 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sum += parts[i];
    }
    return sum;
}

static enum status place_cores(struct load_plan *plan, const struct sim_config *config,
                               const struct elf_image *program, bool table_in_program,
                               struct diagnostic *diagnostic)
{
    uint32_t itcm;
    uint32_t dtcm;
    program_bytes(program, &itcm, &dtcm);
    const uint32_t needed = dtcm + STACK_BYTES + heap_bytes(plan, table_in_program);
    if (needed > config->machine.chip_dtcm_bytes) {
        const struct config_place place = config_place_of(config, "mapping.kind");
        const enum status status = diagnose(
            diagnostic, STATUS_CONFIGURATION,
            "network %s does not fit a core: it needs %u bytes of DTCM (%u of them parameters), "
            "there are %llu",
            plan->network->name, needed, plan->run.parameter_bytes,
            (unsigned long long)config->machine.chip_dtcm_bytes);
        diagnostic_at(diagnostic, place.file, place.line, place.column);
        diagnostic_key(diagnostic, "mapping.kind");
        diagnostic_hint(diagnostic, "replica_per_core needs the whole network in each core");
        return status;
    }
    plan->core_count = config->mapping_cores_per_chip;
    plan->core = calloc(plan->core_count, sizeof *plan->core);
    if (plan->core == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    for (size_t i = 0; i < plan->core_count; i++) {
        const uint32_t p = (uint32_t)(config->machine.chip_monitor_cores + i);
        plan->core[i] = (struct load_plan_core){.core = {0, 0, (uint8_t)p},
                                                .virtual_core = p,
                                                .role = "replica_infer",
                                                .itcm_bytes = itcm,
                                                .dtcm_bytes = needed,
                                                .macs = network_macs(plan->network)};
    }
    return STATUS_OK;
}

/* ---- SDRAM ---- */

static uint32_t take(uint32_t *next, uint64_t bytes)
{
    const uint32_t address = *next;
    *next += aligned(bytes, ALIGNMENT);
    return address;
}

static enum status place_memory(struct load_plan *plan, const struct sim_config *config,
                                bool table_in_program, struct diagnostic *diagnostic)
{
    static const uint64_t TAKEN = SARK_SDRAM_HEAP - SARK_SDRAM_BASE + SARK_SYSTEM_HEAP_BYTES;
    const uint64_t image_bytes = aligned(plan->table->image_pixels, 4);
    const uint64_t sdram_bytes = config->machine.sdram_bytes;
    const uint64_t room = sdram_bytes < TAKEN ? 0 : sdram_bytes - TAKEN;
    const uint64_t wanted = plan->images->count * (image_bytes + sizeof(struct nn_result)) +
                            plan->table->parameter_bytes + plan->table->bytes + sizeof plan->run +
                            5ull * ALIGNMENT;
    if (wanted > room) {
        const struct config_place place = config_place_of(config, "sdram.size");
        const enum status status =
            diagnose(diagnostic, STATUS_CONFIGURATION,
                     "the images and results need %llu bytes of SDRAM, there is room for %llu",
                     (unsigned long long)wanted, (unsigned long long)room);
        diagnostic_at(diagnostic, place.file, place.line, place.column);
        diagnostic_key(diagnostic, "sdram.size");
        diagnostic_hint(diagnostic, "use fewer data.test_images");
        return status;
    }
    uint32_t next = SARK_SDRAM_HEAP;
    plan->plan_address = take(&next, sizeof plan->run);
    plan->run = (struct nn_plan){.magic = NN_PLAN_MAGIC,
                                 .version = NN_PLAN_VERSION,
                                 .table_bytes = plan->table->bytes,
                                 .table_check = nn_check(plan->table, plan->table->bytes),
                                 .parameter_bytes = plan->table->parameter_bytes,
                                 .image_bytes = (uint32_t)image_bytes,
                                 .image_count = plan->images->count,
                                 .counter = COUNTER_ADDRESS,
                                 .counter_lock = COUNTER_LOCK};
    plan->run.table = table_in_program ? 0 : take(&next, plan->table->bytes);
    plan->run.parameters = take(&next, plan->table->parameter_bytes);
    plan->run.images = take(&next, image_bytes * plan->images->count);
    plan->run.results = take(&next, sizeof(struct nn_result) * (uint64_t)plan->images->count);
    plan->end = next;
    return STATUS_OK;
}

/* ---- tensors ---- */

static void add_tensor(struct load_plan *plan, const struct network_layer *layer, const char *what,
                       uint32_t offset, uint32_t rank, const uint32_t *shape)
{
    struct load_plan_tensor *tensor = &plan->tensor[plan->tensor_count++];
    *tensor = (struct load_plan_tensor){.type = "int16",
                                        .fraction = plan->network->weight_fraction,
                                        .rank = rank,
                                        .core = plan->core[0].core,
                                        .address = plan->run.parameters + offset};
    (void)snprintf(tensor->name, sizeof tensor->name, "%s.%s", layer->name, what);
    tensor->stride_bytes = 2;
    for (uint32_t i = 0; i < rank; i++) {
        tensor->shape[i] = shape[i];
        tensor->stride_bytes *= i == 0 ? 1 : shape[i];
    }
}

static enum status list_tensors(struct load_plan *plan, struct diagnostic *diagnostic)
{
    plan->tensor = calloc(2 * plan->network->layer_count, sizeof *plan->tensor);
    if (plan->tensor == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    for (size_t i = 0; i < plan->network->layer_count; i++) {
        const struct network_layer *layer = &plan->network->layer[i];
        const struct nn_layer *row = &plan->table->layer[i];
        const uint32_t conv[4] = {layer->outputs, layer->input.channels, layer->kernel,
                                  layer->kernel};
        const uint32_t dense[4] = {layer->outputs, network_values(layer->input)};
        if (layer->type == NETWORK_MAX_POOL2D) {
            continue;
        }
        const bool is_conv = layer->type == NETWORK_CONV2D;
        add_tensor(plan, layer, "weights", row->weights, is_conv ? 4 : 2, is_conv ? conv : dense);
        add_tensor(plan, layer, "biases", row->biases, 1, &layer->outputs);
    }
    return STATUS_OK;
}

/* ---- the whole ---- */

enum status load_plan_make(const struct sim_config *config, const struct network *network,
                           const struct nn_table *table, const uint8_t *parameters,
                           const struct dataset *images, const struct elf_image *program,
                           bool table_in_program, struct load_plan *plan,
                           struct diagnostic *diagnostic)
{
    *plan = (struct load_plan){
        .network = network, .table = table, .parameters = parameters, .images = images};
    enum status status = check_cores(config, diagnostic);
    if (status == STATUS_OK) {
        status = place_memory(plan, config, table_in_program, diagnostic);
    }
    if (status == STATUS_OK) {
        status = place_cores(plan, config, program, table_in_program, diagnostic);
    }
    if (status == STATUS_OK) {
        status = list_tensors(plan, diagnostic);
    }
    if (status != STATUS_OK) {
        load_plan_deinit(plan);
    }
    return status;
}

void load_plan_deinit(struct load_plan *plan)
{
    free(plan->core);
    free(plan->tensor);
    *plan = (struct load_plan){0};
}

static enum status write_images(const struct load_plan *plan, struct machine *machine)
{
    const uint32_t pixels = plan->table->image_pixels;
    for (uint32_t i = 0; i < plan->images->count; i++) {
        const enum status status =
            machine_write(machine, plan->core[0].core, plan->run.images + i * plan->run.image_bytes,
                          plan->images->images + (size_t)i * pixels, pixels);
        if (status != STATUS_OK) {
            return status;
        }
    }
    return STATUS_OK;
}

enum status load_plan_write(const struct load_plan *plan, struct machine *machine,
                            struct diagnostic *diagnostic)
{
    const struct machine_core core = plan->core[0].core;
    const uint32_t first_image = 0;
    enum status status =
        machine_write(machine, core, plan->plan_address, &plan->run, sizeof plan->run);
    if (status == STATUS_OK && plan->run.table != 0) {
        status = machine_write(machine, core, plan->run.table, plan->table, plan->table->bytes);
    }
    if (status == STATUS_OK) {
        status = machine_write(machine, core, plan->run.parameters, plan->parameters,
                               plan->table->parameter_bytes);
    }
    if (status == STATUS_OK) {
        status = machine_write(machine, core, plan->run.counter, &first_image, sizeof first_image);
    }
    if (status == STATUS_OK) {
        status = write_images(plan, machine);
    }
    return status == STATUS_OK ? status
                               : diagnose(diagnostic, status,
                                          "the machine's memory cannot hold "
                                          "the load plan");
}

enum status load_plan_read_results(const struct load_plan *plan, const struct machine *machine,
                                   struct nn_result *results)
{
    return machine_read(machine, plan->core[0].core, plan->run.results, results,
                        plan->run.image_count * (uint32_t)sizeof *results);
}
