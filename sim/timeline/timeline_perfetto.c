/* timeline_perfetto.c - see timeline_files.h: a time line in Perfetto's own format. */
#include "models/common/memory.h"
#include "models/common/units.h"
#include "sim/timeline/perfetto.h"
#include "sim/timeline/timeline_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The tracks of a place: its own, where phases are, and one for each other kind. */
enum { TRACKS = TIMELINE_KINDS, OWN_TRACK = TIMELINE_PHASE };
enum { LINK_TRACKS = TOPOLOGY_LINKS };
enum { SEQUENCE = 1 };

/* Names of events, by number: 1, 2, ... */
enum {
    NAME_PURPOSE = 1,
    NAME_LOST = NAME_PURPOSE + MACHINE_PURPOSES,
    NAME_WAIT = NAME_LOST + MACHINE_PURPOSES,
    NAME_READ = NAME_WAIT + 3,
    NAME_WRITE,
    NAME_INTERRUPT,
    NAME_FAST_INTERRUPT,
    NAME_PHASE
};

/* Names of arguments. */
enum {
    ARGUMENT_PS = 1,
    ARGUMENT_KEY,
    ARGUMENT_TYPE,
    ARGUMENT_BYTES,
    ARGUMENT_ADDRESS,
    ARGUMENT_OUTPUT,
    ARGUMENT_HOLDER,
    ARGUMENT_HOLDER_KEY,
    ARGUMENT_WAITED,
    ARGUMENTS
};

struct trace {
    const struct timeline_scene *scene;
    FILE *stream;
    uint64_t bytes; /* of events */
    uint64_t tracks;
    uint32_t *track; /* [(chip * PLACES + place) * TRACKS + kind]: its number; 0: none */
    uint32_t *link;  /* [chip * links + link] */
    struct timeline_packet *packet; /* a copy, to pass through */
    struct perfetto_message whole, packed, event, argument, names, name;
    uint64_t left_out[TIMELINE_KINDS]; /* events without room in the file */
    uint64_t left_out_ps;              /* the first of them */
};

/* ---- packets of the file ---- */

/* Writes the message `packed` as a packet, and empties it. */
static void write_packed(struct trace *trace)
{
    trace->whole.bytes = 0;
    perfetto_put_message(&trace->whole, PERFETTO_TRACE_PACKET, &trace->packed);
    (void)fwrite(trace->whole.byte, 1, trace->whole.bytes, trace->stream);
    trace->bytes += trace->whole.bytes;
}

static void put_name(struct trace *trace, enum perfetto_field list, uint64_t number,
                     const char *text)
{
    perfetto_put_number(&trace->name, PERFETTO_NAME_NUMBER, number);
    perfetto_put_text(&trace->name, PERFETTO_NAME_TEXT, text);
    perfetto_put_message(&trace->names, list, &trace->name);
}

