/* fold.c - see fold.h. */
#include "sim/dataflow/fold.h"

#include "models/common/draw.h"
#include "sim/dataflow/graph_order.h"
#include "sim/steps.h"

#include <stdlib.h>

/* Cycles of the core, estimated: they choose places, and nothing else. */
enum {
    FIRE_CYCLES = 200,
    WORD_CYCLES = 12,    /* of an input or output */
    RECEIVE_CYCLES = 80, /* of a word from another core */
    PACKET_CYCLES = 200, /* from core to core */
    STREAM_FOLD = 7 << 24,
    NOWHERE = UINT32_MAX
};

struct folding {
    const struct dataflow_graph *graph;
    uint32_t nodes, cores;
    uint32_t *core_of; /* [nodes] */
    uint32_t *order;   /* of firing */
    uint64_t *urgency; /* [nodes]: cycles from its beginning to the end of the step */
    uint64_t *end;     /* [nodes]: when it has fired */
    uint64_t *busy_to; /* [cores] */
    uint64_t *local;   /* [cores]: when the inputs from this core are there, of one node */
    uint8_t *has;      /* [cores][nodes]: whether the core receives words of the node */
};

/* The node that stands for all that must be on one core. */
static uint32_t leader_of(const struct dataflow_graph *graph, uint32_t node)
{
    const struct dataflow_node *own = &graph->node[node];
    return own->of == DATAFLOW_NONE      ? node
           : own->kind == DATAFLOW_PHASE ? graph->machine[own->of].first
                                         : (uint32_t)own->of;
}

static uint64_t cost_of(const struct dataflow_graph *graph, uint32_t node)
{
    const struct dataflow_node *own = &graph->node[node];
    uint64_t words = own->words;
    for (uint32_t i = 0; i < own->ins; i++) {
        words += graph->edge[own->first_in + i].words;
    }
    return dataflow_fires(own) ? FIRE_CYCLES + WORD_CYCLES * words : 0;
}

/* ---- random ---- */

static void deal(const struct folding *folding, uint64_t seed)
{
    uint32_t *unit = folding->order;
    uint32_t units = 0;
    for (uint32_t n = 0; n < folding->nodes; n++) {
        if (leader_of(folding->graph, n) == n) {
            unit[units++] = n;
        }
    }
    for (uint32_t i = units; i > 1; i--) {
        const uint32_t j = draw_below(draw_word(seed, STREAM_FOLD, i), i);
        const uint32_t other = unit[j];
        unit[j] = unit[i - 1];
        unit[i - 1] = other;
    }
    for (uint32_t i = 0; i < units; i++) {
        folding->core_of[unit[i]] = i % folding->cores;
    }
    for (uint32_t n = 0; n < folding->nodes; n++) {
        folding->core_of[n] = folding->core_of[leader_of(folding->graph, n)];
    }
}

/* ---- list scheduling ---- */

static void find_urgency(const struct folding *folding)
{
    const struct dataflow_graph *graph = folding->graph;
    for (uint32_t i = folding->nodes; i-- > 0;) {
        const uint32_t node = folding->order[i];
        uint64_t behind = 0;
        for (uint32_t o = graph->first_out[node]; o < graph->first_out[node + 1]; o++) {
            const struct dataflow_edge *edge = &graph->edge[graph->out[o]];
            const uint64_t other =
                edge->port == DATAFLOW_REFERENCE ? 0 : PACKET_CYCLES + folding->urgency[edge->to];
            behind = other > behind ? other : behind;
        }
        folding->urgency[node] = behind + cost_of(graph, node);
    }
}

/* The latest input from any core, and from any other than that one's. */
struct latest {
    uint64_t first, second;
    uint32_t core;
};

