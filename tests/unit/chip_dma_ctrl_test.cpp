/* The DMA controller's registers, queue, status and bursts. */
extern "C" {
#include "models/chip/dma_ctrl.h"
}

#include <gtest/gtest.h>

#include <vector>

namespace
{

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

bool interrupts(const dma_ctrl *dma, vic_source source)
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

    /* Returns whether the write started a transfer. */
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

    /* Ends the next burst with that much of `data`, from the byte that is due. */
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

TEST_F(DmaController, HasItsResetValues)
{
    for (const uint32_t offset : {ADRS, ADRT, DESC, CTRL, GCTL, CRCC, CRCR, TMTV, SCTL}) {
        EXPECT_EQ(read(offset), 0u) << offset;
    }
    for (uint32_t offset = STATS0; offset < STATS0 + 0x20; offset += 4) {
        EXPECT_EQ(read(offset), 0u) << offset;
    }
    EXPECT_EQ(read(STAT), CORE);
    EXPECT_TRUE(idle());
}

TEST_F(DmaController, TellsTheCoreItsPhysicalNumber)
{
    dma_ctrl_reset(&dma_, 17, false);
    EXPECT_EQ(read(STAT), 17u << 24);
}

TEST_F(DmaController, ASoftResetEmptiesTheQueueAndSaysSo)
{
    commit(0x60000000, 0x00400000, words_to_tcm(4));
    commit(0x60000000, 0x00400000, words_to_tcm(4));
    dma_ctrl_reset(&dma_, 5, true);
    EXPECT_EQ(read(STAT), CORE | SOFT_RESET);
    EXPECT_TRUE(idle());
}

TEST_F(DmaController, ARestartClearsTheMarkOfASoftReset)
{
    dma_ctrl_reset(&dma_, 5, true);
    write(CTRL, RESTART);
    EXPECT_EQ(read(STAT), CORE);
}

TEST_F(DmaController, AddressesAreThoseOfWords)
{
    write(ADRS, 0xffffffff);
    write(ADRT, 0xffffffff);
    EXPECT_EQ(read(ADRS), 0xfffffffcu);
    EXPECT_EQ(read(ADRT), 0xfffffffcu);
}

TEST_F(DmaController, StoresTheGlobalControlBitsThatExist)
{
    write(GCTL, 0xffffffff);
    EXPECT_EQ(read(GCTL), 0x001ffc01u);
}

TEST_F(DmaController, KeepsTheTimeoutBitsThatExist)
{
    write(TMTV, 0xffffffff);
    EXPECT_EQ(read(TMTV), 0x3e0u);
    write(TMTV, 0x1f);
    EXPECT_EQ(read(TMTV), 0u);
}

TEST_F(DmaController, StoresTheRowsOfTheCrcMatrix)
{
    for (uint32_t row = 0; row < 32; row++) {
        write(CRCT0 + 4 * row, 0xffffffff - row);
    }
    for (uint32_t row = 0; row < 32; row++) {
        EXPECT_EQ(read(CRCT0 + 4 * row), 0xffffffff - row);
    }
}

TEST_F(DmaController, IgnoresWritesOfReadOnlyRegisters)
{
    for (const uint32_t offset : {STAT, CRCC, CRCR, AD2S, AD2T, DES2}) {
        EXPECT_FALSE(write(offset, 0xffffffff));
    }
    EXPECT_EQ(read(STAT), CORE);
    EXPECT_EQ(read(AD2S), 0u);
}

TEST_F(DmaController, RefusesUserModeMisalignedAndUnknownAddresses)
{
    uint32_t value = 1;
    bool started = true;
    EXPECT_EQ(dma_ctrl_read32(&dma_, STAT, false, &value), REGISTER_BUS_ERROR);
    EXPECT_EQ(dma_ctrl_write32(&dma_, ADRS, false, 4, &started), REGISTER_BUS_ERROR);
    EXPECT_EQ(dma_ctrl_read32(&dma_, STAT + 1, true, &value), REGISTER_BUS_ERROR);
    EXPECT_EQ(dma_ctrl_write32(&dma_, ADRS + 2, true, 4, &started), REGISTER_BUS_ERROR);
    for (const uint32_t offset : {0x00u, 0x2cu, 0x3cu, 0x60u, 0x100u, 0x110u, 0x17cu, 0x200u}) {
        EXPECT_EQ(dma_ctrl_read32(&dma_, offset, true, &value), REGISTER_BUS_ERROR) << offset;
        EXPECT_EQ(refused_write(offset, 1), REGISTER_BUS_ERROR) << offset;
    }
    EXPECT_EQ(read(ADRS), 0u);
}

TEST_F(DmaController, AWriteOfTheDescriptionStartsTheTransfer)
{
    EXPECT_TRUE(commit(0x60001000, 0x00400100, words_to_tcm(4)));
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING);
    EXPECT_EQ(read(AD2S), 0x60001000u);
    EXPECT_EQ(read(AD2T), 0x00400100u);
    EXPECT_EQ(read(DES2), words_to_tcm(4));
}

