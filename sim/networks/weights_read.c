/* weights_read.c - see weights.h: reading the file, and everything that can be wrong with it. */
#include "sim/config/suggestion.h"
#include "sim/data/npz.h"
#include "sim/networks/weights.h"
#include "sim/networks/weights_parts.h"

#include <math.h>
#include <string.h>

static const char *const METADATA[] = {
    "network", "variant",        "weight_fraction", "activation_fraction",
    "dataset", "dataset_digest", "recipe",          "reference_accuracy",
    NULL};

struct reading {
    struct weights *weights;
    const struct network *network;
    const struct nn_table *table;
    const struct npz *npz;
    struct diagnostic *diagnostic;
};

/* Adds the place to a message. */
static enum status refuse(const struct reading *reading, const char *array, enum status status)
{
    diagnostic_at(reading->diagnostic, reading->npz->path, 0, 0);
    diagnostic_key(reading->diagnostic, array);
    return status;
}

/* ---- what the file says about itself ---- */

static enum status read_text(const struct reading *reading, const char *name, char *text,
                             size_t capacity)
{
    const struct npz_array *array;
    const enum status status =
        npz_require(reading->npz, name, NPZ_TEXT, 0, &array, reading->diagnostic);
    if (status != STATUS_OK) {
        diagnostic_hint(reading->diagnostic, "a weights file says what it holds: one text");
        return status;
    }
    const char *found = array->data;
    if (strlen(found) >= capacity) {
        return refuse(reading, name,
                      diagnose(reading->diagnostic, STATUS_CONFIGURATION,
                               "the text is longer than %zu characters", capacity - 1));
    }
    (void)snprintf(text, capacity, "%s", found);
    return STATUS_OK;
}

/* A text that must be the network's. */
static enum status expect_text(const struct reading *reading, const char *name,
                               const char *expected)
{
    char text[WEIGHTS_DATASET_CHARS];
    const enum status status = read_text(reading, name, text, sizeof text);
    if (status != STATUS_OK || strcmp(text, expected) == 0) {
        return status;
    }
    (void)diagnose(reading->diagnostic, STATUS_CONFIGURATION,
                   "these are weights of %s %s, expected %s", name, text, expected);
    diagnostic_hint(reading->diagnostic, "the network is %s", reading->network->path);
    return refuse(reading, name, STATUS_CONFIGURATION);
}

static enum status expect_fraction(const struct reading *reading, const char *name,
                                   uint32_t expected)
{
    const struct npz_array *array;
    const enum status status =
        npz_require(reading->npz, name, NPZ_INT32, 0, &array, reading->diagnostic);
    if (status != STATUS_OK) {
        diagnostic_hint(reading->diagnostic, "fractional bits, formats.%s of the network", name);
        return status;
    }
    const int32_t found = *(const int32_t *)array->data;
    if (found == (int32_t)expected) {
        return STATUS_OK;
    }
    (void)diagnose(reading->diagnostic, STATUS_CONFIGURATION, "%d fractional bits, expected %u",
                   found, expected);
    if (reading->network->numbers != NETWORK_INT16) {
        diagnostic_hint(reading->diagnostic, "network.number_format: %s has no other format",
                        reading->network->numbers == NETWORK_S1615 ? "s16.15" : "float32");
    } else {
        diagnostic_hint(reading->diagnostic, "formats.%s of %s", name, reading->network->path);
    }
    return refuse(reading, name, STATUS_CONFIGURATION);
}

static enum status read_digest(const struct reading *reading)
{
    static const char NAME[] = "dataset_digest";
    char *digest = reading->weights->origin.dataset_digest;
    const enum status status = read_text(reading, NAME, digest, SHA256_HEX_CHARS);
    if (status != STATUS_OK || strspn(digest, "0123456789abcdef") == SHA256_HEX_CHARS - 1) {
        return status;
    }
    (void)diagnose(reading->diagnostic, STATUS_CONFIGURATION, "the digest is no SHA-256");
    diagnostic_hint(reading->diagnostic, "%d lower-case hexadecimal digits", SHA256_HEX_CHARS - 1);
    return refuse(reading, NAME, STATUS_CONFIGURATION);
}

static enum status read_accuracy(const struct reading *reading)
{
    static const char NAME[] = "reference_accuracy";
    const struct npz_array *array;
    const enum status status =
        npz_require(reading->npz, NAME, NPZ_FLOAT64, 0, &array, reading->diagnostic);
    if (status != STATUS_OK) {
        diagnostic_hint(reading->diagnostic, "of the double network on the whole test set");
        return status;
    }
    const double accuracy = *(const double *)array->data;
    if (isnan(accuracy) || (accuracy >= 0 && accuracy <= 1)) {
        reading->weights->origin.reference_accuracy = accuracy;
        return STATUS_OK;
    }
    (void)diagnose(reading->diagnostic, STATUS_CONFIGURATION, "%g is no accuracy", accuracy);
    diagnostic_hint(reading->diagnostic, "a share, 0 to 1; not a number: nobody knows it");
    return refuse(reading, NAME, STATUS_CONFIGURATION);
}

static enum status read_metadata(const struct reading *reading)
{
    const struct network *network = reading->network;
    struct weights_origin *origin = &reading->weights->origin;
    enum status status = expect_text(reading, "network", network->name);
    if (status == STATUS_OK) {
        status = expect_text(reading, "variant", network->variant);
    }
    if (status == STATUS_OK) {
        status = expect_fraction(reading, "weight_fraction", network->weight_fraction);
    }
    if (status == STATUS_OK) {
        status = expect_fraction(reading, "activation_fraction", network->activation_fraction);
    }
    if (status == STATUS_OK) {
        status = read_text(reading, "dataset", origin->dataset, sizeof origin->dataset);
    }
    if (status == STATUS_OK) {
        status = read_digest(reading);
    }
    if (status == STATUS_OK) {
        status = read_text(reading, "recipe", origin->recipe, sizeof origin->recipe);
    }
    return status == STATUS_OK ? read_accuracy(reading) : status;
}

