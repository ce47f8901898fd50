/* machine.c - the interface of a machine; chip.c and core/ execute events, schedule.c runs the
 * machine. */
#include "models/machine/machine.h"

#include "models/machine/link_devices.h"
#include "models/machine/machine_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- life cycle ---- */

static enum status check_parameters(const struct machine_parameters *parameters,
                                    struct diagnostic *diagnostic)
{
    const struct {
        const char *key;
        uint64_t bytes;
    } memory[] = {{"chip.itcm", parameters->chip_itcm_bytes},
                  {"chip.dtcm", parameters->chip_dtcm_bytes},
                  {"chip.system_ram", parameters->chip_system_ram_bytes},
                  {"sdram.size", parameters->sdram_bytes}};
    enum status status = STATUS_OK;
    if (parameters->chip_monitor_cores >= parameters->chip_cores) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "no application core is left: %llu cores, %llu of them for the monitor",
                          (unsigned long long)parameters->chip_cores,
                          (unsigned long long)parameters->chip_monitor_cores);
        diagnostic_key(diagnostic, "chip.monitor_cores");
    }
    for (size_t i = 0; i < sizeof memory / sizeof *memory && status == STATUS_OK; i++) {
        if (memory[i].bytes % RAM_PAGE_BYTES != 0) {
            const uint64_t below = memory[i].bytes / RAM_PAGE_BYTES * RAM_PAGE_BYTES;
            status =
                diagnose(diagnostic, STATUS_CONFIGURATION,
                         "%llu bytes are no multiple of %d\v%llu B or %llu B",
                         (unsigned long long)memory[i].bytes, RAM_PAGE_BYTES,
                         (unsigned long long)below, (unsigned long long)(below + RAM_PAGE_BYTES));
            diagnostic_key(diagnostic, memory[i].key);
        }
    }
    return status;
}

static enum status make_topology(struct machine *machine, struct diagnostic *diagnostic)
{
    struct topology_request request = machine->config.topology;
    if (request.shape == TOPOLOGY_RECTANGLE && request.width == 0 && request.height == 0) {
        request.width = (uint32_t)machine->config.parameters.board_width;
        request.height = (uint32_t)machine->config.parameters.board_height;
    }
    memset(&machine->config.topology, 0, sizeof machine->config.topology); /* the caller's lists */
    return topology_make(&machine->topology, &request, diagnostic);
}

static enum status make_chips(struct machine *machine)
{
    machine->chip_count = (unsigned)machine->topology.count;
    machine->chip = (void *)ram_map(machine->chip_count * sizeof *machine->chip);
    machine->library = arm968_code_library_create();
    machine->translator = arm968_translator_for(machine->config.tier);
    const bool lacks_translator =
        machine->translator == NULL && machine->config.tier != TIER_INTERPRETER;
    if (machine->chip == NULL || machine->library == NULL || lacks_translator) {
        return STATUS_INTERNAL;
    }
    const struct chip_setup setup = {.config = &machine->config,
                                     .chips = machine->chip,
                                     .purposes = &machine->purposes,
                                     .register_blocks = REGISTER_BLOCKS,
                                     .library = machine->library,
                                     .translator = machine->translator};
    for (unsigned i = 0; i < machine->chip_count; i++) {
        if (chip_init(&machine->chip[i], &setup, &machine->topology.chip[i]) != STATUS_OK) {
            return STATUS_INTERNAL;
        }
    }
    return schedule_init(machine);
}

static void drop_chips(struct machine *machine)
{
    schedule_deinit(machine);
    devices_destroy(machine->devices);
    machine->devices = NULL;
    arm968_translator_destroy(machine->translator);
    for (unsigned i = 0; machine->chip != NULL && i < machine->chip_count; i++) {
        chip_deinit(&machine->chip[i]);
    }
    ram_unmap((uint8_t *)machine->chip, machine->chip_count * sizeof *machine->chip);
    arm968_code_library_destroy(machine->library);
}

