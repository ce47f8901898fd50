/* core.h - one core of a chip with what belongs to it alone: TCMs, interrupt controller, timers,
 * DMA and communications controller, write buffer.  Private to models/machine. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/chip/comms_ctrl.h"
#include "models/chip/dma_ctrl.h"
#include "models/chip/memory_map.h"
#include "models/chip/timer.h"
#include "models/chip/vic.h"
#include "models/chip/write_buffer.h"
#include "models/common/c_linkage.h"
#include "models/common/units.h"
#include "models/machine/core/ports.h"
C_LINKAGE_BEGIN

enum core_state {
    CORE_OFF,     /* never started */
    CORE_RUNNING, /* can run from its time on */
    CORE_ACCESS,  /* stands before an access that is to be performed at access_ps or later */
    CORE_WAITING  /* in wait-for-interrupt */
};

enum { CORE_DTCM_BASE = 0x00400000 };
enum { PRIVATE_WRITES = 4, SIGNALS = 64, DMA_BURST_BYTES = 128 };

/* A change of one of the chip's interrupt lines to a core. */
struct signal {
    uint64_t time_ps;
    bool level;
    uint8_t source; /* enum vic_source */
    uint8_t gap[6]; /* named, so that saved states are the same bytes with every compiler */
};

/* A buffered store to a peripheral of the core, on its way. */
struct private_write {
    uint64_t cycle; /* when it takes effect */
    struct memory_place place;
    uint32_t value;
    bool privileged;
    uint8_t gap[7];
};

/* Bytes of the chip's SDRAM that went to or came from a core or its DMA controller: the core's part
 * of the counters of the same names in sdram_counters.def. */
struct core_traffic {
    uint64_t bytes_read, bytes_written;
};

/* Whether a core does anything but serve its own timers.
 *
 * An awake period, from waking to sleeping again, is a timer's when nothing but the core's own
 * timers (and software interrupts, which it raises itself) asked for it and when it is short; any
 * other one is work. */
/* A handler that takes longer is work, though a timer began it. */
#define CORE_WORK_HANDLER_PS (100 * PS_PER_US)

#define CORE_WORK_TIMER_SOURCES                                                                    \
    (1u << VIC_SOURCE_TIMER1 | 1u << VIC_SOURCE_TIMER2 | 1u << VIC_SOURCE_SOFTWARE)

struct core_work {
    uint64_t worked_ps; /* when it last went to sleep after work */
    uint64_t awake_ps;  /* when it last awoke */
    uint32_t ticks;     /* timers' periods since worked_ps */
    bool by_timers;     /* the present period, or the one that comes next, is a timer's so far */
    uint8_t gap[3];     /* named, so that saved states are the same bytes with every compiler */
};

/* Interrupts that the VIC lets in are asking for the core. */
static inline void core_work_asked(struct core_work *work, uint32_t sources)
{
    work->by_timers &= (sources & ~CORE_WORK_TIMER_SOURCES) == 0;
}

static inline void core_work_sleeps(struct core_work *work, uint64_t now_ps)
{
    if (work->by_timers && now_ps - work->awake_ps <= CORE_WORK_HANDLER_PS) {
        work->ticks++;
    } else {
        work->worked_ps = now_ps;
        work->ticks = 0;
    }
    work->by_timers = true;
}

/* What may be saved by copying. */
struct core_data {
    /* The core's own, which nobody else changes while it runs, and which is rolled back when it has
     * run ahead of an interrupt (ahead.c): up to `buffer`. */
    enum core_state state;
    bool started;       /* ever */
    bool faulted;       /* stands before a fault that is still to be reported */
    bool marked;        /* stands before a mark that is still to be reported */
    uint8_t gap[1];     /* named, so that saved states are the same bytes with every compiler */
    uint64_t access_ps; /* earliest time of the pending access, CORE_ACCESS only */
    uint64_t access_since_ps;
    uint64_t horizon_ps;    /* how far the core has run ahead while others could interrupt it */
    uint64_t enabled_cycle; /* of the core's own last change of interrupt enables */
    uint64_t slept_from_ps; /* the sleep under way, or the part of it that core_count_sleep() has
                               not seen */
    uint64_t send_ps;       /* when the packet was sent that the fabric has not been told of;
                               TIME_NEVER: none */
    uint64_t sends;         /* packets handed to the transmitter */
    uint64_t read_ps;       /* when the core last read a packet */
    struct core_work work;
    uint64_t private_writes; /* on their way, see below */
    struct timer_pair timers;
    struct vic vic;
    struct comms_ctrl comms;
    struct private_write private_write[PRIVATE_WRITES];

    struct write_buffer buffer;
    uint64_t dma_ps;  /* when the DMA burst under way begins (not yet begun) or ends; TIME_NEVER:
                         none */
    uint32_t signals; /* on their way, see below */
    bool stalled;     /* the system controller lets it make no access outside its TCMs */
    bool dma_begun;   /* the burst under way */
    uint8_t gap_behind[2];
    uint64_t dma_begin_ps;
    struct dma_ctrl dma;
    struct dma_burst burst;
    enum dma_burst_end burst_end;
    uint8_t burst_data[DMA_BURST_BYTES];
    uint64_t burst_memory_accesses, burst_cycles; /* of the core when the burst began */
    uint64_t contention_remainder;
    struct core_traffic traffic;
    struct signal signal[SIGNALS]; /* changes of the chip's interrupt lines (system controller,
                                      watchdog, router), in order */
};

