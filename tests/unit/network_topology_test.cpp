/* Shapes, wiring and faults: what each chip's links lead to, and which machines are refused. */
extern "C" {
#include "models/network/topology.h"
}

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace
{

using place = std::pair<unsigned, unsigned>;

enum { E, NE, N, W, SW, S };

/* A request whose lists live as long as it. */
struct faults {
    std::vector<topology_fault> chips, cores, links;
};

class machine
{
  public:
    explicit machine(topology_shape shape, uint32_t width = 0, uint32_t height = 0,
                     const faults &down = {})
    {
        topology_request request = {};
        request.shape = shape;
        request.width = width;
        request.height = height;
        request.down_chip = down.chips.data();
        request.down_chips = down.chips.size();
        request.down_core = down.cores.data();
        request.down_cores = down.cores.size();
        request.down_link = down.links.data();
        request.down_links = down.links.size();
        made = topology_make(&whole, &request, &message);
    }
    machine(const machine &) = delete;
    machine &operator=(const machine &) = delete;
    ~machine()
    {
        topology_deinit(&whole);
    }

    const topology_chip &at(unsigned x, unsigned y) const
    {
        const int32_t index = topology_find(&whole, x, y);
        EXPECT_NE(index, TOPOLOGY_NO_CHIP) << x << "," << y;
        return whole.chip[index];
    }
    /* "x,y", or "-" */
    std::string to(unsigned x, unsigned y, unsigned link) const
    {
        const int32_t index = at(x, y).neighbour[link];
        return index == TOPOLOGY_NO_CHIP ? "-"
                                         : std::to_string(whole.chip[index].x) + "," +
                                               std::to_string(whole.chip[index].y);
    }
    /* Sorted, found again, and each link the other end's opposite. */
    void expect_sound() const
    {
        for (size_t i = 0; i < whole.count; i++) {
            const topology_chip &chip = whole.chip[i];
            EXPECT_EQ(topology_find(&whole, chip.x, chip.y), (int32_t)i);
            for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
                const int32_t other = chip.neighbour[link];
                if (other == TOPOLOGY_NO_CHIP) {
                    EXPECT_FALSE(chip.between_boards[link]);
                    continue;
                }
                ASSERT_LT((size_t)other, whole.count);
                EXPECT_EQ(whole.chip[other].neighbour[topology_opposite(link)], (int32_t)i);
                EXPECT_EQ(whole.chip[other].between_boards[topology_opposite(link)],
                          chip.between_boards[link]);
            }
        }
    }

    topology whole = {};
    diagnostic message = {};
    status made;
};

unsigned links_of(const topology &whole)
{
    unsigned count = 0;
    for (size_t i = 0; i < whole.count; i++) {
        for (const int32_t to : whole.chip[i].neighbour) {
            count += to != TOPOLOGY_NO_CHIP;
        }
    }
    return count;
}

TEST(Topology, OppositeOfALinkIsThreeOn)
{
    EXPECT_EQ(topology_opposite(E), (unsigned)W);
    EXPECT_EQ(topology_opposite(NE), (unsigned)SW);
    EXPECT_EQ(topology_opposite(N), (unsigned)S);
    EXPECT_EQ(topology_opposite(S), (unsigned)N);
}

TEST(Topology, OneChipHasNoLinks)
{
    const machine one(TOPOLOGY_RECTANGLE, 1, 1);
    ASSERT_EQ(one.made, STATUS_OK);
    EXPECT_EQ(one.whole.count, 1u);
    EXPECT_EQ(one.whole.width, 1u);
    EXPECT_EQ(one.whole.height, 1u);
    EXPECT_EQ(one.whole.boards, 1u);
    EXPECT_EQ(links_of(one.whole), 0u);
    EXPECT_EQ(one.at(0, 0).cores, 0x3ffffu);
}

