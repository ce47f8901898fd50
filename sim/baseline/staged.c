/* staged.c - see staged.h. */
#include "sim/baseline/staged.h"

#include "sim/baseline/stopwatch.h"
#include "sim/host_backend/job_training.h"
#include "sim/host_backend/parallel.h"
#include "sim/stages/filter.h"
#include "sim/stages/stream.h"
#include "sim/steps.h"
#include "workloads/nn/kernels.h"

#include <math.h>
#include <stdlib.h>

/* A stage's network; does not move, as the program's state points to it. */
struct trained {
    struct stage_run run; /* its job; it is not executed */
    struct learning learning;
    void *initial; /* owned */
    struct trainer *trainer;
};

struct staged {
    const struct baseline_program *program;
    const struct job *whole;
    struct trained *trained;
    struct parallel *parallel; /* deforms */
    struct stopwatch watch;
    struct baseline_measured *measured;
};

/* ---- a stage's images ---- */

struct deforming {
    const struct config_stage *stage;
    uint32_t first;
    const struct dataset *images;
    size_t tasks;
    bool *done; /* [task]; false: out of memory */
};

static void deform_some(void *context, unsigned worker, size_t task)
{
    const struct deforming *all = context;
    const size_t begin = all->images->count * task / all->tasks;
    const size_t end = all->images->count * (task + 1) / all->tasks;
    struct dataset some = *all->images;
    (void)worker;
    some.images += begin * dataset_pixels(&some);
    some.labels += begin;
    some.count = (uint32_t)(end - begin);
    all->done[task] = stream_deform(all->stage, all->first + (uint32_t)begin, &some);
}

/* Makes a part of the stream of stage i. */
static enum status make(void *context, size_t i, uint32_t first, uint32_t count,
                        struct dataset *images, struct diagnostic *diagnostic)
{
    const struct staged *staged = context;
    const struct config_stage *stage = &staged->whole->config->stage[i];
    TRY(stream_take(stage, &staged->whole->train, first, count, images, diagnostic));
    if (stream_is_deformed(stage)) {
        const size_t tasks = parallel_workers(staged->parallel);
        FREED bool *done = calloc(tasks, sizeof *done);
        struct deforming deforming = {stage, first, images, tasks, done};
        if (done == NULL) {
            return no_memory(diagnostic);
        }
        parallel_run(staged->parallel, tasks, deform_some, &deforming);
        for (size_t task = 0; task < tasks; task++) {
            TRY(done[task] ? STATUS_OK : no_memory(diagnostic));
        }
    }
    return STATUS_OK;
}

/* What networks say of images. */
struct opinions {
    struct vote_networks of;
    struct nn_result *memory; /* owned: all results */
};

static void opinions_deinit(struct opinions *opinions)
{
    free(opinions->memory);
    opinions->memory = NULL;
}

/* Asks the networks of these stages. */
static enum status ask(const struct staged *staged, uint32_t of_bits, const struct dataset *images,
                       struct opinions *opinions, struct diagnostic *diagnostic)
{
    *opinions = (struct opinions){
        .of = {.images = images->count},
        .memory = calloc((size_t)images->count * CONFIG_STAGES + 1, sizeof *opinions->memory)};
    if (opinions->memory == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < staged->whole->config->stage_count; i++) {
        if ((of_bits >> i & 1u) != 0) {
            struct nn_result *own = opinions->memory + opinions->of.networks * images->count;
            struct host_score score;
            vote_join(&opinions->of, staged->trained[i].run.job.table, own);
            TRY(trainer_test(staged->trained[i].trainer, images, own, &score, diagnostic));
        }
    }
    return STATUS_OK;
}

/* Passes a part of the stream of stage i to the filter. */
static enum status look(void *context, size_t i, const struct dataset *part, struct filter *filter,
                        struct diagnostic *diagnostic)
{
    struct staged *staged = context;
    struct opinions opinions;
    enum status status =
        ask(staged, staged->whole->config->stage[i].of_bits, part, &opinions, diagnostic);
    if (status == STATUS_OK) {
        status = filter_look(filter, &opinions.of, part, diagnostic);
        staged->measured->looks += opinions.of.networks * opinions.of.images;
    }
    opinions_deinit(&opinions);
    stopwatch_tick(&staged->watch);
    return status;
}

/* The images to train stage i with. */
static enum status gather(struct staged *staged, size_t i, struct dataset *images,
                          struct diagnostic *diagnostic)
{
    const struct filter_source source = {staged->whole->config, i, make, look, staged};
    struct filter filter;
    const enum status status = filter_gather(&filter, &source, diagnostic);
    *images = filter.kept; /* ownership moves */
    return status;
}

/* ---- a stage's training ---- */

static enum status listen(void *context, const struct trainer_news *news, bool *enough,
                          struct diagnostic *diagnostic)
{
    struct staged *staged = context;
    (void)enough;
    (void)diagnostic;
    if (news->event == TRAINER_UPDATED) {
        staged->measured->updates++;
        stopwatch_tick(&staged->watch);
    }
    return STATUS_OK;
}

