/* runtime.h - what the parts of the runtime know of each other; not for programs. */
#ifndef WORKLOADS_RUNTIME_RUNTIME_H
#define WORKLOADS_RUNTIME_RUNTIME_H
#include "sark.h"

/* startup.S */
void delay_loop(uint rounds);
void timer_interrupt(void);
void dma_interrupt(void);
void user_interrupt(void);
void barrier_interrupt(void);
void spurious_interrupt(void);

/* Called by startup.S */
void sark_begin(uint app, uint itcm_bytes, uint dtcm_bytes, uint stack_top)
    __attribute__((noreturn));
void rt_fault(uint code, uint address) __attribute__((noreturn));
void timer_isr(void);
void dma_isr(void);
void user_isr(void);
void barrier_isr(void);
void spurious_isr(void);
void fast_isr(void);

/* barrier.c */
void barrier_wait(void); /* until every core that runs this application is here */

/* The interrupt controller's slots, most urgent first. */
enum { SLOT_CPU = 0, SLOT_TIMER = 2, SLOT_DMA = 3, SLOT_USER = 7, SLOT_ENABLE = 0x20 };
void vic_slot(uint slot, uint source, void (*handler)(void));

#endif
