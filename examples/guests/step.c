/* step.c - prints at each millisecond. */
#include <spin1_api.h>

static void tick(uint ticks, uint unused)
{
    (void)unused;
    io_printf(IO_BUF, "tick %u\n", ticks);
}

void c_main(void)
{
    spin1_set_timer_tick(1000); /* microseconds */
    spin1_callback_on(TIMER_TICK, tick, 1);
    spin1_start(SYNC_NOWAIT);
}
