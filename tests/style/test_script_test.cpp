/* test_script_test.cpp - the last line of scripts/test.sh says what each of its parts has taken. */
#include "tests/style/checkout_fixture.h"

#include <regex>

class TestScript : public Checkout
{
  protected:
    void SetUp() override
    {
        Checkout::SetUp();
        write("checkout/scripts/setup.sh", "#!/bin/sh\n");
        stub("ctest", "echo '100% tests passed'\n");
    }

    std::string last_line(const finished &done) const
    {
        const words said = lines(done.out);
        return said.empty() ? done.err : said.back();
    }
};

TEST_F(TestScript, SumsUpItsParts)
{
    const finished done = shell("scripts/test.sh");
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_TRUE(std::regex_match(
        last_line(done),
        std::regex("== all took \\d+ s: setting up \\d+, sanitize building spinnsim \\d+, release "
                   "building \\d+, release testing \\d+")))
        << done.out;
    stub("clang-tidy", "");
    const finished full = shell("scripts/test.sh --full");
    EXPECT_EQ(full.status, 0) << full.err;
    for (const char *part : {"thread building spinnsim", "clang testing", "release testing",
                             "sanitize testing", "thread testing", "linting"}) {
        EXPECT_NE(last_line(full).find(std::string(", ") + part + " "), std::string::npos)
            << part << last_line(full);
    }
}

TEST_F(TestScript, SumsUpWhatItDidBeforeAFailure)
{
    stub("ctest", "echo '50% tests passed'\nexit 8\n");
    const finished done = shell("scripts/test.sh");
    EXPECT_EQ(done.status, 1);
    EXPECT_NE(done.err.find("tests failed in preset release"), std::string::npos) << done.err;
    EXPECT_TRUE(
        std::regex_match(last_line(done), std::regex("== all took .*, release testing \\d+")))
        << done.out;
    stub("cmake", "exit 3\n");
    const finished early = shell("scripts/test.sh");
    EXPECT_EQ(early.status, 1);
    EXPECT_TRUE(std::regex_match(
        last_line(early), std::regex("== all took \\d+ s: setting up \\d+, sanitize building "
                                     "spinnsim \\d+")))
        << early.out;
}
