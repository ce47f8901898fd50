/* mapping_routing_test.cpp - keys, trees and tables: every edge's keys reach its targets, and
 * nobody else. */
#include "tests/unit/routing_fixture.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace routes;

namespace
{

/* Each edge's first, last and some other key reach its targets once, and nobody else. */
void expect_exact(const Chips &chips, const Edges &edges, const routing &made)
{
    for (size_t i = 0; i < made.edge_count; i++) {
        std::map<core_id, unsigned> expected;
        for (size_t t = 0; t < edges.list()[i].target_count; t++) {
            expected[id_of(edges.list()[i].target[t])] = 1;
        }
        const routing_edge &edge = made.edge[i];
        for (const uint32_t key :
             {edge.key, edge.key | ~edge.mask, edge.key | (~edge.mask & 0x55)}) {
            ASSERT_EQ(reached(chips, made, edge.source, key), expected) << edge.name;
        }
    }
}

uint32_t distance_between(const Chips &chips, unsigned from, unsigned to)
{
    std::vector<uint32_t> distance(chips.get()->count, UINT32_MAX);
    std::deque<unsigned> queue = {from};
    distance[from] = 0;
    while (!queue.empty()) {
        const unsigned at = queue.front();
        queue.pop_front();
        for (const int32_t next : chips.get()->chip[at].neighbour) {
            if (next >= 0 && distance[next] == UINT32_MAX) {
                distance[next] = distance[at] + 1;
                queue.push_back(static_cast<unsigned>(next));
            }
        }
    }
    return distance[to];
}

/* No chip of a tree is further from the source than it must be. */
void expect_shortest(const Chips &chips, const routing &made)
{
    for (size_t e = 0; e < made.edge_count; e++) {
        const routing_tree &tree = made.tree[e];
        std::map<uint32_t, uint32_t> depth = {{tree.hop[0].chip, 0}};
        for (size_t h = 1; h < tree.count; h++) {
            const topology_chip &chip = chips.get()->chip[tree.hop[h].chip];
            const auto before = static_cast<uint32_t>(chip.neighbour[tree.hop[h].arrival]);
            ASSERT_EQ(depth.count(before), 1u);
            depth[tree.hop[h].chip] = depth[before] + 1;
            ASSERT_EQ(depth[tree.hop[h].chip],
                      distance_between(chips, tree.hop[0].chip, tree.hop[h].chip));
        }
    }
}

std::string text_of(const routing &made)
{
    std::string text;
    for (size_t t = 0; t < made.table_count; t++) {
        const routing_table &table = made.table[t];
        text += std::to_string(table.x) + "," + std::to_string(table.y) + "\n";
        for (size_t i = 0; i < table.count; i++) {
            text += std::to_string(table.entry[i].key) + " " + std::to_string(table.entry[i].mask) +
                    " " + std::to_string(table.entry[i].route) + "\n";
        }
    }
    return text;
}

} // namespace

TEST(Routing, NothingMakesAnEmptyOne)
{
    const Chips chips(rectangle(2, 1));
    const Routes made = make(chips, Edges());
    EXPECT_EQ(made->edge_count, 0u);
    EXPECT_EQ(made->table_count, 0u);
}

TEST(Routing, StraightOnTakesNoEntry)
{
    const Chips chips(rectangle(5, 1));
    Edges edges;
    edges.add("row", {0, 0, 3}, {{4, 0, 1}, {4, 0, 2}}, 256);
    const Routes made = make(chips, edges);
    ASSERT_EQ(made->table_count, 2u) << "the first and the last chip";
    EXPECT_EQ(made->edge[0].key, 0u);
    EXPECT_EQ(made->edge[0].mask, 0xffffff00u);
    const routing_table &first = made->table[0];
    const routing_table &last = made->table[1];
    EXPECT_EQ(first.x, 0);
    ASSERT_EQ(first.count, 1u);
    EXPECT_EQ(first.entry[0].route, 1u << 0) << "by the link E";
    EXPECT_EQ(last.x, 4);
    ASSERT_EQ(last.count, 1u);
    EXPECT_EQ(last.entry[0].route, 1u << 7 | 1u << 8);
    EXPECT_EQ(made->tree[0].count, 5u);
    expect_exact(chips, edges, *made);
}

TEST(Routing, ATargetMayBeTheSourceAndMayBeNamedTwice)
{
    const Chips chips(rectangle(1, 1));
    Edges edges;
    edges.add("loop", {0, 0, 3}, {{0, 0, 4}, {0, 0, 3}, {0, 0, 4}});
    const Routes made = make(chips, edges);
    EXPECT_EQ(made->edge[0].target_count, 2u);
    ASSERT_EQ(made->table_count, 1u);
    EXPECT_EQ(made->table[0].entry[0].route, 1u << 9 | 1u << 10);
    expect_exact(chips, edges, *made);
}

TEST(Routing, BlocksOfKeysAreDisjointAndAligned)
{
    const Chips chips(rectangle(2, 2));
    Edges edges;
    const std::vector<uint32_t> keys = {1, 3, 256, 2, 257, 1, 64};
    for (const uint32_t count : keys) {
        edges.add(std::to_string(count), {0, 0, 1}, {{1, 1, 1}}, count);
    }
    const Routes made = make(chips, edges);
    /* The largest first, blocks of one size in the edges' order, no gaps. */
    const std::vector<uint32_t> expected = {0x346, 0x340, 0x200, 0x344, 0x000, 0x347, 0x300};
    const std::vector<uint32_t> sizes = {1, 4, 256, 2, 512, 1, 64};
    for (size_t i = 0; i < keys.size(); i++) {
        EXPECT_EQ(made->edge[i].key, expected[i]) << i;
        EXPECT_EQ(~made->edge[i].mask + 1, sizes[i]) << i;
    }
    expect_exact(chips, edges, *made);
}

