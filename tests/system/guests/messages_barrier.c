/* messages_barrier.c - cores 1 and 2 begin together; core 2 is late.  Core 3, of another
 * application, sends messages to core 1 all the time, which must not begin for that. */
#include <spin1_api.h>

enum {
    PORT = 1,
    HEADER = 8,
    EARLY = 1,
    LATE = 2,
    SENDER = 3,
    LATE_US = 3000,
    PAUSE_US = 7,
    MESSAGES = 600,
    TIMEOUT_MS = 10
};

static uint received;

static void receive(uint message, uint port)
{
    (void)port;
    spin1_msg_free((sdp_msg_t *)message);
    received++;
    if (received == MESSAGES) {
        io_printf(IO_BUF, "received all\n");
        spin1_exit(0);
    }
}

static void begin(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    io_printf(IO_BUF, "begins in millisecond %u\n", (uint)sv->clock_ms);
    if (spin1_get_core_id() == LATE) {
        spin1_exit(0);
    }
}

static void send_all(void)
{
    sdp_msg_t *message = spin1_msg_get();
    message->length = HEADER;
    message->dest_port = PORT << PORT_SHIFT | EARLY;
    message->srce_port = PORT << PORT_SHIFT | SENDER;
    message->dest_addr = message->srce_addr = (ushort)spin1_get_chip_id();
    uint failed = 0;
    for (uint i = 0; i < MESSAGES; i++) {
        failed += spin1_send_sdp_msg(message, TIMEOUT_MS) != SUCCESS;
        spin1_delay_us(PAUSE_US);
    }
    io_printf(IO_BUF, "failed %u\n", failed);
}

void c_main(void)
{
    if (spin1_get_core_id() == SENDER) {
        send_all();
        return;
    }
    if (spin1_get_core_id() == EARLY) {
        spin1_callback_on(SDP_PACKET_RX, receive, 0);
    } else {
        spin1_delay_us(LATE_US);
    }
    spin1_schedule_callback(begin, 0, 0, 1);
    spin1_start(SYNC_WAIT);
}
