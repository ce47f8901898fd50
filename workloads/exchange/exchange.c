/* exchange.c - see exchange.h.
 *
 * In reduce-scatter a core sends all slices but slice position + 1, which it will own.  Its stream
 * begins with the end of slice `position`, goes down the array and continues at the array's end.
 * The successor's stream begins one slice higher: so a core sends its own slice first, and then
 * forwards the words that it receives, in the same order.  All-gather works in the same way, one
 * slice further on. */
#include "exchange_parts.h"

#include <chip_sync.h>
#include <number.h>
#include <stddef.h>
#include <wait_note.h>

enum {
    SLOT_PACE = 5, /* of the interrupt controller */
    SLOT_ENABLE = 0x20,
    TIMER_PERIODIC = 0xe2,
    TCR_NOT_FULL = 1 << 28,
    HEADER_TENSOR_SHIFT = 28, /* a header: tensor, version, words of the array */
    HEADER_VERSION_SHIFT = 15,
    HEADER_VERSION_MASK = 0x1fff,
    HEADER_WORDS_MASK = 0x7fff
};
#define NOTHING 0xffffffffu /* no packet's key */

/* Functions that run once a phase or less: Thumb code is smaller.  It divides slowly. */
#define SELDOM __attribute__((target("thumb"), noinline))

enum { VALUES_PER_WORD = sizeof(uint32_t) / sizeof(nn_value) };

/* Control packets of a stream; header and trailer are the only ones. */
enum { HEADER_CAME = 1, TRAILER_CAME, CONTROLS = 2 };

_Static_assert(KEY_DATA == EXCHANGE_DATA && KEY_CONTROL == EXCHANGE_CONTROL &&
                   COUNTERS_MASK == EXCHANGE_COUNTERS - 1,
               "the interrupts know the keys");
