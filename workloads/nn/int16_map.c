/* int16_map.c - one map of a convolution in int16, for int8. */
#undef NN_FORMAT /* programs of int8 have it, too */
#define NN_FORMAT int16
#include "int8.h"

#include "kernels.h"

void nn_int16_map(const struct nn_int16_map *map, struct nn_numerics *numerics)
{
    const struct nn_arguments arguments = {.layer = map->layer,
                                           .weights = map->weights,
                                           .biases = &map->bias,
                                           .input = map->input,
                                           .output = map->output,
                                           .numerics = numerics};
    nn_conv2d(&arguments);
}
