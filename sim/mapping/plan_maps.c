/* plan_maps.c - see plan_maps.h. */
#include "sim/mapping/plan_maps.h"

#include "models/common/bits.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/program_table.h"
#include "sim/mapping/rows.h"
#include "sim/networks/links.h"
#include "workloads/nn/kernels.h"
#include "workloads/nn/wait_note.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

MAPPING(FEATURE_MAPS_PER_CORE, INFER, MAPPING_MAPS, "mapping.cores_per_chip")
PROGRAM(maps, MAPPING_MAPS, RINGS, "int16 int8", "int16", "int16",
        "lenet/roles/maps_infer.c exchange/value_stream.c exchange/value_packets.S")

enum { VALUE_BYTES = 2 /* of one that travels */, LOGIT_BYTES = 4 };

static const struct plan_stage *stage_of(const struct plan_maps *maps, const struct plan_part *part)
{
    return &maps->stages.stage[part->stage];
}

static const struct network_layer *layer_of(const struct load_plan *plan,
                                            const struct plan_part *part)
{
    return &plan->network->layer[stage_of(plan->maps, part)->first_layer];
}

/* ---- parts ---- */

static uint32_t even(uint32_t values)
{
    return (values + 1) & ~UINT32_C(1);
}

/* Fills those fields of a part's record that depend only on the part. */
static void fill_record(struct plan_maps *maps, size_t index)
{
    struct plan_part *part = &maps->part[index];
    const struct plan_stage *stage = stage_of(maps, part);
    const bool starts = part->stage == 0;
    const bool ends = part->stage + 1 == maps->stages.count;
    part->record = (struct nn_part){
        .magic = NN_PART_MAGIC,
        .version = NN_PART_VERSION,
        .table_bytes = part->table->bytes,
        .parameter_bytes = part->table->parameter_bytes,
        .first_layer = stage->first_layer,
        .starts_network = starts,
        .ends_network = ends,
        .wait_count = starts ? 0 : maps->stages.stage[part->stage - 1].cores,
        .input_places = starts ? 0 : even(nn_values(part->table->layer[0].input)),
        .output_values = part->slice.count * stage->values,
        .place = part->slice.first * stage->values,
        .output_places = ends ? 0 : even(stage->outputs * stage->values),
    };
}

static enum status make_parts(struct load_plan *plan, struct diagnostic *diagnostic)
{
    struct plan_maps *maps = plan->maps;
    maps->part_count = 0;
    for (uint32_t s = 0; s < maps->stages.count; s++) {
        maps->part_count += maps->stages.stage[s].cores;
    }
    assert(maps->part_count > 0); /* a network has a layer, and a stage has a core */
    maps->part = calloc(maps->part_count, sizeof *maps->part);
    if (maps->part == NULL) {
        return no_memory(diagnostic);
    }
    size_t at = 0;
    size_t before = 0; /* first part of the previous stage */
    for (uint32_t s = 0; s < maps->stages.count; s++) {
        const struct plan_stage *stage = &maps->stages.stage[s];
        const size_t first = at;
        for (uint32_t i = 0; i < stage->cores; i++, at++) {
            struct plan_part *part = &maps->part[at];
            part->stage = s;
            part->slice = plan_share(stage->outputs, stage->cores, i);
            part->first_wait = (uint32_t)before;
            part->table = part_table_make(plan->table, stage, part->slice,
                                          network_value_bytes(plan->network));
            if (part->table == NULL) {
                return no_memory(diagnostic);
            }
            fill_record(maps, at);
        }
        before = first;
    }
    return STATUS_OK;
}

/* DTCM bytes that maps_infer allocates. */
static uint32_t heap_bytes(const struct load_plan *plan, const struct plan_part *part)
{
    const struct nn_part *record = &part->record;
    const uint32_t input = record->starts_network
                               ? plan_image_bytes(plan->table)
                               : VALUE_BYTES * record->input_places +
                                     record->wait_count * (uint32_t)sizeof(struct nn_wait);
    uint32_t output = VALUE_BYTES * record->output_values;
    uint32_t exponentials = 0;
    if (record->ends_network) {
        output = LOGIT_BYTES * record->output_values + nn_result_bytes(plan->table->classes);
        exponentials = (NN_EXP_STEPS + 1) * (uint32_t)sizeof(uint32_t);
    }
    uint32_t narrow = 0; /* int8: buffers for values as received and as sent */
    if (plan->network->numbers == NETWORK_INT8) {
        const uint32_t block = (uint32_t)sizeof(int32_t) + PLAN_HEAP_BLOCK_BYTES;
        narrow += record->starts_network ? 0 : nn_values(part->table->layer[0].input) + block;
        narrow += record->ends_network ? 0 : record->output_values + block;
    }
    const uint32_t blocks = 10;
    return part->table->bytes + record->parameter_bytes + part->table->activation_bytes +
           NN_PART_ROUNDS * (input + output) + narrow + exponentials +
           (uint32_t)sizeof(struct nn_wait_note) + blocks * PLAN_HEAP_BLOCK_BYTES;
}

