/* Links switched off and on, and parts of the fabric reset, by the system controller. */
#include "tests/unit/machine_fixture.h"

#include <cstring>
#include <gtest/gtest.h>

namespace
{

constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t ROUTER = 0xf1000000;
constexpr uint32_t PARTS_LEVEL = 0xf2000020;
constexpr uint32_t PARTS_PULSE = 0xf200002c;
constexpr uint32_t LINKS_OFF = 0xf2000200;
constexpr uint32_t CODE_OF_SYSTEM = 0x5ec00000;
constexpr uint32_t TX_EAST = 1u << 8;
constexpr uint32_t RX_WEST = 1u << 3;
constexpr uint32_t RESET_TX_EAST = 1u << 4;
constexpr uint32_t RESET_RX_WEST = 1u << 13;
constexpr uint32_t RESET_COMMS_NOC = 1u << 3;
constexpr uint32_t RESET_ROUTER = 1u << 0;
constexpr uint32_t MULTICAST_WAITING = 1u << 24;
constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t RETURN = 0xe25ef004; /* SUBS pc, lr, #4 */
constexpr uint32_t KEY = 0x100;

constexpr uint64_t CLOCK_PS = 7500; /* of the router */
constexpr uint64_t PIPELINE = 5;
constexpr uint64_t PACKET_PS = 136970;
constexpr uint64_t SYNC_AND_ENTRY = 2 + 3;

uint64_t up(uint64_t time_ps, uint64_t period_ps)
{
    return (time_ps + period_ps - 1) / period_ps;
}

/* When a packet that comes to a router's input at a time leaves it. */
uint64_t routed_ps(uint64_t time_ps)
{
    return (up(time_ps, CLOCK_PS) + PIPELINE) * CLOCK_PS;
}

/* The cycle at which the receiver stands at its vector, when the packet comes to its router's input
 * at a time. */
uint64_t taken(uint64_t time_ps)
{
    return up(routed_ps(time_ps) + transit_ps(), CYCLE_PS) + SYNC_AND_ENTRY;
}

/* Two chips side by side.  Core 1 of the left one sends to the east; core 2 of the right one is
 * interrupted by each packet and keeps its key. */
class TwoChips
{
  public:
    TwoChips()
    {
        machine_config config = bench_config();
        config.topology.shape = TOPOLOGY_RECTANGLE;
        config.topology.width = 2;
        config.topology.height = 1;
        config.observer.context = this;
        config.observer.mark = [](void *context, machine_core core, uint32_t, uint64_t cycle) {
            auto *test = static_cast<TwoChips *>(context);
            (core.x == 0 ? test->marks_ : test->arrivals_).push_back(cycle);
            return false;
        };
        EXPECT_EQ(machine_create(&config, &machine_, nullptr), STATUS_OK);
        Program handler(IRQ_VECTOR);
        handler.emit({ldr_imm(3, 5, 0x14), str_imm(3, 8, 0), add_imm(8, 8, 4), RETURN});
        write({1, 0, 2}, handler);
        EXPECT_EQ(machine_add_mark(machine_, {1, 0, 2}, IRQ_VECTOR), STATUS_OK);
        Program receiver;
        receiver.set(5, COMMS).set(8, DTCM);
        receiver.store(VIC + 0x10, MULTICAST_WAITING);
        receiver.unmask().sleep();
        start({1, 0, 2}, receiver);
        EXPECT_EQ(machine_set_route(machine_, 0, 0, 0, KEY, 0xffffff00, 1u), STATUS_OK);
        EXPECT_EQ(machine_set_route(machine_, 1, 0, 0, KEY, 0xffffff00, 1u << (6 + 2)), STATUS_OK);
    }
    ~TwoChips()
    {
        machine_destroy(machine_);
    }
    TwoChips(const TwoChips &) = delete;
    TwoChips &operator=(const TwoChips &) = delete;
    void write(machine_core core, const Program &program)
    {
        EXPECT_EQ(machine_write(machine_, core, program.base(), program.words().data(),
                                static_cast<uint32_t>(4 * program.words().size())),
                  STATUS_OK);
    }
    void start(machine_core core, const Program &program)
    {
        write(core, program);
        EXPECT_EQ(machine_start_core(machine_, core, program.base(), 0), STATUS_OK);
    }
    /* Runs a sender on the left chip; marks at the addresses, in order of time in marks_. */
    void send(Program &program, const std::vector<uint32_t> &marks)
    {
        program.sleep();
        start({0, 0, 1}, program);
        for (const uint32_t at : marks) {
            EXPECT_EQ(machine_add_mark(machine_, {0, 0, 1}, at), STATUS_OK);
        }
        EXPECT_EQ(machine_run_until(machine_, machine_time_ps(machine_) + 1000 * US),
                  MACHINE_QUIESCENT);
        EXPECT_EQ(machine_late_interrupts(machine_), 0u);
        EXPECT_EQ(machine_unmodelled_count(machine_), 0u);
    }
    uint32_t key(uint32_t index)
    {
        uint32_t word = 0;
        EXPECT_EQ(machine_read(machine_, {1, 0, 2}, DTCM + 4 * index, &word, 4), STATUS_OK);
        return word;
    }
    uint64_t count(uint8_t x, const char *component, const char *name)
    {
        struct wanted {
            uint8_t x;
            const char *component, *name;
            uint64_t value;
        } of = {x, component, name, 0};
        machine_each_counter(
            machine_,
            [](void *context, const machine_counter *counter) {
                auto *of = static_cast<wanted *>(context);
                const bool it = counter->x == of->x &&
                                strcmp(counter->component, of->component) == 0 &&
                                strcmp(counter->info->name, of->name) == 0;
                of->value += it ? counter->value : 0;
            },
            &of);
        return of.value;
    }

