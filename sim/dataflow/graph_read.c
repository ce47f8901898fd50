/* graph_read.c - see graph_read.h. */
#include "sim/dataflow/graph_read.h"

#include "sim/config/config_load.h"
#include "sim/config/config_read.h"
#include "sim/config/suggestion.h"
#include "sim/dataflow/graph_check.h"
#include "sim/file.h"

#include <stdlib.h>
#include <string.h>

/* A graph as read from its file. */
struct reader {
    struct dataflow_graph graph;
    const char *name;
    const struct config_node *nodes, *input;
    struct config_arena *arena;
    struct diagnostic *diagnostic;
};

static const struct config_key KEYS[] = {
    {.name = "name",
     .kind = KIND_NAME,
     .whole = {0, 1, CONFIG_NAME_CHARS - 1},
     .need = NEED_REQUIRED,
     CONFIG_FIELD(struct reader, name)},
    {.name = "nodes",
     .kind = KIND_NODE,
     .need = NEED_REQUIRED,
     .help = "a map from names to nodes",
     CONFIG_FIELD(struct reader, nodes)},
    {.name = "input",
     .kind = KIND_NODE,
     .help = "the source's words: a list of words, or a list of lists, one for each step",
     CONFIG_FIELD(struct reader, input)},
    {.name = NULL}};

static struct dataflow_place place_of(const struct config_node *node)
{
    return (struct dataflow_place){node->place.line, node->place.column};
}

/* ---- numbers ---- */

static enum status read_word(struct reader *reader, const struct config_node *node, int32_t least,
                             int32_t most, int32_t *word)
{
    char *end = NULL;
    const long long value =
        node->shape == CONFIG_SCALAR && !node->quoted ? strtoll(node->text, &end, 10) : 0;
    if (end == NULL || end == node->text || *end != '\0' || value < least || value > most) {
        return config_refuse_value(reader->diagnostic, node, "%s is no whole number from %d to %d",
                                   config_show(node).text, least, most);
    }
    *word = (int32_t)value;
    return STATUS_OK;
}

/* Adds the words of a list, or one word. */
static enum status read_words(struct reader *reader, const struct config_node *node,
                              struct dataflow_words (*add)(struct dataflow_graph *graph,
                                                           const int32_t *word, uint32_t count),
                              struct dataflow_words *words)
{
    int32_t word = 0;
    const bool list = node->shape == CONFIG_LIST;
    *words = add(&reader->graph, NULL, 0);
    for (const struct config_node *at = list ? node->first : node; at != NULL;
         at = list ? at->next : NULL) {
        TRY(read_word(reader, at, INT32_MIN, INT32_MAX, &word));
        words->count += add(&reader->graph, &word, 1).count;
    }
    return STATUS_OK;
}

static struct dataflow_words add_input(struct dataflow_graph *graph, const int32_t *word,
                                       uint32_t count)
{
    dataflow_add_input(graph, word, count);
    return (struct dataflow_words){0, count};
}

static enum status read_input(struct reader *reader)
{
    struct dataflow_words words;
    const struct config_node *input = reader->input;
    const bool steps = input != NULL && input->shape == CONFIG_LIST && input->count > 0 &&
                       input->first->shape == CONFIG_LIST;
    if (input == NULL) {
        return STATUS_OK;
    }
    if (!steps) {
        return read_words(reader, input, add_input, &words);
    }
    for (const struct config_node *step = input->first; step != NULL; step = step->next) {
        TRY(config_expect(step, CONFIG_LIST, reader->diagnostic));
        if (step->count != input->first->count) {
            return config_refuse_value(reader->diagnostic, step,
                                       "this step has %zu words, the first has %zu", step->count,
                                       input->first->count);
        }
        TRY(read_words(reader, step, add_input, &words));
    }
    reader->graph.steps = (uint32_t)input->count;
    return STATUS_OK;
}

/* ---- the keys of a node ---- */

/* The kinds: what names them, and which keys they have beside ports and parameters. */
static const struct kind {
    const char *key;
    enum dataflow_kind kind;
    const char *more; /* keys */
} NODE_KINDS[] = {{"source", DATAFLOW_SOURCE, ""},
                  {"sink", DATAFLOW_SINK, "after"},
                  {"operation", DATAFLOW_OPERATION, "after"},
                  {"variable", DATAFLOW_VARIABLE, ""},
                  {"read", DATAFLOW_READ, "after"},
                  {"assign", DATAFLOW_ASSIGN, "to after"},
                  {"machine", DATAFLOW_PHASE, ""}};
