/* random_arm.cpp - the pieces of a random ARM program; register duties: program_builder.h. */
#include "tests/support/arm_asm.h"
#include "tests/support/program_builder.h"

namespace
{

unsigned data_register(program_builder *b)
{
    return b->chance(10) ? lr : b->below(7);
}

unsigned any_source(program_builder *b)
{
    return b->chance(85) ? b->below(7) : b->below(15);
}

arm_shift any_shift(program_builder *b)
{
    return static_cast<arm_shift>(b->below(4));
}

void emit_if(program_builder *b, uint32_t insn)
{
    b->emit(when(b->condition(), insn));
}

void data_piece(program_builder *b)
{
    const auto op = static_cast<arm_data_op>(b->below(16));
    const bool compare = op >= TST && op <= CMN;
    const bool flags = compare || b->chance(40);
    const unsigned rd = compare ? 0 : data_register(b);
    const unsigned rn = any_source(b);
    switch (b->below(3)) {
    case 0:
        emit_if(b,
                data_imm(op, flags, rd, b->chance(5) ? pc : rn, b->below(256) << b->below(13) * 2));
        break;
    case 1:
        emit_if(b, data_reg(op, flags, rd, rn, any_source(b), any_shift(b),
                            b->chance(50) ? 0 : b->below(32)));
        break;
    default:
        emit_if(b, data_shift_reg(op, flags, rd, rn, any_source(b), any_shift(b), any_source(b)));
        break;
    }
}

void pointer_piece(program_builder *b)
{
    switch (b->below(6)) {
    case 0:
        b->emit(ldr_imm(r9, r8, static_cast<int32_t>(4 * b->below(TABLE_POINTERS))));
        break;
    case 1:
        b->emit(ldr_imm(r10, r8, static_cast<int32_t>(4 * b->below(TABLE_POINTERS))));
        break;
    case 2:
        b->emit(ldrb_imm(r12, r8, static_cast<int32_t>(TABLE_OFFSETS + b->below(64))));
        break;
    case 3:
        b->emit(add_imm(r9, r10, b->below(64)));
        break;
    case 4:
        b->emit_literal(ldr_imm(b->chance(50) ? r9 : r10, pc, 0), b->data_pointer());
        break;
    default:
        b->emit(data_imm(AND, false, r12, any_source(b), 0x3f));
        break;
    }
}

/* Base and largest offset of an access; writes to the base stay small and, where asked, aligned. */
struct place {
    unsigned base;
    uint32_t offset;
};

place any_place(program_builder *b, bool writeback)
{
    switch (b->below(8)) {
    case 0:
        return {r11, writeback ? 4 * b->below(5) : b->below(64)};
    case 1:
        return {sp, writeback ? 4 * b->below(8) : b->below(128)};
    case 2:
    case 3:
        return {r10, writeback ? 4 * b->below(16) : b->below(256)};
    default:
        return {r9, b->chance(70) ? 4 * b->below(16) : b->below(64)};
    }
}

void transfer_piece(program_builder *b)
{
    static const transfer_kind KINDS[4] = {STORE_WORD, LOAD_WORD, STORE_BYTE, LOAD_BYTE};
    const transfer_kind kind = KINDS[b->below(4)];
    const bool load = kind == LOAD_WORD || kind == LOAD_BYTE;
    const bool pre = b->chance(70);
    const bool w = b->chance(30);
    const place at = any_place(b, !pre || w);
    const unsigned rd = load ? data_register(b) : any_source(b);
    if (b->chance(60) || (at.base != r9 && (!pre || w))) {
        const auto offset = static_cast<int32_t>(at.offset);
        emit_if(b, transfer_imm(kind, pre, w, rd, at.base, b->chance(50) ? offset : -offset));
        return;
    }
    if (!pre || w) { /* r9 moves by at most 63 */
        emit_if(b, transfer_reg(kind, pre, w, b->chance(50), rd, r9, r12));
        return;
    }
    const arm_shift shift = static_cast<arm_shift>(b->below(3));
    emit_if(b, transfer_reg(kind, true, false, b->chance(50), rd, at.base, r12, shift,
                            shift == LSL ? b->below(3) : b->below(5)));
}

void extra_transfer_piece(program_builder *b)
{
    static const half_kind KINDS[6] = {STORE_HALF,       LOAD_DOUBLE,      STORE_DOUBLE,
                                       LOAD_SIGNED_BYTE, LOAD_SIGNED_HALF, LOAD_HALF};
    const half_kind kind = KINDS[b->below(6)];
    const bool pre = b->chance(70);
    const bool w = pre && b->chance(30);
    const place at = any_place(b, !pre || w);
    const bool pair = kind == LOAD_DOUBLE || kind == STORE_DOUBLE;
    const bool load = kind != STORE_HALF && kind != STORE_DOUBLE;
    const unsigned rd = pair ? 2 * b->below(3) : load ? data_register(b) : any_source(b);
    if (b->chance(70) || (at.base != r9 && (!pre || w))) {
        const auto offset = static_cast<int32_t>(at.offset);
        emit_if(b, half_imm(kind, pre, w, rd, at.base, b->chance(50) ? offset : -offset));
    } else {
        emit_if(b, half_reg(kind, pre, w, b->chance(50), rd, at.base, r12));
    }
}

void block_piece(program_builder *b)
{
    static const unsigned BASES[5] = {r9, r10, r9, r11, sp};
    const auto mode = static_cast<arm_block_mode>(b->below(4));
    const unsigned base = BASES[b->below(5)];
    const bool load = b->chance(50);
    const bool w = base != r11 && b->chance(50);
    uint32_t list = load ? b->below(0x80) | b->below(2) << 14 : b->below(0x10000);
    if (b->chance(30)) { /* few registers are the common case */
        list = 1u << b->below(7) | 1u << b->below(7);
    }
    emit_if(b, block_transfer(load, mode, base, w, list == 0 ? 1 : list));
}

void multiply_piece(program_builder *b)
{
    const unsigned d = b->below(7);
    const unsigned n = (d + 1 + b->below(6)) % 7;
    const unsigned m = b->below(7);
    const unsigned s = b->below(7);
    const unsigned x = b->below(2);
    const unsigned y = b->below(2);
    const bool flags = b->chance(25);
    switch (b->below(12)) {
    case 0:
        return emit_if(b, mul(d, m, s, flags));
    case 1:
        return emit_if(b, mla(d, m, s, b->below(7), flags));
    case 2:
    case 3:
        return emit_if(b, multiply_long(x != 0, y != 0, flags, d, n, m, s));
    case 4:
    case 5:
        return emit_if(b, smla(x, y, d, m, s, b->chance(60) ? d : b->below(7)));
    case 6:
        return emit_if(b, smlaw(y, d, m, s, b->below(7)));
    case 7:
        return emit_if(b, smulw(y, d, m, s));
    case 8:
        return emit_if(b, smlal_half(x, y, d, n, m, s));
    case 9:
        return emit_if(b, smul_half(x, y, d, m, s));
    case 10:
        return emit_if(b, saturating(b->below(4), d, m, s));
    default:
        return emit_if(b, clz(d, m));
    }
}

void system_piece(program_builder *b)
{
    static const uint32_t MASKS[4] = {0x1f, 0x1f, 0x9f, 0x5f};
    const unsigned rd = b->below(7);
    switch (b->below(10)) {
    case 0:
        return emit_if(b, mrs_cpsr(rd));
    case 1:
        return emit_if(b, msr_cpsr(PSR_F, rd));
    case 2:
        return emit_if(b, msr_cpsr_imm(PSR_F, b->below(16) << 28));
    case 3:
        return emit_if(b, msr_cpsr_imm(PSR_C, MASKS[b->below(4)]));
    case 4:
        return emit_if(b, msr_cpsr(PSR_F | PSR_S | PSR_X, rd));
    case 5:
        return b->emit(pld(r9, static_cast<int32_t>(b->below(64))));
    case 6:
        return emit_if(b, mrc(15, 0, b->chance(80) ? rd : pc, 0, 0, 0));
    case 7:
        return emit_if(b, mcr(15, 0, rd, 13, 0, 1));
    case 8:
        return emit_if(b, b->chance(50) ? swp(rd, b->below(7), b->chance(50) ? r10 : r11)
                                        : swpb(rd, b->below(7), b->chance(50) ? r9 : r11));
    default:
        return emit_if(b, swi(b->below(256)));
    }
}

void branch_piece(program_builder *b)
{
    const unsigned label = b->forward_label();
    const arm_condition condition = b->chance(30) ? AL : static_cast<arm_condition>(b->below(14));
    switch (b->below(8)) {
    case 0:
        return b->emit_branch(when(condition, 0xeb000000), label);
    case 1:
        return b->emit_label_literal(when(condition, ldr_imm(pc, pc, 0)), label, 0);
    case 2:
        b->emit_label_literal(ldr_imm(r6, pc, 0), label, 0);
        return b->emit(when(condition, b->chance(50) ? bx(r6) : blx(r6)));
    case 3:
        b->emit_label_literal(ldr_imm(r6, pc, 0), label, 0);
        return b->emit(when(condition, mov(pc, r6)));
    case 4:
        b->emit_label_literal(ldr_imm(r6, pc, 0), label, 0);
        b->emit(push({r0, r6}));
        return b->emit(b->chance(50) ? pop({r0, pc}) : ldr_pre(pc, sp, 4));
    case 5:
        b->emit(when(condition, add_imm(pc, pc, 0)));
        return b->emit(nop());
    case 6:
        return b->emit_branch(0xfa000000, b->stub_label());
    default:
        return b->emit_branch(when(condition, 0xea000000), label);
    }
}

void straight_piece(program_builder *b)
{
    const uint32_t choice = b->below(100);
    if (choice < 28) {
        data_piece(b);
    } else if (choice < 36) {
        pointer_piece(b);
    } else if (choice < 54) {
        transfer_piece(b);
    } else if (choice < 64) {
        extra_transfer_piece(b);
    } else if (choice < 73) {
        block_piece(b);
    } else if (choice < 88) {
        multiply_piece(b);
    } else if (choice < 94) {
        system_piece(b);
    } else {
        branch_piece(b);
    }
}

void loop_piece(program_builder *b)
{
    b->emit(mov_imm(r7, 1 + b->below(5)));
    b->begin_loop();
    const uint32_t start = b->here();
    const unsigned pieces = b->below(5); /* none: a delay loop */
    for (unsigned i = 0; i < pieces; i++) {
        b->begin_piece();
        straight_piece(b);
    }
    b->begin_piece();
    b->emit(subs_imm(r7, r7, 1));
    b->emit_branch_to(when(NE, 0xea000000), start);
    b->end_loop();
}

} // namespace

void random_arm_piece(program_builder *b)
{
    if (b->chance(6)) {
        loop_piece(b);
    } else {
        straight_piece(b);
    }
}
