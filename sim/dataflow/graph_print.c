/* graph_print.c - see graph_print.h. */
#include "sim/dataflow/graph_print.h"

#include "sim/steps.h"

#include <inttypes.h>

enum { SHOWN_WORDS = 16 };

static void print_words(const char *name, const int32_t *word, size_t count, FILE *out)
{
    (void)fputs(name, out);
    for (size_t i = 0; i < count && i < SHOWN_WORDS; i++) {
        (void)fprintf(out, " %" PRId32, word[i]);
    }
    (void)fprintf(out, count > SHOWN_WORDS ? " ... %zu words\n" : "\n", count);
}

static void print_states(const struct dataflow_graph *graph, const int32_t *state, FILE *out)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct dataflow_node *node = &graph->node[i];
        if (node->kind == DATAFLOW_VARIABLE) {
            char name[96];
            (void)snprintf(name, sizeof name, "  %s:", node->name);
            print_words(name, state + node->state.first, node->state.count, out);
        }
    }
}

void dataflow_print_rows(FILE *out)
{
    static const char *const WHERE[] = {[DATAFLOW_ROW_OPERATION] = "operation",
                                        [DATAFLOW_ROW_ASSIGN] = "assign",
                                        [DATAFLOW_ROW_PHASE] = "phase"};
    for (unsigned i = 0; i < DATAFLOW_ACTIONS; i++) {
        const struct dataflow_row *row = &DATAFLOW_ROW[i];
        if (row->kind != DATAFLOW_ROW_PHASE) {
            (void)fprintf(out, "%s: %s  %s%s%s%s: %s\n", WHERE[row->kind], row->name, row->ports,
                          row->parameters[0] == '\0' ? "" : "  ", row->parameters,
                          row->weighted ? " weights" : "", row->help);
        }
    }
    for (size_t i = 0; i < DATAFLOW_MACHINE_ROWS; i++) {
        const struct dataflow_machine_row row = dataflow_machine_row(i);
        (void)fprintf(out, "machine: %s  %s%s: %s\n", row.name, row.parameters,
                      row.weighted ? " weights" : "", row.help);
        for (unsigned p = 0; p < row.phases; p++) {
            const struct dataflow_row *phase = &DATAFLOW_ROW[row.first + p];
            (void)fprintf(out, "  %s  %s: %s\n", phase->name, phase->ports, phase->help);
        }
    }
}

void dataflow_print_answers(const struct dataflow_graph *graph,
                            const struct dataflow_answers *answers, FILE *out)
{
    const uint32_t words = graph->node[graph->sink].words;
    for (uint32_t step = 0; step < graph->steps; step++) {
        char name[32];
        (void)snprintf(name, sizeof name, "step %" PRIu32 ":", step);
        print_words(name, answers->answer + (size_t)step * words, words, out);
    }
    print_states(graph, answers->state, out);
}

void dataflow_print_endings(const struct dataflow_graph *graph,
                            const struct dataflow_endings *endings, FILE *out)
{
    (void)fprintf(out, "%.0f order%s, %zu outcome%s\n", endings->orders,
                  endings->orders == 1 ? "" : "s", endings->count, endings->count == 1 ? "" : "s");
    for (size_t i = 0; i < endings->count; i++) {
        const struct dataflow_ending *ending = &endings->ending[i];
        char name[48];
        (void)snprintf(name, sizeof name, "%.0f of them:", ending->orders);
        print_words(name, ending->answer, graph->node[graph->sink].words, out);
        print_states(graph, ending->state, out);
    }
}

enum status dataflow_print_schedules(const struct dataflow_graph *graph, uint64_t count,
                                     uint64_t seed, FILE *out, struct diagnostic *diagnostic)
{
    RELEASED(dataflow_answers_deinit) struct dataflow_answers first = {.answer = NULL};
    uint64_t other = 0, firings = 0;
    TRY(dataflow_execute(graph, 0, &first, diagnostic));
    for (uint64_t i = 0; i < count; i++) {
        RELEASED(dataflow_answers_deinit) struct dataflow_answers drawn = {.answer = NULL};
        const uint64_t own = seed + i == 0 ? 1 : seed + i;
        TRY(dataflow_execute(graph, own, &drawn, diagnostic));
        other += dataflow_answers_equal(graph, &first, &drawn) ? 0 : 1;
        firings += drawn.firings;
    }
    (void)fprintf(out,
                  "%" PRIu64 " schedules, %" PRIu64 " firings: %" PRIu64
                  " leave other bits than the order of arrival\n",
                  count, firings, other);
    return STATUS_OK;
}
