/* operations_network.h - a network on a backend's operations: its memories there, one image forward
 * and backward, and its update. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/host_backend/operations.h"
#include "sim/networks/network.h"
#include "workloads/nn/layer_table.h"
C_LINKAGE_BEGIN

struct operations_network {
    struct operations on;
    const struct network *network;
    const struct nn_table *table;
    bool integers;
    size_t places;      /* of a vector of all parameters: weights_places(), network_parameters() */
    size_t state_words; /* for each of them; 0: no updates here */
    size_t first_trained; /* the first layer with parameters: its input's errors are not needed */
    uint32_t error_fraction; /* of integers */
    struct spinnsim_memory *parameters, *gradients, *state;
    struct spinnsim_memory *value[NETWORK_LAYERS + 1]; /* the input; [i + 1]: layer i's output */
    struct spinnsim_memory *error[NETWORK_LAYERS + 1]; /* [i]: of value[i] */
    struct spinnsim_memory *patches[NETWORK_LAYERS];   /* of convolutions that fall back */
    struct spinnsim_memory *sums, *logits, *classes, *row, *one;
    void *input; /* an image as the backend's numbers, up to 8 bytes each; owned */
    /* Numeric events, of integers. */
    uint64_t saturations, overflows, error_saturations;
};

/* STATUS_CONFIGURATION names the layer, the loss or the format that no fallback reaches. */
enum status operations_network_check(const struct network *network, struct diagnostic *diagnostic);

/* state_words 0: for tests alone.  Call operations_network_close() in either case. */
enum status operations_network_open(struct operations_network *own, const struct network *network,
                                    const struct nn_table *table,
                                    const struct spinnsim_backend *backend, uint32_t without,
                                    size_t state_words, uint32_t error_fraction,
                                    struct operations_log *log, struct diagnostic *diagnostic);
void operations_network_close(struct operations_network *own);

/* Leaves the logits there, and copies them to `logits`: int32_t, float or double. */
void operations_network_forward(struct operations_network *own, const uint8_t *image, void *logits);

/* After a forward pass: adds to the gradients. */
void operations_network_backward(struct operations_network *own, uint32_t label);

/* Places of a layer's weights and biases in the parameters. */
struct operations_place {
    size_t weights, biases;
};
struct operations_place operations_network_place(const struct operations_network *own, size_t i);

C_LINKAGE_END
