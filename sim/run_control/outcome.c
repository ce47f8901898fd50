/* outcome.c - see outcome.h. */
#include "sim/run_control/outcome.h"

#include "sim/backends/backends.h"
#include "sim/grow.h"
#include "sim/run_control/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *outcome_end_text(enum outcome_end end)
{
    static const char *const TEXT[] = {"done", "guest_failed", "limit"};
    return TEXT[end];
}

void outcome_hash_results(const struct outcome *outcome, struct sha256 *hash)
{
    for (uint32_t i = 0; i < outcome->result_count; i++) {
        sha256_update(hash, &outcome->result[i], nn_result_bytes(outcome->classes));
    }
}

void outcome_deinit(struct outcome *outcome)
{
    free(outcome->counter);
    free(outcome->stage_sum);
    free(outcome->core);
    free(outcome->result);
    free(outcome->learning);
    free(outcome->epoch);
    free(outcome->stage);
    free(outcome->sample.row);
    free(outcome->unmodelled);
    free(outcome->drop);
    free(outcome->wait);
    free(outcome->profile);
    free(outcome->memory);
    timeline_destroy(outcome->timeline);
    free(outcome->trace);
    free(outcome->crash);
    free(outcome->console);
    free(outcome->tensor);
    routing_deinit(&outcome->routing);
    free(outcome->traffic);
    weights_deinit(&outcome->trained);
#define OWN(identifier, name, meaning, when) free(outcome->identifier);
#include "tables/result_files.def"
    memset(outcome, 0, sizeof *outcome);
}

#define OWN(identifier, name, meaning, when)                                                       \
    bool outcome_add_##identifier(struct outcome *outcome, const struct outcome_##identifier *row) \
    {                                                                                              \
        struct outcome_##identifier *grown =                                                       \
            grow(outcome->identifier, &outcome->identifier##_room, outcome->identifier##_count,    \
                 sizeof *grown);                                                                   \
        if (grown == NULL) {                                                                       \
            return false;                                                                          \
        }                                                                                          \
        outcome->identifier = grown;                                                               \
        grown[outcome->identifier##_count++] = *row;                                               \
        return true;                                                                               \
    }
#include "tables/result_files.def"

bool outcome_add_learning(struct outcome *outcome, const struct outcome_learning *row)
{
    struct outcome_learning *larger =
        realloc(outcome->learning, (outcome->learning_count + 1) * sizeof *larger);
    if (larger == NULL) {
        return false;
    }
    outcome->learning = larger;
    larger[outcome->learning_count++] = *row;
    return true;
}

struct energy_joules outcome_no_joules(void)
{
    return (struct energy_joules){NAN, NAN, NAN};
}

bool outcome_is_enough(const struct outcome *outcome, uint64_t epochs_done, uint64_t patience,
                       double target)
{
    double best = -1;
    uint64_t best_epoch = 0;
    for (size_t i = 0; i < outcome->learning_count; i++) {
        const struct outcome_learning *row = &outcome->learning[i];
        if (isfinite(row->validation_accuracy) && row->validation_accuracy > best) {
            best = row->validation_accuracy;
            best_epoch = row->epoch;
        }
    }
    return (target > 0 && best >= target) ||
           (patience > 0 && best >= 0 && epochs_done >= best_epoch + patience);
}

double outcome_validation_accuracy(const struct outcome *outcome)
{
    double last = NAN;
    for (size_t i = 0; i < outcome->learning_count; i++) {
        const double accuracy = outcome->learning[i].validation_accuracy;
        last = isfinite(accuracy) ? accuracy : last;
    }
    return last;
}

bool outcome_save(const struct outcome *outcome, struct checkpoint *checkpoint)
{
    const struct outcome_training *met = &outcome->training;
    const uint64_t numerics[CHECKPOINT_NUMERICS] = {met->saturations, met->overflows,
                                                    met->error_saturations, met->weight_saturations,
                                                    met->largest_sum};
    memcpy(checkpoint->numerics, numerics, sizeof numerics);
    checkpoint->rows = outcome->learning_count;
    checkpoint->row = calloc(checkpoint->rows + 1, sizeof *checkpoint->row);
    if (checkpoint->row == NULL) {
        return false;
    }
    for (size_t i = 0; i < checkpoint->rows; i++) {
        const struct outcome_learning *row = &outcome->learning[i];
        const double number[CHECKPOINT_ROW] = {
            (double)row->update, (double)row->epoch,   (double)row->images,     row->seconds,
            row->joules.low,     row->joules.value,    row->joules.high,        row->loss,
            row->accuracy,       row->validation_loss, row->validation_accuracy};
        memcpy(checkpoint->row[i], number, sizeof number);
    }
    return true;
}

bool outcome_restore(struct outcome *outcome, const struct checkpoint *checkpoint)
{
    const uint64_t *met = checkpoint->numerics;
    bool good = true;
    outcome->training = (struct outcome_training){.saturations = met[0],
                                                  .overflows = met[1],
                                                  .error_saturations = met[2],
                                                  .weight_saturations = met[3],
                                                  .largest_sum = (uint32_t)met[4]};
    for (size_t i = 0; i < checkpoint->rows && good; i++) {
        const double *number = checkpoint->row[i];
        const struct outcome_learning row = {.update = (uint64_t)number[0],
                                             .epoch = (uint64_t)number[1],
                                             .images = (uint64_t)number[2],
                                             .seconds = number[3],
                                             .joules = {number[4], number[5], number[6]},
                                             .loss = number[7],
                                             .accuracy = number[8],
                                             .validation_loss = number[9],
                                             .validation_accuracy = number[10]};
        good = outcome_add_learning(outcome, &row);
    }
    return good;
}

uint64_t outcome_sum(const struct outcome *outcome, const char *component, const char *counter)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < outcome->counter_count; i++) {
        const struct outcome_counter *at = &outcome->counter[i];
        if (strcmp(at->component, component) == 0 && strcmp(at->info->name, counter) == 0) {
            sum += at->value;
        }
    }
    return sum;
}

