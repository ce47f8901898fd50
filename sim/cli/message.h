/* message.h - what the program tells its user on standard error. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
C_LINKAGE_BEGIN

/* file:line:column: error: key: text, and the hint on a line of its own.  Returns the exit status
 * that belongs to `status`. */
int message_error(enum status status, const struct diagnostic *diagnostic);

/* The same for what a run can live with. */
void message_warning(const struct diagnostic *diagnostic);

C_LINKAGE_END
