/* devices.h - devices of one's own: at the end of a link, and on a chip's system NoC.
 *
 * A device of a link stands where the link leads nowhere: at the edge of a board, or where
 * topology_request.down_link has cut it.  Between chip and device is a link as between two chips,
 * one in each direction, with the same time of a packet, the same buffers and the same credits.  So
 * the device blocks the chip's router when it does not take packets, and waits when the chip does
 * not.  A device of a NoC answers loads, stores and DMA bursts at addresses that no block of the
 * chip has.
 *
 * Order.  Devices of links are called on the thread of machine_run_until(), while no chip runs, in
 * the order (time, chip, link); only then, and between runs, may they call the functions below.
 * What they do cannot reach a chip sooner than a packet or a credit takes on the link, which is
 * what a synchronisation window relies on.  A device of a NoC is called by the thread that runs its
 * chip, in the order of the chip's events; devices of different chips must share nothing unless the
 * machine runs in one thread (machine_config.threads).  So results do not depend on threads.
 *
 * Time is picoseconds.  The present (machine_link_now_ps()) is the time of the call to a device, or
 * between runs that of the machine.  A device that answers before the present is in error: a call
 * is refused, and what a callback returns ends the run with MACHINE_STOPPED, for inspection only
 * (machine_device_error()).
 *
 * Ownership: the machine copies the structs below and owns the ends of links until
 * machine_destroy() or machine_power_on(), which removes all devices.  What waits on a device's
 * link is part of machine_save(); what the device itself holds is its owner's to keep.  A machine
 * with devices has no history (history.h), since devices do not go back.
 *
 * Where no device is, nothing is asked and nothing costs. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "models/machine/machine.h"
API_BEGIN

/* ---- links ---- */

/* A packet as it stands on a link (SpiNNaker datasheet v2.02, 8). */
struct machine_link_packet {
    uint32_t key;     /* the word behind the header.  Point-to-point: source in 31:16, destination
                         in 15:0 */
    uint32_t payload; /* 0 without one */
    uint8_t type;     /* as in struct machine_drop: 0 multicast, 1 point-to-point, 2 nearest
                         neighbour, 3 fixed route */
    uint8_t code;     /* bits 5:2 of the header: emergency routing or sequence in 3:2, time phase in
                         1:0; nearest neighbour: peek or poke in 3, route in 2:0.  0 for an ordinary
                         packet */
    bool has_payload;
    uint8_t gap;
};

/* What machine_link_device.take returns for a packet that is not taken. */
#define MACHINE_LINK_REFUSED UINT64_MAX

struct machine_link_device {
    void *context;
    /* Both 0: those of the chip's link.  Else the time of a packet of 40 bits, in both directions
     * (72 bits take 19/11 of it), 1000 to 10^9 ps; and what a packet takes in addition. */
    uint64_t packet_ps, latency_ps;
    /* A packet has arrived.  Returns when it has been taken, at now_ps or later: its place in the
     * buffer is then free, and the next packet is offered.  MACHINE_LINK_REFUSED: the packet stays,
     * and is offered again after machine_link_resume().  NULL: nobody takes packets; the chip sees a
     * link that leads nowhere. */
    uint64_t (*take)(void *context, const struct machine_link_packet *packet, uint64_t now_ps);
    /* After machine_link_send() has returned STATUS_LIMIT: there is room again.  NULL: not asked. */
    void (*ready)(void *context, uint64_t now_ps);
    /* The time of machine_link_wake() has come.  NULL: not asked. */
    void (*due)(void *context, uint64_t now_ps);
};

/* A device's end of a link. */
struct machine_link;

/* Attaches a device, before the machine's first run.  STATUS_CONFIGURATION: the machine has run; no
 * such chip or link; the link leads to a chip; it has a device; a time out of range.
 * STATUS_INTERNAL: out of memory.  diagnostic may be NULL, here and below. */
