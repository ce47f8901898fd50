/* sdram.h - timing of a chip's SDRAM (PL340 controller, mobile DDR; SpiNNaker datasheet v2.02, 13).
 *
 * Requests are served in the order of arrival; their data move on both clock edges.  The policy
 * says when rows are opened and closed (sdram_policies.def).  Rows lie one after another in the
 * banks, each in the next bank.  A request shorter than the memory's burst takes as long as a
 * burst.  Refreshes fall due at fixed times, have priority, and need all rows closed.  The content
 * is a separate struct ram.  Plain state: copying the struct saves it.  Time: picoseconds; requests
 * arrive in order.  Owner: the chip. */
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

enum sdram_policy {
#define SDRAM_POLICY(NAME, text, serve, meaning) SDRAM_##NAME,
#include "models/chip/sdram_policies.def"
#undef SDRAM_POLICY
    SDRAM_POLICIES
};

enum { SDRAM_BANKS_MAX = 8 };

struct sdram_config {
    struct clock clock;            /* the memory's clock; data move on both edges */
    uint32_t policy;               /* enum sdram_policy */
    uint32_t bus_bytes, row_bytes; /* a row is one bank's */
    uint32_t cas_clocks, rcd_clocks, rp_clocks, burst_words, wtr_clocks, rfc_clocks;
    /* What SDRAM_CLOSED leaves out: number of banks, 1 to SDRAM_BANKS_MAX; activation to precharge
     * and to the next activation, of one bank and of two; from the last datum written to a
     * precharge. */
    uint32_t banks, ras_clocks, rc_clocks, rrd_clocks, wr_clocks;
    uint64_t refresh_interval_ps;
};

/* A bank, where rows stay open. */
struct sdram_bank {
    uint64_t activate_ps;  /* earliest next activation, as far as the last one is concerned */
    uint64_t column_ps;    /* earliest read or write in the open row */
    uint64_t precharge_ps; /* earliest time at which the open row can be closed */
    uint32_t row;          /* the open one, counted within the bank */
    bool open;
    uint8_t gap[3]; /* named, so that saved states are the same bytes with every compiler */
};

struct sdram {
    struct sdram_config config;
    uint64_t free_ps;         /* when the last request is served: the next can move its data */
    uint64_t next_refresh_ps; /* due time of the next refresh */
    bool wrote;               /* the last request was a write */
    uint8_t gap[7]; /* named, so that saved states are the same bytes with every compiler */
    struct sdram_counters counters;
    /* Where rows stay open. */
    uint64_t column_ps;   /* of the last read or write */
    uint64_t bus_ps;      /* when its last datum has moved */
    uint64_t activate_ps; /* earliest next activation in any bank */
    struct sdram_bank bank[SDRAM_BANKS_MAX];
};

/* The policy and the number of banks are within their ranges. */
void sdram_init(struct sdram *sdram, const struct sdram_config *config);

/* A request arrives at arrival_ps; returns when its last datum has been delivered (read) or taken
 * (write). */
uint64_t sdram_request(struct sdram *sdram, uint64_t arrival_ps, uint32_t offset, uint32_t bytes,
                       bool write);

C_LINKAGE_END
