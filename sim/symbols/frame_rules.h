/* frame_rules.h - where a function's caller and its registers are found, at one of its
 * instructions: call frame information in the section .debug_frame (DWARF 5, 6.4). */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/symbols/code_span.h"
#include "sim/symbols/dwarf_bytes.h"
C_LINKAGE_BEGIN

/* ARM's numbers of r0 to r15 are their own (DWARF for the ARM Architecture, IHI 0040, 4.1). */
enum { FRAME_REGISTERS = 16, FRAME_SP = 13, FRAME_LR = 14, FRAME_PC = 15 };

enum frame_rule_kind {
    FRAME_SAME,       /* as it is: the function has not changed it */
    FRAME_LOST,       /* not to be had */
    FRAME_STORED,     /* stored at the frame's address + offset */
    FRAME_COMPUTED,   /* the frame's address + offset */
    FRAME_IN_REGISTER /* in another register */
};

struct frame_rule {
    enum frame_rule_kind kind;
    int32_t offset; /* bytes; FRAME_IN_REGISTER: the register */
};

/* The frame's address is that of the stack pointer before the call: a register + offset. */
struct frame_rules {
    bool has_address; /* false: only an expression gives it, which is not evaluated */
    unsigned address_register;
    int32_t address_offset;
    unsigned return_register; /* the column that has the address to return to */
    struct frame_rule of[FRAME_REGISTERS];
};

/* The rules at an instruction; false: there are none, or none that can be used.  function: as for
 * line_table_find(). */
bool frame_rules_find(struct dwarf_bytes debug_frame, uint32_t address, struct code_span function,
                      struct frame_rules *rules);

C_LINKAGE_END