TEST(Topology, RectangleEndsAtItsEdges)
{
    const machine four(TOPOLOGY_RECTANGLE, 3, 2);
    ASSERT_EQ(four.made, STATUS_OK);
    four.expect_sound();
    EXPECT_EQ(four.whole.count, 6u);
    EXPECT_EQ(four.to(0, 0, E), "1,0");
    EXPECT_EQ(four.to(0, 0, NE), "1,1");
    EXPECT_EQ(four.to(0, 0, N), "0,1");
    EXPECT_EQ(four.to(0, 0, W), "-");
    EXPECT_EQ(four.to(0, 0, SW), "-");
    EXPECT_EQ(four.to(0, 0, S), "-");
    EXPECT_EQ(four.to(2, 1, E), "-");
    EXPECT_EQ(four.to(2, 1, NE), "-");
    EXPECT_EQ(four.to(2, 1, N), "-");
    EXPECT_EQ(four.to(2, 1, W), "1,1");
    EXPECT_EQ(four.to(2, 1, SW), "1,0");
    EXPECT_EQ(four.to(2, 1, S), "2,0");
    EXPECT_EQ(links_of(four.whole), 2u * (4 + 3 + 2)); /* E, N, NE */
}

TEST(Topology, ChipsAreOrderedByXThenY)
{
    const machine six(TOPOLOGY_RECTANGLE, 2, 3);
    ASSERT_EQ(six.whole.count, 6u);
    const std::array<place, 6> order = {{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}};
    for (size_t i = 0; i < order.size(); i++) {
        EXPECT_EQ(place(six.whole.chip[i].x, six.whole.chip[i].y), order[i]);
    }
    EXPECT_EQ(topology_find(&six.whole, 2, 0), TOPOLOGY_NO_CHIP);
    EXPECT_EQ(topology_find(&six.whole, 0, 3), TOPOLOGY_NO_CHIP);
}

TEST(Topology, TorusJoinsItsEdges)
{
    const machine torus(TOPOLOGY_TORUS, 4, 3);
    ASSERT_EQ(torus.made, STATUS_OK);
    torus.expect_sound();
    EXPECT_EQ(torus.whole.boards, 1u);
    EXPECT_EQ(links_of(torus.whole), 6u * 12);
    EXPECT_EQ(torus.to(3, 2, E), "0,2");
    EXPECT_EQ(torus.to(3, 2, NE), "0,0");
    EXPECT_EQ(torus.to(3, 2, N), "3,0");
    EXPECT_EQ(torus.to(0, 0, W), "3,0");
    EXPECT_EQ(torus.to(0, 0, SW), "3,2");
    EXPECT_EQ(torus.to(0, 0, S), "0,2");
}

TEST(Topology, ATorusOfOneChipIsItsOwnNeighbour)
{
    const machine torus(TOPOLOGY_TORUS, 1, 1);
    ASSERT_EQ(torus.made, STATUS_OK);
    torus.expect_sound();
    EXPECT_EQ(links_of(torus.whole), 6u);
}

/* The board's wiring as its makers list it. */
TEST(Topology, Spin3IsJoinedInYOnly)
{
    const machine board(TOPOLOGY_SPIN3);
    ASSERT_EQ(board.made, STATUS_OK);
    board.expect_sound();
    EXPECT_EQ(board.whole.count, 4u);
    EXPECT_EQ(board.whole.boards, 1u);
    EXPECT_EQ(board.whole.width, 2u);
    EXPECT_EQ(board.whole.height, 2u);
    const std::map<place, std::array<std::string, 6>> wiring = {
        {{0, 0}, {{"1,0", "1,1", "0,1", "-", "-", "0,1"}}},
        {{0, 1}, {{"1,1", "1,0", "0,0", "-", "-", "0,0"}}},
        {{1, 0}, {{"-", "-", "1,1", "0,0", "0,1", "1,1"}}},
        {{1, 1}, {{"-", "-", "1,0", "0,1", "0,0", "1,0"}}}};
    for (const auto &[chip, ends] : wiring) {
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            EXPECT_EQ(board.to(chip.first, chip.second, link), ends[link])
                << chip.first << "," << chip.second << " link " << link;
        }
    }
}

/* First and last x of each row of the hexagon. */
const std::array<place, 8> ROWS = {
    {{0, 4}, {0, 5}, {0, 6}, {0, 7}, {1, 7}, {2, 7}, {3, 7}, {4, 7}}};

