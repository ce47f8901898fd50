/* machine.h - a SpiNNaker machine: cores, chips, memories and the order of their events.
 *
 * Time is uint64_t picoseconds from 0 at creation.  Every core runs by itself as long as nothing
 * else can affect it (its lookahead); events outside a core happen in the order (time, core).
 * Results depend neither on how a run is divided into calls of machine_run_until() nor on
 * observers.
 *
 * Ownership: machine_create() allocates, machine_destroy() frees everything.  A process may have
 * several machines; a machine belongs to one thread at a time. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
#include "models/common/counters.h"
#include "models/common/run_ahead.h"
#include "models/common/status.h"
#include "models/machine/parameters.h"
#include "models/network/topology.h"
API_BEGIN

struct machine;

/* A core by its chip's coordinates and its physical number. */
struct machine_core {
    uint8_t x, y, p;
};

/* A chip by its coordinates. */
struct machine_chip {
    uint8_t x, y;
};

/* Callbacks for reports of a run.  They change no result, and each may be NULL.  If a machine runs
 * in several threads, marks, watches and samples are reported from any of these threads, one at a
 * time; the order between chips is not defined. */
struct machine_observer {
    void *context;
    /* A core is stopped before the instruction at a mark; `cycle` is in core cycles.  The core's
     * counts are those of that time.  Return true to end the run, at the end of the window: other
     * marks of about the same time are reported before (history.h stops exactly). */
    bool (*mark)(void *context, struct machine_core core, uint32_t address, uint64_t cycle);
    /* A guest program has caused a fault and takes its exception; return true to end the run.
     * Faults are reported in the order (time, chip). */
    bool (*guest_error)(void *context, struct machine_core core, struct arm968_fault fault);
    /* A core is stopped before the first instruction at or after a multiple of sample_cycles of its
     * active cycles; with sample_share, of a longer step (see there). */
    void (*sample)(void *context, struct machine_core core, uint32_t pc);
    /* A frame has left an Ethernet chip; its last bit was on the wire at time_ps.  Called in the
     * order (time, chip), together with faults, while no other thread of the machine runs.  The
     * bytes are valid during the call; the machine must not be changed in it.  An answer is sent
     * after the run: machine_send_frame(). */
    void (*frame)(void *context, struct machine_chip chip, const uint8_t *bytes, uint32_t count,
                  uint64_t time_ps);
    /* A core has stored to watched bytes (machine_add_watch()), and is stopped behind the
     * instruction.  Reported and answered as marks are. */
    bool (*watch)(void *context, struct machine_core core, uint32_t address, uint64_t cycle);
};

/* Size of a chip's boot ROM, which repeats in its region. */
enum { MACHINE_BOOT_ROM_BYTES = 0x8000 };

struct machine_config {
    struct machine_parameters parameters;
    struct arm968_timing timing;
    struct topology_request
        topology; /* all zero: one chip; its lists are only read during machine_create() */
    struct machine_observer observer;
    uint32_t drop_records;   /* number of records of lost packets that each chip keeps, the first
                                ones; 0: none */
    uint64_t sample_cycles;  /* 0: no samples */
    uint64_t sample_share;   /* a power of two, or 0: the step is always sample_cycles.  Else it
                                doubles each time that a core's active cycles have doubled, from 2 *
                                sample_share * sample_cycles on: a step is at most this part of what
                                the core has done, however long it runs */
    bool ethernet;           /* the first chip of each board has its Ethernet controller, and a host
                                at the other end of the cable; false: accesses there are unmodelled,
                                and nothing is kept or counted */
    const uint8_t *boot_rom; /* contents of all chips' boot ROMs, at most MACHINE_BOOT_ROM_BYTES,
                                the rest is zeros; must outlive the machine.  NULL: there is none,
                                and cores that leave a reset fail unless the boot area shows System
                                RAM */
    uint32_t boot_rom_bytes;
    enum tier tier;     /* how cores execute code; results do not depend on it */
    uint64_t run_ahead; /* see models/common/run_ahead.h.  Only affects how far cores have come when
                           an observer ends a run */
    unsigned threads; /* host threads that run chips in parallel; 0 or 1: the caller's only. Results
                         do not depend on it */
};

/* STATUS_CONFIGURATION: the parameters do not describe a valid machine.  STATUS_INTERNAL: out of
 * memory. */
