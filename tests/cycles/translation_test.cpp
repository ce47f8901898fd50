/* translation_test.cpp - what is translated and when, and that nothing of it can be seen: code that
 * is sampled, compiled behind the core's back, changed meanwhile, or no longer fits the core. */
#include "tests/cycles/twins.h"
#include "tests/support/arm_asm.h"
#include "tests/support/thumb_asm.h"

#include <chrono>
#include <fstream>
#include <sys/stat.h>
#include <thread>

namespace
{

constexpr unsigned FEW_SAMPLES = 20;
constexpr uint64_t LONG_ENOUGH = 250000; /* cycles in which FEW_SAMPLES are taken */
constexpr auto PATIENCE = std::chrono::seconds(60);

/* Sums words of DTCM into r1 and stores the sum, for ever. */
const std::vector<uint32_t> BUSY = {ldr_post(r2, r0, 4),
                                    add(r1, r1, r2),
                                    str_imm(r1, r3),
                                    data_imm(BIC, false, r0, r0, 0x400),
                                    subs_imm(r4, r4, 1),
                                    when(EQ, add_imm(r5, r5, 1)),
                                    b(24, 0)};

void make_busy(twins *it)
{
    it->arm(CODE_BASE, BUSY);
    for (core_bench *bench : {&it->native, &it->reference}) {
        bench->set(0, DTCM_BASE);
        bench->set(3, DTCM_BASE + 0x800);
    }
    it->start(CODE_BASE);
}

uint64_t translations(const translator_pointer &translator)
{
    return arm968_translator_counts(translator.get()).translations;
}

/* Until so many translations have been made; false: not in time. */
bool wait_for(const translator_pointer &translator, uint64_t count)
{
    const auto deadline = std::chrono::steady_clock::now() + PATIENCE;
    while (translations(translator) < count) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

/* A compiler that takes its time. */
class SlowCompiler : public ::testing::Test
{
  protected:
    void write(const std::string &delay)
    {
        path = ::testing::TempDir() + "spinnsim_slow_cc_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name();
        std::ofstream(path) << "#!/bin/sh\n" << delay << "\nexec cc \"$@\"\n";
        ASSERT_EQ(chmod(path.c_str(), 0700), 0);
    }
    void TearDown() override
    {
        (void)remove(path.c_str());
    }
    std::string path;
};

/* ---- when ---- */

TEST(Translation, HotCodeIsTranslatedInTheBackground)
{
    for (const bool shared : {false, true}) {
        translator_pointer translator = make_translator(FEW_SAMPLES, false);
        std::unique_ptr<struct arm968_code_library, decltype(&arm968_code_library_destroy)> library(
            shared ? arm968_code_library_create() : nullptr, arm968_code_library_destroy);
        twins it(&translator, library.get());
        make_busy(&it);
        it.run(LONG_ENOUGH, 20000);
        ASSERT_TRUE(wait_for(translator, 1));
        EXPECT_EQ(it.native_runs(), 0u);
        it.run(50000, 5000);
        EXPECT_GT(it.native_runs(), 5u);
        EXPECT_EQ(arm968_translator_counts(translator.get()).failures, 0u);
    }
}

TEST(Translation, ACoreMayWaitForIt)
{
    translator_pointer translator = make_translator(FEW_SAMPLES, true);
    twins it(&translator);
    make_busy(&it);
    it.run(LONG_ENOUGH, 20000);
    EXPECT_EQ(translations(translator), 1u);
    EXPECT_GT(it.native_runs(), 5u);
    it.run(3 * 500009, 20000); /* all is translated: it is not done again */
    EXPECT_EQ(translations(translator), 1u);
}

TEST(Translation, WithoutACompilerTheCoreIsInterpreted)
{
    translator_pointer translator = make_translator(FEW_SAMPLES, true, "/no/such/compiler");
    twins it(&translator);
    make_busy(&it);
    it.run(LONG_ENOUGH, 20000);
    EXPECT_EQ(translations(translator), 0u);
    EXPECT_EQ(arm968_translator_counts(translator.get()).failures, 1u);
    EXPECT_EQ(it.native_runs(), 0u);
}

TEST(Translation, NothingIsTranslatedThatHasNotRun)
{
    translator_pointer translator = on_demand();
    core_bench none;
    core_bench fresh(configured(translator.get(), nullptr));
    EXPECT_FALSE(arm968_translate(none.cpu)); /* has no translator */
    EXPECT_FALSE(arm968_translate(fresh.cpu));
    fresh.arm(CODE_BASE, BUSY);
    fresh.set(0, DTCM_BASE);
    fresh.set(3, DTCM_BASE + 0x800);
    fresh.start(CODE_BASE);
    (void)fresh.run(1000);
    EXPECT_TRUE(arm968_translate(fresh.cpu));
    EXPECT_FALSE(arm968_translate(fresh.cpu)); /* nothing is left */
}

TEST(Translation, ADelayLoopIsLeftToTheInterpreter)
{
    translator_pointer translator = on_demand();
    twins it(&translator);
    it.arm(CODE_BASE, {mov_imm(r0, 200), subs_imm(r0, r0, 1), when(NE, b(8, 4)), b(12, 0)});
    it.start(CODE_BASE);
    it.run(2000, 27);
    EXPECT_TRUE(arm968_translate(it.native.cpu));
    EXPECT_FALSE(arm968_translate(it.native.cpu));
    it.run(20000, 500);
    EXPECT_GT(it.native_runs(), 0u);
}

TEST(Translation, TiersHaveTheirTranslators)
{
    EXPECT_EQ(arm968_translator_for(TIER_INTERPRETER), nullptr);
    for (const enum tier tier : {TIER_AUTO, TIER_EVERYTHING}) {
        translator_pointer translator(arm968_translator_for(tier), arm968_translator_destroy);
        ASSERT_NE(translator, nullptr);
        twins it(&translator);
        make_busy(&it);
        it.run(LONG_ENOUGH, 20000);
        EXPECT_EQ(translations(translator), tier == TIER_EVERYTHING ? 1u : 0u);
    }
    arm968_translator_destroy(nullptr);
}

TEST_F(SlowCompiler, CodeThatChangesMeanwhileIsNotReplaced)
{
    write("sleep 1");
    translator_pointer translator = make_translator(FEW_SAMPLES, false, path.c_str());
    twins it(&translator);
    make_busy(&it);
    it.run(LONG_ENOUGH, 20000);
    it.arm(CODE_BASE + 4, {sub(r1, r1, r2)});
    it.run(1000, 100);
    ASSERT_TRUE(wait_for(translator, 1));
    it.run(20000, 500);
    EXPECT_EQ(it.native_runs(), 0u);
    it.run(LONG_ENOUGH, 20000); /* it is sampled again */
    ASSERT_TRUE(wait_for(translator, 2));
    it.run(20000, 500);
    EXPECT_GT(it.native_runs(), 0u);
}

TEST_F(SlowCompiler, WhatIsQueuedIsGivenUpAtTheEnd)
{
    write("sleep 100");
    const auto begin = std::chrono::steady_clock::now();
    {
        translator_pointer translator = make_translator(FEW_SAMPLES, false, path.c_str());
        twins first(&translator);
        twins second(&translator);
        twins third(&translator);
        for (twins *it : {&first, &second, &third}) {
            make_busy(it);
            it->run(LONG_ENOUGH, 20000);
        }
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
}

/* ---- what native code takes for granted ---- */

TEST(Translation, NativeCodeIsLeftWhenTheMemoriesChange)
{
    translator_pointer translator = on_demand();
    twins it(&translator);
    make_busy(&it);
    it.run(2000, 100);
    ASSERT_TRUE(arm968_translate(it.native.cpu));
    it.run(2000, 100);
    uint64_t runs = it.native_runs();
    EXPECT_GT(runs, 0u);

    it.control(CONTROL_LOW | CONTROL_L4); /* loads of pc change no state */
    it.run(2000, 100);
    EXPECT_EQ(it.native_runs(), runs);

    for (core_bench *bench : {&it.native, &it.reference}) { /* DTCM off: the same words outside */
        bench->outside.regions = {{DTCM_BASE, DTCM_BYTES, REGION_ANSWERS, 3}};
    }
    it.control(CONTROL_LOW & ~0x4u);
    it.run(2000, 100);
    EXPECT_EQ(it.native_runs(), runs);

    it.control(CONTROL_LOW);
    it.run(2000, 100);
    EXPECT_GT(it.native_runs(), runs);
}

TEST(Translation, WrittenCodeIsTheInterpretersAgain)
{
    translator_pointer translator = on_demand();
    twins it(&translator);
    make_busy(&it);
    it.run(2000, 100);
    ASSERT_TRUE(arm968_translate(it.native.cpu));
    it.run(2000, 100);
    it.arm(CODE_BASE + 4, {sub(r1, r1, r2)});
    const uint64_t runs = it.native_runs();
    it.run(2000, 100);
    EXPECT_EQ(it.native_runs(), runs);
    ASSERT_TRUE(arm968_translate(it.native.cpu));
    it.run(2000, 100);
    EXPECT_GT(it.native_runs(), runs);
}

/* ---- jumps by a table ---- */

struct table_case {
    const char *name;
    uint32_t jump_at; /* address of the LDR pc */
    uint32_t last;    /* compared with; cases from 8 on are never run */
    bool compares;
};

class TableJump : public ::testing::TestWithParam<table_case>
{
};

constexpr uint32_t CASES_AT = 0x2000; /* 16 bytes each */
constexpr uint32_t NEXT_AT = 0x2100;
constexpr uint32_t NEVER_RUN = 0x2200;

/* A loop that goes through cases 0 to 7 and past the table; cases 1 and 3 are one, case 4 is in
 * Thumb state. */
void load_table_jump(twins *it, const table_case &of)
{
    const uint32_t at = of.jump_at;
    const uint32_t compare = of.compares ? cmp_imm(r0, of.last) : cmp_imm(r1, 0xff);
    const uint32_t jump = when(of.compares ? LS : AL, ldr_reg(pc, pc, r0, LSL, 2));
    it->arm(CODE_BASE, {data_imm(AND, false, r0, r4, 7), b(CODE_BASE + 4, at - 4)});
    it->arm(at - 4, {compare, jump, b(at + 4, NEXT_AT)});
    static const uint32_t TARGETS[10] = {0, 1, 2, 1, 4, 5, 6, 7, 15, 14};
    for (uint32_t i = 0; i < 10 && at + 8 + 4 * i < ITCM_BYTES; i++) {
        const uint32_t number = TARGETS[i];
        it->arm(at + 8 + 4 * i,
                {number == 15   ? NEVER_RUN
                 : number == 14 ? 0x60000000u
                                : (CASES_AT + 16 * number) | (number == 4 ? 1 : 0)});
    }
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t to = CASES_AT + 16 * i;
        it->arm(to, {add_imm(r5, r5, i + 1), data_reg(EOR, true, r6, r6, r5, ROR, i),
                     b(to + 8, NEXT_AT)});
    }
    for (core_bench *bench : {&it->native, &it->reference}) {
        bench->thumb(CASES_AT + 64,
                     {thumb::add_imm(r5, 9), thumb::nop(), thumb::bx(pc), thumb::nop()});
        bench->arm(CASES_AT + 72, {b(CASES_AT + 72, NEXT_AT)});
    }
    it->arm(NEXT_AT, {add_imm(r4, r4, 1), b(NEXT_AT + 4, CODE_BASE)});
    it->start(CODE_BASE);
}

TEST_P(TableJump, GoesWhereTheTableSays)
{
    translator_pointer translator = on_demand();
    twins it(&translator);
    load_table_jump(&it, GetParam());
    it.run(2000, 100);
    ASSERT_TRUE(arm968_translate(it.native.cpu));
    for (const uint64_t longest : {7u, 27u, 500u, 20000u}) {
        it.run(20000, longest);
    }
    EXPECT_GT(it.native_runs(), 700u) /* until entries that are left at once are given up */;
}

INSTANTIATE_TEST_SUITE_P(
    Tables, TableJump,
    ::testing::Values(table_case{"Short", CODE_BASE + 12, 9, true},
                      table_case{"TooLongToFollow", CODE_BASE + 12, 0x400, true},
                      table_case{"WithoutComparison", CODE_BASE + 12, 0, false},
                      table_case{"BeyondTheEndOfMemory", ITCM_BYTES - 40, 40, true}),
    [](const ::testing::TestParamInfo<table_case> &info) { return info.param.name; });

} // namespace
