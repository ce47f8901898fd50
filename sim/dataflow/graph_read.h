/* graph_read.h - a dataflow graph from YAML.
 *
 *     name: two_updates
 *     input: [[5], [7]]                       # the source's words, a list for each step
 *     nodes:
 *       begin: {source: 1}                    # words
 *       x: {variable: [0]}                    # its first words
 *       r: {read: x}
 *       one: {operation: constant, values: [1]}
 *       s: {operation: add, a: r, b: one}     # ports and parameters:
 * workloads/dataflow/actions.def w: {assign: set, to: x, value: s} g: {assign: add, to: x, value:
 * begin.0, after: w} h: {machine: hidden_neuron, weights: [3, 1], lift: 0, shift: 1, rate: 4,
 *           forward: {x: begin}, backward: {p: one}}
 *       last: {read: x, after: [w, g]}
 *       end: {sink: [last, h.forward]}
 *
 * A port takes a node, or a list of nodes, whose words it takes one behind the other.  `begin.0` is
 * a word of a node, `begin.2-5` are some, `h.forward` is what a phase of a machine gives.  `after`
 * names nodes that must have fired before. */
#pragma once
#include "sim/dataflow/graph.h"
C_LINKAGE_BEGIN

/* Reads a graph and checks it.  STATUS_CONFIGURATION with file, line, column and hint; the graph is
 * then empty. */
enum status dataflow_load(const char *path, struct dataflow_graph *graph,
                          struct diagnostic *diagnostic);

/* The same from a text; `name` stands for the file in messages. */
enum status dataflow_parse(const char *name, const char *text, size_t bytes,
                           struct dataflow_graph *graph, struct diagnostic *diagnostic);

C_LINKAGE_END