enum status machine_create(const struct machine_config *config, struct machine **machine,
                           struct diagnostic *diagnostic);
void machine_destroy(struct machine *machine);

/* Switches the machine off and on: everything is as after machine_create(), time 0 included; only
 * purposes stay.  STATUS_INTERNAL: out of memory; the machine can then only be destroyed. */
enum status machine_power_on(struct machine *machine);

/* ---- memory accesses by the host: take no time, change no counter ---- */

/* Accesses bytes at an address as a core sees them: its TCMs, SDRAM and System RAM.
 * STATUS_CONFIGURATION: a part of the range is not memory. */
enum status machine_write(struct machine *machine, struct machine_core core, uint32_t address,
                          const void *bytes, uint32_t count);
enum status machine_read(const struct machine *machine, struct machine_core core, uint32_t address,
                         void *bytes, uint32_t count);

/* The host reads or writes a word of a chip's system NoC, a register for instance, with the effects
 * that it has for a neighbour's router.  Takes no time.  STATUS_CONFIGURATION: no such chip, or
 * nothing answers at the address. */
enum status machine_read_word(struct machine *machine, struct machine_chip chip, uint32_t address,
                              uint32_t *word);
enum status machine_write_word(struct machine *machine, struct machine_chip chip, uint32_t address,
                               uint32_t word);

/* ---- routers, set up by the host: takes no time ---- */

/* Sets entry `index` of a chip's multicast table; route: links in bits 0 to 5, cores in 6 to 23.
 * STATUS_CONFIGURATION: no such chip or entry, or the route has other bits set. */
enum status machine_set_route(struct machine *machine, uint8_t x, uint8_t y, unsigned index,
                              uint32_t key, uint32_t mask, uint32_t route);

/* Clears the entry that routes a key.  STATUS_CONFIGURATION: no such chip or entry. */
enum status machine_delete_route(struct machine *machine, uint8_t x, uint8_t y, uint32_t key);

/* The entry of a chip's multicast table that routes a key: the lowest that matches.  False: there
 * is no such chip, or no entry (such a packet is routed straight on, or lost). */
struct machine_route {
    unsigned entry;
    uint32_t key, mask;
    uint32_t outputs; /* links in bits 0 to 5, cores in 6 to 23 */
};
bool machine_find_route(const struct machine *machine, struct machine_chip chip, uint32_t key,
                        struct machine_route *route);

/* Sets the route to a destination (x << 8 | y) in a chip's point-to-point table: a link,
 * P2P_ROUTE_DROP or P2P_ROUTE_MONITOR.  STATUS_CONFIGURATION: no such chip or route. */
enum status machine_set_p2p_route(struct machine *machine, uint8_t x, uint8_t y,
                                  uint16_t destination, unsigned route);

/* Writes a register of a chip's router, by its offset, as the hardware would. STATUS_CONFIGURATION:
 * no such register. */
enum status machine_write_router(struct machine *machine, uint8_t x, uint8_t y, uint32_t offset,
                                 uint32_t value);
enum status machine_read_router(struct machine *machine, uint8_t x, uint8_t y, uint32_t offset,
                                uint32_t *value);

/* ---- cores ---- */

bool machine_has_core(const struct machine *machine, struct machine_core core);

/* Starts a core at `entry` (bit 0: Thumb) now: SVC mode, interrupts masked, low vectors, both TCMs
 * on, `argument` in r0. */
enum status machine_start_core(struct machine *machine, struct machine_core core, uint32_t entry,
                               uint32_t argument);

/* Gives a board's Ethernet chip a serial ROM with these contents (models/chip/serial_rom.h).
 * STATUS_CONFIGURATION: no such chip, or too many bytes. */
enum status machine_set_serial_rom(struct machine *machine, struct machine_chip chip,
                                   const uint8_t *bytes, uint32_t count);

/* All working cores leave the reset of power-on now, as those of a board whose power comes: they
 * begin at their reset vectors, with the crystal's clock, and elect a monitor processor.  GPIO
 * pins tell them by their levels, as boards do, which core is to read a serial ROM (5:3), and that
 * there is one (6).  STATUS_CONFIGURATION: the machine has no boot ROM. */
enum status machine_leave_reset(struct machine *machine);

bool machine_core_started(const struct machine *machine, struct machine_core core);