    machine *machine_ = nullptr;
    std::vector<uint64_t> marks_, arrivals_;
};

class MachineLinks : public testing::Test, public TwoChips
{
};

using Cycles = std::vector<uint64_t>;

uint32_t send_key(Program &program, uint32_t key)
{
    return program.store(COMMS + 8, key);
}

} // namespace

TEST_F(MachineLinks, AnOpenLinkTakesAPacketsTime)
{
    Program program;
    const uint32_t at = send_key(program, KEY);
    send(program, {at});
    EXPECT_EQ(arrivals_, Cycles{taken(routed_ps(marks_[0] * CYCLE_PS) + PACKET_PS)});
    EXPECT_EQ(key(0), KEY);
}

TEST_F(MachineLinks, ATransmitterThatIsOffKeepsOnePacketAndTheRouterDropsTheNext)
{
    Program program;
    program.store(LINKS_OFF, CODE_OF_SYSTEM | TX_EAST);
    (void)send_key(program, KEY);
    program.delay(200);
    (void)send_key(program, KEY + 1);
    program.delay(1000); /* longer than wait1 */
    const uint32_t on = program.store(LINKS_OFF, CODE_OF_SYSTEM);
    program.delay(200);
    (void)send_key(program, KEY + 2);
    send(program, {on});
    ASSERT_EQ(arrivals_.size(), 2u);
    EXPECT_EQ(arrivals_[0], taken(marks_[0] * CYCLE_PS + PACKET_PS)) << "it begins at once";
    EXPECT_EQ(key(0), KEY);
    EXPECT_EQ(key(1), KEY + 2);
    EXPECT_EQ(count(0, "router", "dumped_mc"), 1u);
    EXPECT_EQ(count(0, "link", "packets"), 2u);
}

