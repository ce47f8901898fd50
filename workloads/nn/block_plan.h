/* block_plan.h - what a core does when a chip has a block of the hidden units of a network, and the
 * chip's cores share the images of a batch (mapping neuron_blocks).
 *
 * Image number i of core j (of every chip) is image i x groups + j of its batch.  Each chip makes
 * its units' values of it, two in a word, and sends them to the core j of one chip, the image's
 * owner, that has all weights of the last layer; the owner sends the errors of the logits to the
 * core j of all chips.  New weights of the last layer go from the chips that have updated them to
 * all owners.  Words and their places: workloads/exchange/placed_words.h. */
#ifndef WORKLOADS_NN_BLOCK_PLAN_H
#define WORKLOADS_NN_BLOCK_PLAN_H
#include <stdint.h>

enum {
    NN_BLOCK_OWNERS = 16, /* of a core's images, at most */
    NN_BLOCK_NO_OWNER = 0xff,
    /* Counters of words: errors, weights, then the values of each image that the core owns. */
    NN_BLOCK_ERRORS = 0,
    NN_BLOCK_WEIGHTS = 1,
    NN_BLOCK_VALUES = 2,
    NN_BLOCK_OWNED = 30 /* images that a core owns of a batch, at most */
};

struct nn_block_plan {
    uint32_t images;       /* of a core in a batch, at most */
    uint32_t words;        /* of an image's values, of all chips */
    uint32_t first, count; /* this chip's words among them */
    uint32_t units;        /* of this chip; the last half of `count` words may be filler */
    uint32_t owners;       /* image i belongs to owner i mod owners */
    uint32_t owner;        /* which of them this core is; NN_BLOCK_NO_OWNER */
    uint32_t turn;         /* image with which this chip begins, to be taken mod its images */
    uint32_t key[NN_BLOCK_OWNERS]; /* of values to each owner; to itself: not used */
    uint32_t errors_key;           /* of an owner */
    uint32_t weights_key;          /* 0: another core of the chip sends its weights */
    uint32_t others;       /* of all words, those that come to this owner as packets for an image */
    uint32_t weights_come; /* words of new weights that come for each update */
    uint32_t weights;      /* address: the last layer's weights in the owners' order of words */
    uint32_t gap_cycles;   /* between two words of a core */
};

/* Places in the buffer of words: errors of `images` images, then weights, then values. */
static inline uint32_t nn_block_error_words(uint32_t classes)
{
    return (classes + 1) / 2;
}

static inline uint32_t nn_block_weights_at(const struct nn_block_plan *plan, uint32_t classes)
{
    return plan->images * nn_block_error_words(classes);
}

static inline uint32_t nn_block_values_at(const struct nn_block_plan *plan, uint32_t classes)
{
    return nn_block_weights_at(plan, classes) + classes * plan->words;
}

static inline uint32_t nn_block_buffer_words(const struct nn_block_plan *plan, uint32_t classes)
{
    const uint32_t owned = (plan->images + plan->owners - 1) / plan->owners;
    return nn_block_values_at(plan, classes) + owned * plan->words;
}

/* What the role takes of DTCM besides: the buffer, the images' inputs, values and errors of the
 * units, labels. */
static inline uint32_t nn_block_role_bytes(const struct nn_block_plan *plan, uint32_t pixels,
                                           uint32_t classes, uint32_t value_bytes)
{
    const uint32_t input_words = (pixels * value_bytes + 3) / 4;
    return 4 * (nn_block_buffer_words(plan, classes) + plan->images * input_words +
                (2 * plan->images + 1) * plan->count + (plan->images + 3) / 4);
}

#endif