/* Sets the system controller's interrupt bits (SC_SET_IRQ) of physical cores of a chip now, as a
 * program on its monitor processor would on behalf of the host. */
enum status machine_signal_cores(struct machine *machine, uint8_t x, uint8_t y, uint32_t cores);

/* Adds a mark: machine_observer.mark is called each time the core reaches the address. */
enum status machine_add_mark(struct machine *machine, struct machine_core core, uint32_t address);

/* Watches bytes for stores by a core: arm968_add_watch(). */
enum status machine_add_watch(struct machine *machine, struct machine_core core, uint32_t address,
                              uint32_t bytes);
enum status machine_remove_watch(struct machine *machine, struct machine_core core,
                                 uint32_t address, uint32_t bytes);

/* Samples one core (machine_observer.sample) each so many of its active cycles from now on, with 1
 * before each instruction; 0: as all others again (machine_config.sample_cycles).  Between runs, or
 * within the core's own sample.  STATUS_CONFIGURATION: there is no such core, or no observer. */
enum status machine_sample_core(struct machine *machine, struct machine_core core, uint64_t cycles);

/* Reads pc and other registers of a core, numbered as for arm968_register(). */
uint32_t machine_core_register(const struct machine *machine, struct machine_core core,
                               unsigned index);

/* The core's arm968_cpsr(); 0 for a core that does not exist. */
uint32_t machine_core_cpsr(const struct machine *machine, struct machine_core core);

/* The core's processor, for inspection.  Only the owner of a history (history.h) may change it,
 * when the core is MACHINE_CORE_RUNNING.  NULL: no such core. */
struct arm968 *machine_core_processor(const struct machine *machine, struct machine_core core);

/* The core's arm968_lowest_sp(); UINT32_MAX for a core that does not exist. */
uint32_t machine_core_lowest_sp(const struct machine *machine, struct machine_core core);

/* The time of a core's current cycle, by its clock as the program has set it.  Inside
 * machine_observer.mark: the time at which the core reached the mark. */
uint64_t machine_core_time_ps(const struct machine *machine, struct machine_core core);

const struct arm968_counters *machine_core_counters(const struct machine *machine,
                                                    struct machine_core core);

/* Counts caused by one core: its own counters, those of its DMA controller and write buffer, and
 * its part of the chip's SDRAM traffic (component "sdram").  Values are in the order of the
 * names. */
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
    MACHINE_REACHED,   /* the requested time */
    MACHINE_QUIESCENT, /* nothing can happen any more: every core sleeps and nothing will wake one
                        */
    MACHINE_STOPPED    /* an observer requested the stop */
};

/* Runs up to time_ps and no further.  Sleeping cores have then slept up to the time at which the
 * call returns.  After a stop by an observer the machine is for inspection only: sleepers have
 * already slept up to the time of the core that stopped. */
enum machine_stop machine_run_until(struct machine *machine, uint64_t time_ps);

/* Since when nothing has happened but short handlers of cores' own timers, while no core makes
 * progress by itself; TIME_NEVER while a core does.  A core makes progress while it is awake for
 * anything else or for longer, while its DMA controller is active, and while it waits for its own
 * timers only (or the timer that wakes it has not yet been served twice).  A core that sleeps until
 * others wake it makes no progress, with or without a periodic timer; nor does a stalled core.
 * Packets that routers forward count as activity. */
uint64_t machine_quiet_since_ps(const struct machine *machine);

enum machine_core_state {
    MACHINE_CORE_OFF, /* never started, or stopped for good */
    MACHINE_CORE_RUNNING,
    MACHINE_CORE_BLOCKED, /* stopped at an access that has not completed */
    MACHINE_CORE_ASLEEP
};

/* State of a core, for diagnosis of a machine in which nothing happens. */
struct machine_core_view {
    enum machine_core_state state;
    uint32_t sources;        /* interrupts that it has enabled: a bit each, as in the datasheet */
    uint32_t access_address; /* MACHINE_CORE_BLOCKED: address of the access */
    bool moves_data;         /* its DMA controller is active */
    bool sends;              /* its transmitter holds a packet that has not left yet */
    uint32_t sends_key;
};
struct machine_core_view machine_core_view(const struct machine *machine, struct machine_core core);

/* The time reached: the last event of any part, or the end of the last run. */
uint64_t machine_time_ps(const struct machine *machine);

