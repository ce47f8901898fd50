/* known_translations_test.cpp - what one run has had compiled, or left to be compiled, the next run
 * of the same program begins with, and nothing else: not another program, nor a list or an object
 * that has been spoilt, nor a program that has changed its instructions. */
#include "tests/cycles/twins.h"
#include "tests/support/arm_asm.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/stat.h>
#include <thread>

namespace
{

namespace fs = std::filesystem;

constexpr unsigned FEW_SAMPLES = 20;
constexpr uint64_t LONG_ENOUGH = 250000; /* cycles in which FEW_SAMPLES are taken */
constexpr uint64_t SHORT = 5000;         /* in which none is */
constexpr auto PATIENCE = std::chrono::seconds(60);

/* Sums words of DTCM into r1 and stores the sum, for ever. */
const std::vector<uint32_t> SUMS = {
    ldr_post(r2, r0, 4), add(r1, r1, r2), str_imm(r1, r3), data_imm(BIC, false, r0, r0, 0x400),
    subs_imm(r4, r4, 1), b(20, 0),
};

/* Two loops, each a function: r8 leads to the first, r6 says after how many rounds r7 leads to the
 * second, which is for ever. */
constexpr uint32_t FIRST_LOOP = CODE_BASE + 4;
constexpr uint32_t SECOND_LOOP = CODE_BASE + 28;
const std::vector<uint32_t> PHASES = {
    bx(r8), /* where the first sample is taken */
    ldr_post(r2, r0, 4),
    add(r1, r1, r2),
    data_imm(BIC, false, r0, r0, 0x400),
    subs_imm(r6, r6, 1),
    when(NE, b(16, 0)),
    bx(r7),
    str_imm(r1, r3),
    add(r5, r5, r1),
    data_imm(EOR, false, r1, r1, 0x55),
    b(36, 24),
};

constexpr uint32_t FOR_EVER = 1u << 30;

/* Adds to sums by a short function that stores, returns on a condition, and is called twice. */
constexpr uint32_t ADDS_AT = 28; /* of its words */
const std::vector<uint32_t> CALLS = {
    bl(0, ADDS_AT), add_imm(r0, r0, 4), bl(8, ADDS_AT), data_imm(BIC, false, r0, r0, 0x400),
    subs_imm(r4, r4, 1), when(EQ, add_imm(r5, r5, 1)), b(24, 0),
    /* the function */
    ldr_imm(r2, r0), add(r1, r1, r2), data_imm(TST, true, 0, r1, 1), when(EQ, bx(lr)),
    str_imm(r1, r3), data_reg(EOR, false, r1, r1, r4, ROR, 3), str_imm(r1, r3, 4), bx(lr)};

class KnownTranslations : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        char name[] = "/tmp/spinnsim_known_XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        base = name;
        const char *before = getenv("XDG_CACHE_HOME");
        was_set = before != nullptr;
        old = was_set ? before : "";
        ASSERT_EQ(setenv("XDG_CACHE_HOME", name, 1), 0);
    }
    void TearDown() override
    {
        if (was_set) {
            setenv("XDG_CACHE_HOME", old.c_str(), 1);
        } else {
            unsetenv("XDG_CACHE_HOME");
        }
        fs::remove_all(base);
    }

    /* Of a run: how often native code was entered in its first cycles and altogether. */
    struct outcome {
        uint64_t at_first, in_all, translations;
    };
    enum sharing { SHARED, OWN_LOADED, OWN_UNKNOWN };
    struct way {
        sharing of = SHARED;
        bool wait = true;
        const char *compiler = nullptr;
        uint32_t few_samples = 0;
        std::function<void(twins *)> before = nullptr; /* the program begins, when it is loaded */
        std::function<void(twins *)> amid = nullptr;   /* behind its first cycles */
    };

    static outcome run(const std::vector<uint32_t> &program, uint64_t cycles)
    {
        return run(program, cycles, way());
    }
    static outcome run(const std::vector<uint32_t> &program, uint64_t cycles, const way &how)
    {
        struct arm968_translator_options options = {};
        options.samples = FEW_SAMPLES;
        options.few_samples = how.few_samples;
        options.wait = how.wait;
        options.compiler = how.compiler;
        options.quick = options.cached = true;
        translator_pointer translator(arm968_translator_create(&options),
                                      arm968_translator_destroy);
        const std::unique_ptr<struct arm968_code_library, decltype(&arm968_code_library_destroy)>
            library(how.of == SHARED ? arm968_code_library_create() : nullptr,
                    arm968_code_library_destroy);
        outcome result = {};
        {
            twins it(&translator, library.get());
            it.arm(CODE_BASE, program);
            if (how.of == OWN_LOADED) {
                arm968_code_loaded(it.native.cpu, CODE_BASE,
                                   static_cast<uint32_t>(4 * program.size()));
            }
            for (core_bench *bench : {&it.native, &it.reference}) {
                bench->set(0, DTCM_BASE);
                bench->set(3, DTCM_BASE + 0x800);
            }
            if (how.before) {
                how.before(&it);
            }
            it.start(CODE_BASE);
            it.run(SHORT, 400);
            result.at_first = it.native_runs();
            if (how.amid) {
                how.amid(&it);
            }
            it.run(cycles, 20000);
            result.in_all = it.native_runs();
            result.translations = arm968_translator_counts(translator.get()).translations;
        }
        return result;
    }

    /* A run of code of one's own whose r6 begins with this. */
    static way with_rounds(uint32_t rounds)
    {
        way some;
        some.of = OWN_LOADED;
        some.before = [rounds](twins *it) {
            for (core_bench *bench : {&it->native, &it->reference}) {
                bench->set(6, rounds);
                bench->set(7, SECOND_LOOP);
                bench->set(8, FIRST_LOOP);
            }
        };
        return some;
    }

    /* A compiler that takes its time. */
    std::string slow_compiler() const
    {
        std::string path = base + "/cc";
        std::ofstream(path) << "#!/bin/sh\nsleep 0.3\nexec cc \"$@\"\n";
        EXPECT_EQ(chmod(path.c_str(), 0700), 0);
        return path;
    }

    /* Until so many files of a kind are there, and nobody is at work. */
    bool wait_for(const std::string &extension, size_t count) const
    {
        const auto deadline = std::chrono::steady_clock::now() + PATIENCE;
        while (files(extension).size() != count || requests() != 0) {
            if (std::chrono::steady_clock::now() > deadline) {
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return true;
    }
    /* Requests to keepers. */
    size_t requests() const
    {
        size_t count = 0;
        for (const char *folder : {"waiting", "keeper-0", "keeper-1"}) {
            count += files(".c", folder).size();
        }
        return count;
    }

    /* A run that is stopped at every distance from its first cycle on. */
    static uint64_t run_stopped(const std::vector<uint32_t> &program)
    {
        struct arm968_translator_options options = {};
        options.samples = FEW_SAMPLES;
        options.quick = options.wait = options.cached = true;
        translator_pointer translator(arm968_translator_create(&options),
                                      arm968_translator_destroy);
        struct arm968_code_library *library = arm968_code_library_create();
        uint64_t runs = 0;
        {
            twins it(&translator, library);
            it.arm(CODE_BASE, program);
            for (uint32_t i = 0; i < 0x800; i += 4) {
                it.native.set_word(DTCM_BASE + i, 0x9e3779b1u * i >> 7);
                it.reference.set_word(DTCM_BASE + i, 0x9e3779b1u * i >> 7);
            }
            it.set(0, DTCM_BASE);
            it.set(3, DTCM_BASE + 0x800);
            it.start(CODE_BASE);
            it.run_at_each_distance(100, 40);
            runs = it.native_runs();
            EXPECT_EQ(arm968_translator_counts(translator.get()).translations, 0u);
        }
        arm968_code_library_destroy(library);
        return runs;
    }

    /* The files of a kind in the folder, or in a folder there. */
    std::vector<fs::path> files(const std::string &extension, const std::string &folder = ".") const
    {
        std::vector<fs::path> found;
        std::error_code none;
        for (const auto &entry :
             fs::directory_iterator(base + "/spinnsim/native/" + folder, none)) {
            if (entry.path().extension() == extension) {
                found.push_back(entry.path());
            }
        }
        return found;
    }

    static void change_a_byte(const fs::path &path, std::streamoff at)
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(at);
        const int byte = file.get();
        file.seekp(at);
        file.put(static_cast<char>(byte ^ 1));
    }

    std::string base, old;
    bool was_set = false;
};

