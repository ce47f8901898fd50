/* graph_order.c - see graph_order.h. */
#include "sim/dataflow/graph_order.h"

#include "models/common/memory.h"
#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- edges ---- */

/* The edges sorted by a number below `groups`, stably. */
static void sort_by(struct dataflow_graph *graph, size_t groups,
                    size_t (*group)(const struct dataflow_edge *edge))
{
    const size_t count = graph->edges.count;
    FREED size_t *next = calloc(groups + 1, sizeof *next);
    struct dataflow_edge *sorted = calloc(count + 1, sizeof *sorted);
    memory_need(next);
    memory_need(sorted);
    for (size_t i = 0; i < count; i++) {
        next[group(&graph->edge[i]) + 1]++;
    }
    for (size_t g = 0; g < groups; g++) {
        next[g + 1] += next[g];
    }
    for (size_t i = 0; i < count; i++) {
        sorted[next[group(&graph->edge[i])]++] = graph->edge[i];
    }
    free(graph->edge);
    graph->edge = sorted;
    graph->edges.room = count + 1;
}

static size_t port_of(const struct dataflow_edge *edge)
{
    return edge->port;
}

static size_t end_of(const struct dataflow_edge *edge)
{
    return edge->to;
}

static void list_outs(struct dataflow_graph *graph)
{
    const size_t nodes = graph->nodes.count;
    const size_t edges = graph->edges.count;
    graph->out = calloc(edges + 1, sizeof *graph->out);
    graph->first_out = calloc(nodes + 2, sizeof *graph->first_out);
    memory_need(graph->out);
    memory_need(graph->first_out);
    uint32_t *next = graph->first_out + 1; /* in the end next[n] is the first of node n + 1 */
    for (size_t i = 0; i < edges; i++) {
        next[graph->edge[i].from + 1]++;
    }
    for (size_t n = 0; n < nodes; n++) {
        next[n + 1] += next[n];
    }
    for (size_t i = 0; i < edges; i++) {
        graph->out[next[graph->edge[i].from]++] = (uint32_t)i;
    }
}

void dataflow_sort_edges(struct dataflow_graph *graph)
{
    sort_by(graph, DATAFLOW_REFERENCE + 1, port_of);
    sort_by(graph, graph->nodes.count, end_of);
    for (size_t n = 0; n < graph->nodes.count; n++) {
        graph->node[n].ins = 0;
    }
    for (size_t i = 0; i < graph->edges.count; i++) {
        struct dataflow_node *node = &graph->node[graph->edge[i].to];
        if (node->ins++ == 0) {
            node->first_in = (uint32_t)i;
        }
    }
    list_outs(graph);
}

/* ---- order ---- */

/* A heap of node numbers, the smallest first. */
static void push(uint32_t *heap, size_t *count, uint32_t node)
{
    size_t at = (*count)++;
    for (; at > 0 && heap[(at - 1) / 2] > node; at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = node;
}

static uint32_t pop(uint32_t *heap, size_t *count)
{
    const uint32_t first = heap[0];
    const uint32_t last = heap[--*count];
    size_t at = 0;
    for (size_t child = 1; child < *count; child = 2 * at + 1) {
        child += child + 1 < *count && heap[child + 1] < heap[child];
        if (heap[child] >= last) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

/* The next node of a circle, against the edges: a node that still waits. */
static uint32_t waits_for(const struct dataflow_graph *graph, const uint32_t *missing,
                          uint32_t node)
{
    for (uint32_t i = 0; i < graph->node[node].ins; i++) {
        const struct dataflow_edge *edge = &graph->edge[graph->node[node].first_in + i];
        if (edge->port != DATAFLOW_REFERENCE && missing[edge->from] > 0) {
            return edge->from;
        }
    }
    return node;
}

static enum status refuse_circle(const struct dataflow_graph *graph, const uint32_t *missing,
                                 struct diagnostic *diagnostic)
{
    enum { SHOWN = 8 };
    uint32_t node = 0;
    char names[256] = "";
    while (missing[node] == 0) {
        node++;
    }
    for (size_t i = 0; i < graph->nodes.count; i++) { /* enough steps to be inside the circle */
        node = waits_for(graph, missing, node);
    }
    uint32_t first = node; /* in the graph */
    for (uint32_t at = waits_for(graph, missing, node); at != node;
         at = waits_for(graph, missing, at)) {
        first = at < first ? at : first;
    }
    uint32_t at = first;
    for (int i = 0; i < SHOWN && (i == 0 || at != first); i++) {
        const size_t length = strlen(names);
        at = waits_for(graph, missing, at);
        (void)snprintf(names + length, sizeof names - length, ", which waits for %s",
                       graph->node[at].name);
    }
    return dataflow_refuse(graph, graph->node[first].place, diagnostic,
                           "a cycle without a variable: %s waits for %s%s\v"
                           "what a step leaves in a variable, the next step can read",
                           graph->node[first].name, names + sizeof ", which waits for " - 1,
                           at == first ? "" : " ...");
}

enum status dataflow_order(const struct dataflow_graph *graph, uint32_t *order,
                           struct diagnostic *diagnostic)
{
    const uint32_t nodes = (uint32_t)graph->nodes.count;
    FREED uint32_t *missing = calloc(nodes, sizeof *missing);
    FREED uint32_t *heap = calloc(nodes, sizeof *heap);
    memory_need(missing);
    memory_need(heap);
    size_t ready = 0;
    uint32_t ordered = 0;
    for (size_t i = 0; i < graph->edges.count; i++) {
        missing[graph->edge[i].to] += graph->edge[i].port != DATAFLOW_REFERENCE;
    }
    for (uint32_t n = 0; n < nodes; n++) {
        if (missing[n] == 0) {
            push(heap, &ready, n);
        }
    }
    while (ready > 0) {
        const uint32_t node = pop(heap, &ready);
        order[ordered++] = node;
        for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
            const struct dataflow_edge *edge = &graph->edge[graph->out[i]];
            if (edge->port != DATAFLOW_REFERENCE && --missing[edge->to] == 0) {
                push(heap, &ready, edge->to);
            }
        }
    }
    return ordered == nodes ? STATUS_OK : refuse_circle(graph, missing, diagnostic);
}

void dataflow_reach(const struct dataflow_graph *graph, uint32_t node, bool behind, bool *reached,
                    uint32_t *stack)
{
    size_t open = 0;
    memset(reached, 0, graph->nodes.count * sizeof *reached);
    stack[open++] = node;
    while (open > 0) {
        const uint32_t at = stack[--open];
        const uint32_t first = behind ? graph->first_out[at] : graph->node[at].first_in;
        const uint32_t end = behind ? graph->first_out[at + 1] : first + graph->node[at].ins;
        for (uint32_t i = first; i < end; i++) {
            const struct dataflow_edge *edge = &graph->edge[behind ? graph->out[i] : i];
            const uint32_t next = behind ? edge->to : edge->from;
            if (edge->port != DATAFLOW_REFERENCE && !reached[next]) {
                reached[next] = true;
                stack[open++] = next;
            }
        }
    }
}
