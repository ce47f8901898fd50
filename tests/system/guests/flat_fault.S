@ flat_fault.S - does what it must not, for one flat memory; FAULT says what.
#include "flat.inc"
    flat_start
    b faulty
    flat_end

#ifdef THUMB_SVC
    .thumb
    .thumb_func
#endif
    .type faulty, %function
faulty:
#if defined(SVC)
    nop
    svc #0x42
#elif defined(THUMB_SVC)
    nop
    svc #0x42
#elif defined(READ)
    mov r1, #0x50000000
    ldmib r1, {r2, r3, r4}
#elif defined(WRITE)
    mov r1, #0x10000000
    strh r1, [r1, #6]
#elif defined(MISALIGNED)
    mrc p15, 0, r0, c1, c0, 0
    orr r0, r0, #2
    mcr p15, 0, r0, c1, c0, 0
    mov r1, #0x9000
    swp r0, r0, [r1]
    ldr r0, [r1, #3]
#elif defined(NULL_CALL)
    mov r0, #0
    blx r0
#elif defined(NOWHERE)
    mov r0, #0x50000000
    blx r0
#elif defined(STACK_IN_PROGRAM)
    adr sp, faulty
    udf #0
#elif defined(STACK_IN_HEAP)
    mov r0, #0x16       @ SYS_HEAPINFO
    adr r1, block
    svc 0x123456
    mov sp, #0x01000000
    udf #0
block:
    .word 0x9000
#elif defined(STACK_COMES_BACK)
    mov r0, #0x16
    adr r1, block
    svc 0x123456
    mov sp, #0x0c000000 @ where the stack's part ends
    push {r0}
    add sp, sp, #4
    mov r0, #0x18       @ SYS_EXIT
    ldr r1, =0x20026
    svc 0x123456
block:
    .word 0x9000
    .ltorg
#elif defined(WAITS)
    mcr p15, 0, r0, c7, c0, 4
#endif
    b faulty
    .size faulty, . - faulty
