/* exchange_packets.S - the interrupts of exchange.c: a packet has been received (FIQ), a time slot begins (IRQ). */
#include "exchange_state.h"

#include <spinnaker.h>

#define MODE_FIQ_MASKED 0xd1
#define MODE_SYS_IRQ_MASKED 0x9f
#define TCR_NOT_FULL 0x10000000

    .syntax unified
    .arm
    .text

/* A packet has been received.  r8 place of the next one (exchange_state.h), r9 its stream (IDLE: only control packets may come), r10 the
 * stream's state (exchange_inbound). */
    .global fast_interrupt
    .type fast_interrupt, %function
fast_interrupt:
    mov r11, #CC_BASE
    ldr r12, [r11, #CC_RXDATA * 4]
    ldr r11, [r11, #CC_RXKEY * 4]   @ reading the key removes the packet
    ldr r13, [r10, #INBOUND_CHECK]
    eor r11, r11, r9
    cmp r11, #KEY_CONTROL
    bhs no_word
    add r13, r12, r13, ror #CHECK_PAYLOAD
    add r13, r11, r13, ror #CHECK_KEY
    str r13, [r10, #INBOUND_CHECK]
    tst r8, #2
    bne low_half
    tst r9, #KEY_GATHER
    strhne r11, [r8, #6]
    ldreq r13, [r8, #4]
    addeq r11, r13, r11, lsl #16
    ldreq r13, [r8]
    streq r11, [r8, #4]
    addeq r12, r12, r13
    str r12, [r8], #-PACKET_BYTES
word_taken:
    ldr r13, [r10, #INBOUND_BASE]
    ldr r11, [r10, #INBOUND_LEFT]
    cmp r8, r13
    ldrlo r8, [r10, #INBOUND_TOP]
    subs r11, r11, #1
    str r11, [r10, #INBOUND_LEFT]
    moveq r9, #IDLE
    subs pc, lr, #4

low_half:
    tst r9, #KEY_GATHER
    strhne r11, [r8, #-2]
    ldreq r13, [r8, #-2]
    addeq r11, r11, r13
    ldreq r13, [r8, #2]
    streq r11, [r8, #-2]
    addeq r12, r12, r13
    str r12, [r8, #2]
    sub r8, r8, #PACKET_BYTES
    b word_taken

no_word:
    eor r11, r11, r9
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

/* The stream's header, or its trailer if all its words have come; anything else is out of order. */
    .global exchange_control
exchange_control:
    cmp r9, #IDLE
    ldreq r13, [r10, #INBOUND_CONTROL]
    cmpeq r11, r13
    ldreq r13, [r10, #INBOUND_CHECK]
    cmpeq r12, r13
    bne out_of_order
    ldr r13, [r10, #INBOUND_CAME]
    add r13, r13, #1
    str r13, [r10, #INBOUND_CAME]
    tst r11, #KEY_TRAILER
    ldrne r10, [r10, #INBOUND_NEXT]
    subsne pc, lr, #4
    orr r11, r11, #KEY_TRAILER
    str r11, [r10, #INBOUND_CONTROL]
    ldr r8, [r10, #INBOUND_FIRST]
    ldr r13, [r10, #INBOUND_LEFT]
    cmp r13, #0
    ldrne r9, [r10, #INBOUND_STREAM]
    subs pc, lr, #4

/* Calls exchange_out_of_order() on the program's stack, which is aligned first; the call does not return.  Discards all later packets. */
out_of_order:
    ldr r13, =exchange_failed
    ldr r8, [r13]
    cmp r8, #0
    subsne pc, lr, #4
    str r13, [r13]
    mov r0, r10
    mov r1, r11
    mov r2, r12
    mov r9, #IDLE
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
    ldm r5, {r0-r4}                 @ next, left, in, none left, check
    ldr r2, [r2, #INBOUND_LEFT]
    sub r2, r2, r1
    cmp r2, r3
    beq stop                        @ no word is ready: the program enables slots again
    mov r3, #CC_BASE
    ldr r2, [r3, #CC_TCR * 4]
    tst r2, #TCR_NOT_FULL
    beq 1f
    tst r0, #2
    ldreq r2, [r0]
    ldrheq lr, [r0, #6]
    ldrhne lr, [r0, #-2]
    ldrne r2, [r0, #2]
    str r2, [r3, #CC_TXDATA * 4]
    add r4, r2, r4, ror #CHECK_PAYLOAD
    ldr r2, [r5, #OUTBOUND_STREAM]
    add r4, lr, r4, ror #CHECK_KEY
    str r4, [r5, #OUTBOUND_CHECK]
    eor r2, r2, lr
    str r2, [r3, #CC_TXKEY * 4]
    ldr r2, [r5, #OUTBOUND_BASE]
    sub r0, r0, #PACKET_BYTES
    cmp r0, r2
    ldrlo r0, [r5, #OUTBOUND_TOP]
    subs r1, r1, #1
    stm r5, {r0, r1}
    bne 1f
stop:
    mov r2, #VIC_BASE_UNBUF
    mov r3, #1 << TIMER2_INT
    str r3, [r2, #VIC_DISABLE * 4]
1:  mov r0, #VIC_BASE_UNBUF
    str r0, [r0, #VIC_VADDR * 4]    @ served
    ldmfd sp!, {r0-r5, pc}^
    .size exchange_slot, . - exchange_slot

/* void exchange_fast_begin(inbound) */
    .global exchange_fast_begin
    .type exchange_fast_begin, %function
exchange_fast_begin:
    mrs r1, cpsr
    msr cpsr_c, #MODE_FIQ_MASKED
    mov r9, #IDLE
    mov r10, r0
    msr cpsr_c, r1
    bx lr
    .size exchange_fast_begin, . - exchange_fast_begin
