/* identity.c - see job.h: hashes that are equal for runs of the same simulated system. */
#include "sim/run_control/dataflow_app.h"
#include "sim/run_control/job.h"

#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>

static void finish(struct sha256 *hash, char *hex)
{
    uint8_t digest[SHA256_BYTES];
    sha256_final(hash, digest);
    sha256_hex(digest, hex);
}

static enum status add_configuration(struct sha256 *hash, const struct sim_config *config,
                                     enum config_part part, struct diagnostic *diagnostic)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = config_canonical(config, part, stream);
    if (fclose(stream) != 0 || text == NULL || status != STATUS_OK) {
        free(text);
        return no_memory(diagnostic);
    }
    sha256_update(hash, text, size);
    free(text);
    return STATUS_OK;
}

static void add_dataset(struct sha256 *hash, const struct dataset *dataset)
{
    sha256_update(hash, dataset->digest, dataset->count == 0 ? 0 : sizeof dataset->digest);
}

enum status job_identify(struct job *job, struct diagnostic *diagnostic)
{
    struct sha256 hash;
    sha256_init(&hash);
    TRY(add_configuration(&hash, job->config, CONFIG_PART_SIMULATION, diagnostic));
    for (size_t i = 0; i < job->program_count; i++) {
        sha256_update(&hash, job->program[i].digest, sizeof job->program[i].digest);
    }
    if (job->service != JOB_SERVICE_NONE) {
        sha256_update(&hash, job->monitor.digest, sizeof job->monitor.digest);
    }
    if (job->boot_rom != NULL) {
        sha256_update(&hash, job->boot_rom->bytes, job->boot_rom->count);
    }
    if (job->table != NULL) {
        sha256_update(&hash, job->table, job->table->bytes);
    }
    if (job->table != NULL && job->weights.block != NULL) {
        sha256_update(&hash, job->weights.block, weights_block_bytes(&job->network, job->table));
    }
    if (job->weights.float64 != NULL &&
        job->config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64) {
        sha256_update(&hash, job->weights.float64,
                      network_parameters(&job->network) * sizeof *job->weights.float64);
    }
    dataflow_app_hash(&job->graph, &hash);
    add_dataset(&hash, &job->train);
    add_dataset(&hash, &job->test);
    add_dataset(&hash, &job->validation);
    finish(&hash, job->identity.sim_hash);
    sha256_init(&hash);
    TRY(add_configuration(&hash, job->config, CONFIG_PART_ENERGY, diagnostic));
    finish(&hash, job->identity.energy_hash);
    return STATUS_OK;
}
