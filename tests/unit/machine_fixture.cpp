#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

/* ---- programs ---- */

Program &Program::emit(std::initializer_list<uint32_t> words)
{
    words_.insert(words_.end(), words);
    return *this;
}

Program &Program::nops(unsigned count)
{
    words_.insert(words_.end(), count, nop());
    return *this;
}

Program &Program::set(unsigned rd, uint32_t value)
{
    emit({mov_imm(rd, value & 0xff)});
    for (uint32_t shift = 8; shift < 32; shift += 8) {
        const uint32_t part = value & 0xffu << shift;
        if (part != 0) {
            emit({data_imm(ORR, false, rd, rd, part)});
        }
    }
    return *this;
}

Program &Program::branch(uint32_t to, arm_condition condition)
{
    return emit({when(condition, b(here(), to))});
}

uint32_t Program::store(uint32_t address, uint32_t value)
{
    set(r10, address);
    set(r11, value);
    emit({str_imm(r11, r10)});
    return here() - 4;
}

Program &Program::delay(uint32_t rounds)
{
    set(r9, rounds);
    const uint32_t loop = here();
    emit({subs_imm(r9, r9, 1)});
    return branch(loop, NE);
}

Program &Program::write_buffer_on()
{
    return emit({read_control(r10), nop(), data_imm(ORR, false, r10, r10, 8), write_control(r10)});
}

Program &Program::unmask()
{
    return emit({msr_cpsr_imm(PSR_C, 0x13)});
}

Program &Program::sleep()
{
    const uint32_t loop = here();
    emit({wait_for_interrupt()});
    return branch(loop);
}

/* ---- the bench ---- */

static machine_core id(unsigned core)
{
    return {0, 0, static_cast<uint8_t>(core)};
}

machine_config bench_config()
{
    machine_config config = {};
    config.parameters = machine_parameters_default();
    config.timing = arm968_timing_default();
    config.parameters.chip_control_interval_ps = 50 * US; /* keeps waits for it short */
    const char *tier = getenv("SPINNSIM_TIER");
    if (tier != nullptr) {
        (void)tier_of(tier, &config.tier);
    }
    return config;
}

uint64_t transit_ps()
{
    return bench_config().parameters.router_core_transit_ps;
}

unsigned packets_held_up()
{
    return 1 + static_cast<unsigned>(bench_config().parameters.router_core_buffer);
}

/* Index of the share of a core in the bytes written to the SDRAM. */
static size_t bytes_written()
{
    for (size_t i = 0; i < machine_share_count(); i++) {
        const struct machine_share_name name = machine_share_name(i);
        if (std::string(name.component) == "sdram" &&
            std::string(name.info->name) == "bytes_written") {
            return i;
        }
    }
    abort();
}

static bool record_mark(void *context, machine_core core, uint32_t address, uint64_t cycle)
{
    auto *bench = static_cast<MachineBench *>(context);
    const uint64_t time_ps = machine_core_time_ps(bench->get(), core);
    uint64_t shares[MACHINE_SHARES_MAX] = {};
    machine_core_shares(bench->get(), core, shares);
    bench->marks.push_back({core.p, address, cycle, time_ps, shares[bytes_written()]});
    return false;
}

static bool record_fault(void *context, machine_core core, struct arm968_fault fault)
{
    auto *bench = static_cast<MachineBench *>(context);
    bench->faults.push_back({core.p, fault});
    return bench->stop_at_fault;
}

MachineBench::MachineBench(const machine_config &config)
{
    machine_config observed = config;
    observed.observer = {this, record_mark, record_fault, nullptr, nullptr, nullptr, nullptr};
    diagnostic why = {};
    EXPECT_EQ(machine_create(&observed, &machine_, &why), STATUS_OK) << why.text;
}

MachineBench::~MachineBench()
{
    machine_destroy(machine_);
}

void MachineBench::load(unsigned core, const Program &program)
{
    const auto &words = program.words();
    ASSERT_EQ(machine_write(machine_, id(core), program.base(), words.data(),
                            static_cast<uint32_t>(4 * words.size())),
              STATUS_OK);
}

void MachineBench::start(unsigned core, uint32_t entry, uint32_t argument)
{
    ASSERT_EQ(machine_start_core(machine_, id(core), entry, argument), STATUS_OK);
}

void MachineBench::run(unsigned core, const Program &program)
{
    load(core, program);
    start(core, program.base());
}

void MachineBench::mark(unsigned core, uint32_t address)
{
    ASSERT_EQ(machine_add_mark(machine_, id(core), address), STATUS_OK);
}

machine_stop MachineBench::until(uint64_t time_ps)
{
    return machine_run_until(machine_, time_ps);
}

uint32_t MachineBench::word(unsigned core, uint32_t address)
{
    uint32_t value = 0xdeadbeef;
    EXPECT_EQ(machine_read(machine_, id(core), address, &value, 4), STATUS_OK) << address;
    return value;
}

void MachineBench::set_word(unsigned core, uint32_t address, uint32_t value)
{
    ASSERT_EQ(machine_write(machine_, id(core), address, &value, 4), STATUS_OK) << address;
}

uint32_t MachineBench::reg(unsigned core, unsigned index)
{
    return machine_core_register(machine_, id(core), index);
}

counter_map MachineBench::counters()
{
    counter_map all;
    machine_each_counter(
        machine_,
        [](void *context, const machine_counter *counter) {
            auto &map = *static_cast<counter_map *>(context);
            const counter_key key(counter->component, counter->instance, counter->info->name);
            EXPECT_TRUE(map.emplace(key, counter->value).second) << counter->info->name;
        },
        &all);
    return all;
}

uint64_t MachineBench::counter(const char *component, int instance, const char *name)
{
    const counter_map all = counters();
    const auto found = all.find(counter_key(component, instance, name));
    EXPECT_NE(found, all.end()) << component << "." << name;
    return found == all.end() ? UINT64_MAX : found->second;
}

std::string MachineBench::memory()
{
    std::string all;
    machine_each_written(
        machine_,
        [](void *context, uint8_t x, uint8_t y, uint32_t address, int instance,
           const uint8_t *bytes, uint32_t count) {
            auto &text = *static_cast<std::string *>(context);
            text += std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(instance) +
                    "@" + std::to_string(address) + ":";
            text.append(reinterpret_cast<const char *>(bytes), count);
        },
        &all);
    return all;
}

uint64_t MachineBench::time_ps()
{
    return machine_time_ps(machine_);
}

uint64_t MachineBench::cycle_of(uint32_t address) const
{
    for (const recorded_mark &mark : marks) {
        if (mark.address == address) {
            return mark.cycle;
        }
    }
    return UINT64_MAX;
}

uint64_t MachineBench::between(uint32_t from, uint32_t to) const
{
    return cycle_of(to) - cycle_of(from);
}
