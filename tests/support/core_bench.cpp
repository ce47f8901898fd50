/* core_bench.cpp - see core_bench.h. */
#include "tests/support/core_bench.h"

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <ostream>

/* ---- outside ---- */

uint32_t mock_outside::read(uint32_t address, unsigned bytes) const
{
    const auto found = words.find(address & ~3u);
    const uint32_t value = found == words.end() ? 0 : found->second >> (8 * (address & 3));
    return bytes == 4 ? value : value & ((1u << (8 * bytes)) - 1);
}

void mock_outside::write(uint32_t address, unsigned bytes, uint32_t value)
{
    uint32_t &word = words[address & ~3u];
    const uint32_t mask = bytes == 4 ? 0xffffffffu : (1u << (8 * bytes)) - 1;
    const unsigned shift = 8 * (address & 3);
    word = (word & ~(mask << shift)) | (value & mask) << shift;
}

void mock_outside::perform(struct arm968_access *access)
{
    for (unsigned i = 0; i < access->words; i++) {
        const uint32_t address = access->address + 4 * i;
        const uint32_t before = read(address, access->size);
        if (access->kind == ARM968_WRITE || access->kind == ARM968_SWAP) {
            write(address, access->size, access->data[i]);
        }
        if (access->kind != ARM968_WRITE) {
            access->data[i] = before;
        }
    }
}

enum arm968_reply mock_outside::answer(struct arm968_access *access, uint64_t cycle)
{
    log.push_back({*access, cycle});
    for (const outside_region &region : regions) {
        if (access->address - region.base >= region.bytes) {
            continue;
        }
        if (region.kind == REGION_OUTSIDE) {
            return ARM968_REPLY_OUTSIDE;
        }
        access->wait_cycles = region.wait_cycles;
        access->abort = region.kind == REGION_ABORTS;
        if (!access->abort) {
            perform(access);
        }
        return ARM968_REPLY_DONE;
    }
    access->abort = true;
    return ARM968_REPLY_DONE;
}

static enum arm968_reply answer_port(void *context, struct arm968_access *access, uint64_t cycle)
{
    auto *outside = static_cast<mock_outside *>(context);
    return outside->script ? outside->script(access, cycle) : outside->answer(access, cycle);
}

static void note_access(void *context, const struct arm968_data_access *access)
{
    auto *outside = static_cast<mock_outside *>(context);
    outside->told.push_back(*access);
    outside->told_words.push_back(access->words == nullptr ? 0 : access->words[0]);
}

/* ---- the bench ---- */

core_bench::core_bench(const bench_config &config)
    : itcm(config.code_bytes), dtcm(config.data_bytes), cpu(nullptr)
{
    struct arm968_config core = {};
    core.timing = config.timing;
    core.code = {ITCM_BASE, config.code_bytes, itcm.data()};
    core.data = {DTCM_BASE, config.data_bytes, dtcm.data()};
    core.id = config.id;
    core.reset_control = config.control;
    core.semihosting = config.semihosting;
    core.ports.context = &outside;
    core.ports.access = config.ports ? answer_port : nullptr;
    core.ports.accessed = config.tells ? note_access : nullptr;
    core.library = config.library;
    core.translator = config.translator;
    cpu = arm968_create(&core);
}

core_bench::~core_bench()
{
    arm968_destroy(cpu);
}

uint8_t *core_bench::local(uint32_t address, bool *code) const
{
    *code = address - ITCM_BASE < itcm.size();
    if (*code) {
        return const_cast<uint8_t *>(itcm.data()) + (address - ITCM_BASE);
    }
    if (address - DTCM_BASE < dtcm.size()) {
        return const_cast<uint8_t *>(dtcm.data()) + (address - DTCM_BASE);
    }
    return nullptr;
}

uint32_t core_bench::word(uint32_t address) const
{
    bool code;
    const uint8_t *bytes = local(address, &code);
    uint32_t value;
    if (bytes == nullptr) {
        return outside.read(address, 4);
    }
    memcpy(&value, bytes, sizeof value);
    return value;
}

