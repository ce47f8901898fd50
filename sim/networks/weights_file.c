/* weights_file.c - see weights.h: reads, checks and writes the .npz file. */
#include "sim/config/suggestion.h"
#include "sim/data/npz.h"
#include "sim/networks/weights.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

/* The file's metadata arrays, in this order. */
enum { NETWORK, VARIANT, WEIGHT, ACTIVATION, DATASET, DIGEST, RECIPE, ACCURACY, METADATA };
static const struct {
    const char *name;
    enum npz_type type;
    const char *hint; /* hint when the array is missing */
} ROW[METADATA] = {
    [NETWORK] = {"network", NPZ_TEXT, "a weights file says what it holds: one text"},
    [VARIANT] = {"variant", NPZ_TEXT, "a weights file says what it holds: one text"},
    [WEIGHT] = {"weight_fraction", NPZ_INT32,
                "fractional bits, formats.weight_fraction of the network"},
    [ACTIVATION] = {"activation_fraction", NPZ_INT32,
                    "fractional bits, formats.activation_fraction of the network"},
    [DATASET] = {"dataset", NPZ_TEXT, "a weights file says what it holds: one text"},
    [DIGEST] = {"dataset_digest", NPZ_TEXT, "a weights file says what it holds: one text"},
    [RECIPE] = {"recipe", NPZ_TEXT, "a weights file says what it holds: one text"},
    [ACCURACY] = {"reference_accuracy", NPZ_FLOAT64, "of the double network on the whole test set"},
};

/* ---- reading ---- */

struct reading {
    struct weights *weights;
    const struct network *network;
    const struct nn_table *table;
    const struct npz *npz;
    bool float64; /* doubles are there */
    struct diagnostic *diagnostic;
};

/* Its value. */
static enum status metadata(const struct reading *reading, unsigned row, const void **value)
{
    const struct npz_array *array;
    const enum status status =
        npz_require(reading->npz, ROW[row].name, ROW[row].type, 0, &array, reading->diagnostic);
    if (status != STATUS_OK) {
        diagnostic_hint(reading->diagnostic, "%s", ROW[row].hint);
        return status;
    }
    *value = array->data;
    return STATUS_OK;
}

static enum status read_text(const struct reading *reading, unsigned row, char *text,
                             size_t capacity)
{
    const void *found;
    TRY(metadata(reading, row, &found));
    if (strlen(found) >= capacity) {
        return npz_refuse(reading->npz, ROW[row].name, NULL, reading->diagnostic,
                          "the text is longer than %zu characters", capacity - 1);
    }
    (void)snprintf(text, capacity, "%s", (const char *)found);
    return STATUS_OK;
}

/* A text that must be the network's. */
static enum status expect_text(const struct reading *reading, unsigned row, const char *expected)
{
    char text[WEIGHTS_DATASET_CHARS];
    TRY(read_text(reading, row, text, sizeof text));
    if (strcmp(text, expected) == 0) {
        return STATUS_OK;
    }
    (void)npz_refuse(reading->npz, ROW[row].name, NULL, reading->diagnostic,
                     "these are weights of %s %s, expected %s", ROW[row].name, text, expected);
    diagnostic_hint(reading->diagnostic, "the network is %s", reading->network->path);
    return STATUS_CONFIGURATION;
}

static enum status expect_fraction(const struct reading *reading, unsigned row, uint32_t expected)
{
    const void *found;
    TRY(metadata(reading, row, &found));
    const int32_t bits = *(const int32_t *)found;
    if (bits == (int32_t)expected) {
        return STATUS_OK;
    }
    (void)npz_refuse(reading->npz, ROW[row].name, NULL, reading->diagnostic,
                     "%d fractional bits, expected %u", bits, expected);
    if (reading->network->numbers != NETWORK_INT16) {
        diagnostic_hint(reading->diagnostic, "network.number_format: %s has no other format",
                        network_format(reading->network)->text);
    } else {
        diagnostic_hint(reading->diagnostic, "formats.%s of %s", ROW[row].name,
                        reading->network->path);
    }
    return STATUS_CONFIGURATION;
}

static enum status read_metadata(const struct reading *reading)
{
    const struct network *network = reading->network;
    struct weights_origin *origin = &reading->weights->origin;
    const void *found;
    TRY(expect_text(reading, NETWORK, network->name));
    TRY(expect_text(reading, VARIANT, network->variant));
    TRY(expect_fraction(reading, WEIGHT, network->weight_fraction));
    TRY(expect_fraction(reading, ACTIVATION, network->activation_fraction));
    TRY(read_text(reading, DATASET, origin->dataset, sizeof origin->dataset));
    TRY(read_text(reading, DIGEST, origin->dataset_digest, sizeof origin->dataset_digest));
    if (strspn(origin->dataset_digest, "0123456789abcdef") != SHA256_HEX_CHARS - 1) {
        return npz_refuse(reading->npz, ROW[DIGEST].name, "64 lower-case hexadecimal digits",
                          reading->diagnostic, "the digest is no SHA-256");
    }
    TRY(read_text(reading, RECIPE, origin->recipe, sizeof origin->recipe));
    TRY(metadata(reading, ACCURACY, &found));
    origin->reference_accuracy = *(const double *)found;
    return isnan(origin->reference_accuracy) ||
                   (origin->reference_accuracy >= 0 && origin->reference_accuracy <= 1)
               ? STATUS_OK
               : npz_refuse(reading->npz, ROW[ACCURACY].name,
                            "a share, 0 to 1; not a number: nobody knows it", reading->diagnostic,
                            "%g is no accuracy", origin->reference_accuracy);
}

