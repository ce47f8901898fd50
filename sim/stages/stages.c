/* stages.c - see stages.h. */
#include "sim/stages/stages.h"

#include "sim/results/recorder.h"
#include "sim/results/result_folder.h"
#include "sim/stages/filter.h"
#include "sim/stages/stage_state.h"
#include "sim/stages/stream.h"
#include "sim/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stages {
    const struct job *job;
    struct outcome *outcome;   /* of the whole */
    struct stage_run *trained; /* [stage], the first `done` of them */
    size_t done;
    bool failed; /* a program has, and with it the whole: outcome->failure */
    struct sha256 hash;
};

/* ---- one job ---- */

static bool on_machine(const struct job *job)
{
    return job->config->backend == CONFIG_BACKEND_SPINNAKER;
}

/* A program's failure in a job for stage i ends the whole. */
static enum status judge(struct stages *stages, size_t i, const struct stage_run *run,
                         struct diagnostic *diagnostic)
{
    struct outcome *whole = stages->outcome;
    if (run->outcome.end == OUTCOME_DONE) {
        return STATUS_OK;
    }
    stages->failed = true;
    whole->end = run->outcome.end;
    (void)snprintf(whole->failure, sizeof whole->failure, "stage %s: %.400s", whole->stage[i].name,
                   run->outcome.failure);
    return diagnose(diagnostic, STATUS_GUEST, "%s", whole->failure);
}

/* After a job for stage i: adds what the machine did to the whole, and to that part of the stage's
 * cost. */
static enum status charge(struct stages *stages, size_t i, enum outcome_part part,
                          const struct stage_run *run, struct diagnostic *diagnostic)
{
    static const enum stage STAGE_OF[] = {
        [OUTCOME_DEFORM] = STAGE_RUN, [OUTCOME_LOOK] = STAGE_TEST, [OUTCOME_TRAIN] = STAGE_TRAIN};
    struct outcome_stage *row = &stages->outcome->stage[i];
    if (on_machine(stages->job)) {
        const bool looks = part == OUTCOME_LOOK;
        row->dropped_packets += outcome_dropped_packets(&run->outcome);
        sha256_update(&stages->hash, run->outcome.stats_hash, sizeof run->outcome.stats_hash);
        TRY(stage_run_charge(run, STAGE_OF[part], &row->cost[part], diagnostic));
        if (part == OUTCOME_TRAIN) {
            TRY(stage_run_charge(run, STAGE_TEST, &row->cost[OUTCOME_TEST], diagnostic));
        }
        if (!outcome_add_run(stages->outcome, &run->outcome, looks)) {
            return no_memory(diagnostic);
        }
    }
    return judge(stages, i, run, diagnostic);
}

/* ---- a stage's images ---- */

/* Makes a part of the stream of stage i. */
static enum status make(void *context, size_t i, uint32_t first, uint32_t count,
                        struct dataset *images, struct diagnostic *diagnostic)
{
    struct stages *stages = context;
    const struct config_stage *stage = &stages->job->config->stage[i];
    RELEASED(stage_run_destroy) struct stage_run *run = NULL;
    TRY(stream_take(stage, &stages->job->train, first, count, images, diagnostic));
    if (stream_is_deformed(stage) && on_machine(stages->job)) {
        run = calloc(1, sizeof *run);
        TRY(run == NULL
                ? no_memory(diagnostic)
                : stream_deform_on_machine(stages->job, stage, first, images, run, diagnostic));
        TRY(charge(stages, i, OUTCOME_DEFORM, run, diagnostic));
    } else if (stream_is_deformed(stage) && !stream_deform(stage, first, images)) {
        return no_memory(diagnostic);
    }
    dataset_sign(images);
    return STATUS_OK;
}

/* Classifies images for stage i with the network of an earlier stage; its results are in
 * run->outcome. */
static enum status classify(struct stages *stages, size_t i, size_t earlier,
                            const struct dataset *images, struct stage_run *run,
                            struct diagnostic *diagnostic)
{
    const bool trains = on_machine(stages->job);
    const struct job_given given = {.train = trains ? images : NULL,
                                    .test = images,
                                    .parameters = stages->trained[earlier].outcome.trained.block,
                                    .classifies = true};
    TRY(stage_run_of(run, stages->job, earlier, trains ? CONFIG_MODE_TRAIN : CONFIG_MODE_INFER,
                     &given, diagnostic));
    TRY(stage_run_execute(run, diagnostic));
    return charge(stages, i, OUTCOME_LOOK, run, diagnostic);
}

/* The jobs of the networks that look at a part of a stream. */
struct looks {
    struct stage_run *run;
    size_t count;
};

