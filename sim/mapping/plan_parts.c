/* plan_parts.c - see plan_maps.h: divides a network into stages and parts. */
#include "sim/mapping/plan_maps.h"
#include "sim/networks/links.h"
#include "workloads/nn/framed.h"
#include "workloads/nn/int8.h"
#include "workloads/nn/kernels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- stages ---- */

static enum status find_stages(const struct network *network, struct plan_stages *stages,
                               struct diagnostic *diagnostic)
{
    *stages = (struct plan_stages){0};
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        if (!network_is_pool(layer)) {
            stages->stage[stages->count++] = (struct plan_stage){
                .first_layer = (uint32_t)i,
                .outputs = layer->outputs,
                .macs = network_layer_macs(layer) / layer->outputs,
                .least = 1,
            };
        } else if (i == 0) {
            (void)diagnose(
                diagnostic, STATUS_CONFIGURATION,
                "the first layer of network %s, %s, has no weights: maps are spread with "
                "the layer that makes them",
                network->name, layer->name);
            diagnostic_key(diagnostic, "mapping.kind");
            return STATUS_CONFIGURATION;
        }
        struct plan_stage *stage = &stages->stage[stages->count - 1];
        stage->layer_count++;
        stage->values = layer->output.height * layer->output.width;
    }
    return STATUS_OK;
}

static enum status check_cores(const struct network *network, uint32_t cores,
                               const struct plan_stages *stages, struct diagnostic *diagnostic)
{
    uint64_t most = 1;
    for (size_t i = 0; i + 1 < stages->count; i++) {
        most += stages->stage[i].outputs;
    }
    if (cores >= stages->count && cores <= most) {
        return STATUS_OK;
    }
    if (cores < stages->count) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "network %s needs at least %zu cores of a chip, %" PRIu32
                       " are given: %zu short, one for each layer with weights",
                       network->name, stages->count, cores, stages->count - cores);
    } else {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "network %s occupies at most %" PRIu64 " cores of a chip, %" PRIu32
                       " are given: one for each map or unit, and one for the last layer",
                       network->name, most, cores);
    }
    diagnostic_key(diagnostic, "mapping.cores_per_chip");
    return STATUS_CONFIGURATION;
}

/* Multiply-accumulates of a stage's most loaded core. */
static uint64_t load_of(const struct plan_stage *stage, uint32_t cores)
{
    return (stage->outputs + cores - 1) / cores * stage->macs;
}

/* Smallest number of cores with which a stage's most loaded core has less than `load`; 0: none. */
static uint32_t cores_below(const struct plan_stage *stage, uint64_t load)
{
    for (uint32_t cores = stage->cores; cores <= stage->outputs; cores++) {
        if (load_of(stage, cores) < load) {
            return cores;
        }
    }
    return 0;
}

/* The stage with the most loaded core, among those not settled yet; stages->count: none. */
static size_t most_loaded(const struct plan_stages *stages, const bool *settled)
{
    size_t found = stages->count;
    uint64_t most = 0;
    for (size_t i = 0; i + 1 < stages->count; i++) {
        const struct plan_stage *stage = &stages->stage[i];
        if (!settled[i] && load_of(stage, stage->cores) >= most) {
            most = load_of(stage, stage->cores);
            found = i;
        }
    }
    return found;
}

static void give_out(struct plan_stages *stages, uint32_t cores)
{
    bool settled[NETWORK_LAYERS] = {false};
    uint32_t left = cores;
    for (size_t i = 0; i < stages->count; i++) {
        stages->stage[i].cores = stages->stage[i].least;
        left -= stages->stage[i].least;
    }
    for (size_t i = most_loaded(stages, settled); i < stages->count;
         i = most_loaded(stages, settled)) {
        struct plan_stage *stage = &stages->stage[i];
        const uint32_t wanted = cores_below(stage, load_of(stage, stage->cores));
        if (wanted == 0 || wanted - stage->cores > left) {
            settled[i] = true;
        } else {
            left -= wanted - stage->cores;
            stage->cores = wanted;
        }
    }
    /* Remaining cores that cannot lower a stage's largest load still take maps from other cores. */
    for (size_t i = 0; i + 1 < stages->count && left > 0; i++) {
        struct plan_stage *stage = &stages->stage[i];
        const uint32_t more = stage->outputs - stage->cores;
        const uint32_t given = more < left ? more : left;
        stage->cores += given;
        left -= given;
    }
}

enum status plan_stages_make(const struct network *network, uint32_t cores,
                             struct plan_stages *stages, struct diagnostic *diagnostic)
{
    TRY(find_stages(network, stages, diagnostic));
    TRY(check_cores(network, cores, stages, diagnostic));
    give_out(stages, cores);
    return STATUS_OK;
}

