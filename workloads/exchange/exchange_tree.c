/* exchange_tree.c - the functions of exchange.h over trees.  Each slice has a tree of all chips;
 * its root owns the slice.  Sums travel to the root, values away from it.  A chip sends a sum on
 * when it has received it from all children, and a value when it has received it from its parent.
 * All chips process the slices in the same cyclic order, so that there is no deadlock; the cores of
 * a chip begin with different slices. */
#include "exchange_parts.h"

#include <stddef.h>

_Static_assert(offsetof(struct exchange_tree, arrived) == TREE_ARRIVED &&
                   offsetof(struct exchange_tree, received) == TREE_RECEIVED &&
                   offsetof(struct exchange_tree, words) == TREE_WORDS,
               "the interrupt knows the trees");

struct exchange_tree exchange_tree;

enum { SUMS, VALUES };

#define TREE_MASK 0x80788000u /* of keys: words for this core, of either phase */

static struct exchange_tree_node *nodes; /* by slice */
static const struct exchange_plan *planned;

/* ---- what a chip is in each tree ---- */

static uint32_t children_of(const struct exchange_tree_node *node)
{
    uint32_t count = 0;
    for (uint32_t bits = node->children; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

static uint32_t own_slice(const struct exchange_plan *plan)
{
    return (plan->position + 1) % plan->chips;
}

static void *allocate(uint32_t bytes)
{
    void *memory = sark_alloc(1, (bytes + 3) & ~3u);
    if (memory == NULL) {
        io_printf(IO_BUF, "exchange: no room in DTCM for %u bytes\n", bytes);
        rt_error(RTE_MALLOC);
    }
    return memory;
}

static void clear(uint8_t *bytes, uint32_t count)
{
    sark_word_set(bytes, 0, (count + 3) & ~3u);
}

static void take_nodes(const struct exchange_plan *plan)
{
    if (planned == plan) {
        return;
    }
    const uint32_t bytes = plan->chips * sizeof *nodes;
    nodes = allocate(bytes);
    sark_word_cpy(nodes, (const void *)plan->tree, bytes);
    exchange_tree.arrived[SUMS] = allocate(plan->words);
    exchange_tree.arrived[VALUES] = allocate(plan->words);
    clear(exchange_tree.arrived[SUMS], plan->words);
    clear(exchange_tree.arrived[VALUES], plan->words);
    planned = plan;
}

/* ---- opening ---- */

static uint32_t links_of(const struct exchange_plan *plan)
{
    uint32_t links = 0;
    for (uint32_t slice = 0; slice < plan->chips; slice++) {
        links |= nodes[slice].children;
        links |= slice == own_slice(plan) ? 0 : 1u << nodes[slice].parent;
    }
    return links;
}

static uint32_t open_links;
static uint32_t open_counter;

/* True when all neighbours have signalled.  Each link has its own counter, so that two signals of a
 * neighbour that is a round ahead do not count for two neighbours. */
static uint32_t all_are_open(void)
{
    for (uint32_t link = 0; link < EXCHANGE_LINKS; link++) {
        if ((open_links >> link & 1) != 0 && exchange_count[open_counter + link] == 0) {
            return 0;
        }
    }
    for (uint32_t link = 0; link < EXCHANGE_LINKS; link++) {
        exchange_count[open_counter + link] -= open_links >> link & 1;
    }
    return 1;
}

static void open(const struct exchange_plan *plan)
{
    open_links = links_of(plan);
    open_counter = plan->open_key % EXCHANGE_COUNTERS;
    for (uint32_t link = 0; link < EXCHANGE_LINKS; link++) {
        if ((open_links >> link & 1) != 0) {
            const uint32_t opposite = (link + EXCHANGE_LINKS / 2) % EXCHANGE_LINKS;
            const uint cpsr = exchange_begin_slot();
            cc[CC_TXKEY] = plan->open_key + (link << EXCHANGE_OPEN_LINK_SHIFT) + opposite;
            cpu_int_restore(cpsr);
        }
    }
    exchange_sleep_until(all_are_open);
}

/* ---- words ---- */

static uint32_t awaited_phase, awaited_word, awaited_count;

static uint32_t word_is_here(void)
{
    exchange_note_arrived(exchange_tree.received[awaited_phase]);
    return ((volatile uint8_t *)exchange_tree.arrived[awaited_phase])[awaited_word] ==
           awaited_count;
}

static void await(uint32_t phase, uint32_t word, uint32_t count)
{
    awaited_phase = phase;
    awaited_word = word;
    awaited_count = count;
    exchange_sleep_until(word_is_here);
    exchange_tree.arrived[phase][word] = 0;
}

static void send(const struct exchange_plan *plan, uint32_t link, uint32_t word, uint32_t data,
                 uint32_t bit)
{
    const uint cpsr = exchange_begin_slot();
    cc[CC_TXDATA] = data;
    cc[CC_TXKEY] = plan->send_key | link << EXCHANGE_TREE_LINK_SHIFT | bit | word;
    cpu_int_restore(cpsr);
}

static uint32_t slice_at(const struct exchange_plan *plan, uint32_t turn)
{
    return (plan->tree_first + turn) % plan->chips;
}

static uint32_t all_words(const struct exchange_plan *plan, const struct exchange_phase *phase,
                          uint32_t values)
{
    uint32_t words = 0;
    for (uint32_t slice = 0; slice < plan->chips; slice++) {
        const struct exchange_span span = exchange_slice_of(plan, phase, slice);
        const uint32_t each = values ? slice != own_slice(plan) : children_of(&nodes[slice]);
        words += each * (span.end - span.begin);
    }
    return words;
}

void exchange_tree_reduce(const struct exchange_plan *plan, const struct exchange_phase *reduce,
                          const struct exchange_phase *gather)
{
    take_nodes(plan);
    exchange_tree.array[SUMS] = reduce->array;
    exchange_tree.array[VALUES] = gather->array;
    exchange_tree.received[SUMS] = exchange_tree.received[VALUES] = 0;
    exchange_tree.words = plan->words;
    exchange_note_await(plan->receive_key, TREE_MASK, all_words(plan, reduce, 0));
    open(plan);
    for (uint32_t turn = 0; turn < plan->chips; turn++) {
        const uint32_t slice = slice_at(plan, turn);
        const struct exchange_tree_node *node = &nodes[slice];
        const struct exchange_span span = exchange_slice_of(plan, reduce, slice);
        const uint32_t children = children_of(node);
        for (uint32_t word = span.begin; word < span.end; word++) {
            await(SUMS, word, children);
            if (slice != own_slice(plan)) {
                send(plan, node->parent, word, reduce->array[word], 0);
            }
        }
    }
}

void exchange_tree_gather(const struct exchange_plan *plan, const struct exchange_phase *gather)
{
    exchange_note_await(plan->receive_key | EXCHANGE_GATHER, TREE_MASK, all_words(plan, gather, 1));
    for (uint32_t turn = 0; turn < plan->chips; turn++) {
        const uint32_t slice = slice_at(plan, turn);
        const struct exchange_span span = exchange_slice_of(plan, gather, slice);
        for (uint32_t word = span.begin; word < span.end; word++) {
            await(VALUES, word, slice != own_slice(plan));
            for (uint32_t link = 0; link < EXCHANGE_LINKS; link++) {
                if ((nodes[slice].children >> link & 1) != 0) {
                    send(plan, link, word, gather->array[word], EXCHANGE_GATHER);
                }
            }
        }
    }
}
