/* timeline_vcd.c - see timeline_files.h: a time line as a value change dump. */
#include "models/common/memory.h"
#include "models/common/units.h"
#include "sim/timeline/timeline_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Signals of a place; of a chip: its links. */
enum { PHASE, SLEEP, BURST, IRQ, FIQ, SIGNALS_OF_CORE };
enum { SIGNALS = TOPOLOGY_LINKS };

struct change {
    uint64_t time_ps;
    uint64_t order; /* ends before begins, then as the events come */
    const struct machine_event *event;
    uint32_t signal;
    bool begins;
};

struct dump {
    const struct timeline_scene *scene;
    FILE *stream;
    bool *has; /* [signal]: it changes */
    struct change *change;
    size_t changes;
};

static bool is_shown(const struct machine_event *event)
{
    return event->length_ps > 0 &&
           (event->kind == TIMELINE_PHASE || event->kind == MACHINE_EVENT_SLEPT ||
            event->kind == MACHINE_EVENT_BURST || event->kind == MACHINE_EVENT_LINK ||
            event->kind == TIMELINE_INTERRUPT);
}

static size_t signal_at(size_t chip, unsigned place, unsigned signal)
{
    return (chip * TIMELINE_PLACES + place) * SIGNALS + signal;
}

static size_t signal_of(const struct timeline *timeline, const struct machine_event *event)
{
    static const unsigned SIGNAL[TIMELINE_KINDS] = {[MACHINE_EVENT_SLEPT] = SLEEP,
                                                    [MACHINE_EVENT_BURST] = BURST,
                                                    [TIMELINE_PHASE] = PHASE,
                                                    [TIMELINE_INTERRUPT] = IRQ};
    unsigned signal = SIGNAL[event->kind];
    if (event->kind == MACHINE_EVENT_LINK) {
        signal = event->output;
    } else if (event->kind == TIMELINE_INTERRUPT && event->detail != 0) {
        signal = FIQ;
    }
    return signal_at(timeline_chip_of(timeline, event), timeline_place_of(event), signal);
}

/* ---- changes in the order of time ---- */

static int compare_changes(const void *a, const void *b)
{
    const struct change *first = a;
    const struct change *second = b;
    if (first->time_ps != second->time_ps) {
        return first->time_ps < second->time_ps ? -1 : 1;
    }
    return first->begins != second->begins
               ? first->begins - second->begins
               : (first->order > second->order) - (first->order < second->order);
}

static void find_changes(struct dump *dump)
{
    const struct timeline *timeline = dump->scene->timeline;
    dump->has = calloc(timeline->chips * TIMELINE_PLACES * SIGNALS + 1, sizeof *dump->has);
    dump->change = calloc(2 * timeline->events + 1, sizeof *dump->change);
    memory_need(dump->has);
    memory_need(dump->change);
    for (size_t i = 0; i < timeline->events; i++) {
        const struct machine_event *event = &timeline->event[i];
        if (!is_shown(event)) {
            continue;
        }
        const size_t signal = signal_of(timeline, event);
        dump->has[signal] = true;
        dump->change[dump->changes++] =
            (struct change){event->time_ps, i, event, (uint32_t)signal, true};
        dump->change[dump->changes++] =
            (struct change){event->time_ps + event->length_ps, i, event, (uint32_t)signal, false};
    }
    qsort(dump->change, dump->changes, sizeof *dump->change, compare_changes);
}

/* ---- the head: a scope for each board, chip and core ---- */

struct code {
    char text[8];
};

/* A signal's name in the file: printable characters. */
static struct code code_of(size_t signal)
{
    enum { FIRST = '!', CODES = '~' - '!' + 1 };
    struct code code = {{0}};
    size_t length = 0;
    do {
        code.text[length++] = (char)(FIRST + signal % CODES);
        signal /= CODES;
    } while (signal > 0 && length < sizeof code.text - 1);
    return code;
}

struct word {
    char text[TIMELINE_TEXT_CHARS];
};

/* A text as this format has them: without blanks; and without what no name of a signal has. */
static struct word word_of(const char *text)
{
    struct word word;
    (void)snprintf(word.text, sizeof word.text, "%s", text);
    for (char *at = word.text; *at != '\0'; at++) {
        *at = *at == ' ' || *at == '-' ? '_' : *at;
    }
    return word;
}

