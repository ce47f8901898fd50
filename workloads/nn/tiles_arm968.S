@ tiles_arm968.S - the loops of tiles.h for the ARM968: a load takes a cycle a word, a multiply-accumulate of two halves one cycle, a
@ taken branch three; a loaded word may not be used by the very next instruction without a wait, a sum as accumulator may.
    .syntax unified
    .arm

    .macro function name
    .section .text.\name, "ax", %progbits
    .balign 4
    .global \name
    .type \name, %function
\name:
    .endm

    .macro end_function name
    .size \name, . - \name
    .endm

@ ---- dot products: r10, r11 four values, r12, lr a row's four weights ----

    .macro row_of_four row, sum
    ldmia \row!, {r12, lr}
    smlabb \sum, r12, r10, \sum
    smlatt \sum, r12, r10, \sum
    smlabb \sum, lr, r11, \sum
    smlatt \sum, lr, r11, \sum
    .endm

    .macro four rows
    ldmia r2!, {r10, r11}
    row_of_four r0, r6
    .if \rows > 1
    row_of_four r4, r7
    .endif
    .if \rows > 2
    row_of_four r5, r8
    .endif
    .if \rows > 3
    row_of_four r1, r9
    .endif
    .endm

    @ Two fours a round; an odd number begins in the middle.
    .macro dot rows
    tst r3, #1
    addne r3, r3, #1
    bne 2f
1:  four \rows
2:  four \rows
    subs r3, r3, #2
    bne 1b
    b .Lstore_sums
    .endm

