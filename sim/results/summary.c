/* summary.c - see summary.h. */
#include "sim/results/summary.h"

#include "models/common/check.h"
#include "models/common/units.h"
#include "sim/results/incidents.h"
#include "sim/results/json.h"
#include "sim/results/loading.h"
#include "sim/results/remarks.h"
#include "sim/results/training.h"
#include "sim/run_control/saved_state.h"
#include "sim/version.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SCHEMA = 1 };

/* ---- numbers ---- */

static uint64_t sum_of(const struct record *record, const char *counter)
{
    return tally_value(&record->tally.total, counter);
}

static struct energy_joules over(struct energy_joules joules, double by)
{
    return (struct energy_joules){joules.low / by, joules.value / by, joules.high / by};
}

/* Joules per image of the test stage. */
static struct energy_joules joules_per_image(const struct record *record)
{
    return over(record->energy.stage[STAGE_TEST], verdict_images_tested(record->outcome));
}

static enum stage stage_asked_for(const struct job *job)
{
    return !job->has_network                        ? STAGE_RUN
           : job->config->mode == CONFIG_MODE_TRAIN ? STAGE_TRAIN
                                                    : STAGE_TEST;
}

/* What cores spent most time on in the requested stage or, if the run has not reached it, in the
 * whole run. */
static const char *limited_by(const struct record *record)
{
    static const char *const TEXT[] = {"compute", "bus_stall", "dma_wait", "packet_wait", "idle"};
    const struct outcome_core_time stage =
        tally_core_time(&record->tally, stage_asked_for(record->job), record->outcome->core_hz);
    const uint64_t any =
        stage.compute | stage.bus_stall | stage.dma_wait | stage.packet_wait | stage.idle;
    const struct outcome_core_time *time = any != 0 ? &stage : &record->outcome->core_time;
    const uint64_t cycles[] = {time->compute, time->bus_stall, time->dma_wait, time->packet_wait,
                               time->idle};
    size_t most = 0;
    for (size_t i = 1; i < sizeof cycles / sizeof *cycles; i++) {
        most = cycles[i] > cycles[most] ? i : most;
    }
    return cycles[most] > 0 ? TEXT[most] : "nothing: no core has run";
}

static double fork_seconds(const struct job *job)
{
    return (double)job->restored->fork.time_ps / (double)PS_PER_S;
}

static size_t programs_of(const struct job *job)
{
    return job->program_count + (job->service != JOB_SERVICE_NONE);
}

static const struct job_program *program_at(const struct job *job, size_t index)
{
    return index < job->program_count ? &job->program[index] : &job->monitor;
}

static uint32_t most_itcm(const struct outcome *outcome)
{
    uint32_t most = 0;
    for (size_t i = 0; i < outcome->core_count; i++) {
        most = outcome->core[i].itcm_bytes > most ? outcome->core[i].itcm_bytes : most;
    }
    return most;
}

static uint32_t most_dtcm(const struct outcome *outcome)
{
    uint32_t most = 0;
    for (size_t i = 0; i < outcome->core_count; i++) {
        most = outcome->core[i].dtcm_bytes > most ? outcome->core[i].dtcm_bytes : most;
    }
    return most;
}

static const char *status_of(const struct record *record)
{
    if (record->outcome->end != OUTCOME_DONE) {
        return outcome_end_text(record->outcome->end);
    }
    return record->verdict.good ? "done" : "rejected";
}

/* ---- summary.json ---- */

static void json_joules(struct json *json, const char *name, struct energy_joules joules)
{
    json_object(json, name);
    json_real(json, "low", joules.low);
    json_real(json, "default", joules.value);
    json_real(json, "high", joules.high);
    json_end_object(json);
}

static void json_interval(struct json *json, const char *name, const struct outcome_sampled *row)
{
    json_object(json, name);
    json_real(json, "low", row->epoch_low);
    json_real(json, "default", row->epoch);
    json_real(json, "high", row->epoch_high);
    json_end_object(json);
}

