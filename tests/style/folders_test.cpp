/* folders_test.cpp - scripts/check_folders.sh finds what is wrong with docs/folders.md. */
#include "tests/style/checkout_fixture.h"

/* A checkout whose table has three rows, all of them right. */
class Folders : public Checkout
{
  protected:
    void SetUp() override
    {
        Checkout::SetUp();
        ASSERT_EQ(shell("rm -rf docs scripts/*/ models; mkdir docs tests").status, 0);
        write("checkout/tests/CMakeLists.txt",
              "spinn_add_test(some_test unit a.cpp)\nadd_test(NAME style.docs COMMAND x)\n");
        write("checkout/tests/a.cpp", "TEST(Idx, Reads)\nTEST_P(IdxMalformed, Refuses)\n");
    }

    finished check(const std::string &rows) const
    {
        write("checkout/docs/folders.md",
              "| folder | what it is | tests |\n| --- | --- | --- |\n" + rows);
        return shell("scripts/check_folders.sh");
    }

    const std::string GOOD = "| `docs` | pages | `style.docs` |\n"
                             "| `scripts` | scripts | `style.docs` |\n"
                             "| `sim/data` | data | `unit` `Idx` `Idx*` |\n"
                             "| `tests` | tests | `unit` |\n";
};

TEST_F(Folders, WithARowForEachAreRight)
{
    const finished done = check(GOOD);
    EXPECT_EQ(done.status, 0) << done.out << done.err;
    EXPECT_EQ(done.out + done.err, "");
}

TEST_F(Folders, ThatAreNewNeedARow)
{
    ASSERT_EQ(shell("mkdir sim/sound && touch sim/sound/tone.c").status, 0);
    const finished done = check(GOOD);
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.out, "docs/folders.md: no row for sim/sound\n");
}

TEST_F(Folders, AndTestsThatAreGoneAreNamed)
{
    const finished done = check(GOOD + "| `sim/data` | data | |\n"
                                       "| `sim/gone` | gone | `Id` `Idx.*` `fuzz` `style.doc` |\n");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.out, "docs/folders.md: there is no folder sim/gone\n"
                        "docs/folders.md: two rows for sim/data\n"
                        "docs/folders.md: there is no test Id\n"
                        "docs/folders.md: there is no test Idx.*\n"
                        "docs/folders.md: there is no test fuzz\n"
                        "docs/folders.md: there is no test style.doc\n"
                        "docs/folders.md: a row has no tests\n");
}