/* What a core can do that others may see, or need others for; at equal times in this order. */
enum core_event {
    CORE_EVENT_NONE,
    CORE_EVENT_FREE, /* its transmitter is free, and it wants to know */
    CORE_EVENT_SIGNAL,
    CORE_EVENT_DMA,
    CORE_EVENT_DRAIN,
    CORE_EVENT_SEND,
    CORE_EVENT_ACCESS,
    CORE_EVENT_RUN
};

/* Whether the core is ahead of itself: ahead.h. */
struct core_ahead {
    bool on;
    uint32_t span_cycles; /* how far it goes the next time */
    uint32_t let_in;      /* sources that its VIC has let in meanwhile */
    uint64_t end_ps;      /* how far it goes this time */
    uint64_t begin_ps;
    uint64_t random; /* state of the spans that are drawn, for tests */
    struct core_checkpoint *checkpoint;
};

struct core {
    struct core_config on;
    struct arm968 *cpu;
    uint8_t *itcm, *dtcm;
    enum core_event next_event; /* see core_plan() */
    uint64_t private_cycle;     /* when timers or stores to them will next change something */
    uint64_t pause_ps;          /* the multiple of chip.control_interval after the last event */
    uint64_t sample_at;         /* active cycles */

    /* The run under way, see run.c. */
    bool runs;            /* there is one */
    bool ends;            /* the run is to end after the instruction that is under way */
    uint64_t hard_ps;     /* no run passes it: something known reaches the core then */
    uint64_t line_ps;     /* before it no shared interrupt line can change unforeseen */
    uint64_t packet_ps;   /* before it no unforeseen packet can reach the core */
    uint64_t comms_ps;    /* before it nobody else changes its communications controller */
    uint64_t outer_ps;    /* up to where this run goes, by these and the VIC's enables */
    uint64_t outer_cycle; /* the first cycle at or behind outer_ps */
    struct core_ahead ahead;
    struct core_data d;
};

/* The core is ready to be started.  What `on` points to outlives it.  STATUS_INTERNAL: out of
 * memory. */
enum status core_init(struct core *core, const struct core_config *on,
                      const struct arm968_config *processor);
void core_deinit(struct core *core);

/* The core's clock against machine time. */
static inline const struct pace *core_pace(const struct core *core)
{
    return core->on.pace;
}
static inline uint64_t core_time_ps(const struct core *core)
{
    return pace_ps(core_pace(core), arm968_cycle(core->cpu));
}
static inline uint64_t core_cycle_at(const struct core *core, uint64_t time_ps)
{
    return pace_cycle_up(core_pace(core), time_ps);
}

void core_start(struct core *core, uint32_t entry, uint32_t argument, uint64_t now_ps);

/* When the core will next do something that others may see, or need others for, as it is planned;
 * TIME_NEVER: not by itself. */
static inline uint64_t core_find_next_ps(const struct core *core)
{
    return core->on.turns->time_ps[core->on.index];
}

/* Finds out which event of the core is next, and tells its time to the chip's turns.  To be called
 * after whatever can change either. */
void core_plan(struct core *core);

/* The next event is likely to be the core's: prefetches what it will want. */
void core_prefetch(const struct core *core);

/* Performs the next event.  False: the core stands before a fault, and core_report_fault() must
 * come first. */
bool core_do_event(struct core *core);

/* ---- a run: how far it may go, and how far it did (run.c) ----
 *
 * Three times bound a run.  Up to the first, hard_ps, everything that will happen to the core is
 * known, whatever its VIC lets in.  The second is its lookahead: before it nobody can interrupt it.
 * Behind the lookahead, up to the first, it may only be ahead of itself (ahead.h).  Before the
 * third, comms_ps, nobody changes what its communications controller shows. */

/* Sources that others than the core itself raise, of those that it lets in.  Its own masks in CPSR
 * do not count: the next instruction can take them away. */
static inline uint32_t core_foreign_sources(const struct core *core)
{
    return core->d.vic.enable & ~VIC_OWN_SOURCES;
}

/* The event of running: up to the lookahead, to where the core needs others, or further. */
void core_run(struct core *core, const struct core_time_bounds *bounds);

/* Called from inside an access of the core that runs.  core_end_run(): the run is to end after this
 * instruction.  core_bound_run(): something is now known to reach the core at event_ps.
 * core_rebound_run(): the VIC's enables or the timers have changed; the instruction ends at
 * `cycle`. */
void core_end_run(struct core *core);
void core_bound_run(struct core *core, uint64_t event_ps);
void core_sent(struct core *core); /* it has handed a packet to its transmitter */
void core_rebound_run(struct core *core, uint64_t cycle);

