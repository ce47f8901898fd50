/* What the boot ROM, SC&MP and SARK depend on, rows 15 to 30 of the list in this folder's page:
 * packets, resets, memories, watchdog. */
#include "tests/unit/machine_firmware_fixture.h"

namespace
{

TEST_F(FirmwareNeedsOfNeighbours, Row15ANeighboursPacketComesToTheMonitorWithItsLink)
{
    EXPECT_EQ(machine_write_router(machine_, 1, 0, 0, CONTROL_RESET | 9u << 8), STATUS_OK);
    Program receiver = Program(MAIN).set(12, DTCM);
    receive(receiver);
    start({1, 0, 9}, receiver);
    Program sender(MAIN);
    sender.delay(50);
    const uint32_t payload = 0x1234;
    send(sender, NN | 0u << 18, 0xabcd, &payload); /* by link 0 */
    start({0, 0, 3}, sender);
    until_quiet();
    EXPECT_EQ(kept({1, 0, 9}, 0) & 0xf700000f, 0x93000004u) << "from link 3";
    EXPECT_EQ(kept({1, 0, 9}, 1), 0x1234u);
    EXPECT_EQ(kept({1, 0, 9}, 2), 0xabcdu);
}

TEST_F(FirmwareNeedsOfNeighbours, Row16AChipIsPeekedAndPokedThoughNoCoreOfItRuns)
{
    EXPECT_EQ(machine_write_router(machine_, 0, 0, 0, CONTROL_RESET | 3u << 8), STATUS_OK);
    const uint32_t value = 0x600df00d;
    Program program = Program(MAIN).set(12, DTCM);
    send(program, NN_DIRECT, 0xe2000000); /* its chip ID */
    receive(program);
    send(program, NN_DIRECT, SDRAM + 0x40, &value);
    receive(program);
    send(program, NN_DIRECT, SDRAM + 0x40);
    receive(program);
    send(program, NN_DIRECT, 0x00000100, &value); /* System RAM as the NoC sees it */
    receive(program);
    send(program, NN_DIRECT, 0x50000000); /* nothing */
    receive(program);
    start({0, 0, 3}, program);
    until_quiet();
    const machine_core core = {0, 0, 3};
    EXPECT_EQ(kept(core, 0) & 0xf7ff000f, 0x90020004u | (kept(core, 0) & 0x00fd0000));
    EXPECT_EQ(kept(core, 1), 0x59111012u);
    EXPECT_EQ(kept(core, 2), 0xe2000001u);
    EXPECT_EQ(kept(core, 5), (SDRAM + 0x40) | 1);
    EXPECT_EQ(kept(core, 3) >> 17 & 1, 0u) << "a poke is answered without a payload";
    EXPECT_EQ(kept(core, 7), value);
    EXPECT_EQ(kept(core, 11), 0x101u);
    EXPECT_EQ(kept(core, 14), 0x50000003u);
    EXPECT_EQ(word({1, 0, 0}, SDRAM + 0x40), value);
    EXPECT_EQ(word({1, 0, 0}, SYSTEM_RAM + 0x100), value);
    EXPECT_FALSE(machine_core_started(machine_, {1, 0, 0}));
}

TEST_F(FirmwareNeeds, Row17PacketsToNowhereAreDumpedAndTheTransmitterRecovers)
{
    Program program = begin();
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t link = 0; link < 6; link++) {
            send(program, NN | link << 18, 0x100 * round + link);
        }
    }
    wait_for(program, COMMS, TOP, true);
    keep(program, COMMS);
    run(0, program);
    EXPECT_EQ(kept(0, 0) >> 28 & 9, 9u) << "empty, and ready";
    EXPECT_EQ(bench_.counter("comms", 0, "sent_nearest_neighbour"), 18u);
    EXPECT_EQ(bench_.counter("router", -1, "dumped_nn"), 12u) << "each link keeps its first";
}

TEST_F(FirmwareNeedsOfNeighbours, Row18PointToPointGoesByThreeBitsOfATable)
{
    Program left = Program(MAIN).set(12, DTCM);
    keep(left, ROUTER + 0x10000 + 4 * (0x0100 >> 3));             /* eight sixes: drop */
    left.store(ROUTER + 0x10000 + 4 * (0x0100 >> 3), 0x00db6db0); /* (1,0): link 0 */
    left.store(COMMS + 0x18, 0x07000000 | 0x0042);
    const uint32_t payload = 0x77;
    send(left, P2P, 2u << 16 | 0x0100, &payload);
    send(left, P2P, 0x0101); /* dropped */
    wait_for(left, COMMS, TOP, true);
    left.delay(100);
    keep(left, ROUTER + 0x1c); /* the dumped one's key */
    start({0, 0, 3}, left);
    Program right = Program(MAIN).set(12, DTCM);
    right.store(ROUTER, CONTROL_RESET | 9u << 8);
    right.store(ROUTER + 0x10000 + 4 * (0x0100 >> 3), 0x00db6db7); /* (1,0): the monitor */
    receive(right);
    start({1, 0, 9}, right);
    until_quiet();
    EXPECT_EQ(kept({0, 0, 3}, 0), 0x00db6db6u);
    EXPECT_EQ(kept({1, 0, 9}, 0) & 0xf000000f, 0x90000002u);
    EXPECT_EQ(kept({1, 0, 9}, 1), 0x77u);
    EXPECT_EQ(kept({1, 0, 9}, 2), 2u << 16 | 0x0042) << "who sent it";
    EXPECT_EQ(kept({0, 0, 3}, 1) & 0xffff, 0x0101u);
}

