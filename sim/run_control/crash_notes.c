/* crash_notes.c - see crash.h: what is kept of faults when they happen. */
#include "sim/run_control/crash.h"

#include "sim/run_control/core_memory.h"

#include <stdio.h>
#include <stdlib.h>

void crash_name_fault(const struct arm968_fault *fault, char text[CRASH_FAULT_CHARS])
{
    static const char *const WHAT[] = {
        [ARM968_FAULT_NONE] = "no fault",
        [ARM968_FAULT_UNDEFINED] = "undefined instruction",
        [ARM968_FAULT_PREFETCH] = "prefetch abort (jump to nowhere)",
        [ARM968_FAULT_BREAKPOINT] = "BKPT instruction",
    };
    if (fault->kind == ARM968_FAULT_DATA) {
        (void)snprintf(text, CRASH_FAULT_CHARS, "data abort (%s%s of %u bytes)",
                       fault->misaligned ? "misaligned " : "",
                       arm968_access_name((enum arm968_access_kind)fault->access), fault->bytes);
    } else {
        (void)snprintf(text, CRASH_FAULT_CHARS, "%s", WHAT[fault->kind]);
    }
}

/* The stack is as the fault has found it only now. */
static void take_first(const struct session *session, struct machine_core core,
                       struct crash_notes *notes)
{
    const struct core_memory memory = {session->machine, core};
    crash_core_take(&notes->first, machine_core_processor(session->machine, core),
                    CRASH_ENTRY_FAULT);
    notes->lost = crash_core_trace_back(&notes->first, session_program_of(session, core),
                                        core_memory_read, &memory) != STATUS_OK;
}

void crash_note(struct session *session, struct machine_core core, struct arm968_fault fault)
{
    if (session->crash == NULL) {
        session->crash = calloc(1, sizeof *session->crash);
        if (session->crash == NULL) {
            return;
        }
        take_first(session, core, session->crash);
    }
    struct crash_notes *notes = session->crash;
    if (notes->faults < CRASH_FAULTS) {
        notes->fault[notes->faults] =
            (struct crash_fault){core, machine_core_time_ps(session->machine, core), fault};
    }
    notes->faults++;
}
