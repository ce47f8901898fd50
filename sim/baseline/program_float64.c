/* program_float64.c - the program float64: the double-precision reference, exact but not fast. */
#include "sim/baseline/program.h"
#include "sim/host_backend/reference_train.h"
#include "sim/networks/optimizer.h"
#include "sim/steps.h"

#include <stdlib.h>

struct state {
    const struct baseline_work *work;
    double *initial; /* owned */
    struct reference_trainer *trainer;
};

static enum status check(const struct job *job, struct diagnostic *diagnostic)
{
    return network_has_dropout(&job->network)
               ? config_refuse(job->config, "network.name", "--program int16 can", diagnostic,
                               "float64 learns without dropout")
               : STATUS_OK;
}

static enum status open_with(const struct baseline_work *work, void **state,
                             struct diagnostic *diagnostic)
{
    const struct job *job = work->job;
    const struct sim_config *config = job->config;
    const struct optimizer *optimizer = optimizer_of(config->train_optimizer);
    struct state *made = calloc(1, sizeof *made);
    *state = made;
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    made->work = work;
    TRY(baseline_initial(work, &made->initial, diagnostic));
    const struct reference_training training = {
        .network = &job->network,
        .train = &job->train,
        .test = &job->test,
        .seed = config->seed,
        .epochs = work->learning->epochs,
        .global_batch = work->learning->batch,
        .optimizer = config->train_optimizer,
        .momentum = optimizer->descends && optimizer->state_words > 0 ? config->train_momentum : 0,
        .learning_rate = baseline_rate(config),
        .warm_up = config->train_warm_up,
        .decay = config->train_decay,
        .halve_every = (uint32_t)config->train_halve_every,
        .order = &work->learning->order,
        .initial = made->initial,
        .threads = work->threads};
    return reference_trainer_open(&training, &made->trainer, diagnostic);
}

static enum status step(void *state, struct diagnostic *diagnostic)
{
    struct state *own = state;
    return reference_trainer_step(own->trainer, diagnostic);
}

static enum status test(void *state, const struct dataset *images, struct baseline_score *score,
                        struct diagnostic *diagnostic)
{
    const struct state *own = state;
    struct reference_score found;
    TRY(reference_test(&own->work->job->network, reference_trainer_parameters(own->trainer), images,
                       own->work->threads, &found, NULL, diagnostic));
    *score = (struct baseline_score){found.count, found.correct, found.loss * found.count};
    return STATUS_OK;
}

static void close_it(void *state)
{
    struct state *own = state;
    if (own != NULL) {
        reference_trainer_close(own->trainer);
        free(own->initial);
        free(own);
    }
}

static const char *instructions(void)
{
    return "";
}

const struct baseline_program BASELINE_FLOAT64 = {.name = "float64",
                                                  .number_format = "int16",
                                                  .shares = false,
                                                  .check = check,
                                                  .open = open_with,
                                                  .step = step,
                                                  .test = test,
                                                  .close = close_it,
                                                  .instructions = instructions};
