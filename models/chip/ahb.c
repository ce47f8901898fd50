/* ahb.c - see ahb.h. */
#include "models/chip/ahb.h"

#define COUNTER_PART ahb
#define COUNTER_ROWS "models/chip/ahb_counters.def"
#include "models/common/counter_table.inc"

void ahb_init(struct ahb *ahb, uint64_t service_ps, uint64_t latency_ps)
{
    *ahb = (struct ahb){.service_ps = service_ps, .latency_ps = latency_ps};
}

uint64_t ahb_request(struct ahb *ahb, uint64_t arrival_ps, uint32_t words)
{
    const uint64_t start = arrival_ps > ahb->free_ps ? arrival_ps : ahb->free_ps;
    ahb->free_ps = start + words * ahb->service_ps;
    ahb->counters.accesses += words;
    ahb->counters.busy_ps += words * ahb->service_ps;
    ahb->counters.wait_ps += start - arrival_ps;
    return ahb->free_ps + ahb->latency_ps;
}