static void free_parts(struct plan_maps *maps)
{
    for (size_t i = 0; i < maps->part_count && maps->part != NULL; i++) {
        free(maps->part[i].table);
    }
    free(maps->part);
    maps->part = NULL;
    maps->part_count = 0;
}

/* The first part that is too large for a core's DTCM; NULL: all fit. */
static const struct plan_part *too_large(const struct load_plan *plan,
                                         const struct plan_request *request)
{
    const uint64_t taken = plan_program_bytes(request->program).dtcm + PLAN_STACK_BYTES;
    const struct plan_maps *maps = plan->maps;
    for (size_t i = 0; i < maps->part_count; i++) {
        if (heap_bytes(plan, &maps->part[i]) + taken > request->config->machine.chip_dtcm_bytes) {
            return &maps->part[i];
        }
    }
    return NULL;
}

/* Makes the parts; a stage whose parts do not fit gets cores of those that do. */
static enum status make_fitting_parts(struct load_plan *plan, const struct plan_request *request,
                                      uint32_t cores, struct diagnostic *diagnostic)
{
    TRY(make_parts(plan, diagnostic));
    const struct plan_part *large;
    while ((large = too_large(plan, request)) != NULL &&
           plan_stages_widen(&plan->maps->stages, large->stage, cores)) {
        free_parts(plan->maps);
        TRY(make_parts(plan, diagnostic));
    }
    return STATUS_OK;
}

static enum status check_places(const struct load_plan *plan, const struct plan_request *request,
                                struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < plan->maps->part_count; i++) {
        const struct plan_part *part = &plan->maps->part[i];
        if (part->record.input_places > NN_PART_PLACES) {
            return config_refuse(
                request->config, "mapping.kind", NULL, diagnostic,
                "layer %s of network %s takes %u values: more than %d do not travel "
                "as packets, which have 15 bits for a value's place",
                layer_of(plan, part)->name, plan->network->name,
                nn_values(part->table->layer[0].input), NN_PART_PLACES);
        }
    }
    return STATUS_OK;
}

static enum status divide(struct load_plan *plan, const struct plan_request *request,
                          struct diagnostic *diagnostic)
{
    plan->maps = calloc(1, sizeof *plan->maps);
    if (plan->maps == NULL) {
        return no_memory(diagnostic);
    }
    const uint32_t cores = (uint32_t)request->config->mapping_cores_per_chip;
    const enum status status =
        plan_stages_make(plan->network, cores, &plan->maps->stages, diagnostic);
    if (status != STATUS_OK) {
        config_locate(request->config, NULL, diagnostic);
        return status;
    }
    TRY(make_fitting_parts(plan, request, cores, diagnostic));
    return check_places(plan, request, diagnostic);
}

/* ---- cores ---- */

/* "2", "0-3" */
static struct slice_text {
    char text[24];
} slice_text(struct plan_slice slice)
{
    struct slice_text shown;
    if (slice.count == 1) {
        (void)snprintf(shown.text, sizeof shown.text, "%u", slice.first);
    } else {
        (void)snprintf(shown.text, sizeof shown.text, "%u-%u", slice.first,
                       slice.first + slice.count - 1);
    }
    return shown;
}

/* "conv1 maps 0-1" */
static void name_part(const struct load_plan *plan, const struct plan_part *part, char *text,
                      size_t size)
{
    const struct network_layer *layer = layer_of(plan, part);
    (void)snprintf(text, size, "%s %s%s %s", layer->name,
                   layer->type == NETWORK_DENSE ? "unit" : "map", part->slice.count == 1 ? "" : "s",
                   slice_text(part->slice).text);
}

