/* steps.h - a sequence of steps that ends at the first failure. */
#pragma once
#include "models/common/status.h"

/* Returns from the function with the status of a failed step:
 *
 *     static enum status prepare(struct job *job, struct diagnostic *diagnostic)
 *     {
 *         TRY(load_network(job, diagnostic));
 *         TRY(load_weights(job, diagnostic));
 *         return load_images(job, diagnostic);
 *     }
 *
 * A function that uses TRY must have nothing to clean up: everything its steps allocate belongs to
 * a struct that the caller frees. */
#define TRY(step)                                                                                  \
    do {                                                                                           \
        const enum status tried = (step);                                                          \
        if (tried != STATUS_OK) {                                                                  \
            return tried;                                                                          \
        }                                                                                          \
    } while (0)

/* Reports a failed allocation. */
static inline enum status no_memory(struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
}
