/* core.c - see core.h: life cycle. */
#include "models/machine/core/core.h"

#include "models/chip/ram.h"
#include "models/machine/core/ahead.h"

#define CORE_ID 0x41059681u /* CP15 main ID, ARM968E-S revision 1: assumed */
#define CONTROL_START                                                                              \
    0x00001074u /* TCMs on, vectors low, should-be-one bits: as a loader leaves it */

/* ---- life cycle ---- */

enum status core_init(struct core *core, struct core_queues *queues, const struct core_config *on,
                      const struct arm968_config *processor)
{
    const uint64_t code_bytes = on->parameters->chip_itcm_bytes;
    const uint64_t data_bytes = on->parameters->chip_dtcm_bytes;
    core->on = *on;
    core->queues = queues;
    core->d.dma_ps = core->d.send_ps = TIME_NEVER;
    core->itcm = ram_map(code_bytes);
    core->dtcm = ram_map(data_bytes);
    if (core->itcm == NULL || core->dtcm == NULL || core_accesses_init(core) != STATUS_OK) {
        return STATUS_INTERNAL;
    }
    struct arm968_config config = *processor;
    config.code = (struct arm968_memory){0, (uint32_t)code_bytes, core->itcm};
    config.data = (struct arm968_memory){CORE_DTCM_BASE, (uint32_t)data_bytes, core->dtcm};
    config.id = CORE_ID;
    config.reset_control = CONTROL_START;
    config.ports = (struct arm968_ports){.context = core,
                                         .access = core_port_access,
                                         .accessed = on->tells_accesses ? core_accessed : NULL};
    core->cpu = arm968_create(&config);
    vic_reset(&core->d.vic);
    timer_pair_reset(&core->d.timers, 0);
    dma_ctrl_reset(&core->d.dma, (uint8_t)on->index, false);
    comms_ctrl_reset(&core->d.comms);
    return core->cpu == NULL ? STATUS_INTERNAL : STATUS_OK;
}

void core_deinit(struct core *core)
{
    arm968_destroy(core->cpu);
    core_ahead_deinit(core);
    core_accesses_deinit(core);
    if (core->on.chip != NULL) {
        ram_unmap(core->itcm, core->on.parameters->chip_itcm_bytes);
        ram_unmap(core->dtcm, core->on.parameters->chip_dtcm_bytes);
    }
    *core = (struct core){0};
}

void core_start(struct core *core, uint32_t entry, uint32_t argument, uint64_t now_ps)
{
    const uint64_t cycle = core_cycle_at(core, now_ps);
    arm968_reset(core->cpu);
    arm968_hold(core->cpu, cycle);
    if ((entry & 1) != 0) {
        arm968_set_cpsr(core->cpu, arm968_cpsr(core->cpu) | 1u << 5);
    }
    arm968_set_register(core->cpu, 0, argument);
    arm968_set_register(core->cpu, 15, entry);
    timer_pair_reset(&core->d.timers, cycle);
    core->d.work = (struct core_work){.awake_ps = now_ps};
    core->d.state = CORE_RUNNING;
    core->d.started = true;
}

uint8_t *core_tcm(const struct core *core, uint32_t address, uint32_t bytes)
{
    const uint64_t itcm_bytes = core->on.parameters->chip_itcm_bytes;
    const uint64_t dtcm_bytes = core->on.parameters->chip_dtcm_bytes;
    if ((uint64_t)address + bytes <= itcm_bytes) {
        return core->itcm + address;
    }
    const uint32_t offset = address - CORE_DTCM_BASE;
    if ((uint64_t)offset + bytes <= dtcm_bytes) {
        return core->dtcm + offset;
    }
    return NULL;
}
