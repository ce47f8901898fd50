/* machine_traffic_test.cpp - packets counted by link, type and purpose: exactly, and in agreement
 * with what routers and links count. */
#include "tests/unit/machine_fixture.h"
#include "tests/unit/talker.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <tuple>

namespace
{

constexpr uint64_t PACKET_PS = 136970;
enum { MC, P2P, NN, FR };

struct destroyer {
    void operator()(machine *machine) const
    {
        machine_destroy(machine);
    }
};
using owned = std::unique_ptr<machine, destroyer>;

owned grid(topology_shape shape, uint32_t width, uint32_t height)
{
    machine_config config = bench_config();
    config.topology.shape = shape;
    config.topology.width = width;
    config.topology.height = height;
    machine *made = nullptr;
    EXPECT_EQ(machine_create(&config, &made, nullptr), STATUS_OK);
    return owned(made);
}

/* x, y, link, type, purpose */
using place = std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>;

struct counts {
    uint64_t sent, received, dropped, refused, busy_ps;
    bool operator==(const counts &other) const
    {
        return std::tie(sent, received, dropped, refused, busy_ps) ==
               std::tie(other.sent, other.received, other.dropped, other.refused, other.busy_ps);
    }
};

std::ostream &operator<<(std::ostream &out, const counts &at)
{
    return out << at.sent << " " << at.received << " " << at.dropped << " " << at.refused << " "
               << at.busy_ps;
}

std::map<place, counts> traffic(const machine *machine)
{
    std::map<place, counts> rows;
    machine_each_traffic(
        machine,
        [](void *context, const machine_traffic *row) {
            auto &rows = *static_cast<std::map<place, counts> *>(context);
            const place at = {row->x, row->y, row->link, row->type, row->purpose};
            EXPECT_TRUE(rows.empty() || rows.rbegin()->first < at) << "the order of the rows";
            rows[at] = {row->sent, row->received, row->dropped, row->refused, row->busy_ps};
        },
        &rows);
    return rows;
}

void route(machine *machine, unsigned x, unsigned index, uint32_t key, uint32_t mask, uint32_t to)
{
    ASSERT_EQ(machine_set_route(machine, static_cast<uint8_t>(x), 0, index, key, mask, to),
              STATUS_OK);
}

constexpr uint32_t core(unsigned p)
{
    return 1u << (6 + p);
}

void purposes(machine *machine, std::vector<machine_purpose> list)
{
    ASSERT_EQ(machine_set_purposes(machine, list.data(), list.size()), STATUS_OK);
}

} // namespace

TEST(MachineTraffic, IsCountedByPurposeOnEachLink)
{
    const owned machine = grid(TOPOLOGY_RECTANGLE, 3, 1);
    route(machine.get(), 0, 0, 0x100, 0xffffff00, 1u << 0);
    route(machine.get(), 0, 1, 0x200, 0xffffff00, 1u << 0 | core(4));
    route(machine.get(), 2, 0, 0, 0, core(5) | core(6)); /* all that comes */
    purposes(machine.get(), {{0x200, 0xffffff00, 2}, {0x108, 0xfffffff8, 1}});
    Talkers talkers(machine.get());
    for (const uint32_t key : {0x108u, 0x10fu, 0x107u, 0x200u, 0x2ffu, 0x110u}) {
        talkers.send({0, 0, 1}, TALK_MULTICAST, key);
    }
    talkers.listen({0, 0, 4});
    talkers.listen({2, 0, 5});
    talkers.listen({2, 0, 6});
    talkers.start(10);
    ASSERT_EQ(machine_run_until(machine.get(), 1000 * US), MACHINE_QUIESCENT);
    const uint64_t two_ps = 2 * PACKET_PS;
    const std::map<place, counts> expected = {
        {{0, 0, 0, MC, 0}, {2, 0, 0, 0, two_ps}}, /* 0x107 and 0x110 */
        {{0, 0, 0, MC, 1}, {2, 0, 0, 0, two_ps}}, /* 0x108 and 0x10f */
        {{0, 0, 0, MC, 2}, {2, 0, 0, 0, two_ps}}, /* 0x200 and 0x2ff */
        {{0, 0, MACHINE_TRAFFIC_CORES, MC, 0}, {0, 2, 0, 0, 0}},
        {{0, 0, MACHINE_TRAFFIC_CORES, MC, 1}, {0, 2, 0, 0, 0}},
        {{0, 0, MACHINE_TRAFFIC_CORES, MC, 2}, {2, 2, 0, 0, 0}},
        {{1, 0, 0, MC, 0}, {2, 0, 0, 0, two_ps}},
        {{1, 0, 0, MC, 1}, {2, 0, 0, 0, two_ps}},
        {{1, 0, 0, MC, 2}, {2, 0, 0, 0, two_ps}},
        {{1, 0, 3, MC, 0}, {0, 2, 0, 0, 0}},
        {{1, 0, 3, MC, 1}, {0, 2, 0, 0, 0}},
        {{1, 0, 3, MC, 2}, {0, 2, 0, 0, 0}},
        {{2, 0, 3, MC, 0}, {0, 2, 0, 0, 0}},
        {{2, 0, 3, MC, 1}, {0, 2, 0, 0, 0}},
        {{2, 0, 3, MC, 2}, {0, 2, 0, 0, 0}},
        {{2, 0, MACHINE_TRAFFIC_CORES, MC, 0}, {4, 0, 0, 0, 0}},
        {{2, 0, MACHINE_TRAFFIC_CORES, MC, 1}, {4, 0, 0, 0, 0}},
        {{2, 0, MACHINE_TRAFFIC_CORES, MC, 2}, {4, 0, 0, 0, 0}},
    };
    EXPECT_EQ(traffic(machine.get()), expected);
}

