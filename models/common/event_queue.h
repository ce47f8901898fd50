/* event_queue.h - what is going to happen, in the order (time, rank, insertion).
 * Events are plain values, so that a queue can be saved; their meaning is the owner's.  The queue
 * grows as needed and allocates nothing while it is empty. */
#ifndef MODELS_COMMON_EVENT_QUEUE_H
#define MODELS_COMMON_EVENT_QUEUE_H
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
    uint64_t time_ps;
    uint64_t sequence; /* filled by event_queue_push */
    uint64_t data;
    uint32_t rank; /* order among events of the same time: lower first */
    uint32_t kind;
};

struct event_queue {
    struct event *heap;
    size_t count;
    size_t capacity;
    uint64_t next_sequence;
};

void event_queue_init(struct event_queue *queue);
void event_queue_deinit(struct event_queue *queue);

/* STATUS_INTERNAL when out of memory; the event's sequence is set here. */
enum status event_queue_push(struct event_queue *queue, struct event event);

static inline bool event_queue_empty(const struct event_queue *queue)
{
    return queue->count == 0;
}

/* Time of the first event, TIME_NEVER when there is none. */
static inline uint64_t event_queue_time_ps(const struct event_queue *queue)
{
    return queue->count == 0 ? UINT64_MAX : queue->heap[0].time_ps;
}

/* Takes the first event out; the queue must not be empty. */
struct event event_queue_pop(struct event_queue *queue);

#endif
