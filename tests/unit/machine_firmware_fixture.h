/* machine_firmware_fixture.h - programs that do what the boot ROM, SC&MP and SARK do. */
#pragma once
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t ROUTER = 0xf1000000;
constexpr uint32_t SC = 0xf2000000;
constexpr uint32_t WATCHDOG = 0xf3000000;
constexpr uint32_t PL340 = 0xf0000000;
constexpr uint32_t RAM = 0xf5000000;
constexpr uint32_t CODE_OF_SYSTEM = 0x5ec00000;
constexpr uint32_t SOFT_LEVEL = SC + 0x18;
constexpr uint32_t SOFT_PULSE = SC + 0x24;
constexpr uint32_t MISC = SC + 0x38;
constexpr uint32_t TAKE = SC + 0x100;
constexpr uint32_t FREE = SC + 0x180;
constexpr uint32_t TOP = 0x80000000;
constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t FIQ_VECTOR = 0x1c;
constexpr uint32_t HANDLER = 0x200;
constexpr uint32_t SECOND = 0x300;
constexpr uint32_t MAIN = 0x1000;
constexpr uint32_t RESTART = 0x4000;
constexpr uint32_t RETURN = 0xe25ef004; /* SUBS pc, lr, #4 */
constexpr uint32_t CONTROL_RESET = 0x00400001;
constexpr uint32_t NN = 0x00800000;
constexpr uint32_t NN_DIRECT = 0x00a00000; /* peek or poke */
constexpr uint32_t P2P = 0x00400000;
constexpr unsigned OTHER = 5;

/* Emits a load of a word and its store to DTCM, behind the words kept before; r12 is the address
 * there. */
inline void keep(Program &program, uint32_t address)
{
    program.set(0, address).emit({ldr_imm(1, 0), str_post(1, 12, 4)});
}

/* Emits a loop that waits until a bit of a word has the given level. */
inline void wait_for(Program &program, uint32_t address, uint32_t bit, bool level)
{
    program.set(0, address);
    const uint32_t again = program.here();
    program.emit({ldr_imm(1, 0), data_imm(TST, true, 0, 1, bit)});
    program.branch(again, level ? EQ : NE);
}

class FirmwareNeeds : public testing::Test
{
  protected:
    /* Runs a program on a core until nothing happens any more. */
    void run(unsigned core, Program &program, uint64_t time_ps = 2000 * US)
    {
        bench_.run(core, program.sleep());
        EXPECT_EQ(bench_.until(bench_.time_ps() + time_ps), MACHINE_QUIESCENT);
    }
    uint32_t kept(unsigned core, unsigned index)
    {
        return bench_.word(core, DTCM + 4 * index);
    }
    static Program begin(uint32_t base = MAIN)
    {
        return Program(base).set(12, DTCM);
    }

    MachineBench bench_;
};

/* Two chips side by side; on the right one only programs that the test starts there run. */
class FirmwareNeedsOfNeighbours : public testing::Test
{
  protected:
    FirmwareNeedsOfNeighbours()
    {
        machine_config config = bench_config();
        config.topology.shape = TOPOLOGY_RECTANGLE;
        config.topology.width = 2;
        config.topology.height = 1;
        EXPECT_EQ(machine_create(&config, &machine_, nullptr), STATUS_OK);
    }
    ~FirmwareNeedsOfNeighbours() override
    {
        machine_destroy(machine_);
    }
    void start(machine_core core, Program &program)
    {
        program.sleep();
        EXPECT_EQ(machine_write(machine_, core, program.base(), program.words().data(),
                                static_cast<uint32_t>(4 * program.words().size())),
                  STATUS_OK);
        EXPECT_EQ(machine_start_core(machine_, core, program.base(), 0), STATUS_OK);
    }
    void until_quiet()
    {
        EXPECT_EQ(machine_run_until(machine_, 2000 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(machine_unmodelled_count(machine_), 0u);
    }
    uint32_t word(machine_core core, uint32_t address)
    {
        uint32_t value = 0;
        EXPECT_EQ(machine_read(machine_, core, address, &value, 4), STATUS_OK);
        return value;
    }
    uint32_t kept(machine_core core, unsigned index)
    {
        return word(core, DTCM + 4 * index);
    }

    machine *machine_ = nullptr;
};

/* Emits code that sends a packet with a control word, and its payload if any, when the transmitter
 * is free. */
inline void send(Program &program, uint32_t control, uint32_t key,
                 const uint32_t *payload = nullptr)
{
    wait_for(program, COMMS, TOP, true);
    program.store(COMMS, control);
    if (payload != nullptr) {
        program.store(COMMS + 4, *payload);
    }
    program.store(COMMS + 8, key);
}

/* Emits code that stores status, payload and key of a received packet. */
inline void receive(Program &program)
{
    wait_for(program, COMMS + 0x0c, TOP, true);
    keep(program, COMMS + 0x0c);
    keep(program, COMMS + 0x10);
    keep(program, COMMS + 0x14);
}
