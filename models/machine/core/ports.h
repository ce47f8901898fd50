/* ports.h - what a core needs of the chip that it is on, as the ARM core needs its ports.  The chip
 * fills it in; nothing else of the chip is known to models/machine/core. */
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

/* The way between the router and one core.  The chip writes it; the core reads it. */
enum { CORE_WAY_PACKETS = 8 };
struct core_way {
    struct packet packet[CORE_WAY_PACKETS]; /* that have left the router for the core, in order */
    uint64_t ready_ps[CORE_WAY_PACKETS];    /* when each comes to where it waits for room */
    uint32_t count;
    uint32_t gap;         /* named, so that saved states are the same bytes with every compiler */
    uint64_t taken;       /* packets of the core's: those before its last reset count as taken */
    uint64_t taken_ps;    /* when the core can see that the last of them is gone */
    uint64_t received_ps; /* when the packet that is or was last in its receiver came there */
};

/* Up to when a core may rely on what it knows while it runs by itself. */
struct core_time_bounds {
    uint64_t limit_ps;  /* nobody may be disturbed past it */
    uint64_t others_ps; /* before it nobody changes one of the chip's interrupt lines */
    uint64_t packet_ps; /* before it nothing leaves the router for a core */
};

/* Calls of the core to its chip.  now_ps is the time of the event that the core performs. */
struct core_ports {
    /* An access to the system NoC or to registers that others share.  Fills the access's data and
     * abort; returns when it is complete.  An access that fails takes as long. */
    uint64_t (*access)(struct chip *chip, struct core *core, struct arm968_access *access,
                       uint64_t now_ps);
    /* A DMA burst on the system NoC.  Returns when it is complete. */
    uint64_t (*burst)(struct core *core, const struct dma_burst *burst, uint8_t *data,
                      uint64_t now_ps, bool *bus_error);
    /* Can a store to a block change the core's own interrupt lines? */
    bool (*interrupts)(const struct chip *chip, enum memory_block block);
    /* Asked by the core whose turn it is. */
    struct core_time_bounds (*time_bounds)(const struct chip *chip);

    /* The core has sent a packet; has read one; its communications controller has been reset. */
    void (*sent)(struct chip *chip, unsigned core, uint64_t now_ps);
    void (*read)(struct chip *chip, unsigned core, uint64_t now_ps);
    void (*reset)(struct chip *chip, unsigned core, uint64_t now_ps);
    /* It has made room for the first packet on its way, before that comes; it has been rolled
     * back, so what it had made room for may have none. */
    void (*expects)(struct chip *chip, unsigned core);
    void (*rolled_back)(struct chip *chip);

    /* To be counted: an access to what is not modelled; one that was refused; an interrupt that
     * came too late; how far the core has come. */
    void (*unmodelled)(struct chip *chip, const struct core *core, struct memory_place place,
                       bool write);
    void (*bus_error)(struct chip *chip);
    void (*late)(struct chip *chip);
    void (*reached)(struct chip *chip, uint64_t time_ps);

    /* For the observer: the core stands at a mark; a sample is due; it has made a mistake (true:
     * the run is to end). */
    void (*mark)(const struct chip *chip, const struct core *core);
    void (*sample)(const struct chip *chip, const struct core *core);
    bool (*guest_error)(const struct chip *chip, const struct core *core);
};

struct core_config {
    struct chip *chip;
    const struct core_ports *ports;
    const struct machine_parameters *parameters;
    const struct core_way *way;
    struct turns *turns;     /* of the chip's cores */
    const struct pace *pace; /* of the core's clock */
    uint64_t run_ahead;      /* models/common/run_ahead.h */
    uint64_t sample_every;   /* active cycles; 0: nobody wants samples */
    uint32_t write_buffer_entries;
    uint32_t place; /* of the core in its machine: no two have the same */
    unsigned index; /* physical number */
};

C_LINKAGE_END
