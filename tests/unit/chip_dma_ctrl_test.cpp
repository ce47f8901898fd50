/* The DMA controller's registers, queue, status and bursts. */
#include "tests/unit/chip_dma_ctrl_fixture.h"

namespace
{

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

} // namespace
