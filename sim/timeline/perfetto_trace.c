/* perfetto_trace.c - see perfetto_trace.h. */
#include "sim/timeline/perfetto_trace.h"

#include "models/common/memory.h"

#include <stdlib.h>

void perfetto_write(struct perfetto_trace *trace)
{
    trace->whole.bytes = 0;
    perfetto_put_message(&trace->whole, PERFETTO_TRACE_PACKET, &trace->packed);
    (void)fwrite(trace->whole.byte, 1, trace->whole.bytes, trace->stream);
    trace->bytes += trace->whole.bytes;
}

/* The tracks of a place: its own, where phases are, and one for each other kind. */
enum { TRACKS = TIMELINE_KINDS, OWN_TRACK = TIMELINE_PHASE };
enum { LINK_TRACKS = TOPOLOGY_LINKS };

/* ---- names ---- */

static void put_name(struct perfetto_trace *trace, enum perfetto_field list, uint64_t number,
                     const char *text)
{
    perfetto_put_number(&trace->name, PERFETTO_NAME_NUMBER, number);
    perfetto_put_text(&trace->name, PERFETTO_NAME_TEXT, text);
    perfetto_put_message(&trace->names, list, &trace->name);
}

static void put_event_names(struct perfetto_trace *trace)
{
    const struct timeline_scene *scene = trace->scene;
    char lost[TIMELINE_TEXT_CHARS];
    for (unsigned i = 0; i < MACHINE_PURPOSES; i++) {
        const char *purpose = scene->purpose(scene->context, i);
        (void)snprintf(lost, sizeof lost, "lost: %s", purpose);
        put_name(trace, PERFETTO_NAMES_EVENT, NAME_PURPOSE + i, purpose);
        put_name(trace, PERFETTO_NAMES_EVENT, NAME_LOST + i, lost);
    }
    for (unsigned i = 0; i < TIMELINE_WAITS; i++) {
        put_name(trace, PERFETTO_NAMES_EVENT, NAME_WAIT + i, timeline_wait_text(i));
    }
    put_name(trace, PERFETTO_NAMES_EVENT, NAME_READ, "read");
    put_name(trace, PERFETTO_NAMES_EVENT, NAME_WRITE, "write");
    put_name(trace, PERFETTO_NAMES_EVENT, NAME_INTERRUPT, "IRQ");
    put_name(trace, PERFETTO_NAMES_EVENT, NAME_FAST_INTERRUPT, "FIQ");
    for (unsigned i = 0; i < scene->phases; i++) {
        put_name(trace, PERFETTO_NAMES_EVENT, NAME_PHASE + i, scene->phase(scene->context, i));
    }
    for (unsigned i = 0; i < scene->stages; i++) {
        put_name(trace, PERFETTO_NAMES_CATEGORY, 1 + i, scene->stage(scene->context, i));
    }
}

void perfetto_write_names(struct perfetto_trace *trace)
{
    static const char *const ARGUMENT[ARGUMENTS] = {
        [ARGUMENT_PS] = "ps",           [ARGUMENT_KEY] = "key",
        [ARGUMENT_TYPE] = "type",       [ARGUMENT_BYTES] = "bytes",
        [ARGUMENT_ADDRESS] = "address", [ARGUMENT_OUTPUT] = "output",
        [ARGUMENT_HOLDER] = "held by",  [ARGUMENT_HOLDER_KEY] = "key of the holder",
        [ARGUMENT_WAITED] = "waited_ps"};
    put_event_names(trace);
    for (unsigned i = 1; i < ARGUMENTS; i++) {
        put_name(trace, PERFETTO_NAMES_ARGUMENT, i, ARGUMENT[i]);
    }
    perfetto_put_number(&trace->packed, PERFETTO_PACKET_SEQUENCE, SEQUENCE);
    perfetto_put_number(&trace->packed, PERFETTO_PACKET_SEQUENCE_FLAGS, PERFETTO_NAMES_BEGIN);
    perfetto_put_message(&trace->packed, PERFETTO_PACKET_NAMES, &trace->names);
    perfetto_write(trace);
}

/* ---- tracks ---- */

uint32_t perfetto_write_track(struct perfetto_trace *trace, uint32_t parent, const char *name,
                              const char *unit)
{
    const uint64_t number = ++trace->tracks;
    perfetto_put_number(&trace->event, PERFETTO_TRACK_UUID, number);
    perfetto_put_text(&trace->event, PERFETTO_TRACK_NAME, name);
    if (parent != 0) {
        perfetto_put_number(&trace->event, PERFETTO_TRACK_PARENT, parent);
    }
    if (unit != NULL) {
        perfetto_put_text(&trace->name, PERFETTO_COUNTER_UNIT_NAME, unit);
        perfetto_put_message(&trace->event, PERFETTO_TRACK_COUNTER, &trace->name);
    }
    perfetto_put_number(&trace->event, PERFETTO_TRACK_ORDER, PERFETTO_ORDER_BY_RANK);
    perfetto_put_number(&trace->event, PERFETTO_TRACK_RANK, number);
    perfetto_put_number(&trace->packed, PERFETTO_PACKET_SEQUENCE, SEQUENCE);
    perfetto_put_message(&trace->packed, PERFETTO_PACKET_TRACK, &trace->event);
    perfetto_write(trace);
    return (uint32_t)number;
}

static uint32_t *tracks_of(const struct perfetto_trace *trace, size_t chip, unsigned place)
{
    return trace->track + (chip * TIMELINE_PLACES + place) * TRACKS;
}