/* ---- that there is nothing else ---- */

struct name_search {
    const char *name;
    bool known;
    bool float64; /* it is the name of doubles */
    struct suggestion near;
    char near_name[WEIGHTS_NAME_CHARS];
};

static void offer(struct name_search *search, const char *name)
{
    search->known = search->known || strcmp(search->name, name) == 0;
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

/* An array that belongs to nothing is misspelt, or another network's.  *float64: one with doubles
 * is there. */
static enum status check_names(const struct reading *reading, bool *float64)
{
    for (size_t i = 0; i < reading->npz->count; i++) {
        const char *name = reading->npz->array[i].name;
        struct name_search search = {.name = name, .near = suggestion_begin(name)};
        for (size_t j = 0; METADATA[j] != NULL; j++) {
            offer(&search, METADATA[j]);
        }
        (void)weights_each_part(reading->network, reading->table, offer_part, &search);
        *float64 = *float64 || search.float64;
        if (search.known) {
            continue;
        }
        (void)diagnose(reading->diagnostic, STATUS_CONFIGURATION,
                       "the weights of %s have no such array", reading->network->name);
        if (search.near.best != NULL) {
            diagnostic_hint(reading->diagnostic, "did you mean %s?", search.near.best);
        } else {
            diagnostic_hint(reading->diagnostic,
                            "LAYER.weights and LAYER.biases for the layers of "
                            "%s, and what describes them",
                            reading->network->path);
        }
        return refuse(reading, name, STATUS_CONFIGURATION);
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

/* The array of this name, with the part's shape. */
static enum status require_part(const struct reading *reading, const struct weights_part *part,
                                const char *name, enum npz_type type,
                                const struct npz_array **array)
{
    char expected[WEIGHTS_NAME_CHARS] = "";
    show_shape(part->shape, part->rank, expected, sizeof expected);
    const enum status status =
        npz_require(reading->npz, name, type, part->rank, array, reading->diagnostic);
    if (status != STATUS_OK) {
        diagnostic_hint(reading->diagnostic, "%s, %s: the layer in %s", npz_type_name(type),
                        expected, reading->network->path);
        return status;
    }
    if (memcmp((*array)->shape, part->shape, part->rank * sizeof *part->shape) == 0) {
        return STATUS_OK;
    }
    char found[WEIGHTS_NAME_CHARS] = "";
    show_shape((*array)->shape, part->rank, found, sizeof found);
    (void)diagnose(reading->diagnostic, STATUS_CONFIGURATION, "the array is %s, expected %s", found,
                   expected);
    diagnostic_hint(reading->diagnostic, "the layer in %s", reading->network->path);
    return refuse(reading, name, STATUS_CONFIGURATION);
}

static enum status read_part(void *context, const struct weights_part *part)
{
    const struct reading *reading = context;
    const struct npz_array *array;
    const size_t bytes = network_value_bytes(reading->network);
    const enum status status =
        require_part(reading, part, part->name, weights_type(reading->network), &array);
    if (status == STATUS_OK) {
        memcpy((uint8_t *)reading->weights->block + part->block_at * bytes, array->data,
               part->count * bytes);
    }
    return status;
}

static enum status read_float64_part(void *context, const struct weights_part *part)
{
    const struct reading *reading = context;
    struct weights *weights = reading->weights;
    const uint32_t fraction = reading->network->weight_fraction;
    const struct npz_array *array;
    const enum status status = require_part(reading, part, part->float64_name, NPZ_FLOAT64, &array);
    if (status != STATUS_OK) {
        return status;
    }
    const double *value = array->data;
    for (size_t i = 0; i < part->count; i++) {
        const int32_t integer = weights_value(reading->network, weights->block, part->block_at + i);
        if (!isfinite(value[i]) ||
            weights_round_one(reading->network, value[i], &weights->saturated) != integer) {
            (void)diagnose(reading->diagnostic, STATUS_CONFIGURATION,
                           "value %zu, %g, does not round to the integer %d", i, value[i], integer);
            diagnostic_hint(reading->diagnostic, "%s is to hold these values times 2^%u, rounded",
                            part->name, fraction);
            return refuse(reading, part->float64_name, STATUS_CONFIGURATION);
        }
        weights->float64[part->float64_at + i] = value[i];
    }
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status read_all(struct reading *reading)
{
    bool float64 = false;
    enum status status = read_metadata(reading);
    if (status == STATUS_OK) {
        status = check_names(reading, &float64);
    }
    if (status == STATUS_OK) {
        status = weights_allocate(reading->weights, reading->network, reading->table, float64,
                                  reading->diagnostic);
    }
    if (status == STATUS_OK) {
        status = weights_each_part(reading->network, reading->table, read_part, reading);
    }
    if (status == STATUS_OK && float64) {
        status = weights_each_part(reading->network, reading->table, read_float64_part, reading);
    }
    return status;
}

/* Of the arrays of all files for this network, and of those for others that are not much larger:
 * their shapes say more. */
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
    enum status status = npz_open(&npz, path, bytes_most(network), diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    struct reading reading = {.weights = weights,
                              .network = network,
                              .table = table,
                              .npz = &npz,
                              .diagnostic = diagnostic};
    status = read_all(&reading);
    npz_close(&npz);
    if (status != STATUS_OK) {
        weights_deinit(weights);
    }
    return status;
}
