/* The order of what cores do outside themselves, and that it depends on nothing else: not on how a
 * run is cut, nor on who watches, nor on other machines. */
#include "tests/unit/machine_busy.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

namespace
{

constexpr uint32_t LOCK = 0xf2000100;
constexpr uint32_t UNLOCK = 0xf2000180;
constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t MAIN = 0x1000;

/* ---- ties ---- */

/* Two cores take a lock; the second begins `later` cycles after the first. */
std::pair<uint32_t, uint32_t> contend(unsigned first, unsigned second, unsigned later)
{
    MachineBench bench;
    for (const unsigned core : {first, second}) {
        Program program;
        program.set(r0, LOCK).nops(core == second ? later : 0);
        program.emit({ldr_imm(r1, r0)}).sleep();
        bench.run(core, program);
    }
    EXPECT_EQ(bench.until(10 * US), MACHINE_QUIESCENT);
    return {bench.reg(first, 1), bench.reg(second, 1)};
}

TEST(MachineOrder, TheLowerCoreWinsATie)
{
    EXPECT_EQ(contend(4, 9, 0), std::make_pair(0u, 0x80000000u));
    EXPECT_EQ(contend(9, 4, 0), std::make_pair(0x80000000u, 0u));
}

TEST(MachineOrder, TheEarlierCoreWinsByOneCycle)
{
    EXPECT_EQ(contend(4, 9, 1), std::make_pair(0u, 0x80000000u));
    EXPECT_EQ(contend(9, 4, 1), std::make_pair(0u, 0x80000000u));
}

TEST(MachineOrder, OneCoreBecomesTheMonitor)
{
    MachineBench bench;
    for (unsigned core = 0; core < 18; core++) {
        Program program;
        program.set(r0, 0xf2000080 + 4 * core).nops(18 - core).emit({ldr_imm(r1, r0)}).sleep();
        bench.run(core, program);
    }
    EXPECT_EQ(bench.until(10 * US), MACHINE_QUIESCENT);
    unsigned winners = 0;
    for (unsigned core = 0; core < 18; core++) {
        winners += bench.reg(core, 1) != 0;
    }
    EXPECT_EQ(winners, 1u);
    EXPECT_EQ(bench.reg(17, 1), 0x80000000u) << "the first in time, the last in number";
}

/* ---- locks ---- */

/* Takes lock 0, adds 1 to a word of SDRAM, frees the lock, `rounds` times. */
Program counting(unsigned rounds, unsigned pause)
{
    Program program(MAIN);
    program.set(r0, LOCK).set(r1, UNLOCK).set(r2, SDRAM_UNBUFFERED).set(r3, rounds);
    const uint32_t again = program.here();
    program.emit({ldr_imm(r4, r0), cmp_imm(r4, 0)}).branch(again, NE);
    program.emit({ldr_imm(r5, r2), add_imm(r5, r5, 1), str_imm(r5, r2), ldr_imm(r6, r1)});
    program.nops(pause).emit({subs_imm(r3, r3, 1)}).branch(again, NE);
    return program.sleep();
}

TEST(MachineOrder, ALockKeepsOthersOut)
{
    MachineBench bench;
    for (unsigned core = 0; core < 6; core++) {
        bench.run(core, counting(40, 7 * core));
    }
    EXPECT_EQ(bench.until(2000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.word(0, SDRAM), 240u);
}

/* ---- a busy chip ---- */

const outcome &whole_run()
{
    static const outcome result = [] {
        MachineBench bench;
        make_busy(bench);
        bench.until(BUSY_END);
        EXPECT_TRUE(bench.faults.empty());
        return outcome_of(bench);
    }();
    return result;
}

TEST(MachineOrder, TheBusyChipDoesWhatTheseTestsNeed)
{
    MachineBench bench;
    make_busy(bench);
    EXPECT_EQ(bench.until(BUSY_END), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.word(0, SYSTEM_RAM + 20), 1u) << "all come to their end";
    EXPECT_GT(bench.counter("core", 0, "interrupts"), 30u);
    EXPECT_GT(bench.counter("core", 0, "contention_cycles"), 0u);
    EXPECT_GT(bench.counter("write_buffer", 0, "stall_ps"), 0u);
    EXPECT_GE(bench.counter("chip", -1, "core_signals"), 6u);
    EXPECT_EQ(bench.counter("dma", 5, "transfers"), 12u);
}

TEST(MachineOrder, ResultsDoNotDependOnHowARunIsCut)
{
    for (unsigned seed = 1; seed <= 25; seed++) {
        std::mt19937_64 random(seed);
        MachineBench bench;
        make_busy(bench);
        uint64_t longest = 1000u << seed % 12;
        for (uint64_t time = 0; time < BUSY_END;) {
            time += 1 + random() % longest;
            bench.until(time < BUSY_END ? time : BUSY_END);
        }
        const outcome cut = outcome_of(bench);
        EXPECT_TRUE(cut == whole_run()) << "seed " << seed;
        if (cut.counters != whole_run().counters) {
            for (const auto &[key, value] : cut.counters) {
                EXPECT_EQ(value, whole_run().counters.at(key))
                    << std::get<0>(key) << " " << std::get<1>(key) << " " << std::get<2>(key);
            }
            return;
        }
    }
}

TEST(MachineOrder, ResultsDoNotDependOnWhoWatches)
{
    MachineBench bench;
    make_busy(bench);
    for (unsigned core = 0; core < 6; core++) {
        bench.mark(core, IRQ_VECTOR);
        bench.mark(core, MAIN + 0x100);
    }
    bench.until(BUSY_END);
    EXPECT_GT(bench.marks.size(), 100u);
    EXPECT_TRUE(outcome_of(bench) == whole_run());
}

TEST(MachineOrder, MachinesInOneProcessDoNotDisturbEachOther)
{
    MachineBench first;
    MachineBench second;
    MachineBench third;
    make_busy(first);
    make_busy(third);
    second.run(2, counting(500, 3));
    for (uint64_t time = 0; time <= BUSY_END; time += BUSY_END / 100) {
        first.until(time);
        second.until(time);
        third.until(time);
    }
    EXPECT_TRUE(outcome_of(first) == whole_run());
    EXPECT_TRUE(outcome_of(third) == whole_run());
    EXPECT_EQ(second.word(0, SDRAM), 500u);
}

TEST(MachineOrder, NoInterruptIsEverLate)
{
    EXPECT_EQ(whole_run().late, 0u);
}

/* ---- state ---- */

struct freed {
    void operator()(uint8_t *bytes) const
    {
        free(bytes);
    }
};

TEST(MachineState, ASavedMachineGoesOnInAnother)
{
    for (const uint64_t at : {UINT64_C(1), UINT64_C(123457), UINT64_C(7654321), 33 * US, 60 * US}) {
        MachineBench bench;
        make_busy(bench);
        EXPECT_EQ(bench.until(at), MACHINE_REACHED);
        size_t size = 0;
        const std::unique_ptr<uint8_t, freed> bytes(machine_save(bench.get(), &size));
        ASSERT_NE(bytes, nullptr);

        MachineBench other;
        if (at % 2 == 0) { /* something to be forgotten */
            make_busy(other);
            other.until(50 * US);
            other.set_word(0, SDRAM + 0x5000000, 1);
        }
        ASSERT_EQ(machine_load(other.get(), bytes.get(), size), STATUS_OK);
        EXPECT_EQ(other.time_ps(), bench.time_ps());
        EXPECT_EQ(other.word(0, SDRAM + 0x5000000), 0u);
        EXPECT_TRUE(outcome_of(other) == outcome_of(bench)) << at;
        other.until(BUSY_END);
        EXPECT_TRUE(outcome_of(other) == whole_run()) << at;
        bench.until(BUSY_END);
        EXPECT_TRUE(outcome_of(bench) == whole_run()) << "saving changes nothing";
    }
}

TEST(MachineState, TheSameStateIsSavedAsTheSameBytes)
{
    std::string saved[2];
    for (std::string &text : saved) {
        MachineBench bench;
        make_busy(bench);
        bench.until(33 * US);
        size_t size = 0;
        const std::unique_ptr<uint8_t, freed> bytes(machine_save(bench.get(), &size));
        text.assign(reinterpret_cast<const char *>(bytes.get()), size);
    }
    EXPECT_EQ(saved[0].size(), saved[1].size());
    EXPECT_TRUE(saved[0] == saved[1]);
}

TEST(MachineState, BytesThatDoNotFitAreRefused)
{
    MachineBench bench;
    size_t size = 0;
    const std::unique_ptr<uint8_t, freed> bytes(machine_save(bench.get(), &size));
    MachineBench other;
    EXPECT_EQ(machine_load(other.get(), bytes.get(), size - 1), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_load(other.get(), bytes.get(), 8), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_load(other.get(), bytes.get(), 0), STATUS_CONFIGURATION);
    std::vector<uint8_t> longer(bytes.get(), bytes.get() + size);
    longer.push_back(0);
    EXPECT_EQ(machine_load(other.get(), longer.data(), longer.size()), STATUS_CONFIGURATION);
    machine_config config = bench_config();
    config.parameters.chip_dma_word_ps++;
    MachineBench different(config);
    EXPECT_EQ(machine_load(different.get(), bytes.get(), size), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_load(other.get(), bytes.get(), size), STATUS_OK);
}

} // namespace
