/* messages.c - messages (SDP) of the runtime.  Core 1 of a chip sends to core 2, which answers;
 * with four chips also core 1 of each chip to core 1 of the opposite one. */
#include <spin1_api.h>

enum {
    NO_ANSWER = 0x07,
    HEADER = 8,
    COMMAND = 16,
    PORT = 3,
    TIMEOUT_MS = 10,
    TICK_US = 1000,
    MOST_TICKS = 400
};

static uint expected, received;

static uint sum_of(const sdp_msg_t *message)
{
    uint sum = 0;
    for (uint i = 0; i + HEADER + COMMAND < message->length; i++) {
        sum += message->data[i];
    }
    return sum;
}

static void send(uint chip, uint core, uint command, uint bytes)
{
    sdp_msg_t *message = spin1_msg_get();
    message->flags = NO_ANSWER;
    message->tag = 0;
    message->dest_port = (uchar)(PORT << PORT_SHIFT | core);
    message->srce_port = (uchar)(1 << PORT_SHIFT | spin1_get_core_id());
    message->dest_addr = (ushort)chip;
    message->srce_addr = (ushort)spin1_get_chip_id();
    message->cmd_rc = (ushort)command;
    message->arg1 = 0x12345678;
    for (uint i = 0; i < bytes; i++) {
        message->data[i] = (uchar)(i + core);
    }
    message->length = (ushort)(HEADER + COMMAND + bytes);
    const uint sent = spin1_send_sdp_msg(message, TIMEOUT_MS);
    spin1_msg_free(message);
    io_printf(IO_BUF, "to %04x core %u: %s\n", chip, core, sent == SUCCESS ? "sent" : "failed");
    if (sent != SUCCESS) {
        spin1_exit(0);
    }
}

static void receive(uint address, uint port)
{
    sdp_msg_t *message = (sdp_msg_t *)address;
    const uint core = message->srce_port & CPU_MASK;
    const uint command = message->cmd_rc;
    io_printf(IO_BUF, "from %04x core %u, port %u: command %u, %u bytes, %x, sum %u\n",
              message->srce_addr, core, port, command, message->length, message->arg1,
              sum_of(message));
    spin1_msg_free(message);
    received++;
    if (command == 1) {
        send(spin1_get_chip_id(), core, 2, 0);
    }
    if (received == expected) {
        spin1_exit(0);
    }
}

static void tick(uint ticks, uint unused)
{
    (void)unused;
    if (ticks == 1 && spin1_get_core_id() == 1) {
        send(spin1_get_chip_id(), 2, 1, SDP_BUF_SIZE);
        if (received < expected && expected > 1) {
            send(spin1_get_chip_id() ^ 0x0101, 1, 3, 5);
        }
    }
    if (ticks == MOST_TICKS) {
        io_printf(IO_BUF, "received %u of %u\n", received, expected);
        spin1_exit(0);
    }
}

void c_main(void)
{
    expected = spin1_get_core_id() == 1 && sv->p2p_dims == 0x0202 ? 2 : 1;
    io_printf(IO_BUF, "system: %u\n", sark_has_system());
    spin1_callback_on(SDP_PACKET_RX, receive, 1);
    spin1_callback_on(TIMER_TICK, tick, 2);
    spin1_set_timer_tick(TICK_US);
    spin1_start(SYNC_WAIT);
}
