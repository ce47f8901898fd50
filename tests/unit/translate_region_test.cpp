/* translate_region_test.cpp - what is translated together (translate/region.h). */
#include "tests/unit/translate_fixture.h"

namespace
{

/* Straight code, a block each 32 instructions. */
unsigned straight(unsigned blocks)
{
    return translate_fixture().function(std::vector<uint32_t>(size_t{32} * blocks, nop()), blocks);
}

TEST(Region, AFunctionHasAllThatFollows)
{
    EXPECT_EQ(straight(1), 32u);
    EXPECT_EQ(straight(250), 8000u);
}

/* A jump into empty memory is a function without an end, for which compilers take minutes. */
TEST(Region, AFunctionIsBounded)
{
    EXPECT_EQ(straight(251), 8000u);
    EXPECT_EQ(straight(400), 8000u);
}

/* Each call through a register is a block of its own: finding where it returns makes room for more
 * blocks in the middle of the work, which only the sanitizers notice when it goes wrong. */
TEST(Region, AFunctionOfManyCallsIsWhole)
{
    constexpr unsigned CALLS = 1200;
    constexpr uint32_t BLX_R0 = 0xe12fff30;
    EXPECT_EQ(translate_fixture().function(std::vector<uint32_t>(CALLS, BLX_R0), CALLS), CALLS);
}

} // namespace
