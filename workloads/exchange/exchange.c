/* exchange.c - see exchange.h.
 *
 * In reduce-scatter a core sends all slices but slice position + 1, which it will own.  Its stream
 * begins with the last word of slice `position`, goes down the array and continues at the array's
 * end.  The successor's stream begins one slice higher: so a core sends its own slice first, and
 * then forwards the words that it receives, in the same order.  All-gather works in the same way,
 * one slice further on. */
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
    HEADER_VERSION_MASK = 0x1fff
};
#define NOTHING     0xfffffffeu /* no packet has the key behind it */
#define NUMBER_MASK 0x00007fffu

enum { VALUES_PER_UNIT = sizeof(uint32_t) / sizeof(nn_value) };

_Static_assert(KEY_DATA == EXCHANGE_DATA && KEY_GATHER == EXCHANGE_GATHER &&
                   COUNTERS_MASK == EXCHANGE_COUNTERS - 1,
               "the interrupts know the keys");
#define STANDS_AT(type, member, offset)                                                            \
    _Static_assert(offsetof(struct type, member) == (offset), "the interrupts know " #member)
STANDS_AT(exchange_inbound, last, INBOUND_LAST);
STANDS_AT(exchange_inbound, top, INBOUND_TOP);
STANDS_AT(exchange_inbound, base, INBOUND_BASE);
STANDS_AT(exchange_inbound, first, INBOUND_FIRST);
STANDS_AT(exchange_inbound, end, INBOUND_END);
STANDS_AT(exchange_inbound, header_key, INBOUND_HEADER_KEY);
STANDS_AT(exchange_inbound, header, INBOUND_HEADER);
STANDS_AT(exchange_inbound, came, INBOUND_CAME);
STANDS_AT(exchange_inbound, next, INBOUND_NEXT);
STANDS_AT(exchange_outbound, top, OUTBOUND_TOP);
STANDS_AT(exchange_outbound, base, OUTBOUND_BASE);

volatile uint32_t exchange_count[EXCHANGE_COUNTERS];
uint32_t exchange_version;
volatile uint32_t exchange_failed;
struct exchange_outbound exchange_outbound;

/* Streams to receive: none, sums, values. */
struct exchange_inbound exchange_idle;
static struct exchange_inbound reduced, gathered;
static uint32_t gathering_is_open;

enum { WAIT_OPEN, WAIT_WORDS, WAIT_ROWS };
static struct {
    struct nn_wait_note head;
    struct nn_wait wait[WAIT_ROWS];
} note;

/* ---- packets ---- */

/* Makes the fast interrupt drop its stream and expect `next` (NULL: nothing). */
static void expect(struct exchange_inbound *next)
{
    exchange_idle = (struct exchange_inbound){
        .end = NOTHING, .header_key = NOTHING, .next = next == NULL ? &exchange_idle : next};
    exchange_fast_begin(NOTHING, &exchange_idle);
}

void exchange_packets_begin(void)
{
    expect(NULL);
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

static void name_header(const char *who, uint32_t header)
{
    io_printf(IO_BUF, "exchange: %s tensor %u, version %u, %u words\n", who,
              header >> HEADER_TENSOR_SHIFT, header >> HEADER_VERSION_SHIFT & HEADER_VERSION_MASK,
              header & NUMBER_MASK);
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

void exchange_out_of_order(uint32_t last, uint32_t key, uint32_t payload)
{
    const struct exchange_inbound *next = reduced.came == 0 ? &reduced : &gathered;
    const uint32_t stream = key & ~NUMBER_MASK;
    if (key == next->header_key && payload != next->header) {
        io_printf(IO_BUF, "exchange: a wrong header in stream 0x%08x\n", stream);
        name_header("it is for", payload);
        name_header("expected is one for", next->header);
    } else if (last == NOTHING) {
        io_printf(IO_BUF, "exchange: stream 0x%08x: packet %u came, none was expected\n", stream,
                  key & NUMBER_MASK);
    } else {
        io_printf(IO_BUF, "exchange: stream 0x%08x: expected packet %u, packet %u of 0x%08x came\n",
                  last & ~NUMBER_MASK, (last + 1) & NUMBER_MASK, key & NUMBER_MASK, stream);
    }
    fail();
}

/* ---- slots ---- */

static uint timer_control;

static void start_timer(void)
{
    tc[T2_CONTROL] = timer_control;
}

void exchange_slots_begin(const struct exchange_plan *plan)
{
    timer_control = plan->chips > 1 ? TIMER_PERIODIC : 0;
    tc[T2_CONTROL] = 0;
    tc[T2_LOAD] = plan->slot_cycles + plan->phase_cycles;
    tc[T2_BG_LOAD] = plan->slot_cycles;
    chip_barrier_act(start_timer);
    vic[VIC_ADDR0 + SLOT_PACE] = (uint)exchange_slot;
    vic[VIC_CNTL0 + SLOT_PACE] = SLOT_ENABLE | TIMER2_INT;
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
    const uint32_t units = (plan->words + VALUES_PER_UNIT - 1) / VALUES_PER_UNIT;
    slice = slice >= plan->chips ? slice - plan->chips : slice;
    const struct exchange_span span = {units * slice / plan->chips * phase->scale,
                                       units * (slice + 1) / plan->chips * phase->scale};
    return (struct exchange_span){span.begin, span.end < phase->words ? span.end : phase->words};
}

static uint32_t length(struct exchange_span span)
{
    return span.end - span.begin;
}

static struct exchange_phase reduce_scatter(const struct exchange_plan *plan, int32_t *sums)
{
    return (struct exchange_phase){.array = (uint32_t *)(void *)sums,
                                   .words = plan->words,
                                   .scale = VALUES_PER_UNIT,
                                   .own = plan->position};
}

static struct exchange_phase all_gather(const struct exchange_plan *plan, void *values)
{
    return (struct exchange_phase){.array = values,
                                   .words = (plan->words + VALUES_PER_UNIT - 1) / VALUES_PER_UNIT,
                                   .scale = 1,
                                   .own = plan->position + 1,
                                   .key = EXCHANGE_GATHER};
}

void exchange_owned(const struct exchange_plan *plan, uint32_t *first, uint32_t *count)
{
    const struct exchange_phase phase = reduce_scatter(plan, NULL);
    const struct exchange_span span = exchange_slice_of(plan, &phase, plan->position + 1);
    *first = span.begin;
    *count = length(span);
}

/* ---- the conveyor ---- */

static uint32_t header_of(const struct exchange_plan *plan)
{
    return plan->tensor << HEADER_TENSOR_SHIFT |
           (exchange_version & HEADER_VERSION_MASK) << HEADER_VERSION_SHIFT | plan->words;
}

/* The word before index `place`; before index 0 the array's last word. */
static uint32_t *word_before(const struct exchange_phase *phase, uint32_t place)
{
    return phase->array + (place == 0 ? phase->words : place) - 1;
}

/* Receives all slices but the own. */
static void set_inbound(struct exchange_inbound *inbound, const struct exchange_plan *plan,
                        const struct exchange_phase *phase)
{
    const struct exchange_span own = exchange_slice_of(plan, phase, phase->own);
    const uint32_t header_key = plan->receive_key | phase->key;
    *inbound = (struct exchange_inbound){
        .last = header_key,
        .top = phase->array + phase->words - 1,
        .base = phase->array,
        .first = word_before(phase, own.begin),
        .end = header_key + phase->words - length(own),
        .header_key = header_key,
        .header = header_of(plan),
        .next = &exchange_idle,
    };
}

/* Sends all slices but the one after the own.  The own slice can be sent at once, the others when
 * they have been received. */
static void set_outbound(const struct exchange_inbound *inbound, const struct exchange_plan *plan,
                         const struct exchange_phase *phase)
{
    const struct exchange_span own = exchange_slice_of(plan, phase, phase->own);
    const struct exchange_span next = exchange_slice_of(plan, phase, phase->own + 1);
    const uint32_t header_key = plan->send_key | phase->key;
    exchange_outbound = (struct exchange_outbound){
        .next = word_before(phase, next.begin),
        .key = header_key + 1,
        .in = inbound,
        .none_left = length(own) + header_key + 1 - inbound->header_key,
        .end = header_key + 1 + phase->words - length(next),
        .top = phase->array + phase->words - 1,
        .base = phase->array,
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

/* True when all words have been sent and received.  Enables slots only while a word is ready to be
 * sent; otherwise the core sleeps until a word arrives. */
static uint32_t is_over(void)
{
    const struct exchange_outbound *out = &exchange_outbound;
    const uint32_t last = out->in->last;
    struct nn_wait *words = &note.wait[WAIT_WORDS];
    words->arrived = out->in->came == 0 ? 0 : last - out->in->header_key + 1;
    if (out->key == out->end) {
        return words->arrived == words->expected;
    }
    if (out->key - last != out->none_left && (vic[VIC_ENABLE] & 1u << TIMER2_INT) == 0) {
        open_slots();
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

/* Sends the header at once; words follow when they are ready. */
static void begin_to_send(const struct exchange_plan *plan)
{
    const uint cpsr = exchange_begin_slot();
    cc[CC_TXDATA] = header_of(plan);
    cc[CC_TXKEY] = exchange_outbound.key - 1;
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

static void run(const struct exchange_inbound *inbound, const struct exchange_plan *plan,
                const struct exchange_phase *phase)
{
    set_outbound(inbound, plan, phase);
    exchange_note_await(inbound->header_key, ~NUMBER_MASK, inbound->end - inbound->header_key + 1);
    begin_to_send(plan);
    exchange_sleep_until(is_over);
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

void exchange_reduce_scatter(const struct exchange_plan *plan, int32_t *sums, void *values)
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
    set_inbound(&reduced, plan, &reduce);
    set_inbound(&gathered, plan, &gather);
    gathering_is_open = values != NULL;
    if (gathering_is_open) {
        reduced.next = &gathered;
    }
    expect(&reduced);
    open(plan);
    run(&reduced, plan, &reduce);
}

void exchange_all_gather(const struct exchange_plan *plan, void *values)
{
    const struct exchange_phase gather = all_gather(plan, values);
    if (!is_nothing(plan) && plan->tree != 0) {
        exchange_tree_gather(plan, &gather);
    } else if (!is_nothing(plan)) {
        if (!gathering_is_open) {
            set_inbound(&gathered, plan, &gather);
            expect(&gathered);
            open(plan);
        }
        run(&gathered, plan, &gather);
        gathering_is_open = 0;
        expect(NULL);
    }
    exchange_version++;
}
