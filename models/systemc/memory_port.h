/* memory_port.h - a chip's memory port as a TLM-2.0 initiator, and the chip's own SDRAM as a
 * target.
 *
 * Accesses are blocking transports in order of time, on the thread that runs the machine; a target
 * annotates its delay. (A target that waits instead blocks every core of the machine meanwhile.)
 * Host accesses, which take no time, use the debug transport.  They need a bound port, so load
 * programs after Simulation::elaborate(). */
#pragma once
#include "models/machine/machine.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace spinn
{

class MemoryPort : public sc_core::sc_module
{
  public:
    MemoryPort(const sc_core::sc_module_name &name, machine *machine, uint8_t x, uint8_t y);

    /* A bound target replaces the chip's SDRAM; to be bound once, before elaboration. */
    tlm_utils::simple_initiator_socket_optional<MemoryPort> socket;

    bool is_bound() const;

  private:
    void end_of_elaboration() override;
    static uint64_t access(void *context, uint64_t arrival_ps, uint32_t offset, uint8_t *data,
                           uint32_t bytes, bool write);
    static void peek(void *context, uint32_t offset, uint8_t *data, uint32_t bytes);
    static void poke(void *context, uint32_t offset, const uint8_t *data, uint32_t bytes);
    void debug(tlm::tlm_command command, uint32_t offset, uint8_t *data, uint32_t bytes);

    machine *machine_;
    uint8_t x_, y_;
};

/* The chip's built-in SDRAM behind a target socket. */
class BuiltinMemory : public sc_core::sc_module
{
  public:
    BuiltinMemory(const sc_core::sc_module_name &name, machine *machine, uint8_t x, uint8_t y);
    tlm_utils::simple_target_socket<BuiltinMemory> socket;

  private:
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    unsigned debug(tlm::tlm_generic_payload &payload);

    machine_memory_port port_;
};

} // namespace spinn