TEST_F(DmaController, QueuesASecondTransfer)
{
    EXPECT_TRUE(commit(0x60001000, 0x00400100, words_to_tcm(4)));
    EXPECT_FALSE(commit(0x60002000, 0x00400200, words_to_tcm(8)));
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING | QUEUE_FULL);
    end();
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING | DONE);
    EXPECT_EQ(next().system_address, 0x60002000u);
    EXPECT_EQ(next().tcm_address, 0x00400200u);
    EXPECT_EQ(next().bytes, 32u);
}

TEST_F(DmaController, RefusesAThirdTransfer)
{
    commit(0x60001000, 0x00400100, words_to_tcm(4));
    commit(0x60002000, 0x00400200, words_to_tcm(8));
    for (const uint32_t offset : {ADRS, ADRT, DESC}) {
        EXPECT_EQ(refused_write(offset, 0x7000), REGISTER_BUS_ERROR) << offset;
    }
    EXPECT_EQ(read(ADRS), 0x60002000u);
    EXPECT_EQ(read(ADRT), 0x00400200u);
    EXPECT_EQ(read(DESC), words_to_tcm(8));
}

TEST_F(DmaController, CountsUpToTwoTransfersDone)
{
    for (unsigned i = 0; i < 3; i++) {
        commit(0x60000000, 0x00400000, words_to_tcm(4));
        end();
        const uint32_t expected = i == 0 ? DONE : DONE | SECOND_DONE;
        EXPECT_EQ(read(STAT), CORE | expected) << i;
    }
    write(CTRL, CLEAR_DONE);
    EXPECT_EQ(read(STAT), CORE | DONE);
    write(CTRL, CLEAR_DONE);
    EXPECT_EQ(read(STAT), CORE);
    write(CTRL, CLEAR_DONE);
    EXPECT_EQ(read(STAT), CORE);
    EXPECT_EQ(dma_.counters.transfers, 3u);
}

TEST_F(DmaController, InterruptsWhenADoneBitIsEnabled)
{
    commit(0x60000000, 0x00400000, words_to_tcm(4));
    end();
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_DONE));
    write(GCTL, SECOND_DONE);
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_DONE)) << "only one is done";
    write(GCTL, DONE);
    EXPECT_TRUE(interrupts(&dma_, VIC_SOURCE_DMA_DONE));
    write(CTRL, CLEAR_DONE);
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_DONE));
}

TEST_F(DmaController, InterruptsForTheSecondDoneBitAlone)
{
    write(GCTL, SECOND_DONE);
    commit(0x60000000, 0x00400000, words_to_tcm(4));
    commit(0x60000000, 0x00400000, words_to_tcm(4));
    end();
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_DONE));
    end();
    EXPECT_TRUE(interrupts(&dma_, VIC_SOURCE_DMA_DONE));
}

