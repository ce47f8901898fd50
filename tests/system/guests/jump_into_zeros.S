@ jump_into_zeros.S - runs through memory that holds nothing but zeros, to its end: ANDEQ r0, r0, r0 in ARM state, LSLS r0, r0, #0 in
@ Thumb state.
#include "flat.inc"
    flat_start
    mov r0, #0x10000
#ifdef THUMB_STATE
    orr r0, r0, #1
#endif
    bx r0
    flat_end
