/* operators.c - see operators.h. */
#include "sim/networks/operators.h"

#include "sim/networks/activation.h"
#include "sim/networks/layer.h"

static enum operators more_of(enum operators a, enum operators b)
{
    return a > b ? a : b;
}

static enum operators operators_of(const struct activation *activation)
{
    const enum operators kernels = activation->row > NN_RELU ? OPERATORS_FEW : OPERATORS_NONE;
    return activation->of_1998 ? OPERATORS_1998 : kernels;
}

enum operators operators_in(const struct network_layer *layer)
{
    const struct layer_kind *kind = layer_kind_of(layer->type);
    const bool few = layer->links != NULL || kind->kernels != 0;
    return more_of(
        few ? OPERATORS_FEW : OPERATORS_NONE,
        more_of((enum operators)kind->operators, operators_of(activation_of(layer->activation))));
}

static bool is_convolution(const struct network_layer *layer)
{
    return layer->type == NETWORK_CONV2D || layer_kind_of(layer->type)->kernels != 0;
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
            return layer_refuse(network, layer,
                                "train it with backend: host, or move it behind a convolution",
                                diagnostic, "programs that train begin with weights");
        }
        const bool follows = is_convolution(&network->layer[i - 1]);
        const bool overlaps =
            layer->type == NETWORK_AVERAGE_POOL2D && layer->stride < layer->kernel;
        if (!follows || overlaps) {
            return layer_refuse(network, layer,
                                follows ? "windows of an average must not overlap: stride >= size"
                                        : "a pool must follow a convolution",
                                diagnostic, "it cannot be trained through in integers");
        }
    }
    return STATUS_OK;
}

enum operators operators_needed(const struct sim_config *config, const struct network *network)
{
    const bool drops = config->mode == CONFIG_MODE_TRAIN && network_has_dropout(network);
    enum operators needed = drops ? OPERATORS_FEW : OPERATORS_NONE;
    for (size_t i = 0; i < network->layer_count; i++) {
        needed = more_of(needed, operators_in(&network->layer[i]));
    }
    return needed;
}

enum status operators_check(const struct sim_config *config, const struct network *network,
                            struct diagnostic *diagnostic)
{
    const bool trains = config->mode == CONFIG_MODE_TRAIN;
    const bool on_machine = config->backend == CONFIG_BACKEND_SPINNAKER;
    const struct network_layer *last = &network->layer[network->layer_count - 1];
    if (trains && config->train_loss == CONFIG_LOSS_COMPETITIVE && last->type != NETWORK_RBF) {
        return config_refuse(config, "train.loss", "use softmax_cross_entropy or square",
                             diagnostic,
                             "competitive is a loss of distances, and network %s does not end in "
                             "an rbf layer",
                             network->name);
    }
    return on_machine && trains ? check_pools(network, diagnostic) : STATUS_OK;
}
