/* serial_rom.c - reads the serial ROM by SPI over four GPIO pins (SpiNNaker application note 6),
 * and stores its blocks: 0x55 is skipped; 0x3a, length in words (16 bits), address (32 bits) and
 * words, all big-endian, is a block; anything else ends. */
#include "workloads/boot_rom/rom.h"

enum {
    OUT = 1 << 2, /* pins, by the ROM's view: data out, ... */
    IN = 1 << 3,  /* ... in */
    CLOCK = 1 << 4,
    DESELECT = 1 << 5,
    COMMAND_READ = 0x03,
    PAD = 0x55,
    BLOCK = 0x3a,
    PADS_MAX = 256
};

static void send(uint bits, uint count)
{
    for (uint i = count; i > 0; i--) {
        sc[(bits >> (i - 1) & 1) != 0 ? GPIO_SET : GPIO_CLR] = IN;
        sc[GPIO_SET] = CLOCK;
        sc[GPIO_CLR] = CLOCK;
    }
}

static uint receive(uint count)
{
    uint bits = 0;
    for (uint i = 0; i < count; i++) {
        bits = bits << 1 | ((sc[GPIO_SET] & OUT) != 0 ? 1 : 0);
        sc[GPIO_SET] = CLOCK;
        sc[GPIO_CLR] = CLOCK;
    }
    return bits;
}

static uint next_tag(void)
{
    uint tag = receive(8);
    for (uint i = 0; i < PADS_MAX && tag == PAD; i++) {
        tag = receive(8);
    }
    return tag;
}

void serial_rom_read(void)
{
    sc[GPIO_SET] = DESELECT;
    sc[GPIO_CLR] = CLOCK | IN;
    sc[GPIO_DIR] = ~(uint)(IN | CLOCK | DESELECT);
    sc[GPIO_CLR] = DESELECT;
    send(COMMAND_READ << 24, 32); /* from 0 */
    while (next_tag() == BLOCK) {
        const uint words = receive(16);
        volatile uint *to = (volatile uint *)receive(32);
        if (words == 0) { /* a program: none of ours */
            break;
        }
        for (uint i = 0; i < words; i++) {
            to[i] = receive(32);
        }
    }
    sc[GPIO_SET] = DESELECT;
    sc[GPIO_DIR] = 0xffffffff;
    sc[GPIO_CLR] = DESELECT;
}
