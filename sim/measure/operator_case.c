/* operator_case.c - see operator_case.h. */
#include "sim/measure/operator_case.h"

#include "models/common/draw.h"
#include "sim/host_backend/reference.h"
#include "sim/measure/gradient.h"
#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "sim/networks/weights.h"
#include "sim/steps.h"

#include <stdio.h>
#include <string.h>

enum { ONE = false, EACH = true };
enum { WEIGHT_FRACTION = 13, ACTIVATION_FRACTION = 11, PIXEL_FRACTION = 8 }; /* of int16 */

const struct operator_row OPERATOR_ROWS[] = {
#define CASE(channels, height, width, before, layer, activations)                                  \
    {{channels, height, width}, before, layer, activations},
#include "sim/measure/operator_cases.def"
};
const size_t OPERATOR_ROW_COUNT = sizeof OPERATOR_ROWS / sizeof *OPERATOR_ROWS;

/* Streams of random numbers. */
enum { OF_WEIGHTS = 1, OF_PIXELS };

bool operator_case_next(const struct operator_row *row, size_t *number, const char **activation)
{
    static const char *const ACTIVATIONS[] = {
        NULL,
#define OF_KERNELS(NAME, name) NETWORK_##NAME == NETWORK_IDENTITY ? NULL : #name,
#define ACTIVATION(NAME, name) #name,
#include "workloads/nn/activations.def"
    };
    const size_t count = row->each ? sizeof ACTIVATIONS / sizeof *ACTIVATIONS : 1;
    while (*number > 0 && *number < count && ACTIVATIONS[*number] == NULL) {
        ++*number;
    }
    if (*number >= count) {
        return false;
    }
    *activation = ACTIVATIONS[(*number)++];
    return true;
}

/* ---- the network ---- */

/* With `units` classes; 0: the operator is the last layer. */
static enum status parse(struct operator_case *made, size_t units, struct diagnostic *diagnostic)
{
    const struct operator_row *row = made->row;
    char last[128] = "";
    if (units > 0) {
        (void)snprintf(last, sizeof last,
                       "  - {name: output, type: dense, units: %zu, activation: softmax}\n", units);
    }
    (void)snprintf(made->text, sizeof made->text,
                   "name: op\nvariant: modern\n"
                   "input: {channels: %u, height: %u, width: %u}\n"
                   "formats: {weight_fraction: %d, activation_fraction: %d, input_shift: %d}\n"
                   "layers:\n%s%s%s"
                   "  - {name: operator, %s%s%s}\n%s",
                   row->input.channels, row->input.height, row->input.width, WEIGHT_FRACTION,
                   ACTIVATION_FRACTION, ACTIVATION_FRACTION - PIXEL_FRACTION,
                   row->before[0] == '\0' ? "" : "  - ", row->before,
                   row->before[0] == '\0' ? "" : "\n", row->layer,
                   made->activation == NULL ? "" : ", activation: ",
                   made->activation == NULL ? "" : made->activation, last);
    network_deinit(&made->network);
    return network_parse("operator", made->text, strlen(made->text), &made->network, diagnostic);
}

static enum status make_network(struct operator_case *made, struct diagnostic *diagnostic)
{
    enum { CLASSES_LEAST = 2 };
    made->at = made->row->before[0] == '\0' ? 0 : 1;
    if (strstr(made->row->layer, "type: rbf") != NULL) {
        TRY(parse(made, 0, diagnostic));
    } else {
        TRY(parse(made, CLASSES_LEAST, diagnostic));
        const size_t outputs = network_values(made->network.layer[made->at].output);
        TRY(parse(made, outputs < CLASSES_LEAST ? CLASSES_LEAST : outputs, diagnostic));
    }
    made->outputs = network_values(made->network.layer[made->at].output);
    return STATUS_OK;
}

/* ---- numbers ---- */

/* Fractional bits of weights; of a format without a row here 0, which every format has. */
static const unsigned WEIGHT_BITS[] = {[NETWORK_INT16] = WEIGHT_FRACTION,
                                       [NETWORK_S1615] = 15,
                                       [NETWORK_FLOAT32] = 20,
                                       [NETWORK_INT8] = 6};

