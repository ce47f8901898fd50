/* link_port.cpp - see link_port.h. */
#include "models/systemc/link_port.h"

#include "models/systemc/transport.h"

#include <algorithm>

namespace spinn
{

LinkPort::LinkPort(const sc_core::sc_module_name &name, machine *machine, machine_chip chip,
                   unsigned link)
    : sc_module(name), out("out"), in("in"), machine_(machine), chip_(chip), link_(link)
{
    out.register_nb_transport_bw(this, &LinkPort::answered);
    in.register_nb_transport_fw(this, &LinkPort::asked);
    in.register_b_transport(this, &LinkPort::transport);
}

LinkPort::~LinkPort()
{
    if (held_ != nullptr) {
        held_->release();
    }
}

void LinkPort::set_times(const sc_core::sc_time &packet, const sc_core::sc_time &latency)
{
    device_.packet_ps = packet.value();
    device_.latency_ps = latency.value();
}

bool LinkPort::is_bound() const
{
    return out.size() > 0 || in.size() > 0;
}

void LinkPort::end_of_elaboration()
{
    if (!is_bound()) {
        return;
    }
    diagnostic why = {};
    device_.context = this;
    if (out.size() > 0) { /* else nobody takes packets */
        device_.take = [](void *context, const machine_link_packet *packet, uint64_t now_ps) {
            return static_cast<LinkPort *>(context)->take(*packet, now_ps);
        };
    }
    device_.ready = [](void *context, uint64_t now_ps) {
        static_cast<LinkPort *>(context)->has_room(now_ps);
    };
    if (machine_attach_link(machine_, chip_, link_, &device_, &end_, &why) != STATUS_OK) {
        report(*this, why);
    }
}

/* ---- packets of the chip ---- */

/* Offers a packet to the module; returns when it has been taken. */
uint64_t LinkPort::take(const machine_link_packet &packet, uint64_t now_ps)
{
    if (held_ == nullptr) {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        held_ = &pool_.make(packet);
        offering_ = true;
        const tlm::tlm_sync_enum reply = out->nb_transport_fw(*held_, phase, delay);
        offering_ = false;
        taken_ps_ = reply == tlm::TLM_ACCEPTED ? taken_ps_ : now_ps + delay.value();
    }
    const uint64_t taken_ps = taken_ps_;
    if (taken_ps == UINT64_MAX) {
        return MACHINE_LINK_REFUSED;
    }
    held_->release();
    held_ = nullptr;
    taken_ps_ = UINT64_MAX;
    return std::max(taken_ps, now_ps);
}

/* The backward path: the module takes the packet that it has accepted. */
tlm::tlm_sync_enum LinkPort::answered(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase,
                                      sc_core::sc_time &delay)
{
    if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) {
        report(*this, "the backward path of a link takes END_REQ and BEGIN_RESP");
    } else if (&payload == held_ && taken_ps_ == UINT64_MAX) {
        taken_ps_ = now_ps() + delay.value();
        diagnostic why = {};
        if (!offering_ && machine_link_resume(end_, taken_ps_, &why) != STATUS_OK) {
            report(*this, why);
        }
    } else if (phase == tlm::END_REQ) {
        report(*this, "END_REQ for a packet that is not held");
    }
    return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

/* ---- packets of the module ---- */

/* STATUS_LIMIT: the transmitter is full.  Other failures have been reported. */
status LinkPort::send(const tlm::tlm_generic_payload &payload, uint64_t time_ps)
{
    const machine_link_packet *packet = packet_of(payload);
    diagnostic why = {};
    if (packet == nullptr) {
        report(*this, "a packet needs a spinn::PacketExtension");
        return STATUS_CONFIGURATION;
    }
    const status sent = machine_link_send(end_, packet, time_ps, &why);
    if (sent != STATUS_OK && sent != STATUS_LIMIT) {
        report(*this, why);
    }
    return sent;
}

void LinkPort::transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
{
    const uint64_t wanted_ps = now_ps() + delay.value();
    status sent = send(payload, wanted_ps);
    while (sent == STATUS_LIMIT) {
        wait(room_);
        sent = send(payload, std::max(wanted_ps, now_ps()));
    }
    payload.set_response_status(sent == STATUS_OK ? tlm::TLM_OK_RESPONSE
                                                  : tlm::TLM_GENERIC_ERROR_RESPONSE);
    delay = time_of(std::max(wanted_ps, now_ps()) - now_ps());
}

tlm::tlm_sync_enum LinkPort::asked(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase,
                                   sc_core::sc_time &delay)
{
    if (phase != tlm::BEGIN_REQ) {
        return tlm::TLM_COMPLETED;
    }
    if (waiting_ != nullptr) {
        report(*this, "a packet before END_REQ of the one before");
        return tlm::TLM_COMPLETED;
    }
    const uint64_t wanted_ps = now_ps() + delay.value();
    const status sent = send(payload, wanted_ps);
    payload.set_response_status(sent == STATUS_CONFIGURATION ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                                             : tlm::TLM_OK_RESPONSE);
    if (sent != STATUS_LIMIT) {
        return tlm::TLM_COMPLETED;
    }
    if (payload.has_mm()) {
        payload.acquire();
    }
    waiting_ = &payload;
    waiting_ps_ = wanted_ps;
    return tlm::TLM_ACCEPTED;
}

/* The transmitter has room: first for the packet in front of it, then for threads that wait. */
void LinkPort::has_room(uint64_t now_ps)
{
    if (waiting_ != nullptr) {
        tlm::tlm_generic_payload *payload = waiting_;
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        waiting_ = nullptr;
        (void)send(*payload, std::max(now_ps, waiting_ps_));
        (void)in->nb_transport_bw(*payload, phase, delay);
        if (payload->has_mm()) {
            payload->release();
        }
    }
    room_.notify();
}

} // namespace spinn
