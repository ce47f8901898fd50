/* timeline_order.c - see timeline.h: what has been collected, in order and joined up. */
#include "sim/timeline/timeline.h"

#include "models/common/memory.h"

#include <stdlib.h>

/* ---- in the order of time ---- */

/* Events of one place and kind come in an order of their own, which they keep. */
static int compare_events(const void *a, const void *b)
{
    const struct machine_event *first = a;
    const struct machine_event *second = b;
    if (first->time_ps != second->time_ps) {
        return first->time_ps < second->time_ps ? -1 : 1;
    }
    const int order[] = {first->x - second->x, first->y - second->y, first->p - second->p,
                         first->kind - second->kind,
                         (first->number > second->number) - (first->number < second->number)};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (order[i] != 0) {
            return order[i];
        }
    }
    return 0;
}

static void sort(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->events; i++) {
        timeline->event[i].number = (uint32_t)i;
    }
    if (timeline->events > 0) { /* otherwise there may be no list */
        qsort(timeline->event, timeline->events, sizeof *timeline->event, compare_events);
    }
}

/* Stretches of sleep for one cause that follow each other are one. */
static void join_sleep(struct timeline *timeline)
{
    size_t *last = calloc(timeline->chips * TIMELINE_PLACES, sizeof *last); /* 1 + its index */
    memory_need(last);
    size_t kept = 0;
    for (size_t i = 0; i < timeline->events; i++) {
        const struct machine_event event = timeline->event[i];
        if (event.kind == MACHINE_EVENT_SLEPT) {
            size_t *at = &last[timeline_chip_of(timeline, &event) * TIMELINE_PLACES + event.p];
            struct machine_event *before = *at == 0 ? NULL : &timeline->event[*at - 1];
            if (before != NULL && before->detail == event.detail &&
                before->time_ps + before->length_ps == event.time_ps) {
                before->length_ps += event.length_ps;
                continue;
            }
            *at = kept + 1;
        }
        timeline->event[kept++] = event;
    }
    timeline->events = kept;
    free(last);
}

/* ---- packets ---- */

/* Numbers of packets in flight: open addressing, the last packet of each number. */
struct numbers {
    size_t mask;
    struct {
        uint32_t number, word;
        uint32_t packet; /* 1 + its index; 0: free */
    } * place;
};

static size_t place_of(const struct numbers *numbers, uint32_t number)
{
    static const uint32_t SPREAD = 0x9e3779b1; /* 2^32 / golden ratio */
    size_t at = (uint32_t)(number * SPREAD) & numbers->mask;
    while (numbers->place[at].packet != 0 && numbers->place[at].number != number) {
        at = (at + 1) & numbers->mask;
    }
    return at;
}

static size_t count_of(const struct timeline *timeline, enum machine_event_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < timeline->events; i++) {
        count += timeline->event[i].kind == kind;
    }
    return count;
}

static struct numbers make_numbers(size_t packets)
{
    struct numbers numbers = {.mask = 1};
    while (numbers.mask < 2 * packets) {
        numbers.mask = 2 * numbers.mask + 1;
    }
    numbers.place = calloc(numbers.mask + 1, sizeof *numbers.place);
    memory_need(numbers.place);
    return numbers;
}

static void connect(struct timeline *timeline)
{
    const size_t packets = count_of(timeline, MACHINE_EVENT_SENT);
    struct numbers numbers = make_numbers(packets);
    timeline->packet = calloc(packets + 1, sizeof *timeline->packet);
    timeline->packet_of = calloc(timeline->events + 1, sizeof *timeline->packet_of);
    memory_need(timeline->packet);
    memory_need(timeline->packet_of);
    for (size_t i = 0; i < timeline->events; i++) {
        const struct machine_event *event = &timeline->event[i];
        if (event->packet == 0) {
            continue;
        }
        const size_t at = place_of(&numbers, event->packet);
        if (event->kind == MACHINE_EVENT_SENT) {
            numbers.place[at].number = event->packet;
            numbers.place[at].word = event->word;
            numbers.place[at].packet = (uint32_t)++timeline->packets;
        }
        const bool same = numbers.place[at].word == event->word; /* or it is older */
        timeline->packet_of[i] = same ? numbers.place[at].packet : 0;
        const bool ends =
            event->kind == MACHINE_EVENT_RECEIVED || event->kind == MACHINE_EVENT_DROPPED;
        if (ends && timeline->packet_of[i] != 0) {
            timeline->packet[timeline->packet_of[i] - 1].ends++;
        }
    }
    free(numbers.place);
    uint64_t end = 1;
    for (size_t i = 0; i < timeline->packets; i++) {
        timeline->packet[i].first_end = end;
        end += timeline->packet[i].ends;
    }
}

void timeline_finish(struct timeline *timeline)
{
    timeline_end_interrupts(timeline);
    sort(timeline);
    join_sleep(timeline);
    connect(timeline);
}
