/* mapping_boards_test.cpp - sums by board: rings of the boards, what cores are told, and what comes
 * of the sums when every core does as it is told. */
#include "tests/unit/routing_fixture.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "sim/mapping/exchange.h"

using namespace routes;

namespace
{

topology_request boards_of(uint32_t width, uint32_t height)
{
    topology_request request = torus(width, height);
    request.shape = TOPOLOGY_BOARDS;
    return request;
}

/* Boards in one row, or in an even number of rows; 27 are three rows of nine, whose ring closes by
 * a longer step. */
struct machine_of {
    uint32_t width, height;
    size_t boards, long_steps;
};
const machine_of MACHINES[] = {{12, 12, 3, 0}, {24, 24, 12, 0}, {24, 48, 24, 0},
                               {12, 24, 6, 0}, {36, 12, 9, 0},  {36, 36, 27, 1}};

class Boards
{
  public:
    explicit Boards(const Chips &chips)
    {
        diagnostic why = {};
        EXPECT_EQ(board_rings_make(&rings_, chips.get(), chips.get()->count, &why), STATUS_OK);
    }
    ~Boards()
    {
        board_rings_deinit(&rings_);
    }
    Boards(const Boards &) = delete;
    Boards &operator=(const Boards &) = delete;
    const board_rings *operator->() const
    {
        return &rings_;
    }

  private:
    board_rings rings_ = {};
};

uint32_t apart(uint32_t from, uint32_t to, uint32_t side)
{
    return (to + side - from) % side;
}

} // namespace

TEST(MappingBoards, HaveTheirChipsInTheSameOrder)
{
    for (const machine_of &is : MACHINES) {
        const Chips chips(boards_of(is.width, is.height));
        const Boards rings(chips);
        ASSERT_EQ(rings->boards, is.boards);
        for (const uint32_t *ring : rings->chip) {
            std::set<uint32_t> seen(ring, ring + is.boards * 48);
            EXPECT_EQ(seen.size(), chips.get()->count);
            for (size_t i = 0; i < is.boards * 48; i++) {
                const topology_chip &at = chips.get()->chip[ring[i]];
                const topology_chip &on_first = chips.get()->chip[ring[i % 48]];
                const size_t next = i % 48 == 47 ? i - 47 : i + 1;
                EXPECT_EQ(apart(at.ethernet_x, at.x, is.width),
                          apart(on_first.ethernet_x, on_first.x, is.width));
                EXPECT_EQ(apart(at.ethernet_y, at.y, is.height),
                          apart(on_first.ethernet_y, on_first.y, is.height));
                EXPECT_NE(
                    std::find(at.neighbour, at.neighbour + 6, static_cast<int32_t>(ring[next])),
                    at.neighbour + 6);
            }
        }
    }
}

TEST(MappingBoards, FollowEachOtherAsNeighbours)
{
    for (const machine_of &is : MACHINES) {
        const Chips chips(boards_of(is.width, is.height));
        const Boards rings(chips);
        for (const board_step *step : rings->step) {
            std::set<uint32_t> seen;
            size_t long_steps = 0;
            for (size_t i = 0; i < is.boards; i++) {
                seen.insert(step[i].board);
                long_steps += !step[i].turns;
            }
            EXPECT_EQ(seen.size(), is.boards);
            EXPECT_EQ(long_steps, is.long_steps) << is.width << " x " << is.height;
        }
    }
}

TEST(MappingBoards, NeedWholeBoards)
{
    diagnostic why = {};
    board_rings rings = {};
    const Chips one(spin5());
    EXPECT_EQ(board_rings_make(&rings, one.get(), 48, &why), STATUS_OK);
    EXPECT_EQ(rings.boards, 0u);
    const Chips three(boards_of(12, 12));
    EXPECT_EQ(board_rings_make(&rings, three.get(), 143, &why), STATUS_OK);
    EXPECT_EQ(rings.boards, 0u) << "not all chips are used";
    topology_request broken = boards_of(12, 12);
    const topology_fault chip = {5, 5, 0};
    broken.down_chip = &chip;
    broken.down_chips = 1;
    const Chips less(broken);
    EXPECT_EQ(board_rings_make(&rings, less.get(), 143, &why), STATUS_OK);
    EXPECT_EQ(rings.boards, 0u) << "a chip is missing";
    topology_request cut = boards_of(12, 12);
    const topology_fault link = {0, 0, 1};
    cut.down_link = &link;
    cut.down_links = 1;
    const Chips linked(cut);
    EXPECT_EQ(board_rings_make(&rings, linked.get(), 144, &why), STATUS_OK);
    EXPECT_EQ(rings.boards, 0u) << "the first ring's first step is missing";
    board_rings_deinit(&rings);
}

