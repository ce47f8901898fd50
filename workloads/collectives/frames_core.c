/* frames_core.c - see frames_core.h. */
#include "frames_core.h"

#include <stddef.h>
#include <wait_note.h>

enum {
    TCR_NOT_FULL = 1 << 28,
    TIMER_PERIODIC = 0xe2,
    QUIET_TIMEOUTS = 6, /* without a packet of control, at the end */
    ROW_WORDS = 0,      /* of the wait note */
    ROW_ANSWER = 1,
    ROWS = 2
};

void frames_fast_begin(void); /* frames_packets.S */

struct frames frames_core;
__attribute__((weak)) volatile uint32_t frames_signals[COLLECTIVES_SIGNALS];

static struct {
    struct nn_wait_note head;
    struct nn_wait wait[ROWS];
} note;

/* ---- packets ---- */

uint32_t frames_port_send(struct frames *frames, uint32_t key, uint32_t payload)
{
    if ((cc[CC_TCR] & TCR_NOT_FULL) == 0) {
        return 0;
    }
    if (frames->packets + 1 != frames->plan->lose) {
        cc[CC_TXDATA] = payload;
        cc[CC_TXKEY] = key;
    }
    return 1;
}

/* Sleeps until one of these interrupts or a packet.  Call with interrupts masked. */
static void sleep_for(uint interrupts)
{
    vic[VIC_ENABLE] = interrupts;
    cpu_wfi();
    vic[VIC_DISABLE] = interrupts;
}

void frames_signal(uint32_t key)
{
    const uint cpsr = cpu_int_disable();
    while ((cc[CC_TCR] & TCR_NOT_FULL) == 0) {
        sleep_for(1u << CC_TNF_INT);
        cpu_int_restore(cpsr); /* lets packets in */
        (void)cpu_int_disable();
    }
    cc[CC_TXKEY] = key;
    cpu_int_restore(cpsr);
}

/* ---- beginning, end ---- */

void frames_core_begin(const struct collectives_plan *plan)
{
    void *memory = sark_alloc(1, frames_bytes(plan->size));
    if (plan->magic != COLLECTIVES_MAGIC) {
        io_printf(IO_BUF, "collectives: no plan\n");
        rt_error(RTE_SWERR);
    }
    if (memory == NULL) {
        io_printf(IO_BUF, "collectives: no room in DTCM for %u ranks\n", plan->size);
        rt_error(RTE_MALLOC);
    }
    frames_begin(&frames_core, plan, memory);
    frames_fast_begin();
    note.head = (struct nn_wait_note){.magic = NN_WAIT_MAGIC, .count = ROWS};
    sark.vcpu->user1 = (uint)&note;
    tc[T2_CONTROL] = 0;
    tc[T2_LOAD] = plan->timeout_cycles;
    tc[T2_CONTROL] = TIMER_PERIODIC;
    vic[VIC_SELECT] = 1u << CC_MC_INT;
    vic[VIC_ENABLE] = 1u << CC_MC_INT;
}

/* What the program waits for, for who looks at a run that does not end. */
static void write_note(void)
{
    const struct frames *f = &frames_core;
    const uint32_t in = f->busy & FRAMES_IN;
    const uint32_t out = f->busy & FRAMES_OUT;
    note.wait[ROW_WORDS] = (struct nn_wait){f->in.key, ~(uint32_t)COLLECTIVES_SEQUENCE_MASK,
                                            in == 0 ? 0 : f->in.count, in == 0 ? 0 : f->in.next};
    note.wait[ROW_ANSWER] =
        (struct nn_wait){out == 0 ? 0
                                  : collectives_key(f->plan, f->out.to, f->plan->rank) |
                                        COLLECTIVES_CONTROL | COLLECTIVES_DONE,
                         0xffffffff, out == 0 ? 0 : 1, 0};
}

/* Goes on receiving, so that packets block no router, and answers no more. */
static void fail(void) __attribute__((noreturn));
static void fail(void)
{
    const struct frames_lost *lost = &frames_core.lost;
    vic[VIC_DISABLE] = ~(1u << CC_MC_INT);
    if (lost->offered != lost->words) {
        io_printf(IO_BUF, "collectives: rank %u offers %u words in frame %u, rank %u awaits %u\n",
                  lost->from, lost->offered, lost->frame, frames_core.plan->rank, lost->words);
    } else {
        io_printf(IO_BUF,
                  "collectives: rank %u waits in vain for packet 0x%08x of rank %u: frame "
                  "%u, word %u of %u\n",
                  frames_core.plan->rank, lost->key, lost->from, lost->frame, lost->word,
                  lost->words);
    }
    sark.vcpu->rt_code = RTE_PKT;
    sark.vcpu->lr = (uint)__builtin_return_address(0);
    sark_cpu_state(CPU_STATE_RTE);
    for (;;) {
        cpu_wfi();
    }
}

/* It may be called by the fast interrupt: the program ends when it looks next. */
void frames_port_lost(struct frames *frames)
{
    (void)frames;
}

/* ---- waiting ---- */

/* Interrupts stay masked from the look to the sleep: a packet that comes between ends it. */
static void serve(uint32_t (*is_over)(void))
{
    uint32_t over = 0;
    while (!over) {
        const uint cpsr = cpu_int_disable();
        const enum frames_sent sent = frames_pump(&frames_core);
        over = sent == FRAMES_IDLE && is_over();
        if (sent != FRAMES_SENT && !over) {
            if (tc[T2_RAW_INT] != 0) {
                tc[T2_INT_CLR] = 1;
                frames_timeout(&frames_core);
                write_note();
            } else {
                sleep_for(1u << TIMER2_INT | (sent == FRAMES_FULL ? 1u << CC_TNF_INT : 0));
            }
        }
        cpu_int_restore(cpsr);
    }
}

static uint32_t transfer_is_over(void)
{
    return frames_core.busy == 0;
}

void frames_core_transfer(const struct frames_transfer *transfer)
{
    const uint cpsr = cpu_int_disable();
    frames_start(&frames_core, transfer);
    cpu_int_restore(cpsr);
    serve(transfer_is_over);
    if (frames_core.lost.from != COLLECTIVES_NOBODY) {
        fail();
    }
}

void collectives_do(collective_step *step, struct collective_call *call)
{
    const struct collectives_plan *plan = frames_core.plan;
    struct frames_transfer transfer;
    call->rank = plan->rank;
    call->size = plan->size;
    call->neighbour = plan->neighbour;
    for (uint32_t k = 0; step(call, k, &transfer); k++) {
        frames_core_transfer(&transfer);
    }
}

static uint32_t quiet, controls;

static uint32_t is_quiet(void)
{
    if (controls != frames_core.controls) {
        controls = frames_core.controls;
        quiet = 0;
    }
    if (tc[T2_RAW_INT] != 0) {
        quiet++;
    }
    return quiet > QUIET_TIMEOUTS;
}

void frames_core_end(void)
{
    quiet = 0;
    serve(is_quiet);
    tc[T2_CONTROL] = 0;
}
