/* The system controller: registers, security code, locks, election of the monitor. */
extern "C" {
#include "models/chip/sysctl.h"
}

#include <gtest/gtest.h>

#include <tuple>
#include <utility>
#include <vector>

namespace
{

enum : uint32_t {
    CHIP_ID = 0x00,
    CPU_DISABLE = 0x04,
    SET_IRQ = 0x08,
    CLEAR_IRQ = 0x0c,
    SET_OK = 0x10,
    CLEAR_OK = 0x14,
    SOFT_LEVEL = 0x18,
    HARD_LEVEL = 0x1c,
    SUBSYSTEM_LEVEL = 0x20,
    SOFT_PULSE = 0x24,
    HARD_PULSE = 0x28,
    SUBSYSTEM_PULSE = 0x2c,
    RESET_CODE = 0x30,
    MONITOR_ID = 0x34,
    MISC = 0x38,
    GPIO_PULLS = 0x3c,
    GPIO_PORT = 0x40,
    GPIO_DIRECTION = 0x44,
    GPIO_SET = 0x48,
    GPIO_CLEAR = 0x4c,
    PLL1 = 0x50,
    PLL2 = 0x54,
    SET_FLAGS = 0x58,
    CLEAR_FLAGS = 0x5c,
    CLOCK_MUX = 0x60,
    SLEEP = 0x64,
    TEMPERATURE = 0x68,
    ARBITER = 0x80,
    TEST_AND_SET = 0x100,
    TEST_AND_CLEAR = 0x180,
    LINK_DISABLE = 0x200
};

constexpr uint32_t CODE = 0x5ec00000;
constexpr uint32_t TOP = 0x80000000;

class SystemController : public testing::Test
{
  protected:
    SystemController()
    {
        sysctl_reset(&sysctl_);
    }

    uint32_t read(uint32_t offset)
    {
        uint32_t value = 0xdeadbeef;
        EXPECT_EQ(sysctl_read32(&sysctl_, offset, true, &value), REGISTER_OK) << offset;
        return value;
    }

    /* What a write asks for. */
    sysctl_effects ask(uint32_t offset, uint32_t value, register_reply reply = REGISTER_OK)
    {
        sysctl_effects effects = {1, 1, 1, 1, true, true, true};
        EXPECT_EQ(sysctl_write32(&sysctl_, offset, true, value, &effects), reply) << offset;
        return effects;
    }

    /* Returns the cores whose interrupt bit changed. */
    uint32_t write(uint32_t offset, uint32_t value)
    {
        return ask(offset, value).irq;
    }

    void write_unmodelled(uint32_t offset, uint32_t value)
    {
        EXPECT_EQ(ask(offset, value, REGISTER_UNMODELLED).irq, 0u);
    }

