/* interleave.c - see interleave.h.
 *
 * All orders have the same number of firings.  So the states that orders can be in behind k firings
 * follow from those behind k - 1, and orders that meet in a state go on together: only their number
 * is kept. */
#include "sim/dataflow/interleave.h"

#include "sim/dataflow/execute.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

/* States behind as many firings: their words, how many orders lead there, and a table of hashes. */
struct level {
    uint32_t *words; /* [count][state words] */
    double *orders;
    size_t *slot; /* [slots]: number + 1 of a state; 0: free */
    size_t count, room, slots;
};

struct search {
    struct dataflow_run run;
    size_t missing, values, state; /* words of a state's three parts */
    size_t words;
    struct diagnostic *diagnostic;
};

static void level_deinit(struct level *level)
{
    free(level->words);
    free(level->orders);
    free(level->slot);
    *level = (struct level){.count = 0};
}

static uint64_t hash_of(const uint32_t *words, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a, by words */
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * 0x100000001b3u;
    }
    return hash ^ hash >> 32;
}

/* The slot of a state, or the free one where it would be. */
static size_t slot_of(const struct level *level, const uint32_t *words, size_t count)
{
    size_t at = hash_of(words, count) & (level->slots - 1);
    while (level->slot[at] != 0 && memcmp(level->words + (level->slot[at] - 1) * count, words,
                                          count * sizeof *words) != 0) {
        at = (at + 1) & (level->slots - 1);
    }
    return at;
}

/* Doubles the room, and makes the table of hashes anew. */
static enum status widen(const struct search *search, struct level *level)
{
    const size_t room = level->room == 0 ? 64 : 2 * level->room;
    uint32_t *words = realloc(level->words, room * search->words * sizeof *words);
    double *orders = words == NULL ? NULL : realloc(level->orders, room * sizeof *orders);
    size_t *slot = calloc(2 * room, sizeof *slot);
    level->words = words == NULL ? level->words : words;
    level->orders = orders == NULL ? level->orders : orders;
    if (words == NULL || orders == NULL || slot == NULL) {
        free(slot);
        return no_memory(search->diagnostic);
    }
    free(level->slot);
    level->slot = slot;
    level->room = room;
    level->slots = 2 * room;
    for (size_t i = 0; i < level->count; i++) {
        slot[slot_of(level, words + i * search->words, search->words)] = i + 1;
    }
    return STATUS_OK;
}

static enum status add(const struct search *search, struct level *level, const uint32_t *words,
                       double orders)
{
    if (level->count == level->room) {
        TRY(widen(search, level));
    }
    const size_t at = slot_of(level, words, search->words);
    if (level->slot[at] != 0) {
        level->orders[level->slot[at] - 1] += orders;
        return STATUS_OK;
    }
    if (level->count == DATAFLOW_STATES_MOST) {
        return diagnose(search->diagnostic, STATUS_LIMIT,
                        "more than %d states\vfewer nodes that wait for nothing have fewer orders",
                        DATAFLOW_STATES_MOST);
    }
    memcpy(level->words + level->count * search->words, words, search->words * sizeof *words);
    level->orders[level->count] = orders;
    level->slot[at] = ++level->count;
    return STATUS_OK;
}

static void save(const struct search *search, uint32_t *words)
{
    const struct dataflow_run *run = &search->run;
    memcpy(words, run->missing, search->missing * sizeof *words);
    memcpy(words + search->missing, run->value, search->values * sizeof *words);
    memcpy(words + search->missing + search->values, run->state, search->state * sizeof *words);
}

static void put_back(const struct search *search, const uint32_t *words)
{
    const struct dataflow_run *run = &search->run;
    memcpy(run->missing, words, search->missing * sizeof *words);
    memcpy(run->value, words + search->missing, search->values * sizeof *words);
    memcpy(run->state, words + search->missing + search->values, search->state * sizeof *words);
}

/* The states behind one firing more; `next` stays empty when all nodes have fired. */
static enum status advance(struct search *search, const struct level *level, struct level *next,
                           uint32_t *words)
{
    for (size_t i = 0; i < level->count; i++) {
        const uint32_t *from = level->words + i * search->words;
        put_back(search, from);
        dataflow_run_reset_ready(&search->run);
        const size_t ready = search->run.ready_count;
        for (size_t place = 0; place < ready; place++) {
            put_back(search, from);
            dataflow_run_reset_ready(&search->run);
            dataflow_run_fire(&search->run, place);
            save(search, words);
            TRY(add(search, next, words, level->orders[i]));
        }
    }
    return STATUS_OK;
}

