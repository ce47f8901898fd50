/* Devices at the ends of links: packets in both directions to the picosecond, back-pressure, what
 * is refused, and the same results on any number of threads. */
#include "models/machine/devices.h"
#include "tests/unit/machine_fixture.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>

namespace
{

constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t MULTICAST_WAITING = 1u << 24;
constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t RETURN = 0xe25ef004; /* SUBS pc, lr, #4 */
constexpr uint32_t KEY = 0x100, ANSWER = 0x1000;
constexpr unsigned WEST = 3, EAST = 0;

constexpr uint64_t CLOCK_PS = 7500; /* of the router */
constexpr uint64_t PIPELINE = 5;
constexpr uint64_t PACKET_PS = 136970;
constexpr uint64_t LONG_PS = PACKET_PS * 19 / 11;
constexpr uint64_t CREDIT_PS = 136970;
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

/* The cycle at which a receiver stands at its vector, for a packet that comes to the router then. */
uint64_t taken(uint64_t time_ps)
{
    return up(routed_ps(time_ps) + transit_ps(), CYCLE_PS) + SYNC_AND_ENTRY;
}

/* A device that notes what it is told, and does what a test wants. */
class Device
{
  public:
    struct packet {
        machine_link_packet of;
        uint64_t time_ps;
    };
    std::function<uint64_t(const machine_link_packet &, uint64_t)> answer;
    std::function<void(uint64_t)> on_ready, on_due;
    std::vector<packet> packets;
    std::vector<uint64_t> refused_ps;
    machine_link *end = nullptr;
    diagnostic why = {};

    machine_link_device description()
    {
        machine_link_device device = {};
        device.context = this;
        device.take = [](void *context, const machine_link_packet *packet, uint64_t now_ps) {
            auto *device = static_cast<Device *>(context);
            const uint64_t done_ps = device->answer ? device->answer(*packet, now_ps) : now_ps;
            if (done_ps == MACHINE_LINK_REFUSED) {
                device->refused_ps.push_back(now_ps);
            } else {
                device->packets.push_back({*packet, now_ps});
            }
            return done_ps;
        };
        device.ready = [](void *context, uint64_t now_ps) {
            auto *device = static_cast<Device *>(context);
            if (device->on_ready) {
                device->on_ready(now_ps);
            }
        };
        device.due = [](void *context, uint64_t now_ps) {
            static_cast<Device *>(context)->on_due(now_ps);
        };
        return device;
    }

    status attach(machine *machine, machine_chip chip, unsigned link)
    {
        const machine_link_device device = description();
        return machine_attach_link(machine, chip, link, &device, &end, &why);
    }

    status send(uint32_t key, uint64_t time_ps)
    {
        machine_link_packet packet = {};
        packet.key = key;
        return machine_link_send(end, &packet, time_ps, &why);
    }

    std::vector<uint64_t> times_ps() const
    {
        std::vector<uint64_t> times;
        for (const packet &packet : packets) {
            times.push_back(packet.time_ps);
        }
        return times;
    }
};

/* One chip with a device at its link to the west.  Core 2 keeps the keys of the packets it gets. */
class MachineLinkDevices : public testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_EQ(device.attach(bench.get(), {0, 0}, WEST), STATUS_OK) << device.why.text;
        Program handler(IRQ_VECTOR);
        handler.emit({ldr_imm(3, 5, 0x14), str_imm(3, 8, 0), add_imm(8, 8, 4), RETURN});
        bench.load(2, handler);
        bench.mark(2, IRQ_VECTOR);
        Program receiver;
        receiver.set(5, COMMS).set(8, DTCM);
        receiver.store(VIC + 0x10, MULTICAST_WAITING);
        receiver.unmask().sleep();
        bench.run(2, receiver);
        EXPECT_EQ(machine_set_route(bench.get(), 0, 0, 0, KEY, 0xffffff00, 1u << WEST), STATUS_OK);
        EXPECT_EQ(machine_set_route(bench.get(), 0, 0, 1, ANSWER, 0xffffff00, 1u << (6 + 2)),
                  STATUS_OK);
    }

    /* Core 1 sends packets with these keys as fast as it can. */
    uint32_t run_sender(unsigned count, bool payload)
    {
        Program program;
        program.set(4, COMMS).set(5, KEY).set(7, payload ? 2 : 0).set(8, count);
        program.emit({mov_imm(6, 77)});
        if (payload) {
            program.emit({str_imm(6, 4, 4)});
        }
        const uint32_t at = program.here();
        program.emit({str_imm(5, 4, 8)});
        program.delay(40);
        program.emit({add_imm(5, 5, 1), subs_imm(8, 8, 1)});
        program.branch(at, NE);
        program.sleep();
        bench.run(1, program);
        bench.mark(1, at);
        return at;
    }

    std::vector<uint64_t> arrivals() const
    {
        std::vector<uint64_t> cycles;
        for (const recorded_mark &mark : bench.marks) {
            if (mark.core == 2) {
                cycles.push_back(mark.cycle);
            }
        }
        return cycles;
    }

    MachineBench bench;
    Device device;
};

