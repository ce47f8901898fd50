/* system_messages.c - messages of cores (SDP): to other cores of the chip through mailboxes, to
 * other chips by point-to-point packets; texts for the host are printed. */
#include "system_monitor.h"

enum {
    COMMAND_TEXT = 64, /* CMD_TUBE */
    MESSAGE_HEAD = 12, /* header and command, in front of a text */
    MOST_TEXT = 256 + 12,
    MOST_LENGTH = 280, /* header, command and 256 bytes of data */
    MOST_HALVES = MOST_LENGTH / 2
};

/* There is no host: its text goes into the monitor's buffer, after the number of the core. */
static void print(const sdp_msg_t *message)
{
    const uchar *from = (const uchar *)&message->arg1;
    char text[MOST_TEXT + 1];
    uint length = 0;
    while (length + MESSAGE_HEAD < message->length && length < MOST_TEXT) {
        text[length] = (char)from[length];
        length++;
    }
    text[length] = '\0';
    io_printf(IO_BUF, "core %u: %s", message->srce_port & CPU_MASK, text);
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
static uint deliver(sdp_msg_t *message)
{
    static uint said_core;
    const uint to = message->dest_port & CPU_MASK;
    vcpu_t *core = &sv->vcpu_base[to];
    if (to == 0 || to >= sv->num_cpus || !is_going_on(core)) {
        say_lost(message->srce_port & CPU_MASK, &said_core,
                 "no program goes on on the core that it is for");
        sark_shmsg_free(message);
        return 1;
    }
    /* At a barrier of workloads/runtime this interrupt means that it is over. */
    const uint cpsr = sark_lock_get(LOCK_API_ROOT);
    const uint is_ready =
        core->mbox_ap_cmd == SHM_IDLE && (core->cpu_state != CPU_STATE_SYNC0 || is_of_sark(core));
    if (is_ready) {
        core->mbox_ap_msg = message;
        core->mbox_ap_cmd = SHM_MSG;
        sc[SC_SET_IRQ] = SC_CODE | 1u << sv->v2p_map[to];
    }
    sark_lock_free(cpsr, LOCK_API_ROOT);
    return is_ready;
}

/* ---- to other chips ---- */

/* A message goes as packets of two bytes, its length first, and is sent again until its chip says
 * that it has been taken.  One at a time. */
enum {
    ID_SHIFT = 24,
    ID_MASK = 0xf,
    INDEX_SHIFT = 16,
    INDEX_MASK = 0xff,
    HALF = 0xffff,
    PATIENCE_TICKS = 2,
    MOST_TICKS = 100
};

static struct {
    sdp_msg_t *message; /* NULL: none */
    uint id, ticks;
} out;

static uint halves_of(uint length)
{
    return (length + 1) / 2;
}

static void send_out(void)
{
    const ushort *half = (const ushort *)&out.message->flags;
    const uint head = out.id << ID_SHIFT;
    tell(out.message->dest_addr, NEWS_DATA, head | out.message->length);
    for (uint i = 1; i <= halves_of(out.message->length); i++) {
        tell(out.message->dest_addr, NEWS_DATA, head | i << INDEX_SHIFT | half[i - 1]);
    }
}

static uint open_out(sdp_msg_t *message)
{
    if (out.message != NULL) {
        return 0;
    }
    out.message = message;
    out.id = (out.id + 1) & ID_MASK;
    out.ticks = 0;
    send_out();
    return 1;
}

static void close_out(void)
{
    sark_shmsg_free(out.message);
    out.message = NULL;
    messages_take(); /* others have waited */
}

uint messages_are_open(void)
{
    return out.message != NULL;
}

static void look_at_out(void)
{
    static uint said_chip;
    if (out.message == NULL) {
        return;
    }
    out.ticks++;
    if (out.ticks == MOST_TICKS) {
        say_lost(out.message->srce_port & CPU_MASK, &said_chip, "its chip does not answer");
        close_out();
    } else if (out.ticks % PATIENCE_TICKS == 0) {
        send_out();
    }
}

/* ---- from other chips ---- */

/* Messages that come in, one from each chip; whoever finds no room sends again. */
enum { NOBODY = 0x10000, INBOXES = 4 };
static struct inbox {
    uint from, id;
    uint length;   /* bytes */
    uint next;     /* the part that is missing next */
    uint is_whole; /* and has not been taken */
    ushort half[MOST_HALVES];
} inbox[INBOXES] = {{.from = NOBODY}, {.from = NOBODY}, {.from = NOBODY}, {.from = NOBODY}};

/* The inbox of a chip, or one whose message has been taken; NULL: none is free. */
static struct inbox *inbox_of(uint from)
{
    struct inbox *found = NULL;
    for (uint i = 0; i < INBOXES; i++) {
        if (inbox[i].from == from) {
            return &inbox[i];
        }
        if (inbox[i].from == NOBODY ||
            (inbox[i].next > halves_of(inbox[i].length) && !inbox[i].is_whole)) {
            found = &inbox[i];
        }
    }
    return found;
}

/* Hands a whole message on, if there is memory for it and its core takes it. */
static void hand_on(struct inbox *in)
{
    sdp_msg_t *message = sark_shmsg_get();
    if (message == NULL) {
        return;
    }
    message->length = (ushort)in->length;
    sark_mem_cpy(&message->flags, in->half, in->length);
    if (deliver(message)) {
        in->is_whole = 0;
        tell(in->from, NEWS_TAKEN, in->id << ID_SHIFT);
    } else {
        sark_shmsg_free(message);
    }
}

static void take_part(uint from, uint id, uint index, uint half)
{
    struct inbox *in = inbox_of(from);
    if (in == NULL) {
        return;
    }
    if (in->from == from && in->id == id && index == 0 && in->next > halves_of(in->length)) {
        if (!in->is_whole) { /* its sender has not heard so */
            tell(from, NEWS_TAKEN, id << ID_SHIFT);
        }
        return;
    }
    if (index == 0 && half <= MOST_LENGTH) {
        in->from = from;
        in->id = id;
        in->length = half;
        in->next = 1;
        in->is_whole = 0;
    } else if (in->from == from && in->id == id && index == in->next &&
               index <= halves_of(in->length)) {
        in->half[index - 1] = (ushort)half;
        in->next++;
        if (in->next > halves_of(in->length)) {
            in->is_whole = 1;
            hand_on(in);
        }
    }
}

void messages_hear(uint from, enum news kind, uint content)
{
    const uint id = content >> ID_SHIFT & ID_MASK;
    if (kind == NEWS_DATA) {
        take_part(from, id, content >> INDEX_SHIFT & INDEX_MASK, content & HALF);
    } else if (out.message != NULL && out.message->dest_addr == from && out.id == id) {
        close_out();
    }
}

/* ---- from this chip's cores ---- */

/* Passes a message on; 0 if it has to wait. */
static uint pass(sdp_msg_t *message)
{
    static uint said_host;
    if (message->dest_port == PORT_ETH || message->length > MOST_LENGTH) {
        if (message->cmd_rc == COMMAND_TEXT) {
            print(message);
        } else {
            say_lost(message->srce_port & CPU_MASK, &said_host,
                     "there is no host here; `spinnsim serve` has one");
        }
        sark_shmsg_free(message);
        return 1;
    }
    return message->dest_addr == sv->p2p_addr ? deliver(message) : open_out(message);
}

/* Takes the messages of all cores that have one. */
void messages_take(void)
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
        if (core->mbox_mp_cmd != SHM_MSG || pass(core->mbox_mp_msg)) {
            core->mbox_mp_cmd = SHM_IDLE;
        } else {
            late |= 1u << v;
        }
    }
    cpsr = sark_lock_get(LOCK_MBOX);
    sv->mbox_flags |= late;
    sark_lock_free(cpsr, LOCK_MBOX);
}

void messages_tick(void)
{
    look_at_out();
    for (uint i = 0; i < INBOXES; i++) {
        if (inbox[i].is_whole) {
            hand_on(&inbox[i]);
        }
    }
    messages_take();
}
