/* The vectored interrupt controller: registers, routing, priorities. */
extern "C" {
#include "models/chip/vic.h"
}

#include <gtest/gtest.h>

namespace
{

enum : uint32_t {
    IRQ_STATUS = 0x00,
    FIQ_STATUS = 0x04,
    RAW = 0x08,
    SELECT = 0x0c,
    ENABLE = 0x10,
    DISABLE = 0x14,
    SOFT_SET = 0x18,
    SOFT_CLEAR = 0x1c,
    PROTECT = 0x20,
    VECTOR = 0x30,
    DEFAULT_VECTOR = 0x34,
    SLOT_ADDRESS = 0x100,
    SLOT_CONTROL = 0x200,
    PERIPHERAL_ID = 0xfe0
};

constexpr uint32_t SLOT_ON = 0x20;

class Vic : public testing::Test
{
  protected:
    Vic()
    {
        vic_reset(&vic_);
    }

    uint32_t read(uint32_t offset)
    {
        uint32_t value = 0xdeadbeef;
        EXPECT_EQ(vic_read32(&vic_, offset, true, &value), REGISTER_OK) << offset;
        return value;
    }

    void write(uint32_t offset, uint32_t value)
    {
        EXPECT_EQ(vic_write32(&vic_, offset, true, value), REGISTER_OK) << offset;
    }

    /* Slot n serves `source` at address 0x1000 + n; the source is enabled. */
    void slot(uint32_t n, uint32_t source)
    {
        write(SLOT_ADDRESS + 4 * n, 0x1000 + n);
        write(SLOT_CONTROL + 4 * n, SLOT_ON | source);
        write(ENABLE, 1u << source);
    }

    void raise(unsigned source, bool level = true)
    {
        vic_set_input(&vic_, static_cast<vic_source>(source), level);
    }

