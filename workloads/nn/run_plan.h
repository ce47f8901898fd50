/* run_plan.h - data in a chip's SDRAM that the host writes for a role program, and results that the
 * program writes there.  The address of the plan is in the core's block (user0).  All words are
 * little-endian. */
#pragma once
#include "layer_table.h"
#include <stddef.h>
#include <stdint.h>

#define NN_PLAN_MAGIC 0x4e414c50u /* "PLAN" */

enum { NN_PLAN_VERSION = 1 };

struct nn_plan {
    uint32_t magic, version;
    uint32_t table; /* address of the layer table */
    uint32_t table_bytes;
    uint32_t table_check;     /* nn_check() over the table */
    uint32_t parameters;      /* address */
    uint32_t parameter_bytes; /* a multiple of 4 */
    uint32_t images;          /* address of the first image */
    uint32_t image_bytes;     /* from one image to the next, a multiple of 4 */
    uint32_t image_count;
    uint32_t results;      /* address of the first struct nn_result */
    uint32_t counter;      /* address of a word: the next image to be dealt out */
    uint32_t counter_lock; /* test-and-set lock that guards it */
};

/* One image's result: nn_result_bytes() of memory.  On the host with room for all logits. */
struct nn_result {
    uint32_t label;
    uint32_t confidence; /* of the label, 16 fractional bits */
    uint32_t saturations;
    uint32_t overflows;
    uint32_t core;                     /* virtual number of the core that made it */
    uint32_t done;                     /* 1 */
    int32_t logits[NN_RESULT_CLASSES]; /* 0 from the network's number of classes on */
};

/* What the program of a network with so many classes writes, and reserves. */
static inline uint32_t nn_result_bytes(uint32_t classes)
{
    const uint32_t logits = classes > NN_FEW_CLASSES ? NN_MANY_CLASSES : NN_FEW_CLASSES;
    return (uint32_t)offsetof(struct nn_result, logits) + logits * (uint32_t)sizeof(int32_t);
}

/* FNV-1a over bytes. */
static inline uint32_t nn_check(const void *data, uint32_t bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    uint32_t check = 0x811c9dc5u;
    for (uint32_t i = 0; i < bytes; i++) {
        check = (check ^ at[i]) * 0x01000193u;
    }
    return check;
}
