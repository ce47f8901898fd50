/* word_packets.S - the fast interrupt of word_inbox.c: a word has been received. */
#include "word_inbox.h"

#include <spinnaker.h>

#define MODE_FIQ_MASKED 0xd1
#define COUNTER_BITS 0x0f000000

    .syntax unified
    .arm
    .text

/* r8 buffer, r10 this receiver's number, r11 the communications controller. */
    .global fast_interrupt
    .type fast_interrupt, %function
fast_interrupt:
    ldr r12, [r11, #CC_RXDATA * 4]
    ldr r13, [r11, #CC_RXKEY * 4]   @ reading the key removes the packet
    eor r9, r13, r10
    movs r9, r9, lsl #20            @ for this receiver
    movsne r9, r13, lsl #20         @ for all
    subsne pc, lr, #4
    mov r9, r13, lsl #8
    mov r9, r9, lsr #20             @ its place
    str r12, [r8, r9, lsl #2]
    and r13, r13, #COUNTER_BITS
    ldr r12, =word_inbox_note + WORD_INBOX_ARRIVED
    add r12, r12, r13, lsr #20      @ 16 bytes for each counter
    ldr r9, [r12]
    add r9, r9, #1
    str r9, [r12]
    subs pc, lr, #4
    .size fast_interrupt, . - fast_interrupt

/* void word_fast_begin(buffer, receiver) */
    .global word_fast_begin
    .type word_fast_begin, %function
word_fast_begin:
    mrs r2, cpsr
    msr cpsr_c, #MODE_FIQ_MASKED
    mov r8, r0
    mov r10, r1
    mov r11, #CC_BASE
    msr cpsr_c, r2
    bx lr
    .size word_fast_begin, . - word_fast_begin
