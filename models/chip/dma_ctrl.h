/* dma_ctrl.h - the DMA controller of a core, between its TCMs and the system NoC (SpiNNaker
 * datasheet v2.02, 7).  It keeps registers, queue and status; its owner moves the data burst by
 * burst: dma_ctrl_next_burst() describes the next burst, dma_ctrl_end_burst() reports its
 * completion.  A burst's words are transferred at its end.  A transfer with CRC ends with a burst
 * of one word, the check word, on the system side only.  Plain state: copying the struct saves it.
 * Owner: the core. */
#pragma once
#include "models/chip/vic.h"
#include "models/common/c_linkage.h"
#include "models/common/counters.h"
#include "models/common/register_reply.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct dma_counters {
#define COUNTER COUNTER_FIELD
#include "models/chip/dma_counters.def"
#undef COUNTER
};

const struct counter_info *dma_counter_info(size_t *count);

struct dma_transfer {
    uint32_t system_address;
    uint32_t tcm_address;
    uint32_t description; /* as written to DMA_DESC; remaining bytes in bits 16:2 */
};

enum { DMA_CRC_ROWS = 32, DMA_LATENCIES = 8, DMA_CRC_BYTES = 4 };

struct dma_ctrl {
    uint32_t system_address, tcm_address, description; /* registers */
    struct dma_transfer active, queued;
    bool is_active, is_queued, paused;
    uint8_t gap;     /* named, so that saved states are the same bytes with every compiler */
    uint32_t status; /* sticky bits of DMA_STAT */
    unsigned done;   /* completed transfers not yet cleared: 0 to 2 */
    uint32_t global_control;
    uint32_t timeout, statistics_control;
    uint32_t crc_row[DMA_CRC_ROWS];
    uint32_t crc_calculated, crc_received;
    uint16_t latency[DMA_LATENCIES]; /* number of bursts by duration */
    uint8_t core;                    /* physical number, readable in DMA_STAT */
    uint8_t gap_behind[3];
    struct dma_counters counters;
};

struct dma_burst {
    uint32_t system_address;
    uint32_t tcm_address;
    uint32_t bytes;
    bool to_system;
    bool check_word; /* the CRC after the data; tcm_address is not used */
    uint8_t gap[2];  /* named, so that saved states are the same bytes with every compiler */
};

void dma_ctrl_reset(struct dma_ctrl *dma, uint8_t core, bool soft);

/* Access to word registers. *started is set to true if the write made a transfer active: the owner
 * then starts its first burst. */
enum register_reply dma_ctrl_read32(const struct dma_ctrl *dma, uint32_t offset, bool privileged,
                                    uint32_t *value);
enum register_reply dma_ctrl_write32(struct dma_ctrl *dma, uint32_t offset, bool privileged,
                                     uint32_t value, bool *started);

/* What a store of a program to a register means for the transfer that it prepares, whose registers
 * `next` holds.  True: it commits that transfer. */
bool dma_ctrl_prepares(struct dma_transfer *next, uint32_t offset, uint32_t value);

/* Of a transfer as it was committed. */
uint32_t dma_transfer_bytes(const struct dma_transfer *transfer);
bool dma_transfer_is_to_system(const struct dma_transfer *transfer);

/* Describes the next burst of the active transfer; false if none is active. */
bool dma_ctrl_next_burst(const struct dma_ctrl *dma, struct dma_burst *burst);

enum dma_burst_end { DMA_BURST_DONE, DMA_BURST_BUS_ERROR, DMA_BURST_TCM_ERROR };

/* The bytes that a burst of the check word writes on the system side. */
void dma_ctrl_check_word(const struct dma_ctrl *dma, uint8_t bytes[DMA_CRC_BYTES]);

/* A burst has ended.  `data` is the data moved, `cycles` its duration in core clock cycles.
 * Afterwards dma_ctrl_next_burst() describes what follows: the same transfer, the queued one, or
 * nothing. */
void dma_ctrl_end_burst(struct dma_ctrl *dma, const struct dma_burst *burst, const uint8_t *data,
                        uint64_t cycles, enum dma_burst_end end);

/* A posted store of the core, which passes through the controller's bridge, has ended in a bus
 * error. */
void dma_ctrl_store_failed(struct dma_ctrl *dma);

/* The three interrupt outputs, each at its VIC source's bit; all other bits are 0. */
uint32_t dma_ctrl_interrupts(const struct dma_ctrl *dma);

C_LINKAGE_END
