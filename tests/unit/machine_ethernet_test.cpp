/* machine_ethernet_test.cpp - frames between the host and a machine: when they arrive and leave,
 * whatever the way in which the machine is run; chips with and without Ethernet; a machine that is
 * switched off and on. */
#include "tests/unit/machine_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "models/chip/sysctl.h"
#include "models/chip/vic.h"

namespace
{

constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t ETHERNET = 0xf4000000;
constexpr uint32_t ETHERNET_RX = ETHERNET + 0x4000;
constexpr uint32_t ETHERNET_DESCRIPTORS = ETHERNET + 0x8000;
constexpr uint32_t ETHERNET_REGISTERS = ETHERNET + 0xc000;
constexpr int32_t STATUS = 0x04, TX_LEN = 0x08, TX_CMD = 0x0c, RX_CMD = 0x10, INT_CLR = 0x20,
                  RX_BUF_RP = 0x24, RX_DESC_RP = 0x2c;
constexpr uint32_t EVERYTHING = 0x483; /* bytes in order, no filter, receiver, transmitter */
constexpr uint32_t HANDLER = 0x18;     /* the IRQ vector */
constexpr uint32_t RETURN = subs_imm(pc, lr, 4);
constexpr unsigned BUSY = 2, ECHO = 1;

using bytes = std::vector<uint8_t>;

struct sent_frame {
    uint8_t x, y;
    uint64_t time_ps;
    bytes data;
    bool operator==(const sent_frame &other) const
    {
        return x == other.x && y == other.y && time_ps == other.time_ps && data == other.data;
    }
};

struct way {
    const char *name;
    unsigned threads;
    enum tier tier;
    uint64_t run_ahead;
    uint64_t slice_ps; /* 0: in one go */
};

constexpr way PLAIN = {"plain", 1, TIER_INTERPRETER, RUN_AHEAD_AUTO, 0};

constexpr uint64_t wire_ps(uint64_t count)
{
    return 5120000 + 80000 * count;
}

bytes frame_of(size_t count, uint8_t seed)
{
    bytes frame(count);
    for (size_t i = 0; i < count; i++) {
        frame[i] = static_cast<uint8_t>(seed + 5 * i);
    }
    return frame;
}

class Frames
{
  public:
    explicit Frames(topology_shape shape, const way &way = PLAIN, bool ethernet = true)
        : slice_ps_(way.slice_ps)
    {
        machine_config config = bench_config();
        config.topology.shape = shape;
        config.topology.width = config.topology.height = shape == TOPOLOGY_BOARDS ? 12 : 1;
        config.parameters.sdram_bytes = 1 << 20;
        config.threads = way.threads;
        config.tier = way.tier;
        config.run_ahead = way.run_ahead;
        config.ethernet = ethernet;
        config.observer.context = this;
        config.observer.frame = [](void *context, machine_chip chip, const uint8_t *data,
                                   uint32_t count, uint64_t time_ps) {
            static_cast<Frames *>(context)->sent.push_back(
                {chip.x, chip.y, time_ps, bytes(data, data + count)});
        };
        diagnostic why = {};
        EXPECT_EQ(machine_create(&config, &machine_, &why), STATUS_OK) << why.text;
    }
    ~Frames()
    {
        machine_destroy(machine_);
    }
    Frames(const Frames &) = delete;
    Frames &operator=(const Frames &) = delete;

    machine *get()
    {
        return machine_;
    }

    void load(machine_core core, const Program &program)
    {
        ASSERT_EQ(machine_write(machine_, core, program.base(), program.words().data(),
                                static_cast<uint32_t>(4 * program.words().size())),
                  STATUS_OK);
    }

    void run(machine_core core, const Program &program)
    {
        load(core, program);
        ASSERT_EQ(machine_start_core(machine_, core, program.base(), 0), STATUS_OK);
    }

