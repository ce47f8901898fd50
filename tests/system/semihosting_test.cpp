/* semihosting_test.cpp - what goes between a program under `spinnsim elf` and the host: input,
 * output, arguments, files, signals. */
#include "tests/support/shell_word.h"
#include "tests/system/program.h"

#include <csignal>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

class Semihosting : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (SPINN_HAVE_NEWLIB == 0) {
            GTEST_SKIP() << "no ARM programs with newlib were built: arm-none-eabi-gcc or "
                            "libnewlib-arm-none-eabi is missing";
        }
        SystemTest::SetUp();
    }

    /* The program, told what to do. */
    finished elf(const words &guest, const words &options = {}) const
    {
        words command = {"elf", program("test_semihosted")};
        command.insert(command.end(), options.begin(), options.end());
        command.push_back("--");
        command.insert(command.end(), guest.begin(), guest.end());
        return spinnsim(command);
    }

    /* The same within a shell's command; $elf runs the program. */
    finished shell(std::string script) const
    {
        static const std::string ELF = "$elf";
        const std::string elf =
            shell_word(SPINN_PROGRAM) + " elf " + shell_word(program("test_semihosted")) + " --";
        for (size_t at = script.find(ELF); at != std::string::npos; at = script.find(ELF, at)) {
            script.replace(at, ELF.size(), elf);
            at += elf.size();
        }
        return run_command({"sh", "-c", script}, folder);
    }

    /* Waits, for as long as a test may, until a file has this text. */
    bool comes_to_hold(const std::string &name, const std::string &text) const
    {
        for (int i = 0; i < 1000 && read(name) != text; i++) {
            usleep(10000);
        }
        return read(name) == text;
    }

    /* Starts the program, with its output in files, and sends a signal when a line is there. */
    int signalled(const std::string &what, int signal) const
    {
        const pid_t child = fork();
        if (child == 0) {
            if (chdir(folder.c_str()) == 0 && freopen("/dev/null", "r", stdin) != nullptr &&
                freopen("out", "w", stdout) != nullptr && freopen("err", "w", stderr) != nullptr) {
                const std::string elf = program("test_semihosted");
                execl(SPINN_PROGRAM, "spinnsim", "elf", elf.c_str(), "--", what.c_str(), "work",
                      static_cast<char *>(nullptr));
            }
            _exit(127);
        }
        EXPECT_TRUE(comes_to_hold("out", "whole\nbegun")) << read("out");
        kill(child, signal);
        int ended = 0;
        waitpid(child, &ended, 0);
        return ended;
    }
};

/* ---- input ---- */

TEST_F(Semihosting, BinaryInputIsExact)
{
    std::string bytes;
    uint32_t state = 1;
    for (int i = 0; i < 100000; i++) {
        state = state * 1664525 + 1013904223;
        bytes += (char)(state >> 24);
    }
    write("in", bytes);
    const finished result = shell("$elf copy <in");
    EXPECT_EQ(result.status, 0);
    EXPECT_TRUE(result.out == bytes);
    EXPECT_EQ(lines(result.err).at(0), "100000 bytes");
    EXPECT_TRUE(shell("cat in | $elf copy").out == bytes);
}

TEST_F(Semihosting, AReadGivesALineAtMost)
{
    write("in", std::string("ab\n\0c", 5));
    EXPECT_EQ(shell("$elf read_calls 1 <in").out, "1 1 1 1 1 end\n");
    EXPECT_EQ(shell("$elf read_calls 70000 <in").out, "3 2 end\n");
    EXPECT_EQ(shell("$elf read_calls 2 <in").out, "2 1 2 end\n");
    EXPECT_EQ(shell("$elf read_bytes <in").out, "97 98 10 0 99 end\n");
    EXPECT_EQ(shell("$elf read_calls 1 </dev/null").out, "end\n");
}

