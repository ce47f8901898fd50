/* What the boot ROM, SC&MP and SARK depend on: a test for each row of the list in this folder's
 * page; rows 1 to 14. */
#include "tests/unit/machine_firmware_fixture.h"

namespace
{

TEST_F(FirmwareNeeds, Row01ACoreOutOfResetHasItsTcmsAndSwitchesItsVectors)
{
    bench_.set_word(0, SYSTEM_RAM, b(0xffff0000, RESTART));
    Program restart(RESTART);
    restart.set(sp, DTCM + 0x100).set(0, 0x77).emit({push({0}), read_control(1)});
    restart.emit({data_imm(BIC, false, 2, 1, 0x2000), write_control(2), swi(0)});
    restart.sleep();
    bench_.load(OTHER, restart);
    bench_.load(OTHER, Program(0x08).set(7, 0x55).sleep());
    Program program = begin();
    program.store(MISC, 1);
    program.store(SOFT_PULSE, CODE_OF_SYSTEM | 1u << OTHER);
    run(0, program);
    EXPECT_EQ(bench_.word(OTHER, DTCM + 0xfc), 0x77u);
    EXPECT_EQ(bench_.reg(OTHER, 1) & 0x3004, 0x3004u) << "TCMs on, vectors high";
    EXPECT_EQ(bench_.reg(OTHER, 7), 0x55u);
}

TEST_F(FirmwareNeeds, Row02EveryCoreReadsItsNumber)
{
    for (unsigned core = 0; core < 18; core++) {
        Program program = begin();
        keep(program, DMA + 0x14);
        run(core, program);
        EXPECT_EQ(kept(core, 0) >> 24, core);
    }
}

TEST_F(FirmwareNeeds, Row03TheStrapPinsAreThoseOfAChipWithoutSerialRom)
{
    Program program = begin();
    keep(program, SC + 0x48);
    run(0, program);
    EXPECT_EQ(kept(0, 0), 0x000f0000u) << "7, 6, 5:3 and 1 are pulled down, 19:16 up";
}

TEST_F(FirmwareNeeds, Row04BitsOfMiscControlAreStorage)
{
    for (unsigned core = 1; core <= 3; core++) {
        Program program;
        program.set(0, MISC).emit({ldr_imm(1, 0), data_imm(ORR, false, 1, 1, 1u << core)});
        program.emit({str_imm(1, 0)});
        run(core, program);
    }
    Program program = begin();
    keep(program, MISC);
    run(0, program);
    EXPECT_EQ(kept(0, 0) & 0xffff, 0xeu);
}

TEST_F(FirmwareNeeds, Row05ATestAndSetGivesALockToOne)
{
    for (const uint32_t lock : {0u, 7u, 31u}) {
        for (unsigned core = 0; core < 18; core++) {
            Program program = begin();
            program.delay(1 + 4 * core);
            keep(program, TAKE + 4 * lock);
            bench_.run(core, program.sleep());
        }
        bench_.until(bench_.time_ps() + 100 * US);
        for (unsigned core = 0; core < 18; core++) {
            EXPECT_EQ(kept(core, 0), core == 0 ? 0 : TOP) << core;
        }
        Program program = begin();
        keep(program, FREE + 4 * lock);
        keep(program, TAKE + 4 * lock);
        run(0, program);
        EXPECT_EQ(kept(0, 0), TOP);
        EXPECT_EQ(kept(0, 1), 0u);
    }
}

TEST_F(FirmwareNeeds, Row06OneCoreIsTheMonitorAndTheRegisterIsItsNumber)
{
    for (unsigned core = 0; core < 18; core++) {
        Program program = begin();
        program.delay(1 + (core * 7 + 4) % 18); /* core 2 first */
        keep(program, SC + 0x80 + 4 * core);
        program.delay(200);
        keep(program, SC + 0x34);
        bench_.run(core, program.sleep());
    }
    EXPECT_EQ(bench_.until(100 * US), MACHINE_QUIESCENT);
    for (unsigned core = 0; core < 18; core++) {
        EXPECT_EQ(kept(core, 0), core == 2 ? TOP : 0u) << core;
        EXPECT_EQ(kept(core, 1), 2u) << "and nothing in the bits above";
    }
}

/* As the self-test of the boot ROM looks at them; clocks are those of a booted chip. */
TEST_F(FirmwareNeeds, Row07ResetValuesAreThoseOfTheSelfTest)
{
    struct look {
        uint32_t address, mask, value;
    };
    const std::vector<look> looks = {
#define RESET_VALUE(address, mask, value) {address, mask, value},
#include "tests/unit/firmware_reset_values.def"
#undef RESET_VALUE
    };
    Program program = begin();
    for (const look &look : looks) {
        keep(program, look.address);
    }
    run(OTHER, program);
    for (size_t i = 0; i < looks.size(); i++) {
        EXPECT_EQ(kept(OTHER, static_cast<unsigned>(i)) & looks[i].mask, looks[i].value)
            << std::hex << looks[i].address;
    }
    EXPECT_EQ(bench_.counter("chip", -1, "unmodelled_accesses"), 0u);
}

/* Up with one pattern, down with the other, base written back each time. */
TEST_F(FirmwareNeeds, Row08AMarchUpAndDownFindsItsPatterns)
{
    constexpr uint32_t WORDS = 64;
    const auto march = [](Program &program, bool load, arm_block_mode mode) {
        const uint32_t list = load ? register_list({5, 6, 7, 8}) : register_list({1, 2, 3, 4});
        program.emit({block_transfer(load, mode, 0, true, list)});
    };
    for (const uint32_t memory : {DTCM + 0x4000, SDRAM + 0x1000, SYSTEM_RAM + 0x1000}) {
        MachineBench bench;
        Program program(MAIN);
        program.set(1, 0x55555555).set(2, 0xaaaaaaaa).set(3, 0x33333333).set(4, 0xcccccccc);
        program.set(12, 0).set(0, memory);
        for (uint32_t i = 0; i < WORDS / 4; i++) {
            march(program, false, IA);
        }
        program.emit({mov(11, 0)}); /* one behind the last */
        for (uint32_t i = 0; i < WORDS / 4; i++) {
            march(program, true, DB);
            program.emit({data_reg(TEQ, true, 0, 5, 1), when(EQ, data_reg(TEQ, true, 0, 6, 2)),
                          when(EQ, data_reg(TEQ, true, 0, 7, 3)),
                          when(EQ, data_reg(TEQ, true, 0, 8, 4)), when(NE, add_imm(12, 12, 1))});
        }
        program.emit({mov(10, 0), sub_imm(0, 0, 4)});
        for (uint32_t i = 0; i < WORDS / 4; i++) {
            march(program, true, IB);
        }
        program.emit({mov(9, 0)});
        for (uint32_t i = 0; i < WORDS / 4; i++) {
            march(program, false, DA);
        }
        bench.run(0, program.sleep());
        EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(bench.reg(0, 12), 0u) << std::hex << memory;
        EXPECT_EQ(bench.reg(0, 11), memory + 4 * WORDS);
        EXPECT_EQ(bench.reg(0, 10), memory);
        EXPECT_EQ(bench.reg(0, 9), memory + 4 * WORDS - 4);
        EXPECT_EQ(bench.reg(0, 0), memory - 4);
        EXPECT_EQ(bench.word(0, memory + 4 * (WORDS - 1)), 0xccccccccu);
        EXPECT_EQ(bench.word(0, memory), 0x55555555u);
    }
}

TEST_F(FirmwareNeeds, Row09TheSpeedOfCoresFollowsTheMultiplexer)
{
    Program counter;
    counter.set(2, 0);
    const uint32_t loop = counter.here();
    counter.emit({add_imm(2, 2, 1)}).branch(loop); /* 4 cycles */
    bench_.run(OTHER, counter);
    Program program;
    program.store(SC + 0x60, 0);
    program.store(SC + 0x50, 0x00060110);
    program.store(SC + 0x54, 0x0007011a);
    program.delay(3000); /* 50 us of it fast, the rest slow: 0.2 ms */
    program.store(SC + 0x60, 0x80528821);
    bench_.run(0, program.sleep());
    bench_.until(100 * US);
    const uint32_t slow = bench_.reg(OTHER, 2);
    bench_.until(110 * US);
    EXPECT_EQ(bench_.reg(OTHER, 2) - slow, 25u) << "10 MHz";
    bench_.until(400 * US);
    const uint32_t fast = bench_.reg(OTHER, 2);
    bench_.until(410 * US);
    EXPECT_EQ(bench_.reg(OTHER, 2) - fast, 400u) << "160 MHz";
    EXPECT_EQ(bench_.counter("chip", -1, "unmodelled_accesses"), 0u);
}

TEST_F(FirmwareNeeds, Row10ATransferIsPolledQueuedAndChecked)
{
    static const uint32_t ROWS[32] = {
        0xfb808b20, 0x7dc04590, 0xbee022c8, 0x5f701164, 0x2fb808b2, 0x97dc0459, 0xb06e890c,
        0x58374486, 0xac1ba243, 0xad8d5a01, 0xad462620, 0x56a31310, 0x2b518988, 0x95a8c4c4,
        0xcad46262, 0x656a3131, 0x493593b8, 0x249ac9dc, 0x924d64ee, 0xc926b277, 0x9f13d21b,
        0xb409622d, 0x21843a36, 0x90c21d1b, 0x33e185ad, 0x627049f6, 0x313824fb, 0xe31c995d,
        0x8a0ec78e, 0xc50763c7, 0x19033ac3, 0xf7011641};
    bench_.set_word(0, SDRAM, 0x34333231);     /* "123456789..." is long: these are "1234" */
    bench_.set_word(0, SDRAM + 4, 0x9be3e0a3); /* and this is their CRC-32 */
    Program program = begin();
    for (uint32_t i = 0; i < 32; i++) {
        program.store(DMA + 0x180 + 4 * i, ROWS[i]);
    }
    for (const uint32_t words : {1u, 1u, 64u}) {
        wait_for(program, DMA + 0x14, 1u << 2, false);
        program.store(DMA + 0x04, SDRAM);
        program.store(DMA + 0x08, DTCM + 0x1000);
        program.store(DMA + 0x0c, 1u << 21 | (words == 1 ? 1u << 20 : 0u) | words << 2);
    }
    keep(program, DMA + 0x14);
    wait_for(program, DMA + 0x14, 1u << 2, false);
    wait_for(program, DMA + 0x14, 1u << 0, false);
    keep(program, DMA + 0x14);
    keep(program, DMA + 0x1c);
    program.store(DMA + 0x10, 1u << 3);
    program.store(DMA + 0x10, 1u << 3);
    keep(program, DMA + 0x14);
    run(0, program);
    EXPECT_NE(kept(0, 0) & 1, 0u) << "the longest is on its way";
    EXPECT_EQ(kept(0, 1), 0xc00u) << "more than one is done, and none was wrong";
    EXPECT_EQ(kept(0, 2), 0x9be3e0a3u);
    EXPECT_EQ(kept(0, 3), 0u);
    EXPECT_EQ(bench_.word(0, DTCM + 0x1000), 0x34333231u);
    EXPECT_TRUE(bench_.faults.empty()) << "a full queue refuses";
}

TEST_F(FirmwareNeeds, Row11TimerOneTicks)
{
    bench_.load(0, Program(IRQ_VECTOR).branch(HANDLER));
    Program handler(HANDLER);
    handler.store(TIMER + 0x0c, 1);
    handler.emit({add_imm(2, 2, 1), RETURN});
    bench_.load(0, handler);
    Program program;
    program.set(2, 0);
    program.store(VIC + 0x10, 1u << 4);
    program.store(TIMER, 20000);
    program.store(TIMER + 0x08, 0xe2);
    bench_.run(0, program.unmask().sleep());
    bench_.until(1001 * US);
    EXPECT_EQ(bench_.reg(0, 2), 10u);
}

TEST_F(FirmwareNeeds, Row12TimerTwoFiresOnceAndAgainByItsLoad)
{
    bench_.load(0, Program(IRQ_VECTOR).branch(HANDLER));
    Program handler(HANDLER);
    handler.store(TIMER + 0x2c, 1);
    handler.emit({add_imm(2, 2, 1), RETURN});
    bench_.load(0, handler);
    Program program = begin();
    program.set(2, 0);
    program.store(VIC + 0x10, 1u << 5);
    program.store(TIMER + 0x28, 0xe3);
    program.store(TIMER + 0x20, 400);
    program.unmask().delay(1000);
    program.emit({mov(3, 2)});
    keep(program, TIMER + 0x24);
    program.store(TIMER + 0x20, 400);
    program.delay(1000);
    run(0, program);
    EXPECT_EQ(bench_.reg(0, 3), 1u) << "though it is called periodic";
    EXPECT_EQ(kept(0, 0), 0u) << "and has stopped at nought";
    EXPECT_EQ(bench_.reg(0, 2), 2u);
}

/* The handler of slot 5 lets interrupts in again: slot 1 comes through, slot 5 does not. */
TEST_F(FirmwareNeeds, Row13InterruptsNestAndAMaskedCoreWakes)
{
    bench_.load(0, Program(IRQ_VECTOR).emit({ldr_imm(pc, pc, -0xff0)}));
    Program outer(HANDLER);
    outer.set(sp, DTCM + 0x200).emit({sub_imm(lr, lr, 4), mrs_spsr(7), push({7, lr})});
    outer.emit({add_imm(4, 4, 1), msr_cpsr_imm(PSR_C, 0x13)});
    outer.store(VIC + 0x18, 1u << 29 | 1u << 28);
    outer.nops(10).emit({mov(5, 6), msr_cpsr_imm(PSR_C, 0x92)});
    outer.store(VIC + 0x1c, 1u << 28);
    outer.store(VIC + 0x30, 0);
    outer.emit({ldm_w(sp, {7, lr}), msr_spsr(PSR_C, 7), movs(pc, lr)});
    bench_.load(0, outer);
    Program inner(SECOND);
    inner.emit({add_imm(6, 6, 1)});
    inner.store(VIC + 0x1c, 1u << 29);
    inner.store(VIC + 0x30, 0);
    inner.emit({RETURN});
    bench_.load(0, inner);
    Program program = begin();
    program.set(4, 0).set(5, 0).set(6, 0);
    program.store(VIC + 0x100 + 4 * 5, HANDLER);
    program.store(VIC + 0x200 + 4 * 5, 0x20 | 28);
    program.store(VIC + 0x100 + 4 * 1, SECOND);
    program.store(VIC + 0x200 + 4 * 1, 0x20 | 29);
    program.store(VIC + 0x34, 0x1234);
    keep(program, VIC + 0x30); /* nothing is active */
    program.store(VIC + 0x30, 0);
    program.store(VIC + 0x10, 1u << 28 | 1u << 29);
    program.unmask();
    program.store(VIC + 0x18, 1u << 28);
    program.nops(20).emit({msr_cpsr_imm(PSR_C, 0xd3)});
    program.store(VIC + 0x14, 1u << 28 | 1u << 29);
    program.store(VIC + 0x10, 1u << 4);
    program.store(TIMER, 500);
    program.store(TIMER + 0x08, 0xa3);
    program.emit({wait_for_interrupt()}).set(8, 0x99); /* masked: it wakes, nothing is taken */
    program.store(TIMER + 0x0c, 1);
    run(0, program);
    EXPECT_EQ(kept(0, 0), 0x1234u);
    EXPECT_EQ(bench_.reg(0, 4), 1u);
    EXPECT_EQ(bench_.reg(0, 5), 1u) << "slot 1, while slot 5 is served";
    EXPECT_EQ(bench_.reg(0, 6), 1u);
    EXPECT_EQ(bench_.reg(0, 8), 0x99u);
    EXPECT_EQ(bench_.counter("core", 0, "interrupts"), 2u);
}

TEST_F(FirmwareNeeds, Row14TheControllersFlagsAreLevelsAndReadsConsume)
{
    EXPECT_EQ(machine_set_route(bench_.get(), 0, 0, 0, 0x42, UINT32_MAX, 1u << 6), STATUS_OK);
    Program program = begin();
    program.store(COMMS, 0);
    program.store(COMMS + 4, 0x99);
    program.store(COMMS + 8, 0x42);
    keep(program, COMMS);    /* full */
    program.store(COMMS, 0); /* cleared, but it is true */
    keep(program, COMMS);
    wait_for(program, COMMS, TOP, true);
    program.store(COMMS, 0);
    keep(program, COMMS);
    wait_for(program, COMMS + 0x0c, TOP, true);
    keep(program, VIC + 0x08);
    receive(program);
    program.nops(10);
    keep(program, COMMS + 0x0c);
    keep(program, VIC + 0x08);
    run(0, program);
    EXPECT_EQ(kept(0, 0), 0x40000000u);
    EXPECT_EQ(kept(0, 1), 0x40000000u);
    EXPECT_EQ(kept(0, 2), 0x90000000u);
    constexpr uint32_t IDLE = 1u << 23 | 1u << 11;
    EXPECT_EQ(kept(0, 3), IDLE | 1u << 24 | 1u << 6);
    EXPECT_EQ(kept(0, 4) & 0xf702000f, 0x97020001u) << "good, local, with a payload, multicast";
    EXPECT_EQ(kept(0, 5), 0x99u);
    EXPECT_EQ(kept(0, 6), 0x42u);
    EXPECT_EQ(kept(0, 7) >> 28, 0u);
    EXPECT_EQ(kept(0, 8), IDLE);
}

} // namespace
