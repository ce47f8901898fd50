/* trace.h - what a core does, learned by stepping it: the state before each instruction. */
#pragma once
#include "tests/cycles/scoreboard.h"
#include "tests/support/random_program.h"

#include <gtest/gtest.h>

struct trace_step {
    struct traced_insn insn;
    uint64_t cycles; /* that the stepped core took */
};

/* Steps the core until pc is `end`, at most `limit` instructions. */
std::vector<trace_step> trace_to(core_bench *bench, uint32_t end, size_t limit);

/* Runs the scoreboard over a trace; on the first step where core and scoreboard disagree, says so
 * in *difference. */
struct scoreboard score(const std::vector<trace_step> &trace, const struct arm968_timing &timing,
                        std::string *difference);

/* DTCM and ITCM of two benches. */
bool same_memories(const core_bench &one, const core_bench &other);
::testing::AssertionResult same_counters(const struct arm968_counters &one,
                                         const struct arm968_counters &other);
