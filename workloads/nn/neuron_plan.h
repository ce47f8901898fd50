/* neuron_plan.h - the plan of a core when each core is one neuron of a network of two dense layers
 * (mapping neuron_per_core).
 *
 * A packet carries one word.  Its key has bit 31 set, then a counter, a place in the receiver's
 * buffer and the receiver (workloads/exchange/word_inbox.h).  Hidden neuron n's values go to all
 * output neurons; values of odd images have the place behind that of even ones.  An output neuron's
 * logits go to all other output neurons.  Output neuron k sends a product of weight and error for
 * each hidden neuron; every product goes to all hidden neurons, and all but one discard it.
 *
 * On several chips the neurons of a layer take turns to send, so that one link can carry the
 * traffic of the whole layer.  No common clock is needed, as all begin when the last word has
 * arrived. */
#pragma once
#include <stdint.h>

enum nn_neuron_words { NN_NEURON_VALUES, NN_NEURON_LOGITS, NN_NEURON_PRODUCTS, NN_NEURON_KINDS };

enum {
    NN_NEURON_FOR_ALL = 0, /* hidden neuron n is number n + 1 */
    NN_NEURON_PLACE_SHIFT = 12,
    NN_NEURON_KIND_SHIFT = 24,
    NN_NEURON_PLACES = 1 << NN_NEURON_PLACE_SHIFT
};
#define NN_NEURON_KEY    0x80000000u
#define NN_VALUES_MASK   0xffffe000u /* two places: even and odd images */
#define NN_LOGIT_MASK    0xfffff000u
#define NN_PRODUCTS_MASK 0xfffff000u /* all hidden neurons */

struct nn_neuron_plan {
    uint32_t is_output;   /* else a hidden neuron */
    uint32_t number;      /* in its layer */
    uint32_t hidden;      /* neurons */
    uint32_t classes;     /* output neurons */
    uint32_t row;         /* of the layer in the network's table */
    uint32_t error_shift; /* of sums of products, to errors */
    uint32_t logs;        /* 1: it logs the chip's images */
    uint32_t slot_cycles; /* length of a turn; 0: all send at once */
};

static inline uint32_t nn_neuron_key(enum nn_neuron_words kind, uint32_t place, uint32_t whom)
{
    return NN_NEURON_KEY | (uint32_t)kind << NN_NEURON_KIND_SHIFT | place << NN_NEURON_PLACE_SHIFT |
           whom;
}

/* Places in an output neuron's buffer: values, then logits.  In a hidden neuron's: products. */
static inline uint32_t nn_neuron_value_place(uint32_t number, uint32_t image)
{
    return 2 * number + (image & 1);
}

static inline uint32_t nn_neuron_logit_place(uint32_t hidden, uint32_t number)
{
    return 2 * hidden + number;
}

static inline uint32_t nn_neuron_buffer_words(uint32_t hidden, uint32_t classes)
{
    return 2 * hidden + classes;
}

/* Bytes of the role's own arrays in DTCM: the buffer, all hidden values as nn_value. */
static inline uint32_t nn_neuron_bytes(uint32_t hidden, uint32_t classes, uint32_t value_bytes)
{
    const uint32_t buffer = nn_neuron_buffer_words(hidden, classes) * 4;
    return ((buffer + 7u) & ~7u) + ((hidden * value_bytes + 7u) & ~7u);
}
