/* api_test.cpp - scripts/api_page.sh --check fails when docs/api.md is not what the headers say. */
#include "tests/style/checkout_fixture.h"

class ApiPage : public Checkout
{
  protected:
    void SetUp() override
    {
        Checkout::SetUp();
        for (const char *name : {"models/arm968", "models/common"}) {
            std::filesystem::copy(std::string(SPINN_SOURCE_DIR "/") + name,
                                  path("checkout/") + name,
                                  std::filesystem::copy_options::recursive);
        }
    }
};

TEST_F(ApiPage, IsWhatTheHeadersSay)
{
    const finished same = shell("scripts/api_page.sh --check");
    EXPECT_EQ(same.status, 0) << same.out << same.err;
    EXPECT_EQ(same.out + same.err, "");
    const std::string page = read("checkout/docs/api.md");
    for (const char *part :
         {"\nReset exception: SVC mode, ARM state,", "\nvoid arm968_reset(struct arm968 *cpu);\n",
          "\n| sleep_cycles | cycle | cycles in wait-for-interrupt |\n", "\n### running\n",
          "\n    /* Called for each access outside the core's memories, at core cycle"}) {
        EXPECT_NE(page.find(part), std::string::npos) << part;
    }
}

TEST_F(ApiPage, FollowsACommentARowAndAHeader)
{
    for (const char *change : {"sed -i 's/^\\/\\* Reset exception:/\\/\\* The exception of "
                               "reset:/' models/arm968/arm968.h",
                               "sed -i 's/\"cycles in wait-for-interrupt\"/\"cycles asleep\"/' "
                               "models/arm968/counters.def",
                               "sed -i 's|arm968/disassemble.h ||' scripts/cmake/Install.cmake"}) {
        const std::string before = read("checkout/docs/api.md");
        ASSERT_EQ(shell(change).status, 0);
        const finished other = shell("scripts/api_page.sh --check");
        EXPECT_EQ(other.status, 1) << change;
        EXPECT_NE(other.out.find("\n-"), std::string::npos) << change << other.out;
        EXPECT_NE(other.out.find("docs/api.md: run scripts/api_page.sh\n"), std::string::npos);
        EXPECT_EQ(read("checkout/docs/api.md"), before);
        EXPECT_EQ(shell("scripts/api_page.sh").status, 0);
        EXPECT_EQ(shell("scripts/api_page.sh --check").status, 0) << change;
    }
}
