@ waits.S - sleeps, and nothing will ever wake it.
#include "micro.inc"
    vectors
    begin main
    mcr p15, 0, r0, c7, c0, 4
    b main
    end main
