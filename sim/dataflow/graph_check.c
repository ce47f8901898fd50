/* graph_check.c - see graph_check.h. */
#include "sim/dataflow/graph_check.h"

#include "models/common/memory.h"
#include "sim/dataflow/graph_order.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES_MOST = 64 /* NN_MAX_CLASSES of the programs: words of a softmax */ };

struct checking {
    struct dataflow_graph *graph;
    struct diagnostic *diagnostic;
};

#define REFUSE(checking, place, ...)                                                               \
    dataflow_refuse((checking)->graph, (place), (checking)->diagnostic, __VA_ARGS__)

static const char *name_of(const struct checking *checking, uint32_t node)
{
    return checking->graph->node[node].name;
}

/* ---- the source and the sink ---- */

static enum status find_one(const struct checking *checking, enum dataflow_kind kind,
                            uint32_t *found)
{
    const struct dataflow_graph *graph = checking->graph;
    const char *text = dataflow_kind_text(kind);
    bool any = false;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        if (graph->node[i].kind == kind && any) {
            return REFUSE(checking, graph->node[i].place,
                          "%s is a second %s\vthe first is %s; a graph has one",
                          graph->node[i].name, text, graph->node[*found].name);
        }
        if (graph->node[i].kind == kind) {
            any = true;
            *found = i;
        }
    }
    if (any) {
        return STATUS_OK;
    }
    (void)REFUSE(checking, (struct dataflow_place){0}, "the graph has no %s", text);
    diagnostic_hint(checking->diagnostic,
                    kind == DATAFLOW_SOURCE
                        ? "a step begins with the source: `begin: {source: WORDS}`, 0 without input"
                        : "a step ends with the sink: `end: {sink: [NODE, ...]}`");
    return STATUS_CONFIGURATION;
}

/* ---- types ---- */

static uint32_t ports_of(const struct dataflow_node *node)
{
    struct dataflow_row_port port[DATAFLOW_PORTS];
    const struct dataflow_row *row = dataflow_row_of(node);
    return row != NULL ? dataflow_row_ports(row, port) : node->kind == DATAFLOW_SINK ? 1 : 0;
}

static bool takes_reference(const struct dataflow_node *node)
{
    return node->kind == DATAFLOW_READ || node->kind == DATAFLOW_ASSIGN;
}

static enum status check_reference(const struct checking *checking,
                                   const struct dataflow_edge *edge)
{
    struct dataflow_node *to = &checking->graph->node[edge->to];
    if (!takes_reference(to)) {
        return REFUSE(checking, edge->place, "%s takes no reference\vRead and Assign do", to->name);
    }
    if (checking->graph->node[edge->from].kind != DATAFLOW_VARIABLE) {
        return REFUSE(checking, edge->place,
                      "%s gives data, and the reference port of %s takes a reference\v"
                      "name a variable",
                      name_of(checking, edge->from), to->name);
    }
    if (to->of != DATAFLOW_NONE) {
        return REFUSE(checking, edge->place, "%s has two variables", to->name);
    }
    to->of = (int32_t)edge->from;
    return STATUS_OK;
}

static enum status check_data(const struct checking *checking, const struct dataflow_edge *edge)
{
    const struct dataflow_node *from = &checking->graph->node[edge->from];
    const struct dataflow_node *to = &checking->graph->node[edge->to];
    if (from->kind == DATAFLOW_VARIABLE) {
        return REFUSE(checking, edge->place,
                      "%s gives a reference, and this port of %s takes data\v"
                      "a node {read: %s} turns it into data",
                      from->name, to->name, from->name);
    }
    if (from->kind == DATAFLOW_ASSIGN || from->kind == DATAFLOW_SINK) {
        return REFUSE(checking, edge->place,
                      "%s has no output, and this port of %s takes data\v"
                      "`after: %s` waits for it",
                      from->name, to->name, from->name);
    }
    return edge->port < ports_of(to)
               ? STATUS_OK
               : REFUSE(checking, edge->place, "%s has no data port %u", to->name, edge->port);
}

