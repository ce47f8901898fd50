@ exceptions.S - the coprocessor, an absent one, SWI, Undefined instructions and an interrupt the program raises itself; 1,000 times
@ round.
#include "micro.inc"
#define ROUNDS 1000

    vectors undefined=skip, swi=return, irq=interrupted
    begin main
    msr cpsr_c, #(MODE_IRQ | MASKED)
    ldr sp, =0x00401000
    msr cpsr_c, #MODE_SVC           @ interrupts on
    ldr r11, =VIC
    mov r10, #1 << SOURCE_SOFTWARE
    str r10, [r11, #0x10]           @ enabled
    ldr r12, =ROUNDS
    ldr r9, =CONTROL_TCMS
1:  mrc p15, 0, r0, c0, c0, 0
    mrc p15, 0, r0, c0, c0, 2
    add r1, r0, #1                  @ waits
    mrc p15, 0, pc, c0, c0, 0       @ to the flags
    mcr p15, 0, r9, c1, c0, 0
    cdp p3, 1, c0, c1, c2           @ no such coprocessor
    swi 0x42
    .inst 0xe7f000f0                @ Undefined
    str r10, [r11, #0x18]           @ raises a software interrupt
    nop
    nop
    nop
    nop
    subs r12, r12, #1
    bne 1b
    finish
    end main

    begin return
    movs pc, lr
    end return

    begin skip
    movs pc, lr                     @ the word behind the Undefined one
    end skip

    begin interrupted
    sub lr, lr, #4
    str r10, [r11, #0x1c]           @ acknowledged
    movs pc, lr
    end interrupted
