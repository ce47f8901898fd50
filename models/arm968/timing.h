/* timing.h - from instructions to cycles: the only place where the rows of isa/timing.def are added
 * up.
 *
 * The pipeline is described by when each result is ready (struct timing_pending), counted from the
 * issue of the next instruction.  Everything is static: it depends on the instructions and on which
 * conditions held, never on memory waits, which stop the pipeline as a whole.  Private to
 * models/arm968. */
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

/* What the issue cycles of a class are counted as. */
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

/* Pending results after an executed instruction (stall and issue included), and after one whose
 * condition failed. */
void timing_execute(const struct arm968_timing *timing, const struct insn *insn,
                    struct timing_pending *pending);
void timing_skip(const struct arm968_timing *timing, struct timing_pending *pending);

/* Lets `cycles` pass. */
void timing_elapse(struct timing_pending *pending, unsigned cycles);

bool timing_nothing_pending(const struct timing_pending *pending);

/* Does the instruction read, as an operand that could wait, a register that is pending?  And
 * forgets the results that it overwrites. */
bool timing_reads_pending(const struct insn *insn, const struct timing_pending *pending);
void timing_forget_results(const struct insn *insn, struct timing_pending *pending);

C_LINKAGE_END
