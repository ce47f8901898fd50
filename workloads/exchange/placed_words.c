/* placed_words.c - see placed_words.h. */
#include "placed_words.h"

#include <chip_sync.h>
#include <spin1_api.h>

enum { TCR_NOT_FULL = 1 << 28, LOOP_CYCLES = 4 };

volatile uint32_t placed_count[PLACED_COUNTERS];
volatile uint32_t placed_signal_count[PLACED_SIGNALS];

/* placed_packets.S; startup.S */
void placed_fast_begin(uint32_t *buffer, volatile uint32_t *counters);
void delay_loop(uint rounds);

void placed_begin(uint32_t *buffer)
{
    placed_fast_begin(buffer, placed_count);
    vic[VIC_SELECT] = 1u << CC_MC_INT;
    vic[VIC_ENABLE] = 1u << CC_MC_INT;
}

/* The transmitter holds one packet that leaves and one that waits: room comes within a packet's
 * time on the chip's own network. */
static void await_room(void)
{
    while ((cc[CC_TCR] & TCR_NOT_FULL) == 0) {
    }
}

void placed_send(uint32_t key, uint32_t word, uint32_t gap)
{
    await_room();
    cc[CC_TXDATA] = word;
    cc[CC_TXKEY] = key;
    if (gap >= LOOP_CYCLES) {
        delay_loop(gap / LOOP_CYCLES);
    }
}

void placed_signal(uint32_t key)
{
    await_room();
    cc[CC_TXKEY] = key;
}
