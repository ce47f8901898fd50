/* result_files.c - see result_files.h. */
#include "sim/results/result_files.h"

#include "sim/csv.h"
#include "sim/results/incidents.h"
#include "sim/results/json.h"
#include "sim/results/manifest.h"
#include "sim/results/recorder.h"
#include "sim/results/summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- columns that are no member of the row ---- */

#define CORE "%u:%u:%u"

static const char *const LINK[] = {"0", "1", "2", "3", "4", "5", "cores"};
static const char *const ARRIVAL[] = {"link_0", "link_1", "link_2", "link_3",
                                      "link_4", "link_5", "link_6", "local"};
static const char *const PACKET_TYPE[] = {"mc", "p2p", "nn", "fr"};
static const char *const DROP_REASON[] = {"blocked", "no_route", "error"};
static const char *const DROP_HOLDER[] = {"",       "not_taken",     "on_its_way",
                                          "unread", "leads_nowhere", "link_off"};

static const char *purpose_text(unsigned number)
{
    return number == 0 ? "none" : routing_purpose_text((enum routing_purpose)(number - 1));
}

static size_t image_of(const struct record *record, const struct nn_result *row)
{
    return (size_t)(row - record->outcome->result);
}

static bool has_logits(const struct record *record)
{
    return record != NULL && record->outcome->has_logits;
}

static const void *core_of_wait(const struct record *record, const void *row)
{
    return &record->outcome->core[((const struct outcome_wait *)row)->of];
}

static void put_targets(FILE *stream, const struct record *record, const void *row)
{
    const struct routing_edge *edge = row;
    (void)record;
    for (size_t t = 0; t < edge->target_count; t++) {
        const struct machine_core target = edge->target[t];
        (void)fprintf(stream, "%s" CORE, t == 0 ? "" : " ", target.x, target.y, target.p);
    }
}

static void put_shape(FILE *stream, const struct record *record, const void *row)
{
    const struct load_plan_tensor *tensor = row;
    (void)record;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        (void)fprintf(stream, "%s%" PRIu32, d == 0 ? "" : "x", tensor->shape[d]);
    }
}

/* Means and estimates are no whole numbers. */
static void put_count(FILE *stream, const struct record *record, const void *row)
{
    const double count = ((const struct energy_term_row *)row)->count;
    char text[REAL_TEXT_CHARS];
    (void)record;
    if (count == floor(count)) {
        (void)fprintf(stream, "%.0f", count);
    } else {
        (void)fputs(real_text(count, text), stream);
    }
}

static void put_function(FILE *stream, const struct record *record, const void *row)
{
    char room[FUNCTION_NAME_CHARS];
    (void)record;
    csv_text(stream, function_name(&((const struct core_profile_row *)row)->range, room));
}

/* Makes a function of each PRINT(), named by its line number in the list. */
#define NAMED_BY(line) put_in_line_##line
#define NAMED(line)    NAMED_BY(line)
#define PRINT(name, condition, unit, meaning, ...)                                                 \
    static void NAMED(__LINE__)(FILE * stream, const struct record *record, const void *of)        \
    {                                                                                              \
        const ROW *row = of;                                                                       \
        char text[REAL_TEXT_CHARS];                                                                \
        (void)record;                                                                              \
        (void)text;                                                                                \
        if (condition) {                                                                           \
            (void)fprintf(stream, __VA_ARGS__);                                                    \
        }                                                                                          \
    }
#define TABLE(identifier)
#define END
#define COLUMN(name, member, unit, meaning)
#define HEX(name, member, unit, meaning)
#define CHOICE(name, member, names, meaning)
#define OTHER(name, function, unit, meaning)
#define OF(found, name, member, unit, meaning)
#define ONLY(condition, name, member, unit, meaning)
#include "sim/results/result_columns.def"
#undef PRINT
#undef TABLE
#undef END
#undef COLUMN
#undef HEX
#undef CHOICE
#undef OTHER
#undef OF
#undef ONLY

/* ---- the columns ---- */

#define TABLE(identifier) static const struct result_column identifier##_column[] = {
#define END                                                                                        \
    }                                                                                              \
    ;
#define COLUMN(name, member, unit, meaning) {RESULT_MEMBER(name, member, unit, meaning)},
#define HEX(name, member, unit, meaning)    {RESULT_COLUMN(name, member, RESULT_HEX32, unit, meaning)},
#define CHOICE(name, member, names, meaning)                                                       \
    {RESULT_COLUMN(name, member, RESULT_CHOICE, "", meaning), .choice = (names)},
#define OTHER(text, function, of_unit, means)                                                      \
    {.name = (text),                                                                               \
     .unit = (of_unit),                                                                            \
     .meaning = (means),                                                                           \
     .kind = RESULT_OTHER,                                                                         \
     .put = (function)},