TEST_F(KnownTranslations, AreThereFromTheFirstCycle)
{
    const outcome first = run(SUMS, LONG_ENOUGH);
    EXPECT_EQ(first.at_first, 0u);
    EXPECT_GT(first.in_all, 0u);
    EXPECT_EQ(first.translations, 1u);
    EXPECT_EQ(files(".list").size(), 1u);
    for (unsigned again = 0; again < 2; again++) {
        const outcome next = run(SUMS, LONG_ENOUGH);
        EXPECT_GT(next.at_first, 0u);
        EXPECT_EQ(next.translations, 0u); /* nothing is left */
    }
    EXPECT_EQ(files(".so").size(), 1u);
}

/* Copies of a function in its callers stand for it on the list, too: native code is left in them.
 */
TEST_F(KnownTranslations, MayBeLeftInCopiesOfFunctions)
{
    EXPECT_EQ(run(CALLS, LONG_ENOUGH).translations, 1u);
    EXPECT_GT(run_stopped(CALLS), 100u);
}

TEST_F(KnownTranslations, BelongToOneProgram)
{
    std::vector<uint32_t> other = SUMS;
    other[1] = sub(r1, r1, r2);
    (void)run(SUMS, LONG_ENOUGH);
    EXPECT_EQ(run(other, SHORT).at_first, 0u);
    std::vector<uint32_t> longer = SUMS;
    longer.push_back(968); /* behind it, where nothing runs */
    EXPECT_EQ(run(longer, SHORT).at_first, 0u);
}

