/* machine.h - a SpiNNaker machine: cores, chips, memories and what orders them in time.
 *
 * Time is uint64_t picoseconds from 0 at creation.  Every core runs by itself as far as nobody else
 * can touch it (its lookahead); what reaches outside a core happens in the order (time, core).
 * Results do not depend on how far a call of machine_run_until() reaches, nor on whether anybody
 * observes.
 *
 * Ownership: machine_create() allocates, machine_destroy() frees all.  Several machines may live in
 * a process; a machine belongs to one thread at a time. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
#include "models/common/counters.h"
#include "models/common/run_ahead.h"
#include "models/common/status.h"
#include "models/machine/parameters.h"
#include "models/network/topology.h"
C_LINKAGE_BEGIN

struct machine;

/* A core by its chip's coordinates and its physical number. */
struct machine_core {
    uint8_t x, y, p;
};

/* Whom a run reports to.  None changes any result; each may be NULL.  In a machine of several
 * threads marks and samples are told from any of them, one at a time; of different chips in any
 * order. */
struct machine_observer {
    void *context;
    /* A core stands before the instruction at a mark, at its own `cycle`. */
    void (*mark)(void *context, struct machine_core core, uint32_t address, uint64_t cycle);
    /* A guest program has made a mistake and takes its exception; true ends the run.  Reports come
     * in the order (time, chip). */
    bool (*guest_error)(void *context, struct machine_core core, struct arm968_fault fault);
    /* A core stands before the first instruction at or after a multiple of sample_cycles of its
     * active cycles. */
    void (*sample)(void *context, struct machine_core core, uint32_t pc);
};

struct machine_config {
    struct machine_parameters parameters;
    struct arm968_timing timing;
    struct topology_request topology; /* all zero: one chip; its lists are read by
                                         machine_create() alone */
    struct machine_observer observer;
    uint32_t drop_records;  /* that each chip keeps of the packets it loses: the first ones; 0: none
                             */
    uint64_t sample_cycles; /* 0: no samples */
    enum tier tier;         /* how cores execute; no result depends on it */
    uint64_t run_ahead; /* models/common/run_ahead.h.  Nothing depends on it but how far cores have
                           come when an observer ends a run */
    unsigned threads; /* of the host, that run chips side by side; 0 and 1: the caller's alone.  No
                         result depends on it */
};

/* STATUS_CONFIGURATION when the parameters do not make a machine, STATUS_INTERNAL when out of
 * memory. */
enum status machine_create(const struct machine_config *config, struct machine **machine,
                           struct diagnostic *diagnostic);
void machine_destroy(struct machine *machine);

/* ---- memory, as the host sees it: no time passes, no counter moves ---- */

/* Bytes at an address as a core sees it: its TCMs, SDRAM and System RAM.  STATUS_CONFIGURATION when
 * a part of the range is not memory. */
enum status machine_write(struct machine *machine, struct machine_core core, uint32_t address,
                          const void *bytes, uint32_t count);
enum status machine_read(const struct machine *machine, struct machine_core core, uint32_t address,
                         void *bytes, uint32_t count);

/* ---- routers, as the host sets them: no time passes ---- */

/* Entry `index` of a chip's multicast table; route: links in bits 0 to 5, cores in 6 to 23.
 * STATUS_CONFIGURATION when there is no such chip or entry, or the route has other bits. */
enum status machine_set_route(struct machine *machine, uint8_t x, uint8_t y, unsigned index,
                              uint32_t key, uint32_t mask, uint32_t route);

/* Empties the entry that routes a key.  STATUS_CONFIGURATION when there is no such chip or entry.
 */
enum status machine_delete_route(struct machine *machine, uint8_t x, uint8_t y, uint32_t key);

/* What a chip's point-to-point table has for a destination (x << 8 | y): a link, or one of
 * P2P_ROUTE_DROP and P2P_ROUTE_MONITOR.  STATUS_CONFIGURATION when there is no such chip or route.
 */
enum status machine_set_p2p_route(struct machine *machine, uint8_t x, uint8_t y,
                                  uint16_t destination, unsigned route);

