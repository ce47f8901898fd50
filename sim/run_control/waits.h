/* waits.h - who waits for what: the programs that have not ended when a run does, and what each of
 * them would need to go on. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/load/elf_image.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

struct waits_source {
    const struct machine *machine;
    /* What the core outcome->core[index] runs. */
    const struct elf_image *(*image_of)(const void *context, size_t index);
    const void *context;
};

/* outcome->drop is there.  Fills outcome->wait with all cores whose programs have not ended, in the
 * order of outcome->core; services are left out unless they have failed.  STATUS_INTERNAL when out
 * of memory. */
enum status waits_take(const struct waits_source *source, struct outcome *outcome,
                       struct diagnostic *diagnostic);

/* The one that tells most: a failure, then a key of which packets were lost, then a key, the lowest
 * round first, then anything else; NULL when all have ended. */
const struct outcome_wait *waits_first(const struct outcome *outcome);

C_LINKAGE_END
