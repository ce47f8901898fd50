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

/* 0 to 1 and 2 to 3 in a row. */
TEST(Routing, GivenKeysMayComeAgainOnOtherChips)
{
    const Chips chips(rectangle(4, 1));
    Edges edges;
    edges.fixed("left", {0, 0, 1}, {{1, 0, 1}}, 0x100, 0xffffff00);
    edges.fixed("right", {2, 0, 1}, {{3, 0, 1}}, 0x100, 0xffffff00);
    const Routes made = make(chips, edges);
    expect_exact(chips, edges, *made);
    edges.fixed("across", {1, 0, 2}, {{2, 0, 2}}, 0x100, 0xffffff00);
    EXPECT_NE(std::string(refused(chips, edges).text).find("left"), std::string::npos);
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

/* ---- tables that would not fit ---- */

namespace
{

/* Cores of chip (1,0) of a 3 x 1 rectangle that send one key each, to what `route` says. */
template <typename Route> Edges many(unsigned count, Route route)
{
    Edges edges;
    for (unsigned i = 0; i < count; i++) {
        edges.add("edge " + std::to_string(i), {1, 0, static_cast<uint8_t>(1 + i % 17)}, route(i));
    }
    return edges;
}

/* A chip's table; of no entries when it has none. */
routing_table table_at(const routing &made, unsigned x, unsigned y = 0)
{
    for (size_t t = 0; t < made.table_count; t++) {
        if (made.table[t].x == x && made.table[t].y == y) {
            return made.table[t];
        }
    }
    return routing_table{};
}

size_t entries_at(const routing &made, unsigned x, unsigned y = 0)
{
    return table_at(made, x, y).count;
}

/* A different set of cores of chip (1,0) for each number below 2^16. */
std::vector<machine_core> own_set(unsigned number)
{
    std::vector<machine_core> targets = {{1, 0, 17}};
    for (uint8_t p = 1; p <= 16; p++) {
        if ((number >> (p - 1) & 1) != 0) {
            targets.push_back({1, 0, p});
        }
    }
    return targets;
}

} // namespace

TEST(RoutingTables, Of1024EntriesStandAsTheyAre)
{
    const Chips chips(rectangle(3, 1));
    const Edges edges = many(1024, own_set);
    const Routes made = make(chips, edges);
    EXPECT_EQ(entries_at(*made, 1), 1024u);
    EXPECT_EQ(made->table[0].uncompressed, 1024u);
    expect_exact(chips, edges, *made);
}

TEST(RoutingTables, OfOneMoreAreCompressed)
{
    const Chips chips(rectangle(3, 1));
    const Edges edges = many(1025, [](unsigned i) { return own_set(i < 1023 ? i : 1023); });
    const Routes made = make(chips, edges);
    EXPECT_EQ(made->table[0].uncompressed, 1025u);
    EXPECT_EQ(entries_at(*made, 1), 1024u) << "the last two go to the same cores";
    expect_exact(chips, edges, *made);
}

TEST(RoutingTables, ThatDoNotFitAreRefused)
{
    const Chips chips(rectangle(3, 1));
    const diagnostic why = refused(chips, many(1025, own_set));
    EXPECT_STREQ(why.text, "the multicast table of chip 1,0 does not fit: 1025 entries are needed, "
                           "1025 before compression, and a router has 1024");
    EXPECT_STREQ(why.key, "mapping");
    EXPECT_STRNE(why.hint, "");
}

TEST(RoutingTables, ThatAreHopelessAreRefusedSoon)
{
    const Chips chips(rectangle(3, 1));
    EXPECT_STREQ(refused(chips, many(2047, own_set)).text,
                 "the multicast table of chip 1,0 does not fit: 2047 entries are needed, 2047 "
                 "before compression, and a router has 1024");
    EXPECT_STREQ(refused(chips, many(20000, own_set)).text,
                 "the multicast table of chip 1,0 does not fit: at least 2048 entries are needed, "
                 "20000 before compression, and a router has 1024");
}

TEST(RoutingTables, OfTwoRoutesInTurnShrinkToTwoEntries)
{
    const Chips chips(rectangle(3, 1));
    const Edges edges = many(2048, [](unsigned i) -> std::vector<machine_core> {
        return i % 2 == 0 ? std::vector<machine_core>{{0, 0, 1}}
                          : std::vector<machine_core>{{2, 0, 1}};
    });
    const Routes made = make(chips, edges);
    EXPECT_EQ(entries_at(*made, 1), 2u) << "odd keys one way, even ones the other";
    EXPECT_EQ(entries_at(*made, 0), 1024u) << "which fit as they are";
    EXPECT_EQ(entries_at(*made, 2), 1024u);
    expect_exact(chips, edges, *made);
}

/* Packets that cross chip (1,0) straight on must not be taken by the wider entries of others. */
TEST(RoutingTables, LeaveWhatGoesStraightOnAlone)
{
    const Chips chips(rectangle(3, 1));
    Edges edges;
    for (unsigned i = 0; i < 2400; i++) { /* four of a kind, one behind the other */
        const auto p = static_cast<uint8_t>(1 + i % 17);
        const auto q = static_cast<uint8_t>(1 + i / 64 % 2);
        switch (i / 4 % 4) {
        case 0:
            edges.add("across " + std::to_string(i), {0, 0, p}, {{2, 0, q}});
            break;
        case 1:
            edges.add("back " + std::to_string(i), {2, 0, p}, {{0, 0, q}});
            break;
        default:
            edges.add("own " + std::to_string(i), {1, 0, p}, {{1, 0, q}, {0, 0, 9}});
        }
    }
    for (unsigned i = 0; i < 200; i++) {
        edges.add("drops in " + std::to_string(i), {0, 0, 1}, {{1, 0, 4}, {2, 0, 4}});
    }
    const Routes made = make(chips, edges);
    EXPECT_EQ(table_at(*made, 1).uncompressed, 1400u);
    EXPECT_LE(entries_at(*made, 1), 400u);
    expect_exact(chips, edges, *made);
}

/* Edges with the same targets get neighbouring keys. */
TEST(RoutingTables, OfManyEdgesWithFewSetsOfTargetsShrinkToFewEntries)
{
    const Chips chips(spin5());
    std::mt19937 random(1);
    Edges edges;
    std::vector<std::vector<machine_core>> sets;
    for (unsigned i = 0; i < 8; i++) {
        sets.push_back({chips.draw(random), chips.draw(random), {3, 3, 1}});
    }
    for (unsigned i = 0; i < 2048; i++) {
        edges.add("edge " + std::to_string(i), {3, 3, static_cast<uint8_t>(random() % 18)},
                  sets[random() % sets.size()], 256);
    }
    const Routes made = make(chips, edges);
    EXPECT_LE(entries_at(*made, 3, 3), 64u);
    expect_exact(chips, edges, *made);
}

/* Keys that somebody else has dealt out at random: what is exact is the meaning, for every key. */
TEST(RoutingTables, OfRandomKeysKeepTheirMeaning)
{
    const Chips chips(torus(3, 3));
    for (unsigned seed = 1; seed <= 3; seed++) {
        std::mt19937 random(seed);
        std::set<uint32_t> keys;
        while (keys.size() < 1400) {
            keys.insert(static_cast<uint32_t>(random()) & 0xfffffffcu);
        }
        Edges edges;
        std::vector<std::vector<machine_core>> sets;
        for (unsigned i = 0; i < 4; i++) {
            sets.push_back({chips.draw(random), chips.draw(random), {1, 1, 1}});
        }
        for (const uint32_t key : keys) {
            edges.fixed("edge " + std::to_string(key), {1, 1, static_cast<uint8_t>(random() % 18)},
                        sets[random() % sets.size()], key, 0xfffffffcu);
        }
        const Routes made = make(chips, edges);
        EXPECT_EQ(table_at(*made, 1, 1).uncompressed, 1400u);
        EXPECT_LE(entries_at(*made, 1, 1), 1024u);
        for (size_t i = 0; i < made->edge_count; i++) {
            std::map<core_id, unsigned> expected;
            for (size_t t = 0; t < made->edge[i].target_count; t++) {
                expected[id_of(made->edge[i].target[t])] = 1;
            }
            for (uint32_t n = 0; n < 4; n++) {
                ASSERT_EQ(reached(chips, *made, made->edge[i].source, made->edge[i].key | n),
                          expected);
            }
        }
    }
}

/* ---- the walk ---- */

namespace
{

/* A row of four chips with one edge along it, whose tables a test spoils. */
class Walk : public ::testing::Test
{
  protected:
    Walk() : chips_(rectangle(4, 1))
    {
        edges_.add("row", {0, 0, 1}, {{2, 0, 1}, {3, 0, 2}}, 4);
        made_ = make(chips_, edges_);
    }
    std::string verdict()
    {
        diagnostic why = {};
        const status status = routing_check(made_.get(), chips_.get(), &why);
        EXPECT_EQ(status, STATUS_INTERNAL);
        return why.text;
    }
    routing_entry &entry(unsigned table)
    {
        return made_->table[table].entry[0];
    }
    Chips chips_;
    Edges edges_;
    Routes made_;
};

} // namespace

TEST_F(Walk, PassesWhatIsRight)
{
    diagnostic why = {};
    EXPECT_EQ(routing_check(made_.get(), chips_.get(), &why), STATUS_OK) << why.text;
    ASSERT_EQ(made_->table_count, 3u);
}

TEST_F(Walk, SeesACoreThatIsNoTarget)
{
    entry(1).route |= 1u << 8;
    EXPECT_EQ(verdict(), "the routes of the edge row are wrong: at chip 2,0 its packets reach a "
                         "core that is no target");
}

TEST_F(Walk, SeesATargetThatIsLeftOut)
{
    entry(1).route = 1u << 7;
    EXPECT_EQ(verdict(), "the routes of the edge row are wrong: at chip 0,0 its packets are sent, "
                         "and do not reach all targets");
}

TEST_F(Walk, SeesAWayThatComesBack)
{
    entry(1).route |= 1u << 3;
    EXPECT_EQ(verdict(), "the routes of the edge row are wrong: at chip 1,0 its packets come "
                         "twice");
}

TEST_F(Walk, SeesALinkThatLeadsNowhere)
{
    entry(2).route |= 1u << 2;
    EXPECT_EQ(verdict(), "the routes of the edge row are wrong: at chip 3,0 its packets leave by a "
                         "link that leads nowhere");
}

TEST_F(Walk, SeesKeysWithoutAnEntry)
{
    entry(0).mask |= 1; /* half of them */
    EXPECT_EQ(verdict(), "the routes of the edge row are wrong: at chip 0,0 its packets have no "
                         "route, or more than one");
}

TEST_F(Walk, SeesKeysThatAnotherEntryTakes)
{
    routing_entry two[] = {{made_->edge[0].key | 2, ~0u, 1u << 7}, entry(1)};
    routing_entry *before = made_->table[1].entry;
    made_->table[1].entry = two;
    made_->table[1].count = 2;
    EXPECT_EQ(verdict(), "the routes of the edge row are wrong: at chip 2,0 its packets have no "
                         "route, or more than one");
    made_->table[1].entry = before;
}