enum status machine_attach_link(struct machine *machine, struct machine_chip chip, unsigned link,
                                const struct machine_link_device *device, struct machine_link **end,
                                struct diagnostic *diagnostic);

uint64_t machine_link_now_ps(const struct machine_link *end);

/* Sends a packet to the chip: it enters the device's transmitter at time_ps, and leaves when the
 * packet before it has left and the chip has room.  STATUS_LIMIT: another packet waits there;
 * machine_link_device.ready tells when it has left.  STATUS_CONFIGURATION: time_ps is before the
 * present, or there is no such type or code. */
enum status machine_link_send(struct machine_link *end, const struct machine_link_packet *packet,
                              uint64_t time_ps, struct diagnostic *diagnostic);

/* Calls machine_link_device.due at time_ps; a later call replaces an earlier one.
 * STATUS_CONFIGURATION: time_ps is not after the present (before the first run: before it), or the
 * device has no such function. */
enum status machine_link_wake(struct machine_link *end, uint64_t time_ps,
                              struct diagnostic *diagnostic);

/* Offers the packet again that the device has refused, at time_ps.  STATUS_CONFIGURATION: time_ps is
 * before the present, or none has been refused. */
enum status machine_link_resume(struct machine_link *end, uint64_t time_ps,
                                struct diagnostic *diagnostic);

/* ---- a chip's system NoC ---- */

/* The addresses that devices may have: those of no block (SpiNNaker datasheet v2.02, 3.3:
 * reserved).  Stores are buffered where bit 28 of the address is 0 and the core's write buffer is
 * on. */
#define MACHINE_NOC_FIRST UINT32_C(0x80000000)
#define MACHINE_NOC_LAST  UINT32_C(0xdfffffff)

/* What it returns for an access that it does not answer: a bus error. */
#define MACHINE_NOC_ERROR UINT64_MAX

struct machine_noc_device {
    void *context;
    uint32_t first, bytes; /* its addresses: multiples of 4096 */
    /* An access arrives: 1, 2 or 4 bytes, more for LDM, STM (up to 64) and DMA bursts (up to 128).
     * data: taken (write) or to be filled in, little-endian, during the call.  Returns when the last
     * datum has been delivered or taken, at arrival_ps or later; or MACHINE_NOC_ERROR.  A neighbour's
     * peek or poke, and machine_read_word() and machine_write_word(), come here as well: they take
     * no time, and what is returned does not matter.  Code cannot be fetched from a device. */
    uint64_t (*access)(void *context, uint64_t arrival_ps, uint32_t offset, uint8_t *data,
                       uint32_t bytes, bool write);
};

/* Attaches a device to a chip, which may have several, before the machine's first run.
 * STATUS_CONFIGURATION: the machine has run; no such chip; addresses outside the range above, no
 * multiples of 4096, or those of another device.  STATUS_INTERNAL: out of memory. */
enum status machine_attach_noc(struct machine *machine, struct machine_chip chip,
                               const struct machine_noc_device *device,
                               struct diagnostic *diagnostic);

/* ---- all devices ---- */

/* What is wrong with a device; NULL: nothing. */
const struct diagnostic *machine_device_error(const struct machine *machine);

/* Another simulator whose events must keep step with the machine, such as a SystemC kernel.  Its
 * events come in order with those of devices of links, before theirs at the same time, and like
 * them can send packets. */
struct machine_companion {
    void *context;
    uint64_t (*next_ps)(void *context); /* of its next event; UINT64_MAX: none */
    /* Performs its events up to time_ps, those at that time included. */
    void (*run_until)(void *context, uint64_t time_ps);
};

/* Sets it, before the machine's first run; there is one at most.  STATUS_CONFIGURATION: the machine
 * has run, or has one.  STATUS_INTERNAL: out of memory. */
enum status machine_set_companion(struct machine *machine, struct machine_companion companion,
                                  struct diagnostic *diagnostic);

/* The threads that the machine runs in, at most. */
unsigned machine_threads(const struct machine *machine);

API_END
