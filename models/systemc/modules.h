/* modules.h - the SystemC modules of a machine, for tracing and binding. */
#pragma once
#include "models/systemc/memory_port.h"

#include <memory>
#include <systemc>
#include <vector>

namespace spinn
{

/* A chip with its memory port.  The chip's built-in SDRAM is used unless a target is bound. */
class ChipModule : public sc_core::sc_module
{
  public:
    ChipModule(const sc_core::sc_module_name &name, machine *machine, uint8_t x, uint8_t y);
    const uint8_t x, y;
    MemoryPort memory;
};

/* The chips of one board. */
class BoardModule : public sc_core::sc_module
{
  public:
    BoardModule(const sc_core::sc_module_name &name, machine *machine);
    std::vector<std::unique_ptr<ChipModule>> chip;
};

/* The machine: runs the C machine piece by piece; SystemC's time follows. */
class MachineModule : public sc_core::sc_module
{
  public:
    MachineModule(const sc_core::sc_module_name &name, machine *machine);

    BoardModule board;

    /* Starts the next piece; sc_start() returns when it is done. */
    void run_until(uint64_t time_ps);
    machine_stop stopped() const
    {
        return stop_;
    }

  private:
    void drive();

    machine *machine_;
    uint64_t until_ps_ = 0;
    machine_stop stop_ = MACHINE_REACHED;
    sc_core::sc_event go_;
};

} // namespace spinn