TEST_F(FirmwareNeeds, Row19TheLowestEntryWinsAndItsPacketComesAsFiq)
{
    bench_.load(0, Program(FIQ_VECTOR).branch(HANDLER));
    Program handler(HANDLER);
    handler.set(8, COMMS).emit({ldr_imm(7, 8, 0x14), add_imm(6, 6, 1), RETURN});
    bench_.load(0, handler);
    const auto entry = [](Program &program, uint32_t i, uint32_t key, uint32_t mask, uint32_t to) {
        program.store(ROUTER + 0x4000 + 4 * i, to);
        program.store(ROUTER + 0xc000 + 4 * i, mask);
        program.store(ROUTER + 0x8000 + 4 * i, key);
    };
    Program program = begin();
    program.set(6, 0).set(7, 0);
    entry(program, 3, 0xffff5500, 0xffffff00, 1u << 6);
    entry(program, 4, 0xffff5500, 0xffff0000, 1u << (6 + 9));
    entry(program, 2, UINT32_MAX, 0, 1u << (6 + 9)); /* never */
    program.store(VIC + 0x0c, 1u << 24);
    program.store(VIC + 0x10, 1u << 24);
    program.unmask();
    program.store(COMMS + 8, 0xffff5507);
    program.nops(200);
    run(0, program);
    EXPECT_EQ(bench_.reg(0, 7), 0xffff5507u);
    EXPECT_EQ(bench_.reg(0, 6), 1u);
    EXPECT_EQ(bench_.counter("core", 0, "fast_interrupts"), 1u);
    EXPECT_EQ(bench_.counter("comms", 9, "received_multicast"), 0u);
}

TEST_F(FirmwareNeeds, Row20AMailboxInterruptNeedsItsCode)
{
    bench_.load(0, Program(IRQ_VECTOR).branch(HANDLER));
    Program handler(HANDLER);
    handler.store(SC + 0x0c, CODE_OF_SYSTEM | 1);
    handler.nops(20).emit({add_imm(2, 2, 1), RETURN});
    bench_.load(0, handler);
    Program program;
    program.set(2, 0);
    program.store(VIC + 0x10, 1u << 18);
    bench_.run(0, program.unmask().sleep());
    Program sender = begin();
    sender.store(SC + 0x08, 1); /* no code */
    sender.delay(100);
    keep(sender, SC + 0x08);
    sender.store(SC + 0x08, CODE_OF_SYSTEM | 1);
    sender.delay(100);
    keep(sender, SC + 0x08);
    run(OTHER, sender);
    EXPECT_EQ(bench_.reg(0, 2), 1u);
    EXPECT_EQ(kept(OTHER, 0), 0u);
    EXPECT_EQ(kept(OTHER, 1), 0u) << "the handler has cleared it";
}