TEST_F(DmaController, ABusErrorPausesAndDropsTheTransfer)
{
    write(GCTL, BUS_ERROR);
    commit(0x60000000, 0x00400000, words_to_tcm(64));
    commit(0x60003000, 0x00400300, words_to_tcm(4));
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
    end(DMA_BURST_BUS_ERROR);
    EXPECT_EQ(read(STAT), CORE | BUS_ERROR | PAUSED | QUEUE_FULL);
    EXPECT_TRUE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
    EXPECT_TRUE(idle()) << "the queued transfer waits";
    EXPECT_EQ(dma_.counters.errors, 1u);
    EXPECT_EQ(dma_.counters.transfers, 0u);
    EXPECT_TRUE(write(CTRL, RESTART)) << "and now starts";
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING);
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
    EXPECT_EQ(next().system_address, 0x60003000u);
}

TEST_F(DmaController, ATcmErrorHasItsOwnCode)
{
    write(GCTL, BUS_ERROR);
    commit(0x60000000, 0x00500000, words_to_tcm(4));
    end(DMA_BURST_TCM_ERROR);
    EXPECT_EQ(read(STAT), CORE | TCM_ERROR | PAUSED);
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR)) << "only bus errors are enabled";
    write(GCTL, TCM_ERROR);
    EXPECT_TRUE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
}

TEST_F(DmaController, ATransferCommittedWhilePausedWaitsForTheRestart)
{
    commit(0x60000000, 0x00400000, words_to_tcm(4));
    end(DMA_BURST_BUS_ERROR);
    EXPECT_FALSE(commit(0x60004000, 0x00400000, words_to_tcm(4)));
    EXPECT_EQ(read(STAT), CORE | BUS_ERROR | PAUSED | QUEUE_FULL);
    EXPECT_TRUE(write(CTRL, RESTART));
}

TEST_F(DmaController, AnAbortDropsTheActiveTransferAndPausesAsAnErrorDoes)
{
    commit(0x60000000, 0x00400000, words_to_tcm(64));
    commit(0x60003000, 0x00400300, words_to_tcm(4));
    write(GCTL, 1u << 16);
    EXPECT_FALSE(write(CTRL, ABORT));
    EXPECT_EQ(read(STAT), CORE | 1u << 16 | 1u << 2 | 1u << 1) << "the next one waits";
    EXPECT_TRUE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
    EXPECT_TRUE(write(CTRL, RESTART));
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING);
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
    EXPECT_EQ(next().system_address, 0x60003000u);
}

TEST_F(DmaController, AnAbortOfNothingIsNoError)
{
    EXPECT_FALSE(write(CTRL, ABORT));
    EXPECT_EQ(read(STAT), CORE);
}

TEST_F(DmaController, AStoreThatFailsInTheBridgeIsAnErrorThatStopsNothing)
{
    commit(0x60000000, 0x00400000, words_to_tcm(4));
    write(GCTL, 1u << 20);
    dma_ctrl_store_failed(&dma_);
    EXPECT_EQ(read(STAT), CORE | 1u << 20 | TRANSFERRING);
    EXPECT_TRUE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
    write(CTRL, RESTART);
    EXPECT_EQ(read(STAT) >> 20 & 1, 1u) << "it has a bit of its own:";
    write(CTRL, 1u << 5);
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING);
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
}

TEST_F(DmaController, AnUncommitDropsTheQueuedTransfer)
{
    commit(0x60000000, 0x00400000, words_to_tcm(4));
    commit(0x60003000, 0x00400300, words_to_tcm(4));
    write(CTRL, UNCOMMIT);
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING);
    end();
    EXPECT_TRUE(idle());
}

TEST_F(DmaController, AFlushAsTheApiDoesItLeavesNothing)
{
    commit(0x60000000, 0x00400000, words_to_tcm(4));
    commit(0x60003000, 0x00400300, words_to_tcm(4));
    end();
    EXPECT_FALSE(write(CTRL, 0x3f));
    EXPECT_EQ(read(STAT) & TRANSFERRING, 0u);
    EXPECT_FALSE(write(CTRL, 0x0d));
    EXPECT_EQ(read(STAT), CORE);
    EXPECT_EQ(read(CTRL), 0u) << "commands clear themselves";
}

