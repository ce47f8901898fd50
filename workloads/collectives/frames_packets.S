/* frames_packets.S - the fast interrupt of frames_core.c, linked instead of the runtime's (startup.S). */
#include <spinnaker.h>

#define SIGNALS_MASK 63

    .syntax unified
    .arm
    .text

/* void frames_fast_begin(void): names this file, so that its handler is linked from a library. */
    .global frames_fast_begin
    .type frames_fast_begin, %function
frames_fast_begin:
    bx lr
    .size frames_fast_begin, . - frames_fast_begin

/* A packet has been received: a signal, or one of frames. */
    .global fast_interrupt
    .type fast_interrupt, %function
fast_interrupt:
    sub lr, lr, #4
    push {r0-r3, r12, lr}
    mov r3, #CC_BASE
    ldr r2, [r3, #CC_RXDATA * 4]
    ldr r1, [r3, #CC_RXKEY * 4]     @ reading the key removes the packet
    ldr r0, =frames_core
    cmp r1, #0
    bpl signal
    bl frames_packet
    ldmfd sp!, {r0-r3, r12, pc}^

signal:
    and r1, r1, #SIGNALS_MASK
    ldr r0, =frames_signals
    ldr r2, [r0, r1, lsl #2]
    add r2, r2, #1
    str r2, [r0, r1, lsl #2]
    ldmfd sp!, {r0-r3, r12, pc}^
    .size fast_interrupt, . - fast_interrupt
