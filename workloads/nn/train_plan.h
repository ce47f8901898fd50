/* train_plan.h - data in a chip's SDRAM that the host writes for a training program, and results
 * that the program writes there.
 *
 * Every core has a record (struct nn_train_core, its address in the core's block, user0) and a
 * piece of the network: a layer table with its own maps, units or inputs of every layer, and a
 * parameter block: the weights of all layers, then all biases, each of them a value (nn_value).
 * Cores that share an image are a group; cores with the same number in their groups have the same
 * piece.  A program runs one command (an epoch, or a test) and waits for the next one; everything
 * that the host reads between commands is in SDRAM.  All words are little-endian. */
#pragma once
#include "exchange_plan.h"
#include "order.h"
#include "schedule.h"
#include "update.h"
#include <stdint.h>

#define NN_TRAIN_MAGIC 0x4e415254u /* "TRAN" */

enum {
    NN_TRAIN_VERSION = 4,
    NN_TRAIN_MEMBERS = 18, /* of a group, at most */
    NN_TRAIN_AT_ONCE = 3   /* peers whose gradients are added at the same time */
};

/* Counters of signals (exchange_count[]).  Group, team and peers have two each: signals of even
 * rounds add to the first, those of odd rounds to the second. */
enum {
    NN_SIGNAL_GROUP = 0,
    NN_SIGNAL_PEERS = 2,
    NN_SIGNAL_OPEN = 4, /* and the next */
    NN_SIGNAL_TEAM = 16
};

#define NN_TRAIN_NOT_READY 0xffffffffu /* in `done`, by the host */

enum nn_train_what { NN_TRAIN_END = 1, NN_TRAIN_EPOCH, NN_TRAIN_TEST };

/* The next command, the same for all cores of a chip.  The host writes its number last, then wakes
 * the cores by the system controller's interrupt. */
struct nn_train_command {
    uint32_t number;       /* 1, 2, ... */
    uint32_t what;         /* enum nn_train_what */
    uint32_t epoch;        /* from 0 */
    uint32_t first_update; /* of the epoch, counted over the whole run: for the schedule */
    uint32_t updates;      /* updates to do in this epoch, at most */
};

struct nn_train_core {
    uint32_t magic, version;
    uint32_t done;    /* written by the program: number of the last command, 0 when it is ready */
    uint32_t command; /* address */
    uint32_t table, table_bytes; /* the piece's */
    uint32_t layout;             /* address of struct nn_train_memory: where its data lie in DTCM */

    /* Parameters, state */
    uint32_t parameters;               /* address of the piece's block */
    uint32_t value_bytes;              /* of a value */
    uint32_t parameter_count;          /* values; from `first` on a multiple of 8 */
    uint32_t shared;                   /* values at its beginning: blocks of twins, which others
                                          update, too (train_memory.h) */
    uint32_t first;                    /* the first value that this core and its peers update */
    uint32_t weights_end;              /* the first bias behind them */
    uint32_t state;                    /* address of this core's state: of the words that it owns */
    uint32_t slice_first, slice_count; /* of the piece, from `first` on: what this core adds up for
                                          its chip */

    /* Images */
    uint32_t images, image_bytes; /* of this chip: pixels, then a byte with the label */
    uint32_t pixels, classes;
    uint32_t chips, chip; /* position q of an epoch is chip q mod chips' */
    uint32_t batch;       /* of all chips */
    struct nn_order order;
    uint32_t test_images, test_count; /* of this chip, no labels */
    uint32_t results;                 /* address of struct nn_result for each of them */

    /* Cores that share an image */
    uint32_t members, member;
    uint32_t bounds; /* address: uint32_t[layers with weights][members + 1], values of the layer's
                        result that member m makes: bounds[m] to bounds[m + 1]; of convolutions, m
                        is the number within the team */
    uint32_t share;  /* address of the members' buffers, two rounds of `members` each */
    uint32_t share_bytes; /* of a buffer */
    uint32_t group_key;   /* to the others; + 1 in odd rounds */

    /* A group computes some images at a time: the convolutions of each by a team of its members,
     * consecutive ones, the dense layers by all of them */
    uint32_t at_once;
    uint32_t team_share; /* as `share`; only where there are teams */
    uint32_t team_key;

    /* Cores of this chip with the same piece */
    uint32_t groups, group;
    uint32_t gradients; /* address of `groups` gradient blocks of parameter_count words */
    uint32_t peers_key; /* to the others; + 1 in odd rounds */

    /* Cores of other chips with the same piece.  On several boards these are the chips of this
     * core's board; then the slice that the core has of its board's sums goes around the chips at
     * the same place of the other boards */
    struct exchange_plan exchange;
    struct exchange_plan between_boards; /* chips 0: all chips are in `exchange` */

    /* Mappings neuron_blocks, neuron_columns: address of struct nn_block_plan; neuron_per_core:
     * nn_neuron_plan */
    uint32_t blocks;

    struct nn_rule rule;
    struct nn_schedule schedule;

    uint32_t records; /* address of struct nn_train_record for each update of an epoch */
    uint32_t log; /* address of a word for each of the chip's images: hashes in the order of use; 0:
                     none */
};

/* One core's record of one update. */
struct nn_train_record {
    uint32_t done;   /* number of the update over the whole run, + 1 */
    uint32_t images; /* that it counts: those of its group, by the first member; others 0 */
    uint32_t right;  /* classified rightly before the update */
    uint32_t saturations, error_saturations, overflows;
    uint32_t largest;    /* sum of gradients that it owns, over all images: magnitude */
    uint32_t largest_at; /* its index in the piece */
    uint32_t weight_saturations, state_saturations;
    uint64_t loss; /* of `images`, 16 fractional bits */
};

/* The members of a team; the number of a member's team in its group, and its number in the team. */
static inline uint32_t nn_team_members(const struct nn_train_core *core)
{
    return core->members / core->at_once;
}

static inline uint32_t nn_team(const struct nn_train_core *core)
{
    return core->member / nn_team_members(core);
}

static inline uint32_t nn_mate(const struct nn_train_core *core)
{
    return core->member % nn_team_members(core);
}

/* Hash of an image in use, pixels and label: words up to `end`. */
static inline uint32_t nn_image_hash(const uint32_t *word, const uint32_t *end)
{
    uint32_t hash = 0x811c9dc5u;
    while (word != end) {
        hash = (hash ^ *word++) * 0x01000193u;
    }
    return hash;
}
