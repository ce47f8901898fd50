/* delete_route.c - after a while the first entry of the chip's multicast table leads nowhere, for
 * LOST_US microseconds; 0: for ever. */
#include <spin1_api.h>

enum { AFTER_US = 110 };

void c_main(void)
{
    sark_delay_us(AFTER_US);
    const uint route = rtr_ram[0];
    rtr_ram[0] = 0;
    if (LOST_US > 0) {
        sark_delay_us(LOST_US);
        rtr_ram[0] = route;
    }
}
