/* sdram.c - see sdram.h. */
#include "models/chip/sdram.h"

#include "models/common/check.h"

#define COUNTER_PART sdram
#define COUNTER_ROWS "models/chip/sdram_counters.def"
#include "models/common/counter_table.inc"

struct request {
    uint64_t arrival_ps;
    uint32_t offset, bytes;
    bool write;
};

void sdram_init(struct sdram *sdram, const struct sdram_config *config)
{
    CHECK(config->policy < SDRAM_POLICIES, "no policy of SDRAM has this number");
    CHECK(config->policy == SDRAM_CLOSED || (config->banks > 0 && config->banks <= SDRAM_BANKS_MAX),
          "a number of banks out of range");
    *sdram = (struct sdram){.config = *config, .next_refresh_ps = config->refresh_interval_ps};
}

/* The clocks for data: whole bursts, two bus widths per clock. */
static uint64_t data_clocks(const struct sdram_config *config, uint32_t bytes)
{
    const uint64_t burst_bytes = (uint64_t)config->burst_words * config->bus_bytes;
    const uint64_t bursts = (bytes + burst_bytes - 1) / burst_bytes;
    return (bursts * config->burst_words + 1) / 2;
}

static uint64_t clocks_ps(const struct sdram *sdram, uint64_t clocks)
{
    return cycles_to_ps(sdram->config.clock, clocks);
}

/* ---- refreshes ---- */

/* Closes the rows that are open, from due_ps on; returns when that is done, and the last request
 * served. */
static uint64_t close_rows(struct sdram *sdram, uint64_t due_ps)
{
    uint64_t closed_ps = sdram->free_ps;
    for (unsigned i = 0; i < SDRAM_BANKS_MAX; i++) {
        struct sdram_bank *bank = &sdram->bank[i];
        if (bank->open) {
            const uint64_t begin_ps = later_of(due_ps, bank->precharge_ps);
            closed_ps = later_of(closed_ps, begin_ps + clocks_ps(sdram, sdram->config.rp_clocks));
            bank->open = false;
        }
    }
    return closed_ps;
}

/* The first time at or after `start` at which no refresh is due or in progress. */
static uint64_t after_refreshes(struct sdram *sdram, uint64_t start)
{
    const struct sdram_config *config = &sdram->config;
    if (start < sdram->next_refresh_ps) {
        return start;
    }
    /* of the refreshes in idle time, only the last can delay a request */
    const uint64_t passed = (start - sdram->next_refresh_ps) / config->refresh_interval_ps + 1;
    const uint64_t last = sdram->next_refresh_ps + (passed - 1) * config->refresh_interval_ps;
    const uint64_t begin = later_of(last, close_rows(sdram, sdram->next_refresh_ps));
    sdram->next_refresh_ps += passed * config->refresh_interval_ps;
    sdram->counters.refreshes += passed;
    return later_of(start, begin + clocks_ps(sdram, config->rfc_clocks));
}

/* ---- rows that are closed behind each request ---- */

static uint64_t rows_touched(const struct sdram_config *config, uint32_t offset, uint32_t bytes)
{
    return (offset + bytes - 1) / config->row_bytes - offset / config->row_bytes + 1;
}

static uint64_t serve_closed(struct sdram *sdram, const struct request *request)
{
    const struct sdram_config *config = &sdram->config;
    const uint64_t start = after_refreshes(sdram, later_of(request->arrival_ps, sdram->free_ps));
    const uint64_t rows = rows_touched(config, request->offset, request->bytes);
    const uint64_t turnaround = sdram->wrote && !request->write ? config->wtr_clocks : 0;
    const uint64_t opening =
        turnaround + rows * config->rcd_clocks + (rows - 1) * config->rp_clocks;
    const uint64_t data = data_clocks(config, request->bytes);
    const uint64_t latency = opening + (request->write ? 0 : config->cas_clocks) + data;
    sdram->free_ps = start + clocks_ps(sdram, opening + data + config->rp_clocks);
    sdram->wrote = request->write;
    sdram->counters.activations += rows;
    sdram->counters.busy_ps += sdram->free_ps - start;
    sdram->counters.wait_ps += start - request->arrival_ps;
    return start + clocks_ps(sdram, latency);
}

/* ---- rows that stay open ---- */

/* Opens a row of a bank, which is prepared from start_ps on, if it is not open.  Returns the time
 * that this takes a bank that nothing else delays. */
