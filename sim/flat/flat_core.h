/* flat_core.h - one core with one flat RAM for code and data, no peripherals. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum flat_base {
    FLAT_LOW,  /* 256 MiB at 0 */
    FLAT_SDRAM /* 128 MiB at 0x60000000, the SDRAM of a chip */
};

struct flat_core {
    struct arm968 *cpu;
    uint8_t *ram; /* initially zero; the host allocates its pages on first use */
    uint32_t base, bytes;
};

/* `translator` may be NULL. */
enum status flat_core_init(struct flat_core *flat, enum flat_base base,
                           struct arm968_translator *translator, struct diagnostic *diagnostic);
void flat_core_deinit(struct flat_core *flat);

/* Host pointer to RAM at a guest address; NULL when the range is not wholly inside RAM. */
uint8_t *flat_core_bytes(const struct flat_core *flat, uint32_t address, uint32_t bytes);

C_LINKAGE_END