static const struct plan_part *part_of(const struct load_plan *plan, size_t core)
{
    return &plan->maps->part[core % plan->maps->part_count];
}

static void describe(const struct load_plan *plan, size_t index, struct load_plan_core *core)
{
    const struct plan_part *part = part_of(plan, index);
    name_part(plan, part, core->layer, sizeof core->layer);
    core->argument = part->address;
    core->parameter_bytes = part->record.parameter_bytes;
    core->dtcm_bytes = heap_bytes(plan, part);
    core->macs = links_macs(&part->table->layer[0]);
}

/* ---- SDRAM ---- */

static void place(struct load_plan *plan, const struct plan_request *request)
{
    (void)request;
    for (size_t i = 0; i < plan->maps->part_count; i++) {
        struct plan_part *part = &plan->maps->part[i];
        struct nn_part *record = &part->record;
        part->address = plan_take_read(plan, "part", sizeof *record);
        record->plan = plan->plan_address;
        record->table = plan_take_read(plan, "layer table", record->table_bytes);
        record->parameters = plan_take_read(plan, "parameters", record->parameter_bytes);
        record->waits = plan_take_read(plan, "waits", record->wait_count * sizeof(struct nn_wait));
        record->totals = plan_take_for(plan, (uint32_t)i, "totals", sizeof(struct nn_part_totals));
        plan->run.parameter_bytes += record->parameter_bytes;
    }
    plan_take_images(plan);
}

static void add_tensors(struct load_plan *plan)
{
    for (size_t i = 0; i < plan->core_count; i++) {
        const struct plan_part *part = part_of(plan, i);
        const struct network_layer *layer = layer_of(plan, part);
        char which[32] = "";
        if (part->slice.count != layer->outputs) {
            (void)snprintf(which, sizeof which, "[%s]", slice_text(part->slice).text);
        }
        const struct nn_layer *row = &part->table->layer[0];
        plan_add_tensors(plan, plan->core[i].core, layer, row, row, which, part->record.parameters);
    }
}

/* ---- keys and routes ---- */

/* Number of keys of a part's edge: the same for all parts of a stage, so that their blocks are
 * consecutive. */
static uint32_t keys_of(const struct plan_stage *stage)
{
    return NN_PART_ROUNDS * plan_share(stage->outputs, stage->cores, 0).count * stage->values;
}

static void add_edges(const struct load_plan *plan, struct routing_edges *edges, size_t chip)
{
    const struct plan_maps *maps = plan->maps;
    const struct load_plan_core *core = &plan->core[chip * maps->part_count];
    struct machine_core target[TOPOLOGY_CORES];
    for (size_t p = 0; p + 1 < maps->part_count; p++) {
        const struct plan_stage *next = stage_of(maps, &maps->part[p]) + 1;
        size_t to = p;
        while (maps->part[to].stage == maps->part[p].stage) {
            to++;
        }
        for (uint32_t i = 0; i < next->cores; i++) {
            target[i] = core[to + i].core;
        }
        routing_edges_add(edges,
                          (struct routing_edge){.purpose = ROUTING_FORWARD,
                                                .source = core[p].core,
                                                .target = target,
                                                .target_count = next->cores,
                                                .keys = keys_of(next - 1)},
                          "%s of chip %u,%u", core[p].layer, core->core.x, core->core.y);
    }
}

/* Whether the keys of an array's rows are consecutive: receivers compute the row from the key. */
static bool keys_follow(const struct load_plan *plan)
{
    for (size_t i = 1; i < plan->routing.edge_count; i++) {
        const struct routing_edge *before = &plan->routing.edge[i - 1];
        const struct routing_edge *edge = &plan->routing.edge[i];
        const bool neighbours = edge->target_count == before->target_count &&
                                memcmp(edge->target, before->target, sizeof *edge->target) == 0;
        if (neighbours &&
            (edge->mask != before->mask || edge->key != before->key + ~before->mask + 1)) {
            return false;
        }
    }
    return true;
}

static enum status route(struct load_plan *plan, const struct plan_request *request,
                         struct diagnostic *diagnostic)
{
    struct routing_edges edges = {0};
    struct topology topology = {0};
    TRY(config_topology(request->config, &topology, diagnostic));
    for (size_t c = 0; c < plan->chip_count; c++) {
        add_edges(plan, &edges, c);
    }
    enum status status = routing_of(&plan->routing, &topology, &edges, diagnostic);
    if (status == STATUS_OK && !keys_follow(plan)) {
        status =
            diagnose(diagnostic, STATUS_INTERNAL, "the keys of a layer do not follow each other");
    }
    routing_edges_deinit(&edges);
    topology_deinit(&topology);
    return status;
}

