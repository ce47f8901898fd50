/* cost_thumb.cpp - cost and registers of a Thumb instruction: those of its ARM equivalent. */
#include "tests/cycles/scoreboard.h"
#include "tests/support/slow_decoder.h"

#include <stdexcept>

namespace
{

constexpr unsigned SP = 13, LR = 14, PC = 15;

unsigned field(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (0xffffffffu >> (31 - (high - low)));
}

uint32_t one(unsigned r)
{
    return 1u << r;
}

unsigned low_rd(uint32_t half)
{
    return field(half, 2, 0);
}
unsigned low_rn(uint32_t half)
{
    return field(half, 5, 3);
}
unsigned low_ro(uint32_t half)
{
    return field(half, 8, 6);
}
unsigned rd8(uint32_t half)
{
    return field(half, 10, 8);
}

struct insn_cost plain(enum scoreboard_lane lane, uint32_t issue, uint32_t execute, uint32_t ready)
{
    struct insn_cost cost = {};
    cost.lane = lane;
    cost.issue = issue;
    cost.execute = execute;
    cost.ready = ready;
    return cost;
}

struct insn_cost data(uint32_t half, const struct arm968_timing &timing)
{
    const unsigned op = field(half, 9, 6);
    const uint32_t d = one(low_rd(half));
    const uint32_t m = one(low_rn(half));
    const bool shift = (op >= 2 && op <= 4) || op == 7;
    const bool compare = op == 8 || op == 10 || op == 11;
    const bool one_operand = op == 9 || op == 15; /* NEG, MVN */
    struct insn_cost cost = plain(SB_OTHER, shift ? timing.data_register_shift : timing.data,
                                  one_operand ? m : d | m, compare ? 0 : d);
    if (op == 13) { /* MULS */
        cost.lane = SB_MULTIPLY;
        cost.issue = timing.mul_flags;
    }
    return cost;
}

struct insn_cost high(uint32_t half, const struct arm968_timing &timing)
{
    const unsigned op = field(half, 9, 8);
    const unsigned d = field(half, 7, 7) << 3 | low_rd(half);
    const unsigned m = field(half, 6, 3);
    struct insn_cost cost =
        plain(SB_OTHER, timing.data, op == 2 ? one(m) : one(d) | one(m), op == 1 ? 0 : one(d));
    if (op != 1 && d == PC) { /* ADD is arithmetic, MOV is logical */
        cost.lane = SB_BRANCH;
        cost.issue = op == 0 ? timing.data_pc : timing.data_pc_logical;
    }
    return cost;
}

struct insn_cost load(uint32_t to, uint32_t execute, uint32_t address, bool narrow,
                      const struct arm968_timing &timing)
{
    struct insn_cost cost = plain(SB_MEMORY, timing.load, execute, 0);
    const bool rotated = !narrow && (address & 3) != 0;
    const uint32_t latency = narrow || rotated ? timing.load_narrow_result : timing.load_result;
    cost.late = one(to);
    cost.late_execute = cost.late_store = cost.late_accumulate = latency;
    cost.loads = 1;
    cost.address = address;
    return cost;
}

struct insn_cost store(unsigned from, uint32_t execute, uint32_t address,
                       const struct arm968_timing &timing)
{
    struct insn_cost cost = plain(SB_MEMORY, timing.store, execute, 0);
    cost.data = {from};
    cost.stores = 1;
    cost.address = address;
    return cost;
}

struct insn_cost transfer_register(const struct traced_insn &insn,
                                   const struct arm968_timing &timing)
{
    const unsigned op = field(insn.word, 11, 9);
    const unsigned n = low_rn(insn.word);
    const unsigned o = low_ro(insn.word);
    const uint32_t address = insn.r[n] + insn.r[o];
    if (op < 3) {
        return store(low_rd(insn.word), one(n) | one(o), address, timing);
    }
    return load(low_rd(insn.word), one(n) | one(o), address, op != 4, timing);
}

struct insn_cost transfer_imm(const struct traced_insn &insn, const struct arm968_timing &timing)
{
    const unsigned op = field(insn.word, 15, 11) - 12; /* word, word, byte, byte, half, half */
    const unsigned scale = op < 2 ? 4 : op < 4 ? 1 : 2;
    const unsigned n = low_rn(insn.word);
    const uint32_t address = insn.r[n] + scale * field(insn.word, 10, 6);
    if ((op & 1) == 0) {
        return store(low_rd(insn.word), one(n), address, timing);
    }
    return load(low_rd(insn.word), one(n), address, scale != 4, timing);
}

/* list in ascending order from `address`; `base` is read and written back */
struct insn_cost block(bool loads, uint32_t list, unsigned base, uint32_t address, bool writeback,
                       const struct arm968_timing &timing)
{
    struct insn_cost cost = plain(SB_MEMORY, 0, one(base), writeback ? one(base) : 0);
    uint32_t count = 0;
    unsigned last = 0;
    for (unsigned r = 0; r < 16; r++) {
        if ((list >> r & 1) != 0) {
            count++;
            last = r;
            if (!loads) {
                cost.data.push_back(r);
            }
        }
    }
    cost.address = address;
    cost.issue = count < 2 ? timing.block_single : count * timing.block_register;
    if (!loads) {
        cost.stores = count;
        return cost;
    }
    cost.loads = count;
    cost.ready |= list;
    if (last == PC) {
        cost.issue = count * timing.block_register + timing.block_pc;
    } else if (count > 1) {
        cost.ready &= ~one(last);
        cost.late = one(last);
        cost.late_execute = cost.late_store = cost.late_accumulate = timing.block_last_result;
    }
    return cost;
}

uint32_t popcount(uint32_t list)
{
    uint32_t count = 0;
    for (; list != 0; list &= list - 1) {
        count++;
    }
    return count;
}

struct insn_cost any_block(const struct traced_insn &insn, enum slow_kind kind,
                           const struct arm968_timing &timing)
{
    const uint32_t list = field(insn.word, 7, 0);
    const uint32_t extra = field(insn.word, 8, 8);
    if (kind == SLOW_T_PUSH) {
        const uint32_t all = list | extra << LR;
        return block(false, all, SP, insn.r[SP] - 4 * popcount(all), true, timing);
    }
    if (kind == SLOW_T_POP) {
        return block(true, list | extra << PC, SP, insn.r[SP], true, timing);
    }
    const unsigned base = rd8(insn.word);
    const bool loads = field(insn.word, 11, 11) != 0;
    return block(loads, list, base, insn.r[base], true, timing);
}

struct insn_cost branch(uint32_t execute, uint32_t ready, const struct arm968_timing &timing)
{
    struct insn_cost cost = plain(SB_BRANCH, timing.branch_taken, execute, ready);
    cost.branch = true;
    return cost;
}

struct insn_cost add_sub(uint32_t half, const struct arm968_timing &timing)
{
    const uint32_t immediate = field(half, 10, 10);
    return plain(SB_OTHER, timing.data,
                 one(low_rn(half)) | (immediate != 0 ? 0 : one(low_ro(half))), one(low_rd(half)));
}

struct insn_cost data_imm8(uint32_t half, const struct arm968_timing &timing)
{
    const unsigned op = field(half, 12, 11); /* MOV CMP ADD SUB */
    const uint32_t d = one(rd8(half));
    return plain(SB_OTHER, timing.data, op == 0 ? 0 : d, op == 1 ? 0 : d);
}

} // namespace

