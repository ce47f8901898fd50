/* program_integers.c - the programs int16 and s16.15: the integers of `backend: host`, which are
 * the machine's, bit for bit. */
#include "sim/baseline/program.h"
#include "sim/host_backend/integer_train.h"
#include "sim/networks/loss.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

struct state {
    const struct baseline_work *work;
    const struct integer_backend *backend;
    struct integer_share share;
    struct integer_trainer *trainer;
};

static enum status check(const struct job *job, struct diagnostic *diagnostic)
{
    (void)job;
    (void)diagnostic;
    return STATUS_OK;
}

static enum status sum(void *context, int32_t *gradients, size_t places,
                       struct diagnostic *diagnostic)
{
    const struct state *state = context;
    return exchange_sum(state->work->exchange, EXCHANGE_WORDS, gradients, places, diagnostic);
}

static enum status open_with(const struct baseline_work *work, void **state,
                             struct diagnostic *diagnostic)
{
    const struct job *job = work->job;
    struct state *made = calloc(1, sizeof *made);
    *state = made;
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    *made = (struct state){.work = work,
                           .backend = &INTEGER_BACKEND[job->network.numbers],
                           .share = {.index = work->exchange->rank,
                                     .count = work->exchange->members,
                                     .sum = sum,
                                     .context = made}};
    const struct state *from = work->from;
    const void *initial = from == NULL ? work->initial : from->backend->parameters(from->trainer);
    const struct integer_training training = {.network = &job->network,
                                              .table = job->table,
                                              .learning = work->learning,
                                              .train = &job->train,
                                              .test = &job->test,
                                              .initial = initial,
                                              .threads = work->threads,
                                              .share = made->share.count > 1 ? &made->share : NULL};
    return made->backend->open(&training, &made->trainer, diagnostic);
}

static enum status step(void *state, struct diagnostic *diagnostic)
{
    struct state *own = state;
    return own->backend->step(own->trainer, diagnostic);
}

static enum status test(void *state, const struct dataset *images, struct baseline_score *score,
                        struct diagnostic *diagnostic)
{
    const struct state *own = state;
    const struct dataset share = baseline_share(own->work->exchange, images);
    struct host_integer_run run;
    const struct host_integer_request request = {.table = own->work->job->table,
                                                 .parameters =
                                                     own->backend->parameters(own->trainer),
                                                 .dataset = &share,
                                                 .threads = own->work->threads};
    *score = (struct baseline_score){0};
    if (share.count == 0) {
        return STATUS_OK;
    }
    TRY(own->backend->test(&request, &run, diagnostic));
    score->count = run.count;
    score->correct = run.correct;
    score->loss = test_loss(request.table, run.result, share.labels, run.count) * run.count;
    host_integer_run_deinit(&run);
    return STATUS_OK;
}

static enum status classify(void *state, const struct dataset *images, struct nn_result *result,
                            struct diagnostic *diagnostic)
{
    const struct state *own = state;
    struct host_integer_run run;
    const struct host_integer_request request = {.table = own->work->job->table,
                                                 .parameters =
                                                     own->backend->parameters(own->trainer),
                                                 .dataset = images,
                                                 .threads = own->work->threads};
    TRY(own->backend->test(&request, &run, diagnostic));
    memcpy(result, run.result, run.count * sizeof *result);
    host_integer_run_deinit(&run);
    return STATUS_OK;
}

static void close_it(void *state)
{
    struct state *own = state;
    if (own != NULL) {
        if (own->trainer != NULL) {
            own->backend->close(own->trainer);
        }
        free(own);
    }
}

static const char *instructions(void)
{
    return "";
}

#define INTEGERS(NAME, name_)                                                                      \
    const struct baseline_program BASELINE_##NAME = {.name = (name_),                              \
                                                     .number_format = (name_),                     \
                                                     .shares = true,                               \
                                                     .check = check,                               \
                                                     .open = open_with,                            \
                                                     .step = step,                                 \
                                                     .test = test,                                 \
                                                     .classify = classify,                         \
                                                     .close = close_it,                            \
                                                     .instructions = instructions}
INTEGERS(INT16, "int16");
INTEGERS(S1615, "s16.15");
