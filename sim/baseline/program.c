/* program.c - see program.h. */
#include "sim/baseline/program.h"

#include "sim/networks/optimizer.h"
#include "sim/networks/weights.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

static const struct baseline_program *const PROGRAMS[] = {
#define PROGRAM(NAME, name) &BASELINE_##NAME,
#include "sim/baseline/programs.def"
    NULL};

const struct baseline_program *const *baseline_programs(void)
{
    return PROGRAMS;
}

const struct baseline_program *baseline_program_of(const char *name)
{
    for (size_t i = 0; PROGRAMS[i] != NULL; i++) {
        if (strcmp(PROGRAMS[i]->name, name) == 0) {
            return PROGRAMS[i];
        }
    }
    return NULL;
}

struct dataset baseline_share(const struct exchange *exchange, const struct dataset *images)
{
    const uint32_t first = share_first(images->count, exchange->members, exchange->rank);
    struct dataset share = *images;
    share.count = share_first(images->count, exchange->members, exchange->rank + 1) - first;
    share.images += (size_t)first * DATASET_PIXELS;
    share.labels += first;
    return share;
}

struct copy {
    const struct baseline_work *work;
    double *to;
};

static enum status copy_part(void *context, const struct weights_part *part)
{
    const struct copy *copy = context;
    for (size_t i = 0; i < part->count; i++) {
        copy->to[part->float64_at + i] =
            weights_real(&copy->work->job->network, copy->work->initial, part->block_at + i);
    }
    return STATUS_OK;
}

enum status baseline_initial(const struct baseline_work *work, double **parameters,
                             struct diagnostic *diagnostic)
{
    const struct job *job = work->job;
    *parameters = calloc(network_parameters(&job->network), sizeof **parameters);
    if (*parameters == NULL) {
        return no_memory(diagnostic);
    }
    struct copy copy = {work, *parameters};
    return weights_each_part(&job->network, job->table, copy_part, &copy);
}

double baseline_rate(const struct sim_config *config)
{
    const bool mean = optimizer_of(config->train_optimizer)->descends &&
                      config->train_reduction == CONFIG_REDUCTION_MEAN;
    return config->train_learning_rate / (mean ? (double)config->train_global_batch : 1);
}
