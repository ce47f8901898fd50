/* registers.h - a core's registers by GDB's numbers, and their description for GDB.  The table is
 * registers.def. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* Numbers that the protocol or its users name. */
enum {
    GDB_SP = 13,
    GDB_PC = 15,
    GDB_FPA_FIRST = 16, /* what a client without a description has between pc and cpsr: f0 to f7 */
    GDB_FPA_STATUS = 24,
    GDB_CPSR = 25
};

struct gdb_register {
    unsigned number;
    const char *name;
    bool banked;
    enum arm968_mode mode; /* banked: the mode that sees it */
    unsigned index;        /* of the register; GDB_PSR_INDEX: the program status register */
};

enum { GDB_PSR_INDEX = 16 };

/* All registers in the order of their numbers; sets *count to how many there are. */
const struct gdb_register *gdb_registers(size_t *count);

/* False: there is no register of this number. */
bool gdb_read_register(const struct arm968 *cpu, unsigned number, uint32_t *value);
bool gdb_write_register(struct arm968 *cpu, unsigned number, uint32_t value);

/* The target description, target.xml: writes it to `text` and returns its length. */
enum { GDB_DESCRIPTION_CHARS = 8192 };
size_t gdb_describe(char text[GDB_DESCRIPTION_CHARS]);

C_LINKAGE_END