using Cycles = std::vector<uint64_t>;

} // namespace

TEST_F(MachineLinkDevices, APacketArrivesAfterItsTimeOnTheLink)
{
    const uint32_t at = run_sender(1, false);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    ASSERT_EQ(device.packets.size(), 1u);
    EXPECT_EQ(device.packets[0].time_ps,
              routed_ps(bench.cycle_of(at) * CYCLE_PS) + PACKET_PS);
    EXPECT_EQ(device.packets[0].of.key, KEY);
    EXPECT_EQ(device.packets[0].of.type, 0u);
    EXPECT_EQ(device.packets[0].of.code, 0u);
    EXPECT_FALSE(device.packets[0].of.has_payload);
}

TEST_F(MachineLinkDevices, APayloadTakesLonger)
{
    const uint32_t at = run_sender(1, true);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    ASSERT_EQ(device.packets.size(), 1u);
    EXPECT_EQ(device.packets[0].time_ps, routed_ps(bench.cycle_of(at) * CYCLE_PS) + LONG_PS);
    EXPECT_TRUE(device.packets[0].of.has_payload);
    EXPECT_EQ(device.packets[0].of.payload, 77u);
}

TEST_F(MachineLinkDevices, ADeviceSendsToACore)
{
    ASSERT_EQ(device.send(ANSWER + 5, 3 * US), STATUS_OK);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(arrivals(), Cycles{taken(3 * US + PACKET_PS)});
    EXPECT_EQ(bench.word(2, DTCM), ANSWER + 5);
}

TEST_F(MachineLinkDevices, ADeviceAnswersWhenItIsAsked)
{
    device.answer = [this](const machine_link_packet &packet, uint64_t now_ps) {
        EXPECT_EQ(device.send(ANSWER + packet.key % 256, now_ps + 50000), STATUS_OK) << device.why.text;
        return now_ps;
    };
    const uint32_t at = run_sender(1, false);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    const uint64_t asked_ps = routed_ps(bench.cycle_of(at) * CYCLE_PS) + PACKET_PS;
    EXPECT_EQ(arrivals(), Cycles{taken(asked_ps + 50000 + PACKET_PS)});
    EXPECT_EQ(bench.word(2, DTCM), ANSWER + KEY % 256);
}

TEST_F(MachineLinkDevices, ATransmitterHoldsOnePacketAndTellsWhenThereIsRoom)
{
    std::vector<uint64_t> ready_ps;
    device.on_ready = [&](uint64_t now_ps) {
        ready_ps.push_back(now_ps);
        EXPECT_EQ(device.send(ANSWER + 2, now_ps), STATUS_OK);
    };
    EXPECT_EQ(device.send(ANSWER, 0), STATUS_OK);
    EXPECT_EQ(device.send(ANSWER + 1, 0), STATUS_LIMIT);
    EXPECT_NE(std::strstr(device.why.hint, "ready"), nullptr);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(ready_ps, std::vector<uint64_t>{0});
    EXPECT_EQ(arrivals(), (Cycles{taken(PACKET_PS), taken(2 * PACKET_PS)}));
    EXPECT_EQ(bench.word(2, DTCM + 4), ANSWER + 2);
}

TEST_F(MachineLinkDevices, ABusyDeviceTakesOnePacketAtATime)
{
    constexpr uint64_t WORK_PS = 1 * US; /* less than a router waits */
    device.answer = [](const machine_link_packet &, uint64_t now_ps) { return now_ps + WORK_PS; };
    (void)run_sender(10, false);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    ASSERT_EQ(device.packets.size(), 10u) << "the core waits, nothing is lost";
    for (size_t i = 1; i < 10; i++) {
        EXPECT_EQ(device.packets[i].time_ps - device.packets[i - 1].time_ps, WORK_PS) << i;
        EXPECT_EQ(device.packets[i].of.key, KEY + i);
    }
}

