@ flat_start.S - start and end of a program without a chip around it: a stack, main(), and its result as exit status by semihosting.
#define SYS_EXIT_EXTENDED 0x20
#define APPLICATION_EXIT  0x20026

    .syntax unified
    .arm
    .section .start, "ax", %progbits
    .global _start
    .type _start, %function
_start:
    ldr sp, =__stack_top
    bl main
    push {r0}
    ldr r1, =APPLICATION_EXIT
    push {r1}
    mov r1, sp
    mov r0, #SYS_EXIT_EXTENDED
    svc 0x123456
    b .
    .ltorg
    .size _start, . - _start
