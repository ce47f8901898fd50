/* session.h - one run on the modelled machine, from its making to the outcome.  Private to
 * sim/run_control. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/load_plan.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
#include "sim/run_control/phase_marks.h"
C_LINKAGE_BEGIN

/* What has been loaded into a core. */
struct loaded_core {
    const struct job_program *program;
    uint8_t app_id;
};

struct session {
    const struct job *job;
    struct outcome *outcome;
    struct machine *machine;
    struct load_plan plan;
    bool planned;
    struct phase_marks marks;
    struct core_profile profile;
    struct loaded_core *loaded;    /* beside outcome->core */
    size_t program_cores;          /* of them: services follow */
    uint64_t quiet_since_ps;       /* of a run that has ended for that, else TIME_NEVER */
    enum stage stage;              /* of a training */
    uint64_t stage_ps[STAGES];     /* up to now */
    uint64_t command_ps, epoch_ps; /* when the command that runs began; how long the last took */
    uint64_t *update_ps;           /* of the epoch: when each update has ended; owned */
    uint32_t update_count;
    uint32_t record_mark; /* address; 0: none */
    enum machine_stop stop;
    bool goes_on; /* nothing has ended it yet */
    uint32_t epochs_done;
    uint64_t earlier_ps;                 /* of a checkpoint: machine time before it */
    struct energy_joules joules_earlier; /* and its joules */
    double loss, accuracy; /* of the last update that was looked at, of the last test; NAN: none */
    struct energy_joules joules_before, joules; /* until the first command; since then, by the end
                                                   of the last one */
    struct follower *follower; /* of record.parameter_norms; NULL before the first epoch's end */
    struct arm968_fault first_fault;
    struct machine_core first_fault_core;
};

/* The machine, loaded and ready to run (spinnaker_backend.c).  Job and outcome must last; what
 * fails leaves nothing to close. */
enum status session_open(struct session *session, const struct job *job, struct outcome *outcome,
                         struct diagnostic *diagnostic);
void session_close(struct session *session);

/* What all reinjectors have counted, into outcome->reinjector. */
void session_take_services(struct session *session);

/* Runs the machine until nothing more happens, or up to run.simulated_time_limit of machine time
 * (session_run.c).  `tell` is called now and then. */
enum machine_stop session_run(struct session *session, void (*tell)(struct session *session));

/* How the machine's stop is to be understood: outcome->end and the failure's text. */
enum status session_judge(struct session *session, enum machine_stop stop,
                          struct diagnostic *diagnostic);

/* Everything that the run has come to (session_outcome.c). */
enum status session_take_down(struct session *session, enum machine_stop stop,
                              struct diagnostic *diagnostic);

/* mode: train, on a machine that is loaded (session_train.c): all epochs, with their tests. */
enum status session_train(struct session *session, struct diagnostic *diagnostic);

/* The same in pieces: begin; fit and predict in any order, as long as session->goes_on; end, which
 * takes the parameters.  session_fit: the next epochs, at most so many as train.epochs leaves, with
 * the tests that are due after them.  session_predict: a test with the parameters as they are. */
enum status session_train_begin(struct session *session, struct diagnostic *diagnostic);
enum status session_fit(struct session *session, uint32_t epochs, struct diagnostic *diagnostic);
enum status session_predict(struct session *session, struct diagnostic *diagnostic);
enum status session_train_end(struct session *session, struct diagnostic *diagnostic);

/* To be called when a core passes a mark: when updates end. */
void session_train_mark(struct session *session, struct machine_core core, uint32_t address);

/* Joules of the whole machine up to now, from its counters (session_energy.c).  Nothing in the
 * machine changes.  STATUS_INTERNAL when out of memory. */
enum status session_joules(const struct session *session, struct energy_joules *joules,
                           struct diagnostic *diagnostic);

/* What the updates of an epoch, and the test after it, have come to: rows of learning.csv
 * (session_learning.c). */
enum status session_take_records(struct session *session, uint32_t epoch,
                                 struct diagnostic *diagnostic);
enum status session_take_test(struct session *session, struct diagnostic *diagnostic);

C_LINKAGE_END
