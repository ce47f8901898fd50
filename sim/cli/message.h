/* message.h - what the program tells its user, and the streams that it does so on. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
C_LINKAGE_BEGIN

/* file:line:column: error: key: text, and the hint on a line of its own, on standard error; nothing
 * for STATUS_OK.  Returns the exit status that belongs to `status`. */
int message_error(enum status status, const struct diagnostic *diagnostic);

/* The same for what a run can live with. */
void message_warning(const struct diagnostic *diagnostic);

/* Call it first.  A stream that the caller has closed stays taken, so that no file gets its number
 * and what is meant for the stream; and when the program ends, what could not be written to
 * standard output is an error: a message, and exit status 1. */
void streams_begin(void);

C_LINKAGE_END
