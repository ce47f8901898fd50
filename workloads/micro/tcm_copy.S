@ tcm_copy.S - loads, stores and copies inside the TCMs, with and without a wait for what is loaded; 1,000 times round.
#include "micro.inc"
#define ROUNDS 1000
#define FROM 0x00400000
#define TO 0x00404000

    vectors
    begin main
    ldr r12, =ROUNDS
    ldr r10, =FROM
    ldr r11, =TO
    mov r9, #4
1:  ldr r0, [r10]
    mov r1, #0
    ldr r0, [r10]
    add r1, r0, #1                  @ waits
    ldr r0, [r10, r9, lsl #2]       @ scaled offset
    ldrh r0, [r10]
    add r1, r0, #1                  @ waits longer
    ldrsb r0, [r10, r9]
    add r1, r0, #1
    str r0, [r11]
    str r0, [r11, r9, lsl #2]
    strb r0, [r11, #1]
    ldrd r2, r3, [r10]
    add r1, r3, #1                  @ waits for the second word
    strd r2, r3, [r11]
    ldm r10, {r0-r7}
    add r0, r7, #1                  @ waits for the last word
    stm r11, {r0-r7}
    ldm r10, {r0}
    stm r11, {r0}
    swp r0, r1, [r11]
    add r0, r0, #1                  @ waits
    swpb r0, r1, [r11]
    add r0, r0, #1                  @ waits longer
    pld [r10]
    ldr r0, =0x12345678             @ a literal: data in ITCM
    subs r12, r12, #1
    bne 1b
    finish
    end main
