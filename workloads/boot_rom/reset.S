/* reset.S - the first instructions of every core: clocks, memory tests, the ROM's code to ITCM; and the way into an image.
 *
 * The section .reset runs in the ROM, where each instruction is fetched over the system NoC, and has no memory until it has tested it. */
#include "workloads/boot_rom/rom.h"

#define CONTROL_TCMS  0x1004 /* CP15: ITCM and DTCM on */
#define CONTROL_HIGH  0x2000 /* vectors at the ROM */
/* Of a 10 MHz crystal: cores 160 MHz, system bus and router 80 MHz, SDRAM 130 MHz (SpiNNaker boot ROM 2.1). */
#define PLL1          0x00060110
#define PLL2          0x0007011a
#define MULTIPLEXER   0x80528821
#define PLL_ROUNDS    200
#define ITCM_BYTES    0x8000
#define DTCM_BYTES    0x10000

    .syntax unified
    .arm
    .section .reset, "ax", %progbits
    .global _start
_start:
    b reset
    b exception
    b exception
    b exception
    b exception
    b exception
    b exception
    b exception

    .type reset, %function
reset:
    mrc p15, 0, r0, c1, c0, 0
    ldr r1, =CONTROL_TCMS
    orr r0, r0, r1
    mcr p15, 0, r0, c1, c0, 0
    ldr r0, =SYSCTL_BASE
    ldr sp, [r0, #GPIO_SET * 4]     @ straps, to the end, before a core drives these pins
    ldr r1, =PLL1
    str r1, [r0, #SC_PLL1 * 4]
    ldr r1, =PLL2
    str r1, [r0, #SC_PLL2 * 4]
    mov r1, #PLL_ROUNDS
1:  subs r1, r1, #1
    bne 1b
    ldr r1, =MULTIPLEXER
    str r1, [r0, #SC_CLKMUX * 4]
    bl core_number
    ldr r1, =ROM_FAILURES
    mov r2, #0
    str r2, [r1, r0, lsl #2]

    @ ITCM behind the test's code, then where that was, with the code at the end
    mov r11, #0
    bl copy_march
    mov r0, #ROM_MARCH_ROOM
    mov r1, #ITCM_BYTES
    mov lr, pc
    bx r11
    movs r4, r0
    mov r0, #ROM_FAILED_ITCM
    bne fail
    ldr r11, =ITCM_BYTES - ROM_MARCH_ROOM
    bl copy_march
    mov r0, #0
    mov r1, #ROM_MARCH_ROOM
    mov lr, pc
    bx r11
    movs r4, r0
    mov r0, #ROM_FAILED_ITCM
    bne fail
    mov r0, #DTCM_BASE
    add r1, r0, #DTCM_BYTES
    mov lr, pc
    bx r11
    movs r4, r0
    mov r0, #ROM_FAILED_DTCM
    bne fail

    @ the tests have left zeros: only code is to be copied
    ldr r0, =__text_rom
    mov r1, #0
    ldr r2, =__text_end
2:  ldmia r0!, {r3-r10}             @ few instructions: each is fetched from the ROM
    stmia r1!, {r3-r10}
    cmp r1, r2
    blo 2b
    bl core_number
    mov r1, sp
    ldr sp, =ROM_STACK_TOP
    ldr r2, =rom_main
    bx r2                           @ (core, straps); does not return
    .size reset, . - reset

/* r11: where to; changes r0 to r10. */
    .type copy_march, %function
copy_march:
    ldr r0, =__march_rom
    mov r1, r11
    add r2, r11, #ROM_MARCH_ROOM
1:  ldmia r0!, {r3-r10}
    stmia r1!, {r3-r10}
    cmp r1, r2
    blo 1b
    bx lr
    .size copy_march, . - copy_march

/* uint core_number(void): the physical one. */
    .type core_number, %function
core_number:
    ldr r0, =DMA_BASE
    ldr r0, [r0, #DMA_STAT * 4]
    mov r0, r0, lsr #24
    bx lr
    .size core_number, . - core_number

exception:
    mov r0, #ROM_FAILED_EXCEPTION
    .global fail
    .type fail, %function
fail:
    mov r4, r0
    bl core_number
    ldr r1, =ROM_FAILURES
    str r4, [r1, r0, lsl #2]
    ldr r1, =VIC_BASE_UNBUF
    mvn r0, #0
    str r0, [r1, #VIC_DISABLE * 4]
1:  mcr p15, 0, r0, c7, c0, 4
    b 1b
    .size fail, . - fail

/* void launch(uint entry): the image covers all of ITCM, so this must run in the ROM. */
    .global launch
    .type launch, %function
launch:
    mov r12, r0
    ldr r0, =ROM_IMAGE
    mov r1, #0
    mov r2, #ROM_IMAGE_BYTES
1:  ldmia r0!, {r3-r10}
    stmia r1!, {r3-r10}
    cmp r1, r2
    blo 1b
    mrc p15, 0, r0, c1, c0, 0
    bic r0, r0, #CONTROL_HIGH
    mcr p15, 0, r0, c1, c0, 0
    mov r0, #0
    bx r12
    .size launch, . - launch
    .ltorg

/* uint march(uint first, uint end): a short memory test, in any place.  Up: address; up: address, its inverse; down: inverse, zero.
 * Changes r0 to r3, r12. */
    .text
    .global march
    .type march, %function
march:
    mov r2, r0
1:  mov r3, r2
    str r3, [r2], #4
    cmp r2, r1
    blo 1b
    mov r2, r0
2:  ldr r3, [r2]
    cmp r3, r2
    bne 4f
    mvn r3, r3
    str r3, [r2], #4
    cmp r2, r1
    blo 2b
    mov r12, #0
3:  ldr r3, [r2, #-4]!
    mvn r3, r3
    cmp r3, r2
    bne 4f
    str r12, [r2]
    cmp r2, r0
    bhi 3b
    mov r0, #0
    bx lr
4:  mov r0, #1
    bx lr
    .size march, . - march
    .if . - march > ROM_MARCH_ROOM
    .error "the memory test needs more room"
    .endif
