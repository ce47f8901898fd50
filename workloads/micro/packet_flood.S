@ packet_flood.S - cores 1 to 4 send 2,000 multicast packets each to the chip in the east, one every 300 ns, without asking for room: twice
@ what a link carries.  Core 5 receives the packets from the west.
#include "micro.inc"
#define PACKETS 2000
#define TAKER 5
#define COMMS 0x10000000
#define ROUTE_RAM 0xf1004000
#define KEY_CAM 0xf1008000
#define MASK_CAM 0xf100c000
#define EAST 1
#define SV_P2P_ADDRESS 0xe5007f00

    vectors
    begin main
    core r4
    ldr r10, =COMMS
    ldr r6, =ROUTE_RAM
    ldr r7, =KEY_CAM
    ldr r8, =MASK_CAM
    cmp r4, #TAKER
    beq taker
    ldr r0, =SV_P2P_ADDRESS
    ldrh r5, [r0]                   @ of this chip
    mov r5, r5, lsl #16
    orr r5, r5, r4, lsl #8
    mov r1, #EAST
    mvn r2, #0
    str r1, [r6, r4, lsl #2]        @ entry n: what core n of this chip sends
    str r2, [r8, r4, lsl #2]
    str r5, [r7, r4, lsl #2]
    ldr r12, =PACKETS
1:  str r5, [r10, #8]
    mov r3, #12                     @ 48 cycles, and the store's
2:  subs r3, r3, #1
    bne 2b
    subs r12, r12, #1
    bne 1b
    finish
    end main

    begin taker
    mov r1, #1 << (6 + TAKER)
    mov r2, #0
    mov r0, #100
    str r1, [r6, r0, lsl #2]        @ entry 100: everything else
    str r2, [r8, r0, lsl #2]
    str r2, [r7, r0, lsl #2]
    ldr r9, =VIC
    mov r1, #1 << SOURCE_MULTICAST
    str r1, [r9, #0x10]
    ldr r1, =VCPU                   @ the run does not wait for this core
    add r1, r1, r4, lsl #7
    mov r2, #CPU_STATE_EXIT
    strb r2, [r1, #0x2e]
3:  mcr p15, 0, r2, c7, c0, 4
    ldr r0, [r10, #0x14]
    b 3b
    end taker
