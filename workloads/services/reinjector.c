/* reinjector.c - resends packets that the chip's router has dropped.
 *
 * Runs on the monitor processor with interrupts masked: it sleeps until the router's dump interrupt
 * or its own timer wakes it, and then reads which of the two it was. */
#include <reinjector_note.h>
#include <sark.h>

enum {
    QUEUE_LENGTH = 4096,
    LEAST_WAIT_US = 10,
    WAIT_CYCLES_MAX = 1 << 23, /* a packet that waited for longer is given up */
    TIMER_ONCE = 0xa3,         /* enabled, with interrupt, 32 bits, one-shot */

    CONTROL_DUMP_INTERRUPT = 1 << 2,
    CONTROL_PHASE_SHIFT = 6,
    STATUS_DUMP = 1 << 29,
    STATUS_BLOCKED = 1 << 25, /* output stage is waiting */
    DSTAT_MORE = 1 << 30,
    OUTPUTS = 0xffffff,
    TEST_MISS = 1,

    HEADER_ARRIVAL_SHIFT = 24, /* three bits; the same place in CC_SAR */
    HEADER_ARRIVAL = 7 << HEADER_ARRIVAL_SHIFT,
    HEADER_CONTROL_SHIFT = 16, /* a byte; the same place in CC_TCR */
    BYTE = 0xff,
    TYPE_SHIFT = 6,
    SEQUENCE_SHIFT = 4,
    PHASE_SHIFT = 2,
    PHASE = 3,
    PAYLOAD = 1 << 1,
    TCR_NOT_FULL = 1 << 28,
    KEY_SEQUENCE_SHIFT = 16
};

enum packet_type { MULTICAST, POINT_TO_POINT, NEAREST_NEIGHBOUR, FIXED_ROUTE };

struct packet {
    uint header, key, payload;
};

static struct packet *queue; /* a ring; not cleared at start-up, which would take long */
static uint first;
static volatile struct reinjector_note note = {.magic = REINJECTOR_MAGIC};
static uint wait_cycles; /* until the next packet is sent */
static uint waiting;     /* the timer runs */
static uint on_trial;    /* a packet was sent when the timer was started */

static uint control_of(const struct packet *packet)
{
    return packet->header >> HEADER_CONTROL_SHIFT & BYTE;
}

static uint type_of(const struct packet *packet)
{
    return control_of(packet) >> TYPE_SHIFT;
}

/* True if copies left by other outputs.  Only a multicast packet with an entry can have several
 * outputs. */
static uint is_partial(const struct packet *packet, uint dumped)
{
    if (type_of(packet) != MULTICAST) {
        return 0;
    }
    rtr[RTR_TEST_KEY] = packet->key;
    const uint result = rtr[RTR_TEST_RESULT];
    return (result & TEST_MISS) == 0 && (rtr_ram[result >> 1] & OUTPUTS & ~dumped) != 0;
}

/* Takes the packet out of the dump registers; reading the status frees them. */
static void take(void)
{
    const struct packet packet = {rtr[RTR_DHDR], rtr[RTR_DKEY], rtr[RTR_DDAT]};
    const uint dumped = rtr[RTR_DLINK];
    note.missed += (rtr[RTR_DSTAT] & DSTAT_MORE) != 0;
    note.dropped++;
    note.partial += is_partial(&packet, dumped);
    const uint again = on_trial;
    on_trial = 0;
    if (type_of(&packet) == NEAREST_NEIGHBOUR || note.queued == QUEUE_LENGTH ||
        (again && wait_cycles >= WAIT_CYCLES_MAX)) {
        note.refused++;
        return;
    }
    queue[(first + note.queued++) % QUEUE_LENGTH] = packet;
    if (again) {
        wait_cycles *= 2;
    }
}

/* Sends a packet as it was, except for the time phase: with the old one it would count as too
 * old. */
static void send(const struct packet *packet)
{
    const uint sar = cc[CC_SAR];
    const uint phase = rtr[RTR_CONTROL] >> CONTROL_PHASE_SHIFT & PHASE;
    const uint control = (control_of(packet) & ~((uint)PHASE << PHASE_SHIFT)) | phase
                                                                                    << PHASE_SHIFT;
    uint source = sar & 0xffff;
    uint key = packet->key;
    if (type_of(packet) == POINT_TO_POINT) { /* the key holds source and destination */
        source = packet->key >> 16;
        key = (packet->key & 0xffff) | (control >> SEQUENCE_SHIFT & 3) << KEY_SEQUENCE_SHIFT;
    }
    cc[CC_SAR] = (packet->header & HEADER_ARRIVAL) | source;
    cc[CC_TCR] = control << HEADER_CONTROL_SHIFT;
    if ((control & PAYLOAD) != 0) {
        cc[CC_TXDATA] = packet->payload;
    }
    cc[CC_TXKEY] = key;
    cc[CC_SAR] = sar;
}

static void start_waiting(void)
{
    tc[T1_LOAD] = wait_cycles;
    tc[T1_CONTROL] = TIMER_ONCE;
    waiting = 1;
}

/* Sends the first packet of the queue, unless the router is blocked or has not taken the previous
 * packet. */
static void try_to_send(void)
{
    on_trial = (rtr[RTR_STATUS] & STATUS_BLOCKED) == 0 && (cc[CC_TCR] & TCR_NOT_FULL) != 0;
    if (on_trial) {
        send(&queue[first]);
        first = (first + 1) % QUEUE_LENGTH;
        note.queued--;
        note.sent++;
    }
}

static void timer_is_over(void)
{
    tc[T1_INT_CLR] = 1;
    waiting = 0;
    if (on_trial) { /* it was not dropped meanwhile */
        wait_cycles = LEAST_WAIT_US * sark.cpu_clk;
        on_trial = 0;
    }
    if (note.queued > 0) {
        try_to_send();
    }
}

void c_main(void)
{
    (void)cpu_int_disable();
    queue = sark_alloc(QUEUE_LENGTH, sizeof *queue);
    if (queue == NULL) {
        rt_error(RTE_MALLOC);
    }
    sark.vcpu->user1 = (uint)&note;
    wait_cycles = LEAST_WAIT_US * sark.cpu_clk;
    tc[T1_CONTROL] = 0;
    tc[T1_INT_CLR] = 1;
    rtr[RTR_CONTROL] |= CONTROL_DUMP_INTERRUPT;
    vic[VIC_ENABLE] = 1u << RTR_DUMP_INT | 1u << TIMER1_INT;
    sark_cpu_state(CPU_STATE_RUN);
    for (;;) {
        cpu_wfi();
        if ((rtr[RTR_STATUS] & STATUS_DUMP) != 0) {
            take();
        }
        if ((tc[T1_RAW_INT] & 1) != 0) {
            timer_is_over();
        }
        if (!waiting && (note.queued > 0 || on_trial)) {
            start_waiting();
        }
    }
}
