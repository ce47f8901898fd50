/* docs_test.cpp - scripts/check_docs.sh finds files that a page names and that are not there, and
 * rows of a table that lead to a file without what is to be looked for. */
#include "tests/style/checkout_fixture.h"

class Docs : public Checkout
{
  protected:
    void SetUp() override
    {
        Checkout::SetUp();
        ASSERT_EQ(shell("git rm -q -r --cached . && git add sim && rm -rf docs").status, 0);
        write("checkout/sim/data/idx.c", "/* */\nstatic int idx_rows(void);\n");
    }

    /* A page with a table of one row, and text behind it. */
    finished check(const std::string &row, const std::string &more = "") const
    {
        write("checkout/README.md",
              "| to change | open | look for |\n| --- | --- | --- |\n" + row + "\n\n" + more);
        return shell("git add README.md && scripts/check_docs.sh");
    }
};

TEST_F(Docs, WhoseFilesHaveWhatIsToBeLookedForAreRight)
{
    const finished done =
        check("| rows | [sim/data/idx.c](sim/data/idx.c) | `idx_rows`, `int idx` |",
              "See `sim/data/idx.c`.\n");
    EXPECT_EQ(done.status, 0) << done.out << done.err;
    EXPECT_EQ(done.out + done.err, "");
}

TEST_F(Docs, AreRefusedWhereTheWordIsGone)
{
    const finished done = check("| rows | [a file](sim/data/idx.c) | `idx_rows`, `idx_columns` |");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.out, "README.md: idx_columns in sim/data/idx.c is not there\n"
                        "1 names are wrong\n");
}

TEST_F(Docs, AreRefusedWhereTheFileIsGone)
{
    const finished done = check("| rows | [sim/data/rows.c](sim/data/rows.c) | `idx_rows` |",
                                "See `sim/data/columns.c`.\n");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.out, "README.md: sim/data/rows.c is not there\n"
                        "README.md: sim/data/columns.c is not there\n"
                        "2 names are wrong\n");
}

TEST_F(Docs, NeedAFileAndAWordInARow)
{
    const finished no_word = check("| rows | [sim/data/idx.c](sim/data/idx.c) | rows |");
    EXPECT_EQ(no_word.status, 1);
    EXPECT_EQ(no_word.out, "README.md: what to open, or look for, in the row 'rows' is not there\n"
                           "1 names are wrong\n");
    const finished no_file = check("| rows | `sim/data/idx.c` | `idx_rows` |");
    EXPECT_EQ(no_file.status, 1);
    EXPECT_EQ(no_file.out, no_word.out);
}

/* The page of this checkout leads to the files that newcomers ask for. */
TEST(DocsOfThisCheckout, LeadToAFileInOneStep)
{
    const std::string page = read_text(SPINN_SOURCE_DIR "/README.md");
    for (const char *row :
         {"| the rounding of an update | [workloads/nn/optimizers/rule.h]",
          "| the packet of a ring: its key, its bytes, its check | "
          "[workloads/exchange/exchange_state.h]",
          "| what a DMA burst costs; every other number of the chip | "
          "[models/machine/parameters.def]",
          "| a column of summary (`summary.json`) | [sim/results/summary_keys.def]",
          "| the colour of LeNet-5, or of another network, in a figure | "
          "[scripts/plot/style.gp]"}) {
        EXPECT_NE(page.find(row), std::string::npos) << row;
    }
}
