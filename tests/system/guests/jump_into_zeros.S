@ jump_into_zeros.S - runs through memory that holds nothing but zeros, to its end: ANDEQ r0, r0, r0 in ARM state, LSLS r0, r0, #0 in
@ Thumb state.
    .syntax unified
    .arm
    .section .start, "ax", %progbits
    .global _start
    .type _start, %function
_start:
    mov r0, #0x10000
#ifdef THUMB_STATE
    orr r0, r0, #1
#endif
    bx r0
    .size _start, . - _start
