/* cli_test.cpp - commands, help and mistakes on the command line. */
#include "tests/support/shell_word.h"
#include "tests/system/program.h"

#include <algorithm>

class Cli : public SystemTest
{
};

static const words COMMANDS = {
#define COMMAND(name) #name,
#include "sim/cli/commands.def"
};

TEST_F(Cli, EveryCommandHasHelpThatNamesItself)
{
    for (const std::string &command : COMMANDS) {
        const finished help = spinnsim({command, "--help"});
        EXPECT_EQ(help.status, 0) << command;
        EXPECT_NE(help.out.find("spinnsim " + command), std::string::npos) << help.out;
        EXPECT_EQ(help.err, "") << command;
    }
}

TEST_F(Cli, HelpListsEveryCommand)
{
    const finished help = spinnsim({"--help"});
    EXPECT_EQ(help.status, 0);
    for (const std::string &command : COMMANDS) {
        EXPECT_NE(help.out.find("    spinnsim " + command), std::string::npos) << command;
    }
}

TEST_F(Cli, TheReadmeListsTheCommandsAsHelpDoes)
{
    const std::string readme = read_text(SPINN_SOURCE_DIR "/README.md");
    size_t commands = 0;
    for (const std::string &line : lines(spinnsim({"--help"}).out)) {
        if (line.rfind("    spinnsim ", 0) == 0) {
            commands++;
            EXPECT_NE(readme.find("\n" + line + "\n"), std::string::npos) << line;
        }
    }
    EXPECT_EQ(commands, COMMANDS.size());
}

/* The options that --help shows, as "--name". */
static words options_of(const std::string &help)
{
    words options;
    for (size_t at = help.find(" --"); at != std::string::npos; at = help.find(" --", at + 1)) {
        options.push_back(help.substr(at + 1, help.find_first_of("= ,[\n", at + 1) - at - 1));
    }
    return options;
}

TEST_F(Cli, TheManualHasEveryCommandAndOption)
{
    const finished manual = spinnsim({"man"});
    EXPECT_EQ(manual.status, 0);
    EXPECT_EQ(manual.out.rfind(".TH SPINNSIM 1 ", 0), 0u) << manual.out.substr(0, 80);
    for (const std::string &command : COMMANDS) {
        const size_t from = manual.out.find("\n.SS spinnsim " + command + " ");
        ASSERT_NE(from, std::string::npos) << command;
        const std::string section =
            manual.out.substr(from, manual.out.find("\n.S", from + 2) - from);
        for (std::string option : options_of(spinnsim({command, "--help"}).out)) {
            if (option == "--help" || option == "--usage" || option.size() < 4) {
                continue; /* argp's own */
            }
            for (size_t at = option.find('-'); at != std::string::npos;
                 at = option.find('-', at + 2)) {
                option.insert(at, "\\");
            }
            EXPECT_NE(section.find(option), std::string::npos) << command << " " << option;
        }
    }
    EXPECT_NE(manual.out.find(".SH EXIT STATUS\n.TP\n.B 0\ndone\n"), std::string::npos);
    const finished page = run_command({"sh", "-c",
                                       "! command -v groff || " + shell_word(SPINN_PROGRAM) +
                                           " man | groff -man -Tascii -ww -z 2>&1"},
                                      folder);
    EXPECT_EQ(page.status, 0);
    EXPECT_EQ(page.err, "") << page.out;
}

TEST_F(Cli, ResultsOfAnotherConfigurationAreNotReplacedUnasked)
{
    run(experiment("idle_chip"), "out");
    const std::string summary = read("out/summary.json");
    const words other = {"run", experiment("idle_chip"), "--out", "out", "--set", "seed=7"};
    const finished refused = spinnsim(other);
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.err.rfind("spinnsim: out: there are results of another configuration", 0), 0u)
        << refused.err;
    EXPECT_NE(refused.err.find("--force"), std::string::npos) << refused.err;
    EXPECT_EQ(read("out/summary.json"), summary);
    EXPECT_EQ(
        spinnsim({"run", experiment("idle_chip"), "--out", "out", "--set", "name=again"}).status, 0)
        << "a name changes nothing that is simulated";
    words forced = other;
    forced.push_back("--force");
    EXPECT_EQ(spinnsim(forced).status, 0);
    EXPECT_NE(text("out", "identity.sim_hash"), "");
    write("out/summary.json", "{\"identity\": ");
    EXPECT_EQ(spinnsim(other).status, 0) << "what is not whole is no result";
}

