/* operations.c - see operations.h: the minimal set, with the fallbacks of gemv and reduce. */
#include "sim/host_backend/operations.h"

#include "sim/steps.h"

#include <math.h>

/* ---- counts ---- */

/* Whether the backend is to be called: it has not failed.  Counts the call. */
static bool calls(struct operations *own, enum backend_capability capability, uint64_t elements)
{
    if (own->failed != NULL) {
        return false;
    }
    own->log->of[capability].calls++;
    own->log->of[capability].elements += elements;
    return true;
}

static void judge(struct operations *own, enum backend_capability capability, int failed)
{
    if (failed != 0 && own->failed == NULL) {
        own->failed = BACKEND_CAPABILITY[capability].name;
    }
}

/* Whether the fallback takes the place of the operation; counts that. */
static bool falls_back(struct operations *own, enum backend_capability capability)
{
    const bool falls = !operations_has(own, capability);
    own->log->of[capability].fallbacks += falls && own->failed == NULL;
    return falls;
}

/* ---- memory ---- */

size_t operations_value_bytes(const struct operations *own)
{
    return own->backend->numbers == SPINNSIM_INT16     ? sizeof(int16_t)
           : own->backend->numbers == SPINNSIM_FLOAT32 ? sizeof(float)
                                                       : sizeof(double);
}

size_t operations_total_bytes(const struct operations *own)
{
    return own->backend->numbers == SPINNSIM_INT16 ? sizeof(int32_t) : operations_value_bytes(own);
}

struct spinnsim_memory *operations_allocate(struct operations *own, enum spinnsim_type type,
                                            size_t count)
{
    struct spinnsim_memory *memory = NULL;
    if (calls(own, BACKEND_CAN_ALLOCATE, count)) {
        memory = own->backend->allocate(own->context, type, count);
        judge(own, BACKEND_CAN_ALLOCATE, memory == NULL);
    }
    return memory;
}

void operations_free(struct operations *own, struct spinnsim_memory *memory)
{
    if (memory != NULL) {
        own->log->of[BACKEND_CAN_FREE].calls++;
        own->backend->free(own->context, memory);
    }
}

static size_t bytes_of(const struct operations *own, enum spinnsim_type type, size_t count)
{
    return count *
           (type == SPINNSIM_VALUE ? operations_value_bytes(own) : operations_total_bytes(own));
}

void operations_load(struct operations *own, struct spinnsim_memory *memory,
                     enum spinnsim_type type, size_t count, const void *from)
{
    if (calls(own, BACKEND_CAN_LOAD, bytes_of(own, type, count))) {
        judge(own, BACKEND_CAN_LOAD, own->backend->load(own->context, memory, 0, count, from));
    }
}

void operations_dump(struct operations *own, struct spinnsim_memory *memory,
                     enum spinnsim_type type, size_t count, void *to)
{
    if (calls(own, BACKEND_CAN_DUMP, bytes_of(own, type, count))) {
        judge(own, BACKEND_CAN_DUMP, own->backend->dump(own->context, memory, 0, count, to));
    }
}

/* ---- vectors ---- */

/* Each row a dot product. */
static void dots(struct operations *own, const struct spinnsim_gemv *gemv)
{
    for (size_t r = 0; r < gemv->rows; r++) {
        const struct spinnsim_vector to =
            operations_at(gemv->to.memory, gemv->to.first + r * gemv->to.step, gemv->to.step);
        const struct spinnsim_elementwise products = {
            .operation = SPINNSIM_MULTIPLY,
            .to = {own->products, 0, 1},
            .a = {gemv->matrix, gemv->first + r * gemv->row_step, gemv->column_step},
            .b = gemv->by,
            .count = gemv->columns};
        const struct spinnsim_reduce sum = {
            SPINNSIM_SUM, {own->sum, 0, 1}, {own->products, 0, 1}, gemv->columns};
        const struct spinnsim_elementwise add = {
            .operation = SPINNSIM_ADD, .to = to, .a = to, .b = {own->sum, 0, 1}, .count = 1};
        operations_elementwise(own, &products);
        operations_reduce(own, &sum);
        operations_elementwise(own, &add);
    }
}

void operations_gemv(struct operations *own, const struct spinnsim_gemv *gemv)
{
    if (falls_back(own, BACKEND_CAN_GEMV)) {
        dots(own, gemv);
    } else if (calls(own, BACKEND_CAN_GEMV, gemv->rows * gemv->columns)) {
        judge(own, BACKEND_CAN_GEMV, own->backend->gemv(own->context, gemv, &own->events));
    }
}

void operations_elementwise(struct operations *own, const struct spinnsim_elementwise *elementwise)
{
    if (calls(own, BACKEND_CAN_ELEMENTWISE, elementwise->count)) {
        judge(own, BACKEND_CAN_ELEMENTWISE,
              own->backend->elementwise(own->context, elementwise, &own->events));
    }
}