namespace
{

/* Plans of some cores of each chip. */
class Plans
{
  public:
    Plans(const Chips &chips, std::vector<uint32_t> words)
        : chips_(chips), words_(std::move(words)), physical_(chips.get()->count * words_.size())
    {
        for (size_t i = 0; i < physical_.size(); i++) {
            physical_[i] = static_cast<uint8_t>(1 + i % words_.size());
        }
        exchange_request request = {};
        request.topology = chips.get();
        request.cores = words_.size();
        request.physical = physical_.data();
        request.words = words_.data();
        request.counter = 4;
        request.by_board = true;
        request.pace = 0.85;
        request.link_packet_ps = 136970;
        request.link_packet_between_boards_ps = 356000;
        request.clock_hz = 200000000;
        std::vector<uint32_t> all(chips.get()->count);
        std::iota(all.begin(), all.end(), 0u);
        const exchange_chips used = {all.data(), all.size(), RINGS_MAX, 0};
        diagnostic why = {};
        EXPECT_EQ(EXCHANGE_ON_RINGS.make(&made, &request, &used, &why), STATUS_OK) << why.text;
        EXPECT_EQ(exchange_slots(&request, &used, &pace, &why), STATUS_OK) << why.text;
    }
    ~Plans()
    {
        exchange_plans_deinit(&made);
    }
    Plans(const Plans &) = delete;
    Plans &operator=(const Plans &) = delete;
    size_t cores() const
    {
        return words_.size();
    }
    const Chips &chips() const
    {
        return chips_;
    }

    exchange_plans made = {};
    exchange_pace pace = {};

  private:
    const Chips &chips_;
    std::vector<uint32_t> words_;
    std::vector<uint8_t> physical_;
};

/* A vector of each core: its words. */
using all_words = std::vector<std::vector<uint64_t>>;

/* On each ring of a level: reduce-scatter and all-gather as exchange.c describes them, of the words
 * from first[core] on.  The rings are found by keys: a core receives what is sent with its
 * receive_key by the core that its routes come from. */
class Level
{
  public:
    Level(const Plans &plans, const exchange_plan *plan, const std::vector<uint32_t> &predecessor)
        : plan_(plan), predecessor_(predecessor), count_(plans.chips().get()->count * plans.cores())
    {
    }

    /* Step by step: slice position - s arrives in step s, and is added. */
    void reduce_scatter(all_words &words, const std::vector<uint32_t> &first) const
    {
        for (uint32_t s = 0; s + 1 < plan_[0].chips; s++) {
            const all_words before = words;
            for (size_t c = 0; c < count_; c++) {
                pass(words[c], before[predecessor_[c]], c, first[c], s, 0, true);
            }
        }
    }
    void all_gather(all_words &words, const std::vector<uint32_t> &first) const
    {
        for (uint32_t s = 0; s + 1 < plan_[0].chips; s++) {
            const all_words before = words;
            for (size_t c = 0; c < count_; c++) {
                pass(words[c], before[predecessor_[c]], c, first[c], s, 1, false);
            }
        }
    }
    /* Where each core's slice begins after reduce-scatter. */
    std::vector<uint32_t> owned(std::vector<uint32_t> first) const
    {
        for (size_t c = 0; c < count_; c++) {
            const exchange_plan &own = plan_[c];
            first[c] += exchange_bound(own.words, own.chips, (own.position + 1) % own.chips);
        }
        return first;
    }

  private:
    /* The predecessor is at the position before, and sends its slice `own` first. */
    void pass(std::vector<uint64_t> &to, const std::vector<uint64_t> &from, size_t core,
              uint32_t first, uint32_t s, uint32_t own, bool add) const
    {
        const exchange_plan &plan = plan_[core];
        const uint32_t before = (plan.position + plan.chips - 1) % plan.chips;
        EXPECT_EQ(plan_[predecessor_[core]].position, before);
        const uint32_t slice = (before + own + plan.chips - s) % plan.chips;
        for (uint32_t w = exchange_bound(plan.words, plan.chips, slice);
             w < exchange_bound(plan.words, plan.chips, slice + 1); w++) {
            to[first + w] = add ? to[first + w] + from[first + w] : from[first + w];
        }
    }

