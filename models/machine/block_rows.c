/* block_rows.c - the register blocks that use more of their chip than their own state: effects on
 * the chip besides reading and writing their registers. */
#include "models/chip/ethernet.h"
#include "models/common/bits.h"
#include "models/machine/blocks.h"
#include "models/machine/chip.h"

#include <stddef.h>
#include <string.h>

/* ---- system controller ---- */

static enum register_reply read_sysctl(const struct register_access *at, uint32_t *word)
{
    struct sysctl *sysctl = &at->chip->d.sysctl;
    sysctl->sleeping = 0;
    for (unsigned p = 0; p < at->chip->core_count; p++) {
        sysctl->sleeping |= (core_asleep_at(&at->chip->core[p], at->now_ps) ? 1u : 0u) << p;
    }
    return sysctl_read32(sysctl, at->offset, at->privileged, word);
}

/* The pins may have changed. */
static void listen_to_serial_rom(struct chip *chip)
{
    struct sysctl *sysctl = &chip->d.sysctl;
    const uint32_t pin = 1u << SERIAL_ROM_PIN_OUT;
    const bool high = serial_rom_pins(&chip->d.serial_rom, sysctl_pins(sysctl));
    sysctl_drive(sysctl, pin, high ? pin : 0);
}

static enum register_reply write_sysctl(const struct register_access *at, uint32_t word)
{
    struct sysctl_effects effects;
    const enum register_reply reply =
        sysctl_write32(&at->chip->d.sysctl, at->offset, at->privileged, word, &effects);
    if (at->chip->d.serial_rom.fitted != 0) {
        listen_to_serial_rom(at->chip);
    }
    chip_send_signals(at->chip, effects.irq, at->now_ps);
    control_ask(at->chip, &effects, at->now_ps);
    return reply;
}

static enum register_request control_due(struct chip *chip, void *state, uint64_t tick)
{
    (void)state;
    (void)tick;
    control_event(chip);
    return REGISTER_REQUEST_NONE;
}

static uint32_t sysctl_lines(const struct chip *chip, const void *state)
{
    (void)state;
    const uint32_t pins = sysctl_pins(&chip->d.sysctl);
    return (bits_test(pins, 8) ? 1u << VIC_SOURCE_GPIO8 : 0u) |
           (bits_test(pins, 9) ? 1u << VIC_SOURCE_GPIO9 : 0u);
}

/* control.c resets its state with the chip, and passes the reason. */
const struct register_block SYSCTL_BLOCK = {.place = MEMORY_SYSCTL,
                                            .read = read_sysctl,
                                            .write = write_sysctl,
                                            .next_at = offsetof(struct chip, d.control.at_ps),
                                            .event = control_due,
                                            .lines = sysctl_lines};

/* ---- router ---- */

static enum register_reply read_router(const struct register_access *at, uint32_t *word)
{
    return fabric_read32(at->chip, at->offset, at->now_ps, word);
}

static enum register_reply write_router(const struct register_access *at, uint32_t word)
{
    return fabric_write32(at->chip, at->offset, word, at->now_ps);
}

static enum register_request fabric_due(struct chip *chip, void *state, uint64_t tick)
{
    (void)state;
    (void)tick;
    fabric_event(chip);
    return REGISTER_REQUEST_NONE;
}

static uint32_t router_lines(const struct chip *chip, const void *state)
{
    (void)state;
    const unsigned router = router_interrupts(&chip->d.fabric.router);
    return ((router & ROUTER_INTERRUPT_COUNTER) != 0 ? 1u << VIC_SOURCE_ROUTER_COUNTER : 0u) |
           ((router & ROUTER_INTERRUPT_DUMP) != 0 ? 1u << VIC_SOURCE_ROUTER_DUMP : 0u) |
           ((router & ROUTER_INTERRUPT_ERROR) != 0 ? 1u << VIC_SOURCE_ROUTER_ERROR : 0u);
}

static const void *router_counts(const struct chip *chip, const void *state)
{
    (void)state;
    return &chip->d.fabric.router.counters;
}

/* Reset by the fabric: fabric_set_parts(). */
const struct register_block ROUTER_BLOCK = {.place = MEMORY_ROUTER,
                                            .read = read_router,
                                            .write = write_router,
                                            .next_at = offsetof(struct chip, d.fabric.next_ps),
                                            .event = fabric_due,
                                            .lines = router_lines,
                                            .component = "router",
                                            .counter_info = router_counter_info,
                                            .counters = router_counts};

/* ---- a core's DMA and communications controllers ---- */

static enum register_reply read_dma(const struct register_access *at, uint32_t *word)
{
    return dma_ctrl_read32(&at->core->d.dma, at->offset, at->privileged, word);
}

