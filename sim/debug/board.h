/* board.h - a run under GDB: every core of the machine is a process of the debugger, and the whole
 * machine stops at one cycle of one core.  Halted time is no time of the machine, so results are
 * those of a run without GDB. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

struct board_debugger;

/* Whether a run can be debugged: it executes one machine.  STATUS_CONFIGURATION naming the key that
 * is in the way. */
enum status board_debugger_check(const struct job *job, struct diagnostic *diagnostic);

/* Listens at a TCP port of 127.0.0.1.  Job and outcome must outlive the run; the outcome's list of
 * cores is filled while programs are loaded.  STATUS_CONFIGURATION naming the port: see
 * gdb_server_open(). */
enum status board_debugger_create(uint16_t port, const struct job *job,
                                  const struct outcome *outcome, struct board_debugger **debugger,
                                  struct diagnostic *diagnostic);

/* For job_options.run_until, with the debugger as context.  The first call waits for GDB.  Returns
 * MACHINE_STOPPED when GDB has ended the run, or a fault that would have ended it without GDB. */
enum machine_stop board_debugger_run_until(void *context, struct machine *machine,
                                           uint64_t time_ps);

/* Behind the run: tells GDB of its end. */
void board_debugger_end(struct board_debugger *debugger, int exit_status);

/* NULL is permitted, as above. */
void board_debugger_destroy(struct board_debugger *debugger);

C_LINKAGE_END
