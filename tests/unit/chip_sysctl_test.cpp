/* The system controller: registers, security code, locks, election of the monitor. */
extern "C" {
#include "models/chip/sysctl.h"
}

#include <gtest/gtest.h>

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

    /* Returns the cores whose interrupt bit changed. */
    uint32_t write(uint32_t offset, uint32_t value)
    {
        uint32_t changed = 0xdeadbeef;
        EXPECT_EQ(sysctl_write32(&sysctl_, offset, true, value, &changed), REGISTER_OK) << offset;
        return changed;
    }

    void write_unmodelled(uint32_t offset, uint32_t value)
    {
        uint32_t changed = 1;
        EXPECT_EQ(sysctl_write32(&sysctl_, offset, true, value, &changed), REGISTER_UNMODELLED)
            << offset;
        EXPECT_EQ(changed, 0u);
    }

    sysctl sysctl_ = {};
};

TEST_F(SystemController, HasItsResetValues)
{
    EXPECT_EQ(read(CHIP_ID), 0x59111012u);
    EXPECT_EQ(read(MONITOR_ID), 0x0000011fu);
    EXPECT_EQ(read(GPIO_PULLS), 0xffffffffu);
    EXPECT_EQ(read(GPIO_DIRECTION), 0xffffffffu);
    EXPECT_EQ(read(PLL1), 0x0002010au);
    EXPECT_EQ(read(PLL2), 0x0002010au);
    for (const uint32_t offset : std::initializer_list<uint32_t>{
             CPU_DISABLE, SET_IRQ,         CLEAR_IRQ,       SET_OK,      CLEAR_OK,
             SOFT_LEVEL,  HARD_LEVEL,      SOFT_PULSE,      HARD_PULSE,  SUBSYSTEM_LEVEL,
             MISC,        SUBSYSTEM_PULSE, RESET_CODE,      GPIO_PORT,   GPIO_SET,
             GPIO_CLEAR,  SET_FLAGS,       CLEAR_FLAGS,     CLOCK_MUX,   SLEEP,
             TEMPERATURE, TEMPERATURE + 4, TEMPERATURE + 8, LINK_DISABLE}) {
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
    write_unmodelled(CPU_DISABLE, CODE | 0x2aaaa);
    EXPECT_EQ(read(CPU_DISABLE), 0x2aaaau);
    write(CPU_DISABLE, CODE);
    EXPECT_EQ(read(CPU_DISABLE), 0u);
}

TEST_F(SystemController, ThereAreEighteenCores)
{
    write_unmodelled(CPU_DISABLE, CODE | 0xfffff);
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

TEST_F(SystemController, KeepsResetLevelsButReportsThatNothingIsReset)
{
    write_unmodelled(SOFT_LEVEL, CODE | 2);
    write_unmodelled(HARD_LEVEL, CODE | 4);
    write_unmodelled(SUBSYSTEM_LEVEL, CODE | 8);
    EXPECT_EQ(read(SOFT_LEVEL), 2u);
    EXPECT_EQ(read(SOFT_PULSE), 2u);
    EXPECT_EQ(read(HARD_LEVEL), 4u);
    EXPECT_EQ(read(HARD_PULSE), 4u);
    EXPECT_EQ(read(SUBSYSTEM_LEVEL), 8u);
    EXPECT_EQ(read(SUBSYSTEM_PULSE), 8u);
    write(SOFT_LEVEL, CODE);
    EXPECT_EQ(read(SOFT_LEVEL), 0u);
}

TEST_F(SystemController, APulsedResetIsReportedAndLeavesTheLevelAlone)
{
    write_unmodelled(SOFT_LEVEL, CODE | 2);
    write_unmodelled(SOFT_PULSE, CODE | 4);
    EXPECT_EQ(read(SOFT_LEVEL), 2u);
    write_unmodelled(HARD_PULSE, CODE | 4);
    write_unmodelled(SUBSYSTEM_PULSE, CODE | 1);
    EXPECT_EQ(read(HARD_LEVEL), 0u);
    EXPECT_EQ(read(SUBSYSTEM_LEVEL), 0u);
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

TEST_F(SystemController, PinsShowTheOutputsAndPullOpenInputsDown)
{
    write(GPIO_PORT, 0x000000f0);
    EXPECT_EQ(read(GPIO_SET), 0u) << "all are inputs";
    write(GPIO_DIRECTION, 0xffffff00);
    EXPECT_EQ(read(GPIO_SET), 0xf0u);
    write(GPIO_SET, 0x00000101);
    EXPECT_EQ(read(GPIO_PORT), 0x1f1u);
    EXPECT_EQ(read(GPIO_CLEAR), 0xf1u) << "pin 8 is an input";
    write(GPIO_CLEAR, 0x00000011);
    EXPECT_EQ(read(GPIO_PORT), 0x1e0u);
    write(GPIO_PULLS, 0x12345678);
    EXPECT_EQ(read(GPIO_PULLS), 0x12345678u);
}

TEST_F(SystemController, KeepsClocksButReportsThatTheyDoNotChange)
{
    write_unmodelled(PLL1, 0x00070128);
    write_unmodelled(PLL2, 0x0007011a);
    write_unmodelled(CLOCK_MUX, 0x809488a5);
    EXPECT_EQ(read(PLL1), 0x00070128u);
    EXPECT_EQ(read(PLL2), 0x0007011au);
    EXPECT_EQ(read(CLOCK_MUX), 0x809488a5u);
}

TEST_F(SystemController, KeepsTemperatureAndLinkBitsButReportsThem)
{
    for (uint32_t sensor = 0; sensor < 3; sensor++) {
        write_unmodelled(TEMPERATURE + 4 * sensor, 0x80000000 + sensor);
    }
    for (uint32_t sensor = 0; sensor < 3; sensor++) {
        EXPECT_EQ(read(TEMPERATURE + 4 * sensor), 0x80000000 + sensor);
    }
    write_unmodelled(LINK_DISABLE, CODE | 0x3f3f);
    EXPECT_EQ(read(LINK_DISABLE), 0x3f3fu);
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
    uint32_t changed = 1;
    EXPECT_EQ(sysctl_read32(&sysctl_, TEST_AND_SET, false, &value), REGISTER_BUS_ERROR);
    EXPECT_EQ(sysctl_read32(&sysctl_, TEST_AND_SET + 2, true, &value), REGISTER_BUS_ERROR);
    EXPECT_EQ(value, 0u);
    EXPECT_EQ(read(TEST_AND_SET), 0u) << "the refused reads have taken no lock";
    EXPECT_EQ(sysctl_write32(&sysctl_, SET_OK, false, 1, &changed), REGISTER_BUS_ERROR);
    EXPECT_EQ(sysctl_write32(&sysctl_, SET_OK + 1, true, 1, &changed), REGISTER_BUS_ERROR);
    EXPECT_EQ(changed, 0u);
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
