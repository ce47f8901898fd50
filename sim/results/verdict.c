/* verdict.c - see verdict.h. */
#include "sim/results/verdict.h"

#include "models/common/units.h"
#include "sim/results/training.h"

#include <math.h>

bool verdict_was_tested(const struct outcome *outcome)
{
    return outcome->result_count > 0 && (outcome->chips == 0 || outcome->stage_ps[STAGE_TEST] > 0);
}

double verdict_images_tested(const struct outcome *outcome)
{
    return verdict_was_tested(outcome) && outcome->sample.updates == 0
               ? ((double)outcome->result_count + outcome->validation_count) *
                     (outcome->tests > 0 ? outcome->tests : 1)
               : 0;
}

double verdict_images_per_second(const struct outcome *outcome)
{
    const double images = verdict_images_tested(outcome);
    return images > 0 ? images / ((double)outcome->stage_ps[STAGE_TEST] / (double)PS_PER_S) : NAN;
}

static void measure(double *value, const struct outcome *outcome,
                    const struct energy_account *energy)
{
    const bool machine = outcome->chips > 0; /* the host has neither joules nor time */
    uint64_t unmodelled = 0;
    for (size_t i = 0; i < outcome->unmodelled_count; i++) {
        unmodelled += outcome->unmodelled[i].count;
    }
    value[CONFIG_METRIC_ACCURACY] =
        verdict_was_tested(outcome) ? (double)outcome->right / outcome->result_count : NAN;
    value[CONFIG_METRIC_VALIDATION_ACCURACY] = outcome_validation_accuracy(outcome);
    value[CONFIG_METRIC_DROPPED_PACKETS] = (double)outcome_dropped_packets(outcome);
    value[CONFIG_METRIC_SECONDS] = (double)outcome->time_ps / (double)PS_PER_S;
    value[CONFIG_METRIC_SECONDS_PER_EPOCH] = training_epoch_seconds(outcome);
    value[CONFIG_METRIC_JOULES] = machine ? energy->total.value : NAN;
    value[CONFIG_METRIC_IMAGES_PER_SECOND] = machine ? verdict_images_per_second(outcome) : NAN;
    value[CONFIG_METRIC_LATE_INTERRUPTS] = (double)outcome->late_interrupts;
    value[CONFIG_METRIC_GUEST_ERRORS] = (double)outcome->guest_errors;
    value[CONFIG_METRIC_MEMORY_FAULTS] =
        outcome->memory_checked ? (double)outcome->memory_check_count : NAN;
    value[CONFIG_METRIC_UNMODELLED] = (double)unmodelled;
}

bool verdict_holds(const struct verdict *verdict, const struct sim_config *config,
                   enum config_metric metric)
{
    const struct config_accept *bound = &config->accept[metric];
    const double value = verdict->value[metric];
    return !config_accepts(bound) || (value >= bound->min && value <= bound->max);
}

struct verdict verdict_of(const struct sim_config *config, const struct outcome *outcome,
                          const struct energy_account *energy)
{
    struct verdict verdict = {.good = true};
    measure(verdict.value, outcome, energy);
    for (int metric = 0; metric < CONFIG_METRICS; metric++) {
        verdict.good &= verdict_holds(&verdict, config, (enum config_metric)metric);
    }
    return verdict;
}

enum status verdict_explain(const struct verdict *verdict, const struct sim_config *config,
                            struct diagnostic *diagnostic)
{
    for (int i = 0; i < CONFIG_METRICS; i++) {
        const enum config_metric metric = (enum config_metric)i;
        const struct config_accept *bound = &config->accept[metric];
        if (verdict_holds(verdict, config, metric)) {
            continue;
        }
        char key[DIAGNOSTIC_KEY_CHARS];
        const char *name = config_metric_text(metric);
        (void)snprintf(key, sizeof key, "accept.%s", name);
        const double value = verdict->value[metric];
        const bool low = !isinf(bound->min) && !(value >= bound->min);
        char found[64];
        if (isnan(value)) {
            (void)snprintf(found, sizeof found, "this run has no %s", name);
        } else {
            (void)snprintf(found, sizeof found, "%s is %.10g", name, value);
        }
        (void)diagnose(diagnostic, STATUS_REJECTED, "%s, %s %.10g is accepted", found,
                       low ? "at least" : "at most", low ? bound->min : bound->max);
        config_locate(config, key, diagnostic);
        return STATUS_REJECTED;
    }
    return STATUS_OK;
}
