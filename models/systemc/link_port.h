/* link_port.h - the end of a chip's link for a module of one's own: packets as TLM-2.0
 * transactions, in both directions.
 *
 * out: the chip's packets.  The port calls nb_transport_fw() with BEGIN_REQ, at the time at which
 *     the packet has arrived (no delay is annotated).  The reply is the back-pressure:
 *     TLM_COMPLETED or TLM_UPDATED: the packet is taken at the annotated delay from now, and the
 *         next one comes then;
 *     TLM_ACCEPTED: the packet is still at the link, and blocks it until the module calls
 *         nb_transport_bw() with END_REQ or BEGIN_RESP; an annotated delay counts.
 *     A module that has only b_transport() may wait in it, which is the same.
 * in: the module's packets, with an annotated delay if it likes.  b_transport() returns when the
 *     packet has entered the transmitter.  nb_transport_fw() with BEGIN_REQ replies
 *     TLM_COMPLETED: it has entered the transmitter, and another may be sent;
 *     TLM_ACCEPTED: the transmitter is full.  The packet waits in front of it; END_REQ on the
 *         backward path says that it has entered, and not before that may another be sent.
 *
 * A packet reaches the chip one packet time after it has left the transmitter, when the chip has
 * room.  Payloads have a PacketExtension (packet.h); those of `out` belong to the port.
 *
 * What a module does wrong is an SC_ERROR of message type "/spinnsim": a packet without extension,
 * into the past, or before END_REQ; a link that leads to a chip.  Where neither socket is bound, the
 * link is as without the port. */
#pragma once
#include "models/systemc/packet.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace spinn
{

class LinkPort : public sc_core::sc_module
{
  public:
    LinkPort(const sc_core::sc_module_name &name, machine *machine, machine_chip chip,
             unsigned link);
    ~LinkPort() override;

    tlm_utils::simple_initiator_socket_optional<LinkPort> out;
    tlm_utils::simple_target_socket_optional<LinkPort> in;

    /* The time of a packet of 40 bits on this link, and what it takes in addition, as in struct
     * machine_link_device; before elaboration ends. */
    void set_times(const sc_core::sc_time &packet, const sc_core::sc_time &latency);

    bool is_bound() const;

  private:
    void end_of_elaboration() override;

    uint64_t take(const machine_link_packet &packet, uint64_t now_ps);
    tlm::tlm_sync_enum answered(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase,
                                sc_core::sc_time &delay);

    status send(const tlm::tlm_generic_payload &payload, uint64_t time_ps);
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    tlm::tlm_sync_enum asked(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase,
                             sc_core::sc_time &delay);
    void has_room(uint64_t now_ps);

    machine *machine_;
    machine_chip chip_;
    unsigned link_;
    machine_link_device device_ = {};
    machine_link *end_ = nullptr;
    PacketPool pool_;

    /* A packet of the chip that the module has accepted and not taken, or that it has taken since
     * (taken_ps_). */
    tlm::tlm_generic_payload *held_ = nullptr;
    uint64_t taken_ps_ = UINT64_MAX;
    bool offering_ = false;

    /* A packet of the module that waits in front of the transmitter. */
    tlm::tlm_generic_payload *waiting_ = nullptr;
    uint64_t waiting_ps_ = 0;
    sc_core::sc_event room_;
};

} // namespace spinn
