/* chip.c - a chip's life, what its cores ask of it, and events in the order of time.  See chip.h.
 */
#include "models/machine/chip.h"

#include "models/chip/ethernet.h"
#include "models/common/bits.h"
#include "models/machine/core/ahead.h"
#include "models/machine/core/private.h"
#include "models/machine/noc_devices.h"

#include <string.h>

#define COUNTER_PART chip
#define COUNTER_ROWS "models/machine/chip_counters.def"
#include "models/common/counter_table.inc"

/* ---- the built-in SDRAM as a port ---- */

static uint64_t builtin_access(void *context, uint64_t arrival_ps, uint32_t offset, uint8_t *data,
                               uint32_t bytes, bool write)
{
    struct chip *chip = context;
    const uint32_t at = offset % chip->sdram_content.size;
    if (write) {
        ram_copy_in(&chip->sdram_content, at, data, bytes, true);
    } else {
        ram_copy_out(&chip->sdram_content, at, data, bytes);
    }
    return sdram_request(&chip->d.sdram, arrival_ps, at, bytes, write);
}

static void builtin_peek(void *context, uint32_t offset, uint8_t *data, uint32_t bytes)
{
    const struct chip *chip = context;
    ram_copy_out(&chip->sdram_content, offset, data, bytes);
}

static void builtin_poke(void *context, uint32_t offset, const uint8_t *data, uint32_t bytes)
{
    struct chip *chip = context;
    ram_copy_in(&chip->sdram_content, offset, data, bytes, false);
}

struct machine_memory_port chip_builtin_memory(struct chip *chip)
{
    return (struct machine_memory_port){chip, builtin_access, builtin_peek, builtin_poke};
}

/* ---- interrupt lines ---- */

/* Sends the interrupt bits changed by a write to the system controller to the cores. */
void chip_send_signals(struct chip *chip, uint32_t changed, uint64_t now_ps)
{
    for (unsigned p = 0; p < chip->core_count; p++) {
        if ((changed >> p & 1) != 0) {
            chip->d.counters.core_signals++;
            core_signal(&chip->core[p], VIC_SOURCE_SYSCTL, (chip->d.sysctl.irq >> p & 1) != 0,
                        now_ps + chip->parameters.chip_signal_floor_ps);
        }
    }
}

void chip_signal(struct chip *chip, uint32_t cores, uint64_t now_ps)
{
    const uint32_t before = chip->d.sysctl.irq;
    chip->d.sysctl.irq |= cores & ((1u << chip->core_count) - 1);
    chip_send_signals(chip, before ^ chip->d.sysctl.irq, now_ps);
}

/* ---- time ---- */

/* The bounds for the core that has the current event. */
static struct core_time_bounds time_bounds(const struct chip *chip)
{
    const unsigned second = turns_second(&chip->turns);
    const uint64_t foreign_ps = earlier_of(chip->window_ps, chip->turns.time_ps[second]);
    const uint64_t own_ps = blocks_next_ps(&chip->blocks);
    if (foreign_ps < chip->window_ps) {
        core_prefetch(&chip->core[second]);
    }
    return (struct core_time_bounds){.limit_ps = chip->until_ps,
                                     .others_ps = earlier_of(own_ps, foreign_ps),
                                     .packet_ps =
                                         earlier_of(own_ps, foreign_ps + fabric_way_ps(chip))};
}

/* Later events of the same window come from other cores and the chip's blocks. */
static bool is_next(const struct chip *chip, uint64_t now_ps)
{
    const uint64_t second_ps = chip->turns.time_ps[turns_second(&chip->turns)];
    const uint64_t others_ps = earlier_of(second_ps, blocks_next_ps(&chip->blocks));
    return now_ps < earlier_of(chip->window_ps, others_ps);
}

/* ---- what its cores ask of it ---- */

static void count_bus_error(struct chip *chip)
{
    chip->d.counters.bus_errors++;
}

static void count_late(struct chip *chip)
{
    chip->d.late_interrupts++;
}

static void note_reached(struct chip *chip, uint64_t time_ps)
{
    chip->d.last_event_ps = later_of(time_ps, chip->d.last_event_ps);
}

