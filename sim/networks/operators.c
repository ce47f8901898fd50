/* operators.c - see operators.h. */
#include "sim/networks/operators.h"

/* What the kernels of s16.15 and most programs do not have. */
static bool is_operator(const struct network_layer *layer)
{
    return layer->type == NETWORK_AVERAGE_POOL2D || layer->activation == NETWORK_TANH ||
           layer->activation == NETWORK_SIGMOID || layer->links != NULL;
}

static enum status refuse_layer(const struct network *network, const struct network_layer *layer,
                                const char *what, const char *hint, struct diagnostic *diagnostic)
{
    (void)diagnose(diagnostic, STATUS_CONFIGURATION, "layer %s: %s", layer->name, what);
    diagnostic_at(diagnostic, network->path, layer->line, layer->column);
    diagnostic_key(diagnostic, layer->name);
    diagnostic_hint(diagnostic, "%s", hint);
    return STATUS_CONFIGURATION;
}

static enum status check_s1615(const struct network *network, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        if (is_operator(layer) || layer->padding > 0) {
            return refuse_layer(
                network, layer, "it cannot be computed in s16.15",
                "averages, subsampling, tanh, sigmoid, padding and links are there for "
                "int16 and float64",
                diagnostic);
        }
    }
    return STATUS_OK;
}

/* What the programs that train take for granted; the host says the rest. */
static enum status check_pools(const struct network *network, struct diagnostic *diagnostic)
{
    static const char HINT[] = "train it with backend: host, or move it behind a convolution";
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        if (network_is_pool(layer) && i == 0) {
            return refuse_layer(network, layer, "programs that train begin with weights", HINT,
                                diagnostic);
        }
        if (network_is_pool(layer) && network->layer[i - 1].type != NETWORK_CONV2D) {
            return refuse_layer(network, layer, "it cannot be trained through in integers",
                                "a pool must follow a convolution", diagnostic);
        }
        if (layer->type == NETWORK_AVERAGE_POOL2D && layer->stride < layer->kernel) {
            return refuse_layer(network, layer, "it cannot be trained through in integers",
                                "windows of an average must not overlap: stride >= size",
                                diagnostic);
        }
    }
    return STATUS_OK;
}

bool operators_needed(const struct network *network, bool trains)
{
    bool needed = trains && network_has_dropout(network);
    for (size_t i = 0; i < network->layer_count; i++) {
        needed = needed || is_operator(&network->layer[i]);
    }
    return needed;
}

enum status operators_check(const struct sim_config *config, const struct network *network,
                            struct diagnostic *diagnostic)
{
    const bool trains = config->mode == CONFIG_MODE_TRAIN;
    const bool on_machine = config->backend == CONFIG_BACKEND_SPINNAKER;
    enum status status = STATUS_OK;
    if (network->numbers == NETWORK_S1615) {
        status = check_s1615(network, diagnostic);
    }
    if (status == STATUS_OK && on_machine && trains) {
        status = check_pools(network, diagnostic);
    }
    if (status != STATUS_OK || !on_machine || !operators_needed(network, trains)) {
        return status;
    }
    if (trains && config->mapping_kind == CONFIG_MAPPING_KIND_NEURON_PER_CORE) {
        return config_refuse(
            config, "mapping.kind",
            "replica_per_core, replica_per_chip and neuron_blocks train with dropout, "
            "the first two with all that a network can have",
            diagnostic, "a core to each neuron has ReLU only, and leaves no outputs out");
    }
    if (trains && config->train_exchange == CONFIG_EXCHANGE_TREE) {
        return config_refuse(config, "train.exchange", "use rings", diagnostic,
                             "the program for this network has no room for trees");
    }
    return STATUS_OK;
}
