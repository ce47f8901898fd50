/* elf_session.h - the state of one program run under `spinnsim elf`.  Private to elf_*.c. */
#pragma once
#include "sim/flat/elf_fault.h"
#include "sim/flat/elf_profile.h"
#include "sim/flat/elf_run.h"
#include "sim/flat/flat_core.h"
#include "sim/flat/semihosting.h"
#include "sim/gdb/server.h"
#include "sim/load/elf_image.h"
#include "sim/profile/instruction_trace.h"

enum { VECTORS = 8, VECTOR_BYTES = 4 };

struct region_end {
    uint32_t address;
    bool wanted, reached;
    uint64_t instructions, cycles;
};

struct session {
    const struct elf_run_options *options;
    struct elf_image image;
    struct flat_core flat;
    struct arm968_translator *translator; /* NULL: interpreter only */
    struct semihosting semihosting;
    char *command_line;
    uint64_t flush_cycle;
    struct elf_scene scene;
    struct region_end from, to;
    uint64_t fault_instructions; /* instruction count at the last fault */
    unsigned faults;             /* faults in a row at that instruction count */
    struct elf_profile profile;
    struct core_view view; /* state at the last stop, for the profile */
    struct instruction_trace trace;
    struct region_end trace_from; /* address or instruction number at which the trace begins */
    bool tracing;
    enum crash_entry entry; /* the exception that has ended the program */
    int signal;             /* the signal that ended the run; 0: none */
    struct gdb_server gdb;
};

/* Reads a struct flat_core, for who reads code and stacks; false: a part of it is no memory. */
bool session_read(const void *context, uint32_t address, uint8_t *bytes, uint32_t count);

/* A session that begins as zeros but for this; and its end, in whatever state it is. */
void session_init(struct session *session, const struct elf_run_options *options);
void session_deinit(struct session *session);

/* Loads the program and sets up everything that the options request.  Afterwards the core is about
 * to execute the program's first instruction. */
enum status session_prepare(struct session *session, struct diagnostic *diagnostic);

/* Marks and breakpoints of the run itself: the ends of the region, the start of the trace, vectors.
 */
void session_set_stops(struct session *session);

static inline bool session_is_interrupted(const struct session *session)
{
    const struct elf_interrupt *interrupt = session->options->interrupt;
    return interrupt != NULL && interrupt->signal != 0;
}

/* What ended a stretch of the program. */
struct session_step {
    enum arm968_stop stop;
    enum status status; /* when the program does not continue */
};

/* Runs to the core's next stop, or up to a cycle, and does what is due there: semihosting, faults,
 * limits, output.  True: the program continues. */
bool session_advance(struct session *session, uint64_t until, struct session_step *step,
                     struct diagnostic *diagnostic); /* elf_advance.c */

enum status session_run_to_end(struct session *session, struct diagnostic *diagnostic);

/* Describes an end of the program where it is; returns `status`. */
enum status session_ended(struct session *session, enum status status, const char *why,
                          struct diagnostic *diagnostic);
