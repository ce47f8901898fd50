/* spinnsim.h - spinnsim as a library: an experiment is opened, run to a time or to an event, looked
 * at while it stands, and closed.
 *
 * A process may have several experiments, which share nothing.  An experiment belongs to one thread
 * at a time.  Between two calls it stands; looking at it changes no result, and neither does how a
 * run is divided into calls.  The SystemC kernel is not needed.
 *
 * Functions that can fail return 0 (SPINNSIM_OK) or the reason, which is the exit status of the
 * program spinnsim for the same failure, and fill *error unless it is NULL.  Nothing is printed;
 * the process ends only where memory runs out in the middle of a run.
 *
 * This header includes nothing of the simulator. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SPINNSIM_PUBLIC __attribute__((visibility("default")))
#else
#define SPINNSIM_PUBLIC
#endif

struct spinnsim; /* an experiment */

enum spinnsim_status {
    SPINNSIM_OK,
    SPINNSIM_INTERNAL,      /* a fault of the simulator, or out of memory */
    SPINNSIM_CONFIGURATION, /* what was given is wrong */
    SPINNSIM_GUEST,         /* a program on the machine failed */
    SPINNSIM_LIMIT,         /* a stated limit was reached, or the caller has ended the run */
    SPINNSIM_REJECTED       /* a result is outside `accept` */
};

/* Why a call failed: the place in a file (line and column from 1; 0: none), the key or the array,
 * what is wrong, and what to do ("": nothing is known). */
struct spinnsim_error {
    char file[512], key[128], text[768], hint[768];
    int line, column;
};

/* "0.3.0". */
SPINNSIM_PUBLIC const char *spinnsim_version(void);

/* ---- opening ---- */

/* All may be NULL or 0.  The texts are copied. */
struct spinnsim_options {
    const char *configs;    /* folder of configs/; NULL: as installed with the library, or built */
    const char *workloads;  /* folder of the ARM programs; NULL: the same */
    const char *data;       /* folder of MNIST's files (--data) */
    const char *const *set; /* "key=value", each overrides a key of the file */
    size_t set_count;
    unsigned threads; /* of this computer; results do not depend on it; 0: one */
};

/* Loads an experiment's YAML file, or an ELF program for core 1 of one chip, with all that it
 * needs, and checks it.  Nothing has run.  *experiment is NULL after a failure. */
SPINNSIM_PUBLIC enum spinnsim_status spinnsim_open(const char *file,
                                                   const struct spinnsim_options *options,
                                                   struct spinnsim **experiment,
                                                   struct spinnsim_error *error);

/* In any state; a run that stands is given up.  NULL is allowed. */
SPINNSIM_PUBLIC void spinnsim_close(struct spinnsim *experiment);

/* ---- running ---- */

/* The points at which a run can stand, in their order: an epoch is what comes from BEFORE_EPOCH to
 * EPOCH_CHECK, with a STEP for each update.  On the machine, an update's end is seen at most 4 us
 * of machine time later; spinnsim_event.time_ps is the time at which it was.  A training that is
 * sampled (run.sample) or has stages has no events. */
enum spinnsim_event_kind {
    SPINNSIM_BEFORE_RUN,
    SPINNSIM_BEFORE_EPOCH,
    SPINNSIM_BEFORE_TRAINING_SET,
    SPINNSIM_BEFORE_STEP,
    SPINNSIM_AFTER_STEP,
    SPINNSIM_STEP_CHECK,
    SPINNSIM_AFTER_TRAINING_SET,
    SPINNSIM_BEFORE_TEST_SET,
    SPINNSIM_BEFORE_INFERENCE,
    SPINNSIM_AFTER_INFERENCE,
    SPINNSIM_AFTER_TEST_SET,
    SPINNSIM_AFTER_EPOCH,
    SPINNSIM_EPOCH_CHECK,
    SPINNSIM_AFTER_RUN,
    SPINNSIM_EVENTS
};
#define SPINNSIM_EVENT(kind) (UINT32_C(1) << (kind))

struct spinnsim_event {
    enum spinnsim_event_kind kind;
    uint64_t epoch, update; /* from 1; 0: none has begun */
    uint64_t time_ps;       /* machine time; 0 on the host */
    double loss, accuracy; /* of the last test (on the host AFTER_STEP: of the update); NAN: none */
};

/* "after_step". */
SPINNSIM_PUBLIC const char *spinnsim_event_name(enum spinnsim_event_kind kind);

/* Each runs on until something is reached, and sets *ended when the run has ended before; then the
 * status is that of the run.  They return SPINNSIM_CONFIGURATION when the run had ended already.
 * ended, event: NULL: not wanted.
 * until: to a machine time in picoseconds since the start.  STATUS_CONFIGURATION on the host, which
 * has no machine time.  to: to the next event of a set of SPINNSIM_EVENT() bits.  run: to the end.
 */
SPINNSIM_PUBLIC enum spinnsim_status spinnsim_run_until(struct spinnsim *experiment,
                                                        uint64_t time_ps, bool *ended,
                                                        struct spinnsim_error *error);
SPINNSIM_PUBLIC enum spinnsim_status spinnsim_run_to(struct spinnsim *experiment, uint32_t events,
                                                     struct spinnsim_event *event, bool *ended,
                                                     struct spinnsim_error *error);
SPINNSIM_PUBLIC enum spinnsim_status spinnsim_run(struct spinnsim *experiment,
                                                  struct spinnsim_error *error);

