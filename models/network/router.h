/* router.h - the packet router of a chip (SpiNNaker datasheet v2.02, 10).
 *
 * Packets enter by router_offer(), at most one per clock, and reach the output stage after the
 * pipeline's length.  There a packet waits until all its outputs are free, and leaves on all of
 * them at once.  After wait1, emergency routing may be used for links that are still blocked; after
 * wait2 the remaining copies are dumped.  Packets behind it wait.  The owner merges the inputs,
 * reports which outputs are free, carries the copies away and performs peeks and pokes.  Outputs
 * are bits: links 5:0, cores 23:6.  Plain state: copying the struct saves it.  Time: picoseconds,
 * never going back; events happen at edges of the router's clock.  Owner: the chip. */
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
    ROUTER_FILTER_BITS = 25, /* bits of a diagnostic filter that select what is counted */
    ROUTER_FIRST_CORE = 6,   /* bit of core 0 among the outputs */
    ROUTER_LINK_OUTPUTS = 0x3f,
    ROUTER_ENABLED = 1 << 0, /* bits of the control register */
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

/* What the router does with a packet. */
enum router_action {
    ROUTER_FORWARD, /* to the outputs; there may be none */
    ROUTER_DROP,    /* no output: to the dump registers */
    ROUTER_DESTROY, /* as the diversion register demands */
    ROUTER_PEEK,    /* the owner reads a word for a neighbour */
    ROUTER_POKE     /* the owner writes a word for a neighbour */
};

struct router_decision {
    uint32_t outputs;
    uint8_t action;         /* enum router_action */
    uint8_t reverting;      /* links among them whose copies are marked 11 */
    uint8_t default_routed; /* a multicast packet without an entry */
    uint8_t gap;            /* named, so that saved states are the same bytes with every compiler */
};

enum router_stage {
    ROUTER_STAGE_EMPTY, /* the first packet of the pipeline, if any, has not been tried */
    ROUTER_STAGE_FULL,
    ROUTER_STAGE_WAIT1,
    ROUTER_STAGE_WAIT2
};

/* Registers that hold a dumped packet, or one in error. */
struct router_catch {
    uint32_t header, key, payload, outputs, status;
};

struct router {
    struct router_config config;
    struct pace pace;           /* of the router's clock, initially config.clock */
    uint64_t way_ps;            /* see router_way_ps() */
    uint64_t next_accept_cycle; /* of the input */
    uint64_t accept_ps;         /* see router_accept_ps() */
    uint64_t next_issue_cycle;  /* of the output stage */
    uint64_t tried_cycle;       /* when the packet in the output stage was first tried */
    uint64_t due_cycle, due_ps; /* see router_next_ps(); TIME_NEVER: no event of its own accord */
    uint32_t first, held;       /* of the pipeline: a ring */
    struct router_decision decision;
    uint32_t stage;         /* enum router_stage */
    uint32_t held_in_reset; /* accepts no packet */
    uint32_t refused; /* outputs that were blocked when the packet in the stage was first tried */
    uint32_t control, diagnostic_enable, timing_enable;
    uint32_t armed; /* a bit for each filter whose interrupt is enabled */
    uint32_t seen;  /* a bit for each filter that has passed a packet since it was read */
    uint64_t ready_cycle[ROUTER_STAGES_MAX];
    struct packet pipeline[ROUTER_STAGES_MAX];
    uint16_t filters_with[ROUTER_FILTER_BITS]; /* for each bit of a filter, the filters that have it
                                                  set */
    uint16_t gap; /* named, so that saved states are the same bytes with every compiler */
    uint32_t counter[ROUTER_DIAGNOSTICS];
    uint32_t filter[ROUTER_DIAGNOSTICS]; /* as written; `seen` holds the bit that is not */
    uint32_t diversion, fixed_route, test_key;
    struct router_catch error, dump;
    uint32_t cycles, busy_cycles, no_wait;
    uint32_t histogram[ROUTER_HISTOGRAM];
    uint32_t gap_behind;
    uint64_t cycles_since_cycle; /* r13: start of the current count, if enabled */
    struct router_counters counters;
    struct mc_table mc;
    struct p2p_table p2p;
};

/* The minimum latency of a packet through an empty pipeline. */
static inline uint64_t router_way_ps(const struct router *router)
{
    return router->way_ps;
}

