@ link_take.S - core n receives the packets of core n of every chip: the other end of the links that link_load loads.
#include "micro.inc"
#include "link.inc"
#define FIRST_ENTRY 100 /* behind those of link_load */

    vectors
    begin main
    core r4
    mov r5, r4, lsl #8
    mov r2, #0xff00
    add r0, r4, #6
    mov r1, #1
    mov r1, r1, lsl r0
    add r0, r4, #FIRST_ENTRY
    entry r0, r5, r2, r1
    ldr r10, =COMMS
    ldr r9, =VIC
    mov r1, #1 << SOURCE_MULTICAST
    str r1, [r9, #0x10]
    ldr r1, =VCPU                   @ the run does not wait for this core
    add r1, r1, r4, lsl #7
    mov r2, #CPU_STATE_EXIT
    strb r2, [r1, #0x2e]
1:  mcr p15, 0, r2, c7, c0, 4
    ldr r0, [r10, #CC_RXKEY]
    b 1b
    end main
