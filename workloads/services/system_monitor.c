/* system_monitor.c - stands in for SC&MP on the monitor processor, for programs that are linked
 * with SARK: counts the time, passes messages between the cores of a chip, prints what they print,
 * and lets programs that wait for a signal of the host go on together.
 *
 * Runs with interrupts masked: it sleeps until an interrupt is raised, and then reads which.  Names
 * and layouts are those of spinnaker_tools' sark.h. */
#include <sark.h>

enum {
    TICK_US = 1000,
    SPREAD_US = 3, /* between the ticks of two chips: so monitors do not all speak at once */
    MS_PER_SECOND = 1000,
    TIMER_PERIODIC = 0xe2,

    SHM_IDLE = 0,
    SHM_MESSAGE = 1,
    CORE_MASK = 0x1f,  /* of a port; the rest is the port's number */
    PORT_HOST = 0xff,  /* through Ethernet */
    COMMAND_TEXT = 64, /* CMD_TUBE */
    MESSAGE_HEAD = 12, /* header and command, in front of a text */
    MOST_TEXT = 256 + 12,

    TCR_NOT_FULL = 1 << 28,
    CONTROL_POINT_TO_POINT = (1 << 6 | 1 << 1) << 16, /* with payload */
    SAR_BY_TYPE = 7 << 24,
    SOURCE = 0xffff, /* of a received point-to-point key */
    APPLICATIONS = 256
};

/* A message in System RAM. */
struct message {
    struct message *next; /* in the list of free ones */
    ushort length, checksum;
    uchar flags, tag, to_port, from_port;
    ushort to_chip, from_chip;
    ushort command, sequence;
    uchar text[];
};

/* An application on this chip: sv->app_data. */
struct application_data {
    uchar cores, clean, semaphore, lead;
    uint mask; /* virtual cores */
};

/* How many chips run an application: a table behind sv->app_data of the root, from the host. */
static uint chips_of(uint id)
{
    const struct application_data *table = (const struct application_data *)sv->app_data;
    return ((const uint *)(table + APPLICATIONS))[id];
}

/* Free messages: sv->shm_root. */
struct message_root {
    struct message *free;
    ushort used, most;
};

/* What monitors tell each other by point-to-point packets, any of which may be lost: kind << 16 |
 * number of the barrier << 8 | application.  A monitor repeats at each tick that its chip waits,
 * and seldom when it has been heard, as the word to go on may be lost, too. */
enum news {
    NEWS_WAITING, /* to the root: all cores of this application on my chip wait */
    NEWS_HEARD,   /* from the root */
    NEWS_GO       /* from the root: all chips wait */
};
enum { KIND_SHIFT = 16, BARRIER_SHIFT = 8, BYTE = 0xff, HEARD_TICKS = 16 };

/* The applications of this chip. */
static struct application {
    uint id, cores; /* bits of virtual cores */
    uint releases;  /* barriers so far: odd and even ones differ */
    uint quiet;     /* ticks until it may say again that it waits */
} application[NUM_CPUS];
static uint applications;

/* At the root, for each application: barriers so far, chips that wait, and their bits by address.
 */
static struct {
    uchar releases;
    ushort waiting;
    uint *waits; /* made when the first chip waits */
} at_root[APPLICATIONS];

/* ---- packets between monitors ---- */

static void hear(uint from, uint news);

static void tell(uint chip, uint kind, uint barrier, uint id)
{
    const uint news = kind << KIND_SHIFT | (barrier & BYTE) << BARRIER_SHIFT | id;
    if (chip == sv->p2p_addr) {
        hear(chip, news);
        return;
    }
    while ((cc[CC_TCR] & TCR_NOT_FULL) == 0) {
    }
    cc[CC_TCR] = CONTROL_POINT_TO_POINT;
    cc[CC_SAR] = SAR_BY_TYPE | sv->p2p_addr;
    cc[CC_TXDATA] = news;
    cc[CC_TXKEY] = chip;
}

/* ---- barriers ---- */

/* A core of an application that has not ended. */
static uint is_going_on(const vcpu_t *core)
{
    return core->cpu_state >= CPU_STATE_INIT && core->cpu_state <= CPU_STATE_PAUSE;
}

