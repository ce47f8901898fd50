/* routing_machine_test.cpp - tables in the routers of a machine: what programs send reaches exactly
 * the targets. */
#include "tests/unit/machine_fixture.h"
#include "tests/unit/routing_fixture.h"
#include "tests/unit/talker.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

#include "sim/load/machine_load.h"

using namespace routes;

namespace
{

struct destroyer {
    void operator()(machine *machine) const
    {
        machine_destroy(machine);
    }
};
using owned = std::unique_ptr<machine, destroyer>;

owned machine_of(const topology_request &request)
{
    machine_config config = bench_config();
    config.topology = request;
    machine *made = nullptr;
    diagnostic why = {};
    EXPECT_EQ(machine_create(&config, &made, &why), STATUS_OK) << why.text;
    EXPECT_EQ(machine_boot_direct(made, &config.parameters, 0, &why), STATUS_OK) << why.text;
    return owned(made);
}

uint64_t total(const machine *machine, const char *component, const char *name)
{
    struct wanted {
        const char *component, *name;
        uint64_t sum;
    } of = {component, name, 0};
    machine_each_counter(
        machine,
        [](void *context, const machine_counter *counter) {
            auto *of = static_cast<wanted *>(context);
            if (strcmp(counter->component, of->component) == 0 &&
                strcmp(counter->info->name, of->name) == 0) {
                of->sum += counter->value;
            }
        },
        &of);
    return of.sum;
}

/* Every edge's source sends its first and its last key; every target has them, and nobody else has
 * anything. */
void expect_delivered(const topology_request &request, const Edges &edges)
{
    const owned machine = machine_of(request);
    routing made = {};
    diagnostic why = {};
    ASSERT_EQ(routing_make(&made, machine_topology(machine.get()), edges.list().data(),
                           edges.list().size(), &why),
              STATUS_OK)
        << why.text;
    const Routes owner(new routing(made));
    ASSERT_EQ(routing_write(&made, machine.get(), &why), STATUS_OK) << why.text;
    Talkers talkers(machine.get());
    std::map<core_id, std::vector<uint32_t>> expected;
    size_t sent = 0;
    for (size_t i = 0; i < made.edge_count; i++) {
        const routing_edge &edge = made.edge[i];
        for (const uint32_t key : {edge.key, edge.key | ~edge.mask}) {
            talkers.send(edge.source, TALK_MULTICAST, key);
            expected[id_of(edge.source)];
            sent++;
            for (size_t t = 0; t < edge.target_count; t++) {
                talkers.listen(edge.target[t]);
                expected[id_of(edge.target[t])].push_back(key);
            }
        }
    }
    talkers.start(20);
    ASSERT_EQ(machine_run_until(machine.get(), 10000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(total(machine.get(), "router", "dumped_mc"), 0u);
    EXPECT_EQ(total(machine.get(), "comms", "sent_multicast"), sent);
    size_t deliveries = 0;
    for (auto &[core, keys] : expected) {
        const auto [x, y, p] = core;
        std::vector<uint32_t> heard = talkers.heard(
            {static_cast<uint8_t>(x), static_cast<uint8_t>(y), static_cast<uint8_t>(p)});
        std::sort(keys.begin(), keys.end());
        std::sort(heard.begin(), heard.end());
        ASSERT_EQ(heard, keys) << x << "," << y << "," << p;
        deliveries += keys.size();
    }
    EXPECT_EQ(total(machine.get(), "comms", "received_multicast"), deliveries);
}

} // namespace

TEST(RoutingOnAMachine, PacketsReachExactlyTheTargets)
{
    const Chips chips(spin5());
    expect_delivered(spin5(), random_edges(chips, 100, 10, 7, 3));
}

TEST(RoutingOnAMachine, OnATorusWithFaultsToo)
{
    const topology_fault chips_down[] = {{2, 2, 0}};
    const topology_fault links_down[] = {{0, 0, 0}, {1, 1, 2}, {3, 3, 4}};
    topology_request request = torus(4, 5);
    request.down_chip = chips_down;
    request.down_chips = 1;
    request.down_link = links_down;
    request.down_links = 3;
    const Chips chips(request);
    expect_delivered(request, random_edges(chips, 60, 12, 1, 4));
}

/* ---- what the direct boot leaves ---- */

namespace
{

/* Every chip's monitor sends one packet to the monitor `step` chips further. */
void expect_point_to_point(const topology_request &request, unsigned step, unsigned monitor)
{
    const owned machine = machine_of(request);
    const unsigned count = machine_chip_count(machine.get());
    Talkers talkers(machine.get());
    const auto core_of = [&](unsigned index) -> machine_core {
        const machine_chip chip = machine_chip_at(machine.get(), index % count);
        return {chip.x, chip.y, static_cast<uint8_t>(monitor)};
    };
    const auto address_of = [](machine_core core) {
        return static_cast<uint32_t>(core.x << 8 | core.y);
    };
    for (unsigned i = 0; i < count; i++) {
        talkers.send(core_of(i), TALK_POINT_TO_POINT, address_of(core_of(i + step)));
    }
    talkers.start(1);
    ASSERT_EQ(machine_run_until(machine.get(), 10000 * US), MACHINE_QUIESCENT);
    for (unsigned i = 0; i < count; i++) {
        const std::vector<uint32_t> from = {address_of(core_of(i))};
        ASSERT_EQ(talkers.heard(core_of(i + step)), from) << i;
    }
    EXPECT_EQ(total(machine.get(), "router", "dumped_p2p"), 0u);
}

} // namespace

TEST(DirectBoot, PointToPointTablesLeadFromEveryChipToEveryChip)
{
    for (unsigned step = 0; step < 48; step++) {
        expect_point_to_point(spin5(), step, 0);
    }
}

/* By distances to the goal: of the links that lead nearer, the lowest. */
unsigned expected_route(const topology &all, size_t at, const std::vector<uint32_t> &distance)
{
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        const int32_t next = all.chip[at].neighbour[link];
        if (next != TOPOLOGY_NO_CHIP && distance[static_cast<size_t>(next)] + 1 == distance[at]) {
            return link;
        }
    }
    return 7; /* the monitor */
}

std::vector<uint32_t> distances(const topology &all, size_t goal)
{
    std::vector<uint32_t> distance(all.count, UINT32_MAX);
    std::vector<size_t> queue = {goal};
    distance[goal] = 0;
    for (size_t i = 0; i < queue.size(); i++) {
        for (const int32_t next : all.chip[queue[i]].neighbour) {
            if (next != TOPOLOGY_NO_CHIP && distance[static_cast<size_t>(next)] == UINT32_MAX) {
                distance[static_cast<size_t>(next)] = distance[queue[i]] + 1;
                queue.push_back(static_cast<size_t>(next));
            }
        }
    }
    return distance;
}

TEST(DirectBoot, PointToPointRoutesTakeTheLowestLinkOfAShortestPath)
{
    constexpr uint32_t P2P = 0x10000;
    const topology_fault chips_down[] = {{2, 2, 0}};
    const topology_fault links_down[] = {{0, 0, 0}, {1, 1, 2}, {3, 3, 4}};
    topology_request faulty = torus(4, 5);
    faulty.down_chip = chips_down;
    faulty.down_chips = 1;
    faulty.down_link = links_down;
    faulty.down_links = 3;
    for (const topology_request &request :
         {spin5(), faulty, torus(2, 1), torus(2, 2), torus(6, 3), rectangle(3, 4)}) {
        const owned machine = machine_of(request);
        const topology &all = *machine_topology(machine.get());
        for (size_t goal = 0; goal < all.count; goal++) {
            const std::vector<uint32_t> distance = distances(all, goal);
            const uint32_t address =
                static_cast<uint32_t>(all.chip[goal].x << 8 | all.chip[goal].y);
            for (size_t at = 0; at < all.count; at++) {
                uint32_t word = 0;
                ASSERT_EQ(machine_read_router(machine.get(), all.chip[at].x, all.chip[at].y,
                                              P2P + address / 8 * 4, &word),
                          STATUS_OK);
                ASSERT_EQ(word >> address % 8 * 3 & 7, expected_route(all, at, distance))
                    << at << " to " << goal << " of " << all.count;
            }
        }
    }
}

TEST(DirectBoot, TheFirstCoreThatWorksIsTheMonitor)
{
    std::vector<topology_fault> down;
    for (uint8_t x = 0; x < 2; x++) {
        for (uint8_t y = 0; y < 2; y++) {
            down.push_back({x, y, 0});
        }
    }
    topology_request request = {};
    request.shape = TOPOLOGY_SPIN3;
    request.down_core = down.data();
    request.down_cores = down.size();
    for (unsigned step = 0; step < 4; step++) {
        expect_point_to_point(request, step, 1);
    }
}

TEST(DirectBoot, DestinationsThatDoNotExistAreDropped)
{
    const owned machine = machine_of(rectangle(2, 1));
    Talkers talkers(machine.get());
    talkers.listen({1, 0, 0});
    talkers.send({0, 0, 0}, TALK_POINT_TO_POINT, 0x0001);
    talkers.send({0, 0, 0}, TALK_POINT_TO_POINT, 0x0100);
    talkers.start(1);
    ASSERT_EQ(machine_run_until(machine.get(), 1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(total(machine.get(), "router", "dumped_p2p"), 1u);
    EXPECT_EQ(talkers.heard({1, 0, 0}), (std::vector<uint32_t>{0}));
}

TEST(DirectBoot, RoutersStandAsScampLeavesThem)
{
    const owned machine = machine_of(rectangle(2, 1));
    constexpr uint32_t CONTROL = 0x000, DIAGNOSTICS = 0x02c, FILTER = 0x200, COUNTER = 0x300;
    uint32_t value = 0;
    ASSERT_EQ(machine_read_router(machine.get(), 1, 0, CONTROL, &value), STATUS_OK);
    EXPECT_EQ(value, 0x00400001u);
    ASSERT_EQ(machine_read_router(machine.get(), 1, 0, DIAGNOSTICS, &value), STATUS_OK);
    EXPECT_EQ(value, 0x0000ffffu);
    ASSERT_EQ(machine_read_router(machine.get(), 1, 0, FILTER + 4 * 8, &value), STATUS_OK);
    EXPECT_EQ(value, 0x0001fcf1u);
    /* One multicast packet from this chip, to a core: counted by filter 0 and no other. */
    ASSERT_EQ(machine_set_route(machine.get(), 0, 0, 0, 5, ~0u, 1u << 8), STATUS_OK);
    Talkers talkers(machine.get());
    talkers.listen({0, 0, 2});
    talkers.send({0, 0, 1}, TALK_MULTICAST, 5);
    talkers.send({0, 0, 1}, TALK_MULTICAST, 6); /* without an entry: dumped, filter 8 */
    talkers.start(1);
    ASSERT_EQ(machine_run_until(machine.get(), 1000 * US), MACHINE_QUIESCENT);
    for (uint32_t i = 0; i < 16; i++) {
        ASSERT_EQ(machine_read_router(machine.get(), 0, 0, COUNTER + 4 * i, &value), STATUS_OK);
        EXPECT_EQ(value, i == 0 || i == 8 ? 1u : 0u) << i;
    }
}

TEST(MachineRouters, TakeEntriesOfChipsTheyHave)
{
    const owned machine = machine_of(rectangle(2, 1));
    EXPECT_EQ(machine_set_route(machine.get(), 1, 0, 1023, 1, ~0u, 0xffffff), STATUS_OK);
    EXPECT_EQ(machine_set_route(machine.get(), 1, 0, 1024, 1, ~0u, 1), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_set_route(machine.get(), 1, 0, 0, 1, ~0u, 0x1000000), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_set_route(machine.get(), 2, 0, 0, 1, ~0u, 1), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_set_p2p_route(machine.get(), 1, 0, 0xffff, 7), STATUS_OK);
    EXPECT_EQ(machine_set_p2p_route(machine.get(), 1, 0, 0, 8), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_set_p2p_route(machine.get(), 1, 1, 0, 7), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_write_router(machine.get(), 0, 1, 0, 1), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_write_router(machine.get(), 0, 0, 2, 1), STATUS_CONFIGURATION);
    uint32_t value = 0;
    EXPECT_EQ(machine_read_router(machine.get(), 1, 0, 0x10000 + 4 * 0x1fff, &value), STATUS_OK);
    EXPECT_EQ(value, 0xfb6db6u);
    EXPECT_EQ(machine_read_router(machine.get(), 1, 0, 0x8000, &value), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_read_router(machine.get(), 0, 1, 0, &value), STATUS_CONFIGURATION);
}

/* ---- 24 boards ---- */

namespace
{

topology_request twenty_four_boards()
{
    topology_request request = {};
    request.shape = TOPOLOGY_BOARDS;
    request.width = 24;
    request.height = 48;
    return request;
}

} // namespace

TEST(TwentyFourBoards, PointToPointPacketsReachEveryChip)
{
    expect_point_to_point(twenty_four_boards(), 577, 0); /* of 1,152: half way round, and one on */
}

TEST(TwentyFourBoards, PacketsReachTheTargetsOfTrees)
{
    const Chips chips(twenty_four_boards());
    expect_delivered(twenty_four_boards(), random_edges(chips, 100, 12, 2, 8));
}

/* From chip 0,0 along the row and up the column of each chip: only the chips at which the way
 * begins, turns and ends have entries. */
TEST(TwentyFourBoards, DefaultRoutesReachEveryChip)
{
    const owned machine = machine_of(twenty_four_boards());
    ASSERT_EQ(machine_chip_count(machine.get()), 1152u);
    Talkers talkers(machine.get());
    constexpr uint32_t EAST = 1u << 0, NORTH = 1u << 2, CORE_2 = 1u << 8;
    const auto put = [&](machine_chip chip, unsigned index, uint32_t key, uint32_t mask,
                         uint32_t route) {
        ASSERT_EQ(machine_set_route(machine.get(), chip.x, chip.y, index, key, mask, route),
                  STATUS_OK);
    };
    uint64_t straight_on = 0;
    for (unsigned i = 0; i < machine_chip_count(machine.get()); i++) {
        const machine_chip chip = machine_chip_at(machine.get(), i);
        const uint32_t key = static_cast<uint32_t>(chip.x << 8 | chip.y);
        put(chip, 0, key, 0xffffffff, CORE_2);
        if (chip.y == 0) {
            put(chip, 1, key, 0xffffff00, NORTH);
        }
        straight_on += (chip.x > 0 ? chip.x - 1u : 0) + (chip.y > 0 ? chip.y - 1u : 0);
        talkers.send({0, 0, 1}, TALK_MULTICAST, key);
        talkers.listen({chip.x, chip.y, 2});
    }
    put({0, 0}, 2, 0, 0, EAST);
    talkers.start(0);
    ASSERT_EQ(machine_run_until(machine.get(), 10000 * US), MACHINE_QUIESCENT);
    for (unsigned i = 0; i < machine_chip_count(machine.get()); i++) {
        const machine_chip chip = machine_chip_at(machine.get(), i);
        const std::vector<uint32_t> own = {static_cast<uint32_t>(chip.x << 8 | chip.y)};
        ASSERT_EQ(talkers.heard({chip.x, chip.y, 2}), own);
    }
    EXPECT_EQ(total(machine.get(), "router", "default_routed"), straight_on);
    EXPECT_EQ(straight_on, 38088u);
    EXPECT_EQ(total(machine.get(), "router", "dumped_mc"), 0u);
}
