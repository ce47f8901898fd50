/* float32_kernels.c - see float32_kernels.h.  Compiled for each instruction set, with FLOAT32_SET
 * as its name and FLOAT32_LANES as the floats in a vector. */
#include "sim/host_backend/float32_kernels.h"
#include "sim/networks/optimizer.h"

#include <math.h>
#include <string.h>

#define LANES FLOAT32_LANES

/* Registers for sums: ROWS x PLACES, of 32 registers with 512 bits or on ARM, else of 16. */
enum { ROWS = 4 };
#if FLOAT32_LANES == 16 || defined(__aarch64__)
enum { PLACES = 6 };
#else
enum { PLACES = 3 };
#endif

typedef float vec __attribute__((vector_size(4 * LANES), may_alias));
typedef float loose_vec __attribute__((vector_size(4 * LANES), may_alias, aligned(4)));
typedef int32_t mask __attribute__((vector_size(4 * LANES), may_alias));
typedef uint8_t bytes __attribute__((vector_size(LANES), may_alias, aligned(1)));

#define ALWAYS static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

ALWAYS vec load(const float *from)
{
    return *(const vec *)from;
}

ALWAYS void store(float *to, vec value)
{
    *(vec *)to = value;
}

ALWAYS vec all(float value)
{
    return value - (vec){0};
}

ALWAYS vec where(mask which, vec value)
{
    return (vec)((mask)value & which);
}

ALWAYS vec largest(vec a, vec b)
{
    const mask greater = a > b;
    return (vec)(((mask)a & greater) | ((mask)b & ~greater));
}

/* ---- transposition of LANES vectors ---- */

#define LOW(c, s)      ((c) & (s) ? LANES + (c) - (s) : (c))
#define HIGH(c, s)     ((c) & (s) ? LANES + (c) : (c) + (s))
#define FOUR(of, c, s) of(c, s), of((c) + 1, s), of((c) + 2, s), of((c) + 3, s)
#if FLOAT32_LANES == 16
#define INDICES(of, s) FOUR(of, 0, s), FOUR(of, 4, s), FOUR(of, 8, s), FOUR(of, 12, s)
#elif FLOAT32_LANES == 8
#define INDICES(of, s) FOUR(of, 0, s), FOUR(of, 4, s)
#else
#define INDICES(of, s) FOUR(of, 0, s)
#endif

/* Exchanges blocks of s x s between vectors s apart. */
#define EXCHANGE(s)                                                                                \
    UNROLLED for (size_t i = 0; i < LANES; i++)                                                    \
    {                                                                                              \
        if ((i & (s)) == 0) {                                                                      \
            const vec a = v[i];                                                                    \
            const vec b = v[i + (s)];                                                              \
            v[i] = __builtin_shufflevector(a, b, INDICES(LOW, s));                                 \
            v[i + (s)] = __builtin_shufflevector(a, b, INDICES(HIGH, s));                          \
        }                                                                                          \
    }

ALWAYS void transpose(vec v[LANES])
{
#if FLOAT32_LANES >= 16
    EXCHANGE(8)
#endif
#if FLOAT32_LANES >= 8
    EXCHANGE(4)
#endif
    EXCHANGE(2)
    EXCHANGE(1)
}

/* ---- images ---- */

static void load_images(const uint8_t *const *images, size_t count, const uint32_t *places,
                        size_t pixels, float unit, float *out)
{
    for (size_t p = 0; p < pixels; p += LANES) {
        const size_t here = pixels - p < LANES ? pixels - p : LANES;
        vec v[LANES];
        for (size_t i = 0; i < LANES; i++) {
            uint8_t row[LANES] = {0};
            if (i < count) {
                memcpy(row, images[i] + p, here);
            }
            v[i] = unit * __builtin_convertvector(*(const bytes *)row, vec);
        }
        transpose(v);
        for (size_t i = 0; i < here; i++) {
            store(out + places[p + i], v[i]);
        }
    }
}

/* ---- sums of products ---- */

