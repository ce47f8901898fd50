/* Modules of a user's own under the SystemC kernel: packets of links as TLM-2.0 transactions in both
 * directions, back-pressure by the reply, registers on the system NoC, and what is refused.  One
 * process a case. */
#include "models/systemc/simulation.h"
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

namespace
{

constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t MULTICAST_WAITING = 1u << 24;
constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t RETURN = 0xe25ef004; /* SUBS pc, lr, #4 */
constexpr uint32_t KEY = 0x100, ANSWER = 0x1000;
constexpr unsigned WEST = 3;
constexpr uint64_t PACKET_PS = 136970;
constexpr uint64_t CLOCK_PS = 7500; /* of the router */
constexpr uint64_t PIPELINE = 5;
constexpr uint64_t SYNC_AND_ENTRY = 2 + 3;

uint64_t up(uint64_t time_ps, uint64_t period_ps)
{
    return (time_ps + period_ps - 1) / period_ps;
}

/* When a packet that comes to the router at a time leaves it; the cycle at which its receiver stands
 * at its vector. */
uint64_t routed_ps(uint64_t time_ps)
{
    return (up(time_ps, CLOCK_PS) + PIPELINE) * CLOCK_PS;
}

uint64_t taken(uint64_t time_ps)
{
    return up(routed_ps(time_ps) + transit_ps(), CYCLE_PS) + SYNC_AND_ENTRY;
}

uint64_t kernel_ps()
{
    return sc_core::sc_time_stamp().value();
}

/* A device of a link, of which a test says how it replies. */
class Device : public sc_core::sc_module
{
  public:
    explicit Device(const sc_core::sc_module_name &name) : sc_module(name)
    {
        SC_HAS_PROCESS(Device);
        in.register_nb_transport_fw(this, &Device::take);
        out.register_nb_transport_bw(this, &Device::answered);
        SC_THREAD(work);
    }

    tlm_utils::simple_target_socket<Device> in{"in"};
    tlm_utils::simple_initiator_socket<Device> out{"out"};
    std::vector<uint64_t> taken_ps, entered_ps;
    std::vector<uint32_t> keys;
    std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload &, sc_core::sc_time &)> reply;
    std::function<void()> on_start;
    spinn::PacketPool pool;

    tlm::tlm_sync_enum send(uint32_t key, uint64_t delay_ps)
    {
        tlm::tlm_generic_payload &packet = pool.make(spinn::multicast(key));
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::sc_time::from_value(delay_ps);
        const tlm::tlm_sync_enum reply = out->nb_transport_fw(packet, phase, delay);
        packet.release();
        return reply;
    }

  private:
    tlm::tlm_sync_enum take(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase,
                            sc_core::sc_time &delay)
    {
        EXPECT_EQ(phase, tlm::BEGIN_REQ);
        EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
        taken_ps.push_back(kernel_ps());
        keys.push_back(spinn::packet_of(payload)->key);
        EXPECT_EQ(payload.get_address(), keys.back());
        return reply ? reply(payload, delay) : tlm::TLM_COMPLETED;
    }

    tlm::tlm_sync_enum answered(tlm::tlm_generic_payload &, tlm::tlm_phase &phase,
                                sc_core::sc_time &)
    {
        EXPECT_EQ(phase, tlm::END_REQ);
        entered_ps.push_back(kernel_ps());
        return tlm::TLM_ACCEPTED;
    }

    void work()
    {
        if (on_start) {
            on_start();
        }
    }
};

