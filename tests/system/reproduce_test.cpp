/* reproduce_test.cpp - scripts/study/reproduce.sh: its list, what it compares, and that it goes on
 * where it was stopped.  In a copy of the scripts, whose spinnsim only copies tables. */
#include "tests/system/program.h"

#include <filesystem>

namespace fs = std::filesystem;

namespace
{

class Reproduce : public SystemTest
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        fs::create_directories(path("checkout/build"));
        fs::create_directories(path("checkout/docs/results/recorded"));
        fs::create_directories(path("here"));
        fs::create_directories(path("made"));
        fs::copy(SPINN_SOURCE_DIR "/scripts", path("checkout/scripts"),
                 fs::copy_options::recursive);
        for (const char *folder : {"made/", "checkout/docs/results/recorded/boosted_"}) {
            write(std::string(folder) + "stages.csv", "stage,kept\nnet1,60000\n");
            write(std::string(folder) + "votes.csv", "confidence,right\n1,9833\n");
            write(std::string(folder) + "chip_stages.csv", "stage,kept\nnet1,60000\n");
        }
        /* `regress` fails if asked to, `run` copies tables to --out. */
        script("checkout/build/spinnsim",
               "[ \"$1\" != regress ] || { echo counts moved; exit \"${REGRESS:-0}\"; }\n"
               "while [ \"$1\" != --out ]; do shift; done\n"
               "mkdir -p \"$2\"\n"
               "cp '" +
                   path("made") + "'/* \"$2\"\n");
    }

    /* Writes its name into "asked". */
    void script(const std::string &name, const std::string &more) const
    {
        write(name, "#!/bin/sh\necho \"${0##*/}\" >>'" + path("asked") + "'\n" + more);
        fs::permissions(path(name), fs::perms::owner_all);
    }

    finished reproduce(const words &arguments, const words &environment = {}) const
    {
        words command = {"/usr/bin/env", "-u", "BUILD", "-u", "RECORDED", "-u", "OUT"};
        command.insert(command.end(), environment.begin(), environment.end());
        command.push_back(path("checkout/scripts/study/reproduce.sh"));
        command.insert(command.end(), arguments.begin(), arguments.end());
        return run_command(command, path("here"));
    }

    size_t asked() const
    {
        return lines(read("asked")).size();
    }
};

