/* bmp.h - the board management processor of a board: what it answers to SCP messages on its own
 * address, UDP port 17893.
 *
 * Modelled: version, power, reset, registers of the FPGAs, information, LEDs (no effect). Registers
 * of FPGAs have their values of bmp_registers.def when the board is switched on, hold what is
 * written, and change no link.  Readings of voltage and temperature are nominal constants, or 0 of
 * a rail that is switched off.  Everything else is answered with "command unknown", as the
 * processor does.  Protocol: SpiNNaker Application Note 4 (SDP); spinnaker_tools 813bfef7, bmp/
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
    uint32_t off;                    /* bit b: board b has no power */
    uint32_t held;                   /* bit b: the chips of board b are held in reset */
    struct bmp_register reg[BMP_REGISTERS];
    size_t register_count;
};

/* What a message does to the machine.  A started board begins as if its power came on. */
enum bmp_power {
    BMP_POWER_AS_IT_IS,
    BMP_POWER_START, /* boards come out of reset */
    BMP_POWER_STOP   /* no board runs any longer */
};

/* Answers a UDP payload of any content.  Returns the bytes of the reply, and fills `power`; 0: no
 * answer, as the payload is no SDP message, or wants none.  What a message says is done even if it
 * wants no answer. */
uint32_t bmp_answer(struct bmp *bmp, const uint8_t *payload, uint32_t bytes,
                    uint8_t reply[BMP_REPLY_BYTES_MAX], enum bmp_power *power);

C_LINKAGE_END
