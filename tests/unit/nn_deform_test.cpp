/* Deformed images: exact pixels, and the limits of what is drawn. */
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

extern "C" {
#include "workloads/nn/deform.h"
}

namespace
{

using pixels = std::vector<uint8_t>;

enum { ONE = NN_DEFORM_ONE };

pixels deformed(const nn_affine &affine, uint32_t width, uint32_t height, const pixels &from)
{
    pixels to(from.size(), 77);
    nn_deform(&affine, width, height, from.data(), to.data());
    return to;
}

TEST(NnDeform, TheIdentityIsACopy)
{
    const pixels image = {1, 2, 3, 4, 5, 6, 255, 254, 253, 0, 11, 12};
    EXPECT_EQ(deformed({ONE, 0, ONE, 0, 0}, 4, 3, image), image);
    EXPECT_EQ(deformed({ONE, 0, ONE, 0, 0}, 3, 4, image), image);
}

/* Read one to the right: the image goes one to the left, and background comes in. */
TEST(NnDeform, ShiftsByWholePixels)
{
    const pixels image = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_EQ(deformed({ONE, 0, ONE, ONE, 0}, 3, 3, image), (pixels{2, 3, 0, 5, 6, 0, 8, 9, 0}));
    EXPECT_EQ(deformed({ONE, 0, ONE, 0, -ONE}, 3, 3, image), (pixels{0, 0, 0, 1, 2, 3, 4, 5, 6}));
}

/* 3/4 of one and 1/4 of its neighbour, to nearest: 2.5 is 3, 7.5 is 8. */
TEST(NnDeform, InterpolatesAndRoundsToNearest)
{
    const pixels image = {0, 10, 0, 255};
    EXPECT_EQ(deformed({ONE, 0, ONE, ONE / 4, 0}, 4, 1, image), (pixels{3, 8, 64, 191}));
    EXPECT_EQ(deformed({ONE, 0, ONE, 0, ONE / 2}, 1, 4, image), (pixels{5, 5, 128, 128}));
}

/* Twice the distance from the centre: between the pixels of an even width, through the middle one
 * of an odd width. */
TEST(NnDeform, ScalesAroundTheCentre)
{
    EXPECT_EQ(deformed({2 * ONE, 0, ONE, 0, 0}, 5, 1, {10, 20, 30, 40, 50}),
              (pixels{0, 10, 30, 50, 0}));
    EXPECT_EQ(deformed({2 * ONE, 0, ONE, 0, 0}, 4, 1, {10, 20, 30, 40}), (pixels{0, 15, 35, 0}));
}

TEST(NnDeform, ShearsRowsSideways)
{
    const pixels image = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_EQ(deformed({ONE, ONE, ONE, 0, 0}, 3, 3, image), (pixels{0, 1, 2, 4, 5, 6, 8, 9, 0}));
}

TEST(NnDeform, DrawsWithinTheLimitsAndReachesBothEnds)
{
    const nn_deformation limits = {2, 1, 0, 3};
    int32_t least[5] = {};
    int32_t most[5] = {};
    for (uint32_t i = 0; i < 1000; i++) {
        const nn_affine a = nn_affine_draw(&limits, 9, i);
        EXPECT_EQ(a.xx, a.yy); /* no squeeze */
        const int32_t drawn[] = {a.x, a.y, a.xx - ONE, 0, a.xy};
        for (size_t d = 0; d < 5; d++) {
            least[d] = std::min(least[d], drawn[d]);
            most[d] = std::max(most[d], drawn[d]);
        }
    }
    EXPECT_EQ(std::vector<int32_t>(least, least + 5), (std::vector<int32_t>{-2, -2, -1, 0, -3}));
    EXPECT_EQ(std::vector<int32_t>(most, most + 5), (std::vector<int32_t>{2, 2, 1, 0, 3}));
}

TEST(NnDeform, SqueezeGrowsOneSideAsTheOtherShrinks)
{
    const nn_deformation limits = {0, 0, ONE / 2, 0};
    for (uint32_t i = 0; i < 100; i++) {
        const nn_affine a = nn_affine_draw(&limits, 1, i);
        EXPECT_EQ(a.xx - ONE, ONE - a.yy);
        EXPECT_EQ(a.x | a.y | a.xy, 0);
    }
}

/* Each image has a map of its own, and each seed a stream of its own; the numbers are pinned. */
TEST(NnDeform, TheMapIsAFunctionOfSeedAndIndex)
{
    const nn_deformation limits = {2 * ONE, ONE / 8, ONE / 8, ONE / 4};
    const nn_affine a = nn_affine_draw(&limits, 5, 3);
    const nn_affine again = nn_affine_draw(&limits, 5, 3);
    const nn_affine other = nn_affine_draw(&limits, 6, 3);
    const nn_affine next = nn_affine_draw(&limits, 5, 4);
    EXPECT_EQ(std::vector<int32_t>({a.xx, a.xy, a.yy, a.x, a.y}),
              std::vector<int32_t>({again.xx, again.xy, again.yy, again.x, again.y}));
    EXPECT_NE(a.x, other.x);
    EXPECT_NE(a.x, next.x);
    EXPECT_EQ(std::vector<int32_t>({a.xx, a.xy, a.yy, a.x, a.y}),
              std::vector<int32_t>({66620, -6197, 57010, 12570, -38000}));
}

} // namespace
