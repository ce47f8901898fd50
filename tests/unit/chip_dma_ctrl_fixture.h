/* chip_dma_ctrl_fixture.h - a DMA controller, its registers and transfers. */
#pragma once
extern "C" {
#include "models/chip/dma_ctrl.h"
}

#include <gtest/gtest.h>

#include <vector>

enum : uint32_t {
    ADRS = 0x04,
    ADRT = 0x08,
    DESC = 0x0c,
    CTRL = 0x10,
    STAT = 0x14,
    GCTL = 0x18,
    CRCC = 0x1c,
    CRCR = 0x20,
    TMTV = 0x24,
    SCTL = 0x28,
    STATS0 = 0x40,
    AD2S = 0x104,
    AD2T = 0x108,
    DES2 = 0x10c,
    CRCT0 = 0x180
};

enum : uint32_t { UNCOMMIT = 1, ABORT = 2, RESTART = 4, CLEAR_DONE = 8, CLEAR_TIMEOUT = 0x10 };

enum : uint32_t {
    TRANSFERRING = 1u << 0,
    PAUSED = 1u << 1,
    QUEUE_FULL = 1u << 2,
    DONE = 1u << 10,
    SECOND_DONE = 1u << 11,
    TIMEOUT = 1u << 12,
    CRC_ERROR = 1u << 13,
    TCM_ERROR = 1u << 14,
    BUS_ERROR = 1u << 15,
    SOFT_RESET = 1u << 17
};

constexpr uint32_t CORE = 5u << 24;

constexpr uint32_t words_to_tcm(uint32_t words, uint32_t burst = 4, bool wide = true)
{
    return static_cast<uint32_t>(wide) << 24 | burst << 21 | words << 2;
}
constexpr uint32_t TO_SYSTEM = 1u << 19;

inline bool interrupts(const dma_ctrl *dma, vic_source source)
{
    return (dma_ctrl_interrupts(dma) >> source & 1) != 0;
}

class DmaController : public testing::Test
{
  protected:
    DmaController()
    {
        dma_ctrl_reset(&dma_, 5, false);
    }

    uint32_t read(uint32_t offset)
    {
        uint32_t value = 0xdeadbeef;
        EXPECT_EQ(dma_ctrl_read32(&dma_, offset, true, &value), REGISTER_OK) << offset;
        return value;
    }

    /* Writes a register; returns whether that started a transfer. */
    bool write(uint32_t offset, uint32_t value)
    {
        bool started = false;
        EXPECT_EQ(dma_ctrl_write32(&dma_, offset, true, value, &started), REGISTER_OK) << offset;
        return started;
    }

    bool commit(uint32_t system, uint32_t tcm, uint32_t description)
    {
        write(ADRS, system);
        write(ADRT, tcm);
        return write(DESC, description);
    }

    dma_burst next()
    {
        dma_burst burst = {};
        EXPECT_TRUE(dma_ctrl_next_burst(&dma_, &burst));
        return burst;
    }

    bool idle()
    {
        dma_burst burst = {};
        return !dma_ctrl_next_burst(&dma_, &burst);
    }

    void end(dma_burst_end how = DMA_BURST_DONE, uint64_t cycles = 1)
    {
        const dma_burst burst = next();
        const std::vector<uint8_t> nothing(burst.bytes);
        dma_ctrl_end_burst(&dma_, &burst, nothing.data(), cycles, how);
    }

    /* Ends the next burst with its share of `data`, from the byte that is due. */
    void end_with(const std::vector<uint8_t> &data, uint32_t first_address)
    {
        const dma_burst burst = next();
        const uint32_t at = burst.system_address - first_address;
        ASSERT_LE(at + burst.bytes, data.size());
        dma_ctrl_end_burst(&dma_, &burst, data.data() + at, 1, DMA_BURST_DONE);
    }

    enum register_reply refused_write(uint32_t offset, uint32_t value)
    {
        bool started = true;
        const register_reply reply = dma_ctrl_write32(&dma_, offset, true, value, &started);
        EXPECT_FALSE(started);
        return reply;
    }

    dma_ctrl dma_ = {};
};