/* ---- that there is nothing else ---- */

struct name_search {
    const char *name;
    bool known;
    bool float64;    /* it is the name of doubles */
    bool suggesting; /* it is not known: `near` is wanted */
    struct suggestion near;
    char near_name[WEIGHTS_NAME_CHARS];
};

static void offer(struct name_search *search, const char *name)
{
    search->known = search->known || strcmp(search->name, name) == 0;
    if (!search->suggesting) {
        return;
    }
    suggestion_offer(&search->near, name);
    if (search->near.best == name) { /* it may not live long */
        (void)snprintf(search->near_name, sizeof search->near_name, "%s", name);
        search->near.best = search->near_name;
    }
}

static enum status offer_part(void *context, const struct weights_part *part)
{
    struct name_search *search = context;
    offer(search, part->name);
    offer(search, part->float64_name);
    search->float64 = search->float64 || strcmp(search->name, part->float64_name) == 0;
    return STATUS_OK;
}

static struct name_search search_name(const struct reading *reading, const char *name,
                                      bool suggesting)
{
    struct name_search search = {
        .name = name, .suggesting = suggesting, .near = suggestion_begin(name)};
    for (size_t j = 0; j < METADATA; j++) {
        offer(&search, ROW[j].name);
    }
    (void)weights_each_part(reading->network, reading->table, offer_part, &search);
    return search;
}

static enum status refuse_name(const struct reading *reading, const char *name)
{
    const struct name_search search = search_name(reading, name, true);
    (void)npz_refuse(reading->npz, name, NULL, reading->diagnostic,
                     "the weights of %s have no such array", reading->network->name);
    if (search.near.best != NULL) {
        diagnostic_hint(reading->diagnostic, "did you mean %s?", search.near_name);
    } else {
        diagnostic_hint(reading->diagnostic,
                        "LAYER.weights and LAYER.biases for the layers of "
                        "%s, and what describes them",
                        reading->network->path);
    }
    return STATUS_CONFIGURATION;
}

/* Refuses unknown arrays: they are misspelt or belong to another network. */
static enum status check_names(struct reading *reading)
{
    for (size_t i = 0; i < reading->npz->count; i++) {
        const char *name = reading->npz->array[i].name;
        const struct name_search search = search_name(reading, name, false);
        if (!search.known) {
            return refuse_name(reading, name);
        }
        reading->float64 = reading->float64 || search.float64;
    }
    return STATUS_OK;
}

/* ---- parameters ---- */

static void show_shape(const size_t *shape, unsigned rank, char *text, size_t capacity)
{
    for (unsigned i = 0; i < rank; i++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, capacity - used, "%s%zu", i == 0 ? "" : " x ", shape[i]);
    }
}

/* Finds the array of this name and checks that it has the part's shape. */
static enum status require_part(const struct reading *reading, const struct weights_part *part,
                                const char *name, enum npz_type type, const void **values)
{
    const struct npz_array *array;
    char expected[WEIGHTS_NAME_CHARS] = "";
    char found[WEIGHTS_NAME_CHARS] = "";
    show_shape(part->shape, part->rank, expected, sizeof expected);
    if (npz_require(reading->npz, name, type, part->rank, &array, reading->diagnostic) !=
        STATUS_OK) {
        diagnostic_hint(reading->diagnostic, "%s, %s: the layer in %s", npz_type_name(type),
                        expected, reading->network->path);
        return STATUS_CONFIGURATION;
    }
    if (memcmp(array->shape, part->shape, part->rank * sizeof *part->shape) != 0) {
        show_shape(array->shape, part->rank, found, sizeof found);
        (void)npz_refuse(reading->npz, name, NULL, reading->diagnostic,
                         "the array is %s, expected %s", found, expected);
        diagnostic_hint(reading->diagnostic, "the layer in %s", reading->network->path);
        return STATUS_CONFIGURATION;
    }
    *values = array->data;
    return STATUS_OK;
}

static enum status read_part(void *context, const struct weights_part *part)
{
    const struct reading *reading = context;
    const size_t bytes = network_value_bytes(reading->network);
    const void *values;
    TRY(require_part(reading, part, part->name, network_format(reading->network)->array, &values));
    memcpy((uint8_t *)reading->weights->block + part->block_at * bytes, values,
           part->count * bytes);
    return STATUS_OK;
}

