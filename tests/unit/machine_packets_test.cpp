/* machine_packets_test.cpp - packets between cores, on a chip and from chip to chip. */
#include "tests/unit/machine_fixture.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>

namespace
{

constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t ROUTER = 0xf1000000;
constexpr uint32_t ROUTE_RAM = ROUTER + 0x4000;
constexpr uint32_t KEY_CAM = ROUTER + 0x8000;
constexpr uint32_t MASK_CAM = ROUTER + 0xc000;
constexpr uint32_t MULTICAST_WAITING = 1u << 24;
constexpr uint64_t PACKET_PS = 136970;
constexpr uint64_t PIPELINE_PS = 37500; /* five clocks of 133.3 MHz */

uint32_t to_core(unsigned core)
{
    return 1u << (6 + core);
}

/* Entry i of the table, written by the program. */
void entry(Program &program, unsigned i, uint32_t key, uint32_t mask, uint32_t route)
{
    program.store(ROUTE_RAM + 4 * i, route);
    program.store(MASK_CAM + 4 * i, mask);
    program.store(KEY_CAM + 4 * i, key);
}

/* Sends a packet; with_payload: the key's complement. */
void send(Program &program, uint32_t key, bool with_payload = false)
{
    if (with_payload) {
        program.store(COMMS + 4, ~key);
    }
    program.store(COMMS + 8, key);
}

/* Sleeps until a multicast packet is there, `packets` times, and writes key and payload to DTCM. */
Program receiver(unsigned packets)
{
    Program program;
    program.store(VIC + 0x10, MULTICAST_WAITING);
    program.set(4, DTCM);
    program.set(5, COMMS);
    program.set(0, 0);
    for (unsigned i = 0; i < packets; i++) {
        program.emit({mcr(15, 0, 0, 7, 0, 4), ldr_imm(7, 5, 0x10), ldr_imm(6, 5, 0x14),
                      str_imm(6, 4, 8 * i), str_imm(7, 4, 8 * i + 4)});
    }
    program.store(VIC + 0x14, MULTICAST_WAITING);
    program.sleep();
    return program;
}

struct destroyer {
    void operator()(machine *machine) const
    {
        machine_destroy(machine);
    }
};

/* A row of chips. */
class Row
{
  public:
    explicit Row(uint32_t chips)
    {
        machine_config config = bench_config();
        config.topology.shape = TOPOLOGY_RECTANGLE;
        config.topology.width = chips;
        config.topology.height = 1;
        machine *made = nullptr;
        EXPECT_EQ(machine_create(&config, &made, nullptr), STATUS_OK);
        machine_.reset(made);
    }
    machine *get()
    {
        return machine_.get();
    }
    void start(uint8_t x, uint8_t core, const Program &program)
    {
        ASSERT_EQ(machine_write(get(), {x, 0, core}, program.base(), program.words().data(),
                                static_cast<uint32_t>(4 * program.words().size())),
                  STATUS_OK);
        ASSERT_EQ(machine_start_core(get(), {x, 0, core}, program.base(), 0), STATUS_OK);
    }
    uint32_t word(uint8_t x, uint8_t core, uint32_t address)
    {
        uint32_t value = 0;
        EXPECT_EQ(machine_read(get(), {x, 0, core}, address, &value, 4), STATUS_OK);
        return value;
    }
    /* Everything that was counted, and all that was written. */
    std::string everything()
    {
        std::string text;
        machine_each_counter(
            get(),
            [](void *context, const machine_counter *counter) {
                *static_cast<std::string *>(context) +=
                    std::to_string(counter->x) + counter->component +
                    std::to_string(counter->instance) + counter->info->name + "=" +
                    std::to_string(counter->value) + "\n";
            },
            &text);
        machine_each_written(
            get(),
            [](void *context, uint8_t x, uint8_t, uint32_t address, int instance,
               const uint8_t *bytes, uint32_t count) {
                *static_cast<std::string *>(context) +=
                    std::to_string(x) + "." + std::to_string(instance) + "." +
                    std::to_string(address) +
                    std::string(reinterpret_cast<const char *>(bytes), count);
            },
            &text);
        return text;
    }
    uint64_t count(uint8_t x, const char *component, int instance, const char *name)
    {
        struct wanted {
            uint8_t x;
            const char *component, *name;
            int instance;
            uint64_t value;
        } of = {x, component, name, instance, UINT64_MAX};
        machine_each_counter(
            get(),
            [](void *context, const machine_counter *counter) {
                auto *of = static_cast<wanted *>(context);
                if (counter->x == of->x && counter->instance == of->instance &&
                    strcmp(counter->component, of->component) == 0 &&
                    strcmp(counter->info->name, of->name) == 0) {
                    of->value = counter->value;
                }
            },
            &of);
        EXPECT_NE(of.value, UINT64_MAX) << component << "." << name;
        return of.value;
    }

