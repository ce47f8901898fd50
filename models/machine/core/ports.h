/* ports.h - what a core needs from its chip, in the way the ARM core needs its ports.  The chip
 * fills in the functions; models/machine/core knows nothing else of the chip. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/chip/dma_ctrl.h"
#include "models/chip/memory_map.h"
#include "models/common/c_linkage.h"
#include "models/common/run_ahead.h"
#include "models/common/units.h"
#include "models/machine/core/turns.h"
#include "models/machine/parameters.h"
#include "models/network/packet.h"
C_LINKAGE_BEGIN

struct chip;
struct core;

/* The packets between the router and one core.  The chip writes it; the core reads it. */
enum { CORE_WAY_PACKETS = 8 };
struct core_way {
    struct packet packet[CORE_WAY_PACKETS]; /* that have left the router for the core, in order */
    uint64_t
        ready_ps[CORE_WAY_PACKETS]; /* when each arrives at the place where it waits for room */
    uint32_t count;
    uint32_t gap;      /* named, so that saved states are the same bytes with every compiler */
    uint64_t taken;    /* packets taken by the core: those before its last reset count as taken */
    uint64_t taken_ps; /* when the core can see that the last of them has been taken */
    uint64_t received_ps; /* when the most recent packet entered its receiver */
};

/* Times up to which a core may rely on what it knows while it runs by itself. */
struct core_time_bounds {
    uint64_t limit_ps; /* the core must not run beyond this time */
    uint64_t
        others_ps; /* earliest time at which others can change one of the chip's interrupt lines */
    uint64_t packet_ps; /* earliest time at which the router can deliver a packet to this core */
};

/* A stretch of sleep that is counted for one cause. */
struct core_sleep {
    uint64_t from_ps, to_ps;
    uint8_t waits_for; /* enum core_wait */
};
enum core_wait { CORE_WAIT_OTHER, CORE_WAIT_PACKET, CORE_WAIT_DMA };

/* Calls from the core to its chip.  now_ps is the time of the core's current event. */
struct core_ports {
    /* An access to the system NoC or to registers shared with other cores.  Fills in the access's
     * data and abort; returns its completion time.  A failing access takes as long as any other. */
    uint64_t (*access)(struct chip *chip, struct core *core, struct arm968_access *access,
                       uint64_t now_ps);
    /* A DMA burst on the system NoC.  Returns its completion time. */
    uint64_t (*burst)(struct core *core, const struct dma_burst *burst, uint8_t *data,
                      uint64_t now_ps, bool *bus_error);
    /* Whether a device of the chip's owner (models/machine/devices.h) is at an address that no block
     * has. */
    bool (*device)(const struct chip *chip, uint32_t address);
    /* Whether nothing else happens on the chip before now_ps or at that time: an access of the
     * core that has the current event is next in order, and may be performed at once. */
    bool (*is_next)(const struct chip *chip, uint64_t now_ps);
    /* Whether a store to a block can change the core's own interrupt lines. */
    bool (*interrupts)(const struct chip *chip, enum memory_block block);
    /* Called by the core that has the current event. */
    struct core_time_bounds (*time_bounds)(const struct chip *chip);

    /* The core has sent a packet; has read one; its communications controller has been reset. */
    void (*sent)(struct chip *chip, unsigned core, uint64_t now_ps);
    void (*read)(struct chip *chip, unsigned core, uint64_t now_ps);
    void (*reset)(struct chip *chip, unsigned core, uint64_t now_ps);
    /* The core has made room for the first packet on its way, before that packet arrives.  The core
     * has been rolled back, so the packet may have no room after all. */
    void (*expects)(struct chip *chip, unsigned core);
    void (*rolled_back)(struct chip *chip);

    /* For counters: an access to something that is not modelled; a refused access; an interrupt
     * that came too late; how far the core has come. */
    void (*unmodelled)(struct chip *chip, const struct core *core, struct memory_place place,
                       bool write);
    void (*bus_error)(struct chip *chip);
    void (*late)(struct chip *chip);
    void (*reached)(struct chip *chip, uint64_t time_ps);

    /* For the observer: the core is at a mark, or behind a store to watched bytes; a sample is due;
     * a guest fault (true: the run is to end). */
    void (*mark)(struct chip *chip, const struct core *core);
    void (*watch)(struct chip *chip, const struct core *core, uint32_t address);
    void (*sample)(const struct chip *chip, const struct core *core);
    bool (*guest_error)(const struct chip *chip, const struct core *core);

    /* For a time line, of cores that tell them: a burst ends, of which the core still has what it
     * was; the core has slept. */
    void (*moved)(struct chip *chip, const struct core *core, uint64_t now_ps);
    void (*slept)(struct chip *chip, const struct core *core, struct core_sleep sleep);
};

struct core_config {
    struct chip *chip;
    const struct core_ports *ports;
    const struct machine_parameters *parameters;
    const struct core_way *way;
    struct turns *turns;     /* the order of events of the chip's cores */
    const struct pace *pace; /* of the core's clock */
    uint64_t run_ahead;      /* see models/common/run_ahead.h */
    uint64_t sample_every;   /* in active cycles; 0: no samples */
    uint64_t sample_share;   /* see machine_config.sample_share */
    uint32_t write_buffer_entries;
    uint32_t place; /* number of the core in its machine, unique */
    unsigned index; /* physical core number on its chip */
};

C_LINKAGE_END
