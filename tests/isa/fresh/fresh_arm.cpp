/* fresh_arm.cpp - random instructions of ARM state.
 * Sequences: r0-r6, r12 and lr are data; r7 counts a loop; r8, r9, r10 and sp point into the data
 * memory and move a little, r9 by multiples of 8; r11 is a small offset, a multiple of 8. */
#include "tests/isa/fresh/fresh_vectors.h"

namespace
{

arm_condition any_condition(fresh_builder *b)
{
    return b->chance(60) ? AL : static_cast<arm_condition>(b->below(14));
}

arm_shift any_shift(fresh_builder *b)
{
    return static_cast<arm_shift>(b->below(4));
}

/* ---- one instruction ---- */

uint32_t data(fresh_builder *b, fresh_slot *)
{
    const auto op = static_cast<arm_data_op>(b->below(16));
    const bool compare = op >= TST && op <= CMN;
    const bool moves = op == MOV || op == MVN;
    const bool flags = compare || b->chance(60);
    const unsigned rd = compare ? 0 : b->any_register();
    const unsigned form = b->below(3);
    const unsigned most = form == 2 ? 15 : 16; /* pc is no operand of a shift by a register */
    const unsigned rn = moves ? 0 : b->below(most);
    if (form == 0) {
        return data_imm(op, flags, rd, rn, 0) | b->below(0x1000);
    }
    const unsigned rm = b->below(most);
    return form == 1 ? data_reg(op, flags, rd, rn, rm, any_shift(b), b->below(32))
                     : data_shift_reg(op, flags, rd, rn, rm, any_shift(b), b->any_register());
}

unsigned other_than(fresh_builder *b, unsigned reg)
{
    return (reg + 1 + b->below(14)) % 15;
}

uint32_t multiply(fresh_builder *b, fresh_slot *)
{
    const unsigned d = b->any_register();
    const unsigned m = other_than(b, d);
    const unsigned s = b->any_register();
    unsigned low = other_than(b, d);
    while (low == m) { /* RdHi, RdLo and Rm are three registers */
        low = other_than(b, d);
    }
    const bool flags = b->chance(40);
    switch (b->below(4)) {
    case 0:
        return mul(d, m, s, flags);
    case 1:
        return mla(d, m, s, b->any_register(), flags);
    default:
        return multiply_long(b->chance(50), b->chance(50), flags, low, d, m, s);
    }
}

uint32_t half_multiply(fresh_builder *b, fresh_slot *)
{
    const unsigned d = b->any_register();
    const unsigned m = b->any_register();
    const unsigned s = b->any_register();
    const unsigned n = b->any_register();
    const unsigned x = b->below(2);
    const unsigned y = b->below(2);
    switch (b->below(7)) {
    case 0:
        return smla(x, y, d, m, s, n);
    case 1:
        return smlaw(y, d, m, s, n);
    case 2:
        return smulw(y, d, m, s);
    case 3:
        return smlal_half(x, y, other_than(b, d), d, m, s);
    case 4:
        return smul_half(x, y, d, m, s);
    case 5:
        return clz(d, m);
    default:
        return saturating(b->below(4), d, m, n);
    }
}

/* Fields of a status register without its reserved bits; the value of such an MSR. */
uint32_t status(fresh_builder *b, fresh_slot *slot)
{
    static const uint32_t FIELDS[3] = {PSR_F, PSR_C, PSR_F | PSR_C};
    static const uint32_t MODES[7] = {0x10, 0x11, 0x12, 0x13, 0x17, 0x1b, 0x1f};
    const bool spsr = b->chance(40);
    const uint32_t which = spsr ? 1u << 22 : 0;
    const unsigned reg = b->any_register();
    slot->wants_spsr = spsr;
    switch (b->below(4)) {
    case 0:
        return mrs_cpsr(reg) | which;
    case 1:
        return msr_cpsr_imm(PSR_F, b->below(32) << 27) | which;
    case 2:
        return msr_cpsr_imm(PSR_C, MODES[b->below(7)] | b->below(4) << 6) | which;
    default:
        slot->psr = reg;
        return msr_cpsr(FIELDS[b->below(3)], reg) | which;
    }
}

/* Base and offset of single transfers.  A base that is written is no destination and no index. */
struct access_form {
    bool pre, writes, up;
    unsigned rn, rd;
};

access_form any_form(fresh_builder *b, bool store)
{
    access_form form = {};
    form.pre = b->chance(70);
    form.writes = !form.pre || b->chance(40);
    form.up = b->chance(50);
    form.rn = b->any_register();
    form.rd = form.writes ? other_than(b, form.rn) : b->any_register();
    if (!store && !form.writes && b->chance(12)) {
        form.rn = pc;
    }
    return form;
}

transfer_need need_of(const access_form &form, uint32_t bytes)
{
    transfer_need need = {};
    need.wanted = form.rn != pc;
    need.base = form.rn;
    need.index = NO_REGISTER;
    need.up = form.up;
    need.pre = form.pre;
    need.bytes = bytes;
    need.alignment = bytes;
    return need;
}

/* An offset to pc such that the address is aligned. */
uint32_t literal_offset(fresh_builder *b, uint32_t bytes, uint32_t most, bool up)
{
    const uint32_t from = b->here() + 8;
    const uint32_t offset = b->below(most);
    const uint32_t odd = (up ? from + offset : from - offset) & (bytes - 1);
    return up ? (offset >= odd ? offset - odd : offset + bytes - odd)
              : (offset + odd < most ? offset + odd : offset + odd - bytes);
}

/* The index of a scaled or register offset; the base itself where that can be solved. */
void choose_index(fresh_builder *b, const access_form &form, transfer_need *need, bool scaled)
{
    need->shift = scaled ? any_shift(b) : LSL;
    need->amount = scaled ? b->below(32) : 0;
    need->index = other_than(b, form.rn);
    if (!form.writes && need->shift == LSL && need->amount < 16 &&
        (need->amount != 0 || need->up) && b->chance(20)) {
        need->index = form.rn;
        need->alignment = need->alignment < 2 ? 2 : need->alignment;
    }
}

uint32_t transfer(fresh_builder *b, fresh_slot *slot)
{
    const bool load = b->chance(60);
    const bool byte = b->chance(40);
    const access_form form = any_form(b, !load);
    const bool as_user = b->chance(20); /* LDRT and the like */
    const uint32_t kind = (byte ? 4u : 0u) | (load ? 1u : 0u);
    const uint32_t word = 0xe4000000u | kind << 20 | static_cast<uint32_t>(form.pre) << 24 |
                          static_cast<uint32_t>(form.up) << 23 |
                          static_cast<uint32_t>(form.pre ? form.writes : as_user) << 21 |
                          form.rn << 16 | form.rd << 12;
    slot->transfer = need_of(form, byte ? 1 : 4);
    if (form.rn == pc) {
        return word | literal_offset(b, byte ? 1 : 4, 0x1000, form.up);
    }
    if (b->chance(50)) {
        slot->transfer.offset = b->below(0x1000);
        return word | slot->transfer.offset;
    }
    choose_index(b, form, &slot->transfer, true);
    return word | 1u << 25 | slot->transfer.amount << 7 | slot->transfer.shift << 5 |
           slot->transfer.index;
}

uint32_t extra_transfer(fresh_builder *b, fresh_slot *slot)
{
    static const half_kind KINDS[6] = {STORE_HALF,       LOAD_DOUBLE,      STORE_DOUBLE,
                                       LOAD_SIGNED_BYTE, LOAD_SIGNED_HALF, LOAD_HALF};
    static const uint32_t BYTES[6] = {2, 8, 8, 1, 2, 2};
    const unsigned which = b->below(6);
    const half_kind kind = KINDS[which];
    const bool pair = kind == LOAD_DOUBLE || kind == STORE_DOUBLE;
    const bool store = kind == STORE_HALF || kind == STORE_DOUBLE;
    access_form form = any_form(b, store);
    const bool immediate = form.rn == pc || b->chance(50);
    slot->transfer = need_of(form, BYTES[which]);
    if (!immediate) {
        choose_index(b, form, &slot->transfer, false);
    }
    if (pair) { /* an even register but not r14; no base that is written, no index of a load */
        do {
            form.rd = 2 * b->below(7);
        } while ((form.writes && form.rn / 2 == form.rd / 2) ||
                 slot->transfer.index / 2 == form.rd / 2);
    }
    const uint32_t word =
        kind | static_cast<uint32_t>(form.pre) << 24 | static_cast<uint32_t>(form.up) << 23 |
        static_cast<uint32_t>(form.pre && form.writes) << 21 | form.rn << 16 | form.rd << 12;
    if (!immediate) {
        return 0xe0000000u | word | slot->transfer.index;
    }
    const uint32_t offset =
        form.rn == pc ? literal_offset(b, BYTES[which], 0x100, form.up) : b->below(0x100);
    slot->transfer.offset = offset;
    return 0xe0400000u | word | (offset >> 4) << 8 | (offset & 15);
}

uint32_t block(fresh_builder *b, fresh_slot *slot)
{
    const bool load = b->chance(50);
    const bool writes = b->chance(50);
    const auto mode = static_cast<arm_block_mode>(b->below(4));
    const unsigned rn = b->any_register();
    uint32_t list =
        b->chance(50) ? b->below(0x8000) : 1u << b->any_register() | 1u << b->any_register();
    if (writes) { /* a base in the list: only as the first that is stored */
        const bool first = (list & ((1u << rn) - 1)) == 0;
        list = load || !first ? list & ~(1u << rn) : list;
    }
    list = list == 0 ? 1u << other_than(b, rn) : list;
    const auto count = static_cast<uint32_t>(__builtin_popcount(list));
    slot->transfer = {};
    slot->transfer.wanted = true;
    slot->transfer.base = rn;
    slot->transfer.index = NO_REGISTER;
    slot->transfer.up = true;
    slot->transfer.first = mode == IA   ? 0
                           : mode == IB ? 4
                           : mode == DA ? 4 - 4 * static_cast<int32_t>(count)
                                        : -4 * static_cast<int32_t>(count);
    slot->transfer.bytes = 4 * count;
    slot->transfer.alignment = 4;
    const bool user = !writes && b->chance(25); /* registers of User mode */
    slot->wants_spsr = user;
    return block_transfer(load, mode, rn, writes, list, user);
}

uint32_t swap(fresh_builder *b, fresh_slot *slot)
{
    const unsigned rn = b->any_register();
    const bool byte = b->chance(50);
    slot->transfer = need_of({true, false, true, rn, 0}, byte ? 1 : 4);
    const unsigned rd = other_than(b, rn);
    const unsigned rm = other_than(b, rn);
    return byte ? swpb(rd, rm, rn) : swp(rd, rm, rn);
}

/* ---- jumps ---- */

uint32_t branch(fresh_builder *b, fresh_slot *)
{
    switch (b->below(3)) {
    case 0:
        return ::b(b->here(), b->arm_pad());
    case 1:
        return bl(b->here(), b->arm_pad());
    default:
        return blx_to(b->here(), b->thumb_pad());
    }
}

void restore(fresh_slot *slot)
{
    slot->wants_spsr = true;
    slot->jump.exchange = false;
    slot->jump.restores = true;
}

uint32_t jump_by_register(fresh_builder *b, fresh_slot *slot)
{
    const unsigned reg = b->any_register();
    slot->jump.by = JUMP_BY_REGISTER;
    slot->jump.reg = reg;
    const uint32_t small = b->below(256) << 2;
    switch (b->below(8)) {
    case 0:
        slot->jump.exchange = true;
        return bx(reg);
    case 1:
        slot->jump.exchange = true;
        return blx(reg);
    case 2:
        slot->jump.rotation = b->below(32);
        return mov(pc, reg, slot->jump.rotation == 0 ? LSL : ROR, slot->jump.rotation);
    case 3:
        slot->jump.minus = b->here() + 8;
        return add(pc, pc, reg);
    case 4:
        slot->jump.minus = small;
        return add_imm(pc, reg, small);
    case 5:
        slot->jump.minus = 0 - small;
        return sub_imm(pc, reg, small);
    case 6:
        restore(slot);
        return movs(pc, reg);
    default:
        restore(slot);
        slot->jump.minus = 0 - small;
        return subs_imm(pc, reg, small);
    }
}

uint32_t jump_by_memory(fresh_builder *b, fresh_slot *slot)
{
    slot->jump.by = JUMP_BY_MEMORY;
    slot->jump.exchange = true;
    uint32_t word;
    if (b->chance(50)) {
        do {
            slot->transfer = {};
            word = block(b, slot);
        } while ((word >> 20 & 5) != 1);
        const bool down = (word >> 23 & 1) == 0; /* one word more */
        slot->transfer.first -= down ? 4 : 0;
        slot->jump.minus = slot->transfer.bytes;
        slot->transfer.bytes += 4;
        if (b->chance(30)) { /* back from an exception */
            restore(slot);
            word |= 1u << 22;
        }
        return word | 1u << 15;
    }
    do {
        slot->transfer = {};
        word = transfer(b, slot);
    } while ((word >> 20 & 5) != 1 || (word >> 21 & 9) == 1 || !slot->transfer.wanted);
    return word | 0xf000u;
}

using maker = uint32_t (*)(fresh_builder *, fresh_slot *);

struct share {
    unsigned percent;
    maker make;
};

} // namespace

void fresh_arm_insn(fresh_builder *b, fresh_slot *slot)
{
    static const share SHARES[] = {
        {32, data},     {9, multiply},         {11, half_multiply}, {5, status},
        {16, transfer}, {10, extra_transfer},  {7, block},          {2, swap},
        {3, branch},    {3, jump_by_register}, {2, jump_by_memory}};
    uint32_t choice = b->below(100);
    for (const share &it : SHARES) {
        if (choice < it.percent) {
            const uint32_t word = it.make(b, slot);
            b->arm((word >> 28) == NV ? word : when(any_condition(b), word));
            return;
        }
        choice -= it.percent;
    }
}
