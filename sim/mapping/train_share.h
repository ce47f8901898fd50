/* train_share.h - how the members of a group share the parameters that go between chips, such that
 * all rings carry as many words, and the members on a ring as many. */
#pragma once
#include "models/common/c_linkage.h"
#include "workloads/nn/train_plan.h"
C_LINKAGE_BEGIN

struct train_load {
    uint32_t members;                 /* at most NN_TRAIN_MEMBERS */
    uint32_t rings;                   /* member m is on ring m mod rings; at least 1 */
    uint32_t words[NN_TRAIN_MEMBERS]; /* of each member so far */
};

/* Divides `units` neighbouring units of `unit_words` words each: count[m] is member m's.  A member
 * has at most its part of the ring's part of the units, rounded up, so that no member computes for
 * much longer than others. */
void train_share_units(struct train_load *load, uint32_t units, uint32_t unit_words,
                       uint32_t *count);

/* Divides a block of `words` words, an even number, among its twins (bit m: member m), in even
 * counts; count[m] of other members becomes 0. */
void train_share_block(struct train_load *load, uint32_t twins, uint32_t words, uint32_t *count);

C_LINKAGE_END