static uint64_t open_row(struct sdram *sdram, struct sdram_bank *bank, uint32_t row,
                         uint64_t start_ps)
{
    const struct sdram_config *config = &sdram->config;
    if (bank->open && bank->row == row) {
        return 0;
    }
    const uint64_t closing_ps = bank->open ? clocks_ps(sdram, config->rp_clocks) : 0;
    const uint64_t opening_ps = clocks_ps(sdram, config->rcd_clocks);
    uint64_t activate_ps = bank->open ? later_of(start_ps, bank->precharge_ps) : start_ps;
    activate_ps =
        later_of(activate_ps + closing_ps, later_of(bank->activate_ps, sdram->activate_ps));
    *bank = (struct sdram_bank){
        .activate_ps = activate_ps + clocks_ps(sdram, config->rc_clocks),
        .column_ps = activate_ps + opening_ps,
        .precharge_ps = activate_ps + clocks_ps(sdram, config->ras_clocks),
        .row = row,
        .open = true,
    };
    sdram->activate_ps = activate_ps + clocks_ps(sdram, config->rrd_clocks);
    sdram->counters.activations++;
    return closing_ps + opening_ps;
}

/* Moves data of a bank's open row: behind the data before them, of which writes come to an end
 * before a read begins. */
static void move_data(struct sdram *sdram, struct sdram_bank *bank, uint64_t start_ps,
                      uint32_t bytes, bool write)
{
    const struct sdram_config *config = &sdram->config;
    const uint64_t latency_ps = write ? 0 : clocks_ps(sdram, config->cas_clocks);
    const uint64_t data_ps = clocks_ps(sdram, data_clocks(config, bytes));
    uint64_t column_ps = later_of(start_ps, bank->column_ps);
    if (sdram->wrote && !write) {
        column_ps = later_of(column_ps, sdram->bus_ps + clocks_ps(sdram, config->wtr_clocks));
    }
    const uint64_t first_ps = later_of(column_ps + latency_ps, sdram->bus_ps);
    sdram->column_ps = first_ps - latency_ps;
    sdram->bus_ps = first_ps + data_ps;
    sdram->wrote = write;
    sdram->free_ps = sdram->column_ps + data_ps;
    const uint64_t kept_ps =
        write ? sdram->bus_ps + clocks_ps(sdram, config->wr_clocks) : sdram->free_ps;
    bank->precharge_ps = later_of(bank->precharge_ps, kept_ps);
}

/* Serves a request, row by row.  *before_ps bounds the time from which a row is prepared: a time of
 * the data that move before. */
static uint64_t serve_rows(struct sdram *sdram, const struct request *request,
                           const uint64_t *before_ps)
{
    const struct sdram_config *config = &sdram->config;
    const uint64_t free_ps = sdram->free_ps;
    const uint64_t begin_ps = after_refreshes(sdram, later_of(request->arrival_ps, *before_ps));
    uint64_t start_ps = begin_ps;
    uint32_t bytes;
    for (uint32_t done = 0; done < request->bytes; done += bytes) {
        const uint32_t offset = request->offset + done;
        const uint32_t row = offset / config->row_bytes;
        const uint32_t rest = config->row_bytes - offset % config->row_bytes;
        struct sdram_bank *bank = &sdram->bank[row % config->banks];
        const uint64_t opening_ps = open_row(sdram, bank, row / config->banks, start_ps);
        bytes = request->bytes - done < rest ? request->bytes - done : rest;
        move_data(sdram, bank, start_ps, bytes, request->write);
        if (done == 0) {
            sdram->counters.wait_ps += sdram->column_ps - request->arrival_ps - opening_ps;
        }
        start_ps = later_of(start_ps, *before_ps);
    }
    sdram->counters.busy_ps += sdram->free_ps - later_of(begin_ps, free_ps);
    return sdram->bus_ps;
}

static uint64_t serve_open(struct sdram *sdram, const struct request *request)
{
    return serve_rows(sdram, request, &sdram->free_ps);
}

static uint64_t serve_interleaved(struct sdram *sdram, const struct request *request)
{
    return serve_rows(sdram, request, &sdram->column_ps);
}

/* ---- requests ---- */

static uint64_t (*const SERVE[])(struct sdram *sdram, const struct request *request) = {
#define SDRAM_POLICY(NAME, text, serve, meaning) serve,
#include "models/chip/sdram_policies.def"
#undef SDRAM_POLICY
};

uint64_t sdram_request(struct sdram *sdram, uint64_t arrival_ps, uint32_t offset, uint32_t bytes,
                       bool write)
{
    const struct request request = {arrival_ps, offset, bytes, write};
    const uint64_t done_ps = SERVE[sdram->config.policy](sdram, &request);
    struct sdram_counters *counters = &sdram->counters;
    counters->reads += !write;
    counters->writes += write;
    *(write ? &counters->bytes_written : &counters->bytes_read) += bytes;
    return done_ps;
}
