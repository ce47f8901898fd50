@ faulting.S - for a flat memory: the handler of undefined instructions is one.
    .syntax unified
    .arm
    .section .start, "ax", %progbits
    .global _start
    .type _start, %function
_start:
    mov r0, #0
    ldr r1, =0xe7f000f0
    str r1, [r0, #4]
    .word 0xe7f000f0
    .ltorg
    .size _start, . - _start
