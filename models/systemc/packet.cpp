/* packet.cpp - see packet.h. */
#include "models/systemc/packet.h"

namespace spinn
{

tlm::tlm_extension_base *PacketExtension::clone() const
{
    auto *copy = new PacketExtension;
    copy->packet = packet;
    return copy;
}

void PacketExtension::copy_from(const tlm::tlm_extension_base &other)
{
    packet = static_cast<const PacketExtension &>(other).packet;
}

const machine_link_packet *packet_of(const tlm::tlm_generic_payload &payload)
{
    const PacketExtension *extension = nullptr;
    payload.get_extension(extension);
    return extension == nullptr ? nullptr : &extension->packet;
}

machine_link_packet multicast(uint32_t key)
{
    machine_link_packet packet = {};
    packet.key = key;
    return packet;
}

machine_link_packet multicast(uint32_t key, uint32_t word)
{
    machine_link_packet packet = multicast(key);
    packet.payload = word;
    packet.has_payload = true;
    return packet;
}

PacketPool::PacketPool() = default;

PacketPool::~PacketPool() = default;

tlm::tlm_generic_payload &PacketPool::make(const machine_link_packet &packet)
{
    if (free_.empty()) {
        all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
        all_.back()->set_extension(new PacketExtension); /* the payload's from now on */
        free_.push_back(all_.back().get());
    }
    tlm::tlm_generic_payload *payload = free_.back();
    free_.pop_back();
    payload->acquire();
    PacketExtension *extension = nullptr;
    payload->get_extension(extension);
    extension->packet = packet;
    const unsigned bytes = packet.has_payload ? sizeof packet.payload : 0;
    payload->set_command(tlm::TLM_WRITE_COMMAND);
    payload->set_address(packet.key);
    payload->set_data_ptr(reinterpret_cast<unsigned char *>(&extension->packet.payload));
    payload->set_data_length(bytes);
    payload->set_streaming_width(bytes);
    payload->set_byte_enable_ptr(nullptr);
    payload->set_dmi_allowed(false);
    payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return *payload;
}

void PacketPool::free(tlm::tlm_generic_payload *payload)
{
    free_.push_back(payload);
}

} // namespace spinn
