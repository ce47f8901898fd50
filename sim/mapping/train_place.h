/* train_place.h - what a core that trains keeps in DTCM (workloads/nn/train_memory.h), as the
 * programs of each number format place it. */
#ifndef SIM_MAPPING_TRAIN_PLACE_H
#define SIM_MAPPING_TRAIN_PLACE_H
#include "workloads/nn/train_memory.h"
#ifdef __cplusplus
extern "C" {
#endif

/* As nn_train_place(). */
typedef void train_place(const struct nn_train_core *core, const struct nn_table *table,
                         const uint32_t *bounds, uint32_t owned, struct nn_train_memory *memory);
train_place train_place_int16, train_place_s1615, train_place_float32;

#ifdef __cplusplus
}
#endif
#endif
