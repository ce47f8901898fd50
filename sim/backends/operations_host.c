/* operations_host.c - the host's own operations, as spinnsim_backend.h says.  Compiled once for
 * each kind of numbers: OPERATIONS_INT16, OPERATIONS_FLOAT32, OPERATIONS_FLOAT64. */
#include "sim/backends/backends.h"
#include "workloads/nn/doubles.h"
#include "workloads/nn/loss.h"
#include "workloads/nn/update.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the numbers ---- */

#define JOINED(a, b)    a##b
#define JOIN(a, b)      JOINED(a, b)
#define NUMBERS_INT16   SPINNSIM_INT16
#define NUMBERS_FLOAT32 SPINNSIM_FLOAT32
#define NUMBERS_FLOAT64 SPINNSIM_FLOAT64
#define NAME_INT16      "host, int16"
#define NAME_FLOAT32    "host_float32"
#define NAME_FLOAT64    "host, float64"
#define REAL_FLOAT32    float
#define REAL_FLOAT64    double
#define INTEGERS_INT16  1
#define INTEGERS        JOIN(INTEGERS_, OPERATIONS_NUMBERS)

#if INTEGERS
typedef int16_t value;
typedef int32_t total;
#else
typedef JOIN(REAL_, OPERATIONS_NUMBERS) value;
typedef value total;
#endif

struct spinnsim_memory {
    enum spinnsim_type type;
    size_t count;
    union {
        value *values;
        total *totals;
    } of;
};

struct host {
    uint32_t exponential[SPINNSIM_EXPONENTIALS]; /* of integers */
};

#if INTEGERS
/* *sum += w x; whether it has wrapped */
static inline bool add_product(total *sum, value w, value x)
{
    return __builtin_add_overflow(*sum, (total)w * x, sum);
}

static inline total sum_of(total a, total b)
{
    return spinnsim_wrapping_add(a, b);
}

static inline total difference_of(total a, total b)
{
    return (total)((uint32_t)a - (uint32_t)b);
}
#else
static inline bool add_product(total *sum, value w, value x)
{
    *sum += w * x;
    return false;
}

static inline total sum_of(total a, total b)
{
    return a + b;
}

static inline total difference_of(total a, total b)
{
    return a - b;
}
#endif

static inline value *values_of(const struct spinnsim_vector *vector)
{
    return vector->memory->of.values + vector->first;
}

static inline total *totals_of(const struct spinnsim_vector *vector)
{
    return vector->memory->of.totals + vector->first;
}

/* ---- memory ---- */

static int open_host(void **context)
{
    struct host *host = calloc(1, sizeof *host);
    if (host != NULL) {
        spinnsim_exponentials(host->exponential);
    }
    *context = host;
    return host == NULL;
}

static void close_host(void *context)
{
    free(context);
}

static size_t element_bytes(enum spinnsim_type type)
{
    return type == SPINNSIM_VALUE ? sizeof(value) : sizeof(total);
}

static struct spinnsim_memory *allocate(void *context, enum spinnsim_type type, size_t count)
{
    struct spinnsim_memory *memory = calloc(1, sizeof *memory);
    (void)context;
    if (memory != NULL) {
        *memory = (struct spinnsim_memory){.type = type, .count = count};
        memory->of.values = calloc(count + 1, element_bytes(type));
        if (memory->of.values == NULL) {
            free(memory);
            memory = NULL;
        }
    }
    return memory;
}

static void free_memory(void *context, struct spinnsim_memory *memory)
{
    (void)context;
    free(memory->of.values);
    free(memory);
}

static int load(void *context, struct spinnsim_memory *memory, size_t first, size_t count,
                const void *from)
{
    const size_t bytes = element_bytes(memory->type);
    (void)context;
    memcpy((uint8_t *)memory->of.values + first * bytes, from, count * bytes);
    return 0;
}

static int dump(void *context, struct spinnsim_memory *memory, size_t first, size_t count, void *to)
{
    const size_t bytes = element_bytes(memory->type);
    (void)context;
    memcpy(to, (const uint8_t *)memory->of.values + first * bytes, count * bytes);
    return 0;
}

/* ---- the minimal operations ---- */

static int gemv(void *context, const struct spinnsim_gemv *gemv, struct spinnsim_events *events)
{
    const value *row = gemv->matrix->of.values + gemv->first;
    const value *by = values_of(&gemv->by);
    total *to = totals_of(&gemv->to);
    (void)context;
    for (size_t r = 0; r < gemv->rows; r++, row += gemv->row_step, to += gemv->to.step) {
        total sum = *to;
        bool wrapped = false;
        for (size_t c = 0; c < gemv->columns; c++) {
            wrapped |= add_product(&sum, row[c * gemv->column_step], by[c * gemv->by.step]);
        }
        *to = sum;
        events->wrapped += wrapped;
    }
    return 0;
}

