/* system.c - whether the system's software, SC&MP or its stand-in, is on this chip.  The simulator
 * looks for this function in a program: what needs that software calls it. */
#include "runtime.h"

uint sark_has_system(void)
{
    return sv->sw_ver != 0;
}
