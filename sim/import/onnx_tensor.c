/* onnx_tensor.c - a TensorProto: shape, type, and its values in the file or in one beside it
 * (readers.h).  Source of numbers: onnx/onnx.proto of ONNX 1.17. */
#include "sim/config/config_arena.h"
#include "sim/import/readers.h"
#include "sim/import/wire.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { SINGLE, HALF, BRAIN, DOUBLE, SIGNED, UNSIGNED };

struct type {
    unsigned number;
    const char *name;
    unsigned bytes;
    enum kind kind;
    unsigned field;
};

static const struct type TYPES[] = {
#define TYPE(number, name, bytes, kind, field) {number, #name, bytes, kind, field},
#include "sim/import/onnx_types.def"
};

enum { DIMS = 1, DATA_TYPE, SEGMENT, FLOATS, INTS, TEXTS, LONGS, NAME, RAW, DOUBLES, UNSIGNEDS };
enum { EXTERNAL = 13, LOCATION };
enum { ENTRY_KEY = 1, ENTRY_VALUE };
enum { IN_EXTERNAL_FILE = 1 };

struct external {
    const char *location;
    uint64_t offset, bytes;
};

struct tensor {
    struct onnx_reading *reading;
    struct wire_span message;
    const struct type *type;
    const char *name;
    uint64_t number; /* of the type */
    int64_t shape[MODEL_MOST_RANK];
    unsigned rank;
    size_t count;
    bool has_raw, is_outside;
    struct wire_span raw;
    struct external external;
    double *value;
    size_t filled;
};

#define refuse(tensor, hint, ...) /* NOLINT(readability-identifier-naming) */                      \
    ((void)model_refuse((tensor)->reading->model, NULL, hint, (tensor)->reading->diagnostic,       \
                        __VA_ARGS__),                                                              \
     diagnostic_key((tensor)->reading->diagnostic, (tensor)->name), STATUS_CONFIGURATION)

static enum status refuse_broken(const struct tensor *tensor)
{
    return refuse(tensor, "the file is damaged or cut short",
                  "a constant that cannot be read (near offset %zu)",
                  (size_t)(tensor->message.at - tensor->reading->file));
}

/* ---- shape, type, place ---- */

static bool add_dimension(struct tensor *tensor, uint64_t size)
{
    if (tensor->rank == MODEL_MOST_RANK || size > MODEL_MOST_VALUES) {
        return false;
    }
    tensor->shape[tensor->rank++] = (int64_t)size;
    return true;
}

static bool add_dimensions(struct tensor *tensor, const struct wire_field *field)
{
    struct wire_span packed = field->bytes;
    uint64_t size;
    if (field->type != WIRE_BYTES) {
        return field->type == WIRE_VARINT && add_dimension(tensor, field->value);
    }
    while (packed.at < packed.end) {
        if (!wire_varint(&packed, &size) || !add_dimension(tensor, size)) {
            return false;
        }
    }
    return true;
}

