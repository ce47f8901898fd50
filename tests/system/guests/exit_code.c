/* exit_code.c - ends with an exit code: 7 on core 2, 0 on the others. */
#include <spin1_api.h>

static void tick(uint ticks, uint unused)
{
    (void)ticks;
    (void)unused;
    io_printf(IO_BUF, "ends\n");
    spin1_exit(spin1_get_core_id() == 2 ? 7 : 0);
}

void c_main(void)
{
    spin1_set_timer_tick(100);
    spin1_callback_on(TIMER_TICK, tick, 1);
    spin1_start(SYNC_NOWAIT);
}
