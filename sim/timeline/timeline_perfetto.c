/* timeline_perfetto.c - see timeline_files.h: a time line in Perfetto's own format. */
#include "models/common/memory.h"
#include "models/common/units.h"
#include "sim/timeline/perfetto_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- events ---- */

static void put_argument(struct perfetto_trace *trace, unsigned name, enum perfetto_field kind,
                         uint64_t value)
{
    perfetto_put_number(&trace->argument, PERFETTO_ARGUMENT_NAME, name);
    perfetto_put_number(&trace->argument, kind, value);
    perfetto_put_message(&trace->event, PERFETTO_EVENT_ARGUMENT, &trace->argument);
}

static void put_text_argument(struct perfetto_trace *trace, unsigned name, const char *text)
{
    perfetto_put_number(&trace->argument, PERFETTO_ARGUMENT_NAME, name);
    perfetto_put_text(&trace->argument, PERFETTO_ARGUMENT_TEXT, text);
    perfetto_put_message(&trace->event, PERFETTO_EVENT_ARGUMENT, &trace->argument);
}

/* Ends the event that has been put together, and its packet. */
static void write_event(struct perfetto_trace *trace, uint64_t time_ps, bool has_names)
{
    perfetto_put_number(&trace->packed, PERFETTO_PACKET_TIMESTAMP, time_ps / PS_PER_NS);
    perfetto_put_number(&trace->packed, PERFETTO_PACKET_SEQUENCE, SEQUENCE);
    if (has_names) {
        perfetto_put_number(&trace->packed, PERFETTO_PACKET_SEQUENCE_FLAGS, PERFETTO_NEEDS_NAMES);
    }
    perfetto_put_message(&trace->packed, PERFETTO_PACKET_EVENT, &trace->event);
    perfetto_write(trace);
}

static void begin_event(struct perfetto_trace *trace, unsigned type, uint32_t track)
{
    perfetto_put_number(&trace->event, PERFETTO_EVENT_TYPE, type);
    perfetto_put_number(&trace->event, PERFETTO_EVENT_TRACK, track);
}

/* What whole nanoseconds leave of a phase's time. */
static bool put_rest(struct perfetto_trace *trace, const struct machine_event *event,
                     uint64_t time_ps)
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

static void write_slice(struct perfetto_trace *trace, const struct machine_event *event,
                        uint32_t track)
{
    const uint64_t end_ps = event->time_ps + event->length_ps;
    begin_event(trace, PERFETTO_BEGIN, track);
    perfetto_put_number(&trace->event, PERFETTO_EVENT_NAME, name_of(event));
    if (event->kind == TIMELINE_PHASE) {
        perfetto_put_number(&trace->event, PERFETTO_EVENT_CATEGORY, 1u + event->detail);
    }
    if (event->kind == MACHINE_EVENT_BURST) {
        put_argument(trace, ARGUMENT_BYTES, PERFETTO_ARGUMENT_NUMBER, event->other);
    }
    if (event->kind == MACHINE_EVENT_BURST || event->kind == TIMELINE_INTERRUPT) {
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

static void put_drop(struct perfetto_trace *trace, const struct machine_event *event)
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

/* Moments: what becomes of packets, and interrupts whose end is not known. */
static void write_instant(struct perfetto_trace *trace, const struct machine_event *event,
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

/* Whether an event is shown as a stretch of time; what becomes of packets is a moment. */
static bool is_slice(const struct machine_event *event)
{
    return event->kind != MACHINE_EVENT_SENT && event->kind != MACHINE_EVENT_RECEIVED &&
           event->kind != MACHINE_EVENT_DROPPED && event->length_ps > 0;
}

static void write_one(struct perfetto_trace *trace, size_t i)
{
    const struct timeline *timeline = trace->scene->timeline;
    const struct machine_event *event = &timeline->event[i];
    const uint32_t number = timeline->packet_of[i];
    struct timeline_packet *packet = number == 0 ? NULL : &trace->packet[number - 1];
    if (trace->left_out_ps != TIME_NEVER ||
        trace->bytes + most_bytes(packet) > trace->scene->most_bytes) {
        trace->left_out_ps = trace->left_out_ps == TIME_NEVER ? event->time_ps : trace->left_out_ps;
        trace->left_out[event->kind]++;
        return;
    }
    const uint32_t track = perfetto_track_of(trace, event);
    if (is_slice(event)) {
        write_slice(trace, event, track);
    } else {
        write_instant(trace, event, packet, track);
    }
}

static void write_power(struct perfetto_trace *trace)
{
    const struct timeline_scene *scene = trace->scene;
    if (scene->powers == 0) {
        return;
    }
    const uint32_t track = perfetto_write_track(trace, 0, "power of the machine", "W");
    for (size_t i = 0; i < scene->powers; i++) {
        begin_event(trace, PERFETTO_COUNTER, track);
        perfetto_put_real(&trace->event, PERFETTO_EVENT_VALUE, scene->power[i].watts);
        write_event(trace, scene->power[i].from_ps, false);
    }
}

/* ---- what is not there ---- */

static void say(struct perfetto_trace *trace, uint32_t track, uint64_t time_ps, const char *text)
{
    begin_event(trace, PERFETTO_INSTANT, track);
    perfetto_put_text(&trace->event, PERFETTO_EVENT_TEXT, text);
    write_event(trace, time_ps, false);
}

static void write_left_out(struct perfetto_trace *trace)
{
    const struct timeline *timeline = trace->scene->timeline;
    char text[2 * TIMELINE_TEXT_CHARS];
    if (timeline->full_ps == TIME_NEVER && trace->left_out_ps == TIME_NEVER) {
        return;
    }
    const uint32_t track =
        perfetto_write_track(trace, 0, "left out, for record.timeline.bytes", NULL);
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
    struct perfetto_trace trace = {.scene = scene, .stream = stream, .left_out_ps = TIME_NEVER};
    trace.packet = calloc(timeline->packets + 1, sizeof *trace.packet);
    memory_need(trace.packet);
    if (timeline->packets > 0) {
        memcpy(trace.packet, timeline->packet, timeline->packets * sizeof *trace.packet);
    }
    perfetto_write_names(&trace);
    write_power(&trace);
    perfetto_write_tracks(&trace);
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
