/* outcome.h - results of a run: everything that goes into its result folder, as plain data.  A
 * backend fills the outcome, the recorder writes it.  Only the fields from `wall_seconds` to
 * `native` depend on the host. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/energy/energy.h"
#include "models/machine/machine.h"
#include "sim/data/sha256.h"
#include "sim/mapping/data_input.h"
#include "sim/mapping/load_plan.h"
#include "sim/networks/checkpoint.h"
#include "sim/networks/weights.h"
#include "sim/run_control/core_profile.h"
#include "sim/run_control/phase_marks.h"
C_LINKAGE_BEGIN

enum outcome_end {
    OUTCOME_DONE,         /* every program has ended */
    OUTCOME_GUEST_FAILED, /* a program failed, or waits for an event that cannot happen */
    OUTCOME_LIMIT         /* run.simulated_time_limit */
};
const char *outcome_end_text(enum outcome_end end);

struct outcome_counter {
    char component[16];
    uint8_t x, y;
    int16_t instance; /* -1: the chip's */
    const struct counter_info *info;
    uint64_t value;
};

/* A core's place in the mapping, for placement.csv. */
struct outcome_core {
    struct machine_core core;
    uint32_t virtual_core;
    char role[64];
    char layer[64]; /* part of the network that the core computes */
    uint32_t itcm_bytes, dtcm_bytes;
    uint64_t macs;
    uint32_t stack_end; /* the lowest address of the program's stack */
    uint32_t lowest_sp; /* the lowest stack pointer; UINT32_MAX: the program has none */
    char overrun[64];   /* what lies at lowest_sp, if that is below stack_end; else "" */
    bool service;       /* runs as long as the machine does; the run does not wait for its end */
};

/* A core whose program has not ended, for waits.csv. */
enum wait_rank { WAIT_RANK_FAILED, WAIT_RANK_LOST_KEY, WAIT_RANK_KEY, WAIT_RANK_OTHER };
struct outcome_wait {
    size_t of; /* the core: index in outcome->core */
    enum wait_rank rank;
    uint32_t round;   /* round of the key that it waits for */
    char state[16];   /* "asleep", "blocked", "running", "off", "error 13" */
    char lets_in[96]; /* interrupts that it lets in */
    uint32_t pc;
    char symbol[64];
    char waits_for[192]; /* "" if it can continue */
};

/* One line of learning.csv. */
struct outcome_learning {
    uint64_t update, epoch, images;
    double seconds, loss, accuracy; /* loss and accuracy of the batch or the test; NAN: not known */
    double validation_loss, validation_accuracy; /* NAN: not a test, or no validation images */
    struct energy_joules joules;                 /* since the first command; NAN: not known */
};

/* One epoch of a training on the machine, without its test. */
struct outcome_epoch {
    uint64_t time_ps;
    struct energy_joules joules;
};

/* One line of sampled.csv: what an update of a whole batch takes, by those of a sample, and what an
 * epoch does by them. */
struct outcome_sampled {
    char quantity[64];
    const char *unit;
    double update, epoch;
    double update_low, update_high; /* its interval of confidence, as the next two */
    double epoch_low, epoch_high;
};

/* A training of which the machine has executed a sample (run.sample); all zero: it executed all. */
struct outcome_sample {
    uint32_t updates, of, places; /* updates executed, of how many, at how many places */
    uint32_t unused;
    struct outcome_sampled *row; /* [0]: seconds, [1]: joules; owned */
    size_t rows;
};

/* What the whole machine has counted in each stage: of a training at the ends of its commands,
 * where all parts are at the same time; of another network what cores caused (the first core of a
 * test begins it, while others load). */
struct outcome_stage_sum {
    char component[16];
    const struct counter_info *info;
    uint64_t of[STAGES];
    uint64_t epochs; /* in the epochs of outcome->epoch */
};

/* Core time over all started cores, in cycles of the core clock: the five add up to active +
 * asleep. */
struct outcome_core_time {
    uint64_t compute, bus_stall, dma_wait, packet_wait, idle;
};

/* What a stage does on the machine: images deformed, images that earlier networks look at, the
 * training, the tests. */
enum outcome_part { OUTCOME_DEFORM, OUTCOME_LOOK, OUTCOME_TRAIN, OUTCOME_TEST, OUTCOME_PARTS };

struct outcome_cost { /* NAN: on the host */
    double seconds;   /* machine time */
    struct energy_joules joules;
};

