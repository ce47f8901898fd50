/* machine_accesses_test.cpp - machine_observer.access: what is told, in which order, and that
 * neither the machine nor what is told depends on how it is run. */
#include "tests/unit/ahead_scene.h"
#include "tests/unit/machine_dma_fixture.h"

#include <map>
#include <memory>
#include <sstream>

extern "C" {
#include "models/machine/history.h"
}

namespace
{

using accesses = std::vector<machine_access>;

/* What is told of each core, in its order.  Chips tell from their own threads. */
struct Told {
    std::map<std::pair<unsigned, unsigned>, accesses> of; /* x, p */
    void expect(const scene &scene)
    {
        for (unsigned x = 0; x < scene.chips; x++) {
            for (unsigned p = 0; p < 18; p++) {
                of[{x, p}];
            }
        }
    }
};

void take(void *context, const machine_access *access)
{
    static_cast<Told *>(context)->of.at({access->core.x, access->core.p}).push_back(*access);
}

struct destroyer {
    void operator()(machine *machine) const
    {
        machine_destroy(machine);
    }
};

std::string text_of(const Told &told)
{
    std::ostringstream text;
    for (const auto &[core, list] : told.of) {
        for (const machine_access &at : list) {
            text << core.first << "," << core.second << " " << at.time_ps << " "
                 << unsigned(at.kind) << " " << at.bytes << " " << at.pc << " " << at.sp << " "
                 << at.range.address << " " << unsigned(at.range.memory) << " " << at.range.offset
                 << " " << at.tcm.address << "\n";
        }
    }
    return text.str();
}

/* Runs a scene; the end state, and what has been told. */
std::pair<std::string, std::string> run(const scene &scene, const way &way, bool tells)
{
    Told told;
    told.expect(scene);
    machine_observer observer = {};
    observer.context = &told;
    observer.access = tells ? take : nullptr;
    const std::unique_ptr<machine, destroyer> machine(scene_machine(scene, way, observer));
    const uint64_t step_ps = way.slice_ps == 0 ? scene.end_ps : way.slice_ps;
    for (uint64_t to_ps = step_ps; to_ps <= scene.end_ps; to_ps += step_ps) {
        (void)machine_run_until(machine.get(), to_ps);
    }
    (void)machine_run_until(machine.get(), scene.end_ps);
    return {scene_state(machine.get(), scene), text_of(told)};
}

way by(uint64_t run_ahead, unsigned threads, uint64_t slice_ps)
{
    way way;
    way.run_ahead = run_ahead;
    way.threads = threads;
    way.slice_ps = slice_ps;
    return way;
}

TEST(MachineAccesses, NeitherTheMachineNorWhatIsToldDependsOnHowItRuns)
{
    for (uint32_t seed = 1; seed <= 12; seed++) {
        scene scene = random_scene(seed, 1 + seed % 2);
        const auto plain = run(scene, by(RUN_AHEAD_AUTO, 1, 0), false);
        const auto reference = run(scene, by(RUN_AHEAD_OFF, 1, 0), true);
        EXPECT_TRUE(plain.first == reference.first) << "seed " << seed;
        EXPECT_EQ(plain.second, "");
        EXPECT_GT(reference.second.size(), 1000u) << "seed " << seed;
        for (const way &way : {by(RUN_AHEAD_AUTO, 1, 0), by(RUN_AHEAD_AUTO, 2, 7 * US),
                               by(100 * seed + 1, 1, 3 * US), by(100 * seed + 2, 2, 0)}) {
            const auto other = run(scene, way, true);
            EXPECT_TRUE(other.first == reference.first) << "seed " << seed;
            EXPECT_TRUE(other.second == reference.second)
                << "seed " << seed << ", ahead by " << way.run_ahead;
        }
    }
}

/* A core runs ahead for longer than accesses are kept for. */
TEST(MachineAccesses, ALongRunAheadTellsAll)
{
    scene scene;
    Program program;
    program.store(VIC_ENABLE, 1u << 24); /* packets could interrupt it */
    program.set(9, 5000).set(1, DTCM);
    const uint32_t loop = program.here();
    program.emit({ldr_imm(r2, r1, 0), str_imm(r2, r1, 4), subs_imm(r9, r9, 1)});
    program.branch(loop, NE).sleep();
    scene.cores = {{{0, 0, 1}, {program}, {}}};
    const auto off = run(scene, by(RUN_AHEAD_OFF, 1, 0), true);
    const auto ahead = run(scene, by(RUN_AHEAD_AUTO, 1, 0), true);
    EXPECT_TRUE(off == ahead);
    size_t lines = 0;
    for (const char c : ahead.second) {
        lines += c == '\n';
    }
    EXPECT_GE(lines, 10000u);
}

/* ---- one machine, one core ---- */

class MachineAccessesOfOne : public ::testing::Test
{
  protected:
    MachineAccessesOfOne()
    {
        machine_config config = bench_config();
        config.observer.context = this;
        config.observer.access = [](void *test, const machine_access *access) {
            static_cast<MachineAccessesOfOne *>(test)->told.push_back(*access);
        };
        machine *made = nullptr;
        EXPECT_EQ(machine_create(&config, &made, nullptr), STATUS_OK);
        machine_.reset(made);
    }