/* Three packets in the device's buffer, one in the transmitter, one in the router: the next one is
 * not taken from its core. */
TEST_F(MachineLinkDevices, ADeviceThatRefusesBlocksTheRouter)
{
    device.answer = [](const machine_link_packet &, uint64_t) { return MACHINE_LINK_REFUSED; };
    const uint32_t at = run_sender(4, false);
    EXPECT_EQ(bench.until(20 * US), MACHINE_QUIESCENT);
    const uint64_t first_ps = routed_ps(bench.cycle_of(at) * CYCLE_PS) + PACKET_PS;
    EXPECT_EQ(device.refused_ps, std::vector<uint64_t>{first_ps}) << "it is offered once";
    EXPECT_EQ(bench.counter("link", WEST, "packets"), 3u);
    EXPECT_EQ(machine_link_resume(device.end, bench.time_ps() - 1, &device.why),
              STATUS_CONFIGURATION);
    EXPECT_NE(std::strstr(device.why.text, "in the past"), nullptr);
    device.answer = nullptr;
    const uint64_t resumed_ps = bench.time_ps() + 1000;
    EXPECT_EQ(machine_link_resume(device.end, resumed_ps, &device.why), STATUS_OK);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(device.times_ps(),
              (std::vector<uint64_t>{resumed_ps, resumed_ps, resumed_ps,
                                     resumed_ps + CREDIT_PS + PACKET_PS}));
    EXPECT_EQ(machine_link_resume(device.end, bench.time_ps(), &device.why), STATUS_CONFIGURATION);
    EXPECT_NE(std::strstr(device.why.text, "refused no packet"), nullptr);
}

TEST_F(MachineLinkDevices, AWakeUpComesAtItsTime)
{
    std::vector<uint64_t> due_ps;
    device.on_due = [&](uint64_t now_ps) {
        due_ps.push_back(now_ps);
        EXPECT_EQ(machine_link_now_ps(device.end), now_ps);
        EXPECT_EQ(machine_link_wake(device.end, now_ps, &device.why), STATUS_CONFIGURATION);
        if (due_ps.size() < 3) {
            EXPECT_EQ(machine_link_wake(device.end, now_ps + 7, &device.why), STATUS_OK);
        }
    };
    EXPECT_EQ(machine_link_wake(device.end, 5 * US, nullptr), STATUS_OK);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(due_ps, (std::vector<uint64_t>{5 * US, 5 * US + 7, 5 * US + 14}));
}

TEST_F(MachineLinkDevices, AnAnswerInThePastEndsTheRun)
{
    device.answer = [](const machine_link_packet &, uint64_t now_ps) { return now_ps - 1; };
    (void)run_sender(2, false);
    EXPECT_EQ(machine_device_error(bench.get()), nullptr);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_STOPPED);
    const diagnostic *error = machine_device_error(bench.get());
    ASSERT_NE(error, nullptr);
    EXPECT_NE(std::strstr(error->text, "link 3 of chip 0,0 has taken at "), nullptr) << error->text;
    EXPECT_NE(std::strstr(error->hint, "the present or later"), nullptr);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_STOPPED) << "for inspection only";
    EXPECT_EQ(device.packets.size(), 1u);
}

TEST_F(MachineLinkDevices, APacketIntoThePastIsRefused)
{
    status sent = STATUS_OK;
    device.answer = [&](const machine_link_packet &, uint64_t now_ps) {
        sent = device.send(ANSWER, now_ps - 1);
        return now_ps;
    };
    (void)run_sender(1, false);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(sent, STATUS_CONFIGURATION);
    EXPECT_NE(std::strstr(device.why.text, "in the past: it is "), nullptr) << device.why.text;
    EXPECT_EQ(arrivals(), Cycles{});
}

TEST_F(MachineLinkDevices, AnUnknownTypeOfPacketIsRefused)
{
    machine_link_packet packet = {};
    packet.type = 4;
    EXPECT_EQ(machine_link_send(device.end, &packet, 0, &device.why), STATUS_CONFIGURATION);
    packet.type = 3;
    packet.code = 16;
    EXPECT_EQ(machine_link_send(device.end, &packet, 0, &device.why), STATUS_CONFIGURATION);
    packet.code = 15;
    EXPECT_EQ(machine_link_send(device.end, &packet, 0, &device.why), STATUS_OK);
}

