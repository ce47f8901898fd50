/* chip_sync.h - cores of a chip wait for each other and wake each other by the system controller's
 * interrupt: no packet, no polling.  Ours; spinnaker_tools has nothing like it. */
#pragma once
#include "sark.h"

/* Waits until every core of the chip that runs this application is here. */
void chip_barrier(void);

/* The same; all call act() within a few cycles of each other, with interrupts masked but for the
 * fast one. */
void chip_barrier_act(void (*act)(void));

/* Wakes physical cores (bits) that wait.  What they look at must be written before. */
void chip_wake(uint cores);

/* Sleeps until ready() says so; it is asked again after each interrupt. */
void chip_wait(uint (*ready)(void));
