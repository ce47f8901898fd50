/* neighbour.c - images that come from a neighbour, in nearest-neighbour packets.
 *
 * Key: checksum 31:28, opcode 27:24, block 23:16, word or words - 1 in 15:8, 3 in 3:0. */
#include "workloads/boot_rom/rom.h"

enum {
    OPCODE_START = 1, /* payload: blocks - 1 in 23:16, target 0 in 31:24 */
    OPCODE_BLOCK = 2,
    OPCODE_WORD = 3,
    OPCODE_END = 4,     /* payload: the block's CRC-32 */
    OPCODE_CONTROL = 5, /* bit 8: execute; payload: where */
    EXECUTE = 1 << 8,
    KEY_MARK = 3,
    KEY_MARK_BITS = 0xf,
    BYTE = 0xff,

    RSR_NEIGHBOUR = 1 << 2,
    WORDS_MAX = 256,

    DMA_BURST = 1 << 21, /* of two words */
    DMA_CHECK = 1 << 20,
    DMA_ACTIVE = 1,
    DMA_QUEUED = 4,
    DMA_PAUSED = 2,
    DMA_RESTART = 4,
    DMA_CLEAR_DONE = 8
};

#define RSR_WAITS (1u << 31)

static volatile uint *const BUFFER = (volatile uint *)ROM_BLOCK_BUFFER;
static uint open_block; /* its number + 1; 0: none */
static uint words, left;
static uint seen[WORDS_MAX / 32];

static uint nibbles(uint word)
{
    word = (word & 0x0f0f0f0f) + (word >> 4 & 0x0f0f0f0f);
    return word * 0x01010101 >> 24;
}

/* The complemented ones'-complement sum of 15 nibbles of the key and 8 of the payload. */
static uint checksum(uint key, uint payload)
{
    uint sum = nibbles(key << 4) + nibbles(payload);
    while (sum > 0xf) {
        sum = (sum & 0xf) + (sum >> 4);
    }
    return ~sum & 0xf;
}

static void begin_block(uint block, uint count)
{
    if (block + 1 == open_block || image_place(block, count) == 0) {
        return; /* another neighbour sends the same */
    }
    open_block = block + 1;
    words = left = count;
    for (uint i = 0; i < sizeof seen / sizeof *seen; i++) {
        seen[i] = 0;
    }
}

static void take_word(uint block, uint word, uint payload)
{
    const uint bit = 1u << word % 32;
    if (block + 1 == open_block && word < words && (seen[word / 32] & bit) == 0) {
        seen[word / 32] |= bit;
        left--;
        BUFFER[word] = payload;
    }
}

/* The DMA controller compares the CRC on the way. */
static void end_block(uint block, uint crc)
{
    if (block + 1 != open_block || left != 0) {
        return;
    }
    BUFFER[words] = crc;
    dma[DMA_ADRS] = ROM_BLOCK_BUFFER;
    dma[DMA_ADRT] = image_place(block, words);
    dma[DMA_DESC] = DMA_BURST | DMA_CHECK | words * sizeof(uint);
    while ((dma[DMA_STAT] & (DMA_ACTIVE | DMA_QUEUED)) != 0) {
    }
    if ((dma[DMA_STAT] & DMA_PAUSED) == 0) {
        image_have(block, words);
    }
    dma[DMA_CTRL] = DMA_RESTART | DMA_CLEAR_DONE;
    open_block = 0;
}

static void take(uint key, uint payload)
{
    const uint block = key >> 16 & BYTE;
    const uint index = key >> 8 & BYTE;
    if ((key & KEY_MARK_BITS) != KEY_MARK || key >> 28 != checksum(key, payload)) {
        return;
    }
    switch (key >> 24 & 0xf) {
    case OPCODE_START:
        if (payload >> 24 == 0) {
            image_begin((payload >> 16 & BYTE) + 1);
        }
        break;
    case OPCODE_BLOCK:
        begin_block(block, index + 1);
        break;
    case OPCODE_WORD:
        take_word(block, index, payload);
        break;
    case OPCODE_END:
        end_block(block, payload);
        break;
    case OPCODE_CONTROL:
        if ((key & EXECUTE) != 0) {
            image_run(payload);
        }
        break;
    default:
        break;
    }
}

void neighbour_take_packets(void)
{
    for (uint status = cc[CC_RSR]; (status & RSR_WAITS) != 0; status = cc[CC_RSR]) {
        const uint payload = cc[CC_RXDATA];
        const uint key = cc[CC_RXKEY];
        if ((status & RSR_NEIGHBOUR) != 0) {
            take(key, payload);
        }
    }
}
