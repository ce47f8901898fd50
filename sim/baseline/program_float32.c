/* program_float32.c - the program float32: a training written for the host's vector units. */
#include "sim/baseline/float32_plan.h"
#include "sim/baseline/float32_train.h"
#include "sim/baseline/program.h"
#include "sim/networks/optimizer.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>

struct state {
    const struct baseline_work *work;
    double *initial; /* owned */
    struct float32_trainer *trainer;
};

static bool accelerates(const struct sim_config *config)
{
    return config->train_optimizer == CONFIG_OPTIMIZER_ACCELEGRAD;
}

static enum status check(const struct job *job, struct diagnostic *diagnostic)
{
    if (!optimizer_of(job->config->train_optimizer)->descends && !accelerates(job->config)) {
        return config_refuse(job->config, "train.optimizer", "--program int16 and float64 have it",
                             diagnostic,
                             "the program float32 has sgd, momentum and accelegrad only");
    }
    return float32_check(&job->network, diagnostic);
}

static enum status open_with(const struct baseline_work *work, void **state,
                             struct diagnostic *diagnostic)
{
    const struct job *job = work->job;
    const struct sim_config *config = job->config;
    struct state *made = calloc(1, sizeof *made);
    *state = made;
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    made->work = work;
    TRY(baseline_initial(work, &made->initial, diagnostic));
    if (work->from != NULL) {
        const struct state *from = work->from;
        const float *begin = float32_trainer_parameters(from->trainer);
        for (size_t i = 0; i < network_parameters(&job->network); i++) {
            made->initial[i] = (double)begin[i];
        }
    }
    const struct optimizer *optimizer = optimizer_of(config->train_optimizer);
    const bool velocity = optimizer->descends && optimizer->state_words > 0;
    const struct float32_training training = {.network = &job->network,
                                              .learning = work->learning,
                                              .learning_rate = baseline_rate(config),
                                              .momentum = velocity ? config->train_momentum : 0,
                                              .accelegrad = accelerates(config),
                                              .train = &job->train,
                                              .initial = made->initial,
                                              .threads = work->threads,
                                              .exchange = work->exchange};
    return float32_trainer_open(&training, &made->trainer, diagnostic);
}

static enum status step(void *state, struct diagnostic *diagnostic)
{
    struct state *own = state;
    return float32_trainer_step(own->trainer, diagnostic);
}

static enum status test(void *state, const struct dataset *images, struct baseline_score *score,
                        struct diagnostic *diagnostic)
{
    struct state *own = state;
    const struct dataset share = baseline_share(own->work->exchange, images);
    struct float32_score found;
    (void)diagnostic;
    float32_trainer_test(own->trainer, &share, 0, share.count, NULL, &found);
    *score = (struct baseline_score){found.count, found.correct, found.loss};
    return STATUS_OK;
}

/* Logits as the machine has them, rounded to nearest; the label is that of the floats. */
static struct nn_result result_of(const struct nn_table *table, const float *logits)
{
    const struct nn_layer *last = &table->layer[table->layers - 1];
    const int fraction = last->weight_fraction + last->input_fraction;
    struct nn_result result = {.done = 1};
    for (uint32_t c = 0; c < table->classes; c++) {
        const double wide = round(ldexp((double)logits[c], fraction));
        result.logits[c] = (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, wide));
        result.label = logits[c] > logits[result.label] ? c : result.label;
    }
    return result;
}

static enum status classify(void *state, const struct dataset *images, struct nn_result *result,
                            struct diagnostic *diagnostic)
{
    struct state *own = state;
    const struct nn_table *table = own->work->job->table;
    struct float32_score found;
    float *logits = calloc((size_t)images->count * table->classes + 1, sizeof *logits);
    if (logits == NULL) {
        return no_memory(diagnostic);
    }
    float32_trainer_test(own->trainer, images, 0, images->count, logits, &found);
    for (size_t i = 0; i < images->count; i++) {
        result[i] = result_of(table, logits + i * table->classes);
    }
    free(logits);
    return STATUS_OK;
}

static void close_it(void *state)
{
    struct state *own = state;
    if (own != NULL) {
        float32_trainer_close(own->trainer);
        free(own->initial);
        free(own);
    }
}

static const char *instructions(void)
{
    return float32_kernels_of(NULL)->name;
}

const struct baseline_program BASELINE_FLOAT32 = {.name = "float32",
                                                  .number_format = "int16",
                                                  .shares = true,
                                                  .check = check,
                                                  .open = open_with,
                                                  .step = step,
                                                  .test = test,
                                                  .classify = classify,
                                                  .close = close_it,
                                                  .instructions = instructions};
