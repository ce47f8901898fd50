/* core.h - one core of a chip and what belongs to it alone: TCMs, interrupt controller, timers, DMA
 * controller, communications controller and write buffer.  Private to models/machine. */
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
    CORE_RUNNING, /* able to run from its current time on */
    CORE_ACCESS,  /* waiting to perform an access, at access_ps or later */
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

/* A buffered store to a peripheral of the core that has not yet taken effect. */
struct private_write {
    uint64_t cycle; /* when it takes effect */
    struct memory_place place;
    uint32_t value;
    bool privileged;
    uint8_t gap[7];
};

/* Bytes of the chip's SDRAM read and written by a core or its DMA controller: the core's part of
 * the counters of the same names in sdram_counters.def. */
struct core_traffic {
    uint64_t bytes_read, bytes_written;
};

/* Whether a core does anything other than serve its own timers.  An awake period lasts from waking
 * to going to sleep again.  It counts as a timer's if only the core's own timers (and software
 * interrupts, which the core raises itself) requested it and if it is short; any other awake period
 * is work. */
/* A longer awake period is work, even if a timer started it. */
#define CORE_WORK_HANDLER_PS (100 * PS_PER_US)

#define CORE_WORK_TIMER_SOURCES                                                                    \
    (1u << VIC_SOURCE_TIMER1 | 1u << VIC_SOURCE_TIMER2 | 1u << VIC_SOURCE_SOFTWARE)

struct core_work {
    uint64_t worked_ps; /* when the core last went to sleep after work */
    uint64_t awake_ps;  /* when the core last woke */
    uint32_t ticks;     /* timer periods since worked_ps */
    bool by_timers;     /* only timers have requested the current (or next) awake period so far */
    uint8_t gap[3];     /* named, so that saved states are the same bytes with every compiler */
};

/* Interrupts that the VIC has enabled are pending for the core. */
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

/* State that may be saved by copying. */
struct core_data {
    /* State that nobody but the core changes while it runs, and that is rolled back when the core
     * has run ahead of an interrupt (ahead.c): up to `buffer`. */
    enum core_state state;
    bool started;       /* has been started at least once */
    bool faulted;       /* stopped before a fault that has not yet been reported */
    bool marked;        /* stopped before a mark that has not yet been reported */
    uint8_t gap[1];     /* named, so that saved states are the same bytes with every compiler */
    uint64_t access_ps; /* earliest time of the pending access, CORE_ACCESS only */
    uint64_t access_since_ps;
    uint64_t horizon_ps;    /* how far the core has run ahead of possible interrupts */
    uint64_t enabled_cycle; /* cycle of the core's own last change of interrupt enables */
    uint64_t slept_from_ps; /* start of the current sleep, or of the part that core_count_sleep()
                               has not yet counted */
    uint64_t send_ps;       /* when the packet was sent that the fabric has not yet been told of;
                               TIME_NEVER: none */
    uint64_t sends;         /* packets handed to the transmitter */
    uint64_t read_ps;       /* when the core last read a packet */
    struct core_work work;
    uint64_t private_writes; /* not yet in effect, see below */
    struct timer_pair timers;
    struct vic vic;
    struct comms_ctrl comms;
    struct private_write private_write[PRIVATE_WRITES];

    /* From here on the state is not rolled back. */
    struct write_buffer buffer; /* its stores: core_queues */
    uint64_t dma_ps; /* when the current DMA burst begins (if it has not begun) or ends; TIME_NEVER:
                        none */
    uint32_t signals; /* not yet in effect, see below */
    bool stalled;     /* the system controller blocks its accesses outside its TCMs */
    bool dma_begun;   /* the current burst has begun */
    uint8_t gap_behind[2];
    uint64_t dma_begin_ps;
    struct dma_ctrl dma;
    struct dma_burst burst;
    enum dma_burst_end burst_end;
    uint64_t burst_memory_accesses, burst_cycle; /* of the core when the burst began */
    uint64_t contention_remainder;
    struct core_traffic traffic;
};

