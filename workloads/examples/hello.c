/* hello.c - a first program: prints at every tick of a timer, ends at the third. */
#include <spin1_api.h>

static void tick(uint ticks, uint unused)
{
    (void)unused;
    io_printf(IO_BUF, "core %u, tick %u\n", spin1_get_core_id(), ticks);
    if (ticks == 3) {
        spin1_exit(0);
    }
}

void c_main(void)
{
    spin1_set_timer_tick(1000); /* microseconds */
    spin1_callback_on(TIMER_TICK, tick, 1);
    spin1_start(SYNC_NOWAIT);
}