    vic vic_ = {};
};

TEST_F(Vic, HasItsResetValues)
{
    for (const uint32_t offset : {IRQ_STATUS, FIQ_STATUS, RAW, SELECT, ENABLE, DISABLE, SOFT_SET,
                                  SOFT_CLEAR, PROTECT, DEFAULT_VECTOR}) {
        EXPECT_EQ(read(offset), 0u) << offset;
    }
    for (uint32_t slot = 0; slot < 16; slot++) {
        EXPECT_EQ(read(SLOT_ADDRESS + 4 * slot), 0u);
        EXPECT_EQ(read(SLOT_CONTROL + 4 * slot), 0u);
    }
    EXPECT_EQ(read(PERIPHERAL_ID), 0x90u);
    EXPECT_FALSE(vic_irq(&vic_));
    EXPECT_FALSE(vic_fiq(&vic_));
}

TEST_F(Vic, KeepsItsHardwareInputsThroughReset)
{
    raise(VIC_SOURCE_TIMER1);
    write(ENABLE, 0xffffffff);
    vic_reset(&vic_);
    EXPECT_EQ(read(RAW), 1u << 4);
    EXPECT_EQ(read(ENABLE), 0u);
}

TEST_F(Vic, StoresAllBitsOfItsAddresses)
{
    write(DEFAULT_VECTOR, 0xffffffff);
    EXPECT_EQ(read(DEFAULT_VECTOR), 0xffffffffu);
    for (uint32_t slot = 0; slot < 16; slot++) {
        write(SLOT_ADDRESS + 4 * slot, 0x80000001u + slot);
    }
    for (uint32_t slot = 0; slot < 16; slot++) {
        EXPECT_EQ(read(SLOT_ADDRESS + 4 * slot), 0x80000001u + slot);
    }
}

TEST_F(Vic, StoresSixBitsOfASlotControl)
{
    write(SLOT_CONTROL + 4 * 15, 0xffffffff);
    EXPECT_EQ(read(SLOT_CONTROL + 4 * 15), 0x3fu);
    EXPECT_EQ(read(SLOT_CONTROL + 4 * 14), 0u);
}

TEST_F(Vic, StoresOneBitOfProtection)
{
    write(PROTECT, 0xffffffff);
    EXPECT_EQ(read(PROTECT), 1u);
}

TEST_F(Vic, IgnoresWritesOfReadOnlyRegisters)
{
    raise(VIC_SOURCE_TIMER1);
    for (const uint32_t offset : {IRQ_STATUS, FIQ_STATUS, RAW, PERIPHERAL_ID}) {
        const uint32_t before = read(offset);
        write(offset, 0xffffffff);
        EXPECT_EQ(read(offset), before) << offset;
    }
}

TEST_F(Vic, EnablesByOnesAndDisablesByOnes)
{
    write(ENABLE, 0x0000ff00);
    write(ENABLE, 0x000000ff);
    EXPECT_EQ(read(ENABLE), 0x0000ffffu);
    write(DISABLE, 0x00000f0f);
    EXPECT_EQ(read(ENABLE), 0x0000f0f0u);
    EXPECT_EQ(read(DISABLE), 0u);
}

TEST_F(Vic, ForcesSourcesBySoftwareUntilTheyAreCleared)
{
    write(ENABLE, 1u << 1);
    write(SOFT_SET, 1u << 1 | 1u << 29);
    EXPECT_EQ(read(SOFT_SET), 1u << 1 | 1u << 29);
    EXPECT_EQ(read(RAW), 1u << 1 | 1u << 29);
    EXPECT_EQ(read(IRQ_STATUS), 1u << 1);
    EXPECT_TRUE(vic_irq(&vic_));
    write(SOFT_CLEAR, 1u << 1);
    EXPECT_EQ(read(RAW), 1u << 29);
    EXPECT_FALSE(vic_irq(&vic_));
    EXPECT_EQ(read(SOFT_CLEAR), 0u);
}

TEST_F(Vic, ASoftClearDoesNotLowerAHardwareInput)
{
    raise(VIC_SOURCE_TIMER1);
    write(SOFT_CLEAR, 1u << 4);
    EXPECT_EQ(read(RAW), 1u << 4);
}

TEST_F(Vic, ShowsADisabledSourceInTheRawStatusOnly)
{
    raise(VIC_SOURCE_DMA_DONE);
    EXPECT_EQ(read(RAW), 1u << 12);
    EXPECT_EQ(read(IRQ_STATUS), 0u);
    EXPECT_FALSE(vic_irq(&vic_));
}

TEST_F(Vic, FollowsTheLevelOfAnInput)
{
    write(ENABLE, 1u << 12);
    raise(VIC_SOURCE_DMA_DONE);
    EXPECT_TRUE(vic_irq(&vic_));
    raise(VIC_SOURCE_DMA_DONE, false);
    EXPECT_FALSE(vic_irq(&vic_));
    EXPECT_EQ(read(RAW), 0u);
}

TEST_F(Vic, RoutesASelectedSourceToFiqOnly)
{
    write(SELECT, 1u << 18);
    write(ENABLE, 1u << 18);
    raise(VIC_SOURCE_SYSCTL);
    EXPECT_TRUE(vic_fiq(&vic_));
    EXPECT_FALSE(vic_irq(&vic_));
    EXPECT_EQ(read(FIQ_STATUS), 1u << 18);
    EXPECT_EQ(read(IRQ_STATUS), 0u);
}

TEST_F(Vic, DoesNotServeASelectedSourceByItsSlot)
{
    slot(0, 18);
    write(SELECT, 1u << 18);
    write(DEFAULT_VECTOR, 0x99);
    raise(18);
    EXPECT_EQ(read(VECTOR), 0x99u);
}

TEST_F(Vic, GivesTheAddressOfTheLowestActiveSlot)
{
    slot(3, 4);
    slot(1, 12);
    slot(2, 5);
    raise(4);
    raise(5);
    EXPECT_EQ(read(VECTOR), 0x1002u);
}

TEST_F(Vic, GivesTheDefaultAddressWhenNoSlotIsActive)
{
    slot(0, 4);
    write(DEFAULT_VECTOR, 0x5678);
    EXPECT_EQ(read(VECTOR), 0x5678u);
}

TEST_F(Vic, PassesOverASlotThatIsNotEnabled)
{
    slot(0, 4);
    write(SLOT_CONTROL, 4); /* without the enable bit */
    slot(5, 4);
    raise(4);
    EXPECT_EQ(read(VECTOR), 0x1005u);
}

TEST_F(Vic, InterruptsForASourceWithoutASlot)
{
    write(ENABLE, 1u << 6);
    write(DEFAULT_VECTOR, 0x42);
    raise(6);
    EXPECT_TRUE(vic_irq(&vic_));
    EXPECT_EQ(read(VECTOR), 0x42u);
    EXPECT_FALSE(vic_irq(&vic_)) << "in service";
    write(VECTOR, 0);
    EXPECT_TRUE(vic_irq(&vic_));
}

TEST_F(Vic, HoldsBackTheSlotInServiceAndLaterOnes)
{
    slot(2, 12);
    slot(3, 4);
    raise(12);
    EXPECT_EQ(read(VECTOR), 0x1002u);
    EXPECT_FALSE(vic_irq(&vic_)) << "its own source is still active";
    raise(4);
    EXPECT_FALSE(vic_irq(&vic_)) << "a later slot";
    EXPECT_EQ(read(IRQ_STATUS), 1u << 12 | 1u << 4) << "the status shows both";
}

TEST_F(Vic, LetsAnEarlierSlotInterruptTheOneInService)
{
    slot(1, 5);
    slot(2, 12);
    raise(12);
    EXPECT_EQ(read(VECTOR), 0x1002u);
    raise(5);
    EXPECT_TRUE(vic_irq(&vic_));
    EXPECT_EQ(read(VECTOR), 0x1001u);
    EXPECT_FALSE(vic_irq(&vic_));
}

TEST_F(Vic, EndsTheMostUrgentServiceFirst)
{
    slot(1, 5);
    slot(2, 12);
    slot(3, 4);
    raise(12);
    EXPECT_EQ(read(VECTOR), 0x1002u);
    raise(5);
    EXPECT_EQ(read(VECTOR), 0x1001u);
    raise(5, false);
    write(VECTOR, 0);
    EXPECT_FALSE(vic_irq(&vic_)) << "slot 2 is still in service";
    raise(4);
    EXPECT_FALSE(vic_irq(&vic_)) << "and holds slot 3 back";
    raise(12, false);
    write(VECTOR, 0);
    EXPECT_TRUE(vic_irq(&vic_));
    EXPECT_EQ(read(VECTOR), 0x1003u);
}

TEST_F(Vic, ASpuriousReadHoldsBackNoSlot)
{
    slot(15, 4);
    write(DEFAULT_VECTOR, 0x42);
    EXPECT_EQ(read(VECTOR), 0x42u);
    raise(4);
    EXPECT_TRUE(vic_irq(&vic_));
    EXPECT_EQ(read(VECTOR), 0x100fu);
    write(VECTOR, 0);
    write(VECTOR, 0);
    EXPECT_TRUE(vic_irq(&vic_));
}

TEST_F(Vic, AReadDuringAServiceDoesNotFindWhatTheServiceHoldsBack)
{
    slot(2, 12);
    slot(3, 4);
    write(DEFAULT_VECTOR, 0x42);
    raise(12);
    EXPECT_EQ(read(VECTOR), 0x1002u);
    raise(12, false);
    raise(4);
    EXPECT_EQ(read(VECTOR), 0x42u);
}

TEST_F(Vic, AServiceEndedTwiceDoesNoHarm)
{
    write(VECTOR, 0);
    slot(0, 4);
    raise(4);
    EXPECT_TRUE(vic_irq(&vic_));
}

TEST_F(Vic, FiqIgnoresTheInterruptInService)
{
    slot(0, 4);
    write(SELECT, 1u << 5);
    write(ENABLE, 1u << 5);
    raise(4);
    (void)read(VECTOR);
    raise(5);
    EXPECT_TRUE(vic_fiq(&vic_));
}

TEST_F(Vic, RefusesUserModeOnlyWhileProtected)
{
    uint32_t value = 0;
    EXPECT_EQ(vic_read32(&vic_, RAW, false, &value), REGISTER_OK);
    EXPECT_EQ(vic_write32(&vic_, ENABLE, false, 1), REGISTER_OK);
    write(PROTECT, 1);
    EXPECT_EQ(vic_read32(&vic_, RAW, false, &value), REGISTER_BUS_ERROR);
    EXPECT_EQ(vic_write32(&vic_, ENABLE, false, 2), REGISTER_BUS_ERROR);
    EXPECT_EQ(vic_write32(&vic_, PROTECT, false, 0), REGISTER_BUS_ERROR);
    EXPECT_EQ(read(ENABLE), 1u);
}

TEST_F(Vic, RefusesAMisalignedAddress)
{
    uint32_t value = 0;
    EXPECT_EQ(vic_read32(&vic_, ENABLE + 2, true, &value), REGISTER_BUS_ERROR);
    EXPECT_EQ(vic_write32(&vic_, ENABLE + 1, true, 1), REGISTER_BUS_ERROR);
}

TEST_F(Vic, ReportsRegistersItDoesNotHave)
{
    uint32_t value = 1;
    for (const uint32_t offset : {0x24u, 0x2cu, 0x38u, 0xfcu, 0x140u, 0x1fcu, 0x240u, 0xfe4u}) {
        EXPECT_EQ(vic_read32(&vic_, offset, true, &value), REGISTER_UNMODELLED) << offset;
        EXPECT_EQ(value, 0u);
        EXPECT_EQ(vic_write32(&vic_, offset, true, 1), REGISTER_UNMODELLED) << offset;
    }
}

TEST_F(Vic, NamesTheSourcesThatTheCoreItselfRaises)
{
    EXPECT_EQ(VIC_OWN_SOURCES, 0x00007032u);
}

TEST_F(Vic, TellsWhichSourcesAskAndAreLetIn)
{
    write(ENABLE, 0x01000012);
    write(SELECT, 0x10); /* to the fast interrupt: it asks all the same */
    vic_set_inputs(&vic_, 0xffffffff, 0x01000030);
    EXPECT_EQ(vic_pending(&vic_), 0x01000010u);
    write(SOFT_SET, 0x2);
    EXPECT_EQ(vic_pending(&vic_), 0x01000012u);
    write(DISABLE, 0x01000000);
    EXPECT_EQ(vic_pending(&vic_), 0x12u);
}

} // namespace
