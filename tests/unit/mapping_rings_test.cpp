/* mapping_rings_test.cpp - rings of chips, and what their cores are told. */
#include "tests/support/processor_time.h"
#include "tests/unit/routing_fixture.h"

#include <gtest/gtest.h>
#include <numeric>

#include "sim/mapping/exchange_plans.h"

using namespace routes;

namespace
{

class Rings
{
  public:
    Rings(const Chips &chips, std::vector<uint32_t> some = {})
    {
        if (some.empty()) {
            some.resize(chips.get()->count);
            std::iota(some.begin(), some.end(), 0u);
        }
        diagnostic why = {};
        EXPECT_EQ(rings_make(&rings_, chips.get(), some.data(), some.size(), &why), STATUS_OK);
        for (size_t ring = 0; ring < rings_.count; ring++) {
            const std::multiset<uint32_t> on(rings_.chip[ring], rings_.chip[ring] + rings_.chips);
            EXPECT_EQ(on, std::multiset<uint32_t>(some.begin(), some.end())) << "ring " << ring;
        }
    }
    ~Rings()
    {
        rings_deinit(&rings_);
    }
    Rings(const Rings &) = delete;
    Rings &operator=(const Rings &) = delete;
    const rings *operator->() const
    {
        return &rings_;
    }
    rings *get()
    {
        return &rings_;
    }

  private:
    rings rings_ = {};
};

/* The steps as (chip, link); a step over no link fails the test. */
std::vector<std::pair<uint32_t, unsigned>> steps(const Chips &chips, const rings &of)
{
    std::vector<std::pair<uint32_t, unsigned>> found;
    for (size_t ring = 0; ring < of.count; ring++) {
        for (size_t i = 0; i < of.chips; i++) {
            const uint32_t from = of.chip[ring][i];
            const auto to = static_cast<int32_t>(of.chip[ring][(i + 1) % of.chips]);
            unsigned link = 0;
            while (link < 6 && chips.get()->chip[from].neighbour[link] != to) {
                link++;
            }
            EXPECT_LT(link, 6u) << "ring " << ring << " step " << i;
            found.emplace_back(from, link);
        }
    }
    return found;
}

size_t different(const std::vector<std::pair<uint32_t, unsigned>> &all)
{
    return std::set<std::pair<uint32_t, unsigned>>(all.begin(), all.end()).size();
}

} // namespace

TEST(MappingRings, OfASpin5AreThreeOverLinksOfTheirOwn)
{
    const Chips chips(spin5());
    const double before = processor_seconds();
    const Rings rings(chips);
    EXPECT_LT(processor_seconds() - before, 0.05);
    ASSERT_EQ(rings->count, 3u);
    ASSERT_EQ(rings->chips, 48u);
    const auto all = steps(chips, *Rings(chips).get());
    EXPECT_EQ(all.size(), 144u);
    EXPECT_EQ(different(all), 144u);
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto step) { return step.second == 2; }),
              6 + 8 + 7)
        << "over links to the north, which are slower";
}

TEST(MappingRings, OfATorusGoOverLinksOfTheirOwnToo)
{
    struct expected {
        uint32_t width, height;
        size_t rings;
    };
    for (const expected &torus_of : {expected{3, 3, 3},
                                     {4, 4, 3},
                                     {5, 5, 3},
                                     {8, 8, 3},
                                     {8, 12, 3},
                                     {12, 12, 3},
                                     {12, 24, 3},
                                     {24, 12, 3},
                                     {3, 4, 2},
                                     {4, 6, 3}}) {
        const Chips chips(torus(torus_of.width, torus_of.height));
        Rings rings(chips);
        const auto all = steps(chips, *rings.get());
        EXPECT_EQ(rings->count, torus_of.rings) << torus_of.width << " x " << torus_of.height;
        EXPECT_EQ(different(all), rings->count * chips.get()->count);
    }
    topology_request boards = torus(12, 12);
    boards.shape = TOPOLOGY_BOARDS;
    EXPECT_EQ(Rings(Chips(boards))->count, 3u);
}

