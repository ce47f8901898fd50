/* train_place.c - see train_place.h; compiled once for each number format. */
#include "sim/mapping/train_place.h"

void NN_OF_FORMAT(train_place)(const struct nn_train_core *core, const struct nn_table *table,
                               const uint32_t *bounds, uint32_t owned,
                               struct nn_train_memory *memory)
{
    nn_train_place(core, table, bounds, owned, memory);
}
