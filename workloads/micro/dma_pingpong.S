@ dma_pingpong.S - 2 KiB blocks from SDRAM to DTCM and back by DMA, the core asleep meanwhile; 100 times there and back.
#include "micro.inc"
#define ROUNDS 100
#define BLOCK_BYTES 2048
#define DOUBLE_WORDS_BURSTS_OF_16 0x01800000
#define TO_SYSTEM 0x00080000

    vectors
    begin main
    core r0
    ldr r10, =SDRAM
    add r10, r10, r0, lsl #16       @ 64 KiB a core
    ldr r11, =DMA
    ldr r9, =VIC
    mov r0, #1 << SOURCE_DMA_DONE
    str r0, [r9, #0x10]             @ enabled in the VIC, masked in CPSR: only wakes the core
    mov r0, #0xc00
    str r0, [r11, #0x18]
    ldr r12, =ROUNDS
1:  ldr r3, =DOUBLE_WORDS_BURSTS_OF_16 | BLOCK_BYTES
    bl transfer
    ldr r3, =DOUBLE_WORDS_BURSTS_OF_16 | TO_SYSTEM | BLOCK_BYTES
    bl transfer
    subs r12, r12, #1
    bne 1b
    finish
    end main

    begin transfer
    ldr r4, =0x00401000
    str r10, [r11, #0x04]
    str r4, [r11, #0x08]
    str r3, [r11, #0x0c]
    mov r0, #0
    mcr p15, 0, r0, c7, c0, 4
    mov r0, #8
    str r0, [r11, #0x10]            @ acknowledged
    bx lr
    end transfer
