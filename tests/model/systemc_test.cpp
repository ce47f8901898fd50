/* The SystemC composition: a machine under the kernel does what it does without, and a memory
 * behind a TLM-2.0 socket takes the place of the chip's SDRAM. */
#include "models/systemc/simulation.h"
#include "tests/unit/machine_busy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace
{

/* What the busy chip does without SystemC. */
outcome without_kernel()
{
    MachineBench bench;
    make_busy(bench);
    bench.until(BUSY_END);
    return outcome_of(bench);
}

uint64_t kernel_time_ps()
{
    return sc_core::sc_time_stamp().value();
}

/* A memory of its own, as a user would write it: a fixed latency, by annotation or by waiting. */
class UserMemory : public sc_core::sc_module
{
  public:
    UserMemory(const sc_core::sc_module_name &name, uint64_t latency_ps, bool waits)
        : sc_module(name), socket("socket"), latency_(sc_core::sc_time::from_value(latency_ps)),
          waits_(waits), bytes_(1u << 20)
    {
        socket.register_b_transport(this, &UserMemory::transport);
        socket.register_transport_dbg(this, &UserMemory::debug);
    }

    tlm_utils::simple_target_socket<UserMemory> socket;
    unsigned transports = 0;
    std::vector<uint64_t> arrivals_ps;

  private:
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
    {
        transports++;
        arrivals_ps.push_back(kernel_time_ps() + delay.value());
        copy(payload);
        delay += latency_;
        if (waits_) {
            wait(delay);
            delay = sc_core::SC_ZERO_TIME;
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    unsigned debug(tlm::tlm_generic_payload &payload)
    {
        copy(payload);
        return payload.get_data_length();
    }

    void copy(tlm::tlm_generic_payload &payload)
    {
        uint8_t *at = &bytes_[payload.get_address()];
        if (payload.is_write()) {
            std::memcpy(at, payload.get_data_ptr(), payload.get_data_length());
        } else {
            std::memcpy(payload.get_data_ptr(), at, payload.get_data_length());
        }
    }

    sc_core::sc_time latency_;
    bool waits_;
    std::vector<uint8_t> bytes_;
};

class SystemC : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (sc_core::sc_get_status() != sc_core::SC_ELABORATION) {
            GTEST_SKIP() << "SystemC makes one hierarchy a process; ctest gives each case its own";
        }
    }

    /* Cycles of a load from SDRAM that holds 1234, by a machine with that memory. */
    uint64_t load_cost(UserMemory &memory)
    {
        MachineBench bench;
        spinn::Simulation simulation(bench.get());
        simulation.top().board.chip[0]->memory.socket.bind(memory.socket);
        simulation.elaborate();
        bench.set_word(0, SDRAM + 64, 1234);
        Program program;
        program.set(r0, SDRAM);
        const uint32_t at = program.here();
        program.emit({ldr_imm(r1, r0, 64)}).nops(2).sleep();
        bench.run(0, program);
        bench.mark(0, at);
        bench.mark(0, at + 4);
        EXPECT_EQ(simulation.run_until(50 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(bench.reg(0, 1), 1234u);
        EXPECT_EQ(memory.transports, 1u) << "the host's accesses are debug transports";
        EXPECT_EQ(memory.arrivals_ps.at(0), bench.cycle_of(at) * CYCLE_PS + 16500);
        return bench.between(at, at + 4);
    }
};

TEST_F(SystemC, RunsAMachineAsWithoutIt)
{
    MachineBench bench;
    make_busy(bench);
    spinn::Simulation simulation(bench.get());
    EXPECT_EQ(simulation.run_until(BUSY_END), MACHINE_QUIESCENT);
    EXPECT_TRUE(outcome_of(bench) == without_kernel());
    EXPECT_EQ(kernel_time_ps(), bench.time_ps());
}

TEST_F(SystemC, RunsAMachinePieceByPiece)
{
    MachineBench bench;
    make_busy(bench);
    spinn::Simulation simulation(bench.get());
    std::mt19937_64 random(5);
    machine_stop stop = MACHINE_REACHED;
    for (uint64_t time = 0; stop == MACHINE_REACHED; time += random() % (2 * US)) {
        stop = simulation.run_until(time);
        EXPECT_EQ(kernel_time_ps(), bench.time_ps());
        EXPECT_EQ(bench.time_ps(), stop == MACHINE_REACHED ? time : bench.time_ps());
    }
    EXPECT_EQ(stop, MACHINE_QUIESCENT);
    EXPECT_TRUE(outcome_of(bench) == without_kernel());
}

TEST_F(SystemC, TheChipsOwnSdramBehindASocketChangesNothing)
{
    MachineBench bench;
    spinn::Simulation simulation(bench.get());
    spinn::BuiltinMemory memory("memory", bench.get(), 0, 0);
    simulation.top().board.chip[0]->memory.socket.bind(memory.socket);
    simulation.elaborate();
    make_busy(bench);
    bench.set_word(0, SDRAM + 0x100000, 99);
    EXPECT_EQ(simulation.run_until(BUSY_END), MACHINE_QUIESCENT);
    EXPECT_TRUE(outcome_of(bench) == without_kernel());
    EXPECT_EQ(bench.word(0, SDRAM + 0x100000), 99u);
}

TEST_F(SystemC, TheSocketIsReallyUsed)
{
    MachineBench bench;
    spinn::Simulation simulation(bench.get());
    spinn::BuiltinMemory memory("memory", bench.get(), 0, 0);
    simulation.top().board.chip[0]->memory.socket.bind(memory.socket);
    EXPECT_EQ(machine_write(bench.get(), {0, 0, 0}, SDRAM, "abc", 4), STATUS_OK);
    simulation.elaborate();
    const uint32_t word = bench.word(0, SDRAM);
    EXPECT_EQ(std::memcmp(&word, "abc", 4), 0) << "what was there before is there through it";
}

TEST_F(SystemC, ATargetsLatencyIsTheMachines)
{
    UserMemory memory("user", 1000 * CYCLE_PS, false);
    EXPECT_EQ(load_cost(memory), 1000u + 7) << "and 33 ns of NoC";
}

TEST_F(SystemC, AnotherLatencyGivesAnotherTime)
{
    UserMemory memory("user", 1001 * CYCLE_PS, false);
    EXPECT_EQ(load_cost(memory), 1001u + 7);
}

TEST_F(SystemC, ATargetMayWaitInsteadOfAnnotating)
{
    UserMemory memory("user", 1000 * CYCLE_PS, true);
    EXPECT_EQ(load_cost(memory), 1000u + 7);
}

TEST_F(SystemC, ATargetHoldsTheData)
{
    UserMemory memory("user", CYCLE_PS, false);
    MachineBench bench;
    spinn::Simulation simulation(bench.get());
    simulation.top().board.chip[0]->memory.socket.bind(memory.socket);
    simulation.elaborate();
    Program program;
    program.set(r0, SDRAM).set(r1, 0x11223344);
    program.emit({str_imm(r1, r0, 8), strb_imm(r0, r0, 9), ldr_imm(r2, r0, 8)}).sleep();
    bench.run(0, program);
    EXPECT_EQ(simulation.run_until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.reg(0, 2), 0x11220044u);
    EXPECT_EQ(bench.word(0, SDRAM + 8), 0x11220044u);
    EXPECT_EQ(memory.transports, 3u);
    EXPECT_EQ(bench.counter("sdram", -1, "reads"), 0u) << "the chip's own SDRAM has seen nothing";
}

TEST_F(SystemC, AnObserverEndsARun)
{
    MachineBench bench;
    bench.stop_at_fault = true;
    Program program;
    program.nops(100).set(r0, 0x50000000).emit({ldr_imm(r1, r0)}).sleep();
    bench.run(0, program);
    spinn::Simulation simulation(bench.get());
    EXPECT_EQ(simulation.run_until(50 * US), MACHINE_STOPPED);
    EXPECT_EQ(kernel_time_ps(), bench.time_ps());
    EXPECT_LT(bench.time_ps(), 1 * US);
}

TEST_F(SystemC, AnIdleMachineEndsAtOnce)
{
    MachineBench bench;
    spinn::Simulation simulation(bench.get());
    EXPECT_EQ(simulation.run_until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(kernel_time_ps(), 0u);
}

TEST_F(SystemC, ModulesMirrorTheMachine)
{
    MachineBench bench;
    spinn::Simulation simulation(bench.get());
    EXPECT_NE(sc_core::sc_find_object("machine.board.chip_0_0.memory"), nullptr);
    ASSERT_EQ(simulation.top().board.chip.size(), 1u);
    EXPECT_EQ(simulation.top().board.chip[0]->x, 0u);
    EXPECT_EQ(simulation.top().board.chip[0]->y, 0u);
}

} // namespace
