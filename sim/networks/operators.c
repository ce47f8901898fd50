/* operators.c - see operators.h. */
#include "sim/networks/operators.h"

#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "sim/networks/optimizer.h"

bool operators_in(const struct network_layer *layer)
{
    return layer_kind_of(layer->type)->is_operator || layer->links != NULL ||
           activation_of(layer->activation)->is_operator;
}

/* Checks what training programs assume about pooling layers; the host backend checks the rest. */
static enum status check_pools(const struct network *network, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        if (!network_is_pool(layer)) {
            continue;
        }
        if (i == 0) {
            return network_refuse_layer(
                network, layer, "train it with backend: host, or move it behind a convolution",
                diagnostic, "programs that train begin with weights");
        }
        const bool follows = network->layer[i - 1].type == NETWORK_CONV2D;
        const bool overlaps =
            layer->type == NETWORK_AVERAGE_POOL2D && layer->stride < layer->kernel;
        if (!follows || overlaps) {
            return network_refuse_layer(
                network, layer,
                follows ? "windows of an average must not overlap: stride >= size"
                        : "a pool must follow a convolution",
                diagnostic, "it cannot be trained through in integers");
        }
    }
    return STATUS_OK;
}

bool operators_of_network(const struct sim_config *config, const struct network *network)
{
    bool needed = config->mode == CONFIG_MODE_TRAIN && network_has_dropout(network);
    for (size_t i = 0; i < network->layer_count; i++) {
        needed = needed || operators_in(&network->layer[i]);
    }
    return needed;
}

bool operators_needed(const struct sim_config *config, const struct network *network)
{
    const bool rare =
        network->loss != 0 /* the first row */ || optimizer_of(config->train_optimizer)->rare;
    return operators_of_network(config, network) || (config->mode == CONFIG_MODE_TRAIN && rare);
}

enum status operators_check(const struct sim_config *config, const struct network *network,
                            struct diagnostic *diagnostic)
{
    const bool trains = config->mode == CONFIG_MODE_TRAIN;
    const bool on_machine = config->backend == CONFIG_BACKEND_SPINNAKER;
    return on_machine && trains ? check_pools(network, diagnostic) : STATUS_OK;
}
