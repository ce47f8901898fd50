/* random_thumb.cpp - the pieces of a random Thumb program; register duties: program_builder.h. */
#include "tests/support/program_builder.h"
#include "tests/support/thumb_asm.h"

namespace
{

unsigned data_register(program_builder *b)
{
    return b->below(4);
}

unsigned low_source(program_builder *b)
{
    return b->chance(85) ? b->below(4) : b->below(8);
}

unsigned high_destination(program_builder *b)
{
    return b->chance(50) ? b->below(4) : 8 + b->below(5);
}

void data_piece(program_builder *b)
{
    const unsigned d = data_register(b);
    const unsigned m = low_source(b);
    switch (b->below(7)) {
    case 0:
        return b->emit(thumb::shift_imm(static_cast<arm_shift>(b->below(3)), d, m, b->below(32)));
    case 1:
        return b->emit(b->chance(50) ? thumb::add_reg(d, m, low_source(b))
                                     : thumb::sub_reg(d, m, low_source(b)));
    case 2: /* ADD, SUB of 3 bits */
        return b->emit(0x1c00u | b->below(16) << 6 | m << 3 | d);
    case 3: /* MOV, CMP, ADD, SUB of 8 bits */
        return b->emit(0x2000u | b->below(4) << 11 | d << 8 | b->below(256));
    case 4:
    case 5:
        return b->emit(thumb::data(static_cast<thumb::data_op>(b->below(16)), d, m));
    default:
        return b->emit(thumb::high(b->below(3), high_destination(b), b->below(15)));
    }
}

void pointer_piece(program_builder *b)
{
    switch (b->below(5)) {
    case 0:
        return b->emit_literal(thumb::ldr_literal(r4, 0), b->data_pointer());
    case 1:
        return b->emit_literal(thumb::ldr_literal(r5, 0), b->data_pointer() + b->below(4));
    case 2:
        b->emit_literal(thumb::ldr_literal(r5, 0), TABLE_BASE + TABLE_OFFSETS);
        b->emit(thumb::ldrb_imm(r6, r5, b->below(32)));
        return b->emit_literal(thumb::ldr_literal(r5, 0), b->data_pointer());
    case 3:
        b->emit_literal(thumb::ldr_literal(r5, 0), TABLE_BASE);
        return b->emit(thumb::ldr_imm(r5, r5, 4 * b->below(32)));
    default:
        return b->emit(thumb::mov_imm(r6, b->below(64)));
    }
}

void transfer_piece(program_builder *b)
{
    const unsigned base = 4 + b->below(2);
    const unsigned d = data_register(b);
    switch (b->below(5)) {
    case 0:
        return b->emit(
            thumb::transfer_reg(static_cast<thumb::transfer_op>(b->below(8)), d, base, r6));
    case 1: /* words and bytes with an offset of 5 bits */
        return b->emit(0x6000u | b->below(0x80) << 6 | base << 3 | d);
    case 2: /* halves */
        return b->emit(0x8000u | b->below(0x40) << 6 | base << 3 | d);
    case 3:
        return b->emit(b->chance(50) ? thumb::ldr_sp(d, 4 * b->below(64))
                                     : thumb::str_sp(b->below(8), 4 * b->below(64)));
    default:
        return b->emit_literal(thumb::ldr_literal(d, 0), b->any_word());
    }
}

void address_piece(program_builder *b)
{
    switch (b->below(3)) {
    case 0:
        return b->emit(thumb::add_pc(data_register(b), 4 * b->below(256)));
    case 1:
        return b->emit(thumb::add_sp(data_register(b), 4 * b->below(256)));
    default:
        return b->emit(thumb::adjust_sp(b->chance(50), 4 * b->below(8)));
    }
}

void block_piece(program_builder *b)
{
    const uint32_t few = 1u << b->below(4);
    const uint32_t loaded = b->chance(30) ? few : 1 + b->below(15);
    const uint32_t stored = b->chance(30) ? few : 1 + b->below(255);
    const unsigned base = 4 + b->below(2);
    switch (b->below(4)) {
    case 0:
        return b->emit(0xb400u | b->below(2) << 8 | stored);
    case 1:
        return b->emit(0xbc00u | loaded);
    case 2:
        return b->emit(0xc000u | base << 8 | stored);
    default:
        return b->emit(0xc800u | base << 8 | loaded);
    }
}

void branch_piece(program_builder *b)
{
    const unsigned label = b->forward_label();
    switch (b->below(10)) {
    case 0:
        b->emit_branch(0xf000, label);
        return b->emit(0xf800);
    case 1:
        b->emit_branch(0xf000, b->stub_label());
        return b->emit(0xe800);
    case 2:
        b->emit_label_literal(thumb::ldr_literal(r3, 0), label, 1);
        return b->emit(b->chance(50) ? thumb::bx(r3) : thumb::blx(r3));
    case 3:
        b->emit_label_literal(thumb::ldr_literal(r3, 0), label, 0);
        return b->emit(thumb::mov(pc, r3));
    case 4:
        b->emit_label_literal(thumb::ldr_literal(r3, 0), label, 1);
        b->emit(thumb::push({r1, r3}));
        b->emit(thumb::pop({r2}));
        return b->emit(thumb::pop({pc}));
    case 5:
        return b->emit_branch(0xe000, label);
    case 6:
        return b->emit(thumb::swi(b->below(256)));
    default:
        return b->emit_branch(0xd000u | b->below(14) << 8, label);
    }
}

void straight_piece(program_builder *b)
{
    const uint32_t choice = b->below(100);
    if (choice < 38) {
        data_piece(b);
    } else if (choice < 48) {
        pointer_piece(b);
    } else if (choice < 72) {
        transfer_piece(b);
    } else if (choice < 77) {
        address_piece(b);
    } else if (choice < 87) {
        block_piece(b);
    } else {
        branch_piece(b);
    }
}

void loop_piece(program_builder *b)
{
    b->emit(thumb::mov_imm(r7, 1 + b->below(5)));
    b->begin_loop();
    const uint32_t start = b->here();
    const unsigned pieces = b->below(5); /* none: a delay loop */
    for (unsigned i = 0; i < pieces; i++) {
        b->begin_piece();
        straight_piece(b);
    }
    b->begin_piece();
    b->emit(thumb::sub_imm(r7, 1));
    b->emit_branch_to(0xd000u | NE << 8, start);
    b->end_loop();
}

} // namespace

void random_thumb_piece(program_builder *b)
{
    if (b->chance(6)) {
        loop_piece(b);
    } else {
        straight_piece(b);
    }
}
