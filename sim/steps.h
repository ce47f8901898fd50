/* steps.h - a sequence of steps that ends at the first failure. */
#pragma once
#include "models/common/status.h"
#include <stdlib.h>
#include <string.h>

/* Returns from the function with the status of a failed step:
 *
 *     static enum status prepare(struct job *job, struct diagnostic *diagnostic)
 *     {
 *         TRY(load_network(job, diagnostic));
 *         TRY(load_weights(job, diagnostic));
 *         return load_images(job, diagnostic);
 *     }
 *
 * What a function that uses TRY has to clean up is declared with RELEASED or FREED, or belongs to a
 * struct that the caller frees. */
#define TRY(step)                                                                                  \
    do {                                                                                           \
        const enum status tried = (step);                                                          \
        if (tried != STATUS_OK) {                                                                  \
            return tried;                                                                          \
        }                                                                                          \
    } while (0)

/* Begins the declaration of a variable that the function `release`, which is given its address,
 * cleans up when its block is left, in whatever way; the last one declared is the first.  `release`
 * must take a variable that is still empty, too:
 *
 *     RELEASED(config_deinit) struct sim_config config = {0};
 *     FREED char *path = file_join(folder, "config.yaml"); */
#define RELEASED(release) __attribute__((cleanup(release)))
#define FREED             RELEASED(free_at)

/* Frees the memory that the pointer at this address leads to. */
static inline void free_at(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

/* Reports a failed allocation. */
static inline enum status no_memory(struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
}
