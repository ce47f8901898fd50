/* generator.c - counts the packets that come from the west (../generator.cpp). */
#include <spin1_api.h>

enum { KEY = 0x2000, PACKETS = 20 };

static uint count, sum;

static void take(uint key, uint payload)
{
    (void)key;
    sum += payload;
    if (++count == PACKETS) {
        io_printf(IO_BUF, "%u packets, sum %u\n", count, sum);
        spin1_exit(0);
    }
}

void c_main(void)
{
    rtr_mc_set(1, KEY, 0xffffffff, MC_CORE_ROUTE(spin1_get_core_id()));
    spin1_callback_on(MCPL_PACKET_RECEIVED, take, 0);
    spin1_start(SYNC_NOWAIT);
}
