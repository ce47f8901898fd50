/* handover.c - see handover.h. */
#include "sim/load/handover.h"

#include "models/common/bits.h"
#include "sim/load/boot_blocks.h"
#include "sim/load/sark_layout.h"
#include "sim/steps.h"

#include <string.h>

/* Places and values that the boot ROM leaves (its sources: boot ROM 2.1; SpiNNaker datasheet
 * v2.02), and the part of a boot image that SC&MP copies into its system variables
 * (spinnaker_tools, tools/boot/sark.struct, scamp/Makefile). */
#define IMAGE_AT       0x00408000u /* the upper half of the monitor's DTCM, ... */
#define ITCM_AT        0x00000000u /* ... and a copy, which is entered */
#define SERIAL_ROM     0xf5007fe0u
#define ROUTER_CONTROL 0xf1000000u
#define SYSCTL         0xf2000000u
#define PHY_CONTROL    0xf400c01cu

enum {
    IMAGE_VARIABLES = 384, /* first half of the system variables in the image */
    IMAGE_VARIABLES_BYTES = SARK_SV_BYTES / 2,

    SYSCTL_SET_OK = 0x10,
    SYSCTL_MISC_CONTROL = 0x38,
    SYSCTL_ARBITRATION = 0x80,
    MISC_CONTROL = 0xe, /* serial ROM read, monitor elected, chip set up */

    ROUTER_ON = 0x2f2f0001, /* its waits, and on */
    ROUTER_MONITOR = 8,     /* lowest bit of the monitor's number */

    SERIAL_ROM_FLAGS = 0x8009, /* present, the PHY is to be set up, Ethernet */
    SERIAL_ROM_VERSION = 4,    /* lowest bit */
    PHY_RUNS = 1
};

uint8_t handover_hardware_version(enum topology_shape shape)
{
    return shape == TOPOLOGY_SPIN3 ? 3 : 5;
}

static const struct handover_board *board_of(const struct handover_setup *setup,
                                             const struct topology_chip *chip)
{
    for (size_t i = 0; i < setup->boards; i++) {
        if (setup->board[i].chip.x == chip->x && setup->board[i].chip.y == chip->y) {
            return &setup->board[i];
        }
    }
    return NULL;
}

void handover_serial_rom(const struct handover_setup *setup, const struct handover_board *board,
                         uint8_t block[HANDOVER_SERIAL_BYTES])
{
    const uint16_t flags =
        (uint16_t)(SERIAL_ROM_FLAGS | (unsigned)setup->hardware_version << SERIAL_ROM_VERSION);
    memset(block, 0, HANDOVER_SERIAL_BYTES);
    block[0] = (uint8_t)flags;
    block[1] = (uint8_t)(flags >> 8);
    memcpy(block + 2, board->mac, sizeof board->mac);
    memcpy(block + 8, board->ip, sizeof board->ip);
    memcpy(block + 12, board->gateway, sizeof board->gateway);
    memcpy(block + 16, board->netmask, sizeof board->netmask);
    block[20] = (uint8_t)setup->udp_port;
    block[21] = (uint8_t)(setup->udp_port >> 8);
}

static void write_serial_rom(struct machine *machine, struct machine_chip at,
                             const struct handover_setup *setup, const struct handover_board *board)
{
    uint8_t block[HANDOVER_SERIAL_BYTES];
    handover_serial_rom(setup, board, block);
    for (uint32_t i = 0; i < HANDOVER_SERIAL_BYTES; i += 4) {
        uint32_t word;
        memcpy(&word, block + i, sizeof word);
        (void)machine_write_word(machine, at, SERIAL_ROM + i, word);
    }
    (void)machine_write_word(machine, at, PHY_CONTROL, PHY_RUNS);
}

/* What the ROM has done with the chip's registers. */
static void write_registers(struct machine *machine, struct machine_chip at, uint32_t cores,
                            uint32_t monitor)
{
    uint32_t elected;
    (void)machine_write_word(machine, at, SYSCTL + SYSCTL_SET_OK, cores);
    (void)machine_read_word(machine, at, SYSCTL + SYSCTL_ARBITRATION + 4 * monitor, &elected);
    (void)machine_write_word(machine, at, SYSCTL + SYSCTL_MISC_CONTROL, MISC_CONTROL);
    (void)machine_write_word(machine, at, ROUTER_CONTROL, ROUTER_ON | monitor << ROUTER_MONITOR);
}

/* A chip other than the root has got its image from a neighbour.  It waits for its address and does
 * not flood; with a delay of 0, SC&MP also leaves Ethernet alone. */
static void make_follower(struct machine *machine, const struct topology_chip *chip,
                          const struct handover_setup *setup, uint8_t *image)
{
    const struct machine_chip at = {chip->x, chip->y};
    const struct machine_core core = {chip->x, chip->y, (uint8_t)bits_lowest(chip->cores)};
    const uint8_t roms = (uint8_t)bits_count(chip->cores);
    uint8_t *variables = image + IMAGE_VARIABLES;
    variables[SV_ROOT_CHIP] = 0;
    variables[SV_HW_VER] = setup->hardware_version;
    if (!machine_has_ethernet(machine, at)) {
        variables[SV_BOOT_DELAY] = 0;
    }
    (void)machine_write(machine, core, SARK_SV_BASE + SV_ROM_CPUS, &roms, 1);
}

static enum status start_chip(struct machine *machine, const struct topology_chip *chip,
                              const struct handover_setup *setup, const uint8_t *image,
                              uint32_t bytes)
{
    const struct machine_chip at = {chip->x, chip->y};
    const uint32_t monitor = bits_lowest(chip->cores);
    const struct machine_core core = {chip->x, chip->y, (uint8_t)monitor};
    const struct handover_board *board = board_of(setup, chip);
    uint8_t own[BOOT_IMAGE_BYTES];
    memcpy(own, image, bytes);
    if (board != &setup->board[setup->root]) {
        make_follower(machine, chip, setup, own);
    }
    write_registers(machine, at, chip->cores, monitor);
    if (board != NULL) {
        write_serial_rom(machine, at, setup, board);
    }
    TRY(machine_write(machine, core, IMAGE_AT, own, bytes));
    TRY(machine_write(machine, core, ITCM_AT, own, bytes));
    return machine_start_core(machine, core, ITCM_AT, 0);
}

enum status handover_start(struct machine *machine, const struct handover_setup *setup,
                           const uint8_t *image, uint32_t bytes, struct diagnostic *diagnostic)
{
    const struct topology *topology = machine_topology(machine);
    if (bytes < IMAGE_VARIABLES + IMAGE_VARIABLES_BYTES || bytes > BOOT_IMAGE_BYTES) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "a boot image has %d to %d bytes, this one %u",
                        IMAGE_VARIABLES + IMAGE_VARIABLES_BYTES, BOOT_IMAGE_BYTES, bytes);
    }
    for (size_t i = 0; i < topology->count; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        if (chip->cores != 0 && start_chip(machine, chip, setup, image, bytes) != STATUS_OK) {
            return diagnose(diagnostic, STATUS_CONFIGURATION,
                            "a core's memories are too small for a boot image");
        }
    }
    return STATUS_OK;
}
