/* boot_blocks.c - see boot_blocks.h. */
#include "sim/load/boot_blocks.h"

#include <string.h>

enum {
    VERSION = 1,
    OPCODE_START = 1,
    OPCODE_BLOCK = 3,
    OPCODE_CONTROL = 5,
    VERSION_BYTES = 2,
    WORD_BYTES = 4,
    HEADER_BYTES = VERSION_BYTES + 4 * WORD_BYTES,
    CONTROL_EXECUTE = 1
};

static const char *const TEXTS[BOOT_REFUSALS] = {
#define REFUSAL(name, text) text,
#include "sim/load/boot_refusals.def"
#undef REFUSAL
};

const char *boot_refusal_text(enum boot_refusal refusal)
{
    return TEXTS[refusal];
}

uint64_t boot_blocks_refused(const struct boot_blocks *boot)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < BOOT_REFUSALS; i++) {
        sum += boot->refused[i];
    }
    return sum;
}

static uint32_t word_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static enum boot_event refuse(struct boot_blocks *boot, enum boot_refusal why)
{
    boot->refused[why]++;
    return BOOT_NOTHING;
}

static enum boot_event take_start(struct boot_blocks *boot, uint32_t target, uint32_t blocks)
{
    if (target != 0) {
        return refuse(boot, BOOT_REFUSAL_TARGET);
    }
    if (blocks > BOOT_BLOCKS) {
        return refuse(boot, BOOT_REFUSAL_BLOCKS);
    }
    if (boot->filling && boot->blocks == blocks) {
        return refuse(boot, BOOT_REFUSAL_REPEATED);
    }
    boot->filling = true;
    boot->blocks = blocks;
    boot->words = boot->present = boot->image_bytes = 0;
    memset(boot->image, 0, sizeof boot->image);
    return BOOT_RESET;
}

static enum boot_event take_block(struct boot_blocks *boot, uint32_t number, uint32_t words,
                                  const uint8_t *data, size_t bytes)
{
    if (!boot->filling) {
        return refuse(boot, BOOT_REFUSAL_ORDER);
    }
    if (number >= boot->blocks) {
        return refuse(boot, BOOT_REFUSAL_NUMBER);
    }
    if (bytes % WORD_BYTES != 0 || bytes > (size_t)words * WORD_BYTES) {
        return refuse(boot, BOOT_REFUSAL_SIZE);
    }
    const bool whole = bytes == (size_t)words * WORD_BYTES || number == boot->blocks - 1;
    if (!whole || (boot->words != 0 && boot->words != words)) {
        return refuse(boot, BOOT_REFUSAL_WORDS);
    }
    const uint32_t first = number * words * WORD_BYTES;
    boot->words = words;
    for (size_t i = 0; i < bytes; i++) {
        boot->image[first + i] = data[i ^ (WORD_BYTES - 1)];
    }
    const uint32_t end = first + (uint32_t)bytes;
    boot->image_bytes = end > boot->image_bytes ? end : boot->image_bytes;
    boot->present |= 1u << number;
    return BOOT_NOTHING;
}

static enum boot_event take_control(struct boot_blocks *boot, uint32_t command)
{
    if (!boot->filling) {
        return refuse(boot, BOOT_REFUSAL_ORDER);
    }
    const uint32_t all = UINT32_MAX >> (BOOT_BLOCKS - boot->blocks);
    if ((command & CONTROL_EXECUTE) == 0) {
        return refuse(boot, BOOT_REFUSAL_COMMAND);
    }
    if (boot->present != all) {
        return refuse(boot, BOOT_REFUSAL_INCOMPLETE);
    }
    boot->filling = false;
    return BOOT_START;
}

enum boot_event boot_blocks_take(struct boot_blocks *boot, const uint8_t *datagram, size_t bytes)
{
    if (bytes < HEADER_BYTES) {
        return refuse(boot, BOOT_REFUSAL_SIZE);
    }
    if (((uint32_t)datagram[0] << 8 | datagram[1]) != VERSION) {
        return refuse(boot, BOOT_REFUSAL_VERSION);
    }
    uint32_t word[4];
    for (unsigned i = 0; i < 4; i++) {
        word[i] = word_at(datagram + VERSION_BYTES + (size_t)WORD_BYTES * i);
    }
    switch (word[0]) {
    case OPCODE_START:
        return take_start(boot, word[1] & 0xff, (word[3] & 0xff) + 1);
    case OPCODE_BLOCK:
        return take_block(boot, word[1] & 0xff, (word[1] >> 8 & 0xff) + 1, datagram + HEADER_BYTES,
                          bytes - HEADER_BYTES);
    case OPCODE_CONTROL:
        return take_control(boot, word[1]);
    default:
        return refuse(boot, BOOT_REFUSAL_OPCODE);
    }
}
