/* timing.h - from instructions to cycles: the only place where the rows of isa/timing.def are added
 * up.
 *
 * The pipeline is described by the time at which each result is ready (struct timing_pending),
 * counted from the issue of the next instruction.  All timing here is static: it depends on the
 * instructions and on which conditions held, not on memory waits, which stop the whole pipeline.
 * Private to models/arm968. */
#pragma once
#include "models/arm968/insn.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* Cycles until register n can be used by the next instruction, as an Execute operand, as store
 * data, as an accumulate operand.  All zero: nothing pending. */
struct timing_pending {
    uint8_t execute[ARM968_REGISTERS + 1];
    uint8_t store[ARM968_REGISTERS + 1];
    uint8_t accumulate[ARM968_REGISTERS + 1];
};

/* The counter of the issue cycles of a class. */
enum timing_lane {
    TIMING_LANE_OTHER,
    TIMING_LANE_MULTIPLY,
    TIMING_LANE_MEMORY,
    TIMING_LANE_BRANCH
};
enum timing_lane timing_lane(const struct insn *insn);

/* Cycles an executed instruction occupies the issue stage, without stalls. */
unsigned timing_issue(const struct arm968_timing *timing, const struct insn *insn);

/* Stall of an executed instruction before it issues. */
unsigned timing_stall(const struct insn *insn, const struct timing_pending *pending);

/* Updates pending results after an executed instruction (stall and issue included), and after one
 * whose condition failed. */
void timing_execute(const struct arm968_timing *timing, const struct insn *insn,
                    struct timing_pending *pending);
void timing_skip(const struct arm968_timing *timing, struct timing_pending *pending);

/* Reduces all pending times by `cycles`. */
void timing_elapse(struct timing_pending *pending, unsigned cycles);

bool timing_nothing_pending(const struct timing_pending *pending);

/* Whether the instruction reads a pending register as an operand that could wait.  Also removes the
 * results that it overwrites. */
bool timing_reads_pending(const struct insn *insn, const struct timing_pending *pending);
void timing_forget_results(const struct insn *insn, struct timing_pending *pending);

C_LINKAGE_END
