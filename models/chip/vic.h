/* vic.h - the vectored interrupt controller of a core (ARM PL190; SpiNNaker datasheet v2.02, 5).
 * Plain state: copying the struct saves it.  No time: all effects are immediate.  Owner: the core.
 */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/register_reply.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { VIC_SLOTS = 16 };

/* Interrupt sources (datasheet 5.4). */
enum vic_source {
    VIC_SOURCE_WATCHDOG = 0,
    VIC_SOURCE_SOFTWARE = 1,
    VIC_SOURCE_TIMER1 = 4,
    VIC_SOURCE_TIMER2 = 5,
    VIC_SOURCE_COMMS_RECEIVED = 6,
    VIC_SOURCE_COMMS_PARITY = 7,
    VIC_SOURCE_COMMS_FRAMING = 8,
    VIC_SOURCE_COMMS_FULL = 9,
    VIC_SOURCE_COMMS_OVERRUN = 10,
    VIC_SOURCE_COMMS_EMPTY = 11,
    VIC_SOURCE_DMA_DONE = 12,
    VIC_SOURCE_DMA_ERROR = 13,
    VIC_SOURCE_DMA_TIMEOUT = 14,
    VIC_SOURCE_ROUTER_COUNTER = 15,
    VIC_SOURCE_ROUTER_DUMP = 16,
    VIC_SOURCE_ROUTER_ERROR = 17,
    VIC_SOURCE_SYSCTL = 18,
    VIC_SOURCE_ETHERNET_TX = 19,
    VIC_SOURCE_ETHERNET_RX = 20,
    VIC_SOURCE_ETHERNET_PHY = 21,
    VIC_SOURCE_COMMS_NOT_FULL = 23,
    VIC_SOURCE_COMMS_MULTICAST = 24, /* the four packet types in the order of their codes */
    VIC_SOURCE_COMMS_POINT_TO_POINT = 25,
    VIC_SOURCE_COMMS_NEAREST_NEIGHBOUR = 26,
    VIC_SOURCE_COMMS_FIXED_ROUTE = 27,
    VIC_SOURCE_SDP = 28,
    VIC_SOURCE_SIGNAL = 29,
    VIC_SOURCE_GPIO8 = 30, /* pins 8 and 9 */
    VIC_SOURCE_GPIO9 = 31
};

/* Sources that only the core itself raises: its timers, its DMA, its own software interrupts. */
#define VIC_OWN_SOURCES                                                                            \
    (1u << VIC_SOURCE_SOFTWARE | 1u << VIC_SOURCE_TIMER1 | 1u << VIC_SOURCE_TIMER2 |               \
     1u << VIC_SOURCE_DMA_DONE | 1u << VIC_SOURCE_DMA_ERROR | 1u << VIC_SOURCE_DMA_TIMEOUT)

/* Sources raised when a packet has left. */
#define VIC_TRANSMIT_SOURCES (1u << VIC_SOURCE_COMMS_EMPTY | 1u << VIC_SOURCE_COMMS_NOT_FULL)

/* Sources raised when a packet has been received. */
#define VIC_RECEIVE_SOURCES                                                                        \
    (1u << VIC_SOURCE_COMMS_RECEIVED | 1u << VIC_SOURCE_COMMS_MULTICAST |                          \
     1u << VIC_SOURCE_COMMS_POINT_TO_POINT | 1u << VIC_SOURCE_COMMS_NEAREST_NEIGHBOUR |            \
     1u << VIC_SOURCE_COMMS_FIXED_ROUTE)

/* All sources of the communications controller. */
#define VIC_COMMS_SOURCES                                                                          \
    (1u << VIC_SOURCE_COMMS_RECEIVED | 1u << VIC_SOURCE_COMMS_PARITY |                             \
     1u << VIC_SOURCE_COMMS_FRAMING | 1u << VIC_SOURCE_COMMS_FULL |                                \
     1u << VIC_SOURCE_COMMS_OVERRUN | 1u << VIC_SOURCE_COMMS_EMPTY |                               \
     1u << VIC_SOURCE_COMMS_NOT_FULL | 1u << VIC_SOURCE_COMMS_MULTICAST |                          \
     1u << VIC_SOURCE_COMMS_POINT_TO_POINT | 1u << VIC_SOURCE_COMMS_NEAREST_NEIGHBOUR |            \
     1u << VIC_SOURCE_COMMS_FIXED_ROUTE)

struct vic {
    uint32_t input; /* levels of the hardware sources */
    uint32_t soft;
    uint32_t enable;
    uint32_t select;
    uint32_t protection;
    uint32_t default_address;
    uint32_t slot_address[VIC_SLOTS];
    uint32_t slot_control[VIC_SLOTS];
    uint8_t slot_of[32]; /* for each source: its most urgent enabled slot, or VIC_SLOTS */
    uint32_t in_service; /* bit n: slot n is in service; bit VIC_SLOTS: a non-vectored interrupt */
};

void vic_reset(struct vic *vic);

/* Access to word registers; a bus error if misaligned, or in User mode while protected.  A read of
 * VIC_VADDR starts the service of the interrupt whose address it returns. */
enum register_reply vic_read32(struct vic *vic, uint32_t offset, bool privileged, uint32_t *value);
enum register_reply vic_write32(struct vic *vic, uint32_t offset, bool privileged, uint32_t value);

/* Whether the register exists. */
bool vic_knows(uint32_t offset);

/* Sources that this write would enable and that are not enabled now. */
uint32_t vic_lets_in(const struct vic *vic, uint32_t offset, uint32_t value);

void vic_set_input(struct vic *vic, enum vic_source source, bool level);

/* Sets the levels of several sources from `levels`, each at its bit. */
static inline void vic_set_inputs(struct vic *vic, uint32_t sources, uint32_t levels)
{
    vic->input = (vic->input & ~sources) | (levels & sources);
}

/* Sources that are pending and enabled. */
static inline uint32_t vic_pending(const struct vic *vic)
{
    return (vic->input | vic->soft) & vic->enable;
}

/* The two interrupt outputs to the core. */
bool vic_irq(const struct vic *vic);
bool vic_fiq(const struct vic *vic);

C_LINKAGE_END
