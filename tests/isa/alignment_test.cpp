/* alignment_test.cpp - misaligned accesses with CP15 c1 bit A clear and set. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

static constexpr uint32_t AT = DTCM_BASE + 0x100;
static constexpr uint32_t CODE = CODE_BASE;

/* ---- A = 0 ---- */

class Misaligned : public ::testing::Test
{
  protected:
    Misaligned()
    {
        bench.set_words(AT, {0x44332211, 0x88776655, 0xccbbaa99, 0x00ffeedd});
        bench.set(0, 0xa5a5a5a5);
    }

    void run(uint32_t insn, uint32_t r1_value)
    {
        bench.set_word(CODE, insn);
        bench.set(1, r1_value);
        bench.start(CODE);
        ASSERT_EQ(bench.step(), ARM968_STOP_HORIZON);
        ASSERT_EQ(bench.reg(15), CODE + 4);
    }

    void run_thumb(uint16_t insn, uint32_t r1_value)
    {
        bench.thumb(CODE, {insn});
        bench.set(1, r1_value);
        bench.start(CODE, true);
        ASSERT_EQ(bench.step(), ARM968_STOP_HORIZON);
        ASSERT_EQ(bench.reg(15), CODE + 2);
    }

    core_bench bench;
};

TEST_F(Misaligned, WordLoadsRotate)
{
    const uint32_t rotated[4] = {0x44332211, 0x11443322, 0x22114433, 0x33221144};
    for (uint32_t i = 0; i < 4; i++) {
        run(ldr_imm(r0, r1), AT + i);
        EXPECT_EQ(bench.reg(0), rotated[i]);
        run(ldr_imm(r0, r1, -8), AT + 8 + i);
        EXPECT_EQ(bench.reg(0), rotated[i]);
        bench.set(2, i);
        run(ldr_reg(r0, r1, r2), AT);
        EXPECT_EQ(bench.reg(0), rotated[i]);
        run(ldrt(r0, r1, 4), AT + i);
        EXPECT_EQ(bench.reg(0), rotated[i]);
        EXPECT_EQ(bench.reg(1), AT + i + 4);
        run_thumb(thumb::ldr_imm(r0, r1, 0), AT + i);
        EXPECT_EQ(bench.reg(0), rotated[i]);
        run_thumb(thumb::transfer_reg(thumb::LDR, r0, r1, r2), AT);
        EXPECT_EQ(bench.reg(0), rotated[i]);
    }
}

TEST_F(Misaligned, WordLoadsWriteTheUnmaskedBaseBack)
{
    run(ldr_pre(r0, r1, 3), AT - 1);
    EXPECT_EQ(bench.reg(0), 0x22114433u);
    EXPECT_EQ(bench.reg(1), AT + 2);
    run(ldr_post(r0, r1, 7), AT + 1);
    EXPECT_EQ(bench.reg(0), 0x11443322u);
    EXPECT_EQ(bench.reg(1), AT + 8);
    run(ldr_post(r1, r1, 7), AT + 1); /* the loaded value wins */
    EXPECT_EQ(bench.reg(1), 0x11443322u);
}

TEST_F(Misaligned, LiteralsRotate)
{
    bench.set_word(CODE + 8, 0x0badf00d);
    run(ldr_imm(r0, pc, 3), 0);
    EXPECT_EQ(bench.reg(0), 0xadf00d0bu);
}

TEST_F(Misaligned, LoadsFromItcmRotate)
{
    bench.set_word(0x4000, 0x44332211);
    run(ldr_imm(r0, r1), 0x4003);
    EXPECT_EQ(bench.reg(0), 0x33221144u);
}

