/* guest.c - a random program for one core: executes the operations of its plan, in its main program
 * and in interrupt handlers.  It is compiled together with random functions (functions.cpp), at
 * several levels of optimisation, for ARM and Thumb state. */
#include "plan.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

enum { UNBUFFERED = 1 << 28 };

#define COMMS          0x10000000u
#define TIMERS         0x11000000u
#define VIC            0x1f000000u
#define VIC_BUFFERED   0x2f000000u
#define DMA            0x30000000u
#define ROUTER         0xf1000000u
#define SYSCTL         0xe2000000u
#define WATCHDOG       0xf3000000u
#define SYSCTL_KEY     0x5ec00000u

#define CC_TCR         REGISTER(COMMS + 0x00)
#define CC_TXDATA      REGISTER(COMMS + 0x04)
#define CC_TXKEY       REGISTER(COMMS + 0x08)
#define CC_RSR         REGISTER(COMMS + 0x0c)
#define CC_RXDATA      REGISTER(COMMS + 0x10)
#define CC_RXKEY       REGISTER(COMMS + 0x14)
#define CC_SAR         REGISTER(COMMS + 0x18)

#define VIC_IRQ_STATUS REGISTER(VIC + 0x00)
#define VIC_FIQ_STATUS REGISTER(VIC + 0x04)
#define VIC_SELECT     REGISTER(VIC + 0x0c)
#define VIC_ENABLE     REGISTER(VIC + 0x10)
#define VIC_DISABLE    REGISTER(VIC + 0x14)
#define VIC_SOFT_SET   REGISTER(VIC + 0x18)
#define VIC_SOFT_CLEAR REGISTER(VIC + 0x1c)
#define VIC_DEFAULT    REGISTER(VIC + 0x34)

enum {
    NOT_FULL = 1 << 28,
    SOURCE_WATCHDOG = 0,
    SOURCE_SOFTWARE = 1,
    SOURCE_TIMER1 = 4,
    SOURCE_TIMER2 = 5,
    SOURCE_RECEIVED = 6,
    SOURCE_EMPTY = 11,
    SOURCE_DMA_DONE = 12,
    SOURCE_ROUTER_COUNTER = 15,
    SOURCE_ROUTER_DUMP = 16,
    SOURCE_ROUTER_ERROR = 17,
    SOURCE_SYSCTL = 18,
    SOURCE_NOT_FULL = 23,
    SOURCE_MULTICAST = 24,
    SOURCE_NEIGHBOUR = 26,
    TRANSMIT_SOURCES = 1 << SOURCE_EMPTY | 1 << SOURCE_NOT_FULL,
    CONTROL_POINT_TO_POINT = 0x40,
    CONTROL_NEIGHBOUR = 0x80,
    CONTROL_PEEK_POKE = 0x20,
    CONTROL_PAYLOAD = 0x02,
    LOG_WORDS = 512
};

typedef uint32_t work_function(uint32_t *data, uint32_t x);
extern work_function *const work_functions[PLAN_FUNCTIONS];
extern const uint32_t vectors[PLAN_SOURCES];
extern uint32_t areas[PLAN_AREAS][PLAN_AREA_WORDS];
void plain_interrupt(void);
uint32_t status(void);
void masks(uint32_t control);
void wait_for_interrupt(void);
uint32_t swap_word(uint32_t value, uint32_t address);
uint32_t swap_byte(uint32_t value, uint32_t address);
void store_all(uint32_t *at, uint32_t value);
void fault(uint32_t kind);
void call_area(uint32_t address, uint32_t *data);

uint32_t data[PLAN_DATA_WORDS] __attribute__((aligned(8)));
uint32_t buffer[1024] __attribute__((aligned(8))); /* of DMA transfers */
uint32_t counts[PLAN_SOURCES];
uint32_t log_words[LOG_WORDS];
uint32_t log_at;
uint32_t budget, budget_key;

static struct plan *const plan = (struct plan *)PLAN_AT;

static void note(uint32_t value)
{
    log_words[log_at % LOG_WORDS] = value;
    log_at++;
}

/* ---- packets ---- */

static void send(uint32_t control, const struct plan_op *op)
{
    if ((op->a & 2) != 0 && control < CONTROL_NEIGHBOUR) {
        for (uint32_t left = op->b; left != 0 && (CC_TCR & NOT_FULL) == 0; left--) {
        }
    }
    if ((op->a & 1) != 0) {
        control |= CONTROL_PAYLOAD;
    }
    CC_TCR = control << 16;
    if ((op->a & 1) != 0) {
        CC_TXDATA = op->d;
    }
    CC_TXKEY = op->c;
}

static void send_to_neighbour(const struct plan_op *op)
{
    const uint32_t sar = CC_SAR;
    CC_SAR = (sar & 0xffff) | (uint32_t)op->b << 24;
    send((op->a & 2) != 0 ? CONTROL_NEIGHBOUR | CONTROL_PEEK_POKE : CONTROL_NEIGHBOUR, op);
    CC_SAR = sar;
}

