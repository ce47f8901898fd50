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

} // namespace
