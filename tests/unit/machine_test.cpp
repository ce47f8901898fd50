/* A machine as its users see it: making one, its memory as the host sees it, its end, its names. */
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace
{

/* ---- making one ---- */

void expect_refused(const machine_config &config, const char *key)
{
    machine *made = nullptr;
    diagnostic why = {};
    EXPECT_EQ(machine_create(&config, &made, &why), STATUS_CONFIGURATION);
    EXPECT_EQ(made, nullptr);
    EXPECT_STREQ(why.key, key);
    EXPECT_GT(std::strlen(why.text), 0u);
}

TEST(Machine, HasOneChipUnlessToldOtherwise)
{
    MachineBench bench;
    ASSERT_EQ(machine_chip_count(bench.get()), 1u);
    EXPECT_EQ(machine_chip_at(bench.get(), 0).x, 0u);
    EXPECT_EQ(machine_chip_at(bench.get(), 0).y, 0u);
    machine_config config = bench_config();
    config.parameters.board_height = 257;
    expect_refused(config, "board.height");
}

TEST(Machine, HasTheCoresItIsToldToHave)
{
    machine_config config = bench_config();
    config.parameters.chip_cores = 5;
    MachineBench bench(config);
    EXPECT_TRUE(machine_has_core(bench.get(), {0, 0, 4}));
    EXPECT_FALSE(machine_has_core(bench.get(), {0, 0, 5}));
    EXPECT_FALSE(machine_has_core(bench.get(), {1, 0, 0}));
    EXPECT_EQ(machine_start_core(bench.get(), {0, 0, 5}, 0, 0), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_add_mark(bench.get(), {0, 1, 0}, 0), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_core_counters(bench.get(), {0, 0, 5}), nullptr);
    EXPECT_FALSE(machine_core_started(bench.get(), {0, 0, 5}));
}

TEST(Machine, NeedsACoreBesideTheMonitor)
{
    machine_config config = bench_config();
    config.parameters.chip_cores = 2;
    config.parameters.chip_monitor_cores = 2;
    expect_refused(config, "chip.monitor_cores");
    config.parameters.chip_monitor_cores = 1;
    MachineBench bench(config);
}

TEST(Machine, NeedsWholePagesOfMemory)
{
    const struct {
        uint64_t machine_parameters::*size;
        const char *key;
    } memories[] = {{&machine_parameters::chip_itcm_bytes, "chip.itcm"},
                    {&machine_parameters::chip_dtcm_bytes, "chip.dtcm"},
                    {&machine_parameters::chip_system_ram_bytes, "chip.system_ram"},
                    {&machine_parameters::sdram_bytes, "sdram.size"}};
    for (const auto &memory : memories) {
        machine_config config = bench_config();
        config.parameters.*memory.size += 1024;
        expect_refused(config, memory.key);
    }
}

TEST(Machine, IsDestroyedEvenIfItNeverWas)
{
    machine_destroy(nullptr);
}

/* ---- memory as the host sees it ---- */

TEST(Machine, TheHostReadsWhatItWrote)
{
    MachineBench bench;
    for (const uint32_t address : {0u, 0x7ffcu, DTCM, DTCM + 0xfffc, SDRAM, SDRAM + 0x7fffffc,
                                   SDRAM_UNBUFFERED + 0x100, SYSTEM_RAM, SYSTEM_RAM + 0x7ffc}) {
        bench.set_word(3, address, address ^ 0x5a5a5a5a);
        EXPECT_EQ(bench.word(3, address), address ^ 0x5a5a5a5a) << std::hex << address;
    }
    EXPECT_EQ(bench.word(4, DTCM), 0u) << "another core's";
    EXPECT_EQ(bench.word(4, SDRAM), SDRAM ^ 0x5a5a5a5a) << "everybody's";
    EXPECT_EQ(bench.word(3, SDRAM + 0x100), (SDRAM_UNBUFFERED + 0x100) ^ 0x5a5a5a5a);
}

TEST(Machine, TheHostIsRefusedWhatIsNotMemory)
{
    MachineBench bench;
    uint8_t bytes[8] = {};
    for (const uint32_t address :
         {0x7ffdu, 0x8000u, DTCM - 1, DTCM + 0xfffdu, TIMER, DMA, 0x50000000u, SDRAM + 0x7fffffdu,
          SDRAM + 0x8000000u, SYSTEM_RAM + 0x7ffdu, SYSTEM_CONTROLLER, 0xf6000000u, 0xfffffffcu}) {
        EXPECT_EQ(machine_read(bench.get(), {0, 0, 0}, address, bytes, 4), STATUS_CONFIGURATION)
            << std::hex << address;
        EXPECT_EQ(machine_write(bench.get(), {0, 0, 0}, address, bytes, 4), STATUS_CONFIGURATION)
            << std::hex << address;
    }
    EXPECT_EQ(machine_read(bench.get(), {0, 0, 18}, DTCM, bytes, 4), STATUS_CONFIGURATION);
}

TEST(Machine, TheHostsAccessesCostNothing)
{
    MachineBench bench;
    bench.set_word(0, SDRAM, 1);
    bench.set_word(0, SYSTEM_RAM, 2);
    (void)bench.word(0, SYSTEM_RAM);
    for (const auto &[key, value] : bench.counters()) {
        EXPECT_EQ(value, 0u) << std::get<2>(key);
    }
    EXPECT_EQ(bench.time_ps(), 0u);
    EXPECT_TRUE(bench.memory().empty()) << "nor do they count as the guest's";
}

TEST(Machine, CodeThatTheHostReplacesIsRunAnew)
{
    MachineBench bench;
    for (const uint32_t value : {1u, 2u}) {
        bench.run(0, Program().set(r0, value).sleep());
        bench.until(bench.time_ps() + US);
        EXPECT_EQ(bench.reg(0, 0), value);
    }
}

TEST(Machine, CodeThatTheHostReplacesUnderARunningCoreIsRunAnew)
{
    MachineBench bench;
    Program program;
    const uint32_t loop = program.here();
    bench.run(0, program.set(r0, 1).branch(loop));
    bench.until(US);
    EXPECT_EQ(bench.reg(0, 0), 1u);
    bench.set_word(0, loop, mov_imm(r0, 2));
    bench.until(2 * US);
    EXPECT_EQ(bench.reg(0, 0), 2u);
}

/* ---- starting and ending ---- */

TEST(Machine, AnIdleMachineEndsAtOnce)
{
    MachineBench bench;
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.time_ps(), 0u);
}

