/* crash.h - what is kept of the faults of a run, and crash.txt: what a run that has failed, or was
 * given up, has left.  Private to sim/run_control.
 *
 * While nothing crashes nothing is kept.  The last instructions and packets are seen by running the
 * job again (core_watch.h): results are exact, so the second run comes to the same end. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/crash/crash_core.h"
#include "sim/run_control/session.h"
C_LINKAGE_BEGIN

enum { CRASH_FAULTS = 16 };

struct crash_fault {
    struct machine_core core;
    uint64_t time_ps;
    struct arm968_fault fault;
};

/* The faults of a run, the first ones, in the order in which the machine reports them: by time,
 * then chip. */
struct crash_notes {
    struct crash_fault fault[CRASH_FAULTS];
    uint64_t faults; /* all of them */
    bool lost;       /* out of memory: the first core has no callers */
    struct crash_core first;
};

/* For machine_observer.guest_error (crash_notes.c).  Out of memory, nothing is noted. */
void crash_note(struct session *session, struct machine_core core, struct arm968_fault fault);

/* What a fault is: "data abort (read of 4 bytes)". */
enum { CRASH_FAULT_CHARS = 64 };
void crash_name_fault(const struct arm968_fault *fault, char text[CRASH_FAULT_CHARS]);

/* The core that is shown. */
struct crash_subject {
    size_t index; /* in outcome->core; SIZE_MAX: a core without a program of the run */
    struct machine_core core;
    bool faulted; /* by the first fault */
    uint64_t time_ps;
    struct crash_core state;
};

struct core_watch;

/* Writes outcome->crash (crash_report.c).  watch NULL: the job has not been run again, for the
 * reason `why_not`.  STATUS_INTERNAL: out of memory. */
enum status crash_report(const struct session *session, const struct crash_subject *subject,
                         const struct core_watch *watch, const char *why_not,
                         struct diagnostic *diagnostic);

/* Behind session_take_down(): reports how a session has ended, unless all is well
 * (crash_take.c). */
enum status crash_take(const struct session *session, struct diagnostic *diagnostic);

C_LINKAGE_END
