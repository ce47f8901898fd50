@ own_words.S - a core at full load that first stores into its ITCM, as SARK's programs do when they begin: into the vectors its
@ application id, the address of its interrupt handler and the instruction that jumps there; and between its functions a word that the
@ loop reads and that differs from core to core.
@ LATE: reads the word once before the stores, so that they change code that has been decoded.
#include "micro.inc"
#define ROUNDS 60000 /* of 14 cycles each */
#define PERIOD_CYCLES 20000

    .section .vectors, "ax", %progbits
    .global _start
_start:
    ldr pc, [pc, #0x18]
    .rept 7
    b .
    .endr
    .word main
    .space 28

    .text
    begin main
#ifdef LATE
    ldr r1, own
#endif
    ldr r1, =0x20666667             @ application id and more, as SARK has it at 0x34
    mov r2, #0x34
    str r1, [r2]
    ldr r1, =tick
    str r1, [r2, #4]
    ldr r1, vector
    mov r2, #0x18
    str r1, [r2]
    core r1
    adr r2, own
    str r1, [r2]

    msr cpsr_c, #(MODE_IRQ | MASKED)
    ldr sp, =0x00401000
    msr cpsr_c, #MODE_SVC
    ldr r0, =VIC
    mov r1, #1 << SOURCE_TIMER1
    str r1, [r0, #0x10]
    ldr r9, =TIMER
    ldr r0, =PERIOD_CYCLES
    str r0, [r9]
    mov r0, #0xe2                   @ on, periodic, interrupt, 32 bits
    str r0, [r9, #8]

    ldr r12, =ROUNDS
    mov r10, #0x00400000
1:  ldr r0, [r10]
    ldr r4, own
    add r1, r1, #1
    add r1, r1, r0
    str r1, [r10, #4]
    eor r2, r2, r1
    add r3, r3, r4
    subs r12, r12, #1
    bne 1b
    mov r0, #0
    str r0, [r9, #8]
    finish
    end main

vector:
    ldr pc, [pc, #0x18]
own:
    .word 0

    begin tick
    sub lr, lr, #4
    str r0, [r9, #0x0c]             @ acknowledged
    add r5, r5, #1
    movs pc, lr
    end tick
