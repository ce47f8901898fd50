/* serial_rom.c - see serial_rom.h. */
#include "models/chip/serial_rom.h"

#include "models/common/bits.h"

enum {
    READ = 0x03, /* commands */
    COMMAND_BITS = 8,
    HEAD_BITS = 32, /* command and address */
    BYTE_BITS = 8,
    ADDRESS_MASK = 0x1ffff, /* 128 KiB, repeated */
    ERASED = 0xff
};

static uint32_t byte_at(const struct serial_rom *rom, uint32_t address)
{
    return address < rom->fitted ? rom->content[address] : ERASED;
}

/* The bit that goes out after a falling edge. */
static uint32_t next_out(const struct serial_rom *rom)
{
    if (rom->bits < HEAD_BITS) {
        return 0;
    }
    const uint32_t bit = rom->bits - HEAD_BITS;
    const uint32_t address = (rom->address + bit / BYTE_BITS) & ADDRESS_MASK;
    return byte_at(rom, address) >> (BYTE_BITS - 1 - bit % BYTE_BITS) & 1;
}

static void take_bit(struct serial_rom *rom, uint32_t bit)
{
    rom->word = rom->word << 1 | bit;
    rom->bits++;
    if (rom->bits == HEAD_BITS) {
        rom->address = rom->word & ADDRESS_MASK;
        if (rom->word >> (HEAD_BITS - COMMAND_BITS) != READ) {
            rom->address = rom->bits = 0; /* nothing else answers */
        }
    }
}

bool serial_rom_pins(struct serial_rom *rom, uint32_t pins)
{
    const uint32_t clock = bits_test(pins, SERIAL_ROM_PIN_CLOCK) ? 1 : 0;
    if (bits_test(pins, SERIAL_ROM_PIN_DESELECT)) {
        rom->bits = rom->word = rom->out = 0;
    } else if (clock != 0 && rom->clock == 0) {
        take_bit(rom, bits_test(pins, SERIAL_ROM_PIN_IN) ? 1 : 0);
    } else if (clock == 0 && rom->clock != 0) {
        rom->out = next_out(rom);
    }
    rom->clock = clock;
    return rom->out != 0;
}