enum { NODE_KIND_COUNT = sizeof NODE_KINDS / sizeof *NODE_KINDS };

static const struct kind *kind_of(const struct config_node *node)
{
    for (size_t i = 0; i < NODE_KIND_COUNT; i++) {
        if (config_node_given(node, NODE_KINDS[i].key) != NULL) {
            return &NODE_KINDS[i];
        }
    }
    return NULL;
}

/* Whether a list of words separated by spaces has this word; offers all to the suggestion. */
static bool has_word(const char *list, const char *name, struct config_arena *arena,
                     struct suggestion *suggestion)
{
    bool has = false;
    for (size_t length; *(list += strspn(list, " ")) != '\0'; list += length) {
        length = strcspn(list, " ");
        const char *word = config_arena_text(arena, list, strcspn(list, " :"));
        has = has || strcmp(word, name) == 0;
        suggestion_offer(suggestion, word);
    }
    return has;
}

struct keys {
    const char *list[4]; /* of words; NULL ends them */
    bool weights;
};

/* " operation a b after" */
static const char *keys_text(struct config_arena *arena, const char *own, const struct keys *keys)
{
    const char *text = own == NULL ? "" : config_arena_print(arena, " %s", own);
    for (size_t i = 0; keys->list[i] != NULL; i++) {
        const char *list = keys->list[i];
        for (size_t length; *(list += strspn(list, " ")) != '\0'; list += length) {
            length = strcspn(list, " ");
            text = config_arena_print(arena, "%s %.*s", text, (int)strcspn(list, " :"), list);
        }
    }
    return keys->weights ? config_arena_print(arena, "%s weights", text) : text;
}

static enum status check_keys(struct reader *reader, const struct config_node *node,
                              const char *own, const struct keys *keys)
{
    for (const struct config_node *key = node->first; key != NULL; key = key->next) {
        struct suggestion suggestion = suggestion_begin(key->name);
        bool known = own != NULL && strcmp(key->name, own) == 0;
        for (size_t i = 0; keys->list[i] != NULL; i++) {
            known = has_word(keys->list[i], key->name, reader->arena, &suggestion) || known;
        }
        if (keys->weights) {
            known = has_word("weights", key->name, reader->arena, &suggestion) || known;
        }
        if (!known && suggestion.best != NULL) {
            return config_refuse_key(reader->diagnostic, key, "%s has no key %s\vmaybe %s",
                                     node->name, key->name, suggestion.best);
        }
        if (!known) {
            return config_refuse_key(reader->diagnostic, key, "%s has no key %s\vits keys are%s",
                                     node->name, key->name, keys_text(reader->arena, own, keys));
        }
    }
    return STATUS_OK;
}

static enum status refuse_absent(struct reader *reader, const struct config_node *node,
                                 const char *key)
{
    return config_refuse_value(reader->diagnostic, node, "%s has no %s", node->name, key);
}

/* The parameters of a list in order, and the weights. */
static enum status read_parameters(struct reader *reader, const struct config_node *node,
                                   const char *list, bool values, struct dataflow_words *words)
{
    const struct dataflow_parameter *parameter[DATAFLOW_ROW_PARAMETERS];
    const uint32_t count = dataflow_row_parameters(list, parameter);
    *words = dataflow_add_parameters(&reader->graph, NULL, 0);
    for (uint32_t i = 0; i < count; i++) {
        int32_t word;
        const struct config_node *given = config_node_given(node, parameter[i]->name);
        if (given == NULL) {
            return refuse_absent(reader, node, parameter[i]->name);
        }
        TRY(read_word(reader, given, parameter[i]->least, parameter[i]->most, &word));
        words->count += dataflow_add_parameters(&reader->graph, &word, 1).count;
    }
    if (values) {
        const struct config_node *given = config_node_given(node, "values");
        return given == NULL ? refuse_absent(reader, node, "values")
                             : read_words(reader, given, dataflow_add_parameters, words);
    }
    return STATUS_OK;
}

