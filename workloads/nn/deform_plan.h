/* deform_plan.h - the input of workloads/lenet/roles/deform_images.c in a chip's SDRAM; its address
 * is in the core's block (user0).  All words are little-endian. */
#pragma once
#include "deform.h"

#define NN_DEFORM_MAGIC 0x4d524644u /* "DFRM" */

struct nn_deform_plan {
    uint32_t magic;
    uint32_t next;          /* the next image to be dealt out, from 0 on; programs count it up */
    uint32_t lock;          /* test-and-set lock that guards it */
    uint32_t images;        /* address of the first image; each is deformed in place */
    uint32_t image_count;   /* on this chip */
    uint32_t width, height; /* their product is a multiple of 4 */
    uint32_t seed, first;   /* of the stream; the number in it of the chip's first image */
    struct nn_deformation limits;
};