TEST_F(Misaligned, WordStoresForceAlignment)
{
    for (uint32_t i = 1; i < 4; i++) {
        bench.set(0, 0x01020304 * i);
        run(str_imm(r0, r1), AT + i);
        EXPECT_EQ(bench.word(AT), 0x01020304u * i);
        EXPECT_EQ(bench.word(AT + 8), 0xccbbaa99u);
        bench.set(0, 0x10203040 * i);
        run_thumb(thumb::str_imm(r0, r1, 4), AT + i);
        EXPECT_EQ(bench.word(AT + 4), 0x10203040u * i);
    }
    run(str_pre(r0, r1, 2), AT + 9);
    EXPECT_EQ(bench.reg(1), AT + 11);
    EXPECT_EQ(bench.word(AT + 8), 0x306090c0u); /* 0x10203040 * 3 */
}

TEST_F(Misaligned, HalfWordAccessesIgnoreBitZero)
{
    run(ldrh_imm(r0, r1), AT + 1);
    EXPECT_EQ(bench.reg(0), 0x2211u);
    run(ldrh_imm(r0, r1), AT + 3);
    EXPECT_EQ(bench.reg(0), 0x4433u);
    run(ldrsh_imm(r0, r1), AT + 7);
    EXPECT_EQ(bench.reg(0), 0xffff8877u);
    bench.set(0, 0xdead1234);
    run(strh_imm(r0, r1), AT + 3);
    EXPECT_EQ(bench.word(AT), 0x12342211u);
    run_thumb(thumb::ldrh_imm(r0, r1, 4), AT + 1);
    EXPECT_EQ(bench.reg(0), 0x6655u);
    bench.set(2, 4);
    run_thumb(thumb::transfer_reg(thumb::LDRSH, r0, r1, r2), AT + 3);
    EXPECT_EQ(bench.reg(0), 0xffff8877u);
    run_thumb(thumb::strh_imm(r0, r1, 0), AT + 1);
    EXPECT_EQ(bench.word(AT), 0x12348877u);
}

TEST_F(Misaligned, BytesHaveNoAlignment)
{
    run(ldrb_imm(r0, r1), AT + 3);
    EXPECT_EQ(bench.reg(0), 0x44u);
    run(ldrsb_imm(r0, r1), AT + 7);
    EXPECT_EQ(bench.reg(0), 0xffffff88u);
    run(strb_imm(r0, r1), AT + 1);
    EXPECT_EQ(bench.word(AT), 0x44338811u);
}

TEST_F(Misaligned, SwapRotatesAndStoresAligned)
{
    bench.set(2, 0x0a0b0c0d);
    run(swp(r0, r2, r1), AT + 1);
    EXPECT_EQ(bench.reg(0), 0x11443322u);
    EXPECT_EQ(bench.word(AT), 0x0a0b0c0du);
    run(swpb(r0, r2, r1), AT + 6);
    EXPECT_EQ(bench.reg(0), 0x77u);
    EXPECT_EQ(bench.word(AT + 4), 0x880d6655u);
    run(swp(r2, r2, r1), AT + 11);
    EXPECT_EQ(bench.reg(2), 0xbbaa99ccu);
    EXPECT_EQ(bench.word(AT + 8), 0x0a0b0c0du);
}

TEST_F(Misaligned, BlockTransfersMaskTheAddressButNotTheBase)
{
    run(ldm_w(r1, {r2, r3}), AT + 3);
    EXPECT_EQ(bench.reg(2), 0x44332211u);
    EXPECT_EQ(bench.reg(3), 0x88776655u);
    EXPECT_EQ(bench.reg(1), AT + 11);
    run(stm_w(r1, {r2, r3}), AT + 10);
    EXPECT_EQ(bench.word(AT + 8), 0x44332211u);
    EXPECT_EQ(bench.word(AT + 12), 0x88776655u);
    EXPECT_EQ(bench.reg(1), AT + 18);
    run(block_transfer(true, DB, r1, true, register_list({r4, r5})), AT + 9);
    EXPECT_EQ(bench.reg(4), 0x44332211u);
    EXPECT_EQ(bench.reg(5), 0x88776655u);
    EXPECT_EQ(bench.reg(1), AT + 1);
    run_thumb(thumb::ldmia(r1, {r4, r5}), AT + 9);
    EXPECT_EQ(bench.reg(4), 0x44332211u);
    EXPECT_EQ(bench.reg(1), AT + 17);
    bench.set(13, AT + 10);
    run_thumb(thumb::push({r4, r5}), 0);
    EXPECT_EQ(bench.word(AT), 0x44332211u);
    EXPECT_EQ(bench.reg(13), AT + 2);
    run_thumb(thumb::pop({r6}), 0);
    EXPECT_EQ(bench.reg(6), 0x44332211u);
    EXPECT_EQ(bench.reg(13), AT + 6);
}

