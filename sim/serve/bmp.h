/* bmp.h - the board management processor of a board: what it answers to SCP messages on its own
 * address, UDP port 17893.
 *
 * Modelled: version, power, registers of the FPGAs, information, LEDs (no effect).  Registers of
 * FPGAs hold what has been written, and are 0 before; they change no link.  All readings of voltage
 * and temperature are nominal constants.  Everything else is answered with "command unknown", as
 * the processor does.  Protocol: SpiNNaker Application Note 4 (SDP); spinnaker_tools, bmp/
 * (public). */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum {
    BMP_BOARDS_MAX = 24, /* of a frame */
    BMP_FPGAS = 3,       /* of a board */
    BMP_REGISTERS = 256, /* written ones, of all FPGAs together */
    BMP_REPLY_BYTES_MAX = 2 + 8 + 4 + 256
};

struct bmp_register {
    uint8_t board, fpga;
    uint32_t address, value;
};

struct bmp {
    uint32_t boards;                 /* number of them, 1 to BMP_BOARDS_MAX */
    uint32_t address, board_address; /* IPv4, of the BMP and of board 0 */
    uint8_t hardware_version;        /* 3 or 5 */
    struct bmp_register reg[BMP_REGISTERS];
    size_t register_count;
};

/* What the message asks to be done with the boards' power. */
struct bmp_power {
    bool asked, on;
    uint32_t boards; /* bit b: board b */
};

/* Answers a UDP payload of any content.  Returns the bytes of the reply, and fills `power`; 0: no
 * answer, as the payload is no SDP message, or wants none. */
uint32_t bmp_answer(struct bmp *bmp, const uint8_t *payload, uint32_t bytes,
                    uint8_t reply[BMP_REPLY_BYTES_MAX], struct bmp_power *power);

C_LINKAGE_END
