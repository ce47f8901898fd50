/* steps.h - steps that follow one another until one fails. */
#pragma once
#include "models/common/status.h"

/* Leaves the function with the status of a step that has failed:
 *
 *     static enum status prepare(struct job *job, struct diagnostic *diagnostic)
 *     {
 *         TRY(load_network(job, diagnostic));
 *         TRY(load_weights(job, diagnostic));
 *         return load_images(job, diagnostic);
 *     }
 *
 * A function that uses it has nothing to undo: what its steps leave belongs to a struct that the
 * caller empties. */
#define TRY(step)                                                                                  \
    do {                                                                                           \
        const enum status tried = (step);                                                          \
        if (tried != STATUS_OK) {                                                                  \
            return tried;                                                                          \
        }                                                                                          \
    } while (0)

/* The diagnostic and the status of every allocation that has failed. */
static inline enum status no_memory(struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
}
