/* spinnsim_backend.h - what a shared library has to be a backend of spinnsim: a computer, real or
 * modelled, that trains networks by a few operations on vectors.  C17; nothing else is included.
 *
 * The library has one function, `const struct spinnsim_backend *spinnsim_backend(void)`.  spinnsim
 * loads it only when a configuration says `backend: library` and `run.library: PATH`.  The network,
 * the images, their order and the recipe stay with spinnsim, which asks for one operation after the
 * other, from one thread.  docs/backends.md has an example.
 *
 * Elements.  A memory holds values (weights, activations, errors) or totals (sums of products):
 *
 *     numbers              value     total     rounding and special operations
 *     SPINNSIM_INT16       int16_t   int32_t   as said below; sums of totals wrap at 2^32
 *     SPINNSIM_FLOAT32     float     float     none: a shift or a fraction is ignored
 *     SPINNSIM_FLOAT64     double    double    none
 *
 * A library in int16 that does exactly what is said here trains to the bits of `backend: host`.
 *
 * Every function returns 0, or another number when it fails, which ends the run.  Ranges are
 * spinnsim's business: what it passes lies within the memories that it has allocated.  A vector
 * that is written overlaps no other one of the same call, unless it is the same one. */
#ifndef SPINNSIM_BACKEND_H
#define SPINNSIM_BACKEND_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define SPINNSIM_BACKEND_VERSION 1

enum spinnsim_numbers { SPINNSIM_INT16 = 1, SPINNSIM_FLOAT32, SPINNSIM_FLOAT64 };

enum spinnsim_type { SPINNSIM_VALUE, SPINNSIM_TOTAL };

/* The library's own; spinnsim only passes it back. */
struct spinnsim_memory;

/* Elements first, first + step, first + 2 step ... of a memory.  step 0: one element, every time.
 */
struct spinnsim_vector {
    struct spinnsim_memory *memory;
    size_t first, step;
};

/* Numeric events, to which an operation adds.  Floats have none. */
struct spinnsim_events {
    uint64_t cut;     /* values that ROUND has cut to their range */
    uint64_t wrapped; /* totals in which gemv or convolve has wrapped */
};

/* to[row] += sum over the columns of matrix[row][column] x by[column]; an element of the matrix is
 * at first + row x row_step + column x column_step.  Products are exact; floats are added in the
 * order of the columns or in another. */
struct spinnsim_gemv {
    struct spinnsim_vector to;      /* totals [rows] */
    struct spinnsim_memory *matrix; /* of values */
    size_t first, row_step, column_step;
    struct spinnsim_vector by; /* values [columns] */
    size_t rows, columns;
};

enum spinnsim_element_operation {
    SPINNSIM_COPY,     /* to = a; both of one type, as in the next three */
    SPINNSIM_SUBTRACT, /* to = a - b; integers wrap */
    SPINNSIM_MAXIMUM,  /* to = the larger of a and b */
    SPINNSIM_ADD,      /* to = a + b; integers wrap */
    SPINNSIM_MULTIPLY, /* total = value x value, exactly */
    SPINNSIM_EQUAL,    /* value = 1 where the values a and b are equal, else 0 */
    SPINNSIM_SELECT,   /* value = a where the value b is not 0, else 0 */
    SPINNSIM_WIDEN,    /* total = value x 2^shift */
    SPINNSIM_ROUND,    /* value = total / 2^shift: to nearest, ties upwards, then cut to the range
                          (events->cut); shift > 0, spinnsim_round() */
    SPINNSIM_EXPONENTIAL, /* total = e^-a of a total a >= 0; integers: a has `shift` fractional
                             bits, the result 16: spinnsim_exponential() */
    SPINNSIM_DIVIDE,      /* value = a / b of totals a >= 0, b > 0; integers: a x 2^shift / b, to
                             nearest, ties upwards: spinnsim_divide() */
    SPINNSIM_ELEMENT_OPERATIONS
};

