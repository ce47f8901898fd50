/* streams.h - standard input, output and error of every command. */
#pragma once
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* Call it first.  A stream that the caller has closed stays taken, so that no file gets its number
 * and what is meant for the stream; and when the program ends, what could not be written to
 * standard output is an error: a message, and exit status 1. */
void streams_begin(void);

C_LINKAGE_END
