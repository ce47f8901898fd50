@ packet_random.S - uniform random traffic on a torus of 12 x 12 chips: core 1 of each chip sends 5,000 point-to-point packets, one every
@ 420 ns or so, without asking for room; core 0, to which the router delivers such packets, receives them.
#include "micro.inc"
#define PACKETS 5000
#define SIDE 12
#ifndef PAUSE
#define PAUSE 14 /* rounds of four cycles */
#endif
#define COMMS 0x10000000
#define TYPE_P2P 0x00400000

    vectors
    begin main
    core r4
    ldr r10, =COMMS
    cmp r4, #0
    beq taker
    mov r0, #TYPE_P2P
    str r0, [r10]
    ldr r5, =0xe5007f00             @ seed: this chip
    ldrh r5, [r5]
    ldr r6, =1664525                @ the generator of Numerical Recipes
    ldr r7, =1013904223
    mov r8, #SIDE
    ldr r12, =PACKETS
1:  mla r5, r6, r5, r7
    umull r0, r1, r5, r8            @ r1 = x
    umull r2, r3, r0, r8            @ r3 = y
    orr r1, r3, r1, lsl #8
    str r1, [r10, #8]
    mov r3, #PAUSE
2:  subs r3, r3, #1
    bne 2b
    subs r12, r12, #1
    bne 1b
    finish
    end main

    begin taker
    ldr r9, =VIC
    mov r1, #1 << SOURCE_P2P
    str r1, [r9, #0x10]
    ldr r1, =VCPU                   @ the run does not wait for this core
    mov r2, #CPU_STATE_EXIT
    strb r2, [r1, #0x2e]
3:  mcr p15, 0, r2, c7, c0, 4
    ldr r0, [r10, #0x14]
    b 3b
    end taker
