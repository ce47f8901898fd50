/* simulation.h - a machine under the SystemC kernel.
 *
 * Modules mirror the machine: machine, boards, chips.  Instructions and memories run in C beneath
 * them (models/machine); the machine's module hands the C machine a piece of time, then lets
 * SystemC's time follow.  Results are those of machine_run_until() without SystemC.
 *
 *     spinn::Simulation simulation(machine);
 *     simulation.top().board.chip[0]->memory.socket.bind(my_memory.socket);    // or not
 *     simulation.elaborate();                                           // then load programs
 *     simulation.run_until(time_ps);
 *
 * A process can make one simulation: SystemC has one hierarchy, closed when time begins.  The
 * machine is the caller's and outlives the runs. */
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

    /* Ends elaboration.  Called by the first run_until(), if not before. */
    void elaborate();

    /* As machine_run_until(); on return SystemC's time equals the machine's. */
    machine_stop run_until(uint64_t time_ps);

  private:
    MachineModule top_;
};

} // namespace spinn
