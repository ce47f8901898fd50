/* dma_ctrl.c - see dma_ctrl.h. */
#include "models/chip/dma_ctrl.h"

#include "models/common/bits.h"
#include "models/common/register_field.h"

#include <string.h>

enum dma_register {
#define REG(name, offset, reset, access, help) name = offset,
#include "models/chip/dma_regs.def"
#undef REG
};

enum {
    DESC_PRIVILEGED = 25,
    DESC_DOUBLE_WORD = 24,
    DESC_BURST_HIGH = 23,
    DESC_BURST_LOW = 21,
    DESC_CRC = 20,
    DESC_TO_SYSTEM = 19,
    DESC_BYTES = 0x1fffc,
    LARGEST_BURST = 4,

    CTRL_UNCOMMIT = 0,
    CTRL_ABORT = 1,
    CTRL_RESTART = 2,
    CTRL_CLEAR_DONE = 3,
    CTRL_CLEAR_TIMEOUT = 4,
    CTRL_CLEAR_WRITE_BUFFER = 5,

    STAT_TRANSFERRING = 0,
    STAT_PAUSED = 1,
    STAT_QUEUE_FULL = 2,
    STAT_DONE = 10,
    STAT_SECOND_DONE = 11,
    STAT_TIMEOUT = 12,
    STAT_CRC_ERROR = 13,
    STAT_TCM_ERROR = 14,
    STAT_BUS_ERROR = 15,
    STAT_USER_ABORT = 16,
    STAT_SOFT_RESET = 17,
    STAT_WRITE_BUFFER_ERROR = 20,
    STAT_CORE_SHIFT = 24,

    MOST_DONE = 2,
    LATENCY_CYCLES = 128, /* width of a column of the histogram */
    LATENCY_MOST = 0xffff,
    LATENCY_END = DMA_STAT0 + 4 * DMA_LATENCIES,
    SCTL_ENABLE = 0,
    SCTL_CLEAR = 1
};

#define STAT_ERROR_CODES (0x1eu << 12) /* bits 16:13 */
#define STAT_ERRORS      (0xffu << 13) /* bits 20:13 */
#define GCTL_STORED      0x001ffc01u
#define TMTV_STORED      0x3e0u

#define COUNTER_PART     dma
#define COUNTER_ROWS     "models/chip/dma_counters.def"
#include "models/common/counter_table.inc"

void dma_ctrl_reset(struct dma_ctrl *dma, uint8_t core, bool soft)
{
    const struct dma_counters counters = dma->counters;
    *dma = (struct dma_ctrl){.core = core, .counters = counters};
    dma->status = soft ? 1u << STAT_SOFT_RESET : 0;
}

static uint32_t done_bits(const struct dma_ctrl *dma)
{
    return dma->done == 0   ? 0
           : dma->done == 1 ? 1u << STAT_DONE
                            : 1u << STAT_DONE | 1u << STAT_SECOND_DONE;
}

static uint32_t status(const struct dma_ctrl *dma)
{
    return dma->status | done_bits(dma) | (dma->is_active ? 1u << STAT_TRANSFERRING : 0u) |
           (dma->paused ? 1u << STAT_PAUSED : 0u) | (dma->is_queued ? 1u << STAT_QUEUE_FULL : 0u) |
           ((uint32_t)dma->core << STAT_CORE_SHIFT);
}

uint32_t dma_ctrl_interrupts(const struct dma_ctrl *dma)
{
    const uint32_t shown = (dma->status | done_bits(dma)) & dma->global_control;
    if (shown == 0) {
        return 0;
    }
    return ((done_bits(dma) & shown) != 0 ? 1u << VIC_SOURCE_DMA_DONE : 0) |
           (bits_test(shown, STAT_TIMEOUT) ? 1u << VIC_SOURCE_DMA_TIMEOUT : 0) |
           ((shown & STAT_ERRORS) != 0 ? 1u << VIC_SOURCE_DMA_ERROR : 0);
}