TEST_F(Misaligned, DoubleWordsAreTwoWordsFromTheMaskedAddress)
{
    run(ldrd_imm(r2, r1), AT + 4);
    EXPECT_EQ(bench.reg(2), 0x88776655u);
    EXPECT_EQ(bench.reg(3), 0xccbbaa99u);
    run(ldrd_imm(r2, r1), AT + 2);
    EXPECT_EQ(bench.reg(2), 0x44332211u);
    EXPECT_EQ(bench.reg(3), 0x88776655u);
    run(half_imm(STORE_DOUBLE, true, true, r2, r1, 3), AT + 4); /* AT + 7 */
    EXPECT_EQ(bench.word(AT + 4), 0x44332211u);
    EXPECT_EQ(bench.word(AT + 8), 0x88776655u);
    EXPECT_EQ(bench.word(AT + 12), 0x00ffeeddu);
    EXPECT_EQ(bench.reg(1), AT + 7);
}

/* Words and blocks of words are defined at any address; what is not is noted once, be it answered
 * at once or after a stop. */
TEST_F(Misaligned, HalfWordsAndDoubleWordsAreNotedAsUnpredictable)
{
    const uint32_t noted[] = {ldrh_imm(r0, r1), ldrsh_imm(r0, r1), strh_imm(r0, r1),
                              ldrd_imm(r2, r1), strd_imm(r2, r1)};
    const uint32_t defined[] = {ldr_imm(r0, r1), str_imm(r0, r1), ldrb_imm(r0, r1), swp(r2, r0, r1),
                                ldm(r1, {r2, r3})};
    bench.outside.regions = {{0x60000000, 0x100, REGION_ANSWERS, 0},
                             {0x61000000, 0x100, REGION_OUTSIDE, 0}};
    for (const uint32_t place : {AT, 0x4000u, 0x60000000u, 0x61000000u}) {
        const auto access = [&](uint32_t insn, uint32_t r1_value) {
            const uint64_t before = bench.counters().unpredictable;
            bench.set_word(CODE, insn);
            bench.set(1, r1_value);
            bench.start(CODE);
            if (bench.step() == ARM968_STOP_OUTSIDE) {
                bench.complete();
                (void)bench.step();
            }
            EXPECT_EQ(bench.reg(15), CODE + 4);
            return bench.counters().unpredictable - before;
        };
        for (const uint32_t insn : noted) {
            EXPECT_EQ(access(insn, place + 1), 1u) << std::hex << insn << " at " << place;
            EXPECT_EQ(access(insn, place), 0u) << std::hex << insn << " at " << place;
        }
        EXPECT_EQ(access(ldrd_imm(r2, r1), place + 4), 1u);
        for (const uint32_t insn : defined) {
            EXPECT_EQ(access(insn, place + 1), 0u) << std::hex << insn << " at " << place;
        }
    }
}

TEST_F(Misaligned, OutsideAccessesAreAskedForAligned)
{
    const uint32_t outside = 0x60000100;
    bench.outside.regions = {{0x60000000, 0x1000, REGION_ANSWERS, 0}};
    bench.set_words(outside, {0x44332211, 0x88776655});
    run(ldr_imm(r0, r1), outside + 1);
    EXPECT_EQ(bench.reg(0), 0x11443322u);
    run(ldrsh_imm(r0, r1), outside + 7);
    EXPECT_EQ(bench.reg(0), 0xffff8877u);
    bench.set(2, 0x0a0b0c0d);
    run(swp(r0, r2, r1), outside + 2);
    EXPECT_EQ(bench.reg(0), 0x22114433u);
    EXPECT_EQ(bench.word(outside), 0x0a0b0c0du);
    run(ldm(r1, {r2, r3}), outside + 3);
    EXPECT_EQ(bench.reg(3), 0x88776655u);
    ASSERT_EQ(bench.outside.log.size(), 4u);
    EXPECT_EQ(bench.outside.log[0].access.address, outside);
    EXPECT_EQ(bench.outside.log[1].access.address, outside + 6);
    EXPECT_EQ(bench.outside.log[2].access.address, outside);
    EXPECT_EQ(bench.outside.log[3].access.address, outside);
}

