/* plan_stages.c - see plan_stages.h. */
#include "sim/mapping/plan_stages.h"

#include <inttypes.h>

static bool has_weights(const struct network_layer *layer)
{
    return !network_is_pool(layer);
}

static enum status find_stages(const struct network *network, struct plan_stages *stages,
                               struct diagnostic *diagnostic)
{
    *stages = (struct plan_stages){0};
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        if (has_weights(layer)) {
            stages->stage[stages->count++] = (struct plan_stage){
                .first_layer = (uint32_t)i,
                .outputs = layer->outputs,
                .macs = network_layer_macs(layer) / layer->outputs,
            };
        } else if (i == 0) {
            const enum status status = diagnose(diagnostic, STATUS_CONFIGURATION,
                                                "the first layer of network %s, %s, has no weights",
                                                network->name, layer->name);
            diagnostic_hint(diagnostic, "maps are spread with the layer that makes them: conv2d or "
                                        "dense first");
            return status;
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
    enum status status = STATUS_OK;
    if (cores < stages->count) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "network %s needs at least %zu cores of a chip, %" PRIu32
                          " are given: %zu short",
                          network->name, stages->count, cores, stages->count - cores);
        diagnostic_hint(diagnostic, "one for each layer that has weights");
    } else if (cores > most) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "network %s occupies at most %" PRIu64 " cores of a chip, %" PRIu32
                          " are given",
                          network->name, most, cores);
        diagnostic_hint(diagnostic, "one for each map or unit, and one for the last layer");
    }
    return status;
}

/* Multiply-accumulates of a stage's most loaded core. */
static uint64_t load_of(const struct plan_stage *stage, uint32_t cores)
{
    return (stage->outputs + cores - 1) / cores * stage->macs;
}

/* The least number of cores with which a stage's most loaded core has less than `load`; 0: there is
 * none. */
static uint32_t cores_below(const struct plan_stage *stage, uint64_t load)
{
    for (uint32_t cores = stage->cores; cores <= stage->outputs; cores++) {
        if (load_of(stage, cores) < load) {
            return cores;
        }
    }
    return 0;
}

/* The stage with the most loaded core among those that are not settled yet; count: none. */
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
    uint32_t left = cores - (uint32_t)stages->count;
    for (size_t i = 0; i < stages->count; i++) {
        stages->stage[i].cores = 1;
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
    /* Cores that make nobody's largest load smaller still take maps off others. */
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
    enum status status = find_stages(network, stages, diagnostic);
    if (status == STATUS_OK) {
        status = check_cores(network, cores, stages, diagnostic);
    }
    if (status == STATUS_OK) {
        give_out(stages, cores);
    }
    return status;
}

struct plan_slice plan_slice_of(const struct plan_stage *stage, uint32_t index)
{
    const uint32_t each = stage->outputs / stage->cores;
    const uint32_t more = stage->outputs % stage->cores;
    return (struct plan_slice){index * each + (index < more ? index : more),
                               each + (index < more ? 1 : 0)};
}
