/* Where packets go: every rule, from every link. */
#include "tests/unit/network_router_fixture.h"

namespace
{

constexpr unsigned LOCAL = 7;

class RouterDecide : public RouterFixture
{
  protected:
    void expect(const router_decision &decision, uint32_t outputs, unsigned reverting = 0)
    {
        EXPECT_EQ(decision.action, ROUTER_FORWARD);
        EXPECT_EQ(decision.outputs, outputs);
        EXPECT_EQ(decision.reverting, reverting);
    }
};

TEST_F(RouterDecide, MulticastTakesTheLowestEntry)
{
    entry(1023, 0x800001, 0, 0);
    entry(7, 0x0000ff, 0x100, 0xf00);
    expect(decide(0, 0x123, 3), 0x0000ff);
    expect(decide(0, 0x123, LOCAL), 0x0000ff);
    expect(decide(0, 0x223, 3), 0x800001);
    EXPECT_EQ(decide(0, 0x223, 3).default_routed, 0);
}

TEST_F(RouterDecide, DefaultRouteIsTheOppositeLink)
{
    const uint32_t opposite[] = {8, 16, 32, 1, 2, 4};
    for (unsigned link = 0; link < 6; link++) {
        expect(decide(0, 1, link), opposite[link]);
        EXPECT_EQ(decide(0, 1, link).default_routed, 1);
    }
}

TEST_F(RouterDecide, LocalPacketWithoutAnEntryIsDropped)
{
    EXPECT_EQ(decide(0, 1, LOCAL).action, ROUTER_DROP);
    EXPECT_EQ(decide(0, 1, LOCAL).outputs, 0u);
    EXPECT_EQ(decide(0x20, 1, LOCAL).action, ROUTER_DROP); /* emergency bits are of links */
}

TEST_F(RouterDecide, DiversionIsByLinkOfArrival)
{
    write(DIVERSION, 0x9c0 | 1); /* link 0: 01, link 3: 11, link 4: 01, link 5: 10 */
    expect(decide(0, 1, 0), MONITOR);
    expect(decide(0, 1, 1), 16);
    expect(decide(0, 1, 2), 32);
    expect(decide(0, 1, 3), MONITOR);
    expect(decide(0, 1, 4), MONITOR);
    EXPECT_EQ(decide(0, 1, 5).action, ROUTER_DESTROY);
    EXPECT_EQ(decide(0, 1, 5).default_routed, 1);
    expect(decide(0x30, 1, 3), MONITOR); /* reverting, without an entry */
    entry(0, 0x20, 1, 0xffffffff);
    expect(decide(0, 1, 5), 0x20); /* entries are not diverted */
    expect(decide(0xc0, 1, 5), 0); /* nor are fixed routes */
}

TEST_F(RouterDecide, EmergencyTypes)
{
    entry(0, 0x400008, 0x50, 0xff);
    const uint32_t before[] = {32, 1, 2, 4, 8, 16};
    const uint32_t after_two[] = {4, 8, 16, 32, 1, 2};
    for (unsigned link = 0; link < 6; link++) {
        expect(decide(0x20, 0x50, link), before[link], before[link]);
        expect(decide(0x20, 0x51, link), before[link], before[link]);
        EXPECT_EQ(decide(0x20, 0x51, link).default_routed, 0);
        expect(decide(0x10, 0x50, link), 0x400008 | before[link], before[link]);
        expect(decide(0x10, 0x51, link), 1u << (link + 3) % 6 | before[link], before[link]);
        expect(decide(0x30, 0x50, link), 0x400008);
        expect(decide(0x30, 0x51, link), after_two[link]);
        EXPECT_EQ(decide(0x30, 0x51, link).default_routed, 1);
    }
}

TEST_F(RouterDecide, FixedRouteAndItsEmergencyTypes)
{
    write(FIXED_ROUTE, 0xfc800041);
    expect(decide(0xc0, 0, LOCAL), 0x800041);
    expect(decide(0xc0, 0, 2), 0x800041);
    expect(decide(0xe0, 0, 2), 2, 2);
    expect(decide(0xd0, 0, 2), 0x800043, 2);
    expect(decide(0xf0, 0, 2), 0x800041);
}

TEST_F(RouterDecide, PointToPoint)
{
    write(P2P_WORD + 4 * (0x0203 >> 3), 076543210);
    for (unsigned route = 0; route < 6; route++) {
        expect(decide(0x40, 0x0200 + route, LOCAL), 1u << route);
        expect(decide(0x70, 0xffff0200 + route, 4), 1u << route);
    }
    EXPECT_EQ(decide(0x40, 0x0206, 1).action, ROUTER_DROP);
    expect(decide(0x40, 0x0207, 1), MONITOR);
    EXPECT_EQ(decide(0x40, 0x0300, 1).action, ROUTER_DROP);
}

TEST_F(RouterDecide, NearestNeighbour)
{
    for (const unsigned peek_poke : {0u, 0x20u}) {
        for (unsigned link = 0; link < 6; link++) {
            expect(decide(0x80 | peek_poke | link << 2, 0, LOCAL), 1u << link);
        }
        expect(decide(0x80 | peek_poke | 6 << 2, 0, LOCAL), 0x3f);
        expect(decide(0x80 | peek_poke | 7 << 2, 0, LOCAL), MONITOR);
    }
    write(FIXED_ROUTE, 0xa4ffffff);
    expect(decide(0x98, 0, LOCAL), 0x29);
    for (unsigned link = 0; link < 6; link++) {
        expect(decide(0x80 | 6 << 2, 0, link), MONITOR); /* its route was its sender's */
        EXPECT_EQ(decide(0xa0, 0x100, link).action, ROUTER_PEEK);
        EXPECT_EQ(decide(0xa2, 0x100, link).action, ROUTER_POKE);
    }
}

TEST_F(RouterDecide, MonitorThatDoesNotExistGetsNothing)
{
    write(P2P_WORD, 0xffffff);
    control(0, 0, 17u << 8); /* 2 | 17 = 19 */
    EXPECT_EQ(decide(0x40, 0, 1).action, ROUTER_DROP);
    EXPECT_EQ(decide(0x80, 0, 1).action, ROUTER_DROP);
    write(R0, 0x00401101);
    expect(decide(0x40, 0, 1), 1u << 23);
    write(R0, 0x00401f01);
    EXPECT_EQ(decide(0x40, 0, 1).action, ROUTER_DROP);
}

} // namespace
