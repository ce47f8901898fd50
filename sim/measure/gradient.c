/* gradient.c - see gradient.h. */
#include "sim/measure/gradient.h"

#include "models/common/draw.h"
#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "sim/steps.h"

#include <math.h>

enum { OF_VALUES = 3, OF_FACTORS };

struct slopes {
    const struct network_layer *layer;
    const struct layer_kind *kind;
    const struct activation *activation;
    size_t weights, moved, inputs, outputs; /* moved: weights, biases and inputs */
    double *value;                          /* [moved]: weights, biases, inputs */
    double *gradient;                       /* [moved] */
    double *factor, *output;                /* [outputs] */
    double *room;                           /* of the layer */
    double *memory;                         /* of all these; owned */
};

static void slopes_deinit(struct slopes *slopes)
{
    free(slopes->memory);
}

static struct layer_pass pass_of(const struct slopes *slopes)
{
    const size_t biases = network_layer_biases(slopes->layer);
    return (struct layer_pass){.layer = slopes->layer,
                               .weights = slopes->value,
                               .biases = slopes->value + slopes->weights,
                               .input = slopes->value + slopes->weights + biases,
                               .output = slopes->output,
                               .room = slopes->room,
                               .output_gradient = slopes->factor,
                               .weight_gradients = slopes->gradient,
                               .bias_gradients = slopes->gradient + slopes->weights,
                               .input_gradient = slopes->gradient + slopes->weights + biases};
}

static double sum_of(const struct slopes *slopes)
{
    const struct layer_pass pass = pass_of(slopes);
    double sum = 0;
    slopes->kind->forward(&pass);
    if (slopes->activation->forward != NULL) {
        slopes->activation->forward(slopes->output, slopes->outputs);
    }
    for (size_t i = 0; i < slopes->outputs; i++) {
        sum += slopes->factor[i] * slopes->output[i];
    }
    return sum;
}

static void draw(const struct slopes *slopes, uint64_t seed)
{
    for (size_t i = 0; i < slopes->moved; i++) {
        const double value = draw_signed_unit(draw_word(seed, OF_VALUES, i));
        slopes->value[i] = slopes->kind->given != NULL && i < slopes->weights
                               ? slopes->kind->given(slopes->layer, i)
                               : value;
    }
    for (size_t i = 0; i < slopes->outputs; i++) {
        slopes->factor[i] = draw_signed_unit(draw_word(seed, OF_FACTORS, i));
    }
}

/* The gradients of the sum; `factor` has that by the layer's outputs before the activation then. */
static void descend(const struct slopes *slopes)
{
    const struct layer_pass pass = pass_of(slopes);
    (void)sum_of(slopes);
    if (slopes->activation->backward != NULL) {
        slopes->activation->backward(slopes->output, slopes->factor, slopes->outputs);
    }
    slopes->kind->backward(&pass);
}

static double central_difference(const struct slopes *slopes, size_t i)
{
    const double value = slopes->value[i];
    slopes->value[i] = value + GRADIENT_STEP;
    const double above = sum_of(slopes);
    slopes->value[i] = value - GRADIENT_STEP;
    const double below = sum_of(slopes);
    slopes->value[i] = value;
    return (above - below) / (2 * GRADIENT_STEP);
}

enum status gradient_difference(const struct network_layer *layer, uint64_t seed, double *largest,
                                struct diagnostic *diagnostic)
{
    RELEASED(slopes_deinit)
    struct slopes slopes = {.layer = layer,
                            .kind = layer_kind_of(layer->type),
                            .activation = activation_of(layer->activation),
                            .weights = network_layer_weights(layer),
                            .inputs = network_values(layer->input),
                            .outputs = network_values(layer->output)};
    const size_t biases = network_layer_biases(layer);
    slopes.moved = slopes.weights + biases + slopes.inputs;
    slopes.memory =
        calloc(2 * slopes.moved + 2 * slopes.outputs + layer_room(layer), sizeof(double));
    if (slopes.memory == NULL) {
        return no_memory(diagnostic);
    }
    slopes.value = slopes.memory;
    slopes.gradient = slopes.value + slopes.moved;
    slopes.factor = slopes.gradient + slopes.moved;
    slopes.output = slopes.factor + slopes.outputs;
    slopes.room = slopes.output + slopes.outputs;
    draw(&slopes, seed);
    descend(&slopes);
    draw(&slopes, seed);
    *largest = 0;
    const size_t first = slopes.kind->given != NULL ? slopes.weights + biases : 0;
    for (size_t i = first; i < slopes.moved; i++) {
        const double difference = fabs(slopes.gradient[i] - central_difference(&slopes, i));
        *largest = difference > *largest ? difference : *largest;
    }
    return STATUS_OK;
}
