/* traffic.c - see traffic.h, and the traffic of machine.h. */
#include "models/machine/traffic.h"

#include "models/machine/machine_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- purposes ---- */

void purposes_deinit(struct purposes *purposes)
{
    free(purposes->list);
    *purposes = (struct purposes){0};
}

/* Are the keys of a block all those between two? */
static bool is_range(const struct machine_purpose *block)
{
    const uint32_t open = ~block->mask;
    return (open & (open + 1)) == 0;
}

static int compare(const void *a, const void *b)
{
    const struct machine_purpose *first = a;
    const struct machine_purpose *second = b;
    const int order = is_range(second) - is_range(first);
    return order != 0 ? order : (first->key > second->key) - (first->key < second->key);
}

static bool matches(const struct machine_purpose *block, uint32_t key)
{
    return (key & block->mask) == block->key;
}

/* Do the first n ranges begin at or before a key, and no others? */
static bool begin_before(const struct purposes *purposes, size_t n, uint32_t key)
{
    return n <= purposes->ranges && (n == 0 || purposes->list[n - 1].key <= key) &&
           (n == purposes->ranges || purposes->list[n].key > key);
}

/* How many ranges begin at or before a key. */
static size_t count_before(const struct purposes *purposes, uint32_t key)
{
    size_t first = 0;
    size_t end = purposes->ranges;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (purposes->list[middle].key <= key) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

unsigned purposes_find(const struct purposes *purposes, uint32_t key, uint32_t *hint)
{
    if (!begin_before(purposes, *hint, key)) {
        *hint = (uint32_t)count_before(purposes, key);
    }
    if (*hint > 0 && matches(&purposes->list[*hint - 1], key)) {
        return purposes->list[*hint - 1].purpose;
    }
    for (size_t i = purposes->ranges; i < purposes->count; i++) {
        if (matches(&purposes->list[i], key)) {
            return purposes->list[i].purpose;
        }
    }
    return 0;
}

enum status machine_set_purposes(struct machine *machine, const struct machine_purpose *list,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].purpose >= MACHINE_PURPOSES) {
            return STATUS_CONFIGURATION;
        }
    }
    struct purposes made = {.count = count};
    if (count > 0) {
        made.list = calloc(count, sizeof *made.list);
        if (made.list == NULL) {
            return STATUS_INTERNAL;
        }
        memcpy(made.list, list, count * sizeof *made.list);
        qsort(made.list, count, sizeof *made.list, compare);
    }
    while (made.ranges < count && is_range(&made.list[made.ranges])) {
        made.ranges++;
    }
    purposes_deinit(&machine->purposes);
    machine->purposes = made;
    return STATUS_OK;
}

/* ---- what has been counted ---- */

static void each_of_side(const struct chip *chip, unsigned side,
                         void (*each)(void *context, const struct machine_traffic *row),
                         void *context)
{
    for (unsigned kind = 0; kind < TRAFFIC_KINDS; kind++) {
        const struct traffic_count *count = &chip->d.fabric.traffic.count[side][kind];
        const bool multicast = kind < MACHINE_PURPOSES;
        const struct machine_traffic row = {
            .x = chip->x,
            .y = chip->y,
            .link = (uint8_t)side,
            .type = (uint8_t)(multicast ? PACKET_MC : kind - MACHINE_PURPOSES + 1),
            .purpose = (uint8_t)(multicast ? kind : 0),
            .sent = count->sent,
            .received = count->received,
            .dropped = count->dropped,
            .refused = count->refused,
            .busy_ps = count->busy_ps};
        if ((row.sent | row.received | row.dropped | row.refused) != 0) {
            each(context, &row);
        }
    }
}

void machine_each_traffic(const struct machine *machine,
                          void (*each)(void *context, const struct machine_traffic *row),
                          void *context)
{
    for (unsigned i = 0; i < machine->chip_count; i++) {
        for (unsigned side = 0; side < TRAFFIC_SIDES; side++) {
            each_of_side(&machine->chip[i], side, each, context);
        }
    }
}