static bool has_device(const struct chip *chip, uint32_t address)
{
    return noc_devices_have(chip->noc, address);
}

/* Registers of every block can; System RAM has none. */
static bool can_interrupt(const struct chip *chip, enum memory_block block)
{
    return block != MEMORY_SYSRAM && chip->blocks.at[block] != NULL;
}

/* ---- for the observer: one chip's cores at a time, where several threads run ---- */

static void enter(const struct chip *chip)
{
    if (chip->observing != NULL) {
        (void)pthread_mutex_lock(chip->observing);
    }
}

static void leave(const struct chip *chip)
{
    if (chip->observing != NULL) {
        (void)pthread_mutex_unlock(chip->observing);
    }
}

static struct machine_core id_of(const struct chip *chip, const struct core *core)
{
    return (struct machine_core){chip->x, chip->y, (uint8_t)core->on.index};
}

static void tell_mark(struct chip *chip, const struct core *core)
{
    const struct machine_observer *observer = &chip->config->observer;
    if (observer->mark != NULL) {
        enter(chip);
        chip->mark_ends |= observer->mark(observer->context, id_of(chip, core),
                                          arm968_register(core->cpu, 15), arm968_cycle(core->cpu));
        leave(chip);
    }
}

static void tell_watch(struct chip *chip, const struct core *core, uint32_t address)
{
    const struct machine_observer *observer = &chip->config->observer;
    if (observer->watch != NULL) {
        enter(chip);
        chip->mark_ends |=
            observer->watch(observer->context, id_of(chip, core), address, arm968_cycle(core->cpu));
        leave(chip);
    }
}

static void tell_sample(const struct chip *chip, const struct core *core)
{
    const struct machine_observer *observer = &chip->config->observer;
    enter(chip);
    observer->sample(observer->context, id_of(chip, core), arm968_register(core->cpu, 15));
    leave(chip);
}

/* The next two are called in the order of time, between windows: no other thread runs. */
static void tell_frame(const struct chip *chip)
{
    const struct machine_observer *observer = &chip->config->observer;
    const struct ethernet *ethernet = chip->blocks.state[MEMORY_ETHERNET];
    observer->frame(observer->context, (struct machine_chip){chip->x, chip->y}, ethernet->out.data,
                    ethernet->out.bytes, chip->frame_ps);
}

static bool tell_guest_error(const struct chip *chip, const struct core *core)
{
    const struct machine_observer *observer = &chip->config->observer;
    return observer->guest_error != NULL &&
           observer->guest_error(observer->context, id_of(chip, core), arm968_fault(core->cpu));
}

static const struct core_ports CORE_PORTS = {
    .access = chip_access,
    .burst = chip_burst,
    .device = has_device,
    .is_next = is_next,
    .interrupts = can_interrupt,
    .time_bounds = time_bounds,
    .sent = fabric_core_sent,
    .read = fabric_core_read,
    .reset = fabric_core_reset,
    .expects = fabric_core_expects,
    .rolled_back = fabric_core_rolled_back,
    .unmodelled = chip_unmodelled,
    .bus_error = count_bus_error,
    .late = count_late,
    .reached = note_reached,
    .mark = tell_mark,
    .watch = tell_watch,
    .sample = tell_sample,
    .guest_error = tell_guest_error,
    .moved = event_log_moved,
    .slept = event_log_slept,
};

/* ---- life cycle ---- */

static void init_sdram(struct chip *chip)
{
    const struct machine_parameters *parameters = &chip->parameters;
    const struct sdram_config sdram = {
        .clock = clock_slower(chip->d.pace[SYSCTL_CLOCK_MEMORY].clock, 2),
        .policy = (uint32_t)parameters->sdram_policy,
        .bus_bytes = (uint32_t)parameters->sdram_bus_bytes,
        .row_bytes = (uint32_t)parameters->sdram_row_bytes,
        .cas_clocks = (uint32_t)parameters->sdram_cas_clocks,
        .rcd_clocks = (uint32_t)parameters->sdram_rcd_clocks,
        .rp_clocks = (uint32_t)parameters->sdram_rp_clocks,
        .burst_words = (uint32_t)parameters->sdram_burst_words,
        .wtr_clocks = (uint32_t)parameters->sdram_wtr_clocks,
        .rfc_clocks = (uint32_t)parameters->sdram_rfc_clocks,
        .banks = (uint32_t)parameters->sdram_banks,
        .ras_clocks = (uint32_t)parameters->sdram_ras_clocks,
        .rc_clocks = (uint32_t)parameters->sdram_rc_clocks,
        .rrd_clocks = (uint32_t)parameters->sdram_rrd_clocks,
        .wr_clocks = (uint32_t)parameters->sdram_wr_clocks,
        .refresh_interval_ps = parameters->sdram_refresh_interval_ps,
    };
    sdram_init(&chip->d.sdram, &sdram);
}

