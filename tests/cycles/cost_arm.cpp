/* cost_arm.cpp - cost and registers of an ARM instruction, from the ARM9E-S TRM's tables. */
#include "tests/cycles/scoreboard.h"
#include "tests/support/slow_decoder.h"

#include <stdexcept>

namespace
{

constexpr unsigned PC = 15;

unsigned field(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (0xffffffffu >> (31 - (high - low)));
}

uint32_t one(unsigned r)
{
    return 1u << r;
}

unsigned rd(uint32_t word)
{
    return field(word, 15, 12);
}
unsigned rn(uint32_t word)
{
    return field(word, 19, 16);
}
unsigned rm(uint32_t word)
{
    return field(word, 3, 0);
}
unsigned rs(uint32_t word)
{
    return field(word, 11, 8);
}

uint32_t operand(const struct traced_insn &insn, unsigned r)
{
    return r == PC ? insn.r[PC] + 8 : insn.r[r];
}

struct insn_cost plain(enum scoreboard_lane lane, uint32_t issue)
{
    struct insn_cost cost = {};
    cost.lane = lane;
    cost.issue = issue;
    return cost;
}

void late(struct insn_cost *cost, uint32_t registers, uint32_t execute, uint32_t store,
          uint32_t accumulate)
{
    cost->late |= registers;
    cost->late_execute = execute;
    cost->late_store = store;
    cost->late_accumulate = accumulate;
}

/* ---- data processing, multiplies, status registers ---- */

struct insn_cost data(uint32_t word, enum slow_kind kind, const struct arm968_timing &timing)
{
    const unsigned op = field(word, 24, 21);
    const bool compare = op >= 8 && op < 12;
    const bool move = op == 13 || op == 15;
    const bool by_register = kind == SLOW_DATA_REGISTER;
    const bool arithmetic = op >= 2 && op < 7; /* the table lists RSC with the logical ones */
    struct insn_cost cost = plain(SB_OTHER, by_register ? timing.data_register_shift : timing.data);
    if (!compare && rd(word) == PC) {
        cost.lane = SB_BRANCH;
        cost.issue = by_register  ? timing.data_pc_register_shift
                     : arithmetic ? timing.data_pc
                                  : timing.data_pc_logical;
    }
    cost.execute = move ? 0 : one(rn(word));
    cost.execute |= kind == SLOW_DATA_IMM ? 0 : one(rm(word));
    cost.execute |= by_register ? one(rs(word)) : 0;
    cost.ready = compare ? 0 : one(rd(word));
    return cost;
}

struct insn_cost multiply(uint32_t word, enum slow_kind kind, const struct arm968_timing &timing)
{
    const bool flags = field(word, 20, 20) != 0;
    const bool is_long = kind == SLOW_MULTIPLY_LONG || kind == SLOW_SMLAL_HALF;
    const bool half = kind != SLOW_MUL && kind != SLOW_MLA && kind != SLOW_MULTIPLY_LONG;
    struct insn_cost cost = plain(SB_MULTIPLY, timing.mul_half);
    cost.execute = one(rm(word)) | one(rs(word));
    if (is_long) {
        const uint32_t low = one(rd(word));
        const uint32_t high = one(rn(word));
        const bool accumulate = half || field(word, 21, 21) != 0;
        cost.accumulate = accumulate ? low | high : 0;
        cost.ready = low;
        cost.issue = half ? timing.mull_half : flags ? timing.mull_flags : timing.mull;
        if (!half && flags) {
            late(&cost, high, 0, 0, 0);
        } else {
            late(&cost, high, timing.mull_high_result, timing.mull_high_result,
                 timing.mull_accumulate);
        }
        return cost;
    }
    const bool accumulate = kind == SLOW_MLA || kind == SLOW_SMLA || kind == SLOW_SMLAW;
    cost.accumulate = accumulate ? one(rd(word)) : 0;
    const uint32_t result = one(rn(word));
    if (half) {
        late(&cost, result, timing.mul_half_result, timing.mul_half_result,
             timing.mul_half_accumulate);
        return cost;
    }
    cost.issue = flags ? timing.mul_flags : timing.mul;
    if (flags) {
        late(&cost, result, 0, 0, 0);
    } else {
        late(&cost, result, timing.mul_result, timing.mul_result, timing.mul_accumulate);
    }
    return cost;
}

struct insn_cost write_status(uint32_t word, enum slow_kind kind,
                              const struct arm968_timing &timing)
{
    const bool flags_only = field(word, 22, 22) == 0 && field(word, 19, 16) == 8;
    struct insn_cost cost = plain(SB_OTHER, flags_only ? timing.msr_flags : timing.msr_other);
    cost.execute = kind == SLOW_MSR ? one(rm(word)) : 0;
    return cost;
}

/* ---- loads and stores ---- */

uint32_t scaled_offset(const struct traced_insn &insn)
{
    const uint32_t value = operand(insn, rm(insn.word));
    const unsigned amount = field(insn.word, 11, 7);
    switch (field(insn.word, 6, 5)) {
    case 0:
        return value << amount;
    case 1:
        return amount == 0 ? 0 : value >> amount;
    case 2:
        return static_cast<uint32_t>(static_cast<int32_t>(value) >> (amount == 0 ? 31 : amount));
    default:
        return amount == 0 ? (insn.cpsr << 2 & 0x80000000u) | value >> 1
                           : value >> amount | value << (32 - amount);
    }
}

/* Address of the first datum, and the base among the registers written. */
void address_of(const struct traced_insn &insn, uint32_t offset, struct insn_cost *cost)
{
    const uint32_t word = insn.word;
    const bool pre = field(word, 24, 24) != 0;
    const uint32_t base = operand(insn, rn(word));
    const uint32_t moved = field(word, 23, 23) != 0 ? base + offset : base - offset;
    cost->address = pre ? moved : base;
    cost->execute |= one(rn(word));
    if (!pre || field(word, 21, 21) != 0) {
        cost->ready |= one(rn(word));
    }
}

void load_one(const struct traced_insn &insn, bool narrow, bool scaled,
              const struct arm968_timing &timing, struct insn_cost *cost)
{
    cost->loads = 1;
    const unsigned to = rd(insn.word);
    if (to == PC) {
        cost->lane = SB_MEMORY;
        cost->issue = scaled ? timing.load_pc_scaled : timing.load_pc;
        return;
    }
    cost->ready &= ~one(to);
    const bool rotated = !narrow && (cost->address & 3) != 0;
    const uint32_t latency = narrow || rotated ? timing.load_narrow_result : timing.load_result;
    cost->issue = scaled ? timing.load_scaled : timing.load;
    late(cost, one(to), latency, latency, latency);
}

struct insn_cost transfer(const struct traced_insn &insn, enum slow_kind kind,
                          const struct arm968_timing &timing)
{
    const uint32_t word = insn.word;
    struct insn_cost cost = plain(SB_MEMORY, 0);
    uint32_t offset = field(word, 11, 0);
    if (kind == SLOW_TRANSFER_SCALED) {
        cost.execute = one(rm(word));
        offset = scaled_offset(insn);
    }
    address_of(insn, offset, &cost);
    const bool scaled = kind == SLOW_TRANSFER_SCALED && field(word, 11, 4) != 0;
    if (field(word, 20, 20) != 0) {
        load_one(insn, field(word, 22, 22) != 0, scaled, timing, &cost);
        return cost;
    }
    cost.stores = 1;
    cost.issue = scaled ? timing.store_scaled : timing.store;
    cost.data = {rd(word)};
    return cost;
}

struct insn_cost transfer_extra(const struct traced_insn &insn, enum slow_kind kind,
                                const struct arm968_timing &timing)
{
    const uint32_t word = insn.word;
    struct insn_cost cost = plain(SB_MEMORY, timing.store);
    uint32_t offset = rs(word) << 4 | rm(word);
    if (field(word, 22, 22) == 0) {
        cost.execute = one(rm(word));
        offset = operand(insn, rm(word));
    }
    address_of(insn, offset, &cost);
    if (kind == SLOW_LDRD) {
        cost.loads = 2;
        cost.issue = timing.load_double;
        cost.ready &= ~one(rd(word) + 1);
        cost.ready |= one(rd(word));
        late(&cost, one(rd(word) + 1), timing.load_double_result, timing.load_double_result,
             timing.load_double_result);
    } else if (kind == SLOW_STRD) {
        cost.stores = 2;
        cost.issue = timing.store_double;
        cost.data = {rd(word), rd(word) + 1};
    } else if (field(word, 20, 20) != 0) {
        load_one(insn, true, false, timing, &cost);
    } else {
        cost.stores = 1;
        cost.data = {rd(word)};
    }
    return cost;
}

struct insn_cost block(const struct traced_insn &insn, const struct arm968_timing &timing)
{
    const uint32_t word = insn.word;
    const uint32_t list = field(word, 15, 0);
    const bool up = field(word, 23, 23) != 0;
    const bool before = field(word, 24, 24) != 0;
    struct insn_cost cost = plain(SB_MEMORY, 0);
    uint32_t count = 0;
    unsigned last = 0;
    for (unsigned r = 0; r < 16; r++) {
        if ((list >> r & 1) != 0) {
            count++;
            last = r;
        }
    }
    const uint32_t base = insn.r[rn(word)];
    cost.address = up ? base + (before ? 4 : 0) : base - 4 * count + (before ? 0 : 4);
    cost.execute = one(rn(word));
    cost.issue = count < 2 ? timing.block_single : count * timing.block_register;
    cost.ready = field(word, 21, 21) != 0 ? one(rn(word)) : 0;
    if (field(word, 20, 20) == 0) {
        cost.stores = count;
        for (unsigned r = 0; r < 16; r++) {
            if ((list >> r & 1) != 0) {
                cost.data.push_back(r);
            }
        }
        return cost;
    }
    cost.loads = count;
    cost.ready |= list;
    if ((list >> PC & 1) != 0) {
        cost.issue = count * timing.block_register + timing.block_pc;
    } else if (count > 1) {
        cost.ready &= ~one(last);
        late(&cost, one(last), timing.block_last_result, timing.block_last_result,
             timing.block_last_result);
    }
    return cost;
}

struct insn_cost swap(const struct traced_insn &insn, const struct arm968_timing &timing)
{
    struct insn_cost cost = plain(SB_MEMORY, timing.swap);
    const uint32_t latency =
        field(insn.word, 22, 22) != 0 ? timing.swap_byte_result : timing.swap_result;
    cost.execute = one(rn(insn.word));
    cost.data = {rm(insn.word)};
    cost.loads = cost.stores = 1;
    cost.address = insn.r[rn(insn.word)];
    late(&cost, one(rd(insn.word)), latency, latency, latency);
    return cost;
}

/* ---- the rest ---- */

struct insn_cost branch(enum slow_kind kind, uint32_t word, const struct arm968_timing &timing)
{
    struct insn_cost cost = plain(SB_BRANCH, timing.branch_taken);
    const bool links = kind == SLOW_BLX_IMM || kind == SLOW_BLX ||
                       (kind == SLOW_BRANCH && field(word, 24, 24) != 0);
    cost.branch = true;
    cost.execute = kind == SLOW_BX || kind == SLOW_BLX ? one(rm(word)) : 0;
    cost.ready = links ? one(14) : 0;
    return cost;
}

struct insn_cost coprocessor(enum slow_kind kind, uint32_t word, const struct arm968_timing &timing)
{
    struct insn_cost cost =
        plain(SB_OTHER, static_cast<uint32_t>(timing.coprocessor) + timing.coprocessor_busy);
    if (kind == SLOW_MCR) {
        cost.execute = one(rd(word));
    } else if (rd(word) == PC) {
        cost.issue = static_cast<uint32_t>(timing.coprocessor_pc) + timing.coprocessor_busy;
    } else {
        late(&cost, one(rd(word)), timing.coprocessor_result, timing.coprocessor_result,
             timing.coprocessor_result);
    }
    return cost;
}

} // namespace

