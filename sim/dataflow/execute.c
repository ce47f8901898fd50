/* execute.c - see execute.h. */
#include "sim/dataflow/execute.h"

#include "models/common/draw.h"
#include "sim/steps.h"
#include "workloads/nn/kernels.h"

#include <stdlib.h>
#include <string.h>

enum { STREAM_SCHEDULE = 5 << 24 };

/* ---- node by node ---- */

/* The most words of a node's inputs. */
static size_t widest(const struct dataflow_graph *graph)
{
    size_t most = 0;
    for (size_t n = 0; n < graph->nodes.count; n++) {
        size_t words = 0;
        for (uint32_t i = 0; i < graph->node[n].ins; i++) {
            words += graph->edge[graph->node[n].first_in + i].words;
        }
        most = words > most ? words : most;
    }
    return most;
}

enum status dataflow_run_init(struct dataflow_run *run, const struct dataflow_graph *graph,
                              struct diagnostic *diagnostic)
{
    const size_t nodes = graph->nodes.count;
    *run = (struct dataflow_run){.graph = graph};
    run->first_value = calloc(nodes + 1, sizeof *run->first_value);
    if (run->first_value == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t n = 0; n < nodes; n++) {
        run->first_value[n + 1] = run->first_value[n] + graph->node[n].words;
    }
    run->missing = calloc(nodes, sizeof *run->missing);
    run->ready = calloc(nodes, sizeof *run->ready);
    run->value = calloc(run->first_value[nodes] + 1, sizeof *run->value);
    run->state = calloc(graph->states.count + 1, sizeof *run->state);
    run->scratch = calloc(widest(graph) + 1, sizeof *run->scratch);
    run->exp_table = calloc(NN_EXP_STEPS + 1, sizeof *run->exp_table);
    if (run->missing == NULL || run->ready == NULL || run->value == NULL || run->state == NULL ||
        run->scratch == NULL || run->exp_table == NULL) {
        dataflow_run_deinit(run);
        return no_memory(diagnostic);
    }
    if (graph->states.count > 0) {
        memcpy(run->state, graph->state, graph->states.count * sizeof *run->state);
    }
    nn_exp_table(run->exp_table);
    return STATUS_OK;
}

void dataflow_run_deinit(struct dataflow_run *run)
{
    free(run->missing);
    free(run->value);
    free(run->first_value);
    free(run->state);
    free(run->ready);
    free(run->scratch);
    free(run->exp_table);
    *run = (struct dataflow_run){.graph = NULL};
}

void dataflow_run_begin(struct dataflow_run *run, uint32_t step)
{
    const struct dataflow_graph *graph = run->graph;
    run->step = step;
    for (size_t n = 0; n < graph->nodes.count; n++) {
        run->missing[n] = dataflow_fires(&graph->node[n]) ? 0 : DATAFLOW_FIRED;
    }
    for (size_t i = 0; i < graph->edges.count; i++) {
        run->missing[graph->edge[i].to] += graph->edge[i].port != DATAFLOW_REFERENCE;
    }
    dataflow_run_reset_ready(run);
}

void dataflow_run_reset_ready(struct dataflow_run *run)
{
    run->ready_count = 0;
    for (uint32_t n = 0; n < run->graph->nodes.count; n++) {
        if (run->missing[n] == 0) {
            run->ready[run->ready_count++] = n;
        }
    }
}

/* The words of a machine's or a variable's state; none for other nodes. */
static struct dataflow_words state_of(const struct dataflow_graph *graph,
                                      const struct dataflow_node *node)
{
    return node->of == DATAFLOW_NONE      ? (struct dataflow_words){0, 0}
           : node->kind == DATAFLOW_PHASE ? graph->machine[node->of].state
                                          : graph->node[node->of].state;
}

/* Copies the inputs one behind the other. */
static void gather(const struct dataflow_run *run, const struct dataflow_node *node,
                   struct dataflow_call *call)
{
    int32_t *next = run->scratch;
    for (uint32_t i = 0; i < node->ins; i++) {
        const struct dataflow_edge *edge = &run->graph->edge[node->first_in + i];
        if (!dataflow_is_data(edge)) {
            continue;
        }
        if (call->words[edge->port] == 0) {
            call->in[edge->port] = next;
        }
        memcpy(next, dataflow_run_value(run, edge->from) + edge->first, edge->words * sizeof *next);
        call->words[edge->port] += edge->words;
        next += edge->words;
    }
}

