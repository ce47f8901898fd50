/* record.c - see recorder.h: what follows from a run. */
#include "models/common/units.h"
#include "sim/results/recorder.h"

enum status record_make(struct record *record, const struct job *job, const struct outcome *outcome,
                        struct diagnostic *diagnostic)
{
    *record = (struct record){.job = job, .outcome = outcome};
    enum status status = tally_of_outcome(&record->tally, outcome, diagnostic);
    if (status == STATUS_OK) {
        status =
            energy_account_of(&record->energy, &job->config->energy, &record->tally, diagnostic);
    }
    if (status == STATUS_OK) {
        record->verdict = verdict_of(job->config, outcome, &record->energy);
    } else {
        record_deinit(record);
    }
    return status;
}

void record_deinit(struct record *record)
{
    tally_deinit(&record->tally);
    energy_account_deinit(&record->energy);
}

double record_seconds(const struct record *record)
{
    return (double)record->outcome->time_ps / (double)PS_PER_S;
}

double record_stage_seconds(const struct record *record, enum stage stage)
{
    return (double)record->outcome->stage_ps[stage] / (double)PS_PER_S;
}

double record_accuracy(const struct record *record)
{
    return record->verdict.value[CONFIG_METRIC_ACCURACY];
}
