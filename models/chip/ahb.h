/* ahb.h - timing of the 32-bit system AHB: one access at a time, in the order of arrival.  Behind
 * the bus are System RAM, boot ROM, system controller, watchdog, Ethernet and the router's
 * registers (SpiNNaker datasheet v2.02, 12).  Plain state.  Time: picoseconds; accesses arrive in
 * order.  Owner: the chip. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/counters.h"
#include <stdint.h>
C_LINKAGE_BEGIN

struct ahb_counters {
#define COUNTER COUNTER_FIELD
#include "models/chip/ahb_counters.def"
#undef COUNTER
};

const struct counter_info *ahb_counter_info(size_t *count);

struct ahb {
    uint64_t service_ps; /* time that one word occupies the bus */
    uint64_t latency_ps; /* from the end of that time to the answer */
    uint64_t free_ps;
    struct ahb_counters counters;
};

void ahb_init(struct ahb *ahb, uint64_t service_ps, uint64_t latency_ps);

/* An access of `words` words arrives at arrival_ps; returns the time of its answer. */
uint64_t ahb_request(struct ahb *ahb, uint64_t arrival_ps, uint32_t words);

C_LINKAGE_END