TEST(Machine, EndsWhenItsLastCoreFallsAsleep)
{
    MachineBench bench;
    bench.run(0, Program().nops(100).sleep());
    bench.run(7, Program().nops(200).sleep());
    EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.time_ps(), 202 * CYCLE_PS) << "200, and 2 to go to sleep";
    EXPECT_EQ(bench.counter("core", 7, "sleep_cycles"), 0u);
    EXPECT_EQ(bench.counter("core", 0, "sleep_cycles"), 100u);
}

TEST(Machine, RunsNoFurtherThanItIsAsked)
{
    MachineBench bench;
    Program program;
    program.branch(program.here());
    bench.run(0, program);
    EXPECT_EQ(bench.until(30 * US), MACHINE_REACHED);
    EXPECT_EQ(bench.time_ps(), 30 * US);
    EXPECT_EQ(bench.counter("core", 0, "active_cycles"), 6000u) << "the branch takes 3 cycles";
    EXPECT_EQ(bench.until(10 * US), MACHINE_REACHED);
    EXPECT_EQ(bench.time_ps(), 30 * US) << "time does not go back";
    EXPECT_EQ(bench.until(30 * US + CYCLE_PS), MACHINE_REACHED);
    EXPECT_EQ(bench.counter("core", 0, "active_cycles"), 6003u);
}

