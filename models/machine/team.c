/* team.c - see team.h.
 * A round begins when its number is incremented.  Threads poll this number for a while, then sleep;
 * the caller wakes them only if one sleeps. */
#include "models/machine/team.h"

#include "models/common/compiler.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LOOKS_BEFORE_SLEEP = 2000, LOOKS_BEFORE_YIELD = 200 };

/* Consecutive parts: those that one thread begins with. */
struct share {
    _Alignas(CACHE_LINE_BYTES) atomic_uint next; /* part to be done */
    unsigned end;
};

struct team {
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    unsigned started; /* in addition to the caller's */
    pthread_t thread[TEAM_THREADS_MAX];
    struct member {
        struct team *team;
        unsigned number; /* the caller is 0 */
    } member[TEAM_THREADS_MAX];

    team_part *part;
    void *context;
    bool over; /* the next round is the last: threads end */

    _Alignas(CACHE_LINE_BYTES) atomic_uint round;
    _Alignas(CACHE_LINE_BYTES) atomic_uint busy; /* threads that have not finished the round */
    atomic_uint asleep;
    struct share share[TEAM_THREADS_MAX];
};

static void do_share(struct team *team, struct share *share)
{
    unsigned part;
    while ((part = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed)) < share->end) {
        team->part(team->context, part);
    }
}

/* The thread's own share first: its parts were in its core's caches in the last round.  Then what
 * is left of the others'. */
static void do_parts(struct team *team, unsigned number)
{
    const unsigned threads = team->started + 1;
    for (unsigned i = 0; i < threads; i++) {
        do_share(team, &team->share[(number + i) % threads]);
    }
}

static void sleep_until_round(struct team *team, unsigned seen)
{
    (void)pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&team->asleep, 1);
    while (atomic_load(&team->round) == seen) {
        (void)pthread_cond_wait(&team->wake, &team->mutex);
    }
    atomic_fetch_sub(&team->asleep, 1);
    (void)pthread_mutex_unlock(&team->mutex);
}

static void await_round(struct team *team, unsigned seen)
{
    for (unsigned looks = 0; looks < LOOKS_BEFORE_SLEEP; looks++) {
        if (atomic_load_explicit(&team->round, memory_order_acquire) != seen) {
            return;
        }
        SPIN_PAUSE();
    }
    sleep_until_round(team, seen);
}

static void *follow(void *context)
{
    const struct member *member = context;
    struct team *team = member->team;
    for (unsigned seen = 0;; seen++) {
        await_round(team, seen);
        if (team->over) {
            return NULL;
        }
        do_parts(team, member->number);
        atomic_fetch_sub_explicit(&team->busy, 1, memory_order_release);
    }
}

static void divide(struct team *team, unsigned parts)
{
    const unsigned threads = team->started + 1;
    for (unsigned i = 0; i < threads; i++) {
        const unsigned first = parts * i / threads;
        atomic_store_explicit(&team->share[i].next, first, memory_order_relaxed);
        team->share[i].end = parts * (i + 1) / threads;
    }
}

static void begin_round(struct team *team)
{
    atomic_store_explicit(&team->busy, team->started, memory_order_relaxed);
    atomic_fetch_add(&team->round, 1);
    if (atomic_load(&team->asleep) > 0) {
        (void)pthread_mutex_lock(&team->mutex);
        (void)pthread_cond_broadcast(&team->wake);
        (void)pthread_mutex_unlock(&team->mutex);
    }
}

struct team *team_create(unsigned threads)
{
    struct team *team = aligned_alloc(CACHE_LINE_BYTES, sizeof *team);
    if (team == NULL) {
        return NULL;
    }
    *team = (struct team){.mutex = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};
    for (unsigned i = 1; i < threads && i < TEAM_THREADS_MAX; i++) {
        team->member[i] = (struct member){team, i};
        if (pthread_create(&team->thread[team->started], NULL, follow, &team->member[i]) != 0) {
            break;
        }
        team->started++;
    }
    if (team->started == 0) {
        free(team);
        return NULL;
    }
    return team;
}

void team_destroy(struct team *team)
{
    if (team == NULL) {
        return;
    }
    team->over = true;
    begin_round(team);
    for (unsigned i = 0; i < team->started; i++) {
        (void)pthread_join(team->thread[i], NULL);
    }
    (void)pthread_cond_destroy(&team->wake);
    (void)pthread_mutex_destroy(&team->mutex);
    free(team);
}

void team_run(struct team *team, unsigned parts, team_part *part, void *context)
{
    team->part = part;
    team->context = context;
    divide(team, parts);
    begin_round(team);
    do_parts(team, 0);
    for (unsigned looks = 1; atomic_load_explicit(&team->busy, memory_order_acquire) != 0;
         looks++) {
        if (looks % LOOKS_BEFORE_YIELD == 0) {
            (void)sched_yield();
        } else {
            SPIN_PAUSE();
        }
    }
}
