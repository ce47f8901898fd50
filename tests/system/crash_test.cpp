/* crash_test.cpp - crash.txt: what a run that has failed, or was given up, tells of its end; and
 * the same of `spinnsim elf`.  The whole texts stand in tests/system/crashes; SPINNSIM_BLESS=1
 * writes them anew. */
#include "tests/system/program.h"

#include <cstdlib>
#include <fstream>
#include <regex>

class Crash : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    /* Compares with the recorded text. */
    static void is_recorded(const std::string &name, const std::string &text)
    {
        const std::string path =
            std::string(SPINN_SOURCE_DIR) + "/tests/system/crashes/" + name + ".txt";
        if (getenv("SPINNSIM_BLESS") != nullptr) {
            std::ofstream(path) << text;
        }
        EXPECT_EQ(text, read_text(path)) << name;
    }

    /* The text of a run of such a program that ends with this status: the same in each tier, and on
     * two threads. */
    std::string crash(const std::string &kind, int status, const words &more = {}) const
    {
        words command = {"run", program("test_crash_" + kind), "--out", "out"};
        command.insert(command.end(), more.begin(), more.end());
        const finished result = spinnsim(command);
        EXPECT_EQ(result.status, status) << result.err;
        const std::string text = read("out/crash.txt");
        EXPECT_NE(result.err.find(text), std::string::npos) << "on the console, too";
        command[3] = "again";
        command.insert(command.end(), {"--threads", "2", "--tier", "interpreter"});
        EXPECT_EQ(spinnsim(command).status, status);
        EXPECT_EQ(read("again/crash.txt"), text);
        EXPECT_TRUE(matches_manifest("out"));
        return text;
    }

    /* Of `spinnsim elf`: what stands between the message and the counts. */
    std::string flat_crash(const std::string &kind, int status, const words &more = {}) const
    {
        words command = {"elf", program("test_crash_flat_" + kind)};
        command.insert(command.end(), more.begin(), more.end());
        const finished result = spinnsim(command);
        EXPECT_EQ(result.status, status) << result.err;
        const size_t begin = result.err.find("\nwhat ");
        const size_t end = result.err.rfind("instructions ");
        EXPECT_NE(begin, std::string::npos) << result.err;
        if (begin == std::string::npos) {
            return "";
        }
        return result.err.substr(begin + 1, end - begin - 1);
    }
};

/* ---- what the texts are about ---- */

TEST_F(Crash, ADataAbortShowsItsCallersWithLines)
{
    const std::string text = crash("DATA", 3);
    is_recorded("data", text);
    static const std::regex CALLERS("backtrace\n"
                                    "  #0  0x[0-9a-f]{8}  inner\\+0x[0-9a-f]+  "
                                    "tests/system/guests/crash.c:[0-9]+\n"
                                    "  #1  0x[0-9a-f]{8}  middle\\+0x[0-9a-f]+  "
                                    "tests/system/guests/crash.c:[0-9]+\n"
                                    "  #2  0x[0-9a-f]{8}  outer\\+0x[0-9a-f]+  "
                                    "tests/system/guests/crash.c:[0-9]+\n"
                                    "  #3  0x[0-9a-f]{8}  c_main\\+0x[0-9a-f]+  "
                                    "tests/system/guests/crash.c:[0-9]+\n");
    EXPECT_TRUE(std::regex_search(text, CALLERS)) << text;
}

TEST_F(Crash, AnUndefinedInstruction)
{
    is_recorded("undefined", crash("UNDEFINED", 3));
}

TEST_F(Crash, AJumpToNowhereShowsFromWhere)
{
    const std::string text = crash("PREFETCH", 3);
    is_recorded("prefetch", text);
    EXPECT_NE(text.find("#0  0x50000000  0x50000000\n"), std::string::npos) << text;
    EXPECT_NE(text.find("(by the link register)"), std::string::npos) << text;
}

TEST_F(Crash, AnErrorOfTheRuntimeIsNamed)
{
    const std::string text = crash("ERROR", 3);
    is_recorded("error", text);
    EXPECT_NE(text.find("error     13, RTE_SWERR: software error\n"), std::string::npos) << text;
}

TEST_F(Crash, AProgramThatWaitsForNothing)
{
    is_recorded("sleep", crash("SLEEP", 3));
}

TEST_F(Crash, ALimitShowsWhereTheProgramIs)
{
    is_recorded("endless", crash("ENDLESS", 4, {"--set", "run.simulated_time_limit=1 ms"}));
}