TEST_F(KnownTranslations, AreIgnoredWhenTheListIsSpoilt)
{
    (void)run(SUMS, LONG_ENOUGH);
    const fs::path list = files(".list").at(0);
    const auto size = static_cast<std::streamoff>(fs::file_size(list));
    for (const std::streamoff at : {std::streamoff(0), size / 2, size - 1}) {
        change_a_byte(list, at);
        EXPECT_EQ(run(SUMS, SHORT).at_first, 0u) << at;
        change_a_byte(list, at);
    }
    EXPECT_GT(run(SUMS, SHORT).at_first, 0u);
    fs::resize_file(list, static_cast<uintmax_t>(size) - 3);
    EXPECT_EQ(run(SUMS, SHORT).at_first, 0u);
}

TEST_F(KnownTranslations, AreMadeAgainWhenTheObjectIsGone)
{
    (void)run(SUMS, LONG_ENOUGH);
    const uintmax_t one = fs::file_size(files(".list").at(0));
    fs::remove(files(".so").at(0));
    EXPECT_EQ(run(SUMS, SHORT).at_first, 0u);
    EXPECT_EQ(run(SUMS, LONG_ENOUGH).translations, 1u);
    EXPECT_GT(run(SUMS, SHORT).at_first, 0u);
    EXPECT_EQ(fs::file_size(files(".list").at(0)), one); /* it names no object that has gone */
}

/* ---- code of one's own ---- */

