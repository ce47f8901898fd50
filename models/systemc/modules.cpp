/* modules.cpp - see modules.h. */
#include "models/systemc/modules.h"

#include "models/systemc/transport.h"

#include <string>

namespace spinn
{

ChipModule::ChipModule(const sc_core::sc_module_name &name, machine *machine, uint8_t chip_x,
                       uint8_t chip_y)
    : sc_module(name), x(chip_x), y(chip_y), memory("memory", machine, chip_x, chip_y),
      machine_(machine)
{
}

LinkPort &ChipModule::link(unsigned number)
{
    if (number >= TOPOLOGY_LINKS) {
        report(*this, "there is no link " + std::to_string(number) + ": links are 0 (E) to 5 (S)");
    }
    std::unique_ptr<LinkPort> &port = link_.at(number);
    if (!port) {
        const std::string part = part_name({x, y}, "link_" + std::to_string(number));
        port = std::make_unique<LinkPort>(part.c_str(), machine_, machine_chip{x, y}, number);
    }
    return *port;
}

NocPort &ChipModule::noc()
{
    if (!noc_) {
        const std::string part = part_name({x, y}, "noc");
        noc_ = std::make_unique<NocPort>(part.c_str(), machine_, machine_chip{x, y});
    }
    return *noc_;
}

bool ChipModule::has_link_device() const
{
    bool has = false;
    for (const std::unique_ptr<LinkPort> &port : link_) {
        has = has || (port && port->is_bound());
    }
    return has;
}

bool ChipModule::has_memory_device() const
{
    return memory.is_bound() || (noc_ && noc_->is_bound());
}

BoardModule::BoardModule(const sc_core::sc_module_name &name, machine *machine) : sc_module(name)
{
    for (unsigned i = 0; i < machine_chip_count(machine); i++) {
        const machine_chip at = machine_chip_at(machine, i);
        const std::string chip_name = "chip_" + std::to_string(at.x) + "_" + std::to_string(at.y);
        chip.push_back(std::make_unique<ChipModule>(chip_name.c_str(), machine, at.x, at.y));
    }
}

ChipModule &BoardModule::at(unsigned x, unsigned y)
{
    size_t found = 0;
    while (found < chip.size() && (chip[found]->x != x || chip[found]->y != y)) {
        found++;
    }
    if (found == chip.size()) {
        report(*this, "the machine has no chip " + std::to_string(x) + "," + std::to_string(y));
    }
    return *chip.at(found);
}

MachineModule::MachineModule(const sc_core::sc_module_name &name, machine *machine)
    : sc_module(name), board("board", machine), machine_(machine)
{
    SC_HAS_PROCESS(MachineModule);
    SC_THREAD(drive);
}

/* All sockets are bound or are not. */
void MachineModule::start_of_simulation()
{
    bool links = false;
    bool memories = false;
    diagnostic why = {};
    for (const std::unique_ptr<ChipModule> &chip : board.chip) {
        links = links || chip->has_link_device();
        memories = memories || chip->has_memory_device();
    }
    if (memories && machine_threads(machine_) > 1) {
        report(*this, "a machine with a bound socket at a memory or a NoC runs in one thread, since "
                      "the kernel does (machine_config.threads)");
    }
    if ((links || memories) &&
        machine_set_companion(machine_, {this, next_event_ps, follow}, &why) != STATUS_OK) {
        report(*this, why);
    }
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
        const uint64_t reached_ps = machine_time_ps(machine_);
        if (reached_ps > now_ps()) {
            wait(time_of(reached_ps - now_ps()));
        }
        sc_core::sc_pause();
    }
}

/* ---- the kernel in step with the machine: called while drive() runs the machine ---- */

uint64_t MachineModule::next_event_ps(void *context)
{
    (void)context;
    return sc_core::sc_pending_activity()
               ? (sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity()).value()
               : UINT64_MAX;
}

void MachineModule::follow(void *context, uint64_t time_ps)
{
    (void)context;
    if (time_ps > now_ps()) {
        sc_core::wait(time_of(time_ps - now_ps()));
    }
    while (sc_core::sc_pending_activity_at_current_time()) {
        sc_core::wait(sc_core::SC_ZERO_TIME);
    }
}

} // namespace spinn