TEST_F(DmaController, ABurstThatEndsAfterAnAbortCountsForNothing)
{
    commit(0x60000000, 0x00400000, words_to_tcm(4));
    const dma_burst burst = next();
    write(CTRL, ABORT);
    const std::vector<uint8_t> nothing(burst.bytes);
    dma_ctrl_end_burst(&dma_, &burst, nothing.data(), 1, DMA_BURST_DONE);
    EXPECT_EQ(read(STAT), CORE | 1u << 16 | 1u << 1) << "aborted, paused, and nothing done";
    EXPECT_EQ(dma_.counters.bursts, 0u);
    EXPECT_EQ(dma_.counters.bytes_to_tcm, 0u);
}

TEST_F(DmaController, ClearsATimeoutOnly)
{
    dma_.status |= TIMEOUT;
    write(GCTL, TIMEOUT);
    EXPECT_TRUE(interrupts(&dma_, VIC_SOURCE_DMA_TIMEOUT));
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
    write(CTRL, CLEAR_TIMEOUT);
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_TIMEOUT));
    EXPECT_EQ(read(STAT), CORE);
}

TEST_F(DmaController, BurstsAreAPowerOfTwoOfTheWidth)
{
    for (uint32_t length = 0; length <= 7; length++) {
        const uint32_t units = 1u << (length > 4 ? 4 : length); /* 16 is the largest */
        dma_ctrl_reset(&dma_, 5, false);
        commit(0x60000000, 0x00400000, words_to_tcm(256, length, false));
        EXPECT_EQ(next().bytes, 4 * units) << length;
        dma_ctrl_reset(&dma_, 5, false);
        commit(0x60000000, 0x00400000, words_to_tcm(256, length, true));
        EXPECT_EQ(next().bytes, 8 * units) << length;
    }
}

TEST_F(DmaController, TheLastBurstIsWhatIsLeft)
{
    commit(0x60000000, 0x00400000, words_to_tcm(37)); /* 148 bytes */
    EXPECT_EQ(next().bytes, 128u);
    end();
    EXPECT_EQ(read(DES2) & 0x1fffc, 20u);
    EXPECT_EQ(next().system_address, 0x60000080u);
    EXPECT_EQ(next().tcm_address, 0x00400080u);
    EXPECT_EQ(next().bytes, 20u);
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING);
    end();
    EXPECT_EQ(read(STAT), CORE | DONE);
    EXPECT_EQ(dma_.counters.bursts, 2u);
    EXPECT_EQ(dma_.counters.bytes_to_tcm, 148u);
    EXPECT_EQ(dma_.counters.bytes_from_tcm, 0u);
}

TEST_F(DmaController, TheLongestTransferHas32767Words)
{
    commit(0x60000000, 0x00400000, words_to_tcm(32767));
    uint64_t bytes = 0;
    while (!idle()) {
        bytes += next().bytes;
        end();
    }
    EXPECT_EQ(bytes, 131068u);
    EXPECT_EQ(dma_.counters.bursts, 1024u);
}

TEST_F(DmaController, TheDirectionBitMakesItWrite)
{
    commit(0x60000000, 0x00400000, words_to_tcm(4) | TO_SYSTEM);
    EXPECT_TRUE(next().to_system);
    end();
    EXPECT_EQ(dma_.counters.bytes_from_tcm, 16u);
    EXPECT_EQ(dma_.counters.bytes_to_tcm, 0u);
}

TEST_F(DmaController, ATransferOfNothingIsDoneWithoutABurst)
{
    EXPECT_TRUE(commit(0x60000000, 0x00400000, words_to_tcm(0)));
    EXPECT_EQ(next().bytes, 0u);
    end();
    EXPECT_EQ(read(STAT), CORE | DONE);
    EXPECT_EQ(dma_.counters.bursts, 0u);
    EXPECT_EQ(dma_.counters.transfers, 1u);
}

/* ---- timeout ---- */

