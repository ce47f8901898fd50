/* exchange.c - see exchange.h. */
#include "sim/host_backend/exchange.h"

#include "sim/steps.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A gate, where members wait until all have come; behind it, a vector for each member, and the sum.
 * Nobody holds a lock: a process may be killed anywhere. */
struct exchange_memory {
    atomic_uint openings, waiting;
    atomic_bool broken; /* somebody will not come any more: nobody waits */
};

enum { LINE = 64 };

static size_t room_for(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static uint8_t *vector_of(const struct exchange *exchange, unsigned member)
{
    return (uint8_t *)exchange->memory + room_for(sizeof *exchange->memory) +
           member * room_for(exchange->bytes);
}

static size_t memory_bytes(const struct exchange *exchange)
{
    return room_for(sizeof *exchange->memory) + (exchange->members + 1) * room_for(exchange->bytes);
}

enum status exchange_init(struct exchange *exchange, unsigned members, size_t bytes,
                          struct diagnostic *diagnostic)
{
    *exchange = (struct exchange){.members = members, .bytes = bytes};
    if (members < 2) {
        return STATUS_OK;
    }
    void *memory = mmap(NULL, memory_bytes(exchange), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return no_memory(diagnostic);
    }
    exchange->memory = memory;
    return STATUS_OK; /* the gate is all 0, as is new memory */
}

void exchange_deinit(struct exchange *exchange)
{
    if (exchange->memory != NULL) {
        (void)munmap(exchange->memory, memory_bytes(exchange));
    }
    *exchange = (struct exchange){0};
}

/* ---- the gate ---- */

static bool is_shut(struct exchange_memory *gate, unsigned opening)
{
    return atomic_load(&gate->openings) == opening && !atomic_load(&gate->broken);
}

/* Sleeps until the gate is opened, at most for a tenth of a second. */
static void sleep_at(struct exchange_memory *gate, unsigned opening)
{
    static const struct timespec LOOK = {.tv_nsec = 100000000};
    (void)syscall(SYS_futex, &gate->openings, FUTEX_WAIT, opening, &LOOK, NULL, 0);
}

static void wake_all(struct exchange_memory *gate)
{
    (void)syscall(SYS_futex, &gate->openings, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void wait_at(const struct exchange *exchange, unsigned opening)
{
    enum { LOOKS = 2000 };
    struct exchange_memory *gate = exchange->memory;
    for (unsigned i = 0; i < LOOKS && is_shut(gate, opening); i++) {
    }
    while (is_shut(gate, opening)) {
        sleep_at(gate, opening);
        if (is_shut(gate, opening) && exchange->alone != NULL &&
            exchange->alone(exchange->context)) {
            exchange_leave(exchange);
        }
    }
}

/* Returns when all members have called it. */
static enum status meet(const struct exchange *exchange, struct diagnostic *diagnostic)
{
    struct exchange_memory *gate = exchange->memory;
    const unsigned opening = atomic_load(&gate->openings);
    if (atomic_fetch_add(&gate->waiting, 1) + 1 == exchange->members) {
        atomic_store(&gate->waiting, 0);
        atomic_store(&gate->openings, opening + 1);
        wake_all(gate);
    } else {
        wait_at(exchange, opening);
    }
    return atomic_load(&gate->broken)
               ? diagnose(diagnostic, STATUS_INTERNAL, "another process of the training has ended")
               : STATUS_OK;
}

/* ---- sums ---- */

#define SUM(type)                                                                                  \
    for (size_t i = 0; i < count; i++) {                                                           \
        ((type *)to)[i] += ((const type *)more)[i];                                                \
    }

void exchange_add(enum exchange_type type, void *to, const void *more, size_t count)
{
    switch (type) {
    case EXCHANGE_WORDS:
        SUM(uint32_t)
        break;
    case EXCHANGE_FLOATS:
        SUM(float)
        break;
    case EXCHANGE_DOUBLES:
    default:
        SUM(double)
        break;
    }
}

enum status exchange_sum(const struct exchange *exchange, enum exchange_type type, void *values,
                         size_t count, struct diagnostic *diagnostic)
{
    if (exchange->members < 2) {
        return STATUS_OK;
    }
    const size_t bytes = type == EXCHANGE_DOUBLES ? sizeof(double) : sizeof(float);
    const size_t first = count * exchange->rank / exchange->members;
    const size_t end = count * (exchange->rank + 1) / exchange->members;
    uint8_t *sum = vector_of(exchange, exchange->members) + first * bytes;
    memcpy(vector_of(exchange, exchange->rank), values, count * bytes);
    TRY(meet(exchange, diagnostic));
    memcpy(sum, vector_of(exchange, 0) + first * bytes, (end - first) * bytes);
    for (unsigned i = 1; i < exchange->members; i++) {
        exchange_add(type, sum, vector_of(exchange, i) + first * bytes, end - first);
    }
    TRY(meet(exchange, diagnostic));
    memcpy(values, vector_of(exchange, exchange->members), count * bytes);
    return STATUS_OK;
}

void exchange_leave(const struct exchange *exchange)
{
    if (exchange->memory != NULL) {
        atomic_store(&exchange->memory->broken, true);
        wake_all(exchange->memory);
    }
}
