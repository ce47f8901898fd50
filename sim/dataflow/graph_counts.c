/* graph_counts.c - see graph_counts.h. */
#include "sim/dataflow/graph_counts.h"

#include "sim/dataflow/graph_check.h"

#include <inttypes.h>

enum { RACES_SHOWN = 4 };

/* Whether words of this port are multiplied by weights of the node. */
static bool is_weighted(const struct dataflow_graph *graph, const struct dataflow_edge *edge)
{
    const struct dataflow_node *to = &graph->node[edge->to];
    const struct dataflow_row *row = dataflow_row_of(to);
    if (to->kind == DATAFLOW_PHASE) {
        const struct dataflow_machine *machine = &graph->machine[to->of];
        return edge->to == machine->first && dataflow_machine_row(machine->row).weighted;
    }
    return row != NULL && row->weighted;
}

static void count_edge(const struct dataflow_graph *graph, const struct dataflow_edge *edge,
                       struct dataflow_counts *counts)
{
    if (dataflow_is_data(edge)) {
        counts->data_edges++;
        counts->words += edge->words;
        counts->weighted_edges += is_weighted(graph, edge) ? edge->words : 0;
    } else if (edge->port == DATAFLOW_REFERENCE) {
        counts->references++;
    } else if (edge->implied) {
        counts->implied_edges++;
    } else {
        counts->control_edges++;
    }
}

struct dataflow_counts dataflow_counts_of(const struct dataflow_graph *graph)
{
    struct dataflow_counts counts = {.all_nodes = 0};
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct dataflow_node *node = &graph->node[i];
        if (node->kind != DATAFLOW_PHASE) {
            counts.nodes[node->kind]++;
            counts.all_nodes++;
            counts.variable_words += node->state.count;
        }
    }
    for (size_t i = 0; i < graph->machines.count; i++) {
        counts.nodes[DATAFLOW_PHASE]++;
        counts.all_nodes++;
        counts.machine_words += graph->machine[i].state.count;
    }
    for (size_t i = 0; i < graph->edges.count; i++) {
        count_edge(graph, &graph->edge[i], &counts);
    }
    counts.races = dataflow_races(graph, NULL, 0);
    return counts;
}

static void print_races(const struct dataflow_graph *graph, FILE *out)
{
    struct dataflow_race race[RACES_SHOWN];
    const size_t count = dataflow_races(graph, race, RACES_SHOWN);
    for (size_t i = 0; i < count && i < RACES_SHOWN; i++) {
        const struct dataflow_node *first = &graph->node[race[i].first];
        (void)fprintf(out, "race: nothing says which of %s and %s comes first, and %s differs\n",
                      first->name, graph->node[race[i].second].name, graph->node[first->of].name);
    }
    if (count > RACES_SHOWN) {
        (void)fprintf(out, "race: and %zu pairs more\n", count - RACES_SHOWN);
    }
}

void dataflow_counts_print(const struct dataflow_graph *graph, bool csv, FILE *out)
{
    const struct dataflow_counts counts = dataflow_counts_of(graph);
    const struct {
        const char *name;
        uint64_t count;
    } rows[] = {{"nodes", counts.all_nodes},
                {"sources", counts.nodes[DATAFLOW_SOURCE]},
                {"sinks", counts.nodes[DATAFLOW_SINK]},
                {"operations", counts.nodes[DATAFLOW_OPERATION]},
                {"variables", counts.nodes[DATAFLOW_VARIABLE]},
                {"reads", counts.nodes[DATAFLOW_READ]},
                {"assigns", counts.nodes[DATAFLOW_ASSIGN]},
                {"machines", counts.nodes[DATAFLOW_PHASE]},
                {"data_edges", counts.data_edges},
                {"weighted_edges", counts.weighted_edges},
                {"words_a_step", counts.words},
                {"control_edges", counts.control_edges},
                {"implied_control_edges", counts.implied_edges},
                {"references", counts.references},
                {"variable_words", counts.variable_words},
                {"machine_words", counts.machine_words},
                {"races", counts.races}};
    if (csv) {
        (void)fputs("what,count\n", out);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)fprintf(out, csv ? "%s,%" PRIu64 "\n" : "%-22s %12" PRIu64 "\n", rows[i].name,
                      rows[i].count);
    }
    if (!csv) {
        print_races(graph, out);
    }
}
