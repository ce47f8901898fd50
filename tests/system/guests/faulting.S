@ faulting.S - for a flat memory: the handler of undefined instructions is one.
#include "flat.inc"
    flat_start
    mov r0, #0
    ldr r1, =0xe7f000f0
    str r1, [r0, #4]
    .word 0xe7f000f0
    .ltorg
    flat_end
