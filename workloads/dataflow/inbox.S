/* inbox.S - the fast interrupt of dataflow.c: puts a packet into the inbox. */
#include <spinnaker.h>

#define MODE_FIQ_MASKED 0xd1

    .syntax unified
    .arm
    .text

/* r8 the inbox's places, r9 the byte of the next one, r10 the mask of such bytes, r11 the communications controller. */
    .global fast_interrupt
    .type fast_interrupt, %function
fast_interrupt:
    ldr r12, [r11, #CC_RXDATA * 4]
    ldr r13, [r11, #CC_RXKEY * 4]   @ reading the key removes the packet
    str r13, [r8, r9]!              @ key, and then word
    str r12, [r8, #4]
    sub r8, r8, r9
    add r9, r9, #8
    and r9, r9, r10
    ldr r12, =inbox_come
    str r9, [r12]
    subs pc, lr, #4
    .size fast_interrupt, . - fast_interrupt

/* void inbox_begin(struct packet *packet, uint32_t mask_bytes) */
    .global inbox_begin
    .type inbox_begin, %function
inbox_begin:
    mrs r2, cpsr
    msr cpsr_c, #MODE_FIQ_MASKED
    mov r8, r0
    mov r9, #0
    mov r10, r1
    mov r11, #CC_BASE
    msr cpsr_c, r2
    bx lr
    .size inbox_begin, . - inbox_begin
