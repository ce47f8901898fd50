/* simulation.cpp - see simulation.h. */
#include "models/systemc/simulation.h"

namespace spinn
{

Simulation::Simulation(machine *machine) : top_("machine", machine)
{
}

void Simulation::elaborate()
{
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

machine_stop Simulation::run_until(uint64_t time_ps)
{
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) {
        elaborate(); /* the machine's process waits from now on */
    }
    top_.run_until(time_ps);
    sc_core::sc_start();
    return top_.stopped();
}

} // namespace spinn
