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
enum { NN_TRAIN_TWINS = 1, NN_TRAIN_OWN = 2 };

/* How a stage is divided, beyond the shapes in the piece's table.  Where there are fewer maps than
 * members, each member makes a band, some rows of a map.  Twins have the same weights, of bands of
 * a map or in other teams, and add up their gradients. */
struct nn_train_part {
    uint32_t skipped;                 /* values of the input before the first that the band needs */
    uint32_t has_twins;               /* NN_TRAIN_TWINS: members have its weights in common;
                                         NN_TRAIN_OWN (only networks of 1998): it takes nothing
                                         but what this core has made of the stage before */
    uint32_t twins;                   /* bit m set: member m has the same weights */
    uint32_t twin_words, twin_biases; /* words of its weights and of its biases, even numbers */
};

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