/* ---- writing ---- */

/* Set of a chip's cores that start the network: they wait until receivers have room for their
 * values. */
static uint32_t starters(const struct load_plan *plan, size_t chip)
{
    uint32_t cores = 0;
    for (size_t p = 0; p < plan->maps->stages.stage[0].cores; p++) {
        cores |= 1u << plan->core[chip * plan->maps->part_count + p].core.p;
    }
    return cores;
}

static struct nn_part record_on(const struct load_plan *plan, size_t chip, size_t index)
{
    const struct plan_maps *maps = plan->maps;
    const struct plan_part *part = &maps->part[index];
    struct nn_part record = part->record;
    if (index + 1 < maps->part_count) {
        record.key = plan->routing.edge[plan_maps_edge(maps, chip, index)].key;
        record.odd_key = record.key + record.output_values;
    } else if (maps->stages.count > 1) {
        record.told = starters(plan, chip);
    }
    if (record.wait_count > 0) {
        const size_t from = plan_maps_edge(maps, chip, part->first_wait);
        record.wait_shift = bits_lowest(plan->routing.edge[from].mask);
    }
    return record;
}

static enum status write_waits(const struct load_plan *plan, size_t chip, size_t index,
                               struct machine *machine)
{
    const struct plan_part *part = &plan->maps->part[index];
    for (uint32_t i = 0; i < part->record.wait_count; i++) {
        const size_t from = part->first_wait + i;
        const struct routing_edge *edge =
            &plan->routing.edge[plan_maps_edge(plan->maps, chip, from)];
        const struct nn_wait wait = {.key = edge->key,
                                     .mask = edge->mask,
                                     .expected = plan->maps->part[from].record.output_values};
        TRY(machine_write(machine, plan->chip[chip].core,
                          part->record.waits + i * (uint32_t)sizeof wait, &wait, sizeof wait));
    }
    return STATUS_OK;
}

static enum status write_parameters(const struct load_plan *plan, const struct plan_part *part,
                                    struct machine_core core, struct machine *machine)
{
    uint8_t *parameters = malloc(part->record.parameter_bytes);
    if (parameters == NULL) {
        return STATUS_INTERNAL;
    }
    part_parameters(plan->table, plan->parameters, stage_of(plan->maps, part), part->slice,
                    part->table, network_value_bytes(plan->network), parameters);
    const enum status status = machine_write(machine, core, part->record.parameters, parameters,
                                             part->record.parameter_bytes);
    free(parameters);
    return status;
}

static enum status write_chip(const struct load_plan *plan, size_t chip, struct machine *machine)
{
    const struct machine_core core = plan->chip[chip].core;
    for (size_t i = 0; i < plan->maps->part_count; i++) {
        const struct plan_part *part = &plan->maps->part[i];
        const struct nn_part record = record_on(plan, chip, i);
        TRY(machine_write(machine, core, part->address, &record, sizeof record));
        TRY(program_table_write(plan->table, part->table, machine, core, record.table));
        TRY(write_parameters(plan, part, core, machine));
        TRY(write_waits(plan, chip, i, machine));
    }
    return STATUS_OK;
}

static enum status read_numerics(const struct load_plan *plan, const struct machine *machine,
                                 uint64_t *saturations, uint64_t *overflows)
{
    for (size_t i = 0; i < plan->core_count; i++) {
        struct nn_part_totals totals;
        TRY(machine_read(machine, plan->core[i].core, part_of(plan, i)->record.totals, &totals,
                         sizeof totals));
        *saturations += totals.saturations;
        *overflows += totals.overflows;
    }
    return STATUS_OK;
}

static void deinit(struct load_plan *plan)
{
    if (plan->maps != NULL) {
        free_parts(plan->maps);
    }
    free(plan->maps);
}

const struct mapping MAPPING_MAPS = {
    .role = "maps_infer",
    .networks = "whose first layer has weights",
    .divide = divide,
    .place = place,
    .describe = describe,
    .add_tensors = add_tensors,
    .route = route,
    .write = write_chip,
    .read_numerics = read_numerics,
    .deinit = deinit,
};
