/* Serial ROM: what comes out of four pins. */
#include <gtest/gtest.h>

#include <initializer_list>

extern "C" {
#include "models/chip/serial_rom.h"
}

namespace
{

constexpr uint32_t IN = 1u << SERIAL_ROM_PIN_IN;
constexpr uint32_t CLOCK = 1u << SERIAL_ROM_PIN_CLOCK;
constexpr uint32_t DESELECT = 1u << SERIAL_ROM_PIN_DESELECT;

class SerialRom : public testing::Test
{
  protected:
    SerialRom()
    {
        rom_.fitted = 3;
        rom_.content[0] = 0x12;
        rom_.content[1] = 0xa5;
        rom_.content[2] = 0x01;
        (void)serial_rom_pins(&rom_, DESELECT);
        (void)serial_rom_pins(&rom_, 0);
    }
    void send(uint32_t bits, unsigned count)
    {
        for (unsigned i = count; i > 0; i--) {
            const uint32_t level = (bits >> (i - 1) & 1) != 0 ? IN : 0;
            (void)serial_rom_pins(&rom_, level);
            (void)serial_rom_pins(&rom_, level | CLOCK);
            out_ = serial_rom_pins(&rom_, level);
        }
    }
    /* Each bit is there before the clock rises. */
    uint32_t receive(unsigned count)
    {
        uint32_t bits = 0;
        for (unsigned i = 0; i < count; i++) {
            bits = bits << 1 | (out_ ? 1 : 0);
            (void)serial_rom_pins(&rom_, CLOCK);
            out_ = serial_rom_pins(&rom_, 0);
        }
        return bits;
    }
    serial_rom rom_ = {};
    bool out_ = false;
};

TEST_F(SerialRom, BytesFollowACommandAndAnAddress)
{
    send(0x03000000, 32);
    EXPECT_EQ(receive(24), 0x12a501u);
    EXPECT_EQ(receive(16), 0xffffu) << "behind the contents it is erased";
}

TEST_F(SerialRom, AnAddressMayBeAnyAndRepeats)
{
    send(0x03000001, 32);
    EXPECT_EQ(receive(8), 0xa5u);
    (void)serial_rom_pins(&rom_, DESELECT);
    out_ = serial_rom_pins(&rom_, 0);
    send(0x03020002, 32); /* 128 KiB further on */
    EXPECT_EQ(receive(8), 0x01u);
}

TEST_F(SerialRom, OtherCommandsAndADeselectedRomAnswerNothing)
{
    send(0x0b000000, 32);
    EXPECT_EQ(receive(24), 0u);
    (void)serial_rom_pins(&rom_, DESELECT);
    out_ = serial_rom_pins(&rom_, 0);
    send(0x03000000, 32);
    EXPECT_EQ(receive(8), 0x12u);
    (void)serial_rom_pins(&rom_, DESELECT | CLOCK);
    EXPECT_FALSE(serial_rom_pins(&rom_, DESELECT));
}

} // namespace