/* A register of a chip's router, by its offset, as the hardware takes it.  STATUS_CONFIGURATION
 * when there is none. */
enum status machine_write_router(struct machine *machine, uint8_t x, uint8_t y, uint32_t offset,
                                 uint32_t value);
enum status machine_read_router(struct machine *machine, uint8_t x, uint8_t y, uint32_t offset,
                                uint32_t *value);

/* ---- cores ---- */

bool machine_has_core(const struct machine *machine, struct machine_core core);

/* Lets a core begin at `entry` (bit 0: Thumb) now: SVC mode, interrupts masked, low vectors, both
 * TCMs on, `argument` in r0. */
enum status machine_start_core(struct machine *machine, struct machine_core core, uint32_t entry,
                               uint32_t argument);
bool machine_core_started(const struct machine *machine, struct machine_core core);

/* Sets the system controller's interrupt bits (SC_SET_IRQ) of physical cores of a chip now, as a
 * program on its monitor processor does for the host. */
enum status machine_signal_cores(struct machine *machine, uint8_t x, uint8_t y, uint32_t cores);

/* Marks: machine_observer.mark is called each time the core reaches the address. */
enum status machine_add_mark(struct machine *machine, struct machine_core core, uint32_t address);

/* pc and other registers of a core, as arm968_register() numbers them. */
uint32_t machine_core_register(const struct machine *machine, struct machine_core core,
                               unsigned index);

/* The time of the cycle at which a core stands, by its clock as the program has set it: in
 * machine_observer.mark, when it reached the mark. */
uint64_t machine_core_time_ps(const struct machine *machine, struct machine_core core);

const struct arm968_counters *machine_core_counters(const struct machine *machine,
                                                    struct machine_core core);

/* What a core has caused: its own counters, those of its DMA controller and write buffer, and its
 * part of the chip's SDRAM traffic (component "sdram").  Values stand in the order of the names. */
struct machine_share_name {
    const char *component;
    const struct counter_info *info;
};
enum { MACHINE_SHARES_MAX = 64 };
size_t machine_share_count(void); /* at most MACHINE_SHARES_MAX */
struct machine_share_name machine_share_name(size_t index);
void machine_core_shares(const struct machine *machine, struct machine_core core, uint64_t *values);

/* ---- running ---- */

enum machine_stop {
    MACHINE_REACHED,   /* the time asked for */
    MACHINE_QUIESCENT, /* nothing can happen any more: every core sleeps and nothing will wake one
                        */
    MACHINE_STOPPED    /* an observer ended the run */
};

/* Runs until no later than time_ps.  Cores that sleep have slept up to the time at which it
 * returns.  A machine that an observer has stopped is for looking at: to go on would be to go on
 * after sleepers have slept up to the time of the core that stopped. */
enum machine_stop machine_run_until(struct machine *machine, uint64_t time_ps);

/* Since when nothing has happened but short handlers of cores' own timers, though no core goes on
 * by itself: TIME_NEVER while one does.  A core goes on while it is awake for anything else or for
 * longer, while its DMA controller is at work, and while its own timers are all that it waits for
 * (or the one that wakes it has not yet been served twice).  A core that sleeps until others wake
 * it, with or without a timer that ticks, does not, nor does one that is stalled.  Packets that
 * routers send on count. */
uint64_t machine_quiet_since_ps(const struct machine *machine);

enum machine_core_state {
    MACHINE_CORE_OFF, /* never started, or stopped for good */
    MACHINE_CORE_RUNNING,
    MACHINE_CORE_BLOCKED, /* before an access that is not done yet */
    MACHINE_CORE_ASLEEP
};

/* What a core is at, for who asks why nothing happens. */
struct machine_core_view {
    enum machine_core_state state;
    uint32_t sources;        /* of interrupts that it lets in: a bit each, as in the datasheet */
    uint32_t access_address; /* MACHINE_CORE_BLOCKED: of the access */
    bool moves_data;         /* its DMA controller is at work */
    bool sends;              /* a packet in its transmitter has not gone yet */
    uint32_t sends_key;
};
struct machine_core_view machine_core_view(const struct machine *machine, struct machine_core core);

