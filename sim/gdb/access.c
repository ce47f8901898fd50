/* access.c - see access.h. */
#include "sim/gdb/access.h"

enum { SP = 13, PC = 15, THUMB_BIT = 1 << 5, CARRY_SHIFT = 29, WORD_BYTES = 4 };

static const struct gdb_access NONE = {0};

static uint32_t bits(uint32_t word, unsigned low, unsigned count)
{
    return word >> low & ((1u << count) - 1);
}

static bool bit(uint32_t word, unsigned number)
{
    return (word >> number & 1) != 0;
}

/* A register as an operand: pc is two instructions on. */
static uint32_t operand(const struct arm968 *cpu, unsigned index)
{
    enum { AHEAD = 8, AHEAD_THUMB = 4 };
    const uint32_t value = arm968_register(cpu, index);
    if (index != PC) {
        return value;
    }
    return value + ((arm968_cpsr(cpu) & THUMB_BIT) != 0 ? AHEAD_THUMB : AHEAD);
}

static struct gdb_access one(uint32_t address, uint32_t bytes, bool loads)
{
    return (struct gdb_access){address & ~(bytes - 1), bytes, loads, !loads};
}

/* As many words as the list has bits. */
static struct gdb_access several(uint32_t first, uint32_t list, bool loads)
{
    const uint32_t words = (uint32_t)__builtin_popcount(list);
    return (struct gdb_access){first & ~(WORD_BYTES - 1u), WORD_BYTES * words, loads, !loads};
}

/* ---- ARM state ---- */

/* Whether the condition in bits 31:28 holds; 15 is none. */
static bool holds(const struct arm968 *cpu, uint32_t condition)
{
    const uint32_t cpsr = arm968_cpsr(cpu);
    const bool n = bit(cpsr, 31);
    const bool z = bit(cpsr, 30);
    const bool c = bit(cpsr, CARRY_SHIFT);
    const bool v = bit(cpsr, 28);
    const bool of_pairs[] = {z, c, n, v, c && !z, n == v, !z && n == v, true};
    return of_pairs[condition >> 1] != bit(condition, 0);
}

/* A shifted register, without the carry out (A5.2). */
static uint32_t shifted(const struct arm968 *cpu, uint32_t word)
{
    enum { LSL, LSR, ASR, ROR };
    const uint32_t value = operand(cpu, bits(word, 0, 4));
    const uint32_t by = bits(word, 7, 5);
    const uint32_t sign = bit(value, 31) ? UINT32_MAX : 0;
    switch (bits(word, 5, 2)) {
    case LSL:
        return value << by;
    case LSR:
        return by == 0 ? 0 : value >> by;
    case ASR:
        return by == 0 ? sign : (value >> by | (sign << (31 - by) << 1));
    case ROR:
    default:
        return by == 0 ? (value >> 1 | bits(arm968_cpsr(cpu), CARRY_SHIFT, 1) << 31)
                       : (value >> by | value << (32 - by));
    }
}

/* The address of a single transfer: bit 24 before the offset is added, 23 upwards. */
static uint32_t indexed(const struct arm968 *cpu, uint32_t word, uint32_t offset)
{
    const uint32_t base = operand(cpu, bits(word, 16, 4));
    if (!bit(word, 24)) {
        return base;
    }
    return bit(word, 23) ? base + offset : base - offset;
}

/* LDR, STR, LDRB, STRB. */
static struct gdb_access of_word(const struct arm968 *cpu, uint32_t word)
{
    const uint32_t offset = bit(word, 25) ? shifted(cpu, word) : bits(word, 0, 12);
    return one(indexed(cpu, word, offset), bit(word, 22) ? 1 : WORD_BYTES, bit(word, 20));
}

/* LDRH, STRH, LDRSB, LDRSH, LDRD, STRD. */
static struct gdb_access of_half(const struct arm968 *cpu, uint32_t word)
{
    enum { HALF = 1, BYTE = 2, PAIR = 3 }; /* bits of a list: two registers */
    const uint32_t offset =
        bit(word, 22) ? bits(word, 8, 4) << 4 | bits(word, 0, 4) : operand(cpu, bits(word, 0, 4));
    const uint32_t address = indexed(cpu, word, offset);
    const uint32_t kind = bits(word, 5, 2);
    if (kind == HALF || bit(word, 20)) {
        return one(address, kind == BYTE ? 1 : 2, bit(word, 20));
    }
    return several(address, PAIR, kind == BYTE);
}