TEST(Topology, Spin5IsAHexagonOf48)
{
    const machine board(TOPOLOGY_SPIN5);
    ASSERT_EQ(board.made, STATUS_OK);
    board.expect_sound();
    EXPECT_EQ(board.whole.count, 48u);
    EXPECT_EQ(board.whole.boards, 1u);
    for (unsigned y = 0; y < 8; y++) {
        for (unsigned x = 0; x < 8; x++) {
            const bool there = x >= ROWS[y].first && x <= ROWS[y].second;
            EXPECT_EQ(topology_find(&board.whole, x, y) != TOPOLOGY_NO_CHIP, there)
                << x << "," << y;
        }
    }
}

struct edge {
    unsigned x, y;
    std::vector<unsigned> links;
    unsigned to_x, to_y; /* of the neighbouring board, modulo 12 */
};

/* The 48 links to the board's three FPGAs, in their order. */
const std::vector<edge> EDGES = {
    {7, 3, {E, S}, 4, 8},  {6, 2, {E, S}, 4, 8},  {5, 1, {E, S}, 4, 8},  {4, 0, {E, S}, 4, 8},
    {4, 0, {SW}, 8, 4},    {3, 0, {S, SW}, 8, 4}, {2, 0, {S, SW}, 8, 4}, {1, 0, {S, SW}, 8, 4},
    {0, 0, {S}, 8, 4},     {0, 0, {SW, W}, 4, 8}, {0, 1, {SW, W}, 4, 8}, {0, 2, {SW, W}, 4, 8},
    {0, 3, {SW, W}, 4, 8}, {0, 3, {N}, 8, 4},     {1, 4, {W, N}, 8, 4},  {2, 5, {W, N}, 8, 4},
    {3, 6, {W, N}, 8, 4},  {4, 7, {W}, 8, 4},     {4, 7, {N, NE}, 4, 8}, {5, 7, {N, NE}, 4, 8},
    {6, 7, {N, NE}, 4, 8}, {7, 7, {N, NE}, 4, 8}, {7, 7, {E}, 8, 4},     {7, 6, {NE, E}, 8, 4},
    {7, 5, {NE, E}, 8, 4}, {7, 4, {NE, E}, 8, 4}, {7, 3, {NE}, 8, 4}};

TEST(Topology, Spin5LacksItsEdgeLinksAndNoOther)
{
    const machine board(TOPOLOGY_SPIN5);
    unsigned listed = 0;
    for (const edge &side : EDGES) {
        for (const unsigned link : side.links) {
            EXPECT_EQ(board.to(side.x, side.y, link), "-") << side.x << "," << side.y;
            listed++;
        }
    }
    EXPECT_EQ(listed, 48u);
    EXPECT_EQ(links_of(board.whole), 48u * 6 - 48);
}

TEST(Topology, ThreeBoardsFillTwelveByTwelve)
{
    const machine three(TOPOLOGY_BOARDS, 12, 12);
    ASSERT_EQ(three.made, STATUS_OK);
    three.expect_sound();
    EXPECT_EQ(three.whole.count, 144u);
    EXPECT_EQ(three.whole.boards, 3u);
    EXPECT_EQ(links_of(three.whole), 144u * 6);
    std::map<place, unsigned> chips;
    unsigned between = 0;
    for (size_t i = 0; i < three.whole.count; i++) {
        const topology_chip &chip = three.whole.chip[i];
        chips[{chip.ethernet_x, chip.ethernet_y}]++;
        for (const bool crosses : chip.between_boards) {
            between += crosses;
        }
    }
    const std::map<place, unsigned> expected = {{{0, 0}, 48}, {{4, 8}, 48}, {{8, 4}, 48}};
    EXPECT_EQ(chips, expected);
    EXPECT_EQ(between, 3u * 48);
}

/* Each edge link leads to the board that its FPGA's cable leads to. */
TEST(Topology, EdgeLinksLeadToTheNeighbouringBoards)
{
    const machine three(TOPOLOGY_BOARDS, 12, 12);
    for (const edge &side : EDGES) {
        const topology_chip &chip = three.at(side.x, side.y);
        for (const unsigned link : side.links) {
            const topology_chip &other = three.whole.chip[chip.neighbour[link]];
            EXPECT_TRUE(chip.between_boards[link]);
            EXPECT_EQ(place(other.ethernet_x, other.ethernet_y), place(side.to_x, side.to_y))
                << side.x << "," << side.y << " link " << link;
        }
    }
}

