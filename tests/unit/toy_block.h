/* toy_block.h - a register block that no chip has: a countdown, as an example of what a new block
 * needs (this header, its source, its counters and its row in toy_block_table.c). */
#pragma once
#include "models/chip/register_block.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* TOY_TICKS: a write starts the countdown, a read returns the remaining ticks of the system clock.
 * TOY_CLEAR: any write clears the interrupt line, a read returns the line. */
enum { TOY_TICKS = 0, TOY_CLEAR = 4 };
#define TOY_SOURCE VIC_SOURCE_SDP /* source of the VIC that nothing else raises */

struct toy_counters {
#define COUNTER COUNTER_FIELD
#include "tests/unit/toy_block_counters.def"
#undef COUNTER
};

struct toy {
    uint64_t due_tick; /* UINT64_MAX: not running */
    uint32_t up;
    uint32_t gap; /* named, so that saved states are the same bytes with every compiler */
    struct toy_counters counters;
};

extern const struct register_block TOY_BLOCK;

C_LINKAGE_END