static void put_signal(const struct dump *dump, size_t signal, const char *name, bool text)
{
    if (dump->has[signal]) {
        (void)fprintf(dump->stream, "$var %s 1 %s %s $end\n", text ? "string" : "wire",
                      code_of(signal).text, word_of(name).text);
    }
}

static bool has_any(const struct dump *dump, size_t first, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || dump->has[first + i];
    }
    return any;
}

static void put_chip(const struct dump *dump, size_t chip)
{
    const struct timeline_chip *at = &dump->scene->timeline->chip[chip];
    (void)fprintf(dump->stream, "$scope module chip_%u_%u $end\n", at->x, at->y);
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        put_signal(dump, signal_at(chip, TIMELINE_PLACES - 1, link), timeline_link_text(link),
                   false);
    }
    for (unsigned p = 0; p < TIMELINE_PLACES - 1; p++) {
        if (has_any(dump, signal_at(chip, p, 0), SIGNALS_OF_CORE)) {
            (void)fprintf(dump->stream, "$scope module core_%u $end\n", p);
            put_signal(dump, signal_at(chip, p, PHASE), "phase", true);
            put_signal(dump, signal_at(chip, p, SLEEP), "sleep", true);
            put_signal(dump, signal_at(chip, p, BURST), "dma", false);
            put_signal(dump, signal_at(chip, p, IRQ), "irq", false);
            put_signal(dump, signal_at(chip, p, FIQ), "fiq", false);
            (void)fputs("$upscope $end\n", dump->stream);
        }
    }
    (void)fputs("$upscope $end\n", dump->stream);
}

static void put_head(const struct dump *dump)
{
    const struct timeline *timeline = dump->scene->timeline;
    (void)fprintf(dump->stream, "$comment %s $end\n$version spinnsim $end\n$timescale 1 ps $end\n",
                  dump->scene->name);
    for (size_t i = 0; i < timeline->chips; i++) {
        if (has_any(dump, signal_at(i, 0, 0), (size_t)TIMELINE_PLACES * SIGNALS)) {
            put_chip(dump, i);
        }
    }
    (void)fputs("$enddefinitions $end\n", dump->stream);
}

/* ---- changes ---- */

static int put_text(const struct dump *dump, const char *text, size_t signal)
{
    return fprintf(dump->stream, "s%s %s\n", word_of(text).text, code_of(signal).text);
}

static int put_change(const struct dump *dump, const struct change *change)
{
    const struct timeline_scene *scene = dump->scene;
    const struct machine_event *event = change->event;
    switch (event->kind) {
    case TIMELINE_PHASE:
        return put_text(dump, change->begins ? scene->phase(scene->context, event->word) : "",
                        change->signal);
    case MACHINE_EVENT_SLEPT:
        return put_text(dump, change->begins ? timeline_wait_text(event->detail) : "",
                        change->signal);
    default:
        return fprintf(dump->stream, "%d%s\n", change->begins, code_of(change->signal).text);
    }
}

static void put_changes(const struct dump *dump)
{
    const struct timeline *timeline = dump->scene->timeline;
    uint64_t bytes = 0;
    uint64_t time_ps = TIME_NEVER;
    size_t i = 0;
    for (; i < dump->changes && bytes < dump->scene->most_bytes; i++) {
        const struct change *change = &dump->change[i];
        int written = 0;
        if (change->time_ps != time_ps) {
            time_ps = change->time_ps;
            written = fprintf(dump->stream, "#%" PRIu64 "\n", time_ps);
        }
        bytes += (uint64_t)written + (uint64_t)put_change(dump, change);
    }
    if (i < dump->changes || timeline->full_ps != TIME_NEVER) {
        const uint64_t first_ps = i < dump->changes ? dump->change[i].time_ps : timeline->full_ps;
        (void)fprintf(dump->stream,
                      "$comment left out, for record.timeline.bytes: %zu changes and all that "
                      "follows, from %" PRIu64 " ps on $end\n",
                      dump->changes - i, first_ps);
    }
}

void timeline_write_vcd(const struct timeline_scene *scene, FILE *stream)
{
    struct dump dump = {.scene = scene, .stream = stream};
    find_changes(&dump);
    put_head(&dump);
    put_changes(&dump);
    free(dump.has);
    free(dump.change);
}
