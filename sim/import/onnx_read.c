/* onnx_read.c - a ModelProto as a struct model (readers.h).  Source of numbers: onnx/onnx.proto of
 * ONNX 1.17. */
#include "sim/config/config_arena.h"
#include "sim/file.h"
#include "sim/import/readers.h"
#include "sim/import/wire.h"
#include "sim/steps.h"

#include <string.h>

/* Opset 22 gave operators of the import table bfloat16, and nothing else. */
enum { MOST_OPSET = 22, PRODUCER_CHARS = 40 };

/* Fields of messages. */
enum { MODEL_PRODUCER = 2, MODEL_PRODUCER_VERSION = 3, MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { MODEL_METADATA = 14, MODEL_FUNCTIONS = 25, OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum { GRAPH_NODE = 1, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { GRAPH_SPARSE = 15 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2, TYPE_TENSOR = 1, TENSOR_SHAPE = 2, SHAPE_DIM = 1 };
enum { DIM_VALUE = 1 };
enum { NODE_INPUT = 1, NODE_OUTPUT, NODE_NAME, NODE_OP, NODE_ATTRIBUTE, NODE_DOMAIN = 7 };
enum { OF_NAME = 1, OF_FLOAT, OF_INT, OF_TEXT, OF_TENSOR, OF_GRAPH, OF_FLOATS, OF_INTS };
enum { OF_GRAPHS = 11, OF_TYPE = 20 };
enum { TYPE_FLOAT = 1, TYPE_INT = 2 };

struct reading {
    struct onnx_reading onnx;
    struct model *model;
    struct wire_span graph;
    const char *producer, *producer_version;
    size_t graphs, inputs, outputs;
    int64_t opset;
    struct diagnostic *diagnostic;
};

#define refuse(reading, node, hint, ...) /* NOLINT(readability-identifier-naming) */               \
    model_refuse((reading)->model, node, hint, (reading)->diagnostic, __VA_ARGS__)

static enum status refuse_broken(const struct reading *reading, struct wire_span at)
{
    return refuse(reading, NULL, "the file is damaged or cut short, or no ONNX model",
                  "not a field of a message (offset %zu)", (size_t)(at.at - reading->onnx.file));
}

/* Takes fields until the message ends; a broken one is refused. */
#define EACH_FIELD(message, field, step)                                                           \
    for (enum wire_step step; (step = wire_next(&(message), &(field))) != WIRE_END;)               \
        if (step == WIRE_BROKEN) {                                                                 \
            return refuse_broken(reading, message);                                                \
        } else

static enum status read_text(const struct reading *reading, const struct wire_field *field,
                             const char **text)
{
    *text = field->type != WIRE_BYTES
                ? NULL
                : model_text(reading->model, field->bytes.at, wire_size(field->bytes));
    return *text == NULL ? refuse(reading, NULL, NULL,
                                  "a name in the file has control characters, or is none")
                         : STATUS_OK;
}

/* How often a field of bytes occurs. */
static size_t count_fields(struct wire_span message, uint32_t number)
{
    struct wire_field field;
    size_t count = 0;
    while (wire_next(&message, &field) == WIRE_FIELD) {
        count += field.number == number && field.type == WIRE_BYTES;
    }
    return count;
}

/* ---- attributes ---- */

/* Counts numbers of an attribute, or with `number` writes them. */
static bool take_numbers(const struct wire_field *field, double *number, size_t *count)
{
    struct wire_span packed = field->bytes;
    const bool is_float = field->number == OF_FLOAT || field->number == OF_FLOATS;
    uint64_t bits = field->value;
    bool more = true;
    if (field->type != WIRE_BYTES && field->type != (is_float ? WIRE_32_BITS : WIRE_VARINT)) {
        return false;
    }
    while (more) {
        if (field->type == WIRE_BYTES) {
            if (packed.at == packed.end) {
                break;
            }
            if (!(is_float ? wire_fixed(&packed, sizeof(float), &bits)
                           : wire_varint(&packed, &bits))) {
                return false;
            }
        }
        if (number != NULL) {
            const uint32_t word = (uint32_t)bits;
            float single;
            memcpy(&single, &word, sizeof single);
            number[*count] = is_float ? single : (double)(int64_t)bits;
        }
        ++*count;
        more = field->type == WIRE_BYTES;
    }
    return true;
}

static bool is_number(uint32_t field)
{
    return field == OF_FLOAT || field == OF_INT || field == OF_FLOATS || field == OF_INTS;
}

static enum status read_tensor(struct reading *reading, struct wire_span message,
                               const struct model_tensor **tensor)
{
    struct model_tensor *made = config_arena_take(reading->model->arena, sizeof *made);
    *tensor = made;
    return onnx_tensor_read(&reading->onnx, message, made);
}

/* Numbers of an attribute; an int or float that is 0 may have no field. */
static enum status read_numbers(struct reading *reading, struct wire_span message, uint64_t type,
                                struct model_attribute *attribute)
{
    struct wire_field field;
    for (int pass = 0; pass < 2; pass++) {
        double *number = NULL;
        if (pass == 1) {
            const size_t most = attribute->count + 1;
            if (most > reading->onnx.values_left) {
                return refuse(reading, NULL, NULL, "attributes of too many numbers");
            }
            reading->onnx.values_left -= most;
            number = config_arena_take(reading->model->arena, most * sizeof *number);
        }
        size_t count = 0;
        struct wire_span rest = message;
        while (wire_next(&rest, &field) == WIRE_FIELD) {
            if (is_number(field.number) && !take_numbers(&field, number, &count)) {
                return refuse_broken(reading, rest);
            }
        }
        attribute->number = number;
        attribute->count = count == 0 && (type == TYPE_FLOAT || type == TYPE_INT) ? 1 : count;
    }
    return STATUS_OK;
}

static enum status read_attribute(struct reading *reading, const struct model_node *node,
                                  struct wire_span message, struct model_attribute *attribute)
{
    struct wire_field field;
    uint64_t type = 0;
    struct wire_span rest = message;
    attribute->name = "";
    EACH_FIELD(rest, field, step)
    {
        if (field.number == OF_GRAPH || field.number == OF_GRAPHS) {
            return refuse(reading, node,
                          "export a model of plain layers: without loops, branches "
                          "and functions",
                          "operator %s has a graph of its own", node->op);
        }
        if (field.number == OF_NAME) {
            TRY(read_text(reading, &field, &attribute->name));
        } else if (field.number == OF_TEXT) {
            TRY(read_text(reading, &field, &attribute->text));
        } else if (field.number == OF_TENSOR && field.type == WIRE_BYTES) {
            TRY(read_tensor(reading, field.bytes, &attribute->tensor));
        } else if (field.number == OF_TYPE && field.type == WIRE_VARINT) {
            type = field.value;
        }
    }
    return attribute->text != NULL ? STATUS_OK : read_numbers(reading, message, type, attribute);
}

/* ---- nodes ---- */

/* The name for messages of a node that has none. */
static void name_node(struct reading *reading, struct model_node *node)
{
    if (node->name == NULL || node->name[0] == '\0') {
        node->name = config_arena_print(reading->model->arena, "%s of %s", node->op,
                                        node->output_count > 0 ? node->output[0] : "nothing");
    }
}

/* Operator, name and values; attributes, which messages name them with, follow. */
static enum status read_values(struct reading *reading, struct wire_span message,
                               struct model_node *node, const char **domain)
{
    struct wire_field field;
    struct config_arena *arena = reading->model->arena;
    const size_t inputs = count_fields(message, NODE_INPUT);
    const size_t outputs = count_fields(message, NODE_OUTPUT);
    const size_t attributes = count_fields(message, NODE_ATTRIBUTE);
    if (inputs > MODEL_MOST_NAMES || outputs > MODEL_MOST_NAMES || attributes > MODEL_MOST_NAMES) {
        return refuse(reading, NULL, NULL, "a node of more than %d inputs, outputs or attributes",
                      MODEL_MOST_NAMES);
    }
    const char **input = config_arena_take(arena, (inputs + 1) * sizeof *input);
    const char **output = config_arena_take(arena, (outputs + 1) * sizeof *output);
    node->input = input;
    node->output = output;
    node->op = "";
    *domain = "";
    EACH_FIELD(message, field, step)
    {
        if (field.number == NODE_INPUT) {
            TRY(read_text(reading, &field, &input[node->input_count]));
            node->input_count++;
        } else if (field.number == NODE_OUTPUT) {
            TRY(read_text(reading, &field, &output[node->output_count]));
            node->output_count++;
        } else if (field.number == NODE_NAME) {
            TRY(read_text(reading, &field, &node->name));
        } else if (field.number == NODE_OP) {
            TRY(read_text(reading, &field, &node->op));
        } else if (field.number == NODE_DOMAIN) {
            TRY(read_text(reading, &field, domain));
        }
    }
    name_node(reading, node);
    return STATUS_OK;
}

static enum status read_node(struct reading *reading, struct wire_span message,
                             struct model_node *node)
{
    struct wire_field field;
    const char *domain = "";
    TRY(read_values(reading, message, node, &domain));
    if (domain[0] != '\0' && strcmp(domain, "ai.onnx") != 0) {
        return refuse(reading, node, "export with operators of ONNX alone",
                      "operator %s of domain %s", node->op, domain);
    }
    struct model_attribute *attribute = config_arena_take(
        reading->model->arena, (count_fields(message, NODE_ATTRIBUTE) + 1) * sizeof *attribute);
    node->attribute = attribute;
    EACH_FIELD(message, field, step)
    {
        if (field.number == NODE_ATTRIBUTE && field.type == WIRE_BYTES) {
            TRY(read_attribute(reading, node, field.bytes, &attribute[node->attribute_count]));
            node->attribute_count++;
        }
    }
    return STATUS_OK;
}

/* ---- the graph ---- */

static enum status read_shape(struct reading *reading, struct wire_span message)
{
    struct model *model = reading->model;
    struct wire_field field;
    EACH_FIELD(message, field, step)
    {
        if (field.number != SHAPE_DIM || field.type != WIRE_BYTES) {
            continue;
        }
        if (model->input_rank == MODEL_MOST_RANK) {
            return refuse(reading, NULL, NULL, "the input has more than %d axes", MODEL_MOST_RANK);
        }
        struct wire_field size;
        int64_t *to = &model->input_shape[model->input_rank++];
        *to = -1;
        EACH_FIELD(field.bytes, size, inner)
        {
            if (size.number == DIM_VALUE && size.type == WIRE_VARINT &&
                size.value <= MODEL_MOST_VALUES) {
                *to = (int64_t)size.value;
            }
        }
    }
    return STATUS_OK;
}

/* Descends into the message of a field, if it is there. */
static struct wire_span inside(struct wire_span message, uint32_t number)
{
    struct wire_field field;
    while (wire_next(&message, &field) == WIRE_FIELD) {
        if (field.number == number && field.type == WIRE_BYTES) {
            return field.bytes;
        }
    }
    return (struct wire_span){message.end, message.end};
}

static enum status read_value_name(struct reading *reading, struct wire_span message,
                                   const char **name)
{
    struct wire_field field;
    *name = "";
    EACH_FIELD(message, field, step)
    {
        if (field.number == VALUE_NAME) {
            TRY(read_text(reading, &field, name));
        }
    }
    return STATUS_OK;
}

/* An input that is no constant; in files of IR version 3 constants are inputs, too. */
static enum status read_input(struct reading *reading, struct wire_span message)
{
    struct model *model = reading->model;
    const char *name;
    TRY(read_value_name(reading, message, &name));
    if (model_find_tensor(model, name) != NULL) {
        return STATUS_OK;
    }
    if (reading->inputs++ > 0) {
        return refuse(reading, NULL, "export a model with one input, of images",
                      "the model has several inputs: %s, %s", model->input, name);
    }
    model->input = name;
    return read_shape(reading,
                      inside(inside(inside(message, VALUE_TYPE), TYPE_TENSOR), TENSOR_SHAPE));
}

static enum status read_output(struct reading *reading, struct wire_span message)
{
    const char *name;
    TRY(read_value_name(reading, message, &name));
    if (reading->outputs++ > 0) {
        return refuse(reading, NULL, "export a model with one output, of the last layer",
                      "the model has several outputs: %s, %s", reading->model->output, name);
    }
    reading->model->output = name;
    return STATUS_OK;
}

static enum status count_graph(struct reading *reading)
{
    struct model *model = reading->model;
    const size_t nodes = count_fields(reading->graph, GRAPH_NODE);
    const size_t tensors = count_fields(reading->graph, GRAPH_INITIALIZER);
    if (nodes > MODEL_MOST_NODES || tensors > MODEL_MOST_TENSORS) {
        return refuse(reading, NULL, NULL, "%zu nodes and %zu constants: more than %d and %d",
                      nodes, tensors, MODEL_MOST_NODES, MODEL_MOST_TENSORS);
    }
    model->node = config_arena_take(model->arena, (nodes + 1) * sizeof *model->node);
    model->tensor = config_arena_take(model->arena, (tensors + 1) * sizeof *model->tensor);
    return STATUS_OK;
}

static enum status read_constants(struct reading *reading)
{
    struct model *model = reading->model;
    struct wire_span graph = reading->graph;
    struct wire_field field;
    EACH_FIELD(graph, field, step)
    {
        if (field.number == GRAPH_SPARSE) {
            return refuse(reading, NULL, "export with dense weights",
                          "the model has sparse weights");
        }
        if (field.number == GRAPH_INITIALIZER && field.type == WIRE_BYTES) {
            TRY(onnx_tensor_read(&reading->onnx, field.bytes, &model->tensor[model->tensor_count]));
            model->tensor_count++;
        }
    }
    return STATUS_OK;
}

static enum status read_graph(struct reading *reading)
{
    struct model *model = reading->model;
    struct wire_span graph = reading->graph;
    struct wire_field field;
    TRY(count_graph(reading));
    TRY(read_constants(reading));
    EACH_FIELD(graph, field, step)
    {
        if (field.type != WIRE_BYTES) {
            continue;
        }
        if (field.number == GRAPH_NODE) {
            TRY(read_node(reading, field.bytes, &model->node[model->node_count]));
            model->node_count++;
        } else if (field.number == GRAPH_INPUT) {
            TRY(read_input(reading, field.bytes));
        } else if (field.number == GRAPH_OUTPUT) {
            TRY(read_output(reading, field.bytes));
        }
    }
    if (reading->inputs == 0 || reading->outputs == 0) {
        return refuse(reading, NULL, "the file has no network, or is cut short",
                      "the model has no %s", reading->inputs == 0 ? "input" : "output");
    }
    return STATUS_OK;
}

/* ---- the model ---- */

static enum status read_opset(struct reading *reading, struct wire_span message)
{
    struct wire_field field;
    const char *domain = "";
    int64_t version = 0;
    EACH_FIELD(message, field, step)
    {
        if (field.number == OPSET_DOMAIN) {
            TRY(read_text(reading, &field, &domain));
        } else if (field.number == OPSET_VERSION && field.type == WIRE_VARINT) {
            version = (int64_t)field.value;
        }
    }
    if (domain[0] == '\0' || strcmp(domain, "ai.onnx") == 0) {
        reading->opset = version;
    }
    return STATUS_OK;
}

/* The scale of pixels in a model that spinnsim has exported. */
static enum status read_metadata(struct reading *reading, struct wire_span message)
{
    struct wire_field field;
    const char *text[2] = {"", ""}; /* key, value */
    EACH_FIELD(message, field, step)
    {
        if (field.number == 1 || field.number == 2) {
            TRY(read_text(reading, &field, &text[field.number - 1]));
        }
    }
    if (strcmp(text[0], "spinnsim.input_scale") == 0 && strcmp(text[1], "1/256") == 0) {
        reading->model->input_scale = 1.0 / 256;
    }
    return STATUS_OK;
}

static enum status read_head(struct reading *reading, struct wire_span file)
{
    struct wire_field field;
    EACH_FIELD(file, field, step)
    {
        if (field.number == MODEL_GRAPH && field.type == WIRE_BYTES) {
            reading->graph = field.bytes;
            reading->graphs++;
        } else if (field.number == MODEL_OPSET && field.type == WIRE_BYTES) {
            TRY(read_opset(reading, field.bytes));
        } else if (field.number == MODEL_METADATA && field.type == WIRE_BYTES) {
            TRY(read_metadata(reading, field.bytes));
        } else if (field.number == MODEL_FUNCTIONS) {
            return refuse(reading, NULL, "export the model with its functions inlined",
                          "the model has functions of its own");
        } else if (field.number == MODEL_PRODUCER) {
            TRY(read_text(reading, &field, &reading->producer));
        } else if (field.number == MODEL_PRODUCER_VERSION) {
            TRY(read_text(reading, &field, &reading->producer_version));
        }
    }
    if (reading->graphs != 1) {
        return refuse(reading, NULL, "the file is damaged or cut short, or no ONNX model",
                      "the file has %zu graphs, not one", reading->graphs);
    }
    if (reading->opset < 1 || reading->opset > MOST_OPSET) {
        return refuse(reading, NULL, "export the model with opset_version=13",
                      "operators of opset %lld; 1 to %d can be read", (long long)reading->opset,
                      MOST_OPSET);
    }
    return STATUS_OK;
}

static enum status read_model(struct reading *reading, struct wire_span file)
{
    struct model *model = reading->model;
    TRY(read_head(reading, file));
    model->opset = (int)reading->opset;
    model->format =
        config_arena_print(model->arena, "ONNX, opset %d, %.*s %.*s", model->opset, PRODUCER_CHARS,
                           reading->producer, PRODUCER_CHARS, reading->producer_version);
    TRY(read_graph(reading));
    return model_sort(model, reading->diagnostic);
}

enum status onnx_model_read(struct model *model, const uint8_t *file, size_t size,
                            struct diagnostic *diagnostic)
{
    struct reading reading = {.onnx = {.model = model,
                                       .file = file,
                                       .values_left = MODEL_MOST_VALUES,
                                       .diagnostic = diagnostic},
                              .model = model,
                              .producer = "",
                              .producer_version = "",
                              .diagnostic = diagnostic};
    return read_model(&reading, (struct wire_span){file, file + size});
}

static enum status read_onnx(struct model *model, struct diagnostic *diagnostic)
{
    FREED uint8_t *file = NULL;
    size_t size;
    TRY(file_read(model->path, MODEL_MOST_FILE_BYTES, &file, &size, diagnostic));
    return onnx_model_read(model, file, size, diagnostic);
}

/* The format has no mark; all writers begin with field 1, the version, as a varint. */
static bool knows(const struct model_file *file)
{
    enum { IR_VERSION_KEY = 0x08 };
    return file->first_bytes > 0 &&
           (file->first[0] == IR_VERSION_KEY || file_ends_in(file->path, ".onnx"));
}

const struct model_reader ONNX_READER = {
    .format = "ONNX (.onnx)", .knows = knows, .read = read_onnx};