/* The time reached: the last event of any part, or the end of the last run. */
uint64_t machine_time_ps(const struct machine *machine);

/* ---- what was counted ---- */

/* One counter of one part of the machine. */
struct machine_counter {
    const char *component; /* "core", "dma", "write_buffer", "comms", "link", "router", "sdram",
                              "ahb", "chip" */
    uint8_t x, y;
    int16_t instance; /* physical core number, or link; -1 when the part belongs to the chip */
    const struct counter_info *info;
    uint64_t value;
};

/* Calls `each` for every counter, in a fixed order: chips by x, y; parts; instances; counters. */
void machine_each_counter(const struct machine *machine,
                          void (*each)(void *context, const struct machine_counter *counter),
                          void *context);

/* The same without a machine: all names of counters that a machine has. */
void machine_each_counter_name(void (*each)(void *context, const char *component,
                                            const struct counter_info *info),
                               void *context);

/* What multicast packets are for, by key: a packet belongs to the block that has its key, and is
 * counted under its number from the core that sends it to every link.  0 is what is not in the
 * list. The blocks must not overlap.  Changes nothing but these counts; the list is copied. */
enum { MACHINE_PURPOSES = 8 };
struct machine_purpose {
    uint32_t key, mask;
    uint32_t purpose; /* below MACHINE_PURPOSES, else STATUS_CONFIGURATION */
};
enum status machine_set_purposes(struct machine *machine, const struct machine_purpose *list,
                                 size_t count);

/* What has passed one link of a chip, or its cores, of one type of packet and one purpose. */
enum { MACHINE_TRAFFIC_CORES = TOPOLOGY_LINKS }; /* in place of a link's number */
struct machine_traffic {
    uint8_t x, y, link;
    uint8_t type, purpose; /* enum packet_type; 0 unless multicast */
    uint8_t gap[3];
    uint64_t sent;     /* begun by the link's transmitter; copies given to cores */
    uint64_t received; /* taken by the router from the link; from cores */
    uint64_t dropped; /* copies for it that the router has given up.  Packets that had nowhere to go
                         stand with the cores */
    uint64_t refused; /* copies that found it blocked when they were tried first */
    uint64_t busy_ps; /* the time that it was sending them */
};

/* Calls `each` for every row in which anything is not 0: chips by x, y; links, then cores; types;
 * purposes. */
void machine_each_traffic(const struct machine *machine,
                          void (*each)(void *context, const struct machine_traffic *row),
                          void *context);

/* Chips of the machine. */
unsigned machine_chip_count(const struct machine *machine);
unsigned machine_board_count(const struct machine *machine);
struct machine_chip {
    uint8_t x, y;
};
struct machine_chip machine_chip_at(const struct machine *machine, unsigned index);

/* The machine's chips with their links and working cores, in the same order. */
const struct topology *machine_topology(const struct machine *machine);

/* Accesses to what is not modelled, one row for each place. */
struct machine_unmodelled {
    uint8_t x, y;
    const char *block; /* of the memory map */
    uint32_t offset;
    bool write;
    uint64_t count;
    uint32_t first_core; /* who came first */
};
size_t machine_unmodelled_count(const struct machine *machine);
struct machine_unmodelled machine_unmodelled(const struct machine *machine, size_t index);

/* Interrupts that came too late for the core they were meant for: 0, or the simulator is wrong. */
uint64_t machine_late_interrupts(const struct machine *machine);

/* What the host has made of the code so far; says nothing about the guests. */
struct machine_native {
    uint64_t translations;
    uint64_t runs; /* how often cores have gone into native code */
};
struct machine_native machine_native(const struct machine *machine);

/* ---- packets that were lost ---- */

enum { MACHINE_DROP_NO_OUTPUT = 0xff };

