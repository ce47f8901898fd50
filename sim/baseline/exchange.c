/* exchange.c - see exchange.h. */
#include "sim/baseline/exchange.h"

#include "sim/baseline/gate.h"
#include "sim/steps.h"

#include <string.h>
#include <sys/mman.h>

/* Behind it: a vector for each member, and the sum. */
struct exchange_memory {
    struct gate gate;
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
    return gate_init(&exchange->memory->gate, members, true) ? STATUS_OK : no_memory(diagnostic);
}

void exchange_deinit(struct exchange *exchange)
{
    if (exchange->memory != NULL) {
        (void)munmap(exchange->memory, memory_bytes(exchange));
    }
    *exchange = (struct exchange){0};
}

/* ---- sums by type ---- */

static void add_words(void *to, const void *from, size_t count)
{
    uint32_t *sum = to;
    const uint32_t *more = from;
    for (size_t i = 0; i < count; i++) {
        sum[i] += more[i];
    }
}

static void add_floats(void *to, const void *from, size_t count)
{
    float *sum = to;
    const float *more = from;
    for (size_t i = 0; i < count; i++) {
        sum[i] += more[i];
    }
}

static void add_doubles(void *to, const void *from, size_t count)
{
    double *sum = to;
    const double *more = from;
    for (size_t i = 0; i < count; i++) {
        sum[i] += more[i];
    }
}

static const struct {
    size_t bytes;
    void (*add)(void *to, const void *from, size_t count);
} TYPE[] = {[EXCHANGE_WORDS] = {sizeof(uint32_t), add_words},
            [EXCHANGE_FLOATS] = {sizeof(float), add_floats},
            [EXCHANGE_DOUBLES] = {sizeof(double), add_doubles}};

static enum status meet(const struct exchange *exchange, struct diagnostic *diagnostic)
{
    return gate_pass(&exchange->memory->gate, exchange->alone, exchange->context)
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_INTERNAL, "another process of the training has ended");
}

enum status exchange_sum(const struct exchange *exchange, enum exchange_type type, void *values,
                         size_t count, struct diagnostic *diagnostic)
{
    if (exchange->members < 2) {
        return STATUS_OK;
    }
    const size_t bytes = TYPE[type].bytes;
    const size_t first = count * exchange->rank / exchange->members;
    const size_t end = count * (exchange->rank + 1) / exchange->members;
    uint8_t *sum = vector_of(exchange, exchange->members) + first * bytes;
    memcpy(vector_of(exchange, exchange->rank), values, count * bytes);
    TRY(meet(exchange, diagnostic));
    memcpy(sum, vector_of(exchange, 0) + first * bytes, (end - first) * bytes);
    for (unsigned i = 1; i < exchange->members; i++) {
        TYPE[type].add(sum, vector_of(exchange, i) + first * bytes, end - first);
    }
    TRY(meet(exchange, diagnostic));
    memcpy(values, vector_of(exchange, exchange->members), count * bytes);
    return STATUS_OK;
}

void exchange_leave(const struct exchange *exchange)
{
    if (exchange->memory != NULL) {
        gate_break(&exchange->memory->gate);
    }
}
