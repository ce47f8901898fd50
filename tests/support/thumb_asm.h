/* thumb_asm.h - half-words of Thumb state for the tests: thumb::ldr_imm(r0, r1, 4).
 * ARM DDI 0100I, chapters A6 and A7.  Offsets are in bytes.  Nothing here checks its operands. */
#pragma once
#include "tests/support/arm_asm.h"

namespace thumb
{

constexpr uint16_t half(uint32_t value)
{
    return static_cast<uint16_t>(value);
}

enum data_op : uint32_t {
    OP_AND,
    OP_EOR,
    OP_LSL,
    OP_LSR,
    OP_ASR,
    OP_ADC,
    OP_SBC,
    OP_ROR,
    OP_TST,
    OP_NEG,
    OP_CMP,
    OP_CMN,
    OP_ORR,
    OP_MUL,
    OP_BIC,
    OP_MVN
};

constexpr uint16_t shift_imm(arm_shift shift, unsigned rd, unsigned rm, uint32_t amount)
{
    return half(shift << 11 | (amount & 31u) << 6 | rm << 3 | rd);
}
constexpr uint16_t add_reg(unsigned rd, unsigned rn, unsigned rm)
{
    return half(0x1800 | rm << 6 | rn << 3 | rd);
}
constexpr uint16_t sub_reg(unsigned rd, unsigned rn, unsigned rm)
{
    return half(0x1a00 | rm << 6 | rn << 3 | rd);
}
constexpr uint16_t mov_imm(unsigned rd, uint32_t value)
{
    return half(0x2000 | rd << 8 | value);
}
constexpr uint16_t cmp_imm(unsigned rd, uint32_t value)
{
    return half(0x2800 | rd << 8 | value);
}
constexpr uint16_t add_imm(unsigned rd, uint32_t value)
{
    return half(0x3000 | rd << 8 | value);
}
constexpr uint16_t sub_imm(unsigned rd, uint32_t value)
{
    return half(0x3800 | rd << 8 | value);
}
constexpr uint16_t data(data_op op, unsigned rd, unsigned rm)
{
    return half(0x4000 | op << 6 | rm << 3 | rd);
}
constexpr uint16_t high(uint32_t op, unsigned rd, unsigned rm)
{
    return half(0x4400 | op << 8 | (rd & 8u) << 4 | rm << 3 | (rd & 7u));
}
constexpr uint16_t add_high(unsigned rd, unsigned rm)
{
    return high(0, rd, rm);
}
constexpr uint16_t cmp_high(unsigned rd, unsigned rm)
{
    return high(1, rd, rm);
}
constexpr uint16_t mov(unsigned rd, unsigned rm)
{
    return high(2, rd, rm);
}
constexpr uint16_t nop()
{
    return mov(r8, r8);
}
constexpr uint16_t bx(unsigned rm)
{
    return half(0x4700 | rm << 3);
}
constexpr uint16_t blx(unsigned rm)
{
    return half(0x4780 | rm << 3);
}
constexpr uint16_t ldr_literal(unsigned rd, uint32_t offset)
{
    return half(0x4800 | rd << 8 | offset >> 2);
}

/* op: STR STRH STRB LDRSB LDR LDRH LDRB LDRSH */
enum transfer_op : uint32_t { STR, STRH, STRB, LDRSB, LDR, LDRH, LDRB, LDRSH };
constexpr uint16_t transfer_reg(transfer_op op, unsigned rd, unsigned rn, unsigned rm)
{
    return half(0x5000 | op << 9 | rm << 6 | rn << 3 | rd);
}
constexpr uint16_t str_imm(unsigned rd, unsigned rn, uint32_t offset)
{
    return half(0x6000 | (offset >> 2) << 6 | rn << 3 | rd);
}
constexpr uint16_t ldr_imm(unsigned rd, unsigned rn, uint32_t offset)
{
    return half(0x6800 | (offset >> 2) << 6 | rn << 3 | rd);
}
constexpr uint16_t strb_imm(unsigned rd, unsigned rn, uint32_t offset)
{
    return half(0x7000 | offset << 6 | rn << 3 | rd);
}
constexpr uint16_t ldrb_imm(unsigned rd, unsigned rn, uint32_t offset)
{
    return half(0x7800 | offset << 6 | rn << 3 | rd);
}
constexpr uint16_t strh_imm(unsigned rd, unsigned rn, uint32_t offset)
{
    return half(0x8000 | (offset >> 1) << 6 | rn << 3 | rd);
}
constexpr uint16_t ldrh_imm(unsigned rd, unsigned rn, uint32_t offset)
{
    return half(0x8800 | (offset >> 1) << 6 | rn << 3 | rd);
}
constexpr uint16_t str_sp(unsigned rd, uint32_t offset)
{
    return half(0x9000 | rd << 8 | offset >> 2);
}
constexpr uint16_t ldr_sp(unsigned rd, uint32_t offset)
{
    return half(0x9800 | rd << 8 | offset >> 2);
}
constexpr uint16_t add_pc(unsigned rd, uint32_t offset)
{
    return half(0xa000 | rd << 8 | offset >> 2);
}
constexpr uint16_t add_sp(unsigned rd, uint32_t offset)
{
    return half(0xa800 | rd << 8 | offset >> 2);
}
constexpr uint16_t adjust_sp(bool down, uint32_t offset)
{
    return half(0xb000 | static_cast<uint32_t>(down) << 7 | offset >> 2);
}
constexpr uint16_t push(std::initializer_list<unsigned> list)
{
    const uint32_t bits = register_list(list);
    return half(0xb400 | (bits >> 14 & 1u) << 8 | (bits & 0xffu));
}
constexpr uint16_t pop(std::initializer_list<unsigned> list)
{
    const uint32_t bits = register_list(list);
    return half(0xbc00 | (bits >> 15 & 1u) << 8 | (bits & 0xffu));
}
constexpr uint16_t stmia(unsigned rn, std::initializer_list<unsigned> list)
{
    return half(0xc000 | rn << 8 | register_list(list));
}
constexpr uint16_t ldmia(unsigned rn, std::initializer_list<unsigned> list)
{
    return half(0xc800 | rn << 8 | register_list(list));
}
constexpr uint16_t bkpt(uint32_t comment)
{
    return half(0xbe00 | comment);
}
constexpr uint16_t swi(uint32_t comment)
{
    return half(0xdf00 | comment);
}
constexpr uint16_t undefined_half()
{
    return 0xde00;
}
constexpr uint16_t b_if(arm_condition condition, uint32_t from, uint32_t to)
{
    return half(0xd000 | condition << 8 | ((to - from - 4) >> 1 & 0xffu));
}
constexpr uint16_t b(uint32_t from, uint32_t to)
{
    return half(0xe000 | ((to - from - 4) >> 1 & 0x7ffu));
}
constexpr uint16_t branch_to_self()
{
    return b(0, 0);
}
/* The halves of BL and BLX; `from` is the address of the prefix. */
constexpr uint16_t bl_prefix(uint32_t from, uint32_t to)
{
    return half(0xf000 | ((to - from - 4) >> 12 & 0x7ffu));
}
constexpr uint16_t bl_suffix(uint32_t from, uint32_t to)
{
    return half(0xf800 | ((to - from - 4) >> 1 & 0x7ffu));
}
constexpr uint16_t blx_suffix(uint32_t from, uint32_t to)
{
    return half(0xe800 | ((to - (from & ~2u) - 4) >> 1 & 0x7feu));
}

} // namespace thumb