ALWAYS void products_tile(const struct float32_products *p, size_t row, size_t place,
                          const size_t rows, const size_t places, const bool listed)
{
    vec sum[ROWS][PLACES];
    const float *weights[ROWS];
    float *out = p->out + row * p->out_row + place * p->out_place;
    const float *in = p->in + place * p->in_place;
    UNROLLED for (size_t r = 0; r < rows; r++)
    {
        weights[r] = p->weights + (row + r) * p->row;
        UNROLLED for (size_t q = 0; q < places; q++)
        {
            sum[r][q] = p->biases != NULL ? all(p->biases[row + r])
                        : p->fresh        ? (vec){0}
                                          : load(out + r * p->out_row + q * p->out_place);
        }
    }
    for (size_t t = 0; t < p->terms; t++) {
        const float *from = in + (listed ? p->at[t] : t * LANES);
        vec value[PLACES];
        UNROLLED for (size_t q = 0; q < places; q++)
        {
            value[q] = load(from + q * p->in_place);
        }
        UNROLLED for (size_t r = 0; r < rows; r++)
        {
            const vec weight = all(weights[r][t * p->term]);
            UNROLLED for (size_t q = 0; q < places; q++)
            {
                sum[r][q] += weight * value[q];
            }
        }
    }
    UNROLLED for (size_t r = 0; r < rows; r++)
    {
        UNROLLED for (size_t q = 0; q < places; q++)
        {
            store(out + r * p->out_row + q * p->out_place,
                  p->relu ? largest(sum[r][q], (vec){0}) : sum[r][q]);
        }
    }
}

ALWAYS void products_rows(const struct float32_products *p, size_t row, const size_t rows,
                          const bool listed)
{
    size_t place = 0;
    for (; place + PLACES <= p->places; place += PLACES) {
        products_tile(p, row, place, rows, PLACES, listed);
    }
#if FLOAT32_LANES == 16 || defined(__aarch64__)
    if (place + 4 <= p->places) {
        products_tile(p, row, place, rows, 4, listed);
        place += 4;
    }
#endif
    if (place + 2 <= p->places) {
        products_tile(p, row, place, rows, 2, listed);
        place += 2;
    }
    if (place < p->places) {
        products_tile(p, row, place, rows, 1, listed);
    }
}

ALWAYS void products_all(const struct float32_products *p, const bool listed)
{
    size_t row = 0;
    for (; row + ROWS <= p->rows; row += ROWS) {
        products_rows(p, row, ROWS, listed);
    }
    if (row + 2 <= p->rows) {
        products_rows(p, row, 2, listed);
        row += 2;
    }
    if (row < p->rows) {
        products_rows(p, row, 1, listed);
    }
}

static void products(const struct float32_products *p)
{
    if (p->at != NULL) {
        products_all(p, true);
    } else {
        products_all(p, false);
    }
}

/* ---- gradients of a convolution's weights ---- */

ALWAYS void windows_tile(const struct float32_windows *w, size_t map, size_t tap, const size_t maps,
                         const size_t taps)
{
    vec sum[ROWS][PLACES];
    const float *from[PLACES];
    UNROLLED for (size_t m = 0; m < maps; m++)
    {
        UNROLLED for (size_t t = 0; t < taps; t++)
        {
            sum[m][t] = (vec){0};
        }
    }
    for (size_t y = 0; y < w->height; y++) {
        const float *errors = w->errors + map * w->error_map + y * w->error_line;
        UNROLLED for (size_t t = 0; t < taps; t++)
        {
            from[t] = w->in + w->at[tap + t] + y * w->in_line;
        }
        for (size_t x = 0; x < w->width * LANES; x += LANES) {
            vec value[PLACES];
            UNROLLED for (size_t t = 0; t < taps; t++)
            {
                value[t] = load(from[t] + x);
            }
            UNROLLED for (size_t m = 0; m < maps; m++)
            {
                const vec error = load(errors + m * w->error_map + x);
                UNROLLED for (size_t t = 0; t < taps; t++)
                {
                    sum[m][t] += error * value[t];
                }
            }
        }
    }
    UNROLLED for (size_t m = 0; m < maps; m++)
    {
        UNROLLED for (size_t t = 0; t < taps; t++)
        {
            store(w->sums + ((map + m) * w->row + tap + t) * LANES, sum[m][t]);
        }
    }
}