static enum register_reply write_dma(const struct register_access *at, uint32_t word)
{
    struct core *core = at->core;
    struct dma_ctrl *dma = &core->d.dma;
    struct dma_burst burst;
    bool started;
    const enum register_reply reply =
        dma_ctrl_write32(dma, at->offset, at->privileged, word, &started);
    if (started) {
        core->d.dma_begun = false;
        core->d.dma_ps = at->now_ps + cycles_to_ps(core_pace(core)->clock,
                                                   at->chip->parameters.chip_dma_setup_cycles);
    } else if (!dma_ctrl_next_burst(dma, &burst)) { /* aborted: the current burst is lost */
        core->d.dma_begun = false;
        core->d.dma_ps = TIME_NEVER;
    }
    return reply;
}

const struct register_block DMA_BLOCK = {.place = MEMORY_DMA, .read = read_dma, .write = write_dma};

static enum register_reply read_comms(const struct register_access *at, uint32_t *word)
{
    core_advance_transmitter(at->core, at->now_ps);
    const enum register_reply reply = comms_ctrl_read32(&at->core->d.comms, at->offset, word);
    fabric_core_read(at->chip, at->core->on.index, at->now_ps);
    return reply;
}

static enum register_reply write_comms(const struct register_access *at, uint32_t word)
{
    bool sent = false;
    core_advance_transmitter(at->core, at->now_ps);
    const enum register_reply reply =
        comms_ctrl_write32(&at->core->d.comms, at->offset, word, &sent);
    if (sent) {
        at->core->d.sends++;
        fabric_core_sent(at->chip, at->core->on.index, at->now_ps);
    }
    return reply;
}

const struct register_block COMMS_BLOCK = {
    .place = MEMORY_COMMS, .read = read_comms, .write = write_comms};

/* ---- System RAM: no registers, but a row of the table ---- */

static enum register_reply read_ram(const struct register_access *at, uint32_t *datum)
{
    *datum = ram_read(&at->chip->system_ram, at->offset, at->size);
    return REGISTER_OK;
}

static enum register_reply write_ram(const struct register_access *at, uint32_t datum)
{
    ram_write(&at->chip->system_ram, at->offset, at->size, datum);
    return REGISTER_OK;
}

const struct register_block SYSTEM_RAM_BLOCK = {
    .place = MEMORY_SYSRAM, .parts_of_words = true, .read = read_ram, .write = write_ram};

/* ---- boot ROM, if the machine has one ---- */

static bool has_boot_rom(const struct chip *chip)
{
    return chip->config->boot_rom != NULL;
}

static enum register_reply read_rom(const struct register_access *at, uint32_t *datum)
{
    const struct machine_config *config = at->chip->config;
    const uint32_t offset = at->offset % MACHINE_BOOT_ROM_BYTES;
    *datum = 0;
    if (offset + at->size <= config->boot_rom_bytes) {
        memcpy(datum, config->boot_rom + offset, at->size);
    }
    return REGISTER_OK;
}

static enum register_reply write_rom(const struct register_access *at, uint32_t datum)
{
    (void)at;
    (void)datum;
    return REGISTER_BUS_ERROR; /* SARK's example data_abort shows it */
}

const struct register_block BOOT_ROM_BLOCK = {.place = MEMORY_ROM,
                                              .fitted = has_boot_rom,
                                              .parts_of_words = true,
                                              .read = read_rom,
                                              .write = write_rom};

/* ---- Ethernet, on the first chip of each board ---- */

static bool has_ethernet(const struct chip *chip)
{
    const struct topology_chip *place = chip->place;
    return chip->config->ethernet && place->ethernet_x == place->x && place->ethernet_y == place->y;
}

static enum register_reply read_ethernet(const struct register_access *at, uint32_t *datum)
{
    return ethernet_read(at->state, at->offset, at->size, datum);
}

static enum register_reply write_ethernet(const struct register_access *at, uint32_t datum)
{
    return ethernet_write(at->state, at->offset, at->size, datum, at->now_ps);
}

static void reset_ethernet(void *state, uint64_t tick)
{
    (void)tick;
    ethernet_reset(state);
}

static uint64_t next_frame_ps(const void *state)
{
    return ethernet_next_ps(state);
}

static enum register_request end_frame(struct chip *chip, void *state, uint64_t tick)
{
    (void)chip;
    (void)tick;
    return ethernet_event(state) ? REGISTER_REQUEST_FRAME : REGISTER_REQUEST_NONE;
}

static uint32_t lines_of_ethernet(const struct chip *chip, const void *state)
{
    (void)chip;
    return ethernet_lines(state);
}

static const void *ethernet_counts(const struct chip *chip, const void *state)
{
    (void)chip;
    return &((const struct ethernet *)state)->counters;
}

const struct register_block ETHERNET_BLOCK = {.place = MEMORY_ETHERNET,
                                              .fitted = has_ethernet,
                                              .parts_of_words = true,
                                              .state_bytes = sizeof(struct ethernet),
                                              .read = read_ethernet,
                                              .write = write_ethernet,
                                              .reset = reset_ethernet,
                                              .part = SYSCTL_PART_CHIP,
                                              .next_ps = next_frame_ps,
                                              .event = end_frame,
                                              .lines = lines_of_ethernet,
                                              .component = "ethernet",
                                              .counter_info = ethernet_counter_info,
                                              .counters = ethernet_counts};