/* Ends a training at the next check: behind its update on the host or the machine (the status is
 * SPINNSIM_LIMIT), or, with `epoch`, regularly behind its epoch. */
SPINNSIM_PUBLIC void spinnsim_stop(struct spinnsim *experiment, bool epoch);

/* ---- tensors ---- */

enum { SPINNSIM_MOST_RANK = 4, SPINNSIM_NAME_CHARS = 64 };

/* The parameters of the network, whichever backend, mapping and number format: "conv1.weights"
 * ([output][input][row][column], dense [output][input]), "conv1.biases". */
struct spinnsim_tensor {
    char name[SPINNSIM_NAME_CHARS];
    unsigned rank;
    size_t shape[SPINNSIM_MOST_RANK]; /* the first `rank` are used */
    size_t count;                     /* their product */
};

/* 0 for programs without a network. */
SPINNSIM_PUBLIC size_t spinnsim_tensor_count(const struct spinnsim *experiment);
SPINNSIM_PUBLIC bool spinnsim_tensor_at(const struct spinnsim *experiment, size_t index,
                                        struct spinnsim_tensor *tensor);

/* Reads a tensor as real numbers, which all number formats fit exactly: before the run its first
 * values, during it those behind the last epoch or update (on the machine: epoch), after it the
 * last.  values: [count], which must be the tensor's. */
SPINNSIM_PUBLIC enum spinnsim_status spinnsim_read(const struct spinnsim *experiment,
                                                   const char *name, double *values, size_t count,
                                                   struct spinnsim_error *error);

/* Writes it before the run: rounded to nearest, ties upwards, saturated at the format's range.  The
 * run's sim_hash changes with it.  A run that has begun is refused: its cores hold copies. */
SPINNSIM_PUBLIC enum spinnsim_status spinnsim_write(struct spinnsim *experiment, const char *name,
                                                    const double *values, size_t count,
                                                    struct spinnsim_error *error);

/* ---- the machine while it stands ---- */

/* Machine time in picoseconds; 0 before and after the run, and on the host. */
SPINNSIM_PUBLIC uint64_t spinnsim_time_ps(const struct spinnsim *experiment);

/* Bytes at an address as a core sees them: its TCMs, SDRAM, System RAM.  tensors.csv says where
 * tensors lie.  What is written changes the run. */
struct spinnsim_place {
    uint8_t x, y, core; /* physical core number */
    uint32_t address;
};
SPINNSIM_PUBLIC enum spinnsim_status spinnsim_read_memory(const struct spinnsim *experiment,
                                                          struct spinnsim_place place, void *bytes,
                                                          uint32_t count,
                                                          struct spinnsim_error *error);
SPINNSIM_PUBLIC enum spinnsim_status spinnsim_write_memory(struct spinnsim *experiment,
                                                           struct spinnsim_place place,
                                                           const void *bytes, uint32_t count,
                                                           struct spinnsim_error *error);

/* A counter summed over the machine, or over a chip: "core.instructions", as in counters.csv.  x,
 * y: -1: all. */
SPINNSIM_PUBLIC enum spinnsim_status spinnsim_counter(const struct spinnsim *experiment,
                                                      const char *name, int x, int y,
                                                      uint64_t *value,
                                                      struct spinnsim_error *error);

/* The counters that there are, in the order of counters.csv; false: there is none of this index. */
struct spinnsim_counter_info {
    char name[SPINNSIM_NAME_CHARS]; /* "link.packets" */
    const char *unit, *help;
};
SPINNSIM_PUBLIC bool spinnsim_counter_at(size_t index, struct spinnsim_counter_info *info);

/* A counter of each part that has it: of each core, each link, or each chip (instance -1), in the
 * order of chips by x, y, then instances.  Fills the first `room` rows; *count: how many there are.
 * rows may be NULL if room is 0. */
struct spinnsim_count {
    uint8_t x, y;
    int16_t instance; /* physical core number, or link; -1: the part belongs to the chip */
    uint64_t value;
};
SPINNSIM_PUBLIC enum spinnsim_status spinnsim_counts(const struct spinnsim *experiment,
                                                     const char *name, struct spinnsim_count *rows,
                                                     size_t room, size_t *count,
                                                     struct spinnsim_error *error);

/* The links of the machine that lead to a chip, one in each direction, by the chip that sends: by
 * x, y, then links (0 E, 1 NE, 2 N, 3 W, 4 SW, 5 S).  Rows and errors as above. */
struct spinnsim_link {
    uint8_t x, y, link;
    uint8_t to_x, to_y;
    bool between_boards;
};
SPINNSIM_PUBLIC enum spinnsim_status spinnsim_links(const struct spinnsim *experiment,
                                                    struct spinnsim_link *rows, size_t room,
                                                    size_t *count, struct spinnsim_error *error);

/* ---- results, when the run has ended ---- */

/* summary.json as a text; NULL before the run's end.  The experiment owns it. */
SPINNSIM_PUBLIC const char *spinnsim_summary(const struct spinnsim *experiment);

/* Writes the result folder, as `spinnsim run --out` does.  A folder with results of another
 * simulation is refused unless `replace` is set. */
SPINNSIM_PUBLIC enum spinnsim_status spinnsim_record(struct spinnsim *experiment,
                                                     const char *folder, bool replace,
                                                     struct spinnsim_error *error);

#ifdef __cplusplus
}
#endif
