/* console.h - the host's side of a guest's console: bytes in and out, exactly as they are.
 *
 * Input comes a line at a time, whatever it comes from: what a program is given does not depend on
 * how fast somebody writes into a pipe.  Output is written at once; single bytes when their line
 * ends, before anything else goes in or out, or when somebody flushes. */
#pragma once
#include "models/common/c_linkage.h"
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { CONSOLE_BUFFER_BYTES = 4096 };

struct console {
    int input, output, error; /* file descriptors, the caller's */
    int interrupt;  /* one that becomes readable when nobody is to wait for input; -1: none */
    int lost_errno; /* of the first bytes that could not be written; 0: all were */
    int lost_on;    /* ... and the descriptor */
    size_t line_bytes;
    uint8_t line[CONSOLE_BUFFER_BYTES]; /* single bytes not yet written */
    size_t ahead_at, ahead_end;
    uint8_t ahead[CONSOLE_BUFFER_BYTES]; /* read from the host, not yet by the guest */
};

/* Reads up to the end of the line, of the input, or of the room; 0: the input has ended, there is
 * no room, or it cannot be read, then *error is the errno. */
size_t console_read(struct console *console, uint8_t *bytes, size_t room, int *error);

/* Writes to `output` or `error`; returns how many could be, *error is the errno when not all. */
size_t console_write(struct console *console, int to, const uint8_t *bytes, size_t count,
                     int *error);

/* A single byte to `output`. */
void console_put(struct console *console, uint8_t byte);

void console_flush(struct console *console);

C_LINKAGE_END
