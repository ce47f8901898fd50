/* elf_trace_test.cpp - `spinnsim elf --trace`: what has been executed, and when. */
#include "tests/system/program.h"

/* In each tier the same. */
class ElfTrace : public SystemTest, public ::testing::WithParamInterface<const char *>
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    /* spinnsim elf with these arguments. */
    finished elf(const words &arguments) const
    {
        words command = {"elf", "--tier", GetParam()};
        command.insert(command.end(), arguments.begin(), arguments.end());
        return spinnsim(command);
    }
};

INSTANTIATE_TEST_SUITE_P(Tiers, ElfTrace, ::testing::Values("interpreter", "everything"),
                         [](const auto &info) { return std::string(info.param); });

static const char HEADER[] = "# cycle  takes  address  word      instruction and what it changed\n";
static const char LAST_LINE[] =
    "instructions 60 cycles 149 region_instructions 0 region_cycles 0\n";

TEST_P(ElfTrace, LinesHaveCyclesAddressWordTextAndChanges)
{
    const finished result =
        elf({program("test_profiled"), "--trace", "t.txt", "--trace-count", "16"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err, LAST_LINE);
    EXPECT_EQ(read("t.txt"),
              std::string(HEADER) +
                  "00008000 <_start>:\n"
                  "      0      1     8000  e59fd030  ldr sp, [pc, #48]               sp=0000d008\n"
                  "      1      1     8004  e3a00000  mov r0, #0\n"
                  "      2      1     8008  e59f102c  ldr r1, [pc, #44]               r1=00008090\n"
                  "      3      2     800c  e5801028  str r1, [r0, #40]\n"
                  "      5      1     8010  e59f1028  ldr r1, [pc, #40]               r1=e59ff018\n"
                  "      6      2     8014  e5801008  str r1, [r0, #8]\n"
                  "      8      3     8018  eb00000a  bl 0x8048                       lr=0000801c\n"
                  "00008048 <main>:\n"
                  "     11      2     8048  e92d4010  push {r4, lr}                   sp=0000d000\n"
                  "     13      3     804c  eb000019  bl 0x80b8                       lr=00008050\n"
                  "000080b8 <__halve_from_arm>:\n"
                  "     16      1     80b8  e59fc000  ldr ip, [pc]                    ip=000080a9\n"
                  "     17      4     80bc  e12fff1c  bx ip                           "
                  "cpsr=000000f3\n"
                  "000080a8 <halve>:\n"
                  "     21      2     80a8  b510      push {r4, lr}                   sp=0000cff8\n"
                  "     23      1     80aa  f000      bl 0x80b0                       lr=000080ae\n"
                  "     24      3     80ac  f801      bl (second half)                lr=000080af\n"
                  "000080b0 <quarter>:\n"
                  "     27      1     80b0  0880      lsrs r0, r0, #2                 "
                  "cpsr=400000f3\n"
                  "     28      3     80b2  4770      bx lr\n");
}

static const char TAIL[] = "0000808c <tail>:\n"
                           "     90      3     808c  eafffffc  b 0x8084\n"
                           "00008084 <leaf>:\n"
                           "     93      1     8084  e1a00000  nop\n";

TEST_P(ElfTrace, ItBeginsAtASymbolAnAddressOrANumberOfInstructions)
{
    for (const char *from : {"tail", "0x808c", "36"}) {
        const finished result = elf({program("test_profiled"), "--trace", "t.txt", "--trace-from",
                                     from, "--trace-count", "2"});
        EXPECT_EQ(result.status, 0);
        EXPECT_EQ(result.err, LAST_LINE);
        EXPECT_EQ(read("t.txt"), std::string(HEADER) + TAIL) << from;
    }
}

TEST_P(ElfTrace, WhatIsNeverReachedLeavesTheHeaderOnly)
{
    for (const char *from : {"60", "0x9000"}) {
        const finished result =
            elf({program("test_profiled"), "--trace", "-", "--trace-from", from});
        EXPECT_EQ(result.status, 0);
        EXPECT_EQ(result.err, std::string(HEADER) + LAST_LINE) << from;
    }
}

TEST_P(ElfTrace, TheLastInstructionIsTheLastLine)
{
    const finished result = elf({program("test_profiled"), "--trace", "-", "--trace-from", "59"});
    EXPECT_EQ(result.err, std::string(HEADER) +
                              "00008034 <_start+0x34>:\n"
                              "    146      3     8034  ef123456  svc 0x00123456\n" +
                              LAST_LINE);
}

TEST_P(ElfTrace, ATracedRunIsTheSameRun)
{
    const words plain = {program("dense_int16"), "--count", "begin:multiply", "--max-instructions",
                         "400000"};
    words traced = plain;
    traced.insert(traced.end(),
                  {"--trace", "t.txt", "--trace-from", "begin", "--trace-count", "200"});
    const finished without = elf(plain);
    const finished with = elf(traced);
    EXPECT_EQ(with.status, without.status);
    EXPECT_EQ(with.err, without.err);
    const words said = lines(read("t.txt"));
    size_t instructions = 0;
    for (const std::string &line : said) {
        instructions += line[0] == ' ' ? 1 : 0;
    }
    EXPECT_EQ(instructions, 200u);
    EXPECT_NE(said.at(1).find(" <begin>:"), std::string::npos) << said.at(1);
}

TEST_P(ElfTrace, WrongRequestsAreRefused)
{
    const finished symbol =
        elf({program("test_profiled"), "--trace", "t.txt", "--trace-from", "nobody"});
    EXPECT_EQ(symbol.status, 112);
    EXPECT_NE(symbol.err.find("--trace-from: no symbol 'nobody'"), std::string::npos) << symbol.err;
    EXPECT_FALSE(exists("t.txt"));
    const finished alone = elf({program("test_profiled"), "--trace-count", "5"});
    EXPECT_EQ(alone.status, 112);
    EXPECT_NE(alone.err.find("--trace-from and --trace-count need --trace"), std::string::npos)
        << alone.err;
    const finished full = elf({program("test_profiled"), "--trace", "/dev/full"});
    EXPECT_EQ(full.status, 112);
    EXPECT_NE(full.err.find("/dev/full: cannot write"), std::string::npos) << full.err;
    const finished limited =
        elf({program("test_profiled"), "--trace", "/dev/full", "--max-instructions", "20"});
    EXPECT_EQ(limited.status, 112);
    EXPECT_NE(limited.err.find("warning: /dev/full: cannot write"), std::string::npos)
        << limited.err;
    EXPECT_NE(limited.err.find("stopped after 20 instructions"), std::string::npos) << limited.err;
}