static enum status read_weights(struct reader *reader, const struct config_node *node,
                                struct dataflow_words *words)
{
    const struct config_node *given = config_node_given(node, "weights");
    return given == NULL ? refuse_absent(reader, node, "weights")
                         : read_words(reader, given, dataflow_add_parameters, words);
}

/* ---- nodes ---- */

static enum status refuse_row(struct reader *reader, const struct config_node *value,
                              const char *what, const char *near)
{
    return near != NULL
               ? config_refuse_value(reader->diagnostic, value, "no %s %s\vmaybe %s", what,
                                     config_show(value).text, near)
               : config_refuse_value(reader->diagnostic, value,
                                     "no %s %s\v`spinnsim dataflow` without a file lists them",
                                     what, config_show(value).text);
}

/* A node with a row of actions.def. */
static enum status read_action(struct reader *reader, const struct config_node *node,
                               const struct kind *kind, struct dataflow_node *read)
{
    const char *near = NULL;
    const struct config_node *value = config_node_given(node, kind->key);
    const char *name = value->shape == CONFIG_SCALAR ? value->text : "";
    const bool assigns = kind->kind == DATAFLOW_ASSIGN;
    read->action =
        dataflow_row_find(assigns ? DATAFLOW_ROW_ASSIGN : DATAFLOW_ROW_OPERATION, name, &near);
    if (read->action == DATAFLOW_ACTIONS) {
        return refuse_row(reader, value, assigns ? "Assign" : "operation", near);
    }
    const struct dataflow_row *row = &DATAFLOW_ROW[read->action];
    const struct keys keys = {{row->ports, row->parameters, kind->more, NULL}, row->weighted};
    TRY(check_keys(reader, node, kind->key, &keys));
    TRY(read_parameters(reader, node, row->parameters, row->out == DATAFLOW_WIDTH_VALUES,
                        &read->parameters));
    if (row->weighted) {
        struct dataflow_words weights;
        TRY(read_weights(reader, node, &weights));
        read->parameters.count += weights.count;
    }
    return STATUS_OK;
}

static enum status read_machine(struct reader *reader, const struct config_node *node)
{
    const char *near = NULL;
    const struct config_node *value = config_node_given(node, "machine");
    struct dataflow_machine machine = {.name = node->name, .place = place_of(node)};
    machine.row =
        dataflow_machine_row_find(value->shape == CONFIG_SCALAR ? value->text : "", &near);
    if (machine.row == DATAFLOW_MACHINE_ROWS) {
        return refuse_row(reader, value, "machine", near);
    }
    const struct dataflow_machine_row row = dataflow_machine_row(machine.row);
    char phases[4 * DATAFLOW_ROW_NAME_CHARS] = "";
    for (unsigned p = 0; p < row.phases; p++) {
        (void)strncat(phases, DATAFLOW_ROW[row.first + p].name, sizeof phases - strlen(phases) - 1);
        (void)strncat(phases, " ", sizeof phases - strlen(phases) - 1);
    }
    const struct keys keys = {{phases, row.parameters, NULL}, row.weighted};
    TRY(check_keys(reader, node, "machine", &keys));
    TRY(read_parameters(reader, node, row.parameters, false, &machine.parameters));
    TRY(read_weights(reader, node, &machine.weights));
    (void)dataflow_add_machine(&reader->graph, &machine);
    return STATUS_OK;
}

static enum status read_node(struct reader *reader, const struct config_node *node)
{
    static const struct keys NO_KEYS = {{"", NULL}, false}, AFTER = {{"after", NULL}, false};
    TRY(config_expect(node, CONFIG_MAP, reader->diagnostic));
    const struct kind *kind = kind_of(node);
    struct dataflow_node read = {.name = node->name, .of = DATAFLOW_NONE, .place = place_of(node)};
    if (kind == NULL) {
        return config_refuse_value(reader->diagnostic, node,
                                   "%s is no node\vone of the keys source, sink, operation, "
                                   "variable, read, assign, machine says what it is",
                                   node->name);
    }
    if (kind->kind == DATAFLOW_PHASE) {
        return read_machine(reader, node);
    }
    read.kind = kind->kind;
    if (kind->kind == DATAFLOW_OPERATION || kind->kind == DATAFLOW_ASSIGN) {
        TRY(read_action(reader, node, kind, &read));
    } else {
        TRY(check_keys(reader, node, kind->key, *kind->more == '\0' ? &NO_KEYS : &AFTER));
    }
    const struct config_node *value = config_node_given(node, kind->key);
    if (kind->kind == DATAFLOW_SOURCE) {
        int32_t words;
        TRY(read_word(reader, value, 0, DATAFLOW_NODES, &words));
        read.words = (uint32_t)words;
    }
    if (kind->kind == DATAFLOW_VARIABLE) {
        TRY(read_words(reader, value, dataflow_add_state, &read.state));
        if (read.state.count == 0) {
            return config_refuse_value(reader->diagnostic, value, "%s has no words", node->name);
        }
    }
    (void)dataflow_add_node(&reader->graph, &read);
    return STATUS_OK;
}

