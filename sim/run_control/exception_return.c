/* exception_return.c - see exception_return.h. */
#include "sim/run_control/exception_return.h"

enum { NEVER = 15, CONDITION_SHIFT = 28, FLAGS_SHIFT = 28 };

static bool bit(uint32_t value, unsigned index)
{
    return (value >> index & 1) != 0;
}

/* Data processing with S and pc as its result (A3.4): no comparison, and none of the multiplies and
 * extra loads and stores, which have bits 7 and 4 beside a register operand. */
static bool is_operation(uint32_t instruction)
{
    enum { OPCODE_SHIFT = 21, OPCODES = 0xf, TST = 8, CMN = 11 };
    const uint32_t opcode = instruction >> OPCODE_SHIFT & OPCODES;
    const bool compares = opcode >= TST && opcode <= CMN;
    const bool other = !bit(instruction, 25) && bit(instruction, 7) && bit(instruction, 4);
    return (instruction & 0x0c10f000u) == 0x0010f000u && !compares && !other;
}

/* LDM with pc in its list and ^: LDM (3), A4.1.22. */
static bool is_load(uint32_t instruction)
{
    return (instruction & 0x0e508000u) == 0x08508000u;
}

bool exception_return_is(uint32_t instruction)
{
    return instruction >> CONDITION_SHIFT != NEVER &&
           (is_operation(instruction) || is_load(instruction));
}

bool exception_return_holds(uint32_t instruction, uint32_t cpsr)
{
    enum { V, C, Z, N };
    const uint32_t flags = cpsr >> FLAGS_SHIFT;
    const uint32_t condition = instruction >> CONDITION_SHIFT;
    const bool signed_less = bit(flags, N) != bit(flags, V);
    const bool first_of_pair[] = {bit(flags, Z),                   /* EQ */
                                  bit(flags, C),                   /* CS */
                                  bit(flags, N),                   /* MI */
                                  bit(flags, V),                   /* VS */
                                  bit(flags, C) && !bit(flags, Z), /* HI */
                                  !signed_less,                    /* GE */
                                  !signed_less && !bit(flags, Z),  /* GT */
                                  true};                           /* AL */
    return first_of_pair[condition >> 1] != bit(condition, 0);
}
