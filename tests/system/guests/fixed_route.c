/* fixed_route.c - fixed-route packets: of core 1 of chip (0,0), through chip (1,0), to core 3 of
 * chip (1,1), between multicast packets to core 2 of its own chip.  Core 1 of chip (0,1) sends more
 * than its queue has room for, to a core that takes none. */
#include <spin1_api.h>

enum {
    PACKETS = 20,
    EAST = 0,
    NORTH = 2,
    KEY = 0x500,
    TICK_US = 100,
    CROWDED = 0x0001,
    MANY = 40,
    VIRTUAL = 3,
    IDLE = 4
};

static uint failed, plain, loaded, keys, payloads;

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

static void send(void)
{
    for (uint i = 0; i < PACKETS; i++) {
        failed += spin1_send_fr_packet(KEY + i, i * i, i % 2) != SUCCESS;
        failed += i % 5 == 0 && spin1_send_mc_packet(KEY + i, i, i % 2) != SUCCESS;
    }
}

/* No interrupt empties the queue. */
static void send_many(void)
{
    const uint cpsr = spin1_int_disable();
    for (uint i = 0; i < MANY; i++) {
        failed += spin1_send_fr_packet(KEY, 1, WITH_PAYLOAD) != SUCCESS;
    }
    spin1_mode_restore(cpsr);
}

static void tick(uint ticks, uint unused)
{
    (void)unused;
    if (ticks == 1 && sark_core_id() == 1 && spin1_get_chip_id() == 0) {
        send();
    }
    if (ticks == 1 && sark_core_id() == 1 && spin1_get_chip_id() == CROWDED) {
        send_many();
    }
    if (ticks == 3) {
        io_printf(IO_BUF, "route %x, failed %s, plain %u, loaded %u, keys %x, payloads %u\n",
                  rtr_fr_get(), failed == 0 ? "none" : "some", plain, loaded, keys, payloads);
        spin1_exit(0);
    }
}

void c_main(void)
{
    const uint chip = spin1_get_chip_id();
    rtr_fr_set(chip == 0x0000   ? MC_LINK_ROUTE(EAST)
               : chip == 0x0100 ? MC_LINK_ROUTE(NORTH)
                                : MC_CORE_ROUTE(chip == CROWDED ? IDLE : VIRTUAL));
    (void)spin1_set_mc_table_entry(0, KEY, 0xffffff00, MC_CORE_ROUTE(2));
    spin1_callback_on(FR_PACKET_RECEIVED, take, 0);
    spin1_callback_on(FRPL_PACKET_RECEIVED, take_loaded, 1);
    spin1_callback_on(MC_PACKET_RECEIVED, take, 0);
    spin1_callback_on(MCPL_PACKET_RECEIVED, take_loaded, 1);
    spin1_callback_on(TIMER_TICK, tick, 2);
    spin1_set_timer_tick(TICK_US);
    spin1_start(SYNC_WAIT);
}
