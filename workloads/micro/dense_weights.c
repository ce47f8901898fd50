/* dense_weights.c - a dense layer of int16 with 256 KiB of weights, four times what a core's DTCM
 * holds, for IMAGES images at a time: 32 tiles of 16 outputs and 256 inputs.  The weights come from
 * SDRAM by DMA, the next tile while the core multiplies; with RESIDENT, nothing comes: the core
 * multiplies as often, with the two tiles that are in its DTCM.  ROUNDS layers, one after the
 * other.  Each core has a copy of its own in SDRAM. */
#include "kernels.h"

#include <spin1_api.h>

#ifndef IMAGES
#define IMAGES 1
#endif

enum {
    ROUNDS = 8,
    INPUTS = 256,
    OUTPUTS = 16,
    TILES = 32,
    TILE_VALUES = INPUTS * OUTPUTS,
    TILE_BYTES = TILE_VALUES * 2,
    BUFFERS = 2
};

static const struct nn_layer TILE_LAYER = {.kind = NN_DENSE,
                                           .activation = NN_RELU,
                                           .input = {INPUTS, 1, 1, 0},
                                           .output = {OUTPUTS, 1, 1, 0}};

static _Alignas(8) nn_value tile[BUFFERS][TILE_VALUES];
static _Alignas(8) nn_value input[IMAGES][INPUTS];
static _Alignas(8) nn_value output[IMAGES][OUTPUTS];
static nn_bias biases[OUTPUTS];
static struct nn_numerics numerics;
static uchar *weights; /* in SDRAM: [TILES][TILE_VALUES] */
static uint used;      /* tiles so far, over all rounds */

static void multiply(const nn_value *with)
{
    for (uint i = 0; i < IMAGES; i++) {
        const struct nn_arguments arguments = {.layer = &TILE_LAYER,
                                               .weights = with,
                                               .biases = biases,
                                               .input = input[i],
                                               .output = output[i],
                                               .numerics = &numerics};
        nn_dense(&arguments);
    }
}

static void request(uint next)
{
    (void)spin1_dma_transfer(0, weights + next % TILES * TILE_BYTES, tile[next % BUFFERS], DMA_READ,
                             TILE_BYTES);
}

/* A tile has come. */
static void use(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    const nn_value *with = tile[used % BUFFERS];
    if (with[0] != (nn_value)(used % TILES)) {
        rt_error(RTE_SWERR, used);
    }
    used++;
    if (used < TILES * ROUNDS) {
        request(used);
    }
    multiply(with);
    if (used == TILES * ROUNDS) {
        spin1_exit(0);
    }
}

static void begin(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
#ifdef RESIDENT
    while (used < TILES * ROUNDS) {
        multiply(tile[used++ % BUFFERS]);
    }
    spin1_exit(0);
#else
    request(0);
#endif
}

void c_main(void)
{
    weights = (uchar *)SDRAM_BASE + (1 + spin1_get_core_id()) * TILES * TILE_BYTES;
    for (uint i = 0; i < TILES; i++) { /* a mark in each tile; other weights are what SDRAM has */
        *(volatile nn_value *)(weights + i * TILE_BYTES) = (nn_value)i;
    }
    spin1_callback_on(DMA_TRANSFER_DONE, use, 1);
    spin1_schedule_callback(begin, 0, 0, 1);
    spin1_start(SYNC_WAIT);
}
