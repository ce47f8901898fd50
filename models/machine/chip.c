/* chip.c - see chip.h. */
#include "models/machine/chip.h"

#include "models/common/bits.h"
#include "models/machine/core_ahead.h"
#include "models/machine/core_private.h"
#include "models/machine/machine_state.h"

#include <string.h>

enum { WORD_BYTES = 4 };

const struct counter_info *chip_counter_info(size_t *count)
{
    static const struct counter_info INFO[] = {
#define COUNTER COUNTER_INFO
#include "models/machine/chip_counters.def"
#undef COUNTER
    };
    _Static_assert(sizeof INFO / sizeof *INFO == sizeof(struct chip_counters) / sizeof(uint64_t),
                   "one name for each counter");
    *count = sizeof INFO / sizeof *INFO;
    return INFO;
}

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

/* ---- life cycle ---- */

enum status chip_init(struct chip *chip, struct machine *machine,
                      const struct machine_config *config, const struct topology_chip *place)
{
    const struct machine_parameters *parameters = &config->parameters;
    memset(chip, 0, sizeof *chip);
    chip->machine = machine;
    chip->x = place->x;
    chip->y = place->y;
    chip->working_cores = place->cores;
    chip->place = place;
    fabric_init(&chip->d.fabric, parameters, place);
    chip->parameters = *parameters;
    chip->timing = config->timing;
    chip->core_count = (unsigned)parameters->chip_cores;
    chip->outputs = (1u << (ROUTER_FIRST_CORE + chip->core_count)) - 1;
    chip->observer = &config->observer;
    chip->memory = chip_builtin_memory(chip);
    sysctl_reset(&chip->d.sysctl);
    control_init(chip);
    pl340_reset(&chip->d.pl340);
    watchdog_reset(&chip->d.watchdog, 0);
    ahb_init(&chip->d.ahb, parameters->chip_ahb_service_ps, parameters->chip_ahb_latency_ps);
    const struct sdram_config sdram = {
        .clock = clock_slower(chip->d.pace[SYSCTL_CLOCK_MEMORY].clock, 2),
        .bus_bytes = (uint32_t)parameters->sdram_bus_bytes,
        .row_bytes = (uint32_t)parameters->sdram_row_bytes,
        .cas_clocks = (uint32_t)parameters->sdram_cas_clocks,
        .rcd_clocks = (uint32_t)parameters->sdram_rcd_clocks,
        .rp_clocks = (uint32_t)parameters->sdram_rp_clocks,
        .burst_words = (uint32_t)parameters->sdram_burst_words,
        .wtr_clocks = (uint32_t)parameters->sdram_wtr_clocks,
        .rfc_clocks = (uint32_t)parameters->sdram_rfc_clocks,
        .refresh_interval_ps = parameters->sdram_refresh_interval_ps,
    };
    sdram_init(&chip->d.sdram, &sdram);
    enum status status = ram_init(&chip->sdram_content, parameters->sdram_bytes);
    if (status == STATUS_OK) {
        status = ram_init(&chip->system_ram, parameters->chip_system_ram_bytes);
    }
    chip->library = machine->library;
    chip->translator = machine->translator;
    turns_init(&chip->turns);
    for (unsigned p = 0; p < CHIP_CORES; p++) {
        chip->core_next_ps[p] = TIME_NEVER;
    }
    for (unsigned p = 0; p < chip->core_count && status == STATUS_OK; p++) {
        status = core_init(&chip->core[p], chip, (uint8_t)p);
    }
    return status;
}

void chip_deinit(struct chip *chip)
{
    for (unsigned p = 0; p < chip->core_count; p++) {
        core_deinit(&chip->core[p]);
    }
    ram_deinit(&chip->sdram_content);
    ram_deinit(&chip->system_ram);
    drops_deinit(&chip->drops);
}

/* ---- what is not modelled ---- */

void chip_unmodelled(struct chip *chip, const struct core *core, struct memory_place place,
                     bool write)
{
    struct chip_data *d = &chip->d;
    d->counters.unmodelled_accesses++;
    for (unsigned i = 0; i < d->unmodelled_count; i++) {
        struct unmodelled_place *known = &d->unmodelled[i];
        if (known->block == place.block && known->offset == place.offset && known->write == write) {
            known->count++;
            return;
        }
    }
    if (d->unmodelled_count < CHIP_UNMODELLED) {
        d->unmodelled[d->unmodelled_count++] = (struct unmodelled_place){.block = place.block,
                                                                         .offset = place.offset,
                                                                         .write = write,
                                                                         .first_core = core->index,
                                                                         .count = 1};
    }
}

