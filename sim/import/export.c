/* export.c - see export.h. */
#include "sim/import/export.h"

#include "sim/config/config.h"
#include "sim/file.h"
#include "sim/import/keras_write.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char TRAINED[] = "weights.npz"; /* of a result folder */

/* The file of an experiment, or the configuration of a result folder. */
static char *config_path(const char *from)
{
    return file_is_folder(from) ? file_join(from, "config.yaml") : strdup(from);
}

/* A file that an experiment names. A result folder lies elsewhere than its experiment: then this
 * folder is looked in, too. */
static enum status find_file(const struct sim_config *config, const char *from, const char *key,
                             const char *file, char **path, struct diagnostic *diagnostic)
{
    if (!file_is_folder(from)) {
        return config_find_file(config, key, file, path, diagnostic);
    }
    if (access(file, F_OK) == 0) {
        *path = strdup(file);
        return *path == NULL ? no_memory(diagnostic) : STATUS_OK;
    }
    const enum status status = config_find_file(config, key, file, path, diagnostic);
    if (status == STATUS_CONFIGURATION) {
        return config_refuse(config, key,
                             "run spinnsim export in the folder of the experiment, which has it",
                             diagnostic, "cannot find %s of these results", file);
    }
    return status;
}

static enum status load_network(struct exported *exported, const struct sim_config *config,
                                const char *from, struct diagnostic *diagnostic)
{
    FREED char *relative = file_print("networks/%s.yaml", config->network_name);
    FREED char *path = NULL;
    if (relative == NULL) {
        return no_memory(diagnostic);
    }
    if (config->network_name[0] == '\0' ||
        (config->network_number_format != CONFIG_NUMBER_FORMAT_INT16 &&
         config->network_number_format != CONFIG_NUMBER_FORMAT_INT8)) {
        return config_refuse(config, "network.number_format", "int16", diagnostic,
                             "only networks of int16 can be exported");
    }
    TRY(find_file(config, from, "network.name", relative, &path, diagnostic));
    TRY(network_load(path, &exported->network, diagnostic));
    return layer_table_make(&exported->network, &exported->table, diagnostic);
}

/* A training's weights in its result folder; else those that the experiment or the network names.
 */
static enum status find_weights(const struct exported *exported, const struct sim_config *config,
                                const char *from, char **path, struct diagnostic *diagnostic)
{
    const struct network *network = &exported->network;
    if (file_is_folder(from) && file_is_in(from, TRAINED)) {
        *path = file_join(from, TRAINED);
        return *path == NULL ? no_memory(diagnostic) : STATUS_OK;
    }
    if (config->network_weights[0] != '\0') {
        return find_file(config, from, "network.weights", config->network_weights, path,
                         diagnostic);
    }
    const char *name = config->data_set == CONFIG_DATA_SET_MNIST ? network->weights_mnist
                                                                 : network->weights_synthetic;
    if (name == NULL) {
        return file_refuse(from, "name a result folder of a training, or network.weights",
                           diagnostic, "network %s names no weights", network->name);
    }
    *path = file_print("%.*s%s", (int)(file_name_of(network->path) - network->path), network->path,
                       name);
    return *path == NULL ? no_memory(diagnostic) : STATUS_OK;
}

static enum status load(struct exported *exported, const struct sim_config *config,
                        const char *from, struct diagnostic *diagnostic)
{
    FREED char *path = NULL;
    TRY(load_network(exported, config, from, diagnostic));
    TRY(find_weights(exported, config, from, &path, diagnostic));
    TRY(weights_read(&exported->weights, path, &exported->network, exported->table, diagnostic));
    if (config->mode == CONFIG_MODE_TRAIN) {
        exported->network.logit_factor = 1; /* a training takes the sums as they are */
    }
    return STATUS_OK;
}

enum status export_load(struct exported *exported, const char *from, const char *configs_folder,
                        struct diagnostic *diagnostic)
{
    RELEASED(config_deinit) struct sim_config config = {0};
    FREED char *path = config_path(from);
    *exported = (struct exported){0};
    if (path == NULL) {
        return no_memory(diagnostic);
    }
    const struct config_request request = {.path = path, .configs_folder = configs_folder};
    TRY(config_load(&request, &config, diagnostic));
    const enum status status = load(exported, &config, from, diagnostic);
    if (status != STATUS_OK) {
        export_deinit(exported);
    }
    return status;
}

enum status export_keras_weights(const struct exported *exported, const char *path,
                                 struct diagnostic *diagnostic)
{
    const struct network *network = &exported->network;
    FREED double *parameters = calloc(network_parameters(network) + 1, sizeof *parameters);
    if (parameters == NULL) {
        return no_memory(diagnostic);
    }
    weights_reals(network, exported->table, exported->weights.block, parameters);
    return keras_export(path, network, parameters, diagnostic);
}

void export_deinit(struct exported *exported)
{
    network_deinit(&exported->network);
    weights_deinit(&exported->weights);
    free(exported->table);
    *exported = (struct exported){0};
}
