/* weights_origin.c - see weights_origin.h. */
#include "sim/run_control/weights_origin.h"

#include <math.h>
#include <string.h>

/* A configuration's path from the folder that holds configs/: the same in every checkout. */
static const char *path_in_checkout(const char *path)
{
    static const char CONFIGS[] = "configs/";
    const char *found = path;
    for (const char *at = strstr(path, CONFIGS); at != NULL; at = strstr(at + 1, CONFIGS)) {
        if (at == path || at[-1] == '/') {
            found = at;
        }
    }
    return found;
}

/* The command that makes these weights again; where it is too long, what of it has room. */
static void write_recipe(const struct sim_config *config, char *recipe, size_t capacity)
{
    (void)snprintf(recipe, capacity, "spinnsim run %s", path_in_checkout(config->file));
    for (size_t i = 0; i < config->set_count; i++) {
        const size_t used = strlen(recipe);
        (void)snprintf(recipe + used, capacity - used, " --set %s", config->sets[i]);
    }
}

void weights_sign(const struct job *job, struct outcome *outcome)
{
    struct weights_origin *origin = &outcome->trained.origin;
    (void)snprintf(origin->dataset, sizeof origin->dataset, "%s",
                   config_data_set_text(job->config->data_set));
    memcpy(origin->dataset_digest, job->train.digest_hex, sizeof origin->dataset_digest);
    write_recipe(job->config, origin->recipe, sizeof origin->recipe);
    origin->reference_accuracy =
        outcome->trained.float64 != NULL ? (double)outcome->right / outcome->result_count : NAN;
}