struct insn_cost cost_thumb(const struct traced_insn &insn, const struct arm968_timing &timing)
{
    const uint32_t half = insn.word;
    const uint32_t offset8 = 4 * field(half, 7, 0);
    const enum slow_kind kind = slow_decode_thumb(static_cast<uint16_t>(half));
    switch (kind) {
    case SLOW_T_SHIFT_IMM:
        return plain(SB_OTHER, timing.data, one(low_rn(half)), one(low_rd(half)));
    case SLOW_T_ADD_SUB:
        return add_sub(half, timing);
    case SLOW_T_DATA_IMM8:
        return data_imm8(half, timing);
    case SLOW_T_DATA:
        return data(half, timing);
    case SLOW_T_HIGH:
        return high(half, timing);
    case SLOW_T_BX:
        return branch(one(field(half, 6, 3)), 0, timing);
    case SLOW_T_BLX:
        return branch(one(field(half, 6, 3)), one(LR), timing);
    case SLOW_T_LITERAL:
        return load(rd8(half), 0, ((insn.r[PC] + 4) & ~3u) + offset8, false, timing);
    case SLOW_T_TRANSFER_REGISTER:
        return transfer_register(insn, timing);
    case SLOW_T_TRANSFER_IMM:
        return transfer_imm(insn, timing);
    case SLOW_T_TRANSFER_SP:
        return field(half, 11, 11) != 0
                   ? load(rd8(half), one(SP), insn.r[SP] + offset8, false, timing)
                   : store(rd8(half), one(SP), insn.r[SP] + offset8, timing);
    case SLOW_T_ADDRESS:
        return plain(SB_OTHER, timing.data, field(half, 11, 11) != 0 ? one(SP) : 0, one(rd8(half)));
    case SLOW_T_ADJUST_SP:
        return plain(SB_OTHER, timing.data, one(SP), one(SP));
    case SLOW_T_PUSH:
    case SLOW_T_POP:
    case SLOW_T_BLOCK:
        return any_block(insn, kind, timing);
    case SLOW_T_SWI:
        return plain(SB_BRANCH, timing.software_interrupt, 0, 0);
    case SLOW_T_BRANCH_IF:
    case SLOW_T_BRANCH:
        return branch(0, 0, timing);
    case SLOW_T_BLX_SUFFIX:
    case SLOW_T_BL_SUFFIX:
        return branch(one(LR), one(LR), timing);
    case SLOW_T_BL_PREFIX:
        return plain(SB_OTHER, timing.branch_prefix, 0, one(LR));
    default:
        throw std::logic_error("the scoreboard does not know this Thumb instruction");
    }
}