ALWAYS void windows_maps(const struct float32_windows *w, size_t map, const size_t maps)
{
    size_t tap = 0;
    for (; tap + PLACES <= w->taps; tap += PLACES) {
        windows_tile(w, map, tap, maps, PLACES);
    }
    for (; tap < w->taps; tap++) {
        windows_tile(w, map, tap, maps, 1);
    }
}

static void windows(const struct float32_windows *w)
{
    size_t map = 0;
    for (; map + ROWS <= w->maps; map += ROWS) {
        windows_maps(w, map, ROWS);
    }
    for (; map < w->maps; map++) {
        windows_maps(w, map, 1);
    }
}

/* ---- gradients of a dense layer's weights ---- */

/* Turns some blocks of inputs into rows of the panel, an image each; missing inputs are 0. */
static void fill_panel(const struct float32_outer *o, size_t block, size_t blocks)
{
    for (size_t b = 0; b < blocks; b++) {
        const float *in = o->in + (block + b) * o->in_block;
        float *panel = o->panel + b * LANES * FLOAT32_PANEL_INPUTS;
        for (size_t k = 0; k < o->inputs; k += LANES) {
            vec v[LANES];
            for (size_t i = 0; i < LANES; i++) {
                v[i] = k + i < o->inputs ? load(in + (k + i) * LANES) : (vec){0};
            }
            transpose(v);
            for (size_t i = 0; i < LANES; i++) {
                store(panel + i * FLOAT32_PANEL_INPUTS + k, v[i]);
            }
        }
    }
}

ALWAYS void outer_tile(const struct float32_outer *o, size_t output, size_t column, size_t block,
                       size_t blocks, const size_t rows, const size_t places)
{
    vec sum[ROWS][PLACES];
    float *to = o->gradients + output * o->row + column;
    const float *panel = o->panel + column;
    UNROLLED for (size_t r = 0; r < rows; r++)
    {
        UNROLLED for (size_t q = 0; q < places; q++)
        {
            sum[r][q] = block == 0 ? (vec){0} : *(loose_vec *)(to + r * o->row + q * LANES);
        }
    }
    for (size_t b = 0; b < blocks; b++) {
        const float *errors = o->errors + (block + b) * o->errors_block + output * LANES;
        for (size_t i = 0; i < LANES; i++, panel += FLOAT32_PANEL_INPUTS) {
            vec value[PLACES];
            UNROLLED for (size_t q = 0; q < places; q++)
            {
                value[q] = load(panel + q * LANES);
            }
            UNROLLED for (size_t r = 0; r < rows; r++)
            {
                const vec error = all(errors[r * LANES + i]);
                UNROLLED for (size_t q = 0; q < places; q++)
                {
                    sum[r][q] += error * value[q];
                }
            }
        }
    }
    UNROLLED for (size_t r = 0; r < rows; r++)
    {
        UNROLLED for (size_t q = 0; q < places; q++)
        {
            *(loose_vec *)(to + r * o->row + q * LANES) = sum[r][q];
        }
    }
}

/* The last inputs, fewer than a vector: a copy of their gradients is worked on. */
static void outer_rest(const struct float32_outer *o, size_t column, size_t block, size_t blocks)
{
    float copy[LANES] = {0};
    struct float32_outer rest = *o;
    rest.gradients = copy;
    rest.panel = o->panel + column;
    for (size_t output = 0; output < o->outputs; output++) {
        float *gradients = o->gradients + output * o->row + column;
        const size_t size = (o->inputs - column) * sizeof(float);
        rest.errors = o->errors + output * LANES;
        memcpy(copy, gradients, size);
        outer_tile(&rest, 0, 0, block, blocks, 1, 1);
        memcpy(gradients, copy, size);
    }
}

ALWAYS void outer_rows(const struct float32_outer *o, size_t output, size_t block, size_t blocks,
                       const size_t rows)
{
    static const size_t STRIP = (size_t)PLACES * LANES;
    size_t column = 0;
    for (; column + STRIP <= o->inputs; column += STRIP) {
        outer_tile(o, output, column, block, blocks, rows, PLACES);
    }
    for (; column + LANES <= o->inputs; column += LANES) {
        outer_tile(o, output, column, block, blocks, rows, 1);
    }
}

