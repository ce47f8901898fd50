/* modules.cpp - see modules.h. */
#include "models/systemc/modules.h"

#include <string>

namespace spinn
{

ChipModule::ChipModule(const sc_core::sc_module_name &name, machine *machine, uint8_t chip_x,
                       uint8_t chip_y)
    : sc_module(name), x(chip_x), y(chip_y), memory("memory", machine, chip_x, chip_y)
{
}

BoardModule::BoardModule(const sc_core::sc_module_name &name, machine *machine) : sc_module(name)
{
    for (unsigned i = 0; i < machine_chip_count(machine); i++) {
        const machine_chip at = machine_chip_at(machine, i);
        const std::string chip_name = "chip_" + std::to_string(at.x) + "_" + std::to_string(at.y);
        chip.push_back(std::make_unique<ChipModule>(chip_name.c_str(), machine, at.x, at.y));
    }
}

MachineModule::MachineModule(const sc_core::sc_module_name &name, machine *machine)
    : sc_module(name), board("board", machine), machine_(machine)
{
    SC_HAS_PROCESS(MachineModule);
    SC_THREAD(drive);
}

void MachineModule::run_until(uint64_t time_ps)
{
    until_ps_ = time_ps;
    go_.notify(sc_core::SC_ZERO_TIME);
}

void MachineModule::drive()
{
    for (;;) {
        wait(go_);
        stop_ = machine_run_until(machine_, until_ps_);
        const uint64_t now_ps = sc_core::sc_time_stamp().value();
        const uint64_t reached_ps = machine_time_ps(machine_);
        if (reached_ps > now_ps) {
            wait(sc_core::sc_time::from_value(reached_ps - now_ps));
        }
        sc_core::sc_pause();
    }
}

} // namespace spinn