TEST(Topology, BoardsOfALargerMachineHaveTheirOwnFirstChips)
{
    const machine many(TOPOLOGY_BOARDS, 24, 48);
    ASSERT_EQ(many.made, STATUS_OK);
    EXPECT_EQ(many.whole.count, 24u * 48);
    EXPECT_EQ(many.whole.boards, 24u);
    std::set<place> first;
    for (size_t i = 0; i < many.whole.count; i++) {
        first.insert({many.whole.chip[i].ethernet_x, many.whole.chip[i].ethernet_y});
    }
    EXPECT_EQ(first.size(), 24u);
    EXPECT_TRUE(first.count({16, 20}));
    /* (4,8)'s board reaches over the upper edge of the last twelve */
    EXPECT_EQ(place(many.at(8, 0).ethernet_x, many.at(8, 0).ethernet_y), place(4, 44));
    EXPECT_EQ(place(many.at(0, 4).ethernet_x, many.at(0, 4).ethernet_y), place(20, 4));
}

/* ---- impossible boards ---- */

void expect_refused(const machine &wrong, const std::string &key, const std::string &text)
{
    EXPECT_EQ(wrong.made, STATUS_CONFIGURATION);
    EXPECT_EQ(wrong.message.key, key);
    EXPECT_EQ(wrong.message.text, text);
    EXPECT_EQ(wrong.whole.chip, nullptr);
    EXPECT_EQ(wrong.whole.count, 0u);
}

TEST(Topology, SidesHaveBounds)
{
    expect_refused(machine(TOPOLOGY_RECTANGLE, 0, 1), "board.width",
                   "0 chips: a side has 1 to 256");
    expect_refused(machine(TOPOLOGY_TORUS, 1, 257), "board.height",
                   "257 chips: a side has 1 to 256");
    const machine longest(TOPOLOGY_RECTANGLE, 1, 256);
    ASSERT_EQ(longest.made, STATUS_OK);
    EXPECT_EQ(longest.whole.chip[255].y, 255);
}

TEST(Topology, BoardsComeInTwelves)
{
    expect_refused(machine(TOPOLOGY_BOARDS, 13, 12), "board.width",
                   "13 chips: joined boards come in threes of 12 x 12 chips, so a side is a "
                   "multiple of 12");
    expect_refused(machine(TOPOLOGY_BOARDS, 12, 8), "board.height",
                   "8 chips: joined boards come in threes of 12 x 12 chips, so a side is a "
                   "multiple of 12");
}

/* ---- faults ---- */

TEST(Topology, ADownLinkIsDownAtBothEnds)
{
    const machine torn(TOPOLOGY_SPIN5, 0, 0, {{}, {}, {{3, 3, NE}}});
    ASSERT_EQ(torn.made, STATUS_OK);
    torn.expect_sound();
    EXPECT_EQ(torn.to(3, 3, NE), "-");
    EXPECT_EQ(torn.to(4, 4, SW), "-");
    EXPECT_EQ(links_of(torn.whole), 48u * 6 - 48 - 2);
}

TEST(Topology, BothEndsOfADownLinkMayBeNamed)
{
    const machine torn(TOPOLOGY_SPIN5, 0, 0, {{}, {}, {{3, 3, N}, {3, 4, S}}});
    ASSERT_EQ(torn.made, STATUS_OK);
    EXPECT_EQ(links_of(torn.whole), 48u * 6 - 48 - 2);
}

TEST(Topology, OneOfTwoLinksBetweenTheSameChipsCanBeDown)
{
    const machine torn(TOPOLOGY_SPIN3, 0, 0, {{}, {}, {{0, 0, N}}});
    ASSERT_EQ(torn.made, STATUS_OK);
    EXPECT_EQ(torn.to(0, 0, N), "-");
    EXPECT_EQ(torn.to(0, 1, S), "-");
    EXPECT_EQ(torn.to(0, 0, S), "0,1");
    EXPECT_EQ(torn.to(0, 1, N), "0,0");
}

