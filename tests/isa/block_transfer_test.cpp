/* block_transfer_test.cpp - LDM, STM, LDRD, STRD and write-back where the manual leaves a choice:
 * base in list, empty list, User bank, stored pc, pc as base. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

static constexpr uint32_t AT = DTCM_BASE + 0x1000;
static constexpr uint32_t CODE = CODE_BASE;

class BlockTransfer : public ::testing::Test
{
  protected:
    BlockTransfer()
    {
        for (uint32_t i = 0; i < 64; i++) {
            bench.set_word(AT - 0x80 + 4 * i, 0x1000 + i); /* 0x1020 at AT */
        }
        for (unsigned i = 0; i < 15; i++) {
            bench.set(i, 0xaa00 + i);
        }
    }

    void run(uint32_t insn)
    {
        bench.set_word(CODE, insn);
        bench.start(CODE);
        ASSERT_EQ(bench.step(), ARM968_STOP_HORIZON);
    }

    void run_thumb(uint16_t insn)
    {
        bench.thumb(CODE, {insn});
        bench.start(CODE, true);
        ASSERT_EQ(bench.step(), ARM968_STOP_HORIZON);
    }

    core_bench bench;
};

TEST_F(BlockTransfer, FourModesLoadTheRightWords)
{
    const struct {
        arm_block_mode mode;
        uint32_t first, base; /* words from AT */
    } rows[4] = {{IA, 0x1020, 3}, {IB, 0x1021, 3}, {DA, 0x101e, 0}, {DB, 0x101d, 0}};
    for (const auto &row : rows) {
        for (const bool writeback : {false, true}) {
            bench.set(1, AT);
            run(block_transfer(true, row.mode, r1, writeback, register_list({r2, r5, r7})));
            EXPECT_EQ(bench.reg(2), row.first);
            EXPECT_EQ(bench.reg(5), row.first + 1);
            EXPECT_EQ(bench.reg(7), row.first + 2);
            const uint32_t moved = row.base == 0 ? AT - 12 : AT + 12;
            EXPECT_EQ(bench.reg(1), writeback ? moved : AT);
        }
    }
}

TEST_F(BlockTransfer, FourModesStoreToTheRightWords)
{
    const struct {
        arm_block_mode mode;
        uint32_t first, base;
    } rows[4] = {
        {IA, AT, AT + 8}, {IB, AT + 4, AT + 8}, {DA, AT - 4, AT - 8}, {DB, AT - 8, AT - 8}};
    for (const auto &row : rows) {
        bench.set(1, AT);
        bench.set(9, 0x900 + row.mode);
        bench.set(12, 0xc00 + row.mode);
        run(block_transfer(false, row.mode, r1, true, register_list({r9, r12})));
        EXPECT_EQ(bench.word(row.first), 0x900u + row.mode);
        EXPECT_EQ(bench.word(row.first + 4), 0xc00u + row.mode);
        EXPECT_EQ(bench.reg(1), row.base);
    }
}

TEST_F(BlockTransfer, ALoadedBaseIsWrittenBackUnlessItIsTheLast)
{
    bench.set(3, AT);
    run(ldm_w(r3, {r2, r3, r4})); /* in the middle: the written-back value */
    EXPECT_EQ(bench.reg(3), AT + 12);
    EXPECT_EQ(bench.reg(4), 0x1022u);
    bench.set(2, AT);
    run(ldm_w(r2, {r2, r3})); /* the first */
    EXPECT_EQ(bench.reg(2), AT + 8);
    bench.set(4, AT);
    run(ldm_w(r4, {r2, r4})); /* the last: the loaded value */
    EXPECT_EQ(bench.reg(4), 0x1021u);
    bench.set(4, AT);
    run(ldm_w(r4, {r4})); /* the only one: written back */
    EXPECT_EQ(bench.reg(4), AT + 4);
    bench.set(4, AT);
    run(block_transfer(true, DB, r4, true, register_list({r4, r5})));
    EXPECT_EQ(bench.reg(4), AT - 8);
    bench.set(4, AT);
    run(ldm(r4, {r4, r5})); /* without write-back: loaded */
    EXPECT_EQ(bench.reg(4), 0x1020u);
}

