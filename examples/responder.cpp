/* responder.cpp - a device behind a board's edge link: it answers each packet with the square of
 * its payload, 500 ns later. */
#include "bench.h"

using sc_core::sc_time;

class Responder : public sc_core::sc_module
{
  public:
    tlm_utils::simple_target_socket<Responder> in{"in"};
    tlm_utils::simple_initiator_socket<Responder> out{"out"};

    explicit Responder(const sc_core::sc_module_name &name) : sc_module(name)
    {
        in.register_nb_transport_fw(this, &Responder::take);
    }

  private:
    tlm::tlm_sync_enum take(tlm::tlm_generic_payload &payload, tlm::tlm_phase &, sc_time &delay)
    {
        const uint32_t number = spinn::packet_of(payload)->payload;
        tlm::tlm_generic_payload &answer = pool_.make(spinn::multicast(0x2000, number * number));
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_time later = delay + sc_time(500, sc_core::SC_NS);
        (void)out->nb_transport_fw(answer, phase, later); /* one at a time: there is room */
        answer.release();
        delay += sc_time(100, sc_core::SC_NS); /* the next packet is taken then */
        return tlm::TLM_COMPLETED;
    }
    spinn::PacketPool pool_;
};

int sc_main(int, char *argv[])
{
    Bench bench;
    spinn::Simulation simulation(bench.made);
    Responder responder("responder");
    spinn::LinkPort &edge = simulation.chip(0, 0).link(3); /* to the west, slow as between boards */
    edge.set_times(sc_time(356, sc_core::SC_NS), sc_time(500, sc_core::SC_NS));
    edge.out.bind(responder.in);
    responder.out.bind(edge.in);
    bench.run(simulation, argv[1], 1);
    return 0;
}
