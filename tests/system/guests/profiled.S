@ profiled.S - calls of every kind, for a flat memory: ARM and Thumb, recursion, a tail call, an exception, a jump back over two
@ activations (longjmp), a call by hand.
#define SYS_EXIT_EXTENDED 0x20
#define APPLICATION_EXIT  0x20026

    .syntax unified
    .arch armv5te
    .arm

    .macro function name
    .global \name
    .type \name, %function
\name:
    .endm
    .macro ends name
    .size \name, . - \name
    .endm

    .section .start, "ax", %progbits
function _start
    ldr sp, =__stack_top
    mov r0, #0
    ldr r1, =handler        @ the vector at 0x8: LDR pc, [pc, #24], that is from 0x28
    str r1, [r0, #0x28]
    ldr r1, =0xe59ff018
    str r1, [r0, #0x8]
    bl main
    mov r0, #0
    push {r0}
    ldr r1, =APPLICATION_EXIT
    push {r1}
    mov r1, sp
    mov r0, #SYS_EXIT_EXTENDED
    svc 0x123456
    .ltorg
ends _start

function main
    push {r4, lr}
    blx halve               @ Thumb
    mov r0, #3
    bl count_down           @ four activations
    bl tail
    svc 1                   @ an exception
    bl leap
back:                       @ a label inside a function is none of its own
    mov lr, pc              @ a call by hand
    ldr pc, =leaf
    pop {r4, pc}
    .ltorg
ends main

function count_down
    push {r4, lr}
    subs r0, r0, #1
    blpl count_down
    pop {r4, pc}
ends count_down

function leaf
    nop
    bx lr
ends leaf

function tail
    b leaf
ends tail

function handler
    movs pc, lr
ends handler

function leap               @ calls landing, which goes back to main at once
    push {r4, lr}
    bl landing
ends leap

function landing
    push {r4, lr}
    add sp, sp, #16
    b back
ends landing

    .thumb
    .thumb_func
function halve
    push {r4, lr}
    bl quarter
    pop {r4, pc}
ends halve

    .thumb_func
function quarter
    lsrs r0, r0, #2
    bx lr
ends quarter
