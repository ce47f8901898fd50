/* registers.cpp - guests that read and write registers and memories of a small machine at random:
 * a core of each of two chips takes accesses from a table, sleeps, takes interrupts and faults,
 * while frames come by Ethernet.  Run in other steps, and with cores that run further ahead or not,
 * the machine comes to the same. */
#include "tests/fuzz/harness.h"
#include "tests/support/arm_asm.h"

#include <algorithm>
#include <cstring>

extern "C" {
#include "models/machine/machine.h"
}

namespace
{

constexpr uint32_t DTCM = 0x00400000;
constexpr uint32_t SDRAM = 0x60000000;
constexpr uint32_t MACHINE_CODE = 0x100;
constexpr uint32_t ETHERNET = 0xf4000000;
constexpr uint32_t ETHERNET_REGISTERS = 0xf400c000;
constexpr uint32_t TABLE = 0x1000; /* in ITCM */
constexpr uint64_t US = 1000000;   /* ps */
enum : unsigned { CORES = 3, MOST_ENTRIES = 256, INPUT_BYTES = 8 };
constexpr machine_core CORE[CORES] = {{0, 0, 1}, {0, 0, 2}, {1, 0, 1}};

/* What an entry of the table does: two instructions each, the second of them back to the loop.
 * Address in r1, value in r2. */
enum operation : uint32_t {
    STORE,
    STORE_BYTE,
    STORE_HALF,
    LOAD,
    LOAD_BYTE,
    LOAD_HALF,
    SWAP,
    STORE_MANY,
    LOAD_MANY,
    WAIT,   /* for an interrupt */
    UNMASK, /* interrupts */
    MASK,
    BUFFER, /* CP15: the write buffer on or off, and what else bits say */
    DELAY,  /* r2 rounds */
    OPERATIONS,
    END = OPERATIONS + 1
};

std::vector<uint32_t> program()
{
    std::vector<uint32_t> code;
    const auto here = [&code] { return MACHINE_CODE + 4 * static_cast<uint32_t>(code.size()); };
    code = {ldm_w(r4, {r0, r1, r2}), data_reg(ADD, false, pc, pc, r0, LSL, 3), nop()};
    const uint32_t body[OPERATIONS] = {str_imm(r2, r1),           strb_imm(r2, r1),
                                       strh_imm(r2, r1),          ldr_imm(r2, r1),
                                       ldrb_imm(r2, r1),          ldrh_imm(r2, r1),
                                       swp(r3, r2, r1),           stm(r1, {r1, r2, r3, r4, r5}),
                                       ldm(r1, {r5, r6, r7, r8}), wait_for_interrupt(),
                                       msr_cpsr_imm(PSR_C, 0x13), msr_cpsr_imm(PSR_C, 0xd3),
                                       write_control(r2),         subs_imm(r2, r2, 1)};
    for (unsigned i = 0; i < OPERATIONS; i++) {
        code.push_back(body[i]);
        code.push_back(i == DELAY ? when(NE, b(here(), here() - 4)) : b(here(), MACHINE_CODE));
    }
    code.push_back(b(here(), MACHINE_CODE)); /* behind DELAY */
    code.push_back(nop());
    code.push_back(wait_for_interrupt()); /* END */
    code.push_back(b(here(), here() - 4));
    return code;
}

/* Faults go on behind the instruction; an interrupt masks itself, else it would be all that
 * happens. */
std::vector<uint32_t> vectors()
{
    constexpr uint32_t handler = 0x20;
    return {branch_to_self(),
            movs(pc, lr),        /* undefined */
            movs(pc, lr),        /* SVC */
            subs_imm(pc, lr, 0), /* prefetch: behind it */
            subs_imm(pc, lr, 4), /* data */
            nop(),
            b(0x18, handler), /* IRQ */
            nop(),            /* FIQ, into the next word */
            mrs_spsr(r8),     /* the handler of both */
            data_imm(ORR, false, r8, r8, 0xc0),
            msr_spsr(PSR_C, r8),
            subs_imm(pc, lr, 4)};
}

/* Where something answers; what an input's address is added to. */
constexpr uint32_t BASE[] = {
    0x10000000, 0x20000000,                                 /* communications controller */
    0x11000000, 0x21000000,                                 /* timers */
    0x1f000000, 0xfffff000,                                 /* VIC */
    0x30000000, 0x40000000, 0x30000000,         0x40000000, /* DMA */
    0xe0000000, 0xf0000000,                                 /* PL340 */
    0xe1000000, 0xf1000000, 0xf1004000,         0xf1010000, /* router and its tables */
    0xf2000000, 0xf2000000, 0xf3000000,                     /* system controller, watchdog */
    ETHERNET,   0xe4004000, ETHERNET_REGISTERS,             /* transmit RAM, receive RAM */
    SDRAM,      0x67fff000, 0x70000000,         0xe5000000, 0xf5007000, DTCM, 0, TABLE, 0xff000000};

/* An entry: eight bytes of the input. */
void add_entry(fuzz_reader *reader, std::vector<uint32_t> *table)
{
    const uint32_t what = reader->byte();
    const uint32_t where = reader->byte();
    const uint32_t offset = reader->half();
    uint32_t value = reader->word();
    const bool wild = where == 0xff;
    const bool aligned = (what & 0x80) == 0;
    uint32_t address =
        wild ? value
             : BASE[where % (sizeof BASE / sizeof *BASE)] + (what & 0x40 ? offset : offset % 512);
    if (aligned) {
        address &= ~3u;
    }
    const uint32_t does = what % 32 < OPERATIONS ? what % 32 : what % 32 < 26 ? STORE : LOAD;
    if (does == DELAY) {
        value %= 2000;
    } else if (does == BUFFER) { /* both TCMs stay on */
        value = 0x1074 | (value & 0x800a);
    } else if (where % 4 == 1) { /* an address, as DMA and tables take it */
        value = BASE[value % (sizeof BASE / sizeof *BASE)] + (value >> 8 & 0xffff);
    }
    table->insert(table->end(), {does, address, value});
}

void check(enum status status, const char *what)
{
    if (status != STATUS_OK) {
        fuzz_fail(what);
    }
}

void load_core(struct machine *machine, machine_core core, const std::vector<uint32_t> &table)
{
    static const std::vector<uint32_t> CODE = program();
    static const std::vector<uint32_t> VECTORS = vectors();
    const auto put = [&](uint32_t address, const std::vector<uint32_t> &words) {
        check(machine_write(machine, core, address, words.data(),
                            static_cast<uint32_t>(4 * words.size())),
              "no memory there");
    };
    put(0, VECTORS);
    put(MACHINE_CODE, CODE);
    put(TABLE, table);
    check(machine_start_core(machine, core, MACHINE_CODE + 0x80, 0), "no such core");
}

/* Sets r4 and enters the loop: the host cannot set registers. */
void put_entry_code(struct machine *machine, machine_core core)
{
    const uint32_t at = MACHINE_CODE + 0x80;
    const uint32_t code[] = {mov_imm(r4, TABLE), mov_imm(r3, 0), b(at + 8, MACHINE_CODE)};
    check(machine_write(machine, core, at, code, sizeof code), "no memory there");
}

struct run_settings {
    uint64_t run_ahead, step_ps;
};

/* Frames of all sizes that come one after the other, for a receiver and a transmitter that are on.
 */
void send_frames(struct machine *machine)
{
    constexpr uint32_t EVERYTHING = 0x483;
    const uint8_t frame[1514] = {1, 2, 3};
    check(machine_write_word(machine, {0, 0}, ETHERNET_REGISTERS, EVERYTHING), "no Ethernet");
    check(machine_write_word(machine, {0, 0}, ETHERNET_REGISTERS + 8, 61), "no Ethernet");
    for (const uint32_t bytes : {1u, 61u, 100u, 1514u}) {
        check(machine_send_frame(machine, {0, 0}, frame, bytes, US), "no room for a frame");
    }
}

void note_frame(void *context, struct machine_chip chip, const uint8_t *bytes, uint32_t count,
                uint64_t time_ps)
{
    auto &text = *static_cast<std::string *>(context);
    uint64_t sum = chip.x;
    for (uint32_t i = 0; i < count; i++) {
        sum = sum * 31 + bytes[i];
    }
    text += "frame " + std::to_string(count) + " at " + std::to_string(time_ps) + " " +
            std::to_string(sum) + "\n";
}

/* All that can be seen of a machine. */
std::string run(const std::vector<uint32_t> (&table)[CORES], uint64_t time_ps,
                const run_settings &settings)
{
    std::string seen;
    struct machine_config config = {};
    struct machine *machine = nullptr;
    struct diagnostic diagnostic = {};
    config.parameters = machine_parameters_default();
    config.timing = arm968_timing_default();
    config.topology.shape = TOPOLOGY_RECTANGLE;
    config.topology.width = 2;
    config.topology.height = 1;
    config.drop_records = 16;
    config.run_ahead = settings.run_ahead;
    config.ethernet = true;
    config.observer.context = &seen;
    config.observer.frame = note_frame;
    check(machine_create(&config, &machine, &diagnostic), diagnostic.text);
    for (unsigned i = 0; i < CORES; i++) {
        load_core(machine, CORE[i], table[i]);
        put_entry_code(machine, CORE[i]);
    }
    send_frames(machine);
    enum machine_stop stop = MACHINE_REACHED;
    for (uint64_t at = settings.step_ps; at < time_ps && stop != MACHINE_QUIESCENT;
         at += settings.step_ps) {
        stop = machine_run_until(machine, at);
    }
    (void)machine_run_until(machine, time_ps);
    if (machine_late_interrupts(machine) != 0) {
        fuzz_fail("an interrupt came too late");
    }
    const auto add = [](void *context, const struct machine_counter *counter) {
        auto &text = *static_cast<std::string *>(context);
        if (counter->value != 0) {
            text += std::string(counter->component) + "." + counter->info->name + " " +
                    std::to_string(counter->x) + "," + std::to_string(counter->instance) + " " +
                    std::to_string(counter->value) + "\n";
        }
    };
    machine_each_counter(machine, add, &seen);
    const auto add_memory = [](void *context, uint8_t x, uint8_t y, uint32_t address, int instance,
                               const uint8_t *bytes, uint32_t count) {
        auto &text = *static_cast<std::string *>(context);
        uint64_t hash = 0xcbf29ce484222325;
        for (uint32_t i = 0; i < count; i++) {
            hash = (hash ^ bytes[i]) * 0x100000001b3;
        }
        text += std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(instance) +
                " @" + std::to_string(address) + " " + std::to_string(hash) + "\n";
    };
    machine_each_written(machine, add_memory, &seen);
    machine_destroy(machine);
    return seen;
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    static const uint64_t AHEAD[] = {RUN_AHEAD_AUTO, 1, 2, 3};
    fuzz_reader reader(bytes, size);
    const uint64_t time_ps = (5 + reader.byte() % 64) * US;
    const uint32_t how = reader.byte();
    std::vector<uint32_t> table[CORES];
    for (unsigned i = 0; reader.left() >= INPUT_BYTES && i < CORES * MOST_ENTRIES; i++) {
        add_entry(&reader, &table[i % CORES]);
    }
    for (auto &entries : table) {
        entries.insert(entries.end(), {END, 0, 0});
    }
    const run_settings one = {AHEAD[how % 4], how % 8 < 4 ? time_ps : time_ps / 7};
    const std::string seen = run(table, time_ps, one);
    if (how % 32 < 8) {
        const std::string other = run(table, time_ps, {RUN_AHEAD_OFF, 3 * US + 7});
        if (seen != other) {
            fuzz_fail("the machine depends on how it is run:\n" + seen + "---\n" + other);
        }
    }
}