TEST_F(KnownTranslations, OfCodeOfOnesOwnAreThereFromTheFirstCycle)
{
    way own;
    own.of = OWN_LOADED;
    EXPECT_EQ(run(SUMS, LONG_ENOUGH, own).translations, 1u);
    const outcome next = run(SUMS, LONG_ENOUGH, own);
    EXPECT_GT(next.at_first, 0u);
    EXPECT_EQ(next.translations, 0u);
    EXPECT_EQ(run(SUMS, SHORT).at_first, 0u); /* they are not those of shared code: literals */
}

TEST_F(KnownTranslations, OfCodeOfOnesOwnNeedALoadersWord)
{
    way own;
    own.of = OWN_UNKNOWN;
    EXPECT_EQ(run(SUMS, LONG_ENOUGH, own).translations, 1u);
    EXPECT_EQ(run(SUMS, SHORT, own).at_first, 0u);
    EXPECT_TRUE(files(".list").empty());
}

TEST_F(KnownTranslations, OfCodeOfOnesOwnBelongToOneProgram)
{
    way own;
    own.of = OWN_LOADED;
    (void)run(SUMS, LONG_ENOUGH, own);
    std::vector<uint32_t> other = SUMS;
    other.push_back(968);
    EXPECT_EQ(run(other, SHORT, own).at_first, 0u);
    EXPECT_GT(run(SUMS, SHORT, own).at_first, 0u);
}

/* Twins compare every register: old code in place of new would be seen. */
TEST_F(KnownTranslations, AreNotPutInPlaceOfOtherInstructions)
{
    way changed;
    changed.of = OWN_LOADED;
    (void)run(SUMS, LONG_ENOUGH, changed);
    changed.before = [](twins *it) { it->arm(CODE_BASE + 4, {sub(r1, r1, r2)}); };
    EXPECT_EQ(run(SUMS, SHORT, changed).at_first, 0u);
}

/* A program that unpacks itself: its instructions are what they were only some time later. */
TEST_F(KnownTranslations, ArePutInPlaceOnceTheInstructionsAreThere)
{
    way unpacks;
    unpacks.of = OWN_LOADED;
    (void)run(SUMS, LONG_ENOUGH, unpacks);
    unpacks.before = [](twins *it) { it->arm(CODE_BASE + 4, {sub(r1, r1, r2)}); };
    unpacks.amid = [](twins *it) { it->arm(CODE_BASE + 4, {SUMS[1]}); };
    const outcome later = run(SUMS, LONG_ENOUGH, unpacks);
    EXPECT_EQ(later.at_first, 0u);
    EXPECT_GT(later.in_all, 0u);
    EXPECT_EQ(later.translations, 0u);
}

/* ---- lists ---- */

TEST_F(KnownTranslations, OfAllRunsComeTogether)
{
    const way first = with_rounds(FOR_EVER);
    const way second = with_rounds(100);
    EXPECT_EQ(run(PHASES, LONG_ENOUGH, first).translations, 1u);
    EXPECT_EQ(run(PHASES, 2 * LONG_ENOUGH, second).translations, 1u);
    for (const way &again : {first, second}) {
        EXPECT_EQ(run(PHASES, 4 * LONG_ENOUGH, again).translations, 0u);
    }
    EXPECT_EQ(files(".so").size(), 2u);
}

TEST_F(KnownTranslations, WhoseObjectsHaveGoneLeaveTheList)
{
    (void)run(PHASES, 2 * LONG_ENOUGH, with_rounds(100));
    const uintmax_t alone = fs::file_size(files(".list").at(0));
    fs::remove_all(base + "/spinnsim");
    (void)run(PHASES, LONG_ENOUGH, with_rounds(FOR_EVER));
    fs::remove(files(".so").at(0));
    (void)run(PHASES, 2 * LONG_ENOUGH, with_rounds(100));
    EXPECT_EQ(fs::file_size(files(".list").at(0)), alone);
}

/* The first loop alone, then, as its object is spoilt, both in one translation: the list names only
 * the latter. */
