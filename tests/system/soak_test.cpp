/* soak_test.cpp - scripts/soak.sh for some seconds: it finds nothing in spinnsim, and each of what is
 * planted: a process that outlives its command, files that are left over and become more and more,
 * other results. */
#include "tests/system/program.h"

#include <filesystem>

namespace fs = std::filesystem;

class Soak : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    finished soak(const std::string &hours, const words &more) const
    {
        words command = {SPINN_SOURCE_DIR "/scripts/soak.sh", "--out", path("out"), "--interval",
                         "0.3"};
        command.insert(command.end(), more.begin(), more.end());
        command.push_back(hours);
        return run_command(command, folder);
    }

    /* A program that does something else, too. */
    std::string planted(const std::string &what) const
    {
        write("planted", "#!/bin/sh\n" + what + "exec " SPINN_PROGRAM " \"$@\"\n");
        fs::permissions(path("planted"), fs::perms::owner_all);
        return path("planted");
    }
};

TEST_F(Soak, FindsNothing)
{
    const finished done = soak("0.002", {"--program", SPINN_PROGRAM});
    EXPECT_EQ(done.status, 0) << done.out << done.err;
    EXPECT_NE(done.out.find(" 0 findings\n"), std::string::npos) << done.out;
    EXPECT_NE(done.out.find(" min: "), std::string::npos) << done.out;
    const auto rows = table_rows(read("out/soak.csv"));
    ASSERT_GT(rows.size(), 3u);
    EXPECT_GT(std::stoi(rows.back().at("runs")), 0);
    EXPECT_GT(std::stoi(rows.back().at("kills")), 0);
    for (const char *name : {"processes", "parts", "temporaries", "cache_work_folders"}) {
        EXPECT_EQ(rows.back().at(name), "0") << name;
    }
    EXPECT_EQ(files("out"), (words{"soak.csv", "soak.txt"}));
}

TEST_F(Soak, FindsWhatIsLeftOverAndGrows)
{
    const finished done =
        soak("0.004", {"--patience", "1", "--program",
                       planted("for i in 1 2 3 4 5 6 7 8 9; do : >\"$TMPDIR/leak-$$-$i\"; done\n"
                               "sleep 1000 &\n")});
    EXPECT_EQ(done.status, 1) << done.out << done.err;
    const std::string said = read("out/soak.txt");
    EXPECT_NE(said.find("a process is left: sleep 1000"), std::string::npos) << said;
    EXPECT_NE(said.find("left over: tmp/leak-"), std::string::npos) << said;
    EXPECT_NE(said.find("temporaries grew from at most "), std::string::npos) << said;
    EXPECT_NE(said.find("processes grew from at most "), std::string::npos) << said;
}

TEST_F(Soak, FindsOtherResults)
{
    const finished done =
        soak("0.002", {"--program", planted("case \"$1 $*\" in 'run '*/whole-*) ;;\n"
                                            "'run '*) set -- \"$@\" --set seed=2 ;; esac\n")});
    EXPECT_EQ(done.status, 1) << done.out << done.err;
    const std::string said = read("out/soak.txt");
    EXPECT_NE(said.find("a training after a kill has other results"), std::string::npos) << said;
    EXPECT_EQ(said.find("a sweep"), std::string::npos) << said;
}

TEST_F(Soak, WrongOptionsAreRefused)
{
    for (const words &more :
         {words{"--interval", "0"}, words{"--workers", "x"}, words{"--none"},
          words{"--program", path("nothing")}, words{"--seed"}}) {
        const finished done = soak("0.002", more);
        EXPECT_EQ(done.status, 2) << more[0];
        EXPECT_EQ(done.err.compare(0, 9, "soak.sh: "), 0) << done.err;
    }
    EXPECT_EQ(soak("many", {}).status, 2);
    EXPECT_FALSE(exists("out"));
}