/* East of the last chip is nothing: the first packet stays in the transmitter, the others find it
 * full and are given up. */
TEST(MachineTraffic, ThatIsRefusedAndDroppedIsCountedWhereItWasToGo)
{
    const owned machine = grid(TOPOLOGY_RECTANGLE, 1, 1);
    route(machine.get(), 0, 0, 1, ~0u, 1u << 0);
    purposes(machine.get(), {{1, ~0u, 7}, {2, ~0u, 6}});
    Talkers talkers(machine.get());
    for (const uint32_t key : {1u, 1u, 1u, 2u}) { /* the last has no entry */
        talkers.send({0, 0, 1}, TALK_MULTICAST, key);
    }
    talkers.send({0, 0, 2}, TALK_POINT_TO_POINT, 0x0101); /* the table drops it */
    talkers.start(10);
    ASSERT_EQ(machine_run_until(machine.get(), 1000 * US), MACHINE_QUIESCENT);
    const std::map<place, counts> expected = {
        {{0, 0, 0, MC, 7}, {0, 0, 2, 2, 0}},
        {{0, 0, MACHINE_TRAFFIC_CORES, MC, 6}, {0, 1, 1, 0, 0}},
        {{0, 0, MACHINE_TRAFFIC_CORES, MC, 7}, {0, 3, 0, 0, 0}},
        {{0, 0, MACHINE_TRAFFIC_CORES, P2P, 0}, {0, 1, 1, 0, 0}},
    };
    EXPECT_EQ(traffic(machine.get()), expected);
}

TEST(MachineTraffic, PurposesOfOtherBlocksThanRangesAreFoundToo)
{
    const owned machine = grid(TOPOLOGY_RECTANGLE, 1, 1);
    route(machine.get(), 0, 0, 0, 0, core(2));
    purposes(machine.get(), {{0x80000001, 0x8000000f, 3}, {0, 0xc0000000, 4}, {~0u, ~0u, 5}});
    Talkers talkers(machine.get());
    talkers.listen({0, 0, 2});
    for (const uint32_t key :
         {0x80000001u, 0xfffffff1u, 0x80000002u, 0u, 0x3fffffffu, 0x40000000u, 0xffffffffu}) {
        talkers.send({0, 0, 1}, TALK_MULTICAST, key);
    }
    talkers.start(10);
    ASSERT_EQ(machine_run_until(machine.get(), 1000 * US), MACHINE_QUIESCENT);
    const std::map<place, counts> expected = {
        {{0, 0, MACHINE_TRAFFIC_CORES, MC, 0}, {2, 2, 0, 0, 0}},
        {{0, 0, MACHINE_TRAFFIC_CORES, MC, 3}, {2, 2, 0, 0, 0}},
        {{0, 0, MACHINE_TRAFFIC_CORES, MC, 4}, {2, 2, 0, 0, 0}},
        {{0, 0, MACHINE_TRAFFIC_CORES, MC, 5}, {1, 1, 0, 0, 0}},
    };
    EXPECT_EQ(traffic(machine.get()), expected);
    const machine_purpose eighth = {0, 0, MACHINE_PURPOSES};
    EXPECT_EQ(machine_set_purposes(machine.get(), &eighth, 1), STATUS_CONFIGURATION);
}