TEST(Machine, ACoreStartsWithItsArgumentAndTheTimersOfThatMoment)
{
    MachineBench bench;
    bench.run(0, Program().nops(1000).sleep());
    bench.until(100 * US);
    bench.load(1, Program().set(r2, TIMER).emit({ldr_imm(r1, r2, 4)}).sleep());
    EXPECT_FALSE(machine_core_started(bench.get(), {0, 0, 1}));
    bench.start(1, CODE, 1234);
    EXPECT_TRUE(machine_core_started(bench.get(), {0, 0, 1}));
    bench.until(200 * US);
    EXPECT_EQ(bench.reg(1, 0), 1234u);
    EXPECT_EQ(bench.reg(1, 1), 0xffffffffu);
    EXPECT_EQ(bench.counter("core", 1, "sleep_cycles"), 0u) << "before it began it was off";
}

TEST(Machine, AnEntryWithBitZeroStartsInThumbState)
{
    MachineBench bench;
    const uint16_t thumb[] = {0x2037, 0xe7fe}; /* MOV r0, #0x37; B . */
    ASSERT_EQ(machine_write(bench.get(), {0, 0, 0}, CODE, thumb, 4), STATUS_OK);
    bench.start(0, CODE + 1);
    bench.until(US);
    EXPECT_EQ(bench.reg(0, 0), 0x37u);
}

TEST(Machine, EachCoreReadsItsOwnNumber)
{
    MachineBench bench;
    for (unsigned core = 0; core < 18; core++) {
        bench.run(core, Program().set(r0, DMA).emit({ldr_imm(r1, r0, 0x14)}).sleep());
    }
    bench.until(10 * US);
    for (unsigned core = 0; core < 18; core++) {
        EXPECT_EQ(bench.reg(core, 1), core << 24);
    }
}

TEST(Machine, ATcmOfAnotherSizeIsVisibleToThePrograms)
{
    machine_config config = bench_config();
    config.parameters.chip_dtcm_bytes = 8192;
    MachineBench bench(config);
    bench.stop_at_fault = true;
    Program program;
    program.set(r0, DTCM + 8188).emit({str_imm(r0, r0), ldr_imm(r1, r0), ldr_imm(r2, r0, 4)});
    bench.run(0, program.sleep());
    EXPECT_EQ(bench.until(10 * US), MACHINE_STOPPED);
    EXPECT_EQ(bench.reg(0, 1), DTCM + 8188);
    EXPECT_EQ(bench.faults.at(0).fault.address, DTCM + 8192);
}

TEST(Machine, AnotherClockChangesTheTimeAndNotTheCyclesInside)
{
    for (const uint64_t hz : {UINT64_C(200000000), UINT64_C(100000000)}) {
        machine_config config = bench_config();
        config.parameters.clock_cpu_hz = hz;
        MachineBench bench(config);
        bench.run(0, Program().nops(98).sleep());
        bench.until(10 * US);
        EXPECT_EQ(bench.time_ps(), 100 * (1000000 * US / hz));
    }
}

/* ---- counters and written memory ---- */

void add_name(void *context, const char *component, const counter_info *info)
{
    static_cast<std::vector<std::string> *>(context)->push_back(std::string(component) + "." +
                                                                info->name);
}

/* Of the bench, with a host: such a machine has every kind of counter. */
machine_config config_with_host()
{
    machine_config config = bench_config();
    config.ethernet = true;
    return config;
}

TEST(MachineCounters, HaveTheSameNamesWithoutAMachine)
{
    std::vector<std::string> names;
    machine_each_counter_name(add_name, &names);
    const std::set<std::string> unique(names.begin(), names.end());
    EXPECT_EQ(unique.size(), names.size());
    MachineBench bench(config_with_host());
    std::set<std::string> of_machine;
    for (const auto &[key, value] : bench.counters()) {
        of_machine.insert(std::get<0>(key) + "." + std::get<2>(key));
    }
    EXPECT_EQ(of_machine, unique);
    EXPECT_EQ(unique.count("core.active_cycles"), 1u);
    EXPECT_EQ(unique.count("dma.core_wait_ps"), 1u);
    EXPECT_EQ(unique.count("write_buffer.stall_ps"), 1u);
    EXPECT_EQ(unique.count("sdram.bytes_read"), 1u);
    EXPECT_EQ(unique.count("ahb.wait_ps"), 1u);
    EXPECT_EQ(unique.count("chip.core_signals"), 1u);
}

