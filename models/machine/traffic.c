/* traffic.c - see traffic.h. */
#include "models/machine/traffic.h"

#include <stdlib.h>
#include <string.h>

void purposes_deinit(struct purposes *purposes)
{
    free(purposes->list);
    *purposes = (struct purposes){0};
}

/* Whether the keys of a block are exactly those between two keys. */
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

/* Whether the first n ranges begin at or before a key, and no others do. */
static bool begin_before(const struct purposes *purposes, size_t n, uint32_t key)
{
    return n <= purposes->ranges && (n == 0 || purposes->list[n - 1].key <= key) &&
           (n == purposes->ranges || purposes->list[n].key > key);
}

/* The number of ranges that begin at or before a key. */
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

enum status purposes_set(struct purposes *purposes, const struct machine_purpose *list,
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
    purposes_deinit(purposes);
    *purposes = made;
    return STATUS_OK;
}
