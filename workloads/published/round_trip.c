/* round_trip.c - chip (0,0) sends a packet of 72 bits to its neighbour (1,0), whose callback
 * answers with one of 40 bits; the next packet leaves when the first core's callback has seen the
 * answer.  Both callbacks have priority -1, so FIQ serves packets at both ends.  After I.
 * Sugiarto's comparison of multicast packets with SDP messages of 2016. */
#include <spin1_api.h>

enum { TRIPS = 1000, QUESTION = 0x1000, ANSWER = 0x2000, EAST = 0, WEST = 3, FREE_RUNNING = 0x82 };

static volatile uint answered;

static void see_answer(uint key, uint none)
{
    (void)key;
    (void)none;
    answered = 1;
}

static void ask(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    spin1_callback_off(TIMER_TICK);
    tc[T2_LOAD] = 0;
    tc[T2_CONTROL] = FREE_RUNNING;
    for (uint trip = 0; trip < TRIPS; trip++) {
        answered = 0;
        spin1_send_mc_packet(QUESTION, trip, WITH_PAYLOAD);
        while (!answered) {
        }
    }
    io_printf(IO_BUF, "%u round trips in %u cycles\n", TRIPS, 0 - tc[T2_COUNT]);
    spin1_exit(0);
}

static void answer(uint key, uint trip)
{
    (void)key;
    spin1_send_mc_packet(ANSWER, 0, NO_PAYLOAD);
    if (trip == TRIPS - 1) {
        spin1_exit(0);
    }
}

void c_main(void)
{
    const uint core = spin1_get_core_id();
    if (spin1_get_chip_id() == 0) {
        rtr_mc_set(0, QUESTION, 0xffffffff, MC_LINK_ROUTE(EAST));
        rtr_mc_set(1, ANSWER, 0xffffffff, MC_CORE_ROUTE(core));
        spin1_callback_on(MC_PACKET_RECEIVED, see_answer, -1);
        spin1_set_timer_tick(100); /* by then the neighbour is ready */
        spin1_callback_on(TIMER_TICK, ask, 2);
    } else {
        rtr_mc_set(0, QUESTION, 0xffffffff, MC_CORE_ROUTE(core));
        rtr_mc_set(1, ANSWER, 0xffffffff, MC_LINK_ROUTE(WEST));
        spin1_callback_on(MCPL_PACKET_RECEIVED, answer, -1);
    }
    spin1_start(SYNC_NOWAIT);
}
