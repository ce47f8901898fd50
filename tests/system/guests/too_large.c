/* too_large.c - 48 KiB of data: fits a core with 64 KiB of DTCM, not one with 32. */
#include <spin1_api.h>

static volatile uint table[12 * 1024];

void c_main(void)
{
    table[0] = 1;
}
