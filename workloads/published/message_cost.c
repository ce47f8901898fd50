/* message_cost.c - core 1 of chip (0,0) sends messages (SDP) of 280 bytes to a core; that core's
 * callback answers each with a multicast packet, and the next message leaves when the sender's
 * callback, which FIQ serves, has seen it.  After I. Sugiarto's comparison of multicast packets
 * with SDP messages of 2016, where the core is on the next chip. */
#include <spin1_api.h>

enum {
    MESSAGES = 100,
    ANSWER = 0x2000,
    PORT = 1,
    NO_REPLY = 0x07,
    BYTES = 8 + 16 + SDP_BUF_SIZE, /* header, command, data */
    TIMEOUT_MS = 10,
    WEST = 3,
    FREE_RUNNING = 0x82
};

static volatile uint answered;
static uint received;

static void see_answer(uint key, uint none)
{
    (void)key;
    (void)none;
    answered = 1;
}

static void send(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    spin1_callback_off(TIMER_TICK);
    sdp_msg_t *message = spin1_msg_get();
    message->length = BYTES;
    message->flags = NO_REPLY;
    message->dest_port = PORT << PORT_SHIFT | TO_CORE;
    message->srce_port = (uchar)(PORT << PORT_SHIFT | spin1_get_core_id());
    message->dest_addr = TO_CHIP;
    message->srce_addr = (ushort)spin1_get_chip_id();
    tc[T2_LOAD] = 0;
    tc[T2_CONTROL] = FREE_RUNNING;
    uint sent = SUCCESS;
    for (uint i = 0; i < MESSAGES && sent == SUCCESS; i++) {
        answered = 0;
        sent = spin1_send_sdp_msg(message, TIMEOUT_MS);
        while (!answered && sent == SUCCESS) {
        }
    }
    io_printf(IO_BUF, "%u messages in %u cycles\n", MESSAGES, 0 - tc[T2_COUNT]);
    spin1_exit(sent != SUCCESS);
}

static void answer(uint message, uint port)
{
    (void)port;
    spin1_msg_free((sdp_msg_t *)message);
    spin1_send_mc_packet(ANSWER, 0, NO_PAYLOAD);
    received++;
    if (received == MESSAGES) {
        spin1_exit(0);
    }
}

void c_main(void)
{
    const uint core = spin1_get_core_id();
    if (core == 1 && spin1_get_chip_id() == 0) {
        rtr_mc_set(0, ANSWER, 0xffffffff, MC_CORE_ROUTE(core));
        spin1_callback_on(MC_PACKET_RECEIVED, see_answer, -1);
        spin1_set_timer_tick(100); /* by then the other core is ready */
        spin1_callback_on(TIMER_TICK, send, 2);
    } else {
        if (TO_CHIP != 0) {
            rtr_mc_set(0, ANSWER, 0xffffffff, MC_LINK_ROUTE(WEST));
        }
        spin1_callback_on(SDP_PACKET_RX, answer, 0);
    }
    spin1_start(SYNC_NOWAIT);
}
