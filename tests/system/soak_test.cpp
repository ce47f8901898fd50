/* soak_test.cpp - scripts/soak.sh for some seconds: it finds nothing in spinnsim, and each of what
 * is planted: a process that outlives its command, files that are left over, other results, and
 * what grows. */
#include "tests/system/program.h"

#include <filesystem>
#include <map>

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
        words command = {(SPINN_SOURCE_DIR "/scripts/soak.sh"), "--out", path("out"), "--interval",
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

/* A loaded host, or a program with sanitizers, needs more time for its first run. */
TEST_F(Soak, FindsNothing)
{
    std::vector<std::map<std::string, std::string>> rows;
    for (const char *hours : {"0.001", "0.004", "0.016"}) {
        const finished done = soak(hours, {"--program", SPINN_PROGRAM});
        EXPECT_EQ(done.status, 0) << done.out << done.err;
        EXPECT_NE(done.out.find(" 0 findings\n"), std::string::npos) << done.out;
        EXPECT_NE(done.out.find(" min: "), std::string::npos) << done.out;
        rows = table_rows(read("out/soak.csv"));
        ASSERT_GT(rows.size(), 1u);
        if (rows.back().at("runs") != "0" && rows.back().at("kills") != "0") {
            break;
        }
        fs::remove_all(path("out"));
    }
    EXPECT_GT(std::stoi(rows.back().at("runs")), 0);
    EXPECT_GT(std::stoi(rows.back().at("kills")), 0);
    for (const char *name : {"processes", "parts", "temporaries", "cache_work_folders"}) {
        EXPECT_EQ(rows.back().at(name), "0") << name;
    }
    EXPECT_EQ(files("out"), (words{"soak.csv", "soak.txt"}));
}

TEST_F(Soak, FindsWhatIsLeftOver)
{
    const finished done = soak("0.001", {"--patience", "1", "--program",
                                         planted(": >\"$TMPDIR/leak-$$\"\nsleep 1000 &\n")});
    EXPECT_EQ(done.status, 1) << done.out << done.err;
    const std::string said = read("out/soak.txt");
    EXPECT_NE(said.find("a process is left: sleep 1000"), std::string::npos) << said;
    EXPECT_NE(said.find("left over: tmp/leak-"), std::string::npos) << said;
}

TEST_F(Soak, FindsOtherResults)
{
    const finished done = soak("0.001", {"--patience", "1", "--workers", "6", "--program",
                                         planted("case \"$1 $*\" in 'run '*/whole-*) ;;\n"
                                                 "'run '*) set -- \"$@\" --set seed=2 ;; esac\n")});
    EXPECT_EQ(done.status, 1) << done.out << done.err;
    const std::string said = read("out/soak.txt");
    EXPECT_NE(said.find(" after a kill has other results"), std::string::npos) << said;
    EXPECT_EQ(said.find("a sweep"), std::string::npos) << said;
}

/* Of nine looks and the one after the end, each quantity by itself. */
TEST_F(Soak, FindsWhatGrows)
{
    const auto judged =
        [&](int most,
            int least) { /* of the first third, of the last */
                         std::string table =
                             "seconds,runs,kills,processes,rss_mib,most_descriptors,parts,"
                             "temporaries,cache_files,cache_work_folders\n";
                         for (int look = 0; look < 10; look++) {
                             const int value = look < 3   ? most
                                               : look < 6 ? 0
                                               : look < 9 ? least + look - 6
                                                          : 0;
                             table += std::to_string(look) + ",1,1,3," + std::to_string(value) +
                                      ",7,0,0,9,0\n";
                         }
                         write("soak.csv", table);
                         return run_command(
                             {SPINN_SOURCE_DIR "/scripts/soak.sh", "--judge", "soak.csv"}, folder);
        };
    const finished grown = judged(200, 601);
    EXPECT_EQ(grown.status, 1);
    EXPECT_EQ(grown.out, "rss_mib grew from at most 200 to at least 601\n");
    const finished same = judged(200, 600); /* a half and 300 MiB more */
    EXPECT_EQ(same.status, 0);
    EXPECT_EQ(same.out + same.err, "");
    EXPECT_EQ(run_command({SPINN_SOURCE_DIR "/scripts/soak.sh", "--judge", "none"}, folder).status,
              2);
}

TEST_F(Soak, WrongOptionsAreRefused)
{
    for (const words &more : {words{"--interval", "0"}, words{"--workers", "x"}, words{"--none"},
                              words{"--program", path("nothing")}, words{"--seed"}}) {
        const finished done = soak("0.002", more);
        EXPECT_EQ(done.status, 2) << more[0];
        EXPECT_EQ(done.err.compare(0, 9, "soak.sh: "), 0) << done.err;
    }
    EXPECT_EQ(soak("many", {}).status, 2);
    EXPECT_FALSE(exists("out"));
}