/* One chip; core 1 sends to the west, core 2 keeps the keys of what comes. */
class SystemCDevices : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (sc_core::sc_get_status() != sc_core::SC_ELABORATION) {
            GTEST_SKIP() << "SystemC makes one hierarchy a process; ctest gives each case its own";
        }
    }

    void bind(spinn::Simulation &simulation, Device &device)
    {
        spinn::LinkPort &port = simulation.chip(0, 0).link(WEST);
        port.out.bind(device.in);
        device.out.bind(port.in);
    }

    void listen()
    {
        EXPECT_EQ(machine_set_route(bench.get(), 0, 0, 0, KEY, 0xffffff00, 1u << WEST), STATUS_OK);
        EXPECT_EQ(machine_set_route(bench.get(), 0, 0, 1, ANSWER, 0xffffff00, 1u << (6 + 2)),
                  STATUS_OK);
        Program handler(IRQ_VECTOR);
        handler.emit({ldr_imm(3, 5, 0x14), str_imm(3, 8, 0), add_imm(8, 8, 4), RETURN});
        bench.load(2, handler);
        bench.mark(2, IRQ_VECTOR);
        Program receiver;
        receiver.set(5, COMMS).set(8, DTCM);
        receiver.store(VIC + 0x10, MULTICAST_WAITING);
        receiver.unmask().sleep();
        bench.run(2, receiver);
    }

    /* Core 1 sends so many packets, each 130 cycles after the last. */
    void run_sender(unsigned count)
    {
        Program program;
        program.set(4, COMMS).set(5, KEY).set(8, count);
        const uint32_t loop = program.here();
        program.emit({str_imm(5, 4, 8)});
        program.delay(30);
        program.emit({add_imm(5, 5, 1), subs_imm(8, 8, 1)});
        program.branch(loop, NE);
        program.sleep();
        bench.run(1, program);
        bench.mark(1, loop);
    }

    unsigned arrived() const
    {
        unsigned count = 0;
        for (const recorded_mark &mark : bench.marks) {
            count += mark.core == 2;
        }
        return count;
    }

    /* The message of an SC_ERROR. */
    static std::string error_of(const std::function<void()> &action)
    {
        try {
            action();
        } catch (const sc_core::sc_report &report) {
            EXPECT_STREQ(report.get_msg_type(), "/spinnsim");
            return report.get_msg();
        }
        return "no error";
    }

    MachineBench bench;
};

} // namespace

