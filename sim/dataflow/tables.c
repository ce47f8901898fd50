/* tables.c - see tables.h. */
#include "sim/dataflow/tables.h"

#include "models/common/memory.h"
#include "sim/dataflow/table_keys.h"
#include "sim/dataflow/table_words.h"
#include "sim/grow.h"
#include "sim/steps.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays that a table is made of ---- */

struct array {
    uint32_t *word;
    size_t count, room;
};

static void put(struct array *array, const void *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        array->word = grow(array->word, &array->room, array->count, sizeof *array->word);
        memory_need(array->word);
        memcpy(&array->word[array->count++], (const char *)words + i * sizeof(uint32_t),
               sizeof(uint32_t));
    }
}

static void put_word(struct array *array, uint32_t word)
{
    put(array, &word, 1);
}

enum { WORD = sizeof(uint32_t) };
#define WORDS_OF(type) (sizeof(type) / WORD)

/* The arrays of a core, in the order in which they lie in its table. */
enum part {
    PART_ENTRY,
    PART_LIST,
    PART_RUN,
    PART_WAITER,
    PART_SLOT_LIST,
    PART_LIST_OF_SLOT,
    PART_SEND,
    PART_ARRIVAL,
    PART_PARAMETER,
    PART_STATE,
    PART_INPUT,
    PART_ANSWER,
    PARTS
};

/* A list while it is made: those that wait for it come later. */
struct list {
    struct dataflow_list head;
    struct array waiter;
};

struct builder {
    struct dataflow_tables *tables;
    const struct dataflow_uses *uses;
    const struct dataflow_keys *keys;
    const struct dataflow_graph *graph;
    uint32_t core, slots;
    struct array part[PARTS];
    struct list *list;
    size_t lists, list_room;
    uint32_t *seen; /* [slots]: the last list that took the slot, + 1 */
    uint32_t *mask; /* of equal lists: a table of hashes; numbers + 1 */
    size_t masks;
    struct dataflow_head head;
};

/* ---- lists ---- */

/* Appends the slots of a list's next words. */
static void add_run(struct array *runs, struct dataflow_list *list, uint32_t slot, uint32_t count)
{
    struct dataflow_slots *last =
        list->runs == 0 ? NULL : (struct dataflow_slots *)(runs->word + runs->count) - 1;
    if (last != NULL && last->slot + last->count == slot) {
        last->count += count;
    } else {
        const struct dataflow_slots run = {slot, count};
        put(runs, &run, WORDS_OF(struct dataflow_slots));
        list->runs++;
    }
    list->words += count;
}

static uint32_t hash_of(const uint32_t *word, size_t count)
{
    uint32_t hash = 0x811c9dc5u; /* FNV-1a, by words */
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ word[i]) * 0x01000193u;
    }
    return hash ^ hash >> 15;
}

/* The list with these runs, which stand at the end of the array: a new one, or, if there is an
 * equal one, that. */
static uint32_t close_list(struct builder *builder, const struct dataflow_list *made)
{
    struct array *runs = &builder->part[PART_RUN];
    const size_t words = made->runs * WORDS_OF(struct dataflow_slots);
    const uint32_t *own = runs->word + made->run * WORDS_OF(struct dataflow_slots);
    size_t at = hash_of(own, words) & (builder->masks - 1);
    for (; builder->mask[at] != 0; at = (at + 1) & (builder->masks - 1)) {
        const struct dataflow_list *other = &builder->list[builder->mask[at] - 1].head;
        if (other->runs == made->runs &&
            memcmp(runs->word + other->run * WORDS_OF(struct dataflow_slots), own, words * WORD) ==
                0) {
            runs->count -= words;
            return builder->mask[at] - 1;
        }
    }
    builder->list = grow(builder->list, &builder->list_room, builder->lists, sizeof *builder->list);
    memory_need(builder->list);
    builder->list[builder->lists++] = (struct list){.head = *made};
    builder->mask[at] = (uint32_t)builder->lists;
    return (uint32_t)builder->lists - 1;
}

