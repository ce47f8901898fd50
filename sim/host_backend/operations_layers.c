/* operations_layers.c - see operations.h: windows, pooling and softmax, with their fallbacks. */
#include "sim/host_backend/operations.h"

#include "sim/steps.h"

/* Whether the backend is called itself; else the fallback is counted. */
static bool is_native(struct operations *own, enum backend_capability capability, uint64_t elements)
{
    const bool native = operations_has(own, capability);
    if (own->failed == NULL) {
        own->log->of[capability].calls += native;
        own->log->of[capability].elements += native ? elements : 0;
        own->log->of[capability].fallbacks += !native;
    }
    return native;
}

static void judge(struct operations *own, enum backend_capability capability, int failed)
{
    own->failed =
        own->failed == NULL && failed != 0 ? BACKEND_CAPABILITY[capability].name : own->failed;
}

/* ---- windows ---- */

static size_t outputs_of(const struct spinnsim_window *w)
{
    return (size_t)w->out_height * w->out_width;
}

static uint64_t products_of(const struct spinnsim_window *w)
{
    return outputs_of(w) * w->maps * operations_patch(w);
}

/* The part of a row of outputs for which one place of the window lies over the input: outputs first
 * .. first + count - 1 of row y, from input value `input` on. */
struct strip {
    size_t first, count, input;
};

static struct strip strip_of(const struct spinnsim_window *w, size_t place, size_t y)
{
    const size_t area = (size_t)w->kernel * w->kernel;
    const size_t row = y * w->stride + place % area / w->kernel;
    const size_t column = place % w->kernel;
    struct strip strip = {0, 0, 0};
    if (row < w->padding || row - w->padding >= w->height) {
        return strip;
    }
    while (strip.first < w->out_width && strip.first * w->stride + column < w->padding) {
        strip.first++;
    }
    while (strip.first + strip.count < w->out_width &&
           (strip.first + strip.count) * w->stride + column < w->padding + w->width) {
        strip.count++;
    }
    strip.input = (place / area * w->height + row - w->padding) * w->width +
                  strip.first * w->stride + column - w->padding;
    return strip;
}

/* Copies the inputs under each window: patches[output][place of the window].  Places beyond the
 * input stay 0. */
static void make_patches(struct operations *own, const struct spinnsim_window *w,
                         struct spinnsim_memory *patches)
{
    const size_t patch = operations_patch(w);
    for (size_t place = 0; place < patch; place++) {
        for (size_t y = 0; y < w->out_height; y++) {
            const struct strip strip = strip_of(w, place, y);
            const struct spinnsim_elementwise copy = {
                .operation = SPINNSIM_COPY,
                .to = {patches, (y * w->out_width + strip.first) * patch + place, patch},
                .a = {w->input.memory, w->input.first + strip.input, w->stride},
                .count = strip.count};
            if (strip.count > 0) {
                operations_elementwise(own, &copy);
            }
        }
    }
}

void operations_convolve(struct operations *own, const struct spinnsim_window *w,
                         struct spinnsim_memory *patches)
{
    const size_t patch = operations_patch(w);
    if (is_native(own, BACKEND_CAN_CONVOLUTION, products_of(w))) {
        if (own->failed == NULL) {
            judge(own, BACKEND_CAN_CONVOLUTION,
                  own->backend->convolve(own->context, w, &own->events));
        }
        return;
    }
    make_patches(own, w, patches);
    for (size_t m = 0; m < w->maps; m++) {
        const struct spinnsim_gemv gemv = {
            .to = {w->output.memory, w->output.first + m * outputs_of(w), 1},
            .matrix = patches,
            .row_step = patch,
            .column_step = 1,
            .by = {w->weights.memory, w->weights.first + m * patch, 1},
            .rows = outputs_of(w),
            .columns = patch};
        operations_gemv(own, &gemv);
    }
}

/* By the patches of operations_convolve(). */
void operations_convolve_gradient(struct operations *own, const struct spinnsim_window *w,
                                  struct spinnsim_memory *patches)
{
    const size_t patch = operations_patch(w);
    if (is_native(own, BACKEND_CAN_CONVOLUTION, products_of(w))) {
        if (own->failed == NULL) {
            judge(own, BACKEND_CAN_CONVOLUTION, own->backend->convolve_gradient(own->context, w));
        }
        return;
    }
    for (size_t m = 0; m < w->maps; m++) {
        const struct spinnsim_gemv gemv = {
            .to = {w->result.memory, w->result.first + m * patch, 1},
            .matrix = patches,
            .row_step = 1,
            .column_step = patch,
            .by = {w->errors.memory, w->errors.first + m * outputs_of(w), 1},
            .rows = patch,
            .columns = outputs_of(w)};
        operations_gemv(own, &gemv);
    }
}

/* For each place of the window and row of outputs: the errors of all maps times the weights at that
 * place, added to the inputs under it. */
void operations_convolve_back(struct operations *own, const struct spinnsim_window *w)
{
    const size_t patch = operations_patch(w);
    if (is_native(own, BACKEND_CAN_CONVOLUTION, products_of(w))) {
        if (own->failed == NULL) {
            judge(own, BACKEND_CAN_CONVOLUTION, own->backend->convolve_back(own->context, w));
        }
        return;
    }
    for (size_t place = 0; place < patch; place++) {
        for (size_t y = 0; y < w->out_height; y++) {
            const struct strip strip = strip_of(w, place, y);
            const struct spinnsim_gemv gemv = {
                .to = {w->result.memory, w->result.first + strip.input, w->stride},
                .matrix = w->errors.memory,
                .first = w->errors.first + y * w->out_width + strip.first,
                .row_step = 1,
                .column_step = outputs_of(w),
                .by = {w->weights.memory, w->weights.first + place, patch},
                .rows = strip.count,
                .columns = w->maps};
            if (strip.count > 0) {
                operations_gemv(own, &gemv);
            }
        }
    }
}