TEST_F(Reproduce, ListsItsPartsAndRunsNothing)
{
    const finished help = reproduce({"--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.out.find("usage: scripts/study/reproduce.sh "), 0u) << help.out;
    const finished list = reproduce({"--list"});
    EXPECT_EQ(list.status, 0) << list.err;
    words names;
    for (const std::string &line : lines(list.out)) {
        names.push_back(line.substr(0, line.find(' ')));
        EXPECT_NE(line.find(" min  "), std::string::npos) << line;
        EXPECT_EQ(line.substr(line.size() - 9), " not done") << line;
    }
    const words expected = {"goldens", "pages",          "exchange",  "questions",
                            "answer",  "board_training", "boosted",   "host_training",
                            "search",  "needed",         "baselines", "batches"};
    EXPECT_EQ(names, expected);
    EXPECT_EQ(asked(), 0u);
    EXPECT_FALSE(exists("checkout/out"));
}

TEST_F(Reproduce, RefusesWhatIsNoPart)
{
    for (const char *name : {"golden", "goldens.", ".*", "--frobnicate", ""}) {
        const finished refused = reproduce({name});
        EXPECT_EQ(refused.status, 2) << name;
        EXPECT_EQ(refused.err.find("reproduce.sh: " + std::string(name) +
                                   " is no part; the parts are: goldens "),
                  0u)
            << refused.err;
        EXPECT_EQ(refused.out, "");
    }
    const finished refused = reproduce({"goldens", "--out"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.err.find("usage: "), 0u) << refused.err;
    EXPECT_EQ(asked(), 0u);
}

TEST_F(Reproduce, DoesAPartOnce)
{
    const finished first = reproduce({"--out", "a folder", "boosted"});
    EXPECT_EQ(first.status, 0) << first.out << first.err;
    EXPECT_NE(first.out.find("boosted: about 40 minutes; all that is left: about 40 minutes"),
              std::string::npos)
        << first.out;
    EXPECT_NE(first.out.find("\nboosted: 0 min, the same\n"), std::string::npos) << first.out;
    EXPECT_EQ(read("here/a folder/recorded/boosted_votes.csv"), "confidence,right\n1,9833\n");
    EXPECT_EQ(asked(), 2u);
    const finished again = reproduce({"--out", "a folder", "boosted"});
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(again.out, "boosted: 0 min, the same\n");
    EXPECT_EQ(asked(), 2u) << "it was done";
    const finished list = reproduce({"--out", "a folder", "--list"});
    EXPECT_NE(list.out.find("Boosted LeNet-4 on a board"), std::string::npos);
    EXPECT_NE(list.out.find("0 min, the same\n"), std::string::npos) << list.out;
    EXPECT_EQ(asked(), 2u);
}

TEST_F(Reproduce, NamesTheTableThatDiffers)
{
    write("made/votes.csv", "confidence,right\n1,9834\n");
    const std::string said = "boosted: 0 min, differs from what is recorded: boosted_votes.csv \n";
    for (size_t time = 1; time <= 2; time++) {
        const finished differs = reproduce({"--out", "out", "boosted"});
        EXPECT_EQ(differs.status, 1);
        EXPECT_NE(differs.out.find(said), std::string::npos) << differs.out << differs.err;
        EXPECT_EQ(asked(), 2 * time) << "not done";
    }
    /* Nothing recorded, and nothing made, are differences as well. */
    fs::remove(path("checkout/docs/results/recorded/boosted_votes.csv"));
    const finished new_table = reproduce({"--out", "out", "boosted"});
    EXPECT_EQ(new_table.status, 1);
    EXPECT_NE(new_table.out.find(said), std::string::npos) << new_table.out << new_table.err;
}

TEST_F(Reproduce, MissesATableThatWasNotMade)
{
    script("checkout/scripts/study/record_questions.sh",
           "mkdir -p \"$RECORDED/questions\"\n"
           "echo a >\"$RECORDED/questions/clock.csv\"\n");
    fs::create_directories(path("checkout/docs/results/recorded/questions"));
    write("checkout/docs/results/recorded/questions/clock.csv", "a\n");
    EXPECT_EQ(reproduce({"--out", "one", "questions"}).status, 0);
    write("checkout/docs/results/recorded/questions/loss.csv", "a\n");
    const finished missed = reproduce({"--out", "two", "questions"});
    EXPECT_EQ(missed.status, 1);
    EXPECT_NE(missed.out.find("differs from what is recorded: questions/loss.csv \n"),
              std::string::npos)
        << missed.out << missed.err;
}

TEST_F(Reproduce, LeavesOutWhatARunHasCostTheHost)
{
    const std::string same = "a,wall_seconds,b,threads\n1,";
    write("checkout/docs/results/recorded/exchange.csv", same + "77,2,8\n");
    script("checkout/scripts/study/record_exchange.sh",
           "printf '" + same + "%s\\n' \"$MADE\" >\"$RECORDED/exchange.csv\"\n");
    EXPECT_EQ(reproduce({"--out", "one", "exchange"}, {"MADE=99,2,1"}).status, 0);
    EXPECT_EQ(reproduce({"--out", "two", "exchange"}, {"MADE=77,3,8"}).status, 1);
}

TEST_F(Reproduce, GoesOnAfterAPartThatFails)
{
    const finished failed = reproduce({"--out", "out", "goldens", "boosted"}, {"REGRESS=5"});
    EXPECT_EQ(failed.status, 1);
    EXPECT_NE(failed.out.find("goldens: failed; " + path("here/out/goldens.log") +
                              " says why:\ncounts moved\n"),
              std::string::npos)
        << failed.out << failed.err;
    EXPECT_NE(failed.out.find("\nboosted: 0 min, the same\n"), std::string::npos) << failed.out;
    const finished mended = reproduce({"--out", "out", "goldens", "boosted"});
    EXPECT_EQ(mended.status, 0) << mended.err;
    EXPECT_NE(mended.out.find("goldens: about 1 minutes; all that is left: about 1 minutes"),
              std::string::npos)
        << mended.out;
    EXPECT_NE(mended.out.find("\ngoldens: 0 min, the same\nboosted: 0 min, the same\n"),
              std::string::npos)
        << mended.out;
    EXPECT_EQ(asked(), 4u);
}

} // namespace
