/* waits_key.c - core 3 sends two packets and ends; cores 1 and 2 want three, core 2 with a timer
 * that ticks; core 4 waits for the others at a barrier; core 5 is driven by its timer alone, for 50
 * ms.  Core 6 never comes to an end and has a long time between its ticks; core 7 has got more than
 * it wanted.  Cores 8 and up are in rounds 12, 11 and so on: 9 misses two keys, of 10's one packet
 * has been lost. */
#include <spin1_api.h>
#include <wait_note.h>

enum { KEY = 0x1000, MASK = 0xfffff000, PACKETS = 3, TICKS = 50, ROUND = 7 };

static struct {
    struct nn_wait_note head;
    struct nn_wait wait[2];
} note = {{NN_WAIT_MAGIC, ROUND, 2, {}}, {{0x500, 0xffffffff, 1, 1}, {KEY, MASK, PACKETS, 0}}};

static void received(uint key, uint unused)
{
    (void)key;
    (void)unused;
    if (++note.wait[1].arrived == PACKETS) {
        spin1_exit(0);
    }
}

static void tick(uint ticks, uint unused)
{
    (void)unused;
    if (spin1_get_core_id() == 5 && ticks == TICKS) {
        spin1_exit(0);
    }
}

static void receive(void)
{
    sark.vcpu->user1 = (uint)&note;
    spin1_callback_on(MC_PACKET_RECEIVED, received, 1);
}

void c_main(void)
{
    const uint core = spin1_get_core_id();
    if (core == 3) {
        rtr_mc_set(0, KEY, MASK, MC_CORE_ROUTE(1) | MC_CORE_ROUTE(2));
        spin1_delay_us(50);
        spin1_send_mc_packet(KEY, 0, NO_PAYLOAD);
        spin1_delay_us(10);
        spin1_send_mc_packet(KEY + 1, 0, NO_PAYLOAD);
        return;
    }
    if (core <= 2) {
        receive();
    }
    if (core == 7) {
        note.wait[0].arrived++;
        note.wait[1].arrived = PACKETS;
        receive();
    }
    if (core >= 8) { /* later rounds, and keys whose packets come to nobody */
        note.head.round = 20 - core;
        note.wait[0].arrived = core == 9 ? 0 : 1;
        receive();
    }
    if (core == 9) {
        note.wait[0].key = 0x700;
    }
    if (core == 10) {
        note.wait[1].key = 0x2000;
        spin1_send_mc_packet(0x2003, 0, NO_PAYLOAD);
    }
    if (core == 6) {
        spin1_callback_on(MC_PACKET_RECEIVED, received, 1);
    }
    if (core == 2 || core == 5 || core == 6) {
        spin1_set_timer_tick(core == 6 ? 30000 : 1000);
        spin1_callback_on(TIMER_TICK, tick, 1);
    }
    spin1_start(core == 4 ? SYNC_WAIT : SYNC_NOWAIT);
}