/* The boot area shows System RAM, or the boot ROM. */
static struct memory_place behind_boot_area(const struct chip *chip, struct memory_place place)
{
    if (place.block == MEMORY_BOOT) {
        place.block = sysctl_boot_from_ram(&chip->d.sysctl) ? MEMORY_SYSRAM : MEMORY_ROM;
    }
    return place;
}

/* ---- register blocks behind the AHB, and the core's DMA controller ---- */

/* Interrupt bits that a write to the system controller has changed, on their way to the cores. */
static void send_signals(struct chip *chip, uint32_t changed, uint64_t now_ps)
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
    send_signals(chip, before ^ chip->d.sysctl.irq, now_ps);
}

static enum register_reply sysctl_word(struct chip *chip, struct memory_place place,
                                       const struct arm968_access *access, uint32_t *word,
                                       uint64_t now_ps)
{
    struct sysctl *sysctl = &chip->d.sysctl;
    if (access->size != WORD_BYTES) {
        return REGISTER_BUS_ERROR;
    }
    if (access->kind == ARM968_WRITE) {
        struct sysctl_effects effects;
        const enum register_reply reply =
            sysctl_write32(sysctl, place.offset, access->privileged, *word, &effects);
        send_signals(chip, effects.irq, now_ps);
        control_ask(chip, &effects, now_ps);
        chip_update_lines(chip, now_ps);
        return reply;
    }
    sysctl->sleeping = 0;
    for (unsigned p = 0; p < chip->core_count; p++) {
        sysctl->sleeping |= (core_asleep_at(&chip->core[p], now_ps) ? 1u : 0u) << p;
    }
    return sysctl_read32(sysctl, place.offset, access->privileged, word);
}

static enum register_reply dma_word(struct core *core, struct memory_place place,
                                    const struct arm968_access *access, uint32_t *word,
                                    uint64_t now_ps)
{
    struct dma_ctrl *dma = &core->d.dma;
    if (access->size != WORD_BYTES) {
        return REGISTER_BUS_ERROR;
    }
    if (access->kind != ARM968_WRITE) {
        return dma_ctrl_read32(dma, place.offset, access->privileged, word);
    }
    bool started;
    const enum register_reply reply =
        dma_ctrl_write32(dma, place.offset, access->privileged, *word, &started);
    struct dma_burst burst;
    if (started) {
        core->d.dma_begun = false;
        core->d.dma_ps = now_ps + cycles_to_ps(core_pace(core)->clock,
                                               core->chip->parameters.chip_dma_setup_cycles);
    } else if (!dma_ctrl_next_burst(dma, &burst)) { /* aborted: the burst under way is lost */
        core->d.dma_begun = false;
        core->d.dma_ps = TIME_NEVER;
    }
    return reply;
}

static enum register_reply comms_word(struct core *core, struct memory_place place,
                                      const struct arm968_access *access, uint32_t *word,
                                      uint64_t now_ps)
{
    struct comms_ctrl *comms = &core->d.comms;
    bool sent = false;
    core_advance_transmitter(core, now_ps);
    if (access->size != WORD_BYTES) {
        return REGISTER_BUS_ERROR;
    }
    if (access->kind != ARM968_WRITE) {
        const enum register_reply reply = comms_ctrl_read32(comms, place.offset, word);
        fabric_core_read(core->chip, core->index, now_ps);
        return reply;
    }
    const enum register_reply reply = comms_ctrl_write32(comms, place.offset, *word, &sent);
    if (sent) {
        core->d.sends++;
        fabric_core_sent(core->chip, core->index, now_ps);
    }
    return reply;
}

static enum register_reply router_word(struct chip *chip, struct memory_place place,
                                       const struct arm968_access *access, uint32_t *word,
                                       uint64_t now_ps)
{
    if (access->size != WORD_BYTES) {
        return REGISTER_BUS_ERROR;
    }
    return access->kind == ARM968_WRITE ? fabric_write32(chip, place.offset, *word, now_ps)
                                        : fabric_read32(chip, place.offset, now_ps, word);
}

