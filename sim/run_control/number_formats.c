/* number_formats.c - see number_formats.h. */
#include "sim/run_control/number_formats.h"

#include "sim/networks/operators.h"
#include "sim/networks/optimizer.h"

/* Restrictions of float32: it supports two update rules, and its sums in parts would depend on the
 * order of addition. */
static enum status check_float32(const struct sim_config *config, struct diagnostic *diagnostic)
{
    if (config->mode != CONFIG_MODE_TRAIN) {
        return STATUS_OK;
    }
    if (!optimizer_of(config->train_optimizer)->descends) {
        return config_refuse(config, "train.optimizer",
                             "sgd or momentum; int16 and s16.15 have the others", diagnostic,
                             "float32 learns without %s",
                             config_optimizer_text(config->train_optimizer));
    }
    if (config->train_rounding == CONFIG_ROUNDING_STOCHASTIC) {
        return config_refuse(config, "train.rounding", "nearest; int16 and s16.15 have stochastic",
                             diagnostic, "float32 rounds to nearest always");
    }
    return STATUS_OK;
}

/* Checkpoints hold int16 values only.  For the machine's programs see sim/mapping/rows.h. */
enum status number_formats_check(const struct sim_config *config, struct diagnostic *diagnostic)
{
    const enum config_number_format format = config->network_number_format;
    const char *name = config_number_format_text(format);
    if (config->mode != CONFIG_MODE_TRAIN || format == CONFIG_NUMBER_FORMAT_FLOAT64) {
        return STATUS_OK;
    }
    if (!NUMBER_FORMAT[format].trains) {
        return config_refuse(config, "network.number_format",
                             "train in int16: mode: infer makes the others of its weights",
                             diagnostic, "%s is for inference", name);
    }
    const bool every = config->record_checkpoint_every_epochs > 0;
    if (format != CONFIG_NUMBER_FORMAT_INT16 && (every || config->record_last_checkpoint)) {
        return config_refuse(config,
                             every ? "record.checkpoint_every_epochs" : "record.last_checkpoint",
                             "set it to 0, or network.number_format: int16", diagnostic,
                             "there are no checkpoints of a training in %s", name);
    }
    return format == CONFIG_NUMBER_FORMAT_FLOAT32 ? check_float32(config, diagnostic) : STATUS_OK;
}

/* The first layer for which the format has no kernel; NULL: none. */
static const struct network_layer *odd_one(const struct network *network,
                                           const struct number_format *format)
{
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        if ((layer->type != NETWORK_DENSE && !format->convolves) ||
            (operators_in(layer) && !format->operators) ||
            (i > 0 && layer->padding > 0 && !format->pads)) {
            return layer;
        }
    }
    return NULL;
}

enum status number_formats_use(const struct sim_config *config, struct network *network,
                               struct diagnostic *diagnostic)
{
    const enum config_number_format format = config->network_number_format;
    if (format == CONFIG_NUMBER_FORMAT_FLOAT64) {
        return STATUS_OK;
    }
    const struct number_format *row = &NUMBER_FORMAT[format];
    const struct network_layer *odd = odd_one(network, row);
    if (odd != NULL) {
        return config_refuse(config, "network.number_format", "int16 and float64 have all layers",
                             diagnostic,
                             "%s has %s%sdense layers with ReLU only, and %s of network "
                             "%s is none",
                             row->text, row->convolves ? "convolutions" : "",
                             !row->convolves ? ""
                             : row->pads     ? ", max pooling and "
                                             : " without padding but the first, max pooling and ",
                             odd->name, network->name);
    }
    if (format != CONFIG_NUMBER_FORMAT_INT8) {
        network_use(network, (enum network_numbers)format);
    }
    return STATUS_OK;
}