/* One line of stages.csv: a network trained on the images that its filter has kept. */
struct outcome_stage {
    const char *name, *network; /* the configuration's */
    uint64_t looked_at;         /* images of the stream */
    uint64_t found;             /* of them: errors, or without agreement; without a filter: all */
    uint64_t kept, updates;
    double accuracy; /* of this network alone, all test images */
    struct outcome_cost cost[OUTCOME_PARTS];
    uint64_t dropped_packets; /* of all its jobs */
};

/* Sums over all chips' reinjectors, see workloads/nn/reinjector_note.h. */
struct outcome_reinjector {
    uint64_t dropped, missed, sent, partial, refused, queued;
};

/* Numeric events of an integer training, over all its images and updates. */
struct outcome_training {
    uint64_t saturations, overflows; /* of activations and sums in the forward pass */
    uint64_t error_saturations;      /* in the backward pass */
    uint64_t weight_saturations;     /* of parameters and of optimizer state */
    uint32_t largest_sum; /* largest magnitude of a sum of gradients; 0: nothing was trained */
    uint32_t unused;
};

/* Digests of memory: of the pages of a chip's SDRAM or System RAM that programs have written, or of
 * all the memories of a started core. */
enum outcome_memory_kind { OUTCOME_SDRAM, OUTCOME_SYSTEM_RAM, OUTCOME_CORE_MEMORY };
enum { OUTCOME_MEMORY_BLOCKS = 9 };
struct outcome_memory {
    uint8_t x, y;
    uint8_t kind;  /* enum outcome_memory_kind */
    uint8_t count; /* of blocks */
    int32_t core;  /* OUTCOME_CORE_MEMORY: its physical number; else -1 */
    struct {
        uint32_t address; /* where the block begins; of written pages only */
        uint32_t digest;  /* the first 32 bits of SHA-256 */
    } block[OUTCOME_MEMORY_BLOCKS];
};

/* Rows of the result files whose file in sim/results/files declares them. */
#define OWN(identifier, name, meaning, when) struct outcome_##identifier {
#define FIELD(type, member, unit, meaning)   type member;
#define CHARS(bytes, member, unit, meaning)  char member[bytes];
#define OWN_END                                                                                    \
    }                                                                                              \
    ;
#include "tables/result_files.def"

struct outcome {
    enum outcome_end end;
    char failure[512]; /* for a guest that failed: chip, core, pc, symbol, address */

    uint32_t chips, boards, cores_used;
    uint64_t time_ps;
    uint64_t stage_ps[STAGES]; /* durations */
    uint64_t core_hz;

    /* By component, name, x, y, instance.  What has no row is 0 (record.zero_counts). */
    struct outcome_counter *counter;
    size_t counter_count;
    struct phase phase[PHASES_MAX];
    unsigned phase_count;
    struct phase_sum phase_sum[STAGES][PHASES_MAX];
    struct outcome_stage_sum *stage_sum; /* owned; what is in none belongs to the stage `run` */
    size_t stage_sum_count, stage_sum_room;
    struct outcome_core_time core_time;

    struct outcome_core *core;
    size_t core_count;
    uint32_t sdram_bytes_used; /* peak use, according to the plan */

    /* networks */
    const uint8_t *labels; /* the data set's */
    uint32_t classes;      /* of the network */
    struct nn_result *result;
    bool has_logits; /* results carry integer logits */
    uint32_t result_count;
    uint32_t right;            /* number of results with the right label */
    uint32_t validation_count; /* images for validation, which each test classifies, too */
    double loss;               /* mean cross-entropy of the test; NAN: not known */
    double reference_accuracy; /* of the same network in float64, same images; NAN: not known */
    struct weights trained;    /* block NULL: nothing was trained */
    struct load_plan_tensor *tensor;
    size_t tensor_count;
    struct routing routing; /* the keys in use; empty: not known */
    struct machine_traffic *traffic;
    size_t traffic_count;
    uint64_t saturations, overflows;
    uint64_t updates, images_trained;
    uint64_t images_before; /* of images_trained: those before the checkpoint from which this run
                               continued without what it had counted */
    uint32_t epochs_before; /* the same in epochs; 0: this run's results are those of the whole */
    struct outcome_training training;
    struct outcome_learning *learning;
    size_t learning_count;
    double estimated_images_s; /* of mapping.kind: auto, machine time to classify the images by its
                                  estimate; 0: there is none */
    double estimated_update_s; /* machine time of an update by its estimate; 0: there is none */
    struct outcome_epoch *epoch;
    size_t epoch_count;
    struct outcome_stage *stage;
    size_t stage_count;
    struct outcome_sample sample;
    double operations_seconds, operations_joules; /* of operations.csv: what a backend says of
                                                     itself; NAN: nothing */
    uint32_t tests; /* over all test images; 0: one, of result_count images */

