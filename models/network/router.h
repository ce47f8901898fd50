/* router.h - the packet router of a chip (SpiNNaker datasheet v2.02, 10).
 *
 * Packets enter by router_offer(), at most one a clock, and are in the output stage after the
 * pipeline's length.  There a packet waits until all its outputs are free and leaves on all of them
 * at once; after wait1 the links that are still blocked may be gone round, after wait2 what is left
 * is dumped.  The packets behind it stand still.  The owner merges the inputs, tells which outputs
 * are free, carries the copies away and does peeks and pokes.
 *
 * Outputs are bits: links 5:0, cores 23:6.  Plain state: copying the struct saves it.  Time:
 * picoseconds, never going back; what happens, happens at edges of the router's clock.  Owner: the
 * chip. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/counters.h"
#include "models/common/register_reply.h"
#include "models/common/units.h"
#include "models/network/mc_table.h"
#include "models/network/p2p_table.h"
#include "models/network/packet.h"
C_LINKAGE_BEGIN

enum {
    ROUTER_STAGES_MAX = 8,
    ROUTER_DIAGNOSTICS = 16,
    ROUTER_HISTOGRAM = 16,
    ROUTER_FILTER_BITS = 25, /* of a diagnostic filter that say what is counted */
    ROUTER_FIRST_CORE = 6,   /* bit of core 0 among the outputs */
    ROUTER_LINK_OUTPUTS = 0x3f,
    ROUTER_ENABLED = 1 << 0, /* of the control register */
    ROUTER_CORE_OUTPUTS = 0xffffc0
};

struct router_counters {
#define COUNTER COUNTER_FIELD
#include "models/network/router_counters.def"
#undef COUNTER
};

const struct counter_info *router_counter_info(size_t *count);

struct router_config {
    struct clock clock;
    uint32_t pipeline_stages; /* 1 to ROUTER_STAGES_MAX: clocks from the input to the outputs */
    uint32_t gap;
};

/* What is to be done with a packet. */
enum router_action {
    ROUTER_FORWARD, /* to the outputs, of which there may be none */
    ROUTER_DROP,    /* nowhere to go: to the dump registers */
    ROUTER_DESTROY, /* the diversion register says so */
    ROUTER_PEEK,    /* the owner reads a word for a neighbour */
    ROUTER_POKE     /* the owner writes one */
};

struct router_decision {
    uint32_t outputs;
    uint8_t action;         /* enum router_action */
    uint8_t reverting;      /* of the links among them: copies marked 11 */
    uint8_t default_routed; /* a multicast packet without an entry */
    uint8_t gap;            /* named, so that saved states are the same bytes with every compiler */
};

enum router_stage {
    ROUTER_STAGE_EMPTY, /* the first packet of the pipeline, if any, has not been tried */
    ROUTER_STAGE_FULL,
    ROUTER_STAGE_WAIT1,
    ROUTER_STAGE_WAIT2
};

/* Registers of a dumped packet or of one in error. */
struct router_catch {
    uint32_t header, key, payload, outputs, status;
};

struct router {
    struct router_config config;
    struct pace pace;            /* of its clock, which begins as config.clock */
    uint64_t way_ps;             /* see router_way_ps() */
    uint64_t next_accept_cycle;  /* of the input */
    uint64_t accept_ps;          /* see router_accept_ps() */
    uint64_t next_issue_cycle;   /* of the output stage */
    uint64_t tried_cycle;        /* when the packet in the output stage was tried first */
    uint64_t due_cycle, due_ps;  /* see router_next_ps(); TIME_NEVER: of itself never */
    uint64_t cycles_since_cycle; /* r13: counting since, where it is enabled */
    uint64_t ready_cycle[ROUTER_STAGES_MAX];
    struct packet pipeline[ROUTER_STAGES_MAX];
    uint32_t first, held; /* of the pipeline: a ring */
    struct router_decision decision;
    uint32_t stage; /* enum router_stage */
    uint32_t control, diversion, fixed_route, test_key;
    struct router_catch error, dump;
    uint32_t diagnostic_enable, timing_enable;
    uint32_t cycles, busy_cycles, no_wait;
    uint32_t histogram[ROUTER_HISTOGRAM];
    uint32_t armed;   /* a bit for each filter whose interrupt is enabled */
    uint32_t refused; /* outputs that were blocked when the packet in the stage was tried first */
    uint32_t held_in_reset;                    /* takes no packet */
    uint16_t filters_with[ROUTER_FILTER_BITS]; /* for each bit of a filter, those that have it */
    uint16_t gap; /* named, so that saved states are the same bytes with every compiler */
    uint32_t filter[ROUTER_DIAGNOSTICS];
    uint32_t counter[ROUTER_DIAGNOSTICS];
    struct router_counters counters;
    struct mc_table mc;
    struct p2p_table p2p;
};

