/* mapping_train_share_test.cpp - how members of a group share what goes between chips: units of
 * dense layers, and blocks that several members have. */
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/mapping/train_piece.h"
#include "sim/mapping/train_share.h"
}

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <vector>

namespace
{

std::vector<uint32_t> units(struct train_load *load, uint32_t number, uint32_t words)
{
    std::vector<uint32_t> count(load->members);
    train_share_units(load, number, words, count.data());
    return count;
}

std::vector<uint32_t> block(struct train_load *load, uint32_t twins, uint32_t words)
{
    std::vector<uint32_t> count(load->members, 77);
    train_share_block(load, twins, words, count.data());
    return count;
}

/* Six members send in turns on the first ring, five on the others: 120 units are 40 a ring, 8 for a
 * member of five.  The next layer's units go first to those that have one less. */
TEST(TrainShare, UnitsFillAllRingsAlike)
{
    struct train_load load = {16, 3, {}};
    EXPECT_EQ(units(&load, 120, 401),
              (std::vector<uint32_t>{7, 8, 8, 7, 8, 8, 7, 8, 8, 7, 8, 8, 6, 8, 8, 6}));
    EXPECT_EQ(load.words[0], 7u * 401);
    EXPECT_EQ(units(&load, 84, 131),
              (std::vector<uint32_t>{4, 6, 6, 4, 6, 6, 3, 6, 6, 3, 6, 6, 5, 6, 6, 5}));
}

TEST(TrainShare, FewUnitsLeaveMembersWithoutAny)
{
    struct train_load load = {4, 1, {30, 0, 0, 0}};
    EXPECT_EQ(units(&load, 2, 10), (std::vector<uint32_t>{0, 1, 1, 0}));
}

TEST(TrainShare, FewMembersUseAsManyRings)
{
    struct train_load load = {2, 3, {}};
    EXPECT_EQ(units(&load, 7, 10), (std::vector<uint32_t>{4, 3}));
}

/* Members 0 and 3 are on the same of three rings, so a word of theirs takes twice as long. */
TEST(TrainShare, ABlockGoesToTwinsThatEndFirst)
{
    struct train_load load = {4, 3, {10, 14, 30, 12}};
    EXPECT_EQ(block(&load, 0x3, 10), (std::vector<uint32_t>{2, 8, 0, 0}));
    EXPECT_EQ(load.words[1], 22u);
    EXPECT_EQ(block(&load, 0x9, 6), (std::vector<uint32_t>{4, 0, 0, 2}));
    EXPECT_EQ(block(&load, 0, 6), (std::vector<uint32_t>{0, 0, 0, 0})) << "nobody's";
}

struct division {
    uint32_t members, at_once, rings;
    double over; /* when the last member ends: times a perfect division's time */
};

/* Where blocks of twins are in the shares of exactly one of them, all parameters of the network are
 * exchanged once, and all rings carry as many. */
void expect_all_once(const std::string &name, const struct division &is)
{
    std::ifstream file(networks_folder() + "/" + name + ".yaml");
    const test_network network({std::istreambuf_iterator<char>(file), {}});
    const struct train_sharing sharing = {is.members, is.at_once, false, is.rings, false};
    uint32_t *bounds = nullptr;
    uint32_t stages = 0;
    struct diagnostic diagnostic = {};
    std::map<uint32_t, unsigned> seen;
    uint64_t end = 0;
    ASSERT_EQ(train_bounds_make(network.table, &sharing, &bounds, &stages, &diagnostic), STATUS_OK);
    for (uint32_t m = 0; m < is.members; m++) {
        struct train_piece piece;
        ASSERT_EQ(train_piece_make(network.table, bounds, &sharing, m, &piece, &diagnostic),
                  STATUS_OK);
        const uint32_t words = piece.count - piece.first;
        EXPECT_EQ(words % TRAIN_PIECE_BLOCK, 0u);
        for (uint32_t i = 0; i < words; i++) {
            seen[piece.owned_origin[i]]++;
        }
        const uint32_t on_ring = (is.members + is.rings - 1 - m % is.rings) / is.rings;
        end = std::max<uint64_t>(end, uint64_t(words) * on_ring * is.rings);
        train_piece_deinit(&piece);
    }
    seen.erase(TRAIN_PIECE_FILLER);
    EXPECT_EQ(seen.size(), network.parameters());
    for (const auto &[place, count] : seen) {
        ASSERT_EQ(count, 1u) << place;
    }
    EXPECT_LT(static_cast<double>(end), is.over * static_cast<double>(network.parameters()));
    free(bounds);
}

TEST(TrainShare, AllThatTwinsHaveIsExchangedOnce)
{
    expect_all_once("lenet5", {16, 2, 3, 1.02});
    expect_all_once("lenet4", {16, 4, 3, 1.02});
    expect_all_once("lenet5", {12, 1, 3, 1.05});
    expect_all_once("lenet1", {6, 1, 3, 1.2});
    expect_all_once("lenet1", {16, 1, 1, 1.31});
}

} // namespace
