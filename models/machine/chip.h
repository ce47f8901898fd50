/* chip.h - one chip: its cores, and the system NoC with everything behind it.  Private to
 * models/machine. */
#pragma once
#include "models/chip/ahb.h"
#include "models/chip/ram.h"
#include "models/chip/sdram.h"
#include "models/chip/serial_rom.h"
#include "models/chip/sysctl.h"
#include "models/common/c_linkage.h"
#include "models/machine/blocks.h"
#include "models/machine/control.h"
#include "models/machine/core/core.h"
#include "models/machine/drops.h"
#include "models/machine/event_log.h"
#include "models/machine/fabric.h"
#include "models/machine/machine.h"
#include <pthread.h>
C_LINKAGE_BEGIN

enum { CHIP_CORES = SYSCTL_CORES, CHIP_UNMODELLED = 256 };

/* First addresses of the memories in their buffered regions. */
#define CHIP_SDRAM_BASE      0x60000000u
#define CHIP_SYSTEM_RAM_BASE 0xe5000000u

struct chip_counters {
#define COUNTER COUNTER_FIELD
#include "models/machine/chip_counters.def"
#undef COUNTER
};

struct noc_devices;

struct unmodelled_place {
    enum memory_block block;
    uint32_t offset;
    bool write;
    uint8_t first_core;
    uint8_t gap[6]; /* named, so that saved states are the same bytes with every compiler */
    uint64_t count;
};

/* State that may be saved by copying. */
struct chip_data {
    struct sysctl sysctl;
    struct serial_rom serial_rom;
    struct sdram sdram;
    struct ahb ahb;
    struct fabric fabric;
    struct chip_counters counters;
    struct unmodelled_place unmodelled[CHIP_UNMODELLED];
    unsigned unmodelled_count;
    uint32_t lines; /* levels of the interrupts that all cores share, each at its source's bit */
    struct control control;
    struct pace pace[SYSCTL_CLOCKS];
    uint64_t late_interrupts;
    uint64_t last_event_ps;
};

struct chip {
    const struct machine_config *config;
    struct chip *chips;              /* all chips of the machine, in the order of the topology */
    const struct purposes *purposes; /* the machine's purposes of packets */
    /* The schedule's times, to be lowered if a neighbour causes an event on this chip. */
    uint64_t *scheduled_next_ps, *scheduled_reach_ps;
    pthread_mutex_t
        *observing; /* held during calls of the observer; NULL: the machine runs in one thread */
    uint8_t x, y;
    struct machine_parameters parameters;
    struct core core[CHIP_CORES];
    struct core_queues *queues; /* of each core */
    struct blocks blocks;
    struct turns turns;           /* the time of each core's next event, and their order */
    uint64_t window_ps, until_ps; /* arguments of chip_run() */
    unsigned core_count;
    uint32_t outputs;                      /* outputs of the router that exist: links, and cores */
    const struct topology_chip *place;     /* the chip's entry in the machine's topology */
    struct link_rate rate[TOPOLOGY_LINKS]; /* of each link */
    uint32_t working_cores;                /* a bit for each working core */
    uint32_t device_links;                 /* a bit for each link at whose end a device takes packets */
    struct ram sdram_content, system_ram;
    struct machine_memory_port memory;
    struct noc_devices *noc; /* NULL: the chip has none */
    struct drops drops;
    struct event_log log;
    uint32_t purpose_hint[CHIP_CORES]; /* of each core's last packet, see purposes_find() */
    struct fabric_outbox outbox;       /* empty between runs */
    uint64_t next_ps;     /* of the chip's next event, as chip_run() or chip_plan() has left it */
    uint64_t reach_ps;    /* the earliest time at which that event can affect another chip */
    struct core *faulted; /* stopped before a fault that has not yet been reported; NULL: none */
    bool mark_ends;       /* the observer ends the run at a mark that it has been told of */
    bool frame_left;      /* a frame for the host has not yet been reported, ... */
    uint64_t frame_ps;    /* ... which left then */
    struct chip_data d;
};

