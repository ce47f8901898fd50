/* weights.h - a network's parameters, and the .npz file that carries them.
 *
 *     network, variant          text: as in the network's YAML
 *     weight_fraction           int32: fractional bits of the integers
 *     activation_fraction       int32: fractional bits of the activations they were made for
 *     dataset, dataset_digest   text: what they were trained on; SHA-256 as in sim/data/dataset.h
 *     recipe                    text: the command that makes this file
 *     reference_accuracy        float64: of the double network on the whole test set, 0 to 1; NaN
 *                               for weights trained in integers
 *     LAYER.weights             [output][input][row][column]; [link][row][column] with a table of
 *                               links; [output] (subsampling); [output][input] (dense).  int16;
 *                               int32 if trained in s16.15, float32 if trained in float32
 *     LAYER.biases              [output], the same types
 *     LAYER.weights_float64     the same before rounding; for all layers or for none
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
    uint32_t saturated; /* number of parameters that weights_round() saturated */
};

/* Offsets of a layer's parameters in a vector of all layers' parameters: layer by layer, weights
 * before biases. */
struct weights_place {
    size_t weights, biases;
};
struct weights_place weights_place(const struct network *network, size_t layer);

/* `table` in the following is the network's layer table.
 *
 * A parameter block: the table's offsets count 16-bit places.  Each place holds one value: int16,
 * int32 (s16.15) or float32, which integer functions pass as its bits.  A block of int8 consists of
 * bytes (quantise.h); of the functions below only weights_block_bytes() applies to it. */
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

/* A parameter's value as a real number. */
double weights_real(const struct network *network, const void *block, size_t place);

/* `value` must be within the range of weights_most(). */
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

/* Rounds parameters to nearest, ties upwards, into the block, and keeps a copy of the doubles; the
 * origin is left empty.  STATUS_CONFIGURATION when a parameter is not finite. */
enum status weights_round(struct weights *weights, const struct network *network,
                          const struct nn_table *table, const double *parameters,
                          struct diagnostic *diagnostic);

/* Errors are STATUS_CONFIGURATION with the file, the array as key, and a hint; *weights is then
 * empty. */
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
    char name[WEIGHTS_NAME_CHARS];         /* name of the integer array in the file */
    char float64_name[WEIGHTS_NAME_CHARS]; /* of the doubles */
    unsigned rank;
    size_t shape[NPZ_MAX_RANK];
    size_t count;
    size_t block_at;   /* in weights.block */
    size_t float64_at; /* in weights.float64 */
};

/* Calls action for each part that is not empty, up to the first failure. */
typedef enum status weights_action(void *context, const struct weights_part *part);
enum status weights_each_part(const struct network *network, const struct nn_table *table,
                              weights_action *action, void *context);

/* All parameters as real numbers, at the places of weights_place(): network_parameters() of them.
 */
void weights_reals(const struct network *network, const struct nn_table *table, const void *block,
                   double *parameters);

/* Allocates the parameters, all 0; on failure *weights is empty. */
enum status weights_allocate(struct weights *weights, const struct network *network,
                             const struct nn_table *table, bool float64,
                             struct diagnostic *diagnostic);

/* Rounds to nearest, ties upwards, as all rounding in workloads/nn; saturates at weights_most() and
 * counts that.  For float32: rounds ties to even and returns the bits. */
int32_t weights_round_one(const struct network *network, double value, uint32_t *saturated);

C_LINKAGE_END