/* From when on something may come to the core that runs, by some sources that others raise, that is
 * not known yet. */
uint64_t core_unknown_ps(const struct core *core, uint32_t sources);

/* Samples are taken at the first instruction boundary at or after each multiple of
 * core_config.sample_every active cycles.  Such a boundary is the same however the core's runs are
 * cut, and to stop there changes nothing.  The cycle up to which a core may run that is to be run
 * up to a horizon: less where a sample is due before.  Has the core come to one, which it may not
 * pass?  And the sample, if one is due. */
uint64_t core_sample_cut(const struct core *core, uint64_t horizon);
bool core_sample_has_come(const struct core *core);
void core_take_sample(struct core *core);

static inline uint64_t core_sample_horizon(const struct core *core, uint64_t horizon)
{
    return core->on.sample_every == 0 ? horizon : core_sample_cut(core, horizon);
}

static inline bool core_sample_is_due(const struct core *core)
{
    return core->on.sample_every != 0 && core_sample_has_come(core);
}

static inline void core_sample(struct core *core)
{
    if (core->on.sample_every != 0) {
        core_take_sample(core);
    }
}

/* Tells the observer; true when he wants the run to end. */
bool core_report_fault(struct core *core);

/* The level of one of the chip's interrupts changes at a time not before now. */
void core_signal(struct core *core, enum vic_source source, bool level, uint64_t time_ps);

/* Brings the interrupt pins in line with timers, DMA, comms and VIC, which have changed at a cycle.
 */
void core_update_interrupts(struct core *core, uint64_t cycle);
void core_update_comms_interrupts(struct core *core, uint64_t cycle); /* comms alone has changed */

/* ---- what a core reaches outside its TCMs (port.c) ----
 *
 * The core's timers and VIC answer at once, and so does its communications controller as long as
 * nobody can have changed what it shows.  Stores that may be posted go into the write buffer.
 * Every other access is an event in the core's turn. */

/* struct arm968_ports: context is the core. */
enum arm968_reply core_port_access(void *context, struct arm968_access *access, uint64_t cycle);

/* Posts a store if it is one that may be posted and there is room for it. */
bool core_post(struct core *core, const struct arm968_access *access, uint64_t now_ps);

/* Can a store there change the core's own interrupt lines? */
bool core_store_comes_back(const struct core *core, uint32_t address);

/* When the first packet on its way to the core comes to its communications controller, or came to
 * where it waits for room; TIME_NEVER: none is on its way. */
static inline uint64_t core_first_packet_ps(const struct core *core)
{
    return core->on.way->count == 0 ? TIME_NEVER : core->on.way->ready_ps[0];
}

/* When it comes into the controller, as far as that is settled; TIME_NEVER: none is on its way, or
 * there is no room. */
static inline uint64_t core_packet_ps(const struct core *core)
{
    return comms_ctrl_can_receive(&core->d.comms) ? core_first_packet_ps(core) : TIME_NEVER;
}

/* ---- what the system controller does to it (control.c) ---- */

/* Puts it into reset: it stops between two instructions at or behind now_ps and forgets what has
 * been posted.  Soft: the ARM core, DMA and communications controller; hard: timers and VIC too.
 * The TCMs keep what they hold. */
void core_reset(struct core *core, bool hard, uint64_t now_ps);

/* Takes it out: it begins at its reset vector, at first_ps. */
void core_leave_reset(struct core *core, uint64_t now_ps, uint64_t first_ps);

/* From now on it stands before its next access outside its TCMs, or goes on. */
void core_stall(struct core *core, bool stalled, uint64_t now_ps);

/* The core's communications controller has been changed from outside. */
void core_comms_changed(struct core *core, uint64_t time_ps);

/* ---- its transmitter (port.c) ----
 *
 * That the transmitter becomes free is an event only where the VIC lets it in.  Elsewhere, whoever
 * looks at the transmitter brings it up to date first. */

/* When the packet in the transmitter will be gone, or was; TIME_NEVER: there is none, or the router
 * has not taken it. */
uint64_t core_free_ps(const struct core *core);

/* Does it have a packet that the router has not taken? */
bool core_awaits_router(const struct core *core);

/* Brings it up to a time. */
void core_advance_transmitter(struct core *core, uint64_t now_ps);

/* The router has taken the core's packet. */
void core_taken(struct core *core);

/* Is a core in wait-for-interrupt at a time at which nobody has anything earlier to do?  It may
 * have run ahead, into a sleep that is yet to come. */
bool core_asleep_at(const struct core *core, uint64_t time_ps);

/* Counts a sleep up to now: beside an own DMA burst it is a wait for that, else, if the VIC lets in
 * that a packet has been received, a wait for packets. */
void core_count_sleep(struct core *core, uint64_t now_ps);

/* Lets a sleeping core sleep up to a time. */
void core_sleep_until(struct core *core, uint64_t time_ps);

/* A TCM byte range as the core sees it, NULL when not wholly in one TCM. */
uint8_t *core_tcm(const struct core *core, uint32_t address, uint32_t bytes);

C_LINKAGE_END