TEST(MappingRings, OfOtherChipsIsOneUpAndDownTheColumns)
{
    const Chips chips(rectangle(3, 2));
    const Rings all(chips);
    ASSERT_EQ(all->count, 1u);
    const uint32_t order[] = {0, 1, 3, 2, 4, 5}; /* 0,0 0,1 1,1 1,0 2,0 2,1 */
    EXPECT_TRUE(std::equal(order, order + 6, all->chip[0]));
    const Rings some(chips, {5, 1, 2});
    const uint32_t few[] = {1, 2, 5};
    EXPECT_TRUE(std::equal(few, few + 3, some->chip[0]));
    EXPECT_EQ(const_cast<Rings &>(some).get()->chip[0][2], 5u);
    EXPECT_EQ(Rings(chips, {4})->chips, 1u);
    EXPECT_EQ(Rings(Chips(torus(2, 2)))->count, 1u) << "two links lead to the same chip";

    topology_request broken = spin5();
    const topology_fault link = {0, 0, 0};
    broken.down_link = &link;
    broken.down_links = 1;
    EXPECT_EQ(Rings(Chips(broken))->count, 1u);
    const topology_fault chip = {3, 3, 0};
    broken.down_links = 0;
    broken.down_chip = &chip;
    broken.down_chips = 1;
    const Rings rest{Chips(broken)};
    EXPECT_EQ(rest->count, 1u);
    EXPECT_EQ(rest->chips, 47u);
}

TEST(MappingRings, AreCheckedStepByStep)
{
    const Chips chips(torus(4, 4));
    Rings good(chips);
    EXPECT_TRUE(rings_over_links(good.get(), chips.get()));
    std::swap(good.get()->chip[1][3], good.get()->chip[1][4]);
    EXPECT_FALSE(rings_over_links(good.get(), chips.get())) << "steps over no link";
    std::swap(good.get()->chip[1][3], good.get()->chip[1][4]);
    const uint32_t kept = good->chip[2][5];
    good.get()->chip[2][5] = good->chip[2][7];
    EXPECT_FALSE(rings_over_links(good.get(), chips.get())) << "a chip comes twice";
    good.get()->chip[2][5] = kept;
    std::copy(good->chip[0], good->chip[0] + 16, good.get()->chip[2]);
    EXPECT_FALSE(rings_over_links(good.get(), chips.get())) << "steps of another ring";
    good.get()->count = 2;
    EXPECT_TRUE(rings_over_links(good.get(), chips.get()));
}

namespace
{

class Plan
{
  public:
    Plan(const Chips &chips, Rings &rings, size_t cores, uint32_t words = 10)
        : cores_(cores), words_(cores, words), physical_(chips.get()->count * cores)
    {
        for (size_t i = 0; i < physical_.size(); i++) {
            physical_[i] = static_cast<uint8_t>(1 + i % cores);
        }
        request = {chips.get(), rings.get(), cores,  physical_.data(), words_.data(), 7,
                   0.85,        136970,      356000, 200000000,        false};
    }
    ~Plan()
    {
        exchange_plans_deinit(&made);
    }
    Plan(const Plan &) = delete;
    Plan &operator=(const Plan &) = delete;
    status make()
    {
        why = {};
        return exchange_plans_on_rings(&made, &request, &why);
    }
    const exchange_plan &of(uint32_t chip, size_t core) const
    {
        return made.plan[chip * cores_ + core];
    }

    exchange_request request = {};
    exchange_plans made = {};
    diagnostic why = {};

  private:
    size_t cores_;
    std::vector<uint32_t> words_;
    std::vector<uint8_t> physical_;
};

} // namespace

TEST(MappingRings, TellEachCoreItsNeighboursAndItsSlot)
{
    const Chips chips(spin5());
    Rings rings(chips);
    Plan plan(chips, rings, 16);
    ASSERT_EQ(plan.make(), STATUS_OK) << plan.why.text;
    for (size_t core = 0; core < 16; core++) {
        const size_t ring = core % 3;
        for (size_t i = 0; i < 48; i++) {
            const uint32_t here = rings->chip[ring][i];
            const uint32_t before = rings->chip[ring][(i + 47) % 48];
            const exchange_plan &own = plan.of(here, core);
            const auto bits = static_cast<uint32_t>(core << 17);
            EXPECT_EQ(own.chips, 48u);
            EXPECT_EQ(own.position, i);
            EXPECT_EQ(own.words, 10u);
            EXPECT_EQ(own.send_key, 0x80000000u | here << 22 | bits);
            EXPECT_EQ(own.receive_key, 0x80000000u | before << 22 | bits);
            EXPECT_EQ(own.open_key, here << 22 | bits | 0x8007);
            EXPECT_EQ(plan.of(before, core).opened_key, own.open_key);
            EXPECT_EQ(own.open_slots, core / 3);
        }
    }
    /* 236.58 ns / 0.85 are 55.67 cycles; six cores share the first ring, five the others. */
    EXPECT_EQ(plan.of(0, 0).slot_cycles, 334u + 1);
    EXPECT_EQ(plan.of(0, 1).slot_cycles, 278u + 1);
    EXPECT_EQ(plan.of(0, 0).phase_cycles, 0u);
    EXPECT_EQ(plan.of(0, 3).phase_cycles, 55u);
    EXPECT_EQ(plan.of(0, 15).phase_cycles, 279u);
    EXPECT_EQ(plan.of(0, 14).phase_cycles, 223u);
}

