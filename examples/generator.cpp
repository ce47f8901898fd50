/* generator.cpp - a traffic generator on a link: 20 packets from the west, one each microsecond,
 * with the number of the packet as payload. */
#include "bench.h"

class Generator : public sc_core::sc_module
{
  public:
    tlm_utils::simple_initiator_socket<Generator> out{"out"};

    explicit Generator(const sc_core::sc_module_name &name) : sc_module(name)
    {
        SC_HAS_PROCESS(Generator);
        SC_THREAD(generate);
    }

  private:
    void generate()
    {
        wait(100, sc_core::SC_US); /* the program is ready then */
        for (uint32_t number = 0; number < 20; number++) {
            tlm::tlm_generic_payload &packet = pool_.make(spinn::multicast(0x2000, number));
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            out->b_transport(packet, delay); /* until it has entered the transmitter */
            packet.release();
            wait(1, sc_core::SC_US);
        }
    }
    spinn::PacketPool pool_;
};

int sc_main(int, char *argv[])
{
    Bench bench;
    spinn::Simulation simulation(bench.made);
    Generator generator("generator");
    generator.out.bind(simulation.chip(0, 0).link(3).in); /* the link to the west */
    bench.run(simulation, argv[1], 1);
    return 0;
}