uint64_t outcome_dropped_packets(const struct outcome *outcome)
{
    static const char *const DUMPED[] = {"dumped_mc", "dumped_p2p", "dumped_nn", "dumped_fr"};
    uint64_t dropped = 0;
    for (size_t i = 0; i < sizeof DUMPED / sizeof *DUMPED; i++) {
        dropped += outcome_sum(outcome, "router", DUMPED[i]);
    }
    return dropped;
}

/* ---- trained weights ---- */

/* A configuration's path relative to the folder that holds configs/, so that it is the same in
 * every checkout. */
static const char *path_in_checkout(const char *path)
{
    static const char CONFIGS[] = "configs/";
    const char *found = path;
    for (const char *at = strstr(path, CONFIGS); at != NULL; at = strstr(at + 1, CONFIGS)) {
        if (at == path || at[-1] == '/') {
            found = at;
        }
    }
    return found;
}

void outcome_command(const struct sim_config *config, char *recipe, size_t capacity)
{
    (void)snprintf(recipe, capacity, "spinnsim run %s", path_in_checkout(config->file));
    for (size_t i = 0; i < config->set_count; i++) {
        const size_t used = strlen(recipe);
        (void)snprintf(recipe + used, capacity - used, " --set %s", config->sets[i]);
    }
}

void outcome_sign_weights(struct outcome *outcome, const struct job *job)
{
    struct weights_origin *origin = &outcome->trained.origin;
    (void)snprintf(origin->dataset, sizeof origin->dataset, "%s",
                   config_data_set_text(job->config->data_set));
    memcpy(origin->dataset_digest, job->train.digest_hex, sizeof origin->dataset_digest);
    outcome_command(job->config, origin->recipe, sizeof origin->recipe);
    origin->reference_accuracy =
        outcome->trained.float64 != NULL ? (double)outcome->right / outcome->result_count : NAN;
}

uint64_t outcome_operation_sum(const struct outcome *outcome, enum outcome_operation_sum of)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < outcome->operation_count; i++) {
        const struct outcome_operation *row = &outcome->operation[i];
        const bool moves = strcmp(row->operation, BACKEND_CAPABILITY[BACKEND_CAN_LOAD].name) == 0 ||
                           strcmp(row->operation, BACKEND_CAPABILITY[BACKEND_CAN_DUMP].name) == 0;
        sum += of == OPERATION_CALLS              ? row->calls
               : of == OPERATION_FALLBACKS        ? row->fallbacks
               : moves == (of == OPERATION_BYTES) ? row->elements
                                                  : 0;
    }
    return sum;
}
