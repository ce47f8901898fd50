/* plain_backend.c - a backend of one's own, complete: the minimal set in int16, in plain C.
 *
 *     cc -shared -fPIC -O2 -I sim/backends -o plain_backend.so sim/backends/example/plain_backend.c
 *     spinnsim run configs/experiments/xor_train.yaml --set backend=library --set
 * run.library=./plain_backend.so
 *
 * All else - convolution, pooling, softmax, updates - spinnsim makes of these operations.  It does
 * what spinnsim_backend.h says of int16 exactly, so its weights are those of `backend: host`. */
#include "spinnsim_backend.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct spinnsim_memory {
    size_t bytes; /* of an element */
    union {
        int16_t *values;
        int32_t *totals;
    } of;
};

struct plain {
    uint32_t exponential[SPINNSIM_EXPONENTIALS];
    double elements; /* worked on so far */
};

static int plain_open(void **context)
{
    struct plain *plain = calloc(1, sizeof *plain);
    if (plain != NULL) {
        spinnsim_exponentials(plain->exponential);
    }
    *context = plain;
    return plain == NULL;
}

static struct spinnsim_memory *plain_allocate(void *context, enum spinnsim_type type, size_t count)
{
    struct spinnsim_memory *memory = calloc(1, sizeof *memory);
    (void)context;
    if (memory != NULL) {
        memory->bytes = type == SPINNSIM_VALUE ? sizeof(int16_t) : sizeof(int32_t);
        memory->of.values = calloc(count + 1, memory->bytes);
    }
    if (memory != NULL && memory->of.values == NULL) {
        free(memory);
        return NULL;
    }
    return memory;
}

static void plain_free(void *context, struct spinnsim_memory *memory)
{
    (void)context;
    free(memory->of.values);
    free(memory);
}

static int plain_load(void *context, struct spinnsim_memory *memory, size_t first, size_t count,
                      const void *from)
{
    (void)context;
    memcpy((char *)memory->of.values + first * memory->bytes, from, count * memory->bytes);
    return 0;
}

static int plain_dump(void *context, struct spinnsim_memory *memory, size_t first, size_t count,
                      void *to)
{
    (void)context;
    memcpy(to, (const char *)memory->of.values + first * memory->bytes, count * memory->bytes);
    return 0;
}

static int plain_gemv(void *context, const struct spinnsim_gemv *g, struct spinnsim_events *events)
{
    struct plain *plain = context;
    for (size_t r = 0; r < g->rows; r++) {
        const int16_t *row = &g->matrix->of.values[g->first + r * g->row_step];
        const int16_t *by = &g->by.memory->of.values[g->by.first];
        int32_t *to = &g->to.memory->of.totals[g->to.first + r * g->to.step];
        bool wrapped = false;
        for (size_t c = 0; c < g->columns; c++) {
            const int32_t product = row[c * g->column_step] * by[c * g->by.step];
            wrapped |= __builtin_add_overflow(*to, product, to);
        }
        events->wrapped += wrapped;
    }
    plain->elements += (double)(g->rows * g->columns);
    return 0;
}

/* Element i of a vector, of values or of totals. */
static int32_t get(const struct spinnsim_vector *from, size_t i)
{
    const size_t at = from->first + i * from->step;
    return from->memory->bytes == sizeof(int16_t) ? from->memory->of.values[at]
                                                  : from->memory->of.totals[at];
}

static void put(const struct spinnsim_vector *to, size_t i, int32_t element)
{
    const size_t at = to->first + i * to->step;
    if (to->memory->bytes == sizeof(int16_t)) {
        to->memory->of.values[at] = (int16_t)element;
    } else {
        to->memory->of.totals[at] = element;
    }
}

static int32_t element_of(const struct plain *plain, const struct spinnsim_elementwise *e,
                          int32_t a, int32_t b, struct spinnsim_events *events)
{
    switch (e->operation) {
    case SPINNSIM_SUBTRACT:
        return (int32_t)((uint32_t)a - (uint32_t)b);
    case SPINNSIM_MAXIMUM:
        return a > b ? a : b;
    case SPINNSIM_ADD:
        return spinnsim_wrapping_add(a, b);
    case SPINNSIM_MULTIPLY:
        return a * b;
    case SPINNSIM_EQUAL:
        return a == b;
    case SPINNSIM_SELECT:
        return b != 0 ? a : 0;
    case SPINNSIM_WIDEN:
        return (int32_t)((uint32_t)a << e->shift);
    case SPINNSIM_ROUND:
        return spinnsim_round(a, e->shift, &events->cut);
    case SPINNSIM_EXPONENTIAL:
        return spinnsim_exponential(a, e->shift, plain->exponential);
    case SPINNSIM_DIVIDE:
        return spinnsim_divide(a, b, e->shift);
    case SPINNSIM_COPY:
    case SPINNSIM_ELEMENT_OPERATIONS:
    default:
        return a;
    }
}

static int plain_elementwise(void *context, const struct spinnsim_elementwise *e,
                             struct spinnsim_events *events)
{
    struct plain *plain = context;
    for (size_t i = 0; i < e->count; i++) {
        const int32_t b = e->b.memory == NULL ? 0 : get(&e->b, i);
        put(&e->to, i, element_of(plain, e, get(&e->a, i), b, events));
    }
    plain->elements += (double)e->count;
    return 0;
}

static int plain_reduce(void *context, const struct spinnsim_reduce *reduce)
{
    struct plain *plain = context;
    int32_t result = get(&reduce->a, 0);
    for (size_t i = 1; i < reduce->count; i++) {
        const int32_t next = get(&reduce->a, i);
        const int32_t larger = next > result ? next : result;
        result = reduce->operation == SPINNSIM_SUM ? spinnsim_wrapping_add(result, next) : larger;
    }
    put(&reduce->to, 0, result);
    plain->elements += (double)reduce->count;
    return 0;
}

static int plain_sync(void *context)
{
    (void)context;
    return 0;
}

/* An invented machine: an element takes 1 ns and 100 pJ. */
static int plain_cost(void *context, double *seconds, double *joules)
{
    const struct plain *plain = context;
    *seconds = plain->elements * 1e-9;
    *joules = plain->elements * 100e-12;
    return 0;
}

const struct spinnsim_backend *spinnsim_backend(void)
{
    static const struct spinnsim_backend PLAIN = {.version = SPINNSIM_BACKEND_VERSION,
                                                  .bytes = sizeof(struct spinnsim_backend),
                                                  .name = "plain",
                                                  .numbers = SPINNSIM_INT16,
                                                  .open = plain_open,
                                                  .close = free,
                                                  .allocate = plain_allocate,
                                                  .free = plain_free,
                                                  .load = plain_load,
                                                  .dump = plain_dump,
                                                  .gemv = plain_gemv,
                                                  .elementwise = plain_elementwise,
                                                  .reduce = plain_reduce,
                                                  .sync = plain_sync,
                                                  .cost = plain_cost};
    return &PLAIN;
}