/* Shared by all chips of a machine; must outlive them. */
struct chip_setup {
    const struct machine_config *config;
    struct chip *chips;
    const struct purposes *purposes;
    const struct register_block *const *register_blocks; /* see blocks_init() */
    struct arm968_code_library *library;
    struct arm968_translator *translator; /* NULL: code is only interpreted */
};

/* The chip is zeros, in memory that costs nothing where it is not touched: most of a chip is tables
 * and queues that stay empty.  STATUS_INTERNAL: out of memory. */
enum status chip_init(struct chip *chip, const struct chip_setup *setup,
                      const struct topology_chip *place);
void chip_deinit(struct chip *chip);

const struct counter_info *chip_counter_info(size_t *count);

/* Whether somebody takes the packets of a link: another chip, or a device. */
static inline bool chip_link_leads(const struct chip *chip, unsigned link)
{
    return chip->place->neighbour[link] != TOPOLOGY_NO_CHIP || (chip->device_links >> link & 1) != 0;
}

/* The chip's built-in SDRAM. */
struct machine_memory_port chip_builtin_memory(struct chip *chip);

/* A core's access at now_ps to the system NoC or to its own DMA and comms registers.  Fills in the
 * access's data and abort; returns its completion time.  A failing access takes as long as any
 * other. */
uint64_t chip_access(struct chip *chip, struct core *core, struct arm968_access *access,
                     uint64_t now_ps);

/* A core's DMA burst on the system NoC at now_ps.  Returns its completion time. */
uint64_t chip_burst(struct core *core, const struct dma_burst *burst, uint8_t *data,
                    uint64_t now_ps, bool *bus_error);

/* A neighbour's router reads or writes a word of the system NoC; this takes no time.  False:
 * nothing answers at the address. */
bool chip_neighbour_access(struct chip *chip, uint32_t address, bool write, uint32_t *word,
                           uint64_t now_ps);

/* The system controller's interrupt bits of these cores have changed: sends the signals to the
 * cores. */
void chip_send_signals(struct chip *chip, uint32_t changed, uint64_t now_ps);

/* Sets the system controller's interrupt bits of these cores on behalf of the host. */
void chip_signal(struct chip *chip, uint32_t cores, uint64_t now_ps);

/* Counts an access to something that is not modelled. */
void chip_unmodelled(struct chip *chip, const struct core *core, struct memory_place place,
                     bool write);

/* Executes the chip's events that begin before window_ps, or until a fault or a frame must be
 * reported.
 * Effects on other chips are collected in its outbox.  Sets next_ps to the time of the next event
 * (TIME_NEVER: none can happen any more) and reach_ps to the earliest time at which that event can
 * affect another chip. until_ps: the end of the run, not before window_ps. */
void chip_run(struct chip *chip, uint64_t window_ps, uint64_t until_ps);

/* When the chip's fault or frame happened that must be reported; TIME_NEVER: there is none. */
static inline uint64_t chip_report_ps(const struct chip *chip)
{
    return chip->frame_left ? chip->frame_ps : chip->faulted != NULL ? chip->next_ps : TIME_NEVER;
}

/* Reports that fault or frame, after which the chip can run on.  True: the observer requests a
 * stop. */
bool chip_report(struct chip *chip);

/* Recomputes the next event of each core, and sets next_ps and reach_ps as chip_run() does. */
void chip_plan(struct chip *chip);

/* Reads memory for the host; false if a part of the range is not memory. */
bool chip_peek(const struct chip *chip, const struct core *core, uint32_t address, uint8_t *bytes,
               uint32_t count);
bool chip_poke(struct chip *chip, struct core *core, uint32_t address, const uint8_t *bytes,
               uint32_t count);

C_LINKAGE_END