static enum status open_stage(struct staged *staged, size_t i, const struct dataset *images,
                              struct diagnostic *diagnostic)
{
    const struct job *whole = staged->whole;
    struct trained *trained = &staged->trained[i];
    const struct job *job = &trained->run.job;
    const size_t from = stage_run_before(whole->config, i);
    const struct job_given given = {.train = images, .test = &whole->test};
    TRY(stage_run_of(&trained->run, whole, i, CONFIG_MODE_TRAIN, &given, diagnostic));
    TRY(baseline_check(staged->program, job, diagnostic));
    TRY(learning_of(job->config, &job->network, job->train.count, &trained->learning, diagnostic));
    TRY(baseline_initial(staged->program, job, &trained->initial, diagnostic));
    struct host_training training = host_training_of(
        job, staged->program->format, &trained->learning,
        from == i ? trained->initial : trainer_parameters(staged->trained[from].trainer));
    training.threads = whole->options.threads;
    training.test = NULL; /* the vote is tested */
    training.listener = listen;
    training.context = staged;
    return trainer_open(&training, &trained->trainer, diagnostic);
}

static enum status run_stage(struct staged *staged, size_t i, struct diagnostic *diagnostic)
{
    struct baseline_measured *measured = staged->measured;
    struct trained *trained = &staged->trained[i];
    struct dataset images = {0};
    stopwatch_start(&staged->watch);
    enum status status = gather(staged, i, &images, diagnostic);
    stopwatch_stop(&staged->watch);
    const double begin = stopwatch_now();
    if (status == STATUS_OK) {
        status = open_stage(staged, i, &images, diagnostic);
    }
    dataset_deinit(&images);
    measured->setup_seconds += stopwatch_now() - begin;
    TRY(status);
    stopwatch_start(&staged->watch);
    TRY(trainer_run(trained->trainer, diagnostic));
    stopwatch_stop(&staged->watch);
    measured->epochs += trained->learning.epochs;
    measured->images += (uint64_t)trained->learning.epochs * trained->learning.order.images;
    return STATUS_OK;
}

/* ---- the vote ---- */

/* Of the probabilities' mean, for the right class; at least one unit of a network's. */
static double loss_of_vote(const struct vote_networks *of, size_t image, uint8_t label)
{
    uint32_t sums[NN_RESULT_CLASSES] = {0};
    for (size_t n = 0; n < of->networks; n++) {
        vote_add(of->table[n], &of->result[n][image], sums);
    }
    const double sum = sums[label] == 0 ? 1 : sums[label];
    return -log(ldexp(sum / (double)of->networks, -NN_PROBABILITY_FRACTION));
}

static enum status take_vote(const struct staged *staged, struct diagnostic *diagnostic)
{
    const struct dataset *test = &staged->whole->test;
    struct baseline_measured *measured = staged->measured;
    struct opinions opinions;
    size_t right = 0;
    const double begin = stopwatch_now();
    const enum status status =
        ask(staged, staged->whole->config->vote.of_bits, test, &opinions, diagnostic);
    measured->test_seconds = stopwatch_now() - begin;
    for (size_t i = 0; i < test->count && status == STATUS_OK; i++) {
        right += vote_sum(&opinions.of, i).label == test->labels[i];
        measured->loss += loss_of_vote(&opinions.of, i, test->labels[i]) / test->count;
    }
    measured->accuracy = (double)right / test->count;
    measured->validation_accuracy = (double)NAN;
    opinions_deinit(&opinions);
    return status;
}

/* ---- the whole ---- */

enum status baseline_check_stages(const struct baseline_program *program, const struct job *whole,
                                  unsigned processes, struct diagnostic *diagnostic)
{
    if (processes > 1) {
        return config_refuse(whole->config, "stages", "one process with --threads", diagnostic,
                             "several trainings are not divided among processes");
    }
    if (program->alone) {
        return config_refuse(whole->config, "stages", "--program int16 and float32 can", diagnostic,
                             "the program %s cannot train in stages", program->name);
    }
    return STATUS_OK;
}

enum status baseline_train_stages(const struct baseline_program *program, const struct job *whole,
                                  struct joule_meter *meter, struct baseline_measured *measured,
                                  struct diagnostic *diagnostic)
{
    const size_t count = whole->config->stage_count;
    struct staged staged = {.program = program,
                            .whole = whole,
                            .trained = calloc(count, sizeof *staged.trained),
                            .parallel = parallel_create(whole->options.threads),
                            .watch = stopwatch_of(meter),
                            .measured = measured};
    *measured = (struct baseline_measured){0};
    enum status status =
        staged.trained == NULL || staged.parallel == NULL ? no_memory(diagnostic) : STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = run_stage(&staged, i, diagnostic);
    }
    if (status == STATUS_OK) {
        status = take_vote(&staged, diagnostic);
    }
    measured->train_seconds = staged.watch.seconds;
    measured->cpu_seconds = staged.watch.cpu_seconds;
    measured->joules = staged.watch.joules;
    for (size_t i = 0; i < count && staged.trained != NULL; i++) {
        trainer_close(staged.trained[i].trainer);
        free(staged.trained[i].initial);
        stage_run_deinit(&staged.trained[i].run);
    }
    free(staged.trained);
    parallel_destroy(staged.parallel);
    return status;
}
