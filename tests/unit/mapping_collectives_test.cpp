/* mapping_collectives_test.cpp - ranks: any reaches any other on a shortest path, alone. */
#include "tests/unit/routing_fixture.h"

#include <gtest/gtest.h>
#include <numeric>

#include "sim/mapping/collectives.h"

using namespace routes;

namespace
{

/* Ranks on all chips of a machine, on cores 1, 2, ... of each. */
class Ranks
{
  public:
    explicit Ranks(const Chips &chips, size_t cores, size_t ranks = 0)
        : chip(chips.get()->count), physical(chips.get()->count * cores)
    {
        std::iota(chip.begin(), chip.end(), 0U);
        for (size_t i = 0; i < physical.size(); i++) {
            physical[i] = static_cast<uint8_t>(i % cores + 1);
        }
        plan.resize(chip.size() * cores);
        request.topology = chips.get();
        request.chip = chip.data();
        request.chips = chip.size();
        request.cores = cores;
        request.physical = physical.data();
        request.ranks = ranks;
        request.timeout_cycles = 1000;
        request.tries = 3;
    }
    ~Ranks()
    {
        routing_deinit(&routes);
    }
    Ranks(const Ranks &) = delete;
    Ranks &operator=(const Ranks &) = delete;

    status make()
    {
        return collectives_make(&request, plan.data(), &routes, &why);
    }
    machine_core core_of(const Chips &chips, size_t rank) const
    {
        const topology_chip &at = chips.get()->chip[chip[rank / request.cores]];
        return {at.x, at.y, static_cast<uint8_t>(rank % request.cores + 1)};
    }

    std::vector<uint32_t> chip;
    std::vector<uint8_t> physical;
    std::vector<collectives_plan> plan;
    collectives_request request = {};
    routing routes = {};
    diagnostic why = {};
};

/* Packets from `senders` ranks to all others, words and control. */
void expect_reached(const Chips &chips, const Ranks &ranks, size_t every)
{
    const uint32_t size = ranks.plan[0].size;
    for (uint32_t from = 0; from < size; from += static_cast<uint32_t>(every)) {
        for (uint32_t to = 0; to < size; to++) {
            const uint32_t key = collectives_key(&ranks.plan[from], from, to);
            const std::map<core_id, unsigned> expected = {{id_of(ranks.core_of(chips, to)), 1}};
            for (const uint32_t low :
                 {0U, 0x1ffU, static_cast<uint32_t>(COLLECTIVES_CONTROL) | 4}) {
                ASSERT_EQ(reached(chips, ranks.routes, ranks.core_of(chips, from), key | low),
                          expected)
                    << from << " to " << to;
            }
        }
    }
}

} // namespace

TEST(Ranks, OfABoardReachEachOther)
{
    const Chips chips(spin5());
    Ranks ranks(chips, 17);
    ASSERT_EQ(ranks.make(), STATUS_OK) << ranks.why.text;
    EXPECT_EQ(ranks.plan[815].size, 816U);
    expect_reached(chips, ranks, 101);
    for (size_t i = 0; i < ranks.routes.table_count; i++) {
        EXPECT_EQ(ranks.routes.table[i].count, 47U + 17U);
    }
}

TEST(Ranks, OfSmallMachinesReachEachOther)
{
    for (const topology_request &request : {rectangle(1, 1), rectangle(3, 1), torus(5, 3)}) {
        for (const size_t cores : {1U, 2U, 3U, 16U}) {
            const Chips chips(request);
            Ranks ranks(chips, cores);
            ASSERT_EQ(ranks.make(), STATUS_OK) << ranks.why.text;
            expect_reached(chips, ranks, 1 + chips.get()->count * cores / 20);
        }
    }
}

TEST(Ranks, ReachEachOtherAroundWhatIsBroken)
{
    const std::vector<topology_fault> down_chip = {{3, 3, 0}, {0, 1, 0}};
    const std::vector<topology_fault> down_link = {{4, 4, 0}, {4, 4, 1}, {1, 1, 2}};
    topology_request request = spin5();
    request.down_chip = down_chip.data();
    request.down_chips = down_chip.size();
    request.down_link = down_link.data();
    request.down_links = down_link.size();
    const Chips chips(request);
    Ranks ranks(chips, 2);
    ASSERT_EQ(ranks.make(), STATUS_OK) << ranks.why.text;
    EXPECT_EQ(ranks.plan[0].size, 92U);
    expect_reached(chips, ranks, 7);
}

