@ timer_tick.S - ten interrupts of a timer, 10 us apart, the core asleep between them.
@ WORK: rounds of two instructions that each interrupt executes.
#include "micro.inc"
#ifndef TICKS
#define TICKS 10
#define PERIOD_CYCLES 2000 /* 10 us at 200 MHz */
#endif

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
    mov r12, #TICKS
1:  mcr p15, 0, r0, c7, c0, 4
    cmp r12, #0
    bne 1b
    mov r0, #0
    str r0, [r10, #8]
    finish
    end main

    begin tick
    sub lr, lr, #4
    str r0, [r10, #0x0c]            @ acknowledged
    sub r12, r12, #1
#ifdef WORK
    mov r1, #WORK
2:  subs r1, r1, #1
    bne 2b
#endif
    movs pc, lr
    end tick
