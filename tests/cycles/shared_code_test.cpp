/* shared_code_test.cpp - cores that store into their code memory and share their code nevertheless:
 * words that nobody reads as code vary, and cores that have left find each other again by what they
 * have.  Each core does what it does alone; a translator makes one translation for all. */
#include "tests/cycles/twins.h"
#include "tests/support/arm_asm.h"
#include "tests/support/code_probe.h"

#include <cstdlib>
#include <filesystem>

namespace
{

constexpr unsigned CORES = 4;
constexpr uint64_t FIRST_WAIT = 20000; /* before a core that has left looks for code to share */
constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t APP_ID = 0x3c; /* as SARK keeps it: among the vectors */
constexpr uint32_t WORK = 0x2000;
constexpr uint32_t LITERAL = WORK + 0x100; /* of the work */

/* Cores on one library, and beside each one that shares nothing. */
class Sharing : public ::testing::Test
{
  protected:
    ~Sharing() override
    {
        translator.reset(); /* before the cores */
        shared.clear();
        arm968_code_library_destroy(library);
    }

    void make(unsigned cores)
    {
        for (unsigned i = 0; i < cores; i++) {
            shared.push_back(std::make_unique<core_bench>(configured(translator.get(), library)));
            alone.push_back(std::make_unique<core_bench>());
        }
    }
    void each(const std::function<void(core_bench *bench, unsigned number)> &what)
    {
        for (unsigned i = 0; i < shared.size(); i++) {
            what(shared[i].get(), i);
            what(alone[i].get(), i);
        }
    }
    void run(uint64_t cycles)
    {
        each([cycles](core_bench *bench, unsigned) { (void)bench->run(cycles); });
        for (unsigned i = 0; i < shared.size(); i++) {
            ASSERT_EQ(view_of(shared[i]->cpu), view_of(alone[i]->cpu)) << i;
            ASSERT_TRUE(same_counters(shared[i]->counters(), alone[i]->counters())) << i;
            ASSERT_TRUE(same_memories(*shared[i], *alone[i])) << i;
        }
    }
    bool all_share() const
    {
        for (const auto &core : shared) {
            if (!code_probe_shared(core->cpu, shared[0]->cpu)) {
                return false;
            }
        }
        return true;
    }
    uint64_t waits(unsigned number) const
    {
        return code_probe_share_wait(shared[number]->cpu);
    }

