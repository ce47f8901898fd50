/* boot_image.c - a boot image that does what SC&MP does first: it notes how it was entered,
 * switches the watchdog off, and sends itself to all neighbours in nearest-neighbour packets. */
#include "workloads/boot_rom/rom_registers.h"

enum {
    BLOCKS = 2,
    BLOCK_WORDS = 256,
    LINKS = 6,
    TX_NEIGHBOUR = 0x00820000, /* with payload */
    TX_LINK = 18,
    START = 0x01000003, /* keys */
    BLOCK = 0x02000003,
    WORD = 0x03000003,
    END = 0x04000003,
    CONTROL = 0x05000103,
    DELAY_ROUNDS = 800, /* 20 us at 160 MHz */
};

#define CRC_POLYNOMIAL 0xedb88320u /* bits reversed */
#define TX_EMPTY       (1u << 31)
#define IMAGE          ((volatile uint *)0x00408000)
#define NOTES          ((volatile uint *)SYSRAM_BASE_UNBUF)

/* As spinnaker_tools, tools/boot/sark.struct, and flags of our own. */
struct variables {
    uchar before[0x40];
    uchar root_chip, num_buf, boot_delay, soft_wdog;
    uchar keeps_watchdog;
    uchar breaks_blocks; /* sends wrong CRCs */
    uchar after[0x80 - 0x46];
};
__attribute__((section(".variables"), used)) static const volatile struct variables variables = {
    .root_chip = 0};

/* The mode, CP15 and r0 as they were: words 0 to 2 of System RAM. */
__attribute__((naked, section(".start"))) void _start(void)
{
    __asm__ volatile("mrs r1, cpsr\n"
                     "mrc p15, 0, r2, c1, c0, 0\n"
                     "ldr r3, =0xf5000000\n"
                     "stmia r3, {r1, r2}\n"
                     "str r0, [r3, #8]\n"
                     "ldr sp, =0x00408000\n"
                     "b image_main\n"
                     ".ltorg\n");
}

static uint nibbles(uint word)
{
    uint sum = 0;
    for (; word != 0; word >>= 4) {
        sum += word & 0xf;
    }
    return sum;
}

static uint with_checksum(uint key, uint payload)
{
    uint sum = nibbles(key) + nibbles(payload);
    while (sum > 0xf) {
        sum = (sum & 0xf) + (sum >> 4);
    }
    return key | (~sum & 0xf) << 28;
}

static uint crc_of(const volatile uint *words)
{
    uint crc = 0xffffffff;
    for (uint i = 0; i < BLOCK_WORDS; i++) {
        crc ^= words[i];
        for (uint bit = 0; bit < 32; bit++) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? CRC_POLYNOMIAL : 0);
        }
    }
    return ~crc;
}

static void send(uint key, uint payload)
{
    key = with_checksum(key, payload);
    for (uint link = 0; link < LINKS; link++) {
        while ((cc[CC_TCR] & TX_EMPTY) == 0) {
        }
        cc[CC_TCR] = TX_NEIGHBOUR | link << TX_LINK;
        cc[CC_TXDATA] = payload;
        cc[CC_TXKEY] = key;
    }
    for (volatile uint round = 0; round < DELAY_ROUNDS; round++) {
    }
}

static void flood(void)
{
    ((volatile struct variables *)((uint)IMAGE + 384))->root_chip = 0;
    send(START, (BLOCKS - 1) << 16);
    for (uint block = 0; block < BLOCKS; block++) {
        const volatile uint *words = IMAGE + block * BLOCK_WORDS;
        send(BLOCK | block << 16 | (BLOCK_WORDS - 1) << 8, 0);
        for (uint i = 0; i < BLOCK_WORDS; i++) {
            send(WORD | block << 16 | i << 8, words[i]);
        }
        send(END | block << 16, crc_of(words) ^ variables.breaks_blocks);
    }
    send(CONTROL, 0);
}

__attribute__((used, noreturn)) void image_main(void)
{
    NOTES[3]++; /* how often */
    if (variables.keeps_watchdog == 0) {
        ((volatile uint *)WDOG_BASE)[WD_CTRL] = 0;
    }
    vic[VIC_DISABLE] = 0xffffffff;
    if (variables.boot_delay != 0) {
        flood();
    }
    NOTES[4] = 1; /* done */
    for (;;) {
        __asm__ volatile("mcr p15, 0, %0, c7, c0, 4" : : "r"(0) : "memory");
    }
}