bool plan_stages_widen(struct plan_stages *stages, size_t stage, uint32_t cores)
{
    struct plan_stage *wider = &stages->stage[stage];
    uint32_t least = wider->cores + 1 - wider->least;
    for (size_t i = 0; i < stages->count; i++) {
        least += stages->stage[i].least;
    }
    if (stage + 1 == stages->count || wider->cores == wider->outputs || least > cores) {
        return false;
    }
    wider->least = wider->cores + 1;
    give_out(stages, cores);
    return true;
}

/* ---- parts ---- */

enum { BIAS_BYTES = 2 };

static uint32_t word_aligned(uint32_t bytes)
{
    return (bytes + 3) & ~UINT32_C(3);
}

static void place_parameters(struct nn_table *part, uint32_t outputs, uint32_t value_bytes)
{
    struct nn_layer *first = &part->layer[0];
    first->weights = 0;
    first->biases = word_aligned(value_bytes * links_weights(first));
    part->parameter_bytes = first->biases + word_aligned(BIAS_BYTES * outputs);
}

/* Bytes of the first layer's input: of an image, of its frame (workloads/nn/framed.h), or of values
 * that stay where packets bring them. */
static uint32_t input_bytes(const struct nn_table *part, bool starts_network, uint32_t value_bytes)
{
    const struct nn_layer *first = &part->layer[0];
    const bool frames = value_bytes == sizeof(int16_t) && nn_needs_frame(first);
    if (frames && part->layers > 1) {
        return word_aligned(value_bytes * nn_framed_values(first));
    }
    return starts_network ? word_aligned(value_bytes * nn_values(first->input)) : 0;
}

/* The output of the last layer is elsewhere; so a part of one layer has no room for a frame, and
 * says so: its `to` is its `from`. */
static void place_activations(struct nn_table *part, bool starts_network, uint32_t value_bytes)
{
    uint32_t next = input_bytes(part, starts_network, value_bytes);
    for (uint32_t i = 0; i < part->layers; i++) {
        struct nn_layer *layer = &part->layer[i];
        layer->from = i == 0 ? 0 : part->layer[i - 1].to;
        layer->to = part->layers > 1 ? next : layer->from;
        if (i + 1 < part->layers) {
            next += word_aligned(value_bytes * nn_values(layer->output));
        }
    }
    part->activation_bytes = next + (value_bytes == sizeof(int8_t) ? nn_int8_scratch(part) : 0);
}

/* Copies the slice's rows of the table of links to after the part's layers. */
static void copy_links(struct nn_table *part, const struct nn_layer *whole, struct plan_slice slice)
{
    uint32_t *to = (uint32_t *)(void *)&part->layer[part->layers];
    struct nn_layer *first = &part->layer[0];
    memcpy(to, nn_links(whole) + slice.first, slice.count * sizeof *to);
    first->output.links = (uint16_t)(to - (uint32_t *)(void *)first);
}

struct nn_table *part_table_make(const struct nn_table *table, const struct plan_stage *stage,
                                 struct plan_slice slice, uint32_t value_bytes)
{
    const struct nn_layer *whole = &table->layer[stage->first_layer];
    const bool linked = nn_links(whole) != NULL;
    const size_t bytes = sizeof *table + stage->layer_count * sizeof table->layer[0] +
                         (linked ? slice.count * sizeof(uint32_t) : 0);
    struct nn_table *part = calloc(1, bytes);
    if (part == NULL) {
        return NULL;
    }
    *part = *table;
    part->bytes = (uint32_t)bytes;
    part->layers = stage->layer_count;
    memcpy(part->layer, whole, stage->layer_count * sizeof table->layer[0]);
    if (linked) {
        copy_links(part, whole, slice);
    }
    for (uint32_t i = 0; i < part->layers; i++) {
        part->layer[i].output.channels = (uint16_t)slice.count;
        if (i > 0) {
            part->layer[i].input.channels = (uint16_t)slice.count;
        }
    }
    place_parameters(part, slice.count, value_bytes);
    place_activations(part, stage->first_layer == 0, value_bytes);
    return part;
}

void part_parameters(const struct nn_table *table, const uint8_t *parameters,
                     const struct plan_stage *stage, struct plan_slice slice,
                     const struct nn_table *part, uint32_t value_bytes, uint8_t *to)
{
    const struct nn_layer *whole = &table->layer[stage->first_layer];
    const size_t first = links_weights_before(whole, slice.first);
    const size_t end = links_weights_before(whole, slice.first + slice.count);
    memset(to, 0, part->parameter_bytes);
    memcpy(to + part->layer[0].weights, parameters + whole->weights + value_bytes * first,
           value_bytes * (end - first));
    memcpy(to + part->layer[0].biases,
           parameters + whole->biases + BIAS_BYTES * (size_t)slice.first,
           BIAS_BYTES * (size_t)slice.count);
}