    const exchange_plan *plan_;
    const std::vector<uint32_t> &predecessor_;
    size_t count_;
};

/* For each core the core whose words reach it with its receive_key. */
std::vector<uint32_t> predecessors(const Plans &plans, const routing &made,
                                   const exchange_plan *plan)
{
    const size_t count = plans.chips().get()->count * plans.cores();
    std::vector<uint32_t> found(count, UINT32_MAX);
    for (uint32_t c = 0; c < count; c++) {
        const topology_chip &at = plans.chips().get()->chip[c / plans.cores()];
        const machine_core core = {at.x, at.y, static_cast<uint8_t>(1 + c % plans.cores())};
        const auto targets = reached(plans.chips(), made, core, plan[c].send_key | 0xffff);
        EXPECT_EQ(targets.size(), 1u);
        const auto [x, y, p] = targets.begin()->first;
        const auto chip = static_cast<uint32_t>(topology_find(plans.chips().get(), x, y));
        const uint32_t to = chip * static_cast<uint32_t>(plans.cores()) + p - 1;
        EXPECT_EQ(plan[to].receive_key, plan[c].send_key);
        EXPECT_EQ(found[to], UINT32_MAX) << "words of two cores";
        found[to] = c;
        const auto opened =
            reached(plans.chips(), made,
                    {static_cast<uint8_t>(x), static_cast<uint8_t>(y), static_cast<uint8_t>(p)},
                    plan[to].open_key);
        EXPECT_EQ(opened, (std::map<core_id, unsigned>{{id_of(core), 1}}));
        EXPECT_EQ(plan[c].opened_key, plan[to].open_key);
    }
    return found;
}

void expect_sums(const machine_of &is, const std::vector<uint32_t> &lengths)
{
    const Chips chips(boards_of(is.width, is.height));
    const Plans plans(chips, lengths);
    ASSERT_NE(plans.made.between_boards, nullptr);
    diagnostic why = {};
    const Routes made(new routing);
    ASSERT_EQ(routing_of(made.get(), chips.get(), &plans.made.edges, &why), STATUS_OK) << why.text;
    const std::vector<uint32_t> on_board = predecessors(plans, *made, plans.made.plan);
    const std::vector<uint32_t> on_boards = predecessors(plans, *made, plans.made.between_boards);
    const Level board(plans, plans.made.plan, on_board);
    const Level boards(plans, plans.made.between_boards, on_boards);
    const size_t count = chips.get()->count * lengths.size();
    all_words words(count);
    std::vector<uint64_t> sums(lengths.size());
    for (size_t c = 0; c < count; c++) {
        const uint64_t value = 1 + (c / lengths.size()) * (c / lengths.size()); /* of the chip */
        words[c].assign(lengths[c % lengths.size()], value);
        sums[c % lengths.size()] += value;
    }
    const std::vector<uint32_t> whole(count, 0);
    const std::vector<uint32_t> slice = board.owned(whole);
    board.reduce_scatter(words, whole);
    boards.reduce_scatter(words, slice);
    const std::vector<uint32_t> owned = boards.owned(slice);
    std::map<std::pair<size_t, uint32_t>, unsigned> owners;
    for (size_t c = 0; c < count; c++) {
        const exchange_plan &own = plans.made.between_boards[c];
        const uint32_t at = (own.position + 1) % own.chips;
        const uint32_t length =
            exchange_bound(own.words, own.chips, at + 1) - exchange_bound(own.words, own.chips, at);
        for (uint32_t w = owned[c]; w < owned[c] + length; w++) {
            owners[{c % lengths.size(), w}]++;
            ASSERT_EQ(words[c][w], sums[c % lengths.size()]) << "core " << c << " word " << w;
        }
        std::fill(words[c].begin(), words[c].begin() + owned[c], 0u);
        std::fill(words[c].begin() + owned[c] + length, words[c].end(), 0u);
    }
    EXPECT_EQ(owners.size(), std::accumulate(lengths.begin(), lengths.end(), 0u));
    for (const auto &[word, cores] : owners) {
        ASSERT_EQ(cores, 1u) << "core " << word.first << " word " << word.second;
    }
    boards.all_gather(words, slice);
    board.all_gather(words, whole);
    for (size_t c = 0; c < count; c++) {
        ASSERT_EQ(words[c], std::vector<uint64_t>(words[c].size(), sums[c % lengths.size()]));
    }
}

} // namespace

/* Every word is summed over all chips at one owner, and then all chips have the sum. */
TEST(MappingBoards, SumEachWordOnceAndGiveItToAllChips)
{
    expect_sums({12, 12, 3, 0}, {700, 7, 311, 288});
    expect_sums({24, 24, 12, 0}, {600});
    expect_sums({36, 12, 9, 0}, {301});
}

/* A packet of 19 symbols takes 236.58 ns on a board, 614.9 ns between boards.  On a board six, five
 * and five of 16 cores take turns at a pace of 0.85 x 0.94; between boards each link has the
 * streams of four chips, at 0.85 x 0.7. */
TEST(MappingBoards, SlotsFollowTheLinks)
{
    const Chips chips(boards_of(12, 12));
    const Plans plans(chips, std::vector<uint32_t>(16, 4000));
    EXPECT_EQ(plans.pace.rings, 3u);
    EXPECT_EQ(plans.pace.chips, 48u);
    EXPECT_EQ(plans.pace.boards, 3u);
    for (size_t chip = 0; chip < 144; chip++) {
        for (size_t core = 0; core < 16; core++) {
            const uint32_t on_ring = core % 3 == 0 ? 6 : 5;
            const exchange_plan &board = plans.made.plan[chip * 16 + core];
            const exchange_plan &between = plans.made.between_boards[chip * 16 + core];
            const double wanted = 4 * on_ring * 614.9 / (0.85 * 0.62) / 5; /* cycles of 5 ns */
            EXPECT_NEAR(board.slot_cycles, on_ring * 236.58 / (0.85 * 0.88) / 5, 1);
            EXPECT_EQ(between.slot_cycles % board.slot_cycles, 0u);
            EXPECT_GE(between.slot_cycles + 1, wanted);
            EXPECT_LT(between.slot_cycles, wanted + board.slot_cycles + 1);
            EXPECT_EQ(between.open_slots, 0u);
        }
    }
}