/* Element i of operands: `a` and `b` of values (v) or totals (t). */
#define EACH(to_type, a_type, b_type, expression)                                                  \
    for (size_t i = 0; i < e->count; i++) {                                                        \
        to_type *const to = (to_type *)to_at + i * e->to.step;                                     \
        const a_type a = ((const a_type *)a_at)[i * e->a.step];                                    \
        const b_type b = b_at == NULL ? 0 : ((const b_type *)b_at)[i * e->b.step];                 \
        (void)b;                                                                                   \
        *to = (to_type)(expression);                                                               \
    }                                                                                              \
    return 0;
/* Both types alike. */
#define EACH_ALIKE(of_values, of_totals)                                                           \
    if (e->to.memory->type == SPINNSIM_VALUE) {                                                    \
        EACH(value, value, value, of_values)                                                       \
    }                                                                                              \
    EACH(total, total, total, of_totals)

static void *at(const struct spinnsim_vector *vector)
{
    if (vector->memory == NULL) {
        return NULL;
    }
    return (uint8_t *)vector->memory->of.values +
           vector->first * element_bytes(vector->memory->type);
}

#if INTEGERS
#define WIDENED   (total)((uint32_t)(total)a << e->shift)
#define ROUNDED   spinnsim_round(a, e->shift, &events->cut)
#define E_TO_LESS spinnsim_exponential(a, e->shift, host->exponential)
#define QUOTIENT  spinnsim_divide(a, b, e->shift)
#else
#define WIDENED   a
#define ROUNDED   a
#define E_TO_LESS reference_exp(-(double)a)
#define QUOTIENT  a / b
#endif

static int elementwise(void *context, const struct spinnsim_elementwise *e,
                       struct spinnsim_events *events)
{
    const struct host *host = context;
    void *const to_at = at(&e->to);
    const void *const a_at = at(&e->a);
    const void *const b_at = at(&e->b);
    (void)host;
    (void)events;
    switch (e->operation) {
    case SPINNSIM_COPY:
        EACH_ALIKE(a, a)
    case SPINNSIM_SUBTRACT:
        EACH_ALIKE(a - b, difference_of(a, b))
    case SPINNSIM_MAXIMUM:
        EACH_ALIKE(a > b ? a : b, a > b ? a : b)
    case SPINNSIM_ADD:
        EACH_ALIKE(a + b, sum_of(a, b))
    case SPINNSIM_MULTIPLY:
        EACH(total, value, value, (total)a * b)
    case SPINNSIM_EQUAL:
        EACH(value, value, value, a == b ? 1 : 0)
    case SPINNSIM_SELECT:
        EACH(value, value, value, b != 0 ? a : 0)
    case SPINNSIM_WIDEN:
        EACH(total, value, value, WIDENED)
    case SPINNSIM_ROUND:
        EACH(value, total, total, ROUNDED)
    case SPINNSIM_EXPONENTIAL:
        EACH(total, total, total, E_TO_LESS)
    case SPINNSIM_DIVIDE:
        EACH(value, total, total, QUOTIENT)
    case SPINNSIM_ELEMENT_OPERATIONS:
    default:
        return 1;
    }
}

static int reduce(void *context, const struct spinnsim_reduce *reduce)
{
    const total *a = totals_of(&reduce->a);
    total result = *a;
    (void)context;
    for (size_t i = 1; i < reduce->count; i++) {
        const total next = a[i * reduce->a.step];
        if (reduce->operation == SPINNSIM_SUM) {
            result = sum_of(result, next);
        } else {
            result = next > result ? next : result;
        }
    }
    *totals_of(&reduce->to) = result;
    return 0;
}

static int sync_host(void *context)
{
    (void)context;
    return 0;
}

/* Its time is that of the computer, which results do not have. */
static int cost(void *context, double *seconds, double *joules)
{
    (void)context;
    *seconds = NAN;
    *joules = NAN;
    return 0;
}

/* ---- windows ---- */

/* A window's place: where its weights and the inputs under them are, cut to the input. */
struct place {
    uint32_t first_row, end_row, first_column, end_column; /* of the window */
    ptrdiff_t row, column;                                 /* of its corner in the input */
};

static uint32_t begin_of(ptrdiff_t corner)
{
    return corner < 0 ? (uint32_t)-corner : 0;
}