    void execute(const Program &program)
    {
        const auto &words = program.words();
        EXPECT_EQ(machine_write(machine_.get(), CORE, program.base(), words.data(),
                                static_cast<uint32_t>(4 * words.size())),
                  STATUS_OK);
        told.clear();
        EXPECT_EQ(machine_start_core(machine_.get(), CORE, program.base(), 0), STATUS_OK);
        (void)machine_run_until(machine_.get(), 100 * US);
    }

    accesses of_kind(machine_access_kind kind) const
    {
        accesses found;
        for (const machine_access &access : told) {
            if (access.kind == kind) {
                found.push_back(access);
            }
        }
        return found;
    }

    static constexpr machine_core CORE = {0, 0, 1};
    accesses told;
    std::unique_ptr<machine, destroyer> machine_;
};

TEST_F(MachineAccessesOfOne, TheHostsWritesAreTold)
{
    const uint32_t words[4] = {};
    ASSERT_EQ(machine_write(machine_.get(), CORE, SDRAM_UNBUFFERED + 64, words, sizeof words),
              STATUS_OK);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].kind, MACHINE_ACCESS_HOST);
    EXPECT_EQ(told[0].range.memory, MACHINE_MEMORY_SDRAM);
    EXPECT_EQ(told[0].range.offset, 64u);
    EXPECT_EQ(told[0].range.address, SDRAM_UNBUFFERED + 64);
    EXPECT_EQ(told[0].bytes, 16u);
}

TEST_F(MachineAccessesOfOne, FindsMemories)
{
    EXPECT_EQ(machine_find_memory(machine_.get(), CORE, 0x100).memory, MACHINE_MEMORY_ITCM);
    EXPECT_EQ(machine_find_memory(machine_.get(), CORE, DTCM + 8).offset, 8u);
    EXPECT_EQ(machine_find_memory(machine_.get(), CORE, DTCM + 8).memory, MACHINE_MEMORY_DTCM);
    EXPECT_EQ(machine_find_memory(machine_.get(), CORE, SYSTEM_RAM + 0x8004).offset, 4u)
        << "it repeats";
    EXPECT_EQ(machine_find_memory(machine_.get(), CORE, VIC).memory, MACHINE_MEMORY_NONE);
    EXPECT_EQ(machine_find_memory(machine_.get(), {9, 9, 1}, 0).memory, MACHINE_MEMORY_NONE);
}