void core_bench::set_word(uint32_t address, uint32_t value)
{
    bool code;
    uint8_t *bytes = local(address, &code);
    if (bytes == nullptr) {
        outside.write(address, 4, value);
        return;
    }
    memcpy(bytes, &value, sizeof value);
    if (code) {
        arm968_code_written(cpu, address, sizeof value);
    }
}

void core_bench::set_words(uint32_t address, const std::vector<uint32_t> &values)
{
    for (const uint32_t value : values) {
        set_word(address, value);
        address += 4;
    }
}

void core_bench::arm(uint32_t address, const std::vector<uint32_t> &code)
{
    set_words(address, code);
}

void core_bench::thumb(uint32_t address, const std::vector<uint16_t> &code)
{
    for (const uint16_t half : code) {
        const unsigned shift = 8 * (address & 2);
        const uint32_t old = word(address & ~3u);
        set_word(address & ~3u, (old & ~(0xffffu << shift)) | static_cast<uint32_t>(half) << shift);
        address += 2;
    }
}

uint32_t core_bench::reg(unsigned index) const
{
    return arm968_register(cpu, index);
}

void core_bench::set(unsigned index, uint32_t value)
{
    arm968_set_register(cpu, index, value);
}

uint32_t core_bench::cpsr() const
{
    return arm968_cpsr(cpu);
}

uint64_t core_bench::cycle() const
{
    return arm968_cycle(cpu);
}

const struct arm968_counters &core_bench::counters() const
{
    return *arm968_counters(cpu);
}

void core_bench::start(uint32_t address, bool thumb_state)
{
    arm968_set_cpsr(cpu, (cpsr() & ~STATE_T) | (thumb_state ? STATE_T : 0));
    set(15, address);
}

void core_bench::set_mode(enum arm968_mode mode, uint32_t masks)
{
    arm968_set_cpsr(cpu, (cpsr() & ~0xdfu) | masks | mode);
}

enum arm968_stop core_bench::run(uint64_t cycles)
{
    return arm968_run(cpu, cycle() + cycles);
}

enum arm968_stop core_bench::step()
{
    return run(1);
}

void core_bench::steps(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        (void)step();
    }
}

enum arm968_stop core_bench::run_to(uint32_t address)
{
    if (arm968_add_breakpoint(cpu, address) != STATUS_OK) {
        return ARM968_STOP_REQUEST;
    }
    const enum arm968_stop stop = run(1000000);
    arm968_clear_stops(cpu);
    return stop;
}

void core_bench::complete(uint32_t wait_cycles)
{
    struct arm968_access *access = arm968_access(cpu);
    outside.perform(access);
    access->wait_cycles = wait_cycles;
    arm968_access_done(cpu);
}

/* ---- views ---- */

core_view view_of(const struct arm968 *cpu)
{
    core_view view = {};
    for (unsigned i = 0; i < 16; i++) {
        view.r[i] = arm968_register(cpu, i);
    }
    view.cpsr = arm968_cpsr(cpu);
    view.lowest_sp = arm968_lowest_sp(cpu);
    view.cycle = arm968_cycle(cpu);
    return view;
}

bool core_view::operator==(const core_view &other) const
{
    return std::equal(r, r + 16, other.r) && cpsr == other.cpsr && lowest_sp == other.lowest_sp &&
           cycle == other.cycle;
}

std::ostream &operator<<(std::ostream &out, const core_view &view)
{
    out << "cycle " << view.cycle << std::hex << std::setfill('0') << " cpsr " << std::setw(8)
        << view.cpsr << " lowest sp " << std::setw(8) << view.lowest_sp;
    for (unsigned i = 0; i < 16; i++) {
        out << (i % 8 == 0 ? "\n  " : " ") << std::setw(8) << view.r[i];
    }
    return out << std::dec << std::setfill(' ') << "\n";
}
