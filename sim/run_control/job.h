/* job.h - everything a run works on, loaded and checked before anything is simulated or written. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/backends/backend_library.h"
#include "sim/config/config.h"
#include "sim/data/dataset.h"
#include "sim/dataflow/graph.h"
#include "sim/job_progress.h"
#include "sim/load/boot_rom.h"
#include "sim/load/elf_image.h"
#include "sim/networks/checkpoint.h"
#include "sim/networks/layer_table.h"
#include "sim/networks/network.h"
#include "sim/networks/weights.h"
#include "sim/run_control/events.h"
#include "sim/run_control/job_store.h"
C_LINKAGE_BEGIN

/* What runs on the monitor processors. */
enum job_service {
    JOB_SERVICE_NONE,
    JOB_SERVICE_REINJECTOR, /* run.reinjector */
    JOB_SERVICE_SYSTEM      /* stands in for SC&MP, for programs that are linked with SARK */
};

/* Bytes in a chip's memory, at an address of one of its cores. */
struct job_block {
    struct machine_core core;
    uint32_t address, count;
    uint8_t *bytes; /* the caller's */
};

/* Memory that programs (`app`) share with the host: written before they start, and read back when
 * all have ended. */
struct job_memory {
    const struct job_block *block;
    size_t block_count;
    uint32_t argument; /* of every program */
    uint32_t end;      /* of the SDRAM in use */
};

/* What a job uses instead of files, copied; NULL: the files. */
struct job_given {
    const struct dataset *train, *test;
    const void *parameters; /* a parameter block */
    bool classifies; /* a training on the machine that only tests these parameters: programs that
                        classify have room for small networks only */
    const struct job_memory *memory; /* not copied; NULL: none */
};

/* Options from the command line.  The caller owns the texts. */
struct job_options {
    const char *data_dir;         /* --data, or NULL */
    struct job_store *store;      /* of several jobs; NULL: this job reads its files itself */
    const char *workloads_folder; /* folder of the programs' ELF files */
    unsigned threads;             /* threads of the host, at least 1 */
    enum tier tier;               /* how guest code is executed; does not change results */
    uint64_t run_ahead;           /* models/common/run_ahead.h */
    struct job_given given;
    bool for_golden;     /* the outcome gets what a golden holds besides counts: digests of memory,
                            where functions spend their time */
    const char *resume;  /* a folder with a checkpoint, or NULL */
    const char *results; /* folder for checkpoints; NULL: none are written */
    /* Runs a machine up to a time: machine_run_until(), or a simulation kernel that calls it. */
    enum machine_stop (*run_until)(void *context, struct machine *machine, uint64_t time_ps);
    void *run_context;
    /* Called with each frame that leaves a board, see machine_observer.frame; NULL: nobody looks.
     */
    void (*frame)(void *context, struct machine_chip chip, const uint8_t *bytes, uint32_t count,
                  uint64_t time_ps);
    void *frame_context;
    /* Called from time to time with the run's progress; may be NULL.  Does not influence the
     * simulation. */
    void (*progress)(void *context, const struct job_progress *progress);
    void *progress_context;
    /* Called at the events of hook_events (a bit each), see events.h; NULL: nobody listens.  What
     * it returns matters at the checks. */
    bool (*hook)(void *context, const struct job_event *event);
    void *hook_context;
    uint32_t hook_events;
};

struct job_program {
    struct elf_image image;
    char name[64];   /* as in result files */
    const char *way; /* in which it has been linked (program_way()); NULL: it was not */
    char digest[SHA256_HEX_CHARS];
};

/* Digests that are equal for runs of the same simulation: SHA-256 in hexadecimal. */
struct job_identity {
    char sim_hash[SHA256_HEX_CHARS]; /* the simulated system: keys, programs, network, weights, data
                                      */
    char energy_hash[SHA256_HEX_CHARS]; /* the coefficients */
};

struct job {
    const struct sim_config *config; /* the caller's; with mapping.kind: auto, `chosen` */
    struct sim_config *chosen;       /* a copy that says the mapping; NULL: the caller's says it */
    struct job_options options;
    bool has_network;
    struct network network;
    struct nn_table *table;
    struct weights weights;                 /* empty if they are to be trained */
    struct dataset train, test, validation; /* validation: empty without data.validation_images */
    struct dataset classified;              /* what the machine classifies in a test: the images of
                                               `test`, then those of `validation` */
    bool resumes;                           /* the training continues from `checkpoint` */
    struct checkpoint checkpoint;
    const struct spinnsim_backend *operations; /* that a training on the host asks for; NULL: it has
                                                  loops of its own */
    struct backend_library library;            /* of backend: library */
    uint32_t without;                          /* capabilities that run.without switches off */
    struct job_program *program; /* one for a network, one for each app entry; none for the host */
    size_t program_count;
    bool ships_program; /* of job_ship_program() */
    bool tight;         /* of a training's plan (struct plan_request) */
    struct dataflow_graph graph; /* of `dataflow`; graph.name NULL: none */
    enum job_service service;
    struct job_program monitor; /* of the service */
    struct boot_rom *boot_rom;  /* of run.boot: rom, else NULL */
    struct job_identity identity;
};

/* Whether the machine executes only a sample of a training's updates (run.sample); the host always
 * trains all. */
bool job_is_sampled(const struct sim_config *config);

/* Loads and checks everything.  STATUS_CONFIGURATION with file, key, message and hint; the job is
 * then empty. */
enum status job_prepare(struct job *job, const struct sim_config *config,
                        const struct job_options *options, struct diagnostic *diagnostic);
/* Links only the program of a network on the machine, and keeps it with the parts
 * (program_ship()).  mapping.kind: auto is refused, as its choice needs the data. */
enum status job_ship_program(struct job *job, const struct sim_config *config,
                             const struct job_options *options, struct diagnostic *diagnostic);
void job_deinit(struct job *job);

/* For job_options.run_until: machine_run_until() without a simulation kernel. */
enum machine_stop job_run_plain(void *context, struct machine *machine, uint64_t time_ps);

/* Part of job_prepare(): coefficients and counters of the model agree.  STATUS_CONFIGURATION with
 * file and key. */
enum status job_check_energy(const struct sim_config *config, struct diagnostic *diagnostic);

/* Part of job_prepare() (identity.c): fills job->identity. sim_hash covers the configuration except
 * names, records, bounds and coefficients; the programs as loaded; the layer table; the parameters;
 * the images. energy_hash covers the coefficients.  STATUS_INTERNAL when out of memory. */
enum status job_identify(struct job *job, struct diagnostic *diagnostic);

/* Part of job_prepare(): STATUS_CONFIGURATION when a machine of `chips` chips cannot fit into the
 * host's memory. */
enum status job_check_memory(const struct sim_config *config, size_t chips, uint64_t host_bytes,
                             struct diagnostic *diagnostic);

C_LINKAGE_END
