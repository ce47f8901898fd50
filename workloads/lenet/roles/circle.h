/* circle.h - cores of a chip that pass blocks to each other: through SDRAM by DMA, with a signal (a
 * packet) from each core to all others when its block is there.
 *
 * All cores of a circle call the same functions in the same order.  No core is ever two rounds
 * ahead of another, so two buffers for each core are enough. */
#pragma once
#include "train_core.h"

struct circle {
    uint32_t count, own;         /* cores; number of this core */
    uint32_t share, share_bytes; /* address of two buffers for each core; bytes of one */
    uint32_t key;                /* of the signal to the others; + 1 in odd rounds */
    uint32_t counter;            /* of signals in even rounds; those in odd rounds have the next */
    uint32_t rounds, awaited[2]; /* so far; signals due so far, by parity */
};

/* Begins a round, and returns its number modulo 2: a core may now write into blocks of the round.
 * circle_end() returns when all cores have called it; what they have written is then in SDRAM. */
uint32_t circle_begin(struct circle *circle);
void circle_end(struct circle *circle, uint32_t odd);

/* A round: writes this core's block for the others, and returns when theirs are there, too.
 * Returns the number of the round modulo 2. */
uint32_t circle_share(struct circle *circle, void *block, uint32_t bytes);

/* Address of core `core`'s block of a round. */
uint32_t circle_block(const struct circle *circle, uint32_t core, uint32_t odd);

/* Which words of a block of `words` words are added: `count` words from `first` on, and again at
 * each further `step`, `times` times. */
struct circle_words {
    uint32_t words, first, count, step, times;
};

/* A round that adds the same words of all other cores' blocks to a block.  `mark` is the phase
 * marker of this work. */
void circle_add(struct circle *circle, int32_t *block, struct circle_words which,
                void (*mark)(uint32_t row), uint32_t row);

/* Reads the parts of cores first .. first + count - 1 of a round, but for this core's own, where
 * core first + i has made values bounds[i] to bounds[i + 1]. */
void circle_take(const struct circle *circle, uint32_t odd, uint32_t first, uint32_t count,
                 const uint32_t *bounds, nn_value *values);

/* The same of blocks that hold the parts of several images, one behind the other; core c has made
 * values bounds[c] to bounds[c + 1] of each.  stride: from one image's values to the next. */
void circle_unpack(const struct circle *circle, uint32_t odd, const uint32_t *bounds,
                   uint32_t images, nn_value *values, uint32_t stride);

/* Values first .. end, and the words that contain them: transfers are of words. */
struct circle_span {
    uint32_t first, end;
    uint32_t begin; /* the first value of the first word */
    uint32_t bytes; /* of the words */
};
struct circle_span circle_span_of(const uint32_t *bounds, uint32_t part);
