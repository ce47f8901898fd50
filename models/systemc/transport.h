/* transport.h - what the ports share: times, payloads of memory accesses, and how a module's mistake
 * is reported.  Private to models/systemc. */
#pragma once
#include "models/machine/devices.h"

#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

namespace spinn
{

/* SystemC counts in steps of its resolution, which is the picosecond. */
inline sc_core::sc_time time_of(uint64_t time_ps)
{
    return sc_core::sc_time::from_value(time_ps);
}

inline uint64_t now_ps()
{
    return sc_core::sc_time_stamp().value();
}

/* Fills in an access to memory. */
void fill(tlm::tlm_generic_payload &payload, tlm::tlm_command command, uint32_t offset,
          uint8_t *data, uint32_t bytes);

/* SC_ERROR of type "/spinnsim" with the object's name: by default an exception. */
void report(const sc_core::sc_object &object, const std::string &text);
void report(const sc_core::sc_object &object, const diagnostic &why);

/* The name of a part of a chip, for a module outside of the hierarchy: "chip_3_4_link_0". */
std::string part_name(machine_chip chip, const std::string &part);

} // namespace spinn
