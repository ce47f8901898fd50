/* plan.c - see plan.h. */
#include "sim/mapping/plan.h"

#include "models/common/bits.h"
#include "models/common/memory.h"
#include "sim/grow.h"
#include "sim/networks/links.h"
#include "workloads/nn/int8.h"

#include <stdlib.h>

enum { ALIGNMENT = 64 /* of allocations in SDRAM */ };

struct plan_slice plan_share(uint32_t count, uint32_t among, uint32_t index)
{
    const uint32_t each = count / among;
    const uint32_t more = count % among;
    return (struct plan_slice){index * each + (index < more ? index : more),
                               each + (index < more ? 1 : 0)};
}

struct plan_program_bytes plan_program_bytes(const struct elf_image *program)
{
    enum { DTCM_FIRST = 0x00400000 };
    struct plan_program_bytes bytes = {0, 0};
    for (size_t i = 0; i < program->segment_count; i++) {
        const struct elf_segment *segment = &program->segment[i];
        const bool data = segment->address >= DTCM_FIRST;
        const uint32_t end = segment->address + segment->memory_bytes - (data ? DTCM_FIRST : 0);
        uint32_t *most = data ? &bytes.dtcm : &bytes.itcm;
        *most = end > *most ? end : *most;
    }
    return bytes;
}

/* ---- chips and cores ---- */

static enum status refuse_shortage(const struct sim_config *config, const char *key, uint64_t asked,
                                   uint64_t available, const struct topology *topology,
                                   struct diagnostic *diagnostic)
{
    (void)config_refuse(config, key, NULL, diagnostic,
                        "%llu asked for, the machine has %llu: %llu short",
                        (unsigned long long)asked, (unsigned long long)available,
                        (unsigned long long)(asked - available));
    diagnostic_hint(
        diagnostic,
        "a chip has %llu cores, %llu of them for the monitor; the machine has %llu chips%s",
        (unsigned long long)config->machine.chip_cores,
        (unsigned long long)config->machine.chip_monitor_cores, (unsigned long long)topology->count,
        config->topology.down_cores > 0 ? "; of some, cores are down" : "");
    return STATUS_CONFIGURATION;
}

/* Whether a chip has the requested number of working cores. */
static bool is_usable(const struct sim_config *config, const struct topology_chip *chip)
{
    return bits_count(config_application_cores(config, chip)) >= config->mapping_cores_per_chip;
}

/* Chooses the first chips that have enough cores, and the first cores of each. */
static void place_cores(struct load_plan *plan, const struct sim_config *config,
                        const struct topology *topology)
{
    const size_t each = config->mapping_cores_per_chip;
    struct load_plan_core *next = plan->core;
    for (size_t i = 0; i < topology->count && next < plan->core + plan->core_count; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        uint32_t cores = config_application_cores(config, chip);
        for (size_t c = 0; c < each && is_usable(config, chip); c++, cores &= cores - 1) {
            const unsigned p = bits_lowest(cores);
            *next++ = (struct load_plan_core){
                .core = {chip->x, chip->y, (uint8_t)p},
                .virtual_core = bits_count(chip->cores & ((1u << p) - 1)),
            };
        }
    }
}

static enum status check_cores(const struct sim_config *config, const struct topology *topology,
                               struct diagnostic *diagnostic)
{
    const uint64_t cores = config->machine.chip_cores - config->machine.chip_monitor_cores;
    uint64_t usable = 0;
    for (size_t i = 0; i < topology->count; i++) {
        usable += is_usable(config, &topology->chip[i]);
    }
    if (config->mapping_cores_per_chip > cores) {
        return refuse_shortage(config, "mapping.cores_per_chip", config->mapping_cores_per_chip,
                               cores, topology, diagnostic);
    }
    return config->mapping_chips <= usable
               ? STATUS_OK
               : refuse_shortage(config, "mapping.chips", config->mapping_chips, usable, topology,
                                 diagnostic);
}

enum status plan_chips_choose(struct load_plan *plan, const struct plan_request *request,
                              bool all_images, struct diagnostic *diagnostic)
{
    const struct sim_config *config = request->config;
    const size_t each = config->mapping_cores_per_chip;
    struct topology topology = {0};
    if (!request->trial) {
        TRY(config_topology(config, &topology, diagnostic));
        const enum status status = check_cores(config, &topology, diagnostic);
        if (status != STATUS_OK) {
            topology_deinit(&topology);
            return status;
        }
    }
    plan->chip_count = config->mapping_chips;
    plan->core_count = plan->chip_count * each;
    plan->chip = calloc(plan->chip_count + 1, sizeof *plan->chip);
    plan->core = calloc(plan->core_count + 1, sizeof *plan->core);
    const bool room = plan->chip != NULL && plan->core != NULL;
    if (room) {
        place_cores(plan, config, &topology);
    }
    for (uint32_t c = 0; room && c < plan->chip_count; c++) {
        const struct plan_slice images = plan_share(
            plan->images->count, all_images ? 1 : (uint32_t)plan->chip_count, all_images ? 0 : c);
        plan->chip[c] =
            (struct load_plan_chip){plan->core[c * each].core, images.first, images.count};
    }
    topology_deinit(&topology);
    return room ? STATUS_OK : no_memory(diagnostic);
}

