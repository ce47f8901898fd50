/* conv2d_s1615.c - convolutions of s16.15 values without padding, forward and back. */
#include "s1615.h"

#include <stddef.h>

static int64_t sum_window(int64_t sum, const struct nn_layer *layer, const nn_value *w,
                          const nn_value *at)
{
    const size_t side = layer->kernel;
    const size_t to_next_row = layer->input.width - side;
    const size_t to_next_map = (size_t)(layer->input.height - side) * layer->input.width;
    for (uint32_t maps = layer->input.channels; maps > 0; maps--, at += to_next_map) {
        for (size_t rows = side; rows > 0; rows--, at += to_next_row) {
            for (size_t columns = side; columns > 0; columns--) {
                sum += (int64_t)*w++ * *at++;
            }
        }
    }
    return sum;
}

static nn_value cut(int64_t sum, struct nn_numerics *numerics)
{
    const int64_t value = (sum + (1 << (NN_S1615_FRACTION - 1))) >> NN_S1615_FRACTION;
    if (value == (int32_t)value) {
        return (int32_t)value;
    }
    numerics->saturations++;
    return value < 0 ? NN_VALUE_LEAST : NN_VALUE_MOST;
}

void nn_conv2d(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const size_t links = (size_t)layer->input.channels * layer->kernel * layer->kernel;
    const size_t step = (size_t)layer->stride * layer->input.width;
    const nn_value *w = arguments->weights;
    int32_t *out = arguments->output;
    for (uint32_t m = 0; m < layer->output.channels; m++, w += links) {
        const int64_t bias = (int64_t)arguments->biases[m] * (1 << NN_S1615_FRACTION);
        const nn_value *line = arguments->input;
        for (uint32_t y = 0; y < layer->output.height; y++, line += step) {
            const nn_value *at = line;
            for (uint32_t x = 0; x < layer->output.width; x++, at += layer->stride) {
                const int64_t sum = sum_window(bias, layer, w, at);
                *out++ = nn_s1615_activated(layer, cut(sum, arguments->numerics));
            }
        }
    }
}

/* Of one weight over one image. */
static int32_t sum_events(const struct nn_event *event, const struct nn_event *end,
                          const nn_value *values)
{
    int64_t sum = 0;
    for (; event != end; event++) {
        sum += (int64_t)event->error * values[event->place];
    }
    return nn_s1615_rounded(sum);
}

void nn_conv2d_gradient(const struct nn_layer *layer, const nn_value *input,
                        const struct nn_event *events, const uint16_t *counts, int32_t *weights,
                        int32_t *biases)
{
    const size_t width = layer->input.width;
    for (uint32_t m = 0; m < layer->output.channels; m++) {
        const struct nn_event *const end = events + counts[m];
        const nn_value *map = input;
        for (uint32_t c = 0; c < layer->input.channels; c++, map += layer->input.height * width) {
            for (size_t i = 0; i < layer->kernel; i++) {
                for (size_t j = 0; j < layer->kernel; j++, weights++) {
                    *weights =
                        nn_wrapping_add(*weights, sum_events(events, end, map + i * width + j));
                }
            }
        }
        for (; events != end; events++) {
            biases[m] = nn_wrapping_add(biases[m], events->error);
        }
    }
}

static void spread_window(int32_t *sums, size_t width, const nn_value *weights, uint32_t side,
                          nn_value error)
{
    for (uint32_t i = 0; i < side; i++, sums += width) {
        for (uint32_t j = 0; j < side; j++) {
            sums[j] = nn_wrapping_add(sums[j], nn_s1615_product(error, *weights++));
        }
    }
}

void nn_conv2d_input_sums(const struct nn_layer *layer, const nn_value *weights,
                          const struct nn_event *events, const uint16_t *counts, int32_t *sums)
{
    const size_t width = layer->input.width;
    const size_t window = (size_t)layer->kernel * layer->kernel;
    for (uint32_t m = 0; m < layer->output.channels; m++) {
        for (const struct nn_event *const end = events + counts[m]; events != end; events++) {
            const nn_value *w = weights;
            int32_t *at = sums + events->place;
            for (uint32_t c = 0; c < layer->input.channels; c++, w += window) {
                spread_window(at, width, w, layer->kernel, events->error);
                at += layer->input.height * width;
            }
        }
        weights += layer->input.channels * window;
    }
}