TEST_F(Semihosting, HowInputArrivesChangesNoCount)
{
    write("in", "first\nsecond\nthird");
    const finished whole = shell("$elf copy <in");
    const finished pieces = shell("(printf 'fir'; sleep 0.1; printf 'st\\nsec'; sleep 0.1; printf "
                                  "'ond\\nthird') | $elf copy");
    EXPECT_EQ(whole.out, pieces.out);
    EXPECT_EQ(whole.err, pieces.err);
}

/* ---- output ---- */

TEST_F(Semihosting, OutputIsThereWhenTheProgramFails)
{
    const finished result = elf({"unfinished", "undefined"});
    EXPECT_EQ(result.status, 113);
    EXPECT_EQ(result.out, "whole\nbegun");
}

TEST_F(Semihosting, OutputIsThereWhenTheProgramIsKilled)
{
    const int ended = signalled("unfinished", SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
    EXPECT_EQ(read("out"), "whole\nbegun");
}

TEST_F(Semihosting, ASignalEndsTheProgramAndSaysWhereItWas)
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        fs::remove(path("out"));
        const int ended = signalled("unfinished", signal);
        EXPECT_TRUE(WIFSIGNALED(ended) && WTERMSIG(ended) == signal) << ended;
        const words said = lines(read("err"));
        ASSERT_EQ(said.size(), 2u) << read("err");
        EXPECT_NE(
            said[0].find(std::string(": ended by SIG") + sigabbrev_np(signal) + " at pc 0x0000"),
            std::string::npos)
            << said[0];
        EXPECT_NE(said[0].find(" (unfinished+0x"), std::string::npos) << said[0];
        EXPECT_EQ(said[1].rfind("instructions ", 0), 0u) << said[1];
    }
}

TEST_F(Semihosting, ASignalEndsAProgramThatWaitsForInput)
{
    const finished result =
        shell("mkfifo pipe; $elf copy <pipe & exec 3>pipe; sleep 0.3; kill -TERM "
              "$!; wait $!; echo $?");
    EXPECT_EQ(result.out, "143\n");
    EXPECT_NE(result.err.find("ended by SIGTERM at pc"), std::string::npos) << result.err;
}

TEST_F(Semihosting, AClosedPipeEndsTheProgramQuietly)
{
    const finished result = shell("timeout 60 $elf numbers | head -n 2");
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out, "0\n1\n");
    EXPECT_EQ(result.err, "");
}

TEST_F(Semihosting, OutputThatIsLostIsSeenByTheProgramAndTheUser)
{
    const finished result = shell("$elf write_fails >/dev/full");
    EXPECT_EQ(result.status, 111);
    const words said = lines(result.err);
    ASSERT_EQ(said.size(), 3u) << result.err;
    EXPECT_EQ(said[0], "5 left, error 28");
    EXPECT_EQ(said[1], "spinnsim: some of the program's output is lost: cannot write standard "
                       "output: No space left on device");
    const finished limited = run_command(
        {"sh", "-c",
         shell_word(SPINN_PROGRAM) + " elf --max-instructions 200000 " +
             shell_word(program("test_semihosted")) + " -- unfinished endless >/dev/full"},
        folder);
    EXPECT_EQ(limited.status, 111);
    const words both = lines(limited.err);
    ASSERT_EQ(both.size(), 3u) << limited.err;
    EXPECT_EQ(both[0], "spinnsim: warning: some of the program's output is lost: cannot write "
                       "standard output: No space left on device");
    EXPECT_NE(both[1].find("stopped after 200000 instructions at pc 0x"), std::string::npos);
    EXPECT_EQ(shell("$elf numbers 3 >&-").status, 111);
    EXPECT_EQ(shell("$elf numbers 3 >/dev/null").status, 0);
}

/* ---- arguments ---- */

