/* The way of packets through a router: pipeline, waits, emergency routing, dumps, errors. */
#include "tests/unit/network_router_fixture.h"

#include <cstring>
#include <vector>

namespace
{

constexpr unsigned LOCAL = 7;
constexpr uint64_t NEVER = UINT64_MAX;

class RouterOutput : public RouterFixture
{
  protected:
    /* A multicast packet from link 3 with this route, in the output stage and blocked there. */
    void block(uint32_t route, uint32_t free_outputs, unsigned control = 0)
    {
        entry(0, route, 0x77, 0xffffffff);
        EXPECT_FALSE(this->route(make(control, 0x77, 3), free_outputs));
    }

    unsigned emergency_of_copy(unsigned output)
    {
        const packet copy = router_copy(&event_, output);
        return copy.control >> 4 & 3;
    }
};

TEST_F(RouterOutput, LeavesFiveClocksAfterItsEdge)
{
    entry(0, 0x41, 0x77, 0xffffffff);
    ASSERT_TRUE(offer(make(0, 0x77, 3), 1)); /* taken at the edge of 10,000 ps */
    EXPECT_EQ(next(), CYCLE + PIPELINE);
    EXPECT_FALSE(step(CYCLE + PIPELINE - 1));
    EXPECT_EQ(event_.kind, ROUTER_EVENT_NONE);
    ASSERT_TRUE(step(CYCLE + PIPELINE));
    EXPECT_EQ(event_.kind, ROUTER_EVENT_ISSUED);
    EXPECT_EQ(event_.at_ps, CYCLE + PIPELINE);
    EXPECT_EQ(event_.tried_ps, CYCLE + PIPELINE);
    EXPECT_EQ(event_.outputs, 0x41u);
    EXPECT_EQ(event_.dumped, 0u);
    EXPECT_EQ(event_.packet.key, 0x77u);
    EXPECT_EQ(event_.packet.purpose, 77u);
    EXPECT_EQ(next(), NEVER);
    EXPECT_FALSE(step(NEVER - 1));
    EXPECT_EQ(counters().packets_mc, 1u);
    EXPECT_EQ(counters().bits, 40u);
    EXPECT_EQ(counters().link_copies, 1u);
    EXPECT_EQ(counters().core_copies, 1u);
}

TEST_F(RouterOutput, OnePacketAClockInOrder)
{
    for (unsigned i = 0; i < 20; i++) {
        const uint64_t now = i * CYCLE;
        if (i >= 5) {
            ASSERT_TRUE(step(now)) << i;
            EXPECT_EQ(event_.packet.key, i - 5);
            EXPECT_EQ(event_.at_ps, now);
            EXPECT_FALSE(step(now)) << i;
        }
        EXPECT_EQ(router_accept_ps(router_.get()), now);
        ASSERT_TRUE(offer(make(0, i, 1), now)) << i;
        EXPECT_FALSE(offer(make(0, i, 1), now)) << i;
    }
    EXPECT_EQ(counters().default_routed, 15u);
    EXPECT_EQ(counters().waited, 0u);
}

TEST_F(RouterOutput, BlockedPacketStopsThoseBehindItAndTheInput)
{
    control(0xff, 0);
    for (unsigned i = 0; i < 5; i++) {
        ASSERT_TRUE(offer(make(0, i, 1), i * CYCLE));
    }
    EXPECT_EQ(router_accept_ps(router_.get()), NEVER);
    EXPECT_FALSE(offer(make(0, 9, 1), 100 * CYCLE));
    EXPECT_FALSE(step(5 * CYCLE, 0));
    EXPECT_EQ(next(), NEVER); /* for ever, until the output is free */
    EXPECT_FALSE(step(100000 * CYCLE, ALL_FREE & ~16u));
    ASSERT_TRUE(step(100000 * CYCLE + 1)); /* at the next edge */
    EXPECT_EQ(event_.packet.key, 0u);
    EXPECT_EQ(event_.at_ps, 100001 * CYCLE);
    EXPECT_EQ(event_.tried_ps, 5 * CYCLE);
    EXPECT_EQ(next(), 100002 * CYCLE);
    EXPECT_TRUE(offer(make(0, 9, 1), 100001 * CYCLE));
    EXPECT_FALSE(step(100002 * CYCLE - 1));
    ASSERT_TRUE(step(100002 * CYCLE));
    EXPECT_EQ(event_.packet.key, 1u);
    EXPECT_EQ(counters().waited, 1u);
    EXPECT_EQ(counters().wait_cycles, 99996u);
}

TEST_F(RouterOutput, DisabledRouterTakesNothing)
{
    write(R0, 0x00400000);
    EXPECT_EQ(router_accept_ps(router_.get()), NEVER);
    EXPECT_FALSE(offer(make(0, 0, 1), CYCLE));
    write(R0, 0x00400001);
    EXPECT_TRUE(offer(make(0, 0, 1), CYCLE));
}

TEST_F(RouterOutput, WaitsForAllOutputsAtOnce)
{
    block(0x41, 0x40);
    EXPECT_FALSE(step(PIPELINE + CYCLE, 0x01));
    EXPECT_EQ(event_.outputs, 0u);
    ASSERT_TRUE(step(PIPELINE + 2 * CYCLE, 0x41));
    EXPECT_EQ(event_.outputs, 0x41u);
    EXPECT_EQ(event_.dumped, 0u);
}

TEST_F(RouterOutput, IsDumpedWhenWait1EndsWithoutWait2)
{
    control(0x10, 0); /* 16 clocks */
    block(0x43, 0x41);
    const uint64_t end = PIPELINE + 16 * CYCLE;
    EXPECT_EQ(next(), end);
    EXPECT_FALSE(step(end - 1, 0x41));
    ASSERT_TRUE(step(end, 0x41));
    EXPECT_EQ(event_.at_ps, end);
    EXPECT_EQ(event_.outputs, 0x41u);
    EXPECT_EQ(event_.dumped, 0x02u);
    EXPECT_TRUE(event_.dropped);
    EXPECT_EQ(read(DUMP_OUTPUTS), 0x02u);
    EXPECT_EQ(counters().dumped_mc, 1u);
    EXPECT_EQ(counters().dumped_copies, 1u);
    EXPECT_EQ(counters().wait_cycles, 16u);
}

TEST_F(RouterOutput, GoesWhenFreeOneClockBeforeTheEnd)
{
    block(0x02, 0);
    ASSERT_TRUE(step(PIPELINE + 15 * CYCLE, 0x02));
    EXPECT_EQ(event_.outputs, 0x02u);
    EXPECT_FALSE(event_.dropped);
}

TEST_F(RouterOutput, NoWaitAtAllTriesOnce)
{
    control(0, 0);
    entry(0, 0x03, 0x77, 0xffffffff);
    ASSERT_TRUE(route(make(0, 0x77, 3), 0x02));
    EXPECT_EQ(event_.at_ps, PIPELINE);
    EXPECT_EQ(event_.outputs, 0x02u);
    EXPECT_EQ(event_.dumped, 0x01u);
}

TEST_F(RouterOutput, Wait2IsForeverWith0xff)
{
    control(0x10, 0xff);
    block(0x02, 0);
    EXPECT_EQ(next(), PIPELINE + 16 * CYCLE);
    EXPECT_FALSE(step(PIPELINE + 16 * CYCLE, 0));
    EXPECT_EQ(next(), NEVER);
    EXPECT_FALSE(step(PIPELINE + 1000000 * CYCLE, 0));
}

TEST_F(RouterOutput, DivertsAfterWait1AndDumpsAfterWait2)
{
    control(0x10, 0x14); /* 16 clocks, 24 clocks */
    block(0x02, 0x3d);
    const uint64_t end1 = PIPELINE + 16 * CYCLE;
    const uint64_t end2 = end1 + 24 * CYCLE;
    EXPECT_FALSE(step(end1 - 1, 0x3d)); /* link 0 is free, but it is too early */
    EXPECT_EQ(read(STATUS) >> 24, 2u);
    EXPECT_FALSE(step(end1, 0));
    EXPECT_EQ(read(STATUS) >> 24, 3u);
    EXPECT_EQ(next(), end2);
    EXPECT_FALSE(step(end2 - 1, 0));
    const router kept = *router_;
    ASSERT_TRUE(step(end2, 0));
    EXPECT_EQ(event_.dumped, 0x02u);
    EXPECT_EQ(event_.outputs, 0u);

    *router_ = kept; /* saved by copying */
    ASSERT_TRUE(step(end2 - CYCLE, 0x01));
    EXPECT_EQ(event_.outputs, 0x01u);
    EXPECT_EQ(event_.dumped, 0u);
    EXPECT_EQ(event_.emergency, 0x01);
    EXPECT_EQ(emergency_of_copy(0), 2u);
    EXPECT_EQ(counters().emergency, 1u);
    EXPECT_EQ(read(DUMP_STATUS), 0u);

    *router_ = kept;
    ASSERT_TRUE(step(end2 - CYCLE, 0x03)); /* the original wins */
    EXPECT_EQ(event_.outputs, 0x02u);
    EXPECT_EQ(event_.emergency, 0);
    EXPECT_EQ(emergency_of_copy(1), 0u);
}

TEST_F(RouterOutput, EachLinkHasTheOneBeforeItAsItsWayRound)
{
    control(0, 0x10);
    for (unsigned link = 0; link < 6; link++) {
        entry(0, 1u << link, 0x77, 0xffffffff);
        ASSERT_TRUE(route(make(0, 0x77, 3), ALL_FREE & ~(1u << link))) << link;
        EXPECT_EQ(event_.outputs, 1u << (link + 5) % 6);
        EXPECT_EQ(event_.emergency, 1u << (link + 5) % 6);
    }
}

TEST_F(RouterOutput, OnePacketStandsForTwo)
{
    control(0, 0x10);
    entry(0, 0x1000003, 0x77, 0xffffffff);
    ASSERT_TRUE(route(make(0, 0x77, 3), 0x01));
    EXPECT_EQ(event_.outputs, 0x01u);
    EXPECT_EQ(event_.shared, 0x01);
    EXPECT_EQ(event_.emergency, 0);
    EXPECT_EQ(emergency_of_copy(0), 1u);
    EXPECT_EQ(counters().link_copies, 1u);
    EXPECT_EQ(counters().emergency, 1u);
}

TEST_F(RouterOutput, CoresAreNeverDiverted)
{
    control(0, 0x10);
    entry(0, 0x42, 0x77, 0xffffffff);
    EXPECT_FALSE(route(make(0, 0x77, 3), 0x3d));
    ASSERT_TRUE(step(PIPELINE + 16 * CYCLE, 0x3d));
    EXPECT_EQ(event_.outputs, 0x01u); /* link 1's copy goes round, core 0's is lost */
    EXPECT_EQ(event_.dumped, 0x40u);
    EXPECT_EQ(event_.emergency, 0x01);
}

TEST_F(RouterOutput, PointToPointIsDivertedUnmarked)
{
    control(0, 0x10);
    write(P2P_WORD, 0xdb6db4); /* destination 0: link 4 */
    ASSERT_TRUE(route(make(0x50, 0, 3), ALL_FREE & ~16u));
    EXPECT_EQ(event_.outputs, 0x08u);
    EXPECT_EQ(event_.emergency, 0);
    EXPECT_EQ(router_copy(&event_, 3).control & 0xf0, 0x50);
    EXPECT_EQ(counters().emergency, 1u);
    EXPECT_EQ(counters().packets_p2p, 1u);
}

TEST_F(RouterOutput, NearestNeighbourIsNotDiverted)
{
    control(0, 0x10);
    EXPECT_FALSE(route(make(0x84, 0, LOCAL), ALL_FREE & ~2u));
    ASSERT_TRUE(step(PIPELINE + 16 * CYCLE, ALL_FREE & ~2u));
    EXPECT_EQ(event_.outputs, 0u);
    EXPECT_EQ(event_.dumped, 0x02u);
    EXPECT_EQ(counters().dumped_nn, 1u);
}

TEST_F(RouterOutput, NoDiversionOntoACopyThatReverts)
{
    control(0, 0x10);
    entry(0, 0x08, 0x77, 0xffffffff); /* from link 3, type 01: reverts by link 2, goes on by 3 */
    EXPECT_FALSE(route(make(0x10, 0x77, 3), ALL_FREE & ~8u));
    ASSERT_TRUE(step(PIPELINE + 1 * CYCLE));
    EXPECT_EQ(event_.outputs, 0x0cu);
    EXPECT_EQ(event_.reverting, 0x04);
    EXPECT_EQ(emergency_of_copy(2), 3u);
    EXPECT_EQ(emergency_of_copy(3), 0u);
    EXPECT_EQ(counters().reverting, 1u);
}

TEST_F(RouterOutput, CopyThatRevertsGoesRoundOnceMore)
{
    control(0, 0x10);
    ASSERT_TRUE(route(make(0x20, 0x77, 3), ALL_FREE & ~4u)); /* would revert by link 2 */
    EXPECT_EQ(event_.outputs, 0x02u);
    EXPECT_EQ(event_.emergency, 0x02);
    EXPECT_EQ(event_.reverting, 0);
    EXPECT_EQ(emergency_of_copy(1), 2u);
    EXPECT_EQ(counters().reverting, 0u);
    EXPECT_EQ(counters().emergency, 1u);
}

TEST_F(RouterOutput, RestartBeginsTheWaitAgain)
{
    control(0x10, 0x10);
    block(0x02, 0);
    write(R0, 0x10140201, PIPELINE + 8 * CYCLE); /* 24 clocks, but the old wait goes on */
    EXPECT_EQ(next(), PIPELINE + 16 * CYCLE);
    write(R0, 0x10148201, PIPELINE + 9 * CYCLE);
    EXPECT_EQ(read(R0), 0x10140201u);
    EXPECT_EQ(next(), PIPELINE + 33 * CYCLE);
    EXPECT_FALSE(step(PIPELINE + 33 * CYCLE, 0));
    EXPECT_EQ(next(), PIPELINE + 49 * CYCLE);
    write(R0, 0x14148201, PIPELINE + 34 * CYCLE);
    EXPECT_EQ(next(), PIPELINE + 58 * CYCLE);
    write(R0, 0xff148201, PIPELINE + 35 * CYCLE);
    EXPECT_EQ(next(), NEVER);
}

TEST_F(RouterOutput, DumpRegistersAreOneDeep)
{
    control(0, 0, 0xc4); /* time phase 3, dump interrupt */
    EXPECT_EQ(router_interrupts(router_.get()), 0u);
    entry(0, 0x42, 0x77, 0xffffffff);
    ASSERT_TRUE(route(make(0x0e, 0x77, 3), 0));
    EXPECT_EQ(router_interrupts(router_.get()), unsigned{ROUTER_INTERRUPT_DUMP});
    EXPECT_EQ(read(DUMP_HEADER), 0x030e00c0u);
    EXPECT_EQ(read(DUMP_KEY), 0x77u);
    EXPECT_EQ(read(DUMP_PAYLOAD), 0xfeedfaceu);
    EXPECT_EQ(read(DUMP_OUTPUTS), 0x42u);
    EXPECT_EQ(read(STATUS), 0xa0000000u);
    ASSERT_TRUE(route(make(0x0c, 0x88, 2), 0)); /* by default: link 5 */
    EXPECT_EQ(read(DUMP_KEY), 0x77u);
    EXPECT_EQ(read(DUMP_OUTPUTS), 0x42u);
    EXPECT_EQ(counters().dumps_lost, 1u);
    EXPECT_EQ(read(DUMP_STATUS), 0xc0000062u);
    EXPECT_EQ(read(DUMP_STATUS), 0u);
    EXPECT_EQ(router_interrupts(router_.get()), 0u);
    ASSERT_TRUE(route(make(0x0c, 0x88, 2), 0));
    EXPECT_EQ(read(DUMP_KEY), 0x88u);
    EXPECT_EQ(read(DUMP_STATUS), 0x80000020u);
    EXPECT_EQ(counters().dumps_lost, 1u);
}

TEST_F(RouterOutput, LocalPacketWithoutRouteIsDumpedAtOnce)
{
    ASSERT_TRUE(route(make(0x40, 0x1234, LOCAL)));
    EXPECT_TRUE(event_.dropped);
    EXPECT_EQ(event_.outputs, 0u);
    EXPECT_EQ(event_.dumped, 0u);
    EXPECT_EQ(read(DUMP_HEADER) & 0x07ff0000, 0x07400000u + (read(DUMP_HEADER) & 0x10000));
    EXPECT_EQ(read(DUMP_KEY), 0x01021234u);
    EXPECT_EQ(read(DUMP_STATUS), 0x80000000u);
    ASSERT_TRUE(route(make(0, 0x1234, LOCAL)));
    EXPECT_EQ(counters().dumped_p2p, 1u);
    EXPECT_EQ(counters().dumped_mc, 1u);
    EXPECT_EQ(counters().dumped_copies, 0u);
}

TEST_F(RouterOutput, EmptyRouteAndDestroyedPacketsVanish)
{
    entry(0, 0xff000000, 0x77, 0xffffffff);
    ASSERT_TRUE(route(make(0, 0x77, LOCAL), 0));
    EXPECT_FALSE(event_.dropped);
    EXPECT_EQ(counters().no_output, 1u);
    write(DIVERSION, 2);
    ASSERT_TRUE(route(make(0, 0x78, 0), 0));
    EXPECT_FALSE(event_.dropped);
    EXPECT_EQ(counters().destroyed, 1u);
    EXPECT_EQ(read(DUMP_STATUS), 0u);
}

TEST_F(RouterOutput, LocalPacketsGetTheTimePhase)
{
    control(0, 0, 0x40); /* phase 1 */
    write(FIXED_ROUTE, 0xfc000001);
    ASSERT_TRUE(route(make(0xcc, 0, LOCAL)));
    EXPECT_EQ(event_.packet.control, 0xc4);
    ASSERT_TRUE(route(make(0xcc, 1, LOCAL)));
    EXPECT_EQ(event_.packet.control, 0xc5); /* odd with the key */
    ASSERT_TRUE(route(make(0xcc, 0, 0)));   /* stamped elsewhere */
    EXPECT_EQ(event_.packet.control, 0xcc);
    ASSERT_TRUE(route(make(0x8c, 0, LOCAL))); /* no stamp, but a route */
    EXPECT_EQ(event_.packet.control, 0x8c);
}

TEST_F(RouterOutput, TooOldIsTwoPhasesBack)
{
    const unsigned phases[] = {0, 1, 3, 2};
    for (unsigned now = 0; now < 4; now++) {
        control(0, 0, phases[now] << 6 | 0x8);
        for (unsigned then = 0; then < 4; then++) {
            ASSERT_TRUE(offer(make(phases[then] << 2, 1, 0), router_accept_ps(router_.get())));
            const bool old = (now + 4 - then) % 4 == 2;
            EXPECT_EQ(read(ERROR_STATUS), old ? 0x88000001u : 0u) << now << " " << then;
            EXPECT_EQ(step(next()), !old);
        }
    }
    control(0, 0, 0xc0);
    ASSERT_TRUE(offer(make(0x80, 1, 0), router_accept_ps(router_.get()))); /* never stamped */
    EXPECT_EQ(read(ERROR_STATUS), 0u);
}

TEST_F(RouterOutput, ErrorRegistersAreOneDeepAndCountWhatIsAskedFor)
{
    control(0, 0, 0x22 | 0x40); /* parity errors are counted, interrupt, phase 1 */
    ASSERT_TRUE(offer(make(0x06, 0x99, 4), 0, ROUTER_DAMAGE_PARITY));
    EXPECT_EQ(next(), NEVER); /* not routed */
    EXPECT_EQ(read(ERROR_HEADER), 0x24060040u);
    EXPECT_EQ(read(ERROR_KEY), 0x99u);
    EXPECT_EQ(read(ERROR_PAYLOAD), 0xfeedfaceu);
    EXPECT_EQ(router_interrupts(router_.get()), unsigned{ROUTER_INTERRUPT_ERROR});
    EXPECT_EQ(read(STATUS), 0xc0000000u);
    ASSERT_TRUE(offer(make(0x06, 0xaa, 4), CYCLE, ROUTER_DAMAGE_FRAMING));
    EXPECT_EQ(read(ERROR_KEY), 0x99u);
    EXPECT_EQ(counters().errors, 2u);
    EXPECT_EQ(counters().errors_lost, 1u);
    EXPECT_EQ(read(ERROR_STATUS), 0xf0000001u);
    EXPECT_EQ(read(ERROR_STATUS), 0u);
    EXPECT_EQ(router_interrupts(router_.get()), 0u);
    ASSERT_TRUE(offer(make(0x06, 0xbb, 4), 2 * CYCLE, ROUTER_DAMAGE_FRAMING));
    EXPECT_EQ(read(ERROR_KEY), 0xbbu);
    EXPECT_EQ(read(ERROR_STATUS), 0x90000000u);
}

TEST_F(RouterOutput, ErrorCountStopsAtItsMost)
{
    control(0, 0, 0x10);
    uint64_t now = 0;
    for (unsigned i = 0; i < 0xfffe; i++, now += CYCLE) {
        ASSERT_TRUE(offer(make(0, 0, 0), now, ROUTER_DAMAGE_FRAMING));
    }
    EXPECT_EQ(router_->error.status, 0xd000fffeu);
    for (unsigned i = 0; i < 2; i++, now += CYCLE) {
        ASSERT_TRUE(offer(make(0, 0, 0), now, ROUTER_DAMAGE_FRAMING));
        EXPECT_EQ(router_->error.status, 0xd000ffffu);
    }
}

TEST_F(RouterOutput, PeekAndPokeAreTheOwnersToDo)
{
    ASSERT_TRUE(route(make(0xa0, 0xe2000000, 4), 0));
    EXPECT_EQ(event_.kind, ROUTER_EVENT_PEEK);
    EXPECT_EQ(event_.outputs, 0u);
    packet reply = router_reply(&event_.packet, true, 0x59111012);
    EXPECT_EQ(reply.key, 0xe2000001u);
    EXPECT_EQ(reply.payload, 0x59111012u);
    EXPECT_EQ(reply.control & 0xfe, 0x92); /* normal, link 4, payload */
    EXPECT_EQ(reply.arrival, LOCAL);
    EXPECT_EQ(reply.purpose, 77u);
    ASSERT_TRUE(route(reply));
    EXPECT_EQ(event_.outputs, 0x10u);
    reply = router_reply(&(event_.packet = make(0xa0, 0xe2000000, 4)), false, 0);
    EXPECT_EQ(reply.key, 0xe2000003u);
    EXPECT_TRUE(packet_has_payload(&reply));

    ASSERT_TRUE(route(make(0xa2, 0x60000004, 5), 0));
    EXPECT_EQ(event_.kind, ROUTER_EVENT_POKE);
    EXPECT_EQ(event_.packet.payload, 0xfeedfaceu);
    reply = router_reply(&event_.packet, true, 0);
    EXPECT_EQ(reply.key, 0x60000005u);
    EXPECT_EQ(reply.control & 0xfe, 0x94);
    reply = router_reply(&event_.packet, false, 0);
    EXPECT_EQ(reply.key, 0x60000007u);
    EXPECT_EQ(reply.control, 0x95);
    EXPECT_EQ(counters().peeks, 1u);
    EXPECT_EQ(counters().pokes, 1u);
    EXPECT_EQ(counters().packets_nn, 3u);
}

TEST_F(RouterOutput, CopiesHaveOddParity)
{
    control(0, 0x10);
    entry(0, 0x43, 0x77, 0xffffffff);
    ASSERT_TRUE(route(make(0x02, 0x77, 3), 0x41));
    for (const unsigned output : {0u, 6u}) {
        const packet copy = router_copy(&event_, output);
        EXPECT_EQ((__builtin_popcount(copy.control) + __builtin_popcount(copy.key) +
                   __builtin_popcount(copy.payload)) %
                      2,
                  1)
            << output;
        EXPECT_EQ(copy.arrival, 3);
    }
    EXPECT_EQ(emergency_of_copy(0), 1u);
    EXPECT_EQ(emergency_of_copy(6), 0u);
}

TEST_F(RouterOutput, ClockWithoutAWholePeriodKeepsItsEdges)
{
    router_->pace.clock = clock_of(UINT64_C(130) * HZ_PER_MHZ, 1);
    entry(0, 0x01, 0x77, 0xffffffff);
    ASSERT_TRUE(offer(make(0, 0x77, 3), 7692)); /* edge 1 is at 7692.3 ps */
    EXPECT_EQ(next(), 46153u);                  /* edge 6 at 46153.8 */
    ASSERT_FALSE(step(46152));
    ASSERT_FALSE(step(46153, 0));
    EXPECT_EQ(next(), 169230u); /* 16 clocks on: edge 22 */
    EXPECT_FALSE(step(169229, 0));
    ASSERT_TRUE(step(169230, 0));
    EXPECT_EQ(event_.at_ps, 169230u);
}

} // namespace