#define STANDS_AT(type, member, offset)                                                            \
    _Static_assert(offsetof(struct type, member) == (offset), "the interrupts know " #member)
STANDS_AT(exchange_inbound, left, INBOUND_LEFT);
STANDS_AT(exchange_inbound, check, INBOUND_CHECK);
STANDS_AT(exchange_inbound, top, INBOUND_TOP);
STANDS_AT(exchange_inbound, base, INBOUND_BASE);
STANDS_AT(exchange_inbound, first, INBOUND_FIRST);
STANDS_AT(exchange_inbound, stream, INBOUND_STREAM);
STANDS_AT(exchange_inbound, control, INBOUND_CONTROL);
STANDS_AT(exchange_inbound, came, INBOUND_CAME);
STANDS_AT(exchange_inbound, next, INBOUND_NEXT);
STANDS_AT(exchange_outbound, check, OUTBOUND_CHECK);
STANDS_AT(exchange_outbound, stream, OUTBOUND_STREAM);
STANDS_AT(exchange_outbound, top, OUTBOUND_TOP);
STANDS_AT(exchange_outbound, base, OUTBOUND_BASE);

volatile uint32_t exchange_count[EXCHANGE_COUNTERS];
uint32_t exchange_version;
volatile uint32_t exchange_failed;
struct exchange_outbound exchange_outbound;

/* Streams to receive: none, sums, values. */
struct exchange_inbound exchange_idle = {.control = NOTHING};
static struct exchange_inbound reduced, gathered;
static struct exchange_outbound sending, gathering; /* to begin with */
static uint32_t gathering_is_open;

enum { WAIT_OPEN, WAIT_WORDS, WAIT_ROWS };
static struct {
    struct nn_wait_note head;
    struct nn_wait wait[WAIT_ROWS];
} note;

/* ---- packets ---- */

SELDOM void exchange_packets_begin(void)
{
    exchange_fast_begin(&exchange_idle);
    note.head = (struct nn_wait_note){.magic = NN_WAIT_MAGIC, .count = WAIT_ROWS};
    sark.vcpu->user1 = (uint)&note;
    vic[VIC_SELECT] = 1u << CC_MC_INT;
    vic[VIC_ENABLE] = 1u << CC_MC_INT;
}

/* Sleeps until the transmitter is free.  Call with IRQ masked in CPSR; FIQ need not be. */
static void wait_for_transmitter(void)
{
    while ((cc[CC_TCR] & TCR_NOT_FULL) == 0) {
        vic[VIC_ENABLE] = 1u << CC_TNF_INT;
        cpu_wfi();
        vic[VIC_DISABLE] = 1u << CC_TNF_INT;
    }
}

void exchange_signal(uint32_t key)
{
    const uint cpsr = cpu_irq_disable();
    wait_for_transmitter();
    cc[CC_TXKEY] = key;
    cpu_int_restore(cpsr);
}

SELDOM static void name_header(const char *who, uint32_t header)
{
    io_printf(IO_BUF, "exchange: %s tensor %u, version %u, %u words\n", who,
              header >> HEADER_TENSOR_SHIFT, header >> HEADER_VERSION_SHIFT & HEADER_VERSION_MASK,
              header & HEADER_WORDS_MASK);
}

/* Like rt_error(), but goes on receiving packets: left in a router they would block others and hide
 * where the error began. */
static void fail(void) __attribute__((noreturn));
static void fail(void)
{
    vic[VIC_DISABLE] = ~(1u << CC_MC_INT);
    sark.vcpu->rt_code = RTE_PKT;
    sark.vcpu->lr = (uint)__builtin_return_address(0);
    sark_cpu_state(CPU_STATE_RTE);
    for (;;) {
        cpu_wfi();
    }
}

static uint32_t arrived_of(const struct exchange_inbound *in)
{
    return in->came == 0 ? 0 : in->packets - in->left + in->came;
}

void exchange_out_of_order(const struct exchange_inbound *in, uint32_t key, uint32_t payload)
{
    const uint32_t stream = key & EXCHANGE_STREAM_MASK;
    if (key != in->control) {
        io_printf(IO_BUF, "exchange: after %u of %u packets of stream 0x%08x came key 0x%08x\n",
                  arrived_of(in), in->packets + CONTROLS, in->stream & EXCHANGE_STREAM_MASK, key);
    } else if (in->came == 0) {
        io_printf(IO_BUF, "exchange: a wrong header in stream 0x%08x\n", stream);
        name_header("it is for", payload);
        name_header("expected is one for", in->check);
    } else {
        io_printf(IO_BUF,
                  "exchange: %u of %u packets of stream 0x%08x came, not as they were sent\n",
                  arrived_of(in), in->packets + CONTROLS, stream);
    }
    fail();
}

/* ---- slots ---- */

static uint timer_control;

static void start_timer(void)
{
    tc[T2_CONTROL] = timer_control;
}

SELDOM void exchange_slots_begin(const struct exchange_plan *plan)
{
    timer_control = plan->chips > 1 ? TIMER_PERIODIC : 0;
    tc[T2_CONTROL] = 0;
    tc[T2_LOAD] = plan->slot_cycles + plan->phase_cycles;
    tc[T2_BG_LOAD] = plan->slot_cycles;
    chip_barrier_act(start_timer);
    vic[VIC_ADDR0 + SLOT_PACE] = (uint)exchange_slot;
    vic[VIC_CNTL0 + SLOT_PACE] = SLOT_ENABLE | TIMER2_INT;
}

SELDOM void exchange_pace(const struct exchange_plan *from, const struct exchange_plan *to)
{
    for (uint32_t left = to->phase_cycles; left >= from->slot_cycles; left -= from->slot_cycles) {
        cpu_int_restore(exchange_begin_slot());
    }
    tc[T2_BG_LOAD] = to->slot_cycles;
}

/* Enables the slot interrupt, from the next slot on. */
static void open_slots(void)
{
    tc[T2_INT_CLR] = 1; /* the current slot has begun already */
    vic[VIC_ENABLE] = 1u << TIMER2_INT;
}

uint exchange_begin_slot(void)
{
    const uint cpsr = cpu_irq_disable();
    open_slots();
    while (tc[T2_RAW_INT] == 0) {
        cpu_wfi();
    }
    vic[VIC_DISABLE] = 1u << TIMER2_INT;
    wait_for_transmitter();
    return cpsr;
}

/* ---- slices ---- */

__attribute__((weak)) struct exchange_span exchange_slice_of(const struct exchange_plan *plan,
                                                             const struct exchange_phase *phase,
                                                             uint32_t slice)
{
    const uint32_t units = (plan->words + EXCHANGE_UNIT - 1) / EXCHANGE_UNIT;
    slice = slice >= plan->chips ? slice - plan->chips : slice;
    const struct exchange_span span = {units * slice / plan->chips * phase->scale,
                                       units * (slice + 1) / plan->chips * phase->scale};
    return (struct exchange_span){span.begin, span.end < phase->words ? span.end : phase->words};
}

SELDOM static struct exchange_phase reduce_scatter(const struct exchange_plan *plan, int32_t *sums)
{
    return (struct exchange_phase){.array = (uint32_t *)(void *)sums,
                                   .words = plan->words,
                                   .scale = EXCHANGE_UNIT,
                                   .own = plan->position};
}

SELDOM static struct exchange_phase all_gather(const struct exchange_plan *plan, void *values)
{
    return (struct exchange_phase){.array = values,
                                   .words = (plan->words + VALUES_PER_WORD - 1) / VALUES_PER_WORD,
                                   .scale = EXCHANGE_UNIT / VALUES_PER_WORD,
                                   .own = plan->position + 1,
                                   .key = EXCHANGE_GATHER};
}

SELDOM void exchange_owned(const struct exchange_plan *plan, uint32_t *first, uint32_t *count)
{
    const struct exchange_phase phase = reduce_scatter(plan, NULL);
    const struct exchange_span span = exchange_slice_of(plan, &phase, plan->position + 1);
    *first = span.begin;
    *count = span.end - span.begin;
}

/* ---- the conveyor ---- */

SELDOM static uint32_t header_of(const struct exchange_plan *plan)
{
    return plan->tensor << HEADER_TENSOR_SHIFT |
           (exchange_version & HEADER_VERSION_MASK) << HEADER_VERSION_SHIFT | plan->words;
}

/* Number of packets for so many words from the array's beginning on. */
__attribute__((noinline)) static uint32_t packets_of(uint32_t words)
{
    return (words * sizeof(uint32_t) + EXCHANGE_PACKET_BYTES - 1) / EXCHANGE_PACKET_BYTES;
}

/* The packets of a slice; their numbers count from the array's beginning on. */
static struct exchange_span packets_in(const struct exchange_plan *plan,
                                       const struct exchange_phase *phase, uint32_t slice)
{
    const struct exchange_span span = exchange_slice_of(plan, phase, slice);
    return (struct exchange_span){packets_of(span.begin), packets_of(span.end)};
}

static uint8_t *place_before(const struct exchange_phase *phase, uint32_t packet)
{
    return (uint8_t *)phase->array + (packet - 1) * EXCHANGE_PACKET_BYTES;
}

/* Sets both directions.  Receives all slices but the own.  Sends all slices but the one after the
 * own: the own slice can be sent at once, the others when they have been received. */
SELDOM static void set_stream(struct exchange_inbound *in, struct exchange_outbound *out,
                              const struct exchange_plan *plan, const struct exchange_phase *phase)
{
    const uint32_t packets = packets_of(phase->words);
    const struct exchange_span own = packets_in(plan, phase, phase->own);
    const struct exchange_span next = packets_in(plan, phase, phase->own + 1);
    const uint32_t received = packets - (own.end - own.begin);
    const uint32_t after = next.end - next.begin;
    *in = (struct exchange_inbound){
        .left = received,
        .packets = received,
        .check = header_of(plan),
        .top = place_before(phase, packets),
        .base = (uint8_t *)phase->array,
        .first = place_before(phase, own.begin == 0 ? packets : own.begin),
        .stream = plan->receive_key | phase->key,
        .control = plan->receive_key | phase->key | EXCHANGE_CONTROL,
        .next = &exchange_idle,
    };
    *out = (struct exchange_outbound){
        .next = place_before(phase, own.end == 0 ? packets : own.end),
        .left = packets - after,
        .in = in,
        .none_left = after,
        .check = header_of(plan),
        .stream = plan->send_key | phase->key,
        .top = in->top,
        .base = in->base,
    };
}

void exchange_sleep_until(uint32_t (*is_so)(void))
{
    for (;;) {
        const uint cpsr = cpu_int_disable();
        const uint32_t so = is_so();
        if (!so) {
            cpu_wfi();
        }
        cpu_int_restore(cpsr);
        if (so) {
            return;
        }
    }
}

static uint32_t is_open(void)
{
    struct nn_wait *open = &note.wait[WAIT_OPEN];
    volatile uint32_t *count = &exchange_count[open->key % EXCHANGE_COUNTERS];
    if (*count == 0) {
        return 0;
    }
    *count -= 1;
    open->arrived = 1;
    return 1;
}

static uint32_t all_are_received(void)
{
    const struct exchange_inbound *in = exchange_outbound.in;
    note.wait[WAIT_WORDS].arrived = arrived_of(in);
    return in->came == TRAILER_CAME;
}

/* Enables slots when a packet is ready to be sent; otherwise the core sleeps until one arrives.
 * Does little while they are enabled: a packet that is late for its slot meets other cores'. */
static uint32_t all_are_sent(void)
{
    const struct exchange_outbound *out = &exchange_outbound;
    if (out->left == 0) {
        return 1;
    }
    if ((vic[VIC_ENABLE] & 1u << TIMER2_INT) == 0) {
        (void)all_are_received();
        if (out->in->left - out->left != out->none_left) {
            open_slots();
        }
    }
    return 0;
}

/* Signals the predecessor that this core is ready, then waits for the successor's signal.  Signals
 * go against the stream of words, and open_slots keeps a chip's signals apart: links have little
 * room beside words. */
static void open(const struct exchange_plan *plan)
{
    note.wait[WAIT_OPEN] = (struct nn_wait){plan->opened_key, 0xffffffff, 1, 0};
    for (uint32_t slot = 0; slot < plan->open_slots; slot++) {
        cpu_int_restore(exchange_begin_slot());
    }
    const uint cpsr = exchange_begin_slot();
    cc[CC_TXKEY] = plan->open_key;
    cpu_int_restore(cpsr);
    exchange_sleep_until(is_open);
}

/* The signal of round n says that the n-th successor has come. */
SELDOM void exchange_meet(const struct exchange_plan *plan)
{
    for (uint32_t met = 2; met < plan->chips; met++) {
        open(plan);
    }
}

static void send_control(uint32_t kind)
{
    const uint cpsr = exchange_begin_slot();
    cc[CC_TXDATA] = exchange_outbound.check;
    cc[CC_TXKEY] = exchange_outbound.stream | EXCHANGE_CONTROL | kind;
    cpu_int_restore(cpsr);
}

void exchange_note_await(uint32_t key, uint32_t mask, uint32_t words)
{
    note.wait[WAIT_WORDS] = (struct nn_wait){key, mask, words, 0};
}

void exchange_note_arrived(uint32_t words)
{
    note.wait[WAIT_WORDS].arrived = words;
}

/* Sends the header at once; words follow when they are ready. */
static void run(const struct exchange_outbound *out)
{
    exchange_outbound = *out;
    exchange_note_await(out->in->stream & EXCHANGE_STREAM_MASK, EXCHANGE_STREAM_MASK,
                        out->in->packets + CONTROLS);
    send_control(0);
    exchange_sleep_until(all_are_sent);
    send_control(EXCHANGE_TRAILER);
    exchange_sleep_until(all_are_received);
}

static uint32_t is_nothing(const struct exchange_plan *plan)
{
    return plan->chips <= 1 || plan->words == 0;
}

/* Ends the program unless it is linked with trees and knows `values`: on trees both phases are
 * opened together. */
static void need_trees(const void *values)
{
    if (exchange_tree_reduce == NULL || values == NULL) {
        io_printf(IO_BUF, "exchange: the program is not for trees\n");
        rt_error(RTE_SWERR);
    }
}

SELDOM void exchange_reduce_scatter(const struct exchange_plan *plan, int32_t *sums, void *values)
{
    const struct exchange_phase reduce = reduce_scatter(plan, sums);
    const struct exchange_phase gather = all_gather(plan, values);
    if (is_nothing(plan)) {
        return;
    }
    note.head.round++;
    if (plan->tree != 0) {
        need_trees(values);
        exchange_tree_reduce(plan, &reduce, &gather);
        return;
    }
    set_stream(&reduced, &sending, plan, &reduce);
    set_stream(&gathered, &gathering, plan, &gather);
    gathering_is_open = values != NULL;
    if (gathering_is_open) {
        reduced.next = &gathered;
    }
    exchange_fast_begin(&reduced);
    open(plan);
    run(&sending);
}

SELDOM void exchange_all_gather(const struct exchange_plan *plan, void *values)
{
    const struct exchange_phase gather = all_gather(plan, values);
    if (!is_nothing(plan) && plan->tree != 0) {
        exchange_tree_gather(plan, &gather);
    } else if (!is_nothing(plan)) {
        if (!gathering_is_open) {
            set_stream(&gathered, &gathering, plan, &gather);
            exchange_fast_begin(&gathered);
            open(plan);
        }
        run(&gathering);
        gathering_is_open = 0;
    }
    exchange_version++;
}
