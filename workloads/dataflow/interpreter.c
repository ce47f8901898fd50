/* interpreter.c - see interpreter.h. */
#include "interpreter.h"

#include "kernels.h"

#include <stddef.h>

/* ---- memory ---- */

uint32_t dataflow_part_bytes(const struct dataflow_head *head, enum dataflow_part part)
{
    const uint32_t words[DATAFLOW_PARTS] = {[DATAFLOW_PART_VALUE] = head->slots,
                                            [DATAFLOW_PART_MISSING] = head->lists,
                                            [DATAFLOW_PART_WAITS] = head->entries,
                                            [DATAFLOW_PART_READY] = head->entries,
                                            [DATAFLOW_PART_IN] = head->in_words,
                                            [DATAFLOW_PART_OUT] = head->out_words,
                                            [DATAFLOW_PART_EXP] =
                                                head->uses_exp ? NN_EXP_STEPS + 1 : 0};
    return words[part] * (uint32_t)sizeof(uint32_t);
}

static void *at(const struct dataflow_head *head, uint32_t offset)
{
    return (char *)(uintptr_t)head + offset;
}

void dataflow_core_init(struct dataflow_core *core, const struct dataflow_head *head,
                        void *const part[DATAFLOW_PARTS], dataflow_sender *sender, void *context)
{
    *core = (struct dataflow_core){.head = head,
                                   .entry = at(head, head->entry),
                                   .list = at(head, head->list),
                                   .run = at(head, head->run),
                                   .waiter = at(head, head->waiter),
                                   .slot_list = at(head, head->slot_list),
                                   .list_of_slot = at(head, head->lists_of_slot),
                                   .send = at(head, head->send),
                                   .arrival = at(head, head->arrival),
                                   .parameter = at(head, head->parameter),
                                   .state = at(head, head->state),
                                   .input = at(head, head->input),
                                   .answer = at(head, head->answer),
                                   .value = part[DATAFLOW_PART_VALUE],
                                   .missing = part[DATAFLOW_PART_MISSING],
                                   .waits = part[DATAFLOW_PART_WAITS],
                                   .ready = part[DATAFLOW_PART_READY],
                                   .in = part[DATAFLOW_PART_IN],
                                   .out = part[DATAFLOW_PART_OUT],
                                   .exp_table = part[DATAFLOW_PART_EXP],
                                   .random = head->seed,
                                   .sender = sender,
                                   .context = context};
    for (uint32_t l = 0; l < head->lists; l++) {
        core->missing[l] = core->list[l].slots;
    }
    for (uint32_t n = 0; n < head->entries; n++) {
        core->waits[n] = core->entry[n].waits;
    }
    if (head->uses_exp) {
        nn_exp_table(core->exp_table);
    }
}

/* ---- what arrives ---- */

static void push(struct dataflow_core *core, uint32_t entry)
{
    const uint32_t room = core->head->entries;
    uint32_t place = core->first_ready + core->ready_count++;
    place = place >= room ? place - room : place;
    core->ready[place] = entry;
}

static void complete(struct dataflow_core *core, const struct dataflow_list *list)
{
    for (uint32_t i = 0; i < list->waiters; i++) {
        const uint32_t entry = core->waiter[list->waiter + i];
        if (--core->waits[entry] == 0) {
            core->waits[entry] = core->entry[entry].waits;
            push(core, entry);
        }
    }
}

/* The word of a slot is there. */
static void arrive(struct dataflow_core *core, uint32_t slot)
{
    const uint32_t end = core->slot_list[slot + 1];
    for (uint32_t i = core->slot_list[slot]; i < end; i++) {
        const uint32_t number = core->list_of_slot[i];
        if (--core->missing[number] == 0) {
            core->missing[number] = core->list[number].slots;
            complete(core, &core->list[number]);
        }
    }
}

