/* mapping_trees_test.cpp - trees of chips, one to each root, and what their cores are told. */
#include "tests/unit/routing_fixture.h"

#include <gtest/gtest.h>
#include <numeric>

#include "sim/mapping/exchange_plans.h"

using namespace routes;

namespace
{

class Trees
{
  public:
    explicit Trees(const Chips &chips, std::vector<uint32_t> some = {})
    {
        if (some.empty()) {
            some.resize(chips.get()->count);
            std::iota(some.begin(), some.end(), 0u);
        }
        made = trees_make(&trees, chips.get(), some.data(), some.size(), &why);
    }
    ~Trees()
    {
        trees_deinit(&trees);
    }
    Trees(const Trees &) = delete;
    Trees &operator=(const Trees &) = delete;

    struct trees trees = {};
    diagnostic why = {};
    status made;
};

/* Place of the neighbour at a link. */
size_t next_of(const Chips &chips, const trees &trees, size_t place, unsigned link)
{
    const int32_t chip = chips.get()->chip[trees.chip[place]].neighbour[link];
    return static_cast<size_t>(
        std::find(trees.chip, trees.chip + trees.chips, static_cast<uint32_t>(chip)) - trees.chip);
}

/* Hops from a chip up to the root; more than there are chips: it is not reached. */
unsigned depth(const Chips &chips, const trees &trees, size_t root, size_t place)
{
    unsigned hops = 0;
    while (place != root && hops <= trees.chips) {
        const unsigned link = trees_node(&trees, root, place)->parent;
        const size_t above = next_of(chips, trees, place, link);
        EXPECT_TRUE(trees_node(&trees, root, above)->children >> topology_opposite(link) & 1);
        place = above;
        hops++;
    }
    return hops;
}

} // namespace

TEST(MappingTrees, OfASpin5AreShortAndLoadLinksEqually)
{
    const Chips chips(spin5());
    const Trees all(chips);
    ASSERT_EQ(all.made, STATUS_OK);
    unsigned deepest = 0;
    unsigned sum = 0;
    std::map<std::pair<size_t, unsigned>, unsigned> load;
    for (size_t root = 0; root < 48; root++) {
        size_t children = 0;
        for (size_t place = 0; place < 48; place++) {
            const unsigned hops = depth(chips, all.trees, root, place);
            deepest = std::max(deepest, hops);
            sum += hops;
            const exchange_tree_node *node = trees_node(&all.trees, root, place);
            children += static_cast<size_t>(__builtin_popcount(node->children));
            if (place != root) {
                load[{place, node->parent}]++;
            }
        }
        EXPECT_EQ(children, 47u);
    }
    EXPECT_EQ(deepest, 7u);
    EXPECT_NEAR(sum / (48.0 * 47), 3.66, 0.01) << "the mean distance on the board";
    unsigned most = 0;
    for (const auto &link : load) {
        most = std::max(most, link.second);
    }
    EXPECT_EQ(all.trees.most, most);
    EXPECT_GE(most, 16u) << "a corner has three links for 47 trees";
    EXPECT_LE(most, 18u);
}

TEST(MappingTrees, NeedChipsThatLinksJoin)
{
    const Chips chips(rectangle(3, 1));
    const Trees pair(chips, {2, 1});
    ASSERT_EQ(pair.made, STATUS_OK);
    EXPECT_EQ(pair.trees.chip[0], 1u);
    EXPECT_EQ(trees_node(&pair.trees, 0, 1)->parent, 3u) << "west";
    EXPECT_EQ(trees_node(&pair.trees, 0, 0)->children, 1u) << "east";
    EXPECT_EQ(pair.trees.most, 1u);
    const Trees apart(chips, {0, 2});
    EXPECT_EQ(apart.made, STATUS_CONFIGURATION);
    EXPECT_STREQ(apart.why.text, "trees need chips that links join");
    EXPECT_EQ(Trees(chips, {1}).trees.most, 0u);
}

