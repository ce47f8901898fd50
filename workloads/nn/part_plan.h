/* part_plan.h - the plan of one core when a network's maps are spread over the cores of a chip.
 *
 * The host writes one record for each core; its address is in the core's block (user0).  A part is
 * some neighbouring maps or units of one layer with weights, and the same maps of the pooling
 * layers behind it: it has a layer table and parameters of its own.  Its input is an image from
 * SDRAM or values received as packets; its output is values sent as packets, or the result. */
#pragma once
#include <stdint.h>

#define NN_PART_MAGIC 0x54524150u /* "PART" */

enum {
    NN_PART_VERSION = 1,
    NN_PART_ROUNDS = 2,    /* images that have room in a part's input */
    NN_PART_PLACES = 16384 /* values of an image at most: a place has 15 bits, with its sign */
};

struct nn_part {
    uint32_t magic, version;
    uint32_t plan;               /* address of the chip's run plan */
    uint32_t table, table_bytes; /* address of the part's own layer table */
    uint32_t parameters;         /* address */
    uint32_t parameter_bytes;    /* a multiple of 4 */
    uint32_t first_layer;        /* in the network: number of the table's first layer */
    uint32_t starts_network;     /* 1: its input is the image */
    uint32_t ends_network;       /* 1: its output is the result */
    uint32_t waits, wait_count;  /* address of struct nn_wait: packets expected for each image */
    uint32_t wait_shift;         /* row of a key: key >> this, minus that of the first row */
    uint32_t input_places;       /* from an even image's values to an odd one's, even */
    uint32_t key, odd_key;       /* of the first value sent, of even images and of odd ones */
    uint32_t output_values;      /* sent for each image */
    uint32_t place;              /* place of the first value in the receivers' input */
    uint32_t output_places;      /* the receivers' input_places */
    uint32_t told;               /* bits of physical cores to wake when an image is done */
    uint32_t totals;             /* address of struct nn_part_totals */
};

/* Totals that a part writes at its end. */
struct nn_part_totals {
    uint32_t saturations, overflows;
    uint32_t images;
    uint32_t unused;
};
