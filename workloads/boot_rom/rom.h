/* rom.h - what the parts of the boot ROM share: places in memory, and each part's functions.
 *
 * The places are those of SpiNNaker's boot ROM 2.1 (SpiNNaker software design v0.01, 2), since boot
 * images find them there. */
#pragma once
#include "workloads/boot_rom/rom_registers.h"

/* System RAM, unbuffered */
#define ROM_BLOCK_BUFFER 0xf5007b78 /* a block of an image, and its CRC */
#define ROM_HISTORY      0xf5007f7c /* a bit for each core that has been monitor */
#define ROM_FAILURES     0xf5007f80 /* a word for each core */
#define ROM_SDRAM        0xf5007fc8 /* bytes, errors */
#define ROM_SERIAL       0xf5007fe0 /* the serial ROM's block: 8 words */
#define ROM_STACK_TOP    0x00408000 /* the lower half of DTCM is the ROM's */
#define ROM_IMAGE        0x00408000 /* where an image is collected: the upper half */
#define ROM_IMAGE_BYTES  0x00008000
#define ROM_MARCH_ROOM   0x80 /* of the memory test's code */

/* Failure codes.  0 is the communications controller's. */
#define ROM_FAILED_DTCM      0x2
#define ROM_FAILED_ITCM      0x4
#define ROM_FAILED_SYSRAM    0x7
#define ROM_FAILED_MONITOR   0xc /* has been monitor before */
#define ROM_FAILED_EXCEPTION 0xd

/* SC_MISC_CTRL: what has been done */
#define ROM_SERIAL_DONE  (1 << 1)
#define ROM_HISTORY_DONE (1 << 2)
#define ROM_SET_UP       (1 << 3)

#ifndef __ASSEMBLER__
#define ROM_FLAG(number) (1u << (number))
/* Functions in the ROM itself are too far from ITCM for a branch. */
#define ROM_FAR __attribute__((long_call))

static volatile uint *const ETH = (volatile uint *)ETH_BASE;
static volatile uint *const SERIAL_BLOCK = (volatile uint *)ROM_SERIAL;

/* reset.S: 0 if the memory from first to end keeps what is written; zeros it. */
uint march(uint first, uint end);
/* Copies the image to ITCM and enters it.  Does not return. */
void ROM_FAR launch(uint entry) __attribute__((noreturn));
/* Logs a failure, and sleeps for ever. */
void ROM_FAR fail(uint code) __attribute__((noreturn));

/* image.c: the image, block by block.  All blocks have as many words. */
void image_begin(uint blocks);
/* Where a block's words go; 0: they are not wanted. */
uint image_place(uint block, uint words);
void image_have(uint block, uint words);
/* Starts the image if it is complete. */
void image_run(uint entry);

/* serial_rom.c: reads the blocks of the serial ROM to where they say. */
void serial_rom_read(void);

/* chip_memory.c: SDRAM and its controller; router tables. */
void sdram_set_up(void);
void router_set_up(uint monitor);

/* ethernet.c */
uint phy_answers(void);
void ethernet_set_up(void);
void ethernet_take_frames(void);
void ethernet_say_hello(void);

/* neighbour.c: images in nearest-neighbour packets. */
void neighbour_take_packets(void);
#endif