struct insn_cost cost_arm(const struct traced_insn &insn, const struct arm968_timing &timing)
{
    const uint32_t word = insn.word;
    const enum slow_kind kind = slow_decode_arm(word);
    struct insn_cost cost = plain(SB_OTHER, 0);
    switch (kind) {
    case SLOW_DATA_IMM:
    case SLOW_DATA_SHIFT:
    case SLOW_DATA_REGISTER:
        return data(word, kind, timing);
    case SLOW_CLZ:
        cost.issue = timing.clz;
        cost.execute = one(rm(word));
        cost.ready = one(rd(word));
        return cost;
    case SLOW_SATURATING:
        cost.issue = timing.saturating;
        cost.execute = one(rm(word)) | one(rn(word));
        late(&cost, one(rd(word)), timing.saturating_result, timing.saturating_late,
             timing.saturating_late);
        return cost;
    case SLOW_MUL:
    case SLOW_MLA:
    case SLOW_MULTIPLY_LONG:
    case SLOW_SMLA:
    case SLOW_SMLAW:
    case SLOW_SMULW:
    case SLOW_SMLAL_HALF:
    case SLOW_SMUL:
        return multiply(word, kind, timing);
    case SLOW_MRS:
        cost.issue = timing.mrs;
        cost.ready = one(rd(word));
        return cost;
    case SLOW_MSR:
    case SLOW_MSR_IMM:
        return write_status(word, kind, timing);
    case SLOW_BRANCH:
    case SLOW_BLX_IMM:
    case SLOW_BX:
    case SLOW_BLX:
        return branch(kind, word, timing);
    case SLOW_SWI:
        return plain(SB_BRANCH, timing.software_interrupt);
    case SLOW_TRANSFER_IMM:
    case SLOW_TRANSFER_SCALED:
        return transfer(insn, kind, timing);
    case SLOW_TRANSFER_EXTRA:
    case SLOW_LDRD:
    case SLOW_STRD:
        return transfer_extra(insn, kind, timing);
    case SLOW_BLOCK:
        return block(insn, timing);
    case SLOW_SWP:
        return swap(insn, timing);
    case SLOW_PLD:
        cost.issue = timing.preload;
        cost.execute = one(rn(word)) | (field(word, 25, 25) != 0 ? one(rm(word)) : 0);
        return cost;
    case SLOW_MCR:
    case SLOW_MRC:
        return coprocessor(kind, word, timing);
    default:
        throw std::logic_error("the scoreboard does not know this ARM instruction");
    }
}
