/* pooling.c - the largest value of each window; windows do not overlap beyond the stride. */
#include "kernels.h"

void nn_max_pool2d(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t width = layer->input.width;
    const uint32_t map = (uint32_t)layer->input.height * width;
    int16_t *out = arguments->output;
    for (uint32_t c = 0; c < layer->output.channels; c++) {
        const int16_t *channel = arguments->input + c * map;
        for (uint32_t y = 0; y < layer->output.height; y++) {
            const int16_t *row = channel + y * layer->stride * width;
            for (uint32_t x = 0; x < layer->output.width; x++, row += layer->stride) {
                int16_t largest = row[0];
                for (uint32_t i = 0; i < layer->kernel; i++) {
                    for (uint32_t j = 0; j < layer->kernel; j++) {
                        const int16_t value = row[i * width + j];
                        largest = value > largest ? value : largest;
                    }
                }
                *out++ = largest;
            }
        }
    }
}
