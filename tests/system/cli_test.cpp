/* cli_test.cpp - commands, help and mistakes on the command line. */
#include "tests/support/shell_word.h"
#include "tests/system/program.h"

class Cli : public SystemTest
{
};

static const words COMMANDS = {"run",    "plot",   "energy", "regress",
                               "report", "config", "elf",    "vectors"};

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
        EXPECT_NE(help.out.find("  " + command), std::string::npos) << command;
    }
}

TEST_F(Cli, VersionIsOneLine)
{
    const finished version = spinnsim({"version"});
    EXPECT_EQ(version.status, 0);
    EXPECT_EQ(version.out.rfind("spinnsim ", 0), 0u);
    EXPECT_EQ(lines(version.out).size(), 1u);
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
          std::string("energy before --format csv"), std::string("--help"),
          std::string("run --help"), std::string("version")}) {
        for (const char *output : {">/dev/full", ">&-"}) {
            const std::string line = program + " " + command + " " + output;
            const finished result = run_command({"sh", "-c", line}, folder);
            EXPECT_EQ(result.status, 1) << line;
            EXPECT_NE(result.err.find("spinnsim: standard output: cannot write"), std::string::npos)
                << line << result.err;
        }
    }
    EXPECT_EQ(read("out/config.yaml"), read("before/config.yaml"));
    EXPECT_EQ(run_command({"sh", "-c", program + " config nowhere.yaml >&-"}, folder).status, 2);
}
