/* history.h - a machine whose run can be stopped at one cycle of one core, and can go back.
 *
 * An observer that stops a machine leaves it for inspection only: other cores have run on, each as
 * far as nothing could reach it.  A history keeps states of the machine while it runs.  To stop
 * exactly, it takes the last state before the stop and runs again up to that time, which gives the
 * same machine, since results do not depend on how a run is divided.  It goes back in the same way.
 *
 * The history takes the place of the machine's observer and passes every report on once, whatever
 * is run again.  All functions are for the machine's owner, between runs. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
API_BEGIN

struct machine_history;

struct machine_history_options {
    size_t budget_bytes;  /* of the host's memory for states; 0: HISTORY_BUDGET_BYTES.  At least the
                             first and the last state are kept */
    uint64_t interval_ps; /* machine time between two states; 0: HISTORY_INTERVAL_PS.  When they are
                             too many, the older ones are thinned out more than the newer ones */
};
#define HISTORY_BUDGET_BYTES ((size_t)1 << 30)
#define HISTORY_INTERVAL_PS  UINT64_C(500000000)

enum history_kind { HISTORY_BREAK, HISTORY_WATCH, HISTORY_FAULT };

/* Why and where a run has stopped.  The core stands before an instruction: the one with the
 * breakpoint or the fault, or the one behind the store to watched bytes.  All other cores stand at
 * the first instruction that they begin at time_ps or later. */
struct history_hit {
    enum history_kind kind;
    struct machine_core core;
    uint32_t address; /* of the instruction; HISTORY_WATCH: of the first watched byte stored to */
    uint64_t time_ps;
    struct arm968_fault fault; /* HISTORY_FAULT: the observer has asked to stop there */
};

enum history_stop {
    HISTORY_REACHED,   /* the requested time */
    HISTORY_QUIESCENT, /* nothing can happen any more */
    HISTORY_HIT,       /* a breakpoint, watched bytes, or a fault at which the observer stops */
    HISTORY_BEGIN,     /* backwards: there is nothing before */
    HISTORY_ENDED      /* a history that rests: the observer has ended the run */
};

/* Keeps the first state.  From now on the machine is not to be run or loaded but by the history.
 * STATUS_CONFIGURATION: the machine has devices (devices.h), which cannot go back.
 * STATUS_INTERNAL: out of memory. */
enum status machine_history_create(struct machine *machine,
                                   const struct machine_history_options *options,
                                   struct machine_history **history);
/* The machine is not to be run any more, and may already be gone. */
void machine_history_destroy(struct machine_history *history);

/* A breakpoint; a second one at the same place counts as the same.  STATUS_CONFIGURATION: no such
 * core, or no such breakpoint; STATUS_INTERNAL: a core cannot have more. */
enum status machine_history_break(struct machine_history *history, struct machine_core core,
                                  uint32_t address);
enum status machine_history_unbreak(struct machine_history *history, struct machine_core core,
                                    uint32_t address);

/* Bytes whose stores by a core are hits: machine_add_watch(). */
enum status machine_history_watch(struct machine_history *history, struct machine_core core,
                                  uint32_t address, uint32_t bytes);
enum status machine_history_unwatch(struct machine_history *history, struct machine_core core,
                                    uint32_t address, uint32_t bytes);

/* No breakpoint and no watched byte is left. */
void machine_history_clear(struct machine_history *history);

/* Runs on up to until_ps or to the next hit, in the order (time, core); the place where the machine
 * stands does not count.  hit: set with HISTORY_HIT. */
enum history_stop machine_history_run(struct machine_history *history, uint64_t until_ps,
                                      struct history_hit *hit);

/* Runs back to the last hit before the place where the machine stands.  HISTORY_BEGIN: there is
 * none, and the machine stands at the beginning of the history. */
enum history_stop machine_history_run_back(struct machine_history *history,
                                           struct history_hit *hit);

/* Goes to a time at or behind the beginning of the history. */
void machine_history_go_to(struct machine_history *history, uint64_t time_ps);

/* One instruction of one core; the others run for that time.  Backwards: HISTORY_BEGIN if the core
 * has executed nothing since the beginning, where the machine then stands.  A core that sleeps, or
 * is not started, executes nothing: forwards, time goes on by a cycle of its clock. */
enum history_stop machine_history_step(struct machine_history *history, struct machine_core core,
                                       struct history_hit *hit);
enum history_stop machine_history_step_back(struct machine_history *history,
                                            struct machine_core core);

/* As machine_history_go_to(), but hits up to the place where the machine stood do not count again
 * when it runs on. */
void machine_history_rewind(struct machine_history *history, uint64_t time_ps);

/* For a debugger that stops before a store to watched bytes: behind a HISTORY_WATCH of a run
 * forwards, goes to the beginning of the instruction that has stored.  Hits up to this one do not
 * count again. */
void machine_history_go_before(struct machine_history *history, const struct history_hit *hit);

/* To be called when the owner has changed the machine between runs: the history begins anew, as
 * nothing that is run again from an earlier state would come here. */
void machine_history_changed(struct machine_history *history);

/* Keeps no more states, and drops those that are kept: from now on the machine only runs forwards,
 * and past all hits.  What has been reported is still not reported again. */
void machine_history_rest(struct machine_history *history);

/* What the kept states take of the host's memory, and their number. */
size_t machine_history_bytes(const struct machine_history *history);
unsigned machine_history_states(const struct machine_history *history);

API_END