TEST(MachineCounters, AreThereForEveryCoreAndOnceForTheChip)
{
    MachineBench bench(config_with_host());
    std::vector<std::string> names;
    machine_each_counter_name(add_name, &names);
    size_t expected = 0;
    for (const std::string &name : names) {
        const bool of_core = name.rfind("core.", 0) == 0 || name.rfind("dma.", 0) == 0 ||
                             name.rfind("write_buffer.", 0) == 0 || name.rfind("comms.", 0) == 0;
        const bool of_link = name.rfind("link.", 0) == 0;
        expected += of_core ? 18 : of_link ? 6 : 1;
    }
    EXPECT_EQ(bench.counters().size(), expected);
}

TEST(MachineCounters, TheSharesOfTheCoresAddUpToTheChip)
{
    MachineBench bench;
    for (const unsigned core : {2u, 11u}) {
        Program program;
        program.set(r0, SDRAM).emit({str_imm(r0, r0), ldr_imm(r1, r0), ldrb_imm(r1, r0)});
        program.store(DMA + 4, SDRAM);
        program.store(DMA + 8, DTCM);
        program.store(DMA + 12, 1u << 24 | 4u << 21 | 8 * core);
        bench.run(core, program.sleep());
    }
    EXPECT_EQ(bench.until(50 * US), MACHINE_QUIESCENT);
    const size_t count = machine_share_count();
    ASSERT_LE(count, static_cast<size_t>(MACHINE_SHARES_MAX));
    std::map<std::string, uint64_t> sum;
    for (unsigned core = 0; core < 18; core++) {
        uint64_t values[MACHINE_SHARES_MAX] = {};
        machine_core_shares(bench.get(), {0, 0, static_cast<uint8_t>(core)}, values);
        for (size_t i = 0; i < count; i++) {
            const struct machine_share_name name = machine_share_name(i);
            const std::string text = std::string(name.component) + "." + name.info->name;
            sum[text] += values[i];
            if (std::string(name.component) != "sdram") {
                EXPECT_EQ(values[i],
                          bench.counter(name.component, static_cast<int>(core), name.info->name))
                    << text;
            }
        }
    }
    EXPECT_EQ(sum.at("sdram.bytes_read"), 2 * 5u + 8 * 13);
    EXPECT_EQ(sum.at("sdram.bytes_read"), bench.counter("sdram", -1, "bytes_read"));
    EXPECT_EQ(sum.at("sdram.bytes_written"), bench.counter("sdram", -1, "bytes_written"));
    EXPECT_EQ(sum.at("sdram.bytes_written"), 8u);
}

/* A core runs past the time at which its posted stores are sent, up to what others can do to it or
 * to a stop of the machine. */
TEST(MachineCounters, AtAMarkHaveTheStoresThatWereSentByThenHoweverOftenTheMachineStops)
{
    const auto run = [](uint64_t step_ps) {
        MachineBench bench;
        Program program;
        program.write_buffer_on().set(r0, SDRAM);
        for (unsigned pause = 0; pause < 40; pause += 4) {
            program.emit({str_imm(r0, r0), str_imm(r0, r0), str_imm(r0, r0)}).nops(pause);
            bench.mark(3, program.here());
            program.nops(100);
        }
        bench.run(3, program.sleep());
        for (uint64_t time_ps = step_ps; time_ps < 20 * US; time_ps += step_ps) {
            bench.until(time_ps);
        }
        EXPECT_EQ(bench.until(20 * US), MACHINE_QUIESCENT);
        std::vector<uint64_t> written;
        for (const recorded_mark &mark : bench.marks) {
            written.push_back(mark.bytes_written - 12 * written.size()); /* of these stores */
        }
        return written;
    };
    /* a store is sent when the one before it has been answered, after 17 cycles */
    const std::vector<uint64_t> sent = {4, 4, 4, 4, 8, 8, 8, 8, 12, 12};
    for (const uint64_t step_ps : {20 * US, US, 7 * CYCLE_PS, CYCLE_PS}) {
        EXPECT_EQ(run(step_ps), sent) << step_ps;
    }
}

