/* block_plan.h - the plan of a core when each chip has a block of the hidden units of a network,
 * and the chip's cores share the images of a batch (mapping neuron_blocks).
 *
 * Image number i of core j (of every chip) is image i x groups + j of its batch.  Each chip
 * computes the values of its own units for it.  These values go around the ring of the chips' cores
 * j (workloads/exchange), so that every chip has the values of all units, and computes logits and
 * errors itself.  Slice s of the ring's array has the values of one chip, image after image, `slot`
 * values each. */
#pragma once
#include <stdint.h>

/* Images whose pixels are converted to values at a time.  In s16.15 it is one image, in the place
 * of the layer's input (train_memory.h). */
enum { NN_BLOCK_CHUNK = 3 };

struct nn_block_plan {
    uint32_t images;            /* of a core in a batch, at most */
    uint32_t slot;              /* values of an image in a slice */
    uint32_t chips, chip;       /* chips with blocks; number of this chip */
    uint32_t first_unit, units; /* of this chip */
    uint32_t slices; /* address: struct nn_block_slice[chips], in the order of the ring */
};

struct nn_block_slice {
    uint16_t first_unit, units;
};

/* Values of a slice: whole words. */
static inline uint32_t nn_block_slice_values(const struct nn_block_plan *plan)
{
    return (plan->images * plan->slot + 1) & ~1u;
}

/* Distance between two images' errors of the own units, in values. */
static inline uint32_t nn_block_delta_stride(const struct nn_block_plan *plan)
{
    return (plan->slot + 1) & ~1u;
}

/* Bytes of the role's own arrays in DTCM: slices, the ring's array, all units' values of each
 * image, errors of the own units and of the logits, pixels, values of some images, all on words. */
struct nn_block_memory {
    uint32_t slices, ring, hidden, delta, errors, pixels, values, total;
};

static inline uint32_t nn_block_take(uint32_t *next, uint32_t bytes)
{
    const uint32_t at = *next;
    *next += (bytes + 7u) & ~7u;
    return at;
}

static inline struct nn_block_memory nn_block_place(const struct nn_block_plan *plan,
                                                    uint32_t hidden, uint32_t classes,
                                                    uint32_t pixels, uint32_t image_bytes,
                                                    uint32_t value_bytes)
{
    const uint32_t images = plan->images;
    const uint32_t stride = (classes + 1) & ~1u;
    struct nn_block_memory at;
    uint32_t next = 0;
    at.slices = nn_block_take(&next, plan->chips * (uint32_t)sizeof(struct nn_block_slice));
    at.ring = nn_block_take(&next, plan->chips * nn_block_slice_values(plan) * value_bytes);
    at.hidden = nn_block_take(&next, images * hidden * value_bytes);
    at.delta = nn_block_take(&next, images * nn_block_delta_stride(plan) * value_bytes);
    at.errors = nn_block_take(&next, images * stride * value_bytes);
    at.pixels = nn_block_take(&next, images * image_bytes);
    const uint32_t chunk = value_bytes == sizeof(int16_t) ? NN_BLOCK_CHUNK : 0;
    at.values = nn_block_take(&next, chunk * ((pixels + 1) & ~1u) * value_bytes);
    at.total = next;
    return at;
}