static enum status init_core(struct chip *chip, unsigned p, const struct chip_setup *setup)
{
    const struct machine_config *config = setup->config;
    const struct core_config on = {
        .chip = chip,
        .ports = &CORE_PORTS,
        .parameters = &chip->parameters,
        .way = &chip->d.fabric.core[p],
        .turns = &chip->turns,
        .pace = &chip->d.pace[sysctl_clock_of_core(p)],
        .run_ahead = config->run_ahead,
        .sample_every = config->observer.sample == NULL ? 0 : config->sample_cycles,
        .sample_share = config->sample_share,
        .write_buffer_entries = config->timing.write_buffer_entries,
        .place = chip->x * 4096u + chip->y * 64u + p + 1u,
        .index = p,
    };
    const struct arm968_config processor = {
        .timing = config->timing, .library = setup->library, .translator = setup->translator};
    return core_init(&chip->core[p], &chip->queues[p], &on, &processor);
}

enum status chip_init(struct chip *chip, const struct chip_setup *setup,
                      const struct topology_chip *place)
{
    const struct machine_parameters *parameters = &setup->config->parameters;
    chip->config = setup->config;
    chip->chips = setup->chips;
    chip->purposes = setup->purposes;
    chip->x = place->x;
    chip->y = place->y;
    chip->working_cores = place->cores;
    chip->place = place;
    fabric_init(&chip->d.fabric, parameters, place);
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        chip->rate[link] = fabric_rate(parameters, place, link);
    }
    chip->parameters = *parameters;
    chip->core_count = (unsigned)parameters->chip_cores;
    chip->outputs = (1u << (ROUTER_FIRST_CORE + chip->core_count)) - 1;
    chip->memory = chip_builtin_memory(chip);
    sysctl_reset(&chip->d.sysctl);
    control_init(chip);
    ahb_init(&chip->d.ahb, parameters->chip_ahb_service_ps, parameters->chip_ahb_latency_ps);
    init_sdram(chip);
    turns_init(&chip->turns);
    chip->queues = (void *)ram_map(chip->core_count * sizeof *chip->queues);
    enum status status =
        chip->queues == NULL ? STATUS_INTERNAL : blocks_init(chip, setup->register_blocks);
    if (status == STATUS_OK) {
        status = ram_init(&chip->sdram_content, parameters->sdram_bytes);
    }
    if (status == STATUS_OK) {
        status = ram_init(&chip->system_ram, parameters->chip_system_ram_bytes);
    }
    for (unsigned p = 0; p < chip->core_count && status == STATUS_OK; p++) {
        status = init_core(chip, p, setup);
    }
    return status;
}

void chip_deinit(struct chip *chip)
{
    for (unsigned p = 0; p < chip->core_count; p++) {
        core_deinit(&chip->core[p]);
    }
    ram_unmap((uint8_t *)chip->queues, chip->core_count * sizeof *chip->queues);
    blocks_deinit(chip);
    ram_deinit(&chip->sdram_content);
    ram_deinit(&chip->system_ram);
    noc_devices_destroy(chip->noc);
    drops_deinit(&chip->drops);
    event_log_deinit(&chip->log);
}

/* ---- events in the order of time ---- */

/* Records the time of the chip's next event, and the earliest time at which it can affect another
 * chip. */
