/* random.c - random numbers of a shift register of 33 bits with taps at 33 and 20 (ARM DUI 0021A,
 * Programming Techniques). */
#include "sark.h"

static struct {
    uint low, top;             /* 32 bits, and one above them */
} state = {.low = 0xdeaddead}; /* as SARK starts */

void sark_srand(uint seed)
{
    state.low = seed;
    state.top = 0;
}

/* 32 steps at once. */
uint sark_rand(void)
{
    enum { TOP_SHIFT = 31, TAP = 20, ABOVE_TAP = 32 - TAP };
    uint next = state.top << TOP_SHIFT | state.low >> 1;
    state.top = state.low & 1;
    next ^= state.low << ABOVE_TAP;
    state.low = next ^ next >> TAP;
    return state.low;
}