static enum status check_control(const struct checking *checking, const struct dataflow_edge *edge)
{
    const struct dataflow_node *from = &checking->graph->node[edge->from];
    const struct dataflow_node *to = &checking->graph->node[edge->to];
    if (!dataflow_fires(from) || from->kind == DATAFLOW_SINK) {
        return REFUSE(checking, edge->place, "nothing waits for a %s: %s\v%s",
                      dataflow_kind_text(from->kind), from->name,
                      from->kind == DATAFLOW_SINK ? "it ends the step"
                                                  : "it does not fire; its Reads and Assigns do");
    }
    return dataflow_fires(to) && to->kind != DATAFLOW_SOURCE
               ? STATUS_OK
               : REFUSE(checking, edge->place, "a %s waits for nothing: %s",
                        dataflow_kind_text(to->kind), to->name);
}

static enum status check_types(const struct checking *checking)
{
    const struct dataflow_graph *graph = checking->graph;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (graph->node[i].kind != DATAFLOW_PHASE) {
            graph->node[i].of = DATAFLOW_NONE;
        }
    }
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct dataflow_edge *edge = &graph->edge[i];
        TRY(edge->port == DATAFLOW_REFERENCE ? check_reference(checking, edge)
            : edge->port == DATAFLOW_CONTROL ? check_control(checking, edge)
                                             : check_data(checking, edge));
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct dataflow_node *node = &graph->node[i];
        if (takes_reference(node) && node->of == DATAFLOW_NONE) {
            return REFUSE(checking, node->place, "%s has no variable", node->name);
        }
    }
    return STATUS_OK;
}

/* ---- implied control edges ---- */

static void imply(struct dataflow_graph *graph, uint32_t from, uint32_t to)
{
    const struct dataflow_edge edge = {.from = from,
                                       .to = to,
                                       .port = DATAFLOW_CONTROL,
                                       .implied = true,
                                       .place = graph->node[to].place};
    dataflow_add_edge(graph, &edge);
}

static void count_ends(const struct dataflow_graph *graph, bool *has_in, bool *has_out)
{
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct dataflow_edge *edge = &graph->edge[i];
        if (edge->port != DATAFLOW_REFERENCE) {
            has_in[edge->to] = true;
            has_out[edge->from] = true;
        }
    }
}

static void imply_all(struct dataflow_graph *graph)
{
    const uint32_t nodes = (uint32_t)graph->nodes.count;
    FREED bool *has_in = calloc(nodes, sizeof *has_in);
    FREED bool *has_out = calloc(nodes, sizeof *has_out);
    memory_need(has_in);
    memory_need(has_out);
    for (size_t m = 0; m < graph->machines.count; m++) {
        for (uint32_t p = 1; p < graph->machine[m].phases; p++) {
            imply(graph, graph->machine[m].first + p - 1, graph->machine[m].first + p);
        }
    }
    count_ends(graph, has_in, has_out);
    for (uint32_t i = 0; i < nodes; i++) {
        if (dataflow_fires(&graph->node[i]) && i != graph->source && !has_in[i]) {
            imply(graph, graph->source, i);
            has_out[graph->source] = true;
        }
    }
    for (uint32_t i = 0; i < nodes; i++) {
        if (dataflow_fires(&graph->node[i]) && i != graph->sink && !has_out[i]) {
            imply(graph, i, graph->sink);
        }
    }
}

/* ---- widths ---- */

static enum status refuse_width(const struct checking *checking, const struct dataflow_node *node,
                                const char *port, uint32_t is, uint32_t needs)
{
    return REFUSE(checking, node->place, "input %s of %s has %u word%s, not %u", port, node->name,
                  is, is == 1 ? "" : "s", needs);
}

/* An edge's words, where it takes all of an output, or part of it. */
static enum status resolve(const struct checking *checking, struct dataflow_edge *edge)
{
    const struct dataflow_node *from = &checking->graph->node[edge->from];
    if (edge->words == 0) {
        edge->words = from->words;
    }
    if (edge->words == 0) {
        return REFUSE(checking, edge->place, "%s has no words", from->name);
    }
    if (edge->first >= from->words || edge->words > from->words - edge->first) {
        return REFUSE(checking, edge->place,
                      "%s has %u words: %u to %u are not among them\vwords count from 0",
                      from->name, from->words, edge->first, edge->first + edge->words - 1);
    }
    return STATUS_OK;
}

