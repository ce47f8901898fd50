/* start.S - vectors, stacks and the ways in and out of interrupts of random programs. */
#define MODE_FIQ 0x11
#define MODE_IRQ 0x12
#define MODE_SVC 0x13
#define MODE_ABT 0x17
#define MODE_UND 0x1b
#define MODE_SYS 0x1f
#define MASKED 0xc0
#define MASK_IRQ 0x80

#define PLAN_AT 0x0040a000
#define VIC_VADDR 0x1f000030

/* Tops of the stacks, from the end of DTCM down; main's ends where the plan does. */
#define STACK_FIQ 0x00410000
#define STACK_IRQ 0x0040fa00
#define STACK_ABT 0x0040f000
#define STACK_UND 0x0040ef80
#define STACK_SVC 0x0040ef00
#define STACK_SYS 0x0040e000

    .syntax unified
    .arm
    .section .vectors, "ax", %progbits
    .global _start
_start:
    ldr pc, [pc, #0x18]
    ldr pc, [pc, #0x18]
    ldr pc, [pc, #0x18]
    ldr pc, [pc, #0x18]
    ldr pc, [pc, #0x18]
    ldr pc, [pc, #0x18]
    ldr pc, [pc, #-0xff0] @ the handler's address from the VIC
    ldr pc, [pc, #0x18]
    .word reset
    .word undefined
    .word software_interrupt
    .word prefetch_abort
    .word data_abort
    .word 0
    .word 0
    .word fast

    .text
    .type reset, %function
reset:
    ldr r0, =PLAN_AT
    ldr r0, [r0]
    mcr p15, 0, r0, c1, c0, 0
    msr cpsr_c, #(MODE_FIQ | MASKED)
    ldr sp, =STACK_FIQ
    msr cpsr_c, #(MODE_IRQ | MASKED)
    ldr sp, =STACK_IRQ
    msr cpsr_c, #(MODE_ABT | MASKED)
    ldr sp, =STACK_ABT
    msr cpsr_c, #(MODE_UND | MASKED)
    ldr sp, =STACK_UND
    msr cpsr_c, #(MODE_SYS | MASKED)
    ldr sp, =STACK_SYS
    msr cpsr_c, #(MODE_SVC | MASKED)
    ldr sp, =STACK_SVC
    bl guest_main
1:  b 1b
    .ltorg

/* Faults are skipped: those of this program are ARM instructions. */
undefined:
software_interrupt:
    movs pc, lr
prefetch_abort:
    movs pc, lr
data_abort:
    subs pc, lr, #4

    .macro vector source
vector_\source:
    sub lr, lr, #4
    push {r0-r3, r12, lr}
    mov r0, #\source
    b interrupt
    .endm
    .irp source, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vector \source
    .endr

/* r0: the source.  A handler of a nested source runs in System mode, unmasked. */
interrupt:
    ldr r1, =PLAN_AT + 28
    ldr r1, [r1]
    mov r2, #1
    tst r1, r2, lsl r0
    bne nested
    bl serve
end_of_service:
    ldr r1, =VIC_VADDR
    str r1, [r1]
    ldmfd sp!, {r0-r3, r12, pc}^

nested:
    mrs r1, spsr
    push {r1, r2}
    msr cpsr_c, #MODE_SYS
    and r1, sp, #4
    sub sp, sp, r1
    push {r1, lr}
    bl serve
    pop {r1, lr}
    add sp, sp, r1
    msr cpsr_c, #(MODE_IRQ | MASK_IRQ)
    pop {r1, r2}
    msr spsr_cxsf, r1
    b end_of_service

    .global plain_interrupt
plain_interrupt:
    sub lr, lr, #4
    push {r0-r3, r12, lr}
    mov r0, #0
    bl serve_status
    b end_of_service

fast:
    sub lr, lr, #4
    push {r0-r3, r12, lr}
    mov r0, #1
    bl serve_status
    ldmfd sp!, {r0-r3, r12, pc}^
    .ltorg

    .section .rodata
    .global vectors
    .balign 4
vectors:
    .irp source, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    .word vector_\source
    .endr

    .text
    .macro function name
    .global \name
    .type \name, %function
\name:
    .endm

function status
    mrs r0, cpsr
    bx lr

/* void masks(uint32_t control): sets the control bits of CPSR. */
function masks
    msr cpsr_c, r0
    bx lr

function wait_for_interrupt
    mov r0, #0
    mcr p15, 0, r0, c7, c0, 4
    bx lr

/* uint32_t swap_word(uint32_t value, uint32_t address) */
function swap_word
    swp r0, r0, [r1]
    bx lr

function swap_byte
    swpb r0, r0, [r1]
    bx lr

/* void store_all(uint32_t *at, uint32_t value): at is a multiple of 8. */
function store_all
    push {r4-r7, lr}
    add r2, r0, r1
    eor r3, r2, r1, ror #7
    strb r1, [r0, #1]
    strh r2, [r0, #6]
    strd r2, r3, [r0, #8]
    stmib r0!, {r1, r2, r3, r12}
    ldmdb r0, {r4-r6}
    movs r7, r4, asr #1
    strmi r7, [r0], #4
    strcs r5, [r0, #-8]
    stmda r0, {r4, r6}
    pop {r4-r7, pc}

/* void fault(uint32_t kind) */
function fault
    cmp r0, #1
    blo 1f
    beq 2f
    cmp r0, #2
    mov r1, #0x50000000
    ldreq r0, [r1]
    strne r0, [r1, #8]
    bx lr
1:  .word 0xe7f000f0
    bx lr
2:  swi 5
    bx lr

/* void call_area(uint32_t address, uint32_t *data): address bit 0: Thumb.  Code areas change r0 to r7
 * and r8, and reach data through r9 (Thumb: r7). */
function call_area
    push {r4-r11, lr}
    mov r11, r0
    mov r9, r1
    add r8, r1, #0x100
    ldm r1, {r0-r6}
    mov r7, r9
    mov lr, pc
    bx r11
    stm r9, {r0-r6}
    pop {r4-r11, lr}
    bx lr

    .section .areas, "ax", %progbits
    .global areas
    .balign 4
areas:
    .rept 256 @ PLAN_AREAS * PLAN_AREA_WORDS
    bx lr
    .endr
