/* ahb.c - see ahb.h. */
#include "models/chip/ahb.h"

const struct counter_info *ahb_counter_info(size_t *count)
{
    static const struct counter_info INFO[] = {
#define COUNTER COUNTER_INFO
#include "models/chip/ahb_counters.def"
#undef COUNTER
    };
    _Static_assert(sizeof INFO / sizeof *INFO == sizeof(struct ahb_counters) / sizeof(uint64_t),
                   "one name for each counter");
    *count = sizeof INFO / sizeof *INFO;
    return INFO;
}

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