TEST_F(MachineLinks, APacketThatHasBeenBegunArrivesThoughTheTransmitterIsSwitchedOff)
{
    unsigned arrived = 0;
    unsigned kept = 0;
    for (unsigned wait = 0; wait < 12; wait++) {
        TwoChips two;
        Program program;
        program.set(0, LINKS_OFF).set(1, CODE_OF_SYSTEM | TX_EAST);
        const uint32_t at = send_key(program, KEY);
        program.nops(wait);
        const uint32_t off = program.here();
        program.emit({str_imm(1, 0)});
        program.delay(2000);
        const uint32_t on = program.store(LINKS_OFF, CODE_OF_SYSTEM);
        two.send(program, {at, off, on});
        const uint64_t begin_ps = routed_ps(two.marks_[0] * CYCLE_PS);
        const bool arrives = two.marks_[1] * CYCLE_PS >= begin_ps;
        const uint64_t from_ps = arrives ? begin_ps : two.marks_[2] * CYCLE_PS;
        EXPECT_EQ(two.arrivals_, Cycles{taken(from_ps + PACKET_PS)}) << wait;
        arrived += arrives;
        kept += !arrives;
    }
    EXPECT_GT(arrived, 0u);
    EXPECT_GT(kept, 0u);
}

TEST_F(MachineLinks, AReceiverThatIsOffKeepsWhatComesUntilItIsOn)
{
    Program other; /* on the right chip: on again after 20 us */
    other.store(LINKS_OFF, CODE_OF_SYSTEM | RX_WEST);
    other.delay(1000);
    const uint32_t on = other.store(LINKS_OFF, CODE_OF_SYSTEM);
    other.sleep();
    start({1, 0, 1}, other);
    EXPECT_EQ(machine_add_mark(machine_, {1, 0, 1}, on), STATUS_OK);
    Program program;
    program.delay(20);
    for (uint32_t i = 0; i < 2; i++) {
        (void)send_key(program, KEY + i);
        program.delay(100);
    }
    send(program, {});
    ASSERT_EQ(arrivals_.size(), 3u); /* the first is the mark */
    EXPECT_EQ(arrivals_[1], taken(arrivals_[0] * CYCLE_PS));
    EXPECT_EQ(key(0), KEY);
    EXPECT_EQ(key(1), KEY + 1);
    EXPECT_EQ(count(1, "router", "packets_mc"), 2u);
}

TEST_F(MachineLinks, AReceiverThatIsOffFillsAndBlocksItsSender)
{
    Program other;
    other.store(LINKS_OFF, CODE_OF_SYSTEM | RX_WEST);
    other.delay(8000);
    other.store(LINKS_OFF, CODE_OF_SYSTEM);
    start({1, 0, 1}, other.sleep());
    Program program;
    program.delay(20);
    for (uint32_t i = 0; i < 6; i++) { /* three places, the transmitter, and two too many */
        (void)send_key(program, KEY + i);
        program.delay(600);
    }
    send(program, {});
    EXPECT_EQ(count(0, "router", "dumped_mc"), 2u);
    ASSERT_EQ(arrivals_.size(), 4u);
    EXPECT_EQ(key(3), KEY + 3);
}

TEST_F(MachineLinks, AResetTransmitterLosesThePacketThatWaits)
{
    Program program;
    program.store(LINKS_OFF, CODE_OF_SYSTEM | TX_EAST);
    (void)send_key(program, KEY);
    program.delay(200);
    program.store(PARTS_PULSE, CODE_OF_SYSTEM | RESET_TX_EAST);
    program.store(LINKS_OFF, CODE_OF_SYSTEM);
    (void)send_key(program, KEY + 1);
    send(program, {});
    ASSERT_EQ(arrivals_.size(), 1u);
    EXPECT_EQ(key(0), KEY + 1);
    EXPECT_EQ(count(0, "router", "dumped_mc"), 0u);
}

TEST_F(MachineLinks, ATransmitterHeldInResetIsOff)
{
    Program program;
    program.store(PARTS_LEVEL, CODE_OF_SYSTEM | RESET_TX_EAST);
    (void)send_key(program, KEY);
    program.delay(200);
    const uint32_t on = program.store(PARTS_LEVEL, CODE_OF_SYSTEM);
    send(program, {on});
    EXPECT_EQ(arrivals_, Cycles{taken(marks_[0] * CYCLE_PS + PACKET_PS)});
}