static struct latest find_latest(const struct folding *folding, const struct dataflow_node *node)
{
    struct latest latest = {0, 0, NOWHERE};
    for (uint32_t i = 0; i < node->ins; i++) {
        const struct dataflow_edge *edge = &folding->graph->edge[node->first_in + i];
        const uint32_t core = folding->core_of[edge->from];
        if (edge->port == DATAFLOW_REFERENCE) {
            continue;
        }
        const uint64_t end = folding->end[edge->from];
        folding->local[core] = end > folding->local[core] ? end : folding->local[core];
        if (core == latest.core || latest.core == NOWHERE) {
            latest.core = core;
            latest.first = end > latest.first ? end : latest.first;
        } else if (end > latest.first) {
            latest = (struct latest){end, latest.first, core};
        } else if (end > latest.second) {
            latest.second = end;
        }
    }
    return latest;
}

/* Words that the core would receive for the node. */
static uint64_t news_of(const struct folding *folding, const struct dataflow_node *node,
                        uint32_t core)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < node->ins; i++) {
        const struct dataflow_edge *edge = &folding->graph->edge[node->first_in + i];
        if (edge->port != DATAFLOW_REFERENCE && folding->core_of[edge->from] != core &&
            folding->has[(size_t)core * folding->nodes + edge->from] == 0) {
            words += edge->words == 0 ? 1 : edge->words;
        }
    }
    return words;
}

/* When a node would end on a core. */
static uint64_t end_on(const struct folding *folding, uint32_t node, uint32_t core,
                       const struct latest *latest)
{
    const struct dataflow_node *own = &folding->graph->node[node];
    const uint64_t far = core == latest->core ? latest->second : latest->first;
    const uint64_t busy = folding->busy_to[core] + RECEIVE_CYCLES * news_of(folding, own, core);
    uint64_t begin = far == 0 ? 0 : far + PACKET_CYCLES;
    begin = folding->local[core] > begin ? folding->local[core] : begin;
    begin = busy > begin ? busy : begin;
    return begin + cost_of(folding->graph, node);
}

static void take(const struct folding *folding, uint32_t node, uint32_t core, uint64_t end)
{
    const struct dataflow_node *own = &folding->graph->node[node];
    folding->core_of[node] = core;
    folding->core_of[leader_of(folding->graph, node)] = core;
    folding->end[node] = end;
    folding->busy_to[core] = end > folding->busy_to[core] ? end : folding->busy_to[core];
    for (uint32_t i = 0; i < own->ins; i++) {
        const struct dataflow_edge *edge = &folding->graph->edge[own->first_in + i];
        folding->has[(size_t)core * folding->nodes + edge->from] = 1;
    }
}

static void place(const struct folding *folding, uint32_t node, uint32_t *used)
{
    const struct dataflow_node *own = &folding->graph->node[node];
    const uint32_t fixed = folding->core_of[leader_of(folding->graph, node)];
    const struct latest latest = find_latest(folding, own);
    uint32_t best = fixed == NOWHERE ? 0 : fixed;
    uint64_t end = end_on(folding, node, best, &latest);
    /* All cores on which nothing runs yet are as good. */
    for (uint32_t core = 1; fixed == NOWHERE && core < folding->cores && core <= *used; core++) {
        const uint64_t other = end_on(folding, node, core, &latest);
        if (other < end) {
            end = other;
            best = core;
        }
    }
    take(folding, node, best, end);
    *used = best == *used ? best + 1 : *used;
    for (uint32_t i = 0; i < own->ins; i++) {
        const uint32_t from = folding->graph->edge[own->first_in + i].from;
        if (folding->core_of[from] != NOWHERE) {
            folding->local[folding->core_of[from]] = 0;
        }
    }
}

/* A heap of nodes that wait for nothing more, the most urgent first, of equals the first. */
struct ready {
    const struct folding *folding;
    uint32_t *node;
    size_t count;
};

static bool before(const struct ready *ready, uint32_t a, uint32_t b)
{
    const uint64_t *urgency = ready->folding->urgency;
    return urgency[a] != urgency[b] ? urgency[a] > urgency[b] : a < b;
}

static void push(struct ready *ready, uint32_t node)
{
    size_t at = ready->count++;
    for (; at > 0 && before(ready, node, ready->node[(at - 1) / 2]); at = (at - 1) / 2) {
        ready->node[at] = ready->node[(at - 1) / 2];
    }
    ready->node[at] = node;
}

