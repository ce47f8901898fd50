/* memory_port.cpp - see memory_port.h. */
#include "models/systemc/memory_port.h"

#include "models/common/check.h"

namespace spinn
{

namespace
{

/* SystemC counts in steps of its resolution, which is the picosecond. */
sc_core::sc_time time_of(uint64_t time_ps)
{
    return sc_core::sc_time::from_value(time_ps);
}

void fill(tlm::tlm_generic_payload &payload, tlm::tlm_command command, uint32_t offset,
          uint8_t *data, uint32_t bytes)
{
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(data);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

} // namespace

MemoryPort::MemoryPort(const sc_core::sc_module_name &name, machine *machine, uint8_t x, uint8_t y)
    : sc_module(name), socket("socket"), machine_(machine), x_(x), y_(y)
{
}

void MemoryPort::end_of_elaboration()
{
    if (socket.size() > 0) {
        const machine_memory_port port = {this, access, peek, poke};
        machine_set_memory_port(machine_, x_, y_, port);
    }
}

uint64_t MemoryPort::access(void *context, uint64_t arrival_ps, uint32_t offset, uint8_t *data,
                            uint32_t bytes, bool write)
{
    auto *port = static_cast<MemoryPort *>(context);
    const uint64_t now_ps = sc_core::sc_time_stamp().value();
    sc_core::sc_time delay = time_of(arrival_ps > now_ps ? arrival_ps - now_ps : 0);
    tlm::tlm_generic_payload payload;
    fill(payload, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, offset, data, bytes);
    port->socket->b_transport(payload, delay);
    CHECK(payload.is_response_ok(), "a memory port's target refused an access to the chip's SDRAM");
    return sc_core::sc_time_stamp().value() + delay.value();
}

void MemoryPort::debug(tlm::tlm_command command, uint32_t offset, uint8_t *data, uint32_t bytes)
{
    tlm::tlm_generic_payload payload;
    fill(payload, command, offset, data, bytes);
    const unsigned done = socket->transport_dbg(payload);
    CHECK(done == bytes, "a memory port's target refused a debug access to the chip's SDRAM");
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
    const uint64_t now_ps = sc_core::sc_time_stamp().value();
    const uint64_t done_ps = port_.access(
        port_.context, now_ps + delay.value(), static_cast<uint32_t>(payload.get_address()),
        payload.get_data_ptr(), payload.get_data_length(), payload.is_write());
    delay = time_of(done_ps - now_ps);
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
