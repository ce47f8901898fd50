/* golden_compare_test.cpp - what moved between two goldens, in which order, and within which
 * tolerance. */
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

extern "C" {
#include "sim/experiment/golden_compare.h"
}

namespace
{

using rows = std::vector<std::pair<std::string, std::string>>;

struct golden_of {
    explicit golden_of(const rows &all)
    {
        for (const auto &row : all) {
            EXPECT_TRUE(golden_add(&golden, row.first.c_str(), row.second.c_str())) << row.first;
        }
    }
    ~golden_of()
    {
        golden_deinit(&golden);
    }
    golden_of(const golden_of &) = delete;
    golden_of &operator=(const golden_of &) = delete;

    struct golden golden = {};
};

struct compared {
    compared(const golden_of &golden, const golden_of &now, bool tolerant = true)
    {
        golden_compare(&of, &golden.golden, &now.golden, tolerant);
        for (size_t i = 0; i < of.counts.ranked_count; i++) {
            names.emplace_back(of.counts.ranked[i]->item);
        }
    }
    ~compared()
    {
        golden_comparison_deinit(&of);
    }
    compared(const compared &) = delete;
    compared &operator=(const compared &) = delete;

    struct golden_comparison of = {};
    std::vector<std::string> names;
};

TEST(GoldenCompare, TheLargestShareOfItsUnitComesFirst)
{
    const golden_of then({{"time_ps", "1000"},
                          {"core.instructions", "100000"},
                          {"dma.bursts", "50"},
                          {"run/conv1/small:core.instructions", "10"},
                          {"run/conv1/large:core.instructions", "90000"}});
    const golden_of now({{"time_ps", "1000"},
                         {"core.instructions", "109010"},
                         {"run/conv1/small:core.instructions", "20"},
                         {"run/conv1/large:core.instructions", "99000"}});
    const compared moved(then, now);
    EXPECT_EQ(moved.of.counts.count, 5u);
    EXPECT_EQ(moved.names, (std::vector<std::string>{"dma.bursts", "core.instructions",
                                                     "run/conv1/large:core.instructions",
                                                     "run/conv1/small:core.instructions"}));
    const struct difference *const *ranked = moved.of.counts.ranked;
    EXPECT_EQ(ranked[0]->in[DIFFERENCE_BASE].count, 50u);
    EXPECT_EQ(ranked[0]->in[DIFFERENCE_OTHER].count, 0u) << "a count that is gone is 0";
    EXPECT_DOUBLE_EQ(ranked[1]->importance, 9010.0 / 109010);
    EXPECT_DOUBLE_EQ(ranked[3]->importance, 10.0 / 109010);
}

TEST(GoldenCompare, TheTimeComesBeforeAllOthers)
{
    const golden_of then({{"dma.bursts", "50"}, {"sdram.busy_ps", "9"}, {"time_ps", "1000"}});
    const golden_of now({{"dma.bursts", "10"}, {"sdram.busy_ps", "900"}, {"time_ps", "1001"}});
    EXPECT_EQ(compared(then, now).names,
              (std::vector<std::string>{"time_ps", "sdram.busy_ps", "dma.bursts"}));
}

/* What is said of answers, each with both values where they are texts. */
std::vector<std::string> said(const compared &of)
{
    std::vector<std::string> all;
    for (size_t i = 0; i < of.of.answer_count; i++) {
        const struct golden_answer &answer = of.of.answer[i];
        const std::string values = answer.golden[0] == '\0' && answer.now[0] == '\0'
                                       ? ""
                                       : std::string(": ") + answer.golden + "|" + answer.now;
        all.push_back(answer.what + values);
    }
    return all;
}

using texts = std::vector<std::string>;

TEST(GoldenCompare, ALineOfTheConsoleThatDiffersIsNamed)
{
    const golden_of then({{"answer console", "11"},
                          {"answer console line 1", "'one'"},
                          {"answer console line 2", "'two'"}});
    const golden_of other({{"answer console", "22"},
                           {"answer console line 1", "'one'"},
                           {"answer console line 2", "'2'"},
                           {"answer console line 3", "''"}});
    const golden_of later({{"answer console", "33"},
                           {"answer console line 1", "'one'"},
                           {"answer console line 2", "'two'"}});
    const golden_of none(rows{{"time_ps", "1"}});
    EXPECT_EQ(said(compared(then, then)), texts{});
    EXPECT_EQ(said(compared(then, other)),
              (texts{"console line 2: 'two'|'2'", "console line 3: |''"}));
    EXPECT_EQ(said(compared(then, later)), texts{"console"}) << "behind the lines that are kept";
    EXPECT_EQ(said(compared(then, none)),
              (texts{"console line 1: 'one'|", "console line 2: 'two'|"}));
}

TEST(GoldenCompare, AGoldenWithoutAnswersHoldsNone)
{
    const golden_of then(rows{{"time_ps", "1"}});
    const golden_of now({{"time_ps", "1"}, {"answer console", "1"}});
    const compared old(then, now);
    EXPECT_TRUE(old.of.unheld);
    EXPECT_EQ(old.of.answers, 1U);
    EXPECT_EQ(old.of.answer_count, 0U);
    EXPECT_FALSE(compared(now, now).of.unheld);
    EXPECT_FALSE(compared(then, then).of.unheld) << "nothing to hold";
}

TEST(GoldenCompare, PredictionsScoresAndWeightsAreNamed)
{
    const golden_of then({{"answer predictions 50-52", "1 2 3"},
                          {"answer scores 50-52", "aa"},
                          {"answer weights conv1.weights", "bb"},
                          {"answer weights conv1.biases", "cc"},
                          {"answer stages", "dd"}});
    const golden_of now({{"answer predictions 50-52", "1 9 3"},
                         {"answer scores 50-52", "ab"},
                         {"answer weights conv1.weights", "bb"},
                         {"answer weights conv1.biases", "cd"},
                         {"answer stages", "de"}});
    EXPECT_EQ(
        said(compared(then, now)),
        (texts{"prediction of image 51: 2|9", "scores of images 50-52", "weights conv1.biases",
               "what the stages' machines have counted and written"}));
}

TEST(GoldenCompare, MemoryIsNamedByItsFirstBlockThatDiffers)
{
    const struct {
        const char *golden, *now, *name, *said;
    } cases[] = {
        {"00000000:aa 00400000:bb", "00000000:aa 00400000:bc", "core 3",
         "core 3 from 0x00400000 on"},
        {"60000000:aa 60001000:bb", "60000000:aa 60002000:bb", "SDRAM", "SDRAM from 0x60001000 on"},
        {"60002000:aa", "60001000:bb 60002000:aa", "SDRAM", "SDRAM from 0x60001000 on"},
        {"60002000:aa 60003000:cc", "60002000:aa", "SDRAM", "SDRAM from 0x60003000 on"},
    };
    for (const auto &c : cases) {
        const std::string name = std::string("answer memory 1 2 ") + c.name;
        const golden_of then(rows{{name, c.golden}});
        const golden_of now(rows{{name, c.now}});
        EXPECT_EQ(said(compared(then, now)), texts{std::string("memory of chip (1,2) ") + c.said});
    }
}

TEST(GoldenCompare, AnAnswerOfAnotherVersionDiffers)
{
    const golden_of then({{"time_ps", "1"}, {"answer colour", "red"}});
    const golden_of now({{"time_ps", "1"}, {"answer console", "11"}});
    EXPECT_EQ(said(compared(then, now)), (texts{"console", "colour: red|"}));
}

/* Addresses of no machine, blanks, no address: each is a difference, and the end is reached. */
TEST(GoldenCompare, AnyTextMayStandForMemory)
{
    for (const char *text : {"ffffffffffffffffffff:1", " ", "  0:1", ":", "x", "0:1 0:1"}) {
        const golden_of then(rows{{"answer memory 0 0 core 1", text}});
        const golden_of now(rows{{"answer memory 0 0 core 1", "00000000:aa 00400000:bb"}});
        EXPECT_EQ(said(compared(then, now)).size(), 1U) << text;
        EXPECT_EQ(said(compared(now, then)).size(), 1U) << text;
    }
}

/* The ITCM holds the program. */
TEST(GoldenCompare, InstructionMemoryIsComparedOnlyIfTheProgramIsTheSame)
{
    const golden_of then({{"program a", "11"}, {"answer memory 0 0 core 1", "00000000:aa"}});
    const golden_of same({{"program a", "11"}, {"answer memory 0 0 core 1", "00000000:ab"}});
    const golden_of other({{"program a", "12"}, {"answer memory 0 0 core 1", "00000000:ab"}});
    EXPECT_EQ(said(compared(then, same)), texts{"memory of chip (0,0) core 1 from 0x00000000 on"});
    EXPECT_EQ(said(compared(then, other)), texts{});
}

TEST(GoldenCompare, FunctionsExplainAndAreNoDifference)
{
    const golden_of then({{"time_ps", "1"}, {"function work", "10 40"}, {"function rest", "5 5"}});
    const golden_of now({{"time_ps", "1"}, {"function work", "10 90"}, {"function rest", "6 5"}});
    const compared moved(then, now);
    EXPECT_EQ(moved.of.counts.count, 1U);
    EXPECT_EQ(moved.of.counts.ranked_count + moved.of.answer_count, 0U);
    ASSERT_EQ(moved.of.functions.ranked_count, 2U);
    EXPECT_STREQ(moved.of.functions.ranked[0]->item, "work, cycles");
    EXPECT_STREQ(moved.of.functions.ranked[1]->item, "rest, instructions");
}

TEST(GoldenCompare, AToleranceHoldsOnBothSidesForItsCountsAlone)
{
    const golden_of then({{"tolerance core.*", "1 %"},
                          {"core.active_cycles", "1000"},
                          {"dma.bursts", "1000"},
                          {"run//start:core.active_cycles", "1000"}});
    const struct {
        const char *count, *value;
        bool moved;
    } cases[] = {
        {"core.active_cycles", "1010", false}, {"core.active_cycles", "1011", true},
        {"core.active_cycles", "990", false},  {"core.active_cycles", "989", true},
        {"dma.bursts", "1001", true},          {"run//start:core.active_cycles", "1001", true}};
    for (const auto &c : cases) {
        rows all = {{"core.active_cycles", "1000"},
                    {"dma.bursts", "1000"},
                    {"run//start:core.active_cycles", "1000"}};
        for (auto &row : all) {
            row.second = row.first == c.count ? c.value : row.second;
        }
        const golden_of now(all);
        EXPECT_EQ(compared(then, now).names.size(), c.moved ? 1u : 0u) << c.count << " " << c.value;
        EXPECT_EQ(compared(then, now, false).names.size(), 1u) << "exact";
    }
}

TEST(GoldenCompare, OnlyAnotherCompilerMakesCountsIncomparable)
{
    const golden_of then({{"compiler", "GCC 12"}, {"program a", "11"}, {"program b", "22"}});
    const golden_of same({{"compiler", "GCC 12"}, {"program a", "11"}, {"program b", "22"}});
    const golden_of one({{"compiler", "GCC 12"}, {"program a", "11"}, {"program b", "23"}});
    const golden_of both({{"compiler", "GCC 12"}, {"program a", "12"}, {"program b", "23"}});
    const golden_of gone({{"compiler", "GCC 12"}, {"program a", "11"}});
    const golden_of other({{"compiler", "GCC 13"}, {"program a", "12"}, {"program b", "22"}});
    const golden_of alike({{"compiler", "GCC 13"}, {"program a", "11"}, {"program b", "22"}});
    const struct {
        const golden_of *now;
        bool programs, compiler;
        const char *said;
    } cases[] = {
        {&same, false, false, ""},
        {&one, true, false, "program b has changed, the compiler has not"},
        {&both, true, false, "program a has changed (and 1 more), the compiler has not"},
        {&gone, true, false, "program b has changed, the compiler has not"},
        {&other, true, true,
         R"(program a is another one: recorded with "GCC 12", built with "GCC 13")"},
        {&alike, false, false, ""} /* the same bytes */
    };
    for (const auto &c : cases) {
        const compared found(then, *c.now);
        EXPECT_EQ(found.of.other_programs, c.programs) << c.said;
        EXPECT_EQ(found.of.other_compiler, c.compiler) << c.said;
        EXPECT_STREQ(found.of.programs, c.said);
        EXPECT_EQ(found.of.counts.count, 0u);
    }
}

TEST(Golden, AToleranceIsAPercentage)
{
    struct golden golden = {};
    for (const char *good : {"0 %", "1%", "0.5 %", "100 %"}) {
        EXPECT_TRUE(golden_add(&golden, "tolerance core.*", good)) << good;
    }
    for (const char *bad : {"", "1", "%", "-1 %", "100.5 %", "nan %", "1 % more", "one %"}) {
        EXPECT_FALSE(golden_add(&golden, "tolerance core.*", bad)) << bad;
    }
    EXPECT_FALSE(golden_add(&golden, "tolerance ", "1 %")) << "of no counts";
    EXPECT_FALSE(golden_add(&golden, std::string(128, 'a').c_str(), "1"));
    EXPECT_TRUE(golden_add(&golden, std::string(127, 'a').c_str(), "1"));
    EXPECT_EQ(golden.count, 5u);
    golden_deinit(&golden);
}

TEST(Golden, EachPatternIsThatOfACount)
{
    char pattern[GOLDEN_VALUE_CHARS] = "";
    const golden_of good({{"experiment", "own.yaml"},
                          {"counters", "time_ps,core.*"},
                          {"tolerance *:dma.b*", "1 %"},
                          {"time_ps", "1"},
                          {"core.branches_taken", "1"},
                          {"run//start:dma.bursts", "1"}});
    EXPECT_TRUE(golden_check_patterns(&good.golden, pattern, sizeof pattern)) << pattern;
    const golden_of counters({{"counters", "time_ps,cor.*"}, {"time_ps", "1"}});
    EXPECT_FALSE(golden_check_patterns(&counters.golden, pattern, sizeof pattern));
    EXPECT_STREQ(pattern, "cor.*");
    const golden_of tolerance({{"tolerance experiment", "1 %"}, {"experiment", "own.yaml"}});
    EXPECT_FALSE(golden_check_patterns(&tolerance.golden, pattern, sizeof pattern));
    EXPECT_STREQ(pattern, "experiment");
}

} // namespace
