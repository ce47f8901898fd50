/* command_network.c - `spinnsim network`: the size of a network, layer by layer. */
#include "models/common/memory.h"
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/file.h"
#include "sim/networks/counts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum format { FORMAT_TEXT, FORMAT_CSV };

struct arguments {
    const char *network;
    unsigned format; /* enum format */
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"format", ARGUMENT_CHOICE, AT(format), "text|csv", "how it is printed; default text", 0, 0},
    {0}};

/* A name stands for a file of the shipped networks; what has a slash or an ending is a path. */
static char *path_of(const char *network, const struct folders *folders)
{
    char name[FOLDER_PATH_CHARS];
    const bool is_path = strpbrk(network, "/.") != NULL;
    (void)snprintf(name, sizeof name, is_path ? "%s" : "networks/%s.yaml", network);
    char *path = is_path ? strdup(name) : file_join(folders->configs, name);
    if (path == NULL) {
        memory_exhausted();
    }
    return path;
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {0};
    struct diagnostic diagnostic = {0};
    struct network network;
    command_parse(&COMMAND_network, argc, argv, &arguments);
    char *path = path_of(arguments.network, folders);
    const enum status status = network_load(path, &network, &diagnostic);
    if (status == STATUS_OK) {
        counts_print(&network, arguments.format == FORMAT_CSV, stdout);
        network_deinit(&network);
    }
    if (status != STATUS_OK && access(path, R_OK) != 0) {
        diagnostic_hint(&diagnostic, "networks that come with spinnsim lie in configs/networks; a "
                                     "name with a slash or an ending is a file of your own");
    }
    free(path);
    return message_error(status, &diagnostic);
}

const struct command COMMAND_network = {
    .name = "network",
    .summary = "count a network's parameters, connections and multiply-accumulates",
    .operands = "NETWORK",
    .noun = "network",
    .wanted = "name a network, as lenet5, or its file",
    .operand_at = AT(network),
    .text =
        "Prints a row for each layer of a network, and one for the network with its variant: its "
        "output (maps x rows x columns), parameters, connections (uses of weights, biases and "
        "pooled values), and "
        "multiply-accumulates (macs) of an image, forward and in training."
        "\vThe counts follow LeCun et al. 1998. A subsampling layer has one multiplication for "
        "each output; the modelled machine needs one for each input.\n\nExample:\n  spinnsim "
        "network lenet5_1998",
    .options = OPTIONS,
    .run = run};