/* ---- edges ---- */

static uint32_t find_node(const struct dataflow_graph *graph, const char *name, size_t length)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        if (strncmp(graph->node[i].name, name, length) == 0 &&
            graph->node[i].name[length] == '\0') {
            return i;
        }
    }
    return (uint32_t)graph->nodes.count;
}

static enum status refuse_name(struct reader *reader, const struct config_node *at)
{
    struct suggestion suggestion = suggestion_begin(at->shape == CONFIG_SCALAR ? at->text : "");
    for (uint32_t i = 0; i < reader->graph.nodes.count; i++) {
        suggestion_offer(&suggestion, reader->graph.node[i].name);
    }
    return suggestion.best != NULL
               ? config_refuse_value(reader->diagnostic, at, "no node %s\vmaybe %s",
                                     config_show(at).text, suggestion.best)
               : config_refuse_value(reader->diagnostic, at,
                                     "no node %s\va node, NODE.3 or NODE.2-5 for words of it, "
                                     "MACHINE.PHASE",
                                     config_show(at).text);
}

/* .3 or .2-5; false: something else. */
static bool read_part(const char *text, struct dataflow_edge *edge)
{
    uint32_t first = 0;
    if (*text == '\0') {
        return true;
    }
    text++;
    bool read = config_take_number(&text, DATAFLOW_NODES, &first);
    uint32_t last = first;
    if (read && *text == '-') {
        text++;
        read = config_take_number(&text, DATAFLOW_NODES, &last);
    }
    edge->first = first;
    edge->words = last + 1 - first;
    return read && *text == '\0' && last >= first;
}

static enum status read_edge(struct reader *reader, const struct config_node *at, uint32_t to,
                             uint8_t port)
{
    struct dataflow_edge edge = {.to = to, .port = port, .place = place_of(at)};
    const struct dataflow_graph *graph = &reader->graph;
    const char *text = at->shape == CONFIG_SCALAR ? at->text : "";
    size_t length = strlen(text);
    edge.from = find_node(graph, text, length);
    if (edge.from == graph->nodes.count) { /* the words stand behind the last point */
        const char *point = strrchr(text, '.');
        length = point == NULL ? length : (size_t)(point - text);
        edge.from = find_node(graph, text, length);
    }
    if (edge.from == graph->nodes.count || !read_part(text + length, &edge) ||
        (edge.words > 0 && port >= DATAFLOW_PORTS)) {
        return refuse_name(reader, at);
    }
    dataflow_add_edge(&reader->graph, &edge);
    return STATUS_OK;
}

/* The edges of a key: a node, or a list of nodes. */
static enum status read_edges(struct reader *reader, const struct config_node *node,
                              const char *key, uint32_t to, uint8_t port)
{
    const struct config_node *value = config_node_given(node, key);
    if (value == NULL || value->shape != CONFIG_LIST) {
        return value == NULL ? STATUS_OK : read_edge(reader, value, to, port);
    }
    for (const struct config_node *at = value->first; at != NULL; at = at->next) {
        TRY(read_edge(reader, at, to, port));
    }
    return STATUS_OK;
}

static enum status connect_ports(struct reader *reader, const struct config_node *node,
                                 uint32_t number)
{
    struct dataflow_row_port port[DATAFLOW_PORTS];
    const struct dataflow_row *row = dataflow_row_of(&reader->graph.node[number]);
    const uint32_t ports = row == NULL ? 0 : dataflow_row_ports(row, port);
    for (uint32_t p = 0; p < ports; p++) {
        TRY(read_edges(reader, node, port[p].name, number, (uint8_t)p));
    }
    return read_edges(reader, node, "after", number, DATAFLOW_CONTROL);
}

