/* accesses.c - what a core tells its chip of its accesses to data.  See core.h.
 *
 * A core that runs ahead accesses its TCMs and own timers only, and nobody else sees that: its
 * accesses are told when they can no longer be rolled back, still before all later ones. */
#include "models/machine/core/core.h"

#include <stdlib.h>

/* A run ahead ends when so many have been kept: a core's part of a megabyte. */
enum { KEPT_MOST = 1024 };

struct core_told {
    struct dma_transfer next; /* as the program has prepared it */
    unsigned kept;
    struct arm968_data_access access[KEPT_MOST];
};

enum status core_accesses_init(struct core *core)
{
    if (!core->on.tells_accesses) {
        return STATUS_OK;
    }
    core->told = calloc(1, sizeof *core->told);
    return core->told == NULL ? STATUS_INTERNAL : STATUS_OK;
}

void core_accesses_deinit(struct core *core)
{
    free(core->told);
    core->told = NULL;
}

void core_accessed(void *context, const struct arm968_data_access *access)
{
    struct core *core = context;
    if (!core->ahead.on) {
        core->on.ports->accessed(core->on.chip, core, access);
        return;
    }
    struct core_told *told = core->told;
    struct arm968_data_access *kept = &told->access[told->kept++];
    *kept = *access;
    kept->words = NULL; /* of timers and VIC */
    if (told->kept == KEPT_MOST) {
        core_end_run(core);
    }
}

void core_accesses_settle(struct core *core)
{
    for (unsigned i = 0; core->told != NULL && i < core->told->kept; i++) {
        core->on.ports->accessed(core->on.chip, core, &core->told->access[i]);
    }
    core_accesses_drop(core);
}

void core_accesses_drop(struct core *core)
{
    if (core->told != NULL) {
        core->told->kept = 0;
    }
}

bool core_accesses_transfer(struct core *core, uint32_t offset, uint32_t word,
                            struct dma_transfer *transfer)
{
    const bool starts = dma_ctrl_prepares(&core->told->next, offset, word);
    *transfer = core->told->next;
    return starts;
}
