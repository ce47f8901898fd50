/* runtime.h - functions that the runtime's sources share; not for programs. */
#pragma once
#include "sark.h"

/* startup.S */
void delay_loop(uint rounds);
void timer_interrupt(void);
void dma_interrupt(void);
void user_interrupt(void);
void barrier_interrupt(void);
void packet_interrupt(void);
void transmit_interrupt(void);
void spurious_interrupt(void);

/* fixed_route_entry.S */
void fixed_route_interrupt(void);
void fixed_transmit_interrupt(void);

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
void packet_isr(void);
void transmit_isr(void);
void fixed_route_isr(void);
void fixed_transmit_isr(void);

/* events.c: calls or queues an event's callback. */
void deliver_event(uint event_id, uint arg0, uint arg1);

/* packets.c: reads a received packet and delivers its event. */
void serve_packet(void);

/* barrier.c */
void barrier_wait(void); /* until every core that runs this application has called it */
extern volatile uint barrier_released;

/* The interrupt controller's slots, most urgent first. */
enum {
    SLOT_CPU = 0,
    SLOT_TIMER = 2,
    SLOT_DMA = 3,
    SLOT_PACKET = 4,
    SLOT_FIXED_ROUTE = 5,
    SLOT_TRANSMIT = 6,
    SLOT_USER = 7,
    SLOT_FIXED_TRANSMIT = 8,
    SLOT_ENABLE = 0x20
};
void vic_slot(uint slot, uint source, void (*handler)(void));