TEST_F(Cli, VersionIsOneLineAndTheNewestOfTheChangeLog)
{
    const finished version = spinnsim({"version"});
    EXPECT_EQ(version.status, 0);
    EXPECT_EQ(lines(version.out).size(), 1u);
    words headings;
    for (const std::string &line : lines(read_text(SPINN_SOURCE_DIR "/CHANGELOG.md"))) {
        if (line.rfind("## ", 0) == 0) {
            headings.push_back(line.substr(3));
        }
    }
    ASSERT_GE(headings.size(), 2u);
    EXPECT_EQ(headings[0], "Unreleased");
    const std::string newest = headings[1].substr(0, headings[1].find(" ("));
    EXPECT_EQ(version.out.rfind("spinnsim " + newest + " (", 0), 0u) << version.out << newest;
}

TEST_F(Cli, UnknownCommandsOptionsAndMissingFilesAreUsageErrors)
{
    EXPECT_EQ(spinnsim({}).status, 2);
    EXPECT_EQ(spinnsim({"fly"}).status, 2);
    EXPECT_EQ(spinnsim({"run"}).status, 2);
    EXPECT_EQ(spinnsim({"run", "--fast", "x.yaml"}).status, 2);
    EXPECT_EQ(spinnsim({"plot"}).status, 2);
    EXPECT_EQ(spinnsim({"run", "a.yaml", "b.yaml"}).status, 2);
    EXPECT_EQ(spinnsim({"run", "--threads", "0", experiment("idle_chip")}).status, 2);
    EXPECT_EQ(spinnsim({"run", "--progress", "loud", experiment("idle_chip")}).status, 2);
    EXPECT_TRUE(files("").empty()) << "something was written";
}

TEST_F(Cli, ErrorsOfElfAndVectorsAreKeptApartFromTheGuestsStatus)
{
    EXPECT_EQ(spinnsim({"elf", "missing.elf"}).status, 112);
    EXPECT_EQ(spinnsim({"vectors", "missing.txt"}).status, 2);
}

TEST_F(Cli, RunWritesNothingButItsFolder)
{
    run(experiment("idle_chip"), "here");
    EXPECT_EQ(files(""), words{"here"});
    EXPECT_EQ(spinnsim({"run", experiment("idle_chip")}).status, 0);
    EXPECT_EQ(files(""), (words{"here", "out"}));
    ASSERT_EQ(files("out").size(), 1u);
    EXPECT_EQ(files("out")[0], "idle_chip-" + text("here", "identity.sim_hash").substr(0, 8));
}

TEST_F(Cli, ConfigPrintsAConfigurationThatRunsTheSame)
{
    const finished config = spinnsim({"config", experiment("idle_chip")});
    EXPECT_EQ(config.status, 0);
    write("again.yaml", config.out);
    run(experiment("idle_chip"), "first");
    run("again.yaml", "second");
    run("first/config.yaml", "third");
    EXPECT_EQ(read("first/config.yaml"), read("second/config.yaml"));
    EXPECT_EQ(read("first/config.yaml"), read("third/config.yaml"));
    EXPECT_EQ(text("first", "identity.stats_hash"), text("second", "identity.stats_hash"));
    EXPECT_EQ(text("first", "identity.sim_hash"), text("third", "identity.sim_hash"));
}

