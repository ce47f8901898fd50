/* accelerator.cpp - an accelerator before a chip's SDRAM: a store to its last register adds up the
 * products of two vectors, which it reads from the memory behind it. */
#include "bench.h"

class Accelerator : public sc_core::sc_module
{
  public:
    tlm_utils::simple_target_socket<Accelerator> in{"in"};

    Accelerator(const sc_core::sc_module_name &name, machine_memory_port memory)
        : sc_module(name), memory_(memory)
    {
        in.register_b_transport(this, &Accelerator::transport);
    }

  private:
    enum { REGISTERS = 0x1000, RESULT = REGISTERS + 12, BURST = 128, STEP_PS = 20000 };

    uint64_t access(uint64_t at_ps, uint32_t address, void *data, uint32_t bytes, bool write)
    {
        auto *there = static_cast<uint8_t *>(data);
        return memory_.access(memory_.context, at_ps, address, there, bytes, write);
    }
    uint64_t multiply(uint64_t at_ps) /* returns when it is done */
    {
        uint32_t a_b_count[3], sum = 0, a[BURST / 4], b[BURST / 4];
        at_ps = access(at_ps, REGISTERS, a_b_count, sizeof a_b_count, false);
        for (uint32_t i = 0; i < a_b_count[2]; i++) {
            if (i % (BURST / 4) == 0) {
                at_ps = access(at_ps, a_b_count[0] + 4 * i, a, BURST, false);
                at_ps = access(at_ps, a_b_count[1] + 4 * i, b, BURST, false) + STEP_PS;
            }
            sum += a[i % (BURST / 4)] * b[i % (BURST / 4)];
        }
        return access(at_ps, RESULT, &sum, sizeof sum, true);
    }
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
    {
        const uint64_t now_ps = sc_core::sc_time_stamp().value();
        const auto address = static_cast<uint32_t>(payload.get_address());
        uint64_t done_ps = access(now_ps + delay.value(), address, payload.get_data_ptr(),
                                  payload.get_data_length(), payload.is_write());
        done_ps = payload.is_write() && address == RESULT ? multiply(done_ps) : done_ps;
        delay = sc_core::sc_time::from_value(done_ps - now_ps);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    machine_memory_port memory_;
};

int sc_main(int, char *argv[])
{
    Bench bench;
    spinn::Simulation simulation(bench.made);
    Accelerator accelerator("accelerator", machine_builtin_memory(bench.made, 0, 0));
    simulation.chip(0, 0).memory.socket.bind(accelerator.in);
    bench.run(simulation, argv[1], 10);
    return 0;
}
