/* job.h - everything a run works on, loaded and checked before anything is simulated or written. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/config/config.h"
#include "sim/data/dataset.h"
#include "sim/job_progress.h"
#include "sim/load/elf_image.h"
#include "sim/networks/checkpoint.h"
#include "sim/networks/layer_table.h"
#include "sim/networks/network.h"
#include "sim/networks/weights.h"
C_LINKAGE_BEGIN

/* What the command line says beside the configuration.  Texts are the caller's. */
struct job_options {
    const char *data_dir;         /* --data, or NULL */
    const char *workloads_folder; /* where the programs lie */
    unsigned threads;             /* of the host, at least 1 */
    enum tier tier;               /* how cores execute; no result depends on it */
    uint64_t run_ahead;           /* models/common/run_ahead.h */
    const char *resume;           /* a folder with a checkpoint, or NULL */
    const char *results;          /* where checkpoints go; NULL: none are written */
    /* Runs a machine up to a time: machine_run_until, or a simulation kernel around it. */
    enum machine_stop (*run_until)(void *context, struct machine *machine, uint64_t time_ps);
    void *run_context;
    /* Told now and then how far a run has come; NULL: nobody listens.  Nothing that is simulated
     * depends on it. */
    void (*progress)(void *context, const struct job_progress *progress);
    void *progress_context;
};

struct job_program {
    struct elf_image image;
    char name[64]; /* as in result files */
    char digest[SHA256_HEX_CHARS];
    bool own_table; /* of a network: its layer table is compiled in */
};

/* What makes two runs the same: SHA-256 in hexadecimal. */
struct job_identity {
    char sim_hash[SHA256_HEX_CHARS]; /* the simulated system: keys, programs, network, weights, data
                                      */
    char energy_hash[SHA256_HEX_CHARS]; /* the coefficients */
};

struct job {
    const struct sim_config *config; /* the caller's */
    struct job_options options;
    bool has_network;
    struct network network;
    struct nn_table *table;
    struct weights weights; /* none when they are to be trained */
    struct dataset train, test;
    bool resumes; /* from the checkpoint */
    struct checkpoint checkpoint;
    struct job_program *program; /* one for a network, one for each app entry; the host has none */
    size_t program_count;
    bool has_reinjector;
    struct job_program reinjector;
    struct job_identity identity;
};

/* Loads and checks.  STATUS_CONFIGURATION with the usual message; the job is then empty. */
enum status job_prepare(struct job *job, const struct sim_config *config,
                        const struct job_options *options, struct diagnostic *diagnostic);
void job_deinit(struct job *job);

/* Part of it (identity.c): fills job->identity.  sim_hash: the configuration but names, records,
 * bounds and coefficients; the programs as loaded; the layer table; the parameters; the images.
 * energy_hash: the coefficients.  STATUS_INTERNAL when out of memory. */
enum status job_identify(struct job *job, struct diagnostic *diagnostic);

/* Part of it: STATUS_CONFIGURATION when a machine of so many chips cannot fit into a host's memory.
 */
enum status job_check_memory(const struct sim_config *config, size_t chips, uint64_t host_bytes,
                             struct diagnostic *diagnostic);

C_LINKAGE_END