TEST_F(MachineLinks, AResetReceiverLosesWhatHasComeAndHasItsPlacesAgain)
{
    Program other;
    other.store(LINKS_OFF, CODE_OF_SYSTEM | RX_WEST);
    other.delay(8000);
    other.store(PARTS_PULSE, CODE_OF_SYSTEM | RESET_RX_WEST);
    other.store(LINKS_OFF, CODE_OF_SYSTEM);
    start({1, 0, 1}, other.sleep());
    Program program;
    program.delay(20);
    for (uint32_t i = 0; i < 4; i++) { /* three are lost, the fourth waits to be sent */
        (void)send_key(program, KEY + i);
        program.delay(200);
    }
    program.delay(12000);
    for (uint32_t i = 4; i < 9; i++) {
        (void)send_key(program, KEY + i);
        program.delay(200);
    }
    send(program, {});
    ASSERT_EQ(arrivals_.size(), 6u);
    for (uint32_t i = 0; i < 6; i++) {
        EXPECT_EQ(key(i), KEY + 3 + i);
    }
    EXPECT_EQ(count(0, "router", "dumped_mc"), 0u);
}

TEST_F(MachineLinks, AResetRouterLosesItsPacketsAndKeepsItsTables)
{
    Program program;
    program.store(ROUTER, 0x12400001); /* another wait2 */
    program.set(0, PARTS_PULSE).set(1, CODE_OF_SYSTEM | RESET_ROUTER);
    (void)send_key(program, KEY);
    program.emit({str_imm(1, 0)}); /* 15 ns later: still in the pipeline */
    program.delay(100);
    (void)send_key(program, KEY + 1);
    program.set(0, ROUTER).emit({ldr_imm(7, 0)});
    send(program, {});
    ASSERT_EQ(arrivals_.size(), 1u);
    EXPECT_EQ(key(0), KEY + 1);
    EXPECT_EQ(machine_core_register(machine_, {0, 0, 1}, 7), 0x00400001u);
}

TEST_F(MachineLinks, ARouterHeldInResetTakesNothing)
{
    Program program;
    program.store(PARTS_LEVEL, CODE_OF_SYSTEM | RESET_ROUTER);
    (void)send_key(program, KEY);
    program.delay(300).set(0, COMMS).emit({ldr_imm(7, 0)});
    const uint32_t on = program.store(PARTS_LEVEL, CODE_OF_SYSTEM);
    send(program, {on});
    EXPECT_EQ(machine_core_register(machine_, {0, 0, 1}, 7), 1u << 30) << "the packet waits";
    EXPECT_EQ(arrivals_, Cycles{taken(routed_ps(marks_[0] * CYCLE_PS) + PACKET_PS)});
}

TEST_F(MachineLinks, AResetCommsNocLosesWhatIsOnItsWayToCores)
{
    constexpr uint64_t BEFORE_AND_AFTER_PS = 165000;
    unsigned before = 0;
    unsigned lost = 0;
    unsigned after = 0;
    for (unsigned wait = 0; wait * CYCLE_PS < transit_ps() + BEFORE_AND_AFTER_PS; wait += 4) {
        TwoChips two;
        Program other; /* on the right chip, about when the packet has left its router */
        other.delay(70).nops(wait);
        const uint32_t reset = other.store(PARTS_PULSE, CODE_OF_SYSTEM | RESET_COMMS_NOC);
        two.start({1, 0, 1}, other.sleep());
        EXPECT_EQ(machine_add_mark(two.machine_, {1, 0, 1}, reset), STATUS_OK);
        Program program;
        program.delay(64);
        const uint32_t at = send_key(program, KEY);
        two.send(program, {at});
        const uint64_t left_ps = routed_ps(routed_ps(two.marks_[0] * CYCLE_PS) + PACKET_PS);
        const uint64_t reset_ps = two.arrivals_[0] * CYCLE_PS; /* the mark, unless it is too late */
        const bool on_its_way = reset_ps >= left_ps && reset_ps < left_ps + transit_ps();
        EXPECT_EQ(two.key(0), on_its_way ? 0u : KEY) << wait;
        before += reset_ps < left_ps;
        lost += on_its_way;
        after += reset_ps >= left_ps && !on_its_way;
    }
    EXPECT_GT(before, 0u);
    EXPECT_GT(lost, 0u);
    EXPECT_GT(after, 0u);
}

