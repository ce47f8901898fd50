/* weights.h - a network's parameters, and the .npz file that carries them.
 *
 *     network, variant          text: as in the network's YAML
 *     weight_fraction           int32: fractional bits of the integers
 *     activation_fraction       int32: fractional bits of the activations they were made for
 *     dataset, dataset_digest   text: what they were trained on; SHA-256 as in sim/data/dataset.h
 *     recipe                    text: the command that makes this file
 *     reference_accuracy        float64: of the double network on the whole test set, 0 to 1; not a
 *                               number where there is none: trained in integers
 *     LAYER.weights             [output][input][row][column], [link][row][column] where there is a
 *                               table of links, [output] (subsampling), or [output][input] (dense):
 * int16, or int32 of a training in s16.15, float32 of one in singles LAYER.biases              the
 * same: [output] LAYER.weights_float64     the same before rounding; for all layers or for none
 *     LAYER.biases_float64
 *
 * A file is read whole and checked whole: names, shapes, formats, that there is nothing else, and
 * that the integers are the rounded doubles. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/data/npz.h"
#include "sim/data/sha256.h"
#include "sim/networks/network.h"
#include "workloads/nn/layer_table.h"
C_LINKAGE_BEGIN

enum { WEIGHTS_DATASET_CHARS = 32, WEIGHTS_RECIPE_CHARS = 512 };

/* What a file says about its making. */
struct weights_origin {
    char dataset[WEIGHTS_DATASET_CHARS];
    char dataset_digest[SHA256_HEX_CHARS];
    char recipe[WEIGHTS_RECIPE_CHARS];
    double reference_accuracy;
};

struct weights {
    void *block;     /* weights_block_bytes(), as the layer table lays them out; owned */
    double *float64; /* network_parameters() values, see weights_place(); NULL: none; owned */
    struct weights_origin origin;
    uint32_t saturated; /* by weights_round(): parameters that had to be cut */
};

/* Where a layer's parameters lie among those of all layers: one after the other, weights before
 * biases. */
struct weights_place {
    size_t weights, biases;
};
struct weights_place weights_place(const struct network *network, size_t layer);

/* `table` in the following is the network's layer table.
 *
 * A parameter block: the table's offsets count 16-bit places, of which each holds a value: int16,
 * int32 of s16.15, or a single, whose bits stand for it where an integer is asked for.  That of
 * int8 is bytes (quantise.h), and no business of the functions below but the next. */
static inline size_t weights_places(const struct nn_table *table)
{
    return table->parameter_bytes / sizeof(int16_t);
}

static inline size_t weights_block_bytes(const struct network *network,
                                         const struct nn_table *table)
{
    return network->numbers == NETWORK_INT8 ? table->parameter_bytes
                                            : weights_places(table) * network_value_bytes(network);
}

static inline int32_t weights_value(const struct network *network, const void *block, size_t place)
{
    return network_value_bytes(network) == sizeof(int16_t) ? ((const int16_t *)block)[place]
                                                           : ((const int32_t *)block)[place];
}

/* What it stands for. */
double weights_real(const struct network *network, const void *block, size_t place);

/* `value` is within weights_most(). */
static inline void weights_set_value(const struct network *network, void *block, size_t place,
                                     int32_t value)
{
    if (network_value_bytes(network) == sizeof(int16_t)) {
        ((int16_t *)block)[place] = (int16_t)value;
    } else {
        ((int32_t *)block)[place] = value;
    }
}

/* The largest parameter; the least is one less than its negative. */
static inline int32_t weights_most(const struct network *network)
{
    return network_value_bytes(network) == sizeof(int16_t) ? INT16_MAX : INT32_MAX;
}

/* Rounds parameters to nearest, ties upwards, into the block and keeps a copy of them; the origin
 * is left empty.  STATUS_CONFIGURATION when one is not finite. */
enum status weights_round(struct weights *weights, const struct network *network,
                          const struct nn_table *table, const double *parameters,
                          struct diagnostic *diagnostic);

/* STATUS_CONFIGURATION with the file, the array as key, and a hint; *weights is empty then. */
enum status weights_read(struct weights *weights, const char *path, const struct network *network,
                         const struct nn_table *table, struct diagnostic *diagnostic);

enum status weights_write(const struct weights *weights, const char *path,
                          const struct network *network, const struct nn_table *table,
                          struct diagnostic *diagnostic);

void weights_deinit(struct weights *weights);

/* ---- the blocks of parameters, in memory and in the file ---- */

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
