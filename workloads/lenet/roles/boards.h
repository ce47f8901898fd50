/* boards.h - train_group on several boards: sums go around each board, then the slice that a core
 * has of its board's sums goes around the boards; new parameters go the other way.  Only programs
 * whose exchange is on rings have these functions (NN_HAS). */
#pragma once
#include "circle.h"
#include "train_core.h"

#include <operators.h>

/* The reduce(), give() and owned() of a role (train_core.h).  Rings of a board fill its links, and
 * packets between boards need room on them: all cores of the chip meet between the two, `group` are
 * those of this core's group. */
NN_OPTIONAL void boards_reduce(int32_t *sums, nn_value *parameters, struct circle *group);
NN_OPTIONAL void boards_give(nn_value *parameters, struct circle *group);
NN_OPTIONAL void boards_owned(uint32_t *first, uint32_t *count);

/* Whether this training is on several boards, each with rings of its own. */
static inline bool has_boards(void)
{
    return NN_HAS(boards_reduce) && train.core.between_boards.chips > 1;
}
