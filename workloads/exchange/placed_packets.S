/* placed_packets.S - the fast interrupt of placed_words.c. */
#include "placed_words.h"

#include <spinnaker.h>

#define MODE_FIQ_MASKED 0xd1

    .syntax unified
    .arm
    .text

/* r8 buffer, r9 counters of words, r10 the communications controller. */
    .global fast_interrupt
    .type fast_interrupt, %function
fast_interrupt:
    ldr r12, [r10, #CC_RXDATA * 4]
    ldr r11, [r10, #CC_RXKEY * 4]   @ takes the packet away
    cmp r11, #0
    bpl signal
    mov r13, r11, lsl #20
    str r12, [r8, r13, lsr #18]     @ four bytes a place
    mov r11, r11, lsl #15
    mov r11, r11, lsr #27
    ldr r12, [r9, r11, lsl #2]
    add r12, r12, #1
    str r12, [r9, r11, lsl #2]
    subs pc, lr, #4

signal:
    and r11, r11, #PLACED_SIGNALS - 1
    ldr r12, =placed_signal_count
    ldr r13, [r12, r11, lsl #2]
    add r13, r13, #1
    str r13, [r12, r11, lsl #2]
    subs pc, lr, #4
    .size fast_interrupt, . - fast_interrupt

/* void placed_fast_begin(buffer, counters) */
    .global placed_fast_begin
    .type placed_fast_begin, %function
placed_fast_begin:
    mrs r2, cpsr
    msr cpsr_c, #MODE_FIQ_MASKED
    mov r8, r0
    mov r9, r1
    mov r10, #CC_BASE
    msr cpsr_c, r2
    bx lr
    .size placed_fast_begin, . - placed_fast_begin
