/* command_import.c - `spinnsim import`: a model of another framework becomes an experiment. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/cli/run_options.h"
#include "sim/import/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
    const char *model, *out, *data, *scale, *mean, *deviation;
    uint64_t threads;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"out", ARGUMENT_TEXT, AT(out), "NAME.yaml",
     "the experiment to write; networks/NAME.yaml and .npz beside it get the network and its "
     "weights",
     0, 0},
    {"data", ARGUMENT_TEXT, AT(data), "DIR|FILE.npz",
     "images to measure ranges and to compare answers on: a folder with MNIST, or arrays x (uint8) "
     "and y; default MNIST from the usual folders",
     0, 0},
    {"input-scale", ARGUMENT_TEXT, AT(scale), "S",
     "what the model multiplies pixels of 0 to 255 by, as 1/255 or 1; default: of these two, the "
     "one with which more images are right",
     0, 0},
    {"input-mean", ARGUMENT_TEXT, AT(mean), "M,...",
     "what is then taken off, one number or one for each channel; default 0", 0, 0},
    {"input-std", ARGUMENT_TEXT, AT(deviation), "D,...", "by what that is then divided; default 1",
     0, 0},
    {"threads", ARGUMENT_WHOLE, AT(threads), "N",
     "threads of this computer; results do not depend on it; default: one for each processor",
     RUN_THREADS_MAX, 0},
    {0}};

/* A number, or a fraction of two. */
static bool read_number(const char *text, double *number, const char **end)
{
    char *past;
    *number = strtod(text, &past);
    bool is_number = past != text;
    if (is_number && *past == '/') {
        const char *below = past + 1;
        const double divisor = strtod(below, &past);
        is_number = past != below && divisor != 0;
        *number /= divisor;
    }
    *end = past;
    return is_number && isfinite(*number);
}

static bool read_numbers(const char *text, double *number, size_t *count)
{
    for (*count = 0; text != NULL && *count < LOWER_MOST_MEANS;) {
        if (!read_number(text, &number[(*count)++], &text)) {
            return false;
        }
        if (*text == '\0') {
            return true;
        }
        if (*text++ != ',') {
            return false;
        }
    }
    return text == NULL;
}

static enum status read_pixels(const struct arguments *arguments, struct lower_pixels *pixels,
                               struct diagnostic *diagnostic)
{
    size_t scales;
    double scale[LOWER_MOST_MEANS];
    if (!read_numbers(arguments->scale, scale, &scales) || scales > 1 ||
        (scales == 1 && scale[0] <= 0)) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "--input-scale %s is no scale\va number above 0, as 1/255 or 1",
                        arguments->scale);
    }
    pixels->scale = scales == 0 ? 0 : scale[0];
    if (!read_numbers(arguments->mean, pixels->mean, &pixels->means)) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "--input-mean %s is no list of numbers\v0.1307, or one for each channel",
                        arguments->mean);
    }
    bool fits = read_numbers(arguments->deviation, pixels->deviation, &pixels->deviations);
    for (size_t i = 0; i < pixels->deviations; i++) {
        fits = fits && pixels->deviation[i] > 0;
    }
    return fits ? STATUS_OK
                : diagnose(diagnostic, STATUS_CONFIGURATION,
                           "--input-std %s is no list of numbers above 0\v0.3081, or one for each "
                           "channel",
                           arguments->deviation);
}

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    if (arguments->out == NULL) {
        argp_error(state, "name the experiment to write: --out NAME.yaml");
    }
}

static void join(int argc, char **argv, char *command, size_t size)
{
    size_t length = (size_t)snprintf(command, size, "spinnsim");
    for (int i = 0; i < argc && length < size; i++) {
        length += (size_t)snprintf(command + length, size - length, " %s", argv[i]);
    }
}

static int run(int argc, char **argv, const struct folders *folders)
{
    enum { COMMAND_CHARS = 480, MOST_THREADS = 16 };
    struct arguments arguments = {0};
    struct diagnostic diagnostic = {0};
    struct lower_pixels pixels = {0};
    char command[COMMAND_CHARS];
    (void)folders;
    join(argc, argv, command, sizeof command);
    command_parse(&COMMAND_import, argc, argv, &arguments);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned usual = processors < 1              ? 1
                           : processors > MOST_THREADS ? MOST_THREADS
                                                       : (unsigned)processors;
    const struct import_request request = {
        .model = arguments.model,
        .out = arguments.out,
        .data = arguments.data,
        .pixels = &pixels,
        .threads = arguments.threads == 0 ? usual : (unsigned)arguments.threads,
        .command = command};
    enum status status = read_pixels(&arguments, &pixels, &diagnostic);
    if (status == STATUS_OK) {
        status = import_model(&request, stdout, &diagnostic);
    }
    return message_error(status, &diagnostic);
}

const struct command COMMAND_import = {
    .name = "import",
    .summary = "bring a trained model of another framework: ONNX, Keras",
    .operands = "MODEL",
    .noun = "model",
    .wanted = "name a model: a file .onnx",
    .operand_at = AT(model),
    .check = check,
    .text =
        "Reads a trained model, and writes a network, its weights in int16, and an experiment that "
        "classifies with them; then spinnsim run NAME.yaml runs.  A model is a chain: Conv, "
        "MaxPool, AveragePool, GlobalAveragePool, Gemm and MatMul, with Relu, Tanh or Sigmoid; "
        "BatchNormalization, and sums and products with constants, become weights; Flatten, "
        "Reshape, Transpose, Dropout, Identity, and at the end Softmax, cost nothing; zeros of Pad "
        "become those of the convolution behind it.  Layers are scaled so that weights, values and "
        "sums fit, as measured on 1,000 images.  Prints for each layer ranges, factor and values "
        "that int16 has cut, and how far the answers agree with "
        "float64 on the test images."
        "\vExamples:\n  spinnsim import mnist-12.onnx --out mnist12.yaml\n  spinnsim import "
        "net.onnx "
        "--data images.npz --input-scale 1/255 --input-mean 0.1307 --input-std 0.3081 --out "
        "net.yaml",
    .options = OPTIONS,
    .run = run};
