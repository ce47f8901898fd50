/* bad_listener.c - a callback of a priority that its event does not have. */
#include <spin1_api.h>

static void take(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
}

void c_main(void)
{
    spin1_callback_on(EVENT, take, PRIORITY);
    spin1_start(SYNC_NOWAIT);
}
