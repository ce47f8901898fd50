/* train_piece.h - a core's piece of a network that the members of a group train together.
 *
 * Member m has some neighbouring maps or units of every layer but the last, whose inputs it has
 * instead: those that it makes itself; or, if `whole_last`, all of the last layer.  A piece's
 * parameter block: the weights of its layers, each from a word on, then all biases; `origin` says
 * which value of the whole network's block each is.
 */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "workloads/nn/layer_table.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

/* In `origin`: a value of a piece that no parameter of the network is. */
#define TRAIN_PIECE_FILLER UINT32_MAX

enum { TRAIN_PIECE_BLOCK = 8 /* a piece's parameters are a multiple of it */ };

struct train_piece {
    struct nn_table *table;
    uint32_t *origin; /* by value of the piece's block */
    uint32_t count;   /* of these values */
    uint32_t weights_end;
    uint32_t first_layer; /* of the network: the table's first row */
};

/* Where each member's part of each stage's result begins, in values: bounds[stage][member], one
 * more row's end than members; stages are the layers with weights.  A network that members cannot
 * share is refused: at least as many maps as members, dense at its end, and, if `on_words`, parts
 * that begin on words of two values.  `*bounds` is the caller's to free, whatever comes back. */
enum status train_bounds_make(const struct nn_table *table, uint32_t members, bool on_words,
                              uint32_t **bounds, uint32_t *stages, struct diagnostic *diagnostic);

enum status train_piece_make(const struct nn_table *table, const uint32_t *bounds, uint32_t members,
                             uint32_t member, bool whole_last, struct train_piece *piece,
                             struct diagnostic *diagnostic);
void train_piece_deinit(struct train_piece *piece);

C_LINKAGE_END