@ r0 rows, r1 row_bytes, r2 x, r3 fours; on the stack sums, count
function nn_dot_rows
    push {r4-r11, lr}
    ldr r12, [sp, #36]
    ldr lr, [sp, #40]
    add r4, r0, r1
    add r5, r4, r1
    add r1, r5, r1
    ldr r6, [r12]
    cmp lr, #2
    ldrhs r7, [r12, #4]
    ldrhi r8, [r12, #8]
    blo .Lone
    beq .Ltwo
    cmp lr, #3
    beq .Lthree
    ldr r9, [r12, #12]
    dot 4
.Lone:
    dot 1
.Ltwo:
    dot 2
.Lthree:
    dot 3
.Lstore_sums:
    ldr r12, [sp, #36]
    ldr lr, [sp, #40]
    cmp lr, #2
    str r6, [r12]
    strhs r7, [r12, #4]
    strhi r8, [r12, #8]
    cmp lr, #4
    streq r9, [r12, #12]
    pop {r4-r11, pc}
end_function nn_dot_rows

@ ---- sums in r4 to r11; r0 a row of values, r1 row_bytes, r2 coefficients, r3 a word of them ----

    @ Of two rows of sums, four of each.
    .macro add_two
    ldr r3, [r2], #4
    ldr lr, [r0, #4]
    ldr r12, [r0], r1
    smlabb r6, r3, lr, r6
    smlabt r7, r3, lr, r7
    smlatb r10, r3, lr, r10
    smlatt r11, r3, lr, r11
    smlabb r4, r3, r12, r4
    smlabt r5, r3, r12, r5
    smlatb r8, r3, r12, r8
    smlatt r9, r3, r12, r9
    .endm

@ r0 tile, r1 words; the end is where the address is a multiple of 64
function nn_tile_two
    push {r4-r11, lr}
    ldmia r0, {r2-r6}               @ sums, sum_bytes, rows, row_bytes, blocks
    sub sp, sp, #20
    stmia sp, {r2-r4}
    str r6, [sp, #12]
    str r1, [sp, #16]
    mov r1, r5
1:  ldmia sp, {r0, r3, lr}
    ldr r2, [sp, #16]
    add r12, r0, r3
    ldmia r0, {r4-r7}
    ldmia r12, {r8-r11}
    mov r0, lr
    tst r2, #4
    bne 3f
2:  add_two
3:  add_two
    tst r2, #63
    bne 2b
    ldmia sp, {r0, r3, lr}
    ldr r2, [sp, #12]
    add r12, r0, r3
    stmia r0!, {r4-r7}
    stmia r12, {r8-r11}
    add lr, lr, #8
    str r0, [sp]
    str lr, [sp, #8]
    subs r2, r2, #1
    str r2, [sp, #12]
    bne 1b
    add sp, sp, #20
    pop {r4-r11, pc}
end_function nn_tile_two

    @ Of one row of sums, eight of them: half b or t of the word.
    .macro add_eight half
    ldr r12, [r0, #4]
    ldr lr, [r0, #8]
    smla\half\()b r6, r3, r12, r6
    smla\half\()t r7, r3, r12, r7
    ldr r12, [r0, #12]
    smla\half\()b r8, r3, lr, r8
    smla\half\()t r9, r3, lr, r9
    ldr lr, [r0], r1
    smla\half\()b r10, r3, r12, r10
    smla\half\()t r11, r3, r12, r11
    smla\half\()b r4, r3, lr, r4
    smla\half\()t r5, r3, lr, r5
    .endm

@ r0 tile, r1 words, r3 odd
function nn_tile_one
    push {r4-r11, lr}
    ldr r2, [r0]                    @ sums
    ldr r4, [r0, #8]                @ rows
    ldr r5, [r0, #12]               @ row_bytes
    ldr r6, [r0, #16]               @ blocks
    sub sp, sp, #20
    str r2, [sp]
    str r4, [sp, #4]
    str r6, [sp, #8]
    str r1, [sp, #12]
    str r3, [sp, #16]
    mov r1, r5
1:  ldmia sp, {r0, r12}
    ldr r2, [sp, #12]
    ldr lr, [sp, #16]
    ldmia r0, {r4-r11}
    mov r0, r12
    tst lr, lr
    ldrne r3, [r2], #4
    bne 3f
2:  ldr r3, [r2], #4
    add_eight b
3:  add_eight t
    tst r2, #63
    bne 2b
    ldmia sp, {r0, r12, lr}
    stmia r0!, {r4-r11}
    add r12, r12, #16
    subs lr, lr, #1
    stmia sp, {r0, r12, lr}
    bne 1b
    add sp, sp, #20
    pop {r4-r11, pc}
end_function nn_tile_one

@ ---- events: a word, its place in the lower half, its error in the upper ----

    @ A window's row at an even place, r2 the input's row: sums r4 to r8.
    .macro event_even event
    mov r11, \event, lsl #16
    add r11, r2, r11, lsr #15
    ldmia r11, {r3, r12, lr}
    smlabt r4, r3, \event, r4
    smlatt r5, r3, \event, r5
    smlabt r6, r12, \event, r6
    smlatt r7, r12, \event, r7
    smlabt r8, lr, \event, r8
    .endm

    @ At an odd place, r2 two bytes before the input's row.
    .macro event_odd event
    mov r11, \event, lsl #16
    add r11, r2, r11, lsr #15
    ldmia r11, {r3, r12, lr}
    smlatt r4, r3, \event, r4
    smlabt r5, r12, \event, r5
    smlatt r6, r12, \event, r6
    smlabt r7, lr, \event, r7
    smlatt r8, lr, \event, r8
    .endm

    @ Events from r0 up to r1, eight a round; one alone, two and four go first.
    .macro all_events kind
    subs r3, r1, r0
    beq 7f
    tst r3, #4
    beq 2f
    ldr r9, [r0], #4
    sub r10, r3, #4
    event_\kind r9
    movs r3, r10
    beq 7f
2:  tst r3, #8
    beq 4f
    ldmia r0!, {r9, r10}
    event_\kind r9
    event_\kind r10
    cmp r0, r1
    beq 7f
    sub r3, r1, r0
4:  tst r3, #16
    bne 6f
5:  ldmia r0!, {r9, r10}
    event_\kind r9
    event_\kind r10
    ldmia r0!, {r9, r10}
    event_\kind r9
    event_\kind r10
6:  ldmia r0!, {r9, r10}
    event_\kind r9
    event_\kind r10
    ldmia r0!, {r9, r10}
    event_\kind r9
    event_\kind r10
    cmp r0, r1
    bne 5b
7:
    .endm

@ r0 events, r1 input, r2 gradient
@ On the stack: even, odd, end, row_bytes, from a map's fifth row to the next map, maps, gradient, row of the input, rows of the map
function nn_tile_gradient
    push {r4-r11, lr}
    ldmia r0, {r3-r8}               @ even, odd, end, channels, row_bytes, map_bytes
    sub sp, sp, #36
    stmia sp, {r3-r5}
    sub r8, r8, r7, lsl #2
    str r7, [sp, #12]
    str r8, [sp, #16]
    str r6, [sp, #20]
    str r1, [sp, #28]
    mov r9, #5
    str r2, [sp, #24]
    str r9, [sp, #32]
.Lgradient_row:
    ldr r3, [sp, #24]
    ldr r2, [sp, #28]
    ldmia sp, {r0, r1}
    ldmia r3, {r4-r8}
    all_events even
    ldmib sp, {r0, r1}
    sub r2, r2, #2
    all_events odd
    ldr r3, [sp, #24]
    ldr r9, [sp, #32]
    ldr r10, [sp, #12]
    stmia r3!, {r4-r8}
    add r2, r2, #2
    subs r9, r9, #1
    addne r2, r2, r10
    str r3, [sp, #24]
    str r2, [sp, #28]
    str r9, [sp, #32]
    bne .Lgradient_row
    ldr r10, [sp, #16]
    ldr r11, [sp, #20]
    mov r9, #5
    add r2, r2, r10
    str r2, [sp, #28]
    subs r11, r11, #1
    str r9, [sp, #32]
    str r11, [sp, #20]
    bne .Lgradient_row
    @ The sum of the errors, four a round.
    ldr r1, [sp]
    ldr r2, [sp, #8]
    mov r0, #0
    sub r3, r2, r1
    tst r3, #4
    beq 1f
    ldr r4, [r1], #4
    subs r3, r3, #4
    add r0, r0, r4, asr #16
    beq 4f
1:  tst r3, #8
    bne 3f
2:  ldmia r1!, {r4, r5}
    add r0, r0, r4, asr #16
    add r0, r0, r5, asr #16
3:  ldmia r1!, {r4, r5}
    add r0, r0, r4, asr #16
    add r0, r0, r5, asr #16
    cmp r1, r2
    bne 2b
4:  add sp, sp, #36
    pop {r4-r11, pc}
end_function nn_tile_gradient

    @ r9 to r11 the row's weights, lr the first of the window's sums.
    .macro event_back event
    mov lr, \event, lsl #16
    add lr, r2, lr, lsr #14
    ldmia lr, {r4-r8}
    smlabt r4, r9, \event, r4
    smlatt r5, r9, \event, r5
    smlabt r6, r10, \event, r6
    smlatt r7, r10, \event, r7
    smlabt r8, r11, \event, r8
    stmia lr, {r4-r8}
    .endm

@ r0 events, r1 weights, r2 sums
@ On the stack: even, end, row_bytes, from a map's fifth row to the next map, maps, weights, rows of the map
function nn_tile_input_sums
    push {r4-r11, lr}
    ldmia r0, {r3-r8}               @ even, odd, end, channels, row_bytes, map_bytes
    sub sp, sp, #28
    str r3, [sp]
    str r5, [sp, #4]
    sub r8, r8, r7, lsl #2
    str r7, [sp, #8]
    str r8, [sp, #12]
    str r6, [sp, #16]
    str r1, [sp, #20]
    mov r9, #5
    str r9, [sp, #24]
.Lback_row:
    ldr r3, [sp, #20]
    ldmia sp, {r0, r1}
    ldrh r9, [r3], #2
    ldrh r4, [r3], #2
    ldrh r10, [r3], #2
    ldrh r5, [r3], #2
    ldrh r11, [r3], #2
    orr r9, r9, r4, lsl #16
    orr r10, r10, r5, lsl #16
    str r3, [sp, #20]
    sub r12, r1, r0
    tst r12, #4
    beq 2f
    ldr r3, [r0], #4
    cmp r0, r1
    event_back r3
    beq 5f
    sub r12, r1, r0
2:  tst r12, #8
    bne 4f
3:  ldmia r0!, {r3, r12}
    event_back r3
    event_back r12
4:  ldmia r0!, {r3, r12}
    event_back r3
    event_back r12
    cmp r0, r1
    bne 3b
5:  ldr r9, [sp, #24]
    ldr r10, [sp, #8]
    subs r9, r9, #1
    addne r2, r2, r10
    str r9, [sp, #24]
    bne .Lback_row
    ldr r10, [sp, #12]
    ldr r11, [sp, #16]
    mov r9, #5
    add r2, r2, r10
    subs r11, r11, #1
    str r9, [sp, #24]
    str r11, [sp, #16]
    bne .Lback_row
    add sp, sp, #28
    pop {r4-r11, pc}
end_function nn_tile_input_sums