  private:
    std::unique_ptr<machine, destroyer> machine_;
};

/* Core 1 of chip 0 sends to the last chip of a row through default routes between. */
Program sender(unsigned chips, unsigned packets)
{
    Program program;
    entry(program, 0, 0x100, 0xffffff00, chips == 1 ? to_core(2) : 1u);
    program.delay(2000);
    for (unsigned i = 0; i < packets; i++) {
        send(program, 0x100 + i, i % 2 == 1);
        program.delay(400);
    }
    program.sleep();
    return program;
}

Program gateway(uint32_t route = to_core(2))
{
    Program program;
    entry(program, 0, 0x100, 0xffffff00, route);
    program.sleep();
    return program;
}

void set_up(Row &row, unsigned chips, unsigned packets)
{
    const auto last = static_cast<uint8_t>(chips - 1);
    row.start(0, 1, sender(chips, packets));
    row.start(last, 2, receiver(packets));
    if (chips > 1) {
        row.start(last, 1, gateway());
    }
}

} // namespace

TEST(MachinePackets, GoFromCoreToCoreOfAChip)
{
    Row row(1);
    set_up(row, 1, 4);
    EXPECT_EQ(machine_run_until(row.get(), 100 * US), MACHINE_QUIESCENT);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_EQ(row.word(0, 2, DTCM + 8 * i), 0x100 + i);
    }
    EXPECT_EQ(row.word(0, 2, DTCM + 8 * 3 + 4), ~0x103u);
    EXPECT_EQ(row.count(0, "comms", 1, "sent_multicast"), 4u);
    EXPECT_EQ(row.count(0, "comms", 2, "received_multicast"), 4u);
    EXPECT_EQ(row.count(0, "router", -1, "packets_mc"), 4u);
    EXPECT_EQ(row.count(0, "router", -1, "bits"), 2u * 40 + 2 * 72);
    EXPECT_EQ(machine_late_interrupts(row.get()), 0u);
    EXPECT_EQ(machine_unmodelled_count(row.get()), 0u);
}

TEST(MachinePackets, CrossChipsByDefaultRoutes)
{
    for (unsigned chips = 2; chips <= 5; chips++) {
        Row row(chips);
        set_up(row, chips, 3);
        const auto last = static_cast<uint8_t>(chips - 1);
        EXPECT_EQ(machine_run_until(row.get(), 200 * US), MACHINE_QUIESCENT);
        for (uint32_t i = 0; i < 3; i++) {
            EXPECT_EQ(row.word(last, 2, DTCM + 8 * i), 0x100 + i) << chips;
        }
        for (uint8_t x = 0; x < last; x++) {
            EXPECT_EQ(row.count(x, "link", 0, "packets"), 3u);
            EXPECT_EQ(row.count(x, "router", -1, "default_routed"), x == 0 ? 0u : 3u);
        }
        EXPECT_EQ(machine_late_interrupts(row.get()), 0u);
    }
}