    /* Sends back each frame that comes, while it counts. */
    void echo(machine_chip chip)
    {
        const machine_core core = {chip.x, chip.y, ECHO};
        Program handler(HANDLER);
        handler.emit({mov_imm(r0, 0x10), str_imm(r0, r8, INT_CLR)});
        const uint32_t next = handler.here();
        handler.emit({ldr_imm(r0, r8, STATUS), data_imm(TST, true, 0, r0, 1)});
        handler.branch(next, NE); /* the last frame is still being sent */
        handler.emit({data_imm(AND, true, r0, r0, 0x7e), when(EQ, RETURN)});
        handler.emit({ldr_imm(r1, r8, RX_DESC_RP), data_imm(AND, false, r1, r1, 0x3f),
                      ldr_reg(r2, r10, r1, LSL, 2), str_imm(r2, r8, TX_LEN)});
        handler.emit({ldr_imm(r1, r8, RX_BUF_RP), mov(r1, r1, LSL, 20),
                      data_reg(ADD, false, r1, r11, r1, LSR, 20), mov(r3, r9)});
        const uint32_t copy = handler.here();
        handler.emit({ldr_post(r0, r1, 4), str_post(r0, r3, 4), subs_imm(r2, r2, 4)});
        handler.branch(copy, GT);
        handler.emit({str_imm(r0, r8, TX_CMD), str_imm(r0, r8, RX_CMD)});
        handler.branch(next);
        load(core, handler);
        Program program;
        program.store(VIC + 0x10, 1u << VIC_SOURCE_ETHERNET_RX);
        program.store(ETHERNET_REGISTERS, EVERYTHING);
        program.set(r8, ETHERNET_REGISTERS).set(r9, ETHERNET).set(r10, ETHERNET_DESCRIPTORS);
        program.set(r11, ETHERNET_RX).set(r4, 0).set(r5, DTCM).unmask();
        const uint32_t loop = program.here();
        program.emit({add_imm(r4, r4, 1), str_imm(r4, r5)});
        program.branch(loop);
        run(core, program);
    }

    /* On each chip a core that computes, and sends a packet to the east now and then. */
    void busy()
    {
        for (unsigned i = 0; i < machine_chip_count(machine_); i++) {
            const machine_chip chip = machine_chip_at(machine_, i);
            ASSERT_EQ(machine_set_route(machine_, chip.x, chip.y, 0, 0, 0, 1u | 1u << (6 + BUSY)),
                      STATUS_OK);
            Program program;
            program.set(r4, COMMS).set(r5, DTCM).set(r6, chip.x * 16u + chip.y);
            const uint32_t loop = program.here();
            program.emit({add_imm(r6, r6, 3), str_imm(r6, r5), str_imm(r6, r4, 8)});
            program.delay(300 + 7 * i);
            program.emit({ldr_imm(r0, r4, 0x14)});
            program.branch(loop);
            run({chip.x, chip.y, BUSY}, program);
        }
    }

    status send(machine_chip chip, const bytes &frame, uint64_t time_ps)
    {
        return machine_send_frame(machine_, chip, frame.data(), static_cast<uint32_t>(frame.size()),
                                  time_ps);
    }

    machine_stop until(uint64_t time_ps)
    {
        while (slice_ps_ != 0 && machine_time_ps(machine_) + slice_ps_ < time_ps) {
            (void)machine_run_until(machine_, machine_time_ps(machine_) + slice_ps_);
        }
        return machine_run_until(machine_, time_ps);
    }

