/* train_place.c - see train_place.h; compiled once for each number format. */
#include "sim/mapping/train_place.h"

#ifdef NN_NAME
#define TRAIN_PLACE NN_NAME(train_place)
#else
#define TRAIN_PLACE train_place_int16
#endif

void TRAIN_PLACE(const struct nn_train_core *core, const struct nn_table *table,
                 const uint32_t *bounds, uint32_t owned, struct nn_train_memory *memory)
{
    nn_train_place(core, table, bounds, owned, memory);
}
