/* trainer.c - trains a network in integers, and compares its weights with those of `spinnsim run`.
 *
 *     trainer NETWORK.yaml IMAGES BATCH OPTIMIZER RATE MOMENTUM EPOCHS SEED MNIST RESULT
 *
 * It was written from docs/arithmetic.md alone, by an author who had not read the simulator's
 * source: it shows that the page is enough.  It shares no code with the simulator.
 *
 * It covers int16; the layers dense, conv2d and max_pool2d with ReLU; softmax_cross_entropy; the
 * optimizers sgd, momentum, adam and accelegrad; `warm_up: 0.3` and `decay: linear`.  MNIST is a
 * folder with the two training files, unpacked; RESULT is a result folder.
 *
 * Exit status: 0 all weights are equal, 1 the printed one differs, 2 it could not compare. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 13, A = 11, F = W + A, INPUT_SHIFT = 3, SIDE = 28, PIXELS = SIDE * SIDE };
enum { CLASSES = 10, SHARDS = 48, LAYERS_MOST = 16 };
static const int64_t ONE = 1; /* to be shifted */

enum optimizer { SGD, MOMENTUM, ADAM, ACCELEGRAD, OPTIMIZERS };
static const char *const OPTIMIZER_NAMES[OPTIMIZERS] = {"sgd", "momentum", "adam", "accelegrad"};

struct weight { /* or bias */
    int64_t w, gradient;
    int64_t v; /* velocity; of adam a, of accelegrad z */
    uint64_t u;
};
struct value { /* output of a layer, or pixel */
    int64_t y, z, error;
    int64_t sum;          /* of weight * error over the outputs that it feeds */
    struct value *chosen; /* of a pool: the input that the output is */
};
/* A dense layer is a convolution with one window: its weights stand in the same order. */
struct layer {
    char name[32];
    int maps, side, inputs;
    int windows, taps; /* taps: inputs of a window; a window of a pool has one map */
    int *input_of;     /* [window][tap]; outside the input: the one behind the last, which is 0 */
    struct value *x, *y;
    int weight_count;       /* 0: a pool */
    struct weight *weights; /* biases stand behind them */
};
static struct layer layers[LAYERS_MOST];
static int layer_count;

static struct { /* of an update */
    enum optimizer optimizer;
    int error_fraction, k;
    int64_t o, c, rate, correction, fade, c_now, c_next;
} rule;

static _Noreturn void fail(const char *what, const char *which)
{
    fprintf(stderr, "trainer: %s %s\n", what, which);
    exit(2);
}

static void *zeros(int64_t count, size_t bytes) /* and one more */
{
    void *memory = calloc((size_t)count + 1, bytes);
    if (memory == NULL) {
        fail("no", "memory");
    }
    return memory;
}

static uint8_t *read_file(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fail("cannot open", path);
    }
    const long bytes = ftell(file);
    rewind(file);
    uint8_t *data = zeros(bytes, 1);
    if (fread(data, 1, (size_t)bytes, file) != (size_t)bytes || fclose(file) != 0) {
        fail("cannot read", path);
    }
    return data;
}

/* ---- Notation ---- */

static int64_t rounded(int64_t x, int s) /* R */
{
    return s > 0 ? (x + (ONE << (s - 1))) >> s : x * (ONE << -s);
}

