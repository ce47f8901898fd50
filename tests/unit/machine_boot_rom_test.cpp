/* A machine with a boot ROM: every core begins there when it leaves a reset. */
#include "tests/unit/machine_fixture.h"

#include <cstring>

#include <gtest/gtest.h>

namespace
{

constexpr uint32_t ROM = 0xf6000000;
constexpr uint32_t VECTORS = 0xffff0000;
constexpr uint64_t PULSE_PS = 256 * 100000; /* bus clocks of 10 MHz */

class MachineBootRom : public testing::Test
{
  protected:
    ~MachineBootRom() override
    {
        machine_destroy(machine_);
    }
    void make(const Program *program, unsigned side = 2)
    {
        machine_config config = bench_config();
        config.topology.width = config.topology.height = side;
        if (program != nullptr) {
            config.boot_rom = reinterpret_cast<const uint8_t *>(program->words().data());
            config.boot_rom_bytes = static_cast<uint32_t>(4 * program->words().size());
        }
        config.observer.context = this;
        config.observer.guest_error = [](void *context, machine_core, struct arm968_fault) {
            static_cast<MachineBootRom *>(context)->faults_++;
            return true;
        };
        diagnostic why = {};
        ASSERT_EQ(machine_create(&config, &machine_, &why), STATUS_OK) << why.text;
    }
    uint32_t word(machine_chip chip, uint32_t address)
    {
        uint32_t value = 0xdeadbeef;
        EXPECT_EQ(machine_read_word(machine_, chip, address, &value), STATUS_OK) << address;
        return value;
    }
    machine *machine_ = nullptr;
    unsigned faults_ = 0;
};

/* Marks its core's word of System RAM with its number + 1. */
Program one_page()
{
    Program program(VECTORS);
    program.set(r0, DMA_BUFFERED).emit({ldr_imm(r0, r0, 0x14), mov(r0, r0, LSR, 24)});
    program.set(r1, SYSTEM_RAM)
        .emit({add_imm(r2, r0, 1), add(r1, r1, r0) | 2 << 7, str_imm(r2, r1)});
    program.sleep();
    return program;
}

TEST_F(MachineBootRom, EveryCoreOfEveryChipRunsIt)
{
    const Program program = one_page();
    make(&program);
    ASSERT_EQ(machine_leave_reset(machine_), STATUS_OK);
    EXPECT_EQ(machine_run_until(machine_, 1000 * US), MACHINE_QUIESCENT);
    for (uint8_t x = 0; x < 2; x++) {
        for (uint8_t y = 0; y < 2; y++) {
            for (uint32_t p = 0; p < 18; p++) {
                EXPECT_EQ(word({x, y}, SYSTEM_RAM + 4 * p), p + 1);
            }
            EXPECT_EQ(word({x, y}, 0xf2000060), 0u) << "the crystal's clock";
        }
    }
    EXPECT_EQ(faults_, 0u);
    EXPECT_EQ(machine_unmodelled_count(machine_), 0u);
}

TEST_F(MachineBootRom, TheResetEndsAfterItsPulse)
{
    const Program program = one_page();
    make(&program, 1);
    ASSERT_EQ(machine_leave_reset(machine_), STATUS_OK);
    const uint64_t change_ps = bench_config().parameters.chip_control_interval_ps;
    (void)machine_run_until(machine_, change_ps + PULSE_PS);
    EXPECT_EQ(machine_core_register(machine_, {0, 0, 3}, 15), VECTORS);
    (void)machine_run_until(machine_, 1000 * US);
    EXPECT_EQ(word({0, 0}, SYSTEM_RAM + 12), 4u);
}

TEST_F(MachineBootRom, ItIsReadInPartsOfWordsAndRepeats)
{
    Program program(VECTORS);
    program.set(r0, ROM).emit({ldrb_imm(r1, r0, 1), ldr_imm(r2, r0)}).sleep();
    make(&program, 1);
    ASSERT_EQ(machine_leave_reset(machine_), STATUS_OK);
    (void)machine_run_until(machine_, 1000 * US);
    const uint32_t first = program.words()[0];
    EXPECT_EQ(machine_core_register(machine_, {0, 0, 0}, 1), first >> 8 & 0xff);
    EXPECT_EQ(machine_core_register(machine_, {0, 0, 0}, 2), first);
    EXPECT_EQ(word({0, 0}, ROM + 0x8000), first);
    EXPECT_EQ(word({0, 0}, ROM + 0x7ffc), 0u) << "behind the contents";
}

TEST_F(MachineBootRom, AStoreIsABusError)
{
    Program program(VECTORS);
    program.set(r0, ROM).emit({str_imm(r0, r0)}).sleep();
    make(&program, 1);
    ASSERT_EQ(machine_leave_reset(machine_), STATUS_OK);
    EXPECT_EQ(machine_run_until(machine_, 1000 * US), MACHINE_STOPPED);
    EXPECT_EQ(faults_, 1u);
}

TEST_F(MachineBootRom, WithoutOneNoCoreLeavesTheReset)
{
    make(nullptr, 1);
    EXPECT_EQ(machine_leave_reset(machine_), STATUS_CONFIGURATION);
    EXPECT_FALSE(machine_core_started(machine_, {0, 0, 0}));
}

TEST_F(MachineBootRom, StrapsTellOfASerialRomAndItsReader)
{
    const Program program = one_page();
    make(&program);
    const uint8_t content[] = {0xaa};
    EXPECT_EQ(machine_set_serial_rom(machine_, {1, 0}, content, 0), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_set_serial_rom(machine_, {1, 0}, content, 65), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_set_serial_rom(machine_, {2, 0}, content, 1), STATUS_CONFIGURATION);
    ASSERT_EQ(machine_set_serial_rom(machine_, {1, 0}, content, 1), STATUS_OK);
    ASSERT_EQ(machine_leave_reset(machine_), STATUS_OK);
    EXPECT_EQ(word({1, 0}, 0xf2000048) & 0xff, 0x40u); /* core 0 */
    EXPECT_EQ(word({0, 0}, 0xf2000048) & 0xff, 0u);
}

TEST_F(MachineBootRom, ItIsThereAfterTheNextPowerOn)
{
    const Program program = one_page();
    make(&program, 1);
    for (unsigned round = 0; round < 2; round++) {
        ASSERT_EQ(machine_power_on(machine_), STATUS_OK);
        EXPECT_EQ(word({0, 0}, SYSTEM_RAM + 4 * 17), 0u);
        ASSERT_EQ(machine_leave_reset(machine_), STATUS_OK);
        (void)machine_run_until(machine_, 1000 * US);
        EXPECT_EQ(word({0, 0}, SYSTEM_RAM + 4 * 17), 18u);
    }
}

} // namespace
