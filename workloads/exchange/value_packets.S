/* value_packets.S - the interrupts of value_stream.c: send a value, receive a value. */
#include <spinnaker.h>

#define MODE_FIQ_MASKED 0xd1
#define LAST 0x80000000
#define OUTBOX_LEFT 12
#define ONE_PLACE 0x00010000

    .syntax unified
    .arm
    .text

/* The transmitter is free: sends the next value.  IRQ; uses the stack of its mode. */
    .global value_leaves
    .type value_leaves, %function
value_leaves:
    sub lr, lr, #4
    push {r0-r5, lr}
    ldr r0, =value_outbox
    ldm r0, {r1-r4}                 @ next, key, place, left
    ldrh r5, [r1], #2
    orr r5, r5, r3
    subs r4, r4, #1
    orreq r5, r5, #LAST
    mov lr, #CC_BASE
    str r5, [lr, #CC_TXDATA * 4]
    str r2, [lr, #CC_TXKEY * 4]
    add r2, r2, #1
    add r3, r3, #ONE_PLACE
    stm r0, {r1-r4}
    ldr r0, =VIC_BASE_UNBUF
    moveq r5, #1 << CC_TNF_INT
    streq r5, [r0, #VIC_DISABLE * 4]
    str r5, [r0, #VIC_VADDR * 4]    @ served
    ldmfd sp!, {r0-r5, pc}^
    .size value_leaves, . - value_leaves

/* The fast interrupt, linked instead of the runtime's (startup.S), so that no program writes into its code.  It uses its banked registers
 * only.  r11 says what it does on this core: CC_BASE: it receives; a small number: it sends. */
    .global fast_interrupt
    .type fast_interrupt, %function
fast_interrupt:
    cmp r11, #CC_BASE
    bne leaves_fast

/* Receives a value: r8 input, r9 + 16 x (key >> r10) count of arrived values. */
    ldr r12, [r11, #CC_RXDATA * 4]
    movs r13, r12, lsl #1           @ carry: the last one
    mov r13, r13, asr #17           @ its place
    add r13, r8, r13, lsl #1
    strh r12, [r13]
    ldr r12, [r11, #CC_RXKEY * 4]   @ reading the key removes the packet
    mov r12, r12, lsr r10
    add r12, r9, r12, lsl #4
    ldr r13, [r12]
    add r13, r13, #1
    str r13, [r12]
    subscc pc, lr, #4
    ldr r12, [r12, #-4]             @ expected; a lost value is never made up for
    cmp r13, r12
    subsne pc, lr, #4
    ldr r12, =value_ranges_complete
    ldr r13, [r12]
    add r13, r13, #1
    str r13, [r12]
    subs pc, lr, #4

/* The transmitter is free, sends a value: r8 next, r9 key, r10 place, r11 left. */
leaves_fast:
    ldrh r12, [r8], #2
    subs r11, r11, #1
    mov r13, #CC_BASE
    orr r12, r12, r10
    orreq r12, r12, #LAST
    str r12, [r13, #CC_TXDATA * 4]
    str r9, [r13, #CC_TXKEY * 4]
    add r9, r9, #1
    add r10, r10, #ONE_PLACE
    subsne pc, lr, #4
    ldr r13, =VIC_BASE_UNBUF
    mov r12, #1 << CC_TNF_INT
    str r12, [r13, #VIC_DISABLE * 4]
    ldr r13, =value_outbox
    str r11, [r13, #OUTBOX_LEFT]
    subs pc, lr, #4
    .size fast_interrupt, . - fast_interrupt

/* void value_fast_send(next, key, place, left); void value_fast_begin(input, counts, shift) */
    .global value_fast_begin
    .type value_fast_begin, %function
    .global value_fast_send
    .type value_fast_send, %function
value_fast_begin:
    mov r3, #CC_BASE
value_fast_send:
    push {r4}
    mrs r4, cpsr
    msr cpsr_c, #MODE_FIQ_MASKED
    mov r8, r0
    mov r9, r1
    mov r10, r2
    mov r11, r3
    msr cpsr_c, r4
    pop {r4}
    bx lr
    .size value_fast_send, . - value_fast_send