static enum status follow(struct search *search, struct level *level)
{
    FREED uint32_t *words = malloc(search->words * sizeof *words);
    if (words == NULL) {
        return no_memory(search->diagnostic);
    }
    dataflow_run_begin(&search->run, 0);
    save(search, words);
    TRY(add(search, level, words, 1));
    for (;;) {
        RELEASED(level_deinit) struct level next = {.count = 0};
        TRY(advance(search, level, &next, words));
        if (next.count == 0) {
            return STATUS_OK;
        }
        level_deinit(level);
        *level = next;
        next = (struct level){.count = 0};
    }
}

/* ---- endings ---- */

struct sizes {
    size_t answer, state;
};

static int compare_words(const int32_t *a, const int32_t *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_endings(const void *a, const void *b, void *sizes)
{
    const struct sizes *size = sizes;
    const struct dataflow_ending *first = a, *second = b;
    const int by_answer = compare_words(first->answer, second->answer, size->answer);
    return by_answer != 0 ? by_answer : compare_words(first->state, second->state, size->state);
}

static int32_t *copy_words(const int32_t *words, size_t count)
{
    int32_t *copy = malloc((count + 1) * sizeof *copy);
    if (copy != NULL) {
        memcpy(copy, words, count * sizeof *copy);
    }
    return copy;
}

static enum status collect(struct search *search, const struct level *level,
                           struct dataflow_endings *endings)
{
    const struct dataflow_graph *graph = search->run.graph;
    struct sizes sizes = {graph->node[graph->sink].words, search->state};
    endings->ending = calloc(level->count, sizeof *endings->ending);
    if (endings->ending == NULL) {
        return no_memory(search->diagnostic);
    }
    for (size_t i = 0; i < level->count; i++) {
        put_back(search, level->words + i * search->words);
        struct dataflow_ending *ending = &endings->ending[endings->count++];
        ending->answer = copy_words(dataflow_run_value(&search->run, graph->sink), sizes.answer);
        ending->state = copy_words(search->run.state, sizes.state);
        ending->orders = level->orders[i];
        endings->orders += level->orders[i];
        if (ending->answer == NULL || ending->state == NULL) {
            return no_memory(search->diagnostic);
        }
    }
    qsort_r(endings->ending, endings->count, sizeof *endings->ending, compare_endings, &sizes);
    size_t kept = 0;
    for (size_t i = 0; i < endings->count; i++) { /* equal ones stand side by side */
        struct dataflow_ending *ending = &endings->ending[i];
        if (kept > 0 && compare_endings(&endings->ending[kept - 1], ending, &sizes) == 0) {
            endings->ending[kept - 1].orders += ending->orders;
            free(ending->answer);
            free(ending->state);
        } else {
            endings->ending[kept++] = *ending;
        }
    }
    endings->count = kept;
    return STATUS_OK;
}

enum status dataflow_interleave(const struct dataflow_graph *graph,
                                struct dataflow_endings *endings, struct diagnostic *diagnostic)
{
    RELEASED(level_deinit) struct level level = {.count = 0};
    struct search search = {
        .missing = graph->nodes.count, .state = graph->states.count, .diagnostic = diagnostic};
    *endings = (struct dataflow_endings){.count = 0};
    TRY(dataflow_run_init(&search.run, graph, diagnostic));
    search.values = search.run.first_value[graph->nodes.count];
    search.words = search.missing + search.values + search.state;
    enum status status = follow(&search, &level);
    if (status == STATUS_OK) {
        status = collect(&search, &level, endings);
    }
    dataflow_run_deinit(&search.run);
    if (status != STATUS_OK) {
        dataflow_endings_deinit(endings);
    }
    return status;
}

void dataflow_endings_deinit(struct dataflow_endings *endings)
{
    for (size_t i = 0; i < endings->count; i++) {
        free(endings->ending[i].answer);
        free(endings->ending[i].state);
    }
    free(endings->ending);
    *endings = (struct dataflow_endings){.count = 0};
}