TEST_F(MachineAccessesOfOne, StoresAndLoadsHaveAddressTimeAndInstruction)
{
    Program program;
    program.set(1, SDRAM_UNBUFFERED).set(2, DTCM);
    const uint32_t store = program.here();
    program.emit({str_imm(r3, r1, 8), ldr_imm(r4, r2, 12)}).sleep();
    execute(program);
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0].kind, MACHINE_ACCESS_WRITE);
    EXPECT_EQ(told[0].pc, store);
    EXPECT_EQ(told[0].range.offset, 8u);
    EXPECT_EQ(told[0].time_ps, (store - CODE) / 4 * CYCLE_PS);
    EXPECT_EQ(told[1].kind, MACHINE_ACCESS_READ);
    EXPECT_EQ(told[1].pc, store + 4);
    EXPECT_EQ(told[1].range.memory, MACHINE_MEMORY_DTCM);
    EXPECT_GT(told[1].time_ps, told[0].time_ps + CYCLE_PS) << "the store has waited";
}

TEST_F(MachineAccessesOfOne, TransfersAreToldWhenTheyStartAndBurstsWhenTheyAreCopied)
{
    for (const uint32_t registers : {DMA, DMA_BUFFERED}) {
        Program program;
        program.write_buffer_on();
        program.store(registers + ADRS, SDRAM + 0x1000);
        program.store(registers + ADRT, DTCM + 0x200);
        const uint32_t at = program.store(registers + DESC, description(40) | TO_SYSTEM);
        program.sleep();
        execute(program);
        const accesses started = of_kind(MACHINE_ACCESS_TRANSFER);
        ASSERT_EQ(started.size(), 1u);
        EXPECT_EQ(started[0].pc, at);
        EXPECT_EQ(started[0].bytes, 160u);
        EXPECT_TRUE(started[0].to_system);
        EXPECT_EQ(started[0].range.offset, 0x1000u);
        EXPECT_EQ(started[0].tcm.offset, 0x200u);
        EXPECT_EQ(started[0].tcm.memory, MACHINE_MEMORY_DTCM);
        const accesses copied = of_kind(MACHINE_ACCESS_COPY);
        ASSERT_EQ(copied.size(), 2u) << "128 bytes, and 32";
        EXPECT_EQ(copied[0].bytes, 128u);
        EXPECT_EQ(copied[1].bytes, 32u);
        EXPECT_EQ(copied[1].range.offset, 0x1080u);
        EXPECT_EQ(copied[1].tcm.offset, 0x280u);
        EXPECT_TRUE(copied[0].has_tcm);
    }
}

TEST_F(MachineAccessesOfOne, ATransferBeyondTheTcmIsToldButNotCopied)
{
    Program program;
    program.store(DMA + ADRS, SDRAM);
    program.store(DMA + ADRT, DTCM + 0x10000);
    program.store(DMA + DESC, description(8));
    program.sleep();
    execute(program);
    ASSERT_EQ(of_kind(MACHINE_ACCESS_TRANSFER).size(), 1u);
    EXPECT_EQ(of_kind(MACHINE_ACCESS_TRANSFER)[0].tcm.memory, MACHINE_MEMORY_NONE);
    EXPECT_TRUE(of_kind(MACHINE_ACCESS_COPY).empty());
}

TEST_F(MachineAccessesOfOne, AHistoryIsRefused)
{
    const machine_history_options options = {};
    machine_history *history = nullptr;
    EXPECT_EQ(machine_history_create(machine_.get(), &options, &history), STATUS_CONFIGURATION);
    EXPECT_EQ(history, nullptr);
}

TEST_F(MachineAccessesOfOne, NoNativeCodeRuns)
{
    machine_config config = bench_config();
    config.tier = TIER_TRANSLATOR;
    config.observer.access = [](void *, const machine_access *) {};
    machine *made = nullptr;
    ASSERT_EQ(machine_create(&config, &made, nullptr), STATUS_OK);
    const std::unique_ptr<machine, destroyer> owner(made);
    EXPECT_EQ(machine_native(made).translations, 0u);
}

} // namespace
