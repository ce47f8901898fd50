/* drops.h - records of the packets that a chip's router has given up.  Private to models/machine.
 *
 * Memory appears with the first record; a chip keeps its first records and counts the rest. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "models/network/router.h"
C_LINKAGE_BEGIN

struct chip;

struct drops {
    struct machine_drop *record; /* in the order of time */
    uint32_t count, room;
    uint64_t unrecorded;
};

void drops_deinit(struct drops *drops);

/* Makes room for `count` records; false: there is no memory. */
bool drops_reserve(struct drops *drops, uint32_t count);

/* A packet has left the router, but not by event->dumped: one record for each of these outputs, or
 * one for a packet that had nowhere to go. */
void drops_note(struct chip *chip, const struct router_event *event);

/* The router has refused a packet: it was in error. */
void drops_note_error(struct chip *chip, const struct packet *packet, uint64_t now_ps);

C_LINKAGE_END
