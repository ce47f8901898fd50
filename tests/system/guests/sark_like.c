/* sark_like.c - a program that talks to the system's software as SARK does: prints through the
 * host, waits for signals of the host with all cores of the application, sends a message to another
 * core.  It has no runtime: sark_head.S comes before it. */
#include <sark.h>

#ifndef ENDS_EARLY /* on chip (1,1), which waits for nobody */
#define ENDS_EARLY 0
#endif

enum { MESSAGE = 1, HEAD = 12, LATE_MS = 3, HOST = 0xff, TEXT = 64, PORT_1 = 1 << 5 };

struct message {
    struct message *next;
    ushort length, checksum;
    uchar flags, tag, to_port, from_port;
    ushort to_chip, from_chip;
    ushort command, sequence;
    uchar text[];
};

struct message_root {
    struct message *free;
    ushort used, most;
};

static uint v;
static volatile vcpu_t *self; /* the monitor looks at it */

/* What is written before it has been written for other cores, too, and what is read behind it is
 * read then. */
static void order_memory(void)
{
    __asm__ volatile("" ::: "memory");
}

static void lock(uint number)
{
    while ((int)sc[SC_TAS0 + number] < 0) {
    }
    order_memory();
}

static void unlock(uint number)
{
    order_memory();
    (void)sc[SC_TAC0 + number];
}

static struct message *take(void)
{
    struct message_root *root = (struct message_root *)&sv->shm_root;
    struct message *message;
    do {
        lock(LOCK_MSG);
        message = root->free;
        if (message != NULL) {
            root->free = message->next;
            root->used++;
        }
        unlock(LOCK_MSG);
    } while (message == NULL);
    return message;
}

static void give_back(struct message *message)
{
    struct message_root *root = (struct message_root *)&sv->shm_root;
    lock(LOCK_MSG);
    message->next = root->free;
    root->free = message;
    root->used--;
    unlock(LOCK_MSG);
}

static void send(uint to_port, uint to_chip, const char *text)
{
    while (self->mbox_mp_cmd != 0) {
    }
    struct message *message = take();
    uint length = 0;
    while (text[length] != '\0') {
        message->text[length] = (uchar)text[length];
        length++;
    }
    message->length = (ushort)(length + HEAD);
    message->to_port = (uchar)to_port;
    message->from_port = (uchar)v;
    message->to_chip = (ushort)to_chip;
    message->from_chip = sv->p2p_addr;
    message->command = TEXT;
    self->mbox_mp_msg = message;
    order_memory();
    self->mbox_mp_cmd = MESSAGE;
    lock(LOCK_MBOX);
    const uint flags = sv->mbox_flags;
    sv->mbox_flags = flags | 1u << v;
    if (flags == 0) {
        sc[SC_SET_IRQ] = SC_CODE | 1u << sv->v2p_map[0];
    }
    unlock(LOCK_MBOX);
}

static void print(const char *text)
{
    send(HOST, sv->dbg_addr, text);
}

static void sleep(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c0, 4" ::"r"(0));
    sc[SC_CLR_IRQ] = SC_CODE | 1u << sv->v2p_map[v];
}

static void barrier(cpu_state state)
{
    self->cpu_state = (uchar)state;
    while ((sc[SC_SETFLAG] >> v & 1) == (state == CPU_STATE_SYNC0)) {
        sleep();
    }
    self->cpu_state = CPU_STATE_RUN;
}

/* Prints what the message says, and sends it back if it is not an answer. */
static void receive(void)
{
    while (self->mbox_ap_cmd != MESSAGE) {
        sleep();
    }
    struct message *message = self->mbox_ap_msg;
    char text[8] = {0};
    for (uint i = 0; i + HEAD < message->length; i++) {
        text[i] = (char)message->text[i];
    }
    order_memory();
    self->mbox_ap_cmd = 0;
    give_back(message);
    print(text);
    if (text[0] == 'p') {
        send(PORT_1 | 1, sv->p2p_addr, "ok\n");
    }
}

static void tell_other_chips(void)
{
    if (v == 2 && sv->p2p_active == 4) { /* to the opposite chip, and from there */
        send(PORT_1 | 2, sv->p2p_addr ^ 0x0101, "far\n");
        receive();
    } else if (v == 2 && sv->p2p_addr != 0) { /* of many chips: all to the first one */
        send(PORT_1 | 2, 0, "far\n");
    } else if (v == 2) {
        for (uint i = 1; i < sv->p2p_active; i++) {
            receive();
        }
    }
}

static void end(void)
{
    while (self->mbox_mp_cmd != 0) {
    }
    self->cpu_state = CPU_STATE_EXIT;
    vic[VIC_DISABLE] = 0xffffffff;
    for (;;) {
        sleep();
    }
}

void program(uint application)
{
    v = sv->p2v_map[dma[DMA_STAT] >> 24];
    self = &sv->vcpu_base[v];
    self->cpu_state = CPU_STATE_RUN;
    vic[VIC_ENABLE] = 1u << CPU_INT;
    if (ENDS_EARLY && sv->p2p_addr == 0x0101) {
        end();
    }
    if (v == 1 && sv->p2p_addr == 0) {
        while (sv->clock_ms < LATE_MS) {
        }
    }
    barrier(CPU_STATE_SYNC0);
    print(sv->clock_ms >= LATE_MS ? "late\n" : "early\n");
    if (v == 1) {
        send(PORT_1 | 2, sv->p2p_addr, "ping\n");
    }
    if (!ENDS_EARLY) {
        tell_other_chips();
    }
    receive();
    barrier(CPU_STATE_SYNC1);
    print((application & 0xff) == self->app_id && sv->sw_ver == 0x030201 ? "end\n" : "wrong\n");
    end();
}