TEST(MappingRings, LeadEachCoresPacketsToItsNeighbours)
{
    const Chips chips(spin5());
    Rings rings(chips);
    Plan plan(chips, rings, 4);
    ASSERT_EQ(plan.make(), STATUS_OK) << plan.why.text;
    ASSERT_EQ(plan.made.edges.count, 48u * 4 * 2);
    diagnostic why = {};
    const Routes made(new routing);
    ASSERT_EQ(
        routing_make(made.get(), chips.get(), plan.made.edges.edge, plan.made.edges.count, &why),
        STATUS_OK)
        << why.text;
    for (size_t t = 0; t < made->table_count; t++) {
        EXPECT_EQ(made->table[t].count, 16u) << "each core's words and signals, out and in";
    }
    const uint32_t here = rings->chip[1][20];
    const uint32_t after = rings->chip[1][21];
    const uint32_t before = rings->chip[1][19];
    const auto core_at = [&](uint32_t chip, uint8_t p) {
        return machine_core{chips.get()->chip[chip].x, chips.get()->chip[chip].y, p};
    };
    const std::map<core_id, unsigned> next = {{id_of(core_at(after, 2)), 1}};
    const std::map<core_id, unsigned> last = {{id_of(core_at(before, 2)), 1}};
    const exchange_plan &own = plan.of(here, 1);
    for (const uint32_t number : {0u, 1u, 0xffffu, 0x10000u, 0x1ffffu}) {
        EXPECT_EQ(reached(chips, *made, core_at(here, 2), own.send_key | number), next) << number;
    }
    EXPECT_EQ(reached(chips, *made, core_at(here, 2), own.open_key), last);
}

/* Two of three steps in a line take the link from the middle to an end. */
TEST(MappingRings, SlotsFollowTheFullestLink)
{
    const Chips chips(rectangle(4, 1));
    Rings line(chips);
    Plan plan(chips, line, 2);
    ASSERT_EQ(plan.make(), STATUS_OK) << plan.why.text;
    EXPECT_EQ(plan.of(0, 0).slot_cycles, 112u) << "two cores, each link once each way";
    std::swap(line.get()->chip[0][1], line.get()->chip[0][2]); /* 0 2 1 3: 0-2 and 1-3 over 1-2 */
    Plan crossed(chips, line, 2);
    ASSERT_EQ(crossed.make(), STATUS_OK) << crossed.why.text;
    EXPECT_EQ(crossed.of(0, 0).slot_cycles, 223u);
    EXPECT_EQ(crossed.of(0, 1).phase_cycles, 111u);
}

/* From board to board a packet takes 356 x 19 / 11 = 614.9 ns. */
TEST(MappingRings, SlotsFollowTheSlowestLink)
{
    topology_request boards = torus(12, 12);
    boards.shape = TOPOLOGY_BOARDS;
    const Chips chips(boards);
    Rings rings(chips);
    Plan plan(chips, rings, 3);
    ASSERT_EQ(plan.make(), STATUS_OK) << plan.why.text;
    for (size_t core = 0; core < 3; core++) {
        EXPECT_EQ(plan.of(0, core).slot_cycles, 145u);
    }
}

TEST(MappingRings, RefuseWhatHasNoKeys)
{
    const Chips chips(rectangle(2, 1));
    Rings rings(chips);
    Plan longest(chips, rings, 1, EXCHANGE_WORDS_MAX);
    EXPECT_EQ(longest.make(), STATUS_OK);
    Plan plan(chips, rings, 1, EXCHANGE_WORDS_MAX + 1);
    EXPECT_EQ(plan.make(), STATUS_CONFIGURATION);
    EXPECT_STREQ(plan.why.text, "core 0 has 32767 words to exchange: up to 32766");
    EXPECT_EQ(plan.made.plan, nullptr);
    const Chips many(torus(32, 32));
    Rings large(many);
    Plan chips_too_many(many, large, 1);
    EXPECT_EQ(chips_too_many.make(), STATUS_CONFIGURATION);
    EXPECT_STREQ(chips_too_many.why.text,
                 "no keys for rings of 1024 chips with 1 cores: up to 511 with 32");
    EXPECT_STREQ(chips_too_many.why.hint, "a larger machine of boards without faults trains with "
                                          "replicas on all of its chips");
}

TEST(MappingRings, OfOneChipHaveNoEdges)
{
    const Chips chips(rectangle(1, 1));
    Rings rings(chips);
    Plan plan(chips, rings, 16);
    ASSERT_EQ(plan.make(), STATUS_OK) << plan.why.text;
    EXPECT_EQ(plan.made.edges.count, 0u);
    EXPECT_EQ(plan.of(0, 15).chips, 1u);
}
