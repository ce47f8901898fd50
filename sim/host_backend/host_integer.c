/* host_integer.c - see host_integer.h. */
#include "sim/host_backend/host_integer.h"

#include "sim/host_backend/dataset_fit.h"
#include "sim/host_backend/parallel.h"
#include "sim/steps.h"
#include "workloads/nn/kernels.h"

#include <stdlib.h>
#include <string.h>

/* Images per task. */
enum { PART = 100 };

struct work {
    const struct host_integer_request *request;
    struct nn_table *table; /* the table with offsets in bytes of this format; owned */
    uint32_t exp_table[NN_EXP_STEPS + 1];
    uint8_t *activations; /* of all workers */
    size_t worker_bytes;
    struct nn_result *result;
};

/* Offsets in the given table count 16-bit places, in that of int8 bytes. */
static struct nn_table *scaled(const struct nn_table *from)
{
    enum { PLACE_BYTES = 2, SCALE = sizeof(nn_value) <= PLACE_BYTES ? 1 : 2 };
    struct nn_table *table = malloc(from->bytes);
    if (table == NULL) {
        return NULL;
    }
    memcpy(table, from, from->bytes);
    table->activation_bytes *= SCALE;
    for (uint32_t i = 0; i < table->layers; i++) {
        struct nn_layer *layer = &table->layer[i];
        layer->weights *= SCALE;
        layer->biases *= SCALE;
        layer->from *= SCALE;
        layer->to *= SCALE;
    }
    return table;
}

static void classify(const struct work *work, uint8_t *activations, uint32_t image)
{
    const struct nn_table *table = work->table;
    const struct nn_layer *last = &table->layer[table->layers - 1];
    struct nn_result *result = &work->result[image];
    struct nn_numerics numerics = {0};
    uint32_t probability[NN_MAX_CLASSES];
    nn_forward(table, (const uint8_t *)work->request->parameters, activations,
               work->request->dataset->images + (size_t)image * DATASET_PIXELS, NULL, &numerics);
    const nn_total *logits = nn_logits(table, activations);
    result->label =
        nn_softmax(logits, table->classes, (uint32_t)last->weight_fraction + last->input_fraction,
                   work->exp_table, probability);
    result->confidence = probability[result->label];
    result->saturations = numerics.saturations;
    result->overflows = numerics.overflows;
    result->core = 0;
    result->done = 1;
    for (uint32_t c = 0; c < NN_RESULT_CLASSES; c++) {
        result->logits[c] = c < table->classes ? nn_logit_word(logits[c]) : 0;
    }
}

static void run_part(void *context, unsigned worker, size_t task)
{
    const struct work *work = context;
    const uint32_t count = work->request->dataset->count;
    const uint32_t first = (uint32_t)task * PART;
    for (uint32_t i = first; i < count && i < first + PART; i++) {
        classify(work, work->activations + worker * work->worker_bytes, i);
    }
}

enum status host_integer_test(const struct host_integer_request *request,
                              struct host_integer_run *run, struct diagnostic *diagnostic)
{
    enum { ALIGNMENT = 64 };
    const struct dataset *dataset = request->dataset;
    const struct nn_table *table = request->table;
    *run = (struct host_integer_run){0};
    TRY(dataset_fit(dataset, table->image_pixels, table->classes, diagnostic));
    struct work work = {.request = request, .table = scaled(table)};
    if (work.table != NULL) {
        work.worker_bytes =
            ((size_t)work.table->activation_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        work.activations =
            aligned_alloc(ALIGNMENT, work.worker_bytes * parallel_workers(request->threads));
        work.result = calloc(dataset->count, sizeof *work.result);
    }
    if (work.activations == NULL || work.result == NULL) {
        free(work.table);
        free(work.activations);
        free(work.result);
        return no_memory(diagnostic);
    }
    if (!NN_FLOATS) {
        nn_exp_table(work.exp_table);
    }
    parallel_run(request->threads, (dataset->count + PART - 1) / PART, run_part, &work);
    free(work.table);
    free(work.activations);
    run->result = work.result;
    run->count = dataset->count;
    for (uint32_t i = 0; i < dataset->count; i++) {
        run->correct += work.result[i].label == dataset->labels[i];
        run->saturations += work.result[i].saturations;
        run->overflows += work.result[i].overflows;
    }
    return STATUS_OK;
}

void host_integer_run_deinit(struct host_integer_run *run)
{
    free(run->result);
    *run = (struct host_integer_run){0};
}