/* ---- pooling ---- */

/* The inputs at one place of the windows of a row of outputs. */
static struct spinnsim_vector under(const struct spinnsim_window *w, struct spinnsim_vector of,
                                    size_t map, size_t y, size_t place)
{
    const size_t row = y * w->stride + place / w->kernel;
    return operations_at(
        of.memory, of.first + (map * w->height + row) * w->width + place % w->kernel, w->stride);
}

static struct spinnsim_vector row_of(const struct spinnsim_window *w, struct spinnsim_vector of,
                                     size_t map, size_t y)
{
    return operations_at(of.memory, of.first + (map * w->out_height + y) * w->out_width, 1);
}

void operations_pool(struct operations *own, const struct spinnsim_window *w)
{
    const size_t places = (size_t)w->kernel * w->kernel;
    if (is_native(own, BACKEND_CAN_POOLING, outputs_of(w) * w->maps * places)) {
        if (own->failed == NULL) {
            judge(own, BACKEND_CAN_POOLING, own->backend->pool(own->context, w));
        }
        return;
    }
    for (size_t m = 0; m < w->maps; m++) {
        for (size_t y = 0; y < w->out_height; y++) {
            const struct spinnsim_vector to = row_of(w, w->output, m, y);
            struct spinnsim_elementwise next = {.operation = SPINNSIM_COPY,
                                                .to = to,
                                                .a = under(w, w->input, m, y, 0),
                                                .count = w->out_width};
            operations_elementwise(own, &next);
            next.operation = SPINNSIM_MAXIMUM;
            next.a = to;
            for (size_t place = 1; place < places; place++) {
                next.b = under(w, w->input, m, y, place);
                operations_elementwise(own, &next);
            }
        }
    }
}

/* One row of outputs: place after place takes the error where it has the largest value, and no
 * earlier place has. */
static void row_back(struct operations *own, const struct spinnsim_window *w, size_t m, size_t y,
                     struct spinnsim_memory *scratch)
{
    const struct spinnsim_vector open = operations_at(scratch, 0, 1); /* 1: nobody has taken it */
    const struct spinnsim_vector takes = operations_at(scratch, w->out_width, 1);
    struct spinnsim_elementwise step = {
        .operation = SPINNSIM_COPY, .to = open, .a = {own->ones, 0, 0}, .count = w->out_width};
    operations_elementwise(own, &step);
    for (size_t place = 0; place < (size_t)w->kernel * w->kernel; place++) {
        const struct spinnsim_elementwise steps[] = {
            {SPINNSIM_EQUAL, takes, under(w, w->input, m, y, place), row_of(w, w->output, m, y),
             w->out_width, 0},
            {SPINNSIM_SELECT, takes, takes, open, w->out_width, 0},
            {SPINNSIM_SELECT, under(w, w->result, m, y, place), row_of(w, w->errors, m, y), takes,
             w->out_width, 0},
            {SPINNSIM_SUBTRACT, open, open, takes, w->out_width, 0}};
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            operations_elementwise(own, &steps[i]);
        }
    }
}

/* Inputs that no window covers have no error: they are 0 from the beginning, and stay it. */
void operations_pool_back(struct operations *own, const struct spinnsim_window *w,
                          struct spinnsim_memory *scratch)
{
    const size_t places = (size_t)w->kernel * w->kernel;
    if (is_native(own, BACKEND_CAN_POOLING, outputs_of(w) * w->maps * places)) {
        if (own->failed == NULL) {
            judge(own, BACKEND_CAN_POOLING, own->backend->pool_back(own->context, w));
        }
        return;
    }
    for (size_t m = 0; m < w->maps; m++) {
        for (size_t y = 0; y < w->out_height; y++) {
            row_back(own, w, m, y, scratch);
        }
    }
}

/* ---- softmax ---- */

void operations_softmax(struct operations *own, const struct spinnsim_softmax *s,
                        struct spinnsim_memory *scratch, struct spinnsim_memory *one)
{
    if (is_native(own, BACKEND_CAN_SOFTMAX, s->classes)) {
        if (own->failed == NULL) {
            judge(own, BACKEND_CAN_SOFTMAX, own->backend->softmax(own->context, s));
        }
        return;
    }
    const struct spinnsim_vector powers = operations_at(scratch, 0, 1);
    const struct spinnsim_vector largest = operations_at(scratch, s->classes, 0);
    const struct spinnsim_vector sum = operations_at(scratch, s->classes + 1, 0);
    const struct spinnsim_vector label =
        operations_at(s->errors.memory, s->errors.first + s->label, 1);
    const struct spinnsim_reduce find = {SPINNSIM_LARGEST, largest, s->logits, s->classes};
    const struct spinnsim_reduce add = {SPINNSIM_SUM, sum, powers, s->classes};
    const struct spinnsim_elementwise steps[] = {
        {SPINNSIM_SUBTRACT, powers, largest, s->logits, s->classes, 0},
        {SPINNSIM_EXPONENTIAL, powers, powers, {NULL, 0, 0}, s->classes, s->fraction},
        {SPINNSIM_DIVIDE, s->errors, powers, sum, s->classes, s->error_fraction},
        {SPINNSIM_SUBTRACT, label, label, {one, 0, 0}, 1, 0}};
    operations_reduce(own, &find);
    operations_elementwise(own, &steps[0]);
    operations_elementwise(own, &steps[1]);
    operations_reduce(own, &add);
    operations_elementwise(own, &steps[2]);
    operations_elementwise(own, &steps[3]);
}
