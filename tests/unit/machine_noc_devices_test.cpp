/* Devices on a chip's system NoC: loads, stores, swaps, bursts and DMA at addresses that no block
 * has, with the device's own latency; and what is refused. */
#include "models/machine/devices.h"
#include "models/machine/history.h"
#include "tests/unit/machine_fixture.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>

namespace
{

constexpr uint32_t AT = 0x90000000; /* unbuffered */
constexpr uint32_t BUFFERED = 0x80000000;
constexpr uint32_t BYTES = 8192;
constexpr uint64_t LATENCY_PS = 100 * CYCLE_PS;
constexpr uint64_t REQUEST_PS = 16500; /* of the NoC, each way */

/* A memory of its own, that notes accesses. */
class Device
{
  public:
    struct seen {
        uint64_t arrival_ps;
        uint32_t offset, bytes;
        bool write;
    };
    std::vector<seen> accesses;
    std::vector<uint8_t> memory = std::vector<uint8_t>(BYTES);
    std::function<uint64_t(uint64_t)> done_ps = [](uint64_t arrival_ps) {
        return arrival_ps + LATENCY_PS;
    };
    diagnostic why = {};

    machine_noc_device description(uint32_t first = AT, uint32_t bytes = BYTES)
    {
        return {this, first, bytes,
                [](void *context, uint64_t arrival_ps, uint32_t offset, uint8_t *data,
                   uint32_t bytes, bool write) {
                    auto *device = static_cast<Device *>(context);
                    device->accesses.push_back({arrival_ps, offset, bytes, write});
                    uint8_t *there = &device->memory[offset];
                    std::memcpy(write ? there : data, write ? data : there, bytes);
                    return device->done_ps(arrival_ps);
                }};
    }

    status attach(machine *machine, uint32_t first = AT, uint32_t bytes = BYTES)
    {
        const machine_noc_device device = description(first, bytes);
        return machine_attach_noc(machine, {0, 0}, &device, &why);
    }

    uint32_t word(uint32_t offset) const
    {
        uint32_t word = 0;
        std::memcpy(&word, &memory[offset], sizeof word);
        return word;
    }
};

class MachineNocDevices : public testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_EQ(device.attach(bench.get()), STATUS_OK) << device.why.text;
    }

    MachineBench bench;
    Device device;
};

} // namespace

TEST_F(MachineNocDevices, ALoadTakesTheDevicesTime)
{
    device.memory[64] = 0x12;
    device.memory[67] = 0x34;
    Program program;
    program.set(r0, AT);
    const uint32_t at = program.here();
    program.emit({ldr_imm(r1, r0, 64)}).nops(2).sleep();
    bench.run(0, program);
    bench.mark(0, at);
    bench.mark(0, at + 4);
    EXPECT_EQ(bench.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.reg(0, 1), 0x34000012u);
    EXPECT_EQ(bench.between(at, at + 4), 100u + 7) << "and 33 ns of NoC";
    ASSERT_EQ(device.accesses.size(), 1u);
    EXPECT_EQ(device.accesses[0].arrival_ps, bench.cycle_of(at) * CYCLE_PS + REQUEST_PS);
    EXPECT_EQ(device.accesses[0].offset, 64u);
    EXPECT_EQ(device.accesses[0].bytes, 4u);
    EXPECT_FALSE(device.accesses[0].write);
}

TEST_F(MachineNocDevices, PartsOfWordsBurstsAndSwapsAreAccesses)
{
    Program program;
    program.set(r0, AT).set(r1, 0x11223344).set(r2, 0x55667788).set(r3, 0x99).set(r5, AT + 16);
    program.emit({stm(r0, {r1, r2}), strb_imm(r3, r0, 2), strh_imm(r3, r0, 6)});
    program.emit({ldm(r0, {r6, r7}), swp(r8, r1, r0)});
    program.sleep();
    bench.run(0, program);
    EXPECT_EQ(bench.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.reg(0, 6), 0x11993344u);
    EXPECT_EQ(bench.reg(0, 7), 0x00997788u);
    EXPECT_EQ(bench.reg(0, 8), 0x11993344u);
    EXPECT_EQ(device.word(0), 0x11223344u);
    const uint32_t bytes[] = {8, 1, 2, 8, 4, 4};
    ASSERT_EQ(device.accesses.size(), std::size(bytes));
    for (size_t i = 0; i < std::size(bytes); i++) {
        EXPECT_EQ(device.accesses[i].bytes, bytes[i]) << i;
    }
    EXPECT_EQ(bench.faults.size(), 0u);
}

