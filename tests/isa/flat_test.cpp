/* flat_test.cpp - a core with one flat memory for code and data: no waits, and code may be written
 * anywhere. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/random_program.h"

#include <gtest/gtest.h>
#include <random>

static constexpr uint32_t CODE = CODE_BASE;
static constexpr uint32_t FLAT_BYTES = DTCM_BASE + DTCM_BYTES;

struct flat_bench {
    explicit flat_bench(const bench_config &options = bench_config()) : bytes(FLAT_BYTES)
    {
        struct arm968_config config = {};
        config.timing = options.timing;
        config.library = options.library;
        config.translator = options.translator;
        config.code = config.data = {0, FLAT_BYTES, bytes.data()};
        config.id = CORE_ID;
        config.reset_control = CONTROL_LOW;
        cpu = arm968_create(&config);
    }
    ~flat_bench()
    {
        arm968_destroy(cpu);
    }

    void arm(uint32_t address, const std::vector<uint32_t> &code)
    {
        memcpy(&bytes[address], code.data(), 4 * code.size());
        arm968_code_written(cpu, address, 4 * static_cast<uint32_t>(code.size()));
    }

    std::vector<uint8_t> bytes;
    struct arm968 *cpu;
};

/* The TCM core with free ITCM accesses is the reference. */
TEST(Flat, RandomCodeRunsAsInTcmsWithoutWaits)
{
    flat_bench flat;
    for (uint32_t seed = 110000; seed < 110400 && !HasFailure(); seed++) {
        const random_program program = make_random_program(seed, (seed & 1) != 0, 40);
        bench_config config;
        config.timing.itcm_data = 0;
        core_bench tcm(config);
        load_random_program(&tcm, program);
        memcpy(flat.bytes.data(), tcm.itcm.data(), tcm.itcm.size());
        memcpy(&flat.bytes[DTCM_BASE], tcm.dtcm.data(), tcm.dtcm.size());
        arm968_code_written(flat.cpu, 0, FLAT_BYTES);
        const uint64_t start = arm968_cycle(flat.cpu);
        const uint32_t lowest_before = arm968_lowest_sp(flat.cpu); /* of the programs so far */
        arm968_set_cpsr(flat.cpu, tcm.cpsr());
        for (unsigned i = 0; i < 16; i++) {
            arm968_set_register(flat.cpu, i, tcm.reg(i));
        }
        ASSERT_EQ(tcm.run_to(program.end), ARM968_STOP_BREAKPOINT);
        ASSERT_EQ(arm968_run(flat.cpu, start + tcm.cycle()), ARM968_STOP_HORIZON);
        core_view view = view_of(flat.cpu);
        view.cycle -= start;
        core_view expected = view_of(tcm.cpu);
        expected.lowest_sp = std::min(expected.lowest_sp, lowest_before);
        EXPECT_EQ(view, expected) << program.listing();
        EXPECT_EQ(memcmp(flat.bytes.data(), tcm.itcm.data(), tcm.itcm.size()), 0);
        EXPECT_EQ(memcmp(&flat.bytes[DTCM_BASE], tcm.dtcm.data(), tcm.dtcm.size()), 0);
    }
}

/* A program and its data, with the core at its beginning. */
static void load_flat(flat_bench *flat, const core_bench &from)
{
    memcpy(flat->bytes.data(), from.itcm.data(), from.itcm.size());
    memcpy(&flat->bytes[DTCM_BASE], from.dtcm.data(), from.dtcm.size());
    arm968_set_cpsr(flat->cpu, from.cpsr());
    for (unsigned i = 0; i < 16; i++) {
        arm968_set_register(flat->cpu, i, from.reg(i));
    }
}

