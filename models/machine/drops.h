/* drops.h - records of the packets that a chip's router has dropped.  Private to models/machine.
 *
 * Memory is allocated with the first record.  A chip keeps its first records and counts the
 * rest. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "models/network/router.h"
C_LINKAGE_BEGIN

struct chip;

struct drops {
    struct machine_drop *record; /* ordered by time */
    uint32_t count, room;
    uint64_t unrecorded;
};

void drops_deinit(struct drops *drops);

/* Makes room for `count` records; false: out of memory. */
bool drops_reserve(struct drops *drops, uint32_t count);

/* A packet has left the router, except for the outputs in event->dumped: adds one record for each
 * of these outputs, or one for a packet without any output. */
void drops_note(struct chip *chip, const struct router_event *event);

/* The router has refused a packet with an error. */
void drops_note_error(struct chip *chip, const struct packet *packet, uint64_t now_ps);

C_LINKAGE_END