static void outer(const struct float32_outer *o)
{
    const size_t most = FLOAT32_PANEL / FLOAT32_PANEL_INPUTS / LANES;
    const size_t rest = o->inputs / LANES * LANES;
    for (size_t block = 0; block < o->blocks; block += most) {
        const size_t blocks = o->blocks - block < most ? o->blocks - block : most;
        fill_panel(o, block, blocks);
        size_t output = 0;
        for (; output + ROWS <= o->outputs; output += ROWS) {
            outer_rows(o, output, block, blocks, ROWS);
        }
        for (; output < o->outputs; output++) {
            outer_rows(o, output, block, blocks, 1);
        }
        if (rest < o->inputs) {
            outer_rest(o, rest, block, blocks);
        }
    }
}

/* ---- pooling ---- */

static void pool(const struct float32_pool *p)
{
    for (size_t m = 0; m < p->maps; m++) {
        for (size_t y = 0; y < p->height; y++) {
            const float *in = p->in + m * p->in_map + y * p->stride * p->in_line;
            float *out = p->target + m * p->out_map + y * p->out_line;
            for (size_t x = 0; x < p->width; x++, in += p->stride * LANES, out += LANES) {
                vec most = load(in);
                for (size_t i = 0; i < p->window; i++) {
                    for (size_t j = 0; j < p->window; j++) {
                        most = largest(load(in + i * p->in_line + j * LANES), most);
                    }
                }
                store(out, most);
            }
        }
    }
}

/* Adds a window's gradient to the place of its first largest value. */
ALWAYS void spread(const struct float32_pool *p, const float *in, vec most, vec gradient, float *to)
{
    mask open = p->relu ? most > 0 : (mask){0} == 0;
    for (size_t i = 0; i < p->window; i++) {
        for (size_t j = 0; j < p->window; j++) {
            const mask here = (load(in + i * p->in_line + j * LANES) == most) & open;
            float *at = to + i * p->target_line + j * LANES;
            store(at, load(at) + where(here, gradient));
            open &= ~here;
        }
    }
}

static void pool_back(const struct float32_pool *p)
{
    for (size_t m = 0; m < p->maps; m++) {
        for (size_t y = 0; y < p->in_height; y++) {
            memset(p->target + m * p->target_map + y * p->target_line, 0,
                   p->in_width * LANES * sizeof(float));
        }
        for (size_t y = 0; y < p->height; y++) {
            for (size_t x = 0; x < p->width; x++) {
                const size_t at = x * LANES;
                const size_t from = x * p->stride * LANES;
                spread(p, p->in + m * p->in_map + y * p->stride * p->in_line + from,
                       load(p->out + m * p->out_map + y * p->out_line + at),
                       load(p->out_gradient + m * p->gradient_map + y * p->gradient_line + at),
                       p->target + m * p->target_map + y * p->stride * p->target_line + from);
            }
        }
    }
}

static void relu_back(const float *values, float *gradients, size_t vectors)
{
    for (size_t i = 0; i < vectors * LANES; i += LANES) {
        store(gradients + i, where(load(values + i) > 0, load(gradients + i)));
    }
}

/* ---- loss ---- */

/* e^x for x <= 0, to 2 units in the last place: 2^n by the exponent's bits, e^(x - n ln 2) by its
 * series up to the seventh power. */
ALWAYS vec exponential(vec x)
{
    static const float LEAST = -87;
    static const float ROUND = 12582912; /* 1.5 2^23: the sum's low bits are the nearest integer */
    static const float PER_LN2 = 1.44269504F;
    static const float LN2_HIGH = 0.693359375F;
    static const float LN2_LOW = -2.12194440e-4F;
    static const float SERIES[] = {1.0F / 5040, 1.0F / 720, 1.0F / 120, 1.0F / 24,
                                   1.0F / 6,    1.0F / 2,   1,          1};
    const vec above = largest(x, all(LEAST));
    const vec shifted = above * PER_LN2 + ROUND;
    const vec n = shifted - ROUND;
    const vec rest = above - n * LN2_HIGH - n * LN2_LOW;
    vec sum = all(0);
    for (size_t i = 0; i < sizeof SERIES / sizeof *SERIES; i++) {
        sum = sum * rest + SERIES[i];
    }
    return (vec)((mask)sum + ((mask)shifted << 23));
}

