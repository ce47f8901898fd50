/* fresh_thumb.cpp - random instructions of Thumb state, alone and in sequences.
 * Sequences: r0-r3 and r8-r12 are data; r4, r5 and sp point to words of the data memory and move a
 * little; r6 is a small offset, a multiple of 4; r7 counts a loop. */
#include "tests/isa/fresh/fresh_vectors.h"
#include "tests/support/thumb_asm.h"

namespace
{

/* ---- one instruction ---- */

uint32_t data_one(fresh_builder *b, fresh_slot *)
{
    switch (b->below(6)) {
    case 0: /* shifts by a constant */
        return b->below(3) << 11 | b->below(0x800);
    case 1: /* ADD, SUB of a register or 3 bits */
        return 0x1800u | b->below(0x800);
    case 2: /* MOV, CMP, ADD, SUB of 8 bits */
        return 0x2000u | b->below(0x2000);
    case 3: { /* ADD, CMP, MOV with a high register */
        const uint32_t op = b->below(3);
        const unsigned rd = b->any_register();
        const unsigned rm = b->below(16);
        return thumb::high(op, rd, rd < 8 && rm < 8 ? rm + 8 : rm);
    }
    default: {
        const uint32_t op = b->below(16);
        const unsigned rd = b->below(8);
        const unsigned rm = b->below(8);
        return thumb::data(static_cast<thumb::data_op>(op), rd,
                           op == 13 && rm == rd ? (rm + 1) % 8 : rm);
    }
    }
}

uint32_t address_one(fresh_builder *b, fresh_slot *)
{
    return b->chance(70) ? 0xa000u | b->below(0x1000) : 0xb000u | b->below(0x100);
}

void need(fresh_slot *slot, unsigned base, unsigned index, uint32_t offset, uint32_t bytes)
{
    slot->transfer = {};
    slot->transfer.wanted = true;
    slot->transfer.base = base;
    slot->transfer.index = index;
    slot->transfer.up = true;
    slot->transfer.pre = true;
    slot->transfer.offset = offset;
    slot->transfer.bytes = bytes;
    slot->transfer.alignment = bytes;
    if (index == base) {
        slot->transfer.alignment = bytes < 2 ? 2 : bytes;
    }
}

uint32_t transfer_one(fresh_builder *b, fresh_slot *slot)
{
    static const uint32_t BYTES[8] = {4, 2, 1, 1, 4, 2, 1, 2}; /* of enum transfer_op */
    const unsigned rd = b->below(8);
    const unsigned rn = b->below(8);
    const unsigned rm = b->below(8);
    const uint32_t offset = b->below(32);
    switch (b->below(5)) {
    case 0: {
        const uint32_t op = b->below(8);
        need(slot, rn, rm, 0, BYTES[op]);
        return thumb::transfer_reg(static_cast<thumb::transfer_op>(op), rd, rn, rm);
    }
    case 1: {
        const bool byte = b->chance(50);
        need(slot, rn, NO_REGISTER, byte ? offset : 4 * offset, byte ? 1 : 4);
        return 0x6000u | static_cast<uint32_t>(byte) << 12 | b->below(2) << 11 | offset << 6 |
               rn << 3 | rd;
    }
    case 2:
        need(slot, rn, NO_REGISTER, 2 * offset, 2);
        return 0x8000u | b->below(2) << 11 | offset << 6 | rn << 3 | rd;
    case 3: {
        const uint32_t words = b->below(256);
        need(slot, sp, NO_REGISTER, 4 * words, 4);
        return 0x9000u | b->below(2) << 11 | rd << 8 | words;
    }
    default:
        return thumb::ldr_literal(rd, 4 * b->below(256));
    }
}

uint32_t block_one(fresh_builder *b, fresh_slot *slot)
{
    const unsigned rn = b->below(8);
    const bool load = b->chance(50);
    const bool stack = b->chance(50);
    uint32_t list = b->chance(30) ? 1u << b->below(8) : 1 + b->below(255);
    if (!stack) { /* a base in the list: only as the first that is stored, or of a load */
        const bool first = (list & ((1u << rn) - 1)) == 0;
        list = load || first ? list : list & ~(1u << rn);
        list = list == 0 ? 1u << (rn + 1) % 8 : list;
    }
    const auto count = static_cast<uint32_t>(__builtin_popcount(list));
    if (stack && !load) { /* PUSH, with lr or not */
        const uint32_t link = b->below(2);
        need(slot, sp, NO_REGISTER, 0, 4 * (count + link));
        slot->transfer.first = -4 * static_cast<int32_t>(count + link);
        slot->transfer.alignment = 4;
        return 0xb400u | link << 8 | list;
    }
    need(slot, stack ? static_cast<unsigned>(sp) : rn, NO_REGISTER, 0, 4 * count);
    slot->transfer.alignment = 4;
    return stack ? 0xbc00u | list : (load ? 0xc800u : 0xc000u) | rn << 8 | list;
}

/* ---- jumps ---- */

/* BL and BLX are two instructions. */
void call_one(fresh_builder *b)
{
    const uint32_t from = b->here();
    const bool exchange = b->chance(50);
    const uint32_t to = exchange ? b->arm_pad() : b->thumb_pad();
    b->thumb(exchange ? thumb::bl_prefix(from & ~2u, to) : thumb::bl_prefix(from, to));
    b->thumb(exchange ? thumb::blx_suffix(from, to) : thumb::bl_suffix(from, to));
}

uint32_t jump_by_register(fresh_builder *b, fresh_slot *slot)
{
    const unsigned reg = b->any_register();
    slot->jump.by = JUMP_BY_REGISTER;
    slot->jump.reg = reg;
    switch (b->below(4)) {
    case 0:
        slot->jump.exchange = true;
        return thumb::bx(reg);
    case 1:
        slot->jump.exchange = true;
        return thumb::blx(reg);
    case 2:
        return thumb::mov(pc, reg);
    default:
        slot->jump.minus = b->here() + 4;
        return thumb::add_high(pc, reg);
    }
}

uint32_t pop_pc(fresh_builder *b, fresh_slot *slot)
{
    const uint32_t list = b->below(256);
    const auto count = static_cast<uint32_t>(__builtin_popcount(list));
    need(slot, sp, NO_REGISTER, 0, 4 * count + 4);
    slot->transfer.alignment = 4;
    slot->jump.by = JUMP_BY_MEMORY;
    slot->jump.exchange = true;
    slot->jump.minus = 4 * count;
    return 0xbd00u | list;
}

using maker = uint32_t (*)(fresh_builder *, fresh_slot *);

struct share {
    unsigned percent;
    maker make;
};

/* ---- sequences ----
 * A stub is called from both states: it writes r0-r3 only, and knows no pointer but sp. */

unsigned source_register(fresh_builder *b)
{
    return b->chance(85) ? b->below(4) : b->below(8);
}

void data_piece(fresh_builder *b, bool stub)
{
    const unsigned d = b->below(4);
    const unsigned m = source_register(b);
    switch (b->below(7)) {
    case 0:
        return b->thumb(b->below(3) << 11 | b->below(32) << 6 | m << 3 | d);
    case 1:
        return b->thumb(b->chance(50) ? thumb::add_reg(d, m, source_register(b))
                                      : thumb::sub_reg(d, m, source_register(b)));
    case 2:
        return b->thumb(0x1c00u | b->below(16) << 6 | m << 3 | d);
    case 3:
        return b->thumb(0x2000u | b->below(4) << 11 | d << 8 | b->below(256));
    case 4: { /* a high register is involved */
        const unsigned high_one = 8 + b->below(5);
        return b->thumb(!stub && b->chance(50)
                            ? thumb::high(b->below(3), high_one, source_register(b))
                            : thumb::high(b->below(3), d, high_one));
    }
    default: {
        const uint32_t op = b->below(16);
        return b->thumb(
            thumb::data(static_cast<thumb::data_op>(op), d, op == 13 && m == d ? (d + 1) % 4 : m));
    }
    }
}

void transfer_piece(fresh_builder *b, bool stub)
{
    const unsigned d = b->below(4);
    const unsigned base = 4 + b->below(2);
    switch (stub ? 3 + b->below(2) : b->below(5)) {
    case 0:
        return b->thumb(
            thumb::transfer_reg(static_cast<thumb::transfer_op>(b->below(8)), d, base, r6));
    case 1: /* words and bytes */
        return b->thumb(0x6000u | b->below(128) << 6 | base << 3 | d);
    case 2:
        return b->thumb(0x8000u | b->below(64) << 6 | base << 3 | d);
    case 3:
        return b->thumb(0x9000u | (stub ? 1u : b->below(2)) << 11 | d << 8 | b->below(64));
    default:
        return b->thumb(thumb::ldr_literal(d, 4 * b->below(256)));
    }
}

void block_piece(fresh_builder *b, bool stub)
{
    const uint32_t loaded = 1 + b->below(15);
    const unsigned base = 4 + b->below(2);
    switch (stub ? 4 : b->below(4)) {
    case 0:
        return b->thumb(0xb400u | b->below(2) << 8 | (1 + b->below(255)));
    case 1:
        return b->thumb(0xbc00u | loaded);
    case 2:
        return b->thumb(0xc000u | base << 8 | loaded);
    case 3:
        return b->thumb(0xc800u | base << 8 | loaded);
    default:
        return b->thumb(0xa000u | b->below(2) << 11 | b->below(4) << 8 | b->below(256));
    }
}

void straight(fresh_builder *b, bool stub)
{
    const uint32_t choice = b->below(100);
    if (choice < 60) {
        data_piece(b, stub);
    } else if (choice < 86) {
        transfer_piece(b, stub);
    } else {
        block_piece(b, stub);
    }
}

void piece(fresh_builder *b)
{
    const uint32_t choice = b->below(100);
    const uint32_t from = b->here();
    if (choice < 22) { /* over one or two */
        b->thumb(thumb::nop());
        straight(b, false);
        if (b->chance(50)) {
            straight(b, false);
        }
        b->patch_thumb(from, b->chance(90) ? thumb::b_if(static_cast<arm_condition>(b->below(14)),
                                                         from, b->here())
                                           : thumb::b(from, b->here()));
    } else if (choice < 28) {
        const uint32_t to = b->thumb_stub();
        b->thumb(thumb::bl_prefix(from, to));
        b->thumb(thumb::bl_suffix(from, to));
    } else if (choice < 30) {
        const uint32_t to = b->arm_stub();
        b->thumb(thumb::bl_prefix(from & ~2u, to));
        b->thumb(thumb::blx_suffix(from, to));
    } else {
        straight(b, false);
    }
}

} // namespace

