/* fresh_arm_sequence.cpp - short runs of ARM code: what instructions hand on to each other, across
 * blocks, loops and calls.
 * r0-r6, r12 and lr are data; r7 counts a loop; r8, r9, r10 and sp point into the data memory and
 * move a little, r9 by multiples of 8; r11 is a small offset, a multiple of 8. */
#include "tests/isa/fresh/fresh_vectors.h"

namespace
{

struct place_of_piece {
    bool stub; /* called from both states: writes r0-r3 and r12 only, and knows no pointer but sp */
};

arm_condition any_condition(fresh_builder *b)
{
    return b->chance(65) ? AL : static_cast<arm_condition>(b->below(14));
}

unsigned result_register(fresh_builder *b, place_of_piece at)
{
    const uint32_t choice = b->below(9);
    if (at.stub) {
        return choice < 8 ? choice / 2 : r12;
    }
    return choice < 7 ? choice : choice == 7 ? r12 : lr;
}

unsigned source_register(fresh_builder *b)
{
    return b->chance(85) ? b->below(7) : b->below(15);
}

uint32_t data(fresh_builder *b, place_of_piece at)
{
    const auto op = static_cast<arm_data_op>(b->below(16));
    const bool compare = op >= TST && op <= CMN;
    const bool flags = compare || b->chance(50);
    const unsigned rd = compare ? 0 : result_register(b, at);
    const unsigned rn = op == MOV || op == MVN ? 0 : source_register(b);
    const auto shift = static_cast<arm_shift>(b->below(4));
    switch (b->below(3)) {
    case 0:
        return data_imm(op, flags, rd, rn, 0) | b->below(0x1000);
    case 1:
        return data_reg(op, flags, rd, rn, source_register(b), shift,
                        b->chance(50) ? 0 : b->below(32));
    default:
        return data_shift_reg(op, flags, rd, rn, source_register(b), shift, source_register(b));
    }
}

uint32_t multiply(fresh_builder *b, place_of_piece at)
{
    const unsigned count = at.stub ? 4 : 7; /* registers to choose from */
    const unsigned d = b->below(count);
    const unsigned m = (d + 1 + b->below(count / 2)) % count;
    const unsigned low = (d + 1 + count / 2 + b->below(count - 1 - count / 2)) % count;
    const unsigned s = source_register(b);
    const unsigned x = b->below(2);
    const unsigned y = b->below(2);
    switch (b->below(10)) {
    case 0:
        return mul(d, m, s, b->chance(40));
    case 1:
        return mla(d, m, s, low, b->chance(40));
    case 2:
        return multiply_long(x != 0, y != 0, b->chance(40), low, d, m, s);
    case 3:
        return smla(x, y, d, m, s, b->chance(60) ? d : low);
    case 4:
        return smlaw(y, d, m, s, low);
    case 5:
        return smulw(y, d, m, s);
    case 6:
        return smlal_half(x, y, low, d, m, s);
    case 7:
        return smul_half(x, y, d, m, s);
    case 8:
        return saturating(b->below(4), d, m, s);
    default:
        return clz(d, m);
    }
}

unsigned word_pointer(fresh_builder *b, place_of_piece at)
{
    static const unsigned POINTERS[4] = {r8, r9, r10, sp};
    return at.stub ? static_cast<unsigned>(sp) : POINTERS[b->below(4)];
}

uint32_t transfer(fresh_builder *b, place_of_piece at)
{
    static const transfer_kind KINDS[4] = {STORE_WORD, LOAD_WORD, STORE_BYTE, LOAD_BYTE};
    const transfer_kind kind = KINDS[b->below(4)];
    const bool load = kind == LOAD_WORD || kind == LOAD_BYTE;
    const bool byte = kind == STORE_BYTE || kind == LOAD_BYTE;
    const unsigned rd = load ? result_register(b, at) : b->below(15);
    const unsigned rn = word_pointer(b, at);
    if (!at.stub && b->chance(25)) {
        return transfer_reg(kind, true, false, b->chance(50), rd, rn, r11, LSL, b->below(3));
    }
    const bool writes = !at.stub && b->chance(35) && rd != rn;
    const bool pre = !writes || b->chance(50);
    const auto step = static_cast<int32_t>(writes ? 8 * b->below(8)
                                           : byte ? b->below(256)
                                                  : 4 * b->below(64));
    if (at.stub) { /* not what it has saved */
        return transfer_imm(kind, true, false, rd, rn, -4 - step);
    }
    return transfer_imm(kind, pre, pre && writes, rd, rn, b->chance(50) ? step : -step);
}

/* This and the following are not for stubs. */
uint32_t extra_transfer(fresh_builder *b)
{
    static const half_kind KINDS[6] = {STORE_HALF,       LOAD_DOUBLE,      STORE_DOUBLE,
                                       LOAD_SIGNED_BYTE, LOAD_SIGNED_HALF, LOAD_HALF};
    const half_kind kind = KINDS[b->below(6)];
    const bool pair = kind == LOAD_DOUBLE || kind == STORE_DOUBLE;
    const unsigned rd = pair                 ? 2 * b->below(3)
                        : kind == STORE_HALF ? b->below(15)
                                             : result_register(b, {false});
    const unsigned rn = pair ? static_cast<unsigned>(r9) : word_pointer(b, {false});
    if (b->chance(25)) {
        return half_reg(kind, true, false, b->chance(50), rd, rn, r11);
    }
    const bool writes = b->chance(35) && rd != rn;
    const bool pre = !writes || b->chance(50);
    const auto step = static_cast<int32_t>(8 * b->below(writes ? 8 : 32));
    return half_imm(kind, pre, pre && writes, rd, rn, b->chance(50) ? step : -step);
}

uint32_t block(fresh_builder *b)
{
    static const unsigned POINTERS[3] = {r8, r10, sp};
    const bool load = b->chance(50);
    const bool writes = b->chance(60);
    const unsigned rn = POINTERS[b->below(3)];
    const uint32_t few = 1u << b->below(7) | 1u << b->below(7);
    uint32_t list = b->chance(50) ? few
                    : load        ? b->below(0x80) | b->below(2) << 12
                                  : b->below(0x8000);
    list = writes ? list & ~(1u << rn) : list;
    return block_transfer(load, static_cast<arm_block_mode>(b->below(4)), rn, writes,
                          list == 0 ? 2 : list);
}

uint32_t other(fresh_builder *b)
{
    const unsigned rd = result_register(b, {false});
    switch (b->below(6)) {
    case 0:
        return mrs_cpsr(rd);
    case 1:
        return msr_cpsr_imm(PSR_F, b->below(32) << 27);
    case 2:
        return b->chance(50) ? swp(rd, b->below(7), r8) : swpb(rd, b->below(7), r10);
    case 3:
        return pld(r8, static_cast<int32_t>(b->below(64)));
    case 4:
        return add_imm(b->chance(50) ? r8 : r10, b->chance(50) ? r8 : sp, 4 * b->below(16));
    default:
        return data_imm(AND, false, r12, b->below(7), 0x3f);
    }
}

void straight(fresh_builder *b, place_of_piece at)
{
    const uint32_t choice = b->below(at.stub ? 76 : 100);
    const uint32_t word = choice < 46   ? data(b, at)
                          : choice < 60 ? multiply(b, at)
                          : choice < 76 ? transfer(b, at)
                          : choice < 85 ? extra_transfer(b)
                          : choice < 93 ? block(b)
                                        : other(b);
    b->arm(word >> 28 == NV ? word : when(any_condition(b), word));
}

void piece(fresh_builder *b)
{
    const uint32_t choice = b->below(100);
    if (choice < 12) { /* over one or two */
        const uint32_t from = b->here();
        b->arm(nop());
        for (unsigned i = 0; i < 1 + from % 8 / 4; i++) {
            straight(b, {false});
        }
        b->patch_arm(from, when(static_cast<arm_condition>(b->below(14)), ::b(from, b->here())));
    } else if (choice < 18) {
        b->arm(when(any_condition(b), bl(b->here(), b->arm_stub())));
    } else if (choice < 20) {
        b->arm(blx_to(b->here(), b->thumb_stub()));
    } else {
        straight(b, {false});
    }
}

} // namespace

void fresh_arm_sequence(fresh_builder *b)
{
    const bool loop = b->chance(25);
    const unsigned pieces = loop ? 1 + b->below(4) : 2 + b->below(6);
    if (loop) {
        b->arm(mov_imm(r7, 1 + b->below(3)));
    }
    const uint32_t head = b->here();
    for (unsigned i = 0; i < pieces; i++) {
        piece(b);
    }
    if (loop) {
        b->arm(subs_imm(r7, r7, 1));
        b->arm(when(NE, ::b(b->here(), head)));
    }
}

void fresh_arm_stub(fresh_builder *b)
{
    const bool saves = b->chance(50);
    if (saves) {
        b->arm(push({r4, lr}));
    }
    const unsigned pieces = 1 + b->below(4);
    for (unsigned i = 0; i < pieces; i++) {
        straight(b, {true});
    }
    b->arm(saves ? pop({r4, pc}) : bx(lr));
}