TEST(Routing, KeysOfOnesOwnAreKeptClearOf)
{
    const Chips chips(rectangle(2, 1));
    Edges edges;
    edges.add("mine", {0, 0, 1}, {{1, 0, 1}}, 16);
    edges.fixed("low", {0, 0, 2}, {{1, 0, 2}}, 0x08, 0xfffffff8);
    edges.fixed("odd bits", {0, 0, 3}, {{1, 0, 3}}, 0x10, 0x00000070);
    const Routes made = make(chips, edges);
    EXPECT_EQ(made->edge[0].key, 0x20u);
    EXPECT_EQ(made->edge[1].key, 0x08u);
    EXPECT_EQ(made->edge[2].mask, 0x70u);
    expect_exact(chips, edges, *made);
}

TEST(Routing, RefusesKeysThatOverlap)
{
    const Chips chips(rectangle(2, 1));
    Edges edges;
    edges.fixed("first", {0, 0, 1}, {{1, 0, 1}}, 0x100, 0xffffff00);
    edges.fixed("apart", {0, 0, 1}, {{1, 0, 1}}, 0x200, 0xffffff00);
    edges.fixed("second", {0, 0, 2}, {{1, 0, 2}}, 0x1ff, 0xffffffff);
    const std::string text = refused(chips, edges).text;
    EXPECT_EQ(text, "the keys of the edges first (key 0x00000100 mask 0xffffff00) and second (key "
                    "0x000001ff mask 0xffffffff) overlap");
}

TEST(Routing, RefusesWhatCannotBe)
{
    const Chips chips(rectangle(2, 1));
    Edges edges;
    edges.add("gone", {0, 0, 1}, {{1, 1, 1}});
    EXPECT_STREQ(refused(chips, edges).text,
                 "the edge gone names core 1,1,1, which the machine does not have");
    EXPECT_STREQ(refused(chips, Edges().add("gone", {0, 0, 18}, {{1, 0, 1}})).text,
                 "the edge gone names core 0,0,18, which the machine does not have");
    EXPECT_STREQ(refused(chips, Edges().add("mute", {0, 0, 1}, {})).text,
                 "the edge mute has no targets");
    EXPECT_STREQ(refused(chips, Edges().add("none", {0, 0, 1}, {{1, 0, 1}}, 0)).text,
                 "the edge none has no keys");
    EXPECT_STREQ(refused(chips, Edges().fixed("never", {0, 0, 1}, {{1, 0, 1}}, 3, 1)).text,
                 "the edge never can have no packets: key 0x00000003 has bits that its mask "
                 "0x00000001 leaves open");
    EXPECT_STREQ(refused(chips, Edges()
                                    .fixed("even", {0, 0, 1}, {{1, 0, 1}}, 0, 1)
                                    .add("pair", {0, 0, 1}, {{1, 0, 1}}, 2))
                     .text,
                 "no block of 2 keys is left for the edge pair");
    EXPECT_STREQ(refused(chips, Edges().add("huge", {0, 0, 1}, {{1, 0, 1}}, 0x80000001u)).text,
                 "no block of 4294967296 keys is left for the edge huge");
}

TEST(Routing, RandomEdgesOnASpin5ReachTheirTargets)
{
    const Chips chips(spin5());
    for (unsigned seed = 1; seed <= 3; seed++) {
        const Edges edges = random_edges(chips, 300, 20, 100, seed);
        const Routes made = make(chips, edges);
        expect_exact(chips, edges, *made);
        expect_shortest(chips, *made);
    }
}

TEST(Routing, OnATorusToo)
{
    const Chips chips(torus(5, 4));
    const Edges edges = random_edges(chips, 300, 10, 1, 7);
    const Routes made = make(chips, edges);
    expect_exact(chips, edges, *made);
    expect_shortest(chips, *made);
}

TEST(Routing, BrokenChipsLinksAndCoresAreAvoided)
{
    const topology_fault chips_down[] = {{3, 3, 0}, {4, 3, 0}, {3, 4, 0}};
    const topology_fault links_down[] = {{1, 1, 0}, {2, 2, 1}, {5, 5, 3}, {0, 0, 1}};
    const topology_fault cores_down[] = {{2, 2, 5}};
    topology_request request = spin5();
    request.down_chip = chips_down;
    request.down_chips = 3;
    request.down_link = links_down;
    request.down_links = 4;
    request.down_core = cores_down;
    request.down_cores = 1;
    const Chips chips(request);
    ASSERT_EQ(chips.get()->count, 45u);
    const Edges edges = random_edges(chips, 300, 10, 1, 5);
    const Routes made = make(chips, edges);
    expect_exact(chips, edges, *made);
    expect_shortest(chips, *made);
    EXPECT_STREQ(refused(chips, Edges().add("dead", {0, 0, 1}, {{2, 2, 5}})).text,
                 "the edge dead names core 2,2,5, which the machine does not have");
}

TEST(Routing, TwoMakingsAreTheSame)
{
    const Chips chips(spin5());
    const Edges edges = random_edges(chips, 400, 10, 16, 11);
    const Routes first = make(chips, edges);
    const Routes second = make(chips, edges);
    EXPECT_EQ(text_of(*first), text_of(*second));
}
