/* weights_write.c - see weights.h: writing the file. */
#include "sim/networks/weights.h"
#include "sim/networks/weights_parts.h"

struct writing {
    const struct weights *weights;
    const struct network *network;
    struct npz_writer *writer;
    struct diagnostic *diagnostic;
};

static enum status write_scalar(const struct writing *writing, const char *name, enum npz_type type,
                                const void *data)
{
    const struct npz_array array = {.name = name, .type = type, .data = data};
    return npz_add(writing->writer, &array, writing->diagnostic);
}

static enum status write_metadata(const struct writing *writing, const struct network *network)
{
    const struct weights_origin *origin = &writing->weights->origin;
    const int32_t weight_fraction = (int32_t)network->weight_fraction;
    const int32_t activation_fraction = (int32_t)network->activation_fraction;
    struct npz_writer *writer = writing->writer;
    struct diagnostic *diagnostic = writing->diagnostic;
    enum status status = npz_add_text(writer, "network", network->name, diagnostic);
    if (status == STATUS_OK) {
        status = npz_add_text(writer, "variant", network->variant, diagnostic);
    }
    if (status == STATUS_OK) {
        status = write_scalar(writing, "weight_fraction", NPZ_INT32, &weight_fraction);
    }
    if (status == STATUS_OK) {
        status = write_scalar(writing, "activation_fraction", NPZ_INT32, &activation_fraction);
    }
    if (status == STATUS_OK) {
        status = npz_add_text(writer, "dataset", origin->dataset, diagnostic);
    }
    if (status == STATUS_OK) {
        status = npz_add_text(writer, "dataset_digest", origin->dataset_digest, diagnostic);
    }
    if (status == STATUS_OK) {
        status = npz_add_text(writer, "recipe", origin->recipe, diagnostic);
    }
    if (status == STATUS_OK) {
        status =
            write_scalar(writing, "reference_accuracy", NPZ_FLOAT64, &origin->reference_accuracy);
    }
    return status;
}

static enum status write_array(const struct writing *writing, const struct weights_part *part,
                               const char *name, enum npz_type type, const void *data)
{
    struct npz_array array = {.name = name, .type = type, .rank = part->rank, .data = data};
    for (unsigned i = 0; i < part->rank; i++) {
        array.shape[i] = part->shape[i];
    }
    return npz_add(writing->writer, &array, writing->diagnostic);
}

static enum status write_part(void *context, const struct weights_part *part)
{
    const struct writing *writing = context;
    const uint8_t *block = writing->weights->block;
    return write_array(writing, part, part->name, weights_type(writing->network),
                       block + part->block_at * network_value_bytes(writing->network));
}

static enum status write_float64_part(void *context, const struct weights_part *part)
{
    const struct writing *writing = context;
    return write_array(writing, part, part->float64_name, NPZ_FLOAT64,
                       writing->weights->float64 + part->float64_at);
}

enum status weights_write(const struct weights *weights, const char *path,
                          const struct network *network, const struct nn_table *table,
                          struct diagnostic *diagnostic)
{
    struct npz_writer writer;
    struct writing writing = {
        .weights = weights, .network = network, .writer = &writer, .diagnostic = diagnostic};
    enum status status = npz_create(&writer, path, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    status = write_metadata(&writing, network);
    if (status == STATUS_OK) {
        status = weights_each_part(network, table, write_part, &writing);
    }
    if (status == STATUS_OK && weights->float64 != NULL) {
        status = weights_each_part(network, table, write_float64_part, &writing);
    }
    if (status != STATUS_OK) {
        npz_discard(&writer);
        return status;
    }
    return npz_commit(&writer, diagnostic);
}
