/* limits.h - the limits that the user's shell has set (ulimit): messages instead of signals. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
C_LINKAGE_BEGIN

/* Call this first in main(): a file that becomes too large (ulimit -f) is an error of its write,
 * and processor time that has run out (ulimit -t) ends the program with a message. */
void limits_begin(void);

/* STATUS_INTERNAL when the stack (ulimit -s) is too small for this program, with a message. */
enum status limits_check(struct diagnostic *diagnostic);

C_LINKAGE_END