TEST(Machine, TellsWhatGuestsHaveWritten)
{
    MachineBench bench;
    Program program;
    program.set(r0, SDRAM + 0x3000).emit({str_imm(r0, r0)});
    program.set(r0, SYSTEM_RAM + 0x2000).emit({strb_imm(r0, r0)});
    bench.run(6, program.sleep());
    bench.until(10 * US);
    struct range {
        uint32_t address;
        int instance;
        uint32_t count;
    };
    std::vector<range> ranges;
    machine_each_written(
        bench.get(),
        [](void *context, uint8_t, uint8_t, uint32_t address, int instance, const uint8_t *,
           uint32_t count) {
            static_cast<std::vector<range> *>(context)->push_back({address, instance, count});
        },
        &ranges);
    ASSERT_EQ(ranges.size(), 4u);
    EXPECT_EQ(ranges[0].address, SDRAM + 0x3000);
    EXPECT_EQ(ranges[0].instance, -1);
    EXPECT_EQ(ranges[0].count, 4096u);
    EXPECT_EQ(ranges[1].address, SYSTEM_RAM + 0x2000);
    EXPECT_EQ(ranges[2].address, 0u);
    EXPECT_EQ(ranges[2].instance, 6);
    EXPECT_EQ(ranges[2].count, 32768u);
    EXPECT_EQ(ranges[3].address, DTCM);
    EXPECT_EQ(ranges[3].count, 65536u);
}

/* ---- another memory ---- */

TEST(Machine, AnotherMemoryMayStandBehindTheSdramPort)
{
    struct slow_memory {
        machine_memory_port inner;
        unsigned accesses;
    };
    MachineBench bench;
    slow_memory slow = {machine_builtin_memory(bench.get(), 0, 0), 0};
    machine_memory_port port = slow.inner;
    port.context = &slow;
    port.access = [](void *context, uint64_t arrival_ps, uint32_t offset, uint8_t *data,
                     uint32_t bytes, bool write) {
        auto *memory = static_cast<slow_memory *>(context);
        memory->accesses++;
        return memory->inner.access(memory->inner.context, arrival_ps, offset, data, bytes, write) +
               1000 * CYCLE_PS;
    };
    port.peek = [](void *context, uint32_t offset, uint8_t *data, uint32_t bytes) {
        const auto *memory = static_cast<slow_memory *>(context);
        memory->inner.peek(memory->inner.context, offset, data, bytes);
    };
    port.poke = [](void *context, uint32_t offset, const uint8_t *data, uint32_t bytes) {
        const auto *memory = static_cast<slow_memory *>(context);
        memory->inner.poke(memory->inner.context, offset, data, bytes);
    };
    machine_set_memory_port(bench.get(), 0, 0, port);
    bench.set_word(0, SDRAM, 321);
    bench.run(0, Program().set(r0, SDRAM).emit({ldr_imm(r1, r0)}).sleep());
    bench.until(100 * US);
    EXPECT_EQ(bench.reg(0, 1), 321u);
    EXPECT_EQ(slow.accesses, 1u);
    EXPECT_EQ(bench.counter("core", 0, "bus_wait_cycles"), 1021u);
}

TEST(Machine, ASwapAsksAnotherMemoryTwice)
{
    MachineBench bench;
    machine_memory_port port = machine_builtin_memory(bench.get(), 0, 0);
    port.access = [](void *, uint64_t arrival_ps, uint32_t, uint8_t *data, uint32_t bytes,
                     bool write) {
        std::memset(data, 7, write ? 0 : bytes);
        return arrival_ps + 100 * CYCLE_PS; /* as many at a time as there are */
    };
    machine_set_memory_port(bench.get(), 0, 0, port);
    Program program;
    program.set(r0, SDRAM);
    const uint32_t at = program.here();
    bench.run(0, program.emit({swp(r1, r2, r0)}).nops(2).sleep());
    bench.mark(0, at);
    bench.mark(0, at + 4);
    bench.until(100 * US);
    EXPECT_EQ(bench.reg(0, 1), 0x07070707u);
    EXPECT_EQ(bench.between(at, at + 4), 207u) << "and 33 ns of NoC";
}

} // namespace
