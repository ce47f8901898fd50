/* boards.c - see boards.h. */
#include "boards.h"
#include "marks.h"
#include "train_core.h"

#include <exchange.h>

static void meet_chip(struct circle *group)
{
    if (group->count > 1) {
        circle_end(group, circle_begin(group));
    }
    train_meet_peers();
}

/* Where this core's slice of the board's sums begins. */
static uint32_t slice_of_board(void)
{
    uint32_t first;
    uint32_t count;
    exchange_owned(&train.core.exchange, &first, &count);
    return first;
}

TRAIN_SELDOM void boards_reduce(int32_t *sums, nn_value *parameters, struct circle *group)
{
    const uint32_t first = slice_of_board();
    exchange_reduce_scatter(&train.core.exchange, sums, NULL);
    meet_chip(group);
    mark_exchange_gradients();
    exchange_pace(&train.core.exchange, &train.core.between_boards);
    exchange_meet(&train.core.between_boards);
    exchange_reduce_scatter(&train.core.between_boards, sums + first, parameters + first);
}

TRAIN_SELDOM void boards_give(nn_value *parameters, struct circle *group)
{
    exchange_all_gather(&train.core.between_boards, parameters + slice_of_board());
    exchange_pace(&train.core.between_boards, &train.core.exchange);
    meet_chip(group);
    mark_exchange_weights();
    exchange_all_gather(&train.core.exchange, parameters);
}

TRAIN_SELDOM void boards_owned(uint32_t *first, uint32_t *count)
{
    exchange_owned(&train.core.between_boards, first, count);
    *first += slice_of_board();
}
