/* interpreter.h - executes blocks.  Private to models/arm968. */
#pragma once
#include "models/arm968/arm968_state.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* Why the interpreter stopped. cpu->cycle, pc and the point of continuation are always up to
 * date. */
enum leave_reason {
    LEAVE_BOUNDARY, /* between two instructions: the budget is spent, or an event must be handled */
    LEAVE_BLOCKED,  /* before an instruction whose access must be performed first: cpu->access */
    LEAVE_FETCH,    /* pc is outside the code memory */
    LEAVE_MARK,     /* before the instruction at a mark or breakpoint: cpu->stop_kind */
    LEAVE_DATA_ABORT, /* pc is that of the instruction, which has cost its cycles */
    LEAVE_UNDEFINED,  /* likewise */
    LEAVE_BREAKPOINT, /* likewise: BKPT */
    LEAVE_SWI         /* pc is after the instruction: cpu->swi_number */
};

/* Runs from instruction `insn` of a block for about `budget` cycles: up to the first instruction
 * boundary at least that many cycles from now. */
enum leave_reason interpreter_run(struct arm968 *cpu, struct block *block, unsigned insn,
                                  int64_t budget);

/* The code address of each operation, indexed by enum op_code. */
const void *const *interpreter_labels(void);

C_LINKAGE_END