/* The time from which on the first packet's key stands in the receiver's memory. */
uint64_t arrival_ps(unsigned chips)
{
    const auto last = static_cast<uint8_t>(chips - 1);
    uint64_t before_ps = 0;
    uint64_t after_ps = 200 * US;
    while (after_ps - before_ps > CYCLE_PS) {
        const uint64_t middle_ps = (before_ps + after_ps) / 2 / CYCLE_PS * CYCLE_PS;
        Row row(chips);
        set_up(row, chips, 1);
        (void)machine_run_until(row.get(), middle_ps);
        const bool there = row.word(last, 2, DTCM) == 0x100;
        (there ? after_ps : before_ps) = middle_ps;
    }
    return after_ps;
}

TEST(MachinePackets, EachHopTakesThePipelineAndThePacketsTime)
{
    const uint64_t two_ps = arrival_ps(2);
    const uint64_t three_ps = arrival_ps(3);
    const uint64_t four_ps = arrival_ps(4);
    /* 137 ns on the link, 37.5 ns in the router, up to the next clocks of router and core. */
    for (const uint64_t hop_ps : {three_ps - two_ps, four_ps - three_ps}) {
        EXPECT_GE(hop_ps, (PACKET_PS + PIPELINE_PS) / CYCLE_PS * CYCLE_PS);
        EXPECT_LE(hop_ps, PACKET_PS + PIPELINE_PS + 7500 + CYCLE_PS);
    }
}

