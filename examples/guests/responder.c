/* responder.c - asks the device behind the link to the west (../responder.cpp) for ten squares, one
 * after the other. */
#include <spin1_api.h>

enum { QUESTION = 0x1000, ANSWER = 0x2000, WEST = 3, QUESTIONS = 10 };

static uint count, sum;

static void ask(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    spin1_send_mc_packet(QUESTION, count + 1, WITH_PAYLOAD);
}

static void take(uint key, uint square)
{
    (void)key;
    sum += square;
    if (++count == QUESTIONS) {
        io_printf(IO_BUF, "%u answers, sum %u\n", count, sum);
        spin1_exit(0);
    } else {
        ask(0, 0);
    }
}

void c_main(void)
{
    rtr_mc_set(1, QUESTION, 0xffffffff, MC_LINK_ROUTE(WEST));
    rtr_mc_set(2, ANSWER, 0xffffffff, MC_CORE_ROUTE(spin1_get_core_id()));
    spin1_callback_on(MCPL_PACKET_RECEIVED, take, 0);
    spin1_schedule_callback(ask, 0, 0, 1);
    spin1_start(SYNC_NOWAIT);
}