static void looks_deinit(struct looks *looks)
{
    for (size_t i = 0; i < looks->count && looks->run != NULL; i++) {
        stage_run_deinit(&looks->run[i]);
    }
    free(looks->run);
}

/* Passes a part of the stream of stage i to the filter. */
static enum status look(void *context, size_t number, const struct dataset *part,
                        struct filter *filter, struct diagnostic *diagnostic)
{
    struct stages *stages = context;
    const struct config_stage *stage = &stages->job->config->stage[number];
    RELEASED(looks_deinit)
    struct looks looks = {.run = calloc(stages->done, sizeof *looks.run), .count = stages->done};
    struct vote_networks of = {.images = part->count};
    if (looks.run == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < stages->done; i++) {
        if ((stage->of_bits >> i & 1u) != 0) {
            TRY(classify(stages, number, i, part, &looks.run[i], diagnostic));
            vote_join(&of, looks.run[i].job.table, looks.run[i].outcome.result);
        }
    }
    return filter_look(filter, &of, part, diagnostic);
}

/* The images to train stage i with, and in *row how they were found. */
static enum status gather(struct stages *stages, size_t i, struct dataset *images,
                          struct outcome_stage *row, struct diagnostic *diagnostic)
{
    const struct filter_source source = {stages->job->config, i, make, look, stages};
    struct filter filter;
    const enum status status = filter_gather(&filter, &source, diagnostic);
    row->looked_at = filter.looked_at;
    row->found = filter.found;
    row->kept = filter.kept.count;
    *images = filter.kept; /* ownership moves */
    return status;
}

/* ---- one stage ---- */

/* RESULTS-NAME in malloc'ed memory; NULL when out of memory. */
static char *folder_of(const struct job *job, size_t i)
{
    return file_print("%s-%s", job->options.results, job->config->stage[i].name);
}

static enum status write_results(const struct stages *stages, size_t i,
                                 struct diagnostic *diagnostic)
{
    const struct stage_run *run = &stages->trained[i];
    RELEASED(record_deinit) struct record record = {.job = NULL};
    if (stages->job->options.results == NULL) {
        return STATUS_OK;
    }
    FREED char *folder = folder_of(stages->job, i);
    TRY(folder == NULL ? no_memory(diagnostic)
                       : record_make(&record, &run->job, &run->outcome, diagnostic));
    return record_write(&record, folder, diagnostic);
}

/* What the machine has taken up to the training of the last stage. */
static struct outcome_cost cost_before(const struct outcome *whole)
{
    struct outcome_cost sum = {0};
    for (size_t i = 0; i < whole->stage_count; i++) {
        const bool last = i + 1 == whole->stage_count;
        for (unsigned p = 0; p < (last ? OUTCOME_TRAIN : OUTCOME_PARTS); p++) {
            sum.seconds += whole->stage[i].cost[p].seconds;
            energy_add(&sum.joules, whole->stage[i].cost[p].joules);
        }
    }
    return sum;
}

/* Adds a stage's rows of learning.csv, which go on counting where those of the one before ended. */
static bool add_learning(struct outcome *whole, const struct outcome *stage)
{
    const struct outcome_cost before = cost_before(whole);
    uint64_t epochs =
        whole->learning_count == 0 ? 0 : whole->learning[whole->learning_count - 1].epoch;
    for (size_t r = 0; r < stage->learning_count; r++) {
        struct outcome_learning row = stage->learning[r];
        row.seconds += before.seconds;
        energy_add(&row.joules, before.joules);
        row.update += whole->updates;
        row.images += whole->images_trained;
        row.epoch += epochs;
        if (!outcome_add_learning(whole, &row)) {
            return false;
        }
    }
    return true;
}

/* Adds what the training of stage i has brought to its row and to the whole. */
static enum status sum_up(struct stages *stages, size_t i, struct outcome_stage *row,
                          struct diagnostic *diagnostic)
{
    const struct stage_run *run = &stages->trained[i];
    const struct outcome *from = &run->outcome;
    struct outcome *whole = stages->outcome;
    row->updates = from->updates;
    row->accuracy = (double)from->right / from->result_count;
    if (!add_learning(whole, from)) {
        return no_memory(diagnostic);
    }
    whole->updates += from->updates;
    whole->images_trained += from->images_trained;
    whole->training.saturations += from->training.saturations;
    whole->training.overflows += from->training.overflows;
    whole->training.error_saturations += from->training.error_saturations;
    whole->training.weight_saturations += from->training.weight_saturations;
    whole->training.largest_sum = from->training.largest_sum > whole->training.largest_sum
                                      ? from->training.largest_sum
                                      : whole->training.largest_sum;
    return STATUS_OK;
}

