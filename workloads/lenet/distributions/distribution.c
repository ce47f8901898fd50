/* distribution.c - see distribution.h. */
#include "distribution.h"

#include <chip_sync.h>

#define SELDOM __attribute__((target("thumb"), noinline))

struct distribution distribution;

/* Signals between the cores of a chip are counted where roles look for them. */
volatile uint32_t exchange_count[EXCHANGE_COUNTERS];
extern volatile uint32_t frames_signals[COLLECTIVES_SIGNALS]
    __attribute__((alias("exchange_count")));
_Static_assert((int)EXCHANGE_COUNTERS == (int)COLLECTIVES_SIGNALS, "keys have these bits");

void exchange_signal(uint32_t key)
{
    frames_signal(key);
}

static const struct distribution_plan *plan_at(const struct exchange_plan *plan)
{
    return (const struct distribution_plan *)plan->tree;
}

/* ---- what roles call ---- */

SELDOM void exchange_packets_begin(void)
{
}

SELDOM void exchange_slots_begin(const struct exchange_plan *plan)
{
    sark_word_cpy(&distribution.plan, plan_at(plan), sizeof distribution.plan);
    distribution.words = plan->words;
    frames_core_begin(&distribution.plan.ranks);
    chip_barrier(); /* all cores of the chip hear signals from now on */
}

SELDOM void exchange_owned(const struct exchange_plan *plan, uint32_t *first, uint32_t *count)
{
    distribution_owned(plan_at(plan), plan->words, first, count);
}

SELDOM void exchange_reduce_scatter(const struct exchange_plan *plan, int32_t *sums, void *values)
{
    (void)plan;
    (void)values;
    distribution.sums = sums;
    distribution_reduce(sums);
}

SELDOM void exchange_all_gather(const struct exchange_plan *plan, void *values)
{
    (void)plan;
    distribution_give(values);
    distribution.update++;
}

/* ---- averages ---- */

enum { HALVES = sizeof(int32_t) / sizeof(nn_value) }; /* values in a word */

SELDOM void distribution_swap(uint32_t to, const nn_value *own, uint32_t from, int32_t *sums)
{
    const uint32_t words = (distribution.words + HALVES - 1) / HALVES;
    const struct frames_transfer transfer = {
        .to = to,
        .out = (const int32_t *)(const void *)own,
        .out_words = words,
        .from = from,
        .in = sums,
        .in_words = words,
        .operation = HALVES == 2 ? FRAMES_ADD_HALVES : FRAMES_SUM,
    };
    frames_core_transfer(&transfer);
}

SELDOM void distribution_begin_average(const nn_value *own)
{
    for (uint32_t i = 0; i < distribution.words; i++) {
        distribution.sums[i] = own[i];
    }
}

static int32_t average(int32_t sum, int32_t count)
{
    const int32_t twice = 2 * sum + count;
    const int32_t quotient = twice / (2 * count);
    return quotient - (twice < quotient * 2 * count);
}

SELDOM void distribution_end_average(nn_value *own, uint32_t count)
{
    struct distribution_note note = {.parameters = distribution.words};
    for (uint32_t i = 0; i < distribution.words; i++) {
        const int32_t value = average(distribution.sums[i], (int32_t)count);
        const int32_t moved = value - (int32_t)own[i];
        const uint32_t distance = moved < 0 ? 0u - (uint32_t)moved : (uint32_t)moved;
        note.largest = distance > note.largest ? distance : note.largest;
        note.sum += distance;
        own[i] = (nn_value)value;
    }
    if (distribution.plan.notes != 0) {
        struct distribution_note *notes = (struct distribution_note *)distribution.plan.notes;
        notes[distribution.update] = note;
    }
}
