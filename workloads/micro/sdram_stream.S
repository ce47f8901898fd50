@ sdram_stream.S - words and blocks to and from SDRAM and System RAM over the core's bridge, write buffer off and on; 200 times round.
@ Run it on one core for latencies, on many for contention: each core has 64 KiB of its own.
#include "micro.inc"
#define ROUNDS 200

    vectors
    begin main
    core r0
    ldr r10, =SDRAM
    add r10, r10, r0, lsl #16
    ldr r11, =SYSTEM_RAM_WORD
    add r11, r11, r0, lsl #8
    ldr r9, =CONTROL_TCMS
    mov r8, #2                      @ first without the write buffer, then with it
1:  mcr p15, 0, r9, c1, c0, 0
    ldr r12, =ROUNDS
2:  ldr r0, [r10]
    ldr r1, [r11]
    str r0, [r10, #4]
    str r1, [r11, #4]
    ldm r10, {r0-r7}
    stm r10, {r0-r7}
    ldrb r0, [r10, #3]
    strh r0, [r10, #6]
    subs r12, r12, #1
    bne 2b
    .rept 16                        @ more than the write buffer holds, in two sizes
    str r0, [r10], #4
    stm r10!, {r0, r1}
    .endr
    mcr p15, 0, r0, c7, c10, 4      @ drained
    orr r9, r9, #CONTROL_WRITE_BUFFER
    subs r8, r8, #1
    bne 1b
    finish
    end main