static enum register_reply pl340_word(struct chip *chip, struct memory_place place,
                                      const struct arm968_access *access, uint32_t *word)
{
    struct pl340 *pl340 = &chip->d.pl340;
    if (access->size != WORD_BYTES) {
        return REGISTER_BUS_ERROR;
    }
    return access->kind == ARM968_WRITE ? pl340_write32(pl340, place.offset, *word)
                                        : pl340_read32(pl340, place.offset, word);
}

/* The interrupts that all cores share, each at the bit of its source. */
static uint32_t shared_lines(const struct chip *chip)
{
    const unsigned router = router_interrupts(&chip->d.fabric.router);
    const uint32_t pins = sysctl_pins(&chip->d.sysctl);
    return (bits_test(pins, 8) ? 1u << VIC_SOURCE_GPIO8 : 0u) |
           (bits_test(pins, 9) ? 1u << VIC_SOURCE_GPIO9 : 0u) |
           (watchdog_interrupt(&chip->d.watchdog) ? 1u << VIC_SOURCE_WATCHDOG : 0u) |
           ((router & ROUTER_INTERRUPT_COUNTER) != 0 ? 1u << VIC_SOURCE_ROUTER_COUNTER : 0u) |
           ((router & ROUTER_INTERRUPT_DUMP) != 0 ? 1u << VIC_SOURCE_ROUTER_DUMP : 0u) |
           ((router & ROUTER_INTERRUPT_ERROR) != 0 ? 1u << VIC_SOURCE_ROUTER_ERROR : 0u);
}

void chip_update_lines(struct chip *chip, uint64_t now_ps)
{
    const uint32_t lines = shared_lines(chip);
    for (uint32_t left = lines ^ chip->d.lines; left != 0; left &= left - 1) {
        const unsigned source = bits_lowest(left);
        for (unsigned p = 0; p < chip->core_count; p++) {
            core_signal(&chip->core[p], (enum vic_source)source, bits_test(lines, source),
                        now_ps + chip->parameters.chip_signal_floor_ps);
        }
    }
    chip->d.lines = lines;
}

/* Finds out when the watchdog will next do something. */
static void plan_watchdog(struct chip *chip)
{
    const uint64_t tick = watchdog_next_tick(&chip->d.watchdog);
    chip->watchdog_ps =
        tick == UINT64_MAX ? TIME_NEVER : pace_ps(&chip->d.pace[SYSCTL_CLOCK_SYSTEM], tick);
}

/* One of its outputs rises. */
static void watchdog_act(struct chip *chip)
{
    struct watchdog *watchdog = &chip->d.watchdog;
    const uint64_t now_ps = chip->watchdog_ps;
    watchdog_advance(watchdog, watchdog_next_tick(watchdog));
    plan_watchdog(chip);
    chip_update_lines(chip, now_ps);
    control_watchdog(chip, watchdog_reset_request(watchdog), now_ps);
}

/* Edges of its clock so far. */
static uint64_t watchdog_tick(const struct chip *chip, uint64_t now_ps)
{
    return pace_cycle_up(&chip->d.pace[SYSCTL_CLOCK_SYSTEM], now_ps + 1) - 1;
}

static enum register_reply watchdog_word(struct chip *chip, struct memory_place place,
                                         const struct arm968_access *access, uint32_t *word,
                                         uint64_t now_ps)
{
    struct watchdog *watchdog = &chip->d.watchdog;
    const uint64_t tick = watchdog_tick(chip, now_ps);
    if (access->size != WORD_BYTES) {
        return REGISTER_BUS_ERROR;
    }
    if (access->kind != ARM968_WRITE) {
        return watchdog_read32(watchdog, place.offset, tick, word);
    }
    const enum register_reply reply = watchdog_write32(watchdog, place.offset, *word, tick);
    plan_watchdog(chip);
    chip_update_lines(chip, now_ps);
    return reply;
}

static enum register_reply system_ram_datum(struct chip *chip, struct memory_place place,
                                            const struct arm968_access *access, uint32_t *datum)
{
    if (access->kind == ARM968_WRITE) {
        ram_write(&chip->system_ram, place.offset, access->size, *datum);
    } else {
        *datum = ram_read(&chip->system_ram, place.offset, access->size);
    }
    return REGISTER_OK;
}

