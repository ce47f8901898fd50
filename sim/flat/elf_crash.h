/* elf_crash.h - how a program under `spinnsim elf` was ended: registers, callers, last
 * instructions.  Private to sim/flat. */
#pragma once
#include "sim/flat/elf_session.h"

/* The text, malloc'ed; NULL: out of memory.  diagnostic: why the program was ended.  The last
 * instructions are seen by running the program once more, without output. */
char *elf_crash_text(const struct session *session, const struct diagnostic *diagnostic);
