/* elf_faults_test.cpp - how `spinnsim elf` names what a program has done wrong, and where; regions
 * that are none; what a program may cost the host. */
#include "tests/support/processor_time.h"
#include "tests/system/program.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

class ElfFaults : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    /* What is said of a program that fails, without its path and the counts. */
    std::string message(const std::string &fault) const
    {
        const std::string elf = program("test_fault_" + fault);
        const finished result = spinnsim({"elf", elf});
        const std::string head = "spinnsim: " + elf + ": ";
        EXPECT_EQ(result.status, 113) << result.err;
        EXPECT_EQ(result.err.rfind(head, 0), 0u) << result.err;
        const size_t end = result.err.rfind("\ninstructions ");
        return result.err.substr(head.size(), end + 1 - head.size());
    }
};

TEST_F(ElfFaults, AnUnhandledSvcIsLocated)
{
    EXPECT_EQ(message("SVC"), "an unhandled SVC at pc 0x00008008 (faulty+0x4: svc 0x00000042), and "
                              "no handler is installed\n");
    EXPECT_EQ(message("THUMB_SVC"), "an unhandled SVC at pc 0x00008006 (faulty+0x2: svc 66), and "
                                    "no handler is installed\n");
}

TEST_F(ElfFaults, AnAccessSaysWhatItWasAndWhere)
{
    EXPECT_EQ(message("READ"), "a read of 12 bytes at 0x50000004, where nothing is, at pc "
                               "0x00008008 (faulty+0x4: ldmib r1, {r2, r3, r4}), and no handler is "
                               "installed\n");
    EXPECT_EQ(message("MISALIGNED"),
              "a misaligned read of 4 bytes at 0x00009003 at pc 0x00008018 (faulty+0x14: ldr r0, "
              "[r1, #3]), and no handler is installed\n");
}

TEST_F(ElfFaults, WhatOnlyAChipHasIsNamed)
{
    EXPECT_EQ(
        message("WRITE"),
        "a write of 2 bytes at 0x10000006, where nothing is, at pc 0x00008008 (faulty+0x4: "
        "strh r1, [r1, #6]), and no handler is installed\n"
        "    hint: it has accessed 0x10000006, which on a chip is the block COMMS and here is "
        "nothing; `spinnsim run FILE.elf` runs programs for a chip\n");
}

TEST_F(ElfFaults, AJumpSaysFromWhere)
{
    EXPECT_EQ(message("NOWHERE"), "a jump to nowhere at pc 0x50000000 (no symbol), lr 0x0000800c "
                                  "(faulty+0x8), and no handler is installed\n");
    EXPECT_EQ(
        message("NULL_CALL"),
        "a jump into the vectors (a null pointer to a function?) at pc 0x00000004 (no symbol: "
        "andeq r0, r0, r0), lr 0x0000800c (faulty+0x8), and no handler is installed\n");
}

TEST_F(ElfFaults, AStackWhereItDoesNotBelongIsNamed)
{
    EXPECT_EQ(message("STACK_IN_PROGRAM"),
              "an undefined instruction at pc 0x00008008 (faulty+0x4: .word 0xe7f000f0), and no "
              "handler is installed\n"
              "    hint: the stack has run into the program itself: sp 0x00008004 lies in its code "
              "or data (faulty)\n");
    EXPECT_EQ(
        message("STACK_IN_HEAP"),
        "an undefined instruction at pc 0x00008014 (faulty+0x10: .word 0xe7f000f0), and no "
        "handler is installed\n"
        "    hint: the stack has run into the heap's part of memory: sp 0x01000000 lies below "
        "0x0c000000, where the stack's part ends\n");
}

TEST_F(ElfFaults, AStackThatHasBeenWhereItDoesNotBelongIsNamed)
{
    const std::string elf = program("test_fault_STACK_COMES_BACK");
    for (const char *tier : {"interpreter", "translator"}) {
        const finished result = spinnsim({"elf", "--tier", tier, elf});
        EXPECT_EQ(result.status, 0);
        EXPECT_EQ(result.err.substr(0, result.err.find("instructions")),
                  "spinnsim: warning: " + elf +
                      ": the stack ran into the heap's part of memory: its lowest sp was "
                      "0x0bfffffc, below 0x0c000000, where the stack's part ends\n");
    }
}

TEST_F(ElfFaults, AProgramThatWaitsForNothingIsLocated)
{
    EXPECT_EQ(message("WAITS"), "the program waits for an interrupt that nothing can raise, at pc "
                                "0x00008008 (faulty+0x4: b 0x8004)\n");
}

TEST_F(ElfFaults, ALimitSaysWhereTheProgramWas)
{
    const finished result = spinnsim({"elf", program("test_fault_SVC"), "--max-instructions", "1"});
    EXPECT_EQ(result.status, 114);
    EXPECT_NE(result.err.find("stopped after 1 instructions at pc 0x00008004 (faulty: "),
              std::string::npos)
        << result.err;
}

