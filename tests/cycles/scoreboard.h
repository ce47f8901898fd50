/* scoreboard.h - cycles of an instruction trace, from the ARM9E-S tables (issue cycles, result
 * latencies, interlock rules) and nothing of the core's own timing code.
 *
 * The caller shows the architectural state before each executed instruction; the scoreboard decodes
 * the word itself, finds what it reads, writes and transfers, and adds its cycles.  Only code that
 * takes no exception but SWI is understood. */
#pragma once
#include "tests/support/core_bench.h"

/* State before an instruction; r[15] is its address. */
struct traced_insn {
    uint32_t word;
    uint32_t r[16];
    uint32_t cpsr;
};

enum scoreboard_lane { SB_OTHER, SB_MULTIPLY, SB_MEMORY, SB_BRANCH, SB_LANES };

/* What one instruction costs and touches, its condition having held. */
struct insn_cost {
    enum scoreboard_lane lane;
    uint32_t issue;
    uint32_t execute;           /* registers needed in Execute, as a mask */
    uint32_t accumulate;        /* registers needed as accumulate operand */
    std::vector<unsigned> data; /* store data: number j is needed j cycles later */
    uint32_t ready;             /* written, ready at once */
    uint32_t late;              /* written with the latencies below */
    uint32_t late_execute, late_store, late_accumulate;
    uint32_t loads, stores; /* words, halves or bytes */
    uint32_t address;       /* of the first */
    bool branch;            /* B, BL, BX, BLX */
};

struct scoreboard {
    explicit scoreboard(const struct arm968_timing &timing, uint32_t itcm_bytes);

    /* Adds one instruction and returns its cycles, stalls and waits included. */
    uint64_t execute(const struct traced_insn &insn);

    struct arm968_counters counters; /* those that can be known from the trace */

  private:
    void issue(const struct insn_cost &cost);

    struct arm968_timing timing;
    uint32_t itcm_bytes;
    uint64_t clock; /* unwaited: stalls elapse while memory waits do not */
    uint64_t ready_execute[16], ready_store[16], ready_accumulate[16];
};

/* In cost_arm.cpp and cost_thumb.cpp. */
struct insn_cost cost_arm(const struct traced_insn &insn, const struct arm968_timing &timing);
struct insn_cost cost_thumb(const struct traced_insn &insn, const struct arm968_timing &timing);
bool condition_holds(uint32_t condition, uint32_t cpsr);
