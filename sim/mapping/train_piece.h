/* train_piece.h - a core's piece of a network that the members of a group train together.
 *
 * A stage is a layer with weights and the pooling layer behind it.  Of every stage but the last, a
 * member makes neighbouring values: some whole maps or units or, of a convolution with fewer maps
 * than members, some rows of one map (a band); none if there are too few.  Of the last layer it has
 * the weights of those inputs that it computes itself or, if `whole_last`, the whole layer.  A
 * group may compute several images at a time: then a convolution is divided among a team of its
 * members, and all teams have the same pieces of it; dense layers are divided among all members.
 * Members with the same weights are twins, and all are of the last layer's biases.  A twin has the
 * parameters for computing, and updates a share of them.  Shares are such that all
 * rings carry as many words, and on a ring all members.  With `whole_last`, in a network of dense
 * layers, a member also has columns of each inner layer: its weights [own unit of the layer
 * before][unit of the layer], behind the weights of all layers, a second copy of those that are in
 * rows, too.  With `columns` these are the only copy, and a member has such columns of the last
 * layer, too, and none of its rows. A piece's parameter block holds the blocks of twins, then the
 * weights of its layers, each aligned to a word, then all biases; `origin` maps each value to its
 * place in the whole network's block. While it updates, the shares' weights take the place of the
 * last values of the blocks. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "workloads/nn/layer_table.h"
#include "workloads/nn/train_memory.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

/* In `origin`: padding, a value of a piece that is no parameter of the network. */
#define TRAIN_PIECE_FILLER UINT32_MAX

enum { TRAIN_PIECE_BLOCK = 8 /* the number of a piece's parameters is a multiple of this */ };

struct train_piece {
    struct nn_table *table;
    struct nn_train_part part[NN_TRAIN_STAGES];
    uint32_t at_once; /* images that its group computes at a time */
    uint32_t shared;  /* values at the beginning of the piece's block: blocks of twins */
    uint32_t first;   /* the first value that the member updates: its shares' weights end at
                         `shared`, their biases are behind all others */
    uint32_t
        taken_words;  /* room for what a core takes from its twins at a time, and for all shares */
    uint32_t *origin; /* [value of the piece's block] */
    uint32_t *owned_origin; /* [value of the piece's block - first]: of what the member updates */
    uint32_t count;         /* number of values in the piece's block */
    uint32_t weights_end;   /* the first bias behind the blocks of twins */
    uint32_t columns[NN_TRAIN_STAGES]; /* of each stage: first value of its columns; 0: none */
    bool in_columns;                   /* only the first stage has rows */
    bool tight; /* data that are not needed at the same time share their places (train_place.h) */
    uint32_t first_layer; /* layer of the network that is the table's first row */
};

/* How a network is divided. */
struct train_sharing {
    uint32_t members; /* at most NN_TRAIN_MEMBERS where there are twins */
    uint32_t at_once; /* images; divides `members` */
    bool whole_last;  /* each member has the whole last layer, and a part of every other */
    uint32_t rings;   /* over which the members' words go, member m's on ring m mod rings: units of
                         dense layers are divided such that all rings have as many words; 1: all
                         members have as many */
    bool columns;     /* with `whole_last` */
};

/* bounds[stage][member] is the first value of each member's part of a stage's result, and
 * bounds[stage][members] its end; of convolutions of each team member's part.  Refused: networks
 * without a dense layer at the end, with more stages than programs have room for or, if
 * `whole_last`, with a member that has no part of a stage.  The caller frees `*bounds`, even after
 * a failure. */
enum status train_bounds_make(const struct nn_table *table, const struct train_sharing *sharing,
                              uint32_t **bounds, uint32_t *stages, struct diagnostic *diagnostic);

enum status train_piece_make(const struct nn_table *table, const uint32_t *bounds,
                             const struct train_sharing *sharing, uint32_t member,
                             struct train_piece *piece, struct diagnostic *diagnostic);

/* Whether a network is one of 1998, whose programs take few words of other members at a time
 * (workloads/nn/operators.h). */
bool train_piece_is_1998(const struct nn_table *table);

/* Whether a convolution behind the first layer has so many inputs that the sums of their errors
 * take a quarter of a core's DTCM: then all pieces are tight. */
bool train_piece_is_large(const struct nn_table *table);

/* Whether the program takes few words of other members at a time: of both kinds of networks. */
bool train_piece_takes_few(const struct nn_table *table);

/* Sets the stages of a piece, without their places in memory; clears the rest of the layout. */
void train_piece_stages(const struct train_piece *piece, struct nn_train_memory *memory);

void train_piece_deinit(struct train_piece *piece);

C_LINKAGE_END