static enum status read_float64_part(void *context, const struct weights_part *part)
{
    const struct reading *reading = context;
    struct weights *weights = reading->weights;
    const void *values;
    TRY(require_part(reading, part, part->float64_name, NPZ_FLOAT64, &values));
    const double *value = values;
    for (size_t i = 0; i < part->count; i++) {
        const int32_t integer = weights_value(reading->network, weights->block, part->block_at + i);
        if (!isfinite(value[i]) ||
            weights_round_one(reading->network, value[i], &weights->saturated) != integer) {
            (void)npz_refuse(reading->npz, part->float64_name, NULL, reading->diagnostic,
                             "value %zu, %g, does not round to the integer %d", i, value[i],
                             integer);
            diagnostic_hint(reading->diagnostic, "%s is to hold these values times 2^%u, rounded",
                            part->name, reading->network->weight_fraction);
            return STATUS_CONFIGURATION;
        }
        weights->float64[part->float64_at + i] = value[i];
    }
    return STATUS_OK;
}

static enum status read_all(struct reading *reading)
{
    TRY(read_metadata(reading));
    TRY(check_names(reading));
    TRY(weights_allocate(reading->weights, reading->network, reading->table, reading->float64,
                         reading->diagnostic));
    TRY(weights_each_part(reading->network, reading->table, read_part, reading));
    return reading->float64
               ? weights_each_part(reading->network, reading->table, read_float64_part, reading)
               : STATUS_OK;
}

/* Upper bound on the arrays' bytes: enough for this network's files, and for those of somewhat
 * larger networks, so that these are refused by a message about shapes. */
static size_t bytes_most(const struct network *network)
{
    enum { OTHERS = 1 << 20 };
    return 2 * network_parameters(network) * (sizeof(int32_t) + sizeof(double)) + OTHERS;
}

enum status weights_read(struct weights *weights, const char *path, const struct network *network,
                         const struct nn_table *table, struct diagnostic *diagnostic)
{
    struct npz npz;
    *weights = (struct weights){0};
    TRY(npz_open(&npz, path, bytes_most(network), diagnostic));
    struct reading reading = {.weights = weights,
                              .network = network,
                              .table = table,
                              .npz = &npz,
                              .diagnostic = diagnostic};
    const enum status status = read_all(&reading);
    npz_close(&npz);
    if (status != STATUS_OK) {
        weights_deinit(weights);
    }
    return status;
}

/* ---- writing ---- */

struct writing {
    const struct weights *weights;
    const struct network *network;
    struct npz_writer *writer;
    bool float64; /* now doubles are written */
    struct diagnostic *diagnostic;
};

static enum status write_metadata(const struct writing *writing)
{
    const struct weights_origin *origin = &writing->weights->origin;
    const int32_t weight_fraction = (int32_t)writing->network->weight_fraction;
    const int32_t activation_fraction = (int32_t)writing->network->activation_fraction;
    const void *const value[METADATA] = {
        [NETWORK] = writing->network->name, [VARIANT] = writing->network->variant,
        [WEIGHT] = &weight_fraction,        [ACTIVATION] = &activation_fraction,
        [DATASET] = origin->dataset,        [DIGEST] = origin->dataset_digest,
        [RECIPE] = origin->recipe,          [ACCURACY] = &origin->reference_accuracy};
    for (size_t i = 0; i < METADATA; i++) {
        const struct npz_array array = {.name = ROW[i].name, .type = ROW[i].type, .data = value[i]};
        TRY(ROW[i].type == NPZ_TEXT
                ? npz_add_text(writing->writer, array.name, value[i], writing->diagnostic)
                : npz_add(writing->writer, &array, writing->diagnostic));
    }
    return STATUS_OK;
}

static enum status write_part(void *context, const struct weights_part *part)
{
    const struct writing *writing = context;
    const uint8_t *block = writing->weights->block;
    struct npz_array array = {
        .name = writing->float64 ? part->float64_name : part->name,
        .type = writing->float64 ? NPZ_FLOAT64 : network_format(writing->network)->array,
        .rank = part->rank,
        .data = writing->float64 ? (const void *)(writing->weights->float64 + part->float64_at)
                                 : block + part->block_at * network_value_bytes(writing->network)};
    memcpy(array.shape, part->shape, sizeof array.shape);
    return npz_add(writing->writer, &array, writing->diagnostic);
}

static enum status write_all(struct writing *writing, const struct nn_table *table)
{
    TRY(write_metadata(writing));
    TRY(weights_each_part(writing->network, table, write_part, writing));
    writing->float64 = true;
    return writing->weights->float64 == NULL
               ? STATUS_OK
               : weights_each_part(writing->network, table, write_part, writing);
}

enum status weights_write(const struct weights *weights, const char *path,
                          const struct network *network, const struct nn_table *table,
                          struct diagnostic *diagnostic)
{
    struct npz_writer writer;
    struct writing writing = {
        .weights = weights, .network = network, .writer = &writer, .diagnostic = diagnostic};
    TRY(npz_create(&writer, path, diagnostic));
    const enum status status = write_all(&writing, table);
    if (status != STATUS_OK) {
        npz_discard(&writer);
        return status;
    }
    return npz_commit(&writer, diagnostic);
}
