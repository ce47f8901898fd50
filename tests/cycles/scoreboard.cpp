/* scoreboard.cpp - see scoreboard.h. */
#include "tests/cycles/scoreboard.h"

#include "tests/support/slow_decoder.h"

#include <algorithm>

bool condition_holds(uint32_t condition, uint32_t cpsr)
{
    const bool n = (cpsr >> 31 & 1) != 0;
    const bool z = (cpsr >> 30 & 1) != 0;
    const bool c = (cpsr >> 29 & 1) != 0;
    const bool v = (cpsr >> 28 & 1) != 0;
    const bool rows[8] = {z, c, n, v, c && !z, n == v, !z && n == v, true};
    return rows[condition >> 1] != ((condition & 1) != 0);
}

/* NV is the unconditional space: it does not fail. */
static bool condition_fails(const struct traced_insn &insn)
{
    if ((insn.cpsr & STATE_T) == 0) {
        const uint32_t condition = insn.word >> 28;
        return condition < 14 && !condition_holds(condition, insn.cpsr);
    }
    return slow_decode_thumb(static_cast<uint16_t>(insn.word)) == SLOW_T_BRANCH_IF &&
           !condition_holds(insn.word >> 8 & 15, insn.cpsr);
}

scoreboard::scoreboard(const struct arm968_timing &timing_rows, uint32_t itcm_size)
    : counters(), timing(timing_rows), itcm_bytes(itcm_size), clock(0), ready_execute(),
      ready_store(), ready_accumulate()
{
}

uint64_t scoreboard::execute(const struct traced_insn &insn)
{
    const uint64_t before = counters.active_cycles;
    counters.instructions++;
    if (condition_fails(insn)) {
        clock += timing.condition_failed;
        counters.active_cycles += timing.condition_failed;
        return counters.active_cycles - before;
    }
    const struct insn_cost cost =
        (insn.cpsr & STATE_T) != 0 ? cost_thumb(insn, timing) : cost_arm(insn, timing);
    issue(cost);
    uint32_t itcm_accesses = 0;
    for (uint32_t i = 0; i < std::max(cost.loads, cost.stores); i++) {
        itcm_accesses += (cost.address & ~3u) + 4 * i < itcm_bytes ? 1 : 0;
    }
    if (cost.loads != 0 && cost.stores != 0) { /* a swap accesses twice */
        itcm_accesses *= 2;
    }
    counters.words_loaded += cost.loads;
    counters.words_stored += cost.stores;
    counters.itcm_data_accesses += itcm_accesses;
    counters.itcm_wait_cycles += static_cast<uint64_t>(itcm_accesses) * timing.itcm_data;
    counters.active_cycles += static_cast<uint64_t>(itcm_accesses) * timing.itcm_data;
    counters.branches_taken += cost.branch ? 1 : 0;
    return counters.active_cycles - before;
}

void scoreboard::issue(const struct insn_cost &cost)
{
    uint64_t start = clock;
    for (unsigned r = 0; r < 15; r++) {
        if ((cost.execute >> r & 1) != 0) {
            start = std::max(start, ready_execute[r]);
        }
        if ((cost.accumulate >> r & 1) != 0) {
            start = std::max(start, ready_accumulate[r]);
        }
    }
    for (size_t j = 0; j < cost.data.size(); j++) {
        const uint64_t ready = ready_store[cost.data[j]];
        start = std::max(start, ready > j ? ready - j : 0);
    }
    const uint64_t stall = start - clock;
    clock = start + cost.issue;
    for (unsigned r = 0; r < 15; r++) {
        const bool late = (cost.late >> r & 1) != 0;
        if (late || (cost.ready >> r & 1) != 0) {
            ready_execute[r] = clock + (late ? cost.late_execute : 0);
            ready_store[r] = clock + (late ? cost.late_store : 0);
            ready_accumulate[r] = clock + (late ? cost.late_accumulate : 0);
        }
    }
    counters.interlock_cycles += stall;
    counters.active_cycles += stall + cost.issue;
    counters.multiply_cycles += cost.lane == SB_MULTIPLY ? cost.issue : 0;
    counters.memory_cycles += cost.lane == SB_MEMORY ? cost.issue : 0;
    counters.branch_cycles += cost.lane == SB_BRANCH ? cost.issue : 0;
}
