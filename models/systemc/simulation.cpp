/* simulation.cpp - see simulation.h. */
#include "models/systemc/simulation.h"

#include "models/systemc/transport.h"

namespace spinn
{

namespace
{

constexpr const char *TOP = "machine";

/* The name of the machine's module, of which a process has one. */
const char *only_name()
{
    if (sc_core::sc_find_object(TOP) != nullptr ||
        sc_core::sc_get_status() != sc_core::SC_ELABORATION) {
        SC_REPORT_ERROR("/spinnsim",
                        "a process has one machine under SystemC, whose kernel has one hierarchy; "
                        "start another process for another machine, or run it without SystemC");
    }
    return TOP;
}

} // namespace

Simulation::Simulation(machine *machine) : machine_(machine), top_(only_name(), machine)
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
    if (const diagnostic *why = machine_device_error(machine_)) {
        report(top_, *why);
    }
    return top_.stopped();
}

} // namespace spinn