/* ---- A = 1 ---- */

struct faulting_access {
    const char *name;
    uint32_t insn;
    bool thumb;
    uint32_t r1, address; /* the base, and the address that faults */
    arm968_access_kind access;
    unsigned bytes;
};

static const faulting_access FAULTS[] = {
    {"ldr", ldr_imm(r0, r1), false, AT + 1, AT + 1, ARM968_READ, 4},
    {"ldr by 2", ldr_imm(r0, r1), false, AT + 2, AT + 2, ARM968_READ, 4},
    {"ldr pre", ldr_pre(r0, r1, 3), false, AT, AT + 3, ARM968_READ, 4},
    {"ldr post", ldr_post(r0, r1, 4), false, AT + 3, AT + 3, ARM968_READ, 4},
    {"ldrt", ldrt(r0, r1, 4), false, AT + 1, AT + 1, ARM968_READ, 4},
    {"str", str_imm(r0, r1), false, AT + 1, AT + 1, ARM968_WRITE, 4},
    {"str pre", str_pre(r0, r1, 2), false, AT, AT + 2, ARM968_WRITE, 4},
    {"str post", str_post(r0, r1, 2), false, AT + 3, AT + 3, ARM968_WRITE, 4},
    {"ldrh", ldrh_imm(r0, r1), false, AT + 1, AT + 1, ARM968_READ, 2},
    {"ldrsh", ldrsh_imm(r0, r1, 2), false, AT + 1, AT + 3, ARM968_READ, 2},
    {"strh", strh_imm(r0, r1), false, AT + 3, AT + 3, ARM968_WRITE, 2},
    {"swp", swp(r0, r2, r1), false, AT + 2, AT + 2, ARM968_SWAP, 4},
    {"ldm", ldm_w(r1, {r0, r2}), false, AT + 2, AT + 2, ARM968_READ, 8},
    {"stm", stm_w(r1, {r0, r2}), false, AT + 1, AT + 1, ARM968_WRITE, 8},
    {"ldmdb", block_transfer(true, DB, r1, true, 5), false, AT + 9, AT + 1, ARM968_READ, 8},
    {"ldrd at 4", ldrd_imm(r2, r1), false, AT + 4, AT + 4, ARM968_READ, 8},
    {"strd at 4", strd_imm(r2, r1), false, AT + 4, AT + 4, ARM968_WRITE, 8},
    {"strd pre", half_imm(STORE_DOUBLE, true, true, r2, r1, 4), false, AT, AT + 4, ARM968_WRITE, 8},
    {"outside ldr", ldr_imm(r0, r1), false, 0x60000001, 0x60000001, ARM968_READ, 4},
    {"outside stm", stm_w(r1, {r0, r2}), false, 0x60000002, 0x60000002, ARM968_WRITE, 8},
    {"itcm str", str_imm(r0, r1), false, 0x4001, 0x4001, ARM968_WRITE, 4},
    {"thumb ldr", thumb::ldr_imm(r0, r1, 4), true, AT + 1, AT + 5, ARM968_READ, 4},
    {"thumb strh", thumb::strh_imm(r0, r1, 2), true, AT + 1, AT + 3, ARM968_WRITE, 2},
    {"thumb ldmia", thumb::ldmia(r1, {r0, r2}), true, AT + 2, AT + 2, ARM968_READ, 8},
    {"thumb stmia", thumb::stmia(r1, {r0, r2}), true, AT + 3, AT + 3, ARM968_WRITE, 8},
};

class AlignmentFault : public ::testing::TestWithParam<faulting_access>
{
};