/* What a core keeps of posted stores, DMA bursts and changes of interrupt lines that are under way:
 * large and rarely used, so it stands apart from the rest.  State that may be saved by copying. */
struct core_queues {
    struct posted_store store[WRITE_BUFFER_STORES]; /* of the write buffer */
    struct signal signal[SIGNALS]; /* pending changes of the chip's interrupt lines (system
                                      controller, watchdog, router), in order */
    uint8_t burst_data[DMA_BURST_BYTES];
};

/* Events that involve state shared with other cores.  Events at the same time are performed in this
 * order. */
enum core_event {
    CORE_EVENT_NONE,
    CORE_EVENT_FREE, /* its transmitter becomes free and the VIC has that interrupt enabled */
    CORE_EVENT_SIGNAL,
    CORE_EVENT_DMA,
    CORE_EVENT_DRAIN,
    CORE_EVENT_SEND,
    CORE_EVENT_ACCESS,
    CORE_EVENT_RUN
};

/* State of a core that runs beyond its lookahead: see ahead.h. */
struct core_ahead {
    bool on;
    bool met;             /* the last run has met an access or a mark, or has not advanced */
    uint32_t span_cycles; /* length of the next span ahead */
    uint32_t let_in;      /* sources that its VIC has enabled meanwhile */
    uint64_t end_ps;      /* end of the current span ahead */
    uint64_t begin_ps;
    uint64_t random; /* generator state for spans drawn at random, in tests */
    struct core_checkpoint *checkpoint;
};

struct core {
    struct core_config on;
    struct arm968 *cpu;
    uint8_t *itcm, *dtcm;
    enum core_event next_event; /* see core_plan() */
    uint64_t private_cycle;     /* when timers, or stores to them, will next change something */
    uint64_t pause_ps;          /* the multiple of chip.control_interval after the last event */
    uint64_t sample_at;         /* in active cycles */

    /* The current run, see bounds.c. */
    bool runs;                      /* a run is in progress */
    bool ends;                      /* the run is to end after the current instruction */
    bool tells_bursts, tells_sleep; /* see core_ports.moved, slept */
    uint64_t hard_ps;               /* end of every run: something known reaches the core then */
    uint64_t line_ps;   /* earliest time at which a shared interrupt line can change unforeseen */
    uint64_t packet_ps; /* earliest time at which an unforeseen packet can reach the core */
    uint64_t comms_ps;  /* earliest time at which others can change its communications controller */
    uint64_t outer_ps;  /* end of this run, by these bounds and the VIC's enables */
    uint64_t outer_cycle; /* first cycle at or after outer_ps */
    struct core_ahead ahead;
    struct core_queues *queues; /* zeros at first; the chip's memory */
    struct core_data d;
};

/* Prepares the core to be started.  The core and its queues are zeros.  What `on` points to, and
 * the queues, must outlive the core.  STATUS_INTERNAL: out of memory. */
enum status core_init(struct core *core, struct core_queues *queues, const struct core_config *on,
                      const struct arm968_config *processor);
void core_deinit(struct core *core);

/* The relation of the core's clock to machine time. */
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

/* Cycles from the core's own time to a later one. */
static inline uint64_t core_cycles_until(const struct core *core, uint64_t time_ps)
{
    const uint64_t cycle = core_cycle_at(core, time_ps);
    return cycle > arm968_cycle(core->cpu) ? cycle - arm968_cycle(core->cpu) : 0;
}

void core_start(struct core *core, uint32_t entry, uint32_t argument, uint64_t now_ps);

/* Planned time of the core's next event that involves shared state; TIME_NEVER: it has none of its
 * own accord. */
static inline uint64_t core_find_next_ps(const struct core *core)
{
    return core->on.turns->time_ps[core->on.index];
}

