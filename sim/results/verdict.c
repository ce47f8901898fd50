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
    value[CONFIG_METRIC_UNMODELLED] = (double)unmodelled;
}

bool verdict_holds(const struct verdict *verdict, const struct config_accept *bound)
{
    const double value = verdict->value[bound->metric];
    return (!bound->has_min || value >= bound->min) && (!bound->has_max || value <= bound->max);
}

struct verdict verdict_of(const struct sim_config *config, const struct outcome *outcome,
                          const struct energy_account *energy)
{
    struct verdict verdict = {.good = true};
    measure(verdict.value, outcome, energy);
    for (size_t i = 0; i < config->accept_count; i++) {
        verdict.good &= verdict_holds(&verdict, &config->accept[i]);
    }
    return verdict;
}

enum status verdict_explain(const struct verdict *verdict, const struct sim_config *config,
                            struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < config->accept_count; i++) {
        const struct config_accept *bound = &config->accept[i];
        if (verdict_holds(verdict, bound)) {
            continue;
        }
        char key[DIAGNOSTIC_KEY_CHARS];
        const char *name = config_metric_text(bound->metric);
        (void)snprintf(key, sizeof key, "accept.%s", name);
        const bool low = bound->has_min && !(verdict->value[bound->metric] >= bound->min);
        const double value = verdict->value[bound->metric];
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