TEST_F(DmaController, ABurstThatTakesLongerThanTheTimeoutSetsTheFlagAndGoesOn)
{
    write(TMTV, 0x20);
    write(GCTL, TIMEOUT);
    commit(0x60000000, 0x00400000, words_to_tcm(96));
    end(DMA_BURST_DONE, 32);
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING) << "just in time";
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_TIMEOUT));
    end(DMA_BURST_DONE, 33);
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING | TIMEOUT);
    EXPECT_TRUE(interrupts(&dma_, VIC_SOURCE_DMA_TIMEOUT));
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
    end(DMA_BURST_DONE, 1);
    EXPECT_EQ(read(STAT), CORE | DONE | TIMEOUT);
    EXPECT_EQ(dma_.counters.errors, 0u);
    write(CTRL, CLEAR_TIMEOUT);
    EXPECT_EQ(read(STAT), CORE | DONE);
}

TEST_F(DmaController, WithoutATimeoutNothingIsTooLong)
{
    commit(0x60000000, 0x00400000, words_to_tcm(4));
    end(DMA_BURST_DONE, UINT64_MAX);
    EXPECT_EQ(read(STAT), CORE | DONE);
}

/* ---- statistics ---- */

TEST_F(DmaController, CountsBurstsByTheTimeTheyTake)
{
    write(SCTL, 1);
    EXPECT_EQ(read(SCTL), 1u);
    commit(0x60000000, 0x00400000, words_to_tcm(32 * 18));
    for (uint32_t column = 0; column < 8; column++) {
        end(DMA_BURST_DONE, 128 * column);
        end(DMA_BURST_DONE, 128 * column + 127);
    }
    end(DMA_BURST_DONE, 1024); /* beyond the last column */
    end(DMA_BURST_BUS_ERROR, UINT64_MAX);
    for (uint32_t column = 0; column < 8; column++) {
        EXPECT_EQ(read(STATS0 + 4 * column), column == 7 ? 4u : 2u) << column;
    }
    write(STATS0, 9);
    EXPECT_EQ(read(STATS0), 2u) << "read only";
    write(SCTL, 2);
    EXPECT_EQ(read(SCTL), 0u) << "the clearing bit reads 0";
    for (uint32_t column = 0; column < 8; column++) {
        EXPECT_EQ(read(STATS0 + 4 * column), 0u) << column;
    }
}

TEST_F(DmaController, CountsOnlyWhatGoesToTheSystemAndOnlyWhenTold)
{
    commit(0x60000000, 0x00400000, words_to_tcm(64));
    end();
    EXPECT_EQ(read(STATS0), 0u) << "not enabled";
    write(SCTL, 1);
    end(DMA_BURST_TCM_ERROR);
    EXPECT_EQ(read(STATS0), 0u);
    write(CTRL, RESTART);
    commit(0x60000000, 0x00400000, words_to_tcm(0));
    end();
    EXPECT_EQ(read(STATS0), 0u) << "a transfer of nothing has no burst";
    commit(0x60000000, 0x00400000, words_to_tcm(1));
    end();
    EXPECT_EQ(read(STATS0), 1u);
    write(SCTL, 0);
    EXPECT_EQ(read(STATS0), 1u) << "disabling keeps what was counted";
}

TEST_F(DmaController, AStatisticsCounterStopsAtItsLargestValue)
{
    write(SCTL, 1);
    for (unsigned i = 0; i < 0x10001; i++) {
        commit(0x60000000, 0x00400000, words_to_tcm(1));
        end();
        if (i == 0xfffd) {
            EXPECT_EQ(read(STATS0), 0xfffeu);
        }
    }
    EXPECT_EQ(read(STATS0), 0xffffu);
}

/* ---- CRC ---- */

constexpr uint32_t WITH_CRC = 1u << 20;