TEST(MachinePackets, ThatNobodyTakesAreDumpedAfterWaitOne)
{
    Row row(1);
    Program program;
    entry(program, 0, 0x100, 0xffffff00, 1u); /* east, where nothing is */
    send(program, 0x101);
    program.delay(500);
    send(program, 0x102); /* the first fills the transmitter for ever, this one is dumped */
    program.delay(1000);
    program.set(1, ROUTER);
    program.set(4, DTCM);
    program.emit({ldr_imm(2, 1, 0x1c), ldr_imm(3, 1, 0x24), ldr_imm(5, 1, 0x28), str_imm(2, 4, 0),
                  str_imm(3, 4, 4), str_imm(5, 4, 8)});
    program.sleep();
    row.start(0, 1, program);
    EXPECT_EQ(machine_run_until(row.get(), 100 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(row.word(0, 1, DTCM), 0x102u); /* the key */
    EXPECT_EQ(row.word(0, 1, DTCM + 4), 1u); /* the output that was blocked */
    EXPECT_EQ(row.word(0, 1, DTCM + 8), 0x80000001u);
    EXPECT_EQ(row.count(0, "router", -1, "dumped_mc"), 1u);
    EXPECT_EQ(row.count(0, "link", 0, "packets"), 0u);
}

/* Core 3 of the last chip counts in its memory and is interrupted by each packet: its handler keeps
 * the count and the key. */
void make_interrupted(Row &row)
{
    constexpr uint32_t RETURN = 0xe25ef004; /* subs pc, lr, #4 */
    row.start(0, 1, sender(3, 6));
    row.start(2, 2, receiver(6));
    row.start(2, 1, gateway(to_core(2) | to_core(3)));
    Program handler(0x18);
    handler.emit(
        {str_imm(2, 8, 0), ldr_imm(3, 5, 0x14), str_imm(3, 8, 4), add_imm(8, 8, 8), RETURN});
    ASSERT_EQ(machine_write(row.get(), {2, 0, 3}, handler.base(), handler.words().data(),
                            static_cast<uint32_t>(4 * handler.words().size())),
              STATUS_OK);
    Program program;
    program.store(VIC + 0x10, MULTICAST_WAITING);
    program.set(2, 0).set(5, COMMS).set(8, DTCM);
    program.unmask();
    const uint32_t loop = program.here();
    program.emit({add_imm(2, 2, 1)});
    program.branch(loop);
    row.start(2, 3, program);
}

TEST(MachinePackets, InterruptALoopAtTheSamePlaceHoweverTheRunIsCut)
{
    constexpr uint64_t END_PS = 100 * US;
    Row whole(3);
    make_interrupted(whole);
    (void)machine_run_until(whole.get(), END_PS);
    uint32_t before = 0;
    for (uint32_t i = 0; i < 6;
         i++) { /* four cycles a round, 1,600 between packets, and what sending takes */
        const uint32_t rounds = whole.word(2, 3, DTCM + 8 * i);
        EXPECT_GT(rounds, before + 350u);
        before = rounds;
        EXPECT_EQ(whole.word(2, 3, DTCM + 8 * i + 4), 0x100 + i);
    }
    for (uint64_t seed = 1; seed <= 8; seed++) {
        Row cut(3);
        make_interrupted(cut);
        uint64_t random = 88172645463325252ull * seed;
        for (uint64_t time_ps = 0; time_ps < END_PS;) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            time_ps += random % 300000;
            (void)machine_run_until(cut.get(), time_ps < END_PS ? time_ps : END_PS);
        }
        EXPECT_TRUE(whole.everything() == cut.everything()) << seed;
        EXPECT_EQ(machine_late_interrupts(cut.get()), 0u);
    }
}

/* Core 1 leaves a packet and those behind it untouched, five fill the router; one more stays with
 * its sender, which runs on in its own memory with the transmitter's interrupt let in. */
TEST(MachinePackets, OnesThatWaitForAFullRouterEnterItWhenThereIsRoomAndNotEarlier)
{
    constexpr uint32_t TRANSMITTER_FREE = 1u << 23;
    constexpr unsigned STAGES = 5;
    const auto last_core = static_cast<uint8_t>(2 + packets_held_up() + STAGES);
    Row row(1);
    Program taker;
    entry(taker, 0, 0x100, 0xffffff00, to_core(1));
    taker.store(ROUTER, 0x00ff0001); /* nothing is ever dumped */
    taker.delay(2000);
    taker.set(5, COMMS).set(4, DTCM);
    taker.emit({ldr_imm(6, 5, 0x14)});
    taker.delay(2000).sleep();
    row.start(0, 1, taker);
    for (uint8_t core = 2; core < last_core; core++) {
        Program program;
        program.delay(500);
        send(program, 0x100u + core);
        program.sleep();
        row.start(0, core, program);
    }
    Program last;
    last.delay(1000);
    send(last, 0x100u + last_core);
    last.store(VIC + 0x10, TRANSMITTER_FREE);
    last.set(5, COMMS).set(4, DTCM).set(2, 0);
    const uint32_t loop = last.here();
    last.emit({add_imm(2, 2, 1)});
    last.branch(loop);
    row.start(0, last_core, last);
    EXPECT_EQ(machine_run_until(row.get(), 30 * US), MACHINE_REACHED);
    EXPECT_EQ(row.count(0, "router", -1, "packets_mc"), packets_held_up());
    EXPECT_EQ(machine_run_until(row.get(), 60 * US), MACHINE_REACHED);
    EXPECT_EQ(row.count(0, "router", -1, "packets_mc"), packets_held_up() + 1);
    EXPECT_EQ(row.count(0, "comms", last_core, "sent_multicast"), 1u);
    EXPECT_EQ(machine_late_interrupts(row.get()), 0u);
}

TEST(MachinePackets, GoOnFromASavedState)
{
    Row whole(3);
    set_up(whole, 3, 5);
    EXPECT_EQ(machine_run_until(whole.get(), 200 * US), MACHINE_QUIESCENT);
    for (uint64_t at_ps = 40 * US; at_ps < 42 * US; at_ps += 111111) {
        Row first(3);
        set_up(first, 3, 5);
        (void)machine_run_until(first.get(), at_ps);
        size_t size = 0;
        uint8_t *bytes = machine_save(first.get(), &size);
        Row second(3);
        ASSERT_EQ(machine_load(second.get(), bytes, size), STATUS_OK);
        free(bytes);
        EXPECT_EQ(machine_run_until(second.get(), 200 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(second.everything(), whole.everything()) << at_ps;
    }
}