/* A number of decimal digits. */
static bool read_number(const char *text, uint64_t *number)
{
    char *end;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

/* A StringStringEntryProto: location, offset or length. */
static bool add_external(struct tensor *tensor, struct wire_span entry)
{
    const char *key = NULL;
    const char *value = NULL;
    struct wire_field field;
    enum wire_step step;
    while ((step = wire_next(&entry, &field)) == WIRE_FIELD) {
        if (field.type == WIRE_BYTES && field.number <= ENTRY_VALUE) {
            const char **text = field.number == ENTRY_KEY ? &key : &value;
            *text = model_text(tensor->reading->model, field.bytes.at, wire_size(field.bytes));
        }
    }
    if (step == WIRE_BROKEN || key == NULL || value == NULL) {
        return false;
    }
    if (strcmp(key, "location") == 0) {
        tensor->external.location = value;
    } else if (strcmp(key, "offset") == 0) {
        return read_number(value, &tensor->external.offset);
    } else if (strcmp(key, "length") == 0) {
        return read_number(value, &tensor->external.bytes);
    }
    return true; /* checksum, and what may come */
}

static bool read_field(struct tensor *tensor, const struct wire_field *field)
{
    const bool is_bytes = field->type == WIRE_BYTES;
    switch (field->number) {
    case DIMS:
        return add_dimensions(tensor, field);
    case DATA_TYPE:
        tensor->number = field->value;
        return field->type == WIRE_VARINT;
    case NAME:
        tensor->name =
            is_bytes ? model_text(tensor->reading->model, field->bytes.at, wire_size(field->bytes))
                     : NULL;
        return tensor->name != NULL;
    case RAW:
        tensor->raw = field->bytes;
        tensor->has_raw = is_bytes;
        return is_bytes;
    case EXTERNAL:
        return is_bytes && add_external(tensor, field->bytes);
    case LOCATION:
        tensor->is_outside = field->value == IN_EXTERNAL_FILE;
        return field->type == WIRE_VARINT;
    default: /* a segment is refused by its missing values */
        return true;
    }
}

static enum status read_head(struct tensor *tensor)
{
    struct wire_field field;
    enum wire_step step;
    struct wire_span rest = tensor->message;
    while ((step = wire_next(&rest, &field)) == WIRE_FIELD) {
        if (!read_field(tensor, &field)) {
            return refuse_broken(tensor);
        }
    }
    if (step == WIRE_BROKEN) {
        return refuse_broken(tensor);
    }
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        tensor->type = TYPES[i].number == tensor->number ? &TYPES[i] : tensor->type;
    }
    if (tensor->type == NULL) {
        return refuse(tensor, "export the model with weights in float32",
                      "a constant of data type %llu, which has no plain numbers",
                      (unsigned long long)tensor->number);
    }
    tensor->count = 1;
    for (unsigned i = 0; i < tensor->rank; i++) {
        tensor->count *= (size_t)tensor->shape[i];
        if (tensor->count > tensor->reading->values_left) {
            return refuse(tensor, NULL, "the model has more than %d constants' values",
                          MODEL_MOST_VALUES);
        }
    }
    tensor->reading->values_left -= tensor->count;
    return STATUS_OK;
}

/* ---- values ---- */

/* IEEE 754 binary16. */
static double half_of(uint64_t bits)
{
    enum { FRACTION = 10, EXPONENT = 31, BIAS = 15 };
    const int exponent = (int)(bits >> FRACTION & EXPONENT);
    const double fraction = (double)(bits & ((1 << FRACTION) - 1));
    const double size = exponent == EXPONENT ? (fraction == 0 ? HUGE_VAL : NAN)
                        : exponent == 0
                            ? ldexp(fraction, 1 - BIAS - FRACTION)
                            : ldexp(fraction + (1 << FRACTION), exponent - BIAS - FRACTION);
    return (bits >> 15 & 1) != 0 ? -size : size;
}

static double number_of(const struct type *type, uint64_t bits)
{
    float single;
    double whole;
    const unsigned above = 64 - 8 * type->bytes;
    const uint32_t word = (uint32_t)(type->kind == BRAIN ? bits << 16 : bits);
    switch (type->kind) {
    case SINGLE:
    case BRAIN:
        memcpy(&single, &word, sizeof single);
        return single;
    case DOUBLE:
        memcpy(&whole, &bits, sizeof whole);
        return whole;
    case HALF:
        return half_of(bits);
    case SIGNED:
        return (double)((int64_t)(bits << above) >> above);
    case UNSIGNED:
        break;
    }
    return (double)(bits << above >> above);
}

static bool add_value(struct tensor *tensor, uint64_t bits)
{
    if (tensor->filled == tensor->count) {
        return false;
    }
    const double value = number_of(tensor->type, bits);
    tensor->value[tensor->filled++] = value;
    return isfinite(value);
}

static bool fill_raw(struct tensor *tensor, struct wire_span raw)
{
    uint64_t bits;
    while (raw.at < raw.end) {
        if (!wire_fixed(&raw, tensor->type->bytes, &bits) || !add_value(tensor, bits)) {
            return false;
        }
    }
    return true;
}