    struct arm968_code_library *library = arm968_code_library_create();
    translator_pointer translator{nullptr, arm968_translator_destroy};
    std::vector<std::unique_ptr<core_bench>> shared, alone;
};

/* As SARK's programs begin: the core writes its application id and an address among the vectors,
 * the instruction of the IRQ vector, and a literal of the work, each with r0, its number, in it. */
void load_official(core_bench *bench, unsigned number)
{
    bench->arm(CODE_BASE,
               {mov_imm(r8, APP_ID), add_imm(r1, r0, 0x40), str_imm(r1, r8),
                mov_imm(r8, IRQ_VECTOR), str_imm(r7, r8), mov_imm(r8, LITERAL), str_imm(r1, r8),
                msr_cpsr_imm(PSR_C, ARM968_SYSTEM), b(CODE_BASE + 32, WORK)});
    bench->arm(WORK, {ldr_imm(r2, pc, static_cast<int32_t>(LITERAL - WORK - 8)), ldr_imm(r3, r6),
                      add(r3, r3, r2), str_imm(r3, r6), data_reg(EOR, false, r4, r4, r3, ROR, 3),
                      b(WORK + 20, WORK)});
    bench->set_word(IRQ_VECTOR, 0);
    bench->set_word(LITERAL, 0);
    bench->set(0, number);
    bench->set(6, DTCM_BASE);
    bench->set(7, subs_imm(pc, lr, 4));
    bench->start(CODE_BASE);
}

TEST_F(Sharing, WordsThatNobodyReadsVary)
{
    make(CORES);
    each(load_official);
    for (unsigned i = 0; i < 10; i++) {
        run(500);
        EXPECT_TRUE(all_share()) << i;
        each([i](core_bench *bench, unsigned) { /* the vector itself runs */
                                                arm968_set_line(bench->cpu, ARM968_IRQ, i % 2 == 0,
                                                                bench->cycle());
        });
    }
    EXPECT_GT(shared[0]->counters().interrupts, 4u);
    for (unsigned i = 0; i < CORES; i++) {
        EXPECT_EQ(waits(i), 0u);
        EXPECT_EQ(shared[i]->word(APP_ID), 0x40u + i);
        EXPECT_EQ(shared[i]->reg(2), 0x40u + i);
    }
}

TEST_F(Sharing, OneTranslationIsEnough)
{
    translator = make_translator(20, true);
    make(CORES);
    each(load_official);
    for (unsigned i = 0; i < 40; i++) {
        run(10000);
    }
    EXPECT_TRUE(all_share());
    const struct arm968_translator_counts counts = arm968_translator_counts(translator.get());
    EXPECT_EQ(counts.translations, 1u);
    EXPECT_EQ(counts.failures, 0u);
    for (const auto &core : shared) {
        EXPECT_GT(arm968_native_runs(core->cpu), 5u);
    }
}

TEST_F(Sharing, TheSameWordIsNoChange)
{
    make(2);
    each([](core_bench *bench, unsigned) {
        bench->arm(CODE_BASE, {str_imm(r1, r2), b(CODE_BASE + 4, CODE_BASE)});
        bench->set(1, str_imm(r1, r2));
        bench->set(2, CODE_BASE);
        bench->start(CODE_BASE);
    });
    run(100);
    EXPECT_TRUE(all_share());
    EXPECT_EQ(waits(0), 0u);
}

/* The literal is read first, so that its blocks are built of it. */
void load_late(core_bench *bench, unsigned number)
{
    load_official(bench, number);
    bench->arm(CODE_BASE, {bl(CODE_BASE, 0x3000)});
    bench->arm(0x3000,
               {ldr_imm(r2, pc, static_cast<int32_t>(LITERAL - 0x3008)), mov_imm(r8, LITERAL),
                add_imm(r1, r0, 1), str_imm(r1, r8), b(0x3010, WORK)});
}

TEST_F(Sharing, CoresThatHaveLeftFindEachOtherAgain)
{
    translator = make_translator(20, true);
    make(CORES);
    each(load_late);
    run(100);
    for (unsigned i = 1; i < CORES; i++) {
        EXPECT_EQ(waits(i), FIRST_WAIT);
        EXPECT_FALSE(code_probe_shared(shared[i]->cpu, shared[0]->cpu));
    }
    run(FIRST_WAIT - 110);
    EXPECT_FALSE(code_probe_shared(shared[1]->cpu, shared[0]->cpu));
    run(300); /* stops, and looks when it goes on */
    run(10);
    EXPECT_TRUE(all_share());
    for (unsigned i = 0; i < 40; i++) {
        run(10000);
    }
    EXPECT_TRUE(all_share());
    EXPECT_EQ(arm968_translator_counts(translator.get()).translations, 1u);
}

TEST_F(Sharing, CoresWithOtherCodeDoNotFindEachOther)
{
    make(3);
    each([](core_bench *bench,
            unsigned number) { /* the last one changes what runs */
                               load_late(bench, number);
                               if (number == 2) {
                                   bench->arm(0x3000 + 8, {mov_imm(r8, WORK + 8), ldr_imm(r1, r8),
                                                           add_imm(r1, r1, 1), str_imm(r1, r8),
                                                           b(0x3000 + 24, WORK)});
                               }
    });
    run(100);
    run(FIRST_WAIT);
    run(10);
    EXPECT_TRUE(code_probe_shared(shared[0]->cpu, shared[1]->cpu));
    EXPECT_FALSE(code_probe_shared(shared[0]->cpu, shared[2]->cpu));
}

/* In the middle of what would be one block. */
TEST_F(Sharing, AnInstructionThatEachCoreSetsIsItsOwn)
{
    make(CORES);
    each([](core_bench *bench, unsigned number) {
        bench->arm(CODE_BASE, {str_imm(r7, r8), b(CODE_BASE + 4, WORK)});
        bench->arm(WORK, {add_imm(r4, r4, 1), add_imm(r5, r5, 1), nop(),
                          data_reg(EOR, true, r4, r4, r5, ROR, 7), b(WORK + 16, WORK)});
        bench->set(7, add_imm(r4, r4, number + 1));
        bench->set(8, WORK + 8);
        bench->start(CODE_BASE);
    });
    for (unsigned i = 0; i < 20; i++) {
        run(37);
    }
    EXPECT_TRUE(all_share());
    EXPECT_EQ(waits(0), 0u);
}

/* After they have left one of two cores changes a function, and one of them runs it. */
class ChangedFunction : public Sharing, public ::testing::WithParamInterface<unsigned>
{
};

TEST_P(ChangedFunction, KeepsCoresApart)
{
    constexpr uint32_t function = WORK + 0x80;
    make(2);
    each([](core_bench *bench, unsigned number) {
        bench->arm(CODE_BASE, {ldr_imm(r2, pc, 0x78), str_imm(r1, pc, 0x74), cmp_imm(r0, 1),
                               when(EQ, str_imm(r7, r9)), b(CODE_BASE + 16, WORK)});
        bench->arm(WORK, {data_imm(TST, true, 0, r5, 1), when(NE, bl(WORK + 4, function)),
                          b(WORK + 8, WORK)});
        bench->arm(function, {add_imm(r4, r4, 1), bx(lr)});
        bench->set(0, number);
        bench->set(1, 7);
        bench->set(5, number == GetParam() ? 1 : 0);
        bench->set(7, add_imm(r4, r4, 100));
        bench->set(9, function);
        bench->start(CODE_BASE);
    });
    run(100);
    run(FIRST_WAIT);
    run(100);
    EXPECT_FALSE(all_share());
    each([](core_bench *bench, unsigned) { bench->set(5, 1); });
    run(200);
    run(200);
}

INSTANTIATE_TEST_SUITE_P(RunBy, ChangedFunction, ::testing::Values(0u, 1u));

/* A function in words that vary: instruction by instruction for a while, then the core leaves. */
TEST_F(Sharing, AProgramInWordsThatVaryHasCodeOfItsOwn)
{
    make(2);
    each([](core_bench *bench, unsigned number) {
        bench->arm(CODE_BASE, {stm(r8, {r1, r2, r3}), b(CODE_BASE + 4, 0x3000)});
        bench->set(1, add_imm(r0, r0, number + 1));
        bench->set(2, data_reg(EOR, false, r4, r4, r0, ROR, 5));
        bench->set(3, b(0x3008, 0x3000));
        bench->set(8, 0x3000);
        bench->start(CODE_BASE);
    });
    run(40);
    EXPECT_TRUE(all_share());
    run(1000);
    EXPECT_EQ(waits(0), 0u);               /* three instructions are kept at hand */
    each([](core_bench *bench, unsigned) { /* a hundred are not */
                                           std::vector<uint32_t> more(100, add_imm(r0, r0, 1));
                                           more.push_back(b(0x3000 + 400, 0x3000));
                                           bench->arm(0x3000, more);
    });
    run(1000);
    EXPECT_EQ(waits(0), FIRST_WAIT);
    EXPECT_FALSE(all_share());
    run(FIRST_WAIT);
    run(10);
    EXPECT_TRUE(all_share()); /* and run the same now */
}

TEST_F(Sharing, WhoOftenChangesItsCodeStaysAlone)
{ /* each 40,000 cycles or so: it shares again after the first two times, not after the third */
    make(2);
    each([](core_bench *bench, unsigned) {
        bench->arm(CODE_BASE,
                   {bl(CODE_BASE, WORK), ldr_imm(r1, r8), add_imm(r1, r1, 1),
                    data_imm(BIC, false, r1, r1, 0x80), str_imm(r1, r8), bl(CODE_BASE + 20, WORK),
                    mov(r3, r9), subs_imm(r3, r3, 1), when(NE, b(CODE_BASE + 32, CODE_BASE + 28)),
                    b(CODE_BASE + 36, CODE_BASE)});
        bench->arm(WORK, {add_imm(r0, r0, 0), bx(lr)});
        bench->set(8, WORK);
        bench->set(9, 10000);
        bench->start(CODE_BASE);
    });
    for (unsigned i = 0; i < 100; i++) {
        run(10000);
    }
    EXPECT_EQ(waits(0), 4 * FIRST_WAIT);
}

TEST_F(Sharing, ALoaderMakesAnotherProgram)
{ /* copies 4 KiB from DTCM over its words, then runs them */
    make(CORES);
    each([](core_bench *bench, unsigned) {
        std::mt19937 random(1);
        for (uint32_t i = 0; i < 1024; i++) {
            bench->set_word(DTCM_BASE + 4 * i,
                            add_imm(r0, r1, static_cast<uint32_t>(random() % 256)));
        }
        bench->set_word(DTCM_BASE + 4 * 1023, b(0x3000 + 4 * 1023, 0x3000));
        bench->arm(0x3000, {bx(lr)});
        bench->arm(CODE_BASE, {bl(CODE_BASE, 0x3000), ldr_post(r1, r8, 4), str_post(r1, r9, 4),
                               subs_imm(r5, r5, 1), when(NE, b(CODE_BASE + 16, CODE_BASE + 4)),
                               b(CODE_BASE + 20, 0x3000)});
        bench->set(8, DTCM_BASE);
        bench->set(9, 0x3000);
        bench->set(5, 1024);
        bench->start(CODE_BASE);
    });
    for (unsigned i = 0; i < 6; i++) {
        run(FIRST_WAIT);
    }
    EXPECT_TRUE(all_share());
    EXPECT_EQ(waits(0), FIRST_WAIT); /* it has left once */
}

/* ---- the next run ---- */

class NextRun : public Sharing
{
  protected:
    void SetUp() override
    {
        char name[] = "/tmp/spinnsim_sharing_XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        folder = name;
        const char *before = getenv("XDG_CACHE_HOME");
        old = before == nullptr ? "" : before;
        ASSERT_EQ(setenv("XDG_CACHE_HOME", name, 1), 0);
        struct arm968_translator_options options = {};
        options.samples = 20;
        options.quick = options.wait = options.cached = true;
        translator.reset(arm968_translator_create(&options));
    }
    void TearDown() override
    {
        if (old.empty()) {
            unsetenv("XDG_CACHE_HOME");
        } else {
            setenv("XDG_CACHE_HOME", old.c_str(), 1);
        }
        std::filesystem::remove_all(folder);
    }
    uint64_t translations() const
    {
        return arm968_translator_counts(translator.get()).translations;
    }