static uint32_t pop(struct ready *ready)
{
    const uint32_t first = ready->node[0];
    const uint32_t last = ready->node[--ready->count];
    size_t at = 0;
    for (size_t child = 1; child < ready->count; child = 2 * at + 1) {
        child +=
            child + 1 < ready->count && before(ready, ready->node[child + 1], ready->node[child]);
        if (!before(ready, ready->node[child], last)) {
            break;
        }
        ready->node[at] = ready->node[child];
        at = child;
    }
    ready->node[at] = last;
    return first;
}

static void schedule(const struct folding *folding, uint32_t *missing, struct ready *ready)
{
    const struct dataflow_graph *graph = folding->graph;
    uint32_t used = 0; /* cores */
    for (uint32_t n = 0; n < folding->nodes; n++) {
        folding->core_of[n] = NOWHERE;
    }
    for (size_t i = 0; i < graph->edges.count; i++) {
        missing[graph->edge[i].to] += graph->edge[i].port != DATAFLOW_REFERENCE;
    }
    for (uint32_t n = 0; n < folding->nodes; n++) {
        if (missing[n] == 0 && dataflow_fires(&graph->node[n])) {
            push(ready, n);
        }
    }
    while (ready->count > 0) {
        const uint32_t node = pop(ready);
        place(folding, node, &used);
        for (uint32_t o = graph->first_out[node]; o < graph->first_out[node + 1]; o++) {
            const struct dataflow_edge *edge = &graph->edge[graph->out[o]];
            if (edge->port != DATAFLOW_REFERENCE && --missing[edge->to] == 0) {
                push(ready, edge->to);
            }
        }
    }
}

static enum status schedule_list(struct folding *folding, struct diagnostic *diagnostic)
{
    const size_t nodes = folding->nodes, cores = folding->cores;
    FREED uint64_t *urgency = calloc(nodes, sizeof *urgency);
    FREED uint64_t *end = calloc(nodes, sizeof *end);
    FREED uint64_t *busy_to = calloc(cores, sizeof *busy_to);
    FREED uint64_t *local = calloc(cores, sizeof *local);
    FREED uint8_t *has = calloc(nodes, cores);
    FREED uint32_t *missing = calloc(nodes, sizeof *missing);
    FREED uint32_t *heap = calloc(nodes, sizeof *heap);
    if (urgency == NULL || end == NULL || busy_to == NULL || local == NULL || has == NULL ||
        missing == NULL || heap == NULL) {
        return no_memory(diagnostic);
    }
    TRY(dataflow_order(folding->graph, folding->order, diagnostic));
    folding->urgency = urgency;
    folding->end = end;
    folding->busy_to = busy_to;
    folding->local = local;
    folding->has = has;
    find_urgency(folding);
    struct ready ready = {.folding = folding, .node = heap};
    schedule(folding, missing, &ready);
    return STATUS_OK;
}

enum status dataflow_fold(const struct dataflow_graph *graph, enum dataflow_folding how,
                          uint64_t seed, uint32_t cores, uint32_t **core_of,
                          struct diagnostic *diagnostic)
{
    struct folding folding = {
        .graph = graph, .nodes = (uint32_t)graph->nodes.count, .cores = cores};
    FREED uint32_t *order = calloc(graph->nodes.count, sizeof *order);
    uint32_t *core = calloc(graph->nodes.count, sizeof *core);
    folding.core_of = core;
    folding.order = order;
    enum status status = STATUS_OK;
    if (core == NULL || order == NULL) {
        status = no_memory(diagnostic);
    } else if (how == DATAFLOW_FOLD_RANDOM) {
        deal(&folding, seed);
    } else {
        status = schedule_list(&folding, diagnostic);
    }
    for (uint32_t n = 0; status == STATUS_OK && n < folding.nodes; n++) {
        if (!dataflow_fires(&graph->node[n]) && graph->first_out[n] == graph->first_out[n + 1]) {
            core[n] = core[graph->source]; /* a variable that nothing uses */
        }
    }
    if (status != STATUS_OK) {
        free(core);
        core = NULL;
    }
    *core_of = core;
    return status;
}