/* A point-to-point packet names source and destination in one word, as on the link. */
TEST_F(MachineLinkDevices, APointToPointPacketKeepsBothAddresses)
{
    machine_link_packet packet = {};
    packet.key = 0x02030100;
    packet.type = 1;
    EXPECT_EQ(machine_set_p2p_route(bench.get(), 0, 0, 0x0100, WEST), STATUS_OK);
    EXPECT_EQ(machine_link_send(device.end, &packet, 0, &device.why), STATUS_OK);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    ASSERT_EQ(device.packets.size(), 1u) << "the router sends it back";
    EXPECT_EQ(device.packets[0].of.key, 0x02030100u);
    EXPECT_EQ(device.packets[0].of.type, 1u);
}

TEST_F(MachineLinkDevices, PowerOnRemovesDevices)
{
    EXPECT_EQ(machine_power_on(bench.get()), STATUS_OK);
    Device other;
    EXPECT_EQ(other.attach(bench.get(), {0, 0}, WEST), STATUS_OK) << other.why.text;
}

TEST_F(MachineLinkDevices, WhatWaitsAtADeviceIsPartOfTheState)
{
    constexpr uint64_t WORK_PS = 2 * US;
    device.answer = [](const machine_link_packet &, uint64_t now_ps) { return now_ps + WORK_PS; };
    (void)run_sender(6, false);
    EXPECT_EQ(device.send(ANSWER, 9 * US), STATUS_OK);
    EXPECT_EQ(bench.until(6 * US), MACHINE_REACHED);
    size_t size = 0;
    const std::unique_ptr<uint8_t, decltype(&free)> state(machine_save(bench.get(), &size), free);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    const auto all = device.times_ps();
    const counter_map counters = bench.counters();
    const uint64_t end_ps = bench.time_ps();
    ASSERT_EQ(machine_load(bench.get(), state.get(), size), STATUS_OK);
    EXPECT_EQ(machine_link_now_ps(device.end), 6 * US);
    const size_t before = device.packets.size();
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.counters(), counters);
    EXPECT_EQ(bench.time_ps(), end_ps);
    ASSERT_GT(device.packets.size(), before);
    EXPECT_EQ(device.times_ps().back(), all.back());
    MachineBench without;
    EXPECT_EQ(machine_load(without.get(), state.get(), size), STATUS_CONFIGURATION);
}

TEST(MachineDeviceErrors, WrongPlacesAreRefused)
{
    machine_config config = bench_config();
    config.topology.shape = TOPOLOGY_RECTANGLE;
    config.topology.width = 2;
    config.topology.height = 1;
    const struct {
        machine_chip chip;
        unsigned link;
        uint64_t packet_ps, latency_ps;
        const char *text;
    } cases[] = {
        {{2, 0}, WEST, 0, 0, "the machine has no chip 2,0"},
        {{0, 0}, 6, 0, 0, "chip 0,0 has no link 6"},
        {{0, 0}, EAST, 0, 0, "link 0 of chip 0,0 leads to chip 1,0"},
        {{0, 0}, 2, 0, 0, "link 2 of chip 0,0 has a device already"},
        {{0, 0}, WEST, 999, 0, "a packet of 999 ps"},
        {{0, 0}, WEST, 0, 5, "a packet of 0 ps and 5 ps of latency"},
        {{0, 0}, WEST, 1000000001, 0, "a packet of 1000000001 ps"},
    };
    MachineBench bench(config);
    Device there;
    ASSERT_EQ(there.attach(bench.get(), {0, 0}, 2), STATUS_OK);
    for (const auto &wrong : cases) {
        Device device;
        machine_link_device description = device.description();
        description.packet_ps = wrong.packet_ps;
        description.latency_ps = wrong.latency_ps;
        EXPECT_EQ(machine_attach_link(bench.get(), wrong.chip, wrong.link, &description,
                                      &device.end, &device.why),
                  STATUS_CONFIGURATION);
        EXPECT_EQ(device.end, nullptr);
        EXPECT_NE(std::strstr(device.why.text, wrong.text), nullptr) << device.why.text;
    }
    EXPECT_EQ(bench.until(10 * US), MACHINE_QUIESCENT);
    Program program;
    program.delay(10).sleep();
    bench.run(1, program);
    EXPECT_EQ(bench.until(20 * US), MACHINE_QUIESCENT);
    Device late;
    EXPECT_EQ(late.attach(bench.get(), {0, 0}, WEST), STATUS_CONFIGURATION);
    EXPECT_NE(std::strstr(late.why.text, "the machine has run for "), nullptr) << late.why.text;
}

