/* export.h - `spinnsim export`: a network and its weights for other frameworks. */
#pragma once
#include "sim/networks/layer_table.h"
#include "sim/networks/network.h"
#include "sim/networks/weights.h"
C_LINKAGE_BEGIN

/* What is exported. */
struct exported {
    struct network network;
    struct nn_table *table; /* owned */
    struct weights weights;
};

/* The network and weights of an experiment's file, or of a result folder: the weights that its
 * training has made, if it has trained. */
enum status export_load(struct exported *exported, const char *from, const char *configs_folder,
                        struct diagnostic *diagnostic);
void export_deinit(struct exported *exported);

/* Writes the weights for Keras (keras_write.h). */
enum status export_keras_weights(const struct exported *exported, const char *path,
                                 struct diagnostic *diagnostic);

C_LINKAGE_END