TEST_F(KnownTranslations, ThatAreSuperfluousLeaveTheList)
{
    (void)run(PHASES, LONG_ENOUGH, with_rounds(FOR_EVER));
    const uintmax_t one = fs::file_size(files(".list").at(0));
    const fs::path first = files(".so").at(0);
    change_a_byte(first, static_cast<std::streamoff>(fs::file_size(first) / 2)); /* not loaded */
    (void)run(PHASES, 2 * LONG_ENOUGH, with_rounds(20000));
    const uintmax_t grown = fs::file_size(files(".list").at(0));
    EXPECT_GT(grown, one);
    EXPECT_LT(grown, 2 * one);
}

/* ---- what is left when a run ends ---- */

TEST_F(KnownTranslations, AreMadeWhenTheRunHasEnded)
{
    const std::string compiler = slow_compiler();
    way hasty;
    hasty.of = OWN_LOADED;
    hasty.wait = false;
    hasty.compiler = compiler.c_str();
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < 2; i++) { /* one is shorter than the compilation */
        EXPECT_EQ(run(SUMS, LONG_ENOUGH, hasty).translations, 0u);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, PATIENCE);
    ASSERT_TRUE(wait_for(".made", 1));
    const outcome next = run(SUMS, LONG_ENOUGH, hasty);
    EXPECT_GT(next.at_first, 0u);
    EXPECT_EQ(next.translations, 0u);
    EXPECT_EQ(files(".so").size(), 1u);
    EXPECT_TRUE(files(".made").empty());
}

TEST_F(KnownTranslations, ThatFailBehindTheRunLeaveNothing)
{
    const std::string path = base + "/cc";
    std::ofstream(path) << "#!/bin/sh\nsleep 0.3\nexit 1\n";
    ASSERT_EQ(chmod(path.c_str(), 0700), 0);
    way fails;
    fails.of = OWN_LOADED;
    fails.wait = false;
    fails.compiler = path.c_str();
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQ(run(SUMS, LONG_ENOUGH, fails).translations, 0u);
    }
    EXPECT_TRUE(wait_for(".tried", 1));
    EXPECT_TRUE(files(".made").empty());
    EXPECT_EQ(run(SUMS, LONG_ENOUGH).translations, 1u);
}

/* In a hurry only the busiest part is translated; it is not kept, and the rest replaces it. */
TEST_F(KnownTranslations, AreNotThoseMadeInAHurry)
{
    way hurried;
    hurried.of = OWN_LOADED;
    hurried.few_samples = FEW_SAMPLES / 2;
    const outcome first = run(SUMS, LONG_ENOUGH, hurried);
    EXPECT_EQ(first.translations, 2u);
    EXPECT_EQ(files(".so").size(), 1u);
    EXPECT_EQ(run(SUMS, LONG_ENOUGH, hurried).translations, 0u);
}

/* Who asks for the translator gets what the default would have had made, but at once. */
TEST_F(KnownTranslations, OfWhoWaitsForThemAreThoseOfAll)
{
    for (const enum tier tier : {TIER_TRANSLATOR, TIER_AUTO}) {
        translator_pointer translator(arm968_translator_for(tier), arm968_translator_destroy);
        twins it(&translator);
        it.arm(CODE_BASE, SUMS);
        arm968_code_loaded(it.native.cpu, CODE_BASE, static_cast<uint32_t>(4 * SUMS.size()));
        for (core_bench *bench : {&it.native, &it.reference}) {
            bench->set(0, DTCM_BASE);
            bench->set(3, DTCM_BASE + 0x800);
        }
        it.start(CODE_BASE);
        it.run(4 * LONG_ENOUGH, 20000);
        EXPECT_GT(it.native_runs(), 0u);
        EXPECT_EQ(arm968_translator_counts(translator.get()).translations,
                  tier == TIER_TRANSLATOR ? 1u : 0u);
    }
}

} // namespace
