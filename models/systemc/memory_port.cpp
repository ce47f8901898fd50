/* memory_port.cpp - see memory_port.h. */
#include "models/systemc/memory_port.h"

#include "models/systemc/transport.h"

namespace spinn
{

MemoryPort::MemoryPort(const sc_core::sc_module_name &name, machine *machine, uint8_t x, uint8_t y)
    : sc_module(name), socket("socket"), machine_(machine), x_(x), y_(y)
{
}

bool MemoryPort::is_bound() const
{
    return socket.size() > 0;
}

void MemoryPort::end_of_elaboration()
{
    if (is_bound()) {
        const machine_memory_port port = {this, access, peek, poke};
        machine_set_memory_port(machine_, x_, y_, port);
    }
}

uint64_t MemoryPort::access(void *context, uint64_t arrival_ps, uint32_t offset, uint8_t *data,
                            uint32_t bytes, bool write)
{
    auto *port = static_cast<MemoryPort *>(context);
    sc_core::sc_time delay = time_of(arrival_ps > now_ps() ? arrival_ps - now_ps() : 0);
    tlm::tlm_generic_payload payload;
    fill(payload, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, offset, data, bytes);
    port->socket->b_transport(payload, delay);
    if (!payload.is_response_ok()) {
        report(*port, "the target has refused an access to the chip's SDRAM");
    }
    return now_ps() + delay.value();
}

void MemoryPort::debug(tlm::tlm_command command, uint32_t offset, uint8_t *data, uint32_t bytes)
{
    tlm::tlm_generic_payload payload;
    fill(payload, command, offset, data, bytes);
    if (socket->transport_dbg(payload) != bytes) {
        report(*this, "the target has refused a debug access to the chip's SDRAM");
    }
}

void MemoryPort::peek(void *context, uint32_t offset, uint8_t *data, uint32_t bytes)
{
    static_cast<MemoryPort *>(context)->debug(tlm::TLM_READ_COMMAND, offset, data, bytes);
}

void MemoryPort::poke(void *context, uint32_t offset, const uint8_t *data, uint32_t bytes)
{
    static_cast<MemoryPort *>(context)->debug(tlm::TLM_WRITE_COMMAND, offset,
                                              const_cast<uint8_t *>(data), bytes);
}

BuiltinMemory::BuiltinMemory(const sc_core::sc_module_name &name, machine *machine, uint8_t x,
                             uint8_t y)
    : sc_module(name), socket("socket"), port_(machine_builtin_memory(machine, x, y))
{
    socket.register_b_transport(this, &BuiltinMemory::transport);
    socket.register_transport_dbg(this, &BuiltinMemory::debug);
}

void BuiltinMemory::transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
{
    const uint64_t done_ps = port_.access(
        port_.context, now_ps() + delay.value(), static_cast<uint32_t>(payload.get_address()),
        payload.get_data_ptr(), payload.get_data_length(), payload.is_write());
    delay = time_of(done_ps - now_ps());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned BuiltinMemory::debug(tlm::tlm_generic_payload &payload)
{
    const auto offset = static_cast<uint32_t>(payload.get_address());
    if (payload.is_write()) {
        port_.poke(port_.context, offset, payload.get_data_ptr(), payload.get_data_length());
    } else {
        port_.peek(port_.context, offset, payload.get_data_ptr(), payload.get_data_length());
    }
    return payload.get_data_length();
}

} // namespace spinn
