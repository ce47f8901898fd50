/* transmitter.c - when a core's transmitter becomes free; which of its stores come back as
 * interrupts.  See core.h. */
#include "models/machine/core/core.h"

static bool is_taken(const struct core *core)
{
    return core->on.way->taken == core->d.sends;
}

uint64_t core_free_ps(const struct core *core)
{
    const bool taken = comms_ctrl_outgoing(&core->d.comms) != NULL && is_taken(core);
    return taken ? core->on.way->taken_ps : TIME_NEVER;
}

bool core_awaits_router(const struct core *core)
{
    return comms_ctrl_outgoing(&core->d.comms) != NULL && !is_taken(core);
}

void core_advance_transmitter(struct core *core, uint64_t now_ps)
{
    if (comms_ctrl_outgoing(&core->d.comms) != NULL && core_free_ps(core) <= now_ps) {
        comms_ctrl_taken(&core->d.comms);
        vic_set_inputs(&core->d.vic, VIC_COMMS_SOURCES, comms_ctrl_interrupts(&core->d.comms));
    }
}

bool core_store_comes_back(const struct core *core, enum memory_block block)
{
    return core->on.ports->interrupts(core->on.chip, block);
}
