/* core_memory.c - see core_memory.h. */
#include "sim/run_control/core_memory.h"

bool core_memory_read(const void *context, uint32_t address, uint8_t *bytes, uint32_t count)
{
    const struct core_memory *memory = context;
    return machine_read(memory->machine, memory->core, address, bytes, count) == STATUS_OK;
}