TEST_F(SystemCDevices, PacketsArriveAtTheirTimeInTheKernel)
{
    spinn::Simulation simulation(bench.get());
    Device device("device");
    bind(simulation, device);
    simulation.elaborate();
    listen();
    run_sender(3);
    EXPECT_EQ(simulation.run_until(100 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(device.keys, (std::vector<uint32_t>{KEY, KEY + 1, KEY + 2}));
    EXPECT_EQ(bench.time_ps(), kernel_ps());
    ASSERT_EQ(bench.marks.size(), 3u);
    for (size_t i = 0; i < 3; i++) {
        EXPECT_EQ(device.taken_ps[i], routed_ps(bench.marks[i].time_ps) + PACKET_PS);
    }
}

TEST_F(SystemCDevices, AnAnnotatedDelayHoldsTheNextPacketUp)
{
    spinn::Simulation simulation(bench.get());
    Device device("device");
    bind(simulation, device);
    device.reply = [](tlm::tlm_generic_payload &, sc_core::sc_time &delay) {
        delay += sc_core::sc_time(1, sc_core::SC_US); /* less than a router waits */
        return tlm::TLM_COMPLETED;
    };
    simulation.elaborate();
    listen();
    run_sender(8);
    EXPECT_EQ(simulation.run_until(1000 * US), MACHINE_QUIESCENT);
    ASSERT_EQ(device.taken_ps.size(), 8u);
    for (size_t i = 1; i < 8; i++) {
        EXPECT_EQ(device.taken_ps[i] - device.taken_ps[i - 1], 1 * US) << i;
    }
}

TEST_F(SystemCDevices, AcceptedMeansThatThePacketStays)
{
    spinn::Simulation simulation(bench.get());
    Device device("device");
    bind(simulation, device);
    sc_core::sc_event done;
    tlm::tlm_generic_payload *held = nullptr;
    device.reply = [&](tlm::tlm_generic_payload &payload, sc_core::sc_time &) {
        held = &payload;
        done.notify(7, sc_core::SC_US);
        return tlm::TLM_ACCEPTED;
    };
    device.on_start = [&] {
        for (;;) {
            sc_core::wait(done);
            tlm::tlm_phase phase = tlm::END_REQ;
            sc_core::sc_time delay(1, sc_core::SC_US);
            EXPECT_EQ(device.in->nb_transport_bw(*held, phase, delay), tlm::TLM_ACCEPTED);
        }
    };
    simulation.elaborate();
    listen();
    run_sender(3);
    EXPECT_EQ(simulation.run_until(1000 * US), MACHINE_QUIESCENT);
    ASSERT_EQ(device.taken_ps.size(), 3u);
    EXPECT_EQ(device.taken_ps[1] - device.taken_ps[0], 8 * US);
    EXPECT_EQ(device.taken_ps[2] - device.taken_ps[1], 8 * US);
}

TEST_F(SystemCDevices, AProcessSendsInStepWithTheMachine)
{
    spinn::Simulation simulation(bench.get());
    Device device("device");
    bind(simulation, device);
    std::vector<uint64_t> sent_ps;
    device.on_start = [&] {
        for (unsigned i = 0; i < 4; i++) {
            sc_core::wait(10, sc_core::SC_US);
            sent_ps.push_back(kernel_ps());
            EXPECT_EQ(device.send(ANSWER + i, 1000), tlm::TLM_COMPLETED);
        }
    };
    simulation.elaborate();
    listen();
    EXPECT_EQ(simulation.run_until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(sent_ps, (std::vector<uint64_t>{10 * US, 20 * US, 30 * US, 40 * US}));
    ASSERT_EQ(bench.marks.size(), 4u);
    for (unsigned i = 0; i < 4; i++) {
        EXPECT_EQ(bench.marks[i].cycle, taken(sent_ps[i] + 1000 + PACKET_PS)) << i;
        EXPECT_EQ(bench.word(2, DTCM + 4 * i), ANSWER + i);
    }
}

TEST_F(SystemCDevices, AFullTransmitterAcceptsOneMoreAndTellsWhenItHasEntered)
{
    spinn::Simulation simulation(bench.get());
    Device device("device");
    bind(simulation, device);
    std::string error;
    device.on_start = [&] {
        sc_core::wait(10, sc_core::SC_US);
        EXPECT_EQ(device.send(ANSWER, 0), tlm::TLM_COMPLETED);
        EXPECT_EQ(device.send(ANSWER + 1, 0), tlm::TLM_ACCEPTED);
        error = error_of([&] { (void)device.send(ANSWER + 2, 0); });
    };
    simulation.elaborate();
    listen();
    EXPECT_EQ(simulation.run_until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(arrived(), 2u);
    EXPECT_EQ(device.entered_ps, std::vector<uint64_t>{10 * US});
    EXPECT_NE(error.find("chip_0_0_link_3: a packet before END_REQ"), std::string::npos) << error;
}

TEST_F(SystemCDevices, ABlockingTransportWaitsForRoom)
{
    spinn::Simulation simulation(bench.get());
    Device device("device");
    bind(simulation, device);
    std::vector<uint64_t> sent_ps;
    device.on_start = [&] {
        for (unsigned i = 0; i < 4; i++) {
            tlm::tlm_generic_payload &packet = device.pool.make(spinn::multicast(ANSWER + i));
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            device.out->b_transport(packet, delay);
            EXPECT_TRUE(packet.is_response_ok());
            packet.release();
            sent_ps.push_back(kernel_ps());
        }
    };
    simulation.elaborate();
    listen();
    EXPECT_EQ(simulation.run_until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(arrived(), 4u);
    EXPECT_EQ(sent_ps, (std::vector<uint64_t>{0, 0, PACKET_PS, 2 * PACKET_PS}));
}

TEST_F(SystemCDevices, ASinkMayHaveABlockingTransportOnly)
{
    struct Sink : sc_core::sc_module {
        explicit Sink(const sc_core::sc_module_name &name) : sc_module(name)
        {
            in.register_b_transport(this, &Sink::take);
        }
        void take(tlm::tlm_generic_payload &, sc_core::sc_time &delay)
        {
            begun_ps.push_back(kernel_ps() + delay.value());
            wait(delay + sc_core::sc_time(4, sc_core::SC_US));
            delay = sc_core::SC_ZERO_TIME;
        }
        tlm_utils::simple_target_socket<Sink> in{"in"};
        std::vector<uint64_t> begun_ps;
    };
    spinn::Simulation simulation(bench.get());
    Sink sink("sink");
    simulation.chip(0, 0).link(WEST).out.bind(sink.in);
    simulation.elaborate();
    listen();
    run_sender(3);
    EXPECT_EQ(simulation.run_until(1000 * US), MACHINE_QUIESCENT);
    ASSERT_EQ(sink.begun_ps.size(), 3u);
    EXPECT_EQ(sink.begun_ps[1] - sink.begun_ps[0], 4 * US);
}

TEST_F(SystemCDevices, ALinkWithoutASinkTakesNothing)
{
    spinn::Simulation simulation(bench.get());
    Device device("device");
    struct Nothing : sc_core::sc_module {
        explicit Nothing(const sc_core::sc_module_name &name) : sc_module(name)
        {
        }
        tlm_utils::simple_initiator_socket<Nothing> out{"out"};
    } source("source");
    source.out.bind(simulation.chip(0, 0).link(WEST).in);
    simulation.chip(0, 0).link(0).out.bind(device.in);
    device.out.bind(simulation.chip(0, 0).link(0).in);
    simulation.elaborate();
    listen();
    run_sender(2);
    (void)simulation.run_until(1000 * US);
    EXPECT_EQ(bench.counter("link", WEST, "packets"), 0u);
    EXPECT_EQ(bench.counter("router", -1, "dumped_mc"), 1u) << "as of a link that leads nowhere";
}

TEST_F(SystemCDevices, TheTimesOfALinkCanBeSet)
{
    spinn::Simulation simulation(bench.get());
    Device device("device");
    bind(simulation, device);
    simulation.chip(0, 0).link(WEST).set_times(sc_core::sc_time(1500, sc_core::SC_NS),
                                               sc_core::sc_time(500, sc_core::SC_NS));
    simulation.elaborate();
    listen();
    run_sender(4);
    EXPECT_EQ(simulation.run_until(1000 * US), MACHINE_QUIESCENT);
    ASSERT_EQ(device.taken_ps.size(), 4u);
    EXPECT_EQ(device.taken_ps[0], routed_ps(bench.marks[0].time_ps) + 2 * US);
    EXPECT_EQ(device.taken_ps[2] - device.taken_ps[1], 1500000u);
}

namespace
{

/* Registers on the system NoC: a word that counts reads. */
class Registers : public sc_core::sc_module
{
  public:
    explicit Registers(const sc_core::sc_module_name &name) : sc_module(name)
    {
        socket.register_b_transport(this, &Registers::transport);
    }
    tlm_utils::simple_target_socket<Registers> socket{"socket"};
    uint64_t latency_ps = 50 * CYCLE_PS;
    bool forgets = false;
    std::vector<uint64_t> arrivals_ps;
    uint32_t count = 40;

  private:
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
    {
        arrivals_ps.push_back(kernel_ps() + delay.value());
        if (payload.get_address() != 0) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (payload.is_write()) {
            std::memcpy(&count, payload.get_data_ptr(), sizeof count);
        } else {
            std::memcpy(payload.get_data_ptr(), &count, sizeof count);
            count++;
        }
        delay = forgets ? sc_core::SC_ZERO_TIME : delay + sc_core::sc_time::from_value(latency_ps);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

} // namespace

TEST_F(SystemCDevices, RegistersOnTheNocAnswerLoadsAndStores)
{
    spinn::Simulation simulation(bench.get());
    Registers registers("registers");
    simulation.chip(0, 0).noc().socket.bind(registers.socket);
    simulation.elaborate();
    Program program;
    program.set(r0, 0x90000000);
    const uint32_t at = program.here();
    program.emit({ldr_imm(r1, r0)}).nops(2);
    program.emit({ldr_imm(r2, r0), str_imm(r0, r0), ldr_imm(r3, r0)}).sleep();
    bench.run(1, program);
    bench.mark(1, at);
    bench.mark(1, at + 4);
    EXPECT_EQ(simulation.run_until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.reg(1, 1), 40u);
    EXPECT_EQ(bench.reg(1, 2), 41u);
    EXPECT_EQ(bench.reg(1, 3), 0x90000000u);
    EXPECT_EQ(bench.between(at, at + 4), 50u + 7) << "and 33 ns of NoC";
    EXPECT_EQ(registers.arrivals_ps.at(0), bench.cycle_of(at) * CYCLE_PS + 16500);
}

TEST_F(SystemCDevices, AnErrorResponseIsABusError)
{
    spinn::Simulation simulation(bench.get());
    Registers registers("registers");
    simulation.chip(0, 0).noc().map(0x80000000, 4096);
    simulation.chip(0, 0).noc().socket.bind(registers.socket);
    simulation.elaborate();
    bench.stop_at_fault = true;
    Program program;
    program.set(r0, 0x80000000).emit({ldr_imm(r1, r0, 4)}).sleep();
    bench.run(1, program);
    EXPECT_EQ(simulation.run_until(50 * US), MACHINE_STOPPED);
    EXPECT_EQ(bench.faults.size(), 1u);
}

TEST_F(SystemCDevices, AnAnswerInThePastIsAnError)
{
    spinn::Simulation simulation(bench.get());
    Registers registers("registers");
    registers.forgets = true; /* the delay that it was given */
    simulation.chip(0, 0).noc().socket.bind(registers.socket);
    simulation.elaborate();
    Program program;
    program.set(r0, 0x90000000).emit({ldr_imm(r1, r0)}).sleep();
    bench.run(1, program);
    const std::string error = error_of([&] { (void)simulation.run_until(50 * US); });
    EXPECT_NE(error.find("the device at 0x90000000 of chip 0,0 has answered at 0 ps"),
              std::string::npos)
        << error;
}

TEST_F(SystemCDevices, AProcessHasOneMachine)
{
    spinn::Simulation simulation(bench.get());
    MachineBench other;
    const std::string error = error_of([&] { spinn::Simulation second(other.get()); });
    EXPECT_NE(error.find("a process has one machine under SystemC"), std::string::npos) << error;
    EXPECT_EQ(simulation.run_until(1 * US), MACHINE_QUIESCENT);
    const std::string later = error_of([&] { spinn::Simulation third(other.get()); });
    EXPECT_EQ(later, error);
}

TEST_F(SystemCDevices, PlacesThatAreNotThereAreErrors)
{
    spinn::Simulation simulation(bench.get());
    EXPECT_NE(error_of([&] { (void)simulation.chip(1, 0); }).find("the machine has no chip 1,0"),
              std::string::npos);
    EXPECT_NE(error_of([&] { (void)simulation.chip(0, 0).link(6); }).find("there is no link 6"),
              std::string::npos);
}

TEST_F(SystemCDevices, ALinkThatLeadsToAChipCannotBeBound)
{
    machine_config config = bench_config();
    config.topology.shape = TOPOLOGY_RECTANGLE;
    config.topology.width = 2;
    config.topology.height = 1;
    MachineBench pair(config);
    spinn::Simulation simulation(pair.get());
    Device device("device");
    simulation.chip(0, 0).link(0).out.bind(device.in);
    device.out.bind(simulation.chip(0, 0).link(0).in);
    const std::string error = error_of([&] { simulation.elaborate(); });
    EXPECT_NE(error.find("chip_0_0_link_0: link 0 of chip 0,0 leads to chip 1,0"),
              std::string::npos)
        << error;
}

TEST_F(SystemCDevices, AMachineOfSeveralThreadsHasNoNoc)
{
    machine_config config = bench_config();
    config.topology.shape = TOPOLOGY_SPIN3;
    config.threads = 2;
    MachineBench four(config);
    spinn::Simulation simulation(four.get());
    Registers registers("registers");
    simulation.chip(0, 0).noc().socket.bind(registers.socket);
    const std::string error = error_of([&] { simulation.elaborate(); });
    EXPECT_NE(error.find("runs in one thread"), std::string::npos) << error;
}

TEST_F(SystemCDevices, APacketNeedsItsExtension)
{
    spinn::Simulation simulation(bench.get());
    Device device("device");
    bind(simulation, device);
    simulation.elaborate();
    tlm::tlm_generic_payload payload;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const std::string error =
        error_of([&] { (void)device.out->nb_transport_fw(payload, phase, delay); });
    EXPECT_NE(error.find("needs a spinn::PacketExtension"), std::string::npos) << error;
}
