/* dma_soak.c - reads blocks of 1,000 words from SDRAM, one after the other; the callback of each
 * block requests the next.  Measures the bandwidth of a core's DMA with its software.  Each core
 * reads a range of its own.  After P. Camilleri's SDRAM soak test of 2015. */
#include <spin1_api.h>

enum { BLOCKS = 1000, BLOCK_BYTES = 4000, RANGE_BYTES = 4 << 20, FREE_RUNNING = 0x82 };

static uint block[BLOCK_BYTES / sizeof(uint)];
static uchar *source;
static uint blocks;

static void next_block(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    if (blocks == BLOCKS) {
        io_printf(IO_BUF, "%u bytes in %u cycles\n", BLOCKS * BLOCK_BYTES, 0 - tc[T2_COUNT]);
        spin1_exit(0);
        return;
    }
    blocks++;
    (void)spin1_dma_transfer(0, source, block, DMA_READ, BLOCK_BYTES);
    source += BLOCK_BYTES;
}

static void begin(uint unused, uint unused_too)
{
    tc[T2_LOAD] = 0;
    tc[T2_CONTROL] = FREE_RUNNING;
    next_block(unused, unused_too);
}

void c_main(void)
{
    source = (uchar *)SDRAM_BASE + (1 + spin1_get_core_id()) * RANGE_BYTES;
    spin1_callback_on(DMA_TRANSFER_DONE, next_block, 0);
    spin1_schedule_callback(begin, 0, 0, 1);
    spin1_start(SYNC_WAIT);
}