TEST_P(AlignmentFault, AbortsWithoutAnAccessAndRestoresTheBase)
{
    const faulting_access &fault = GetParam();
    bench_config config;
    config.control = CONTROL_LOW | CONTROL_A;
    core_bench bench(config);
    bench.outside.regions = {{0x60000000, 0x1000, REGION_ANSWERS, 0}};
    for (uint32_t i = 0; i < 32; i += 4) {
        bench.set_word(AT + i, 0x11111111 * (i / 4 + 1));
    }
    bench.set_word(0x4000, 0x12345678);
    for (unsigned i = 0; i < 15; i++) {
        bench.set(i, 0xc0de0000 + i);
    }
    bench.set(1, fault.r1);
    bench.thumb(CODE, {static_cast<uint16_t>(fault.insn), static_cast<uint16_t>(fault.insn >> 16)});
    bench.start(CODE, fault.thumb);
    const uint32_t before = bench.cpsr();
    const std::vector<uint8_t> dtcm = bench.dtcm;

    EXPECT_EQ(bench.step(), ARM968_STOP_FAULT);
    EXPECT_EQ(bench.reg(15), 0x10u);
    EXPECT_EQ(bench.reg(14), CODE + 8);
    EXPECT_EQ(arm968_spsr(bench.cpu, ARM968_ABORT), before);
    EXPECT_EQ(bench.reg(0), 0xc0de0000u);
    EXPECT_EQ(bench.reg(1), fault.r1);
    EXPECT_EQ(bench.reg(2), 0xc0de0002u);
    EXPECT_EQ(bench.reg(3), 0xc0de0003u);
    EXPECT_EQ(bench.dtcm, dtcm);
    EXPECT_EQ(bench.word(0x4000), 0x12345678u);
    EXPECT_TRUE(bench.outside.log.empty());
    EXPECT_EQ(arm968_fault(bench.cpu).kind, ARM968_FAULT_DATA);
    EXPECT_EQ(arm968_fault(bench.cpu).pc, CODE);
    EXPECT_EQ(arm968_fault(bench.cpu).address, fault.address);
    EXPECT_EQ(arm968_fault(bench.cpu).access, fault.access);
    EXPECT_EQ(arm968_fault(bench.cpu).bytes, fault.bytes);
    EXPECT_TRUE(arm968_fault(bench.cpu).misaligned);
    EXPECT_EQ(bench.counters().data_aborts, 1u);
    EXPECT_EQ(bench.counters().words_loaded + bench.counters().words_stored, 0u);
}

INSTANTIATE_TEST_SUITE_P(, AlignmentFault, ::testing::ValuesIn(FAULTS),
                         [](const ::testing::TestParamInfo<faulting_access> &info) {
                             std::string name = info.param.name;
                             for (char &c : name) {
                                 c = c == ' ' ? '_' : c;
                             }
                             return name;
                         });

TEST(AlignmentCheck, LetsAlignedAccessesPass)
{
    bench_config config;
    config.control = CONTROL_LOW | CONTROL_A;
    core_bench bench(config);
    bench.set_words(AT, {0x44332211, 0x88776655});
    bench.arm(CODE, {ldr_imm(r0, r1, 4), ldrh_imm(r2, r1, 2), ldrb_imm(r3, r1, 3), ldrd_imm(r4, r1),
                     swpb(r6, r2, r8), ldm(r9, {r7})});
    bench.set(1, AT);
    bench.set(8, AT + 3);
    bench.set(9, AT + 4);
    bench.start(CODE);
    bench.steps(6);
    EXPECT_EQ(bench.reg(15), CODE + 24);
    EXPECT_EQ(bench.reg(0), 0x88776655u);
    EXPECT_EQ(bench.reg(2), 0x4433u);
    EXPECT_EQ(bench.reg(3), 0x44u);
    EXPECT_EQ(bench.reg(5), 0x88776655u);
    EXPECT_EQ(bench.reg(6), 0x44u);
    EXPECT_EQ(bench.reg(7), 0x88776655u);
}
