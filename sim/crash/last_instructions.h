/* last_instructions.h - the last instructions of a core, kept while it executes, and written as a
 * trace (sim/profile/instruction_trace.h). */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/profile/instruction_trace.h"
C_LINKAGE_BEGIN

enum { LAST_INSTRUCTIONS = 32 };

struct last_instruction {
    struct trace_view before, after;
    uint8_t code[4]; /* at `before.pc` */
    uint32_t bytes;  /* of it that are memory: 0, 2 or 4 */
};

/* All zero: empty. */
struct last_instructions {
    struct last_instruction of[LAST_INSTRUCTIONS];
    uint64_t count; /* noted so far; number n is of[n % LAST_INSTRUCTIONS] */
};

/* Notes what the core has executed between two stops; nothing if no cycle has passed. */
void last_instructions_note(struct last_instructions *last, trace_read read, const void *context,
                            const struct trace_view *before, const struct trace_view *after);

/* Writes the last ones, at most `most` of them.  STATUS_INTERNAL: out of memory. */
enum status last_instructions_write(const struct last_instructions *last, unsigned most,
                                    const struct elf_image *image, FILE *out);

C_LINKAGE_END
