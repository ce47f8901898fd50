/* pre_commit_test.cpp - scripts/check_changed.sh chooses tests by docs/folders.md;
 * scripts/pre_commit.sh makes a commit begin with it. */
#include "tests/style/checkout_fixture.h"

class PreCommit : public Checkout
{
  protected:
    /* The arguments of the n-th ctest, in one line. */
    std::string ctest(size_t n) const
    {
        std::string found;
        size_t begun = 0;
        for (const std::string &line : lines(read("asked"))) {
            begun += line == "ctest";
            if (begun == n + 1) {
                found += " " + line;
            }
        }
        return found;
    }
};

TEST_F(PreCommit, RunsTheTestsOfTheFolder)
{
    EXPECT_EQ(shell("scripts/check_changed.sh").out, "nothing differs from HEAD\n");
    EXPECT_FALSE(exists("asked"));
    write("checkout/sim/data/idx.c", "/* other */\n");
    const finished done = shell("scripts/check_changed.sh");
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_NE(ctest(0).find("-R ^([^.]*/)?(style[.]api|style[.]includes|"), std::string::npos)
        << read("asked");
    for (const char *test : {"|Idx|", "|Npz.*|", "|fuzz[.]idx|", "|style[.]folders|"}) {
        EXPECT_NE(ctest(0).find(test), std::string::npos) << test << ctest(0);
    }
    for (const char *test : {"Vic", "Cli", "-L"}) {
        EXPECT_EQ(ctest(0).find(test), std::string::npos) << test << ctest(0);
    }
    EXPECT_EQ(ctest(1), "");
    EXPECT_NE(read("asked").find("clang-format\n-i\nsim/data/idx.c\n"), std::string::npos);
}

TEST_F(PreCommit, RunsLabelsApart)
{
    write("checkout/models/README.md", "other\n");
    EXPECT_EQ(shell("scripts/check_changed.sh").status, 0);
    EXPECT_NE(ctest(0).find(" -L ^(cycles|isa|model|unit)$"), std::string::npos) << read("asked");
    EXPECT_NE(ctest(1).find(" -LE ^(cycles|isa|model|unit|slow)$"), std::string::npos);
}

TEST_F(PreCommit, StopsACommitWhenATestFails)
{
    ASSERT_EQ(shell("scripts/pre_commit.sh --install").status, 0);
    EXPECT_EQ(shell("scripts/pre_commit.sh --install").status, 2) << "there is a hook already";
    write("checkout/sim/data/idx.c", "/* other */\n");
    /* A test that makes a repository of its own must not write into the one of the commit. */
    stub("ctest", "env | grep ^GIT_INDEX >>'" + path("asked") + "'\nexit 8\n");
    EXPECT_NE(git("commit -q -a -m other").status, 0);
    EXPECT_NE(ctest(0), "");
    EXPECT_EQ(ctest(0).find("GIT_INDEX"), std::string::npos) << ctest(0);
    EXPECT_EQ(git("log --format=%s").out, "start\n");
    stub("ctest", "");
    EXPECT_EQ(git("commit -q -a -m other").status, 0);
    EXPECT_EQ(git("log --format=%s").out, "other\nstart\n");
}

TEST_F(PreCommit, StopsACommitWhoseLayoutWasChanged)
{
    ASSERT_EQ(shell("scripts/pre_commit.sh --install").status, 0);
    write("checkout/sim/data/idx.c", "/*  other  */\n");
    stub("clang-format", "sed -i 's/  */ /g' sim/data/idx.c\n");
    ASSERT_EQ(git("add -A").status, 0);
    const finished refused = git("commit -q -m other");
    EXPECT_NE(refused.status, 0);
    EXPECT_NE(refused.err.find("pre_commit.sh: files were laid out anew"), std::string::npos)
        << refused.err;
    ASSERT_EQ(git("add -A").status, 0);
    EXPECT_EQ(git("commit -q -m other").status, 0);
    EXPECT_EQ(git("show HEAD:sim/data/idx.c").out, "/* other */\n");
}