static void take_packet(uint32_t forward)
{
    const uint32_t status = CC_RSR;
    if (status >> 31 == 0) {
        return;
    }
    const uint32_t payload = CC_RXDATA;
    const uint32_t key = CC_RXKEY;
    note(status);
    note(payload);
    note(key);
    if (forward != 0 && (key & 0xff) != 0 && (CC_TCR & NOT_FULL) != 0) {
        CC_TCR = 0;
        CC_TXKEY = forward | ((key & 0xff) - 1);
    }
}

static void poll(const struct plan_op *op)
{
    const uint32_t sources = plan->enable & (1u << SOURCE_RECEIVED | 0xfu << SOURCE_MULTICAST);
    if ((op->a & 1) != 0) {
        VIC_DISABLE = sources;
    }
    for (uint32_t left = op->b; left != 0; left--) {
        if ((op->a & 2) != 0) {
            take_packet(0);
        } else {
            data[0] += CC_RSR >> 31;
        }
    }
    if ((op->a & 1) != 0) {
        VIC_ENABLE = sources;
    }
}

/* ---- the rest of the chip ---- */

static void transfer(const struct plan_op *op)
{
    REGISTER(DMA + 0x04) = op->c;
    REGISTER(DMA + 0x08) = (uint32_t)buffer + op->b;
    REGISTER(DMA + 0x0c) = op->d;
    for (uint32_t left = 40; (op->a & 1) != 0 && left != 0; left--) {
        if ((REGISTER(DMA + 0x14) & 1) == 0) {
            break;
        }
    }
}

static void with_lock(const struct plan_op *op)
{
    const uint32_t lock = SYSCTL + UNBUFFERED + 4u * op->a;
    for (uint32_t left = op->b; left != 0; left--) {
        if (REGISTER(lock + 0x100) >> 31 == 0) {
            const uint32_t old = REGISTER(op->c);
            data[1] ^= old;
            REGISTER(op->c) = old + op->d;
            data[2] += REGISTER(lock + 0x180);
            return;
        }
    }
    note(op->a);
}

static void read_words(const struct plan_op *op)
{
    volatile uint32_t *from = (volatile uint32_t *)op->c;
    for (uint32_t i = 0; i < op->b; i++) {
        note(from[i]);
    }
}

static void write_words(const struct plan_op *op)
{
    volatile uint32_t *to = (volatile uint32_t *)op->c;
    for (uint32_t i = 0; i < op->b; i++) {
        to[i] = op->d + i;
    }
}

/* ---- code that is made while it runs ---- */

static void call(uint32_t area, uint32_t thumb)
{
    call_area((uint32_t)areas[area] | thumb, data + 64);
}

static void generate(const struct plan_op *op, uint32_t thumb)
{
    volatile uint32_t *to = areas[op->a];
    for (uint32_t i = 0; i < op->b; i++) {
        to[i] = plan->word[op->c + i];
    }
    call(op->a, thumb);
}

static void patch(const struct plan_op *op)
{
    *(volatile uint32_t *)&areas[op->a][op->b] = op->d;
    call(op->a, 0);
}

/* ---- operations ---- */

static void masked(const struct plan_op *op)
{
    const uint32_t old = status();
    masks((old & 0x1f) | op->a);
    for (volatile uint32_t left = op->c; left != 0; left--) {
    }
    if (op->b != 0) {
        wait_for_interrupt();
    }
    masks(old & 0xff);
}

static uint32_t execute(const struct plan_op *op, uint32_t x)
{
    switch (op->operation) {
    case PLAN_WORK:
        return work_functions[op->a](data, x);
    case PLAN_DELAY:
        for (volatile uint32_t left = op->c; left != 0; left--) {
        }
        break;
    case PLAN_STORE:
        store_all(data + op->a, x);
        break;
    case PLAN_MULTICAST:
        send(0, op);
        break;
    case PLAN_POINT_TO_POINT:
        send(CONTROL_POINT_TO_POINT, op);
        break;
    case PLAN_NEIGHBOUR:
        send_to_neighbour(op);
        break;
    case PLAN_POLL:
        poll(op);
        break;
    case PLAN_TRANSFER:
        transfer(op);
        break;
    case PLAN_LOCK:
        with_lock(op);
        break;
    case PLAN_SOFT:
        VIC_SOFT_SET = 1u << SOURCE_SOFTWARE;
        break;
    case PLAN_SIGNAL:
        REGISTER(SYSCTL + (op->a != 0 ? UNBUFFERED : 0) + 0x08) = SYSCTL_KEY | op->c;
        break;
    case PLAN_SLEEP:
        wait_for_interrupt();
        break;
    case PLAN_TIMER:
        REGISTER(TIMERS + 0x20u * op->a + op->b) = op->c;
        break;
    case PLAN_ENABLE:
        REGISTER((op->a != 0 ? VIC : VIC_BUFFERED) + 0x10) = op->c;
        break;
    case PLAN_DISABLE:
        REGISTER((op->a != 0 ? VIC : VIC_BUFFERED) + 0x14) = op->c;
        break;
    case PLAN_MASKED:
        masked(op);
        break;
    case PLAN_READ:
        read_words(op);
        break;
    case PLAN_WRITE:
        write_words(op);
        break;
    case PLAN_SWAP:
        return op->a != 0 ? swap_byte(op->d, op->c) : swap_word(op->d, op->c);
    case PLAN_GENERATE:
        generate(op, 0);
        break;
    case PLAN_GENERATE_THUMB:
        generate(op, 1);
        break;
    case PLAN_PATCH:
        patch(op);
        break;
    case PLAN_CALL:
        call(op->a, 0);
        break;
    case PLAN_FAULT:
        fault(op->a);
        break;
    case PLAN_BUDGET:
        budget = op->c;
        budget_key = op->d;
        VIC_ENABLE = plan->enable & TRANSMIT_SOURCES;
        break;
    default:
        break;
    }
    return x + op->d;
}