/* Determines the core's next event and sets its time in the chip's order of events (turns.h).  To
 * be called after every change that can affect either. */
void core_plan(struct core *core);

/* Whether the pending access is a store that only waits for room in the write buffer. */
bool core_waits_for_room(const struct core *core, const struct arm968_access *access);

/* Hint that the core is likely to have the next event: prefetches its data. */
void core_prefetch(const struct core *core);

/* Executes the core's next event.  Returns false on a guest fault: call core_report_fault() before
 * running the core again. */
bool core_do_event(struct core *core);

/* ---- a run: how far it may go (bounds.c), and how far it went (run.c) ----
 *
 * Three times bound a run.  Up to the first, hard_ps, everything that will reach the core is known,
 * whatever its VIC enables.  The second is the core's lookahead: before it nothing can interrupt
 * the core.  Between the lookahead and hard_ps the core may only run speculatively (ahead.h).
 * Before the third, comms_ps, nothing changes what its communications controller shows. */

/* Enabled interrupt sources that are raised by others than the core itself.  The core's masks in
 * CPSR are ignored: its next instruction can clear them. */
static inline uint32_t core_foreign_sources(const struct core *core)
{
    return core->d.vic.enable & ~VIC_OWN_SOURCES;
}

/* Runs the core: up to its lookahead, up to an access that involves others, or ahead. */
void core_run(struct core *core, const struct core_time_bounds *bounds);

/* For calls from inside an access of the running core. core_end_run(): the run is to end after this
 * instruction. core_bound_run(): something is now known to reach the core at event_ps.
 * core_rebound_run(): the VIC's enables or the timers have changed; the instruction ends at
 * `cycle`. */
void core_end_run(struct core *core);
void core_bound_run(struct core *core, uint64_t event_ps);
void core_sent(struct core *core); /* the core has handed a packet to its transmitter */
void core_rebound_run(struct core *core, uint64_t cycle);

/* For run.c. core_begin_bounds(): a run begins, about which the chip knows `bounds`.
 * core_find_outer(): finds its end, which is the end of the span ahead if the core runs ahead.
 * core_own_store_ps(): when the next store is sent out, if a waiting store can cause an interrupt
 * of this core; else TIME_NEVER. */
void core_begin_bounds(struct core *core, const struct core_time_bounds *bounds);
void core_find_outer(struct core *core);
uint64_t core_own_store_ps(const struct core *core);

/* Earliest time at which something not yet known can reach the running core through the given
 * sources, which others raise. */
uint64_t core_unknown_ps(const struct core *core, uint32_t sources);

/* Samples are taken at the first instruction boundary at or after each multiple of
 * core_config.sample_every active cycles.  These boundaries do not depend on how the core's runs
 * are divided, and stopping there changes no result.
 * core_sample_cut(): the cycle up to which the core may run towards a horizon; earlier than the
 * horizon if a sample is due before it. core_sample_has_come(): whether the core is at a sample,
 * which it may not pass. core_take_sample(): takes the sample. */
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

/* Notifies the observer.  Returns true if the observer requests a stop. */
bool core_report_fault(struct core *core);

/* The level of one of the chip's interrupt lines changes at time_ps, which is not before now. */
void core_signal(struct core *core, enum vic_source source, bool level, uint64_t time_ps);

/* Updates the interrupt pins after a change of timers, DMA, comms or VIC at `cycle`. */
void core_update_interrupts(struct core *core, uint64_t cycle);
void core_update_comms_interrupts(struct core *core,
                                  uint64_t cycle); /* after a change of comms only */

/* ---- accesses outside the TCMs (port.c) ----
 *
 * The core's timers and VIC answer at once; so does its communications controller while nobody can
 * have changed what it shows.  Stores that may be posted go into the write buffer.  Every other
 * access is an event, performed in the order of all events. */

/* struct arm968_ports: context is the core. */
enum arm968_reply core_port_access(void *context, struct arm968_access *access, uint64_t cycle);

