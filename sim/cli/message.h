/* message.h - error and warning messages, and the standard streams. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
C_LINKAGE_BEGIN

/* Prints file:line:column: error: key: text, and the hint on a line of its own, to standard error;
 * prints nothing for STATUS_OK.  Returns the exit status that belongs to `status`. */
int message_error(enum status status, const struct diagnostic *diagnostic);

/* The exit status of a failure that no command has reported: `elf` adds an offset to its own, which
 * is in argp_err_exit_status. */
int message_own_status(enum status status);

/* Prints a warning in the same form; the run continues. */
void message_warning(const struct diagnostic *diagnostic);

/* Call this first in main().  Opens a placeholder for each standard stream that the parent process
 * has closed, so that no file gets its descriptor and receives its output.  At the end of the
 * program, output that could not be written to standard output is an error: a message, and exit
 * status 1 (111 for `elf`). */
void streams_begin(void);

C_LINKAGE_END