#define PRINT(name, condition, unit, meaning, ...) OTHER(name, NAMED(__LINE__), unit, meaning)
#define OF(found, name, member, unit, meaning)                                                     \
    {RESULT_MEMBER(name, member, unit, meaning), .part = (found)},
#define ONLY(condition, name, member, unit, meaning)                                               \
    {RESULT_MEMBER(name, member, unit, meaning), .is_there = (condition)},
#include "sim/results/result_columns.def"

/* ---- the rows ---- */

#define ROWS(identifier, array, number)                                                            \
    static struct result_rows identifier##_rows(const struct record *record)                       \
    {                                                                                              \
        return (struct result_rows){(array), (number), sizeof *(array)};                           \
    }
ROWS(phases, record->energy.row, record->energy.row_count)
ROWS(energy, record->energy.stage_term, record->energy.stage_term_count)
ROWS(traffic, record->outcome->traffic, record->outcome->traffic_count)
ROWS(learning, record->outcome->learning, record->outcome->learning_count)
ROWS(placement, record->outcome->core, record->outcome->core_count)
ROWS(keys, record->outcome->routing.edge, record->outcome->routing.edge_count)
ROWS(tensors, record->outcome->tensor, record->outcome->tensor_count)
ROWS(predictions, record->outcome->result, record->outcome->result_count)
ROWS(drops, record->outcome->drop, record->outcome->drop_count)
ROWS(waits, record->outcome->wait, record->outcome->wait_count)
ROWS(parameters, record->outcome->parameters, record->outcome->parameters_count)
ROWS(stages, record->outcome->stage, record->outcome->stage_count)
ROWS(votes, record->outcome->vote, record->outcome->vote_count)
ROWS(sampled, record->outcome->sample.row, record->outcome->sample.rows)
ROWS(intervals, record->outcome->interval, record->outcome->interval_count)
ROWS(profile, record->outcome->profile, record->outcome->profile_count)

/* ---- what is no array of rows ---- */

/* Allocates memory, and may therefore fail without an error of the stream. */
static enum status write_config(FILE *stream, const struct record *record)
{
    return config_dump(record->job->config, stream);
}

static enum status write_counters(FILE *stream, const struct record *record)
{
    tally_write(stream, record->outcome,
                record->job->config->record_counters == CONFIG_RECORD_COUNTERS_CORE);
    return STATUS_OK;
}

static enum status write_console(FILE *stream, const struct record *record)
{
    if (record->outcome->console_bytes > 0) {
        (void)fwrite(record->outcome->console, 1, record->outcome->console_bytes, stream);
    }
    return STATUS_OK;
}

static enum status write_summary(FILE *stream, const struct record *record)
{
    summary_write(stream, record);
    return STATUS_OK;
}

static enum status write_weights(const char *path, const struct record *record,
                                 struct diagnostic *diagnostic)
{
    return weights_write(&record->outcome->trained, path, &record->job->network, record->job->table,
                         diagnostic);
}

static bool wants_predictions(const struct record *record)
{
    return record->job->has_network && record->job->config->record_predictions;
}

static bool has_trained(const struct record *record)
{
    return record->outcome->trained.block != NULL;
}

static bool never(const struct record *record)
{
    (void)record;
    return false;
}

static void explain_counter(void *context, const char *component, const struct counter_info *info)
{
    (void)fprintf(context, "| %s.%s | %s | %s |\n", component, info->name, info->unit, info->help);
}

static void explain_counters(FILE *stream)
{
    (void)fputs("\n| component.counter | unit | meaning |\n| --- | --- | --- |\n", stream);
    machine_each_counter_name(explain_counter, stream);
}

/* ---- the files ---- */

#define TABLE_OF(identifier)                                                                       \
    .column = identifier##_column,                                                                 \
    .columns = sizeof identifier##_column / sizeof *identifier##_column, .rows = identifier##_rows