struct spinnsim_elementwise {
    enum spinnsim_element_operation operation;
    struct spinnsim_vector to, a, b; /* b: memory NULL where there is none */
    size_t count;
    uint32_t shift;
};

enum spinnsim_reduction { SPINNSIM_SUM, SPINNSIM_LARGEST };

/* to[0] = the sum, which wraps in integers, or the largest of a[0 .. count - 1]; totals. */
struct spinnsim_reduce {
    enum spinnsim_reduction operation;
    struct spinnsim_vector to, a;
    size_t count;
};

/* ---- optional ---- */

/* A layer of windows, or pooling (weights.memory NULL): maps of the input [channels][height][width]
 * and of the output [maps][out_height][out_width], zeros around the input. */
struct spinnsim_window {
    uint32_t channels, height, width, maps, out_height, out_width;
    uint32_t kernel, stride, padding;
    struct spinnsim_vector input;   /* values; step 1, as all of these */
    struct spinnsim_vector weights; /* values [map][channel][row][column] */
    struct spinnsim_vector output;  /* of convolve: totals; of pooling: values */
    struct spinnsim_vector errors;  /* values, of the output */
    /* Where the result goes.  convolve_gradient: totals, as the weights; convolve_back: totals, of
     * the input, to which is added; pool_back: values, of the input, all of them set. */
    struct spinnsim_vector result;
};

/* errors[c] = probability of class c, less 1 for the label; probabilities are the softmax of the
 * logits.  Integers: the logits have `fraction` fractional bits, the errors error_fraction; the
 * exponentials e^-(largest - logit) and their sum as spinnsim_exponential() makes them, the
 * quotients as spinnsim_divide(). */
struct spinnsim_softmax {
    struct spinnsim_vector logits; /* totals */
    struct spinnsim_vector errors; /* values */
    size_t classes, label;
    uint32_t fraction, error_fraction;
};

/* The rule of an update in integers: struct nn_rule of workloads/nn/update.h, field by field. */
struct spinnsim_rule {
    uint8_t optimizer, rounding, weight_fraction, error_fraction, activation_fraction, rate_shift;
    uint16_t rate_scale;
    uint32_t one_less_momentum, one_less_decay, epsilon, seed;
};

/* One update of `count` parameters by the sums of a batch's gradients. */
struct spinnsim_update {
    const char *optimizer; /* `train.optimizer`: "sgd", "momentum" ... */
    uint64_t number;       /* 0, 1, ... */
    double rate, momentum; /* of floats: v = momentum v + rate gradient; parameter -= v */
    uint32_t rate_256;     /* of integers, as the next two */
    const struct spinnsim_rule *rule;
    size_t weights_end; /* of these parameters so many are weights, then come biases */
    struct spinnsim_vector parameters; /* values, step 1 */
    struct spinnsim_vector gradients;  /* totals */
    struct spinnsim_vector
        state; /* totals: state_words for each parameter, zeros at the beginning */
    size_t count, state_words;
    uint32_t *largest; /* of integers: raised to the largest magnitude of a gradient */
};

/* An optimizer that a library has not: spinnsim then takes its own, on the host. */
#define SPINNSIM_NOT_THIS_ONE (-1)

struct spinnsim_backend {
    uint32_t version; /* SPINNSIM_BACKEND_VERSION */
    uint32_t bytes;   /* sizeof(struct spinnsim_backend) */
    const char *name; /* for tables and messages */
    enum spinnsim_numbers numbers;

    /* ---- the minimal set; none may be NULL ---- */

