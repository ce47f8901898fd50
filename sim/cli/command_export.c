/* command_export.c - `spinnsim export`: a network and its weights for other frameworks. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/import/export.h"
#include "sim/import/onnx_write.h"

struct arguments {
    const char *from, *onnx, *keras_weights;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"onnx", ARGUMENT_TEXT, AT(onnx), "FILE", "write an ONNX model: opset 13, float32", 0, 0},
    {"keras-weights", ARGUMENT_TEXT, AT(keras_weights), "FILE.weights.h5",
     "write the weights for load_weights() of a Keras model with the same layers", 0, 0},
    {0}};

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    if (arguments->onnx == NULL && arguments->keras_weights == NULL) {
        argp_error(state, "name the file to write: --onnx FILE, or --keras-weights FILE");
    }
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {0};
    struct diagnostic diagnostic = {0};
    struct exported exported;
    command_parse(&COMMAND_export, argc, argv, &arguments);
    enum status status = export_load(&exported, arguments.from, folders->configs, &diagnostic);
    if (status == STATUS_OK && arguments.onnx != NULL) {
        status = onnx_write(&exported.network, exported.table, &exported.weights, arguments.onnx,
                            &diagnostic);
    }
    if (status == STATUS_OK && arguments.keras_weights != NULL) {
        status = export_keras_weights(&exported, arguments.keras_weights, &diagnostic);
    }
    export_deinit(&exported); /* after a failure empty */
    return message_error(status, &diagnostic);
}

const struct command COMMAND_export = {
    .name = "export",
    .summary = "take a network and its weights to another framework: ONNX, Keras",
    .operands = "RESULT|CONFIG.yaml",
    .noun = "result folder or file",
    .wanted = "name a result folder, or an experiment",
    .operand_at = AT(from),
    .check = check,
    .text =
        "Writes the network of a result folder or of an experiment, with the weights that the "
        "training has made, or those that it classifies with.  The model takes pixels p of 0 to "
        "255 "
        "as p / 256, [n][channels][height][width], and gives the sums of the last layer before the "
        "softmax, [n][classes].  Its numbers are those of the machine: int16 fits float32.  Keras "
        "gets the weights alone, for a model that takes the same p / 256."
        "\vspinnsim import reads the model back, to the same bits where no layer has to be "
        "scaled.\n\nExample:\n  spinnsim export results/lenet1_train-0123abcd --onnx lenet1.onnx",
    .options = OPTIONS,
    .run = run};