static void one_after_the_other(struct operations *own, const struct spinnsim_reduce *reduce)
{
    struct spinnsim_elementwise next = {
        .operation = SPINNSIM_COPY, .to = reduce->to, .a = reduce->a, .count = 1};
    operations_elementwise(own, &next);
    next.operation = reduce->operation == SPINNSIM_SUM ? SPINNSIM_ADD : SPINNSIM_MAXIMUM;
    next.a = reduce->to;
    next.b = reduce->a;
    for (size_t i = 1; i < reduce->count; i++) {
        next.b.first += reduce->a.step;
        operations_elementwise(own, &next);
    }
}

void operations_reduce(struct operations *own, const struct spinnsim_reduce *reduce)
{
    if (falls_back(own, BACKEND_CAN_REDUCE)) {
        one_after_the_other(own, reduce);
    } else if (calls(own, BACKEND_CAN_REDUCE, reduce->count)) {
        judge(own, BACKEND_CAN_REDUCE, own->backend->reduce(own->context, reduce));
    }
}

void operations_clear(struct operations *own, struct spinnsim_vector to, size_t count)
{
    const struct spinnsim_elementwise clear = {
        .operation = SPINNSIM_COPY, .to = to, .a = {own->zero, 0, 0}, .count = count};
    operations_elementwise(own, &clear);
}

void operations_sync(struct operations *own)
{
    if (calls(own, BACKEND_CAN_SYNC, 0)) {
        judge(own, BACKEND_CAN_SYNC, own->backend->sync(own->context));
    }
}

/* Of several contexts, one after the other. */
static void add_known(double *sum, double more)
{
    *sum = isfinite(*sum) && isfinite(more) ? *sum + more : isfinite(more) ? more : *sum;
}

void operations_cost(struct operations *own)
{
    double seconds = NAN;
    double joules = NAN;
    if (calls(own, BACKEND_CAN_COST, 0)) {
        judge(own, BACKEND_CAN_COST, own->backend->cost(own->context, &seconds, &joules));
        add_known(&own->log->seconds, seconds);
        add_known(&own->log->joules, joules);
    }
}

bool operations_optimize(struct operations *own, const struct spinnsim_update *update)
{
    if (!operations_has(own, BACKEND_CAN_OPTIMIZER) || own->failed != NULL) {
        return own->failed != NULL;
    }
    const int failed = own->backend->optimize(own->context, update, &own->events);
    if (failed == SPINNSIM_NOT_THIS_ONE) {
        return false;
    }
    (void)calls(own, BACKEND_CAN_OPTIMIZER, update->count);
    judge(own, BACKEND_CAN_OPTIMIZER, failed);
    return true;
}

/* ---- the whole ---- */

/* 1 in the backend's numbers, `count` times. */
static void load_ones(struct operations *own, size_t count)
{
    const size_t bytes = operations_value_bytes(own);
    FREED uint8_t *ones = malloc(count * bytes);
    if (ones == NULL) {
        own->failed = BACKEND_CAPABILITY[BACKEND_CAN_ALLOCATE].name;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        static const int16_t WORD = 1;
        static const float FLOAT = 1;
        static const double DOUBLE = 1;
        const void *one = own->backend->numbers == SPINNSIM_INT16     ? (const void *)&WORD
                          : own->backend->numbers == SPINNSIM_FLOAT32 ? (const void *)&FLOAT
                                                                      : (const void *)&DOUBLE;
        memcpy(ones + i * bytes, one, bytes);
    }
    operations_load(own, own->ones, SPINNSIM_VALUE, count, ones);
}

enum status operations_open(struct operations *own, const struct spinnsim_backend *backend,
                            uint32_t without, size_t longest, struct operations_log *log,
                            struct diagnostic *diagnostic)
{
    *own = (struct operations){
        .backend = backend, .missing = without | ~backend_has(backend), .log = log};
    if (backend->open(&own->context) != 0) {
        own->backend = NULL;
        return diagnose(diagnostic, STATUS_INTERNAL, "backend %s cannot be opened", backend->name);
    }
    own->products = operations_allocate(own, SPINNSIM_TOTAL, longest);
    own->sum = operations_allocate(own, SPINNSIM_TOTAL, 1);
    own->zero = operations_allocate(own, SPINNSIM_TOTAL, 1);
    own->ones = operations_allocate(own, SPINNSIM_VALUE, longest);
    load_ones(own, longest);
    return operations_check(own, diagnostic);
}

void operations_close(struct operations *own)
{
    if (own->backend == NULL) {
        return;
    }
    operations_free(own, own->products);
    operations_free(own, own->sum);
    operations_free(own, own->zero);
    operations_free(own, own->ones);
    own->backend->close(own->context);
    *own = (struct operations){.backend = NULL};
}

enum status operations_check(const struct operations *own, struct diagnostic *diagnostic)
{
    return own->failed == NULL
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_INTERNAL, "%s of backend %s has failed", own->failed,
                          own->backend->name);
}
