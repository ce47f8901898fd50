/* neurons.c - what a core of the official software does with neurons, without the neurons: each
 * millisecond it is awake for NEURON_CYCLES, and then for each of ROWS rows of synapses reads a row
 * from SDRAM by DMA and is awake for ROW_CYCLES.  After the boards that were measured with
 * SNABSuite: power depends on the cycles awake and on the traffic, which were counted in the
 * official binary (IF_cond_exp of sPyNNaker, 2019): 456 cycles a silent neuron (157 its ring
 * buffers, 299 its update), 2,000 a tick (assumed); 27.3 cycles a synaptic event in rows of 128, a
 * word each. */
#include <spin1_api.h>

enum { TICK_US = 1000, EVENTS_OF_ROW = 128, ROW_BYTES = 4 * EVENTS_OF_ROW, RANGE_BYTES = 4 << 20 };

static uint row[EVENTS_OF_ROW];
static uint rows_left;

/* A round takes 4 cycles: a subtraction, and a branch that refills the pipeline. */
static void stay_awake(uint cycles)
{
    uint rounds = cycles / 4;
    __asm__ volatile("1: subs %0, %0, #1\n bne 1b" : "+r"(rounds) : : "cc");
}

static void read_row(void)
{
    const uint core = spin1_get_core_id();
    uchar *const rows = (uchar *)SDRAM_BASE + (1 + core) * RANGE_BYTES;
    rows_left--;
    (void)spin1_dma_transfer(0, rows + rows_left * ROW_BYTES, row, DMA_READ, ROW_BYTES);
}

static void take_row(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    if (rows_left > 0) {
        read_row();
    }
    stay_awake(ROW_CYCLES);
}

static void tick(uint ticks, uint unused)
{
    (void)unused;
    if (ticks > TICKS) {
        spin1_exit(0);
        return;
    }
    rows_left = ROWS;
    if (rows_left > 0) {
        read_row();
    }
    stay_awake(NEURON_CYCLES);
}

void c_main(void)
{
    spin1_set_timer_tick(TICK_US);
    spin1_callback_on(DMA_TRANSFER_DONE, take_row, 0);
    spin1_callback_on(TIMER_TICK, tick, 1);
    spin1_start(SYNC_NOWAIT);
}
