/* modules.h - the SystemC modules of a machine, for tracing and binding. */
#pragma once
#include "models/systemc/link_port.h"
#include "models/systemc/memory_port.h"
#include "models/systemc/noc_port.h"

#include <array>
#include <memory>
#include <systemc>
#include <vector>

namespace spinn
{

/* A chip with its memory port.  The chip's built-in SDRAM is used unless a target is bound.  Ports
 * at links and at the system NoC are made when they are first asked for, which is before
 * elaboration ends. */
class ChipModule : public sc_core::sc_module
{
  public:
    ChipModule(const sc_core::sc_module_name &name, machine *machine, uint8_t x, uint8_t y);
    const uint8_t x, y;
    MemoryPort memory;

    LinkPort &link(unsigned number); /* 0 (E) to 5 (S); others are an SC_ERROR */
    NocPort &noc();

    /* Whether a target is bound at a link; whether one is where the chip itself calls it. */
    bool has_link_device() const;
    bool has_memory_device() const;

  private:
    machine *machine_;
    std::array<std::unique_ptr<LinkPort>, TOPOLOGY_LINKS> link_;
    std::unique_ptr<NocPort> noc_;
};

/* The chips of one board. */
class BoardModule : public sc_core::sc_module
{
  public:
    BoardModule(const sc_core::sc_module_name &name, machine *machine);
    std::vector<std::unique_ptr<ChipModule>> chip;

    ChipModule &at(unsigned x, unsigned y); /* a chip that is not there is an SC_ERROR */
};

/* The machine: runs the C machine piece by piece; SystemC's time follows.  Where a module of one's
 * own is bound, the kernel keeps step: its events come in order with those of the machine. */
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
    void start_of_simulation() override;
    void drive();
    static uint64_t next_event_ps(void *context);
    static void follow(void *context, uint64_t time_ps);

    machine *machine_;
    uint64_t until_ps_ = 0;
    machine_stop stop_ = MACHINE_REACHED;
    sc_core::sc_event go_;
};

} // namespace spinn