enum machine_drop_reason {
    MACHINE_DROP_BLOCKED,  /* an output did not come free within the router's waits */
    MACHINE_DROP_NO_ROUTE, /* the tables have nowhere for it to go */
    MACHINE_DROP_ERROR     /* it was too old, or damaged */
};

/* What stands in the way of an output. */
enum machine_drop_holder {
    MACHINE_DROP_HELD_BY_NONE,         /* the packet had no output */
    MACHINE_DROP_HELD_BY_CREDIT,       /* a packet in the link's transmitter that the next chip does
                                          not take */
    MACHINE_DROP_HELD_BY_SENDING,      /* a packet on its way out */
    MACHINE_DROP_HELD_BY_UNREAD,       /* a packet that the core has not read */
    MACHINE_DROP_HELD_BY_NOBODY_THERE, /* the link leads nowhere, or there is no such core */
    MACHINE_DROP_HELD_BY_LINK_OFF      /* a packet in a transmitter that is switched off */
};

/* One copy of a packet that was lost. */
struct machine_drop {
    uint64_t time_ps;       /* when the router gave it up */
    uint64_t tried_ps;      /* since when it stood before the output */
    uint64_t held_since_ps; /* since when the holder has had the output */
    uint32_t key, payload;  /* point-to-point: source and destination */
    uint32_t holder_key;    /* of the packet in the way */
    uint8_t x, y;
    uint8_t type;    /* 0 multicast, 1 point-to-point, 2 nearest neighbour, 3 fixed route */
    uint8_t arrival; /* the link it came by; 7: from this chip */
    uint8_t output;  /* links 0 to 5, core p at 6 + p; MACHINE_DROP_NO_OUTPUT */
    uint8_t reason;  /* enum machine_drop_reason */
    uint8_t holder;  /* enum machine_drop_holder */
    bool has_payload;
    uint8_t gap[4]; /* named, so that saved states are the same bytes with every compiler */
};

/* Records there are, and copies of which there is none because a chip's records were full. */
size_t machine_drop_count(const struct machine *machine);
uint64_t machine_drops_unrecorded(const struct machine *machine);

/* All records in the order of (time, chip, output); room for machine_drop_count(). */
void machine_drops(const struct machine *machine, struct machine_drop *drop);

/* The memory that guests have written, in a fixed order: parts of SDRAM and System RAM page by
 * page, and the TCMs of every core that has been started. */
void machine_each_written(const struct machine *machine,
                          void (*each)(void *context, uint8_t x, uint8_t y, uint32_t address,
                                       int instance, const uint8_t *bytes, uint32_t count),
                          void *context);

/* ---- seams ---- */

/* An SDRAM behind a chip's memory port, called from the thread that runs the chip.  Returns when
 * the access that arrives at arrival_ps is complete; data are taken or delivered by the call.
 * Accesses arrive in order of time.  peek and poke cost no time. */
struct machine_memory_port {
    void *context;
    uint64_t (*access)(void *context, uint64_t arrival_ps, uint32_t offset, uint8_t *data,
                       uint32_t bytes, bool write);
    void (*peek)(void *context, uint32_t offset, uint8_t *data, uint32_t bytes);
    void (*poke)(void *context, uint32_t offset, const uint8_t *data, uint32_t bytes);
};

/* The SDRAM that a chip has by itself, as a port: another one may be put in its place, and may lead
 * back to it. */
struct machine_memory_port machine_builtin_memory(struct machine *machine, uint8_t x, uint8_t y);
void machine_set_memory_port(struct machine *machine, uint8_t x, uint8_t y,
                             struct machine_memory_port port);

/* ---- state ---- */

/* The whole state as bytes in malloc'ed memory (NULL: out of memory), and back into a machine
 * created from the same configuration: STATUS_CONFIGURATION when the bytes do not fit it; the
 * machine is then good for nothing but another load.
 * Observers, marks, purposes and memory ports are not part of it. */
uint8_t *machine_save(const struct machine *machine, size_t *size);
enum status machine_load(struct machine *machine, const uint8_t *bytes, size_t size);

C_LINKAGE_END
