/* operators.c - see operators.h. */
#include "sim/mapping/operators.h"

static enum status refuse(const struct sim_config *config, const char *key, const char *what,
                          const char *hint, struct diagnostic *diagnostic)
{
    const struct config_place place = config_place_of(config, key);
    (void)diagnose(diagnostic, STATUS_CONFIGURATION, "%s", what);
    diagnostic_at(diagnostic, place.file, place.line, place.column);
    diagnostic_key(diagnostic, key);
    diagnostic_hint(diagnostic, "%s", hint);
    return STATUS_CONFIGURATION;
}

bool operators_needed(const struct network *network, bool trains)
{
    return trains && network_has_dropout(network);
}

enum status operators_check(const struct sim_config *config, const struct network *network,
                            struct diagnostic *diagnostic)
{
    const bool trains = config->mode == CONFIG_MODE_TRAIN;
    if (config->backend != CONFIG_BACKEND_SPINNAKER || !operators_needed(network, trains)) {
        return STATUS_OK;
    }
    if (config->mapping_kind == CONFIG_MAPPING_KIND_NEURON_PER_CORE) {
        return refuse(config, "mapping.kind", "a core to each neuron leaves no outputs out",
                      "replica_per_core, replica_per_chip and neuron_blocks train with dropout",
                      diagnostic);
    }
    if (trains && config->train_exchange == CONFIG_EXCHANGE_TREE) {
        return refuse(config, "train.exchange",
                      "the program for this network has no room for trees", "use rings",
                      diagnostic);
    }
    return STATUS_OK;
}