    /* Everything that is counted, and the memory. */
    std::string state()
    {
        std::string all;
        machine_each_counter(
            machine_,
            [](void *context, const machine_counter *counter) {
                *static_cast<std::string *>(context) +=
                    std::to_string(counter->x) + "," + std::to_string(counter->y) + " " +
                    counter->component + std::to_string(counter->instance) + "." +
                    counter->info->name + " " + std::to_string(counter->value) + "\n";
            },
            &all);
        machine_each_written(
            machine_,
            [](void *context, uint8_t x, uint8_t y, uint32_t address, int instance,
               const uint8_t *data, uint32_t count) {
                auto &text = *static_cast<std::string *>(context);
                text += std::to_string(x) + "," + std::to_string(y) + "," +
                        std::to_string(instance) + "@" + std::to_string(address);
                text.append(reinterpret_cast<const char *>(data), count);
            },
            &all);
        return all;
    }

    /* The counters of Ethernet controllers, by chip and name. */
    std::map<std::string, uint64_t> counts()
    {
        std::map<std::string, uint64_t> all;
        machine_each_counter(
            machine_,
            [](void *context, const machine_counter *counter) {
                if (strcmp(counter->component, "ethernet") == 0) {
                    (*static_cast<std::map<std::string, uint64_t> *>(
                        context))[std::to_string(counter->x) + "," + std::to_string(counter->y) +
                                  " " + counter->info->name] = counter->value;
                }
            },
            &all);
        return all;
    }

    std::vector<sent_frame> sent;

