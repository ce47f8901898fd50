/* packet.h - a packet of a link as a TLM-2.0 payload, and a pool that makes such payloads.
 *
 * The payload is a write without address: all that counts is in its extension.  For tools that show
 * generic payloads, the address is the packet's key, and the data are the payload word, if it has
 * one. */
#pragma once
#include "models/machine/devices.h"

#include <memory>
#include <tlm>
#include <vector>

namespace spinn
{

/* Key, payload word and type: struct machine_link_packet of models/machine/devices.h. */
struct PacketExtension : tlm::tlm_extension<PacketExtension> {
    machine_link_packet packet = {};

    tlm::tlm_extension_base *clone() const override;
    void copy_from(const tlm::tlm_extension_base &other) override;
};

/* The packet of a payload; NULL: it has none. */
const machine_link_packet *packet_of(const tlm::tlm_generic_payload &payload);

/* A multicast packet without or with a payload word. */
machine_link_packet multicast(uint32_t key);
machine_link_packet multicast(uint32_t key, uint32_t word);

/* Makes payloads and takes them back when their last user has released them.  The pool must outlive
 * them. */
class PacketPool : public tlm::tlm_mm_interface
{
  public:
    PacketPool();
    ~PacketPool() override;
    PacketPool(const PacketPool &) = delete;
    PacketPool &operator=(const PacketPool &) = delete;

    /* A payload with a packet, acquired once: the caller releases it. */
    tlm::tlm_generic_payload &make(const machine_link_packet &packet);

    void free(tlm::tlm_generic_payload *payload) override;

  private:
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
    std::vector<tlm::tlm_generic_payload *> free_;
};

} // namespace spinn
