/* ring.c - a packet goes round a ring of cores of one chip, ten times: each adds one to its payload
 * and sends it on. */
#include <spin1_api.h>

enum { ROUNDS = 10, KEY = 0x1000 };

static uint cores, next_key;

static void pass_on(uint key, uint count)
{
    (void)key;
    if (count >= ROUNDS * cores) {
        io_printf(IO_BUF, "the packet has passed %u cores\n", count);
    } else {
        spin1_send_mc_packet(next_key, count + 1, WITH_PAYLOAD);
    }
    if (count + cores > ROUNDS * cores) {
        spin1_exit(0); /* the packet will not come here again */
    }
}

static void begin(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    spin1_send_mc_packet(next_key, 1, WITH_PAYLOAD);
}

void c_main(void)
{
    const uint core = spin1_get_core_id();
    cores = sv->num_cpus - 1u; /* all but the monitor */
    next_key = KEY + (core == cores ? 1 : core + 1);
    rtr_mc_set(core, KEY + core, 0xffffffff, MC_CORE_ROUTE(core));
    spin1_callback_on(MCPL_PACKET_RECEIVED, pass_on, 0);
    if (core == 1) {
        spin1_schedule_callback(begin, 0, 0, 1);
    }
    spin1_start(SYNC_WAIT);
}
