/* access.h - the data access that a core's next instruction would make: for debuggers, which stop
 * before it.  Source: ARM DDI 0100I, chapters A4, A5 and A7 (v5TE). */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* From `address` on; a swap reads and writes.  bytes 0: there is none. */
struct gdb_access {
    uint32_t address, bytes;
    bool reads, writes;
};

/* `word` is the instruction at pc; in Thumb state only its lower half counts.  A condition that
 * does not hold is an instruction without an access.  What takes an exception instead may be told
 * as an access. */
struct gdb_access gdb_next_access(const struct arm968 *cpu, uint32_t word);

C_LINKAGE_END
