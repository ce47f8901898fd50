/* refused_packets.c - each core offers a packet over the link to the east every PERIOD_CYCLES, and
 * does not wait: a packet that the communications controller has no room for is refused, and lost.
 * As network_tester (SpiNNakerManchester) offers packets. */
#include <spin1_api.h>

enum {
    PACKETS = 2000,
    PERIOD_CYCLES = 400, /* 2.00 us: 166,667 packets of a core in a third of a second */
    APART_CYCLES = 25,   /* between the beginnings of cores */
    START_CYCLES = 4000,
    NOT_FULL = 28, /* bit of CC_TCR */
    EAST = 0,
    FREE_RUNNING = 0x82
};

void c_main(void)
{
    const uint core = spin1_get_core_id();
    const uint key = spin1_get_chip_id() << 16 | core << 8;
    uint due = START_CYCLES + core * APART_CYCLES;
    uint refused = 0;
    rtr_mc_set(core, key, 0xffffffff, MC_LINK_ROUTE(EAST));
    tc[T2_LOAD] = 0;
    tc[T2_CONTROL] = FREE_RUNNING;
    for (uint packet = 0; packet < PACKETS; packet++) {
        while ((int)(0 - tc[T2_COUNT] - due) < 0) {
        }
        if ((cc[CC_TCR] >> NOT_FULL & 1) != 0) {
            cc[CC_TXKEY] = key;
        } else {
            refused++;
        }
        due += PERIOD_CYCLES;
    }
    io_printf(IO_BUF, "%u packets, %u refused\n", PACKETS, refused);
}
