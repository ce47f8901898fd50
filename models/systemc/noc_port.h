/* noc_port.h - a chip's system NoC for a module of one's own: loads, stores and DMA bursts at
 * addresses that no block of the chip has, as a TLM-2.0 initiator.
 *
 * Accesses are blocking transports in the order of the chip's events; the payload's address counts
 * from the device's first one.  The module annotates its delay (or waits, which blocks every core of
 * the machine).  Another response than TLM_OK_RESPONSE is a bus error.  An access of the host or of
 * a neighbour's router looks the same, but its delay counts for nothing.
 *
 * The kernel is not built for threads, so the machine must run in one (machine_config.threads). */
#pragma once
#include "models/machine/devices.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

namespace spinn
{

class NocPort : public sc_core::sc_module
{
  public:
    NocPort(const sc_core::sc_module_name &name, machine *machine, machine_chip chip);

    tlm_utils::simple_initiator_socket_optional<NocPort> socket;

    /* The device's addresses, as in struct machine_noc_device; before elaboration ends.  Without
     * this call: 16 MiB at 0x90000000, whose stores are not buffered. */
    void map(uint32_t first, uint32_t bytes);

    bool is_bound() const;

  private:
    void end_of_elaboration() override;
    static uint64_t access(void *context, uint64_t arrival_ps, uint32_t offset, uint8_t *data,
                           uint32_t bytes, bool write);

    machine *machine_;
    machine_chip chip_;
    machine_noc_device device_;
};

} // namespace spinn
