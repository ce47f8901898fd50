@ flood.S - sends packets eastward as fast as it can, without end; nobody takes them.
#include "micro.inc"
#include "link.inc"
    vectors
    begin main
    core r4
    ldr r10, =COMMS
    mov r5, r4, lsl #8
    mov r1, #1
    mvn r2, #0
    entry r4, r5, r2, r1
1:  str r5, [r10, #CC_TXKEY]
    b 1b
    end main
