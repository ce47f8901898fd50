/* lint_test.cpp - scripts/check_lint.sh asks clang-tidy for the analyzer, shallow or deep, or for
 * the other checks alone. */
#include "tests/style/checkout_fixture.h"

class Lint : public Checkout
{
  protected:
    /* What clang-tidy is asked by a lint of one file. */
    std::string asked(const std::string &options) const
    {
        write("asked", "");
        const finished done = shell("scripts/check_lint.sh " + options + " build sim/data/idx.c");
        EXPECT_EQ(done.status, 0) << done.out << done.err;
        const std::string said = read("asked");
        EXPECT_NE(said.find("clang-tidy\n"), std::string::npos) << said;
        EXPECT_NE(said.find("\nsim/data/idx.c\n"), std::string::npos) << said;
        return said;
    }
};

TEST_F(Lint, FollowsPathsUnlessItIsQuick)
{
    const std::string none = "\n--checks=-clang-analyzer-*\n";
    const std::string shallow = "mode=shallow";
    const std::string usual = asked("");
    EXPECT_EQ(usual.find(none), std::string::npos) << usual;
    EXPECT_NE(usual.find(shallow), std::string::npos) << usual;
    const std::string quick = asked("--quick");
    EXPECT_NE(quick.find(none), std::string::npos) << quick;
    const std::string deep = asked("--deep");
    EXPECT_EQ(deep.find(none), std::string::npos) << deep;
    EXPECT_EQ(deep.find(shallow), std::string::npos) << deep;
}

TEST_F(Lint, IsOfABuild)
{
    const finished done = shell("scripts/check_lint.sh --quick sim");
    EXPECT_EQ(done.status, 2);
    EXPECT_NE(done.err.find("--quick"), std::string::npos) << done.err;
}