TEST_F(Crash, AWatchdogThatResetsTheChipIsNamed)
{
    const std::string text = crash("WATCHDOG", 3);
    is_recorded("watchdog", text);
    EXPECT_NE(text.find("the chip was reset last by the watchdog\n"), std::string::npos) << text;
}

TEST_F(Crash, TwoCoresAreInOrderAndOneIsShown)
{
    write("two.yaml", "name: two\ninclude: [boards/one_chip.yaml, energy/spinnaker1.yaml]\napp: "
                      "[{file: test_crash_SLEEP.elf, cores: 3}, {file: test_crash_ERROR.elf, "
                      "cores: 1-2}]\n");
    EXPECT_EQ(spinnsim({"run", "two.yaml", "--out", "out"}).status, 3);
    is_recorded("two", read("out/crash.txt"));
}

/* A ring with a gap: the packet of core 5 has no route.  All wait, and one has packets to show. */
TEST_F(Crash, ADeadlockShowsPacketsAndWaits)
{
    write("gap.yaml", "name: gap\ninclude: [boards/one_chip.yaml, energy/spinnaker1.yaml]\n"
                      "app: [{file: ring.elf, cores: 1-5}]\n");
    EXPECT_EQ(spinnsim({"run", "gap.yaml", "--out", "out"}).status, 3);
    is_recorded("gap", read("out/crash.txt"));
}

/* ---- what is not shown, and when there is no file ---- */

TEST_F(Crash, ALongRunIsNotRunAgain)
{
    const std::string text = crash("DATA", 3, {"--set", "record.crash_replay=10"});
    EXPECT_NE(text.find("\nlast instructions and packets: the run has executed "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(" --set record.crash_replay="), std::string::npos) << text;
    EXPECT_EQ(text.find("\nlast instructions\n"), std::string::npos);
}

TEST_F(Crash, AGoodRunHasNoFile)
{
    run(program("hello"), "good");
    EXPECT_FALSE(exists("good/crash.txt"));
    EXPECT_EQ(read("good/manifest.csv").find("crash"), std::string::npos);
}

TEST_F(Crash, CountsAreThoseOfTheRunAlone)
{
    (void)crash("DATA", 3);
    const std::string hash = text("out", "identity.stats_hash");
    (void)crash("DATA", 3, {"--set", "record.crash_replay=0", "--force"});
    EXPECT_EQ(text("out", "identity.stats_hash"), hash);
}

/* ---- spinnsim elf ---- */

TEST_F(Crash, ElfShowsCallersRegistersAndInstructions)
{
    is_recorded("flat_data", flat_crash("DATA", 113));
    is_recorded("flat_undefined", flat_crash("UNDEFINED", 113));
    is_recorded("flat_prefetch", flat_crash("PREFETCH", 113));
    for (const char *tier : {"interpreter", "everything"}) {
        is_recorded("flat_data", flat_crash("DATA", 113, {"--tier", tier}));
    }
}

TEST_F(Crash, ElfAtALimit)
{
    const std::string text = flat_crash("ENDLESS", 114, {"--max-instructions", "100000"});
    is_recorded("flat_endless", text);
    for (const char *tier : {"interpreter", "everything"}) {
        EXPECT_EQ(flat_crash("ENDLESS", 114, {"--max-instructions", "100000", "--tier", tier}),
                  text);
    }
}

/* ---- lines, against another reader ---- */

/* Programs that lie above address 0x8000: there the other reader is not misled by discarded
 * code. */
TEST_F(Crash, LinesAreThoseOfAddr2line)
{
    const std::string tool = "arm-none-eabi-addr2line";
    if (run_command({tool, "--version"}, folder).status != 0) {
        GTEST_SKIP() << tool << " is missing";
    }
    const finished result = spinnsim({"elf", program("test_crash_flat_DATA")});
    static const std::regex FRAME("#[0-9]+ +0x([0-9a-f]{8})  [a-z_+0-9x]+  ([^ \n]+:[0-9]+)");
    unsigned frames = 0;
    for (std::sregex_iterator at(result.err.begin(), result.err.end(), FRAME), end; at != end;
         ++at) {
        char address[16];
        const unsigned long pc = std::stoul((*at)[1], nullptr, 16);
        (void)snprintf(address, sizeof address, "%lx", frames == 0 ? pc : pc - 2);
        const finished other =
            run_command({tool, "-e", program("test_crash_flat_DATA"), address}, folder);
        std::string line = other.out.substr(0, other.out.find_first_of(" \n"));
        while (line.rfind("./", 0) == 0) {
            line.erase(0, 2);
        }
        EXPECT_EQ(line, (*at)[2]);
        frames++;
    }
    EXPECT_GE(frames, 4u) << result.err;
}
