/* chip_sync.h - barriers and wake-ups between the cores of a chip, by the system controller's
 * interrupt, without packets or polling.  Specific to this project: spinnaker_tools has nothing
 * like it. */
#pragma once
#include "sark.h"

/* Waits until every core of the chip that runs this application has called it. */
void chip_barrier(void);

/* Like chip_barrier(); then all cores call act() within a few cycles of each other, with IRQ masked
 * and FIQ enabled. */
void chip_barrier_act(void (*act)(void));

/* Wakes the physical cores in the bit mask `cores` from chip_wait().  Write what their ready()
 * reads before the call. */
void chip_wake(uint cores);

/* Sleeps until ready() returns nonzero; calls it after each interrupt. */
void chip_wait(uint (*ready)(void));