static void put_event_names(struct trace *trace)
{
    const struct timeline_scene *scene = trace->scene;
    static const char *const WAIT[] = {[MACHINE_WAIT_OTHER] = "sleeps",
                                       [MACHINE_WAIT_PACKET] = "waits for packets",
                                       [MACHINE_WAIT_DMA] = "waits for DMA"};
    char lost[TIMELINE_TEXT_CHARS];
    for (unsigned i = 0; i < MACHINE_PURPOSES; i++) {
        const char *purpose = scene->purpose(scene->context, i);
        (void)snprintf(lost, sizeof lost, "lost: %s", purpose);
        put_name(trace, PERFETTO_NAMES_EVENT, NAME_PURPOSE + i, purpose);
        put_name(trace, PERFETTO_NAMES_EVENT, NAME_LOST + i, lost);
    }
    for (unsigned i = 0; i < sizeof WAIT / sizeof *WAIT; i++) {
        put_name(trace, PERFETTO_NAMES_EVENT, NAME_WAIT + i, WAIT[i]);
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

/* The first packet: all names. */
static void write_names(struct trace *trace)
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
    write_packed(trace);
}

/* ---- tracks ---- */

/* Writes a track below another one (0: none) and returns its number. */
static uint32_t write_track(struct trace *trace, uint32_t parent, const char *name,
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
    write_packed(trace);
    return (uint32_t)number;
}

static uint32_t *tracks_of(const struct trace *trace, size_t chip, unsigned place)
{
    return trace->track + (chip * TIMELINE_PLACES + place) * TRACKS;
}

/* Marks the tracks that have events; a link is one of its chip's. */
static void find_tracks(struct trace *trace)
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

static bool has_tracks(const struct trace *trace, size_t chip, unsigned place)
{
    bool any = false;
    for (unsigned kind = 0; kind < TRACKS; kind++) {
        any = any || tracks_of(trace, chip, place)[kind] != 0;
    }
    return any;
}

static void write_place(struct trace *trace, size_t chip, unsigned place, uint32_t above)
{
    static const char *const NAME[TRACKS] = {
        [MACHINE_EVENT_SENT] = "sends",    [MACHINE_EVENT_RECEIVED] = "receives",
        [MACHINE_EVENT_DROPPED] = "drops", [MACHINE_EVENT_BURST] = "DMA",
        [MACHINE_EVENT_SLEPT] = "sleep",   [TIMELINE_INTERRUPT] = "interrupts"};
    uint32_t *track = tracks_of(trace, chip, place);
    for (unsigned kind = 0; kind < TRACKS; kind++) {
        if (track[kind] != 0 && NAME[kind] != NULL) {
            track[kind] = write_track(trace, above, NAME[kind], NULL);
        }
    }
}

static void write_core(struct trace *trace, size_t chip, unsigned place, uint32_t above)
{
    const struct timeline_scene *scene = trace->scene;
    const struct timeline_chip *at = &scene->timeline->chip[chip];
    const struct machine_core core = {at->x, at->y, (uint8_t)place};
    const char *role = scene->role(scene->context, core);
    char name[TIMELINE_TEXT_CHARS];
    (void)snprintf(name, sizeof name, "core %u%s%s", place, role[0] == '\0' ? "" : " ", role);
    const uint32_t own = write_track(trace, above, name, NULL);
    tracks_of(trace, chip, place)[OWN_TRACK] = own;
    write_place(trace, chip, place, own);
}

static void write_chip(struct trace *trace, size_t chip, uint32_t above)
{
    static const char *const LINK[LINK_TRACKS] = {"link east", "link north-east", "link north",
                                                  "link west", "link south-west", "link south"};
    const struct timeline_chip *at = &trace->scene->timeline->chip[chip];
    char name[TIMELINE_TEXT_CHARS];
    (void)snprintf(name, sizeof name, "chip %u,%u", at->x, at->y);
    const uint32_t own = write_track(trace, above, name, NULL);
    write_place(trace, chip, TIMELINE_PLACES - 1, own);
    for (unsigned link = 0; link < LINK_TRACKS; link++) {
        uint32_t *track = &trace->link[chip * LINK_TRACKS + link];
        *track = *track == 0 ? 0 : write_track(trace, own, LINK[link], NULL);
    }
    for (unsigned place = 0; place < TIMELINE_PLACES - 1; place++) {
        if (has_tracks(trace, chip, place)) {
            write_core(trace, chip, place, own);
        }
    }
}

static bool chip_has_tracks(const struct trace *trace, size_t chip)
{
    bool any = false;
    for (unsigned place = 0; place < TIMELINE_PLACES; place++) {
        any = any || has_tracks(trace, chip, place);
    }
    return any;
}

/* A board at its first chip with tracks; its other chips follow it. */
static void write_board(struct trace *trace, size_t first, bool *done)
{
    const struct timeline *timeline = trace->scene->timeline;
    const struct timeline_chip *at = &timeline->chip[first];
    char name[TIMELINE_TEXT_CHARS];
    (void)snprintf(name, sizeof name, "board %u,%u", at->board_x, at->board_y);
    const uint32_t own = write_track(trace, 0, name, NULL);
    for (size_t i = first; i < timeline->chips; i++) {
        const struct timeline_chip *chip = &timeline->chip[i];
        if (chip->board_x == at->board_x && chip->board_y == at->board_y && !done[i] &&
            chip_has_tracks(trace, i)) {
            done[i] = true;
            write_chip(trace, i, own);
        }
    }
}

static void write_tracks(struct trace *trace)
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

/* ---- events ---- */

static void put_argument(struct trace *trace, unsigned name, enum perfetto_field kind,
                         uint64_t value)
{
    perfetto_put_number(&trace->argument, PERFETTO_ARGUMENT_NAME, name);
    perfetto_put_number(&trace->argument, kind, value);
    perfetto_put_message(&trace->event, PERFETTO_EVENT_ARGUMENT, &trace->argument);
}

static void put_text_argument(struct trace *trace, unsigned name, const char *text)
{
    perfetto_put_number(&trace->argument, PERFETTO_ARGUMENT_NAME, name);
    perfetto_put_text(&trace->argument, PERFETTO_ARGUMENT_TEXT, text);
    perfetto_put_message(&trace->event, PERFETTO_EVENT_ARGUMENT, &trace->argument);
}

/* Ends the event that has been put together, and its packet. */
static void write_event(struct trace *trace, uint64_t time_ps, bool has_names)
{
    perfetto_put_number(&trace->packed, PERFETTO_PACKET_TIMESTAMP, time_ps / PS_PER_NS);
    perfetto_put_number(&trace->packed, PERFETTO_PACKET_SEQUENCE, SEQUENCE);
    if (has_names) {
        perfetto_put_number(&trace->packed, PERFETTO_PACKET_SEQUENCE_FLAGS, PERFETTO_NEEDS_NAMES);
    }
    perfetto_put_message(&trace->packed, PERFETTO_PACKET_EVENT, &trace->event);
    write_packed(trace);
}

static void begin_event(struct trace *trace, unsigned type, uint32_t track)
{
    perfetto_put_number(&trace->event, PERFETTO_EVENT_TYPE, type);
    perfetto_put_number(&trace->event, PERFETTO_EVENT_TRACK, track);
}

/* What whole nanoseconds leave of a phase's time. */
static bool put_rest(struct trace *trace, const struct machine_event *event, uint64_t time_ps)
{
    const bool rest = event->kind == TIMELINE_PHASE && time_ps % PS_PER_NS != 0;
    if (rest) {
        put_argument(trace, ARGUMENT_PS, PERFETTO_ARGUMENT_NUMBER, time_ps % PS_PER_NS);
    }
    return rest;
}

static uint64_t name_of(const struct machine_event *event)
{
    switch (event->kind) {
    case MACHINE_EVENT_DROPPED:
        return NAME_LOST + event->purpose;
    case MACHINE_EVENT_BURST:
        return event->detail != 0 ? NAME_WRITE : NAME_READ;
    case MACHINE_EVENT_SLEPT:
        return NAME_WAIT + event->detail;
    case TIMELINE_INTERRUPT:
        return NAME_INTERRUPT + event->detail;
    case TIMELINE_PHASE:
        return NAME_PHASE + event->word;
    default:
        return NAME_PURPOSE + event->purpose;
    }
}

static void write_slice(struct trace *trace, const struct machine_event *event, uint32_t track)
{
    const uint64_t end_ps = event->time_ps + event->length_ps;
    begin_event(trace, PERFETTO_BEGIN, track);
    perfetto_put_number(&trace->event, PERFETTO_EVENT_NAME, name_of(event));
    if (event->kind == TIMELINE_PHASE) {
        perfetto_put_number(&trace->event, PERFETTO_EVENT_CATEGORY, 1u + event->detail);
    }
    if (event->kind == MACHINE_EVENT_BURST) {
        put_argument(trace, ARGUMENT_BYTES, PERFETTO_ARGUMENT_NUMBER, event->other);
        put_argument(trace, ARGUMENT_ADDRESS, PERFETTO_ARGUMENT_ADDRESS, event->word);
    }
    (void)put_rest(trace, event, event->time_ps);
    write_event(trace, event->time_ps, true);
    begin_event(trace, PERFETTO_END, track);
    const bool rest = put_rest(trace, event, end_ps);
    write_event(trace, end_ps, rest);
}

static const char *output_text(unsigned output, char text[TIMELINE_TEXT_CHARS])
{
    if (output == MACHINE_DROP_NO_OUTPUT) {
        return "none";
    }
    const bool core = output >= TOPOLOGY_LINKS;
    (void)snprintf(text, TIMELINE_TEXT_CHARS, "%s %u", core ? "core" : "link",
                   core ? output - TOPOLOGY_LINKS : output);
    return text;
}

static void put_drop(struct trace *trace, const struct machine_event *event)
{
    const struct timeline_scene *scene = trace->scene;
    char text[TIMELINE_TEXT_CHARS];
    put_text_argument(trace, ARGUMENT_OUTPUT, output_text(event->output, text));
    put_argument(trace, ARGUMENT_WAITED, PERFETTO_ARGUMENT_NUMBER, event->length_ps);
    if (event->detail != MACHINE_DROP_HELD_BY_NONE) {
        put_text_argument(trace, ARGUMENT_HOLDER, scene->holder(scene->context, event->detail));
        put_argument(trace, ARGUMENT_HOLDER_KEY, PERFETTO_ARGUMENT_ADDRESS, event->other);
    }
}

/* What has no length: what becomes of packets, and interrupts. */
static void write_instant(struct trace *trace, const struct machine_event *event,
                          struct timeline_packet *packet, uint32_t track)
{
    begin_event(trace, PERFETTO_INSTANT, track);
    perfetto_put_number(&trace->event, PERFETTO_EVENT_NAME, name_of(event));
    if (event->kind == MACHINE_EVENT_SENT || event->kind == MACHINE_EVENT_DROPPED ||
        (event->kind == MACHINE_EVENT_RECEIVED && packet == NULL)) {
        put_argument(trace, ARGUMENT_KEY, PERFETTO_ARGUMENT_ADDRESS, event->word);
        if (event->type != 0) {
            put_argument(trace, ARGUMENT_TYPE, PERFETTO_ARGUMENT_NUMBER, event->type);
        }
    }
    if (event->kind == TIMELINE_INTERRUPT) {
        put_argument(trace, ARGUMENT_ADDRESS, PERFETTO_ARGUMENT_ADDRESS, event->word);
    }
    if (event->kind == MACHINE_EVENT_DROPPED) {
        put_drop(trace, event);
    }
    if (event->kind == MACHINE_EVENT_SENT) {
        for (uint32_t i = 0; i < packet->ends; i++) {
            perfetto_put_fixed(&trace->event, PERFETTO_EVENT_FLOW, packet->first_end + i);
        }
    } else if (packet != NULL) {
        perfetto_put_fixed(&trace->event, PERFETTO_EVENT_LAST_OF_FLOW,
                           packet->first_end + packet->next++);
    }
    write_event(trace, event->time_ps, true);
}

/* Bytes that an event takes at most. */
static uint64_t most_bytes(const struct timeline_packet *packet)
{
    enum { EVENT_MOST = 256, FLOW_BYTES = 10 };
    return EVENT_MOST + (packet == NULL ? 0 : UINT64_C(1) * FLOW_BYTES * packet->ends);
}

static void write_one(struct trace *trace, size_t i)
{
    const struct timeline *timeline = trace->scene->timeline;
    const struct machine_event *event = &timeline->event[i];
    const size_t chip = timeline_chip_of(timeline, event);
    const uint32_t number = timeline->packet_of[i];
    struct timeline_packet *packet = number == 0 ? NULL : &trace->packet[number - 1];
    if (trace->left_out_ps != TIME_NEVER ||
        trace->bytes + most_bytes(packet) > trace->scene->most_bytes) {
        trace->left_out_ps = trace->left_out_ps == TIME_NEVER ? event->time_ps : trace->left_out_ps;
        trace->left_out[event->kind]++;
        return;
    }
    const uint32_t track = tracks_of(trace, chip, timeline_place_of(event))[event->kind];
    if (event->kind == MACHINE_EVENT_LINK) {
        write_slice(trace, event, trace->link[chip * LINK_TRACKS + event->output]);
    } else if (event->kind == MACHINE_EVENT_SENT || event->kind == MACHINE_EVENT_RECEIVED ||
               event->kind == MACHINE_EVENT_DROPPED || event->kind == TIMELINE_INTERRUPT) {
        write_instant(trace, event, packet, track);
    } else {
        write_slice(trace, event, track);
    }
}

static void write_power(struct trace *trace)
{
    const struct timeline_scene *scene = trace->scene;
    if (scene->powers == 0) {
        return;
    }
    const uint32_t track = write_track(trace, 0, "power of the machine", "W");
    for (size_t i = 0; i < scene->powers; i++) {
        begin_event(trace, PERFETTO_COUNTER, track);
        perfetto_put_real(&trace->event, PERFETTO_EVENT_VALUE, scene->power[i].watts);
        write_event(trace, scene->power[i].from_ps, false);
    }
}

/* ---- what is not there ---- */

static void say(struct trace *trace, uint32_t track, uint64_t time_ps, const char *text)
{
    begin_event(trace, PERFETTO_INSTANT, track);
    perfetto_put_text(&trace->event, PERFETTO_EVENT_TEXT, text);
    write_event(trace, time_ps, false);
}

static void write_left_out(struct trace *trace)
{
    const struct timeline *timeline = trace->scene->timeline;
    char text[2 * TIMELINE_TEXT_CHARS];
    if (timeline->full_ps == TIME_NEVER && trace->left_out_ps == TIME_NEVER) {
        return;
    }
    const uint32_t track = write_track(trace, 0, "left out, for record.timeline.bytes", NULL);
    for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++) {
        if (trace->left_out[kind] > 0) {
            (void)snprintf(text, sizeof text, "%" PRIu64 " %s", trace->left_out[kind],
                           timeline_kind_text(kind));
            say(trace, track, trace->left_out_ps, text);
        }
    }
    if (timeline->full_ps != TIME_NEVER) {
        (void)snprintf(text, sizeof text, "all from %" PRIu64 " ps on", timeline->full_ps);
        say(trace, track, timeline->full_ps, text);
    }
}

void timeline_write_perfetto(const struct timeline_scene *scene, FILE *stream)
{
    const struct timeline *timeline = scene->timeline;
    struct trace trace = {.scene = scene, .stream = stream, .left_out_ps = TIME_NEVER};
    trace.packet = calloc(timeline->packets + 1, sizeof *trace.packet);
    memory_need(trace.packet);
    if (timeline->packets > 0) {
        memcpy(trace.packet, timeline->packet, timeline->packets * sizeof *trace.packet);
    }
    write_names(&trace);
    write_power(&trace);
    write_tracks(&trace);
    trace.bytes = 0;
    for (size_t i = 0; i < timeline->events; i++) {
        write_one(&trace, i);
    }
    write_left_out(&trace);
    free(trace.packet);
    free(trace.track);
    free(trace.link);
    perfetto_message_deinit(&trace.whole);
    perfetto_message_deinit(&trace.packed);
    perfetto_message_deinit(&trace.event);
    perfetto_message_deinit(&trace.argument);
    perfetto_message_deinit(&trace.names);
    perfetto_message_deinit(&trace.name);
}
