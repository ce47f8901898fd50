/* link_devices.h - the devices at the ends of links, and their events between windows (devices.h).
 * Private to models/machine.
 *
 * For the schedule, all devices together are as one more chip: their next event opens a window, and
 * their events in it are performed when the chips have run.  A chip cannot reach them within the
 * window, nor they a chip. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/chip.h"
#include "models/machine/devices.h"
C_LINKAGE_BEGIN

/* State that may be saved by copying. */
struct link_end_data {
    struct link_tx tx; /* to the chip */
    struct link_rx rx; /* from the chip */
    uint64_t free_ps;  /* the device takes no packet before */
    uint64_t due_ps;   /* it wants to be called; TIME_NEVER: it does not */
    bool refused;      /* it has refused the first packet */
    bool wants_room;   /* it has been told to wait for room */
    uint8_t gap[6];    /* named, so that saved states are the same bytes with every compiler */
};

struct machine_link {
    struct machine_link_device device;
    struct devices *devices;
    struct chip *chip;
    unsigned link; /* of the chip */
    struct link_rate rate;
    uint32_t purpose_hint; /* see purposes_find() */
    struct link_end_data d;
};

/* The devices of a machine. */
struct devices {
    struct machine_link **end; /* in the order of chips and links */
    unsigned count;
    struct machine_companion companion; /* its functions are NULL: there is none */
    uint64_t now_ps;                    /* the present */
    uint64_t last_event_ps;
    bool failed;
    struct diagnostic error; /* of a device that has failed */
};

/* NULL: out of memory. */
struct devices *devices_create(void);
void devices_destroy(struct devices *devices); /* NULL is permitted */

/* Inserts an end, which it owns from now on; NULL: no, it is out of memory. */
struct machine_link *devices_add(struct devices *devices, const struct machine_link *end);

/* The end of a chip's link; NULL: it has no device. */
struct machine_link *devices_find(const struct devices *devices, const struct chip *chip,
                                  unsigned link);

/* The least time of a packet to or from a device; TIME_NEVER: there is none. */
uint64_t devices_shortest_ps(const struct devices *devices);

/* The time of the next event; TIME_NEVER: none. */
uint64_t devices_next_ps(const struct devices *devices);

/* Takes what chips have sent to devices out of their outboxes. */
void devices_collect(struct devices *devices);

/* Performs all events before window_ps. */
void devices_run(struct devices *devices, uint64_t window_ps);

/* A device has done what it must not: the run ends. */
void devices_fail(struct devices *devices, const char *format, ...) PRINTF_LIKE(2, 3);

C_LINKAGE_END