static void hash(struct stages *stages, const struct stage_run *run)
{
    sha256_update(&stages->hash, run->job.train.digest, sizeof run->job.train.digest);
    sha256_update(&stages->hash, run->outcome.trained.block,
                  weights_block_bytes(&run->job.network, run->job.table));
}

static void begin_row(struct stages *stages, size_t i)
{
    struct outcome_stage *row = &stages->outcome->stage[i];
    row->name = stages->job->config->stage[i].name;
    row->network = stages->job->config->stage[i].network;
    for (unsigned p = 0; p < OUTCOME_PARTS && !on_machine(stages->job); p++) {
        row->cost[p] = (struct outcome_cost){NAN, outcome_no_joules()};
    }
    stages->outcome->stage_count = i + 1;
}

static enum status run_stage(struct stages *stages, size_t i, struct diagnostic *diagnostic)
{
    const struct sim_config *config = stages->job->config;
    struct stage_run *run = &stages->trained[i];
    struct outcome_stage *row = &stages->outcome->stage[i];
    RELEASED(dataset_deinit) struct dataset images = {0};
    const size_t from = stage_run_before(config, i);
    begin_row(stages, i);
    TRY(gather(stages, i, &images, row, diagnostic));
    const struct job_given given = {
        .train = &images,
        .test = &stages->job->test,
        .parameters = from == i ? NULL : stages->trained[from].outcome.trained.block};
    stages->done = i + 1;
    TRY(stage_run_of(run, stages->job, i, CONFIG_MODE_TRAIN, &given, diagnostic));
    dataset_deinit(&images); /* the job has them */
    TRY(stage_run_execute(run, diagnostic));
    enum status status = charge(stages, i, OUTCOME_TRAIN, run, diagnostic);
    if (status == STATUS_OK) {
        hash(stages, run);
        status = sum_up(stages, i, row, diagnostic);
    }
    if (status == STATUS_OK || stages->failed) {
        TRY(write_results(stages, i, diagnostic));
    }
    return status;
}

/* ---- the vote ---- */

static struct outcome_vote vote_row(double confidence, uint64_t right, uint64_t asked,
                                    size_t images)
{
    return (struct outcome_vote){.confidence = confidence,
                                 .right = right,
                                 .accuracy = (double)right / (double)images,
                                 .networks_per_image = (double)asked / (double)images};
}

static struct outcome_vote cascade(const struct stages *stages, const struct vote_networks *of,
                                   double confidence)
{
    uint64_t right = 0;
    uint64_t asked = 0;
    for (size_t i = 0; i < of->images; i++) {
        size_t networks;
        const struct nn_result result = vote_cascade(of, i, confidence, &networks);
        right += result.label == stages->job->test.labels[i];
        asked += networks;
    }
    return vote_row(confidence, right, asked, of->images);
}

static enum status count_votes(struct stages *stages, const struct vote_networks *of,
                               struct diagnostic *diagnostic)
{
    const struct config_vote *vote = &stages->job->config->vote;
    struct outcome *outcome = stages->outcome;
    outcome->result = calloc(of->images + 1, sizeof *outcome->result);
    outcome->vote = calloc(vote->confidences + 1, sizeof *outcome->vote);
    if (outcome->result == NULL || outcome->vote == NULL) {
        return no_memory(diagnostic);
    }
    outcome->result_count = (uint32_t)of->images;
    for (size_t i = 0; i < of->images; i++) {
        outcome->result[i] = vote_sum(of, i);
        outcome->right += outcome->result[i].label == stages->job->test.labels[i];
        outcome->saturations += outcome->result[i].saturations;
        outcome->overflows += outcome->result[i].overflows;
    }
    outcome->vote[0] = vote_row(NAN, outcome->right, of->networks * of->images, of->images);
    for (size_t i = 0; i < vote->confidences; i++) {
        outcome->vote[i + 1] = cascade(stages, of, vote->confidence[i]);
    }
    outcome->vote_count = vote->confidences + 1;
    return STATUS_OK;
}

static enum status take_vote(struct stages *stages, struct diagnostic *diagnostic)
{
    struct vote_networks of = {.images = stages->job->test.count};
    for (size_t i = 0; i < stages->done; i++) {
        if ((stages->job->config->vote.of_bits >> i & 1u) != 0) {
            vote_join(&of, stages->trained[i].job.table, stages->trained[i].outcome.result);
        }
    }
    return count_votes(stages, &of, diagnostic);
}

/* ---- the whole ---- */

static enum status check_stage(const struct job *job, size_t i, struct diagnostic *diagnostic)
{
    const struct job_given given = {.train = &job->train, .test = &job->test};
    RELEASED(stage_run_destroy) struct stage_run *run = calloc(1, sizeof *run);
    return run == NULL ? no_memory(diagnostic)
                       : stage_run_of(run, job, i, CONFIG_MODE_TRAIN, &given, diagnostic);
}