static struct gdb_access of_swap(const struct arm968 *cpu, uint32_t word)
{
    struct gdb_access access =
        one(operand(cpu, bits(word, 16, 4)), bit(word, 22) ? 1 : WORD_BYTES, true);
    access.writes = true;
    return access;
}

/* LDM, STM. */
static struct gdb_access of_block(const struct arm968 *cpu, uint32_t word)
{
    const uint32_t list = bits(word, 0, 16);
    const uint32_t bytes = WORD_BYTES * (uint32_t)__builtin_popcount(list);
    const uint32_t base = operand(cpu, bits(word, 16, 4));
    const bool upwards = bit(word, 23);
    const bool before = bit(word, 24);
    const uint32_t lowest = upwards ? base : base - bytes;
    return several(lowest + (before == upwards ? WORD_BYTES : 0), list, bit(word, 20));
}

static struct gdb_access of_arm(const struct arm968 *cpu, uint32_t word)
{
    enum { MULTIPLY_OR_HALF = 0x90, SWAP_MASK = 0x0fb000f0, SWAP = 0x01000090 };
    if (!holds(cpu, word >> 28)) {
        return NONE;
    }
    switch (bits(word, 25, 3)) {
    case 0:
        if ((word & MULTIPLY_OR_HALF) != MULTIPLY_OR_HALF) {
            return NONE;
        }
        if (bits(word, 5, 2) != 0) {
            return of_half(cpu, word);
        }
        return (word & SWAP_MASK) == SWAP ? of_swap(cpu, word) : NONE;
    case 2:
        return of_word(cpu, word);
    case 3:
        return bit(word, 4) ? NONE : of_word(cpu, word);
    case 4:
        return of_block(cpu, word);
    default:
        return NONE;
    }
}

/* ---- Thumb state ---- */

/* STR, STRH, STRB, LDRSB, LDR, LDRH, LDRB, LDRSH with a register as offset. */
static struct gdb_access of_register_offset(const struct arm968 *cpu, uint32_t half)
{
    static const struct {
        uint8_t bytes;
        bool loads;
    } KINDS[] = {{4, false}, {2, false}, {1, false}, {1, true},
                 {4, true},  {2, true},  {1, true},  {2, true}};
    const uint32_t kind = bits(half, 9, 3);
    const uint32_t address = operand(cpu, bits(half, 3, 3)) + operand(cpu, bits(half, 6, 3));
    return one(address, KINDS[kind].bytes, KINDS[kind].loads);
}

/* With an offset of five bits in units of the datum. */
static struct gdb_access of_offset(const struct arm968 *cpu, uint32_t half, uint32_t bytes)
{
    const uint32_t address = operand(cpu, bits(half, 3, 3)) + bits(half, 6, 5) * bytes;
    return one(address, bytes, bit(half, 11));
}

/* PUSH with lr, POP with pc. */
static struct gdb_access of_stack(const struct arm968 *cpu, uint32_t half)
{
    const uint32_t list = bits(half, 0, 9); /* bit 8: lr or pc */
    const uint32_t bytes = WORD_BYTES * (uint32_t)__builtin_popcount(list);
    const uint32_t sp = operand(cpu, SP);
    const bool loads = bit(half, 11);
    return several(loads ? sp : sp - bytes, list, loads);
}

static struct gdb_access of_thumb(const struct arm968 *cpu, uint32_t half)
{
    enum { LITERAL = 0x09, STACK = 0xb4, STACK_MASK = 0xf6 };
    if (bits(half, 11, 5) == LITERAL) {
        return one((operand(cpu, PC) & ~3u) + WORD_BYTES * bits(half, 0, 8), WORD_BYTES, true);
    }
    switch (bits(half, 12, 4)) {
    case 5:
        return of_register_offset(cpu, half);
    case 6:
        return of_offset(cpu, half, WORD_BYTES);
    case 7:
        return of_offset(cpu, half, 1);
    case 8:
        return of_offset(cpu, half, 2);
    case 9:
        return one(operand(cpu, SP) + WORD_BYTES * bits(half, 0, 8), WORD_BYTES, bit(half, 11));
    case 11:
        return (bits(half, 8, 8) & STACK_MASK) == STACK ? of_stack(cpu, half) : NONE;
    case 12:
        return several(operand(cpu, bits(half, 8, 3)), bits(half, 0, 8), bit(half, 11));
    default:
        return NONE;
    }
}

struct gdb_access gdb_next_access(const struct arm968 *cpu, uint32_t word)
{
    return (arm968_cpsr(cpu) & THUMB_BIT) != 0 ? of_thumb(cpu, word & UINT16_MAX)
                                               : of_arm(cpu, word);
}