void dataflow_core_take(struct dataflow_core *core, uint32_t key, int32_t word)
{
    uint32_t low = 0;
    uint32_t high = core->head->arrivals;
    while (low < high) { /* the first whose keys end behind this one */
        const uint32_t middle = (low + high) / 2;
        if (core->arrival[middle].key + core->arrival[middle].count <= key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == core->head->arrivals || core->arrival[low].key > key) {
        core->strange++;
        return;
    }
    const uint32_t slot = core->arrival[low].slot + key - core->arrival[low].key;
    core->value[slot] = word;
    arrive(core, slot);
}

void dataflow_core_begin(struct dataflow_core *core)
{
    if (core->head->ready_key != DATAFLOW_NO) {
        core->sender(core->context, core->head->ready_key, 0, false);
    }
    if (core->head->first != DATAFLOW_NO) {
        push(core, core->head->first);
    }
}

/* ---- firing ---- */

/* The next entry: the one that waits longest, or any. */
static uint32_t pop(struct dataflow_core *core)
{
    const uint32_t room = core->head->entries;
    uint32_t *first = &core->ready[core->first_ready];
    const uint32_t entry = *first;
    if (core->random != 0 && core->ready_count > 1) {
        core->random ^= core->random << 13; /* xorshift */
        core->random ^= core->random >> 17;
        core->random ^= core->random << 5;
        uint32_t place = (uint32_t)((uint64_t)core->random * core->ready_count >> 32);
        place += core->first_ready;
        uint32_t *chosen = &core->ready[place >= room ? place - room : place];
        const uint32_t other = *chosen;
        *chosen = entry;
        *first = other;
    }
    const uint32_t next = *first;
    core->first_ready = core->first_ready + 1 == room ? 0 : core->first_ready + 1;
    core->ready_count--;
    return next;
}

static void copy(int32_t *to, const int32_t *from, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++) {
        to[i] = from[i];
    }
}

/* A list's words in order: where they are, or in `room`. */
static const int32_t *gather(const struct dataflow_core *core, const struct dataflow_list *list,
                             int32_t *room)
{
    const struct dataflow_slots *run = core->run + list->run;
    int32_t *to = room;
    if (list->runs == 1) {
        return core->value + run->slot;
    }
    for (uint32_t i = 0; i < list->runs; i++, run++) {
        copy(to, core->value + run->slot, run->count);
        to += run->count;
    }
    return room;
}

static void call_action(const struct dataflow_core *core, const struct dataflow_entry *entry,
                        int32_t *out)
{
    struct dataflow_call call = {.out = out,
                                 .out_words = entry->out_words,
                                 .parameter = core->parameter + entry->parameter,
                                 .parameters = entry->parameters,
                                 .state = core->state + entry->state,
                                 .state_words = entry->state_words,
                                 .exp_table = core->exp_table};
    int32_t *room = core->in;
    for (uint32_t p = 0; p < DATAFLOW_TABLE_PORTS; p++) {
        if (entry->list[p] != DATAFLOW_NO) {
            const struct dataflow_list *list = &core->list[entry->list[p]];
            call.in[p] = gather(core, list, room);
            call.words[p] = list->words;
            room += list->words;
        }
    }
    DATAFLOW_KERNEL[entry->action](&call);
}

static void compute(struct dataflow_core *core, const struct dataflow_entry *entry, int32_t *out)
{
    switch (entry->kind) {
    case DATAFLOW_ENTRY_SOURCE:
        copy(out, core->input + core->step * entry->out_words, entry->out_words);
        core->step++;
        break;
    case DATAFLOW_ENTRY_READ:
        copy(out, core->state + entry->state, entry->state_words);
        break;
    case DATAFLOW_ENTRY_SINK:
        if (entry->list[0] != DATAFLOW_NO) {
            const struct dataflow_list *list = &core->list[entry->list[0]];
            copy(core->answer, gather(core, list, core->in), list->words);
            core->answer += list->words;
        }
        break;
    default:
        call_action(core, entry, out);
        break;
    }
}

static void send(const struct dataflow_core *core, const struct dataflow_send *sent,
                 const int32_t *out)
{
    if (sent->count == 0) {
        core->sender(core->context, sent->key, 0, false);
    }
    for (uint32_t i = 0; i < sent->count; i++) {
        core->sender(core->context, sent->key + i, out[sent->word + i], true);
    }
}

bool dataflow_core_fire(struct dataflow_core *core)
{
    if (core->ready_count == 0) {
        return false;
    }
    const struct dataflow_entry *entry = &core->entry[pop(core)];
    const bool has_slots = entry->out_slot != DATAFLOW_NO;
    int32_t *out = has_slots ? core->value + entry->out_slot : core->out;
    compute(core, entry, out);
    core->fired++;
    if (entry->kind == DATAFLOW_ENTRY_SINK && ++core->answered == core->head->steps) {
        return true; /* no step comes behind */
    }
    for (uint32_t i = 0; i < entry->sends; i++) {
        send(core, &core->send[entry->send + i], out);
    }
    for (uint32_t i = 0; has_slots && i < entry->out_words; i++) {
        arrive(core, entry->out_slot + i);
    }
    if (entry->control_slot != DATAFLOW_NO) {
        arrive(core, entry->control_slot);
    }
    return true;
}
