/* fixed_route_entry.S - the way into fixed_route.c's interrupts. */
#include "interrupt_entry.inc"

    .syntax unified
    .arm
    .text
    interrupt fixed_route_interrupt, fixed_route_isr
    interrupt fixed_transmit_interrupt, fixed_transmit_isr