/* ---- Ethernet: frames between the host and the boards, for calls between runs ----
 *
 * A frame is its bytes from the destination address on, without FCS: 60 to 1514 of them. */

enum { MACHINE_FRAME_BYTES_MIN = 60, MACHINE_FRAME_BYTES_MAX = 1514 };

/* Whether a chip has an Ethernet controller: machine_config.ethernet is true, and the chip is the
 * first one of its board. */
bool machine_has_ethernet(const struct machine *machine, struct machine_chip chip);

/* Time of a frame on the wire of 100 Mbit/s: 5.12 us, and 80 ns for each of its bytes. */
uint64_t machine_frame_time_ps(uint32_t count);

/* The number of frames that machine_send_frame() takes for this chip now, 0 to 16.  Frames that
 * wait for the wire are a part of the machine's state. */
unsigned machine_frame_room(const struct machine *machine, struct machine_chip chip);

/* Sends a frame to a chip.  Its first bit is on the wire at time_ps, or when the frames before it
 * are through, or now, whichever is latest.  The chip has the frame machine_frame_time_ps(count)
 * later; it is lost there if the filters refuse it or the receive RAM is full.  Shorter frames are
 * filled up with zeros.  STATUS_CONFIGURATION: no Ethernet on that chip, no byte or more than 1514,
 * or no room. */
enum status machine_send_frame(struct machine *machine, struct machine_chip chip,
                               const uint8_t *bytes, uint32_t count, uint64_t time_ps);

/* ---- counters ---- */

/* One counter of one part of the machine. */
struct machine_counter {
    const char *component; /* "core", "dma", "write_buffer", "comms", "link", "router", "sdram",
                              "ahb", "chip", "ethernet" */
    uint8_t x, y;
    int16_t instance; /* physical core number, or link; -1 when the part belongs to the chip */
    const struct counter_info *info;
    uint64_t value;
};

/* Calls `each` for every counter, in a fixed order: chips by x, y; parts; instances; counters. */
void machine_each_counter(const struct machine *machine,
                          void (*each)(void *context, const struct machine_counter *counter),
                          void *context);

/* Calls `each` for every counter name of a machine; no machine is needed. */
void machine_each_counter_name(void (*each)(void *context, const char *component,
                                            const struct counter_info *info),
                               void *context);

/* Purposes of multicast packets, by key: a packet belongs to the block that contains its key, and
 * is counted under that block's number on its way from the sending core through every link.  Keys
 * in no block have purpose 0.  The blocks must not overlap.  Only these counts are affected; the
 * list is copied. */
enum { MACHINE_PURPOSES = 8 };
struct machine_purpose {
    uint32_t key, mask;
    uint32_t purpose; /* below MACHINE_PURPOSES, else STATUS_CONFIGURATION */
};
enum status machine_set_purposes(struct machine *machine, const struct machine_purpose *list,
                                 size_t count);

/* Traffic of one link of a chip, or of its cores, for one type of packet and one purpose. */
enum { MACHINE_TRAFFIC_CORES = TOPOLOGY_LINKS }; /* used instead of a link's number */
struct machine_traffic {
    uint8_t x, y, link;
    uint8_t type, purpose; /* enum packet_type; 0 unless multicast */
    uint8_t gap[3];
    uint64_t sent;     /* packets started by the link's transmitter; copies delivered to cores */
    uint64_t received; /* packets that the router took from the link; from cores */
    uint64_t dropped;  /* dropped copies for this output.  Packets without any output are counted
                          with the cores */
    uint64_t refused;  /* copies that found the output blocked at their first attempt */
    uint64_t busy_ps;  /* time spent sending them */
};

/* Calls `each` for every row with a value other than 0: chips by x, y; links, then cores; types;
 * purposes. */
void machine_each_traffic(const struct machine *machine,
                          void (*each)(void *context, const struct machine_traffic *row),
                          void *context);

/* Number of chips of the machine. */
unsigned machine_chip_count(const struct machine *machine);
unsigned machine_board_count(const struct machine *machine);
struct machine_chip machine_chip_at(const struct machine *machine, unsigned index);

/* The machine's chips with their links and working cores, in the same order. */
const struct topology *machine_topology(const struct machine *machine);

