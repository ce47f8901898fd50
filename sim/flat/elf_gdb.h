/* elf_gdb.h - `spinnsim elf --gdb`: the one core as a target of GDB.  Private to elf_*.c. */
#pragma once
#include "sim/flat/elf_session.h"

/* Runs the program under GDB, from its first instruction to its end; when GDB lets it go, it runs
 * on alone.  As session_run_to_end() otherwise. */
enum status elf_gdb_run(struct session *session, struct diagnostic *diagnostic);
