/* command_dataflow.c - `spinnsim dataflow`: checks a dataflow graph, counts it, and executes it on
 * the host. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/dataflow/execute.h"
#include "sim/dataflow/graph_counts.h"
#include "sim/dataflow/graph_drawn.h"
#include "sim/dataflow/graph_print.h"
#include "sim/dataflow/graph_read.h"
#include "sim/dataflow/interleave.h"
#include "sim/file.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum format { FORMAT_TEXT, FORMAT_CSV };
enum { FORM_NONE, ERROR_FRACTION = 9, RATE = 11 };

struct arguments {
    const char *file;
    unsigned format; /* enum format */
    unsigned form;   /* FORM_NONE, or enum dataflow_form + 1 */
    uint64_t schedules, images, seed;
    bool interleave, answers;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"network", ARGUMENT_CHOICE, AT(form), "none|forward|unrolled|machines",
     "the operand is a network of dense layers, as fc128 or its file: its forward pass with a "
     "neuron a node, or an update of all its weights for each image, as an unrolled graph or with "
     "a state machine a neuron.  Weights and images are drawn",
     0, 0},
    {"images", ARGUMENT_WHOLE, AT(images), "N", "images of a network, each a step; default 1",
     1000000, 0},
    {"schedules", ARGUMENT_WHOLE, AT(schedules), "N",
     "execute the graph N times on the host, each time in another order that is drawn, and say "
     "whether all leave the same",
     1000000, 0},
    {"seed", ARGUMENT_WHOLE, AT(seed), "N", "of what is drawn; default 1", UINT64_MAX, 0},
    {"interleave", ARGUMENT_FLAG, AT(interleave), NULL,
     "follow every order in which the nodes of the first step can fire, and print what they leave",
     0, 0},
    {"answers", ARGUMENT_FLAG, AT(answers), NULL,
     "execute the graph on the host, and print what the sink takes and what variables hold", 0, 0},
    {"format", ARGUMENT_CHOICE, AT(format), "text|csv", "how counts are printed; default text", 0,
     0},
    {0}};

/* ---- a network, with what is drawn for it ---- */

/* A name stands for a file of the shipped networks; what has a slash or an ending is a path. */
static char *path_of(const char *network, const struct folders *folders)
{
    FREED char *name = file_print("networks/%s.yaml", network);
    return strpbrk(network, "/.") != NULL || name == NULL ? strdup(network)
                                                          : file_join(folders->configs, name);
}

static enum status load_network(const struct arguments *arguments, const struct folders *folders,
                                struct dataflow_graph *graph, struct diagnostic *diagnostic)
{
    FREED char *path = path_of(arguments->file, folders);
    const struct dataflow_drawn_request request = {.path = path,
                                                   .form =
                                                       (enum dataflow_form)(arguments->form - 1),
                                                   .images = (uint32_t)arguments->images,
                                                   .rate = RATE,
                                                   .error_fraction = ERROR_FRACTION,
                                                   .seed = arguments->seed};
    return path == NULL ? no_memory(diagnostic) : dataflow_drawn_load(&request, graph, diagnostic);
}

/* ---- the command ---- */

static enum status print(const struct arguments *arguments, const struct dataflow_graph *graph,
                         struct diagnostic *diagnostic)
{
    dataflow_counts_print(graph, arguments->format == FORMAT_CSV, stdout);
    if (arguments->answers) {
        RELEASED(dataflow_answers_deinit) struct dataflow_answers answers = {.answer = NULL};
        TRY(dataflow_execute(graph, 0, &answers, diagnostic));
        dataflow_print_answers(graph, &answers, stdout);
    }
    if (arguments->interleave) {
        RELEASED(dataflow_endings_deinit) struct dataflow_endings endings = {.count = 0};
        TRY(dataflow_interleave(graph, &endings, diagnostic));
        dataflow_print_endings(graph, &endings, stdout);
    }
    return arguments->schedules == 0
               ? STATUS_OK
               : dataflow_print_schedules(graph, arguments->schedules, arguments->seed, stdout,
                                          diagnostic);
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {.images = 1, .seed = 1};
    struct diagnostic diagnostic = {0};
    RELEASED(dataflow_graph_deinit) struct dataflow_graph graph = {.name = NULL};
    command_parse(&COMMAND_dataflow, argc, argv, &arguments);
    if (arguments.file == NULL) {
        dataflow_print_rows(stdout);
        return 0;
    }
    enum status status = arguments.form == FORM_NONE
                             ? dataflow_load(arguments.file, &graph, &diagnostic)
                             : load_network(&arguments, folders, &graph, &diagnostic);
    if (status == STATUS_OK) {
        status = print(&arguments, &graph, &diagnostic);
    }
    return message_error(status, &diagnostic);
}

const struct command COMMAND_dataflow = {
    .name = "dataflow",
    .summary = "check and count a dataflow graph, and execute it on this computer",
    .operands = "[GRAPH]",
    .noun = "graph",
    .operand_at = AT(file),
    .text =
        "Checks a graph of a YAML file (docs/dataflow.md), prints how many nodes and edges of each "
        "kind it has, and pairs of nodes that use a variable in no order. Without a file, prints "
        "what nodes can do."
        "\vExamples:\n  spinnsim dataflow configs/dataflow/two_updates.yaml --interleave\n"
        "  spinnsim dataflow fc128 --network forward\n"
        "  spinnsim dataflow xor --network unrolled --images 4 --schedules 1000",
    .options = OPTIONS,
    .run = run};
