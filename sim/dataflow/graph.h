/* graph.h - a dataflow graph: nodes, and edges that carry words, references or only an order.
 *
 * Four kinds of node compute: a stateless operation; a variable, which owns words and gives out a
 * reference to them; Read, which turns a reference into data; Assign, which changes the variable of
 * a reference by its row's function and has no output.  A source hands the input out, a sink takes
 * the answer.  A machine is one node with several phases (workloads/dataflow/machines.def), each of
 * which fires like a node; here a phase is a node, and counts say so.
 *
 * A node fires when all its inputs are there, and runs whole.  Each node but variables and machines
 * fires once in a step: a step begins with the source and ends with the sink.  To this end a node
 * without inputs waits for the source, and the sink for every node that nobody waits for, by
 * control edges that are implied.  Reads and Assigns fire where the variable is.
 *
 * A graph comes from YAML (graph_read.h), from a network (graph_network.h), or is made by the
 * functions below; graph_check.h completes it.  It is constant from then on. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/dataflow/rows.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum dataflow_kind {
    DATAFLOW_SOURCE,
    DATAFLOW_SINK,
    DATAFLOW_OPERATION,
    DATAFLOW_VARIABLE,
    DATAFLOW_READ,
    DATAFLOW_ASSIGN,
    DATAFLOW_PHASE,
    DATAFLOW_KINDS
};
const char *dataflow_kind_text(enum dataflow_kind kind);

/* Ports of an edge that are no data ports. */
enum { DATAFLOW_CONTROL = 0xfe, DATAFLOW_REFERENCE = 0xff };

enum {
    DATAFLOW_NONE = -1,
    DATAFLOW_NODES = 1 << 20, /* most nodes, and words of a node */
    DATAFLOW_EDGES = 1 << 26
};

struct dataflow_place {
    int line, column; /* 0: not from a file */
};

/* Words of an array of the graph. */
struct dataflow_words {
    size_t first;
    uint32_t count;
};

struct dataflow_node {
    const char *name;
    enum dataflow_kind kind;
    enum dataflow_action action; /* of operations, Assigns and phases */
    uint32_t words;              /* of its output; of an operation or a phase set by the check */
    int32_t of;                  /* of Reads and Assigns: the variable; of phases: the machine */
    struct dataflow_words parameters; /* in graph.parameter */
    struct dataflow_words state;      /* of variables: in graph.state */
    struct dataflow_place place;
    uint32_t first_in,
        ins; /* set by the check: its edges in graph.edge, data by port, then control */
};

/* From an output, or a part of it, to a data port, where edges of one port stand one behind the
 * other; or a control edge, or a reference. */
struct dataflow_edge {
    uint32_t from, to;
    uint32_t first, words; /* of the output; before the check, words 0: all of it */
    uint8_t port;          /* or DATAFLOW_CONTROL, DATAFLOW_REFERENCE */
    bool implied;          /* by the check */
    struct dataflow_place place;
};

struct dataflow_machine {
    const char *name;
    size_t row;     /* of machines.def */
    uint32_t first; /* node of its first phase; the others follow */
    uint32_t phases;
    struct dataflow_words parameters, weights; /* in graph.parameter; weights end with the bias */
    struct dataflow_words state;               /* set by the check */
    struct dataflow_place place;
};

/* An array that grows; owned by the graph. */
struct dataflow_array {
    size_t count, room;
};

struct dataflow_graph {
    char *name, *file; /* file: as in messages; "" when there is none */
    struct dataflow_node *node;
    struct dataflow_edge *edge;
    struct dataflow_machine *machine;
    int32_t *parameter, *state, *input; /* input: the source's words of each step */
    struct dataflow_array nodes, edges, machines, parameters, states, inputs;
    uint32_t source, sink; /* set by the check */
    uint32_t steps;        /* at least 1; input has steps x words of the source */
    uint32_t *out;         /* set by the check: numbers of edges, by the node that they are from */
    uint32_t *first_out;   /* [nodes + 1] */
};

/* STATUS_INTERNAL when out of memory. */
enum status dataflow_graph_init(struct dataflow_graph *graph, const char *name, const char *file,
                                struct diagnostic *diagnostic);
void dataflow_graph_deinit(struct dataflow_graph *graph);

/* Add a copy.  They return the number, or end the process when out of memory
 * (models/common/memory.h).  The name is copied. */
uint32_t dataflow_add_node(struct dataflow_graph *graph, const struct dataflow_node *node);
void dataflow_add_edge(struct dataflow_graph *graph, const struct dataflow_edge *edge);
/* Also adds a node for each phase, named MACHINE.PHASE. */
uint32_t dataflow_add_machine(struct dataflow_graph *graph, const struct dataflow_machine *machine);
struct dataflow_words dataflow_add_parameters(struct dataflow_graph *graph, const int32_t *word,
                                              uint32_t count);
struct dataflow_words dataflow_add_state(struct dataflow_graph *graph, const int32_t *word,
                                         uint32_t count);
void dataflow_add_input(struct dataflow_graph *graph, const int32_t *word, uint32_t count);

/* Short forms of an edge without a place: all words of `from`; words [first, first + words). */
void dataflow_connect(struct dataflow_graph *graph, uint32_t from, uint32_t to, uint8_t port);
void dataflow_connect_part(struct dataflow_graph *graph, uint32_t from, uint32_t first,
                           uint32_t words, uint32_t to, uint8_t port);

static inline bool dataflow_is_data(const struct dataflow_edge *edge)
{
    return edge->port < DATAFLOW_PORTS;
}

/* Whether a node fires in each step. */
static inline bool dataflow_fires(const struct dataflow_node *node)
{
    return node->kind != DATAFLOW_VARIABLE;
}

/* The row of a node that has one, else NULL. */
const struct dataflow_row *dataflow_row_of(const struct dataflow_node *node);

/* Fills a diagnostic about a place of the graph's file, and returns STATUS_CONFIGURATION. */
enum status dataflow_refuse(const struct dataflow_graph *graph, struct dataflow_place place,
                            struct diagnostic *diagnostic, const char *format, ...)
    PRINTF_LIKE(4, 5);

C_LINKAGE_END