static void judge(const struct float32_loss *loss, vec most, vec sum)
{
    for (size_t i = 0; i < loss->images; i++) {
        uint32_t label = 0;
        while (loss->logits[(size_t)label * LANES + i] != most[i] && label + 1 < loss->classes) {
            label++;
        }
        loss->found[i] = label;
        loss->losses[i] = (double)logf(sum[i]) -
                          (double)(loss->logits[(size_t)loss->labels[i] * LANES + i] - most[i]);
    }
}

static void loss_of(const struct float32_loss *loss)
{
    vec most = load(loss->logits);
    vec sum = all(0);
    for (size_t c = 1; c < loss->classes; c++) {
        most = largest(load(loss->logits + c * LANES), most);
    }
    for (size_t c = 0; c < loss->classes; c++) {
        const vec power = exponential(load(loss->logits + c * LANES) - most);
        sum += power;
        if (loss->errors != NULL) {
            store(loss->errors + c * LANES, power);
        }
    }
    if (loss->errors == NULL) {
        judge(loss, most, sum);
        return;
    }
    mask used;
    for (size_t i = 0; i < LANES; i++) {
        used[i] = i < loss->images ? -1 : 0;
    }
    for (size_t c = 0; c < loss->classes; c++) {
        store(loss->errors + c * LANES, where(used, load(loss->errors + c * LANES) / sum));
    }
    for (size_t i = 0; i < loss->images; i++) {
        loss->errors[(size_t)loss->labels[i] * LANES + i] -= 1;
    }
}

/* ---- sums and steps ---- */

static void lane_sums(const float *vectors, size_t count, float *out)
{
    for (size_t at = 0; at < count; at += LANES) {
        const size_t here = count - at < LANES ? count - at : LANES;
        vec v[LANES];
        for (size_t i = 0; i < LANES; i++) {
            v[i] = i < here ? load(vectors + (at + i) * LANES) : (vec){0};
        }
        transpose(v);
        vec sum = v[0];
        UNROLLED for (size_t i = 1; i < LANES; i++)
        {
            sum += v[i];
        }
        memcpy(out + at, &sum, here * sizeof(float));
    }
}

static void update(const struct float32_step *step, size_t count, const float *gradients,
                   float *velocity, float *parameters)
{
    for (size_t i = 0; i < count; i++) {
        velocity[i] = step->momentum * velocity[i] + step->rate * gradients[i];
        parameters[i] -= velocity[i];
    }
}

static void accelegrad(const struct float32_step *step, size_t count, const float *gradients,
                       float *ahead, float *squares, float *parameters)
{
    const struct float32_step now = *step; /* the loop writes floats, which could be *step's */
    for (size_t i = 0; i < count; i++) {
        const float weighted = now.weight * gradients[i];
        squares[i] += weighted * weighted;
        const float rate = now.rate / (sqrtf(squares[i]) + (float)OPTIMIZER_EPSILON);
        const float z = parameters[i] + ahead[i] - rate * weighted;
        const float y = parameters[i] - rate * gradients[i];
        parameters[i] = now.coupling * z + (1 - now.coupling) * y;
        ahead[i] = z - parameters[i];
    }
}

#define JOINED(a, b)  a##b
#define TABLE_OF(set) JOINED(FLOAT32_KERNELS_, set)
#define TEXT_OF(set)  #set
#define NAME_OF(set)  TEXT_OF(set)

extern const struct float32_kernels TABLE_OF(FLOAT32_SET);
const struct float32_kernels TABLE_OF(FLOAT32_SET) = {.name = NAME_OF(FLOAT32_SET),
                                                      .lanes = LANES,
                                                      .load = load_images,
                                                      .products = products,
                                                      .windows = windows,
                                                      .outer = outer,
                                                      .pool = pool,
                                                      .pool_back = pool_back,
                                                      .relu_back = relu_back,
                                                      .loss = loss_of,
                                                      .lane_sums = lane_sums,
                                                      .update = update,
                                                      .accelegrad = accelegrad};