static struct dataflow_list open_list(const struct builder *builder)
{
    return (struct dataflow_list){
        .run = (uint32_t)(builder->part[PART_RUN].count / WORDS_OF(struct dataflow_slots))};
}

static uint32_t slot_of(const struct builder *builder, uint32_t node, uint32_t word)
{
    return dataflow_uses_slot(builder->uses, builder->core, node, word);
}

/* The list of a port of a node, or of the words that it waits for; DATAFLOW_NO when there are
 * none. */
static uint32_t list_of_port(struct builder *builder, const struct dataflow_node *node,
                             uint8_t port)
{
    struct dataflow_list list = open_list(builder);
    for (uint32_t i = 0; i < node->ins; i++) {
        const struct dataflow_edge *edge = &builder->graph->edge[node->first_in + i];
        if (edge->port != port) {
            continue;
        }
        const bool data = dataflow_is_data(edge);
        const uint32_t first =
            data ? edge->first : dataflow_control_word(builder->graph, edge->from);
        add_run(&builder->part[PART_RUN], &list, slot_of(builder, edge->from, first),
                data ? edge->words : 1);
    }
    return list.runs == 0 ? DATAFLOW_NO : close_list(builder, &list);
}

static void wait_for(struct builder *builder, uint32_t list, uint32_t number,
                     struct dataflow_entry *entry)
{
    if (list != DATAFLOW_NO) {
        put_word(&builder->list[list].waiter, number);
        entry->waits++;
    }
}

/* The source waits for the sink, and at the beginning for all other cores. */
static void wait_for_steps(struct builder *builder, uint32_t number, struct dataflow_entry *entry)
{
    const struct dataflow_graph *graph = builder->graph;
    const uint32_t nodes = (uint32_t)graph->nodes.count;
    struct array *runs = &builder->part[PART_RUN];
    struct dataflow_list list = open_list(builder);
    for (uint32_t core = 0; core < builder->uses->cores; core++) {
        const uint32_t slot = slot_of(builder, nodes + core, 0);
        if (slot != DATAFLOW_NO_SLOT) {
            add_run(runs, &list, slot, 1);
        }
    }
    builder->head.first = list.runs == 0 ? number : DATAFLOW_NO;
    wait_for(builder, list.runs == 0 ? DATAFLOW_NO : close_list(builder, &list), number, entry);
    list = open_list(builder);
    add_run(runs, &list, slot_of(builder, graph->sink, dataflow_control_word(graph, graph->sink)),
            1);
    wait_for(builder, close_list(builder, &list), number, entry);
    entry->waits = 1; /* each of the two lets it fire */
}

/* ---- nodes ---- */

static void add_sends(struct builder *builder, uint32_t node, struct dataflow_entry *entry)
{
    struct array *sends = &builder->part[PART_SEND];
    const struct dataflow_keys *keys = builder->keys;
    struct dataflow_send *last = NULL;
    entry->send = (uint32_t)(sends->count / WORDS_OF(struct dataflow_send));
    for (size_t i = dataflow_keys_of(keys, node); i < keys->count && keys->sent[i].node == node;
         i++) {
        const struct dataflow_sent *sent = &keys->sent[i];
        const bool control = sent->word == dataflow_control_word(builder->graph, node);
        if (last != NULL && !control && last->word + last->count == sent->word &&
            last->key + last->count == sent->key) {
            last->count++;
            continue;
        }
        const struct dataflow_send send = {sent->word, control ? 0 : 1, sent->key};
        put(sends, &send, WORDS_OF(struct dataflow_send));
        last = (struct dataflow_send *)(sends->word + sends->count) - 1;
        entry->sends++;
    }
}

static void add_constants(struct builder *builder, const struct dataflow_node *node,
                          struct dataflow_entry *entry)
{
    struct array *parameters = &builder->part[PART_PARAMETER];
    entry->parameter = (uint32_t)parameters->count;
    entry->parameters = node->parameters.count;
    put(parameters, builder->graph->parameter + node->parameters.first, node->parameters.count);
}