/* Posts a store.  Returns false if it may not be posted or if the buffer is full. */
bool core_post(struct core *core, const struct arm968_access *access, struct memory_place place,
               uint64_t now_ps);

/* Performs an access on the system NoC or to registers shared with others, which is next in order:
 * fills in its data, abort, and the cycles that the core waits beyond those of the instruction. */
void core_perform(struct core *core, struct arm968_access *access, struct memory_place place,
                  uint64_t now_ps);

/* When the first packet on its way to the core arrives, or arrived, at the place where it waits for
 * room in the communications controller; TIME_NEVER: none is on its way. */
static inline uint64_t core_first_packet_ps(const struct core *core)
{
    return core->on.way->count == 0 ? TIME_NEVER : core->on.way->ready_ps[0];
}

/* When that packet enters the communications controller, as far as that is settled; TIME_NEVER:
 * none is on its way, or there is no room. */
static inline uint64_t core_packet_ps(const struct core *core)
{
    return comms_ctrl_can_receive(&core->d.comms) ? core_first_packet_ps(core) : TIME_NEVER;
}

/* ---- effects of the chip on a core (control.c) ---- */

/* Puts the core into reset: it stops at an instruction boundary at or after now_ps and loses its
 * posted stores.  Soft: the ARM core, DMA and communications controller; hard: timers and VIC too.
 * The TCMs keep their contents. */
void core_reset(struct core *core, bool hard, uint64_t now_ps);

/* Releases the core from reset; it starts at its reset vector at first_ps. */
void core_leave_reset(struct core *core, uint64_t now_ps, uint64_t first_ps);

/* Stalls the core before its next access outside its TCMs, or lets it continue. */
void core_stall(struct core *core, bool stalled, uint64_t now_ps);

/* The core's communications controller has been changed by others; the router has taken the core's
 * packet. */
void core_comms_changed(struct core *core, uint64_t time_ps);
void core_taken(struct core *core);

/* ---- the core's transmitter (transmitter.c) ----
 *
 * The transmitter becoming free is an event only if the VIC has that interrupt enabled.  Otherwise,
 * the transmitter is brought up to date before it is read. */

/* When the packet in the transmitter will have left, or has left; TIME_NEVER: there is none, or the
 * router has not taken it. */
uint64_t core_free_ps(const struct core *core);

/* Whether the transmitter holds a packet that the router has not taken. */
bool core_awaits_router(const struct core *core);

/* Brings the transmitter up to date at now_ps. */
void core_advance_transmitter(struct core *core, uint64_t now_ps);

/* Whether nothing answers an access at all: a bus error at once. */
static inline bool core_nobody_answers(const struct core *core, const struct arm968_access *access,
                                       struct memory_place place)
{
    return place.bus == MEMORY_BUS_NONE &&
           (access->kind == ARM968_FETCH ||
            !core->on.ports->device(core->on.chip, access->address));
}

/* Whether a store to a block can change the core's own interrupt lines. */
bool core_store_comes_back(const struct core *core, enum memory_block block);

/* ---- sleep (sleep.c) ---- */

/* Whether the core is in wait-for-interrupt at time_ps, where no part has an earlier event.  A core
 * that has run ahead may have entered a sleep that lies in the future. */
bool core_asleep_at(const struct core *core, uint64_t time_ps);

/* Counts sleep up to now_ps.  During a DMA burst of the core, it is a wait for DMA; otherwise, if
 * the VIC has the packet-received interrupt enabled, a wait for packets. */
void core_count_sleep(struct core *core, uint64_t now_ps);

/* Extends the sleep of a sleeping core up to time_ps. */
void core_sleep_until(struct core *core, uint64_t time_ps);

/* The host address of a range of TCM bytes at a core's address; NULL if the range is not wholly in
 * one TCM. */
uint8_t *core_tcm(const struct core *core, uint32_t address, uint32_t bytes);

C_LINKAGE_END
