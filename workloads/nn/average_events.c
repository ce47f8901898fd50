/* average_events.c - from errors behind an average pool to a convolution's events. */
#include "average_pool.h"

#include "activation.h"

NN_NEEDS(OPERATORS)

/* Each value of a window has the window's share of the error; values outside all windows none. */
static void spread(const struct nn_layer *pool, const nn_value *shares, nn_value *to)
{
    for (uint32_t c = 0; c < pool->input.channels; c++) {
        for (uint32_t y = 0; y < pool->input.height; y++) {
            const uint32_t row = y / pool->stride;
            const bool inside = row < pool->output.height && y % pool->stride < pool->kernel;
            const nn_value *share = shares + (size_t)row * pool->output.width;
            uint32_t left = pool->output.width; /* windows of the row, this one included */
            uint32_t column = 0;                /* from the window's first */
            for (uint32_t x = pool->input.width; x > 0; x--) {
                *to++ = (nn_value)(inside && left > 0 && column < pool->kernel ? *share : 0);
                if (++column == pool->stride && left > 0) {
                    column = 0;
                    left--;
                    share++;
                }
            }
        }
        shares += (size_t)pool->output.height * pool->output.width;
    }
}

void nn_average_pool_events(const struct nn_layer *conv, const struct nn_layer *pool,
                            nn_value *values, nn_value *errors, struct nn_event *events,
                            uint16_t *counts)
{
    const int32_t window = pool->kernel * pool->kernel;
    const uint32_t results = nn_values(pool->output);
    const uint32_t places = nn_values(pool->input);
    nn_value *back = (nn_value *)(void *)events; /* they are made later */
    struct nn_layer open = *conv;
    for (uint32_t i = 0; i < results; i++) {
        errors[i] = nn_mean_of(errors[i], window);
    }
    spread(pool, errors, back);
    if (conv->activation == NN_RELU) {
        nn_relu_back(values, back, places);
    } else {
        nn_activation_back(conv->activation, conv->output_fraction, values, back, places);
    }
    for (uint32_t i = 0; i < places; i++) {
        values[i] = back[i];
    }
    open.activation = NN_IDENTITY;
    nn_relu_events(&open, values, values, events, counts);
}
