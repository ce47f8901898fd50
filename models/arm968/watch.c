/* watch.c - bytes that are watched: stores to them end the run.  While a core has any, all its
 * stores pass here, and no code runs natively. */
#include "models/arm968/ahead.h"
#include "models/arm968/arm968_state.h"

/* The watched bytes that overlap others; NULL: none. */
static const struct watch *watched(const struct arm968 *cpu, uint32_t address, uint32_t bytes)
{
    for (unsigned i = 0; i < cpu->watch_count; i++) {
        const struct watch *watch = &cpu->watch[i];
        if (address - watch->address < watch->bytes || watch->address - address < bytes) {
            return watch;
        }
    }
    return NULL;
}

bool cpu_watch_waits(struct arm968 *cpu, uint32_t address, uint32_t bytes)
{
    const bool waits = ahead_is(cpu) && watched(cpu, address, bytes) != NULL;
    cpu->ahead_ends = cpu->ahead_ends || waits;
    return waits;
}

enum exec_result cpu_watch_stored(struct arm968 *cpu, uint32_t address, uint32_t bytes,
                                  enum exec_result result)
{
    const struct watch *watch = watched(cpu, address, bytes);
    if (result > EXEC_CHECK || watch == NULL) {
        return result;
    }
    cpu->watch_hit = true;
    cpu->watch_address =
        address - watch->address < watch->bytes ? address : watch->address; /* the first of both */
    cpu->horizon = 0; /* the run ends behind the instruction */
    cpu->look_cycle = 0;
    return EXEC_CHECK;
}

enum status arm968_add_watch(struct arm968 *cpu, uint32_t address, uint32_t bytes)
{
    if (bytes == 0 || cpu->watch_count == ARM968_WATCHES) {
        return STATUS_CONFIGURATION;
    }
    cpu->watch[cpu->watch_count++] = (struct watch){address, bytes};
    memory_set_store_window(cpu);
    return STATUS_OK;
}

enum status arm968_remove_watch(struct arm968 *cpu, uint32_t address, uint32_t bytes)
{
    for (unsigned i = 0; i < cpu->watch_count; i++) {
        if (cpu->watch[i].address == address && cpu->watch[i].bytes == bytes) {
            cpu->watch[i] = cpu->watch[--cpu->watch_count];
            memory_set_store_window(cpu);
            return STATUS_OK;
        }
    }
    return STATUS_CONFIGURATION;
}

bool arm968_is_watched(const struct arm968 *cpu, uint32_t address)
{
    return watched(cpu, address, 1) != NULL;
}

void arm968_clear_watches(struct arm968 *cpu)
{
    if (cpu->watch_count > 0) {
        cpu->watch_count = 0;
        memory_set_store_window(cpu);
    }
}

bool arm968_watch_hit(struct arm968 *cpu, uint32_t *address)
{
    const bool hit = cpu->watch_hit;
    *address = cpu->watch_address;
    cpu->watch_hit = false;
    return hit;
}