static enum status connect_machine(struct reader *reader, const struct config_node *node,
                                   uint32_t first)
{
    const struct dataflow_graph *graph = &reader->graph;
    const struct dataflow_machine *machine = &graph->machine[graph->node[first].of];
    const uint32_t phases = machine->phases;
    for (uint32_t p = 0; p < phases; p++) {
        const struct dataflow_row *row = dataflow_row_of(&graph->node[first + p]);
        const struct config_node *phase = config_node_given(node, row->name);
        if (phase == NULL) {
            return refuse_absent(reader, node, row->name);
        }
        const struct keys keys = {{row->ports, "after", NULL}, false};
        TRY(config_expect(phase, CONFIG_MAP, reader->diagnostic));
        TRY(check_keys(reader, phase, NULL, &keys));
        TRY(connect_ports(reader, phase, first + p));
    }
    return STATUS_OK;
}

static enum status connect_node(struct reader *reader, const struct config_node *node,
                                uint32_t *number)
{
    const struct dataflow_node *own = &reader->graph.node[*number];
    switch (own->kind) {
    case DATAFLOW_SINK:
        TRY(read_edges(reader, node, "sink", *number, 0));
        break;
    case DATAFLOW_READ:
        TRY(read_edges(reader, node, "read", *number, DATAFLOW_REFERENCE));
        break;
    case DATAFLOW_ASSIGN:
        TRY(read_edges(reader, node, "to", *number, DATAFLOW_REFERENCE));
        break;
    case DATAFLOW_PHASE: {
        const uint32_t first = *number;
        *number = first + reader->graph.machine[own->of].phases;
        return connect_machine(reader, node, first);
    }
    case DATAFLOW_SOURCE:
    case DATAFLOW_VARIABLE:
    case DATAFLOW_OPERATION:
    case DATAFLOW_KINDS:
        break;
    }
    TRY(connect_ports(reader, node, *number));
    ++*number;
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status read_graph(struct reader *reader, const char *text, size_t bytes)
{
    const struct config_node *root;
    uint32_t number = 0;
    TRY(config_load_document(reader->arena, reader->graph.file, text, bytes, &root,
                             reader->diagnostic));
    TRY(config_table_read(root, KEYS, reader, reader->arena, reader->diagnostic));
    free(reader->graph.name);
    reader->graph.name = strdup(reader->name);
    if (reader->graph.name == NULL) {
        return no_memory(reader->diagnostic);
    }
    TRY(config_expect(reader->nodes, CONFIG_MAP, reader->diagnostic));
    for (const struct config_node *node = reader->nodes->first; node != NULL; node = node->next) {
        TRY(read_node(reader, node));
    }
    for (const struct config_node *node = reader->nodes->first; node != NULL; node = node->next) {
        TRY(connect_node(reader, node, &number));
    }
    TRY(read_input(reader));
    return dataflow_check(&reader->graph, reader->diagnostic);
}

enum status dataflow_parse(const char *name, const char *text, size_t bytes,
                           struct dataflow_graph *graph, struct diagnostic *diagnostic)
{
    ARENA struct config_arena *arena = config_arena_create();
    struct reader reader = {.arena = arena, .diagnostic = diagnostic};
    if (arena == NULL) {
        return no_memory(diagnostic);
    }
    TRY(dataflow_graph_init(&reader.graph, "", name, diagnostic));
    const enum status status = read_graph(&reader, text, bytes);
    if (status != STATUS_OK) {
        dataflow_graph_deinit(&reader.graph);
    }
    *graph = reader.graph;
    return status;
}

enum status dataflow_load(const char *path, struct dataflow_graph *graph,
                          struct diagnostic *diagnostic)
{
    uint8_t *text;
    size_t bytes;
    *graph = (struct dataflow_graph){.name = NULL};
    TRY(file_read(path, CONFIG_TEXT_BYTES, &text, &bytes, diagnostic));
    const enum status status = dataflow_parse(path, (const char *)text, bytes, graph, diagnostic);
    free(text);
    return status;
}