/* A link that was cut has a device at each end, which pass on what they get. */
TEST(MachineDeviceWire, TwoDevicesJoinACutLinkAgain)
{
    const topology_fault cut = {0, 0, EAST};
    machine_config config = bench_config();
    config.topology.shape = TOPOLOGY_RECTANGLE;
    config.topology.width = config.topology.height = 2;
    config.topology.down_link = &cut;
    config.topology.down_links = 1;
    MachineBench bench(config);
    Device ends[2];
    for (unsigned i = 0; i < 2; i++) {
        Device *other = &ends[1 - i];
        ends[i].answer = [other](const machine_link_packet &packet, uint64_t now_ps) {
            EXPECT_EQ(machine_link_send(other->end, &packet, now_ps, &other->why), STATUS_OK);
            return now_ps;
        };
    }
    ASSERT_EQ(ends[0].attach(bench.get(), {0, 0}, EAST), STATUS_OK) << ends[0].why.text;
    ASSERT_EQ(ends[1].attach(bench.get(), {1, 0}, WEST), STATUS_OK) << ends[1].why.text;
    EXPECT_EQ(machine_set_route(bench.get(), 0, 0, 0, KEY, ~0u, 1u << EAST), STATUS_OK);
    EXPECT_EQ(machine_set_route(bench.get(), 1, 0, 0, KEY, ~0u, 1u << WEST), STATUS_OK);
    Program program;
    program.store(COMMS + 8, KEY);
    program.sleep();
    bench.run(1, program);
    EXPECT_EQ(bench.until(20 * US), MACHINE_REACHED) << "it goes to and fro";
    EXPECT_GT(ends[1].packets.size(), 10u);
    const uint64_t way_ps = ends[1].packets[0].time_ps - ends[0].packets[0].time_ps;
    EXPECT_EQ(way_ps, routed_ps(ends[0].packets[0].time_ps + PACKET_PS) -
                          ends[0].packets[0].time_ps + PACKET_PS);
}

namespace
{

/* Chips of a SpiNN-5 flood the devices at its western corner, which answer each packet after a
 * while, or refuse it for a while; everything that can be observed, as text. */
std::string flooded(unsigned threads, uint64_t run_ahead, uint64_t slice_ps)
{
    constexpr machine_chip PLACES[] = {{0, 0}, {0, 1}, {4, 7}, {7, 3}};
    constexpr unsigned LINKS[] = {3, 3, 2, 0};
    machine_config config = bench_config();
    config.topology.shape = TOPOLOGY_SPIN5;
    config.threads = threads;
    config.run_ahead = run_ahead;
    MachineBench bench(config);
    machine *made = bench.get();
    std::string log;
    Device devices[4];
    for (unsigned i = 0; i < 4; i++) {
        Device *device = &devices[i];
        device->answer = [device, &log, i](const machine_link_packet &packet, uint64_t now_ps) {
            log += std::to_string(i) + ":" + std::to_string(packet.key) + "@" +
                   std::to_string(now_ps) + "\n";
            if (packet.key % 5 == 4 && device->refused_ps.size() < device->packets.size()) {
                EXPECT_EQ(machine_link_wake(device->end, now_ps + 300000, &device->why),
                          STATUS_OK);
                return MACHINE_LINK_REFUSED;
            }
            (void)device->send(ANSWER + packet.key % 100, now_ps + 1000);
            return now_ps + 20000;
        };
        device->on_due = [device](uint64_t now_ps) {
            EXPECT_EQ(machine_link_resume(device->end, now_ps, &device->why), STATUS_OK);
        };
        EXPECT_EQ(device->attach(made, PLACES[i], LINKS[i]), STATUS_OK) << device->why.text;
    }
    for (unsigned i = 0; i < machine_chip_count(made); i++) {
        const machine_chip at = machine_chip_at(made, i);
        unsigned out = at.y > 3 ? 5 : 3; /* to the south, then to the west */
        for (unsigned d = 0; d < 4; d++) {
            out = PLACES[d].x == at.x && PLACES[d].y == at.y ? LINKS[d] : out;
        }
        EXPECT_EQ(machine_set_route(made, at.x, at.y, 0, KEY, 0xffffff00, 1u << out), STATUS_OK);
        EXPECT_EQ(machine_set_route(made, at.x, at.y, 1, ANSWER, 0xffffff00, 1u << (6 + 2)),
                  STATUS_OK);
        Program handler(IRQ_VECTOR);
        handler.emit({ldr_imm(3, 5, 0x14), str_imm(3, 8, 0), add_imm(8, 8, 4), RETURN});
        Program receiver;
        receiver.set(5, COMMS).set(8, DTCM);
        receiver.store(VIC + 0x10, MULTICAST_WAITING);
        receiver.unmask().sleep();
        Program sender;
        sender.set(4, COMMS).set(5, KEY + i).set(8, 20);
        const uint32_t loop = sender.here();
        sender.emit({str_imm(5, 4, 8)});
        sender.delay(50 + i);
        sender.emit({subs_imm(8, 8, 1)});
        sender.branch(loop, NE);
        sender.sleep();
        const std::pair<uint8_t, const Program *> parts[] = {
            {2, &handler}, {2, &receiver}, {1, &sender}};
        for (const auto &part : parts) {
            EXPECT_EQ(machine_write(made, {at.x, at.y, part.first}, part.second->base(),
                                    part.second->words().data(),
                                    static_cast<uint32_t>(4 * part.second->words().size())),
                      STATUS_OK);
        }
        EXPECT_EQ(machine_start_core(made, {at.x, at.y, 2}, receiver.base(), 0), STATUS_OK);
        EXPECT_EQ(machine_start_core(made, {at.x, at.y, 1}, sender.base(), 0), STATUS_OK);
    }
    machine_stop stop = MACHINE_REACHED;
    for (uint64_t time_ps = slice_ps; stop == MACHINE_REACHED && time_ps <= 2000 * US;
         time_ps += slice_ps) {
        stop = machine_run_until(made, time_ps);
    }
    EXPECT_EQ(stop, MACHINE_QUIESCENT);
    log += std::to_string(machine_time_ps(made)) + "\n";
    machine_each_counter(
        made,
        [](void *context, const machine_counter *counter) {
            *static_cast<std::string *>(context) +=
                std::string(counter->component) + std::to_string(counter->x) + "," +
                std::to_string(counter->y) + "." + std::to_string(counter->instance) +
                counter->info->name + "=" + std::to_string(counter->value) + "\n";
        },
        &log);
    return log;
}

} // namespace

