/* chip.h - one chip: its cores, and the system NoC with what lies behind it.  Private to
 * models/machine. */
#pragma once
#include "models/chip/ahb.h"
#include "models/chip/ram.h"
#include "models/chip/sdram.h"
#include "models/chip/sysctl.h"
#include "models/common/c_linkage.h"
#include "models/machine/blocks.h"
#include "models/machine/control.h"
#include "models/machine/core/core.h"
#include "models/machine/drops.h"
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

struct unmodelled_place {
    enum memory_block block;
    uint32_t offset;
    bool write;
    uint8_t first_core;
    uint8_t gap[6]; /* named, so that saved states are the same bytes with every compiler */
    uint64_t count;
};

/* What may be saved by copying. */
struct chip_data {
    struct sysctl sysctl;
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
    struct chip *chips;              /* all of the machine, in the order of the topology */
    const struct purposes *purposes; /* of packets: the machine's */
    /* The schedule's, to be lowered where a neighbour gives this chip something to do. */
    uint64_t *scheduled_next_ps, *scheduled_reach_ps;
    pthread_mutex_t *observing; /* held around what an observer is told; NULL: one thread runs */
    uint8_t x, y;
    struct machine_parameters parameters;
    struct core core[CHIP_CORES];
    struct blocks blocks;
    struct turns turns;           /* when each core has its next event, and in which order */
    uint64_t window_ps, until_ps; /* of chip_run() */
    unsigned core_count;
    uint32_t outputs;                  /* of the router: links, and the cores that there are */
    const struct topology_chip *place; /* the machine's */
    uint32_t working_cores;            /* a bit for each that is not broken */
    struct ram sdram_content, system_ram;
    struct machine_memory_port memory;
    struct drops drops;
    uint32_t purpose_hint[CHIP_CORES]; /* see purposes_find(): of each core's last packet */
    struct fabric_outbox outbox;       /* empty between runs */
    uint64_t next_ps;     /* of its next event, as chip_run() or chip_plan() has left it */
    uint64_t reach_ps;    /* when that can first begin to leave the chip */
    struct core *faulted; /* stands before a fault that is to be reported; NULL: none */
    struct chip_data d;
};

/* What all chips of a machine share, and outlives them. */
struct chip_setup {
    const struct machine_config *config;
    struct chip *chips;
    const struct purposes *purposes;
    struct arm968_code_library *library;
    struct arm968_translator *translator; /* NULL: cores are interpreted */
};

/* STATUS_INTERNAL: out of memory. */
enum status chip_init(struct chip *chip, const struct chip_setup *setup,
                      const struct topology_chip *place);
void chip_deinit(struct chip *chip);

const struct counter_info *chip_counter_info(size_t *count);

/* The SDRAM the chip has by itself. */
struct machine_memory_port chip_builtin_memory(struct chip *chip);

/* A core's access to the system NoC or to its own DMA and comms registers, at now_ps.  Fills the
 * access's data and abort; returns when it is complete.  An access that fails takes as long. */
uint64_t chip_access(struct chip *chip, struct core *core, struct arm968_access *access,
                     uint64_t now_ps);

/* A DMA burst of a core on the system NoC at now_ps.  Returns when it is complete. */
uint64_t chip_burst(struct core *core, const struct dma_burst *burst, uint8_t *data,
                    uint64_t now_ps, bool *bus_error);

/* A word of the system NoC that a neighbour's router reads or writes; no time passes.  False:
 * nothing answers there. */
bool chip_neighbour_access(struct chip *chip, uint32_t address, bool write, uint32_t *word,
                           uint64_t now_ps);

/* Something at now_ps may have changed the interrupt lines of blocks: what has changed goes to all
 * cores. */
void chip_update_lines(struct chip *chip, uint64_t now_ps);

/* Interrupt bits of cores in the system controller have changed: on their way to them. */
void chip_send_signals(struct chip *chip, uint32_t changed, uint64_t now_ps);

/* Sets cores' interrupt bits in the system controller from outside. */
void chip_signal(struct chip *chip, uint32_t cores, uint64_t now_ps);

/* Counts an access to something that is not modelled. */
void chip_unmodelled(struct chip *chip, const struct core *core, struct memory_place place,
                     bool write);

/* Performs its events as long as the next one begins before window_ps, or until a fault is to be
 * reported; what it does for other chips waits in its outbox.  Leaves the time of the next event in
 * next_ps, TIME_NEVER when nothing can happen any more, and in reach_ps from when on it can begin
 * to reach others. until_ps: the end of the run, not before window_ps. */
void chip_run(struct chip *chip, uint64_t window_ps, uint64_t until_ps);

/* Reports the fault that chip->faulted stands before; the chip can then go on.  True: the observer
 * wants the run to end. */
bool chip_report_fault(struct chip *chip);

/* Finds out when each core has its next event, anew, and leaves next_ps and reach_ps as chip_run()
 * does.
 */
void chip_plan(struct chip *chip);

/* Memory as the host sees it; false when a part of the range is none. */
bool chip_peek(const struct chip *chip, const struct core *core, uint32_t address, uint8_t *bytes,
               uint32_t count);
bool chip_poke(struct chip *chip, struct core *core, uint32_t address, const uint8_t *bytes,
               uint32_t count);

C_LINKAGE_END
