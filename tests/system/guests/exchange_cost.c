/* exchange_cost.c - what a packet costs the core that it comes to: core 2 sends packets to core 1,
 * who counts how much longer a loop takes. */
#include <chip_sync.h>
#include <exchange.h>
#include <exchange_state.h>

enum { PACKETS = 200, ROUNDS = 40000, FREE_RUNNING = 0x82, GAP_US = 2, ENTRY = 0 };
#define KEY    0x80000000u
#define HEADER 0x12345678u

static uint8_t array[PACKETS * EXCHANGE_PACKET_BYTES] __attribute__((aligned(4)));

static uint loop_cycles(void)
{
    tc[T1_LOAD] = 0;
    tc[T1_CONTROL] = FREE_RUNNING;
    const uint since = tc[T1_COUNT];
    sark_delay_us(ROUNDS * 4 / sark.cpu_clk);
    return since - tc[T1_COUNT];
}

static void receive(uint key)
{
    static struct exchange_inbound inbound;
    uint8_t *top = array + (PACKETS - 1) * EXCHANGE_PACKET_BYTES;
    inbound = (struct exchange_inbound){.left = PACKETS,
                                        .check = HEADER,
                                        .top = top,
                                        .base = array,
                                        .first = array + PACKETS / 2 * EXCHANGE_PACKET_BYTES,
                                        .stream = key,
                                        .control = key | EXCHANGE_CONTROL,
                                        .next = &exchange_idle};
    exchange_fast_begin(&inbound);
    const uint alone = loop_cycles();
    chip_barrier();
    const uint with_words = loop_cycles();
    io_printf(IO_BUF, "%u of %u packets, %u cycles for them all\n", PACKETS - inbound.left, PACKETS,
              with_words - alone);
    chip_barrier();
}

static void send(uint key)
{
    chip_barrier();
    for (uint i = 0; i <= PACKETS; i++) {
        sark_delay_us(i == 0 ? 10 * GAP_US : GAP_US / 2);
        cc[CC_TXDATA] = i == 0 ? HEADER : i;
        cc[CC_TXKEY] = i == 0 ? key | EXCHANGE_CONTROL : key;
    }
    chip_barrier();
}

void c_main(void)
{
    if (sark_core_id() == 1) {
        rtr_mc_set(ENTRY, KEY, KEY, MC_CORE_ROUTE(1));
        exchange_packets_begin();
    }
    for (uint gather = 0; gather < 2; gather++) {
        const uint key = KEY | gather * EXCHANGE_GATHER;
        if (sark_core_id() == 1) {
            receive(key);
        } else {
            send(key);
        }
    }
}
