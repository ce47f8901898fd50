/* messages_refused.c - core 1 sends messages that nobody takes: core 2 has no callback for them.
 * The first stays in that core's mailbox, the second in the sender's own. */
#include <spin1_api.h>

enum { PORT = 1, HEADER = 8, TIMEOUT_MS = 5, DEAF = 2, MESSAGES = 4, TICK_US = 1000, END = 20 };

static void send(uint ticks, uint unused)
{
    (void)unused;
    if (ticks == 1 && sark_core_id() == 1) {
        sdp_msg_t *taken[MESSAGES];
        for (uint i = 0; i < MESSAGES; i++) {
            taken[i] = spin1_msg_get();
        }
        io_printf(IO_BUF, "a fifth: %s\n", spin1_msg_get() == NULL ? "none" : "there");
        for (uint i = 0; i < MESSAGES; i++) {
            taken[i]->length = HEADER;
            taken[i]->dest_port = PORT << PORT_SHIFT | DEAF;
            taken[i]->srce_port = PORT << PORT_SHIFT | 1;
            taken[i]->dest_addr = taken[i]->srce_addr = (ushort)sark_chip_id();
            const uint before = spin1_get_simulation_time();
            const uint sent = spin1_send_sdp_msg(taken[i], TIMEOUT_MS);
            io_printf(IO_BUF, "message %u: %u after %u ms\n", i, sent,
                      spin1_get_simulation_time() - before);
            spin1_msg_free(taken[i]);
        }
        io_printf(IO_BUF, "again: %s\n", spin1_msg_get() == taken[MESSAGES - 1] ? "the last" : "?");
        spin1_exit(0);
    }
    if (ticks == END) {
        io_printf(IO_BUF, "in the mailbox: %u\n", sv_vcpu->mbox_ap_cmd);
        spin1_exit(0);
    }
}

void c_main(void)
{
    spin1_callback_on(TIMER_TICK, send, 1);
    spin1_set_timer_tick(TICK_US);
    spin1_start(SYNC_WAIT);
}
