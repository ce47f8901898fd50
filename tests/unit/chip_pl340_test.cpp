/* The SDRAM controller's registers, its states, and the loop that locks. */
extern "C" {
#include "models/chip/pl340.h"
}

#include <gtest/gtest.h>

#include <initializer_list>

namespace
{

enum : uint32_t {
    STATUS = 0x00,
    COMMAND = 0x04,
    DIRECT = 0x08,
    MASTER = 0x100,
    CHIP = 0x200,
    DLL_STATUS = 0x300,
    DLL_CONFIG0 = 0x304,
    DLL_CONFIG1 = 0x308
};

enum : uint32_t { GO, SLEEP, WAKE, PAUSE, CONFIGURE, ACTIVE_PAUSE = 7 };

/* As in the datasheet and in the power-on self-test. */
struct setting {
    uint32_t offset, reset, mask;
};
constexpr setting SETTINGS[] = {
    {0x0c, 0x10020, 0x7fffff}, /* mem_cfg */
    {0x10, 0x0a60, 0x7fff},    /* refresh period */
    {0x14, 6, 0xf},            /* CAS latency */
    {0x18, 1, 3},              /* DQSS */
    {0x1c, 2, 0x7f},           /* MRD */
    {0x20, 7, 0xf},            /* RAS */
    {0x24, 0xb, 0xf},          /* RC */
    {0x28, 0x1d, 0x3f},        /* RCD */
    {0x2c, 0x212, 0x3ff},      /* RFC */
    {0x30, 0x1d, 0x3f},        /* RP */
    {0x34, 2, 0xf},            /* RRD */
    {0x38, 3, 7},              /* WR */
    {0x3c, 2, 7},              /* WTR */
    {0x40, 1, 0xff},           /* XP */
    {0x44, 0x0a, 0xff},        /* XSR */
    {0x48, 0x14, 0xff},        /* ESR */
    {0x4c, 0x2d1, 0x7ff},      /* mem_cfg2 */
    {0x50, 7, 7},              /* mem_cfg3 */
};

class Pl340 : public testing::Test
{
  protected:
    Pl340()
    {
        pl340_reset(&pl340_);
    }

    uint32_t read(uint32_t offset)
    {
        uint32_t value = 0xdeadbeef;
        EXPECT_EQ(pl340_read32(&pl340_, offset, &value), REGISTER_OK) << offset;
        return value;
    }

    void write(uint32_t offset, uint32_t value)
    {
        EXPECT_EQ(pl340_write32(&pl340_, offset, value), REGISTER_OK) << offset;
    }

    /* The state after those commands from reset. */
    uint32_t after(std::initializer_list<uint32_t> commands)
    {
        pl340_reset(&pl340_);
        for (const uint32_t command : commands) {
            write(COMMAND, command);
        }
        EXPECT_EQ(read(STATUS) & ~3u, 0xb4u);
        return read(STATUS) & 3;
    }

