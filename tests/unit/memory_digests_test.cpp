/* memory_digests_test.cpp - digests of memory: of which parts, in which blocks, and that a byte
 * changes the one that it lies in. */
#include "tests/unit/machine_fixture.h"

extern "C" {
#include "sim/run_control/memory_digests.h"
}

#include <gtest/gtest.h>

namespace
{

constexpr uint32_t DATA = 0x00400000;
constexpr struct machine_core WRITER = {0, 0, 1};

/* Core 1 has stored a word to each address. */
struct digested {
    explicit digested(const std::vector<std::pair<uint32_t, uint32_t>> &stores)
    {
        const machine_config config = bench_config();
        Program program;
        for (const auto &store : stores) {
            program.store(store.first, store.second);
        }
        program.branch(program.here());
        EXPECT_EQ(machine_create(&config, &machine, nullptr), STATUS_OK);
        EXPECT_EQ(machine_write(machine, WRITER, program.base(), program.words().data(),
                                4 * static_cast<uint32_t>(program.words().size())),
                  STATUS_OK);
        EXPECT_EQ(machine_start_core(machine, WRITER, CODE, 0), STATUS_OK);
        machine_run_until(machine, 20 * US);
        EXPECT_EQ(memory_digests(machine, &outcome, nullptr), STATUS_OK);
    }
    ~digested()
    {
        free(outcome.memory);
        machine_destroy(machine);
    }
    digested(const digested &) = delete;
    digested &operator=(const digested &) = delete;

    std::vector<uint32_t> addresses(size_t row) const
    {
        std::vector<uint32_t> all;
        for (unsigned i = 0; i < outcome.memory[row].count; i++) {
            all.push_back(outcome.memory[row].block[i].address);
        }
        return all;
    }

    struct machine *machine = nullptr;
    struct outcome outcome = {};
};

using list = std::vector<uint32_t>;

TEST(MemoryDigests, AreOfWrittenPagesAndOfStartedCores)
{
    const digested of({{SDRAM + 0x10000, 1}, {SDRAM + 0x17000, 2}, {SYSTEM_RAM + 4, 3}});
    ASSERT_EQ(of.outcome.memory_count, 3U);
    const struct outcome_memory *memory = of.outcome.memory;
    EXPECT_EQ(memory[0].kind, OUTCOME_SDRAM);
    /* Eight pages from the first to the last: two were written. */
    EXPECT_EQ(of.addresses(0), (list{SDRAM + 0x10000, SDRAM + 0x17000}));
    EXPECT_EQ(memory[1].kind, OUTCOME_SYSTEM_RAM);
    EXPECT_EQ(of.addresses(1), (list{SYSTEM_RAM, SYSTEM_RAM + 0x200, SYSTEM_RAM + 0x400,
                                     SYSTEM_RAM + 0x600, SYSTEM_RAM + 0x800, SYSTEM_RAM + 0xa00,
                                     SYSTEM_RAM + 0xc00, SYSTEM_RAM + 0xe00}))
        << "one page, in eight parts";
    EXPECT_EQ(memory[2].kind, OUTCOME_CORE_MEMORY);
    EXPECT_EQ(memory[2].core, 1);
    EXPECT_EQ(of.addresses(2), (list{0, DATA, DATA + 0x2000, DATA + 0x4000, DATA + 0x6000,
                                     DATA + 0x8000, DATA + 0xa000, DATA + 0xc000, DATA + 0xe000}));
}

/* Nine pages do not fit eight blocks of one. */
TEST(MemoryDigests, ABlockHasAsManyPagesAsItNeeds)
{
    const digested of({{SDRAM + 0x10000, 1}, {SDRAM + 0x11000, 1}, {SDRAM + 0x18000, 2}});
    EXPECT_EQ(of.addresses(0), (list{SDRAM + 0x10000, SDRAM + 0x18000}));
}

TEST(MemoryDigests, AByteChangesTheBlockThatItLiesIn)
{
    const digested one({{DATA + 0x4010, 1}, {SDRAM, 5}});
    const digested same({{DATA + 0x4010, 1}, {SDRAM, 5}});
    const digested other({{DATA + 0x4010, 2}, {SDRAM, 5}});
    ASSERT_EQ(one.outcome.memory_count, 2U);
    for (size_t row = 0; row < 2; row++) {
        for (unsigned i = 0; i < one.outcome.memory[row].count; i++) {
            const auto &block = one.outcome.memory[row].block[i];
            EXPECT_EQ(block.digest, same.outcome.memory[row].block[i].digest);
            const bool changed = row == 1 && (block.address == 0 || block.address == DATA + 0x4000);
            EXPECT_EQ(block.digest != other.outcome.memory[row].block[i].digest, changed)
                << row << " " << i;
        }
    }
}

} // namespace
