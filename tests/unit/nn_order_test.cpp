/* The order of training images: each once an epoch, from the right shard, another one each time. */
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

extern "C" {
#include "workloads/nn/order.h"
}

namespace
{

std::vector<uint32_t> epoch_of(const struct nn_order &order, uint32_t epoch)
{
    std::vector<uint32_t> images;
    for (uint32_t q = 0; q < order.images; q++) {
        images.push_back(nn_order_image(&order, epoch, q));
    }
    return images;
}

TEST(NnOrder, EachImageComesOnceAnEpochFromTheShardOfItsPosition)
{
    for (const uint32_t images : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 47u, 48u, 49u, 95u, 96u, 97u,
                                  1000u, 1023u, 1025u, 60000u}) {
        for (const uint32_t shards : {1u, 2u, 3u, 16u, 48u, 768u, 1000u}) {
            for (const uint32_t epoch : {0u, 1u, 19u}) {
                const struct nn_order order = {7, images, shards};
                const std::vector<uint32_t> drawn = epoch_of(order, epoch);
                const uint32_t used = std::min(shards, images);
                std::vector<uint32_t> times(images);
                for (uint32_t q = 0; q < images; q++) {
                    ASSERT_LT(drawn[q], images);
                    ASSERT_EQ(drawn[q] % used, q % used);
                    times[drawn[q]]++;
                }
                ASSERT_EQ(times, std::vector<uint32_t>(images, 1));
            }
        }
    }
}

/* How many positions two orders have in common: of n images about 1, whatever n. */
uint32_t common(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b)
{
    uint32_t count = 0;
    for (size_t i = 0; i < a.size(); i++) {
        count += a[i] == b[i];
    }
    return count;
}

TEST(NnOrder, IsAnotherOneForEachEpochSeedAndShard)
{
    const struct nn_order order = {1, 60000, 48};
    const struct nn_order other_seed = {2, 60000, 48};
    const std::vector<uint32_t> first = epoch_of(order, 0);
    EXPECT_LT(common(first, epoch_of(order, 1)), 100u); /* 48 shards: about 48 */
    EXPECT_LT(common(first, epoch_of(other_seed, 0)), 100u);
    std::vector<uint32_t> shard_0;
    std::vector<uint32_t> shard_1;
    for (uint32_t q = 0; q < order.images; q += 48) {
        shard_0.push_back(first[q] / 48);
        shard_1.push_back(first[q + 1] / 48);
    }
    EXPECT_LT(common(shard_0, shard_1), 10u);
    EXPECT_EQ(first, epoch_of(order, 0));
}

/* Each position of a shard meets all its images equally often. */
TEST(NnOrder, IsEven)
{
    enum { IMAGES = 1250, BINS = 10, OF_EACH = 200, EPOCHS = OF_EACH * BINS };
    for (const uint32_t position : {0u, 1u, 624u, 1249u}) {
        uint32_t bin[BINS] = {};
        const struct nn_order order = {3, IMAGES, 1};
        for (uint32_t epoch = 0; epoch < EPOCHS; epoch++) {
            bin[size_t{nn_order_image(&order, epoch, position)} * BINS / IMAGES]++;
        }
        for (const uint32_t times : bin) { /* 200 +- 13.4: five deviations */
            EXPECT_NEAR(times, OF_EACH, 67) << position;
        }
    }
}

/* Neighbours in an epoch are not neighbours in the set more often than chance. */
TEST(NnOrder, ForgetsTheOrderOfTheSet)
{
    const struct nn_order order = {5, 20000, 1};
    const std::vector<uint32_t> drawn = epoch_of(order, 0);
    uint32_t rising = 0;
    uint32_t next = 0;
    for (size_t q = 1; q < drawn.size(); q++) {
        rising += drawn[q] > drawn[q - 1];
        next += drawn[q] == drawn[q - 1] + 1;
    }
    EXPECT_NEAR(rising, 10000, 200); /* the deviation is 41 */
    EXPECT_LT(next, 8u);             /* 1 is expected */
}

TEST(NnOrder, IsPinned)
{
    const struct nn_order order = {1, 60000, 48};
    std::vector<uint32_t> drawn;
    for (const uint32_t q : {0u, 1u, 2u, 191u, 192u, 59999u}) {
        drawn.push_back(nn_order_image(&order, 0, q));
        drawn.push_back(nn_order_image(&order, 4, q));
    }
    EXPECT_EQ(drawn, (std::vector<uint32_t>{36192, 30768, 36433, 29857, 3122, 22466, 2303, 48383,
                                            43824, 16560, 52799, 25919}));
}

} // namespace
