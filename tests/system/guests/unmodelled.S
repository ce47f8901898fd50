@ unmodelled.S - reads a register of the Ethernet controller three times and writes one, which are not modelled; it reads 0 there.
#include "micro.inc"
#define ETHERNET 0xf4000000
    vectors
    begin main
    ldr r9, =ETHERNET
    mov r3, #3
1:  ldr r0, [r9, #0x24]
    cmp r0, #0
    bne 2f
    subs r3, r3, #1
    bne 1b
    str r3, [r9, #0x40]
    finish
2:  b 2b
    end main