/* One datum of an access that is not to SDRAM. */
static enum register_reply register_datum(struct chip *chip, struct core *core,
                                          struct memory_place place,
                                          const struct arm968_access *access, uint32_t *datum,
                                          uint64_t now_ps)
{
    if (place.block == MEMORY_SYSRAM) {
        return system_ram_datum(chip, place, access, datum);
    }
    if (place.block == MEMORY_SYSCTL) {
        return sysctl_word(chip, place, access, datum, now_ps);
    }
    if (place.block == MEMORY_DMA) {
        return dma_word(core, place, access, datum, now_ps);
    }
    if (place.block == MEMORY_PL340) {
        return pl340_word(chip, place, access, datum);
    }
    if (place.block == MEMORY_WATCHDOG) {
        return watchdog_word(chip, place, access, datum, now_ps);
    }
    if (place.block == MEMORY_COMMS) {
        return comms_word(core, place, access, datum, now_ps);
    }
    if (place.block == MEMORY_ROUTER) {
        return router_word(chip, place, access, datum, now_ps);
    }
    if (access->kind == ARM968_FETCH) { /* no code there: nor in the boot ROM, which is empty */
        chip_unmodelled(chip, core, place, false);
        return REGISTER_BUS_ERROR;
    }
    if (access->kind != ARM968_WRITE) { /* no other block is modelled yet */
        *datum = 0;
    }
    return REGISTER_UNMODELLED;
}

static void access_registers(struct chip *chip, struct core *core, struct memory_place place,
                             struct arm968_access *access, uint64_t now_ps)
{
    struct arm968_access single = *access;
    const bool swap = access->kind == ARM968_SWAP;
    for (unsigned i = 0; i < access->words && !access->abort; i++) {
        uint32_t datum = access->data[i];
        single.kind = swap ? ARM968_READ : access->kind;
        enum register_reply reply = register_datum(chip, core, place, &single, &datum, now_ps);
        if (swap && reply == REGISTER_OK) {
            single.kind = ARM968_WRITE;
            reply = register_datum(chip, core, place, &single, &access->data[i], now_ps);
        }
        access->data[i] = datum;
        access->abort = reply == REGISTER_BUS_ERROR;
        if (reply == REGISTER_UNMODELLED) {
            chip_unmodelled(chip, core, place, access->kind == ARM968_WRITE);
        }
        place.offset += WORD_BYTES;
    }
}

bool chip_neighbour_access(struct chip *chip, uint32_t address, bool write, uint32_t *word,
                           uint64_t now_ps)
{
    const struct memory_place place = behind_boot_area(chip, memory_map_find_system(address));
    const struct arm968_access access = {.kind = write ? ARM968_WRITE : ARM968_READ,
                                         .address = address,
                                         .size = WORD_BYTES,
                                         .words = 1,
                                         .privileged = true};
    if (place.bus == MEMORY_BUS_SDRAM) {
        uint8_t bytes[WORD_BYTES];
        memcpy(bytes, word, sizeof bytes);
        (void)chip->memory.access(chip->memory.context, now_ps, place.offset, bytes, sizeof bytes,
                                  write);
        memcpy(word, bytes, sizeof bytes);
        return true;
    }
    if (place.bus != MEMORY_BUS_AHB) {
        return false;
    }
    struct core *first = &chip->core[0]; /* named where the block is not modelled */
    const enum register_reply reply = register_datum(chip, first, place, &access, word, now_ps);
    if (reply == REGISTER_UNMODELLED) {
        chip_unmodelled(chip, first, place, write);
    }
    return reply != REGISTER_BUS_ERROR;
}

/* ---- accesses ---- */

static void access_sdram_data(struct arm968_access *access, uint8_t *bytes, bool to_bytes)
{
    for (unsigned i = 0; i < access->words; i++) {
        if (to_bytes) {
            memcpy(bytes + (size_t)i * access->size, &access->data[i], access->size);
        } else {
            access->data[i] = 0;
            memcpy(&access->data[i], bytes + (size_t)i * access->size, access->size);
        }
    }
}