    sysctl sysctl_ = {};
};

TEST_F(SystemController, HasItsResetValues)
{
    EXPECT_EQ(read(CHIP_ID), 0x59111012u);
    EXPECT_EQ(read(MONITOR_ID), 0x0000011fu);
    EXPECT_EQ(read(GPIO_PULLS), 0xffffffffu);
    EXPECT_EQ(read(GPIO_DIRECTION), 0xffffffffu);
    EXPECT_EQ(read(GPIO_SET), 0x000f0000u);
    EXPECT_EQ(read(GPIO_CLEAR), 0x000f0000u);
    EXPECT_EQ(read(PLL1), 0x0002010au);
    EXPECT_EQ(read(PLL2), 0x0002010au);
    for (const uint32_t offset : std::initializer_list<uint32_t>{
             CPU_DISABLE,     SET_IRQ,         CLEAR_IRQ,   SET_OK,
             CLEAR_OK,        SOFT_LEVEL,      HARD_LEVEL,  SOFT_PULSE,
             HARD_PULSE,      SUBSYSTEM_LEVEL, MISC,        SUBSYSTEM_PULSE,
             RESET_CODE,      GPIO_PORT,       SET_FLAGS,   CLEAR_FLAGS,
             CLOCK_MUX,       SLEEP,           TEMPERATURE, TEMPERATURE + 4,
             TEMPERATURE + 8, LINK_DISABLE}) {
        EXPECT_EQ(read(offset), 0u) << offset;
    }
}

TEST_F(SystemController, IgnoresCodedWritesWithoutTheSecurityCode)
{
    for (const uint32_t offset :
         {CPU_DISABLE, SET_IRQ, CLEAR_IRQ, SOFT_LEVEL, HARD_LEVEL, SUBSYSTEM_LEVEL, SOFT_PULSE,
          HARD_PULSE, SUBSYSTEM_PULSE, MONITOR_ID, LINK_DISABLE}) {
        const uint32_t before = read(offset);
        for (const uint32_t code : {0u, 0x5eb00000u, 0x5ed00000u, 0xfff00000u}) {
            EXPECT_EQ(write(offset, code | 0x3f), 0u);
        }
        EXPECT_EQ(read(offset), before) << offset;
    }
}

TEST_F(SystemController, TheSecurityCodeIsNotReadBack)
{
    write(CPU_DISABLE, CODE | 0x2aaaa);
    EXPECT_EQ(read(CPU_DISABLE), 0x2aaaau);
    write(CPU_DISABLE, CODE);
    EXPECT_EQ(read(CPU_DISABLE), 0u);
}

TEST_F(SystemController, ThereAreEighteenCores)
{
    write(CPU_DISABLE, CODE | 0xfffff);
    EXPECT_EQ(read(CPU_DISABLE), 0x3ffffu);
    write(SET_IRQ, CODE | 0xfffff);
    EXPECT_EQ(read(SET_IRQ), 0x3ffffu);
}

TEST_F(SystemController, RaisesAndLowersTheInterruptBitsOfCores)
{
    EXPECT_EQ(write(SET_IRQ, CODE | 0x20005), 0x20005u);
    EXPECT_EQ(read(SET_IRQ), 0x20005u);
    EXPECT_EQ(read(CLEAR_IRQ), 0x20005u);
    EXPECT_EQ(write(SET_IRQ, CODE | 0x00006), 0x00002u) << "core 2 was raised already";
    EXPECT_EQ(write(CLEAR_IRQ, CODE | 0x0000c), 0x00004u) << "core 3 was not raised";
    EXPECT_EQ(read(SET_IRQ), 0x20003u);
}

TEST_F(SystemController, KeepsTheGoodCoresWithoutACode)
{
    write(SET_OK, 0x8003ffff);
    EXPECT_EQ(read(SET_OK), 0x8003ffffu) << "bit 31 is a plain bit";
    write(CLEAR_OK, 0x00000002);
    EXPECT_EQ(read(CLEAR_OK), 0x8003fffdu);
}

TEST_F(SystemController, ALevelThatRisesResets)
{
    const sysctl_effects first = ask(SOFT_LEVEL, CODE | 0x3);
    EXPECT_EQ(first.soft_reset, 3u);
    EXPECT_EQ(first.hard_reset, 0u);
    EXPECT_TRUE(first.cores);
    EXPECT_FALSE(first.levels);
    EXPECT_EQ(ask(SOFT_LEVEL, CODE | 0x6).soft_reset, 4u) << "the other was high before";
    EXPECT_EQ(ask(HARD_LEVEL, CODE | 0x20000).hard_reset, 0x20000u);
    const sysctl_effects parts = ask(SUBSYSTEM_LEVEL, CODE | 0x13);
    EXPECT_EQ(parts.parts, 0x13u);
    EXPECT_TRUE(parts.levels);
    EXPECT_FALSE(parts.cores);
    for (const auto &[level, pulse, value] :
         {std::tuple(SOFT_LEVEL, SOFT_PULSE, 6u), std::tuple(HARD_LEVEL, HARD_PULSE, 0x20000u),
          std::tuple(SUBSYSTEM_LEVEL, SUBSYSTEM_PULSE, 0x13u)}) {
        EXPECT_EQ(read(level), value);
        EXPECT_EQ(read(pulse), value);
    }
    const sysctl_effects fall = ask(SOFT_LEVEL, CODE);
    EXPECT_EQ(fall.soft_reset, 0u);
    EXPECT_TRUE(fall.cores) << "somebody may be let go";
    EXPECT_EQ(read(SOFT_LEVEL), 0u);
}

TEST_F(SystemController, APulseResetsAndLeavesTheLevelAlone)
{
    (void)ask(SOFT_LEVEL, CODE | 2);
    EXPECT_EQ(ask(SOFT_PULSE, CODE | 6).soft_reset, 6u) << "high or not";
    EXPECT_EQ(read(SOFT_LEVEL), 2u);
    EXPECT_EQ(ask(HARD_PULSE, CODE | 4).hard_reset, 4u);
    EXPECT_EQ(ask(SUBSYSTEM_PULSE, CODE | 0x20001).parts, 0x20001u);
    EXPECT_EQ(read(HARD_LEVEL), 0u);
    EXPECT_EQ(read(SUBSYSTEM_LEVEL), 0u);
}

TEST_F(SystemController, TheWholeChipIsResetByPulseOnly)
{
    EXPECT_EQ(ask(SUBSYSTEM_LEVEL, CODE | 0x28000).parts, 0x8000u);
    EXPECT_EQ(read(SUBSYSTEM_LEVEL), 0x8000u);
}

TEST_F(SystemController, NothingIsResetWithoutTheCode)
{
    for (const uint32_t offset : {CPU_DISABLE, SOFT_LEVEL, HARD_LEVEL, SUBSYSTEM_LEVEL, SOFT_PULSE,
                                  HARD_PULSE, SUBSYSTEM_PULSE, LINK_DISABLE}) {
        for (const uint32_t value : {0x0003ffffu, 0x5ed3ffffu, 0x5eb3ffffu}) {
            const sysctl_effects effects = ask(offset, value);
            EXPECT_EQ(effects.soft_reset | effects.hard_reset | effects.parts, 0u);
            EXPECT_FALSE(effects.cores || effects.levels || effects.clocks);
        }
    }
}

TEST_F(SystemController, ResetsOfWhatHasNoStateAreReported)
{
    write_unmodelled(SUBSYSTEM_PULSE, CODE | 1u << 2);
    write_unmodelled(SUBSYSTEM_PULSE, CODE | 1u << 16);
    write_unmodelled(SUBSYSTEM_LEVEL, CODE | 1u << 2);
    (void)ask(SUBSYSTEM_PULSE, CODE | 0x2fffb);
}

TEST_F(SystemController, AResetKeepsTheMonitorAndPerhapsTheBootArea)
{
    for (const auto &[code, boot] :
         {std::pair(SYSCTL_RESET_WATCHDOG, 0u), std::pair(SYSCTL_RESET_PIN, 1u),
          std::pair(SYSCTL_RESET_CHIP, 1u)}) {
        sysctl_reset(&sysctl_);
        EXPECT_EQ(read(ARBITER + 4 * 5), TOP);
        write(MISC, 0xf);
        write(SET_FLAGS, 1);
        sysctl_reset_with_chip(&sysctl_, code);
        EXPECT_EQ(read(MONITOR_ID), 0x105u) << "to be elected again, but not the same";
        EXPECT_EQ(read(ARBITER + 4 * 5), 0u);
        EXPECT_EQ(read(ARBITER + 4 * 6), TOP);
        EXPECT_EQ(read(MISC), boot);
        EXPECT_EQ(sysctl_boot_from_ram(&sysctl_), boot == 1);
        EXPECT_EQ(read(SET_FLAGS), 0u);
        EXPECT_EQ(read(RESET_CODE), static_cast<uint32_t>(code));
    }
}

TEST_F(SystemController, TheFirstCandidateBecomesTheMonitor)
{
    EXPECT_EQ(read(ARBITER + 4 * 7), TOP);
    EXPECT_EQ(read(MONITOR_ID), 7u) << "exactly the number: the arbitration bit is gone";
    EXPECT_EQ(read(ARBITER + 4 * 3), 0u);
    EXPECT_EQ(read(ARBITER + 4 * 7), 0u);
    EXPECT_EQ(read(MONITOR_ID), 7u);
}

TEST_F(SystemController, AnOldMonitorCannotWinAgain)
{
    (void)read(ARBITER + 4 * 7);
    write(MONITOR_ID, CODE | 1u << 8 | 7);
    EXPECT_EQ(read(MONITOR_ID), 0x107u);
    EXPECT_EQ(read(ARBITER + 4 * 7), 0u);
    EXPECT_EQ(read(ARBITER + 4 * 0), TOP);
    EXPECT_EQ(read(MONITOR_ID), 0u);
}

TEST_F(SystemController, CandidateThirtyOneIsTheMonitorOfReset)
{
    EXPECT_EQ(read(ARBITER + 4 * 31), 0u);
    EXPECT_EQ(read(ARBITER + 4 * 30), TOP);
}

TEST_F(SystemController, TheArbitrationBitIsSetByAOneOnly)
{
    write(MONITOR_ID, CODE | 5);
    EXPECT_EQ(read(MONITOR_ID), 0x105u) << "a zero leaves it";
    write(MONITOR_ID, CODE | 1u << 16 | 5);
    EXPECT_EQ(read(MONITOR_ID), 0x10105u);
    write(MONITOR_ID, CODE | 0xff);
    EXPECT_EQ(read(MONITOR_ID), 0x11fu) << "five bits of number";
}

TEST_F(SystemController, ALockIsTakenOnce)
{
    EXPECT_EQ(read(TEST_AND_SET), 0u);
    EXPECT_EQ(read(TEST_AND_SET), TOP);
    EXPECT_EQ(read(TEST_AND_SET), TOP);
    EXPECT_EQ(read(TEST_AND_CLEAR), TOP);
    EXPECT_EQ(read(TEST_AND_CLEAR), 0u);
    EXPECT_EQ(read(TEST_AND_SET), 0u);
}

TEST_F(SystemController, TheThirtyTwoLocksAreSeparate)
{
    for (uint32_t lock = 0; lock < 32; lock += 2) {
        EXPECT_EQ(read(TEST_AND_SET + 4 * lock), 0u) << lock;
    }
    for (uint32_t lock = 0; lock < 32; lock++) {
        EXPECT_EQ(read(TEST_AND_CLEAR + 4 * lock), lock % 2 == 0 ? TOP : 0u) << lock;
    }
}

TEST_F(SystemController, ALockCannotBeWritten)
{
    write_unmodelled(TEST_AND_SET, 1);
    write_unmodelled(ARBITER, 1);
    EXPECT_EQ(read(TEST_AND_SET), 0u);
}

TEST_F(SystemController, SetsAndClearsSoftwareFlags)
{
    write(SET_FLAGS, 0xf000000f);
    write(CLEAR_FLAGS, 0x80000001);
    EXPECT_EQ(read(SET_FLAGS), 0x7000000eu);
    EXPECT_EQ(read(CLEAR_FLAGS), 0x7000000eu);
}

TEST_F(SystemController, StoresTheLowHalfOfTheMiscControl)
{
    write(MISC, 0xffffffff);
    EXPECT_EQ(read(MISC), 0x0000ffffu);
}

TEST_F(SystemController, PinsShowTheOutputsAndWhatInputsArePulledTo)
{
    write(GPIO_PORT, 0x000000f0);
    EXPECT_EQ(read(GPIO_SET), 0x000f0000u) << "all are inputs, of which four are pulled up";
    write(GPIO_DIRECTION, 0xffffff00);
    EXPECT_EQ(read(GPIO_SET), 0x000f00f0u);
    write(GPIO_SET, 0x00000101);
    EXPECT_EQ(read(GPIO_PORT), 0x1f1u);
    EXPECT_EQ(read(GPIO_CLEAR), 0x000f00f1u) << "pin 8 is an input";
    write(GPIO_CLEAR, 0x00000011);
    EXPECT_EQ(read(GPIO_PORT), 0x1e0u);
    write(GPIO_DIRECTION, 0xfffeff00);
    EXPECT_EQ(read(GPIO_SET), 0x000e00e0u) << "pin 16 is an output now";
    write(GPIO_PULLS, 0x12345678);
    EXPECT_EQ(read(GPIO_PULLS), 0x12345678u);
    EXPECT_EQ(read(GPIO_SET), 0x000400e0u) << "two of the pulls are off";
}

/* Hz of a clock with a crystal of 10 MHz; 0: none. */
double hz(const sysctl &sysctl, sysctl_clock which)
{
    struct clock clock = {};
    return sysctl_clock_now(&sysctl, which, 10000000, &clock) ? clock_hz(clock) : 0;
}

TEST_F(SystemController, ClocksAreTheCrystalsAfterReset)
{
    for (int which = 0; which < SYSCTL_CLOCKS; which++) {
        EXPECT_EQ(hz(sysctl_, static_cast<enum sysctl_clock>(which)), 1e7);
    }
}

TEST_F(SystemController, ClocksAreWhatBootRomAndMonitorSet)
{
    EXPECT_TRUE(ask(PLL1, 0x00060110).clocks);
    EXPECT_TRUE(ask(PLL2, 0x0007011a).clocks);
    EXPECT_TRUE(ask(CLOCK_MUX, 0x80528821).clocks);
    EXPECT_EQ(hz(sysctl_, SYSCTL_CLOCK_CPU_A), 160e6);
    EXPECT_EQ(hz(sysctl_, SYSCTL_CLOCK_CPU_B), 160e6);
    EXPECT_EQ(hz(sysctl_, SYSCTL_CLOCK_SYSTEM), 80e6);
    EXPECT_EQ(hz(sysctl_, SYSCTL_CLOCK_ROUTER), 80e6);
    EXPECT_EQ(hz(sysctl_, SYSCTL_CLOCK_MEMORY), 260e6);
    write(CLOCK_MUX, 0);
    write(PLL1, 0x00070128);
    write(CLOCK_MUX, 0x809488a5);
    EXPECT_EQ(hz(sysctl_, SYSCTL_CLOCK_CPU_A), 200e6);
    EXPECT_EQ(hz(sysctl_, SYSCTL_CLOCK_CPU_B), 200e6);
    EXPECT_DOUBLE_EQ(hz(sysctl_, SYSCTL_CLOCK_SYSTEM), 400e6 / 3);
    EXPECT_DOUBLE_EQ(hz(sysctl_, SYSCTL_CLOCK_ROUTER), 400e6 / 3);
    EXPECT_EQ(hz(sysctl_, SYSCTL_CLOCK_MEMORY), 260e6);
    EXPECT_EQ(read(PLL1), 0x00070128u);
    EXPECT_EQ(read(PLL2), 0x0007011au);
    EXPECT_EQ(read(CLOCK_MUX), 0x809488a5u);
}

TEST_F(SystemController, EachClockHasFieldsOfItsOwn)
{
    write(PLL1, 0x00040110 + 4);  /* 200 MHz */
    write(PLL2, 0x00040200 | 30); /* 10 * 30 / 2 */
    const int shifts[SYSCTL_CLOCKS] = {0, 5, 20, 15, 10};
    const double sources[4] = {10e6, 200e6, 150e6, 2.5e6};
    for (int which = 0; which < SYSCTL_CLOCKS; which++) {
        for (uint32_t source = 0; source < 4; source++) {
            for (uint32_t divider = 1; divider <= 4; divider++) {
                write(CLOCK_MUX, (source | (divider - 1) << 2) << shifts[which]);
                for (int other = 0; other < SYSCTL_CLOCKS; other++) {
                    EXPECT_DOUBLE_EQ(hz(sysctl_, static_cast<enum sysctl_clock>(other)),
                                     other == which ? sources[source] / divider : 10e6);
                }
            }
        }
    }
}

TEST_F(SystemController, AClockWithoutASourceAndATestAreReported)
{
    write(CLOCK_MUX, 0);
    write(PLL1, 0x00020128); /* off, but nobody's source */
    write_unmodelled(CLOCK_MUX, 1);
    EXPECT_EQ(hz(sysctl_, SYSCTL_CLOCK_CPU_A), 0.0);
    for (const uint32_t pll : {0x00060100u, 0x00060010u}) { /* times 0, by 0 */
        write_unmodelled(PLL1, pll);
        EXPECT_EQ(hz(sysctl_, SYSCTL_CLOCK_CPU_A), 0.0);
    }
    write(PLL1, 0x00060110);
    write_unmodelled(PLL2, 0x0107011a);
}

TEST_F(SystemController, ShowsTheClocksThatTheMonitorWouldHaveSet)
{
    sysctl_show_clocks(&sysctl_, 10000000, 200000000, 3, 3, 130000000);
    EXPECT_EQ(read(PLL1), 0x00070128u);
    EXPECT_EQ(read(PLL2), 0x0007011au);
    EXPECT_EQ(read(CLOCK_MUX), 0x809488a5u);
    sysctl_show_clocks(&sysctl_, 10000000, 1000000000, 64, 1, 1000000);
    EXPECT_EQ(read(PLL1), 0x0007013fu) << "as near as it goes";
    EXPECT_EQ(read(PLL2), 0x00040101u);
    EXPECT_EQ(read(CLOCK_MUX), 0x80d088a5u);
}

TEST_F(SystemController, TheCoresOfTheTwoClocks)
{
    for (const unsigned core : {1u, 2u, 4u, 7u, 8u, 11u, 13u, 14u, 16u}) {
        EXPECT_EQ(sysctl_clock_of_core(core), SYSCTL_CLOCK_CPU_A) << core;
    }
    for (const unsigned core : {0u, 3u, 5u, 6u, 9u, 10u, 12u, 15u, 17u}) {
        EXPECT_EQ(sysctl_clock_of_core(core), SYSCTL_CLOCK_CPU_B) << core;
    }
}

TEST_F(SystemController, KeepsTemperatureAndReportsIt)
{
    for (uint32_t sensor = 0; sensor < 3; sensor++) {
        write_unmodelled(TEMPERATURE + 4 * sensor, 0x80000000 + sensor);
    }
    for (uint32_t sensor = 0; sensor < 3; sensor++) {
        EXPECT_EQ(read(TEMPERATURE + 4 * sensor), 0x80000000 + sensor);
    }
}

TEST_F(SystemController, KeepsWhichLinksAreOff)
{
    EXPECT_TRUE(ask(LINK_DISABLE, CODE | 0xeffff).levels);
    EXPECT_EQ(read(LINK_DISABLE), 0x3f3fu);
    write_unmodelled(LINK_DISABLE, CODE | 1u << 16); /* parity by program */
    EXPECT_EQ(read(LINK_DISABLE), 0x10000u);
}

TEST_F(SystemController, ShowsWhoSleepsAndIgnoresWritesThere)
{
    sysctl_.sleeping = 0x2a;
    for (const uint32_t offset : {SLEEP, CHIP_ID, RESET_CODE}) {
        const uint32_t before = read(offset);
        write(offset, 0xffffffff);
        EXPECT_EQ(read(offset), before) << offset;
    }
    EXPECT_EQ(read(SLEEP), 0x2au);
}

TEST_F(SystemController, RefusesUserModeAndMisalignedAddresses)
{
    uint32_t value = 1;
    sysctl_effects changed = {1, 0, 0, 0, false, false, false};
    EXPECT_EQ(sysctl_read32(&sysctl_, TEST_AND_SET, false, &value), REGISTER_BUS_ERROR);
    EXPECT_EQ(sysctl_read32(&sysctl_, TEST_AND_SET + 2, true, &value), REGISTER_BUS_ERROR);
    EXPECT_EQ(value, 0u);
    EXPECT_EQ(read(TEST_AND_SET), 0u) << "the refused reads have taken no lock";
    EXPECT_EQ(sysctl_write32(&sysctl_, SET_OK, false, 1, &changed), REGISTER_BUS_ERROR);
    EXPECT_EQ(sysctl_write32(&sysctl_, SET_OK + 1, true, 1, &changed), REGISTER_BUS_ERROR);
    EXPECT_EQ(changed.irq, 0u);
    EXPECT_EQ(read(SET_OK), 0u);
}

TEST_F(SystemController, ReportsRegistersItDoesNotHave)
{
    uint32_t value = 1;
    for (const uint32_t offset : {0x74u, 0x7cu, 0x204u, 0x1000u}) {
        EXPECT_EQ(sysctl_read32(&sysctl_, offset, true, &value), REGISTER_UNMODELLED) << offset;
        EXPECT_EQ(value, 0u);
        write_unmodelled(offset, 1);
    }
}

} // namespace
