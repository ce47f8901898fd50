/* decode_coverage_test.cpp - the decode tables against an independent slow decoder: every sample,
 * every field value at random, four million random words, all half-words. */
#include "tests/support/core_bench.h"
#include "tests/support/slow_decoder.h"

extern "C" {
#define class insn_class /* the private header is C */
#include "models/arm968/insn.h"
#undef class
}

#include <gtest/gtest.h>

#include <random>
#include <set>

enum : unsigned { RANDOM_WORDS = 4000000, WORDS_PER_PATTERN = 2000 };

/* The name of a pattern; the forms of PLD are one instruction to the slow decoder. */
static std::string name_of(const struct isa_pattern *pattern)
{
    const std::string name = pattern == nullptr ? "" : pattern->name;
    return name.rfind("pld", 0) == 0 ? "pld" : name;
}

static std::string matched(const struct isa_pattern *patterns, unsigned count, uint32_t word)
{
    return name_of(insn_match(patterns, count, word));
}

class DecodeCoverage : public ::testing::Test
{
  protected:
    DecodeCoverage()
    {
        arm = insn_arm_patterns(&arm_count);
        thumb = insn_thumb_patterns(&thumb_count);
    }

    const struct isa_pattern *arm, *thumb;
    unsigned arm_count = 0, thumb_count = 0;
    std::mt19937 random{968};
};

TEST_F(DecodeCoverage, EverySampleIsDecodedByItsPattern)
{
    for (unsigned i = 0; i < arm_count; i++) {
        EXPECT_EQ(insn_match(arm, arm_count, arm[i].sample), &arm[i]) << arm[i].name;
        EXPECT_EQ(slow_name_arm(arm[i].sample), name_of(&arm[i]));
    }
    for (unsigned i = 0; i < thumb_count; i++) {
        EXPECT_EQ(insn_match(thumb, thumb_count, thumb[i].sample), &thumb[i]) << thumb[i].name;
        EXPECT_EQ(slow_name_thumb(static_cast<uint16_t>(thumb[i].sample)), thumb[i].name);
    }
}

TEST_F(DecodeCoverage, EveryPatternWithRandomFieldsIsWhatTheSlowDecoderSays)
{
    for (unsigned i = 0; i < arm_count; i++) {
        for (unsigned n = 0; n < WORDS_PER_PATTERN; n++) {
            uint32_t word = (static_cast<uint32_t>(random()) & ~arm[i].mask) | arm[i].value;
            if (arm[i].conditional && word >> 28 == 15) {
                word ^= 0x10000000;
            }
            ASSERT_EQ(matched(arm, arm_count, word), slow_name_arm(word)) << std::hex << word;
        }
    }
}

TEST_F(DecodeCoverage, RandomArmWordsAreWhatTheSlowDecoderSays)
{
    std::set<std::string> seen;
    unsigned differences = 0;
    for (unsigned n = 0; n < RANDOM_WORDS && differences < 10; n++) {
        const auto word = static_cast<uint32_t>(random());
        const struct isa_pattern *pattern = insn_match(arm, arm_count, word);
        const std::string expected = slow_name_arm(word);
        if (expected != name_of(pattern)) {
            ADD_FAILURE() << std::hex << word << " is " << expected << ", the table says "
                          << matched(arm, arm_count, word);
            differences++;
        }
        if (pattern != nullptr) {
            seen.insert(pattern->name);
        }
    }
    EXPECT_GE(seen.size(), arm_count - 10); /* BKPT and the like are rare */
}

TEST_F(DecodeCoverage, EveryThumbHalfIsWhatTheSlowDecoderSays)
{
    std::set<std::string> seen;
    for (uint32_t half = 0; half < 0x10000; half++) {
        const std::string name = matched(thumb, thumb_count, half);
        ASSERT_EQ(name, slow_name_thumb(static_cast<uint16_t>(half))) << std::hex << half;
        seen.insert(name);
    }
    EXPECT_EQ(seen.size(), thumb_count + 1); /* and Undefined */
}

TEST_F(DecodeCoverage, PatternNamesAreUnique)
{
    std::set<std::string> names;
    for (unsigned i = 0; i < arm_count; i++) {
        EXPECT_TRUE(names.insert(arm[i].name).second) << arm[i].name;
    }
    names.clear();
    for (unsigned i = 0; i < thumb_count; i++) {
        EXPECT_TRUE(names.insert(thumb[i].name).second) << thumb[i].name;
    }
}

TEST_F(DecodeCoverage, EveryWordDecodesIntoAtLeastOneOperationOrABranch)
{
    struct insn insn;
    for (unsigned n = 0; n < RANDOM_WORDS / 4; n++) {
        const auto word = static_cast<uint32_t>(random());
        insn_decode_arm(&insn, word, CODE_BASE);
        const bool does_nothing = slow_decode_arm(word) == SLOW_PLD;
        ASSERT_TRUE(insn.op_count > 0 || insn.flow == FLOW_BRANCH || does_nothing ||
                    slow_decode_arm(word) == SLOW_BLOCK)
            << std::hex << word;
        ASSERT_LE(insn.op_count, static_cast<unsigned>(INSN_OPS));
        ASSERT_LT(insn.condition, 15) << std::hex << word;
    }
    for (uint32_t half = 0; half < 0x10000; half++) {
        insn_decode_thumb(&insn, static_cast<uint16_t>(half), CODE_BASE, nullptr);
        ASSERT_TRUE(insn.op_count > 0 || insn.flow == FLOW_BRANCH) << std::hex << half;
    }
}
