/* system_monitor.h - what the sources of the system monitor share: a program that stands in for
 * SC&MP on the monitor processor, for programs that are linked with SARK.  Names and layouts are
 * those of spinnaker_tools' sark.h. */
#pragma once
#include <sark.h>

/* ---- packets between monitors ---- */

/* What monitors tell each other by point-to-point packets, any of which may be lost.  Each says one
 * thing: its kind, and 28 bits. */
enum news {
    NEWS_WAITING, /* to the root: all cores of an application on my chip wait */
    NEWS_HEARD,   /* from the root: I know */
    NEWS_GO,      /* from the root: all chips wait */
    NEWS_ENDED,   /* to the root: all cores of an application on my chip have ended */
    NEWS_NOTED,   /* from the root: I know */
    NEWS_DATA,    /* a part of a message */
    NEWS_TAKEN    /* the message has been taken */
};

/* Sends a packet; what a monitor tells itself it hears at once. */
void tell(uint chip, enum news kind, uint content);

/* ---- barriers ---- */

/* Whether programs have been loaded on this chip. */
uint barriers_begin(void);
void barriers_hear(uint from, enum news kind, uint content);
void barriers_tick(void);
/* Whether the root does not know yet that all applications of this chip have ended. */
uint barriers_are_open(void);

/* ---- messages ---- */

/* Takes the messages of all cores that have one. */
void messages_take(void);
void messages_hear(uint from, enum news kind, uint content);
void messages_tick(void);
/* Whether another chip has not taken a message yet. */
uint messages_are_open(void);

/* ---- all ---- */

/* A core whose program has not ended. */
static inline uint is_going_on(const vcpu_t *core)
{
    return core->cpu_state >= CPU_STATE_INIT && core->cpu_state <= CPU_STATE_PAUSE;
}

/* A core whose program is linked with SARK, and waits for signals of the host.  Programs of
 * workloads/runtime wait for each other. */
static inline uint is_of_sark(const vcpu_t *core)
{
    return core->sw_ver != 0;
}

/* Width and height of the machine, and a chip's number on it. */
static inline uint machine_width(void)
{
    return sv->p2p_dims >> 8;
}
static inline uint machine_height(void)
{
    return sv->p2p_dims & 0xff;
}
static inline uint chip_number(uint address)
{
    return (address >> 8) * machine_height() + (address & 0xff);
}