/* The items of a typed field: packed, or one. */
static bool fill_typed(struct tensor *tensor, const struct wire_field *field)
{
    struct wire_span packed = field->bytes;
    const enum kind kind = tensor->type->kind;
    const bool is_fixed = kind == SINGLE || kind == DOUBLE;
    uint64_t bits;
    if (field->type != WIRE_BYTES) {
        const enum wire_type wanted = !is_fixed        ? WIRE_VARINT
                                      : kind == SINGLE ? WIRE_32_BITS
                                                       : WIRE_64_BITS;
        return field->type == wanted && add_value(tensor, field->value);
    }
    while (packed.at < packed.end) {
        const bool is_there = is_fixed ? wire_fixed(&packed, tensor->type->bytes, &bits)
                                       : wire_varint(&packed, &bits);
        if (!is_there || !add_value(tensor, bits)) {
            return false;
        }
    }
    return true;
}

static bool fill_fields(struct tensor *tensor)
{
    struct wire_span rest = tensor->message;
    struct wire_field field;
    while (wire_next(&rest, &field) == WIRE_FIELD) {
        if (field.number == tensor->type->field && !fill_typed(tensor, &field)) {
            return false;
        }
    }
    return true;
}

static enum status read_outside(struct tensor *tensor)
{
    FREED uint8_t *bytes = NULL;
    size_t size;
    const struct external *external = &tensor->external;
    const struct model *model = tensor->reading->model;
    if (external->location == NULL) {
        return refuse_broken(tensor);
    }
    TRY(external_data_read(model, external->location, external->offset, external->bytes,
                           tensor->count * tensor->type->bytes, &bytes, &size,
                           tensor->reading->diagnostic));
    return fill_raw(tensor, (struct wire_span){bytes, bytes + size}) ? STATUS_OK
                                                                     : refuse_broken(tensor);
}

/* Bytes that could hold the values, before memory is taken for them. */
static bool can_be_there(const struct tensor *tensor)
{
    return tensor->is_outside ||
           tensor->count <= (tensor->has_raw ? wire_size(tensor->raw) : wire_size(tensor->message));
}

static enum status read_values(struct tensor *tensor)
{
    if (!can_be_there(tensor)) {
        return refuse_broken(tensor);
    }
    tensor->value = config_arena_take(tensor->reading->model->arena,
                                      (tensor->count + 1) * sizeof *tensor->value);
    if (tensor->is_outside) {
        TRY(read_outside(tensor));
    } else if (!(tensor->has_raw ? fill_raw(tensor, tensor->raw) : fill_fields(tensor))) {
        tensor->message = tensor->has_raw ? tensor->raw : tensor->message;
        return refuse(tensor, "the file is damaged, or weights in it are infinite or no numbers",
                      "values of a constant that do not go with its shape and type, %s (near "
                      "offset %zu)",
                      tensor->type->name, (size_t)(tensor->message.at - tensor->reading->file));
    }
    if (tensor->filled == tensor->count) {
        return STATUS_OK;
    }
    return refuse(tensor, "the file is damaged, or its weights have not been saved",
                  "a constant of %zu values has %zu of them", tensor->count, tensor->filled);
}

enum status onnx_tensor_read(struct onnx_reading *reading, struct wire_span message,
                             struct model_tensor *to)
{
    struct tensor tensor = {
        .reading = reading, .message = message, .name = "", .external.bytes = SIZE_MAX};
    TRY(read_head(&tensor));
    TRY(read_values(&tensor));
    *to = (struct model_tensor){.name = tensor.name,
                                .rank = tensor.rank,
                                .count = tensor.count,
                                .value = tensor.value,
                                .whole =
                                    tensor.type->kind == SIGNED || tensor.type->kind == UNSIGNED};
    memcpy(to->shape, tensor.shape, sizeof to->shape);
    return STATUS_OK;
}