/* The search begins where the last one ended: that may be another block's place by now, or none. */
TEST(MachineTraffic, PurposesAreFoundWhereverTheLastOneWas)
{
    const owned machine = grid(TOPOLOGY_RECTANGLE, 1, 1);
    route(machine.get(), 0, 0, 0, 0, core(2));
    purposes(machine.get(), {{0x100, 0xffffff00, 1},
                             {0x200, 0xffffff00, 2},
                             {0x400, 0xfffffc00, 3},
                             {0x80000001, 0x8000000f, 4}});
    Talkers talkers(machine.get());
    talkers.listen({0, 0, 2});
    for (const uint32_t key : {0x4ffu, 0x400u, 0x3ffu, 0x200u, 0x1ffu, 0x100u, 0xffu, 0x80000001u,
                               0x7ffu, 0x800u, 0x2ffu, 0x300u, 0x4ffu}) {
        talkers.send({0, 0, 1}, TALK_MULTICAST, key);
    }
    talkers.start(10);
    const auto received = [&](unsigned purpose) {
        return traffic(machine.get())[{0, 0, MACHINE_TRAFFIC_CORES, MC, purpose}].received;
    };
    for (uint64_t time = US; received(3) < 3; time += US / 10) {
        ASSERT_EQ(machine_run_until(machine.get(), time), MACHINE_REACHED);
    }
    purposes(machine.get(), {{0x200, 0xffffff00, 7}}); /* 0x7ff has been sent */
    ASSERT_EQ(machine_run_until(machine.get(), 1000 * US), MACHINE_QUIESCENT);
    const unsigned expected[MACHINE_PURPOSES] = {5, 2, 1, 3, 1, 0, 0, 1};
    for (unsigned purpose = 0; purpose < MACHINE_PURPOSES; purpose++) {
        EXPECT_EQ(received(purpose), expected[purpose]) << purpose;
    }
}

/* ---- in agreement ---- */

namespace
{

/* Of each chip: x, y, "component.counter". */
using counter_sums = std::map<std::tuple<unsigned, unsigned, std::string>, uint64_t>;

counter_sums sums(const machine *machine)
{
    counter_sums all;
    machine_each_counter(
        machine,
        [](void *context, const machine_counter *counter) {
            const std::string name = std::string(counter->component) + "." + counter->info->name;
            (*static_cast<counter_sums *>(context))[{counter->x, counter->y, name}] +=
                counter->value;
        },
        &all);
    return all;
}

constexpr uint32_t LOCAL_MC = 0x01fe7cf1, OTHER_MC = 0x01febcf1, DUMPED_MC = 0x0001fcf1;

/* Every chip of a torus sends to random cores a few links east or north, faster than they can take
 * it; each packet has one target. */
void flood(machine *machine, unsigned seed, bool with_purposes = true)
{
    std::mt19937 random(seed);
    Talkers talkers(machine);
    std::vector<machine_purpose> list;
    for (uint32_t i = 0; i < machine_chip_count(machine); i++) {
        const machine_chip chip = machine_chip_at(machine, i);
        ASSERT_EQ(machine_set_route(machine, chip.x, chip.y, 0, (chip.x ^ 2u) << 8 | chip.y, 0xffff,
                                    core(5)),
                  STATUS_OK);
        ASSERT_EQ(
            machine_set_route(machine, chip.x, chip.y, 1, (chip.x ^ 2u) << 8, 0xff00, 1u << 2),
            STATUS_OK);
        ASSERT_EQ(machine_set_route(machine, chip.x, chip.y, 2, 0, 0, 1u << 0), STATUS_OK);
        ASSERT_EQ(machine_write_router(machine, chip.x, chip.y, 0x200, LOCAL_MC), STATUS_OK);
        ASSERT_EQ(machine_write_router(machine, chip.x, chip.y, 0x204, OTHER_MC), STATUS_OK);
        ASSERT_EQ(machine_write_router(machine, chip.x, chip.y, 0x208, DUMPED_MC), STATUS_OK);
        ASSERT_EQ(machine_write_router(machine, chip.x, chip.y, 0x02c, 7), STATUS_OK);
        talkers.listen({chip.x, chip.y, 5});
        for (uint8_t p = 6; p < 12; p++) {
            for (unsigned n = 0; n < 30; n++) {
                const machine_chip to =
                    machine_chip_at(machine, random() % machine_chip_count(machine));
                talkers.send({chip.x, chip.y, p}, TALK_MULTICAST,
                             static_cast<uint32_t>(random() % 4) << 16 | (to.x ^ 2u) << 8 | to.y);
            }
        }
    }
    for (uint32_t purpose = 1; purpose < 4; purpose++) {
        list.push_back({purpose << 16, 0xffff0000, purpose});
    }
    purposes(machine, with_purposes ? list : std::vector<machine_purpose>());
    talkers.start(0);
    ASSERT_EQ(machine_run_until(machine, 10000 * US), MACHINE_QUIESCENT);
}

} // namespace

