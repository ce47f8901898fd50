@ alu_loop.S - data operations of every cost, 1,000 times round; no memory, no stalls but those of saturating results.
#include "micro.inc"
#define ROUNDS 1000

    vectors
    begin main
    ldr r12, =ROUNDS
    mov r1, #1
    mov r2, #2
1:  add r0, r0, r1
    add r0, r0, r1, lsl #3
    add r0, r0, r1, lsl r2          @ register-controlled shift
    movs r3, r0
    addeq r0, r0, #1                @ fails
    clz r3, r0
    mrs r4, cpsr
    msr cpsr_f, r4
    msr cpsr_c, r4
    qadd r5, r1, r2
    add r5, r5, #1                  @ waits for a saturating result
    qadd r5, r1, r2
    smlabb r6, r5, r5, r0           @ needs it early, and as a factor
    qadd r5, r1, r2
    smlabb r6, r1, r1, r5           @ needs it late
    subs r12, r12, #1
    bne 1b
    finish
    end main