static double draw_weight(const struct operator_case *made, uint64_t seed, size_t i)
{
    const size_t rows = sizeof WEIGHT_BITS / sizeof *WEIGHT_BITS;
    const uint32_t steps = 1u << ((size_t)made->numbers < rows ? WEIGHT_BITS[made->numbers] : 0);
    const uint64_t word = draw_word(seed, OF_WEIGHTS, i);
    return ((double)draw_below(word, 2 * steps + 1) - steps) / steps;
}

static enum status draw_parameters(struct operator_case *made, uint64_t seed,
                                   struct diagnostic *diagnostic)
{
    const struct network *network = &made->network;
    made->parameters = calloc(network_parameters(network) + 1, sizeof *made->parameters);
    if (made->parameters == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        const struct layer_kind *kind = layer_kind_of(layer->type);
        const size_t first = weights_place(network, i).weights;
        const size_t count = network_layer_weights(layer);
        const size_t all = count + (kind->given == NULL ? network_layer_biases(layer) : 0);
        for (size_t j = 0; j < all && i <= made->at; j++) {
            made->parameters[first + j] =
                kind->given != NULL ? kind->given(layer, j) : draw_weight(made, seed, first + j);
        }
        for (size_t j = 0; j < made->outputs && i > made->at; j++) {
            made->parameters[first + j * made->outputs + j] = 1;
        }
    }
    return STATUS_OK;
}

static enum status draw_images(struct operator_case *made, uint64_t seed,
                               struct diagnostic *diagnostic)
{
    const struct network_shape input = made->network.input;
    const size_t last = made->network.layer_count - 1;
    struct dataset *images = &made->images;
    *images = (struct dataset){.split = DATASET_TEST,
                               .count = OPERATOR_IMAGES,
                               .available = OPERATOR_IMAGES,
                               .channels = input.channels,
                               .height = input.height,
                               .width = input.width,
                               .classes = made->network.layer[last].outputs,
                               .original = true};
    const size_t pixels = OPERATOR_IMAGES * dataset_pixels(images);
    images->images = malloc(pixels);
    images->labels = calloc(OPERATOR_IMAGES, 1);
    if (images->images == NULL || images->labels == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < pixels; i++) {
        images->images[i] = (uint8_t)(2 * draw_below(draw_word(seed, OF_PIXELS, i), 128));
    }
    dataset_sign(images);
    return STATUS_OK;
}

static enum status compute(struct operator_case *made, struct diagnostic *diagnostic)
{
    RELEASED(reference_pass_deinit) struct reference_pass pass = {0};
    made->expected = malloc(OPERATOR_IMAGES * made->outputs * sizeof *made->expected);
    if (made->expected == NULL) {
        return no_memory(diagnostic);
    }
    TRY(reference_pass_init(&pass, &made->network, diagnostic));
    for (size_t i = 0; i < OPERATOR_IMAGES; i++) {
        (void)reference_forward(&pass, made->parameters,
                                made->images.images + i * dataset_pixels(&made->images));
        memcpy(made->expected + i * made->outputs, pass.value[made->at + 1],
               made->outputs * sizeof *made->expected);
    }
    return STATUS_OK;
}

enum status operator_case_make(struct operator_case *made, const struct operator_row *row,
                               const char *activation, enum network_numbers numbers, uint64_t seed,
                               struct diagnostic *diagnostic)
{
    *made = (struct operator_case){.row = row, .activation = activation, .numbers = numbers};
    TRY(make_network(made, diagnostic));
    TRY(draw_parameters(made, seed, diagnostic));
    TRY(draw_images(made, seed, diagnostic));
    TRY(compute(made, diagnostic));
    return gradient_difference(&made->network.layer[made->at], seed, &made->gradient, diagnostic);
}

void operator_case_deinit(struct operator_case *made)
{
    network_deinit(&made->network);
    free(made->parameters);
    dataset_deinit(&made->images);
    free(made->expected);
    *made = (struct operator_case){0};
}
