/* event_log.h - what happens on a chip, for a time line: packets, DMA bursts and sleep, as
 * machine_record() wants them.  Private to models/machine.
 *
 * A chip notes its own events, in the thread that runs it, and in an order that depends on nothing
 * of the host.  Memory is allocated with the first event. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/compiler.h"
#include "models/machine/core/ports.h"
#include "models/machine/machine.h"
#include "models/machine/traffic.h"
C_LINKAGE_BEGIN

struct event_log {
    uint32_t kinds;               /* a bit for each enum machine_event_kind that is noted */
    uint32_t serial, serial_bits; /* of the packets that the chip's cores send */
    uint32_t count;
    size_t room;
    struct machine_event *event; /* in the order in which they were noted */
};

void event_log_deinit(struct event_log *log);

/* Packets under way lose their numbers, which were another run's, and nothing is noted any more. */
void event_log_forget(struct chip *chip);

static inline bool event_log_wants(const struct event_log *log, enum machine_event_kind kind)
{
    return UNLIKELY((log->kinds >> kind & 1) != 0);
}

/* Bits of struct packet's `number`: of the sender's chip, and of the chip's packets. */
enum { PACKET_NUMBER_BITS = 24 };

/* The router takes the packet at a core's input: the packet gets its number. */
void event_log_sent(struct chip *chip, unsigned core, struct packet *packet, uint64_t now_ps);

/* The first packet on its way to a core enters the communications controller. */
void event_log_received(struct chip *chip, unsigned core, uint64_t now_ps);

/* A link has begun the packet in its transmitter. */
void event_log_link(struct chip *chip, unsigned link, uint64_t now_ps);

/* A copy of a packet is lost. */
void event_log_dropped(struct chip *chip, const struct packet *packet,
                       const struct machine_drop *drop);

/* For core/ports.h: a burst of a core's DMA controller ends; a core has slept. */
void event_log_moved(struct chip *chip, const struct core *core, uint64_t now_ps);
void event_log_slept(struct chip *chip, const struct core *core, struct core_sleep sleep);

C_LINKAGE_END
