/* timeline_files.h - a time line as a file. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/timeline/timeline.h"
#include <stdio.h>
C_LINKAGE_BEGIN

enum { TIMELINE_TEXT_CHARS = 96 };
enum { TIMELINE_WAITS = MACHINE_WAIT_DMA + 1 }; /* number of enum machine_wait */

/* Mean power over a stretch of time. */
struct timeline_power {
    uint64_t from_ps;
    double watts;
};

/* What the files need to know beside the events.  Texts are UTF-8. */
struct timeline_scene {
    const struct timeline *timeline; /* finished */
    const char *name;                /* of the run */
    uint64_t most_bytes;             /* of all events */
    void *context;
    /* The texts of a phase (without layer: its name alone), a stage, a packet's purpose, what held
     * an output; what a core is: "" if it has no name.  Each is valid until the next call. */
    const char *(*phase)(void *context, unsigned phase);
    const char *(*stage)(void *context, unsigned stage);
    const char *(*purpose)(void *context, unsigned purpose);
    const char *(*holder)(void *context, unsigned holder);
    const char *(*role)(void *context, struct machine_core core);
    unsigned phases, stages;
    const struct timeline_power *power; /* in the order of time */
    size_t powers;
};

/* "phases", "packets sent", ...; what a core waits for: enum machine_wait; a link of a chip. */
const char *timeline_kind_text(unsigned kind);
const char *timeline_wait_text(unsigned wait);
const char *timeline_link_text(unsigned link);

/* For ui.perfetto.dev: a track for each board, chip and core; below a core tracks of its packets,
 * its DMA bursts and its sleep.  Timestamps are whole nanoseconds of machine time; those of phases
 * have an argument `ps` with what is left, unless that is 0.  A packet has a flow from where it was
 * sent to each core that got it, and to each place where a copy was lost. */
void timeline_write_perfetto(const struct timeline_scene *scene, FILE *stream);

/* For gtkwave: phase, sleep, DMA and interrupts of each core, and which links send (IEEE 1364,
 * value change dump; phases as texts, which gtkwave adds to it). */
void timeline_write_vcd(const struct timeline_scene *scene, FILE *stream);

/* For speedscope.app, which works offline, too: the phases of each core, and nothing else. */
void timeline_write_speedscope(const struct timeline_scene *scene, FILE *stream);

C_LINKAGE_END
