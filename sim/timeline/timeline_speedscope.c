/* timeline_speedscope.c - see timeline_files.h: the phases of a time line for speedscope, a profile
 * for each core (github.com/jlfwong/speedscope, wiki: Importing from custom sources; its file
 * format schema). */
#include "models/common/memory.h"
#include "models/common/units.h"
#include "sim/timeline/timeline_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PRINTABLE = 0x20 };

static void put_string(FILE *stream, const char *text)
{
    (void)fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            (void)fputc('\\', stream);
        }
        if ((unsigned char)*text >= FIRST_PRINTABLE) {
            (void)fputc(*text, stream);
        }
    }
    (void)fputc('"', stream);
}

/* Nanoseconds, exactly. */
static int put_time(FILE *stream, uint64_t time_ps)
{
    return time_ps % PS_PER_NS == 0 ? fprintf(stream, "%" PRIu64, time_ps / PS_PER_NS)
                                    : fprintf(stream, "%" PRIu64 ".%03u", time_ps / PS_PER_NS,
                                              (unsigned)(time_ps % PS_PER_NS));
}

static int put_step(FILE *stream, const char *type, uint32_t frame, uint64_t time_ps)
{
    int bytes = fprintf(stream, "{\"type\":\"%s\",\"frame\":%" PRIu32 ",\"at\":", type, frame);
    bytes += put_time(stream, time_ps);
    return bytes + fprintf(stream, "}");
}

/* The profile of the core with event number `first`; `next` leads to its next event (0: none). */
static uint64_t put_profile(const struct timeline_scene *scene, size_t first, const size_t *next,
                            FILE *stream)
{
    const struct machine_event *event = scene->timeline->event;
    const struct machine_core core = {event[first].x, event[first].y, event[first].p};
    const char *role = scene->role(scene->context, core);
    char name[TIMELINE_TEXT_CHARS];
    uint64_t bytes = 0;
    uint64_t end_ps = event[first].time_ps;
    (void)snprintf(name, sizeof name, "chip %u,%u core %u%s%s", core.x, core.y, core.p,
                   role[0] == '\0' ? "" : " ", role);
    (void)fputs("{\"type\":\"evented\",\"name\":", stream);
    put_string(stream, name);
    (void)fputs(",\"unit\":\"nanoseconds\",\"startValue\":", stream);
    (void)put_time(stream, event[first].time_ps);
    (void)fputs(",\"events\":[", stream);
    for (size_t i = first; bytes < scene->most_bytes; i = next[i]) {
        end_ps = event[i].time_ps + event[i].length_ps;
        (void)fputs(i == first ? "\n" : ",\n", stream);
        bytes += (uint64_t)put_step(stream, "O", event[i].word, event[i].time_ps);
        (void)fputc(',', stream);
        bytes += (uint64_t)put_step(stream, "C", event[i].word, end_ps);
        if (next[i] == 0) {
            break;
        }
    }
    (void)fputs("],\"endValue\":", stream);
    (void)put_time(stream, end_ps);
    (void)fputs("}", stream);
    return bytes;
}

/* For each event that is a phase, the next one of its core; *firsts gets the first of each core, in
 * the order of time. */
static size_t *chain(const struct timeline *timeline, size_t **firsts, size_t *cores)
{
    size_t *next = calloc(timeline->events + 1, sizeof *next);
    size_t *last = calloc(timeline->chips * TIMELINE_PLACES + 1, sizeof *last); /* 1 + its index */
    *firsts = calloc(timeline->chips * TIMELINE_PLACES + 1, sizeof **firsts);
    *cores = 0;
    memory_need(next);
    memory_need(last);
    memory_need(*firsts);
    for (size_t i = 0; i < timeline->events; i++) {
        const struct machine_event *event = &timeline->event[i];
        if (event->kind != TIMELINE_PHASE) {
            continue;
        }
        size_t *of = &last[timeline_chip_of(timeline, event) * TIMELINE_PLACES + event->p];
        if (*of == 0) {
            (*firsts)[(*cores)++] = i;
        } else {
            next[*of - 1] = i;
        }
        *of = i + 1;
    }
    free(last);
    return next;
}

void timeline_write_speedscope(const struct timeline_scene *scene, FILE *stream)
{
    const struct timeline *timeline = scene->timeline;
    size_t *firsts;
    size_t cores;
    size_t *next = chain(timeline, &firsts, &cores);
    uint64_t bytes = 0;
    size_t written = 0;
    (void)fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"shared\":"
                "{\"frames\":[",
                stream);
    for (unsigned i = 0; i < scene->phases; i++) {
        (void)fputs(i == 0 ? "{\"name\":" : ",{\"name\":", stream);
        put_string(stream, scene->phase(scene->context, i));
        (void)fputs("}", stream);
    }
    (void)fputs("]},\n\"profiles\":[", stream);
    for (; written < cores && bytes < scene->most_bytes; written++) {
        (void)fputs(written == 0 ? "\n" : ",\n", stream);
        bytes += put_profile(scene, firsts[written], next, stream);
    }
    (void)fputs("],\n\"name\":", stream);
    put_string(stream, scene->name);
    if (bytes >= scene->most_bytes || timeline->full_ps != TIME_NEVER) {
        (void)fprintf(stream,
                      ",\n\"leftOut\":\"for record.timeline.bytes: %zu cores, the end of another",
                      cores - written);
        if (timeline->full_ps != TIME_NEVER) {
            (void)fprintf(stream, ", and all from %" PRIu64 " ps on", timeline->full_ps);
        }
        (void)fputs("\"", stream);
    }
    (void)fputs("}\n", stream);
    free(firsts);
    free(next);
}
