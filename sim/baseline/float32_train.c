/* float32_train.c - see float32_train.h. */
#include "sim/baseline/float32_train.h"

#include "models/machine/team.h"
#include "sim/baseline/float32_pass.h"
#include "sim/networks/optimizer.h"
#include "sim/steps.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { UPDATE_FLOATS = 1 << 14, LEAST_TEST_BATCH = 960 };

struct float32_trainer {
    struct float32_training request;
    struct float32_plan plan;
    struct float32_pass pass;
    struct team *team; /* NULL: one thread */
    unsigned workers;
    atomic_flag in_use[TEAM_THREADS_MAX]; /* [worker]: its room in `pass` */
    struct float32_batch batch;
    size_t most;   /* images of a batch that the pass has room for */
    float *memory; /* owned: the vectors below */
    float *parameters, *velocity, *squares, *gradients, *shard;
    uint64_t update;
    struct float32_step step;
    uint32_t *correct; /* of each part of a test; owned */
    double *loss;
};

/* ---- threads ---- */

typedef void worker_task(struct float32_trainer *trainer, unsigned worker, size_t task);

struct round {
    struct float32_trainer *trainer;
    worker_task *task;
};

static void do_task(void *context, unsigned task)
{
    const struct round *round = context;
    unsigned worker = 0;
    while (atomic_flag_test_and_set(&round->trainer->in_use[worker])) {
        worker = (worker + 1) % round->trainer->workers;
    }
    round->task(round->trainer, worker, task);
    atomic_flag_clear(&round->trainer->in_use[worker]);
}

static void run(struct float32_trainer *trainer, size_t tasks, worker_task *task)
{
    struct round round = {trainer, task};
    if (trainer->team != NULL) {
        team_run(trainer->team, (unsigned)tasks, do_task, &round);
        return;
    }
    for (size_t i = 0; i < tasks; i++) {
        task(trainer, 0, i);
    }
}

/* ---- an update ---- */

static void train_part(struct float32_trainer *trainer, unsigned worker, size_t task)
{
    float32_train_part(&trainer->pass, worker, task, &trainer->batch, trainer->parameters);
}

static void train_piece(struct float32_trainer *trainer, unsigned worker, size_t task)
{
    float32_train_piece(&trainer->pass, worker, task, &trainer->batch, trainer->shard);
}

static void update_some(struct float32_trainer *trainer, unsigned worker, size_t task)
{
    const size_t first = task * UPDATE_FLOATS;
    const size_t left = trainer->plan.parameters - first;
    const size_t count = left < UPDATE_FLOATS ? left : UPDATE_FLOATS;
    const struct float32_kernels *kernels = trainer->plan.kernels;
    (void)worker;
    if (trainer->request.accelegrad) {
        kernels->accelegrad(&trainer->step, count, trainer->gradients + first,
                            trainer->velocity + first, trainer->squares + first,
                            trainer->parameters + first);
    } else {
        kernels->update(&trainer->step, count, trainer->gradients + first,
                        trainer->velocity + first, trainer->parameters + first);
    }
}

/* Sum of the gradients of a batch's positions first .. end - 1, into trainer->shard. */
static void run_shard(struct float32_trainer *trainer, uint32_t epoch, uint32_t first, uint32_t end)
{
    const struct dataset *train = trainer->request.train;
    struct float32_batch *batch = &trainer->batch;
    batch->count = end - first;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t image = nn_order_image(&trainer->request.learning->order, epoch, i);
        batch->images[i - first] = train->images + (size_t)image * DATASET_PIXELS;
        batch->labels[i - first] = train->labels[image];
    }
    run(trainer, float32_parts(&trainer->pass, batch->count), train_part);
    run(trainer, trainer->pass.pieces, train_piece);
}

static unsigned shards_of(const struct float32_training *request)
{
    return request->shards > 1 ? request->shards : 1;
}

enum status float32_trainer_step(struct float32_trainer *trainer, struct diagnostic *diagnostic)
{
    const struct float32_training *request = &trainer->request;
    const struct learning *learning = request->learning;
    const uint32_t epoch = (uint32_t)(trainer->update / learning->updates_per_epoch);
    const uint32_t number = (uint32_t)(trainer->update % learning->updates_per_epoch);
    const uint32_t count = learning_batch_of(learning, number);
    const uint32_t first = number * learning->batch;
    const unsigned processes = request->exchange == NULL ? 1 : request->exchange->members;
    const unsigned rank = request->exchange == NULL ? 0 : request->exchange->rank;
    const unsigned shards = processes * shards_of(request);
    float32_turn(&trainer->pass, trainer->parameters);
    for (unsigned i = 0; i < shards_of(request); i++) {
        const unsigned own = rank * shards_of(request) + i;
        trainer->shard =
            i == 0 ? trainer->gradients : trainer->gradients + trainer->plan.parameters;
        run_shard(trainer, epoch, first + share_first(count, shards, own),
                  first + share_first(count, shards, own + 1));
        for (size_t j = 0; j < trainer->plan.parameters && i > 0; j++) {
            trainer->gradients[j] += trainer->shard[j];
        }
    }
    if (processes > 1) {
        TRY(exchange_sum(request->exchange, EXCHANGE_FLOATS, trainer->gradients,
                         trainer->plan.parameters, diagnostic));
    }
    const double rate =
        request->learning_rate * nn_rate(&learning->schedule, (uint32_t)trainer->update);
    trainer->step = (struct float32_step){
        .momentum = (float)request->momentum,
        .rate = (float)(rate / NN_FULL_RATE),
        .weight = (float)optimizer_accelegrad_weight(trainer->update),
        .coupling = (float)(1 / optimizer_accelegrad_weight(trainer->update + 1))};
    run(trainer, (trainer->plan.parameters + UPDATE_FLOATS - 1) / UPDATE_FLOATS, update_some);
    trainer->update++;
    return STATUS_OK;
}

