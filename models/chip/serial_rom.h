/* serial_rom.h - the serial ROM of a board, behind four GPIO pins of its Ethernet chip (25AA1024 or
 * alike; SpiNNaker application note 6): reads by SPI, clock idle low.
 *
 * A command and a 24-bit address come in at rising edges of the clock, first bit first; data go out
 * after falling edges.  Not modelled: writing and erasing, which are ignored.  Bytes behind the
 * contents read as erased.  Plain state: copying the struct saves it.  Owner: the chip. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum {
    SERIAL_ROM_PIN_OUT = 2, /* GPIO pins; of the ROM's view: data to the chip, ... */
    SERIAL_ROM_PIN_IN = 3,  /* ... from the chip, */
    SERIAL_ROM_PIN_CLOCK = 4,
    SERIAL_ROM_PIN_DESELECT = 5,
    SERIAL_ROM_BYTES = 64 /* contents at most */
};

struct serial_rom {
    uint32_t fitted; /* bytes of contents; 0: the chip has no serial ROM */
    uint32_t bits;   /* since it was selected */
    uint32_t word;   /* the last 32 of them */
    uint32_t clock;  /* level of the clock pin */
    uint32_t address, out;
    uint8_t content[SERIAL_ROM_BYTES];
};

/* The chip's pins have these levels now.  Returns the level of SERIAL_ROM_PIN_OUT. */
bool serial_rom_pins(struct serial_rom *rom, uint32_t pins);

C_LINKAGE_END
