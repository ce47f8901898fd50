/* onnx_case.c - see onnx_case.h.  Source of numbers: onnx/onnx.proto of ONNX 1.17. */
#include "sim/measure/onnx_case.h"

#include "sim/config/config_arena.h"
#include "sim/file.h"
#include "sim/import/lower.h"
#include "sim/import/readers.h"
#include "sim/import/wire.h"
#include "sim/import/wire_write.h"
#include "sim/measure/chain.h"
#include "sim/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MODEL_GRAPH = 7, GRAPH_NODE = 1, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11 };
enum { NODE_OP = 4, VALUE_NAME = 1, TENSOR_NAME = 8 };

const char *onnx_verdict_text(enum onnx_verdict verdict)
{
    static const char *const TEXT[] = {[ONNX_PASSED] = "passed",
                                       [ONNX_REFUSED] = "refused",
                                       [ONNX_FAILED] = "failed",
                                       [ONNX_SKIPPED] = "skipped"};
    return TEXT[verdict];
}

struct running {
    const char *folder;
    struct onnx_case *test;
    uint8_t *file; /* model.onnx; owned */
    size_t size;
    struct wire_span graph;
    struct wire_message bound; /* the model with its constants; owned */
    struct model model;
    struct diagnostic *diagnostic;
};

static void running_deinit(struct running *running)
{
    free(running->file);
    wire_message_deinit(&running->bound);
    model_deinit(&running->model);
}

/* ---- fields ---- */

/* The first field of bytes with this number; empty if there is none. */
static struct wire_span first_of(struct wire_span message, uint32_t number)
{
    struct wire_field field;
    while (wire_next(&message, &field) == WIRE_FIELD) {
        if (field.number == number && field.type == WIRE_BYTES) {
            return field.bytes;
        }
    }
    return (struct wire_span){message.end, message.end};
}

/* Adds the fields of a message but those of one number. */
static void copy_fields(struct wire_message *to, struct wire_span from, uint32_t except)
{
    struct wire_field field;
    const uint8_t *begin = from.at;
    while (wire_next(&from, &field) == WIRE_FIELD) {
        if (field.number != except) {
            wire_put_fields(to, begin, (size_t)(from.at - begin));
        }
        begin = from.at;
    }
    wire_put_fields(to, begin, (size_t)(from.end - begin)); /* what is broken is refused later */
}

/* ---- operators ---- */

static void list_operators(struct running *running)
{
    struct onnx_case *test = running->test;
    struct wire_span graph = running->graph;
    struct wire_field field;
    while (wire_next(&graph, &field) == WIRE_FIELD) {
        if (field.number != GRAPH_NODE || field.type != WIRE_BYTES) {
            continue;
        }
        const struct wire_span op = first_of(field.bytes, NODE_OP);
        char name[ONNX_OPERATORS_CHARS];
        (void)snprintf(name, sizeof name, "%.*s",
                       (int)(wire_size(op) < sizeof name ? wire_size(op) : sizeof name - 1),
                       (const char *)op.at);
        const size_t length = strlen(test->operators);
        (void)snprintf(test->operators + length, sizeof test->operators - length, "%s%s",
                       length == 0 ? "" : " ", name);
        if (!lower_knows(name) && test->verdict != ONNX_SKIPPED) {
            test->verdict = ONNX_SKIPPED;
            (void)snprintf(test->reason, sizeof test->reason, "operator %s", name);
        }
    }
}

/* ---- values ---- */

static char *data_path(const struct running *running, const char *what, unsigned number)
{
    return file_print("%s/test_data_set_0/%s_%u.pb", running->folder, what, number);
}

static enum status read_values(struct running *running, const char *what,
                               struct model_tensor *tensor)
{
    FREED uint8_t *bytes = NULL;
    size_t size;
    FREED char *path = data_path(running, what, 0);
    if (path == NULL) {
        return no_memory(running->diagnostic);
    }
    TRY(file_read(path, MODEL_MOST_FILE_BYTES, &bytes, &size, running->diagnostic));
    struct onnx_reading reading = {.model = &running->model,
                                   .file = bytes,
                                   .values_left = MODEL_MOST_VALUES,
                                   .diagnostic = running->diagnostic};
    return onnx_tensor_read(&reading, (struct wire_span){bytes, bytes + size}, tensor);
}

/* Input `number` as a constant of this name. */
static enum status bind_input(const struct running *running, unsigned number, struct wire_span name,
                              struct wire_message *graph)
{
    FREED uint8_t *bytes = NULL;
    size_t size;
    struct wire_message tensor = {0};
    FREED char *path = data_path(running, "input", number);
    if (path == NULL) {
        return no_memory(running->diagnostic);
    }
    TRY(file_read(path, MODEL_MOST_FILE_BYTES, &bytes, &size, running->diagnostic));
    copy_fields(&tensor, (struct wire_span){bytes, bytes + size}, TENSOR_NAME);
    wire_put_bytes(&tensor, TENSOR_NAME, name.at, wire_size(name));
    wire_put_message(graph, GRAPH_INITIALIZER, &tensor);
    return STATUS_OK;
}

