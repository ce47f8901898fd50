/* trace.cpp - see trace.h. */
#include "tests/cycles/trace.h"

#include "tests/support/slow_decoder.h"

#include <sstream>

std::vector<trace_step> trace_to(core_bench *bench, uint32_t end, size_t limit)
{
    std::vector<trace_step> trace;
    while (bench->reg(15) != end && trace.size() < limit) {
        trace_step step = {};
        step.insn.cpsr = bench->cpsr();
        for (unsigned i = 0; i < 16; i++) {
            step.insn.r[i] = bench->reg(i);
        }
        step.insn.word = insn_at(*bench, bench->reg(15), (step.insn.cpsr & STATE_T) != 0);
        const uint64_t before = bench->cycle();
        if (bench->step() != ARM968_STOP_HORIZON) {
            break;
        }
        step.cycles = bench->cycle() - before;
        trace.push_back(step);
    }
    return trace;
}

struct scoreboard score(const std::vector<trace_step> &trace, const struct arm968_timing &timing,
                        std::string *difference)
{
    struct scoreboard board(timing, ITCM_BYTES);
    for (const trace_step &step : trace) {
        const uint64_t expected = board.execute(step.insn);
        if (expected == step.cycles || !difference->empty()) {
            continue;
        }
        const bool thumb = (step.insn.cpsr & STATE_T) != 0;
        std::ostringstream out;
        out << "at " << std::hex << step.insn.r[15] << " " << step.insn.word << " ("
            << (thumb ? slow_name_thumb(static_cast<uint16_t>(step.insn.word))
                      : slow_name_arm(step.insn.word))
            << ") flags " << step.insn.cpsr << std::dec << ": scoreboard " << expected << ", core "
            << step.cycles;
        *difference = out.str();
    }
    return board;
}

bool same_memories(const core_bench &one, const core_bench &other)
{
    return one.itcm == other.itcm && one.dtcm == other.dtcm;
}

::testing::AssertionResult same_counters(const struct arm968_counters &one,
                                         const struct arm968_counters &other)
{
    size_t count = 0;
    const struct counter_info *info = arm968_counter_info(&count);
    ::testing::AssertionResult result = ::testing::AssertionSuccess();
    for (size_t i = 0; i < count; i++) {
        if (counter_value(&one, i) != counter_value(&other, i)) {
            result = (result ? ::testing::AssertionFailure() : result)
                     << info[i].name << " " << counter_value(&one, i) << " / "
                     << counter_value(&other, i) << "; ";
        }
    }
    return result;
}
