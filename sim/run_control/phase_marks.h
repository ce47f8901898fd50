/* phase_marks.h - what a core is doing, from the symbols that its pc passes.
 *
 * A phase begins at a symbol <layer>_<phase> (conv1_forward, images_wait, ...) and lasts until the
 * core passes the next one; every cycle of a core, awake or asleep, belongs to one.  Cycles before
 * the first mark belong to `start`.  A stage is machine-wide and begins when the first core passes
 * its symbol (stage_test); until then the machine is in the stage `load`.  Programs that are no
 * network have one stage, `run`. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/load/elf_image.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

enum stage { STAGE_LOAD, STAGE_TRAIN, STAGE_TEST, STAGE_RUN, STAGES };
const char *stage_text(enum stage stage);

enum { PHASE_NAME_CHARS = 32, PHASES_MAX = 96 };

struct phase {
    char layer[PHASE_NAME_CHARS]; /* "conv1", or "" */
    char name[PHASE_NAME_CHARS];  /* "forward", "setup_load", ... */
};

/* What all cores together have caused in one phase within one stage. */
struct phase_sum {
    uint64_t share[MACHINE_SHARES_MAX]; /* in the order of machine_share_name() */
    uint64_t times;                     /* entered */
    uint64_t least_cycles, most_cycles; /* of one core; from phase_marks_finish() on */
};

struct phase_core {
    struct machine_core core;
    unsigned phase;
    enum stage stage;
    uint64_t since[MACHINE_SHARES_MAX]; /* the core's shares at its last mark */
    uint64_t cycles[STAGES][PHASES_MAX];
};

struct phase_marks {
    struct phase phase[PHASES_MAX]; /* number 0 is `start` */
    unsigned phase_count;
    struct {
        uint32_t address;
        bool is_stage;
        unsigned phase;
    } mark[PHASES_MAX];
    unsigned mark_count;
    struct phase_sum sum[STAGES][PHASES_MAX];
    struct phase_core *core; /* in the order in which they were loaded */
    size_t core_count, core_room;
    uint32_t *place; /* 1 + index in `core` by x, y and physical number; 0: not loaded */
    enum stage first_stage;
    size_t active_cycles, sleep_cycles; /* which shares a core's time is */
    uint64_t stage_start_ps[STAGES];    /* earliest pass; TIME_NEVER: not passed */
};

/* Finds the marks that a program (NULL: none) has for the phases of a network (NULL: none),
 * numbered layers included, and for what every role does. */
enum status phase_marks_init(struct phase_marks *marks, const struct elf_image *program,
                             const struct network *network, struct diagnostic *diagnostic);
void phase_marks_deinit(struct phase_marks *marks);

/* Sets the marks in a core that has been loaded, and takes its time from now on.  STATUS_INTERNAL
 * when out of memory. */
enum status phase_marks_set(struct phase_marks *marks, struct machine *machine,
                            struct machine_core core);

/* To be called when a core passes a mark: machine_observer.mark. */
void phase_marks_pass(struct phase_marks *marks, const struct machine *machine,
                      struct machine_core core, uint32_t address);

/* At the end of a run: what each core has done since its last mark. */
void phase_marks_finish(struct phase_marks *marks, const struct machine *machine);

C_LINKAGE_END
