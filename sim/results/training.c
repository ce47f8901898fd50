/* training.c - see training.h. */
#include "sim/results/training.h"

#include "models/common/units.h"

#include <math.h>
#include <string.h>

/* ---- epochs ---- */

bool training_has_epochs(const struct outcome *outcome)
{
    return outcome->epoch_count > 0;
}

double training_epoch_seconds(const struct outcome *outcome)
{
    uint64_t time_ps = 0;
    for (size_t i = 0; i < outcome->epoch_count; i++) {
        time_ps += outcome->epoch[i].time_ps;
    }
    return outcome->epoch_count > 0
               ? (double)time_ps / (double)PS_PER_S / (double)outcome->epoch_count
               : NAN;
}

struct energy_joules training_epoch_joules(const struct outcome *outcome)
{
    const double count = (double)outcome->epoch_count;
    struct energy_joules sum = {0, 0, 0};
    for (size_t i = 0; i < outcome->epoch_count; i++) {
        energy_add(&sum, outcome->epoch[i].joules);
    }
    return (struct energy_joules){sum.low / count, sum.value / count, sum.high / count};
}

double training_images_per_second(const struct record *record)
{
    return record->job->train.count / training_epoch_seconds(record->outcome);
}

/* ---- where the time went ---- */

static const char *part_text(enum training_part part)
{
    static const char *const TEXT[TRAINING_PARTS] = {"compute", "exchange", "sdram", "imbalance"};
    return TEXT[part];
}

static enum training_part part_of(const struct phase *phase)
{
    static const struct {
        const char *name;
        enum training_part part;
    } WAIT[] = {{"gradients_exchange", TRAINING_EXCHANGE}, {"weights_exchange", TRAINING_EXCHANGE},
                {"values_exchange", TRAINING_EXCHANGE},    {"packets_wait", TRAINING_EXCHANGE},
                {"transfers_wait", TRAINING_SDRAM},        {"images_wait", TRAINING_SDRAM},
                {"signals_wait", TRAINING_IMBALANCE},      {"commands_wait", TRAINING_IMBALANCE}};
    for (size_t i = 0; i < sizeof WAIT / sizeof *WAIT; i++) {
        if (strcmp(phase->name, WAIT[i].name) == 0) {
            return WAIT[i].part;
        }
    }
    return TRAINING_COMPUTE;
}

/* Whether a counter of a core is time, awake or asleep. */
static bool is_time(struct machine_share_name share)
{
    return strcmp(share.component, "core") == 0 &&
           (strcmp(share.info->name, "active_cycles") == 0 ||
            strcmp(share.info->name, "sleep_cycles") == 0);
}

struct training_time training_time_of(const struct outcome *outcome)
{
    struct training_time time = {.sum = 0};
    const double cores_hz = (double)outcome->core_hz * outcome->cores_used;
    for (unsigned i = 0; i < outcome->phase_count; i++) {
        const struct phase_sum *sum = &outcome->phase_sum[STAGE_TRAIN][i];
        uint64_t cycles = 0;
        for (size_t s = 0; s < machine_share_count(); s++) {
            cycles += is_time(machine_share_name(s)) ? sum->share[s] : 0;
        }
        time.seconds[part_of(&outcome->phase[i])] += (double)cycles / cores_hz;
    }
    for (unsigned p = 0; p < TRAINING_PARTS; p++) {
        time.sum += time.seconds[p];
    }
    return time;
}

double training_update_seconds(const struct record *record)
{
    const double batch = (double)record->job->config->train_global_batch;
    return training_epoch_seconds(record->outcome) / ceil(record->job->train.count / batch);
}

double training_estimated_seconds(const struct outcome *outcome)
{
    return outcome->estimated_update_s > 0 ? outcome->estimated_update_s : NAN;
}

/* ---- for readers ---- */

static void print_estimate(FILE *stream, const struct record *record)
{
    static const double MILLI = 1e3;
    const double measured = training_update_seconds(record);
    const double estimated = training_estimated_seconds(record->outcome);
    (void)fprintf(stream, "an update       %.4g ms", MILLI * measured);
    if (isfinite(estimated)) {
        (void)fprintf(stream, ", estimated %.4g ms", MILLI * estimated);
    }
    (void)fputc('\n', stream);
}

static void print_sample(FILE *stream, const struct outcome_sample *sample)
{
    static const double PERCENT = 100;
    if (sample->updates > 0) {
        const struct outcome_sampled *seconds = &sample->row[0];
        const struct outcome_sampled *joules = &sample->row[1];
        (void)fprintf(stream,
                      "sampled         %u of %u updates, at %u places: an epoch's time is known "
                      "within %.2g %%, its joules within %.2g %%\n",
                      sample->updates, sample->of, sample->places,
                      PERCENT * (seconds->epoch_high / seconds->epoch - 1),
                      PERCENT * (joules->epoch_high / joules->epoch - 1));
    }
}

void training_print(FILE *stream, const struct record *record)
{
    static const double PERCENT = 100;
    const struct outcome *outcome = record->outcome;
    if (!training_has_epochs(outcome)) {
        return;
    }
    const struct training_time time = training_time_of(outcome);
    const struct energy_joules joules = training_epoch_joules(outcome);
    (void)fprintf(stream,
                  "training        %.6g images/s, %zu epoch%s of %.6g s, %.4g J (%.4g to %.4g)\n",
                  training_images_per_second(record), outcome->epoch_count,
                  outcome->epoch_count == 1 ? "" : "s", training_epoch_seconds(outcome),
                  joules.value, joules.low, joules.high);
    print_sample(stream, &outcome->sample);
    print_estimate(stream, record);
    (void)fputs("of that time", stream);
    for (unsigned p = 0; p < TRAINING_PARTS; p++) {
        (void)fprintf(stream, "%s %s %.1f %%", p == 0 ? "   " : ",",
                      part_text((enum training_part)p), PERCENT * time.seconds[p] / time.sum);
    }
    (void)fputc('\n', stream);
    if (outcome->training.largest_sum > 0) {
        const struct outcome_training *met = &outcome->training;
        (void)fprintf(stream,
                      "numbers         head-room of the sums %.3g, saturations %llu, of errors "
                      "%llu, of weights %llu\n",
                      0x1p31 / met->largest_sum, (unsigned long long)met->saturations,
                      (unsigned long long)met->error_saturations,
                      (unsigned long long)met->weight_saturations);
    }
}
