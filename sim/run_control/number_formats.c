/* number_formats.c - see number_formats.h. */
#include "sim/run_control/number_formats.h"

#include "sim/networks/optimizer.h"

/* Of float32 alone: its update knows two rules, and its sums in parts would depend on who adds
 * first. */
static enum status check_float32(const struct sim_config *config, struct diagnostic *diagnostic)
{
    if (config->mode != CONFIG_MODE_TRAIN) {
        return STATUS_OK;
    }
    if (!optimizer_of(config->train_optimizer)->descends) {
        return config_refuse(
            config, "train.optimizer", "sgd or momentum; int16 and s16.15 have adam", diagnostic,
            "float32 learns without %s", config_optimizer_text(config->train_optimizer));
    }
    if (config->train_rounding == CONFIG_ROUNDING_STOCHASTIC) {
        return config_refuse(config, "train.rounding", "nearest; int16 and s16.15 have stochastic",
                             diagnostic, "float32 rounds to nearest always");
    }
    return STATUS_OK;
}

static enum status check_int8(const struct sim_config *config, struct diagnostic *diagnostic)
{
    if (config->mode == CONFIG_MODE_TRAIN) {
        return config_refuse(config, "network.number_format",
                             "train in int16: mode: infer makes int8 of its weights", diagnostic,
                             "int8 is for inference");
    }
    return STATUS_OK;
}

/* Checkpoints hold int16.  For what the machine has programs: sim/mapping/mappings.def. */
enum status number_formats_check(const struct sim_config *config, struct diagnostic *diagnostic)
{
    const enum config_number_format format = config->network_number_format;
    const bool trains = config->mode == CONFIG_MODE_TRAIN;
    if (format == CONFIG_NUMBER_FORMAT_INT8) {
        return check_int8(config, diagnostic);
    }
    if (format != CONFIG_NUMBER_FORMAT_S1615 && format != CONFIG_NUMBER_FORMAT_FLOAT32) {
        return STATUS_OK;
    }
    const char *name = config_number_format_text(format);
    if (trains && config->record_checkpoint_every_epochs > 0) {
        return config_refuse(config, "record.checkpoint_every_epochs",
                             "set it to 0, or network.number_format: int16", diagnostic,
                             "there are no checkpoints of a training in %s", name);
    }
    return format == CONFIG_NUMBER_FORMAT_FLOAT32 ? check_float32(config, diagnostic) : STATUS_OK;
}

static bool has_plain_activation(const struct network_layer *layer)
{
    return layer->activation == NETWORK_RELU || layer->activation == NETWORK_IDENTITY ||
           layer->activation == NETWORK_SOFTMAX;
}

/* The first layer that the format has no kernel for; NULL: none. */
static const struct network_layer *odd_one(const struct network *network, bool dense_only)
{
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        const bool known = dense_only
                               ? layer->type == NETWORK_DENSE
                               : layer->type == NETWORK_DENSE || layer->type == NETWORK_CONV2D ||
                                     layer->type == NETWORK_MAX_POOL2D;
        if (!known || !has_plain_activation(layer)) {
            return layer;
        }
    }
    return NULL;
}

static enum status refuse_layer(const struct sim_config *config, const struct network *network,
                                const struct network_layer *layer, const char *what,
                                struct diagnostic *diagnostic)
{
    return config_refuse(config, "network.number_format", "int16 has all layers", diagnostic,
                         "%s has %s only, and %s of network %s is none",
                         config_number_format_text(config->network_number_format), what,
                         layer->name, network->name);
}

enum status number_formats_use(const struct sim_config *config, struct network *network,
                               struct diagnostic *diagnostic)
{
    const enum config_number_format format = config->network_number_format;
    if (format == CONFIG_NUMBER_FORMAT_FLOAT32) {
        const struct network_layer *odd = odd_one(network, true);
        if (odd != NULL) {
            return refuse_layer(config, network, odd, "dense layers with ReLU", diagnostic);
        }
        network_use(network, NETWORK_FLOAT32);
    } else if (format == CONFIG_NUMBER_FORMAT_S1615) {
        network_use(network, NETWORK_S1615);
    } else if (format == CONFIG_NUMBER_FORMAT_INT8) {
        const struct network_layer *odd = odd_one(network, false);
        if (odd != NULL) {
            return refuse_layer(config, network, odd,
                                "convolutions, max pooling and dense layers with ReLU", diagnostic);
        }
    }
    return STATUS_OK;
}
