/* startup.S - from the first instruction to C: vectors, CP15, stacks, memory; and the way in and out of interrupts.
 *
 * Entered in SVC mode with interrupts masked and r0 = application id | flags << 8, as SpiNNaker's loaders enter a program.  The sizes of
 * the TCMs are read from CP15, so that a chip with other memories needs no other binary. */

#define MODE_FIQ 0x11
#define MODE_SVC 0x13
#define MODE_ABT 0x17
#define MODE_UND 0x1b
#define MASK_FIQ 0x40
#define MASKED (MASK_IRQ | MASK_FIQ)

#define DTCM_FIRST 0x00400000
/* TCMs on, alignment checked, write buffer on, low vectors, interworking loads: the value SARK uses. */
#define CONTROL 0x00001f7e

#include "interrupt_entry.inc"
#include "stacks.h"

/* An absolute symbol, for simulators and debuggers: the bytes at the top of DTCM that belong to stacks. */
    .global sark_stack_bytes
    .equ sark_stack_bytes, STACK_FIQ + STACK_IRQ + 2 * STACK_FAULT + STACK_SVC + STACK_SYSTEM

    .syntax unified
    .arm
    .section .vectors, "ax", %progbits
    .global _start
_start:
    ldr pc, [pc, #0x18]   @ reset
    ldr pc, [pc, #0x18]   @ Undefined instruction
    ldr pc, [pc, #0x18]   @ SWI
    ldr pc, [pc, #0x18]   @ prefetch abort
    ldr pc, [pc, #0x18]   @ data abort
    ldr pc, [pc, #0x18]
    ldr pc, [pc, #-0xff0] @ IRQ: the handler's address from the VIC
    ldr pc, [pc, #0x18]   @ FIQ
    .word reset
    .word undefined
    .word software_interrupt
    .word prefetch_abort
    .word data_abort
    .word 0
    .word 0
    .word fast_interrupt

    .text
    .type reset, %function
reset:
    mov r4, r0
    ldr r1, =CONTROL
    mcr p15, 0, r1, c1, c0, 0
    mrc p15, 0, r1, c0, c0, 2
    mov r2, #512
    mov r3, r1, lsr #6
    and r3, r3, #15
    mov r5, r2, lsl r3              @ bytes of ITCM
    mov r3, r1, lsr #18
    and r3, r3, #15
    mov r6, r2, lsl r3              @ bytes of DTCM
    add r7, r6, #DTCM_FIRST         @ stacks from the top of DTCM down
    msr cpsr_c, #(MODE_FIQ | MASKED)
    mov sp, r7
    sub r7, r7, #STACK_FIQ
    msr cpsr_c, #(MODE_IRQ | MASKED)
    mov sp, r7
    sub r7, r7, #STACK_IRQ
    msr cpsr_c, #(MODE_ABT | MASKED)
    mov sp, r7
    sub r7, r7, #STACK_FAULT
    msr cpsr_c, #(MODE_UND | MASKED)
    mov sp, r7
    sub r7, r7, #STACK_FAULT
    msr cpsr_c, #(MODE_SVC | MASKED)
    mov sp, r7
    sub r7, r7, #STACK_SVC
    msr cpsr_c, #(MODE_SYS | MASKED)
    mov sp, r7
    ldr r0, =__bss_start
    ldr r1, =__bss_end
    mov r2, #0
1:  cmp r0, r1
    strlo r2, [r0], #4
    blo 1b
    mov r0, r4
    mov r1, r5
    mov r2, r6
    mov r3, r7
    bl sark_begin                   @ (app, ITCM bytes, DTCM bytes, stack top); does not return
    .ltorg
    .size reset, . - reset

/* Faults of the program: rt_fault(code, address of the instruction). */
    .macro fault name, code, ahead
    .type \name, %function
\name:
    sub r1, lr, #\ahead
    mov r0, #\code
    b rt_fault
    .size \name, . - \name
    .endm
    fault undefined, 2, 4
    fault software_interrupt, 3, 4
    fault prefetch_abort, 4, 4
    fault data_abort, 5, 8

    interrupt timer_interrupt, timer_isr
    interrupt dma_interrupt, dma_isr
    interrupt user_interrupt, user_isr
    interrupt packet_interrupt, packet_isr
    interrupt transmit_interrupt, transmit_isr
    interrupt barrier_interrupt, barrier_isr
    interrupt spurious_interrupt, spurious_isr

/* The fast interrupt has registers and a stack of its own.  A program may bring its own handler. */
    .weak fast_interrupt
    .type fast_interrupt, %function
fast_interrupt:
    sub lr, lr, #4
    push {r0-r3, r12, lr}
    bl fast_isr
    ldmfd sp!, {r0-r3, r12, pc}^
    .size fast_interrupt, . - fast_interrupt

/* uint cpu_...(void): the old CPSR in r0. */
    .macro change_masks name, operation, bits
    .global \name
    .type \name, %function
\name:
    mrs r0, cpsr
    \operation r1, r0, #\bits
    msr cpsr_c, r1
    bx lr
    .size \name, . - \name
    .endm
    change_masks cpu_int_disable, orr, MASKED
    change_masks cpu_irq_disable, orr, MASK_IRQ
    change_masks cpu_fiq_disable, orr, MASK_FIQ
    change_masks cpu_int_enable, bic, MASKED
    change_masks cpu_irq_enable, bic, MASK_IRQ
    change_masks cpu_fiq_enable, bic, MASK_FIQ

    .global cpu_int_restore
    .type cpu_int_restore, %function
cpu_int_restore:
    msr cpsr_c, r0
    bx lr
    .size cpu_int_restore, . - cpu_int_restore

    .global cpu_wfi
    .type cpu_wfi, %function
cpu_wfi:
    mov r0, #0
    mcr p15, 0, r0, c7, c0, 4
    bx lr
    .size cpu_wfi, . - cpu_wfi

/* void delay_loop(uint rounds): four cycles a round, rounds > 0. */
    .global delay_loop
    .type delay_loop, %function
delay_loop:
    subs r0, r0, #1
    bne delay_loop
    bx lr
    .size delay_loop, . - delay_loop