/* The words of each port. */
static enum status add_up(const struct checking *checking, const struct dataflow_node *node,
                          uint32_t words[DATAFLOW_PORTS])
{
    struct dataflow_graph *graph = checking->graph;
    memset(words, 0, DATAFLOW_PORTS * sizeof *words);
    for (uint32_t i = 0; i < node->ins; i++) {
        struct dataflow_edge *edge = &graph->edge[node->first_in + i];
        if (!dataflow_is_data(edge)) {
            continue;
        }
        TRY(resolve(checking, edge));
        if (edge->words > DATAFLOW_NODES - words[edge->port]) {
            return REFUSE(checking, edge->place, "%s has more than %d input words", node->name,
                          DATAFLOW_NODES);
        }
        words[edge->port] += edge->words;
    }
    return STATUS_OK;
}

static uint32_t width(enum dataflow_width width, uint32_t n, uint32_t values, uint32_t any)
{
    switch (width) {
    case DATAFLOW_WIDTH_ONE:
        return 1;
    case DATAFLOW_WIDTH_N:
        return n;
    case DATAFLOW_WIDTH_N1:
        return n + 1;
    case DATAFLOW_WIDTH_M:
        return any;
    case DATAFLOW_WIDTH_VALUES:
        return values;
    case DATAFLOW_WIDTH_NONE:
    default:
        return 0;
    }
}

/* N of a node: by its first port N or N + 1, by its variable, or by its machine. */
static uint32_t own_width(const struct dataflow_graph *graph, const struct dataflow_node *node,
                          const struct dataflow_row_port *port, uint32_t ports,
                          const uint32_t words[DATAFLOW_PORTS])
{
    if (node->kind == DATAFLOW_ASSIGN) {
        return graph->node[node->of].state.count;
    }
    if (node->kind == DATAFLOW_PHASE) {
        return graph->machine[node->of].weights.count - 1;
    }
    for (uint32_t p = 0; p < ports; p++) {
        if (port[p].width == DATAFLOW_WIDTH_N) {
            return words[p];
        }
        if (port[p].width == DATAFLOW_WIDTH_N1 && words[p] > 0) {
            return words[p] - 1;
        }
    }
    return 0;
}

static enum status check_weights(const struct checking *checking, const struct dataflow_node *node,
                                 const struct dataflow_row *row, uint32_t n)
{
    const struct dataflow_parameter *parameter[DATAFLOW_ROW_PARAMETERS];
    const uint32_t own = dataflow_row_parameters(row->parameters, parameter);
    if (row->out == DATAFLOW_WIDTH_VALUES) {
        return node->parameters.count > 0
                   ? STATUS_OK
                   : REFUSE(checking, node->place, "%s has no values", node->name);
    }
    if (node->kind != DATAFLOW_PHASE && node->parameters.count != own + (row->weighted ? n : 0)) {
        return REFUSE(checking, node->place, "%s has %u weights for %u input words", node->name,
                      node->parameters.count - own, n);
    }
    return STATUS_OK;
}

static enum status set_width(const struct checking *checking, struct dataflow_node *node)
{
    struct dataflow_row_port port[DATAFLOW_PORTS];
    uint32_t words[DATAFLOW_PORTS];
    const struct dataflow_row *row = dataflow_row_of(node);
    TRY(add_up(checking, node, words));
    if (node->kind == DATAFLOW_READ) {
        node->words = checking->graph->node[node->of].state.count;
    }
    if (node->kind == DATAFLOW_SINK) {
        node->words = words[0];
    }
    if (row == NULL) {
        return STATUS_OK;
    }
    const uint32_t ports = dataflow_row_ports(row, port);
    const uint32_t n = own_width(checking->graph, node, port, ports, words);
    for (uint32_t p = 0; p < ports; p++) {
        const uint32_t needs = width(port[p].width, n, 0, words[p]);
        if (words[p] == 0) {
            return REFUSE(checking, node->place, "input %s of %s is missing", port[p].name,
                          node->name);
        }
        if (words[p] != needs) {
            return refuse_width(checking, node, port[p].name, words[p], needs);
        }
    }
    if (dataflow_uses_exp(node->action) && n > CLASSES_MOST) {
        return REFUSE(checking, node->place, "%s has %u words, more than %d", node->name, n,
                      CLASSES_MOST);
    }
    TRY(check_weights(checking, node, row, n));
    node->words = width(row->out, n, node->parameters.count, 0);
    return STATUS_OK;
}

