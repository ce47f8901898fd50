/* known_translations_test.cpp - what one run has had compiled the next run of the same program
 * begins with, and nothing else: not another program, nor a list or an object that has been spoilt.
 */
#include "tests/cycles/twins.h"
#include "tests/support/arm_asm.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace
{

namespace fs = std::filesystem;

constexpr unsigned FEW_SAMPLES = 20;
constexpr uint64_t LONG_ENOUGH = 250000; /* cycles in which FEW_SAMPLES are taken */
constexpr uint64_t SHORT = 5000;         /* in which none is */

/* Sums words of DTCM into r1 and stores the sum, for ever. */
const std::vector<uint32_t> SUMS = {
    ldr_post(r2, r0, 4), add(r1, r1, r2), str_imm(r1, r3), data_imm(BIC, false, r0, r0, 0x400),
    subs_imm(r4, r4, 1), b(20, 0),
};

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

    /* A run of a program; how often native code was entered in its first cycles and altogether. */
    struct outcome {
        uint64_t at_first, in_all, translations;
    };
    static outcome run(const std::vector<uint32_t> &program, uint64_t cycles)
    {
        struct arm968_translator_options options = {};
        options.samples = FEW_SAMPLES;
        options.quick = options.wait = options.cached = true;
        translator_pointer translator(arm968_translator_create(&options),
                                      arm968_translator_destroy);
        struct arm968_code_library *library = arm968_code_library_create();
        outcome result = {};
        {
            twins it(&translator, library);
            it.arm(CODE_BASE, program);
            for (core_bench *bench : {&it.native, &it.reference}) {
                bench->set(0, DTCM_BASE);
                bench->set(3, DTCM_BASE + 0x800);
            }
            it.start(CODE_BASE);
            it.run(SHORT, 400);
            result.at_first = it.native_runs();
            it.run(cycles, 20000);
            result.in_all = it.native_runs();
            result.translations = arm968_translator_counts(translator.get()).translations;
        }
        arm968_code_library_destroy(library);
        return result;
    }

    /* The files of a kind in the folder. */
    std::vector<fs::path> files(const std::string &extension) const
    {
        std::vector<fs::path> found;
        for (const auto &entry : fs::directory_iterator(base + "/spinnsim/native")) {
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
    fs::remove(files(".so").at(0));
    EXPECT_EQ(run(SUMS, SHORT).at_first, 0u);
    EXPECT_TRUE(files(".list").empty()); /* it would name what is not there for ever */
    EXPECT_EQ(run(SUMS, LONG_ENOUGH).translations, 1u);
    EXPECT_GT(run(SUMS, SHORT).at_first, 0u);
}

} // namespace