/* ---- tests ---- */

static void test_part(struct float32_trainer *trainer, unsigned worker, size_t task)
{
    trainer->correct[task] = 0;
    trainer->loss[task] = 0;
    float32_test_part(&trainer->pass, worker, task, &trainer->batch, trainer->parameters,
                      &trainer->correct[task], &trainer->loss[task]);
}

void float32_trainer_test(struct float32_trainer *trainer, const struct dataset *images,
                          uint32_t first, uint32_t end, float *logits, struct float32_score *score)
{
    const struct network *network = trainer->request.network;
    const size_t classes = network->layer[network->layer_count - 1].outputs;
    struct float32_batch *batch = &trainer->batch;
    *score = (struct float32_score){.count = end - first};
    for (uint32_t at = first; at < end; at += (uint32_t)batch->count) {
        batch->count = end - at < trainer->most ? end - at : trainer->most;
        for (uint32_t i = 0; i < batch->count; i++) {
            batch->images[i] = images->images + (size_t)(at + i) * DATASET_PIXELS;
            batch->labels[i] = images->labels[at + i];
        }
        batch->logits = logits == NULL ? NULL : logits + (at - first) * classes;
        const size_t parts = float32_parts(&trainer->pass, batch->count);
        run(trainer, parts, test_part);
        for (size_t i = 0; i < parts; i++) {
            score->correct += trainer->correct[i];
            score->loss += trainer->loss[i];
        }
    }
    batch->logits = NULL;
}

/* ---- the whole ---- */

static enum status make_memory(struct float32_trainer *trainer, struct diagnostic *diagnostic)
{
    const size_t count = trainer->plan.parameters;
    trainer->memory = calloc(count * 5, sizeof *trainer->memory);
    trainer->batch.images = calloc(trainer->most, sizeof *trainer->batch.images);
    trainer->batch.labels = calloc(trainer->most, sizeof *trainer->batch.labels);
    trainer->correct = calloc(trainer->most, sizeof *trainer->correct);
    trainer->loss = calloc(trainer->most, sizeof *trainer->loss);
    if (trainer->memory == NULL || trainer->batch.images == NULL || trainer->batch.labels == NULL ||
        trainer->correct == NULL || trainer->loss == NULL) {
        return no_memory(diagnostic);
    }
    trainer->parameters = trainer->memory;
    trainer->velocity = trainer->memory + count;
    trainer->squares = trainer->memory + 2 * count;
    trainer->gradients = trainer->memory + 3 * count; /* two: see run_shard() */
    for (size_t i = 0; i < count; i++) {
        trainer->parameters[i] = (float)trainer->request.initial[i];
    }
    return STATUS_OK;
}

static enum status trainer_init(struct float32_trainer *trainer, struct diagnostic *diagnostic)
{
    const struct float32_training *request = &trainer->request;
    const struct float32_kernels *kernels =
        request->kernels == NULL ? float32_kernels_of(NULL) : request->kernels;
    TRY(float32_plan_init(&trainer->plan, request->network, kernels, diagnostic));
    trainer->workers = request->threads < 1                  ? 1
                       : request->threads > TEAM_THREADS_MAX ? TEAM_THREADS_MAX
                                                             : request->threads;
    trainer->team = trainer->workers > 1 ? team_create(trainer->workers) : NULL;
    trainer->most =
        request->learning->batch > LEAST_TEST_BATCH ? request->learning->batch : LEAST_TEST_BATCH;
    TRY(float32_pass_init(&trainer->pass, &trainer->plan, request->learning->batch, trainer->most,
                          trainer->workers, diagnostic));
    return make_memory(trainer, diagnostic);
}

enum status float32_trainer_open(const struct float32_training *training,
                                 struct float32_trainer **trainer, struct diagnostic *diagnostic)
{
    *trainer = NULL;
    struct float32_trainer *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    made->request = *training;
    const enum status status = trainer_init(made, diagnostic);
    if (status != STATUS_OK) {
        float32_trainer_close(made);
        return status;
    }
    *trainer = made;
    return STATUS_OK;
}

void float32_trainer_close(struct float32_trainer *trainer)
{
    if (trainer == NULL) {
        return;
    }
    team_destroy(trainer->team);
    float32_pass_deinit(&trainer->pass);
    float32_plan_deinit(&trainer->plan);
    free(trainer->memory);
    free(trainer->batch.images);
    free(trainer->batch.labels);
    free(trainer->correct);
    free(trainer->loss);
    free(trainer);
}

const float *float32_trainer_parameters(const struct float32_trainer *trainer)
{
    return trainer->parameters;
}