static struct dataflow_words state_of(const struct dataflow_graph *graph,
                                      const struct dataflow_node *node)
{
    return node->kind == DATAFLOW_VARIABLE ? node->state
           : node->of == DATAFLOW_NONE     ? (struct dataflow_words){0, 0}
           : node->kind == DATAFLOW_PHASE  ? graph->machine[node->of].state
                                           : graph->node[node->of].state;
}

/* States lie in the order of the graph: the offset is the number of words before. */
static uint32_t state_before(const struct dataflow_tables *tables, uint32_t core, size_t first)
{
    const struct dataflow_graph *graph = tables->graph;
    uint32_t words = 0;
    for (uint32_t n = 0; n < graph->nodes.count; n++) {
        if (graph->node[n].kind == DATAFLOW_VARIABLE && tables->core_of[n] == core &&
            graph->node[n].state.first < first) {
            words += graph->node[n].state.count;
        }
    }
    for (size_t m = 0; m < graph->machines.count; m++) {
        if (tables->core_of[graph->machine[m].first] == core &&
            graph->machine[m].state.first < first) {
            words += graph->machine[m].state.count;
        }
    }
    return words;
}

static uint32_t kind_of(const struct dataflow_node *node)
{
    switch (node->kind) {
    case DATAFLOW_SOURCE:
        return DATAFLOW_ENTRY_SOURCE;
    case DATAFLOW_SINK:
        return DATAFLOW_ENTRY_SINK;
    case DATAFLOW_READ:
        return DATAFLOW_ENTRY_READ;
    case DATAFLOW_OPERATION:
    case DATAFLOW_VARIABLE:
    case DATAFLOW_ASSIGN:
    case DATAFLOW_PHASE:
    case DATAFLOW_KINDS:
    default:
        return DATAFLOW_ENTRY_ACTION;
    }
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void add_entry(struct builder *builder, uint32_t node)
{
    const struct dataflow_graph *graph = builder->graph;
    const struct dataflow_node *own = &graph->node[node];
    const uint32_t number = builder->head.entries++;
    const struct dataflow_words state = state_of(graph, own);
    struct dataflow_entry entry = {
        .kind = kind_of(own),
        .action = own->action,
        .out_words = own->kind == DATAFLOW_SINK ? 0 : own->words,
        .out_slot =
            own->words == 0 || own->kind == DATAFLOW_SINK ? DATAFLOW_NO : slot_of(builder, node, 0),
        .control_slot = slot_of(builder, node, dataflow_control_word(graph, node)),
        .state = state.count == 0 ? 0 : state_before(builder->tables, builder->core, state.first),
        .state_words = state.count};
    uint32_t in_words = 0;
    for (uint8_t port = 0; port < DATAFLOW_TABLE_PORTS; port++) {
        entry.list[port] = list_of_port(builder, own, port);
        in_words +=
            entry.list[port] == DATAFLOW_NO ? 0 : builder->list[entry.list[port]].head.words;
        wait_for(builder, entry.list[port], number, &entry);
    }
    wait_for(builder, list_of_port(builder, own, DATAFLOW_CONTROL), number, &entry);
    if (own->kind == DATAFLOW_SOURCE) {
        wait_for_steps(builder, number, &entry);
        builder->head.input_words = own->words;
        put(&builder->part[PART_INPUT], graph->input, graph->inputs.count);
    }
    if (own->kind == DATAFLOW_SINK) {
        builder->head.answer_words = own->words;
        for (size_t i = 0; i < (size_t)graph->steps * own->words; i++) {
            put_word(&builder->part[PART_ANSWER], 0);
        }
    }
    add_sends(builder, node, &entry);
    add_constants(builder, own, &entry);
    builder->head.in_words = most(builder->head.in_words, in_words);
    builder->head.out_words = most(builder->head.out_words, own->words);
    builder->head.uses_exp |=
        dataflow_row_of(own) != NULL && dataflow_uses_exp(own->action) ? 1u : 0u;
    put(&builder->part[PART_ENTRY], &entry, WORDS_OF(struct dataflow_entry));
}

static void add_states(struct builder *builder)
{
    const struct dataflow_graph *graph = builder->graph;
    struct array *states = &builder->part[PART_STATE];
    for (uint32_t n = 0; n < graph->nodes.count; n++) {
        const struct dataflow_node *node = &graph->node[n];
        if (node->kind == DATAFLOW_VARIABLE && builder->tables->core_of[n] == builder->core) {
            put(states, graph->state + node->state.first, node->state.count);
        }
    }
    for (size_t m = 0; m < graph->machines.count; m++) {
        const struct dataflow_machine *machine = &graph->machine[m];
        if (builder->tables->core_of[machine->first] == builder->core) {
            put(states, graph->state + machine->state.first, machine->state.count);
        }
    }
}

/* ---- slots and packets ---- */

/* The lists of each slot, and how many slots a list has. */
static void link_slots(struct builder *builder)
{
    const struct dataflow_slots *run = (const struct dataflow_slots *)builder->part[PART_RUN].word;
    FREED uint32_t *next = calloc((size_t)builder->slots + 2, sizeof *next);
    memory_need(next);
    for (int pass = 0; pass < 2; pass++) { /* counts; then writes */
        memset(builder->seen, 0, ((size_t)builder->slots + 1) * sizeof *builder->seen);
        for (size_t l = 0; l < builder->lists; l++) {
            struct dataflow_list *list = &builder->list[l].head;
            list->slots = 0;
            for (uint32_t r = list->run; r < list->run + list->runs; r++) {
                for (uint32_t s = run[r].slot; s < run[r].slot + run[r].count; s++) {
                    if (builder->seen[s] == l + 1) {
                        continue;
                    }
                    builder->seen[s] = (uint32_t)l + 1;
                    list->slots++;
                    if (pass == 0) {
                        next[s + 1]++;
                    } else {
                        builder->part[PART_LIST_OF_SLOT].word[next[s]++] = (uint32_t)l;
                    }
                }
            }
        }
        if (pass == 0) {
            for (uint32_t s = 0; s < builder->slots; s++) {
                next[s + 1] += next[s];
            }
            put(&builder->part[PART_SLOT_LIST], next, (size_t)builder->slots + 1);
            for (uint32_t i = 0; i < next[builder->slots]; i++) {
                put_word(&builder->part[PART_LIST_OF_SLOT], 0);
            }
        }
    }
    for (size_t l = 0; l < builder->lists; l++) {
        struct list *list = &builder->list[l];
        list->head.waiter = (uint32_t)builder->part[PART_WAITER].count;
        list->head.waiters = (uint32_t)list->waiter.count;
        put(&builder->part[PART_WAITER], list->waiter.word, list->waiter.count);
        put(&builder->part[PART_LIST], &list->head, WORDS_OF(struct dataflow_list));
    }
}

static int by_key(const void *a, const void *b)
{
    const struct dataflow_arrival *first = a, *second = b;
    return first->key == second->key ? 0 : first->key < second->key ? -1 : 1;
}

/* The key of a word that is sent. */
static uint32_t key_of(const struct dataflow_keys *keys, uint32_t node, uint32_t word)
{
    size_t at = dataflow_keys_of(keys, node);
    size_t high = dataflow_keys_of(keys, node + 1);
    while (at < high) {
        const size_t middle = at + (high - at) / 2;
        if (keys->sent[middle].word < word) {
            at = middle + 1;
        } else {
            high = middle;
        }
    }
    return keys->sent[at].key;
}

static void add_arrivals(struct builder *builder)
{
    const struct dataflow_uses *uses = builder->uses;
    const size_t first = uses->first[builder->core], end = uses->first[builder->core + 1];
    FREED struct dataflow_arrival *arrival = calloc(end - first + 1, sizeof *arrival);
    size_t count = 0;
    memory_need(arrival);
    for (size_t i = first; i < end; i++) {
        const struct dataflow_use *use = &uses->use[i];
        if (dataflow_uses_home(uses, use->node) != builder->core) {
            arrival[count++] = (struct dataflow_arrival){
                key_of(builder->keys, use->node, use->word), 1, use->slot};
        }
    }
    builder->head.inbox = 2;
    while (builder->head.inbox <= count) {
        builder->head.inbox *= 2;
    }
    if (count > 0) {
        qsort(arrival, count, sizeof *arrival, by_key);
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct dataflow_arrival *last = kept == 0 ? NULL : &arrival[kept - 1];
        if (last != NULL && last->key + last->count == arrival[i].key &&
            last->slot + last->count == arrival[i].slot) {
            last->count++;
        } else {
            arrival[kept++] = arrival[i];
        }
    }
    put(&builder->part[PART_ARRIVAL], arrival, kept * WORDS_OF(struct dataflow_arrival));
}

/* ---- a table ---- */

static void write_table(struct builder *builder)
{
    const struct {
        size_t count, offset; /* members of the head */
        size_t words;         /* of an element */
    } parts[PARTS] = {
#define AT(count_, offset_, type)                                                                  \
    {offsetof(struct dataflow_head, count_), offsetof(struct dataflow_head, offset_),              \
     WORDS_OF(type)}
        [PART_ENTRY] = AT(entries, entry, struct dataflow_entry),
        [PART_LIST] = AT(lists, list, struct dataflow_list),
        [PART_RUN] = AT(runs, run, struct dataflow_slots),
        [PART_WAITER] = AT(waiters, waiter, uint32_t),
        [PART_SLOT_LIST] = AT(slots, slot_list, uint32_t),
        [PART_LIST_OF_SLOT] = AT(slot_lists, lists_of_slot, uint32_t),
        [PART_SEND] = AT(sends, send, struct dataflow_send),
        [PART_ARRIVAL] = AT(arrivals, arrival, struct dataflow_arrival),
        [PART_PARAMETER] = AT(parameters, parameter, uint32_t),
        [PART_STATE] = AT(states, state, uint32_t),
        [PART_INPUT] = AT(inputs, input, uint32_t),
        [PART_ANSWER] = AT(answers, answer, uint32_t),
#undef AT
    };
    struct array table = {.count = 0};
    struct dataflow_head *head = &builder->head;
    put(&table, head, WORDS_OF(struct dataflow_head));
    for (size_t p = 0; p < PARTS; p++) {
        const uint32_t count = (uint32_t)(builder->part[p].count / parts[p].words);
        const uint32_t offset = (uint32_t)(table.count * WORD);
        memcpy((char *)head + parts[p].count, &count, sizeof count);
        memcpy((char *)head + parts[p].offset, &offset, sizeof offset);
        put(&table, builder->part[p].word, builder->part[p].count);
    }
    head->slots = builder->slots; /* the array has one more */
    head->bytes = (uint32_t)(table.count * WORD);
    memcpy(table.word, head, sizeof *head);
    builder->tables->table[builder->core] = (struct dataflow_table){table.word, table.count * WORD};
}

static void build(struct builder *builder, uint32_t seed)
{
    const struct dataflow_graph *graph = builder->graph;
    const struct dataflow_tables *tables = builder->tables;
    const uint32_t core = builder->core;
    const uint32_t ready = (uint32_t)graph->nodes.count + core;
    const size_t at = dataflow_keys_of(builder->keys, ready);
    const bool tells = at < builder->keys->count && builder->keys->sent[at].node == ready;
    builder->head =
        (struct dataflow_head){.magic = DATAFLOW_MAGIC,
                               .steps = graph->steps,
                               .seed = seed == 0 ? 0 : seed + core + 1,
                               .first = DATAFLOW_NO,
                               .ready_key = tells ? builder->keys->sent[at].key : DATAFLOW_NO};
    for (uint32_t n = 0; n < graph->nodes.count; n++) {
        if (tables->core_of[n] == core && dataflow_fires(&graph->node[n])) {
            add_entry(builder, n);
        }
    }
    if (builder->head.entries == 0) {
        return;
    }
    add_states(builder);
    link_slots(builder);
    add_arrivals(builder);
    write_table(builder);
}

static void builder_deinit(struct builder *builder)
{
    for (size_t p = 0; p < PARTS; p++) {
        free(builder->part[p].word);
    }
    for (size_t l = 0; l < builder->lists; l++) {
        free(builder->list[l].waiter.word);
    }
    free(builder->list);
    free(builder->seen);
    free(builder->mask);
}

static void build_core(struct dataflow_tables *tables, const struct dataflow_uses *uses,
                       const struct dataflow_keys *keys, uint32_t core, uint32_t seed)
{
    RELEASED(builder_deinit)
    struct builder builder = {.tables = tables,
                              .uses = uses,
                              .keys = keys,
                              .graph = tables->graph,
                              .core = core,
                              .slots = (uint32_t)(uses->first[core + 1] - uses->first[core]),
                              .masks = 1};
    while (builder.masks < 8 * tables->graph->nodes.count + 16) { /* four lists a node, and two */
        builder.masks *= 2;
    }
    builder.seen = calloc((size_t)builder.slots + 1, sizeof *builder.seen);
    builder.mask = calloc(builder.masks, sizeof *builder.mask);
    memory_need(builder.seen);
    memory_need(builder.mask);
    build(&builder, seed);
}

/* ---- the whole ---- */

enum status dataflow_tables_make(const struct dataflow_graph *graph, const uint32_t *core_of,
                                 uint32_t cores, uint32_t seed, struct dataflow_tables *tables,
                                 struct diagnostic *diagnostic)
{
    RELEASED(dataflow_uses_deinit) struct dataflow_uses uses = {.graph = NULL};
    RELEASED(dataflow_keys_deinit) struct dataflow_keys keys = {.count = 0};
    *tables = (struct dataflow_tables){.graph = graph, .core_of = core_of, .cores = cores};
    TRY(dataflow_uses_make(&uses, graph, core_of, cores, diagnostic));
    tables->table = calloc(cores, sizeof *tables->table);
    enum status status = tables->table == NULL
                             ? no_memory(diagnostic)
                             : dataflow_keys_make(&keys, &uses, tables, diagnostic);
    for (uint32_t core = 0; core < cores && status == STATUS_OK; core++) {
        build_core(tables, &uses, &keys, core, seed);
    }
    if (status != STATUS_OK) {
        dataflow_tables_deinit(tables);
    }
    return status;
}

void dataflow_tables_deinit(struct dataflow_tables *tables)
{
    for (uint32_t core = 0; core < tables->cores && tables->table != NULL; core++) {
        free(tables->table[core].word);
    }
    free(tables->table);
    free(tables->group);
    free(tables->target);
    *tables = (struct dataflow_tables){.cores = 0};
}

static const struct dataflow_head *head_of(const struct dataflow_tables *tables, uint32_t core)
{
    return (const struct dataflow_head *)tables->table[core].word;
}

static struct dataflow_at state_at(const struct dataflow_tables *tables, uint32_t core,
                                   struct dataflow_words words)
{
    return (struct dataflow_at){core, head_of(tables, core)->state +
                                          WORD * state_before(tables, core, words.first)};
}

struct dataflow_at dataflow_tables_state(const struct dataflow_tables *tables, uint32_t variable)
{
    return state_at(tables, tables->core_of[variable], tables->graph->node[variable].state);
}

struct dataflow_at dataflow_tables_machine(const struct dataflow_tables *tables, size_t machine)
{
    const struct dataflow_machine *own = &tables->graph->machine[machine];
    return state_at(tables, tables->core_of[own->first], own->state);
}

struct dataflow_at dataflow_tables_answer(const struct dataflow_tables *tables)
{
    const uint32_t core = tables->core_of[tables->graph->sink];
    return (struct dataflow_at){core, head_of(tables, core)->answer};
}
