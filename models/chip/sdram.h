/* sdram.h - timing of a chip's SDRAM (PL340 controller, mobile DDR; SpiNNaker datasheet v2.02, 13).
 *
 * One request is served at a time, in the order of arrival: its rows are opened, the data move on
 * both clock edges, then the rows are closed (no overlap between requests: assumed).  A request
 * shorter than the memory's burst takes as long as a burst.  Refreshes fall due at fixed times and
 * have priority.  The content is a separate struct ram.  Plain state: copying the struct saves it.
 * Time: picoseconds; requests arrive in order.  Owner: the chip. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/counters.h"
#include "models/common/units.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

struct sdram_counters {
#define COUNTER COUNTER_FIELD
#include "models/chip/sdram_counters.def"
#undef COUNTER
};

const struct counter_info *sdram_counter_info(size_t *count);

struct sdram_config {
    struct clock clock; /* the memory's clock; data move on both edges */
    uint32_t bus_bytes, row_bytes;
    uint32_t cas_clocks, rcd_clocks, rp_clocks, burst_words, wtr_clocks, rfc_clocks;
    uint64_t refresh_interval_ps;
};

struct sdram {
    struct sdram_config config;
    uint64_t free_ps;         /* earliest start of the next request */
    uint64_t next_refresh_ps; /* due time of the next refresh */
    bool wrote;               /* the last request was a write */
    uint8_t gap[7]; /* named, so that saved states are the same bytes with every compiler */
    struct sdram_counters counters;
};

void sdram_init(struct sdram *sdram, const struct sdram_config *config);

/* A request arrives at arrival_ps; returns when its last datum has been delivered (read) or taken
 * (write). */
uint64_t sdram_request(struct sdram *sdram, uint64_t arrival_ps, uint32_t offset, uint32_t bytes,
                       bool write);

C_LINKAGE_END
