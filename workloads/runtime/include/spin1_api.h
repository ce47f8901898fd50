/* spin1_api.h - the part of the SpiNNaker API that our programs use: events and callbacks, DMA,
 * timer, multicast and fixed-route packets, messages (SDP).  Names and semantics follow
 * spinnaker_tools' header of the same name, so that a program compiles against either. */
#pragma once
#include "sark.h"

#define TRUE    (0 == 0)
#define FALSE   (0 != 0)
#define SUCCESS ((uint)1)
#define FAILURE ((uint)0)

/* Events for callbacks, with the callback's two arguments. */
enum {
    MC_PACKET_RECEIVED,   /* key, 0 */
    DMA_TRANSFER_DONE,    /* transfer number, tag */
    TIMER_TICK,           /* ticks so far, 0 */
    SDP_PACKET_RX,        /* message, number of its port: the callback frees it */
    USER_EVENT,           /* as given to spin1_trigger_user_event */
    MCPL_PACKET_RECEIVED, /* key, payload */
    FR_PACKET_RECEIVED,   /* key, 0 */
    FRPL_PACKET_RECEIVED, /* key, payload */
    NUM_EVENTS
};

enum { DMA_READ, DMA_WRITE }; /* system side to TCM, TCM to system side */
typedef enum sync_bool_e { SYNC_NOWAIT, SYNC_WAIT } sync_bool;
typedef void (*callback_t)(uint, uint);

/* Priority -1: called by FIQ (one event only, and none of messages and fixed-route packets); 0:
 * called by IRQ; 1 to 4: queued, lower numbers first. */
void spin1_callback_on(uint event_id, callback_t callback, int priority);
void spin1_callback_off(uint event_id);

/* Messages and fixed-route packets have functions of their own, so that a program in which events
 * are constants carries only what it names. */
void messages_listen(callback_t callback, int priority);
void fixed_route_listen(uint event_id, callback_t callback, int priority);
static inline uint spin1_listens_to(uint event_id)
{
    return event_id == SDP_PACKET_RX || event_id == FR_PACKET_RECEIVED ||
           event_id == FRPL_PACKET_RECEIVED;
}
static inline void spin1_listen(uint event_id, callback_t callback, int priority)
{
    if (event_id == SDP_PACKET_RX) {
        messages_listen(callback, priority);
    } else {
        fixed_route_listen(event_id, callback, priority);
    }
}
/* NOLINTBEGIN(readability-identifier-naming): functions to programs */
#define spin1_callback_on(event_id, callback, priority)                                            \
    (spin1_listens_to(event_id) ? spin1_listen((event_id), (callback), (priority))                 \
                                : (spin1_callback_on)((event_id), (callback), (priority)))
#define spin1_callback_off(event_id)                                                               \
    (spin1_listens_to(event_id) ? spin1_listen((event_id), NULL, 0)                                \
                                : (spin1_callback_off)(event_id))
/* NOLINTEND(readability-identifier-naming) */

/* Queues a call at priority 1 to 4; FAILURE when the queue is full. */
uint spin1_schedule_callback(callback_t callback, uint arg0, uint arg1, uint priority);
uint spin1_trigger_user_event(uint arg0, uint arg1); /* FAILURE while one is pending */

/* Runs callbacks until spin1_exit(), and returns its argument.  SYNC_WAIT: first waits until every
 * core of the chip that runs this application has called it. */
uint spin1_start(sync_bool sync);
void spin1_exit(uint error);

void spin1_set_timer_tick(uint microseconds); /* before spin1_start; 0: no tick */
uint spin1_get_simulation_time(void);         /* ticks so far */

/* Queues a transfer of `length` bytes (a multiple of 4); returns its number, 0 when the queue is
 * full. */
uint spin1_dma_transfer(uint tag, void *system_address, void *tcm_address, uint direction,
                        uint length);

enum { NO_PAYLOAD, WITH_PAYLOAD };

/* Sends a multicast packet, at once or from a queue; FAILURE when the queue is full. */
uint spin1_send_mc_packet(uint key, uint data, uint load);

/* The same for a packet that goes where rtr_fr_set() says on each chip. */
uint spin1_send_fr_packet(uint key, uint data, uint load);

/* Sets an entry of the multicast table, counted behind those of the system, for virtual cores.
 * spinnaker_tools had it until 1.31, and has rtr_alloc() and rtr_mc_set() since. */
uint spin1_set_mc_table_entry(uint entry, uint key, uint mask, uint route);

static inline sdp_msg_t *spin1_msg_get(void)
{
    return sark_msg_get();
}
static inline void spin1_msg_free(sdp_msg_t *message)
{
    sark_msg_free(message);
}
static inline uint spin1_send_sdp_msg(sdp_msg_t *message, uint timeout)
{
    return sark_msg_send(message, timeout);
}
static inline void spin1_srand(uint seed)
{
    sark_srand(seed);
}
static inline uint spin1_rand(void)
{
    return sark_rand();
}
static inline void spin1_led_control(uint leds)
{
    sark_led_set(leds);
}

static inline void spin1_memcpy(void *to, const void *from, uint bytes)
{
    sark_mem_cpy(to, from, bytes);
}
static inline void *spin1_malloc(uint bytes)
{
    return sark_alloc(bytes, 1);
}
static inline void spin1_delay_us(uint n)
{
    sark_delay_us(n);
}
static inline uint spin1_get_core_id(void)
{
    return sark.virt_cpu;
}
static inline uint spin1_get_chip_id(void)
{
    return sv->p2p_addr;
}
static inline uint spin1_get_id(void) /* chip << 5 | core */
{
    return (uint)sv->p2p_addr << 5 | sark.virt_cpu;
}
static inline uint spin1_int_disable(void)
{
    return cpu_int_disable();
}
static inline uint spin1_irq_disable(void)
{
    return cpu_irq_disable();
}
static inline uint spin1_fiq_disable(void)
{
    return cpu_fiq_disable();
}
static inline void spin1_mode_restore(uint cpsr)
{
    cpu_int_restore(cpsr);
}