    /* A context, which all other functions get; and its end, when all memory has been freed. */
    int (*open)(void **context);
    void (*close)(void *context);
    /* Memory of `count` elements, all 0; NULL: there is no more. */
    struct spinnsim_memory *(*allocate)(void *context, enum spinnsim_type type, size_t count);
    void (*free)(void *context, struct spinnsim_memory *memory);
    /* Between the host's memory, elements without gaps, and elements first .. first + count - 1. */
    int (*load)(void *context, struct spinnsim_memory *memory, size_t first, size_t count,
                const void *from);
    int (*dump)(void *context, struct spinnsim_memory *memory, size_t first, size_t count,
                void *to);
    int (*gemv)(void *context, const struct spinnsim_gemv *gemv, struct spinnsim_events *events);
    int (*elementwise)(void *context, const struct spinnsim_elementwise *elementwise,
                       struct spinnsim_events *events);
    int (*reduce)(void *context, const struct spinnsim_reduce *reduce);
    /* Returns when all operations asked for before have been done. */
    int (*sync)(void *context);
    /* Time and energy since open, as the library models or measures them: seconds, joules; NaN: not
     * known. */
    int (*cost)(void *context, double *seconds, double *joules);

    /* ---- optional; NULL: spinnsim makes it of the minimal set ---- */

    /* Convolution, all three or none: adds to the output; gradient; what goes back. */
    int (*convolve)(void *context, const struct spinnsim_window *window,
                    struct spinnsim_events *events);
    int (*convolve_gradient)(void *context, const struct spinnsim_window *window);
    int (*convolve_back)(void *context, const struct spinnsim_window *window);
    /* Max pooling, both or none: the largest of each window; an error to the place that it came
     * from, the first of equals by rows.  Windows do not overlap on the way back. */
    int (*pool)(void *context, const struct spinnsim_window *window);
    int (*pool_back)(void *context, const struct spinnsim_window *window);
    int (*softmax)(void *context, const struct spinnsim_softmax *softmax);
    int (*optimize)(void *context, const struct spinnsim_update *update,
                    struct spinnsim_events *events);
};

/* What the library has; the name of the symbol that spinnsim looks for. */
const struct spinnsim_backend *spinnsim_backend(void);

/* ---- arithmetic of int16, for who wants the same bits ---- */

static inline int32_t spinnsim_wrapping_add(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int16_t spinnsim_round(int32_t total, uint32_t shift, uint64_t *cut)
{
    const int32_t rounded = ((total >> (shift - 1)) + 1) >> 1;
    if (rounded == (int16_t)rounded) {
        return (int16_t)rounded;
    }
    ++*cut;
    return rounded < 0 ? INT16_MIN : INT16_MAX;
}

/* exp(-i / 64) with 16 fractional bits: made once. */
enum { SPINNSIM_EXPONENTIALS = 1025 };

static inline void spinnsim_exponentials(uint32_t table[SPINNSIM_EXPONENTIALS])
{
    uint64_t value = UINT64_C(1) << 32; /* exp(-1 / 64) is 4228380000 / 2^32 */
    for (uint32_t i = 0; i < SPINNSIM_EXPONENTIALS; i++) {
        table[i] = (uint32_t)((value + (1u << 15)) >> 16);
        value = (value * UINT64_C(4228380000) + (UINT64_C(1) << 31)) >> 32;
    }
}

/* By linear interpolation; `fraction` is at least 16. */
static inline int32_t spinnsim_exponential(int32_t total, uint32_t fraction, const uint32_t *table)
{
    const uint64_t place = (uint64_t)(uint32_t)total << 16 >> fraction;
    const uint64_t index = place >> 10;
    if (index >= SPINNSIM_EXPONENTIALS - 1) {
        return 0;
    }
    const uint32_t part = (uint32_t)place & 1023;
    return (int32_t)(table[index] - (((table[index] - table[index + 1]) * part + 512) >> 10));
}

static inline int16_t spinnsim_divide(int32_t a, int32_t b, uint32_t shift)
{
    const uint32_t below = b > 0 ? (uint32_t)b : 1;
    return (int16_t)((((uint32_t)a << shift) + below / 2) / below);
}

#ifdef __cplusplus
}
#endif
#endif
