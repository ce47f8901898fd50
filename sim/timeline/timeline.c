/* timeline.c - see timeline.h. */
#include "sim/timeline/timeline.h"

#include "models/common/memory.h"
#include "models/common/units.h"
#include "sim/grow.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 256 };
enum { INTERRUPTS = 2 }; /* of a core: IRQ, FIQ */

static size_t chip_index(const struct timeline *timeline, unsigned x, unsigned y)
{
    return timeline->chip_at[x * SIDE + y] - 1;
}

/* ---- which cores ---- */

/* A number below `below` at *at, which moves behind it. */
static bool take_number(const char **at, unsigned below, unsigned *number)
{
    enum { RADIX = 10 };
    char *end;
    if (**at < '0' || **at > '9') {
        return false;
    }
    const unsigned long value = strtoul(*at, &end, RADIX);
    *at = end;
    *number = (unsigned)(value < below ? value : below - 1);
    return value < below;
}

static bool take_comma(const char **at)
{
    if (**at != ',') {
        return false;
    }
    (*at)++;
    return true;
}

/* Reads "x,y" or "x,y,p" up to a blank or the end; *p is TIMELINE_PLACES for a whole chip. */
static bool take_core(const char **at, unsigned *x, unsigned *y, unsigned *p)
{
    *p = TIMELINE_PLACES;
    if (!take_number(at, SIDE, x) || !take_comma(at) || !take_number(at, SIDE, y)) {
        return false;
    }
    if (take_comma(at) && !take_number(at, TOPOLOGY_CORES, p)) {
        return false;
    }
    return **at == '\0' || **at == ' ';
}

static bool want(struct timeline *timeline, const char **at)
{
    unsigned x;
    unsigned y;
    unsigned p;
    if (!take_core(at, &x, &y, &p) || timeline->chip_at[x * SIDE + y] == 0) {
        return false;
    }
    uint8_t *places = timeline->core + chip_index(timeline, x, y) * TIMELINE_PLACES;
    if (p == TIMELINE_PLACES) {
        memset(places, 1, TIMELINE_PLACES);
    } else {
        places[p] = 1;
    }
    return true;
}

static enum status want_cores(struct timeline *timeline, struct diagnostic *diagnostic)
{
    const char *at = timeline->wish.cores;
    memset(timeline->core, at[strspn(at, " ")] == '\0', timeline->chips * TIMELINE_PLACES);
    for (at += strspn(at, " "); *at != '\0'; at += strspn(at, " ")) {
        const char *word = at;
        if (!want(timeline, &at)) {
            return diagnose(diagnostic, STATUS_CONFIGURATION,
                            "\"%.*s\" names no chip or core of the machine\v"
                            "chips x,y and cores x,y,p, with blanks between them",
                            (int)strcspn(word, " "), word);
        }
    }
    return STATUS_OK;
}

/* ---- life cycle ---- */

static bool fill(struct timeline *timeline, const struct machine *machine)
{
    const struct topology *topology = machine_topology(machine);
    timeline->chips = topology->count;
    timeline->chip = calloc(topology->count, sizeof *timeline->chip);
    timeline->core = calloc(topology->count, TIMELINE_PLACES);
    timeline->interrupt =
        calloc(topology->count * TIMELINE_PLACES * INTERRUPTS, sizeof *timeline->interrupt);
    timeline->chip_at = calloc((size_t)SIDE * SIDE, sizeof *timeline->chip_at);
    timeline->wish.cores = strdup(timeline->wish.cores);
    if (timeline->chip == NULL || timeline->core == NULL || timeline->interrupt == NULL ||
        timeline->chip_at == NULL || timeline->wish.cores == NULL) {
        return false;
    }
    for (size_t i = 0; i < topology->count; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        timeline->chip[i] =
            (struct timeline_chip){chip->x, chip->y, chip->ethernet_x, chip->ethernet_y};
        timeline->chip_at[chip->x * SIDE + chip->y] = (uint32_t)i + 1;
    }
    return true;
}