TEST(Flat, TranslatedCodeRunsAsInterpretedCode)
{
    std::mt19937 random(968);
    for (uint32_t seed = 111000; seed < 111006 && !HasFailure(); seed++) {
        struct arm968_translator_options options = {};
        options.samples = UINT32_MAX; /* only when asked */
        options.quick = true;
        struct arm968_translator *translator = arm968_translator_create(&options);
        bench_config with;
        with.translator = translator;
        flat_bench native(with);
        flat_bench reference;
        core_bench program;
        load_random_program(&program, make_random_program(seed, (seed & 1) != 0, 200));
        for (const bool warms : {true, false}) {
            for (flat_bench *it : {&native, &reference}) {
                load_flat(it, program);
            }
            const uint64_t end = arm968_cycle(reference.cpu) + 2000;
            while (arm968_cycle(reference.cpu) < end && !HasFailure()) {
                const uint64_t horizon = arm968_cycle(reference.cpu) + 1 + random() % 100;
                ASSERT_EQ(arm968_run(native.cpu, horizon), arm968_run(reference.cpu, horizon));
                ASSERT_EQ(view_of(native.cpu), view_of(reference.cpu));
                ASSERT_EQ(memcmp(native.bytes.data(), reference.bytes.data(), FLAT_BYTES), 0);
            }
            if (warms) {
                ASSERT_TRUE(arm968_translate(native.cpu));
            }
        }
        EXPECT_GT(arm968_native_runs(native.cpu), 10u);
        arm968_translator_destroy(translator);
    }
}

/* Stores that native code checks together, to each byte around the end of the code, whose last
 * words do nothing, whichever of two they are. */
TEST(Flat, TranslatedStoresBesideTheCode)
{
    struct arm968_translator_options options = {};
    options.samples = UINT32_MAX; /* only when asked */
    options.quick = true;
    struct arm968_translator *translator = arm968_translator_create(&options);
    bench_config with;
    with.translator = translator;
    flat_bench native(with);
    flat_bench reference;
    constexpr uint32_t FUNCTION = CODE + 0x100;
    constexpr uint32_t LAST = FUNCTION + 0x38; /* behind all that blocks read */
    const std::vector<uint32_t> program = {ldr_imm(r2, r0, -4),     str_imm(r1, r0),
                                           str_imm(r1, r0, 4),      strh_imm(r3, r0, 8),
                                           bl(CODE + 16, FUNCTION), branch_to_self()};
    const std::vector<uint32_t> function = {nop(), nop(), nop(), nop(), bx(lr), nop(), nop()};
    const auto run = [&](uint32_t base, uint32_t value) {
        const uint64_t end = arm968_cycle(reference.cpu) + 60;
        for (flat_bench *it : {&native, &reference}) {
            arm968_set_register(it->cpu, 0, base);
            arm968_set_register(it->cpu, 1, value);
            arm968_set_register(it->cpu, 3, value);
            arm968_set_register(it->cpu, 15, CODE);
            ASSERT_EQ(arm968_run(it->cpu, end), ARM968_STOP_HORIZON);
        }
        ASSERT_EQ(view_of(native.cpu), view_of(reference.cpu)) << std::hex << base;
        ASSERT_EQ(memcmp(native.bytes.data(), reference.bytes.data(), FLAT_BYTES), 0);
    };
    for (uint32_t base = FUNCTION - 8; base <= LAST && !HasFailure(); base += 4) {
        for (flat_bench *it : {&native, &reference}) {
            it->arm(CODE, program);
            it->arm(FUNCTION, function);
        }
        for (unsigned i = 0; i < 4; i++) {
            run(DTCM_BASE + 16 * i, base);
        }
        ASSERT_TRUE(arm968_translate(native.cpu));
        const uint64_t before = arm968_native_runs(native.cpu);
        run(DTCM_BASE, base);
        EXPECT_GT(arm968_native_runs(native.cpu), before);
        run(base, mov(r12, r12));
        run(base + 2, mov(r10, r10));
        run(base, mov(r12, r12));
    }
    arm968_translator_destroy(translator);
}

