/* ranges.c - see ranges.h. */
#include "sim/import/ranges.h"

#include "sim/host_backend/reference.h"
#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "sim/networks/weights.h"
#include "sim/steps.h"

#include <math.h>

/* ---- measuring ---- */

static double largest(const double *values, size_t count, double most)
{
    for (size_t i = 0; i < count; i++) {
        const double size = fabs(values[i]);
        most = size > most ? size : most;
    }
    return most;
}

static void measure_image(struct ranges *ranges, struct reference_pass *pass,
                          const double *parameters, const uint8_t *image)
{
    const struct network *network = pass->network;
    reference_load(pass, image);
    for (size_t i = 0; i < network->layer_count; i++) {
        struct range_layer *range = &ranges->layer[i];
        const size_t outputs = network_values(network->layer[i].output);
        reference_sums(pass, i, parameters);
        range->sum = largest(pass->value[i + 1], outputs, range->sum);
        reference_activate(pass, i);
        range->output = largest(pass->value[i + 1], outputs, range->output);
    }
}

enum status ranges_measure(struct ranges *ranges, const struct network *network,
                           const double *parameters, const struct images *images,
                           struct diagnostic *diagnostic)
{
    RELEASED(reference_pass_deinit) struct reference_pass pass = {0};
    const size_t last = network->layer_count - 1;
    size_t right = 0;
    *ranges = (struct ranges){0};
    TRY(reference_pass_init(&pass, network, diagnostic));
    for (size_t i = 0; i <= last; i++) {
        const struct network_layer *layer = &network->layer[i];
        const struct weights_place place = weights_place(network, i);
        ranges->layer[i].weight =
            largest(parameters + place.weights, network_layer_weights(layer), 0);
        ranges->layer[i].bias = largest(parameters + place.biases, network_layer_biases(layer), 0);
    }
    for (size_t image = 0; image < images->count; image++) {
        measure_image(ranges, &pass, parameters, images->pixel + image * images->values);
        right += reference_label(pass.value[last + 1], network->layer[last].outputs) ==
                 images->label[image];
    }
    ranges->right = images->count == 0 ? 0 : (double)right / (double)images->count;
    return STATUS_OK;
}

/* ---- choosing ---- */

/* Bounds that are never passed, and those with room for images that have not been measured. */
struct bounds {
    double weight, output, sum;
};

static struct bounds bounds_of(uint32_t weight_fraction)
{
    enum { WORD_BITS = 15, SUM_BITS = 31 };
    return (struct bounds){ldexp(1 - ldexp(1, -WORD_BITS), WORD_BITS - (int)weight_fraction),
                           ldexp(1, WORD_BITS - RANGES_ACTIVATION_FRACTION),
                           ldexp(1, SUM_BITS - (int)weight_fraction - RANGES_ACTIVATION_FRACTION)};
}

static struct bounds with_room(struct bounds bounds)
{
    static const double OF_WEIGHTS = 0.975; /* 3.9 of 4 */
    static const double OF_OUTPUTS = 0.75;  /* 12 of 16 */
    static const double OF_SUMS = 0.78125;  /* 100 of 128 */
    return (struct bounds){OF_WEIGHTS * bounds.weight, OF_OUTPUTS * bounds.output,
                           OF_SUMS * bounds.sum};
}

static double least(double left, double right)
{
    return left < right ? left : right;
}

/* The largest factor with which a layer behind `before` keeps the bounds; the last layer's outputs
 * are its sums. */
static double factor_within(const struct range_layer *range, bool is_last, double before,
                            struct bounds bounds)
{
    double factor = HUGE_VAL;
    factor = range->weight == 0 ? factor : least(factor, bounds.weight * before / range->weight);
    factor = range->bias == 0 ? factor : least(factor, bounds.weight / range->bias);
    factor = range->sum == 0 ? factor : least(factor, bounds.sum / range->sum);
    return range->output == 0 || is_last ? factor : least(factor, bounds.output / range->output);
}

/* Whether factors commute with a layer's activation. */
static bool can_scale(const struct network_layer *layer)
{
    const enum network_activation activation = layer->activation;
    return activation == NETWORK_RELU || activation == NETWORK_IDENTITY ||
           activation_of(activation)->ends;
}

/* Sets the factors; false if a layer that cannot be scaled does not fit. */
static bool choose(struct ranges *ranges, const struct network *network, uint32_t weight_fraction)
{
    const struct bounds bounds = bounds_of(weight_fraction);
    bool fits = true;
    double before = 1;
    ranges->weight_fraction = weight_fraction;
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        struct range_layer *range = &ranges->layer[i];
        const bool is_last = i + 1 == network->layer_count;
        const double most = factor_within(range, is_last, before, bounds);
        if (network_is_pool(layer)) {
            range->factor = before;
        } else if (!can_scale(layer)) {
            range->factor = 1;
            fits = fits && most >= 1;
        } else if (most >= 1 && (before == 1 || is_last)) {
            range->factor = 1;
        } else {
            range->factor = least(1, factor_within(range, is_last, before, with_room(bounds)));
        }
        before = range->factor;
    }
    return fits;
}

void ranges_choose(struct ranges *ranges, const struct network *network)
{
    enum { LEAST_FRACTION = 8 };
    for (uint32_t fraction = RANGES_WEIGHT_FRACTION;
         !choose(ranges, network, fraction) && fraction > LEAST_FRACTION; fraction--) {
    }
}

void ranges_apply(const struct ranges *ranges, const struct network *network, double *parameters)
{
    double before = 1;
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        const struct weights_place place = weights_place(network, i);
        const double factor = ranges->layer[i].factor;
        for (size_t w = 0; w < network_layer_weights(layer); w++) {
            parameters[place.weights + w] *= factor / before;
        }
        for (size_t b = 0; b < network_layer_biases(layer); b++) {
            parameters[place.biases + b] *= factor;
        }
        before = factor;
    }
}