/* ---- SDRAM ---- */

static uint32_t take(struct load_plan *plan, struct load_plan_block block)
{
    struct load_plan_block *grown =
        grow(plan->block, &plan->block_room, plan->block_count, sizeof *grown);
    memory_need(grown);
    block.address = (uint32_t)plan->end;
    plan->block = grown;
    plan->block[plan->block_count++] = block;
    plan->end += (block.bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return block.address;
}

uint32_t plan_take(struct load_plan *plan, const char *name, uint64_t bytes)
{
    return take(plan,
                (struct load_plan_block){.name = name, .bytes = bytes, .owner = PLAN_BLOCK_OF_ALL});
}

uint32_t plan_take_zeros(struct load_plan *plan, const char *name, uint64_t bytes)
{
    return take(plan, (struct load_plan_block){
                          .name = name, .bytes = bytes, .owner = PLAN_BLOCK_OF_ALL, .zeros = true});
}

uint32_t plan_take_read(struct load_plan *plan, const char *name, uint64_t bytes)
{
    return take(
        plan, (struct load_plan_block){.name = name, .bytes = bytes, .owner = PLAN_BLOCK_OF_HOST});
}

uint32_t plan_take_for(struct load_plan *plan, uint32_t core, const char *name, uint64_t bytes)
{
    return take(plan, (struct load_plan_block){
                          .name = name, .bytes = bytes, .owner = (int32_t)core, .zeros = true});
}

void plan_take_images(struct load_plan *plan)
{
    const uint64_t images = plan->chip[0].image_count; /* no chip has more images */
    plan->run.image_count = (uint32_t)images;
    plan->run.images = plan_take_read(plan, "images", plan->run.image_bytes * images);
    plan->run.results = plan_take(plan, "results", nn_result_bytes(plan->table->classes) * images);
}

enum status plan_read_results(const struct load_plan *plan, const struct machine *machine,
                              struct machine_core core, struct plan_slice images,
                              struct nn_result *results)
{
    const uint32_t bytes = nn_result_bytes(plan->table->classes);
    for (uint32_t i = 0; i < images.count; i++) {
        results[i] = (struct nn_result){0};
        TRY(machine_read(machine, core, plan->run.results + (images.first + i) * bytes, &results[i],
                         bytes));
    }
    return STATUS_OK;
}

/* ---- tensors ---- */

static void add_tensor(struct load_plan *plan, struct load_plan_tensor tensor,
                       const struct network_layer *layer, const char *what, const char *part)
{
    const struct network *network = plan->network;
    tensor.type = npz_type_name(network_format(network)->array);
    tensor.fraction = network->weight_fraction;
    tensor.stride_bytes = network_value_bytes(network);
    if (network->numbers == NETWORK_INT8) { /* biases are int16, in the layer's format */
        tensor.fraction = plan->table->layer[layer - network->layer].weight_fraction;
        tensor.fraction -= tensor.rank > 1 ? NN_INT8_SHIFT : 0;
        tensor.type = npz_type_name(tensor.rank > 1 ? NPZ_INT8 : NPZ_INT16);
        tensor.stride_bytes = tensor.rank > 1 ? sizeof(int8_t) : sizeof(int16_t);
    }
    (void)snprintf(tensor.name, sizeof tensor.name, "%s.%s%s", layer->name, what, part);
    for (uint32_t i = 1; i < tensor.rank; i++) {
        tensor.stride_bytes *= tensor.shape[i];
    }
    plan->tensor[plan->tensor_count++] = tensor;
}

void plan_add_tensors(struct load_plan *plan, struct machine_core core,
                      const struct network_layer *layer, const struct nn_layer *weights,
                      const struct nn_layer *biases, const char *part, uint32_t base)
{
    struct load_plan_tensor tensor = {.core = core, .address = base + weights->weights};
    tensor.rank = links_tensor_shape(weights, tensor.shape);
    add_tensor(plan, tensor, layer, "weights", part);
    add_tensor(plan,
               (struct load_plan_tensor){.core = core,
                                         .address = base + biases->biases,
                                         .rank = 1,
                                         .shape = {biases->output.channels}},
               layer, "biases", part);
}