/* The rows of CRC-32 as the datasheet prints them. */
constexpr uint32_t CRC32_ROWS[] = {
    0xfb808b20, 0x7dc04590, 0xbee022c8, 0x5f701164, 0x2fb808b2, 0x97dc0459, 0xb06e890c, 0x58374486,
    0xac1ba243, 0xad8d5a01, 0xad462620, 0x56a31310, 0x2b518988, 0x95a8c4c4, 0xcad46262, 0x656a3131,
    0x493593b8, 0x249ac9dc, 0x924d64ee, 0xc926b277, 0x9f13d21b, 0xb409622d, 0x21843a36, 0x90c21d1b,
    0x33e185ad, 0x627049f6, 0x313824fb, 0xe31c995d, 0x8a0ec78e, 0xc50763c7, 0x19033ac3, 0xf7011641};

/* The usual CRC-32, a bit at a time. */
uint32_t crc32(const std::vector<uint8_t> &bytes)
{
    uint32_t crc = 0xffffffff;
    for (const uint8_t byte : bytes) {
        crc ^= byte;
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

class DmaCrc : public DmaController
{
  protected:
    DmaCrc()
    {
        for (uint32_t row = 0; row < 32; row++) {
            write(CRCT0 + 4 * row, CRC32_ROWS[row]);
        }
    }

    /* 37 words: more than one burst. */
    static std::vector<uint8_t> data()
    {
        std::vector<uint8_t> bytes;
        for (uint32_t i = 0; i < 148; i++) {
            bytes.push_back(static_cast<uint8_t>(i));
        }
        return bytes;
    }

    static std::vector<uint8_t> with_crc(std::vector<uint8_t> bytes, uint32_t crc)
    {
        for (unsigned i = 0; i < 4; i++) {
            bytes.push_back(static_cast<uint8_t>(crc >> 8 * i));
        }
        return bytes;
    }
};

TEST_F(DmaCrc, OfEightDigitsIsTheKnownOne)
{
    const std::vector<uint8_t> digits = {'1', '2', '3', '4', '5', '6', '7', '8'};
    EXPECT_EQ(crc32(digits), 0x9ae0daafu);
    commit(0x60000000, 0x00400000, words_to_tcm(2) | WITH_CRC);
    end_with(digits, 0x60000000);
    EXPECT_EQ(read(CRCC), 0x9ae0daafu);
}

TEST_F(DmaCrc, AReadComparesItWithTheWordBehindTheData)
{
    const uint32_t crc = crc32(data());
    EXPECT_EQ(crc, 0x8b283295u);
    const std::vector<uint8_t> all = with_crc(data(), crc);
    commit(0x60000000, 0x00400000, words_to_tcm(37) | WITH_CRC);
    end_with(all, 0x60000000);
    EXPECT_FALSE(next().check_word);
    end_with(all, 0x60000000);
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING) << "the check word is still to come";
    EXPECT_TRUE(next().check_word);
    EXPECT_EQ(next().system_address, 0x60000094u);
    EXPECT_EQ(next().bytes, 4u);
    EXPECT_FALSE(next().to_system);
    end_with(all, 0x60000000);
    EXPECT_EQ(read(STAT), CORE | DONE);
    EXPECT_EQ(read(CRCC), crc);
    EXPECT_EQ(read(CRCR), crc);
    EXPECT_EQ(read(AD2S), 0x60000098u);
    EXPECT_EQ(read(AD2T), 0x00400094u) << "it does not go to the TCM";
    EXPECT_EQ(dma_.counters.bursts, 3u);
    EXPECT_EQ(dma_.counters.bytes_to_tcm, 152u);
    EXPECT_EQ(dma_.counters.transfers, 1u);
}

TEST_F(DmaCrc, AWrongWordIsAnErrorThatPauses)
{
    write(GCTL, CRC_ERROR | DONE);
    const uint32_t crc = crc32(data());
    const std::vector<uint8_t> all = with_crc(data(), crc ^ 0x80000000);
    commit(0x60000000, 0x00400000, words_to_tcm(37) | WITH_CRC);
    commit(0x60003000, 0x00400300, words_to_tcm(4));
    end_with(all, 0x60000000);
    end_with(all, 0x60000000);
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
    end_with(all, 0x60000000);
    EXPECT_EQ(read(STAT), CORE | CRC_ERROR | PAUSED | QUEUE_FULL) << "and not done";
    EXPECT_TRUE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_DONE));
    EXPECT_EQ(read(CRCC), crc);
    EXPECT_EQ(read(CRCR), crc ^ 0x80000000);
    EXPECT_EQ(dma_.counters.errors, 1u);
    EXPECT_EQ(dma_.counters.transfers, 0u);
    EXPECT_TRUE(write(CTRL, RESTART));
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING);
    EXPECT_EQ(read(CRCC), crc) << "a transfer without CRC leaves it";
}

