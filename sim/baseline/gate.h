/* gate.h - a place where threads or processes wait until all have come. */
#pragma once
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Lies in memory that all share. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    unsigned members, waiting;
    atomic_uint openings;
    atomic_bool broken; /* somebody will not come any more: nobody waits */
};

/* `shared`: between processes.  False when the host has no room for it. */
bool gate_init(struct gate *gate, unsigned members, bool shared);
void gate_deinit(struct gate *gate);

/* Returns when all members have called it, true; or false when the gate is broken.  While it waits
 * it calls alone(context) ten times a second (NULL: nobody); if that returns true, the gate breaks.
 */
bool gate_pass(struct gate *gate, bool (*alone)(void *context), void *context);

void gate_break(struct gate *gate);
