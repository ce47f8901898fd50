/* image.c - a boot image, collected block by block. */
#include "workloads/boot_rom/rom.h"

enum { BLOCKS = 32, WORD_BYTES = 4 };

static uint blocks; /* 0: nothing is being collected */
static uint words;  /* of a block; 0: none has come */
static uint have;   /* a bit for each block */

void image_begin(uint count)
{
    if (blocks == 0 && count <= BLOCKS) {
        blocks = count;
    }
}

uint image_place(uint block, uint count)
{
    const uint fits = block < blocks && (block + 1) * count * WORD_BYTES <= ROM_IMAGE_BYTES;
    if (!fits || (words != 0 && count != words) || (have >> block & 1) != 0) {
        return 0;
    }
    return ROM_IMAGE + block * count * WORD_BYTES;
}

void image_have(uint block, uint count)
{
    words = count;
    have |= 1u << block;
}

void image_run(uint entry)
{
    if (blocks != 0 && have == 0xffffffff >> (BLOCKS - blocks)) {
        launch(entry);
    }
}