/* Registers that are a word of the state, and registers that a write does not change; there are no
 * others. */
static const struct register_field FIELDS[] = {
#define ROW(offset, member, write, mask)                                                           \
    {                                                                                              \
        offset, REGISTER_MEMBER(dma_ctrl, member), REGISTER_##write, 0, mask                       \
    }
    ROW(DMA_ADRS, system_address, STORES, ~3u),
    ROW(DMA_ADRT, tcm_address, STORES, ~3u),
    ROW(DMA_DESC, description, READ_ONLY, 0), /* written below */
    ROW(DMA_GCTL, global_control, STORES, GCTL_STORED),
    ROW(DMA_CRCC, crc_calculated, READ_ONLY, 0),
    ROW(DMA_CRCR, crc_received, READ_ONLY, 0),
    ROW(DMA_TMTV, timeout, STORES, TMTV_STORED),
    ROW(DMA_SCTL, statistics_control, STORES, 1u << SCTL_ENABLE),
    ROW(DMA_AD2S, active.system_address, READ_ONLY, 0),
    ROW(DMA_AD2T, active.tcm_address, READ_ONLY, 0),
    ROW(DMA_DES2, active.description, READ_ONLY, 0),
#undef ROW
    {DMA_CTRL, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0}, /* commands clear themselves */
    {DMA_STAT, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
};

static const struct register_field *find(uint32_t offset)
{
    return register_find(FIELDS, sizeof FIELDS / sizeof *FIELDS, offset);
}

static bool refused(uint32_t offset, bool privileged)
{
    return (offset & 3) != 0 || !privileged;
}

enum register_reply dma_ctrl_read32(const struct dma_ctrl *dma, uint32_t offset, bool privileged,
                                    uint32_t *value)
{
    *value = 0;
    if (refused(offset, privileged)) {
        return REGISTER_BUS_ERROR;
    }
    if (offset >= DMA_CRCT && offset < DMA_CRCT + 4 * DMA_CRC_ROWS) {
        *value = dma->crc_row[(offset - DMA_CRCT) / 4];
        return REGISTER_OK;
    }
    if (offset >= DMA_STAT0 && offset < LATENCY_END) {
        *value = dma->latency[(offset - DMA_STAT0) / 4];
        return REGISTER_OK;
    }
    if (offset == DMA_STAT) {
        *value = status(dma);
        return REGISTER_OK;
    }
    return register_read(find(offset), dma, value) == REGISTER_OK ? REGISTER_OK
                                                                  : REGISTER_BUS_ERROR;
}

/* Makes the queued transfer the active one, unless an error blocks transfers. */
static bool start_queued(struct dma_ctrl *dma)
{
    if (dma->paused || dma->is_active || !dma->is_queued) {
        return false;
    }
    dma->active = dma->queued;
    dma->is_active = true;
    dma->is_queued = false;
    if (bits_test(dma->active.description, DESC_CRC)) {
        dma->crc_calculated = 0; /* the CRC of no bytes */
    }
    return true;
}

static bool commit(struct dma_ctrl *dma, uint32_t description)
{
    dma->description = description;
    dma->queued = (struct dma_transfer){dma->system_address, dma->tcm_address, description};
    dma->is_queued = true;
    return start_queued(dma);
}

static bool command(struct dma_ctrl *dma, uint32_t value)
{
    if (bits_test(value, CTRL_CLEAR_WRITE_BUFFER)) {
        dma->status &= ~(1u << STAT_WRITE_BUFFER_ERROR);
    }
    if (bits_test(value, CTRL_CLEAR_TIMEOUT)) {
        dma->status &= ~(1u << STAT_TIMEOUT);
    }
    if (bits_test(value, CTRL_CLEAR_DONE) && dma->done > 0) {
        dma->done--;
    }
    if (bits_test(value, CTRL_UNCOMMIT)) {
        dma->is_queued = false;
    }
    if (bits_test(value, CTRL_ABORT) && dma->is_active) { /* treated like other errors */
        dma->is_active = false;
        dma->paused = true;
        dma->status |= 1u << STAT_USER_ABORT;
    }
    if (bits_test(value, CTRL_RESTART)) {
        dma->status &= ~(STAT_ERROR_CODES | 1u << STAT_SOFT_RESET);
        dma->paused = false;
    }
    return start_queued(dma);
}

enum register_reply dma_ctrl_write32(struct dma_ctrl *dma, uint32_t offset, bool privileged,
                                     uint32_t value, bool *started)
{
    *started = false;
    if (refused(offset, privileged)) {
        return REGISTER_BUS_ERROR;
    }
    if (offset >= DMA_CRCT && offset < DMA_CRCT + 4 * DMA_CRC_ROWS) {
        dma->crc_row[(offset - DMA_CRCT) / 4] = value;
        return REGISTER_OK;
    }
    if (offset >= DMA_STAT0 && offset < LATENCY_END) {
        return REGISTER_OK; /* read only: ignored */
    }
    const struct register_field *row = find(offset);
    const bool next = offset == DMA_ADRS || offset == DMA_ADRT || offset == DMA_DESC;
    if (row == NULL || (next && dma->is_queued)) {
        return REGISTER_BUS_ERROR;
    }
    if (offset == DMA_DESC) {
        *started = commit(dma, value);
    } else if (offset == DMA_CTRL) {
        *started = command(dma, value);
    } else if (offset == DMA_SCTL && bits_test(value, SCTL_CLEAR)) {
        memset(dma->latency, 0, sizeof dma->latency);
    }
    return register_write(row, dma, value);
}

void dma_ctrl_store_failed(struct dma_ctrl *dma)
{
    dma->status |= 1u << STAT_WRITE_BUFFER_ERROR;
}

/* ---- CRC ---- */

static uint32_t reversed(uint32_t word)
{
    uint32_t result = 0;
    for (unsigned bit = 0; bit < DMA_CRC_ROWS; bit++) {
        result |= (word >> bit & 1u) << (DMA_CRC_ROWS - 1 - bit);
    }
    return result;
}

/* The register after a word: the matrix times (register XOR word), most significant bit first.  Row
 * k makes bit k of a register whose bits stand in the order of the bytes in memory. */
static uint32_t crc_step(const struct dma_ctrl *dma, uint32_t state, uint32_t word)
{
    const uint32_t input = reversed(state ^ word);
    uint32_t next = 0;
    for (unsigned row = 0; row < DMA_CRC_ROWS; row++) {
        next |= (bits_count(dma->crc_row[row] & input) & 1u) << row;
    }
    return next;
}

static uint32_t word_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

/* The register begins with ones and is shown inverted: with the rows of CRC-32, the usual one. */
static void add_to_crc(struct dma_ctrl *dma, const uint8_t *data, uint32_t bytes)
{
    uint32_t state = ~dma->crc_calculated;
    for (uint32_t at = 0; at < bytes; at += 4) {
        state = crc_step(dma, state, word_of(data + at));
    }
    dma->crc_calculated = ~state;
}

void dma_ctrl_check_word(const struct dma_ctrl *dma, uint8_t bytes[DMA_CRC_BYTES])
{
    for (unsigned i = 0; i < DMA_CRC_BYTES; i++) {
        bytes[i] = (uint8_t)(dma->crc_calculated >> 8 * i);
    }
}

/* ---- bursts ---- */

bool dma_ctrl_prepares(struct dma_transfer *next, uint32_t offset, uint32_t value)
{
    if (offset == DMA_ADRS) {
        next->system_address = value & ~3u;
    } else if (offset == DMA_ADRT) {
        next->tcm_address = value & ~3u;
    } else if (offset == DMA_DESC) {
        next->description = value;
    }
    return offset == DMA_DESC;
}

uint32_t dma_transfer_bytes(const struct dma_transfer *transfer)
{
    return transfer->description & DESC_BYTES;
}

bool dma_transfer_is_to_system(const struct dma_transfer *transfer)
{
    return bits_test(transfer->description, DESC_TO_SYSTEM);
}

bool dma_ctrl_next_burst(const struct dma_ctrl *dma, struct dma_burst *burst)
{
    if (!dma->is_active) {
        return false;
    }
    const uint32_t description = dma->active.description;
    const uint32_t unit = bits_test(description, DESC_DOUBLE_WORD) ? 8 : 4;
    uint32_t length = bits_get(description, DESC_BURST_HIGH, DESC_BURST_LOW);
    length = length > LARGEST_BURST ? LARGEST_BURST : length;
    const uint32_t left = description & DESC_BYTES;
    const uint32_t most = unit << length;
    const bool check_word = left == 0 && bits_test(description, DESC_CRC);
    const uint32_t data_bytes = left < most ? left : most;
    *burst = (struct dma_burst){.system_address = dma->active.system_address,
                                .tcm_address = dma->active.tcm_address,
                                .bytes = check_word ? DMA_CRC_BYTES : data_bytes,
                                .to_system = bits_test(description, DESC_TO_SYSTEM),
                                .check_word = check_word};
    return true;
}

static void finish(struct dma_ctrl *dma)
{
    dma->is_active = false;
    dma->done += dma->done < MOST_DONE;
    dma->counters.transfers++;
    (void)start_queued(dma);
}

static void fail(struct dma_ctrl *dma, unsigned error)
{
    dma->status |= 1u << error;
    dma->paused = true;
    dma->is_active = false;
    dma->counters.errors++;
}

/* Statistics and timeout only concern bursts on the system NoC. */
static void measure(struct dma_ctrl *dma, uint64_t cycles)
{
    if (dma->timeout != 0 && cycles > dma->timeout) {
        dma->status |= 1u << STAT_TIMEOUT;
    }
    const uint64_t column = cycles / LATENCY_CYCLES;
    uint16_t *count = &dma->latency[column < DMA_LATENCIES ? column : DMA_LATENCIES - 1];
    if (bits_test(dma->statistics_control, SCTL_ENABLE) && *count < LATENCY_MOST) {
        ++*count;
    }
}

static void end_check_word(struct dma_ctrl *dma, const struct dma_burst *burst, const uint8_t *data)
{
    dma->active.system_address += burst->bytes;
    if (!burst->to_system) {
        dma->crc_received = word_of(data);
        if (dma->crc_received != dma->crc_calculated) {
            fail(dma, STAT_CRC_ERROR);
            return;
        }
    }
    finish(dma);
}

static void end_data(struct dma_ctrl *dma, const struct dma_burst *burst, const uint8_t *data)
{
    const bool check = bits_test(dma->active.description, DESC_CRC);
    if (check) {
        add_to_crc(dma, data, burst->bytes);
    }
    dma->active.system_address += burst->bytes;
    dma->active.tcm_address += burst->bytes;
    dma->active.description -= burst->bytes;
    if ((dma->active.description & DESC_BYTES) == 0 && !check) {
        finish(dma);
    }
}

void dma_ctrl_end_burst(struct dma_ctrl *dma, const struct dma_burst *burst, const uint8_t *data,
                        uint64_t cycles, enum dma_burst_end end)
{
    if (!dma->is_active) {
        return; /* aborted during the burst */
    }
    if (burst->bytes > 0 && end != DMA_BURST_TCM_ERROR) {
        measure(dma, cycles);
    }
    if (end != DMA_BURST_DONE) {
        fail(dma, end == DMA_BURST_BUS_ERROR ? STAT_BUS_ERROR : STAT_TCM_ERROR);
        return;
    }
    dma->counters.bursts += burst->bytes > 0; /* a transfer of no bytes ends at its first burst */
    if (burst->to_system) {
        dma->counters.bytes_from_tcm += burst->bytes;
    } else {
        dma->counters.bytes_to_tcm += burst->bytes;
    }
    if (burst->check_word) {
        end_check_word(dma, burst, data);
    } else {
        end_data(dma, burst, data);
    }
}