    /* Cores of a program on a library of their own; how often native code was entered at first. */
    uint64_t once(void (*load)(core_bench *bench, unsigned number), uint64_t cycles)
    {
        shared.clear();
        alone.clear();
        make(CORES);
        each(load);
        run(300);
        const uint64_t runs = arm968_native_runs(shared[CORES - 1]->cpu);
        for (uint64_t i = 0; i < cycles; i += 10000) {
            run(10000);
        }
        EXPECT_TRUE(all_share());
        return runs;
    }

    std::string folder, old;
};

TEST_F(NextRun, BeginsWithTheWordsThatVary)
{
    EXPECT_EQ(once(load_official, 300000), 0u);
    EXPECT_EQ(translations(), 1u);
    EXPECT_GT(once(load_official, 300000), 0u);
    EXPECT_EQ(waits(0), 0u); /* the literal is loaded, and not a constant */
    EXPECT_EQ(translations(), 1u);
}

TEST_F(NextRun, KnowsCodeThatHasBeenSharedAgain)
{
    EXPECT_EQ(once(load_late, 400000), 0u);
    EXPECT_EQ(translations(), 1u);
    (void)once(load_late, 400000);
    EXPECT_EQ(translations(), 1u);
    EXPECT_GT(arm968_native_runs(shared[0]->cpu), 5u);
}

/* Blocks that are built otherwise than those that have been translated. */
TEST_F(NextRun, PutsNothingInPlaceOfOtherBlocks)
{
    EXPECT_EQ(once(load_official, 300000), 0u);
    unsigned removed = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder + "/spinnsim/native")) {
        const bool list = entry.path().extension() == ".list";
        if (list && std::filesystem::file_size(entry.path()) < 64) { /* of the words */
            std::filesystem::remove(entry.path());
            removed++;
        }
    }
    EXPECT_EQ(removed, 1u);
    EXPECT_EQ(once(load_official, 300000), 0u);
    EXPECT_EQ(translations(), 1u); /* it is, once the cores have stored their words */
    EXPECT_GT(arm968_native_runs(shared[0]->cpu), 0u);
}

} // namespace
