/* graph.c - see graph.h. */
#include "sim/dataflow/graph.h"

#include "models/common/memory.h"
#include "sim/grow.h"
#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *dataflow_kind_text(enum dataflow_kind kind)
{
    static const char *const TEXT[DATAFLOW_KINDS] = {"source", "sink",   "operation", "variable",
                                                     "read",   "assign", "machine"};
    return TEXT[kind];
}

/* ---- making ---- */

static char *copy_of(const char *text)
{
    char *copy = strdup(text);
    memory_need(copy);
    return copy;
}

enum status dataflow_graph_init(struct dataflow_graph *graph, const char *name, const char *file,
                                struct diagnostic *diagnostic)
{
    *graph = (struct dataflow_graph){.name = strdup(name), .file = strdup(file), .steps = 1};
    if (graph->name == NULL || graph->file == NULL) {
        dataflow_graph_deinit(graph);
        return no_memory(diagnostic);
    }
    return STATUS_OK;
}

void dataflow_graph_deinit(struct dataflow_graph *graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        free((char *)graph->node[i].name);
    }
    for (size_t i = 0; i < graph->machines.count; i++) {
        free((char *)graph->machine[i].name);
    }
    free(graph->name);
    free(graph->file);
    free(graph->node);
    free(graph->edge);
    free(graph->machine);
    free(graph->parameter);
    free(graph->state);
    free(graph->input);
    free(graph->out);
    free(graph->first_out);
    *graph = (struct dataflow_graph){.name = NULL};
}

/* Room for one element more; returns the array. */
static void *more(void *array, struct dataflow_array *size, size_t bytes)
{
    void *grown = grow(array, &size->room, size->count, bytes);
    memory_need(grown);
    size->count++;
    return grown;
}

uint32_t dataflow_add_node(struct dataflow_graph *graph, const struct dataflow_node *node)
{
    graph->node = more(graph->node, &graph->nodes, sizeof *graph->node);
    struct dataflow_node *own = &graph->node[graph->nodes.count - 1];
    *own = *node;
    own->name = copy_of(node->name);
    return (uint32_t)(graph->nodes.count - 1);
}

void dataflow_add_edge(struct dataflow_graph *graph, const struct dataflow_edge *edge)
{
    graph->edge = more(graph->edge, &graph->edges, sizeof *graph->edge);
    graph->edge[graph->edges.count - 1] = *edge;
}

uint32_t dataflow_add_machine(struct dataflow_graph *graph, const struct dataflow_machine *machine)
{
    const struct dataflow_machine_row row = dataflow_machine_row(machine->row);
    const uint32_t number = (uint32_t)graph->machines.count;
    graph->machine = more(graph->machine, &graph->machines, sizeof *graph->machine);
    graph->machine[number] = *machine;
    graph->machine[number].name = copy_of(machine->name);
    graph->machine[number].first = (uint32_t)graph->nodes.count;
    graph->machine[number].phases = row.phases;
    for (uint32_t p = 0; p < row.phases; p++) {
        char *name;
        const enum dataflow_action action = (enum dataflow_action)((unsigned)row.first + p);
        if (asprintf(&name, "%s.%s", machine->name, DATAFLOW_ROW[action].name) < 0) {
            memory_exhausted();
        }
        const struct dataflow_node phase = {.name = name,
                                            .kind = DATAFLOW_PHASE,
                                            .action = action,
                                            .of = (int32_t)number,
                                            .parameters = machine->parameters,
                                            .place = machine->place};
        (void)dataflow_add_node(graph, &phase);
        free(name);
    }
    return number;
}

static struct dataflow_words add_words(int32_t **array, struct dataflow_array *size,
                                       const int32_t *word, uint32_t count)
{
    const struct dataflow_words added = {size->count, count};
    for (uint32_t i = 0; i < count; i++) {
        *array = more(*array, size, sizeof **array);
        (*array)[size->count - 1] = word == NULL ? 0 : word[i];
    }
    return added;
}

struct dataflow_words dataflow_add_parameters(struct dataflow_graph *graph, const int32_t *word,
                                              uint32_t count)
{
    return add_words(&graph->parameter, &graph->parameters, word, count);
}

struct dataflow_words dataflow_add_state(struct dataflow_graph *graph, const int32_t *word,
                                         uint32_t count)
{
    return add_words(&graph->state, &graph->states, word, count);
}

void dataflow_add_input(struct dataflow_graph *graph, const int32_t *word, uint32_t count)
{
    (void)add_words(&graph->input, &graph->inputs, word, count);
}

void dataflow_connect_part(struct dataflow_graph *graph, uint32_t from, uint32_t first,
                           uint32_t words, uint32_t to, uint8_t port)
{
    const struct dataflow_edge edge = {
        .from = from, .to = to, .first = first, .words = words, .port = port};
    dataflow_add_edge(graph, &edge);
}

void dataflow_connect(struct dataflow_graph *graph, uint32_t from, uint32_t to, uint8_t port)
{
    dataflow_connect_part(graph, from, 0, 0, to, port);
}

/* ---- asking ---- */

const struct dataflow_row *dataflow_row_of(const struct dataflow_node *node)
{
    return node->kind == DATAFLOW_OPERATION || node->kind == DATAFLOW_ASSIGN ||
                   node->kind == DATAFLOW_PHASE
               ? &DATAFLOW_ROW[node->action]
               : NULL;
}

enum status dataflow_refuse(const struct dataflow_graph *graph, struct dataflow_place place,
                            struct diagnostic *diagnostic, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)diagnose_list(diagnostic, STATUS_CONFIGURATION, format, arguments);
    va_end(arguments);
    diagnostic_at(diagnostic, graph->file, place.line, place.column);
    return STATUS_CONFIGURATION;
}