/* The least time that a packet takes through an empty pipeline. */
static inline uint64_t router_way_ps(const struct router *router)
{
    return router->way_ps;
}

void router_init(struct router *router, const struct router_config *config);

/* Resets it: packets inside are lost, registers take their reset values.  The tables are memories
 * and keep what they hold, and what was counted stays.  held: it takes no packet until a reset that
 * does not hold it. */
void router_reset(struct router *router, bool held, uint64_t now_ps);

/* Another clock from the next edge on. */
void router_set_clock(struct router *router, struct clock clock, uint64_t now_ps);

/* Where a packet goes, by the tables and registers as they are now. */
struct router_decision router_decide(const struct router *router, const struct packet *packet);

/* --- the way of packets --- */

/* What is wrong with a packet that a link delivers. */
enum router_damage {
    ROUTER_DAMAGE_NONE = 0,
    ROUTER_DAMAGE_PARITY = 1u << 29,
    ROUTER_DAMAGE_FRAMING = 1u << 28,
    ROUTER_DAMAGE_TIME = 1u << 27 /* found by the router itself */
};

/* Earliest time at which the input takes a packet, TIME_NEVER while the pipeline is full or the
 * router is off. */
static inline uint64_t router_accept_ps(const struct router *router)
{
    return router->accept_ps;
}

/* A packet arrives at the input; false: not taken, the owner keeps it.  What happens at the same
 * time at the outputs is to be done first (router_step).  damage: enum router_damage bits. */
bool router_offer(struct router *router, const struct packet *packet, uint32_t damage,
                  uint64_t now_ps);

enum router_event_kind {
    ROUTER_EVENT_NONE,
    ROUTER_EVENT_ISSUED, /* the packet has left the router: by outputs, and not by dumped */
    ROUTER_EVENT_PEEK,   /* the owner does it and offers router_reply() */
    ROUTER_EVENT_POKE
};

struct router_event {
    uint64_t at_ps;    /* when it leaves: at or after now_ps */
    uint64_t tried_ps; /* when it was in the output stage */
    struct packet packet;
    uint32_t outputs;  /* copies leave here */
    uint32_t dumped;   /* copies that do not: the outputs that were blocked */
    uint32_t refused;  /* outputs that were blocked at first */
    uint8_t kind;      /* enum router_event_kind */
    bool dropped;      /* the dump registers saw it */
    uint8_t emergency; /* of the outputs: links marked 10 */
    uint8_t shared;    /* ... 01 */
    uint8_t reverting; /* ... 11 */
    uint8_t gap[7];
};

/* Tries the output stage: call at router_next_ps(), and when outputs have become free.  True: a
 * packet left, see *event (an output given a copy may now be blocked), and the next may follow. */
bool router_step(struct router *router, uint32_t free_outputs, uint64_t now_ps,
                 struct router_event *event);

/* When the output stage next does something with no output becoming free: a packet comes to it, or
 * a wait ends; TIME_NEVER if never. */
static inline uint64_t router_next_ps(const struct router *router)
{
    return router->due_ps;
}

/* Can the output stage do something, whatever outputs are free?  Else a step changes nothing. */
static inline bool router_can_step(const struct router *router, uint64_t now_ps)
{
    return router->held > 0 &&
           (router->stage != ROUTER_STAGE_EMPTY || router_next_ps(router) <= now_ps);
}

/* When the last packet left the output stage, 0 when none has. */
uint64_t router_last_ps(const struct router *router);

/* The copy that leaves by an output (0 to 23).  The owner sets the arrival at the next router. */
struct packet router_copy(const struct router_event *event, unsigned output);

/* The answer to a peek or poke, to be offered as a packet of this chip. */
struct packet router_reply(const struct packet *request, bool ok, uint32_t data);

/* --- registers --- */

enum router_interrupt {
    ROUTER_INTERRUPT_DUMP = 1,
    ROUTER_INTERRUPT_ERROR = 2,
    ROUTER_INTERRUPT_COUNTER = 4
};

/* Interrupt lines that are active: enum router_interrupt bits. */
unsigned router_interrupts(const struct router *router);

/* Clocks that a wait byte of the control register stands for; TIME_NEVER for 0xff. */
uint64_t router_wait_cycles(unsigned wait);

enum register_reply router_read32(struct router *router, uint32_t offset, uint64_t now_ps,
                                  uint32_t *value);
enum register_reply router_write32(struct router *router, uint32_t offset, uint32_t value,
                                   uint64_t now_ps);

C_LINKAGE_END
