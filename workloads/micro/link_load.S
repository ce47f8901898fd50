@ link_load.S - each core that runs this sends 2,000 multicast packets over LINK of its chip, one every two microseconds; a core that the
@ link has delayed sends as fast as it can.  Sixteen such cores offer 8.0 million packets a second.
@ PAYLOAD: packets of 72 bits.  ALONE: one core, always late.
#include "micro.inc"
#include "link.inc"
#define PACKETS 2000
#ifdef ALONE
#define PERIOD 0
#else
#define PERIOD 400
#endif
#define T2_LOAD 0x20
#define T2_COUNT 0x24
#define T2_CONTROL 0x28
#define FREE_RUNNING 0x82
#define START 4000 /* 20 us: by then all tables are set */

    vectors
    begin main
    core r4
    ldr r10, =COMMS
    ldr r0, =SV_P2P_ADDRESS
    ldrh r5, [r0]                   @ of this chip
    mov r5, r5, lsl #16
    orr r5, r5, r4, lsl #8
    mov r1, #1 << LINK
    mvn r2, #0
    entry r4, r5, r2, r1            @ entry n: what core n of this chip sends
    ldr r9, =VIC
    mov r1, #1 << SOURCE_NOT_FULL   @ wakes the core; masked in CPSR
    str r1, [r9, #0x10]
    ldr r11, =TIMER
    mov r0, #0
    str r0, [r11, #T2_LOAD]
    mov r0, #FREE_RUNNING
    str r0, [r11, #T2_CONTROL]
    mov r0, #25                     @ cores start one after the other
    mul r3, r4, r0
    add r3, r3, #START              @ when the next packet is due
    ldr r12, =PACKETS
1:  ldr r0, [r11, #T2_COUNT]
    adds r0, r0, r3                 @ the timer counts down from 0
    movsgt r0, r0, lsr #2
    ble 2f
    delay r0
2:  mcr p15, 0, r0, c7, c0, 4       @ until the controller is free
#ifdef PAYLOAD
    str r12, [r10, #CC_TXDATA]
#endif
    str r5, [r10, #CC_TXKEY]
    add r3, r3, #PERIOD
    subs r12, r12, #1
    bne 1b
    mov r1, #1 << SOURCE_NOT_FULL
    str r1, [r9, #0x14]             @ or it would end the last sleep, too
    finish
    end main
