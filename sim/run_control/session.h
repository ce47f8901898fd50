/* session.h - one run on the modelled machine, from making the machine to the outcome.  Private to
 * sim/run_control. */
#pragma once
#include "models/common/bits.h"
#include "models/common/c_linkage.h"
#include "sim/mapping/load_plan.h"
#include "sim/mapping/plan_train.h"
#include "sim/run_control/dataflow_app.h"
#include "sim/run_control/job.h"
#include "sim/run_control/last_looks.h"
#include "sim/run_control/outcome.h"
#include "sim/run_control/phase_marks.h"
C_LINKAGE_BEGIN

/* The program loaded into a core. */
struct loaded_core {
    const struct job_program *program;
    uint8_t app_id;
};

struct session_sums;
struct session_trace;
struct window_looks;

struct session {
    const struct job *job;
    struct outcome *outcome;
    struct machine *machine;
    struct load_plan plan;
    bool planned;
    struct dataflow_app flow; /* of `dataflow` */
    struct phase_marks marks;
    struct core_profile profile;
    struct last_looks last_looks;
    struct loaded_core *loaded;    /* [index in outcome->core] */
    size_t program_cores;          /* number of cores with programs; services follow them */
    uint64_t quiet_since_ps;       /* if it ended the run, else TIME_NEVER */
    enum stage stage;              /* current stage of a training */
    uint64_t stage_ps[STAGES];     /* up to now */
    uint64_t command_ps, epoch_ps; /* start of the current command; duration of the last epoch */
    uint64_t *update_ps;           /* [update of the epoch]: when it ended; owned */
    uint32_t update_count;
    uint32_t record_mark; /* address of the mark at which updates end; 0: none */
    enum machine_stop stop;
    bool goes_on;          /* the training has not ended yet */
    uint32_t told_epoch;   /* to a hook: the current epoch, from 1 */
    uint32_t told_updates; /* of the current command */
    bool is_enough;        /* a hook has ended the training behind an epoch */
    bool given_up;         /* a hook has ended the run within one */
    uint32_t epochs_done;
    uint64_t earlier_ps;                 /* machine time before the checkpoint, if resumed */
    struct energy_joules joules_earlier; /* joules before the checkpoint, if resumed */
    double loss, accuracy; /* loss of the last update read, accuracy of the last test; NAN: none */
    struct energy_joules joules_before, joules; /* joules before the first command; joules since
                                                   then, up to the end of the last command */
    struct session_sums *counted; /* at the end of the last command; owned; NULL: none has ended */
    struct session_intervals *intervals; /* owned; NULL before the first one's end */
    struct session_trace *trace;         /* owned; NULL: record.trace names no core */
    struct window_looks *looks; /* of a window's command (window.h); NULL: none are taken */
    struct follower *follower;  /* for record.parameter_norms; NULL before the first epoch's end */
    struct arm968_fault first_fault;
    struct machine_core first_fault_core;
};

/* The program of core outcome->core[core]; the context is the session. */
const struct elf_image *session_image_of(const void *context, size_t core);

/* Makes the machine and loads it, ready to run (spinnaker_backend.c).  Job and outcome must outlive
 * the session.  After a failure there is nothing to close. */
enum status session_open(struct session *session, const struct job *job, struct outcome *outcome,
                         struct diagnostic *diagnostic);
void session_close(struct session *session);

/* Finds the monitor processor of a chip; false: no core of the chip works. */
static inline bool session_monitor_of(const struct topology_chip *chip, struct machine_core *core)
{
    if (chip->cores == 0) {
        return false;
    }
    *core = (struct machine_core){chip->x, chip->y, (uint8_t)bits_lowest(chip->cores)};
    return true;
}

/* Runs the machine until nothing more happens, or up to run.simulated_time_limit of machine time
 * (session_run.c).  `tell` is called from time to time. */
enum machine_stop session_run(struct session *session, void (*tell)(struct session *session));

/* Interprets the machine's stop: sets outcome->end and the failure's text. */
enum status session_judge(struct session *session, enum machine_stop stop,
                          struct diagnostic *diagnostic);

/* Fills the outcome with all results of the run (session_outcome.c). */
enum status session_take_down(struct session *session, enum machine_stop stop,
                              struct diagnostic *diagnostic);

/* Tells the hook of an event now (session_events.c); false: it wants the run to end. */
bool session_tell(const struct session *session, enum job_event_kind kind);

/* With a hook that hears of updates: tells that an epoch's first one follows; and of those that
 * have ended since the last call.  False: the hook has ended the run. */
