/* console.h - the host side of a guest's console: passes bytes in and out unchanged.
 *
 * A read returns at most one line, from terminals, pipes and files alike, so that the data of each
 * read does not depend on how fast a pipe is filled.  Blocks of output are written at once; single
 * bytes when their line ends, before other input or output, or at a flush. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { CONSOLE_BUFFER_BYTES = 4096 };

struct console {
    int input, output, error; /* file descriptors, owned by the caller */
    int interrupt;  /* descriptor that becomes readable to end a wait for input; -1: none */
    bool mute;      /* output goes nowhere: the program runs once more */
    uint64_t reads; /* how often the guest has asked for input */
    int lost_errno; /* of the first write that failed; 0: none has failed */
    int lost_on;    /* ... and its descriptor */
    size_t line_bytes;
    uint8_t line[CONSOLE_BUFFER_BYTES]; /* single bytes not yet written */
    size_t ahead_at, ahead_end;
    uint8_t ahead[CONSOLE_BUFFER_BYTES]; /* read from the host, not yet by the guest */
};

/* Reads up to the end of the line, of the input, or of the buffer.  Returns 0 at the end of the
 * input, if `room` is 0, or if reading fails; then *error is the errno. */
size_t console_read(struct console *console, uint8_t *bytes, size_t room, int *error);

/* Writes to `output` or `error`.  Returns the number of bytes written; if not all, *error is the
 * errno. */
size_t console_write(struct console *console, int to, const uint8_t *bytes, size_t count,
                     int *error);

/* Writes a single byte to `output`. */
void console_put(struct console *console, uint8_t byte);

void console_flush(struct console *console);

C_LINKAGE_END