/* Accesses to hardware that is not modelled, one row for each place. */
struct machine_unmodelled {
    uint8_t x, y;
    const char *block; /* as named in the memory map */
    uint32_t offset;
    bool write;
    uint64_t count;
    uint32_t first_core; /* the core that made the first access */
};
size_t machine_unmodelled_count(const struct machine *machine);
struct machine_unmodelled machine_unmodelled(const struct machine *machine, size_t index);

/* Number of interrupts that arrived too late for their core; anything but 0 is a fault of the
 * simulator. */
uint64_t machine_late_interrupts(const struct machine *machine);

/* Native code that the host has made so far; independent of guest results. */
struct machine_native {
    uint64_t translations;
    uint64_t runs; /* how often cores have entered native code */
};
struct machine_native machine_native(const struct machine *machine);

/* ---- packets under way ---- */

enum machine_packet_place {
    MACHINE_PACKET_SENDS,   /* in a core's transmitter: the router has not taken it */
    MACHINE_PACKET_ROUTER,  /* in the router */
    MACHINE_PACKET_WAITS,   /* in a link's transmitter: the link is busy, or has no credit */
    MACHINE_PACKET_LINK,    /* on its way by a link to this chip */
    MACHINE_PACKET_ARRIVED, /* in a link's receiver: the router has not taken it */
    MACHINE_PACKET_TO_CORE  /* on its way to a core, or waiting until the core has room */
};

/* A copy of a packet that neither a core has received nor a router has dropped. */
struct machine_packet {
    enum machine_packet_place place;
    uint8_t x, y;   /* the chip that has it, or that it comes to */
    uint8_t number; /* of the core or link; MACHINE_PACKET_ROUTER: arrival, as in machine_drop */
    uint8_t type;   /* as in machine_drop, as key and payload */
    bool has_payload;
    uint32_t key, payload;
};

/* Calls `each` for all packets under way, between runs: chips by x, y; places. */
void machine_each_packet(const struct machine *machine,
                         void (*each)(void *context, const struct machine_packet *packet),
                         void *context);

/* ---- packets that were lost ---- */

enum { MACHINE_DROP_NO_OUTPUT = 0xff };

enum machine_drop_reason {
    MACHINE_DROP_BLOCKED,  /* an output did not become free within the router's waits */
    MACHINE_DROP_NO_ROUTE, /* the tables have no route for it */
    MACHINE_DROP_ERROR     /* it was too old, or corrupted */
};

/* What blocks an output. */
enum machine_drop_holder {
    MACHINE_DROP_HELD_BY_NONE,    /* the packet had no output */
    MACHINE_DROP_HELD_BY_CREDIT,  /* a packet in the link's transmitter that the next chip does not
                                     accept */
    MACHINE_DROP_HELD_BY_SENDING, /* a packet being sent */
    MACHINE_DROP_HELD_BY_UNREAD,  /* a packet that the core has not read */
    MACHINE_DROP_HELD_BY_NOBODY_THERE, /* the link leads nowhere, or the core does not exist */
    MACHINE_DROP_HELD_BY_LINK_OFF      /* a packet in a transmitter that is switched off */
};

/* One copy of a packet that was lost. */
struct machine_drop {
    uint64_t time_ps;       /* when the router dropped it */
    uint64_t tried_ps;      /* since when it waited for the output */
    uint64_t held_since_ps; /* since when the holder has occupied the output */
    uint32_t key, payload;  /* point-to-point: source and destination */
    uint32_t holder_key;    /* key of the blocking packet */
    uint8_t x, y;
    uint8_t type;    /* 0 multicast, 1 point-to-point, 2 nearest neighbour, 3 fixed route */
    uint8_t arrival; /* the link it came by; 7: from this chip */
    uint8_t output;  /* links 0 to 5, core p at 6 + p; MACHINE_DROP_NO_OUTPUT */
    uint8_t reason;  /* enum machine_drop_reason */
    uint8_t holder;  /* enum machine_drop_holder */
    bool has_payload;
    uint8_t gap[4]; /* named, so that saved states are the same bytes with every compiler */
};

/* The number of records, and of dropped copies without a record because a chip's records were
 * full. */
size_t machine_drop_count(const struct machine *machine);
uint64_t machine_drops_unrecorded(const struct machine *machine);

/* Copies all records, ordered by (time, chip, output); needs room for machine_drop_count(). */
void machine_drops(const struct machine *machine, struct machine_drop *drop);