static uint64_t access_sdram(struct core *core, struct memory_place place,
                             struct arm968_access *access, uint64_t arrival_ps)
{
    uint8_t bytes[WORD_BYTES * ARM968_ACCESS_WORDS];
    const struct machine_memory_port *port = &core->chip->memory;
    const uint32_t count = (uint32_t)access->words * access->size;
    uint64_t done_ps = arrival_ps;
    uint8_t to_write[sizeof bytes];
    access_sdram_data(access, to_write, true);
    if (access->kind != ARM968_WRITE) {
        core->d.traffic.bytes_read += count;
        done_ps = port->access(port->context, done_ps, place.offset, bytes, count, false);
        access_sdram_data(access, bytes, false);
    }
    if (access->kind == ARM968_WRITE || access->kind == ARM968_SWAP) {
        core->d.traffic.bytes_written += count;
        done_ps = port->access(port->context, done_ps, place.offset, to_write, count, true);
    }
    return done_ps;
}

/* Time that each further word of a burst costs, and that the prefetch buffer saves on a sequential
 * fetch. */
static uint64_t access_extra_ps(const struct core *core, const struct arm968_access *access,
                                uint64_t done_ps, uint64_t now_ps)
{
    const struct machine_parameters *parameters = &core->chip->parameters;
    const struct clock clock = core_pace(core)->clock;
    if (access->words > 1) {
        const uint64_t more = access->words - 1u;
        return done_ps + cycles_to_ps(clock, more * parameters->chip_burst_word_cycles);
    }
    if (access->kind == ARM968_FETCH && access->sequential) {
        /* The word was asked for while the one before was executed: it is there after the
         * sequential time, unless others held it up for longer than that saves. */
        const uint64_t least_ps =
            now_ps + cycles_to_ps(clock, parameters->chip_fetch_sequential_cycles);
        const uint64_t saved_ps = cycles_to_ps(clock, parameters->chip_fetch_sequential_cycles);
        const uint64_t early_ps = done_ps > saved_ps ? done_ps - saved_ps : 0;
        return early_ps > least_ps ? early_ps : least_ps;
    }
    return done_ps;
}

uint64_t chip_access(struct chip *chip, struct core *core, struct arm968_access *access,
                     uint64_t now_ps)
{
    const struct machine_parameters *parameters = &chip->parameters;
    const struct memory_place place = behind_boot_area(chip, memory_map_find(access->address));
    const uint64_t arrival_ps = now_ps + parameters->chip_noc_request_ps;
    uint64_t done_ps;
    access->abort = false;
    switch (place.bus) {
    case MEMORY_BUS_SDRAM:
        done_ps = access_sdram(core, place, access, arrival_ps) + parameters->chip_noc_response_ps;
        break;
    case MEMORY_BUS_AHB:
        access_registers(chip, core, place, access, now_ps);
        done_ps =
            ahb_request(&chip->d.ahb, arrival_ps, access->words) + parameters->chip_noc_response_ps;
        break;
    case MEMORY_BUS_LOCAL:
    case MEMORY_BUS_PRIVATE:
    case MEMORY_BUS_NONE:
    default: {
        access_registers(chip, core, place, access, now_ps);
        const uint64_t extra = access->kind == ARM968_WRITE
                                   ? parameters->chip_peripheral_write_cycles
                                   : parameters->chip_peripheral_read_cycles;
        done_ps = now_ps + cycles_to_ps(core_pace(core)->clock, extra + 1);
        break;
    }
    }
    chip->d.counters.bus_errors += access->abort;
    return access_extra_ps(core, access, done_ps, now_ps);
}

/* The words of a burst that are not SDRAM's; false: one was refused. */
static bool burst_words(struct core *core, struct memory_place place, const struct dma_burst *burst,
                        uint8_t *data, uint64_t now_ps)
{
    const struct arm968_access word = {.kind = burst->to_system ? ARM968_WRITE : ARM968_READ,
                                       .size = WORD_BYTES,
                                       .words = 1,
                                       .privileged = true};
    for (uint32_t at = 0; at < burst->bytes; at += WORD_BYTES) {
        uint32_t datum = 0;
        memcpy(&datum, data + at, burst->to_system ? sizeof datum : 0);
        const enum register_reply reply =
            register_datum(core->chip, core, place, &word, &datum, now_ps);
        if (reply == REGISTER_BUS_ERROR) {
            return false;
        }
        if (reply == REGISTER_UNMODELLED) {
            chip_unmodelled(core->chip, core, place, burst->to_system);
        }
        memcpy(data + at, &datum, sizeof datum);
        place.offset += WORD_BYTES;
    }
    return true;
}