TEST_F(FirmwareNeeds, Row21ResetsAndStallsNeedTheirCodeAndReadWithoutIt)
{
    Program counter;
    counter.set(2, 0);
    const uint32_t loop = counter.here();
    counter.set(0, SC).emit({ldr_imm(1, 0, 0x10), add_imm(2, 2, 1)}).branch(loop);
    bench_.run(OTHER, counter);
    Program program = begin();
    program.store(SOFT_LEVEL, 1u << OTHER);
    program.store(SC + 0x04, 1u << OTHER);
    program.delay(20000); /* 400 us */
    keep(program, SC + 0x04);
    keep(program, SOFT_LEVEL);
    program.store(SC + 0x04, CODE_OF_SYSTEM | 1u << OTHER);
    keep(program, SC + 0x04);
    program.store(SC + 0x04, CODE_OF_SYSTEM | 0x3fffe);
    keep(program, SC + 0x04);
    bench_.run(0, program.sleep());
    bench_.until(400 * US);
    const uint32_t running = bench_.reg(OTHER, 2);
    EXPECT_GT(running, 10000u / 4);
    bench_.until(500 * US);
    const uint32_t stalled = bench_.reg(OTHER, 2);
    EXPECT_GT(stalled, running);
    EXPECT_EQ(bench_.until(1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.reg(OTHER, 2), stalled);
    EXPECT_EQ(kept(0, 0), 0u);
    EXPECT_EQ(kept(0, 1), 0u);
    EXPECT_EQ(kept(0, 2), 1u << OTHER);
    EXPECT_EQ(kept(0, 3), 0x3fffeu);
}

TEST_F(FirmwareNeeds, Row22AResetCoreBeginsAtSystemRam)
{
    for (const bool ram : {false, true}) {
        MachineBench bench;
        bench.set_word(0, SYSTEM_RAM, b(0xffff0000, RESTART));
        bench.load(OTHER, Program(RESTART).set(7, 0x55).sleep());
        Program program = begin();
        program.store(MISC, ram ? 1 : 0);
        keep(program, 0xffff0000);
        keep(program, 0xff008000); /* 32 KiB, again and again */
        program.store(SOFT_PULSE, CODE_OF_SYSTEM | 1u << OTHER);
        bench.run(0, program.sleep());
        EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
        const uint32_t word = b(0xffff0000, RESTART);
        EXPECT_EQ(bench.word(0, DTCM), ram ? word : 0u);
        EXPECT_EQ(bench.word(0, DTCM + 4), ram ? word : 0u);
        EXPECT_EQ(bench.reg(OTHER, 7), ram ? 0x55u : 0u);
        EXPECT_EQ(bench.faults.empty(), ram);
    }
}

TEST_F(FirmwareNeeds, Row23SystemRamIsZeroAndOutlivesResets)
{
    Program program = begin();
    keep(program, RAM + 0x7fe0);
    program.store(RAM + 0x7fe0, 0x1234);
    program.store(SC + 0x2c, CODE_OF_SYSTEM | 1u << 17);
    bench_.run(0, program.sleep());
    bench_.until(1000 * US);
    EXPECT_EQ(kept(0, 0), 0u);
    EXPECT_EQ(bench_.word(0, SYSTEM_RAM + 0x7fe0), 0x1234u);
}

TEST_F(FirmwareNeeds, Row24SdramRepeatsAndTheLoopLocks)
{
    Program program = begin();
    program.store(SDRAM, 0x11);
    program.store(0x68000000, 0x22); /* 128 MiB further on */
    keep(program, SDRAM);
    program.store(0x7c000000, 0x33);
    keep(program, 0x74000000);
    keep(program, PL340 + 0x300);
    program.store(PL340 + 0x304, 1u << 24);
    keep(program, PL340 + 0x300);
    run(0, program);
    EXPECT_EQ(kept(0, 0), 0x22u);
    EXPECT_EQ(kept(0, 1), 0x33u);
    EXPECT_EQ(kept(0, 2) >> 18 & 1, 0u);
    EXPECT_EQ(kept(0, 3) >> 18 & 1, 1u);
    EXPECT_TRUE(bench_.faults.empty());
}

TEST_F(FirmwareNeeds, Row28SleepersShowAndFlagsAreSetAndCleared)
{
    bench_.run(3, Program().sleep());
    Program busy;
    const uint32_t loop = busy.here();
    bench_.run(4, busy.branch(loop));
    Program program = begin();
    program.delay(100);
    keep(program, SC + 0x64);
    program.store(SC + 0x58, 0x0f);
    program.store(SC + 0x5c, 0x05);
    keep(program, SC + 0x58);
    keep(program, SC + 0x5c);
    bench_.run(0, program.sleep());
    bench_.until(100 * US);
    EXPECT_EQ(kept(0, 0), 1u << 3);
    EXPECT_EQ(kept(0, 1), 0x0au);
    EXPECT_EQ(kept(0, 2), 0x0au);
}

TEST_F(FirmwareNeeds, Row29TheWatchdogIsDisabledBeforeItBites)
{
    for (const bool disabled : {true, false}) {
        MachineBench bench;
        Program program;
        program.store(WATCHDOG, 13333); /* 100 us, 200 us to the reset */
        program.store(WATCHDOG + 0x08, 3);
        program.store(WATCHDOG + 0xc00, 0);
        program.delay(7000);
        program.store(WATCHDOG + 0x08, 0); /* locked: ignored */
        program.store(WATCHDOG + 0xc00, disabled ? 0x1acce551 : 1);
        program.store(WATCHDOG + 0x08, 0);
        bench.run(0, program.sleep());
        EXPECT_EQ(bench.until(1000 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(bench.faults.empty(), disabled) << "a chip that is reset finds no boot ROM";
    }
}

TEST_F(FirmwareNeeds, Row30TheResetCodeIsThatOfPowerOn)
{
    Program program = begin();
    program.store(SC + 0x30, 4); /* as the boot ROM does, and nothing comes of it */
    keep(program, SC + 0x30);
    run(0, program);
    EXPECT_EQ(kept(0, 0), 0u);
}

} // namespace
