/* layer_marks.S - the phase markers of layers (marks.h): layer_00_forward, layer_00_backward and so
 * on, an instruction each.  The linker keeps those of the network's layers and, in app.ld, puts
 * them in order.  It names them by their layers, too: conv1_forward. */
    .syntax unified
    .arm

/* mark_layer() and mark_layer_backward(): go to the marker of layer r0. */
    .macro go_to name, first
    .section .text.\name, "ax", %progbits
    .global \name
    .type \name, %function
\name:
    ldr r1, =\first
    add r1, r1, r0, lsl #2
    bx r1
    .size \name, . - \name
    .ltorg
    .endm

    go_to mark_layer, layer_00_forward
    go_to mark_layer_backward, layer_00_backward

    .macro marker number, phase
    .section .text.layer_mark.\phase\().\number, "ax", %progbits
    .global layer_\number\()_\phase
    .type layer_\number\()_\phase, %function
layer_\number\()_\phase:
    bx lr
    .size layer_\number\()_\phase, . - layer_\number\()_\phase
    .endm

    .irp number, 00, 01, 02, 03, 04, 05, 06, 07, 08, 09, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    marker \number, forward
    marker \number, backward
    .endr