  private:
    uint64_t slice_ps_;
    machine *machine_ = nullptr;
};

/* ---- time ---- */

TEST(MachineEthernet, AFrameComesBackAfterTwiceItsTimeOnTheWire)
{
    Frames machine(TOPOLOGY_RECTANGLE);
    machine.echo({0, 0});
    const bytes frame = frame_of(200, 3);
    (void)machine.until(10 * US);
    ASSERT_EQ(machine.send({0, 0}, frame, 20 * US), STATUS_OK);
    (void)machine.until(20 * US + 2 * wire_ps(200));
    EXPECT_TRUE(machine.sent.empty());
    EXPECT_EQ(machine.counts()["0,0 frames_received"], 1u);
    (void)machine.until(100 * US);
    ASSERT_EQ(machine.sent.size(), 1u);
    EXPECT_EQ(machine.sent[0].data, frame);
    const uint64_t took_ps = machine.sent[0].time_ps - 20 * US - 2 * wire_ps(200);
    EXPECT_GT(took_ps, 50 * 2 * 100000u); /* 50 words are read and written, over the bus */
    EXPECT_LT(took_ps, 50 * 2 * 150000u);
    EXPECT_EQ(machine.counts()["0,0 bytes_sent"], 200u);
    EXPECT_EQ(machine_unmodelled_count(machine.get()), 0u);
    EXPECT_EQ(machine_late_interrupts(machine.get()), 0u);
}

TEST(MachineEthernet, ItsInterruptReachesACoreOneSignalFloorAfterTheFrame)
{
    for (const uint64_t end_ps : {wire_ps(60) + 135000 - 1, wire_ps(60) + 135000 + 10 * CYCLE_PS}) {
        Frames machine(TOPOLOGY_RECTANGLE);
        Program handler(HANDLER);
        handler.emit({mov_imm(r7, 1)}).sleep();
        machine.load({0, 0, 3}, handler);
        Program program;
        program.store(VIC + 0x10, 1u << VIC_SOURCE_ETHERNET_RX);
        program.store(ETHERNET_REGISTERS, EVERYTHING);
        program.set(r7, 0).unmask().sleep();
        machine.run({0, 0, 3}, program);
        ASSERT_EQ(machine.send({0, 0}, frame_of(60, 1), 0), STATUS_OK);
        (void)machine.until(end_ps);
        EXPECT_EQ(machine_core_register(machine.get(), {0, 0, 3}, 7),
                  end_ps > wire_ps(60) + 135000 ? 1u : 0u);
    }
}

/* ---- the same, whatever the way ---- */

std::string run_board(topology_shape shape, const way &way)
{
    Frames machine(shape, way);
    machine.busy();
    machine.echo({0, 0});
    std::string all;
    for (unsigned i = 0; i < 12; i++) {
        const bytes frame = frame_of(60 + 97 * i, static_cast<uint8_t>(i));
        EXPECT_EQ(machine.send({0, 0}, frame, 10 * US + 31 * US * i), STATUS_OK);
    }
    (void)machine.until(1200 * US);
    EXPECT_EQ(machine.sent.size(), 11u) << way.name;
    EXPECT_EQ(machine.counts()["0,0 frames_lost"], 1u)
        << way.name; /* they come faster than they go */
    for (const sent_frame &frame : machine.sent) {
        all += std::to_string(frame.time_ps) + std::string(frame.data.begin(), frame.data.end());
    }
    EXPECT_EQ(machine_late_interrupts(machine.get()), 0u) << way.name;
    return all + machine.state();
}

TEST(MachineEthernet, ABoardThatEchoesIsTheSameInEveryWay)
{
    constexpr way WAYS[] = {
        {"two threads", 2, TIER_INTERPRETER, RUN_AHEAD_AUTO, 0},
        {"not ahead", 1, TIER_INTERPRETER, RUN_AHEAD_OFF, 0},
        {"ahead by chance", 2, TIER_INTERPRETER, 5, 0},
        {"slices", 2, TIER_INTERPRETER, RUN_AHEAD_AUTO, 7 * US},
    };
    const std::string reference = run_board(TOPOLOGY_SPIN5, PLAIN);
    for (const way &way : WAYS) {
        EXPECT_TRUE(run_board(TOPOLOGY_SPIN5, way) == reference) << way.name;
    }
}

TEST(MachineEthernet, NativeCodeEchoesTheSame)
{
    const way native = {"native code", 2, TIER_EVERYTHING, RUN_AHEAD_AUTO, 0};
    EXPECT_TRUE(run_board(TOPOLOGY_SPIN3, native) == run_board(TOPOLOGY_SPIN3, PLAIN));
}

/* Frames that are sent between slices, like those of a client, are as good as those that were
 * known before. */
TEST(MachineEthernet, AFrameMayBeSentBetweenRuns)
{
    Frames before(TOPOLOGY_RECTANGLE);
    Frames later(TOPOLOGY_RECTANGLE);
    for (Frames *machine : {&before, &later}) {
        machine->echo({0, 0});
        machine->busy();
    }
    ASSERT_EQ(before.send({0, 0}, frame_of(77, 1), 100 * US), STATUS_OK);
    (void)later.until(100 * US);
    ASSERT_EQ(later.send({0, 0}, frame_of(77, 1), 0), STATUS_OK); /* now */
    (void)before.until(300 * US);
    (void)later.until(300 * US);
    ASSERT_EQ(later.sent.size(), 1u);
    EXPECT_TRUE(before.sent == later.sent);
    EXPECT_TRUE(before.state() == later.state());
}

TEST(MachineEthernet, FramesOfSeveralBoardsAreReportedInTheOrderOfTheirTimes)
{
    std::vector<sent_frame> reference;
    for (const unsigned threads : {1u, 2u}) {
        const way way = {"boards", threads, TIER_INTERPRETER, RUN_AHEAD_AUTO, 0};
        Frames machine(TOPOLOGY_BOARDS, way);
        const machine_chip boards[] = {{0, 0}, {4, 8}, {8, 4}};
        for (const machine_chip &chip : boards) {
            ASSERT_TRUE(machine_has_ethernet(machine.get(), chip));
            machine.echo(chip);
        }
        for (unsigned i = 0; i < 9; i++) {
            const machine_chip chip = boards[2 - i % 3];
            ASSERT_EQ(machine.send(chip, frame_of(60 + 4 * (i / 3), static_cast<uint8_t>(i)), 0),
                      STATUS_OK);
        }
        (void)machine.until(200 * US);
        ASSERT_EQ(machine.sent.size(), 9u);
        for (size_t i = 1; i < 9; i++) {
            const sent_frame &one = machine.sent[i - 1];
            const sent_frame &next = machine.sent[i];
            EXPECT_TRUE(one.time_ps < next.time_ps ||
                        (one.time_ps == next.time_ps && one.x < next.x));
        }
        EXPECT_EQ(machine.sent[0].time_ps, machine.sent[2].time_ps); /* equal programs */
        if (reference.empty()) {
            reference = machine.sent;
        }
        EXPECT_TRUE(reference == machine.sent);
    }
}

/* ---- which chips ---- */

TEST(MachineEthernet, OnlyTheFirstChipOfABoardHasIt)
{
    Frames machine(TOPOLOGY_SPIN5);
    for (unsigned i = 0; i < machine_chip_count(machine.get()); i++) {
        const machine_chip chip = machine_chip_at(machine.get(), i);
        const bool first = chip.x == 0 && chip.y == 0;
        EXPECT_EQ(machine_has_ethernet(machine.get(), chip), first);
        EXPECT_EQ(machine_frame_room(machine.get(), chip), first ? 16u : 0u);
        EXPECT_EQ(machine.send(chip, frame_of(60, 0), 0), first ? STATUS_OK : STATUS_CONFIGURATION);
    }
    EXPECT_EQ(machine.counts().size(), 6u);
    EXPECT_EQ(machine.send({9, 9}, frame_of(60, 0), 0), STATUS_CONFIGURATION);
    Program program;
    program.set(r0, ETHERNET_REGISTERS).emit({ldr_imm(r1, r0)}).sleep();
    machine.run({1, 1, 1}, program);
    (void)machine.until(5 * US);
    ASSERT_EQ(machine_unmodelled_count(machine.get()), 1u);
    EXPECT_STREQ(machine_unmodelled(machine.get(), 0).block, "ETHERNET");
}

TEST(MachineEthernet, AMachineWithoutAHostHasNone)
{
    Frames machine(TOPOLOGY_SPIN3, PLAIN, false);
    EXPECT_FALSE(machine_has_ethernet(machine.get(), {0, 0}));
    EXPECT_EQ(machine.send({0, 0}, frame_of(60, 0), 0), STATUS_CONFIGURATION);
    EXPECT_TRUE(machine.counts().empty());
}

TEST(MachineEthernet, FramesOfWrongSizesAndTooManyAreRefused)
{
    Frames machine(TOPOLOGY_RECTANGLE);
    EXPECT_EQ(machine.send({0, 0}, {}, 0), STATUS_CONFIGURATION);
    EXPECT_EQ(machine.send({0, 0}, frame_of(1515, 0), 0), STATUS_CONFIGURATION);
    for (unsigned i = 0; i < 16; i++) {
        EXPECT_EQ(machine.send({0, 0}, frame_of(i % 2 == 0 ? 1 : 1514, 0), 0), STATUS_OK);
    }
    EXPECT_EQ(machine_frame_room(machine.get(), {0, 0}), 0u);
    EXPECT_EQ(machine.send({0, 0}, frame_of(60, 0), 0), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_frame_time_ps(1), wire_ps(60));
    (void)machine.until(wire_ps(60) + 1);
    EXPECT_EQ(machine_frame_room(machine.get(), {0, 0}), 1u);
    EXPECT_EQ(machine.counts()["0,0 frames_filtered"], 1u); /* the receiver is off */
}

/* ---- state ---- */

TEST(MachineEthernet, FramesOnTheWireAreSavedAndLoaded)
{
    Frames whole(TOPOLOGY_RECTANGLE);
    Frames first(TOPOLOGY_RECTANGLE);
    Frames second(TOPOLOGY_RECTANGLE);
    for (Frames *machine : {&whole, &first}) {
        machine->echo({0, 0});
        for (uint8_t i = 0; i < 3; i++) {
            ASSERT_EQ(machine->send({0, 0}, frame_of(600, i), 0), STATUS_OK);
        }
    }
    (void)whole.until(500 * US);
    (void)first.until(wire_ps(600) + 70 * US); /* one is sent, one is received, one waits */
    EXPECT_EQ(first.counts()["0,0 frames_received"], 2u);
    EXPECT_TRUE(first.sent.empty());
    size_t size = 0;
    uint8_t *state = machine_save(first.get(), &size);
    ASSERT_NE(state, nullptr);
    ASSERT_EQ(machine_load(second.get(), state, size), STATUS_OK);
    free(state);
    (void)second.until(500 * US);
    ASSERT_EQ(second.sent.size(), 3u);
    EXPECT_TRUE(second.sent == whole.sent);
    EXPECT_TRUE(second.state() == whole.state());
}

TEST(MachineEthernet, AResetOfTheChipResetsIt)
{
    Frames machine(TOPOLOGY_RECTANGLE);
    Program program;
    program.store(ETHERNET_REGISTERS, EVERYTHING);
    program.store(0xf2000000 + 0x2c, 0x5ec00000 | 1u << SYSCTL_PART_CHIP);
    program.sleep();
    machine.run({0, 0, 1}, program);
    (void)machine.until(200 * US);
    uint32_t control = 0;
    ASSERT_EQ(machine_read_word(machine.get(), {0, 0}, ETHERNET_REGISTERS, &control), STATUS_OK);
    EXPECT_EQ(control, 0x78u);
}

TEST(MachineEthernet, AMachineThatIsSwitchedOffAndOnIsNew)
{
    const auto work = [](Frames &machine) {
        machine.echo({0, 0});
        machine.busy();
        EXPECT_EQ(machine.send({0, 0}, frame_of(300, 9), 0), STATUS_OK);
        (void)machine.until(100 * US);
        return machine.state();
    };
    for (const topology_shape shape : {TOPOLOGY_RECTANGLE, TOPOLOGY_SPIN3}) {
        const way two = {"two threads", 2, TIER_INTERPRETER, RUN_AHEAD_AUTO, 0};
        Frames machine(shape, two);
        Frames other(shape, two);
        const std::string at_first = machine.state();
        const std::string reference = work(machine);
        const std::vector<sent_frame> sent = machine.sent;
        EXPECT_EQ(sent.size(), 1u);
        EXPECT_EQ(machine.send({0, 0}, frame_of(300, 9), 0), STATUS_OK); /* it is lost */
        machine.sent.clear();
        ASSERT_EQ(machine_power_on(machine.get()), STATUS_OK);
        EXPECT_EQ(machine_time_ps(machine.get()), 0u);
        EXPECT_TRUE(machine.state() == at_first);
        EXPECT_TRUE(work(machine) == reference);
        EXPECT_TRUE(machine.sent == sent);
        EXPECT_TRUE(work(other) == reference);
    }
}

/* ---- what the host reaches ---- */

TEST(MachineEthernet, TheHostReadsAndWritesWordsOfTheSystemNoc)
{
    Frames machine(TOPOLOGY_SPIN3);
    uint32_t word = 0;
    const machine_chip chip = {1, 1};
    EXPECT_EQ(machine_write_word(machine.get(), chip, 0xf5007fe0, 0x12345678), STATUS_OK);
    EXPECT_EQ(machine_read_word(machine.get(), chip, 0xe5007fe0, &word), STATUS_OK);
    EXPECT_EQ(word, 0x12345678u);
    EXPECT_EQ(machine_read_word(machine.get(), chip, 0xf2000000, &word), STATUS_OK);
    EXPECT_EQ(word, 0x59111012u);
    EXPECT_EQ(machine_read_word(machine.get(), chip, 0x50000000, &word), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_write_word(machine.get(), {2, 0}, 0xf5000000, 1), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_write_word(machine.get(), chip, 0xf6000000, 1), STATUS_CONFIGURATION);
}

} // namespace
