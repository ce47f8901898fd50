/* program_scoreboard_test.cpp - whole programs take exactly the cycles that the independent model
 * of the pipeline gives them, instruction by instruction.
 *
 * The shipped programs for a flat memory, their first instructions.  Or another one up to its first
 * semihosting call: SPINNSIM_PROGRAM names its ELF file, SPINNSIM_FROM and SPINNSIM_TO two symbols
 * between whose first arrivals is counted (scripts/dhrystone.sh). */
#include "tests/cycles/trace.h"
#include "tests/support/amount.h"

extern "C" {
#include "sim/flat/elf_run.h"
#include "sim/flat/flat_core.h"
#include "sim/load/elf_image.h"
}

#include <fstream>
#include <iostream>

namespace
{

constexpr uint64_t INSTRUCTIONS = 300000; /* of each shipped program */

struct figures {
    uint64_t instructions, cycles; /* from one symbol to the other, or of all */
};

/* A program in memory and the core that runs it. */
struct loaded {
    struct arm968 *cpu;
    std::function<uint32_t(uint32_t address)> word;
    uint32_t itcm_bytes; /* where data accesses wait, as in ITCM; 0: nowhere */
};

struct symbols {
    uint32_t from, to;
    bool wanted;
};

uint32_t insn_word(const loaded &program, uint32_t address, bool thumb)
{
    const uint32_t word = program.word(address & ~3u);
    return thumb ? word >> (8 * (address & 2)) & 0xffffu : word;
}

/* Steps to the first semihosting call or the limit; the region counts by the scoreboard. */
figures score_program(const loaded &program, const symbols &region, uint64_t limit)
{
    struct scoreboard board(arm968_timing_default(), program.itcm_bytes);
    figures begin = {0, 0};
    figures end = {0, 0};
    bool begun = false;
    bool ended = false;
    enum arm968_stop stop = ARM968_STOP_HORIZON;
    while (stop == ARM968_STOP_HORIZON && board.counters.instructions < limit) {
        struct traced_insn insn = {};
        insn.cpsr = arm968_cpsr(program.cpu);
        for (unsigned i = 0; i < 16; i++) {
            insn.r[i] = arm968_register(program.cpu, i);
        }
        const figures now = {board.counters.instructions, board.counters.active_cycles};
        if (region.wanted && !begun && insn.r[15] == region.from) {
            begin = now;
            begun = true;
        }
        if (region.wanted && !ended && insn.r[15] == region.to) {
            end = now;
            ended = true;
        }
        const bool thumb = (insn.cpsr & STATE_T) != 0;
        insn.word = insn_word(program, insn.r[15], thumb);
        const uint64_t before = arm968_cycle(program.cpu);
        stop = arm968_run(program.cpu, before + 1);
        const uint64_t expected = board.execute(insn);
        EXPECT_EQ(arm968_cycle(program.cpu) - before, expected)
            << "at " << std::hex << insn.r[15] << ", " << insn.word;
        if (::testing::Test::HasFailure()) {
            break;
        }
    }
    EXPECT_TRUE(stop == ARM968_STOP_HORIZON || stop == ARM968_STOP_REQUEST) << stop;
    EXPECT_EQ(arm968_counters(program.cpu)->instructions, board.counters.instructions);
    EXPECT_EQ(arm968_cycle(program.cpu), board.counters.active_cycles);
    if (region.wanted) {
        EXPECT_TRUE(begun && ended) << "the region is not passed";
        return {end.instructions - begin.instructions, end.cycles - begin.cycles};
    }
    return {board.counters.instructions, board.counters.active_cycles};
}

figures score_flat(const struct elf_image &image, const symbols &region, uint64_t limit)
{
    struct flat_core flat;
    EXPECT_EQ(flat_core_init(&flat, FLAT_LOW, nullptr, nullptr), STATUS_OK);
    for (size_t i = 0; i < image.segment_count; i++) {
        memcpy(flat.ram + image.segment[i].address, image.segment[i].bytes,
               image.segment[i].file_bytes);
    }
    arm968_set_register(flat.cpu, 15, image.entry & ~1u);
    const auto word = [&flat](uint32_t address) {
        uint32_t value = 0;
        memcpy(&value, flat.ram + address, sizeof value);
        return value;
    };
    const figures result = score_program({flat.cpu, word, 0}, region, limit);
    flat_core_deinit(&flat);
    return result;
}

bool fits_tcm(const struct elf_image &image)
{
    bool fits = true;
    for (size_t i = 0; i < image.segment_count; i++) {
        const uint64_t begin = image.segment[i].address;
        const uint64_t end = begin + image.segment[i].memory_bytes;
        fits = fits && (end <= ITCM_BYTES || (begin >= DTCM_BASE && end <= DTCM_BASE + DTCM_BYTES));
    }
    return fits;
}

figures score_in_tcm(const struct elf_image &image, const symbols &region)
{
    bench_config config;
    config.semihosting = true;
    core_bench bench(config);
    for (size_t i = 0; i < image.segment_count; i++) {
        const struct elf_segment &segment = image.segment[i];
        const bool code = segment.address < ITCM_BYTES;
        memcpy(code ? &bench.itcm[segment.address] : &bench.dtcm[segment.address - DTCM_BASE],
               segment.bytes, segment.file_bytes);
    }
    bench.start(image.entry);
    const auto word = [&bench](uint32_t address) { return bench.word(address); };
    return score_program({bench.cpu, word, ITCM_BYTES}, region, UINT64_MAX);
}

struct elf_run_result run(const std::string &path, const char *from, const char *to, enum tier tier)
{
    struct elf_run_options options = {};
    options.file = path.c_str();
    options.count_from = from;
    options.count_to = to;
    options.tier = tier;
    struct elf_run_result result = {};
    struct diagnostic diagnostic = {};
    EXPECT_EQ(elf_run(&options, &result, &diagnostic), STATUS_OK) << diagnostic.text;
    EXPECT_EQ(result.exit_status, 0);
    return result;
}

class ShippedProgram : public ::testing::TestWithParam<const char *>
{
};

TEST_P(ShippedProgram, TakesTheModelledCycles)
{
    const std::string path = std::string(SPINN_WORKLOAD_DIR) + "/" + GetParam() + ".elf";
    if (!std::ifstream(path).good()) {
        GTEST_SKIP() << "no " << path << ": no cross compiler, or not built";
    }
    struct elf_image image;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(elf_image_read(&image, path.c_str(), &diagnostic), STATUS_OK) << diagnostic.text;
    const figures all = score_flat(image, {0, 0, false}, INSTRUCTIONS);
    EXPECT_EQ(all.instructions, INSTRUCTIONS);
    elf_image_deinit(&image);
}

INSTANTIATE_TEST_SUITE_P(Flat, ShippedProgram,
                         ::testing::Values("branchy", "branchy_thumb", "bytecode", "bytecode_thumb",
                                           "dense_int16", "nn_kernels", "objects",
                                           "objects_thumb"));

/* The program that the environment names, or none. */
struct named {
    const char *path, *from, *to;
};

std::vector<named> named_programs()
{
    const named it = {getenv("SPINNSIM_PROGRAM"), getenv("SPINNSIM_FROM"), getenv("SPINNSIM_TO")};
    return it.path == nullptr || it.from == nullptr || it.to == nullptr ? std::vector<named>()
                                                                        : std::vector<named>{it};
}

class NamedProgram : public ::testing::TestWithParam<named>
{
};

INSTANTIATE_TEST_SUITE_P(Environment, NamedProgram, ::testing::ValuesIn(named_programs()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NamedProgram);

TEST_P(NamedProgram, TakesTheModelledCycles)
{
    const char *path = GetParam().path;
    const char *from = GetParam().from;
    const char *to = GetParam().to;
    struct elf_image image;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(elf_image_read(&image, path, &diagnostic), STATUS_OK) << diagnostic.text;
    const struct elf_symbol *begin = elf_image_find(&image, from);
    const struct elf_symbol *end = elf_image_find(&image, to);
    ASSERT_TRUE(begin != nullptr && end != nullptr) << "no such symbols";
    const symbols region = {begin->address, end->address, true};

    const figures flat = score_flat(image, region, UINT64_MAX);
    for (const enum tier tier : {TIER_INTERPRETER, TIER_EVERYTHING}) {
        const struct elf_run_result result = run(path, from, to, tier);
        EXPECT_EQ(result.region_instructions, flat.instructions);
        EXPECT_EQ(result.region_cycles, flat.cycles);
    }
    std::cout << "flat " << flat.instructions << " instructions " << flat.cycles << " cycles\n";
    if (fits_tcm(image)) {
        const figures tcm = score_in_tcm(image, region);
        std::cout << "tcm " << tcm.instructions << " instructions " << tcm.cycles << " cycles\n";
    }
    elf_image_deinit(&image);
}

} // namespace