/* Calls `each` for the memory that guests have written, in a fixed order: parts of SDRAM and System
 * RAM page by page, and the TCMs of every core that has been started. */
void machine_each_written(const struct machine *machine,
                          void (*each)(void *context, uint8_t x, uint8_t y, uint32_t address,
                                       int instance, const uint8_t *bytes, uint32_t count),
                          void *context);

/* ---- events, recorded for a time line ---- */

enum machine_event_kind {
    MACHINE_EVENT_SENT,     /* a core hands a packet to its transmitter; length_ps later the router
                               takes it */
    MACHINE_EVENT_RECEIVED, /* a packet enters a core's communications controller */
    MACHINE_EVENT_DROPPED,  /* a router drops a copy, which had waited for length_ps */
    MACHINE_EVENT_BURST,    /* a burst of a core's DMA controller, of length_ps */
    MACHINE_EVENT_LINK,     /* a link sends a packet, which takes length_ps */
    MACHINE_EVENT_SLEPT,    /* a core sleeps for length_ps; a longer sleep is several of these */
    MACHINE_EVENT_KINDS
};

/* What a sleeping core waits for, as its time is counted. */
enum machine_wait { MACHINE_WAIT_OTHER, MACHINE_WAIT_PACKET, MACHINE_WAIT_DMA };

enum { MACHINE_EVENT_ROUTER = 0xff };

/* What a member does not say is 0. */
struct machine_event {
    uint64_t time_ps, length_ps;
    uint32_t packet; /* the packet's number, which its copies share; 0: it was sent before its
                        chip's packets were recorded */
    uint32_t word;   /* a packet's key, as in struct machine_drop; of a burst: its address */
    uint32_t other;  /* DROPPED: holder_key; of a burst: its bytes */
    uint8_t x, y;
    uint8_t p;             /* the core; DROPPED, LINK: MACHINE_EVENT_ROUTER */
    uint8_t kind;          /* enum machine_event_kind */
    uint8_t type, purpose; /* of a packet, as in struct machine_traffic */
    uint8_t output;        /* DROPPED: as in struct machine_drop; LINK: the link */
    uint8_t detail;  /* DROPPED: enum machine_drop_holder; SLEPT: enum machine_wait; of a burst: 1,
                        if it writes to the system NoC */
    uint32_t number; /* for the use of who takes it */
};

/* Records these kinds from now on, a bit for each; 0: nothing.  Changes nothing else.  Memory grows
 * by an event each until they are taken. */
void machine_record(struct machine *machine, uint32_t kinds);

/* For use between runs.  Calls `each` for all events recorded since the last call, and forgets
 * them: chips by x, y; those of a chip in the order in which they ended. */
void machine_take_events(struct machine *machine,
                         void (*each)(void *context, const struct machine_event *event),
                         void *context);

/* ---- replaceable parts ---- */

/* An SDRAM behind a chip's memory port, called from the thread that runs the chip.  Returns the
 * completion time of the access that arrives at arrival_ps; data are taken or delivered during the
 * call.  Accesses arrive in order of time. peek and poke take no time. */
struct machine_memory_port {
    void *context;
    uint64_t (*access)(void *context, uint64_t arrival_ps, uint32_t offset, uint8_t *data,
                       uint32_t bytes, bool write);
    void (*peek)(void *context, uint32_t offset, uint8_t *data, uint32_t bytes);
    void (*poke)(void *context, uint32_t offset, const uint8_t *data, uint32_t bytes);
};

/* The chip's built-in SDRAM as a port.  A replacement may forward accesses to it. */
struct machine_memory_port machine_builtin_memory(struct machine *machine, uint8_t x, uint8_t y);
void machine_set_memory_port(struct machine *machine, uint8_t x, uint8_t y,
                             struct machine_memory_port port);

/* ---- state ---- */

/* machine_save() returns the whole state as bytes in malloc'ed memory (NULL: out of memory).
 * machine_load() restores it into a machine created from the same configuration.
 * STATUS_CONFIGURATION: the bytes do not fit the machine, which is then only good for another load.
 * Observers, marks, purposes and memory ports are not part of the state. */
uint8_t *machine_save(const struct machine *machine, size_t *size);
enum status machine_load(struct machine *machine, const uint8_t *bytes, size_t size);

API_END