TEST_F(BlockTransfer, AThumbLoadKeepsALoadedBase)
{
    bench.set(3, AT);
    run_thumb(thumb::ldmia(r3, {r2, r3, r4}));
    EXPECT_EQ(bench.reg(3), 0x1021u);
    EXPECT_EQ(bench.reg(4), 0x1022u);
    bench.set(3, AT);
    run_thumb(thumb::ldmia(r3, {r3}));
    EXPECT_EQ(bench.reg(3), 0x1020u);
    bench.set(3, AT);
    run_thumb(thumb::ldmia(r3, {r2, r4}));
    EXPECT_EQ(bench.reg(3), AT + 8);
}

TEST_F(BlockTransfer, AStoredBaseIsTheOldOne)
{
    for (const bool thumb_state : {false, true}) {
        bench.set(3, AT);
        thumb_state ? run_thumb(thumb::stmia(r3, {r2, r3, r4})) : run(stm_w(r3, {r2, r3, r4}));
        EXPECT_EQ(bench.word(AT + 4), AT);
        EXPECT_EQ(bench.reg(3), AT + 12);
        bench.set(3, AT);
        thumb_state ? run_thumb(thumb::stmia(r3, {r3, r4})) : run(stm_w(r3, {r3, r4}));
        EXPECT_EQ(bench.word(AT), AT);
        EXPECT_EQ(bench.reg(3), AT + 8);
    }
    bench.set(13, AT);
    run(push({r0, sp}));
    EXPECT_EQ(bench.word(AT - 4), AT);
    EXPECT_EQ(bench.reg(13), AT - 8);
}

TEST_F(BlockTransfer, AnEmptyListTransfersNothingAndMovesTheBase)
{
    const std::vector<uint8_t> dtcm = bench.dtcm;
    bench.set(3, AT);
    run(block_transfer(true, IA, r3, true, 0));
    EXPECT_EQ(bench.reg(3), AT + 0x40);
    run(block_transfer(false, DB, r3, true, 0));
    EXPECT_EQ(bench.reg(3), AT);
    run(block_transfer(true, IB, r3, false, 0));
    EXPECT_EQ(bench.reg(3), AT);
    run_thumb(0xc300); /* STMIA r3!, {} */
    EXPECT_EQ(bench.reg(3), AT + 0x40);
    run_thumb(0xcb00); /* LDMIA r3!, {} */
    EXPECT_EQ(bench.reg(3), AT + 0x80);
    bench.set(13, AT);
    run_thumb(0xb400); /* PUSH {} */
    EXPECT_EQ(bench.reg(13), AT - 0x40);
    run_thumb(0xbc00); /* POP {} */
    EXPECT_EQ(bench.reg(13), AT);
    EXPECT_EQ(bench.dtcm, dtcm);
    EXPECT_EQ(bench.counters().unpredictable, 7u);
    EXPECT_EQ(bench.counters().words_loaded + bench.counters().words_stored, 0u);
}

TEST_F(BlockTransfer, APcStoredIsTheInstructionPlusTwelve)
{
    bench.set(1, AT);
    run(stm(r1, {r0, pc}));
    EXPECT_EQ(bench.word(AT + 4), CODE + 12);
    run(str_imm(pc, r1, 8));
    EXPECT_EQ(bench.word(AT + 8), CODE + 12);
    bench.set_word(AT + 12, 0);
    run(strb_imm(pc, r1, 12));
    EXPECT_EQ(bench.word(AT + 12), (CODE + 12) & 0xff);
}