TEST(MachineDeviceThreads, ResultsDependNeitherOnThreadsNorOnSlices)
{
    const std::string once = flooded(1, RUN_AHEAD_AUTO, 2000 * US);
    EXPECT_GT(once.size(), 10000u);
    EXPECT_NE(once.find("3:"), std::string::npos);
    EXPECT_TRUE(flooded(2, RUN_AHEAD_AUTO, 2000 * US) == once);
    EXPECT_TRUE(flooded(4, 7, 2000 * US) == once);
    EXPECT_TRUE(flooded(1, RUN_AHEAD_OFF, 2000 * US) == once);
    EXPECT_TRUE(flooded(3, RUN_AHEAD_AUTO, 777777) == once);
}

namespace
{

/* A companion whose events are at fixed times. */
struct Other {
    std::vector<uint64_t> times_ps;
    size_t at = 0;
    std::vector<std::string> log;
    Device *device;
};

} // namespace

TEST_F(MachineLinkDevices, ACompanionKeepsStep)
{
    Other other = {{2 * US, 5 * US}, 0, {}, &device};
    const machine_companion companion = {
        &other,
        [](void *context) {
            const auto *other = static_cast<Other *>(context);
            return other->at < other->times_ps.size() ? other->times_ps[other->at] : UINT64_MAX;
        },
        [](void *context, uint64_t time_ps) {
            auto *other = static_cast<Other *>(context);
            for (; other->at < other->times_ps.size() && other->times_ps[other->at] <= time_ps;
                 other->at++) {
                other->log.push_back("at " + std::to_string(other->times_ps[other->at]));
                EXPECT_EQ(other->times_ps[other->at], time_ps);
                EXPECT_EQ(other->device->send(ANSWER, time_ps), STATUS_OK);
            }
        }};
    device.on_due = [&](uint64_t now_ps) { other.log.push_back("due " + std::to_string(now_ps)); };
    EXPECT_EQ(machine_link_wake(device.end, 2 * US, nullptr), STATUS_OK);
    EXPECT_EQ(machine_set_companion(bench.get(), companion, &device.why), STATUS_OK);
    EXPECT_EQ(machine_set_companion(bench.get(), companion, &device.why), STATUS_CONFIGURATION);
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(other.log, (std::vector<std::string>{"at 2000000", "due 2000000", "at 5000000"}));
    EXPECT_EQ(arrivals(), (Cycles{taken(2 * US + PACKET_PS), taken(5 * US + PACKET_PS)}));
}
