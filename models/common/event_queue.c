/* event_queue.c - a binary heap; the sequence number makes the order total and so reproducible. */
#include "models/common/event_queue.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 16 };

static bool before(const struct event *a, const struct event *b)
{
    if (a->time_ps != b->time_ps) {
        return a->time_ps < b->time_ps;
    }
    if (a->rank != b->rank) {
        return a->rank < b->rank;
    }
    return a->sequence < b->sequence;
}

void event_queue_init(struct event_queue *queue)
{
    *queue = (struct event_queue){0};
}

void event_queue_deinit(struct event_queue *queue)
{
    free(queue->heap);
    event_queue_init(queue);
}

enum status event_queue_push(struct event_queue *queue, struct event event)
{
    if (queue->count == queue->capacity) {
        const size_t capacity = queue->capacity == 0 ? FIRST_CAPACITY : 2 * queue->capacity;
        struct event *heap = realloc(queue->heap, capacity * sizeof *heap);
        if (heap == NULL) {
            return STATUS_INTERNAL;
        }
        queue->heap = heap;
        queue->capacity = capacity;
    }
    event.sequence = queue->next_sequence++;
    size_t at = queue->count++;
    while (at > 0) {
        const size_t parent = (at - 1) / 2;
        if (!before(&event, &queue->heap[parent])) {
            break;
        }
        queue->heap[at] = queue->heap[parent];
        at = parent;
    }
    queue->heap[at] = event;
    return STATUS_OK;
}

struct event event_queue_pop(struct event_queue *queue)
{
    assert(queue->count > 0 && "popping an empty queue");
    const struct event first = queue->heap[0];
    const struct event last = queue->heap[--queue->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= queue->count) {
            break;
        }
        if (child + 1 < queue->count && before(&queue->heap[child + 1], &queue->heap[child])) {
            child++;
        }
        if (!before(&queue->heap[child], &last)) {
            break;
        }
        queue->heap[at] = queue->heap[child];
        at = child;
    }
    if (queue->count > 0) {
        queue->heap[at] = last;
    }
    return first;
}
