/* train_memory.h - where a training program's data lie in DTCM, besides its own variables: one
 * block, laid out by the host (sim/mapping/train_place.c), which writes this layout to SDRAM.
 *
 * A stage is a layer with weights and the pooling layer behind it, if there is one.  Of every stage
 * but the last, a core computes its part of the values from all values of the previous stage: some
 * neighbouring maps or units, or some rows of one map.  Of the last stage it computes all outputs,
 * but only over the inputs that it has computed itself: the group adds these sums up.  All places
 * are bytes from the start of the block, which is aligned to 8 bytes. */
#pragma once
#include <stdint.h>

enum { NN_TRAIN_STAGES = 8, NN_TRAIN_SLOTS = 2 };

/* How a stage is divided, beyond the shapes in the piece's table.  Where there are fewer maps than
 * members, each member makes a band, some rows of a map.  Twins have the same parameters: those of
 * bands of a map, or of other teams; the biases of the last layer are all members'.  Their block of
 * the stage is its weights and then its biases.  Each twin updates a share of the block; while it
 * does, the share is beside the parameters that only this core has, over other twins' parameters.
 * All numbers of the block and the share are even. */
struct nn_train_part {
    uint32_t skipped;      /* values of the input before the first that the band needs */
    uint32_t own_input;    /* 1, only in networks of 1998: the stage takes nothing but what this
                              core has made of the stage before */
    uint32_t twins;        /* bit m set: member m has the same block; 0: there is none */
    uint32_t added;        /* bit m set: the share's gradients are the sum of member m's and of
                              others; 0: this core has no share */
    uint32_t block;        /* place of the block in the piece: parameters before it */
    uint32_t weights;      /* parameters of the block before its biases */
    uint32_t words;        /* parameters of the block */
    uint32_t first, count; /* of the block: this core's share */
    uint32_t own_weights;  /* place of the share's weights in the piece */
    uint32_t own_biases;   /* and of its biases */
};

/* Parameters of a core's share before the biases of the block. */
static inline uint32_t nn_train_share_weights(const struct nn_train_part *part)
{
    const uint32_t left = part->first < part->weights ? part->weights - part->first : 0;
    return left < part->count ? left : part->count;
}

struct nn_train_stage {
    uint16_t row;                        /* of the layer in the piece's table */
    uint16_t layer;                      /* the row's offset in the table, in bytes */
    uint16_t pool;                       /* the pooling layer's; 0: none */
    uint16_t images;                     /* that the group computes at a time */
    uint16_t input_stride, error_stride; /* values from one image to the next */
    uint32_t inputs;                     /* values of its whole input */
    uint32_t outputs; /* values that this core makes, pooled; 0: this core has no part of it */
    uint32_t places;  /* values of the layer itself, before pooling */
    struct nn_train_part part;
    uint32_t input, output, result, choice, errors; /* `input`: of its whole input */
};

struct nn_train_memory {
    struct nn_train_stage stage[NN_TRAIN_STAGES];
    uint32_t stages;
    uint32_t parameters, gradients, state, taken, sums, events, counts, logits, exp_table, record;
    uint32_t sums_begin, sums_words; /* of the gradients, those that have room: in most roles all */
    uint32_t image[NN_TRAIN_SLOTS];
    uint32_t total;
};
