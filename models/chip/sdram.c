/* sdram.c - see sdram.h. */
#include "models/chip/sdram.h"

#define COUNTER_PART sdram
#define COUNTER_ROWS "models/chip/sdram_counters.def"
#include "models/common/counter_table.inc"

void sdram_init(struct sdram *sdram, const struct sdram_config *config)
{
    *sdram = (struct sdram){.config = *config, .next_refresh_ps = config->refresh_interval_ps};
}

/* The clocks for the data of a request: whole bursts, two bus widths per clock. */
static uint64_t data_clocks(const struct sdram_config *config, uint32_t bytes)
{
    const uint64_t burst_bytes = (uint64_t)config->burst_words * config->bus_bytes;
    const uint64_t bursts = (bytes + burst_bytes - 1) / burst_bytes;
    return (bursts * config->burst_words + 1) / 2;
}

static uint64_t rows_touched(const struct sdram_config *config, uint32_t offset, uint32_t bytes)
{
    return (offset + bytes - 1) / config->row_bytes - offset / config->row_bytes + 1;
}

/* The first time at or after `start` at which no refresh is due or in progress. */
static uint64_t after_refreshes(struct sdram *sdram, uint64_t start)
{
    const struct sdram_config *config = &sdram->config;
    const uint64_t duration = cycles_to_ps(config->clock, config->rfc_clocks);
    if (start >= sdram->next_refresh_ps) { /* of the refreshes in idle time, only the last can delay
                                              a request */
        const uint64_t passed = (start - sdram->next_refresh_ps) / config->refresh_interval_ps + 1;
        const uint64_t last = sdram->next_refresh_ps + (passed - 1) * config->refresh_interval_ps;
        const uint64_t begin = last > sdram->free_ps ? last : sdram->free_ps;
        sdram->next_refresh_ps += passed * config->refresh_interval_ps;
        sdram->counters.refreshes += passed;
        start = begin + duration > start ? begin + duration : start;
    }
    return start;
}

uint64_t sdram_request(struct sdram *sdram, uint64_t arrival_ps, uint32_t offset, uint32_t bytes,
                       bool write)
{
    const struct sdram_config *config = &sdram->config;
    uint64_t start = arrival_ps > sdram->free_ps ? arrival_ps : sdram->free_ps;
    start = after_refreshes(sdram, start);
    const uint64_t rows = rows_touched(config, offset, bytes);
    const uint64_t turnaround = sdram->wrote && !write ? config->wtr_clocks : 0;
    const uint64_t opening =
        turnaround + rows * config->rcd_clocks + (rows - 1) * config->rp_clocks;
    const uint64_t data = data_clocks(config, bytes);
    const uint64_t latency = opening + (write ? 0 : config->cas_clocks) + data;
    const uint64_t occupied = opening + data + config->rp_clocks;
    sdram->free_ps = start + cycles_to_ps(config->clock, occupied);
    sdram->wrote = write;

    struct sdram_counters *counters = &sdram->counters;
    counters->reads += !write;
    counters->writes += write;
    *(write ? &counters->bytes_written : &counters->bytes_read) += bytes;
    counters->activations += rows;
    counters->busy_ps += sdram->free_ps - start;
    counters->wait_ps += start - arrival_ps;
    return start + cycles_to_ps(config->clock, latency);
}