void fresh_thumb_insn(fresh_builder *b, fresh_slot *slot)
{
    static const share SHARES[] = {{44, data_one},  {5, address_one},      {22, transfer_one},
                                   {12, block_one}, {5, jump_by_register}, {3, pop_pc}};
    uint32_t choice = b->below(100);
    for (const share &it : SHARES) {
        if (choice < it.percent) {
            b->thumb(it.make(b, slot));
            return;
        }
        choice -= it.percent;
    }
    if (choice < 4) {
        call_one(b);
    } else {
        b->near_branch(b->chance(20) ? AL : static_cast<arm_condition>(b->below(14)));
    }
}

void fresh_thumb_sequence(fresh_builder *b)
{
    const bool loop = b->chance(25);
    const unsigned pieces = loop ? 1 + b->below(4) : 2 + b->below(6);
    if (loop) {
        b->thumb(thumb::mov_imm(r7, 1 + b->below(3)));
    }
    const uint32_t head = b->here();
    for (unsigned i = 0; i < pieces; i++) {
        piece(b);
    }
    if (loop) {
        b->thumb(thumb::sub_imm(r7, 1));
        b->thumb(thumb::b_if(NE, b->here(), head));
    }
}

void fresh_thumb_stub(fresh_builder *b)
{
    const bool saves = b->chance(50);
    if (saves) {
        b->thumb(thumb::push({r1, lr}));
    }
    const unsigned pieces = 1 + b->below(4);
    for (unsigned i = 0; i < pieces; i++) {
        straight(b, true);
    }
    b->thumb(saves ? thumb::pop({r1, pc}) : thumb::bx(lr));
}
