/* phase_marks.h - divides a core's time into phases by the symbols that its pc passes.
 *
 * A phase begins at a symbol layer_<number>_<phase> or <phase> (layer_00_forward, images_wait, ...)
 * and lasts until the core passes the next such symbol; every cycle of a core, awake or asleep,
 * belongs to one phase. Cycles before the first mark belong to `start`.  A stage is machine-wide
 * and begins when the first core passes its symbol (stage_test); before that the machine is in
 * stage `load`.  Programs other than networks have one stage, `run`. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/load/elf_image.h"
#include "sim/networks/network.h"
#include "sim/timeline/timeline.h"
C_LINKAGE_BEGIN

enum stage { STAGE_LOAD, STAGE_TRAIN, STAGE_TEST, STAGE_RUN, STAGES };
const char *stage_text(enum stage stage);

enum { PHASE_NAME_CHARS = 32, PHASES_MAX = 96 };

struct phase {
    char layer[PHASE_NAME_CHARS]; /* "conv1", or "" */
    char name[PHASE_NAME_CHARS];  /* "forward", "setup_load", ... */
};

/* Counts of all cores together for one phase within one stage. */
struct phase_sum {
    uint64_t share[MACHINE_SHARES_MAX]; /* in the order of machine_share_name() */
    uint64_t times;                     /* number of times a core entered it */
    uint64_t least_cycles, most_cycles; /* of one core; valid after phase_marks_finish() */
};

struct phase_core {
    struct machine_core core;
    unsigned phase;
    enum stage stage;
    uint64_t since_ps;                  /* its last mark */
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
    struct phase_core *core; /* in loading order */
    size_t core_count, core_room;
    uint32_t *place; /* [x, y, physical core number]: 1 + index in `core`; 0: not loaded */
    enum stage first_stage;
    struct timeline *timeline;          /* is told of phases; NULL: there is none */
    size_t active_cycles, sleep_cycles; /* indices of the shares that make up a core's time */
    uint64_t stage_start_ps[STAGES];    /* time of the first pass; TIME_NEVER: not passed */
};

/* Finds a program's marks for the phases of a network, and for the
 * phases that every role has.  Program and network may be NULL. */
enum status phase_marks_init(struct phase_marks *marks, const struct elf_image *program,
                             const struct network *network, struct diagnostic *diagnostic);
void phase_marks_deinit(struct phase_marks *marks);

/* Sets the marks in a loaded core, and counts its time from now on.  STATUS_INTERNAL when out of
 * memory. */
enum status phase_marks_set(struct phase_marks *marks, struct machine *machine,
                            struct machine_core core);

/* Callback for machine_observer.mark: a core passes a mark. */
void phase_marks_pass(struct phase_marks *marks, const struct machine *machine,
                      struct machine_core core, uint32_t address);

/* For session_state.h: writes or reads what has been counted so far, with the same marks in the
 * same cores. */
struct session_stream;
void phase_marks_visit(struct phase_marks *marks, struct session_stream *stream);

/* At the end of a run: adds what each core has done since its last mark. */
void phase_marks_finish(struct phase_marks *marks, const struct machine *machine);

C_LINKAGE_END
