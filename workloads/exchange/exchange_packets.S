/* exchange_packets.S - the interrupts of exchange.c: a packet has been received (FIQ), a time slot begins (IRQ). */
#include "exchange_state.h"

#include <spinnaker.h>

#define MODE_FIQ_MASKED 0xd1
#define MODE_SYS_IRQ_MASKED 0x9f
#define TCR_NOT_FULL 0x10000000

    .syntax unified
    .arm
    .text

/* A packet has been received.  r8 address for the next word, r9 key of the last one, r10 its stream (exchange_inbound), r13 the array's
 * first word. */
    .global fast_interrupt
    .type fast_interrupt, %function
fast_interrupt:
    mov r11, #CC_BASE
    ldr r12, [r11, #CC_RXDATA * 4]
    ldr r11, [r11, #CC_RXKEY * 4]   @ reading the key removes the packet
    add r9, r9, #1
    cmp r11, r9
    bne no_word
    tst r11, #KEY_GATHER
    ldreq r11, [r8]
    str r9, [r10, #INBOUND_LAST]
    addeq r12, r12, r11
    str r12, [r8], #-4
    cmp r8, r13
    ldrlo r8, [r10, #INBOUND_TOP]
    subs pc, lr, #4

no_word:
    sub r9, r9, #1
    tst r11, #KEY_DATA
    bne other_word
    and r11, r11, #COUNTERS_MASK
    ldr r12, =exchange_count
    add r12, r12, r11, lsl #2
    ldr r11, [r12]
    add r11, r11, #1
    str r11, [r12]
    subs pc, lr, #4

/* Words on trees, if the program is linked with exchange_tree_packets.S. */
    .weak exchange_tree_word
other_word:
    ldr r13, =exchange_tree_word
    cmp r13, #0
    bxne r13

/* The header of the next stream, if this stream is complete; anything else is out of order. */
    .global exchange_header
exchange_header:
    ldr r13, [r10, #INBOUND_END]
    cmp r9, r13
    ldreq r13, [r10, #INBOUND_NEXT]
    ldreq r13, [r13, #INBOUND_HEADER_KEY]
    cmpeq r11, r13
    ldreq r13, [r10, #INBOUND_NEXT]
    ldreq r13, [r13, #INBOUND_HEADER]
    cmpeq r12, r13
    bne out_of_order
    ldr r10, [r10, #INBOUND_NEXT]
    mov r9, r11
    str r11, [r10, #INBOUND_CAME]
    ldr r8, [r10, #INBOUND_FIRST]
    ldr r13, [r10, #INBOUND_BASE]
    subs pc, lr, #4

/* Calls exchange_out_of_order() on the program's stack, which is aligned first; the call does not return.  Discards all later packets. */
out_of_order:
    ldr r13, =exchange_failed
    ldr r8, [r13]
    cmp r8, #0
    subsne pc, lr, #4
    str r13, [r13]
    mov r0, r9
    mov r1, r11
    mov r2, r12
    mvn r9, #1                      @ the key before no packet's
    msr cpsr_c, #MODE_SYS_IRQ_MASKED
    bic sp, sp, #7
    b exchange_out_of_order
    .size fast_interrupt, . - fast_interrupt

/* A slot begins: sends a word if one is ready and the transmitter is free.  IRQ; uses the stack of its mode. */
    .global exchange_slot
    .type exchange_slot, %function
exchange_slot:
    sub lr, lr, #4
    push {r0-r5, lr}
    mov r0, #TIMER_BASE
    str r0, [r0, #T2_INT_CLR * 4]
    ldr r5, =exchange_outbound
    ldm r5, {r0-r4}                 @ next, key, in, none left, end
    ldr r2, [r2, #INBOUND_LAST]
    sub r2, r1, r2
    cmp r2, r3
    beq stop                        @ no word is ready: the program enables slots again
    mov r3, #CC_BASE
    ldr r2, [r3, #CC_TCR * 4]
    tst r2, #TCR_NOT_FULL
    beq 1f
    ldr r2, [r0], #-4
    str r2, [r3, #CC_TXDATA * 4]
    str r1, [r3, #CC_TXKEY * 4]
    add r1, r1, #1
    ldr r2, [r5, #OUTBOUND_BASE]
    cmp r0, r2
    ldrlo r0, [r5, #OUTBOUND_TOP]
    stm r5, {r0, r1}
    cmp r1, r4
    bne 1f
stop:
    mov r2, #VIC_BASE_UNBUF
    mov r3, #1 << TIMER2_INT
    str r3, [r2, #VIC_DISABLE * 4]
1:  mov r0, #VIC_BASE_UNBUF
    str r0, [r0, #VIC_VADDR * 4]    @ served
    ldmfd sp!, {r0-r5, pc}^
    .size exchange_slot, . - exchange_slot

/* void exchange_fast_begin(last, inbound) */
    .global exchange_fast_begin
    .type exchange_fast_begin, %function
exchange_fast_begin:
    mrs r2, cpsr
    msr cpsr_c, #MODE_FIQ_MASKED
    mov r9, r0
    mov r10, r1
    msr cpsr_c, r2
    bx lr
    .size exchange_fast_begin, . - exchange_fast_begin