TEST(Topology, ADownChipIsNoChip)
{
    const machine torn(TOPOLOGY_RECTANGLE, 3, 3,
                       {{{1, 1, 0}, {1, 1, 0}}, {{1, 1, 5}}, {{1, 1, E}}});
    ASSERT_EQ(torn.made, STATUS_OK);
    torn.expect_sound();
    EXPECT_EQ(torn.whole.count, 8u);
    EXPECT_EQ(topology_find(&torn.whole, 1, 1), TOPOLOGY_NO_CHIP);
    EXPECT_EQ(torn.to(0, 0, NE), "-");
    EXPECT_EQ(torn.to(2, 2, SW), "-");
    EXPECT_EQ(torn.to(0, 0, E), "1,0");
    EXPECT_EQ(torn.to(1, 0, NE), "2,1");
}

TEST(Topology, DownCoresAreMissingFromTheirChipAlone)
{
    const machine torn(TOPOLOGY_SPIN3, 0, 0, {{}, {{0, 1, 0}, {0, 1, 17}}, {}});
    ASSERT_EQ(torn.made, STATUS_OK);
    EXPECT_EQ(torn.at(0, 1).cores, 0x1fffeu);
    EXPECT_EQ(torn.at(0, 0).cores, 0x3ffffu);
}

TEST(Topology, FaultsOfWhatIsNotThereAreRefused)
{
    expect_refused(machine(TOPOLOGY_SPIN5, 0, 0, {{{0, 4, 0}}, {}, {}}), "faults.down_chips",
                   "the machine has no chip 0,4");
    expect_refused(machine(TOPOLOGY_SPIN5, 0, 0, {{}, {{5, 0, 1}}, {}}), "faults.down_cores",
                   "the machine has no chip 5,0");
    expect_refused(machine(TOPOLOGY_SPIN5, 0, 0, {{}, {{0, 0, 18}}, {}}), "faults.down_cores",
                   "chip 0,0 has no core 18: cores are 0 to 17");
    expect_refused(machine(TOPOLOGY_SPIN5, 0, 0, {{}, {}, {{8, 8, 0}}}), "faults.down_links",
                   "the machine has no chip 8,8");
    expect_refused(machine(TOPOLOGY_SPIN5, 0, 0, {{}, {}, {{1, 1, 6}}}), "faults.down_links",
                   "chip 1,1 has no link 6: links are 0 (E) to 5 (S)");
    expect_refused(machine(TOPOLOGY_SPIN5, 0, 0, {{}, {}, {{0, 0, W}}}), "faults.down_links",
                   "link 3 of chip 0,0 leads to no chip, it cannot be down");
}

TEST(Topology, NoChipLeftIsNoMachine)
{
    expect_refused(machine(TOPOLOGY_RECTANGLE, 1, 2, {{{0, 0, 0}, {0, 1, 0}}, {}, {}}),
                   "faults.down_chips", "all chips are down");
}

TEST(Topology, DownChipsThatCutTheMachineAreRefused)
{
    expect_refused(machine(TOPOLOGY_RECTANGLE, 3, 1, {{{1, 0, 0}}, {}, {}}), "faults.down_chips",
                   "the machine is cut in two: no way from chip 0,0 to 2,0");
    expect_refused(machine(TOPOLOGY_RECTANGLE, 8, 1, {{{2, 0, 0}}, {}, {}}), "faults.down_chips",
                   "the machine is cut in two: no way from chip 0,0 to 3,0 4,0 5,0 6,0 and 1 more");
    EXPECT_EQ(machine(TOPOLOGY_RECTANGLE, 3, 1, {{{1, 0, 0}, {2, 0, 0}}, {}, {}}).made, STATUS_OK);
}

TEST(Topology, DownLinksThatCutTheMachineAreRefused)
{
    const faults all_but_one = {{}, {}, {{1, 1, W}, {1, 1, SW}}};
    faults all = all_but_one;
    all.links.push_back({1, 0, N});
    expect_refused(machine(TOPOLOGY_RECTANGLE, 2, 2, all), "faults.down_links",
                   "the machine is cut in two: no way from chip 0,0 to 1,1");
    EXPECT_EQ(machine(TOPOLOGY_RECTANGLE, 2, 2, all_but_one).made, STATUS_OK);
}

} /* namespace */