TEST_F(MachineNocDevices, StoresAreBufferedWhereBit28IsClear)
{
    Device second;
    ASSERT_EQ(second.attach(bench.get(), BUFFERED), STATUS_OK);
    Program program;
    program.write_buffer_on().set(r0, BUFFERED).set(r1, 7);
    const uint32_t at = program.here();
    program.emit({str_imm(r1, r0, 4)}).nops(2);
    const uint32_t then = program.here();
    program.nops(1).sleep();
    bench.run(0, program);
    bench.mark(0, at);
    bench.mark(0, then);
    EXPECT_EQ(bench.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_LT(bench.between(at, then), 10u) << "the core does not wait";
    EXPECT_EQ(second.word(4), 7u);
    EXPECT_EQ(device.accesses.size(), 0u);
}

TEST_F(MachineNocDevices, ADmaBurstIsOneAccess)
{
    for (unsigned i = 0; i < 16; i++) {
        device.memory[256 + i] = static_cast<uint8_t>(i + 1);
    }
    Program program;
    program.set(r0, DMA).set(r1, AT + 256).set(r2, DTCM + 64).set(r3, 0x02000010 | 4 << 21);
    program.emit({str_imm(r1, r0, 4), str_imm(r2, r0, 8), str_imm(r3, r0, 0xc)});
    program.delay(400).sleep();
    bench.run(0, program);
    EXPECT_EQ(bench.until(50 * US), MACHINE_QUIESCENT);
    ASSERT_EQ(device.accesses.size(), 1u);
    EXPECT_EQ(device.accesses[0].bytes, 16u);
    EXPECT_EQ(bench.word(0, DTCM + 64), 0x04030201u);
    EXPECT_EQ(bench.word(0, DTCM + 76), 0x100f0e0du);
}

TEST_F(MachineNocDevices, WhereNoDeviceIsAnAccessIsABusErrorAsEver)
{
    const uint32_t places[] = {AT - 4, AT + BYTES, 0x50000000};
    for (const uint32_t place : places) {
        MachineBench one;
        Device there;
        ASSERT_EQ(there.attach(one.get()), STATUS_OK);
        MachineBench none;
        for (MachineBench *bench : {&one, &none}) {
            Program program;
            program.set(r0, place).emit({ldr_imm(r1, r0)}).sleep();
            Program vector(0x10);
            vector.sleep();
            bench->load(0, vector);
            bench->run(0, program);
            EXPECT_EQ(bench->until(50 * US), MACHINE_QUIESCENT);
            ASSERT_EQ(bench->faults.size(), 1u);
        }
        EXPECT_EQ(one.counters(), none.counters());
        EXPECT_EQ(there.accesses.size(), 0u);
    }
}

TEST_F(MachineNocDevices, ADeviceMayRefuse)
{
    device.done_ps = [](uint64_t) { return MACHINE_NOC_ERROR; };
    bench.stop_at_fault = true;
    Program program;
    program.set(r0, AT).emit({ldr_imm(r1, r0)}).sleep();
    bench.run(0, program);
    EXPECT_EQ(bench.until(50 * US), MACHINE_STOPPED);
    ASSERT_EQ(bench.faults.size(), 1u);
    EXPECT_EQ(bench.counter("chip", -1, "bus_errors"), 1u);
    EXPECT_EQ(machine_device_error(bench.get()), nullptr);
}

TEST_F(MachineNocDevices, CodeCannotBeFetched)
{
    bench.stop_at_fault = true;
    Program program;
    program.set(r0, AT).emit({bx(r0)});
    bench.run(0, program);
    EXPECT_EQ(bench.until(50 * US), MACHINE_STOPPED);
    EXPECT_EQ(device.accesses.size(), 0u);
}

TEST_F(MachineNocDevices, AnAnswerBeforeTheQuestionEndsTheRun)
{
    device.done_ps = [](uint64_t arrival_ps) { return arrival_ps - 1; };
    Program program;
    program.set(r0, AT).emit({ldr_imm(r1, r0)}).sleep();
    bench.run(0, program);
    EXPECT_EQ(bench.until(50 * US), MACHINE_STOPPED);
    const diagnostic *error = machine_device_error(bench.get());
    ASSERT_NE(error, nullptr);
    EXPECT_NE(std::strstr(error->text, "0x90000000 of chip 0,0 has answered at"), nullptr)
        << error->text;
}

TEST_F(MachineNocDevices, TheHostReadsAndWritesWordsWithoutTime)
{
    EXPECT_EQ(machine_write_word(bench.get(), {0, 0}, AT + 8, 0x01020304), STATUS_OK);
    EXPECT_EQ(device.word(8), 0x01020304u);
    uint32_t word = 0;
    EXPECT_EQ(machine_read_word(bench.get(), {0, 0}, AT + 8, &word), STATUS_OK);
    EXPECT_EQ(word, 0x01020304u);
    EXPECT_EQ(machine_read_word(bench.get(), {0, 0}, AT + BYTES, &word), STATUS_CONFIGURATION);
    EXPECT_EQ(bench.time_ps(), 0u);
}

TEST_F(MachineNocDevices, WrongAddressesAreRefused)
{
    const struct {
        uint32_t first, bytes;
        const char *text;
    } cases[] = {
        {0x60000000, BYTES, "at 0x60000000"}, {0xdffff000, BYTES, "at 0xdffff000"},
        {AT + 4, BYTES, "at 0x90000004"},     {AT, 4095, "4095 bytes"},
        {0xa0000000, 0, "0 bytes"},           {AT + 4096, BYTES, "another device of chip 0,0"},
        {AT - 4096, BYTES, "another device"},
    };
    for (const auto &wrong : cases) {
        Device other;
        EXPECT_EQ(other.attach(bench.get(), wrong.first, wrong.bytes), STATUS_CONFIGURATION);
        EXPECT_NE(std::strstr(other.why.text, wrong.text), nullptr) << other.why.text;
    }
    Device last;
    EXPECT_EQ(last.attach(bench.get(), 0xdfffe000), STATUS_OK) << last.why.text;
}

TEST_F(MachineNocDevices, AMachineWithDevicesHasNoHistory)
{
    machine_history *history = nullptr;
    const machine_history_options options = {};
    EXPECT_EQ(machine_history_create(bench.get(), &options, &history), STATUS_CONFIGURATION);
    EXPECT_EQ(history, nullptr);
}
