/* noc_port.cpp - see noc_port.h. */
#include "models/systemc/noc_port.h"

#include "models/systemc/transport.h"

namespace spinn
{

NocPort::NocPort(const sc_core::sc_module_name &name, machine *machine, machine_chip chip)
    : sc_module(name), socket("socket"), machine_(machine), chip_(chip),
      device_{this, 0x90000000, 1u << 24, access}
{
}

void NocPort::map(uint32_t first, uint32_t bytes)
{
    device_.first = first;
    device_.bytes = bytes;
}

bool NocPort::is_bound() const
{
    return socket.size() > 0;
}

void NocPort::end_of_elaboration()
{
    diagnostic why = {};
    if (is_bound() && machine_attach_noc(machine_, chip_, &device_, &why) != STATUS_OK) {
        report(*this, why);
    }
}

uint64_t NocPort::access(void *context, uint64_t arrival_ps, uint32_t offset, uint8_t *data,
                         uint32_t bytes, bool write)
{
    auto *port = static_cast<NocPort *>(context);
    sc_core::sc_time delay = time_of(arrival_ps > now_ps() ? arrival_ps - now_ps() : 0);
    tlm::tlm_generic_payload payload;
    fill(payload, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, offset, data, bytes);
    port->socket->b_transport(payload, delay);
    return payload.is_response_ok() ? now_ps() + delay.value() : MACHINE_NOC_ERROR;
}

} // namespace spinn
