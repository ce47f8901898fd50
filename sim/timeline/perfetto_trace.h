/* perfetto_trace.h - a time line while it becomes a file of Perfetto: what events refer to. Private
 * to sim/timeline. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/timeline/perfetto.h"
#include "sim/timeline/timeline_files.h"
C_LINKAGE_BEGIN

/* The number of the file's only sequence of packets. */
enum { SEQUENCE = 1 };

/* Names of events, by number: 1, 2, ... */
enum {
    NAME_PURPOSE = 1,
    NAME_LOST = NAME_PURPOSE + MACHINE_PURPOSES,
    NAME_WAIT = NAME_LOST + MACHINE_PURPOSES,
    NAME_READ = NAME_WAIT + TIMELINE_WAITS,
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

struct perfetto_trace {
    const struct timeline_scene *scene;
    FILE *stream;
    uint64_t bytes; /* of events */
    uint64_t tracks;
    uint32_t *track; /* [(chip * TIMELINE_PLACES + place) * TIMELINE_KINDS + kind]; 0: none */
    uint32_t *link;  /* [chip * TOPOLOGY_LINKS + link] */
    struct timeline_packet *packet; /* a copy, to pass through */
    struct perfetto_message whole, packed, event, argument, names, name;
    uint64_t left_out[TIMELINE_KINDS]; /* events without room in the file */
    uint64_t left_out_ps;              /* the first of them */
};

/* Writes the message `packed` as a packet of the file, and empties it. */
void perfetto_write(struct perfetto_trace *trace);

/* The first packet: all names. */
void perfetto_write_names(struct perfetto_trace *trace);

/* Writes a track below another one (0: none) and returns its number; unit NULL: no counter. */
uint32_t perfetto_write_track(struct perfetto_trace *trace, uint32_t parent, const char *name,
                              const char *unit);

/* Writes the tracks of all places that have events. */
void perfetto_write_tracks(struct perfetto_trace *trace);

/* The track of an event. */
uint32_t perfetto_track_of(const struct perfetto_trace *trace, const struct machine_event *event);

C_LINKAGE_END
