/* agreement.c - see agreement.h. */
#include "sim/import/agreement.h"

#include "sim/host_backend/parallel.h"
#include "sim/host_backend/reference.h"
#include "sim/networks/layer_table.h"
#include "sim/steps.h"
#include "workloads/nn/kernels.h"

#include <math.h>
#include <stdlib.h>

enum { IMAGES_OF_TASK = 64 };

/* What a thread has. */
struct worker {
    struct reference_pass pass;
    uint8_t *activations;
    struct agreement sum;
};

struct comparison {
    const struct agreement_sides *sides;
    const struct images *images;
    struct worker *worker;
    unsigned workers;
};

/* ---- one image ---- */

static void compare_image(const struct agreement_sides *sides, const struct images *images,
                          size_t image, struct worker *worker)
{
    const struct nn_table *table = sides->table;
    const struct nn_layer *last = &table->layer[table->layers - 1];
    const uint8_t *pixel = images->pixel + image * images->values;
    struct agreement *sum = &worker->sum;
    nn_load_image(table, pixel, (int16_t *)(void *)(worker->activations + table->layer[0].from));
    for (size_t i = 0; i < table->layers; i++) {
        struct nn_numerics numerics = {0};
        (void)layer_table_run(table, i, sides->weights->block, worker->activations, &numerics);
        sum->saturations[i] += numerics.saturations;
        sum->overflows += numerics.overflows;
    }
    const double *exact = reference_forward(&worker->pass, sides->parameters, pixel);
    const int32_t *logit = (const int32_t *)(const void *)(worker->activations + last->to);
    const int fraction = last->weight_fraction + last->input_fraction;
    uint32_t best = 0;
    for (uint32_t c = 0; c < table->classes; c++) {
        const double own = ldexp(logit[c], -fraction) / sides->logit_factor;
        const double difference = fabs(own - exact[c]);
        best = logit[c] > logit[best] ? c : best;
        sum->difference = difference > sum->difference ? difference : sum->difference;
        sum->logit = fabs(exact[c]) > sum->logit ? fabs(exact[c]) : sum->logit;
    }
    const uint32_t label = reference_label(exact, table->classes);
    sum->images++;
    sum->same += best == label;
    sum->right += best == images->label[image];
    sum->right_exact += label == images->label[image];
}

/* ---- all ---- */

static void compare_part(void *context, unsigned worker, size_t task)
{
    const struct comparison *comparison = context;
    const size_t first = task * IMAGES_OF_TASK;
    const size_t past = first + IMAGES_OF_TASK;
    for (size_t i = first; i < past && i < comparison->images->count; i++) {
        compare_image(comparison->sides, comparison->images, i, &comparison->worker[worker]);
    }
}

static enum status take_workers(struct comparison *comparison, struct diagnostic *diagnostic)
{
    const struct nn_table *table = comparison->sides->table;
    comparison->worker = calloc(comparison->workers, sizeof *comparison->worker);
    for (unsigned w = 0; w < comparison->workers && comparison->worker != NULL; w++) {
        struct worker *worker = &comparison->worker[w];
        worker->activations = layer_table_activations(table);
        if (worker->activations == NULL) {
            return no_memory(diagnostic);
        }
        TRY(reference_pass_init(&worker->pass, comparison->sides->exact, diagnostic));
    }
    return comparison->worker == NULL ? no_memory(diagnostic) : STATUS_OK;
}

static void drop_workers(struct comparison *comparison)
{
    for (unsigned w = 0; w < comparison->workers && comparison->worker != NULL; w++) {
        free(comparison->worker[w].activations);
        reference_pass_deinit(&comparison->worker[w].pass);
    }
    free(comparison->worker);
}

static void add_up(struct agreement *to, const struct agreement *from)
{
    to->images += from->images;
    to->same += from->same;
    to->right += from->right;
    to->right_exact += from->right_exact;
    to->overflows += from->overflows;
    to->difference = from->difference > to->difference ? from->difference : to->difference;
    to->logit = from->logit > to->logit ? from->logit : to->logit;
    for (size_t i = 0; i < NETWORK_LAYERS; i++) {
        to->saturations[i] += from->saturations[i];
    }
}

enum status agreement_measure(struct agreement *agreement, const struct agreement_sides *sides,
                              const struct images *images, unsigned threads,
                              struct diagnostic *diagnostic)
{
    struct parallel *parallel = parallel_create(threads);
    struct comparison comparison = {.sides = sides, .images = images};
    *agreement = (struct agreement){0};
    if (parallel == NULL) {
        return no_memory(diagnostic);
    }
    comparison.workers = parallel_workers(parallel);
    const enum status status = take_workers(&comparison, diagnostic);
    if (status == STATUS_OK) {
        parallel_run(parallel, (images->count + IMAGES_OF_TASK - 1) / IMAGES_OF_TASK, compare_part,
                     &comparison);
        for (unsigned w = 0; w < comparison.workers; w++) {
            add_up(agreement, &comparison.worker[w].sum);
        }
    }
    drop_workers(&comparison);
    parallel_destroy(parallel);
    return status;
}