static enum status bind_inputs(struct running *running)
{
    struct wire_message graph = {0};
    struct wire_span rest = running->graph;
    struct wire_field field;
    unsigned number = 0;
    enum status status = STATUS_OK;
    wire_put_fields(&graph, running->graph.at, wire_size(running->graph));
    while (status == STATUS_OK && wire_next(&rest, &field) == WIRE_FIELD) {
        if (field.number == GRAPH_INPUT && field.type == WIRE_BYTES && number++ > 0) {
            status = bind_input(running, number - 1, first_of(field.bytes, VALUE_NAME), &graph);
        }
    }
    copy_fields(&running->bound, (struct wire_span){running->file, running->file + running->size},
                MODEL_GRAPH);
    wire_put_message(&running->bound, MODEL_GRAPH, &graph);
    return status == STATUS_OK && running->bound.failed ? no_memory(running->diagnostic) : status;
}

/* ---- the chain ---- */

/* What the last operator makes of the sums that a network of ours ends with. */
static enum chain_end end_of(const struct model *model)
{
    enum chain_end end = CHAIN_SUMS;
    for (size_t i = 0; i < model->node_count; i++) {
        end = strcmp(model->node[i].op, "Softmax") == 0      ? CHAIN_SOFTMAX
              : strcmp(model->node[i].op, "LogSoftmax") == 0 ? CHAIN_LOG_SOFTMAX
                                                             : end;
    }
    return end;
}

static void compare(const struct model_tensor *expected, const double *values,
                    struct onnx_case *test)
{
    test->verdict = ONNX_PASSED;
    test->values = expected->count;
    for (size_t i = 0; i < expected->count; i++) {
        const double difference = fabs(values[i] - expected->value[i]);
        test->largest = difference > test->largest ? difference : test->largest;
        if (!(difference <= ONNX_ABSOLUTE + ONNX_RELATIVE * fabs(expected->value[i])) &&
            test->verdict == ONNX_PASSED) {
            test->verdict = ONNX_FAILED;
            (void)snprintf(test->reason, sizeof test->reason, "value %zu: %.9g, expected %.9g", i,
                           values[i], expected->value[i]);
        }
    }
}

static enum status run_chain(struct running *running)
{
    /* A pixel p enters as p / 256, and the model takes it so. */
    static const struct lower_pixels AS_THEY_ARE = {.scale = 1.0 / 256};
    struct model_tensor input;
    struct model_tensor expected;
    struct lowered lowered;
    RELEASED(chain_deinit) struct chain chain = {0};
    struct diagnostic *diagnostic = running->diagnostic;
    TRY(onnx_model_read(&running->model, running->bound.bytes, running->bound.size, diagnostic));
    TRY(read_values(running, "input", &input));
    TRY(read_values(running, "output", &expected));
    TRY(lower_model(&running->model, &AS_THEY_ARE, &lowered, diagnostic));
    TRY(chain_make(&chain, &lowered, end_of(&running->model), diagnostic));
    const size_t items = chain_inputs(&chain);
    const size_t rows = input.count / items;
    const size_t each = rows == 0 ? 0 : expected.count / rows;
    double *values = config_arena_take(running->model.arena, (expected.count + 1) * sizeof(double));
    if (rows * items != input.count || rows * each != expected.count ||
        !chain_gives(&chain, each)) {
        running->test->verdict = ONNX_FAILED;
        running->test->values = expected.count;
        (void)snprintf(running->test->reason, sizeof running->test->reason,
                       "%zu values of %zu make other than %zu values", rows, items, expected.count);
        return STATUS_OK;
    }
    for (size_t row = 0; row < rows; row++) {
        chain_run(&chain, input.value + row * items, each, values + row * each);
    }
    compare(&expected, values, running->test);
    return STATUS_OK;
}

enum status onnx_case_run(const char *folder, struct onnx_case *test, struct diagnostic *diagnostic)
{
    struct diagnostic refusal = {0};
    RELEASED(running_deinit)
    struct running running = {.folder = folder, .test = test, .diagnostic = &refusal};
    FREED char *path = file_join(folder, "model.onnx");
    *test = (struct onnx_case){.verdict = ONNX_REFUSED};
    running.model.arena = config_arena_create();
    if (path == NULL || running.model.arena == NULL) {
        return no_memory(diagnostic);
    }
    running.model.path = config_arena_text(running.model.arena, path, strlen(path));
    TRY(file_read(path, MODEL_MOST_FILE_BYTES, &running.file, &running.size, diagnostic));
    running.graph =
        first_of((struct wire_span){running.file, running.file + running.size}, MODEL_GRAPH);
    list_operators(&running);
    if (test->verdict == ONNX_SKIPPED) {
        return STATUS_OK;
    }
    enum status status = bind_inputs(&running);
    if (status == STATUS_OK) {
        status = run_chain(&running);
    }
    if (status == STATUS_INTERNAL) {
        *diagnostic = refusal;
        return status;
    }
    if (status != STATUS_OK) {
        (void)snprintf(test->reason, sizeof test->reason, "%s", refusal.text);
    }
    return STATUS_OK;
}