TEST(Ranks, AreNumberedByChipAndCoreAndKnowTheirNeighbours)
{
    const Chips chips(rectangle(2, 2)); /* by x, then y */
    Ranks ranks(chips, 3, 11);
    ASSERT_EQ(ranks.make(), STATUS_OK) << ranks.why.text;
    const uint32_t none = COLLECTIVES_NOBODY;
    const std::vector<std::vector<uint32_t>> expected = {
        {6, 9, 3, none, none, none}, /* chip 0,0 core 0 */
        {7, 10, 4, none, none, none},
        {8, none, 5, none, none, none}, /* its neighbour at 1,1 would be rank 11 */
        {9, none, none, none, none, 0},
    };
    for (size_t rank = 0; rank < expected.size(); rank++) {
        EXPECT_EQ(ranks.plan[rank].rank, rank);
        EXPECT_EQ(ranks.plan[rank].size, 11U);
        for (size_t link = 0; link < COLLECTIVES_LINKS; link++) {
            EXPECT_EQ(ranks.plan[rank].neighbour[link], expected[rank][link])
                << rank << " " << link;
        }
    }
    EXPECT_EQ(ranks.plan[11].magic, 0U);
}

/* The cores of the same number on all chips are ranks among themselves. */
TEST(Ranks, ByCoreReachThoseOfTheirNumber)
{
    const Chips chips(torus(3, 2));
    Ranks ranks(chips, 5);
    ranks.request.apart = true;
    ASSERT_EQ(ranks.make(), STATUS_OK) << ranks.why.text;
    for (uint32_t core = 0; core < 5; core++) {
        for (uint32_t from = 0; from < 6; from++) {
            const collectives_plan &plan = ranks.plan[from * 5 + core];
            EXPECT_EQ(plan.rank, from);
            EXPECT_EQ(plan.size, 6U);
            for (uint32_t to = 0; to < 6; to++) {
                const uint32_t key = collectives_key(&plan, from, to);
                const std::map<core_id, unsigned> expected = {
                    {id_of(ranks.core_of(chips, to * 5 + core)), 1}};
                ASSERT_EQ(reached(chips, ranks.routes, ranks.core_of(chips, from * 5 + core), key),
                          expected);
            }
        }
        EXPECT_EQ(ranks.plan[core].neighbour[0], 2U); /* 1,0: chips by x, then y */
        EXPECT_EQ(ranks.plan[core].neighbour[2], 1U);
        EXPECT_EQ(ranks.plan[core].neighbour[5], 1U);
    }
}

/* On a ring of one chip a link leads back to it. */
TEST(Ranks, AreNotTheirOwnNeighbours)
{
    const Chips chips(torus(1, 2));
    Ranks ranks(chips, 1);
    ASSERT_EQ(ranks.make(), STATUS_OK) << ranks.why.text;
    EXPECT_EQ(ranks.plan[0].neighbour[0], COLLECTIVES_NOBODY);
    EXPECT_EQ(ranks.plan[0].neighbour[2], 1U);
    EXPECT_EQ(ranks.plan[0].neighbour[5], 1U);
}

TEST(Ranks, AreRefusedWhereKeysCannotNameThem)
{
    const Chips board(spin5());
    Ranks more(board, 2, 97);
    EXPECT_EQ(more.make(), STATUS_CONFIGURATION);
    EXPECT_NE(
        std::string(more.why.text).find("97 ranks need as many cores, and the program is on 96"),
        std::string::npos)
        << more.why.text;
    const Chips chips(torus(16, 16));
    Ranks many(chips, 5);
    EXPECT_EQ(many.make(), STATUS_CONFIGURATION);
    EXPECT_NE(std::string(many.why.text).find("1280 ranks on 256 chips"), std::string::npos)
        << many.why.text;
    Ranks fits(chips, 4);
    EXPECT_EQ(fits.make(), STATUS_OK) << fits.why.text;
}

TEST(Ranks, AreRefusedWhereAnEdgeHasTheirKeys)
{
    const Chips chips(rectangle(2, 1));
    Edges edges;
    edges.fixed("in the way", {0, 0, 1}, {{1, 0, 2}}, 0x80000000, 0xffff0000);
    Ranks ranks(chips, 2);
    ASSERT_EQ(routing_make(&ranks.routes, chips.get(), edges.list().data(), 1, &ranks.why),
              STATUS_OK);
    EXPECT_EQ(ranks.make(), STATUS_CONFIGURATION);
    EXPECT_NE(std::string(ranks.why.text).find("in the way"), std::string::npos) << ranks.why.text;
}

/* Edges with other keys keep their entries. */
TEST(Ranks, StandBesideEdges)
{
    const Chips chips(rectangle(3, 1));
    Edges edges;
    edges.fixed("signal", {0, 0, 1}, {{2, 0, 2}}, 0x00010000, 0xffffff00);
    Ranks ranks(chips, 2);
    ASSERT_EQ(routing_make(&ranks.routes, chips.get(), edges.list().data(), 1, &ranks.why),
              STATUS_OK);
    ASSERT_EQ(ranks.make(), STATUS_OK) << ranks.why.text;
    const std::map<core_id, unsigned> expected = {{core_id{2, 0, 2}, 1}};
    EXPECT_EQ(reached(chips, ranks.routes, {0, 0, 1}, 0x00010000), expected);
    expect_reached(chips, ranks, 1);
}
