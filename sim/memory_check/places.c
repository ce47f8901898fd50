/* places.c - finds memories, areas and words of a machine that is checked. */
#include "sim/memory_check/check_state.h"

struct check_chip *check_chip_of(const struct memory_check *check, struct machine_core core)
{
    const int32_t index = topology_find(machine_topology(check->machine), core.x, core.y);
    return index == TOPOLOGY_NO_CHIP ? NULL : &check->chip[index];
}

struct check_memory *check_memory_of(struct check_chip *chip, struct machine_core core,
                                     enum machine_memory memory)
{
    switch (memory) {
    case MACHINE_MEMORY_ITCM:
    case MACHINE_MEMORY_DTCM: {
        struct check_memory *tcm = &chip->core[core.p].tcm[memory];
        return tcm->shadow.page == NULL ? NULL : tcm;
    }
    case MACHINE_MEMORY_SDRAM:
        return &chip->sdram;
    case MACHINE_MEMORY_SYSTEM_RAM:
        return &chip->system_ram;
    case MACHINE_MEMORY_NONE:
    default:
        return NULL;
    }
}

void check_add_area(struct check_memory *memory, uint32_t first, uint32_t end, enum check_rule rule)
{
    if (memory->areas < CHECK_AREAS && first < end) {
        memory->area[memory->areas++] = (struct check_area){first, end, rule};
    }
}

const struct check_area *check_area_at(const struct check_memory *memory, uint32_t offset)
{
    for (unsigned i = 0; i < memory->areas; i++) {
        if (offset - memory->area[i].first < memory->area[i].end - memory->area[i].first) {
            return &memory->area[i];
        }
    }
    return NULL;
}

uint32_t check_word(const struct memory_check *check, struct machine_core core, uint32_t address)
{
    uint32_t word = 0;
    (void)machine_read(check->machine, core, address, &word, sizeof word);
    return word;
}