/* A core waits for its flag in the system controller to become 0, and the next time to become 1. */
static void release(struct application *go)
{
    uint interrupts = 0;
    for (uint v = 1; v < sv->num_cpus; v++) {
        interrupts |= (go->cores >> v & 1) << sv->v2p_map[v];
    }
    sc[go->releases % 2 == 0 ? SC_CLRFLAG : SC_SETFLAG] = go->cores;
    sc[SC_SET_IRQ] = SC_CODE | interrupts; /* wakes them */
    go->releases++;
    go->quiet = 0;
}

/* At the root: all chips of an application wait. */
static void go(uint id)
{
    const uint barrier = at_root[id].releases++;
    at_root[id].waiting = 0;
    const uint width = sv->p2p_dims >> 8;
    const uint height = sv->p2p_dims & BYTE;
    for (uint x = 0; x < width; x++) {
        for (uint y = 0; y < height; y++) {
            uint *word = &at_root[id].waits[(x * height + y) / 32];
            const uint bit = 1u << (x * height + y) % 32;
            if ((*word & bit) != 0) {
                *word &= ~bit;
                tell(x << 8 | y, NEWS_GO, barrier, id);
            }
        }
    }
}

/* At the root: a chip says that it waits, maybe again. */
static void note_waiting(uint chip, uint barrier, uint id)
{
    const uint height = sv->p2p_dims & BYTE;
    const uint at = (chip >> 8) * height + (chip & BYTE);
    if (barrier != at_root[id].releases) { /* it has missed that it may go on */
        tell(chip, NEWS_GO, barrier, id);
        return;
    }
    if (at_root[id].waits == NULL) {
        const uint words = ((sv->p2p_dims >> 8) * height + 31) / 32;
        at_root[id].waits = sark_alloc(words, sizeof(uint));
        if (at_root[id].waits == NULL) {
            rt_error(RTE_MALLOC);
        }
        sark_word_set(at_root[id].waits, 0, words * sizeof(uint));
    }
    uint *word = &at_root[id].waits[at / 32];
    at_root[id].waiting += (*word >> at % 32 & 1) == 0;
    *word |= 1u << at % 32;
    tell(chip, NEWS_HEARD, barrier, id);
    if (at_root[id].waiting == chips_of(id)) {
        go(id);
    }
}

static void hear(uint from, uint news)
{
    const uint id = news & BYTE;
    const uint barrier = news >> BARRIER_SHIFT & BYTE;
    if (news >> KIND_SHIFT == NEWS_WAITING) {
        note_waiting(from, barrier, id);
        return;
    }
    for (uint i = 0; i < applications; i++) {
        struct application *of = &application[i];
        if (of->id != id || (of->releases & BYTE) != barrier) {
            continue;
        }
        of->quiet = HEARD_TICKS;
        if (news >> KIND_SHIFT == NEWS_GO) {
            release(of);
        }
    }
}

/* Tells the root when all cores of an application that go on wait for a signal. */
static void look_for_waiting(struct application *of)
{
    const uchar waits = of->releases % 2 == 0 ? CPU_STATE_SYNC0 : CPU_STATE_SYNC1;
    uint going_on = 0;
    for (uint v = 1; v < sv->num_cpus; v++) {
        if ((of->cores >> v & 1) != 0 && is_going_on(&sv->vcpu_base[v])) {
            going_on++;
            if (sv->vcpu_base[v].cpu_state != waits) {
                return;
            }
        }
    }
    if (going_on > 0) {
        tell(sv->p2p_root, NEWS_WAITING, of->releases, of->id);
    }
}

/* ---- messages ---- */

static void give_back(struct message *message)
{
    struct message_root *free = (struct message_root *)sv->shm_root;
    const uint cpsr = sark_lock_get(LOCK_MSG);
    message->next = free->free;
    free->free = message;
    free->used--;
    sark_lock_free(cpsr, LOCK_MSG);
}

/* There is no host: its text goes into the monitor's buffer, after the number of the core. */
static void print(const struct message *message)
{
    char text[MOST_TEXT + 1];
    uint length = 0;
    while (length + MESSAGE_HEAD < message->length && length < MOST_TEXT) {
        text[length] = (char)message->text[length];
        length++;
    }
    text[length] = '\0';
    io_printf(IO_BUF, "core %u: %s", message->from_port & CORE_MASK, text);
}

/* Says of a core, once, what happens to messages that it sends. */
static void say_lost(uint core, uint *said, const char *why)
{
    if ((*said >> core & 1) == 0) {
        *said |= 1u << core;
        io_printf(IO_BUF, "core %u: lost a message, and all like it: %s\n", core, why);
    }
}