TEST(Flat, CodeWrittenByTheCoreRuns)
{
    flat_bench flat;
    flat.arm(CODE, {add_imm(r0, r0, 1), ldr_imm(r1, r2), add_imm(r1, r1, 1), str_imm(r1, r2),
                    subs_imm(r3, r3, 1), when(NE, b(20, 0)), branch_to_self()});
    arm968_set_register(flat.cpu, 2, CODE);
    arm968_set_register(flat.cpu, 3, 10);
    arm968_set_register(flat.cpu, 15, CODE);
    ASSERT_EQ(arm968_add_breakpoint(flat.cpu, CODE + 24), STATUS_OK);
    EXPECT_EQ(arm968_run(flat.cpu, 10000), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(arm968_register(flat.cpu, 0), 55u);
    /* a round: ADD, LDR, stall, ADD, STR, SUBS and 3 for the branch */
    EXPECT_EQ(arm968_cycle(flat.cpu), 9u * 9u + 7u);
    EXPECT_EQ(arm968_counters(flat.cpu)->itcm_wait_cycles, 0u);
}

TEST(Flat, LiteralsAreNoAccessesToItcm)
{
    flat_bench flat;
    flat.arm(CODE, {ldr_imm(r0, pc, 0), branch_to_self(), 0x1234});
    arm968_set_register(flat.cpu, 15, CODE);
    EXPECT_EQ(arm968_run(flat.cpu, 1), ARM968_STOP_HORIZON);
    EXPECT_EQ(arm968_register(flat.cpu, 0), 0x1234u);
    EXPECT_EQ(arm968_counters(flat.cpu)->words_loaded, 1u);
    EXPECT_EQ(arm968_counters(flat.cpu)->itcm_data_accesses, 0u);
}

/* Equal bytes, equal timing: but only one of the two cores has an ITCM. */
TEST(Flat, SharesNoTranslationWithACoreThatHasTcms)
{
    struct arm968_code_library *library = arm968_code_library_create();
    bench_config config;
    config.library = library;
    config.timing.itcm_data = 0;
    config.code_bytes = FLAT_BYTES;
    {
        flat_bench flat(config);
        core_bench tcm(config);
        const std::vector<uint32_t> code = {ldr_imm(r0, pc, 0), branch_to_self(), 0x1234};
        flat.arm(CODE, code);
        tcm.arm(CODE, code);
        arm968_set_register(flat.cpu, 15, CODE);
        tcm.start(CODE);
        EXPECT_EQ(arm968_run(flat.cpu, 1), ARM968_STOP_HORIZON);
        EXPECT_EQ(arm968_run(tcm.cpu, 1), ARM968_STOP_HORIZON);
        EXPECT_EQ(arm968_counters(flat.cpu)->itcm_data_accesses, 0u);
        EXPECT_EQ(tcm.counters().itcm_data_accesses, 1u);
    }
    arm968_code_library_destroy(library);
}

TEST(Flat, CodeBelowAndAboveTheDataMayBeWritten)
{ /* a function at two places, each changed after it has run */
    for (const uint32_t function : {0x200u, 0x200000u}) {
        flat_bench flat;
        flat.arm(function, {mov_imm(r0, 1), bx(lr)});
        flat.arm(CODE, {bl(CODE, function), mov(r4, r0), str_imm(r1, r2), bl(CODE + 12, function),
                        branch_to_self()});
        arm968_set_register(flat.cpu, 1, mov_imm(r0, 2));
        arm968_set_register(flat.cpu, 2, function);
        arm968_set_register(flat.cpu, 15, CODE);
        ASSERT_EQ(arm968_add_breakpoint(flat.cpu, CODE + 16), STATUS_OK);
        EXPECT_EQ(arm968_run(flat.cpu, 10000), ARM968_STOP_BREAKPOINT);
        EXPECT_EQ(arm968_register(flat.cpu, 4), 1u);
        EXPECT_EQ(arm968_register(flat.cpu, 0), 2u);
    }
}

TEST(Flat, AccessesBeyondTheMemoryAbort)
{
    flat_bench flat;
    flat.arm(CODE, {ldr_imm(r0, r1)});
    arm968_set_register(flat.cpu, 1, FLAT_BYTES);
    arm968_set_register(flat.cpu, 15, CODE);
    EXPECT_EQ(arm968_run(flat.cpu, 100), ARM968_STOP_FAULT);
    EXPECT_EQ(arm968_fault(flat.cpu).kind, ARM968_FAULT_DATA);
    EXPECT_EQ(arm968_fault(flat.cpu).address, FLAT_BYTES);
}