static void compute(const struct dataflow_run *run, uint32_t number)
{
    const struct dataflow_graph *graph = run->graph;
    const struct dataflow_node *node = &graph->node[number];
    const struct dataflow_words state = state_of(graph, node);
    struct dataflow_call call = {.out = run->value + run->first_value[number],
                                 .out_words = node->words,
                                 .parameter = graph->parameter + node->parameters.first,
                                 .parameters = node->parameters.count,
                                 .state = run->state + state.first,
                                 .state_words = state.count,
                                 .exp_table = run->exp_table};
    const size_t bytes = node->words * sizeof *call.out;
    gather(run, node, &call);
    if (dataflow_row_of(node) != NULL) {
        DATAFLOW_KERNEL[node->action](&call);
    } else if (node->kind == DATAFLOW_SOURCE && bytes > 0) {
        memcpy(call.out, graph->input + (size_t)run->step * node->words, bytes);
    } else if (node->kind == DATAFLOW_READ) {
        memcpy(call.out, call.state, bytes);
    } else if (node->kind == DATAFLOW_SINK && bytes > 0) {
        memcpy(call.out, call.in[0], bytes);
    }
}

void dataflow_run_fire(struct dataflow_run *run, size_t place)
{
    const struct dataflow_graph *graph = run->graph;
    const uint32_t node = run->ready[place];
    /* The others stay in the order in which they became ready. */
    memmove(run->ready + place, run->ready + place + 1,
            (run->ready_count - place - 1) * sizeof *run->ready);
    run->ready_count--;
    run->missing[node] = DATAFLOW_FIRED;
    compute(run, node);
    for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
        const struct dataflow_edge *edge = &graph->edge[graph->out[i]];
        if (edge->port != DATAFLOW_REFERENCE && --run->missing[edge->to] == 0) {
            run->ready[run->ready_count++] = edge->to;
        }
    }
}

/* ---- whole executions ---- */

static void execute(struct dataflow_run *run, uint64_t seed, struct dataflow_answers *answers)
{
    const struct dataflow_graph *graph = run->graph;
    const uint32_t words = graph->node[graph->sink].words;
    for (uint32_t step = 0; step < graph->steps; step++) {
        dataflow_run_begin(run, step);
        while (run->ready_count > 0) {
            const uint64_t drawn = draw_word(seed, STREAM_SCHEDULE, answers->firings++);
            dataflow_run_fire(run, seed == 0 ? 0 : draw_below(drawn, (uint32_t)run->ready_count));
        }
        if (words > 0) {
            memcpy(answers->answer + (size_t)step * words, dataflow_run_value(run, graph->sink),
                   words * sizeof *answers->answer);
        }
    }
    memcpy(answers->state, run->state, (graph->states.count + 1) * sizeof *answers->state);
}

enum status dataflow_execute(const struct dataflow_graph *graph, uint64_t seed,
                             struct dataflow_answers *answers, struct diagnostic *diagnostic)
{
    RELEASED(dataflow_run_deinit) struct dataflow_run run = {.graph = NULL};
    const size_t words = (size_t)graph->steps * graph->node[graph->sink].words;
    *answers =
        (struct dataflow_answers){.answer = calloc(words + 1, sizeof *answers->answer),
                                  .state = calloc(graph->states.count + 1, sizeof *answers->state)};
    if (answers->answer == NULL || answers->state == NULL) {
        dataflow_answers_deinit(answers);
        return no_memory(diagnostic);
    }
    const enum status status = dataflow_run_init(&run, graph, diagnostic);
    if (status != STATUS_OK) {
        dataflow_answers_deinit(answers);
        return status;
    }
    execute(&run, seed, answers);
    return STATUS_OK;
}

void dataflow_answers_deinit(struct dataflow_answers *answers)
{
    free(answers->answer);
    free(answers->state);
    *answers = (struct dataflow_answers){.answer = NULL};
}

bool dataflow_answers_equal(const struct dataflow_graph *graph, const struct dataflow_answers *a,
                            const struct dataflow_answers *b)
{
    const size_t words = (size_t)graph->steps * graph->node[graph->sink].words;
    return memcmp(a->answer, b->answer, words * sizeof *a->answer) == 0 &&
           memcmp(a->state, b->state, graph->states.count * sizeof *a->state) == 0;
}