static int64_t limit(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static int64_t cut(int64_t x)
{
    return limit(x, INT16_MIN, INT16_MAX);
}

static int bits_of(uint64_t x)
{
    return x == 0 ? 0 : 1 + bits_of(x >> 1);
}

static uint64_t root(uint64_t x)
{
    const uint64_t y = x == 0 ? 0 : 2 * root(x >> 2);
    return x != 0 && (y + 1) * (y + 1) <= x ? y + 1 : y;
}

/* ---- First weights; order of images ---- */

static uint64_t mix_64(uint64_t x) /* M */
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static void draw(struct layer *l, uint64_t index, uint64_t seed)
{
    const double b = sqrt((index + 1 == (uint64_t)layer_count ? 3.0 : 6.0) / l->taps);
    const uint64_t m = (uint64_t)fmin(INT16_MAX, floor(b * (1 << W) + 0.5));
    const uint64_t key = mix_64(mix_64(seed) ^ ((1 << 24) + index) << 32);
    for (int j = 0; j < l->weight_count; j++) {
        const uint64_t word = mix_64(key + (uint64_t)(j + 1) * 0x9e3779b97f4a7c15);
        l->weights[j].w = (int64_t)((word >> 32) * (2 * m + 1) >> 32) - (int64_t)m;
    }
}

static uint32_t mix_32(uint32_t x) /* H */
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

static uint32_t mix_both(uint32_t h, uint32_t x) /* H2 */
{
    return mix_32(h * 0x9e3779b1 + x + 1);
}

/* The image at position q of an epoch of `count` images. */
static uint32_t image_at(uint32_t q, uint32_t count, uint32_t epoch, uint32_t seed)
{
    const uint32_t shards = count < SHARDS ? count : SHARDS;
    const uint32_t s = q % shards, n = (count - s + shards - 1) / shards;
    const uint32_t key = mix_both(mix_both(mix_32(seed), epoch), s);
    const int bits = n <= 4 ? 2 : bits_of(n - 1), l = bits / 2;
    const uint32_t low = (1U << l) - 1, high = (1U << (bits - l)) - 1;
    uint32_t x = q / shards;
    do {
        uint32_t lo = x & low, up = x >> l;
        for (uint32_t r = 0; r <= 4; r += 2) {
            up ^= mix_both(key + r, lo) & high;
            lo ^= mix_both(key + r + 1, up) & low;
        }
        x = up << l | lo;
    } while (x >= n);
    return s + shards * x;
}

/* ---- Layers ---- */

static int number(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at == NULL ? 0 : (int)strtol(at + strlen(key), NULL, 10);
}

/* Adds the layer of a line of a network's file. */
static void add_layer(const char *line)
{
    static const struct layer image = {.maps = 1, .side = SIDE};
    const struct layer *before = layer_count == 0 ? &image : &layers[layer_count - 1];
    struct layer *l = &layers[layer_count++];
    const bool pool = strstr(line, "max_pool2d") != NULL, dense = strstr(line, "dense") != NULL;
    const int side = before->side, padding = number(line, "padding: ");
    const int kernel = dense ? side : number(line, pool ? "size: " : "kernel: ");
    const int stride = pool ? kernel : 1, area = kernel * kernel;
    if (kernel < 1 || kernel > side) {
        fail("no such layer:", line);
    }
    sscanf(line, " - {name: %31[^,]", l->name);
    l->maps = pool ? before->maps : number(line, dense ? "units: " : "maps: ");
    l->side = (side + 2 * padding - kernel) / stride + 1;
    l->inputs = before->maps * side * side;
    l->windows = l->side * l->side * (pool ? l->maps : 1);
    l->taps = area * (pool ? 1 : before->maps);
    l->weight_count = pool ? 0 : l->maps * l->taps;
    l->x = layer_count == 1 ? zeros(PIXELS, sizeof *l->x) : before->y;
    l->y = zeros(l->maps * l->side * l->side, sizeof *l->y);
    l->weights = zeros(l->weight_count + l->maps, sizeof *l->weights);
    l->input_of = zeros(l->windows * l->taps, sizeof *l->input_of);
    for (int i = 0; i < l->windows * l->taps; i++) {
        const int window = i / l->taps, tap = i % l->taps;
        const int map = window / (l->side * l->side) + tap / area;
        const int row = window / l->side % l->side * stride + tap / kernel % kernel - padding;
        const int column = window % l->side * stride + tap % kernel - padding;
        const bool inside = row >= 0 && row < side && column >= 0 && column < side;
        l->input_of[i] = inside ? (map * side + row) * side + column : l->inputs;
    }
}

static void forward(struct layer *l)
{
    for (int window = 0; window < l->windows; window++) {
        const int *input_of = l->input_of + window * l->taps;
        if (l->weight_count == 0) {
            struct value *best = &l->x[input_of[0]];
            for (int tap = 1; tap < l->taps; tap++) {
                best = l->x[input_of[tap]].y > best->y ? &l->x[input_of[tap]] : best;
            }
            l->y[window] = (struct value){.y = best->y, .chosen = best};
            continue;
        }
        for (int map = 0; map < l->maps; map++) {
            const struct weight *weights = l->weights + map * l->taps;
            struct value *output = &l->y[map * l->windows + window];
            int64_t z = l->weights[l->weight_count + map].w * (1 << A);
            for (int tap = 0; tap < l->taps; tap++) {
                z += weights[tap].w * l->x[input_of[tap]].y;
            }
            output->z = (int32_t)z;
            output->y = limit(rounded(output->z, W), 0, INT16_MAX);
        }
    }
}

static void backward(struct layer *l, bool last)
{
    for (int i = 0; i < l->inputs; i++) {
        l->x[i].sum = 0;
    }
    for (int window = 0; window < l->windows; window++) {
        const int *input_of = l->input_of + window * l->taps;
        if (l->weight_count == 0) {
            l->y[window].chosen->sum += l->y[window].error;
            continue;
        }
        for (int map = 0; map < l->maps; map++) {
            const struct value *output = &l->y[map * l->windows + window];
            struct weight *weights = l->weights + map * l->taps;
            const int64_t error = last || output->y > 0 ? output->error : 0;
            l->weights[l->weight_count + map].gradient += error;
            for (int tap = 0; error != 0 && tap < l->taps; tap++) {
                weights[tap].gradient += error * l->x[input_of[tap]].y;
                l->x[input_of[tap]].sum += error * weights[tap].w;
            }
        }
    }
    for (int i = 0; i < l->inputs; i++) {
        l->x[i].error = cut(rounded((int32_t)l->x[i].sum, l->weight_count == 0 ? 0 : W));
    }
}

/* Softmax: sets the errors of the last layer's outputs. */
static void set_errors(struct value *y, int label)
{
    int64_t table[1025], ex[CLASSES], sum = 0, best = y[0].z; /* table: X; sum: Z */
    uint64_t v = (uint64_t)ONE << 32;
    for (int i = 0; i <= 1024; i++) {
        table[i] = (int64_t)((v + (1 << 15)) >> 16);
        v = (v * 4228380000 + ((uint64_t)ONE << 31)) >> 32;
    }
    for (int c = 1; c < CLASSES; c++) {
        best = y[c].z > best ? y[c].z : best;
    }
    for (int c = 0; c < CLASSES; c++) {
        const int64_t p = (int64_t)(uint32_t)(best - y[c].z) << 16 >> F, i = p >> 10;
        ex[c] = 0;
        if (i < 1024) {
            ex[c] = table[i] - (((table[i] - table[i + 1]) * (p % 1024) + 512) >> 10);
        }
        sum += ex[c];
    }
    for (int c = 0; c < CLASSES; c++) {
        const int64_t one = ONE << rule.error_fraction;
        y[c].error = (ex[c] * one + sum / 2) / sum - (c == label ? one : 0);
    }
}

/* ---- Updates ---- */

static int64_t less(uint64_t x, int64_t n)
{
    uint64_t p = (uint64_t)ONE << 32, b = p - x;
    for (; n > 0; n >>= 1) {
        p = n % 2 == 1 ? p * b >> 32 : p;
        b = b * b >> 32;
    }
    return (ONE << 32) - (int64_t)p;
}

static uint64_t mean(uint64_t u, int64_t to, int64_t q, int n)
{
    const int64_t d = to - (int64_t)u, part = d & ((ONE << n) - 1);
    return (uint64_t)((int64_t)u + (d >> n) * q + rounded(part * q, n));
}

static int64_t ratio(int64_t a, uint64_t u)
{
    const int64_t size = llabs(a), zeros_of_a = 32 - bits_of((uint64_t)size);
    const int s = (int)limit((64 - bits_of(u)) / 2, 0, limit(zeros_of_a + 10, 0, 31));
    const int64_t b = (int64_t)root(u << 2 * s) + (ONE << s);
    const int64_t r = limit(((size << (s + 20)) + b / 2) / b, 0, ONE << 30);
    return a < 0 ? -r : r;
}

/* t of `updates`, of which an epoch has `per_epoch`. */
static void begin_update(int64_t t, int64_t per_epoch, int64_t updates)
{
    const int64_t warm = (int64_t)floor(0.3 * (double)per_epoch + 0.5), n = t + 1;
    const int64_t a = t < warm ? n : updates - t, b = t < warm ? warm : updates - warm;
    const int64_t b2 = less(1049 * (ONE << 12), n), whole = ONE << 32;
    const int64_t root_b2 = b2 < whole ? (int64_t)root((uint64_t)b2 << 32) : whole;
    rule.rate = limit((512 * a + b) / (2 * b), 1, 256) * rule.c;
    rule.correction = (root_b2 << 24) / less(3277 * (ONE << 17), n);
    rule.fade = n <= 4 ? 0 : ((2 * n - 1) * (ONE << 30) + n * n / 2) / (n * n);
    rule.c_now = n <= 4 ? ONE << 30 : (whole + n / 2) / n;
    rule.c_next = n + 1 <= 4 ? ONE << 30 : (whole + (n + 1) / 2) / (n + 1);
}

static void update(struct weight *w, bool bias)
{
    const int64_t g = (int32_t)w->gradient, v = w->v;
    const int64_t scaled = limit(bias ? g * (1 << A) : g, -(ONE << 30), (ONE << 30) - 1); /* G */
    const int f = bias ? rule.error_fraction : rule.error_fraction + A;
    int64_t step, far = 0;
    int fraction = 28;
    if (llabs(g) > ONE << 30) {
        fail("the training", "diverges");
    }
    if (rule.optimizer == ADAM) {
        w->v = v + rounded((scaled - v) * 3277, 15);
        w->u = mean(w->u, scaled * scaled, 1049, 20);
        step = rounded(ratio(w->v, w->u) * rule.correction, 24) * rule.rate;
        fraction = 20 + rule.k + 8;
    } else if (rule.optimizer == ACCELEGRAD) {
        const int64_t faded = (int64_t)mean(w->u, 0, rule.fade, 30);
        w->u = (uint64_t)limit(faded + scaled * scaled, 0, ONE << 62);
        far = rounded(ratio(scaled, w->u) * rule.rate, rule.k);
        const int64_t near = rounded(far * rule.c_now, 30);
        step = near - rounded((v - far + near) * rule.c_next, 30);
    } else {
        const int64_t added = rounded(g * rule.rate, f + rule.k + 8 - 28);
        step = v - rounded(v * rule.o, 15) + added;
        w->v = step = limit(step, INT32_MIN, INT32_MAX);
    }
    const int64_t moved = cut(w->w - rounded(step, fraction - W));
    if (rule.optimizer == ACCELEGRAD) {
        w->v = limit(v - far + (w->w - moved) * (1 << (28 - W)), INT32_MIN, INT32_MAX);
    }
    const int surplus = bits_of(w->u) > 26 ? bits_of(w->u) - 26 : 0;
    w->u = (uint64_t)rounded((int64_t)w->u, surplus) << surplus; /* keep */
    w->w = moved;
    w->gradient = 0;
}

static void train(const char *mnist, int64_t count, int64_t batch, int64_t epochs, uint32_t seed)
{
    uint8_t *images = read_file(mnist, "/train-images-idx3-ubyte");
    uint8_t *labels = read_file(mnist, "/train-labels-idx1-ubyte");
    const int64_t per_epoch = (count + batch - 1) / batch;
    for (int64_t t = 0; t < per_epoch * epochs; t++) {
        const int64_t first = t % per_epoch * batch;
        for (int64_t q = first; q < count && q < first + batch; q++) {
            const uint32_t image =
                image_at((uint32_t)q, (uint32_t)count, (uint32_t)(t / per_epoch), seed);
            for (uint32_t i = 0; i < PIXELS; i++) {
                layers[0].x[i].y = images[16 + image * PIXELS + i] << INPUT_SHIFT;
            }
            for (int i = 0; i < layer_count; i++) {
                forward(&layers[i]);
            }
            set_errors(layers[layer_count - 1].y, labels[8 + image]);
            for (int i = layer_count - 1; i >= 0; i--) {
                backward(&layers[i], i == layer_count - 1);
            }
        }
        begin_update(t, per_epoch, per_epoch * epochs);
        for (struct layer *l = layers; l < layers + layer_count; l++) {
            for (int j = 0; l->weight_count > 0 && j < l->weight_count + l->maps; j++) {
                update(&l->weights[j], j >= l->weight_count);
            }
        }
    }
    free(images);
    free(labels);
}

/* ---- Compare ---- */

static uint32_t u16(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

/* Compares with an array of a .npz, which is a .zip that is not compressed. */
static void compare(const uint8_t *zip, const struct layer *l, const char *part,
                    const struct weight *ours, int count)
{
    char name[64];
    const int length = snprintf(name, sizeof name, "%s.%s.npy", l->name, part);
    while (memcmp(zip, "PK\3\4", 4) == 0 && memcmp(zip + 30, name, (size_t)length) != 0) {
        zip += 30 + u16(zip + 26) + u16(zip + 28) + (u16(zip + 18) | u16(zip + 20) << 16);
    }
    if (memcmp(zip, "PK\3\4", 4) != 0) {
        fail("weights.npz lacks", name);
    }
    const uint8_t *npy = zip + 30 + length + u16(zip + 28), *theirs = npy + 10 + u16(npy + 8);
    for (int j = 0; j < count; j++) {
        const int16_t value = (int16_t)u16(theirs + 2 * j);
        if (ours[j].w != value) {
            printf("%s[%d] is %d, in the run %d\n", name, j, (int)ours[j].w, value);
            exit(1);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 11) {
        fail("NETWORK.yaml IMAGES BATCH OPTIMIZER RATE MOMENTUM EPOCHS SEED", "MNIST RESULT");
    }
    char *text = (char *)read_file(argv[1], "");
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strstr(line, "- {name: ") != NULL && layer_count < LAYERS_MOST) {
            add_layer(line);
        }
    }
    free(text);
    const int64_t count = strtol(argv[2], NULL, 10), batch = strtol(argv[3], NULL, 10);
    const uint32_t seed = (uint32_t)strtoul(argv[8], NULL, 10);
    while (strcmp(OPTIMIZER_NAMES[rule.optimizer], argv[4]) != 0) {
        if (++rule.optimizer == OPTIMIZERS) {
            fail("no optimizer", argv[4]);
        }
    }
    double c = frexp(strtod(argv[5], NULL), &rule.k);
    rule.k = -rule.k;
    for (int i = 0; i < 15 && c != floor(c); i++, rule.k++) {
        c *= 2;
    }
    const double kept = rule.optimizer == MOMENTUM ? strtod(argv[6], NULL) : 0;
    rule.c = (int64_t)floor(c + 0.5);
    rule.o = (int64_t)floor((1 - kept) * (1 << 15) + 0.5);
    rule.error_fraction = 12 - bits_of((uint64_t)(batch - 1) / 16);
    for (int i = 0; i < layer_count; i++) {
        draw(&layers[i], (uint64_t)i, seed);
    }
    train(argv[9], count, batch, strtol(argv[7], NULL, 10), seed);
    uint8_t *zip = read_file(argv[10], "/weights.npz");
    for (const struct layer *l = layers; l < layers + layer_count; l++) {
        if (l->weight_count > 0) {
            compare(zip, l, "weights", l->weights, l->weight_count);
            compare(zip, l, "biases", l->weights + l->weight_count, l->maps);
        }
    }
    free(zip);
    printf("every weight is equal\n");
    return 0;
}
