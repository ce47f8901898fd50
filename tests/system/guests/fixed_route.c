/* fixed_route.c - fixed-route packets: of core 1 of chip (0,0), through chip (1,0), to core 3 of
 * chip (1,1), between multicast packets to core 2 of its own chip. */
#include <spin1_api.h>

enum { PACKETS = 20, EAST = 0, NORTH = 2, KEY = 0x500, TICK_US = 100, FAR = 0x0101, VIRTUAL = 3 };

static uint plain, loaded, keys, payloads;

static void take(uint key, uint none)
{
    plain++;
    keys += key;
    payloads += none;
}

static void take_loaded(uint key, uint payload)
{
    loaded++;
    keys += key;
    payloads += payload;
}

static void tick(uint ticks, uint unused)
{
    (void)unused;
    uint failed = 0;
    for (uint i = 0; spin1_get_chip_id() == 0 && sark_core_id() == 1 && ticks == 1 && i < PACKETS;
         i++) {
        failed += spin1_send_fr_packet(KEY + i, i * i, i % 2) != SUCCESS;
        failed += i % 4 == 0 && spin1_send_mc_packet(KEY + i, i, i % 2) != SUCCESS;
    }
    if (ticks == 3) {
        io_printf(IO_BUF, "route %x, failed %u, plain %u, loaded %u, keys %x, payloads %u\n",
                  rtr_fr_get(), failed, plain, loaded, keys, payloads);
        spin1_exit(0);
    }
}

void c_main(void)
{
    const uint chip = spin1_get_chip_id();
    rtr_fr_set(chip == 0x0000   ? MC_LINK_ROUTE(EAST)
               : chip == 0x0100 ? MC_LINK_ROUTE(NORTH)
                                : MC_CORE_ROUTE(VIRTUAL));
    (void)spin1_set_mc_table_entry(0, KEY, 0xffffff00, MC_CORE_ROUTE(2));
    spin1_callback_on(FR_PACKET_RECEIVED, take, 0);
    spin1_callback_on(FRPL_PACKET_RECEIVED, take_loaded, 1);
    spin1_callback_on(MC_PACKET_RECEIVED, take, 0);
    spin1_callback_on(MCPL_PACKET_RECEIVED, take_loaded, 1);
    spin1_callback_on(TIMER_TICK, tick, 2);
    spin1_set_timer_tick(TICK_US);
    spin1_start(SYNC_WAIT);
}