static void json_accept(struct json *json, const char *name, const struct record *record)
{
    const struct sim_config *config = record->job->config;
    json_object(json, name);
    for (int i = 0; i < CONFIG_METRICS; i++) {
        const enum config_metric metric = (enum config_metric)i;
        const struct config_accept *bound = &config->accept[metric];
        if (!config_accepts(bound)) {
            continue;
        }
        json_object(json, config_metric_text(metric));
        json_real(json, "value", record->verdict.value[metric]);
        if (!isinf(bound->min)) {
            json_real(json, "min", bound->min);
        }
        if (!isinf(bound->max)) {
            json_real(json, "max", bound->max);
        }
        json_flag(json, "good", verdict_holds(&record->verdict, config, metric));
        json_end_object(json);
    }
    json_end_object(json);
}

void summary_write(FILE *stream, const struct record *record)
{
    const struct job *job = record->job;
    const struct sim_config *config = job->config;
    const struct outcome *outcome = record->outcome;
    const struct training_time time = training_time_of(outcome);
    struct remarks remarks;
    struct json json;
    remarks_of_run(&remarks, record);
    json_begin(&json, stream);
#define KEY(type, name, value, unit, meaning) json_##type(&json, name, value);
#define OBJECT(name, meaning)                 json_object(&json, name);
#define END                                   json_end_object(&json);
#define LIST(name, meaning, count)                                                                 \
    json_array(&json, name);                                                                       \
    for (size_t i = 0; i < (count); i++) {                                                         \
        json_object(&json, NULL);
#define NEXT                                                                                       \
    json_end_object(&json);                                                                        \
    }                                                                                              \
    json_end_array(&json);
#define ONLY(condition, when) if (condition) {
#define ALWAYS                }
#include "sim/results/summary_keys.def"
#undef KEY
#undef OBJECT
#undef END
#undef LIST
#undef NEXT
#undef ONLY
#undef ALWAYS
    json_end(&json);
}

/* ---- the reference ---- */

enum note_kind { NOTE_KEY, NOTE_OPEN, NOTE_CLOSE, NOTE_ONLY, NOTE_ALWAYS };

struct note {
    enum note_kind kind;
    const char *type, *name, *unit, *meaning;
};

static const struct note NOTES[] = {
#define KEY(type, name, value, unit, meaning) {NOTE_KEY, #type, name, unit, meaning},
#define OBJECT(name, meaning)                 {NOTE_OPEN, "", name, "", meaning},
#define END                                   {NOTE_CLOSE, "", "", "", ""},
#define LIST(name, meaning, count)            {NOTE_OPEN, "[]", name, "", meaning},
#define NEXT                                  END
#define ONLY(condition, when)                 {NOTE_ONLY, "", "", "", when},
#define ALWAYS                                {NOTE_ALWAYS, "", "", "", ""},
#include "sim/results/summary_keys.def"
};

/* Names from the outermost to the innermost, one behind the other. */
struct trail {
    char text[160];
    size_t length[5]; /* of the text, by depth */
    unsigned depth;
};

static void trail_add(struct trail *trail, const char *text, const char *end)
{
    const size_t length = trail->length[trail->depth++];
    (void)snprintf(trail->text + length, sizeof trail->text - length, "%s%s", text, end);
    CHECK(trail->depth < sizeof trail->length / sizeof *trail->length, "keys nested too deep");
    trail->length[trail->depth] = strlen(trail->text);
}

static void trail_drop(struct trail *trail)
{
    trail->text[trail->length[--trail->depth]] = '\0';
}

bool summary_find(const char *key, const char **unit, const char **meaning)
{
    struct trail inside = {.depth = 0};
    for (size_t i = 0; i < sizeof NOTES / sizeof *NOTES; i++) {
        const struct note *note = &NOTES[i];
        const size_t length = strlen(inside.text);
        if (note->kind == NOTE_OPEN) {
            trail_add(&inside, note->name, note->type[0] == '\0' ? "." : "[].");
        } else if (note->kind == NOTE_CLOSE) {
            trail_drop(&inside);
        } else if (note->kind == NOTE_KEY && strncmp(key, inside.text, length) == 0) {
            const char *rest = key + length;
            const size_t name = strlen(note->name);
            const bool same = strncmp(rest, note->name, name) == 0;
            const bool range =
                same &&
                (strcmp(note->type, "joules") == 0 || strcmp(note->type, "interval") == 0) &&
                (strcmp(rest + name, ".low") == 0 || strcmp(rest + name, ".default") == 0 ||
                 strcmp(rest + name, ".high") == 0);
            if (range || (same && rest[name] == '\0')) {
                *unit = note->unit;
                *meaning = note->meaning;
                return true;
            }
        }
    }
    return false;
}

