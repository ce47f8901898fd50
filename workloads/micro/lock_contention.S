@ lock_contention.S - cores increment one word of System RAM, 100 times each, under a test-and-set lock.
#include "micro.inc"
#define ROUNDS 100
#define LOCK 20

    vectors
    begin main
    ldr r10, =TEST_AND_SET + 4 * LOCK
    ldr r11, =TEST_AND_CLEAR + 4 * LOCK
    ldr r9, =SYSTEM_RAM_WORD | 0x10000000   @ unbuffered: written before the lock is released
    ldr r12, =ROUNDS
1:  ldr r0, [r10]
    tst r0, #0x80000000             @ was it taken already
    bne 1b
    ldr r1, [r9]
    add r1, r1, #1
    str r1, [r9]
    ldr r0, [r11]
    subs r12, r12, #1
    bne 1b
    finish
    end main