enum status timeline_create(const struct timeline_wish *wish, const struct machine *machine,
                            struct timeline **timeline, struct diagnostic *diagnostic)
{
    struct timeline *made = calloc(1, sizeof *made);
    *timeline = NULL;
    if (made == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    made->wish = *wish;
    made->full_ps = TIME_NEVER;
    enum status status = fill(made, machine)
                             ? want_cores(made, diagnostic)
                             : diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    if (status != STATUS_OK) {
        timeline_destroy(made);
        return status;
    }
    *timeline = made;
    return STATUS_OK;
}

void timeline_destroy(struct timeline *timeline)
{
    if (timeline == NULL) {
        return;
    }
    free((char *)timeline->wish.cores);
    free(timeline->chip);
    free(timeline->core);
    free(timeline->interrupt);
    free(timeline->chip_at);
    free(timeline->event);
    free(timeline->packet);
    free(timeline->packet_of);
    free(timeline);
}

/* ---- collecting ---- */

size_t timeline_chip_of(const struct timeline *timeline, const struct machine_event *event)
{
    return chip_index(timeline, event->x, event->y);
}

unsigned timeline_place_of(const struct machine_event *event)
{
    return event->p == MACHINE_EVENT_ROUTER ? TIMELINE_PLACES - 1u : event->p;
}

/* Whether an event lasts: the part of it that is in the time line is kept. */
static bool lasts(const struct machine_event *event)
{
    return event->kind == MACHINE_EVENT_BURST || event->kind == MACHINE_EVENT_SLEPT ||
           event->kind == MACHINE_EVENT_LINK || event->kind == TIMELINE_PHASE ||
           (event->kind == TIMELINE_INTERRUPT && event->length_ps > 0);
}

static void keep(void *context, const struct machine_event *event)
{
    struct timeline *timeline = context;
    const uint64_t from_ps = timeline->wish.from_ps;
    const uint64_t to_ps =
        timeline->wish.to_ps < timeline->full_ps ? timeline->wish.to_ps : timeline->full_ps;
    struct machine_event kept = *event;
    if (lasts(event)) {
        const uint64_t end_ps = event->time_ps + event->length_ps;
        kept.time_ps = event->time_ps > from_ps ? event->time_ps : from_ps;
        kept.length_ps = (end_ps < to_ps ? end_ps : to_ps) - kept.time_ps;
        if (end_ps <= from_ps || event->time_ps >= to_ps || kept.length_ps == 0) {
            return;
        }
    } else if (event->time_ps < from_ps || event->time_ps >= to_ps) {
        return;
    }
    if (timeline->core[timeline_chip_of(timeline, event) * TIMELINE_PLACES +
                       timeline_place_of(event)] == 0) {
        return;
    }
    timeline->event = grow(timeline->event, &timeline->room, timeline->events, sizeof kept);
    memory_need(timeline->event);
    timeline->event[timeline->events++] = kept;
}

bool timeline_wants(const struct timeline *timeline, unsigned kind)
{
    return (timeline->wish.kinds >> kind & 1) != 0;
}

/* What a core has done: an event that is not the machine's. */
static struct machine_event of_core(struct machine_core core, unsigned kind, uint64_t from_ps,
                                    uint64_t to_ps)
{
    return (struct machine_event){.time_ps = from_ps,
                                  .length_ps = to_ps - from_ps,
                                  .x = core.x,
                                  .y = core.y,
                                  .p = core.p,
                                  .kind = (uint8_t)kind};
}

void timeline_phase(struct timeline *timeline, struct machine_core core, unsigned stage,
                    unsigned phase, uint64_t from_ps, uint64_t to_ps)
{
    if (timeline_wants(timeline, TIMELINE_PHASE) && from_ps < to_ps) {
        struct machine_event event = of_core(core, TIMELINE_PHASE, from_ps, to_ps);
        event.word = phase;
        event.detail = (uint8_t)stage;
        keep(timeline, &event);
    }
}

/* ---- interrupts ---- */

static struct timeline_interrupt *interrupt_of(const struct timeline *timeline,
                                               struct machine_core core, bool fast)
{
    const size_t place = chip_index(timeline, core.x, core.y) * TIMELINE_PLACES + core.p;
    return &timeline->interrupt[place * INTERRUPTS + fast];
}

/* The interrupt that the core has taken has ended; to_ps is its beginning: when is not known. */
static void end_interrupt(struct timeline *timeline, struct machine_core core, bool fast,
                          uint64_t to_ps)
{
    struct timeline_interrupt *interrupt = interrupt_of(timeline, core, fast);
    struct machine_event event = of_core(core, TIMELINE_INTERRUPT, interrupt->since_ps, to_ps);
    event.word = interrupt->returns_to;
    event.detail = fast;
    keep(timeline, &event);
    interrupt->open = false;
}

void timeline_interrupt(struct timeline *timeline, struct machine_core core, bool fast,
                        uint32_t returns_to, uint64_t time_ps)
{
    struct timeline_interrupt *interrupt = interrupt_of(timeline, core, fast);
    if (interrupt->open) {
        end_interrupt(timeline, core, fast, interrupt->since_ps);
    }
    *interrupt = (struct timeline_interrupt){time_ps, returns_to, true};
}

void timeline_return(struct timeline *timeline, struct machine_core core, bool fast,
                     uint64_t time_ps)
{
    if (interrupt_of(timeline, core, fast)->open) {
        end_interrupt(timeline, core, fast, time_ps);
    }
}

void timeline_end_interrupts(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->chips * TIMELINE_PLACES * INTERRUPTS; i++) {
        const struct timeline_interrupt *interrupt = &timeline->interrupt[i];
        const size_t place = i / INTERRUPTS;
        const struct timeline_chip *chip = &timeline->chip[place / TIMELINE_PLACES];
        const struct machine_core core = {chip->x, chip->y, (uint8_t)(place % TIMELINE_PLACES)};
        if (interrupt->open) {
            end_interrupt(timeline, core, i % INTERRUPTS != 0, interrupt->since_ps);
        }
    }
}

/* ---- what the machine has recorded ---- */

static bool is_over(const struct timeline *timeline, uint64_t now_ps)
{
    return now_ps >= timeline->wish.to_ps || timeline->full_ps != TIME_NEVER;
}

uint64_t timeline_stop_ps(const struct timeline *timeline, uint64_t now_ps)
{
    if (is_over(timeline, now_ps)) {
        return TIME_NEVER;
    }
    if (now_ps < timeline->wish.from_ps) {
        return timeline->wish.from_ps;
    }
    const uint64_t next_ps = (now_ps / TIMELINE_PART_PS + 1) * TIMELINE_PART_PS;
    return next_ps < timeline->wish.to_ps ? next_ps : timeline->wish.to_ps;
}

void timeline_take(struct timeline *timeline, struct machine *machine)
{
    const uint64_t now_ps = machine_time_ps(machine);
    machine_take_events(machine, keep, timeline);
    if (timeline->events > timeline->wish.most_events && timeline->full_ps == TIME_NEVER) {
        timeline->full_ps = now_ps;
    }
    const bool records = now_ps >= timeline->wish.from_ps && !is_over(timeline, now_ps);
    machine_record(machine, records ? timeline->wish.kinds & ((1u << MACHINE_EVENT_KINDS) - 1) : 0);
}
