/* links.c - see links.h. */
#include "sim/networks/links.h"

#include "workloads/nn/kernels.h"

static bool is_dense(const struct nn_layer *layer)
{
    return layer->kernel == 0;
}

uint32_t links_weights_before(const struct nn_layer *layer, uint32_t output)
{
    const uint32_t *links = nn_links(layer);
    if (nn_is_pool(layer)) {
        return 0;
    }
    if (is_dense(layer)) {
        return output * nn_values(layer->input);
    }
    uint32_t count = output * layer->input.channels;
    if (links != NULL) {
        count = 0;
        for (uint32_t m = 0; m < output; m++) {
            count += (uint32_t)__builtin_popcount(links[m]);
        }
    }
    return count * nn_link_weights(layer);
}

uint32_t links_weights(const struct nn_layer *layer)
{
    return links_weights_before(layer, layer->output.channels);
}

uint64_t links_macs(const struct nn_layer *layer)
{
    const uint32_t uses = layer->one_weight ? (uint32_t)layer->kernel * layer->kernel : 1;
    return (uint64_t)links_weights(layer) * uses * layer->output.height * layer->output.width;
}

uint32_t links_tensor_shape(const struct nn_layer *layer, uint32_t shape[4])
{
    const uint32_t side = layer->kernel;
    shape[0] = layer->output.channels;
    if (layer->one_weight) {
        return 1;
    }
    if (is_dense(layer)) {
        shape[1] = nn_values(layer->input);
        return 2;
    }
    if (nn_links(layer) != NULL) {
        shape[0] = links_weights(layer) / (side * side);
        shape[1] = shape[2] = side;
        return 3;
    }
    shape[1] = layer->input.channels;
    shape[2] = shape[3] = side;
    return 4;
}
