/* record.c - see recorder.h: what is derived from an outcome, and the folder's tables. */
#include "sim/results/csv.h"
#include "sim/results/incidents.h"
#include "sim/results/json.h"
#include "sim/results/recorder.h"
#include "sim/results/result_folder.h"
#include "sim/results/traffic.h"

#include "models/common/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- deriving ---- */

enum status record_make(struct record *record, const struct job *job, const struct outcome *outcome,
                        struct diagnostic *diagnostic)
{
    *record = (struct record){
        .job = job, .outcome = outcome, .verdict = verdict_of(job->config, outcome)};
    enum status status = tally_of_outcome(&record->tally, outcome, diagnostic);
    if (status == STATUS_OK) {
        status =
            energy_account_of(&record->energy, &job->config->energy, &record->tally, diagnostic);
    }
    if (status != STATUS_OK) {
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

/* ---- tables ---- */

static void write_counters(FILE *stream, const struct record *record)
{
    tally_write(stream, record->outcome,
                record->job->config->record_counters == CONFIG_RECORD_COUNTERS_CORE);
}

static void write_phases(FILE *stream, const struct record *record)
{
    energy_write_phases(stream, &record->energy);
}

static void write_energy(FILE *stream, const struct record *record)
{
    energy_write_terms(stream, &record->job->config->energy, &record->tally);
}

static void write_traffic(FILE *stream, const struct record *record)
{
    traffic_write(stream, record->outcome->traffic, record->outcome->traffic_count);
}

static void write_keys(FILE *stream, const struct record *record)
{
    traffic_write_keys(stream, &record->outcome->routing);
}

/* A number, or an empty field when there is none. */
static void put_real(FILE *stream, double value)
{
    char text[REAL_TEXT_CHARS];
    (void)fprintf(stream, ",%s", isfinite(value) ? real_text(value, text) : "");
}

static void write_learning(FILE *stream, const struct record *record)
{
    (void)fputs("update,epoch,images,seconds,joules,loss,accuracy,joules_low,joules_high\n",
                stream);
    for (size_t i = 0; i < record->outcome->learning_count; i++) {
        const struct outcome_learning *row = &record->outcome->learning[i];
        (void)fprintf(stream, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->update, row->epoch,
                      row->images);
        put_real(stream, row->seconds);
        put_real(stream, row->joules.value);
        put_real(stream, row->loss);
        put_real(stream, row->accuracy);
        put_real(stream, row->joules.low);
        put_real(stream, row->joules.high);
        (void)fputc('\n', stream);
    }
}

static void write_parameters(FILE *stream, const struct record *record)
{
    (void)fputs("update,layer,length,distance\n", stream);
    for (size_t i = 0; i < record->outcome->parameters_count; i++) {
        const struct outcome_parameters *row = &record->outcome->parameters[i];
        (void)fprintf(stream, "%" PRIu64 ",", row->update);
        csv_text(stream, row->layer);
        put_real(stream, row->length);
        put_real(stream, row->distance);
        (void)fputc('\n', stream);
    }
}

static void write_profile(FILE *stream, const struct record *record)
{
    (void)fputs("role,function,address,samples,instructions,cycles\n", stream);
    for (size_t i = 0; i < record->outcome->profile_count; i++) {
        const struct core_profile_row *row = &record->outcome->profile[i];
        char room[FUNCTION_NAME_CHARS];
        csv_text(stream, row->role);
        (void)fputc(',', stream);
        csv_text(stream, function_name(&row->range, room));
        (void)fprintf(stream, ",0x%08" PRIx32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                      row->range.first, row->samples, row->instructions, row->cycles);
    }
}

static void write_placement(FILE *stream, const struct record *record)
{
    (void)fputs("x,y,core,virtual_core,role,layer,itcm_bytes,dtcm_bytes,macs_per_image\n", stream);
    for (size_t i = 0; i < record->outcome->core_count; i++) {
        const struct outcome_core *core = &record->outcome->core[i];
        (void)fprintf(stream, "%u,%u,%u,%" PRIu32 ",", core->core.x, core->core.y, core->core.p,
                      core->virtual_core);
        csv_text(stream, core->role); /* a file's name */
        (void)fprintf(stream, ",%s,%" PRIu32 ",%" PRIu32 ",%" PRIu64 "\n", core->layer,
                      core->itcm_bytes, core->dtcm_bytes, core->macs);
    }
}

static void write_tensors(FILE *stream, const struct record *record)
{
    (void)fputs("name,type,fraction,shape,x,y,core,address,stride_bytes\n", stream);
    for (size_t i = 0; i < record->outcome->tensor_count; i++) {
        const struct load_plan_tensor *tensor = &record->outcome->tensor[i];
        (void)fprintf(stream, "%s,%s,%" PRIu32 ",", tensor->name, tensor->type, tensor->fraction);
        for (uint32_t d = 0; d < tensor->rank; d++) {
            (void)fprintf(stream, "%s%" PRIu32, d == 0 ? "" : "x", tensor->shape[d]);
        }
        (void)fprintf(stream, ",%u,%u,%u,0x%08" PRIx32 ",%" PRIu32 "\n", tensor->core.x,
                      tensor->core.y, tensor->core.p, tensor->address, tensor->stride_bytes);
    }
}

static void write_predictions(FILE *stream, const struct record *record)
{
    static const double ONE = 65536; /* a confidence has 16 fractional bits */
    const struct outcome *outcome = record->outcome;
    (void)fputs("image,label,predicted,confidence", stream);
    for (unsigned c = 0; outcome->has_logits && c < NN_RESULT_CLASSES; c++) {
        (void)fprintf(stream, ",logit_%u", c);
    }
    (void)fputc('\n', stream);
    for (uint32_t i = 0; i < outcome->result_count; i++) {
        const struct nn_result *result = &outcome->result[i];
        (void)fprintf(stream, "%" PRIu32 ",%u", i, outcome->labels[i]);
        if (result->done != 1) {
            (void)fputs(",,", stream);
        } else {
            (void)fprintf(stream, ",%" PRIu32, result->label);
            put_real(stream, result->confidence / ONE);
        }
        for (unsigned c = 0; outcome->has_logits && c < NN_RESULT_CLASSES; c++) {
            (void)fprintf(stream, ",%" PRId32, result->logits[c]);
        }
        (void)fputc('\n', stream);
    }
}

static void write_console(FILE *stream, const struct record *record)
{
    if (record->outcome->console_bytes > 0) {
        (void)fwrite(record->outcome->console, 1, record->outcome->console_bytes, stream);
    }
}

/* ---- the folder ---- */

struct result_file {
    const char *name;
    void (*write)(FILE *stream, const struct record *record);
};

static const struct result_file FILES[] = {
    {"counters.csv", write_counters}, {"phases.csv", write_phases},
    {"traffic.csv", write_traffic},   {"energy.csv", write_energy},
    {"learning.csv", write_learning}, {"placement.csv", write_placement},
    {"keys.csv", write_keys},         {"tensors.csv", write_tensors},
    {"console.txt", write_console},   {"summary.json", summary_write},
};

static enum status write_file(const struct result_folder *folder, const struct result_file *file,
                              const struct record *record, struct diagnostic *diagnostic)
{
    FILE *stream;
    const enum status status = result_folder_open(folder, file->name, &stream, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    file->write(stream, record);
    return result_folder_close(folder, file->name, stream, diagnostic);
}

/* Needs memory, and so may fail without its stream. */
static enum status write_config(const struct result_folder *folder, const struct record *record,
                                struct diagnostic *diagnostic)
{
    static const char NAME[] = "config.yaml";
    FILE *stream;
    enum status status = result_folder_open(folder, NAME, &stream, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    status = config_dump(record->job->config, stream);
    const enum status closed = result_folder_close(folder, NAME, stream, diagnostic);
    if (closed != STATUS_OK) {
        return closed;
    }
    return status == STATUS_OK ? status : diagnose(diagnostic, status, "out of memory");
}

static enum status write_weights(const struct result_folder *folder, const struct record *record,
                                 struct diagnostic *diagnostic)
{
    char *path = result_folder_path(folder, "weights.npz");
    if (path == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    const enum status status = weights_write(&record->outcome->trained, path, &record->job->network,
                                             record->job->table, diagnostic);
    free(path);
    return status;
}

static enum status write_all(const struct result_folder *folder, const struct record *record,
                             struct diagnostic *diagnostic)
{
    static const struct result_file PREDICTIONS = {"predictions.csv", write_predictions};
    static const struct result_file WAITS = {"waits.csv", incidents_write_waits};
    static const struct result_file PARAMETERS = {"parameters.csv", write_parameters};
    static const struct result_file DROPS = {"drops.csv", incidents_write_drops};
    static const struct result_file PROFILE = {"profile.csv", write_profile};
    enum status status = write_config(folder, record, diagnostic);
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES && status == STATUS_OK; i++) {
        status = write_file(folder, &FILES[i], record, diagnostic);
    }
    if (status == STATUS_OK && record->job->has_network &&
        record->job->config->record_predictions) {
        status = write_file(folder, &PREDICTIONS, record, diagnostic);
    }
    if (status == STATUS_OK && record->outcome->drop_count > 0) {
        status = write_file(folder, &DROPS, record, diagnostic);
    }
    if (status == STATUS_OK && record->outcome->wait_count > 0) {
        status = write_file(folder, &WAITS, record, diagnostic);
    }
    if (status == STATUS_OK && record->outcome->profile_count > 0) {
        status = write_file(folder, &PROFILE, record, diagnostic);
    }
    if (status == STATUS_OK && record->outcome->parameters_count > 0) {
        status = write_file(folder, &PARAMETERS, record, diagnostic);
    }
    if (status == STATUS_OK && record->outcome->trained.block != NULL) {
        status = write_weights(folder, record, diagnostic);
    }
    return status;
}

enum status record_write(const struct record *record, const char *path,
                         struct diagnostic *diagnostic)
{
    struct result_folder folder;
    enum status status = result_folder_begin(&folder, path, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    if (record->outcome->end != OUTCOME_DONE) {
        result_folder_keep(&folder, CHECKPOINT_FILE); /* to go on from */
    }
    status = write_all(&folder, record, diagnostic);
    if (status != STATUS_OK) {
        result_folder_discard(&folder);
        return status;
    }
    return result_folder_commit(&folder, diagnostic);
}