enum status machine_create(const struct machine_config *config, struct machine **machine,
                           struct diagnostic *diagnostic)
{
    *machine = NULL;
    enum status status = check_parameters(&config->parameters, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    struct machine *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    made->config = *config;
    status = make_topology(made, diagnostic);
    if (status == STATUS_OK && make_chips(made) != STATUS_OK) {
        status = diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    if (status != STATUS_OK) {
        machine_destroy(made);
        return status;
    }
    *machine = made;
    return STATUS_OK;
}

void machine_destroy(struct machine *machine)
{
    if (machine == NULL) {
        return;
    }
    drop_chips(machine);
    topology_deinit(&machine->topology);
    purposes_deinit(&machine->purposes);
    free(machine);
}

enum status machine_power_on(struct machine *machine)
{
    drop_chips(machine);
    machine->schedule = (struct schedule){0};
    machine->chip = NULL;
    machine->library = NULL;
    machine->translator = NULL;
    machine->time_ps = 0;
    return make_chips(machine);
}

unsigned machine_chip_count(const struct machine *machine)
{
    return machine->chip_count;
}

const struct topology *machine_topology(const struct machine *machine)
{
    return &machine->topology;
}

unsigned machine_board_count(const struct machine *machine)
{
    return machine->topology.boards;
}

struct machine_chip machine_chip_at(const struct machine *machine, unsigned index)
{
    return (struct machine_chip){machine->chip[index].x, machine->chip[index].y};
}

static struct chip *find_chip(const struct machine *machine, uint8_t x, uint8_t y)
{
    const int32_t index = topology_find(&machine->topology, x, y);
    return index == TOPOLOGY_NO_CHIP ? NULL : &machine->chip[index];
}

struct core *machine_find_core(const struct machine *machine, struct machine_core id)
{
    struct chip *chip = find_chip(machine, id.x, id.y);
    const bool there =
        chip != NULL && id.p < chip->core_count && (chip->working_cores >> id.p & 1) != 0;
    return there ? &chip->core[id.p] : NULL;
}

/* ---- memory ---- */

enum status machine_write(struct machine *machine, struct machine_core core, uint32_t address,
                          const void *bytes, uint32_t count)
{
    struct core *at = machine_find_core(machine, core);
    return at != NULL && chip_poke(at->on.chip, at, address, bytes, count) ? STATUS_OK
                                                                           : STATUS_CONFIGURATION;
}

enum status machine_read(const struct machine *machine, struct machine_core core, uint32_t address,
                         void *bytes, uint32_t count)
{
    const struct core *at = machine_find_core(machine, core);
    return at != NULL && chip_peek(at->on.chip, at, address, bytes, count) ? STATUS_OK
                                                                           : STATUS_CONFIGURATION;
}

/* Accesses a word of a chip's system NoC. */
static enum status access_word(struct machine *machine, struct machine_chip at, uint32_t address,
                               bool write, uint32_t *word)
{
    struct chip *chip = find_chip(machine, at.x, at.y);
    const bool done =
        chip != NULL && chip_neighbour_access(chip, address, write, word, machine->time_ps);
    return done ? STATUS_OK : STATUS_CONFIGURATION;
}

enum status machine_read_word(struct machine *machine, struct machine_chip chip, uint32_t address,
                              uint32_t *word)
{
    return access_word(machine, chip, address, false, word);
}

enum status machine_write_word(struct machine *machine, struct machine_chip chip, uint32_t address,
                               uint32_t word)
{
    return access_word(machine, chip, address, true, &word);
}

/* ---- routers ---- */

enum status machine_set_route(struct machine *machine, uint8_t x, uint8_t y, unsigned index,
                              uint32_t key, uint32_t mask, uint32_t route)
{
    static const uint32_t OUTPUTS = ROUTER_LINK_OUTPUTS | ROUTER_CORE_OUTPUTS;
    struct chip *chip = find_chip(machine, x, y);
    if (chip == NULL || index >= MC_TABLE_ENTRIES || (route & ~OUTPUTS) != 0) {
        return STATUS_CONFIGURATION;
    }
    struct mc_table *table = &chip->d.fabric.router.mc;
    mc_table_write_route(table, index, route);
    mc_table_write_key(table, index, key);
    mc_table_write_mask(table, index, mask);
    return STATUS_OK;
}

enum status machine_delete_route(struct machine *machine, uint8_t x, uint8_t y, uint32_t key)
{
    struct chip *chip = find_chip(machine, x, y);
    struct mc_table *table = chip == NULL ? NULL : &chip->d.fabric.router.mc;
    const int entry = table == NULL ? MC_TABLE_MISS : mc_table_lookup(table, key);
    if (entry == MC_TABLE_MISS) {
        return STATUS_CONFIGURATION;
    }
    mc_table_write_mask(table, (unsigned)entry, 0);
    mc_table_write_key(table, (unsigned)entry, UINT32_MAX); /* matches nothing */
    mc_table_write_route(table, (unsigned)entry, 0);
    return STATUS_OK;
}

enum status machine_set_p2p_route(struct machine *machine, uint8_t x, uint8_t y,
                                  uint16_t destination, unsigned route)
{
    struct chip *chip = find_chip(machine, x, y);
    if (chip == NULL || route > P2P_ROUTE_MONITOR) {
        return STATUS_CONFIGURATION;
    }
    p2p_table_set(&chip->d.fabric.router.p2p, destination, route);
    return STATUS_OK;
}

enum status machine_write_router(struct machine *machine, uint8_t x, uint8_t y, uint32_t offset,
                                 uint32_t value)
{
    struct chip *chip = find_chip(machine, x, y);
    const bool done =
        chip != NULL && fabric_write32(chip, offset, value, machine->time_ps) == REGISTER_OK;
    return done ? STATUS_OK : STATUS_CONFIGURATION;
}

enum status machine_read_router(struct machine *machine, uint8_t x, uint8_t y, uint32_t offset,
                                uint32_t *value)
{
    struct chip *chip = find_chip(machine, x, y);
    const bool done =
        chip != NULL && fabric_read32(chip, offset, machine->time_ps, value) == REGISTER_OK;
    return done ? STATUS_OK : STATUS_CONFIGURATION;
}

/* ---- cores ---- */

bool machine_has_core(const struct machine *machine, struct machine_core core)
{
    return machine_find_core(machine, core) != NULL;
}

enum status machine_start_core(struct machine *machine, struct machine_core core, uint32_t entry,
                               uint32_t argument)
{
    struct core *at = machine_find_core(machine, core);
    if (at == NULL) {
        return STATUS_CONFIGURATION;
    }
    core_start(at, entry, argument, machine->time_ps);
    return STATUS_OK;
}

enum status machine_set_serial_rom(struct machine *machine, struct machine_chip at,
                                   const uint8_t *bytes, uint32_t count)
{
    struct chip *chip = find_chip(machine, at.x, at.y);
    if (chip == NULL || count == 0 || count > SERIAL_ROM_BYTES) {
        return STATUS_CONFIGURATION;
    }
    chip->d.serial_rom = (struct serial_rom){.fitted = count};
    memcpy(chip->d.serial_rom.content, bytes, count);
    return STATUS_OK;
}

enum status machine_leave_reset(struct machine *machine)
{
    if (machine->config.boot_rom == NULL) {
        return STATUS_CONFIGURATION;
    }
    for (unsigned i = 0; i < machine->chip_count; i++) {
        control_power_on(&machine->chip[i], machine->time_ps);
    }
    return STATUS_OK;
}

bool machine_core_started(const struct machine *machine, struct machine_core core)
{
    const struct core *at = machine_find_core(machine, core);
    return at != NULL && at->d.started;
}

enum status machine_signal_cores(struct machine *machine, uint8_t x, uint8_t y, uint32_t cores)
{
    struct chip *chip = find_chip(machine, x, y);
    if (chip == NULL) {
        return STATUS_CONFIGURATION;
    }
    chip_signal(chip, cores, machine->time_ps);
    return STATUS_OK;
}

enum status machine_add_mark(struct machine *machine, struct machine_core core, uint32_t address)
{
    struct core *at = machine_find_core(machine, core);
    return at == NULL ? STATUS_CONFIGURATION : arm968_add_mark(at->cpu, address);
}

enum status machine_sample_core(struct machine *machine, struct machine_core core, uint64_t cycles)
{
    struct core *at = machine_find_core(machine, core);
    if (at == NULL || machine->config.observer.sample == NULL) {
        return STATUS_CONFIGURATION;
    }
    at->on.sample_every = cycles > 0 ? cycles : machine->config.sample_cycles;
    at->on.sample_share = cycles > 0 ? 0 : machine->config.sample_share;
    at->sample_at = 0;
    return STATUS_OK;
}

struct arm968 *machine_core_processor(const struct machine *machine, struct machine_core core)
{
    struct core *at = machine_find_core(machine, core);
    return at == NULL ? NULL : at->cpu;
}

enum status machine_add_watch(struct machine *machine, struct machine_core core, uint32_t address,
                              uint32_t bytes)
{
    struct core *at = machine_find_core(machine, core);
    return at == NULL ? STATUS_CONFIGURATION : arm968_add_watch(at->cpu, address, bytes);
}

enum status machine_remove_watch(struct machine *machine, struct machine_core core,
                                 uint32_t address, uint32_t bytes)
{
    struct core *at = machine_find_core(machine, core);
    return at == NULL ? STATUS_CONFIGURATION : arm968_remove_watch(at->cpu, address, bytes);
}

uint32_t machine_core_register(const struct machine *machine, struct machine_core core,
                               unsigned index)
{
    const struct core *at = machine_find_core(machine, core);
    return at == NULL ? 0 : arm968_register(at->cpu, index);
}

uint32_t machine_core_cpsr(const struct machine *machine, struct machine_core core)
{
    const struct core *at = machine_find_core(machine, core);
    return at == NULL ? 0 : arm968_cpsr(at->cpu);
}

uint32_t machine_core_lowest_sp(const struct machine *machine, struct machine_core core)
{
    const struct core *at = machine_find_core(machine, core);
    return at == NULL ? UINT32_MAX : arm968_lowest_sp(at->cpu);
}

uint64_t machine_core_time_ps(const struct machine *machine, struct machine_core core)
{
    const struct core *at = machine_find_core(machine, core);
    return at == NULL ? 0 : core_time_ps(at);
}

const struct arm968_counters *machine_core_counters(const struct machine *machine,
                                                    struct machine_core core)
{
    const struct core *at = machine_find_core(machine, core);
    return at == NULL ? NULL : arm968_counters(at->cpu);
}

/* ---- running ---- */

uint64_t machine_time_ps(const struct machine *machine)
{
    return machine->time_ps;
}

uint64_t machine_late_interrupts(const struct machine *machine)
{
    uint64_t late = 0;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        late += machine->chip[i].d.late_interrupts;
    }
    return late;
}

struct machine_native machine_native(const struct machine *machine)
{
    struct machine_native native = {0};
    if (machine->translator != NULL) {
        native.translations = arm968_translator_counts(machine->translator).translations;
    }
    for (unsigned i = 0; i < machine->chip_count; i++) {
        for (unsigned n = 0; n < machine->chip[i].core_count; n++) {
            native.runs += arm968_native_runs(machine->chip[i].core[n].cpu);
        }
    }
    return native;
}

/* ---- progress ---- */

enum { TICKS_SEEN = 2 }; /* a timer's handler may start anything: it must have done nothing twice */

/* Since when a core has only served its timers; TIME_NEVER: it makes progress. */
static uint64_t core_quiet_since(const struct core *core, uint64_t now_ps)
{
    const struct core_work *work = &core->d.work;
    if (core->d.state == CORE_OFF) {
        return 0;
    }
    if (core->d.dma_ps != TIME_NEVER) {
        return TIME_NEVER;
    }
    if (core->d.stalled && core->d.state == CORE_ACCESS) {
        return core->d.access_since_ps; /* until another part lets it continue */
    }
    const bool asleep = core->d.state == CORE_WAITING;
    if (!asleep && (!work->by_timers || work->awake_ps + CORE_WORK_HANDLER_PS < now_ps)) {
        return TIME_NEVER;
    }
    const bool ticks = (core->d.vic.enable & CORE_WORK_TIMER_SOURCES) != 0 &&
                       timer_pair_next_cycle(&core->d.timers) != UINT64_MAX;
    const bool awaits_others = (core->d.vic.enable & ~VIC_OWN_SOURCES) != 0;
    if ((ticks || !asleep) && (!awaits_others || work->ticks < TICKS_SEEN)) {
        return TIME_NEVER; /* it waits for its timer only, or may still do something */
    }
    return work->worked_ps;
}

uint64_t machine_quiet_since_ps(const struct machine *machine)
{
    uint64_t since_ps = 0;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        const struct chip *chip = &machine->chip[i];
        since_ps = later_of(since_ps, router_last_ps(&chip->d.fabric.router));
        for (unsigned p = 0; p < chip->core_count; p++) {
            since_ps = later_of(since_ps, core_quiet_since(&chip->core[p], machine->time_ps));
        }
    }
    return since_ps;
}

