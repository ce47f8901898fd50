/* weights_parts.h - inside of weights: the blocks of parameters that a network has, in memory and
 * in its file. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/npz.h"
#include "sim/networks/weights.h"
C_LINKAGE_BEGIN

enum { WEIGHTS_NAME_CHARS = 64 };

/* The weights or the biases of a layer. */
struct weights_part {
    char name[WEIGHTS_NAME_CHARS];         /* of the integers in the file */
    char float64_name[WEIGHTS_NAME_CHARS]; /* of the doubles */
    unsigned rank;
    size_t shape[NPZ_MAX_RANK];
    size_t count;
    size_t block_at;   /* in weights.block */
    size_t float64_at; /* in weights.float64 */
};

/* Calls action for each part that is not empty, up to the first that is refused. */
typedef enum status weights_action(void *context, const struct weights_part *part);
enum status weights_each_part(const struct network *network, const struct nn_table *table,
                              weights_action *action, void *context);

/* Memory for the parameters, all 0; on failure *weights is empty. */
enum status weights_allocate(struct weights *weights, const struct network *network,
                             const struct nn_table *table, bool float64,
                             struct diagnostic *diagnostic);

/* To nearest, ties upwards, as all rounding in workloads/nn; cut to weights_most() and counted.  A
 * single: to even, its bits. */
int32_t weights_round_one(const struct network *network, double value, uint32_t *saturated);

C_LINKAGE_END
