/* simulation.h - a machine under the SystemC kernel.
 *
 * Modules mirror the machine: machine, boards, chips.  Instructions and memories run in C beneath
 * them (models/machine); the machine's module hands the C machine a piece of time, then lets
 * SystemC's time follow.  Results are those of machine_run_until() without SystemC.
 *
 *     spinn::Simulation simulation(machine);
 *     simulation.chip(0, 0).memory.socket.bind(my_memory.socket);       // or not
 *     simulation.chip(0, 0).link(3).out.bind(my_device.in);             // packets to my device
 *     my_device.out.bind(simulation.chip(0, 0).link(3).in);             // and from it
 *     simulation.chip(0, 0).noc().socket.bind(my_registers.socket);
 *     simulation.elaborate();                                           // then load programs
 *     simulation.run_until(time_ps);
 *
 * A process can make one simulation: SystemC has one hierarchy, closed when time begins.  A second
 * one is an SC_ERROR.  The machine is the caller's and outlives the runs; it has not run before if a
 * socket is bound. */
#pragma once
#include "models/systemc/modules.h"

namespace spinn
{

class Simulation
{
  public:
    explicit Simulation(machine *machine);

    MachineModule &top()
    {
        return top_;
    }

    /* The chip at these coordinates; one that is not there is an SC_ERROR. */
    ChipModule &chip(unsigned x, unsigned y)
    {
        return top_.board.at(x, y);
    }

    /* Ends elaboration.  Called by the first run_until(), if not before. */
    void elaborate();

    /* As machine_run_until(); on return SystemC's time equals the machine's.  A device that answers
     * in the past is an SC_ERROR. */
    machine_stop run_until(uint64_t time_ps);

  private:
    machine *machine_;
    MachineModule top_;
};

} // namespace spinn
