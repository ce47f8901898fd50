/* exchange_tree_packets.S - the fast interrupt's part for words on trees. */
#include "exchange_state.h"

    .syntax unified
    .arm
    .text

/* r11 key, r12 data; r8 and r13 are free; with trees r9 and r10 are those of exchange_idle. */
    .global exchange_tree_word
    .type exchange_tree_word, %function
exchange_tree_word:
    ldr r13, =exchange_tree
    ldr r13, [r13, #TREE_WORDS]
    mov r8, r11, lsl #17            @ number of the word in the array
    cmp r13, r8, lsr #17
    bls exchange_control            @ no trees, or no such word
    ldr r10, =exchange_tree
    movs r13, r11, lsl #17          @ carry: a value
    addcs r10, r10, #4
    ldr r9, [r10, #TREE_ARRAY]
    ldrcc r13, [r9, r8, lsr #15]
    addcc r12, r12, r13
    str r12, [r9, r8, lsr #15]
    ldr r9, [r10, #TREE_ARRIVED]
    ldrb r13, [r9, r8, lsr #17]
    add r13, r13, #1
    strb r13, [r9, r8, lsr #17]
    ldr r13, [r10, #TREE_RECEIVED]
    add r13, r13, #1
    str r13, [r10, #TREE_RECEIVED]
    mov r9, #IDLE
    ldr r10, =exchange_idle
    subs pc, lr, #4
    .size exchange_tree_word, . - exchange_tree_word
