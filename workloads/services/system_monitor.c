/* system_monitor.c - stands in for SC&MP on the monitor processor, for programs that are linked
 * with SARK: counts the time, passes messages (system_messages.c), and lets programs that wait for
 * a signal of the host go on together (system_barriers.c).
 *
 * Runs with interrupts masked: it sleeps until an interrupt is raised, and then reads which. */
#include "system_monitor.h"

enum {
    TICK_US = 1000,
    SPREAD_US = 3, /* between the ticks of two chips: so monitors do not all speak at once */
    MS_PER_SECOND = 1000,
    TIMER_PERIODIC = 0xe2,

    TCR_NOT_FULL = 1 << 28,
    CONTROL_POINT_TO_POINT = (1 << 6 | 1 << 1) << 16, /* with payload */
    SAR_BY_TYPE = 7 << 24,
    SOURCE = 0xffff, /* of a received point-to-point key */
    QUEUE_LENGTH = 256,
    KIND_SHIFT = 28,
    CONTENT = (1 << KIND_SHIFT) - 1
};

/* ---- packets ---- */

/* Packets that have been received and not heard yet.  They are collected while others are sent,
 * too: two monitors that only sent would lose each other's. */
static struct {
    struct packet {
        uint from, word;
    } packet[QUEUE_LENGTH];
    uint first, count;
} queue;

static void collect(void)
{
    while ((vic[VIC_RAW] >> CC_P2P_INT & 1) != 0 && queue.count < QUEUE_LENGTH) {
        struct packet *packet = &queue.packet[(queue.first + queue.count++) % QUEUE_LENGTH];
        packet->word = cc[CC_RXDATA];
        packet->from = cc[CC_RXKEY] & SOURCE; /* reading the key removes the packet */
    }
}

static void hear(uint from, uint word)
{
    const enum news kind = (enum news)(word >> KIND_SHIFT);
    if (kind == NEWS_DATA || kind == NEWS_TAKEN) {
        messages_hear(from, kind, word & CONTENT);
    } else {
        barriers_hear(from, kind, word & CONTENT);
    }
}

void tell(uint chip, enum news kind, uint content)
{
    const uint word = (uint)kind << KIND_SHIFT | content;
    if (chip == sv->p2p_addr) {
        hear(chip, word);
        return;
    }
    do {
        collect();
    } while ((cc[CC_TCR] & TCR_NOT_FULL) == 0);
    cc[CC_TCR] = CONTROL_POINT_TO_POINT;
    cc[CC_SAR] = SAR_BY_TYPE | sv->p2p_addr;
    cc[CC_TXDATA] = word;
    cc[CC_TXKEY] = chip;
}

/* ---- time ---- */

static void count_time(void)
{
    sv->clock_ms++;
    if (sv->time_ms + 1 == MS_PER_SECOND) {
        sv->time_ms = 0;
        sv->unix_time++;
    } else {
        sv->time_ms++;
    }
}

/* The clock stops with the last program, so that the run can end. */
static void tick(void)
{
    tc[T1_INT_CLR] = 1;
    count_time();
    barriers_tick();
    messages_tick();
    if (!barriers_are_open() && !messages_are_open()) {
        tc[T1_CONTROL] = 0;
    }
}

/* ---- the whole ---- */

static void begin(void)
{
    const uint has_any = barriers_begin();
    tc[T1_CONTROL] = 0;
    tc[T1_INT_CLR] = 1;
    if (has_any) {
        tc[T1_LOAD] = (TICK_US + chip_number(sv->p2p_addr) * SPREAD_US % TICK_US) * sark.cpu_clk;
        tc[T1_BG_LOAD] = TICK_US * sark.cpu_clk;
        tc[T1_CONTROL] = TIMER_PERIODIC;
    }
    vic[VIC_ENABLE] = 1u << TIMER1_INT | 1u << CPU_INT | 1u << CC_P2P_INT;
    sark_cpu_state(CPU_STATE_RUN);
}

void c_main(void)
{
    (void)cpu_int_disable();
    begin();
    for (;;) {
        if (queue.count == 0) {
            cpu_wfi();
        }
        collect();
        while (queue.count > 0) {
            const struct packet packet = queue.packet[queue.first];
            queue.first = (queue.first + 1) % QUEUE_LENGTH;
            queue.count--;
            hear(packet.from, packet.word);
            collect();
        }
        const uint raised = vic[VIC_RAW];
        if ((raised & 1u << CPU_INT) != 0) {
            sc[SC_CLR_IRQ] = SC_CODE | 1u << sark.phys_cpu;
            messages_take();
        }
        if ((raised & 1u << TIMER1_INT) != 0) {
            tick();
        }
    }
}