TEST_F(BlockTransfer, UserBankIsLoadedAndStoredFromOtherModes)
{
    bench.set_mode(ARM968_IRQ_MODE);
    arm968_set_banked_register(bench.cpu, ARM968_USER, 13, 0x1313);
    arm968_set_banked_register(bench.cpu, ARM968_USER, 14, 0x1414);
    bench.set(1, AT);
    bench.set(13, 0xbad);
    bench.set(14, 0xbad);
    run(block_transfer(false, IA, r1, false, register_list({r12, sp, lr}), true));
    EXPECT_EQ(bench.word(AT), 0xaa0cu);
    EXPECT_EQ(bench.word(AT + 4), 0x1313u);
    EXPECT_EQ(bench.word(AT + 8), 0x1414u);
    run(block_transfer(true, IB, r1, false, register_list({r12, sp, lr}), true));
    EXPECT_EQ(bench.reg(12), 0x1313u);
    EXPECT_EQ(bench.reg(13), 0xbadu);
    EXPECT_EQ(bench.reg(14), 0xbadu);
    EXPECT_EQ(arm968_banked_register(bench.cpu, ARM968_USER, 13), 0x1414u);
    EXPECT_EQ(arm968_banked_register(bench.cpu, ARM968_USER, 14), 0x1023u);
}

TEST_F(BlockTransfer, UserBankFromFiqReachesTheTwelveLowRegistersToo)
{
    bench.set_mode(ARM968_FIQ_MODE);
    bench.set(1, AT);
    bench.set(8, 0xf8);
    bench.set(12, 0xfc);
    run(block_transfer(true, IA, r1, false, register_list({r7, r8, r12}), true));
    EXPECT_EQ(bench.reg(7), 0x1020u);
    EXPECT_EQ(bench.reg(8), 0xf8u);
    EXPECT_EQ(bench.reg(12), 0xfcu);
    EXPECT_EQ(arm968_banked_register(bench.cpu, ARM968_SYSTEM, 8), 0x1021u);
    EXPECT_EQ(arm968_banked_register(bench.cpu, ARM968_SYSTEM, 12), 0x1022u);
    run(block_transfer(false, IB, r1, false, register_list({r8, r12}), true));
    EXPECT_EQ(bench.word(AT + 4), 0x1021u);
    EXPECT_EQ(bench.word(AT + 8), 0x1022u);
}

TEST_F(BlockTransfer, UserBankWithWritebackMovesTheBaseOfTheMode)
{
    bench.set_mode(ARM968_FIQ_MODE);
    arm968_set_banked_register(bench.cpu, ARM968_USER, 8, 0x888);
    bench.set(8, AT);
    run(block_transfer(false, IA, r8, true, register_list({r0, r1}), true));
    EXPECT_EQ(bench.reg(8), AT + 8);
    EXPECT_EQ(arm968_banked_register(bench.cpu, ARM968_USER, 8), 0x888u);
}

TEST_F(BlockTransfer, UserBankInUserAndSystemModeIsAPlainTransferAndNoted)
{
    for (const enum arm968_mode mode : {ARM968_SYSTEM, ARM968_USER}) {
        bench.set_mode(mode);
        bench.set(1, AT);
        const uint64_t before = bench.counters().unpredictable;
        run(block_transfer(true, IA, r1, false, register_list({r12, lr}), true));
        EXPECT_EQ(bench.reg(12), 0x1020u);
        EXPECT_EQ(bench.reg(14), 0x1021u);
        EXPECT_EQ(bench.counters().unpredictable, before + 1);
        run(block_transfer(false, IB, r1, false, register_list({r12, lr}), true));
        EXPECT_EQ(bench.word(AT + 4), 0x1020u);
        EXPECT_EQ(bench.counters().unpredictable, before + 2);
        bench.set_words(AT, {0x1020, 0x1021, 0x1022});
    }
}

TEST_F(BlockTransfer, APcAsBaseIsTheInstructionPlusEightAndIsNotWrittenBack)
{
    bench.arm(CODE + 8, {0x5150, 0x5251});
    run(block_transfer(true, IA, pc, true, register_list({r2, r3})));
    EXPECT_EQ(bench.reg(2), 0x5150u);
    EXPECT_EQ(bench.reg(3), 0x5251u);
    EXPECT_EQ(bench.reg(15), CODE + 4);
    EXPECT_EQ(bench.counters().unpredictable, 1u);
    run(ldr_pre(r0, pc, 4));
    EXPECT_EQ(bench.reg(0), 0x5251u);
    EXPECT_EQ(bench.reg(15), CODE + 4);
    run(ldr_post(r0, pc, 4));
    EXPECT_EQ(bench.reg(0), 0x5150u);
    EXPECT_EQ(bench.reg(15), CODE + 4);
    EXPECT_EQ(bench.counters().unpredictable, 3u);
}

