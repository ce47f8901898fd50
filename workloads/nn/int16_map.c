/* int16_map.c - see int16_map.h; compiled for int16 in programs of int8, too. */
#include "int16_map.h"

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
