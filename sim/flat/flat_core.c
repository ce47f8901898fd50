/* flat_core.c - see flat_core.h. */
#include "sim/flat/flat_core.h"

#include "models/common/units.h"
#include "sim/steps.h"

#include <sys/mman.h>

enum { LOW_MIB = 256, SDRAM_MIB = 128 };
#define SDRAM_BASE 0x60000000u

/* Main ID of the ARM968E-S; TCMs on, vectors at 0. */
#define CORE_ID      0x41059681u
#define CONTROL_FLAT 0x00001074u

enum status flat_core_init(struct flat_core *flat, enum flat_base base,
                           struct arm968_translator *translator, struct diagnostic *diagnostic)
{
    flat->cpu = NULL;
    flat->base = base == FLAT_SDRAM ? SDRAM_BASE : 0;
    flat->bytes = (uint32_t)((base == FLAT_SDRAM ? SDRAM_MIB : LOW_MIB) * BYTES_PER_MIB);
    void *ram = mmap(NULL, flat->bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    flat->ram = ram == MAP_FAILED ? NULL : ram;
    if (flat->ram == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "no room for %u bytes of guest RAM",
                        flat->bytes);
    }
    const struct arm968_memory memory = {flat->base, flat->bytes, flat->ram};
    const struct arm968_config config = {.timing = arm968_timing_default(),
                                         .code = memory,
                                         .data = memory,
                                         .id = CORE_ID,
                                         .reset_control = CONTROL_FLAT,
                                         .semihosting = true,
                                         .translator = translator};
    flat->cpu = arm968_create(&config);
    return flat->cpu == NULL ? no_memory(diagnostic) : STATUS_OK;
}

void flat_core_deinit(struct flat_core *flat)
{
    arm968_destroy(flat->cpu);
    if (flat->ram != NULL) {
        (void)munmap(flat->ram, flat->bytes);
    }
    *flat = (struct flat_core){0};
}

uint8_t *flat_core_bytes(const struct flat_core *flat, uint32_t address, uint32_t bytes)
{
    const uint32_t offset = address - flat->base;
    if (offset >= flat->bytes || flat->bytes - offset < bytes) {
        return NULL;
    }
    return flat->ram + offset;
}
