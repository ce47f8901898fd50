/* toy_block.h - a register block that no chip has, as an example of what a new one takes: this
 * header, its source, its counters and its row (toy_block_table.c).  It counts down. */
#pragma once
#include "models/chip/register_block.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* TOY_TICKS: a write starts it, a read gives the ticks of the system clock that are left;
 * TOY_CLEAR: any write brings its interrupt line down, a read gives the line. */
enum { TOY_TICKS = 0, TOY_CLEAR = 4 };
#define TOY_SOURCE VIC_SOURCE_SDP /* of the VIC: nothing else raises it */

struct toy_counters {
#define COUNTER COUNTER_FIELD
#include "tests/unit/toy_block_counters.def"
#undef COUNTER
};

struct toy {
    uint64_t due_tick; /* UINT64_MAX: it does not run */
    uint32_t up;
    uint32_t gap; /* named, so that saved states are the same bytes with every compiler */
    struct toy_counters counters;
};

extern const struct register_block TOY_BLOCK;

C_LINKAGE_END
