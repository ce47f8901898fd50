/* messages_off.c - core 2 takes one message of six, and turns its callback off. */
#include <spin1_api.h>

enum { PORT = 1, HEADER = 8, TAKER = 2, MESSAGES = 6, TIMEOUT_MS = 2, TICK_US = 1000, END = 10 };

static uint received, failed;

static void receive(uint message, uint port)
{
    (void)port;
    spin1_msg_free((sdp_msg_t *)message);
    received++;
    spin1_callback_off(SDP_PACKET_RX);
}

static void send(void)
{
    sdp_msg_t *message = spin1_msg_get();
    message->length = HEADER;
    message->dest_port = PORT << PORT_SHIFT | TAKER;
    message->srce_port = (uchar)(PORT << PORT_SHIFT | spin1_get_core_id());
    message->dest_addr = message->srce_addr = (ushort)spin1_get_chip_id();
    failed += spin1_send_sdp_msg(message, TIMEOUT_MS) != SUCCESS;
    spin1_msg_free(message);
}

static void tick(uint ticks, uint unused)
{
    (void)unused;
    if (sark_core_id() != TAKER && ticks <= MESSAGES) {
        send();
    }
    if (ticks == END) {
        uint free = 0;
        while (spin1_msg_get() != NULL) {
            free++;
        }
        io_printf(IO_BUF, "received %u, failed %u, free %u\n", received, failed, free);
        spin1_exit(0);
    }
}

void c_main(void)
{
    if (sark_core_id() == TAKER) {
        spin1_callback_on(SDP_PACKET_RX, receive, 1);
    }
    spin1_callback_on(TIMER_TICK, tick, 2);
    spin1_set_timer_tick(TICK_US);
    spin1_start(SYNC_WAIT);
}