bool session_hears_steps(const struct session *session);
void session_tell_step(const struct session *session);
bool session_tell_steps(struct session *session);

/* mode: train, on a loaded machine (session_train.c): runs all epochs with their tests. */
enum status session_train(struct session *session, struct diagnostic *diagnostic);

/* The same in steps: begin; then fit and predict in any order, while session->goes_on; then end,
 * which reads the parameters. session_fit() runs the next epochs, at most those left of
 * train.epochs, with the tests due after them. session_predict() runs a test with the current
 * parameters. */
enum status session_train_begin(struct session *session, struct diagnostic *diagnostic);
enum status session_fit(struct session *session, uint32_t epochs, struct diagnostic *diagnostic);
enum status session_predict(struct session *session, struct diagnostic *diagnostic);
enum status session_train_end(struct session *session, struct diagnostic *diagnostic);

/* Between begin and end, instead of fit: some updates, whose images have been placed
 * (plan_train_place_part); no rows of learning.csv. */
enum status session_fit_part(struct session *session, struct plan_train_part part,
                             struct diagnostic *diagnostic);

/* While session->looks is set: looks whether an update has ended since the machine's last stop
 * (session_looks.h). */
void session_look(struct session *session);

/* Callback when a core passes a mark: records the times at which updates end. */
void session_train_mark(struct session *session, struct machine_core core, uint32_t address);

/* The counters of the whole machine so far, summed by kind (session_energy.c). */
enum { SESSION_SUMS = 256, SESSION_SUM_CHARS = 48 };
struct session_sums {
    uint64_t time_ps;
    struct {
        const struct counter_info *info;
        const char *component;
        char name[SESSION_SUM_CHARS]; /* "component.counter" */
    } kind[SESSION_SUMS];
    struct energy_count count[SESSION_SUMS]; /* names as above */
    size_t size;
    bool full;
};

/* STATUS_INTERNAL when there are too many kinds.  The sums must not move afterwards. */
enum status session_sum(const struct session *session, struct session_sums *sums,
                        struct diagnostic *diagnostic);

/* Adds to a stage what the machine has counted since the last call.  STATUS_INTERNAL when out of
 * memory. */
enum status session_count_stage(struct session *session, enum stage stage,
                                struct diagnostic *diagnostic);

/* Joules of the whole machine so far, from its counters (session_energy.c).  Does not change the
 * machine.  STATUS_INTERNAL when out of memory. */
enum status session_joules(const struct session *session, struct energy_joules *joules,
                           struct diagnostic *diagnostic);

/* record.interval (session_intervals.c): when the current interval of machine time ends
 * (TIME_NEVER: nothing is recorded); and adds an interval up to now to outcome->interval.  Ends the
 * process when out of memory. */
uint64_t session_interval_end(const struct session *session);
void session_take_interval(struct session *session);

/* record.timeline (session_timeline.c): begins to collect its events, in a machine that has not
 * run; when the machine must stop for it next (TIME_NEVER: it need not); takes what the machine has
 * recorded up to now; and ends it with the run. */
enum status session_begin_timeline(struct session *session, struct diagnostic *diagnostic);
uint64_t session_timeline_stop(const struct session *session);
void session_take_timeline(struct session *session);
void session_end_timeline(struct session *session);

/* Callback when a core passes a mark: it may be the vector of an interrupt. */
void session_timeline_mark(struct session *session, struct machine_core core, uint32_t address);

/* Whether the keys of record.timeline suit each other and the run. */
enum status session_check_timeline(const struct sim_config *config, struct diagnostic *diagnostic);

/* record.trace (session_trace.c): begins with it, in a machine that is loaded; when the machine
 * must stop for it next (TIME_NEVER: it need not); starts it there; takes an instruction; ends it
 * with the run, and lets go of it. */
enum status session_begin_trace(struct session *session, struct diagnostic *diagnostic);
uint64_t session_trace_stop(const struct session *session);
void session_start_trace(struct session *session);
void session_trace_sample(struct session *session, struct machine_core core);
enum status session_end_trace(struct session *session, struct diagnostic *diagnostic);
void session_close_trace(struct session *session);

/* For session_state.h: what intervals need to go on. */
struct session_stream;
void session_visit_intervals(struct session *session, struct session_stream *stream);

/* Add the rows of learning.csv for the updates of an epoch, and for the test after it
 * (session_learning.c). */
enum status session_take_records(struct session *session, uint32_t epoch,
                                 struct diagnostic *diagnostic);
enum status session_take_test(struct session *session, struct diagnostic *diagnostic);

C_LINKAGE_END