    pl340 pl340_ = {};
};

TEST_F(Pl340, EverySettingHasItsResetValueAndItsBits)
{
    EXPECT_EQ(read(STATUS), 0xb4u);
    EXPECT_EQ(std::size(SETTINGS), static_cast<size_t>(PL340_SETTINGS));
    for (const setting &setting : SETTINGS) {
        EXPECT_EQ(read(setting.offset), setting.reset) << setting.offset;
    }
    for (const setting &setting : SETTINGS) {
        write(setting.offset, 0xffffffff);
    }
    for (const setting &setting : SETTINGS) {
        EXPECT_EQ(read(setting.offset), setting.mask) << setting.offset;
        write(setting.offset, 0);
        EXPECT_EQ(read(setting.offset), 0u) << setting.offset;
    }
}

TEST_F(Pl340, EveryMasterAndChipHasItsWord)
{
    for (uint32_t i = 0; i < 16; i++) {
        EXPECT_EQ(read(MASTER + 4 * i), 0u);
        write(MASTER + 4 * i, 0xfffffc00 + i);
    }
    for (uint32_t i = 0; i < 16; i++) {
        EXPECT_EQ(read(MASTER + 4 * i), i);
    }
    write(MASTER, 0xffffffff);
    EXPECT_EQ(read(MASTER), 0x3ffu);
    EXPECT_EQ(read(CHIP), 0x0ff00u);
    EXPECT_EQ(read(CHIP + 4), 0x0ff00u);
    write(CHIP, 0xffffffff);
    EXPECT_EQ(read(CHIP), 0x1ffffu);
    EXPECT_EQ(read(CHIP + 4), 0x0ff00u);
}

TEST_F(Pl340, CommandsLeadFromStateToState)
{
    enum : uint32_t { CONFIGURING, READY, PAUSED, LOW_POWER };
    EXPECT_EQ(after({}), CONFIGURING);
    EXPECT_EQ(after({GO}), READY);
    EXPECT_EQ(after({GO, PAUSE}), PAUSED);
    EXPECT_EQ(after({GO, ACTIVE_PAUSE}), PAUSED);
    EXPECT_EQ(after({GO, PAUSE, GO}), READY);
    EXPECT_EQ(after({GO, PAUSE, CONFIGURE}), CONFIGURING);
    EXPECT_EQ(after({GO, PAUSE, SLEEP}), LOW_POWER);
    EXPECT_EQ(after({GO, PAUSE, SLEEP, WAKE}), PAUSED);
}

TEST_F(Pl340, ACommandThatTheStateDoesNotAllowDoesNothing)
{
    enum : uint32_t { CONFIGURING, READY, PAUSED, LOW_POWER };
    for (const uint32_t command :
         std::initializer_list<uint32_t>{SLEEP, WAKE, PAUSE, CONFIGURE, ACTIVE_PAUSE, 5, 6}) {
        EXPECT_EQ(after({command}), CONFIGURING) << command;
    }
    for (const uint32_t command : {GO, SLEEP, WAKE, CONFIGURE}) {
        EXPECT_EQ(after({GO, command}), READY) << command;
    }
    for (const uint32_t command : {WAKE, PAUSE}) {
        EXPECT_EQ(after({GO, PAUSE, command}), PAUSED) << command;
    }
    for (const uint32_t command : {GO, SLEEP, PAUSE, CONFIGURE}) {
        EXPECT_EQ(after({GO, PAUSE, SLEEP, command}), LOW_POWER) << command;
    }
    EXPECT_EQ(after({GO | 8}), READY) << "three bits count";
}

TEST_F(Pl340, TheLoopIsLockedWhileItIsEnabled)
{
    EXPECT_EQ(read(DLL_STATUS), 0u);
    write(DLL_CONFIG1, 0xffffffff);
    write(DLL_CONFIG0, 0xfeffffff);
    EXPECT_EQ(read(DLL_STATUS), 0u);
    write(DLL_CONFIG0, 1u << 24);
    EXPECT_EQ(read(DLL_STATUS), 1u << 18);
    write(DLL_CONFIG0, 0);
    EXPECT_EQ(read(DLL_STATUS), 0u);
}

/* As the boot ROM and SC&MP set the memory up. */
TEST_F(Pl340, TakesTheUsualSetUp)
{
    const struct {
        uint32_t offset, value;
    } steps[] = {
        {COMMAND, PAUSE},
        {COMMAND, CONFIGURE},
        {DLL_CONFIG0, 0},
        {0x14, 6},
        {0x18, 1},
        {0x1c, 2},
        {0x20, 7},
        {0x24, 0xa},
        {0x28, 3},
        {0x2c, 0x275},
        {0x30, 3},
        {0x34, 2},
        {0x38, 3},
        {0x3c, 1},
        {0x40, 5},
        {0x44, 0x17},
        {0x48, 0x14},
        {0x0c, 0x18012},
        {0x10, 1014},
        {CHIP, 0x60e0},
        {DIRECT, 3u << 18},
        {DIRECT, 0},
        {DIRECT, 1u << 18},
        {DIRECT, 1u << 18},
        {DIRECT, 2u << 18 | 0x33},
        {COMMAND, GO},
        {DLL_CONFIG1, 0},
        {DLL_CONFIG0, 0x01000000},
    };
    for (const auto &step : steps) {
        write(step.offset, step.value);
    }
    EXPECT_EQ(read(STATUS), 0xb5u);
    EXPECT_EQ(read(DLL_STATUS), 1u << 18);
    EXPECT_EQ(read(0x2c), 0x275u);
    EXPECT_EQ(read(0x0c), 0x18012u);
    EXPECT_EQ(read(0x10), 1014u);
    EXPECT_EQ(read(CHIP), 0x60e0u);
}

TEST_F(Pl340, WritesOfReadOnlyRegistersAreIgnored)
{
    write(STATUS, 0xffffffff);
    EXPECT_EQ(read(STATUS), 0xb4u);
    write(DLL_STATUS, 0xffffffff);
    EXPECT_EQ(read(DLL_STATUS), 0u);
}

TEST_F(Pl340, AnswersToNothingElse)
{
    uint32_t value = 1;
    for (const uint32_t offset : {COMMAND, DIRECT, DLL_CONFIG0, DLL_CONFIG1}) {
        EXPECT_EQ(pl340_read32(&pl340_, offset, &value), REGISTER_UNMODELLED) << offset;
        EXPECT_EQ(value, 0u) << "write only";
    }
    for (const uint32_t offset : {0x54u, 0xfcu, 0x140u, 0x1fcu, 0x208u, 0x2fcu, 0x30cu, 0xfe0u}) {
        EXPECT_EQ(pl340_read32(&pl340_, offset, &value), REGISTER_UNMODELLED) << offset;
        EXPECT_EQ(pl340_write32(&pl340_, offset, 1), REGISTER_UNMODELLED) << offset;
    }
    for (const uint32_t offset : {1u, 2u, 3u, 0x0eu, 0x101u}) {
        EXPECT_EQ(pl340_read32(&pl340_, offset, &value), REGISTER_BUS_ERROR) << offset;
        EXPECT_EQ(pl340_write32(&pl340_, offset, 1), REGISTER_BUS_ERROR) << offset;
    }
}

} // namespace