uint64_t chip_burst(struct core *core, const struct dma_burst *burst, uint8_t *data,
                    uint64_t now_ps, bool *bus_error)
{
    struct chip *chip = core->chip;
    const struct machine_parameters *parameters = &chip->parameters;
    const struct memory_place place =
        behind_boot_area(chip, memory_map_find_system(burst->system_address));
    const uint64_t arrival_ps = now_ps + parameters->chip_noc_request_ps;
    *bus_error = false;
    if (place.bus == MEMORY_BUS_SDRAM) {
        struct core_traffic *traffic = &core->d.traffic;
        *(burst->to_system ? &traffic->bytes_written : &traffic->bytes_read) += burst->bytes;
        return chip->memory.access(chip->memory.context, arrival_ps, place.offset, data,
                                   burst->bytes, burst->to_system) +
               parameters->chip_noc_response_ps;
    }
    *bus_error = place.bus != MEMORY_BUS_AHB || !burst_words(core, place, burst, data, now_ps);
    if (*bus_error) {
        return arrival_ps + parameters->chip_noc_response_ps;
    }
    return ahb_request(&chip->d.ahb, arrival_ps, burst->bytes / WORD_BYTES) +
           parameters->chip_noc_response_ps;
}

/* ---- acts in the order of time ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What belongs to no core: the system controller, the fabric and the watchdog, in this order at
 * equal times. */
static uint64_t own_next_ps(const struct chip *chip)
{
    const uint64_t others_ps = least(chip->d.control.at_ps, chip->watchdog_ps);
    return least(fabric_next_ps(&chip->d.fabric), others_ps);
}

static void own_act(struct chip *chip, uint64_t now_ps)
{
    if (chip->d.control.at_ps == now_ps) {
        control_act(chip);
        plan_watchdog(chip);
    } else if (fabric_next_ps(&chip->d.fabric) == now_ps) {
        fabric_act(chip);
    } else {
        watchdog_act(chip);
        plan_watchdog(chip); /* which can have reset itself */
    }
}

/* Notes when the chip will next do something, and when that can first leave it. */
static void note_next(struct chip *chip)
{
    const uint64_t core_ps = chip->core_next_ps[turns_first(&chip->turns)];
    const uint64_t own_ps = own_next_ps(chip);
    chip->next_ps = least(own_ps, core_ps);
    chip->reach_ps =
        core_ps < own_ps ? least(own_ps, core_ps + fabric_way_ps(chip)) : chip->next_ps;
}

void chip_plan(struct chip *chip)
{
    for (unsigned p = 0; p < chip->core_count; p++) {
        core_private_plan(&chip->core[p]);
        core_plan(&chip->core[p]);
    }
    plan_watchdog(chip);
    chip->faulted = NULL; /* who stands before a fault comes to it again */
    note_next(chip);
}

struct core_outlook chip_outlook(const struct chip *chip)
{
    const unsigned second = turns_second(&chip->turns);
    const uint64_t foreign_ps = least(chip->window_ps, chip->core_next_ps[second]);
    const uint64_t own_ps = own_next_ps(chip);
    if (foreign_ps < chip->window_ps) {
        core_prefetch(&chip->core[second]);
    }
    return (struct core_outlook){.limit_ps = chip->until_ps,
                                 .others_ps = least(own_ps, foreign_ps),
                                 .packet_ps = least(own_ps, foreign_ps + fabric_way_ps(chip))};
}

/* The core whose turn it is acts.  Up to when what it has done is settled. */
static uint64_t core_turn(struct chip *chip, struct core *core)
{
    chip->faulted = core_act(core) ? NULL : core;
    return core_settled_ps(core);
}

void chip_run(struct chip *chip, uint64_t window_ps, uint64_t until_ps)
{
    chip->window_ps = window_ps;
    chip->until_ps = until_ps;
    while (chip->faulted == NULL) {
        const unsigned first = turns_first(&chip->turns);
        const uint64_t core_ps = chip->core_next_ps[first];
        const uint64_t own_ps = own_next_ps(chip);
        uint64_t act_ps = least(own_ps, core_ps);
        if (act_ps >= window_ps) {
            break;
        }
        if (own_ps <= core_ps) {
            own_act(chip, own_ps);
        } else {
            act_ps = later(act_ps, core_turn(chip, &chip->core[first]));
        }
        chip->d.last_act_ps = later(act_ps, chip->d.last_act_ps);
    }
    note_next(chip);
}

bool chip_report_fault(struct chip *chip)
{
    struct core *core = chip->faulted;
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
