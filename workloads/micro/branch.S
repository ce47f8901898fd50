@ branch.S - every way to change the pc, in both states, 1,000 times round.
#include "micro.inc"
#define ROUNDS 1000

    vectors
    begin main
    ldr r12, =ROUNDS
    ldr sp, =0x00408000
1:  bl leaf
    adr r0, leaf
    blx r0
    b 2f
    nop
2:  bne 3f                          @ taken: the flags are those of the loop's count
    nop
3:  beq main                        @ not taken
    adr r0, 4f
    mov pc, r0
4:  add pc, pc, #0                  @ over the next word
    nop
    adr r0, 5f
    mov r1, #0
    add pc, r0, r1, lsl r1          @ register-controlled shift
    nop
5:  ldr pc, away
    nop
behind:
    adr r2, table
    mov r3, #1
    ldr pc, [r2, r3, lsl #2]        @ scaled offset
scaled:
    adr r0, 8f
    push {r0}
    ldm sp!, {pc}
8:  push {r0, r1}
    adr r1, 9f
    str r1, [sp, #4]
    ldm sp!, {r0, pc}
9:  adr r0, narrow + 1
    blx r0
    subs r12, r12, #1
    bne 1b
    finish
    end main

    .align 2
table:
    .word main, scaled
away:
    .word behind

    begin leaf
    bx lr
    end leaf

    .thumb
    .thumb_func
    begin narrow
    mov r4, lr
    bl narrow_leaf                  @ two halves
    b 1f
    nop
1:  mov lr, r4
    bx lr
    end narrow
    .thumb_func
    begin narrow_leaf
    bx lr
    end narrow_leaf