TEST_F(BlockTransfer, ALoadIntoItsBaseWinsOverWriteback)
{
    bench.set(1, AT);
    run(ldr_pre(r1, r1, 4));
    EXPECT_EQ(bench.reg(1), 0x1021u);
    bench.set(1, AT);
    run(ldr_post(r1, r1, 4));
    EXPECT_EQ(bench.reg(1), 0x1020u);
    bench.set(1, AT);
    run(half_imm(LOAD_HALF, true, true, r1, r1, 8));
    EXPECT_EQ(bench.reg(1), 0x1022u);
}

TEST_F(BlockTransfer, AStoreOfItsBaseStoresTheOldValue)
{
    bench.set(1, AT);
    run(str_pre(r1, r1, 4));
    EXPECT_EQ(bench.word(AT + 4), AT);
    EXPECT_EQ(bench.reg(1), AT + 4);
    run(str_post(r1, r1, 8));
    EXPECT_EQ(bench.word(AT + 4), AT + 4);
    EXPECT_EQ(bench.reg(1), AT + 12);
}

TEST_F(BlockTransfer, DoubleWordsInAllAddressingModes)
{
    bench.set(1, AT);
    bench.set(6, 16);
    run(half_imm(LOAD_DOUBLE, true, true, r2, r1, 8));
    EXPECT_EQ(bench.reg(2), 0x1022u);
    EXPECT_EQ(bench.reg(3), 0x1023u);
    EXPECT_EQ(bench.reg(1), AT + 8);
    run(half_imm(LOAD_DOUBLE, false, false, r4, r1, -8));
    EXPECT_EQ(bench.reg(4), 0x1022u);
    EXPECT_EQ(bench.reg(1), AT);
    run(half_reg(LOAD_DOUBLE, true, false, true, r2, r1, r6));
    EXPECT_EQ(bench.reg(2), 0x1024u);
    run(half_reg(LOAD_DOUBLE, false, false, false, r2, r1, r6));
    EXPECT_EQ(bench.reg(2), 0x1020u);
    EXPECT_EQ(bench.reg(1), AT - 16);
    run(half_reg(STORE_DOUBLE, true, true, true, r2, r1, r6));
    EXPECT_EQ(bench.word(AT), 0x1020u);
    EXPECT_EQ(bench.word(AT + 4), 0x1021u);
    EXPECT_EQ(bench.reg(1), AT);
    run(half_imm(STORE_DOUBLE, false, false, r12, r1, 8));
    EXPECT_EQ(bench.word(AT), 0xaa0cu);
    EXPECT_EQ(bench.word(AT + 4), 0xaa0du);
    EXPECT_EQ(bench.reg(1), AT + 8);
}

TEST_F(BlockTransfer, ATransferAcrossTheEndOfDtcmGoesOutsideForItsRest)
{
    const uint32_t end = DTCM_BASE + DTCM_BYTES;
    bench.outside.regions = {{end, 0x1000, REGION_ANSWERS, 3}};
    bench.set_words(end - 8, {1, 2, 3, 4});
    bench.set(1, end - 8);
    run(ldm_w(r1, {r2, r3, r4, r5}));
    EXPECT_EQ(bench.reg(2), 1u);
    EXPECT_EQ(bench.reg(5), 4u);
    EXPECT_EQ(bench.reg(1), end + 8);
    EXPECT_EQ(bench.cycle(), 4u + 3u);
    ASSERT_EQ(bench.outside.log.size(), 1u);
    EXPECT_EQ(bench.outside.log[0].access.address, end);
    EXPECT_EQ(bench.outside.log[0].access.words, 2u);
    bench.set(1, end - 4);
    run(stm(r1, {r5, r4}));
    EXPECT_EQ(bench.word(end - 4), 3u);
    EXPECT_EQ(bench.word(end), 4u);
}
