@ multiply.S - every class of multiplication, followed by code that does not need the result, that needs it, and that accumulates on
@ it; 1,000 times round.
#include "micro.inc"
#define ROUNDS 1000

    vectors
    begin main
    ldr r12, =ROUNDS
    ldr r1, =0x12345678
    ldr r2, =0x7fff8001
1:  mul r3, r1, r2
    mov r0, #0
    muls r3, r1, r2
    mul r3, r1, r2
    add r0, r3, #1                  @ waits
    mul r3, r1, r2
    mla r0, r1, r2, r3              @ accumulates
    umull r3, r4, r1, r2
    mov r0, #0
    umulls r3, r4, r1, r2
    umull r3, r4, r1, r2
    add r0, r4, #1                  @ waits for the high word
    umull r3, r4, r1, r2
    umlal r3, r4, r1, r2            @ accumulates
    smulbb r3, r1, r2
    mov r0, #0
    smulbb r3, r1, r2
    add r0, r3, #1                  @ waits
    smulbb r3, r1, r2
    smlabt r0, r1, r2, r3           @ accumulates
    smlawb r0, r1, r2, r3
    smlalbb r3, r4, r1, r2
    smlaltt r3, r4, r1, r2
    subs r12, r12, #1
    bne 1b
    finish
    end main