const struct result_file RESULT_FILES[] = {
    {"config.yaml", "The resolved configuration, from which the run can be repeated to the byte",
     .write = write_config},
    {"counters.csv",
     "Counters: times of the machine; every counter of every part of the run (for each core, or "
     "summed over the cores of a chip: record.counters); the counts that cores caused in each "
     "phase",
     .column = TALLY_COLUMNS, .columns = TALLY_COLUMN_COUNT, .write = write_counters,
     .explain = explain_counters},
    {"phases.csv",
     "Time, traffic and joules: a row for each stage, phase and layer; the joules add up to the "
     "run's",
     TABLE_OF(phases)},
    {"traffic.csv",
     "Packets: a row for each link of a chip, or its cores, and each type and purpose of packet, "
     "if there were any",
     TABLE_OF(traffic)},
    {"energy.csv",
     "Joules: a row for each stage and energy coefficient that applies; they add up to the run's. "
     "After a training there are also rows for an epoch, which are not part of that sum",
     TABLE_OF(energy)},
    {"learning.csv",
     "Progress of a training: a row after every record.learning_every updates, and after each "
     "test; no rows without a training",
     TABLE_OF(learning)},
    {"placement.csv", "Programs on cores: a row for each loaded core", TABLE_OF(placement)},
    {"keys.csv",
     "The multicast keys in use: a row for each edge, which is a core with the cores that it sends "
     "to",
     TABLE_OF(keys)},
    {"tensors.csv", "Places of parameters and values in memory: a row for each tensor",
     TABLE_OF(tensors)},
    {"console.txt", "The printed lines of programs, each behind its chip and core",
     .write = write_console},
    {"predictions.csv", "The network's answer for each test image",
     "with a network, unless record.predictions is false", wants_predictions,
     TABLE_OF(predictions)},
    {"drops.csv", "Lost packets: a row for each copy that a router dropped, in the order of time",
     "when packets were lost", TABLE_OF(drops)},
    {"waits.csv", "A row for each core whose program has not ended", "when there are such cores",
     TABLE_OF(waits)},
    {"profile.csv", "Active time of cores: a row for each role and function",
     "with record.profile_cycles", TABLE_OF(profile)},
    {"intervals.csv",
     "Power, and increase of each counter, of the whole machine: rows for each interval of machine "
     "time; the last interval ends with the run",
     "with record.interval", TABLE_OF(intervals)},
    {"parameters.csv",
     "Length of each layer's parameters, and distance from the host's: a row for each layer and "
     "recorded update",
     "with record.parameter_norms", TABLE_OF(parameters)},
    {"stages.csv",
     "The images and costs of each stage; the other results of a stage are in DIR-STAGE",
     "with stages", TABLE_OF(stages)},
    {"votes.csv",
     "Accuracy of the networks of `vote` together: a row for the sum, and for each cascade",
     "with stages", TABLE_OF(votes)},
    {"sampled.csv",
     "Estimates for an update with a whole batch and for an epoch, from the updates that the "
     "machine has executed: a row for each quantity, with intervals of 95 % confidence",
     "with run.sample", TABLE_OF(sampled)},
    {"weights.npz", "The trained parameters, as network.weights reads them", "after a training",
     has_trained, .write_path = write_weights},
    {CHECKPOINT_FILE, "The state from which `spinnsim run --resume` continues",
     "with record.checkpoint_every_epochs, until the run is done", .is_due = never},
    {MANIFEST_FILE,
     "Size and SHA-256 of every other file but the checkpoint, to detect changed files. Commands "
     "that read the folder refuse it if a file has changed; `sweep` runs such a point again",
     .column = manifest_column, .columns = sizeof manifest_column / sizeof *manifest_column,
     .is_due = never},
    {RESULT_LAST_FILE, "Summary of the run. A folder with this file is complete",
     .write = write_summary, .explain = summary_explain},
};
const size_t RESULT_FILE_COUNT = sizeof RESULT_FILES / sizeof *RESULT_FILES;

const struct result_file *result_file_find(const char *name)
{
    for (size_t i = 0; i < RESULT_FILE_COUNT; i++) {
        if (strcmp(RESULT_FILES[i].name, name) == 0) {
            return &RESULT_FILES[i];
        }
    }
    return NULL;
}

bool result_file_is_recorded(const struct result_file *file)
{
    return file->write != NULL || file->write_path != NULL || file->rows != NULL;
}

bool result_file_is_due(const struct result_file *file, const struct record *record)
{
    return file->is_due != NULL ? file->is_due(record)
                                : file->when == NULL || file->rows(record).count > 0;
}

enum status result_file_write(const struct result_file *file, FILE *stream,
                              const struct record *record)
{
    if (file->write != NULL) {
        return file->write(stream, record);
    }
    const struct result_rows rows = file->rows(record);
    result_table_write_head(stream, file->column, file->columns, record);
    for (size_t i = 0; i < rows.count; i++) {
        result_table_write_row(stream, file->column, file->columns, record,
                               (const char *)rows.first + i * rows.bytes);
    }
    return STATUS_OK;
}

void result_file_explain(FILE *stream, const struct result_file *file)
{
    (void)fprintf(stream, "\n## %s\n\n%s.%s%s%s\n", file->name, file->meaning,
                  file->when == NULL ? "" : " Written ", file->when == NULL ? "" : file->when,
                  file->when == NULL ? "" : ".");
    if (file->columns > 0) {
        (void)fputs("\n| column | unit | meaning |\n| --- | --- | --- |\n", stream);
    }
    for (size_t c = 0; c < file->columns; c++) {
        (void)fprintf(stream, "| %s | %s | %s |\n", file->column[c].name, file->column[c].unit,
                      file->column[c].meaning);
    }
    if (file->explain != NULL) {
        file->explain(stream);
    }
}