TEST_F(DmaCrc, AWriteAppendsIt)
{
    commit(0x60000000, 0x00400000, words_to_tcm(37) | WITH_CRC | TO_SYSTEM);
    end_with(data(), 0x60000000);
    end_with(data(), 0x60000000);
    EXPECT_TRUE(next().check_word);
    EXPECT_TRUE(next().to_system);
    EXPECT_EQ(next().system_address, 0x60000094u);
    uint8_t bytes[DMA_CRC_BYTES] = {};
    dma_ctrl_check_word(&dma_, bytes);
    const uint32_t crc = crc32(data());
    for (unsigned i = 0; i < 4; i++) {
        EXPECT_EQ(bytes[i], static_cast<uint8_t>(crc >> 8 * i)) << i;
    }
    end();
    EXPECT_EQ(read(STAT), CORE | DONE);
    EXPECT_EQ(read(CRCC), crc);
    EXPECT_EQ(read(CRCR), 0u) << "nothing was received";
    EXPECT_EQ(dma_.counters.bytes_from_tcm, 152u);
}

TEST_F(DmaCrc, EachTransferBeginsAnew)
{
    for (unsigned i = 0; i < 2; i++) {
        const std::vector<uint8_t> all = with_crc({1, 2, 3, 4}, crc32({1, 2, 3, 4}));
        commit(0x60000000, 0x00400000, words_to_tcm(1) | WITH_CRC);
        EXPECT_EQ(read(CRCC), 0u);
        end_with(all, 0x60000000);
        end_with(all, 0x60000000);
        EXPECT_EQ(read(STAT) & (CRC_ERROR | PAUSED), 0u) << i;
    }
    EXPECT_EQ(read(STAT), CORE | DONE | SECOND_DONE);
}

TEST_F(DmaCrc, OfNothingIsZero)
{
    commit(0x60000000, 0x00400000, words_to_tcm(0) | WITH_CRC);
    EXPECT_TRUE(next().check_word);
    end(); /* a word of zeros */
    EXPECT_EQ(read(STAT), CORE | DONE);
    EXPECT_EQ(crc32({}), 0u);
}

TEST_F(DmaCrc, AnErrorOfTheBusAtTheCheckWordIsThatError)
{
    commit(0x60000000, 0x00400000, words_to_tcm(0) | WITH_CRC);
    end(DMA_BURST_BUS_ERROR);
    EXPECT_EQ(read(STAT), CORE | BUS_ERROR | PAUSED);
}

TEST_F(DmaCrc, IsWhatTheMatrixMakesOfIt)
{
    for (uint32_t row = 0; row < 32; row++) { /* row k keeps bit k of the register */
        write(CRCT0 + 4 * row, 0x80000000u >> row);
    }
    commit(0x60000000, 0x00400000, words_to_tcm(2) | WITH_CRC);
    const std::vector<uint8_t> all = {0x78, 0x56, 0x34, 0x12, 0x01, 0x00, 0x00, 0x80};
    end_with(all, 0x60000000);
    EXPECT_EQ(read(CRCC), 0x12345678u ^ 0x80000001u) << "the words XORed, both inversions cancel";
    write(CTRL, ABORT | RESTART);
    commit(0x60000000, 0x00400000, words_to_tcm(1) | WITH_CRC);
    write(CRCT0, 0); /* row 0 gives nothing: bit 0 is 0 before the inversion */
    end_with(all, 0x60000000);
    EXPECT_EQ(read(CRCC), 0x12345679u);
}

} // namespace
