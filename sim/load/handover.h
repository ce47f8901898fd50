/* handover.h - `run.boot: handover`: the state in which SpiNNaker's boot ROM hands a machine over
 * to a boot image (SC&MP's scamp.boot), and its start on all chips.
 *
 * The boot ROM itself does not run.  On real hardware the image reaches one chip and floods from
 * there; here all chips have it at once, and SC&MP's own flood finds that they run already
 * (spinnaker_tools, scamp/scamp-3.c, scamp-boot.c).  The machine must have been switched on:
 * machine_create() or machine_power_on(). */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
C_LINKAGE_BEGIN

/* What the serial ROM of a board says.  Addresses in the order of their bytes on the wire. */
struct handover_board {
    struct machine_chip chip; /* its Ethernet chip */
    uint8_t mac[6];
    uint8_t ip[4], gateway[4], netmask[4];
};

struct handover_setup {
    const struct handover_board *board;
    size_t boards;
    size_t root;              /* the board that the image came to: its Ethernet chip is the root */
    uint8_t hardware_version; /* 0 to 15: 3 for SpiNN-3, 5 for SpiNN-5 */
    uint16_t udp_port;        /* of SDP: 17893 */
};

/* UDP port at which SC&MP expects SDP. */
enum { HANDOVER_SDP_PORT = 17893 };

/* The hardware version of a machine of this shape. */
uint8_t handover_hardware_version(enum topology_shape shape);

/* A board's block of its serial ROM, as it stands in memory. */
enum { HANDOVER_SERIAL_BYTES = 32 };
void handover_serial_rom(const struct handover_setup *setup, const struct handover_board *board,
                         uint8_t block[HANDOVER_SERIAL_BYTES]);

/* Writes the image (at most BOOT_IMAGE_BYTES) and the ROM's state to all chips, and starts the
 * first working core of each, its monitor processor.  STATUS_CONFIGURATION: the image does not
 * reach its system variables, or a core's memories are too small for it. */
enum status handover_start(struct machine *machine, const struct handover_setup *setup,
                           const uint8_t *image, uint32_t bytes, struct diagnostic *diagnostic);

C_LINKAGE_END