static enum status check_folder(const struct job *job, size_t i, struct diagnostic *diagnostic)
{
    FREED char *folder = job->options.results == NULL ? NULL : folder_of(job, i);
    return folder == NULL ? STATUS_OK : result_folder_check(folder, diagnostic);
}

static enum status check_resume(const struct job *job, struct diagnostic *diagnostic)
{
    RELEASED(session_stream_deinit) struct session_stream stream;
    return stage_state_read(job, &stream, diagnostic);
}

enum status stages_check(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    if (config->data_validation_images > 0) {
        return config_refuse(config, "data.validation_images", "data.validation_images: 0",
                             diagnostic, "stages have no validation");
    }
    if (config->record_interval_ps > 0) {
        return config_refuse(config, "record.interval", "record.interval: 0 s", diagnostic,
                             "stages are several runs, each with a time of its own");
    }
    if (config->record_timeline_what != 0) {
        return config_refuse(config, "record.timeline.what", "record.timeline.what: []", diagnostic,
                             "stages are several runs, each with a time of its own");
    }
    if (config->record_trace_core[0] != '\0') {
        return config_refuse(config, "record.trace.core", "record.trace.core: \"\"", diagnostic,
                             "stages are several runs, each with cores of its own");
    }
    if (config->check_memory) {
        return config_refuse(config, "check.memory", "check.memory: false", diagnostic,
                             "stages are several runs, each with a memory of its own");
    }
    for (size_t i = 0; i < config->stage_count; i++) {
        TRY(check_stage(job, i, diagnostic));
    }
    return job->options.resume != NULL ? check_resume(job, diagnostic) : STATUS_OK;
}

static struct stage_state state_of(struct stages *stages)
{
    return (struct stage_state){stages->outcome, stages->trained, &stages->hash, stages->done};
}

/* Between two stages. */
static enum status leave_checkpoint(struct stages *stages, struct diagnostic *diagnostic)
{
    const struct sim_config *config = stages->job->config;
    const struct stage_state state = state_of(stages);
    return config->record_checkpoint_every_epochs == 0 || stages->done == config->stage_count
               ? STATUS_OK
               : stage_state_write(stages->job, &state, diagnostic);
}

/* Takes the finished stages of a checkpoint in the place of running them. */
static enum status restore(struct stages *stages, struct diagnostic *diagnostic)
{
    RELEASED(session_stream_deinit) struct session_stream stream;
    struct stage_state state = state_of(stages);
    TRY(stage_state_read(stages->job, &stream, diagnostic));
    const enum status status = stage_state_take(stages->job, &stream, &state, diagnostic);
    stages->done = state.done;
    for (size_t i = 0; i < stages->done && status == STATUS_OK; i++) {
        begin_row(stages, i);
        TRY(sum_up(stages, i, &stages->outcome->stage[i], diagnostic));
    }
    return status;
}

static enum status run_all(struct stages *stages, struct diagnostic *diagnostic)
{
    const size_t count = stages->job->config->stage_count;
    if (stages->trained == NULL || stages->outcome->stage == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < count; i++) {
        TRY(check_folder(stages->job, i, diagnostic));
    }
    if (stages->job->options.resume != NULL) {
        TRY(restore(stages, diagnostic));
    }
    while (stages->done < count) {
        TRY(run_stage(stages, stages->done, diagnostic));
        TRY(leave_checkpoint(stages, diagnostic));
    }
    return take_vote(stages, diagnostic);
}

static void finish_hash(struct stages *stages)
{
    uint8_t digest[SHA256_BYTES];
    outcome_hash_results(stages->outcome, &stages->hash);
    sha256_final(&stages->hash, digest);
    sha256_hex(digest, stages->outcome->stats_hash);
}

enum status stages_run(const struct job *job, struct outcome *outcome,
                       struct diagnostic *diagnostic)
{
    const size_t count = job->config->stage_count;
    struct stages stages = {
        .job = job, .outcome = outcome, .trained = calloc(count, sizeof *stages.trained)};
    sha256_init(&stages.hash);
    outcome->loss = outcome->reference_accuracy = NAN;
    outcome->labels = job->test.labels;
    outcome->classes = job->table->classes;
    outcome->stage = calloc(count, sizeof *outcome->stage);
    const enum status status = run_all(&stages, diagnostic);
    finish_hash(&stages);
    for (size_t i = 0; i < stages.done; i++) {
        stage_run_deinit(&stages.trained[i]);
    }
    free(stages.trained);
    return stages.failed && status == STATUS_GUEST ? STATUS_OK : status;
}