TEST(MappingTrees, TellEachCoreItsLinksAndItsSlot)
{
    const Chips chips(rectangle(3, 1));
    const Trees all(chips);
    const std::vector<uint8_t> physical = {1, 2, 1, 2, 1, 2};
    const std::vector<uint32_t> words = {10, 11};
    const exchange_request request = {chips.get(),  nullptr,   2,    physical.data(),
                                      words.data(), 0,         0.5,  136970,
                                      356000,       200000000, false};
    exchange_plans plan = {};
    diagnostic why = {};
    ASSERT_EQ(exchange_plans_on_trees(&plan, &request, &all.trees, 0x60001000, &why), STATUS_OK);
    const exchange_plan &middle = plan.plan[1 * 2 + 1];
    EXPECT_EQ(middle.chips, 3u);
    EXPECT_EQ(middle.position, 1u);
    EXPECT_EQ(middle.words, 11u);
    EXPECT_EQ(middle.send_key, 0x80000000u | 1 << 23 | 1 << 19);
    EXPECT_EQ(middle.open_key, 1u << 22 | 1u << 17 | 0x4000 | 58);
    EXPECT_EQ(middle.tree, 0x60001000u);
    EXPECT_EQ(middle.tree_first, 1u);
    /* 47.32 cycles a packet, half the pace, two cores; two of two slices go over one link. */
    EXPECT_EQ(all.trees.most, 2u);
    EXPECT_EQ(middle.slot_cycles, 190u);
    EXPECT_EQ(middle.phase_cycles, 95u);
    EXPECT_EQ(plan.edges.count, 2u * 2 * 4) << "four ways, two cores, words and signals";

    const Routes made(new routing);
    ASSERT_EQ(routing_make(made.get(), chips.get(), plan.edges.edge, plan.edges.count, &why),
              STATUS_OK)
        << why.text;
    const std::map<core_id, unsigned> west = {{core_id{0, 0, 2}, 1}};
    const std::map<core_id, unsigned> east = {{core_id{2, 0, 2}, 1}};
    const machine_core here = {1, 0, 2};
    EXPECT_EQ(reached(chips, *made, here, middle.send_key | 3 << 16 | 0x7fff), west);
    EXPECT_EQ(reached(chips, *made, here, middle.send_key | 0x8000), east);
    EXPECT_EQ(reached(chips, *made, here, (middle.open_key | 3 << 8) + 5), west);

    exchange_tree_node node[3];
    exchange_nodes(&all.trees, 1, node);
    EXPECT_EQ(node[1].parent, 3u) << "the first chip is the root of slice 1";
    EXPECT_EQ(node[2].children, 1u << 0 | 1u << 3) << "the middle one of slice 2";
    EXPECT_EQ(node[0].parent, 0u);
    exchange_plans_deinit(&plan);
}

TEST(MappingTrees, RefuseWhatHasNoKeys)
{
    const Chips chips(rectangle(2, 1));
    const Trees all(chips);
    const std::vector<uint8_t> physical(2 * 17, 1);
    std::vector<uint32_t> words(17, 1);
    exchange_request request = {chips.get(), nullptr, 17,     physical.data(), words.data(), 0,
                                0.5,         136970,  356000, 200000000,       false};
    exchange_plans plan = {};
    diagnostic why = {};
    EXPECT_EQ(exchange_plans_on_trees(&plan, &request, &all.trees, 4, &why), STATUS_CONFIGURATION);
    EXPECT_STREQ(why.text, "no keys for trees of 2 chips with 17 cores: up to 256 with 16");
    request.cores = 16;
    words[15] = EXCHANGE_WORDS_MAX + 1;
    why = {};
    EXPECT_EQ(exchange_plans_on_trees(&plan, &request, &all.trees, 4, &why), STATUS_CONFIGURATION);
    EXPECT_STREQ(why.text, "core 15 has 32767 words to exchange: up to 32766");
}
