/* waits.h - diagnoses the programs that have not ended when a run does: what each of them waits
 * for. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/load/elf_image.h"
#include "sim/run_control/outcome.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct waits_source {
    const struct machine *machine;
    /* The program of core outcome->core[index]. */
    const struct elf_image *(*image_of)(const void *context, size_t index);
    const void *context;
};

/* Fills outcome->wait with all cores whose programs have not ended, in the order of outcome->core;
 * services are included only if they have failed. outcome->drop must have been filled before.
 * STATUS_INTERNAL when out of memory. */
enum status waits_take(const struct waits_source *source, struct outcome *outcome,
                       struct diagnostic *diagnostic);

/* The most informative wait: first a failure, then a key of which packets were lost, then a key
 * (lowest round first), then any other; NULL when all programs have ended. */
const struct outcome_wait *waits_first(const struct outcome *outcome);

/* Prints the first waits as a table, and how many there are more; nothing if all programs have
 * ended. */
void waits_print(const struct outcome *outcome, FILE *stream);

C_LINKAGE_END
