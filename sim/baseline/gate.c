/* gate.c - see gate.h. */
#include "sim/baseline/gate.h"

#include <errno.h>
#include <time.h>

enum { LOOKS = 2000, NS_PER_S = 1000000000, LOOK_NS = 100000000 };

bool gate_init(struct gate *gate, unsigned members, bool shared)
{
    pthread_mutexattr_t lock;
    pthread_condattr_t opened;
    const int among = shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
    if (pthread_mutexattr_init(&lock) != 0) {
        return false;
    }
    if (pthread_condattr_init(&opened) != 0) {
        (void)pthread_mutexattr_destroy(&lock);
        return false;
    }
    const bool made = pthread_mutexattr_setpshared(&lock, among) == 0 &&
                      (!shared || pthread_mutexattr_setrobust(&lock, PTHREAD_MUTEX_ROBUST) == 0) &&
                      pthread_condattr_setpshared(&opened, among) == 0 &&
                      pthread_condattr_setclock(&opened, CLOCK_MONOTONIC) == 0 &&
                      pthread_mutex_init(&gate->lock, &lock) == 0 &&
                      pthread_cond_init(&gate->opened, &opened) == 0;
    (void)pthread_mutexattr_destroy(&lock);
    (void)pthread_condattr_destroy(&opened);
    gate->members = members;
    gate->waiting = 0;
    atomic_init(&gate->openings, 0);
    atomic_init(&gate->broken, false);
    return made;
}

void gate_deinit(struct gate *gate)
{
    (void)pthread_mutex_destroy(&gate->lock);
    (void)pthread_cond_destroy(&gate->opened);
}

/* After a lock has been taken: a process that was killed while it held the lock will not come. */
static void took(struct gate *gate, int result)
{
    if (result == EOWNERDEAD) {
        (void)pthread_mutex_consistent(&gate->lock);
        atomic_store(&gate->broken, true);
    }
}

static void lock(struct gate *gate)
{
    took(gate, pthread_mutex_lock(&gate->lock));
}

static void sleep_a_little(struct gate *gate)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_NS;
    if (until.tv_nsec >= NS_PER_S) {
        until.tv_nsec -= NS_PER_S;
        until.tv_sec++;
    }
    took(gate, pthread_cond_timedwait(&gate->opened, &gate->lock, &until));
}

static bool is_shut(struct gate *gate, unsigned opening)
{
    return atomic_load(&gate->openings) == opening && !atomic_load(&gate->broken);
}

bool gate_pass(struct gate *gate, bool (*alone)(void *context), void *context)
{
    lock(gate);
    const unsigned opening = atomic_load(&gate->openings);
    if (++gate->waiting == gate->members) {
        gate->waiting = 0;
        atomic_store(&gate->openings, opening + 1);
        (void)pthread_cond_broadcast(&gate->opened);
        (void)pthread_mutex_unlock(&gate->lock);
        return !atomic_load(&gate->broken);
    }
    (void)pthread_mutex_unlock(&gate->lock);
    for (unsigned i = 0; i < LOOKS && is_shut(gate, opening); i++) {
    }
    lock(gate);
    while (is_shut(gate, opening)) {
        sleep_a_little(gate);
        if (is_shut(gate, opening) && alone != NULL && alone(context)) {
            atomic_store(&gate->broken, true);
        }
    }
    (void)pthread_mutex_unlock(&gate->lock);
    return !atomic_load(&gate->broken);
}

void gate_break(struct gate *gate)
{
    atomic_store(&gate->broken, true);
}
