/* elf_test.cpp - `spinnsim elf`: one core, one flat memory, semihosting. */
#include "tests/system/program.h"

class Elf : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }
};

TEST_F(Elf, TheProgramsOwnStatusIsTheExitStatusAndTheLastLineTheCount)
{
    const finished result = spinnsim({"elf", program("dense_int16"), "--count", "begin:end"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out, "");
    const words said = lines(result.err);
    ASSERT_FALSE(said.empty());
    unsigned long long instructions, cycles, region_instructions, region_cycles;
    ASSERT_EQ(sscanf(said.back().c_str(),
                     "instructions %llu cycles %llu region_instructions %llu region_cycles %llu",
                     &instructions, &cycles, &region_instructions, &region_cycles),
              4)
        << said.back();
    EXPECT_GT(instructions, region_instructions);
    EXPECT_GT(cycles, region_cycles);
    /* 20,000 rounds of 64 rows of 256 products, at least two instructions a product. */
    EXPECT_GT(region_instructions, 20000ull * 64 * 256 * 2);
}

TEST_F(Elf, ALimitOfInstructionsIsAFailureOfItsOwn)
{
    const finished result = spinnsim({"elf", program("dense_int16"), "--max-instructions", "1000"});
    EXPECT_EQ(result.status, 114);
    EXPECT_NE(result.err.find("instructions 1000 "), std::string::npos) << result.err;
}

TEST_F(Elf, AnotherMachinesProgramIsRefused)
{
    const finished result = spinnsim({"elf", SPINN_PROGRAM});
    EXPECT_EQ(result.status, 112);
    EXPECT_NE(result.err.find("ARM"), std::string::npos) << result.err;
}

/* Instructions are what --max-instructions counts, and none is ever completed. */
TEST_F(Elf, HandlersThatOnlyFaultAreTheEnd)
{
    const finished result =
        spinnsim({"elf", program("test_faulting"), "--max-instructions", "1000"});
    EXPECT_EQ(result.status, 113);
    EXPECT_NE(result.err.find("an undefined instruction at pc 0x00000004"), std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find("its handler does nothing but fault"), std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find("instructions 3 "), std::string::npos) << result.err;
}