void summary_each(void (*visit)(void *context, const char *key), void *context)
{
    struct trail inside = {.depth = 0};
    for (size_t i = 0; i < sizeof NOTES / sizeof *NOTES; i++) {
        const struct note *note = &NOTES[i];
        if (note->kind == NOTE_OPEN) {
            trail_add(&inside, note->name, note->type[0] == '\0' ? "." : "[].");
        } else if (note->kind == NOTE_CLOSE) {
            trail_drop(&inside);
        } else if (note->kind == NOTE_KEY) {
            char key[2 * sizeof inside.text];
            (void)snprintf(key, sizeof key, "%s%s", inside.text, note->name);
            visit(context, key);
        }
    }
}

void summary_explain(FILE *stream)
{
    struct trail inside = {.depth = 0};
    struct trail when = {.depth = 0};
    (void)fputs("\n| key | unit | meaning | when |\n| --- | --- | --- | --- |\n", stream);
    for (size_t i = 0; i < sizeof NOTES / sizeof *NOTES; i++) {
        const struct note *note = &NOTES[i];
        const bool joules =
            strcmp(note->type, "joules") == 0 || strcmp(note->type, "interval") == 0;
        if (note->kind == NOTE_KEY || note->kind == NOTE_OPEN) {
            (void)fprintf(stream, "| %s%s%s | %s | %s |%s |\n", inside.text, note->name,
                          joules                    ? ": low, default, high"
                          : note->kind == NOTE_OPEN ? note->type
                                                    : "",
                          note->unit, note->meaning, when.text);
        }
        switch (note->kind) {
        case NOTE_OPEN:
            trail_add(&inside, note->name, note->type[0] == '\0' ? "." : "[].");
            break;
        case NOTE_CLOSE:
            trail_drop(&inside);
            break;
        case NOTE_ONLY:
            trail_add(&when, when.depth == 0 ? " " : ", ", note->meaning);
            break;
        case NOTE_ALWAYS:
            trail_drop(&when);
            break;
        case NOTE_KEY:
            break;
        }
    }
}

/* ---- for a terminal ---- */

/* With mapping.kind: auto, what it has chosen, and what it has estimated. */
static void print_estimate(FILE *stream, const struct record *record)
{
    const double seconds = record->outcome->estimated_images_s;
    if (seconds > 0) {
        (void)fprintf(stream, ", estimated %.6g: mapping %s, %" PRIu64 " cores of each chip",
                      (double)record->outcome->result_count / seconds,
                      config_mapping_kind_text(record->job->config->mapping_kind),
                      record->job->config->mapping_cores_per_chip);
    }
    (void)fputc('\n', stream);
}

static void print_machine(FILE *stream, const struct record *record)
{
    static const double MILLI = 1e3;
    static const double MICRO = 1e6;
    const struct energy_joules joules = record->energy.total;
    (void)fprintf(stream, "machine time    %.6g ms", MILLI * record_seconds(record));
    if (record->job->has_network) {
        (void)fprintf(stream, " (%.6g ms of it set-up)",
                      MILLI * record_stage_seconds(record, STAGE_LOAD));
    }
    (void)fprintf(stream, ", %u chip%s, %u core%s\n", record->outcome->chips,
                  record->outcome->chips == 1 ? "" : "s", record->outcome->cores_used,
                  record->outcome->cores_used == 1 ? "" : "s");
    const bool tested = verdict_images_tested(record->outcome) > 0;
    if (tested) {
        (void)fprintf(stream, "%s %.6g images/s",
                      training_has_epochs(record->outcome) ? "testing        " : "speed          ",
                      verdict_images_per_second(record->outcome));
        print_estimate(stream, record);
    }
    training_print(stream, record);
    (void)fprintf(stream, "energy          %.4g J (%.4g to %.4g), %.1f %% of it dynamic\n",
                  joules.value, joules.low, joules.high,
                  joules.value > 0 ? 100 * record->energy.dynamic.value / joules.value : 0);
    if (tested) {
        const struct energy_joules image = joules_per_image(record);
        (void)fprintf(stream, "per image       %.4g uJ (%.4g to %.4g)\n", MICRO * image.value,
                      MICRO * image.low, MICRO * image.high);
    }
    loading_print(stream, record);
    (void)fprintf(stream, "instructions    %llu, limited by %s\n",
                  (unsigned long long)sum_of(record, "core.instructions"), limited_by(record));
}

