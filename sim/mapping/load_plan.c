/* load_plan.c - see load_plan.h. */
#include "sim/mapping/load_plan.h"

#include "models/common/bits.h"
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

/* ---- chips ---- */

/* Whether a chip has the cores that are asked for, in working order. */
static bool is_usable(const struct sim_config *config, const struct topology_chip *chip)
{
    return bits_count(config_application_cores(config, chip)) >= config->mapping_cores_per_chip;
}

static enum status refuse_shortage(const struct sim_config *config, const char *key, uint64_t asked,
                                   uint64_t available, const struct topology *topology,
                                   struct diagnostic *diagnostic)
{
    const struct config_place place = config_place_of(config, key);
    const enum status status =
        diagnose(diagnostic, STATUS_CONFIGURATION,
                 "%llu asked for, the machine has %llu: %llu short", (unsigned long long)asked,
                 (unsigned long long)available, (unsigned long long)(asked - available));
    diagnostic_at(diagnostic, place.file, place.line, place.column);
    diagnostic_key(diagnostic, key);
    diagnostic_hint(
        diagnostic,
        "a chip has %llu cores, %llu of them for the monitor; the machine has %llu chips%s",
        (unsigned long long)config->machine.chip_cores,
        (unsigned long long)config->machine.chip_monitor_cores, (unsigned long long)topology->count,
        config->topology.down_cores > 0 ? "; of some, cores are down" : "");
    return status;
}

/* Images first_image to first_image + image_count of chip `index`: the first chips have one more.
 */
static void deal(struct load_plan *plan, size_t index)
{
    const uint32_t images = plan->images->count;
    const uint32_t chips = (uint32_t)plan->chip_count;
    const uint32_t each = images / chips;
    const uint32_t more = images % chips;
    const uint32_t at = (uint32_t)index;
    plan->chip[index].first_image = at * each + (at < more ? at : more);
    plan->chip[index].image_count = each + (at < more ? 1 : 0);
}

static void place_cores_of(struct load_plan *plan, const struct sim_config *config,
                           const struct topology *topology)
{
    const size_t each = config->mapping_cores_per_chip;
    size_t chips = 0;
    for (size_t i = 0; i < topology->count && chips < plan->chip_count; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        uint32_t cores = config_application_cores(config, chip);
        if (!is_usable(config, chip)) {
            continue;
        }
        for (size_t c = 0; c < each; c++) {
            const unsigned p = bits_lowest(cores);
            cores &= cores - 1;
            plan->core[chips * each + c] = (struct load_plan_core){
                .core = {chip->x, chip->y, (uint8_t)p},
                .virtual_core = bits_count(chip->cores & ((1u << p) - 1)),
            };
        }
        plan->chip[chips].core = plan->core[chips * each].core;
        deal(plan, chips);
        chips++;
    }
}

