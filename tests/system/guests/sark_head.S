@ sark_head.S - the head of a program's code as SARK has it, by which spinnsim knows such a program, and the way to C.
    .syntax unified
    .arm
    .section .vectors, "ax", %progbits
    .global _start
_start:
    b begin
    .rept 7
    b .
    .endr
    .space 0x4c - 0x20
    .word 0x00408000 @ its heap begins, ...
    .word 0x00410000 @ ... its stacks end, ...
    .word 0xdeaddead @ ... and are filled with this

begin:
    ldr r1, =0x1f7e @ TCMs on
    mcr p15, 0, r1, c1, c0, 0
    ldr sp, =0x00410000
    b program
    .ltorg

@ The version of SARK that it is linked with.
    .asciz "SARK/SpiNNaker"
    .asciz "3.2.1"
    .space 12