TEST(MachineTraffic, AgreesWithTheCountersOfRoutersAndLinks)
{
    const owned machine = grid(TOPOLOGY_TORUS, 4, 4);
    flood(machine.get(), 1);
    std::map<std::pair<unsigned, unsigned>, counts> of_links, of_cores; /* by chip */
    uint64_t dropped = 0;
    uint64_t refused = 0;
    for (const auto &[at, row] : traffic(machine.get())) {
        const auto [x, y, link, type, purpose] = at;
        EXPECT_LE(purpose, 3u);
        counts &sum = (link == MACHINE_TRAFFIC_CORES ? of_cores : of_links)[{x, y}];
        sum.sent += row.sent;
        sum.received += row.received;
        sum.dropped += row.dropped;
        sum.refused += row.refused;
        sum.busy_ps += row.busy_ps;
        dropped += row.dropped;
        refused += row.refused;
    }
    EXPECT_GT(dropped, 0u) << "the flood must be too much";
    EXPECT_GT(refused, dropped);
    const counter_sums counted = sums(machine.get());
    for (unsigned i = 0; i < machine_chip_count(machine.get()); i++) {
        const machine_chip chip = machine_chip_at(machine.get(), i);
        const std::pair<unsigned, unsigned> at = {chip.x, chip.y};
        const auto counter = [&](const char *name) { return counted.at({chip.x, chip.y, name}); };
        const auto diagnostic = [&](unsigned number) {
            uint32_t value = 0;
            EXPECT_EQ(
                machine_read_router(machine.get(), chip.x, chip.y, 0x300 + 4 * number, &value),
                STATUS_OK);
            return uint64_t{value};
        };
        /* Each packet has one output, so it leaves or is dumped as a whole. */
        EXPECT_EQ(of_cores[at].received, counter("router.packets_local"));
        EXPECT_EQ(of_cores[at].received + of_links[at].received, counter("router.packets_mc"));
        EXPECT_EQ(of_cores[at].received + of_links[at].received,
                  diagnostic(0) + diagnostic(1) + diagnostic(2));
        EXPECT_LE(diagnostic(0), of_cores[at].received);
        EXPECT_LE(diagnostic(1), of_links[at].received);
        EXPECT_EQ(of_cores[at].dropped + of_links[at].dropped, diagnostic(2));
        EXPECT_EQ(of_cores[at].dropped + of_links[at].dropped, counter("router.dumped_copies"));
        EXPECT_EQ(of_cores[at].sent, counter("router.core_copies"));
        EXPECT_EQ(of_links[at].sent, counter("router.link_copies"));
        EXPECT_EQ(of_cores[at].refused + of_links[at].refused, counter("router.waited"));
        EXPECT_EQ(of_links[at].sent, counter("link.packets"));
        EXPECT_EQ(of_links[at].busy_ps, counter("link.busy_ps"));
        EXPECT_EQ(of_cores[at].received, counter("comms.sent_multicast"));
        EXPECT_EQ(of_cores[at].sent, counter("comms.received_multicast"));
    }
}

TEST(MachineTraffic, OfPurposesAddsUpToTheTrafficWithoutThem)
{
    const owned with = grid(TOPOLOGY_TORUS, 4, 4);
    flood(with.get(), 2);
    const owned without = grid(TOPOLOGY_TORUS, 4, 4);
    flood(without.get(), 2, false);
    EXPECT_EQ(sums(with.get()), sums(without.get())) << "purposes change no result";
    std::map<place, counts> added;
    for (const auto &[at, row] : traffic(with.get())) {
        counts &sum = added[{std::get<0>(at), std::get<1>(at), std::get<2>(at), MC, 0}];
        sum = {sum.sent + row.sent, sum.received + row.received, sum.dropped + row.dropped,
               sum.refused + row.refused, sum.busy_ps + row.busy_ps};
    }
    EXPECT_EQ(added, traffic(without.get()));
}
