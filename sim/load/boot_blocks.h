/* boot_blocks.h - collects a boot image from the datagrams of UDP port 54321, as SpiNNaker's boot
 * ROM does.
 *
 * A datagram is a version (16 bits), four words (opcode, three operands), and data; all big-endian.
 *     opcode 1, start:   operand 3 = number of blocks - 1
 *     opcode 3, block:   operand 1 = (words - 1) << 8 | number of the block; data: its words
 *     opcode 5, control: operand 1 = 1: starts the image
 * (spinnaker_tools, tools/SpiNN/Boot.pm.)  There is no answer: what is refused is counted.  Hosts
 * announce 256 words for each block, and send less in the last one; the rest of it is zeros here.
 *
 * A real board must be reset before it is booted again.  Here a start message resets it, at any
 * time, unless as many blocks are being collected already: then it is ignored, as by the ROM, and
 * blocks that are sent again fill the gaps.  Plain state: zeros are the state at power-on. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum {
    BOOT_UDP_PORT = 54321,
    BOOT_BLOCKS = 32, /* at most */
    BOOT_BLOCK_BYTES = 1024,
    BOOT_IMAGE_BYTES = BOOT_BLOCKS * BOOT_BLOCK_BYTES
};

enum boot_refusal {
#define REFUSAL(name, text) BOOT_REFUSAL_##name,
#include "sim/load/boot_refusals.def"
#undef REFUSAL
    BOOT_REFUSALS
};

enum boot_event {
    BOOT_NOTHING,
    BOOT_RESET, /* the board is to be switched off and on: machine_power_on() */
    BOOT_START  /* the image is complete, and is to be started: handover_start() */
};

struct boot_blocks {
    bool filling;
    uint32_t blocks;      /* of the image; 0: there has been no start */
    uint32_t words;       /* of a block; 0: no block yet */
    uint32_t present;     /* a bit for each block that is there */
    uint32_t image_bytes; /* up to the last byte that has come */
    uint8_t image[BOOT_IMAGE_BYTES];
    uint64_t refused[BOOT_REFUSALS];
};

/* Takes a datagram. */
enum boot_event boot_blocks_take(struct boot_blocks *boot, const uint8_t *datagram, size_t bytes);

/* What a refusal means, for messages. */
const char *boot_refusal_text(enum boot_refusal refusal);

/* Sum of all refusals. */
uint64_t boot_blocks_refused(const struct boot_blocks *boot);

C_LINKAGE_END