namespace
{

using place = std::tuple<unsigned, unsigned, unsigned>; /* enum machine_packet_place, x, number */

/* The places of the only packet under way, in the order of time. */
std::vector<place> places_of(TwoChips &two, Program &program)
{
    std::vector<place> places;
    program.sleep();
    two.start({0, 0, 1}, program);
    for (uint64_t time_ps = 0; time_ps < US; time_ps += CYCLE_PS / 5) {
        std::vector<machine_packet> now;
        (void)machine_run_until(two.machine_, time_ps);
        machine_each_packet(
            two.machine_,
            [](void *context, const machine_packet *packet) {
                static_cast<std::vector<machine_packet> *>(context)->push_back(*packet);
            },
            &now);
        EXPECT_LE(now.size(), 1u) << time_ps;
        for (const machine_packet &packet : now) {
            EXPECT_EQ(packet.key, KEY);
            EXPECT_EQ(packet.type, 0u);
            EXPECT_FALSE(packet.has_payload);
            const place at = {packet.place, packet.x, packet.number};
            if (places.empty() || places.back() != at) {
                places.push_back(at);
            }
        }
    }
    return places;
}

} // namespace

TEST_F(MachineLinks, ShowsWhereAPacketIsUnderWay)
{
    Program program;
    (void)send_key(program, KEY);
    EXPECT_EQ(places_of(*this, program), (std::vector<place>{{MACHINE_PACKET_ROUTER, 0, 7},
                                                             {MACHINE_PACKET_LINK, 1, 3},
                                                             {MACHINE_PACKET_ROUTER, 1, 3},
                                                             {MACHINE_PACKET_TO_CORE, 1, 2}}));
}

TEST_F(MachineLinks, ShowsAPacketThatATransmitterKeeps)
{
    Program program;
    program.store(LINKS_OFF, CODE_OF_SYSTEM | TX_EAST);
    (void)send_key(program, KEY);
    EXPECT_EQ(places_of(*this, program),
              (std::vector<place>{{MACHINE_PACKET_ROUTER, 0, 7}, {MACHINE_PACKET_WAITS, 0, 0}}));
}

TEST_F(MachineLinks, ShowsAPacketThatAReceiverKeeps)
{
    Program other; /* on the right chip */
    other.store(LINKS_OFF, CODE_OF_SYSTEM | RX_WEST);
    other.delay(200); /* so that time goes on */
    other.sleep();
    start({1, 0, 1}, other);
    Program program;
    program.delay(20);
    (void)send_key(program, KEY);
    EXPECT_EQ(places_of(*this, program), (std::vector<place>{{MACHINE_PACKET_ROUTER, 0, 7},
                                                             {MACHINE_PACKET_LINK, 1, 3},
                                                             {MACHINE_PACKET_ARRIVED, 1, 3}}));
}

TEST_F(MachineLinks, ShowsTheEntryThatRoutesAKey)
{
    machine_route route = {};
    ASSERT_EQ(machine_set_route(machine_, 0, 0, 5, KEY + 3, 0xffffffff, 1u << 7), STATUS_OK);
    ASSERT_TRUE(machine_find_route(machine_, {0, 0}, KEY + 3, &route));
    EXPECT_EQ(route.entry, 0u) << "the lowest";
    EXPECT_EQ(route.key, KEY);
    EXPECT_EQ(route.mask, 0xffffff00u);
    EXPECT_EQ(route.outputs, 1u);
    EXPECT_FALSE(machine_find_route(machine_, {0, 0}, KEY + 0x100, &route));
    EXPECT_FALSE(machine_find_route(machine_, {2, 0}, KEY, &route)) << "no such chip";
}
