/* exchange_cost.c - what a word costs the core that it comes to: core 2 sends words to core 1, who
 * counts how much longer a loop takes. */
#include <chip_sync.h>
#include <exchange.h>
#include <exchange_state.h>

enum { WORDS = 200, ROUNDS = 40000, FREE_RUNNING = 0x82, GAP_US = 2, ENTRY = 0 };
#define KEY     0x80000000u
#define HEADER  0x12345678u
#define NOTHING 0xfffffffeu

static uint32_t words[WORDS];

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
    static struct exchange_inbound idle;
    static struct exchange_inbound inbound;
    inbound = (struct exchange_inbound){.last = key,
                                        .top = words + WORDS - 1,
                                        .base = words,
                                        .first = words + WORDS / 2,
                                        .end = key + WORDS,
                                        .header_key = key,
                                        .header = HEADER,
                                        .next = &idle};
    idle = (struct exchange_inbound){.end = NOTHING, .next = &inbound};
    exchange_fast_begin(NOTHING, &idle);
    const uint alone = loop_cycles();
    chip_barrier();
    const uint with_words = loop_cycles();
    io_printf(IO_BUF, "%u of %u words, %u cycles for them all\n", inbound.last - key, WORDS,
              with_words - alone);
    chip_barrier();
}

static void send(uint key)
{
    chip_barrier();
    for (uint i = 0; i <= WORDS; i++) {
        sark_delay_us(i == 0 ? 10 * GAP_US : GAP_US / 2);
        cc[CC_TXDATA] = i == 0 ? HEADER : i;
        cc[CC_TXKEY] = key + i;
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
