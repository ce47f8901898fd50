/* ledger_test.cpp - scripts/ledger.sh: rows are recorded with the commit that was tried, and the
 * page is what the table makes. */
#include "tests/system/program.h"

#include <filesystem>

namespace fs = std::filesystem;

namespace
{

std::string build_folder()
{
    return fs::path(SPINN_PROGRAM).parent_path();
}

TEST(LedgerPage, IsWhatTheTableMakes)
{
    const finished same = run_command({"/usr/bin/env", "BUILD=" + build_folder(),
                                       (SPINN_SOURCE_DIR "/scripts/ledger.sh"), "page", "--check"});
    EXPECT_EQ(same.status, 0) << same.out << same.err;
}

/* A checkout with the scripts alone. */
class Ledger : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (run_command({"/bin/sh", "-c", "command -v git"}).status != 0) {
            GTEST_SKIP() << "git is not installed";
        }
        SystemTest::SetUp();
        fs::create_directories(path("checkout/docs"));
        fs::copy(SPINN_SOURCE_DIR "/docs/reliability.md.in", path("checkout/docs"));
        fs::copy(SPINN_SOURCE_DIR "/scripts", path("checkout/scripts"),
                 fs::copy_options::recursive);
        write("checkout/file", "1\n");
        git("init -q");
        commit("one");
    }

    std::string git(const std::string &arguments) const
    {
        const finished done = run_command(
            {"/bin/sh", "-c",
             "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false " + arguments},
            path("checkout"));
        EXPECT_EQ(done.status, 0) << arguments << done.err;
        return done.out.substr(0, done.out.find('\n'));
    }

    /* Makes a commit of all files; returns its name as the ledger has it. */
    std::string commit(const std::string &text) const
    {
        git("add -A");
        git("commit -q -m " + text);
        return git("rev-parse --short=10 HEAD");
    }

    finished ledger(const words &arguments) const
    {
        words command = {"/usr/bin/env", "BUILD=" + build_folder(), "scripts/ledger.sh"};
        command.insert(command.end(), arguments.begin(), arguments.end());
        return run_command(command, path("checkout"));
    }

    std::string table() const
    {
        return read("checkout/docs/reliability.csv");
    }

    static std::string today()
    {
        return run_command({"date", "-u", "+%F"}).out.substr(0, 10);
    }
};

TEST_F(Ledger, PutsARowInThePlaceOfItsEarlierOne)
{
    const std::string first = git("rev-parse --short=10 HEAD");
    const std::string before = today();
    ASSERT_EQ(ledger({"record", "fuzz: inputs of IDX", "1000", "2", "fuzz.sh 1 idx"}).status, 0);
    ASSERT_EQ(ledger({"record", "kills", "10", "0", "a \"b\" \\n, c"}).status, 0);
    write("checkout/file", "2\n");
    const std::string second = commit("two");
    ASSERT_EQ(ledger({"record", "fuzz: inputs of IDX", "2000000", "0", "fuzz.sh 9 idx"}).status, 0);
    if (before != today()) {
        GTEST_SKIP() << "the day has changed meanwhile";
    }
    EXPECT_EQ(table(), "what,count,failures,command,commit,date\n"
                       "\"fuzz: inputs of IDX\",2000000,0,\"fuzz.sh 9 idx\"," +
                           second + "," + before + "\n\"kills\",10,0,\"a \"\"b\"\" \\n, c\"," +
                           first + "," + before + "\n");
    const std::string page = read("checkout/docs/reliability.md");
    EXPECT_NE(page.find("| --- |\n| fuzz: inputs of IDX | 2000000 | 0 | `fuzz.sh 9 idx` | " +
                        second + " | " + before + " |\n| kills | 10 | 0 | `a \"b\" \\n, c` | " +
                        first + " | " + before + " |\n"),
              std::string::npos)
        << page;
    EXPECT_EQ(ledger({"page", "--check"}).status, 0);
    write("checkout/docs/reliability.md", page + "more\n");
    EXPECT_EQ(ledger({"page", "--check"}).status, 1);
    EXPECT_EQ(ledger({"page"}).status, 0);
    EXPECT_EQ(read("checkout/docs/reliability.md"), page);
}

TEST_F(Ledger, NamesTheCommitThatWasTried)
{
    const std::string first = git("rev-parse --short=10 HEAD");
    write("checkout/file", "2\n");
    const finished changed = ledger({"record", "kills", "10", "0", "kills"});
    EXPECT_EQ(changed.status, 2);
    EXPECT_NE(changed.err.find("ledger.sh: files differ from the last commit"), std::string::npos);
    EXPECT_EQ(table(), "");
    ASSERT_EQ(ledger({"record", "--commit", "HEAD", "kills", "10", "0", "kills"}).status, 0);
    EXPECT_NE(table().find("\"kills\"," + first + ","), std::string::npos) << table();
}

TEST_F(Ledger, RefusesWhatIsNoRow)
{
    const struct {
        words arguments;
        const char *said;
    } cases[] = {
        {{"record", "a|b", "1", "0", "c"}, "ledger.sh: WHAT is a line of text without '|': 'a|b'"},
        {{"record", "", "1", "0", "c"}, "ledger.sh: WHAT is a line of text"},
        {{"record", "a", "1", "0", "c\nd"}, "ledger.sh: COMMAND is a line of text"},
        {{"record", "a", "-1", "0", "c"}, "ledger.sh: COUNT is a whole number: '-1'"},
        {{"record", "a", "1", "", "c"}, "ledger.sh: FAILURES is a whole number: ''"},
        {{"record", "--commit", "none", "a", "1", "0", "c"}, "ledger.sh: none is no commit"},
        {{"record", "a", "1", "0"}, "usage: scripts/ledger.sh record"},
        {{"page", "--chek"}, "ledger.sh: unknown option --chek"},
        {{"recrod"}, "usage: scripts/ledger.sh record"},
        {{}, "usage: scripts/ledger.sh record"},
    };
    for (const auto &c : cases) {
        const finished refused = ledger(c.arguments);
        EXPECT_EQ(refused.status, 2) << c.said;
        EXPECT_EQ(refused.err.compare(0, std::string(c.said).size(), c.said), 0) << refused.err;
        EXPECT_EQ(table(), "");
    }
}

} // namespace
