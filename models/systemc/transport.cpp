/* transport.cpp - see transport.h. */
#include "models/systemc/transport.h"

namespace spinn
{

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

void report(const sc_core::sc_object &object, const std::string &text)
{
    SC_REPORT_ERROR("/spinnsim", (std::string(object.name()) + ": " + text).c_str());
}

void report(const sc_core::sc_object &object, const diagnostic &why)
{
    const std::string hint = why.hint;
    report(object, hint.empty() ? why.text : std::string(why.text) + " (" + hint + ")");
}

std::string part_name(machine_chip chip, const std::string &part)
{
    return "chip_" + std::to_string(chip.x) + "_" + std::to_string(chip.y) + "_" + part;
}

} // namespace spinn
