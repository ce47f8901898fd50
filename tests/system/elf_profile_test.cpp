/* elf_profile_test.cpp - `spinnsim elf --profile` and `--profile-stacks`: every cycle once, in the
 * function and the stack that it was spent in. */
#include "tests/system/program.h"

/* In each tier the same. */
class ElfProfile : public SystemTest, public ::testing::WithParamInterface<const char *>
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

    /* A column of all rows but the first, added up. */
    static uint64_t sum(const std::string &csv, unsigned column)
    {
        uint64_t total = 0;
        const words rows = lines(csv);
        for (size_t i = 1; i < rows.size(); i++) {
            size_t at = 0;
            for (unsigned n = 0; n < column; n++) {
                at = rows[i].find(',', at) + 1;
            }
            total += std::stoull(rows[i].substr(at));
        }
        return total;
    }
};

INSTANTIATE_TEST_SUITE_P(Tiers, ElfProfile, ::testing::Values("interpreter", "everything"),
                         [](const auto &info) { return std::string(info.param); });

static const char HEADER[] = "function,address,instructions,cycles,calls,cycles_with_callees\n";

/* PUSH and POP {r4, pc} take 2 and 6 cycles, a branch that is taken 3, LDR pc 5, SWI 3. */
TEST_P(ElfProfile, EachFunctionHasItsOwnCyclesAndThoseOfItsCalls)
{
    const finished result = elf({program("test_profiled"), "--profile", "p.csv"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err, "instructions 60 cycles 149 region_instructions 0 region_cycles 0\n");
    EXPECT_EQ(read("p.csv"), std::string(HEADER) + "count_down,0x00008074,16,46,4,46\n"
                                                   "main,0x00008048,10,30,1,128\n"
                                                   "_start,0x00008000,14,21,1,149\n"
                                                   "halve,0x000080a8,4,12,1,16\n"
                                                   "leaf,0x00008084,4,8,2,8\n"
                                                   "landing,0x0000809c,3,6,1,6\n"
                                                   "0x00000000,0x00000000,1,5,1,5\n"
                                                   "leap,0x00008094,2,5,1,11\n"
                                                   "__halve_from_arm,0x000080b8,2,5,1,5\n"
                                                   "handler,0x00008090,1,4,1,4\n"
                                                   "quarter,0x000080b0,2,4,1,4\n"
                                                   "tail,0x0000808c,1,3,1,3\n");
}

TEST_P(ElfProfile, StacksAreThoseOfTheCalls)
{
    const finished result = elf({program("test_profiled"), "--profile-stacks", "stacks.txt"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(read("stacks.txt"), "_start 21\n"
                                  "_start;main 30\n"
                                  "_start;main;__halve_from_arm 5\n"
                                  "_start;main;halve 12\n"
                                  "_start;main;halve;quarter 4\n"
                                  "_start;main;count_down 12\n"
                                  "_start;main;count_down;count_down 12\n"
                                  "_start;main;count_down;count_down;count_down 12\n"
                                  "_start;main;count_down;count_down;count_down;count_down 10\n"
                                  "_start;main;tail 3\n"
                                  "_start;main;leaf 8\n"
                                  "_start;main;0x00000000 5\n"
                                  "_start;main;handler 4\n"
                                  "_start;main;leap 5\n"
                                  "_start;main;leap;landing 6\n");
}

TEST_P(ElfProfile, TheTableIsReadableAndTheCountStaysTheLastLine)
{
    const finished result = elf({program("test_profiled"), "--profile", "-"});
    EXPECT_EQ(result.status, 0);
    const words said = lines(result.err);
    ASSERT_EQ(said.size(), 14u) << result.err;
    EXPECT_EQ(said[0], "        cycles      %   instructions      calls   with callees  function");
    EXPECT_EQ(said[1],
              "            46  30.87             16          4             46  count_down");
    EXPECT_EQ(said[12], "             3   2.01              1          1              3  tail");
    EXPECT_EQ(said[13], "instructions 60 cycles 149 region_instructions 0 region_cycles 0");
}

/* Nothing is lost or changed by looking: a program with output and a region, stopped half-way. */
TEST_P(ElfProfile, RowsAddUpToTheCountWhichIsTheSameAsWithout)
{
    const words plain = {program("dense_int16"), "--count", "begin:multiply", "--max-instructions",
                         "300000"};
    words profiled = plain;
    profiled.insert(profiled.end(), {"--profile", "p.csv", "--profile-stacks", "stacks.txt"});
    const finished without = elf(plain);
    const finished with = elf(profiled);
    EXPECT_EQ(without.status, 114);
    EXPECT_EQ(with.status, 114);
    EXPECT_EQ(with.err, without.err);
    unsigned long long instructions = 0;
    unsigned long long cycles = 0;
    ASSERT_EQ(sscanf(lines(with.err).back().c_str(), "instructions %llu cycles %llu", &instructions,
                     &cycles),
              2);
    EXPECT_EQ(instructions, 300000u);
    EXPECT_EQ(sum(read("p.csv"), 2), instructions);
    EXPECT_EQ(sum(read("p.csv"), 3), cycles);
    uint64_t stacks = 0;
    for (const std::string &line : lines(read("stacks.txt"))) {
        stacks += std::stoull(line.substr(line.rfind(' ')));
    }
    EXPECT_EQ(stacks, cycles);
}

/* A BL to its successor within a range is not seen to be one. */
TEST_P(ElfProfile, WithoutSymbolsAddressRangesTakeTheirPlace)
{
    ASSERT_EQ(run_command({"arm-none-eabi-strip", "-o", path("bare.elf"), program("test_profiled")})
                  .status,
              0);
    const finished result = elf({"bare.elf", "--profile", "p.csv"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(read("p.csv"), std::string(HEADER) + "0x00008000,0x00008000,59,144,11,149\n"
                                                   "0x00000000,0x00000000,1,5,1,5\n");
}

TEST_P(ElfProfile, ANameThatCannotBeWrittenIsFoundBeforeTheRun)
{
    const finished folder_missing = elf({program("test_profiled"), "--profile", "no/p.csv"});
    EXPECT_EQ(folder_missing.status, 112);
    EXPECT_NE(folder_missing.err.find("no/p.csv: cannot write"), std::string::npos)
        << folder_missing.err;
    const finished device = elf({program("test_profiled"), "--profile-stacks", "/dev/full"});
    EXPECT_EQ(device.status, 112);
    EXPECT_NE(device.err.find("/dev/full: cannot write"), std::string::npos) << device.err;
    EXPECT_TRUE(files(".").empty());
}