TEST_F(ElfFaults, AProgramForAChipIsRefused)
{
    const finished result = spinnsim({"elf", program("hello")});
    EXPECT_EQ(result.status, 112);
    EXPECT_EQ(result.err, "spinnsim: " + program("hello") +
                              ": a program for a core of a chip: c_main() in ITCM, data in DTCM\n"
                              "    hint: `spinnsim run " +
                              program("hello") + "` runs it on a chip; `elf` has none\n");
}

/* Without symbols it is not known before it runs. */
TEST_F(ElfFaults, AProgramForAChipIsNamedByWhatItAccesses)
{
    ASSERT_EQ(
        run_command({"arm-none-eabi-objcopy", "--strip-all", program("hello"), "hello.elf"}, folder)
            .status,
        0);
    const finished result = spinnsim({"elf", "hello.elf", "--max-instructions", "100000"});
    EXPECT_NE(result.err.find("on a chip is the block DMA"), std::string::npos) << result.err;
}

/* A main() that calls a c_main() for the chip: a benchmark of boards in flat memory
 * (scripts/dhrystone.sh --published). */
TEST_F(ElfFaults, AProgramWithAMainOfItsOwnIsNotRefused)
{
    ASSERT_EQ(run_command({"arm-none-eabi-objcopy", "--add-symbol", "main=.text:0,function,global",
                           program("hello"), "hello.elf"},
                          folder)
                  .status,
              0);
    const finished result = spinnsim({"elf", "hello.elf", "--max-instructions", "100000"});
    EXPECT_EQ(result.status, 114);
    EXPECT_EQ(result.err.find("a program for a core of a chip"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("on a chip is the block DMA"), std::string::npos) << result.err;
}

/* ---- regions ---- */

TEST_F(ElfFaults, ARegionThatEndsBeforeItBeginsIsAnError)
{
    const finished result = spinnsim({"elf", program("test_profiled"), "--count", "tail:main"});
    EXPECT_EQ(result.status, 112);
    const words said = lines(result.err);
    ASSERT_EQ(said.size(), 3u) << result.err;
    EXPECT_NE(said[0].find("--count: the program has come to main, after 7 instructions, before it "
                           "has come to tail, after 36"),
              std::string::npos)
        << said[0];
    EXPECT_EQ(said[2], "instructions 60 cycles 149 region_instructions 0 region_cycles 0");
}

TEST_F(ElfFaults, ARegionThatIsNeverReachedIsAnError)
{
    for (const std::string &region : {std::string("0xffff0:main"), std::string("main:0xffff0")}) {
        const finished result = spinnsim({"elf", program("test_profiled"), "--count", region});
        EXPECT_EQ(result.status, 112);
        EXPECT_NE(result.err.find("--count: the program has not come to 0xffff0"),
                  std::string::npos)
            << result.err;
        EXPECT_EQ(lines(result.err).back(),
                  "instructions 60 cycles 149 region_instructions 0 region_cycles 0");
    }
}

/* ---- what has begun must end ---- */

/* Code that runs for the first time is slow: the program must look at signals there, too.  A second
 * of a run and its compiler is up to two of the processor; the signal adds a tenth. */
TEST_F(ElfFaults, ASignalEndsARunThroughZerosSoon)
{
    for (const char *tier : {"interpreter", "auto", "translator"}) {
        for (const char *name : {"test_zeros", "test_zeros_thumb"}) {
            const pid_t child = fork();
            if (child == 0) {
                (void)freopen("/dev/null", "w", stderr);
                execl(SPINN_PROGRAM, SPINN_PROGRAM, "elf", program(name).c_str(), "--tier", tier,
                      nullptr);
                _exit(127);
            }
            int ended = 0;
            const double before = processor_seconds_of_children();
            sleep(1);
            ASSERT_EQ(kill(child, SIGTERM), 0);
            ASSERT_EQ(waitpid(child, &ended, 0), child);
            EXPECT_TRUE(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGTERM) << name << ended;
            EXPECT_LT(processor_seconds_of_children() - before, 5) << name << " " << tier;
        }
    }
}

/* ---- memory ---- */

/* The most memory that a program's run has had, of it and of what it has started. */
static long peak_kib(const words &command)
{
    const pid_t child = fork();
    if (child == 0) {
        finished result = run_command(command);
        struct rusage usage;
        getrusage(RUSAGE_CHILDREN, &usage);
        _exit(result.status == 114 ? (int)(usage.ru_maxrss >> 14) : 255); /* in 16 MiB */
    }
    int ended = 0;
    waitpid(child, &ended, 0);
    EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) != 255);
    return (long)WEXITSTATUS(ended) << 14;
}

/* Blocks of 8 million different instructions take 110 bytes each, the bound is 64 MiB.  (What the
 * compiler takes for such a program in other tiers is its own.) */
TEST_F(ElfFaults, ARunThroughZerosTakesBoundedMemory)
{
    for (const char *name : {"test_zeros", "test_zeros_thumb"}) {
        EXPECT_LE(
            peak_kib({"env", "ASAN_OPTIONS=quarantine_size_mb=1", SPINN_PROGRAM, "elf",
                      program(name), "--tier", "interpreter", "--max-instructions", "8000000"}),
            200 << 10)
            << name;
    }
}