/* The first chips that have enough cores, and of each the first cores. */
static enum status choose_cores(struct load_plan *plan, const struct sim_config *config,
                                const struct topology *topology, struct diagnostic *diagnostic)
{
    const uint64_t cores = config->machine.chip_cores - config->machine.chip_monitor_cores;
    uint64_t usable = 0;
    if (config->mapping_cores_per_chip > cores) {
        return refuse_shortage(config, "mapping.cores_per_chip", config->mapping_cores_per_chip,
                               cores, topology, diagnostic);
    }
    for (size_t i = 0; i < topology->count; i++) {
        usable += is_usable(config, &topology->chip[i]);
    }
    if (config->mapping_chips > usable) {
        return refuse_shortage(config, "mapping.chips", config->mapping_chips, usable, topology,
                               diagnostic);
    }
    plan->chip_count = config->mapping_chips;
    plan->core_count = plan->chip_count * config->mapping_cores_per_chip;
    plan->chip = calloc(plan->chip_count + 1, sizeof *plan->chip);
    plan->core = calloc(plan->core_count + 1, sizeof *plan->core);
    if (plan->chip == NULL || plan->core == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    place_cores_of(plan, config, topology);
    return STATUS_OK;
}

static enum status place_chips(struct load_plan *plan, const struct sim_config *config,
                               struct diagnostic *diagnostic)
{
    struct topology topology;
    enum status status = config_topology(config, &topology, diagnostic);
    if (status == STATUS_OK) {
        status = choose_cores(plan, config, &topology, diagnostic);
    }
    topology_deinit(&topology);
    return status;
}

/* ---- cores ---- */

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

static enum status describe_cores(struct load_plan *plan, const struct sim_config *config,
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
    for (size_t i = 0; i < plan->core_count; i++) {
        plan->core[i].role = "replica_infer";
        plan->core[i].itcm_bytes = itcm;
        plan->core[i].dtcm_bytes = needed;
        plan->core[i].macs = network_macs(plan->network);
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
    const uint32_t images = plan->chip[0].image_count; /* no chip has more */
    const uint64_t wanted = images * (image_bytes + sizeof(struct nn_result)) +
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
                                 .image_count = images,
                                 .counter = COUNTER_ADDRESS,
                                 .counter_lock = COUNTER_LOCK};
    plan->run.table = table_in_program ? 0 : take(&next, plan->table->bytes);
    plan->run.parameters = take(&next, plan->table->parameter_bytes);
    plan->run.images = take(&next, image_bytes * images);
    plan->run.results = take(&next, sizeof(struct nn_result) * (uint64_t)images);
    plan->end = next;
    return STATUS_OK;
}

/* ---- tensors ---- */

static void add_tensor(struct load_plan *plan, struct machine_core core,
                       const struct network_layer *layer, const char *what, uint32_t offset,
                       uint32_t rank, const uint32_t *shape)
{
    struct load_plan_tensor *tensor = &plan->tensor[plan->tensor_count++];
    *tensor = (struct load_plan_tensor){.type = "int16",
                                        .fraction = plan->network->weight_fraction,
                                        .rank = rank,
                                        .core = core,
                                        .address = plan->run.parameters + offset};
    (void)snprintf(tensor->name, sizeof tensor->name, "%s.%s", layer->name, what);
    tensor->stride_bytes = 2;
    for (uint32_t i = 0; i < rank; i++) {
        tensor->shape[i] = shape[i];
        tensor->stride_bytes *= i == 0 ? 1 : shape[i];
    }
}

static void add_tensors(struct load_plan *plan, struct machine_core core)
{
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
        add_tensor(plan, core, layer, "weights", row->weights, is_conv ? 4 : 2,
                   is_conv ? conv : dense);
        add_tensor(plan, core, layer, "biases", row->biases, 1, &layer->outputs);
    }
}

/* Each chip has all of them. */
static enum status list_tensors(struct load_plan *plan, struct diagnostic *diagnostic)
{
    plan->tensor = calloc(2 * plan->network->layer_count * plan->chip_count, sizeof *plan->tensor);
    if (plan->tensor == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    for (size_t i = 0; i < plan->chip_count; i++) {
        add_tensors(plan, plan->chip[i].core);
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
    enum status status = place_chips(plan, config, diagnostic);
    if (status == STATUS_OK) {
        status = place_memory(plan, config, table_in_program, diagnostic);
    }
    if (status == STATUS_OK) {
        status = describe_cores(plan, config, program, table_in_program, diagnostic);
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
    free(plan->chip);
    free(plan->core);
    free(plan->tensor);
    routing_deinit(&plan->routing);
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
    if (status == STATUS_OK && run.table != 0) {
        status = machine_write(machine, core, run.table, plan->table, plan->table->bytes);
    }
    if (status == STATUS_OK) {
        status = machine_write(machine, core, run.parameters, plan->parameters,
                               plan->table->parameter_bytes);
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
    return status == STATUS_OK ? routing_write(&plan->routing, machine, diagnostic)
                               : diagnose(diagnostic, status,
                                          "the machine's memory cannot hold "
                                          "the load plan");
}

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
    for (size_t i = 0; i < plan->chip_count && status == STATUS_OK; i++) {
        const struct load_plan_chip *chip = &plan->chip[i];
        status = machine_read(machine, chip->core, plan->run.results, results + chip->first_image,
                              chip->image_count * (uint32_t)sizeof *results);
    }
    return status;
}
