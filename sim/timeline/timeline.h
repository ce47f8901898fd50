/* timeline.h - the events of a run for a time line (record.timeline): collected while the machine
 * runs, in order and joined up when the run has ended.
 *
 * Times are picoseconds.  The same run has the same time line on any number of threads, however it
 * is divided. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "models/machine/machine.h"
C_LINKAGE_BEGIN

/* Kinds beyond those of the machine: a core was in phase number `word` of stage `detail`; it served
 * an interrupt (`detail` 1: a fast one), to return to address `word` (length 0: its end is not
 * known). */
enum { TIMELINE_PHASE = MACHINE_EVENT_KINDS, TIMELINE_INTERRUPT, TIMELINE_KINDS };

/* What a time line has. */
struct timeline_wish {
    uint32_t kinds;          /* a bit for each kind */
    uint64_t from_ps, to_ps; /* TIME_NEVER: with the run */
    uint64_t most_events;    /* it ends with the part (TIMELINE_PART_PS) that has more */
    const char *cores;       /* "x,y" and "x,y,p", with blanks between them; "": all */
};

/* Machine time between two calls of timeline_take(). */
#define TIMELINE_PART_PS (100 * PS_PER_US)

struct timeline_chip {
    uint8_t x, y, board_x, board_y;
};

/* A packet's ends are the numbers first_end, first_end + 1, ... */
struct timeline_packet {
    uint64_t first_end;
    uint32_t ends;
    uint32_t next; /* for who passes through its ends */
};

/* The interrupt that a core has taken last. */
struct timeline_interrupt {
    uint64_t since_ps;
    uint32_t returns_to;
    bool open; /* it has not been seen to return */
};

struct timeline {
    struct timeline_wish wish;
    uint64_t full_ps;           /* from then on nothing was recorded; TIME_NEVER: all was */
    struct timeline_chip *chip; /* in the order of the machine's */
    size_t chips;
    uint8_t *core; /* [chip * TIMELINE_PLACES + place]: whether it is wanted */
    struct timeline_interrupt *interrupt; /* [(chip * TIMELINE_PLACES + place) * 2 + fast] */
    uint32_t *chip_at;                    /* [x * 256 + y]: 1 + its index */
    struct machine_event *event; /* valid after timeline_finish(): in the order of time, place and
                                    kind */
    size_t events, room;
    struct timeline_packet *packet; /* in the order of their events SENT */
    size_t packets;
    uint32_t *packet_of; /* [event]: 1 + the index of its packet; 0: not known */
};

/* Places of a chip: its cores by physical number, then the chip itself. */
enum { TIMELINE_PLACES = 19 };

/* The wish's `cores` is copied.  STATUS_CONFIGURATION: the text names no core of the machine;
 * `diagnostic` has it without a key. */
enum status timeline_create(const struct timeline_wish *wish, const struct machine *machine,
                            struct timeline **timeline, struct diagnostic *diagnostic);
void timeline_destroy(struct timeline *timeline);

/* The machine time at which the machine must stop next, seen from now_ps, for timeline_take();
 * TIME_NEVER: at none. */
uint64_t timeline_stop_ps(const struct timeline *timeline, uint64_t now_ps);

/* Lets the machine record, or not, from its time on, and takes what it has recorded.  To be called
 * before the first run, and whenever it has stopped. */
void timeline_take(struct timeline *timeline, struct machine *machine);

/* A core was in a phase. */
void timeline_phase(struct timeline *timeline, struct machine_core core, unsigned stage,
                    unsigned phase, uint64_t from_ps, uint64_t to_ps);

/* A core is at the vector of an interrupt; it is at an instruction that returns from one. */
void timeline_interrupt(struct timeline *timeline, struct machine_core core, bool fast,
                        uint32_t returns_to, uint64_t time_ps);
void timeline_return(struct timeline *timeline, struct machine_core core, bool fast,
                     uint64_t time_ps);

/* Whether a kind is wanted. */
bool timeline_wants(const struct timeline *timeline, unsigned kind);

/* Sorts the events, joins stretches of sleep, and connects packets with what became of them. */
void timeline_finish(struct timeline *timeline);

/* For timeline_finish(): the interrupts that have not ended with the run. */
void timeline_end_interrupts(struct timeline *timeline);

/* The index of an event's chip, and its place there. */
size_t timeline_chip_of(const struct timeline *timeline, const struct machine_event *event);
unsigned timeline_place_of(const struct machine_event *event);

C_LINKAGE_END