/* The router is zeros: so it takes no host memory for empty tables. */
void router_init(struct router *router, const struct router_config *config);

/* Resets the router: packets inside are lost, registers take their reset values.  Tables, being
 * memories, and counts are kept. held: the router accepts no packet until a reset with held
 * false. */
void router_reset(struct router *router, bool held, uint64_t now_ps);

/* Changes the clock from the next edge on. */
void router_set_clock(struct router *router, struct clock clock, uint64_t now_ps);

/* The destination of a packet, by the current tables and registers. */
struct router_decision router_decide(const struct router *router, const struct packet *packet);

/* --- packets --- */

/* Errors of a packet delivered by a link. */
enum router_damage {
    ROUTER_DAMAGE_NONE = 0,
    ROUTER_DAMAGE_PARITY = 1u << 29,
    ROUTER_DAMAGE_FRAMING = 1u << 28,
    ROUTER_DAMAGE_TIME = 1u << 27 /* found by the router itself */
};

/* Earliest time at which the input accepts a packet; TIME_NEVER while the pipeline is full or the
 * router is off. */
static inline uint64_t router_accept_ps(const struct router *router)
{
    return router->accept_ps;
}

/* Offers a packet at the input; false: not accepted, the owner keeps it.  Call router_step() first
 * for output events at the same time. damage: enum router_damage bits. */
bool router_offer(struct router *router, const struct packet *packet, uint32_t damage,
                  uint64_t now_ps);

enum router_event_kind {
    ROUTER_EVENT_NONE,
    ROUTER_EVENT_ISSUED, /* the packet has left the router on `outputs`, except those in `dumped` */
    ROUTER_EVENT_PEEK,   /* the owner performs it and offers router_reply() */
    ROUTER_EVENT_POKE
};

struct router_event {
    uint64_t at_ps;    /* when the packet leaves: at or after now_ps */
    uint64_t tried_ps; /* when it entered the output stage */
    struct packet packet;
    uint32_t outputs;  /* all outputs of the packet */
    uint32_t dumped;   /* blocked outputs whose copies were dumped */
    uint32_t refused;  /* outputs that were blocked at the first attempt */
    uint8_t kind;      /* enum router_event_kind */
    bool dropped;      /* recorded in the dump registers */
    uint8_t emergency; /* outputs that are links marked 10 */
    uint8_t shared;    /* ... 01 */
    uint8_t reverting; /* ... 11 */
    uint8_t gap[7];
};

/* Runs the output stage: call at router_next_ps(), and when outputs have become free.  True: a
 * packet has left, see *event (its outputs may now be blocked), and another may follow. */
bool router_step(struct router *router, uint32_t free_outputs, uint64_t now_ps,
                 struct router_event *event);

/* Time of the output stage's next event if no output becomes free: a packet reaches it, or a wait
 * ends; TIME_NEVER: none. */
static inline uint64_t router_next_ps(const struct router *router)
{
    return router->due_ps;
}

/* Whether the output stage can act for any set of free outputs.  If not, a step changes nothing. */
static inline bool router_can_step(const struct router *router, uint64_t now_ps)
{
    return router->held > 0 &&
           (router->stage != ROUTER_STAGE_EMPTY || router_next_ps(router) <= now_ps);
}

/* When the last packet left the output stage; 0: none has. */
uint64_t router_last_ps(const struct router *router);

/* The copy for an output (0 to 23).  The owner sets its arrival at the next router. */
struct packet router_copy(const struct router_event *event, unsigned output);

/* The reply to a peek or poke, to be offered as a packet of this chip. */
struct packet router_reply(const struct packet *request, bool ok, uint32_t data);

/* --- registers --- */

enum router_interrupt {
    ROUTER_INTERRUPT_DUMP = 1,
    ROUTER_INTERRUPT_ERROR = 2,
    ROUTER_INTERRUPT_COUNTER = 4
};

/* Interrupt lines that are active: enum router_interrupt bits. */
unsigned router_interrupts(const struct router *router);

/* The number of clocks encoded by a wait byte of the control register; TIME_NEVER for 0xff. */
uint64_t router_wait_cycles(unsigned wait);

enum register_reply router_read32(struct router *router, uint32_t offset, uint64_t now_ps,
                                  uint32_t *value);
enum register_reply router_write32(struct router *router, uint32_t offset, uint32_t value,
                                   uint64_t now_ps);

C_LINKAGE_END
