@ tick_board.S - 1,000 interrupts of a timer, 1 ms apart, each served in some 60 instructions: what a machine does that waits for work.
#include "micro.inc"
#define TICKS 1000
#define PERIOD_CYCLES 200000 /* 1 ms at 200 MHz */
#define ROUNDS 14 /* of three instructions: the work of a tick */

    vectors irq=tick
    begin main
    msr cpsr_c, #(MODE_IRQ | MASKED)
    ldr sp, =0x00401000
    msr cpsr_c, #MODE_SVC
    ldr r11, =VIC
    mov r0, #1 << SOURCE_TIMER1
    str r0, [r11, #0x10]
    ldr r10, =TIMER
    ldr r0, =PERIOD_CYCLES
    str r0, [r10]
    mov r0, #0xe2                   @ on, periodic, interrupt, 32 bits
    str r0, [r10, #8]
    ldr r12, =TICKS
1:  mcr p15, 0, r0, c7, c0, 4
    cmp r12, #0
    bne 1b
    mov r0, #0
    str r0, [r10, #8]
    finish
    end main

    begin tick
    sub lr, lr, #4
    stmfd sp!, {r0-r3, lr}
    str r0, [r10, #0x0c]            @ served
    sub r12, r12, #1
    mov r1, #ROUNDS
1:  add r2, r2, r1
    subs r1, r1, #1
    bne 1b
    ldmfd sp!, {r0-r3, pc}^
    end tick