static uint32_t end_of(ptrdiff_t corner, uint32_t kernel, uint32_t side)
{
    const ptrdiff_t left = (ptrdiff_t)side - corner;
    return left < (ptrdiff_t)kernel ? (uint32_t)(left < 0 ? 0 : left) : kernel;
}

static struct place place_of(const struct spinnsim_window *w, uint32_t y, uint32_t x)
{
    struct place place = {.row = (ptrdiff_t)y * w->stride - (ptrdiff_t)w->padding,
                          .column = (ptrdiff_t)x * w->stride - (ptrdiff_t)w->padding};
    place.first_row = begin_of(place.row);
    place.end_row = end_of(place.row, w->kernel, w->height);
    place.first_column = begin_of(place.column);
    place.end_column = end_of(place.column, w->kernel, w->width);
    return place;
}

/* For each output and each weight that is above the input: m, out (index of the output), weight and
 * in (indices). */
#define EACH_LINK(w, before, inside, behind)                                                       \
    for (uint32_t m = 0, out = 0; m < (w)->maps; m++) {                                            \
        for (uint32_t p = 0; p < (w)->out_height * (w)->out_width; p++, out++) {                   \
            const struct place place = place_of(w, p / (w)->out_width, p % (w)->out_width);        \
            before;                                                                                \
            for (uint32_t c = 0; c < (w)->channels; c++) {                                         \
                for (uint32_t r = place.first_row; r < place.end_row; r++) {                       \
                    size_t weight =                                                                \
                        (((size_t)m * (w)->channels + c) * (w)->kernel + r) * (w)->kernel +        \
                        place.first_column;                                                        \
                    size_t in = ((size_t)c * (w)->height + (size_t)(place.row + (ptrdiff_t)r)) *   \
                                    (w)->width +                                                   \
                                (size_t)(place.column + (ptrdiff_t)place.first_column);            \
                    for (uint32_t k = place.first_column; k < place.end_column;                    \
                         k++, weight++, in++) {                                                    \
                        inside;                                                                    \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
            behind;                                                                                \
        }                                                                                          \
    }

static int convolve(void *context, const struct spinnsim_window *w, struct spinnsim_events *events)
{
    const value *weights = values_of(&w->weights);
    const value *input = values_of(&w->input);
    total *output = totals_of(&w->output);
    (void)context;
    EACH_LINK(w, total sum = output[out];
              bool wrapped = false, wrapped |= add_product(&sum, weights[weight], input[in]),
              output[out] = sum;
              events->wrapped += wrapped)
    return 0;
}

#if INTEGERS
#define ADD_TO(sum, a, b) sum = spinnsim_wrapping_add(sum, (total)(a) * (b))
#else
#define ADD_TO(sum, a, b) sum += (a) * (b)
#endif

static int convolve_gradient(void *context, const struct spinnsim_window *w)
{
    const value *input = values_of(&w->input);
    const value *errors = values_of(&w->errors);
    total *result = totals_of(&w->result);
    (void)context;
    EACH_LINK(
        w, if (errors[out] == 0) { continue; }, ADD_TO(result[weight], errors[out], input[in]),
        (void)0)
    return 0;
}

static int convolve_back(void *context, const struct spinnsim_window *w)
{
    const value *weights = values_of(&w->weights);
    const value *errors = values_of(&w->errors);
    total *result = totals_of(&w->result);
    (void)context;
    EACH_LINK(
        w, if (errors[out] == 0) { continue; }, ADD_TO(result[in], errors[out], weights[weight]),
        (void)0)
    return 0;
}

/* The place of a window's largest value in the input, the first of equals. */
static size_t largest_in(const struct spinnsim_window *w, uint32_t map, uint32_t y, uint32_t x)
{
    const value *input = values_of(&w->input);
    const size_t corner =
        ((size_t)map * w->height + (size_t)y * w->stride) * w->width + (size_t)x * w->stride;
    size_t largest = corner;
    for (uint32_t r = 0; r < w->kernel; r++) {
        for (uint32_t k = 0; k < w->kernel; k++) {
            const size_t here = corner + (size_t)r * w->width + k;
            largest = input[here] > input[largest] ? here : largest;
        }
    }
    return largest;
}

static int pool(void *context, const struct spinnsim_window *w)
{
    value *output = values_of(&w->output);
    (void)context;
    for (uint32_t m = 0; m < w->maps; m++) {
        for (uint32_t y = 0; y < w->out_height; y++) {
            for (uint32_t x = 0; x < w->out_width; x++) {
                *output++ = values_of(&w->input)[largest_in(w, m, y, x)];
            }
        }
    }
    return 0;
}

static int pool_back(void *context, const struct spinnsim_window *w)
{
    const value *errors = values_of(&w->errors);
    value *result = values_of(&w->result);
    (void)context;
    memset(result, 0, (size_t)w->maps * w->height * w->width * sizeof *result);
    for (uint32_t m = 0; m < w->maps; m++) {
        for (uint32_t y = 0; y < w->out_height; y++) {
            for (uint32_t x = 0; x < w->out_width; x++) {
                result[largest_in(w, m, y, x)] = *errors++;
            }
        }
    }
    return 0;
}

/* ---- softmax, optimizers ---- */

#if INTEGERS

static int softmax(void *context, const struct spinnsim_softmax *s)
{
    const struct host *host = context;
    (void)nn_softmax_error(totals_of(&s->logits), (uint32_t)s->classes, s->fraction,
                           host->exponential, (uint32_t)s->label, s->error_fraction,
                           values_of(&s->errors), NULL);
    return 0;
}

static int optimize(void *context, const struct spinnsim_update *u, struct spinnsim_events *events)
{
    const struct spinnsim_rule *from = u->rule;
    const struct nn_rule rule = {.optimizer = from->optimizer,
                                 .rounding = from->rounding,
                                 .weight_fraction = from->weight_fraction,
                                 .error_fraction = from->error_fraction,
                                 .activation_fraction = from->activation_fraction,
                                 .rate_shift = from->rate_shift,
                                 .rate_scale = from->rate_scale,
                                 .one_less_momentum = from->one_less_momentum,
                                 .one_less_decay = from->one_less_decay,
                                 .epsilon = from->epsilon,
                                 .seed = from->seed};
    struct nn_update_note note = {0};
    (void)context;
    nn_update(&rule, (uint32_t)u->number, u->rate_256, 0, (uint32_t)u->count,
              (uint32_t)u->weights_end, totals_of(&u->gradients), totals_of(&u->state),
              values_of(&u->parameters), &note);
    events->cut += note.saturations + note.state_saturations;
    *u->largest = note.largest > *u->largest ? note.largest : *u->largest;
    return 0;
}

#else

static int softmax(void *context, const struct spinnsim_softmax *s)
{
    const total *logits = totals_of(&s->logits);
    value *errors = values_of(&s->errors);
    total largest = logits[0];
    total sum = 0;
    (void)context;
    for (size_t c = 1; c < s->classes; c++) {
        largest = logits[c] > largest ? logits[c] : largest;
    }
    for (size_t c = 0; c < s->classes; c++) {
        errors[c] = (value)reference_exp((double)logits[c] - (double)largest);
        sum += errors[c];
    }
    for (size_t c = 0; c < s->classes; c++) {
        errors[c] /= sum;
    }
    errors[s->label] -= 1;
    return 0;
}

/* Gradient descent; the others are the host's. */
static int optimize(void *context, const struct spinnsim_update *u, struct spinnsim_events *events)
{
    const bool velocity = strcmp(u->optimizer, "momentum") == 0;
    const total *gradients = totals_of(&u->gradients);
    total *state = totals_of(&u->state);
    value *parameters = values_of(&u->parameters);
    (void)context;
    (void)events;
    if (!velocity && strcmp(u->optimizer, "sgd") != 0) {
        return SPINNSIM_NOT_THIS_ONE;
    }
    for (size_t i = 0; i < u->count; i++) {
        total *v = &state[i * u->state_words];
        *v = (total)u->momentum * *v + (total)u->rate * gradients[i];
        parameters[i] -= *v;
    }
    return 0;
}

#endif

const struct spinnsim_backend JOIN(OPERATIONS_, OPERATIONS_NUMBERS) = {
    .version = SPINNSIM_BACKEND_VERSION,
    .bytes = sizeof(struct spinnsim_backend),
    .name = JOIN(NAME_, OPERATIONS_NUMBERS),
    .numbers = JOIN(NUMBERS_, OPERATIONS_NUMBERS),
    .open = open_host,
    .close = close_host,
    .allocate = allocate,
    .free = free_memory,
    .load = load,
    .dump = dump,
    .gemv = gemv,
    .elementwise = elementwise,
    .reduce = reduce,
    .sync = sync_host,
    .cost = cost,
    .convolve = convolve,
    .convolve_gradient = convolve_gradient,
    .convolve_back = convolve_back,
    .pool = pool,
    .pool_back = pool_back,
    .softmax = softmax,
    .optimize = optimize};