/* Marks the tracks that have events; a link is one of its chip's. */
static void find_tracks(struct perfetto_trace *trace)
{
    const struct timeline *timeline = trace->scene->timeline;
    trace->track = calloc(timeline->chips * TIMELINE_PLACES * TRACKS + 1, sizeof *trace->track);
    trace->link = calloc(timeline->chips * LINK_TRACKS + 1, sizeof *trace->link);
    memory_need(trace->track);
    memory_need(trace->link);
    for (size_t i = 0; i < timeline->events; i++) {
        const struct machine_event *event = &timeline->event[i];
        const size_t chip = timeline_chip_of(timeline, event);
        tracks_of(trace, chip, timeline_place_of(event))[event->kind] = 1;
        if (event->kind == MACHINE_EVENT_LINK) {
            trace->link[chip * LINK_TRACKS + event->output] = 1;
        }
    }
}

static bool has_tracks(const struct perfetto_trace *trace, size_t chip, unsigned place)
{
    bool any = false;
    for (unsigned kind = 0; kind < TRACKS; kind++) {
        any = any || tracks_of(trace, chip, place)[kind] != 0;
    }
    return any;
}

static void write_place(struct perfetto_trace *trace, size_t chip, unsigned place, uint32_t above)
{
    static const char *const NAME[TRACKS] = {
        [MACHINE_EVENT_SENT] = "sends",    [MACHINE_EVENT_RECEIVED] = "receives",
        [MACHINE_EVENT_DROPPED] = "drops", [MACHINE_EVENT_BURST] = "DMA",
        [MACHINE_EVENT_SLEPT] = "sleep",   [TIMELINE_INTERRUPT] = "interrupts"};
    uint32_t *track = tracks_of(trace, chip, place);
    for (unsigned kind = 0; kind < TRACKS; kind++) {
        if (track[kind] != 0 && NAME[kind] != NULL) {
            track[kind] = perfetto_write_track(trace, above, NAME[kind], NULL);
        }
    }
}

static void write_core(struct perfetto_trace *trace, size_t chip, unsigned place, uint32_t above)
{
    const struct timeline_scene *scene = trace->scene;
    const struct timeline_chip *at = &scene->timeline->chip[chip];
    const struct machine_core core = {at->x, at->y, (uint8_t)place};
    const char *role = scene->role(scene->context, core);
    char name[TIMELINE_TEXT_CHARS];
    (void)snprintf(name, sizeof name, "core %u%s%s", place, role[0] == '\0' ? "" : " ", role);
    const uint32_t own = perfetto_write_track(trace, above, name, NULL);
    tracks_of(trace, chip, place)[OWN_TRACK] = own;
    write_place(trace, chip, place, own);
}

static void write_chip(struct perfetto_trace *trace, size_t chip, uint32_t above)
{
    const struct timeline_chip *at = &trace->scene->timeline->chip[chip];
    char name[TIMELINE_TEXT_CHARS];
    (void)snprintf(name, sizeof name, "chip %u,%u", at->x, at->y);
    const uint32_t own = perfetto_write_track(trace, above, name, NULL);
    write_place(trace, chip, TIMELINE_PLACES - 1, own);
    for (unsigned link = 0; link < LINK_TRACKS; link++) {
        uint32_t *track = &trace->link[chip * LINK_TRACKS + link];
        *track = *track == 0 ? 0 : perfetto_write_track(trace, own, timeline_link_text(link), NULL);
    }
    for (unsigned place = 0; place < TIMELINE_PLACES - 1; place++) {
        if (has_tracks(trace, chip, place)) {
            write_core(trace, chip, place, own);
        }
    }
}

static bool chip_has_tracks(const struct perfetto_trace *trace, size_t chip)
{
    bool any = false;
    for (unsigned place = 0; place < TIMELINE_PLACES; place++) {
        any = any || has_tracks(trace, chip, place);
    }
    return any;
}

/* A board at its first chip with tracks; its other chips follow it. */
static void write_board(struct perfetto_trace *trace, size_t first, bool *done)
{
    const struct timeline *timeline = trace->scene->timeline;
    const struct timeline_chip *at = &timeline->chip[first];
    char name[TIMELINE_TEXT_CHARS];
    (void)snprintf(name, sizeof name, "board %u,%u", at->board_x, at->board_y);
    const uint32_t own = perfetto_write_track(trace, 0, name, NULL);
    for (size_t i = first; i < timeline->chips; i++) {
        const struct timeline_chip *chip = &timeline->chip[i];
        if (chip->board_x == at->board_x && chip->board_y == at->board_y && !done[i] &&
            chip_has_tracks(trace, i)) {
            done[i] = true;
            write_chip(trace, i, own);
        }
    }
}

void perfetto_write_tracks(struct perfetto_trace *trace)
{
    const struct timeline *timeline = trace->scene->timeline;
    bool *done = calloc(timeline->chips + 1, sizeof *done);
    memory_need(done);
    find_tracks(trace);
    for (size_t i = 0; i < timeline->chips; i++) {
        if (!done[i] && chip_has_tracks(trace, i)) {
            write_board(trace, i, done);
        }
    }
    free(done);
}

uint32_t perfetto_track_of(const struct perfetto_trace *trace, const struct machine_event *event)
{
    const size_t chip = timeline_chip_of(trace->scene->timeline, event);
    return event->kind == MACHINE_EVENT_LINK
               ? trace->link[chip * LINK_TRACKS + event->output]
               : tracks_of(trace, chip, timeline_place_of(event))[event->kind];
}