TEST_F(Cli, ExplainSaysWhereAValueComesFromAndWhatFollows)
{
    const finished explained =
        spinnsim({"config", experiment("busy_chip"), "--explain", "--set", "clock.sdram=166 MHz"});
    EXPECT_EQ(explained.status, 0);
    EXPECT_NE(explained.out.find("busy_chip.yaml:"), std::string::npos);
    EXPECT_NE(explained.out.find("--set"), std::string::npos);
    EXPECT_NE(explained.out.find("SDRAM peak: 1328.0 MB/s"), std::string::npos) << explained.out;
}

/* A command line that cannot write its output ends with a message and this status. */
static void expect_lost(const std::string &command, int status, const std::string &folder)
{
    for (const char *output : {">/dev/full", ">&-"}) {
        const std::string line = command + " " + output;
        const finished result = run_command({"sh", "-c", line}, folder);
        EXPECT_EQ(result.status, status) << line << result.err;
        EXPECT_NE(result.err.find("spinnsim: standard output: cannot write"), std::string::npos)
            << line << result.err;
    }
}

/* A full disk, and a stream that the caller has closed: no file gets what was meant for it. */
TEST_F(Cli, OutputThatCannotBeWrittenIsAnError)
{
    const std::string idle = experiment("idle_chip");
    run(idle, "before");
    const std::string program = shell_word(SPINN_PROGRAM);
    const std::string file = shell_word(idle);
    for (const std::string &command :
         {"run " + file + " --out out", "config " + file, "config --explain " + file,
          std::string("report before"), std::string("energy before"),
          std::string("energy before --format csv"), std::string("--help"), std::string("version"),
          std::string("man"), std::string("diff before before"), std::string("columns"),
          "sweep --list --axis seed=1,2 " + file,
          "network " + shell_word(SPINN_SOURCE_DIR "/configs/networks/lenet1.yaml")}) {
        expect_lost(program + " " + command, 1, folder);
    }
    for (const std::string &command : COMMANDS) {
        expect_lost(program + " " + command + " --help", command == "elf" ? 111 : 1, folder);
    }
    EXPECT_EQ(read("out/config.yaml"), read("before/config.yaml"));
    EXPECT_EQ(run_command({"sh", "-c", program + " config nowhere.yaml >&-"}, folder).status, 2);
}

/* What a shell limits is said, not a signal.  The outputs are pipes: files may not grow. */
TEST_F(Cli, LimitsOfTheShellHaveMessages)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    const std::string run = "run " + shell_word(experiment("idle_chip")) + " --out ";
    const std::string elf = "elf " + shell_word(program("test_zeros"));
    const struct {
        std::string limit, command, said;
    } cases[] = {
        {"-s 64", run + "s",
         "spinnsim: the stack is limited to 64 KiB, and 2048 are needed\n"
         "    hint: ulimit -s 8192 in the shell that starts this program\n1\n"},
        {"-s 64", elf,
         "spinnsim: the stack is limited to 64 KiB, and 2048 are needed\n"
         "    hint: ulimit -s 8192 in the shell that starts this program\n111\n"},
        {"-s 2048", "version >/dev/null", "0\n"},
        {"-f 0", run + "f", "spinnsim: f/config.yaml: cannot write: File too large\n1\n"},
    };
    for (const auto &at : cases) {
        const std::string line = "(ulimit " + at.limit + "; " + shell_word(SPINN_PROGRAM) + " " +
                                 at.command + "; echo $?) 2>&1 | cat";
        const finished result = run_command({"sh", "-c", line}, folder);
        const size_t from = result.out.size() - std::min(result.out.size(), at.said.size());
        EXPECT_EQ(result.out.substr(from), at.said) << line << "\n" << result.out;
    }
    EXPECT_FALSE(exists("s"));
    const finished late = run_command({"sh", "-c",
                                       "ulimit -t 2; exec " + shell_word(SPINN_PROGRAM) + " run " +
                                           shell_word(program("test_endless")) + " --out t"},
                                      folder);
    EXPECT_EQ(late.status, -1) << "ended by a signal";
    EXPECT_EQ(late.err, "spinnsim: the processor time is used up (ulimit -t)\n");
}