static uint32_t execute_all(uint32_t first, uint32_t count, uint32_t x)
{
    for (uint32_t i = 0; i < count; i++) {
        x = execute(&plan->op[first + i], x);
    }
    return x;
}

/* ---- interrupts ---- */

static void send_more(void)
{
    if (budget == 0) {
        VIC_DISABLE = TRANSMIT_SOURCES;
    } else if ((CC_TCR & NOT_FULL) != 0) {
        budget--;
        CC_TCR = 0;
        CC_TXKEY = budget_key;
    }
}

void serve(uint32_t source)
{
    counts[source]++;
    switch (source) {
    case SOURCE_WATCHDOG:
        REGISTER(WATCHDOG + 0x0c) = 1;
        break;
    case SOURCE_ROUTER_COUNTER:
        note(REGISTER(ROUTER + 0x200));
        break;
    case SOURCE_ROUTER_DUMP:
        note(REGISTER(ROUTER + 0x28));
        break;
    case SOURCE_ROUTER_ERROR:
        note(REGISTER(ROUTER + 0x14));
        break;
    case SOURCE_SOFTWARE:
        VIC_SOFT_CLEAR = 1u << SOURCE_SOFTWARE;
        break;
    case SOURCE_TIMER1:
        REGISTER(TIMERS + 0x0c) = 1;
        break;
    case SOURCE_TIMER2:
        REGISTER(TIMERS + 0x2c) = 1;
        break;
    case SOURCE_DMA_DONE:
        REGISTER(DMA + 0x10) = 8;
        break;
    case SOURCE_SYSCTL:
        REGISTER(SYSCTL + UNBUFFERED + 0x0c) = SYSCTL_KEY | plan->core;
        break;
    case SOURCE_EMPTY:
    case SOURCE_NOT_FULL:
        send_more();
        break;
    default:
        take_packet(plan->forward_key);
        break;
    }
    const struct plan_handler *handler = &plan->handler[source];
    data[3] = execute_all(handler->first, handler->count, data[3]);
}

/* Serves all sources that request an IRQ, or (fast) a FIQ. */
void serve_status(uint32_t fast)
{
    const uint32_t status = fast != 0 ? VIC_FIQ_STATUS : VIC_IRQ_STATUS;
    for (uint32_t source = 0; source < PLAN_SOURCES; source++) {
        if ((status >> source & 1) != 0) {
            serve(source);
        }
    }
}

/* ---- the main program ---- */

static void set_up(void)
{
    VIC_DEFAULT = (uint32_t)plain_interrupt;
    VIC_SELECT = plan->select;
    for (uint32_t i = 0; i < PLAN_SLOTS && plan->plain == 0; i++) {
        if (plan->slot_source[i] != 0) {
            const uint32_t source = plan->slot_source[i] - 1u;
            REGISTER(VIC + 0x100 + 4 * i) = vectors[source];
            REGISTER(VIC + 0x200 + 4 * i) = 0x20 | source;
        }
    }
    REGISTER(DMA + 0x18) = 1u << 10;
    VIC_ENABLE = plan->enable & ~(uint32_t)TRANSMIT_SOURCES;
    for (uint32_t i = 0; i < 2; i++) {
        REGISTER(TIMERS + 0x20 * i) = plan->timer_load[i];
        REGISTER(TIMERS + 0x20 * i + 8) = plan->timer_control[i];
    }
}

void guest_main(void)
{
    set_up();
    masks(0x13);
    for (uint32_t left = plan->rounds; left != 0; left--) {
        data[4] = execute_all(0, plan->ops, data[4]);
    }
    if (plan->end == PLAN_END_DEAF) {
        VIC_DISABLE = ~0u;
    }
    for (;;) {
        if (plan->end == PLAN_END_COMPUTES) {
            data[5] = work_functions[0](data, data[5]);
        } else {
            wait_for_interrupt();
        }
    }
}
