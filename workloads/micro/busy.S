@ busy.S - registers and DTCM, no sleep, no traffic: a core at full load for 2,000,000 cycles and a few more, 10 ms at 200 MHz.
@ LISTENING: with the interrupt of multicast packets enabled; none arrives, but the simulator cannot know that.
#include "micro.inc"
#ifndef ROUNDS
#define ROUNDS 200000 /* of ten cycles each */
#endif

    vectors
    begin main
#ifdef LISTENING
    ldr r11, =VIC
    mov r0, #1 << SOURCE_MULTICAST
    str r0, [r11, #0x10]
    msr cpsr_c, #MODE_SVC
#endif
    ldr r12, =ROUNDS
    mov r10, #0x00400000
1:  ldr r0, [r10]
    add r1, r1, #1
    add r1, r1, r0
    str r1, [r10, #4]
    eor r2, r2, r1
    add r3, r3, r2
    subs r12, r12, #1
    bne 1b
    finish
    end main