/* Delivers a message to a core of this chip; 0 if its mailbox is not free. */
static uint deliver(struct message *message)
{
    static uint said_host, said_chip, said_core;
    const uint from = message->from_port & CORE_MASK;
    const uint to = message->to_port & CORE_MASK;
    uint is_done = 1;
    if (message->to_port == PORT_HOST && message->command == COMMAND_TEXT) {
        print(message);
    } else if (message->to_port == PORT_HOST) {
        say_lost(from, &said_host, "there is no host here; `spinnsim serve` has one");
    } else if (message->to_chip != sv->p2p_addr) {
        say_lost(from, &said_chip, "only SC&MP itself passes messages to other chips");
    } else if (to == 0 || to >= sv->num_cpus || !is_going_on(&sv->vcpu_base[to])) {
        say_lost(from, &said_core, "no program goes on on the core that it is for");
    } else {
        is_done = 0;
    }
    if (is_done) {
        give_back(message);
        return 1;
    }
    vcpu_t *core = &sv->vcpu_base[to];
    if (core->mbox_ap_cmd != SHM_IDLE) {
        return 0;
    }
    core->mbox_ap_msg = message;
    core->mbox_ap_cmd = SHM_MESSAGE;
    sc[SC_SET_IRQ] = SC_CODE | 1u << sv->v2p_map[to];
    return 1;
}

/* Takes the messages of all cores that have one; 1 if one of them has to wait. */
static uint take_messages(void)
{
    uint cpsr = sark_lock_get(LOCK_MBOX);
    uint from = sv->mbox_flags;
    sv->mbox_flags = 0;
    sark_lock_free(cpsr, LOCK_MBOX);
    uint late = 0;
    for (uint v = 1; v < sv->num_cpus; v++) {
        vcpu_t *core = &sv->vcpu_base[v];
        if ((from >> v & 1) == 0) {
            continue;
        }
        if (core->mbox_mp_cmd != SHM_MESSAGE || deliver(core->mbox_mp_msg)) {
            core->mbox_mp_cmd = SHM_IDLE;
        } else {
            late |= 1u << v;
        }
    }
    cpsr = sark_lock_get(LOCK_MBOX);
    sv->mbox_flags |= late;
    sark_lock_free(cpsr, LOCK_MBOX);
    return late != 0;
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

/* Whether a program on this chip has not ended. */
static uint has_programs(void)
{
    uint going_on = 0;
    for (uint v = 1; v < sv->num_cpus; v++) {
        going_on |= is_going_on(&sv->vcpu_base[v]);
    }
    return going_on;
}

/* The clock stops with the last program, so that the run can end. */
static void tick(void)
{
    tc[T1_INT_CLR] = 1;
    count_time();
    for (uint i = 0; i < applications; i++) {
        if (application[i].quiet > 0) {
            application[i].quiet--;
        } else {
            look_for_waiting(&application[i]);
        }
    }
    (void)take_messages();
    if (!has_programs()) {
        tc[T1_CONTROL] = 0;
    }
}

/* ---- the whole ---- */

static void begin(void)
{
    for (uint i = 0; i < APPLICATIONS; i++) {
        const uint cores = ((const struct application_data *)sv->app_data)[i].mask;
        if (cores != 0) {
            application[applications].id = i;
            application[applications++].cores = cores;
        }
    }
    tc[T1_CONTROL] = 0;
    tc[T1_INT_CLR] = 1;
    if (applications > 0) {
        const uint height = sv->p2p_dims & BYTE;
        const uint number = (sv->p2p_addr >> 8) * height + (sv->p2p_addr & BYTE);
        tc[T1_LOAD] = (TICK_US + number * SPREAD_US % TICK_US) * sark.cpu_clk;
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
        cpu_wfi();
        const uint raised = vic[VIC_RAW];
        if ((raised & 1u << CC_P2P_INT) != 0) {
            const uint news = cc[CC_RXDATA];
            hear(cc[CC_RXKEY] & SOURCE, news); /* reading the key removes the packet */
        }
        if ((raised & 1u << CPU_INT) != 0) {
            sc[SC_CLR_IRQ] = SC_CODE | 1u << sark.phys_cpu;
            (void)take_messages();
        }
        if ((raised & 1u << TIMER1_INT) != 0) {
            tick();
        }
    }
}