    struct data_input input; /* of a network's images; all zero: none */
    uint64_t late_interrupts, guest_errors;
    struct machine_unmodelled *unmodelled;
    size_t unmodelled_count;
    struct machine_drop *drop; /* lost packets, in the order of time */
    size_t drop_count;
    uint64_t drops_unrecorded;
    bool has_reinjector;
    struct outcome_reinjector reinjector;
    struct outcome_wait *wait;
    size_t wait_count;
    struct core_profile_row *profile; /* record.profile_cycles */
    size_t profile_count;
    struct timeline *timeline; /* record.timeline; owned; NULL: there is none */
    char *trace;               /* record.trace: a text; owned; NULL: there is none */
    size_t trace_bytes;
    struct outcome_memory *memory; /* job_options.for_golden; owned */
    size_t memory_count, memory_room;

    bool unsaved; /* the run has ended before run.save_at or the like */

    char *console; /* console.txt */
    size_t console_bytes;
    char stats_hash[65];

    double wall_seconds;
    double run_seconds; /* part of wall_seconds spent simulating the machine; 0: no machine */
    unsigned threads;
    enum tier tier;
    struct machine_native native;

    /* Rows of OWN tables, owned: a pointer <identifier>, a number <identifier>_count. */
#define OWN(identifier, name, meaning, when)                                                       \
    struct outcome_##identifier *identifier;                                                       \
    size_t identifier##_count, identifier##_room;
#include "tables/result_files.def"
};

/* Adds the results, as the network's programs write them, to a hash. */
void outcome_hash_results(const struct outcome *outcome, struct sha256 *hash);

void outcome_deinit(struct outcome *outcome);

/* outcome_add_<identifier>(): adds a row to an OWN table; false when out of memory. */
#define OWN(identifier, name, meaning, when)                                                       \
    bool outcome_add_##identifier(struct outcome *outcome, const struct outcome_##identifier *row);
#include "tables/result_files.def"

/* Adds a line of learning.csv; false when out of memory. */
bool outcome_add_learning(struct outcome *outcome, const struct outcome_learning *row);

/* Whether a training must end early, by the accuracies of its validations: one has come to `target`
 * (0: no target), or `patience` epochs (0: no limit) have passed since the last one that was better
 * than all before it. */
bool outcome_is_enough(const struct outcome *outcome, uint64_t epochs_done, uint64_t patience,
                       double target);

/* Share of the validation images classified rightly in the last test; NAN: there was none. */
double outcome_validation_accuracy(const struct outcome *outcome);

/* Copy rows of learning.csv, updates, images and numeric events to a checkpoint, and back into an
 * empty outcome.  False when out of memory. */
bool outcome_save(const struct outcome *outcome, struct checkpoint *checkpoint);
bool outcome_restore(struct outcome *outcome, const struct checkpoint *checkpoint);

/* Fills outcome->trained.origin: where trained weights come from, with the command that makes the
 * same ones again. */
struct job;
void outcome_sign_weights(struct outcome *outcome, const struct job *job);

/* The value for joules that are not known. */
struct energy_joules outcome_no_joules(void);

/* Adds to what a stage has counted; false when out of memory. */
bool outcome_add_stage_sum(struct outcome *outcome, enum stage stage, const char *component,
                           const struct counter_info *info, uint64_t value);

/* Adds the counters, times and phases of one run on the machine to those of several on the same
 * machine; tests of a run that classifies for others (`looks`) count as the stage `run`.  False
 * when out of memory, or when the machines differ. */
bool outcome_add_run(struct outcome *whole, const struct outcome *run, bool looks);

/* Sums over the rows of operations.csv; elements are those of operations that move no bytes. */
enum outcome_operation_sum {
    OPERATION_CALLS,
    OPERATION_ELEMENTS,
    OPERATION_BYTES,
    OPERATION_FALLBACKS
};
uint64_t outcome_operation_sum(const struct outcome *outcome, enum outcome_operation_sum of);

/* Sum of a counter over all parts of the machine; 0 when there is no counter of that name. */
uint64_t outcome_sum(const struct outcome *outcome, const char *component, const char *counter);

/* Number of packets, of all types, of which a router dropped a copy. */
uint64_t outcome_dropped_packets(const struct outcome *outcome);

C_LINKAGE_END
