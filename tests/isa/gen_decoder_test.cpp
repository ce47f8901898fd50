/* gen_decoder_test.cpp - the decoder generator accepts a good table and refuses bad ones, saying
 * where and what. */
#include "tests/support/shell_word.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <sys/wait.h>

struct outcome {
    int status;
    std::string message;
};

/* Runs the tool on a table of these lines; "A" stands for good patterns of 16 bits. */
static outcome generate(const std::string &lines, const char *bits = "16")
{
    const std::string folder = ::testing::TempDir();
    const ::testing::TestInfo *info = ::testing::UnitTest::GetInstance()->current_test_info();
    const std::string table = folder + "gen_decoder_" + info->name() + ".decode";
    const std::string output = table + ".inc";
    std::ofstream(table) << lines;
    const std::string command = shell_word(SPINN_GEN_DECODER) + " " + shell_word(table) +
                                " thumb " + bits + " " + shell_word(output) + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r"); /* NOLINT(cert-env33-c): a tool of this build */
    outcome result = {-1, ""};
    if (pipe == nullptr) {
        return result;
    }
    std::array<char, 256> text = {};
    while (fgets(text.data(), text.size(), pipe) != nullptr) {
        result.message += text.data();
    }
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    (void)remove(table.c_str());
    (void)remove(output.c_str());
    return result;
}

static void expect_refused(const std::string &lines, int line, const std::string &what,
                           const char *bits = "16")
{
    const outcome result = generate(lines, bits);
    EXPECT_EQ(result.status, 1) << lines;
    EXPECT_NE(result.message.find(".decode:" + std::to_string(line) + ": "), std::string::npos)
        << result.message;
    EXPECT_NE(result.message.find(what), std::string::npos) << result.message;
}

static const char GOOD[] = "# a comment\n"
                           "one    00000iiiiimmmddd  shift  data  E=m Z=d\n"
                           "\n"
                           "two    00001iiiiimmmddd  shift  data  -   # another\n";

TEST(GenDecoder, AcceptsAGoodTable)
{
    const outcome result = generate(GOOD);
    EXPECT_EQ(result.status, 0) << result.message;
    EXPECT_EQ(result.message, "");
}

TEST(GenDecoder, RefusesAnUndeclaredOverlap)
{
    expect_refused("one  00000iiiiimmmddd  shift  data  -\n"
                   "two  0000010000mmmddd  shift  data  -\n",
                   2, "undeclared overlap: one and two");
}

TEST(GenDecoder, AcceptsADeclaredOverlap)
{
    EXPECT_EQ(generate("one  0000010000mmmddd  shift  data  -\n"
                       "two  00000iiiiimmmddd  shift  data  -\n"
                       "overlap one two\n")
                  .status,
              0);
}

TEST(GenDecoder, RefusesAnOverlapThatIsNotNeeded)
{
    expect_refused(std::string(GOOD) + "overlap one two\n", 5, "no such overlap");
}

TEST(GenDecoder, RefusesAnOverlapInTheWrongOrder)
{
    expect_refused("one  0000010000mmmddd  shift  data  -\n"
                   "two  00000iiiiimmmddd  shift  data  -\n"
                   "overlap two one\n",
                   2, "undeclared overlap");
}

TEST(GenDecoder, RefusesAnOverlapOfUnknownNames)
{
    expect_refused(std::string(GOOD) + "overlap one three\n", 5, "no such overlap");
    expect_refused(std::string(GOOD) + "overlap one\n", 5, "overlap needs two names");
}

TEST(GenDecoder, RefusesAPatternOfTheWrongLength)
{
    expect_refused("one  00000iiiiimmmdd   shift  data  -\n", 1, "wrong length");
    expect_refused("one  00000iiiiimmmdddd shift  data  -\n", 1, "wrong length");
    expect_refused(GOOD, 2, "wrong length", "32");
}

TEST(GenDecoder, RefusesABadCharacter)
{
    expect_refused("one  00000iiiii?mmddd  shift  data  -\n", 1, "bad character");
}

TEST(GenDecoder, RefusesANameThatStandsTwice)
{
    expect_refused(std::string(GOOD) + "one    00010iiiiimmmddd  shift  data  -\n", 5,
                   "the name stands twice: one");
}

TEST(GenDecoder, RefusesALetterThatIsNotARegisterField)
{
    expect_refused("one  00000iiiiimmmddd  shift  data  E=n\n", 1, "not a register field");
    expect_refused("one  00000iiiiimmmddd  shift  data  E=i\n", 1, "not a register field");
    expect_refused("one  000000000mmddddd  shift  data  Z=m\n", 1, "not a register field");
}

TEST(GenDecoder, RefusesANumberThatIsNoRegister)
{
    expect_refused("one  00000iiiiimmmddd  shift  data  E=15\n", 1, "no such register");
    EXPECT_EQ(generate("one  00000iiiiimmmddd  shift  data  E=14\n").status, 0);
}

TEST(GenDecoder, RefusesAnUnknownRole)
{
    expect_refused("one  00000iiiiimmmddd  shift  data  X=m\n", 1, "registers are E= S= A= D= Z=");
    expect_refused("one  00000iiiiimmmddd  shift  data  E\n", 1, "registers are E= S= A= D= Z=");
    expect_refused("one  00000iiiiimmmddd  shift  data  E=\n", 1, "registers are E= S= A= D= Z=");
}

TEST(GenDecoder, RefusesTooManyRegistersOfARole)
{
    expect_refused("one  00aaabbbcccdddee  shift  data  E=abdea\n", 1, "");
}

TEST(GenDecoder, RefusesALineWithoutRegisters)
{
    expect_refused("one  00000iiiiimmmddd  shift  data\n", 1, "registers are missing");
    expect_refused("one  00000iiiiimmmddd  shift\n", 1, "expected: name pattern form class");
}

TEST(GenDecoder, RefusesAConditionThatIsNotInFront)
{
    expect_refused("one  0000cccciiimmddd  shift  data  -\n", 1, "c is the condition");
}

TEST(GenDecoder, KnowsThatAConditionalWordIsNeverAnUnconditionalOne)
{
    EXPECT_EQ(generate("one  cccc0000aaaabbbbddddeeeeffffgggg  x  data  -\n"
                       "two  11110000aaaabbbbddddeeeeffffgggg  x  data  -\n",
                       "32")
                  .status,
              0);
    expect_refused("one  cccc0000aaaabbbbddddeeeeffffgggg  x  data  -\n"
                   "two  11100000aaaabbbbddddeeeeffffgggg  x  data  -\n",
                   2, "undeclared overlap", "32");
}

TEST(GenDecoder, SaysWhenTheTableCannotBeRead)
{
    const std::string command =
        shell_word(SPINN_GEN_DECODER) + " /nonexistent/table thumb 16 /nonexistent/out 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::array<char, 256> text = {};
    EXPECT_NE(fgets(text.data(), text.size(), pipe), nullptr);
    EXPECT_EQ(WEXITSTATUS(pclose(pipe)), 1);
    EXPECT_NE(std::string(text.data()).find("/nonexistent/table"), std::string::npos);
}

TEST(GenDecoder, ShowsItsUsageWithoutArguments)
{
    FILE *pipe = popen((shell_word(SPINN_GEN_DECODER) + " 2>&1").c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::array<char, 256> text = {};
    EXPECT_NE(fgets(text.data(), text.size(), pipe), nullptr);
    EXPECT_EQ(WEXITSTATUS(pclose(pipe)), 2);
    EXPECT_EQ(std::string(text.data()).find("usage: gen_decoder"), 0u);
}