static enum status set_widths(const struct checking *checking)
{
    struct dataflow_graph *graph = checking->graph;
    FREED uint32_t *order = calloc(graph->nodes.count, sizeof *order);
    memory_need(order);
    TRY(dataflow_order(graph, order, checking->diagnostic));
    for (size_t i = 0; i < graph->nodes.count; i++) {
        TRY(set_width(checking, &graph->node[order[i]]));
    }
    const uint64_t words = (uint64_t)graph->steps * graph->node[graph->source].words;
    if (graph->inputs.count != words) {
        return REFUSE(checking, graph->node[graph->source].place,
                      "the input has %zu words, not %llu: %u step%s of the source's %u",
                      graph->inputs.count, (unsigned long long)words, graph->steps,
                      graph->steps == 1 ? "" : "s", graph->node[graph->source].words);
    }
    return STATUS_OK;
}

/* Machines begin with their weights. */
static void make_states(struct dataflow_graph *graph)
{
    for (size_t i = 0; i < graph->machines.count; i++) {
        struct dataflow_machine *machine = &graph->machine[i];
        const uint32_t weights = machine->weights.count;
        machine->state =
            dataflow_add_state(graph, NULL, dataflow_neuron_words(weights == 0 ? 0 : weights - 1));
        memcpy(graph->state + machine->state.first, graph->parameter + machine->weights.first,
               weights * sizeof *graph->state);
    }
}

static enum status check_machines(const struct checking *checking)
{
    for (size_t i = 0; i < checking->graph->machines.count; i++) {
        const struct dataflow_machine *machine = &checking->graph->machine[i];
        if (machine->weights.count < 2) {
            return REFUSE(checking, machine->place, "%s needs a weight and a bias", machine->name);
        }
    }
    return STATUS_OK;
}

enum status dataflow_check(struct dataflow_graph *graph, struct diagnostic *diagnostic)
{
    const struct checking checking = {graph, diagnostic};
    TRY(find_one(&checking, DATAFLOW_SOURCE, &graph->source));
    TRY(find_one(&checking, DATAFLOW_SINK, &graph->sink));
    TRY(check_types(&checking));
    TRY(check_machines(&checking));
    imply_all(graph);
    dataflow_sort_edges(graph);
    TRY(set_widths(&checking));
    make_states(graph);
    return STATUS_OK;
}

/* ---- races ---- */

static bool touches(const struct dataflow_node *node)
{
    return node->kind == DATAFLOW_READ || node->kind == DATAFLOW_ASSIGN;
}

static bool agree(const struct dataflow_node *a, const struct dataflow_node *b)
{
    if (a->kind == DATAFLOW_READ || b->kind == DATAFLOW_READ) {
        return a->kind == b->kind;
    }
    const uint32_t first = DATAFLOW_ROW[a->action].commutes;
    return first != 0 && first == DATAFLOW_ROW[b->action].commutes;
}

size_t dataflow_races(const struct dataflow_graph *graph, struct dataflow_race *race, size_t most)
{
    const uint32_t nodes = (uint32_t)graph->nodes.count;
    FREED bool *reached = calloc(nodes, sizeof *reached);
    FREED bool *before = calloc(nodes, sizeof *before);
    FREED uint32_t *stack = calloc(nodes, sizeof *stack);
    memory_need(reached);
    memory_need(before);
    memory_need(stack);
    size_t count = 0;
    for (uint32_t a = 0; a < nodes; a++) {
        if (!touches(&graph->node[a])) {
            continue;
        }
        dataflow_reach(graph, a, true, reached, stack);
        dataflow_reach(graph, a, false, before, stack);
        for (uint32_t b = a + 1; b < nodes; b++) {
            const struct dataflow_node *other = &graph->node[b];
            if (!touches(other) || other->of != graph->node[a].of || reached[b] || before[b] ||
                agree(&graph->node[a], other)) {
                continue;
            }
            if (count < most) {
                race[count] = (struct dataflow_race){a, b};
            }
            count++;
        }
    }
    return count;
}
