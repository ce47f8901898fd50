/* reinjected.c - a receiver that begins to read late: one packet fits its controller, two the way
 * to it, and what comes then is dropped.  Core 1 sends four packets; core 3 sends five, and lets
 * the router drop at once, so that two are lost one straight after the other.  Core 2 begins to
 * read a few microseconds later; core 4, in its place, much later; core 5 never.  Core 6, where it
 * is there, gets all packets too and reads them at once. */
#include <spin1_api.h>

enum {
    KEY = 0x100,
    SEND_US = 50,
    READ_US = 58,
    READ_LATE_US = 500,
    ROUNDS = 4000, /* of looking whether a packet has come */
    RSR_WAITING = 1 << 31,
    WAIT1 = 0xff << 16,
    KEYS_MAX = 8
};

static void send(uint core)
{
    uint receiver = 2;
    while (sv->vcpu_base[receiver].app_id != sark.app_id || receiver == 3) {
        receiver++;
    }
    uint route = MC_CORE_ROUTE(receiver);
    if (sv->vcpu_base[6].app_id == sark.app_id) {
        route |= MC_CORE_ROUTE(6);
    }
    rtr_mc_set(0, KEY, 0xffffff00, route);
    spin1_delay_us(SEND_US);
    if (core == 3) { /* by now the reinjector has set its bit of the register */
        rtr[RTR_CONTROL] &= ~(uint)WAIT1;
    }
    const uint packets = core == 3 ? 5 : 4;
    for (uint i = 0; i < packets; i++) {
        cc[CC_TXKEY] = KEY + i;
        if (i < 2 || core == 1) {
            spin1_delay_us(1);
        } else {
            while ((cc[CC_TCR] & 1 << 28) == 0) {
            }
        }
    }
}

static void receive(uint core)
{
    uint key[KEYS_MAX];
    uint count = 0;
    if (core != 6) {
        spin1_delay_us(core == 2 ? READ_US : READ_LATE_US);
    }
    for (uint i = 0; i < ROUNDS; i++) {
        if ((cc[CC_RSR] & RSR_WAITING) != 0) {
            key[count++ % KEYS_MAX] = cc[CC_RXKEY];
        }
    }
    for (uint i = 0; i < count; i++) {
        io_printf(IO_BUF, "%x\n", key[i]);
    }
}

void c_main(void)
{
    const uint core = spin1_get_core_id();
    if (core == 1 || core == 3) {
        send(core);
    } else if (core != 5) {
        receive(core);
    } else {
        spin1_callback_on(USER_EVENT, NULL, 1);
        spin1_start(SYNC_NOWAIT); /* for ever */
    }
}