static const double PERCENT = 100;

static void print_costs(FILE *stream, const struct outcome_stage *stage)
{
    static const char *const TEXT[OUTCOME_PARTS] = {"deforming", "looking", "training", "tests"};
    if (!isfinite(stage->cost[OUTCOME_TRAIN].seconds)) {
        return; /* on the host */
    }
    (void)fputs("  on the machine", stream);
    for (unsigned p = 0; p < OUTCOME_PARTS; p++) {
        (void)fprintf(stream, "%s %s %.4g s, %.4g J", p == 0 ? "" : ";", TEXT[p],
                      stage->cost[p].seconds, stage->cost[p].joules.value);
    }
    (void)fputc('\n', stream);
}

static void print_stages(FILE *stream, const struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->stage_count; i++) {
        const struct outcome_stage *stage = &outcome->stage[i];
        (void)fprintf(stream, "%-15s %.2f %% alone, trained on %llu of %llu images\n", stage->name,
                      PERCENT * stage->accuracy, (unsigned long long)stage->kept,
                      (unsigned long long)stage->looked_at);
        print_costs(stream, stage);
    }
    for (size_t i = 0; i < outcome->vote_count; i++) {
        const struct outcome_vote *vote = &outcome->vote[i];
        if (isfinite(vote->confidence)) {
            (void)fprintf(stream, "cascade %-7.6g %.2f %%, %.4g networks an image\n",
                          vote->confidence, PERCENT * vote->accuracy, vote->networks_per_image);
        }
    }
}

/* What double precision makes of the images of the run or, with weights that have no values in
 * double precision, what their file says of its own test set. */
static void print_reference(FILE *stream, const struct record *record)
{
    const struct job *job = record->job;
    const struct weights_origin *origin = &job->weights.origin;
    if (isfinite(record->outcome->reference_accuracy)) {
        (void)fprintf(stream, " (float64: %.2f %%)", PERCENT * record->outcome->reference_accuracy);
    } else if (job->config->mode == CONFIG_MODE_INFER && origin->dataset[0] != '\0' &&
               isfinite(origin->reference_accuracy)) {
        (void)fprintf(stream, " (the weights file says %.2f %% of its whole test set, in float64)",
                      PERCENT * origin->reference_accuracy);
    }
}

void summary_print(FILE *stream, const struct record *record)
{
    const struct outcome *outcome = record->outcome;
    (void)fprintf(stream, "%s: %s\n", record->job->config->name, status_of(record));
    if (verdict_was_tested(outcome)) {
        (void)fprintf(stream, "accuracy        %.2f %% of %u images",
                      PERCENT * record_accuracy(record), outcome->result_count);
        print_reference(stream, record);
        (void)fputc('\n', stream);
    }
    if (outcome->validation_count > 0) {
        (void)fprintf(stream, "validation      %.2f %% of %u images\n",
                      PERCENT * outcome_validation_accuracy(outcome), outcome->validation_count);
    }
    print_stages(stream, outcome);
    if (record->job->config->backend == CONFIG_BACKEND_SPINNAKER) {
        print_machine(stream, record);
        incidents_print_drops(stream, record);
        incidents_print_reinjector(stream, record);
    }
    (void)fprintf(stream, "stats_hash      %s\n", outcome->stats_hash);
}
