/* weights.h - a network's parameters, and the .npz file that carries them.
 *
 *     network, variant          text: as in the network's YAML
 *     weight_fraction           int32: fractional bits of the integers
 *     activation_fraction       int32: fractional bits of the activations they were made for
 *     dataset, dataset_digest   text: what they were trained on; SHA-256 as in sim/data/dataset.h
 *     recipe                    text: the command that makes this file
 *     reference_accuracy        float64: of the double network on the whole test set, 0 to 1; not a
 *                               number where there is none: trained in integers
 *     LAYER.weights             int16 [output][input][row][column], or [output][input] (dense)
 *     LAYER.biases              int16 [output]
 *     LAYER.weights_float64     the same before rounding; for all layers or for none
 *     LAYER.biases_float64
 *
 * A file is read whole and checked whole: names, shapes, formats, that there is nothing else, and
 * that the integers are the rounded doubles. */
#ifndef SIM_MAPPING_WEIGHTS_H
#define SIM_MAPPING_WEIGHTS_H
#include "models/common/status.h"
#include "sim/data/sha256.h"
#include "sim/mapping/network.h"
#include "workloads/nn/layer_table.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { WEIGHTS_DATASET_CHARS = 32, WEIGHTS_RECIPE_CHARS = 512 };

/* What a file says about its making. */
struct weights_origin {
    char dataset[WEIGHTS_DATASET_CHARS];
    char dataset_digest[SHA256_HEX_CHARS];
    char recipe[WEIGHTS_RECIPE_CHARS];
    double reference_accuracy;
};

struct weights {
    int16_t *block;  /* table->parameter_bytes, as the layer table lays them out; owned */
    double *float64; /* network_parameters() values, see weights_place(); NULL: none; owned */
    struct weights_origin origin;
    uint32_t saturated; /* by weights_round(): parameters that had to be cut to 16 bits */
};

/* Where a layer's parameters lie among those of all layers: one after the other, weights before
 * biases. */
struct weights_place {
    size_t weights, biases;
};
struct weights_place weights_place(const struct network *network, size_t layer);

/* `table` in the following is the network's layer table. */

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

#ifdef __cplusplus
}
#endif
#endif