static void note_next(struct chip *chip)
{
    const uint64_t core_ps = turns_first_ps(&chip->turns);
    const uint64_t own_ps = blocks_next_ps(&chip->blocks);
    chip->next_ps = earlier_of(own_ps, core_ps);
    chip->reach_ps =
        core_ps < own_ps ? earlier_of(own_ps, core_ps + fabric_way_ps(chip)) : chip->next_ps;
}

void chip_plan(struct chip *chip)
{
    control_plan(chip);
    chip->faulted = NULL; /* a core with an unreported fault reaches it again */
    note_next(chip);
}

/* False: the run ends after the event, which must be reported. */
static bool do_own_event(struct chip *chip, uint64_t now_ps)
{
    const enum register_request request = blocks_event(chip, now_ps);
    if (request == REGISTER_REQUEST_FRAME) {
        chip->frame_left = chip->config->observer.frame != NULL;
        chip->frame_ps = now_ps;
    } else if (request != REGISTER_REQUEST_NONE) {
        control_request(chip, request, now_ps);
    }
    return !chip->frame_left;
}

/* Executes the core's event.  Returns the time up to which its work is settled. */
static uint64_t core_turn(struct chip *chip, struct core *core)
{
    chip->faulted = core_do_event(core) ? NULL : core;
    return core_settled_ps(core);
}

void chip_run(struct chip *chip, uint64_t window_ps, uint64_t until_ps)
{
    chip->window_ps = window_ps;
    chip->until_ps = until_ps;
    while (chip->faulted == NULL) {
        const unsigned first = turns_first(&chip->turns);
        const uint64_t core_ps = chip->turns.time_ps[first];
        const uint64_t own_ps = blocks_next_ps(&chip->blocks);
        uint64_t event_ps = earlier_of(own_ps, core_ps);
        if (event_ps >= window_ps) {
            break;
        }
        bool goes_on = true;
        if (own_ps <= core_ps) {
            goes_on = do_own_event(chip, own_ps);
        } else {
            event_ps = later_of(event_ps, core_turn(chip, &chip->core[first]));
        }
        chip->d.last_event_ps = later_of(event_ps, chip->d.last_event_ps);
        if (!goes_on) {
            break;
        }
    }
    note_next(chip);
}

bool chip_report(struct chip *chip)
{
    struct core *core = chip->faulted;
    if (chip->frame_left) {
        chip->frame_left = false;
        tell_frame(chip);
        return false;
    }
    chip->faulted = NULL;
    return core_report_fault(core);
}

/* ---- memory as the host sees it ---- */

static bool host_range(const struct chip *chip, uint32_t address, uint32_t count,
                       struct memory_place *place)
{
    *place = memory_map_find(address);
    const uint32_t size = place->bus == MEMORY_BUS_SDRAM ? (uint32_t)chip->parameters.sdram_bytes
                                                         : chip->system_ram.size;
    const bool memory = place->block == MEMORY_SDRAM || place->block == MEMORY_SYSRAM;
    return memory && place->offset < size && size - place->offset >= count;
}

bool chip_peek(const struct chip *chip, const struct core *core, uint32_t address, uint8_t *bytes,
               uint32_t count)
{
    const uint8_t *tcm = core_tcm(core, address, count);
    struct memory_place place;
    if (tcm != NULL) {
        memcpy(bytes, tcm, count);
    } else if (!host_range(chip, address, count, &place)) {
        return false;
    } else if (place.bus == MEMORY_BUS_SDRAM) {
        chip->memory.peek(chip->memory.context, place.offset, bytes, count);
    } else {
        ram_copy_out(&chip->system_ram, place.offset, bytes, count);
    }
    return true;
}

bool chip_poke(struct chip *chip, struct core *core, uint32_t address, const uint8_t *bytes,
               uint32_t count)
{
    uint8_t *tcm = core_tcm(core, address, count);
    struct memory_place place;
    if (tcm != NULL) {
        memcpy(tcm, bytes, count);
        arm968_code_written(core->cpu, address, count);
    } else if (!host_range(chip, address, count, &place)) {
        return false;
    } else if (place.bus == MEMORY_BUS_SDRAM) {
        chip->memory.poke(chip->memory.context, place.offset, bytes, count);
    } else {
        ram_copy_in(&chip->system_ram, place.offset, bytes, count, false);
    }
    return true;
}