TEST_F(Semihosting, ArgumentsArriveAsTheyWere)
{
    EXPECT_EQ(
        elf({"arguments", "-a", "b  c", "", "it's", "say \"x\""}, {"--tier", "interpreter"}).out,
        "[test_semihosted.elf][arguments][-a][b  c][][it's][say \"x\"]\n");
    const finished none = spinnsim({"elf", program("test_semihosted"), "--"});
    EXPECT_EQ(none.status, 99);
    EXPECT_EQ(spinnsim({"elf", program("test_semihosted"), "arguments"}).status, 112);
    EXPECT_EQ(elf({"arguments", "a' \"b"}).status, 112);
}

TEST_F(Semihosting, ACommandLineThatDoesNotFitFails)
{
    const finished result = elf({"short_command_line"});
    EXPECT_EQ(result.out, "-1 7 ''\n");
    EXPECT_NE(result.err.find("the command line takes 39 bytes, the program has room for 4"),
              std::string::npos)
        << result.err;
}

/* ---- files ---- */

TEST_F(Semihosting, WithoutFilesEachIsRefusedAndTheUserHearsItOnce)
{
    write("there", "");
    const finished result = elf({"open_each", "r", "there", "missing"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out, "there 13\nmissing 13\n");
    const words said = lines(result.err);
    ASSERT_EQ(said.size(), 3u) << result.err;
    EXPECT_EQ(said[0], "spinnsim: warning: " + program("test_semihosted") +
                           ": the program asked for the file 'there': refused");
    EXPECT_EQ(said[1], "    hint: no host file is opened without --files DIR");
    EXPECT_EQ(elf({"open_each", "w", "new"}).out, "new 13\n");
    EXPECT_FALSE(exists("new"));
}

TEST_F(Semihosting, WithFilesNewlibHasThoseInTheFolder)
{
    fs::create_directory(path("lent"));
    const finished result = elf({"use_files"}, {"--files", "lent"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out, "length 10\nread 012abc6789\nrename 0\nagain -1 error 2\ngot 11\n"
                          "now 012abc6789!, end 1\ntemporary 1\nremove 0 -1\n");
    EXPECT_EQ(files("lent"), words{"b.txt"});
    EXPECT_EQ(read("lent/b.txt"), "012abc6789!");
    EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
}

TEST_F(Semihosting, WithFilesNothingOutsideTheFolderIsOpened)
{
    fs::create_directory(path("lent"));
    write("secret", "");
    write("lent/file", "");
    fs::create_symlink("../secret", path("lent/link"));
    const finished result =
        elf({"open_each", "r", "file", "missing", "../secret", path("secret"), "link", "/tmp/file"},
            {"--files", "lent"});
    EXPECT_EQ(result.out,
              "file 0\nmissing 2\n../secret 13\n" + path("secret") + " 13\nlink 13\n/tmp/file 0\n");
    EXPECT_NE(result.err.find("the program asked for the file '../secret': refused\n    hint: only "
                              "regular files inside the folder of --files"),
              std::string::npos)
        << result.err;
    EXPECT_EQ(elf({"open_many"}, {"--files", "lent"}).out, "64 then 24\n");
    EXPECT_EQ(elf({"arguments"}, {"--files", "nowhere"}).status, 112);
}

TEST_F(Semihosting, HandlesThatAreNoneAreErrors)
{
    const std::string bad = "close -1 error 9\nlength -1 error 9\nterminal -1 error 9\nseek -1 "
                            "error 9\nread 1\nwrite 1\n";
    EXPECT_EQ(elf({"handles"}).out,
              bad + bad + bad +
                  "is error 1\nis none 0\nconsole length 0\nconsole terminal 1\nconsole seek -1 "
                  "error 29\nconsole close 0\nread of output 1\nwrite of input 1\nhuge read -1 "
                  "error 14\nhuge write -16 error 14\nwrong mode -1 error 22\nhuge name -1 error "
                  "14\ntemporary name 0\ntmp007\ntoo short for it -1 error 22\nunknown -1 error "
                  "88\n");
}