struct machine_core_view machine_core_view(const struct machine *machine, struct machine_core id)
{
    static const enum machine_core_state STATE[] = {
        [CORE_OFF] = MACHINE_CORE_OFF,
        [CORE_RUNNING] = MACHINE_CORE_RUNNING,
        [CORE_ACCESS] = MACHINE_CORE_BLOCKED,
        [CORE_WAITING] = MACHINE_CORE_ASLEEP,
    };
    const struct core *core = machine_find_core(machine, id);
    if (core == NULL) {
        return (struct machine_core_view){.state = MACHINE_CORE_OFF};
    }
    struct machine_core_view view = {.state = STATE[core->d.state],
                                     .sources = core->d.vic.enable,
                                     .moves_data = core->d.dma_ps != TIME_NEVER};
    if (view.state == MACHINE_CORE_BLOCKED) {
        view.access_address = arm968_access(core->cpu)->address;
    }
    const struct comms_packet *packet = comms_ctrl_outgoing(&core->d.comms);
    if (packet != NULL) {
        view.sends = true;
        view.sends_key = packet->key;
    }
    return view;
}

enum status machine_set_purposes(struct machine *machine, const struct machine_purpose *list,
                                 size_t count)
{
    return purposes_set(&machine->purposes, list, count);
}

/* ---- replaceable parts ---- */

struct machine_memory_port machine_builtin_memory(struct machine *machine, uint8_t x, uint8_t y)
{
    return chip_builtin_memory(find_chip(machine, x, y));
}

void machine_set_memory_port(struct machine *machine, uint8_t x, uint8_t y,
                             struct machine_memory_port port)
{
    find_chip(machine, x, y)->memory = port;
}
