/* ring_exchange.c - sums random words over the chips of a ring and distributes the results to all
 * of them, for some rounds; each core checks every word.
 *
 * For word i of a round the chip at position p contributes x(i) (2 p + 1), so that the sum over n
 * chips is x(i) n n: a word that is lost, counted twice or added in the wrong place shows.  The
 * owner derives a value of 16 bits from each sum, in place of an update. */
#include <exchange.h>
#include <exchange_trial.h>

enum { FREE_RUNNING = 0x82, VALUE_SHIFT = 7 };

/* For a test: the chip at this position skips a version of the weights. */
#ifndef STALE_POSITION
#define STALE_POSITION 0xffffffff
#endif

static struct exchange_trial trial;
static int32_t *sums;
static int16_t *values;
static uint reduce_cycles, gather_cycles, both_cycles; /* the longest of the rounds */

static uint word(uint round, uint index)
{
    uint x = trial.seed + (trial.plan.send_key >> 17 & 31) * 0x9e3779b9 + round * 0x85ebca6b;
    x = (x ^ index) * 0x27d4eb2d;
    x = (x ^ x >> 15) * 0x2c1b3c6d;
    return x ^ x >> 13;
}

static void fail(const char *what, uint round, uint index, int got, int expected)
{
    io_printf(IO_BUF, "round %u: %s %u is %d, not %d\n", round, what, index, got, expected);
    rt_error(RTE_SWERR);
}

static void check_sums(uint round, uint first, uint count)
{
    const uint chips = trial.plan.chips;
    for (uint i = first; i < first + count; i++) {
        const int expected = (int)(word(round, i) * chips * chips);
        if (sums[i] != expected) {
            fail("sum", round, i, sums[i], expected);
        }
    }
}

static int16_t value_of(int sum)
{
    return (int16_t)(sum >> VALUE_SHIFT);
}

static void check_values(uint round)
{
    const uint chips = trial.plan.chips;
    for (uint i = 0; i < trial.plan.words; i++) {
        const int16_t expected = value_of((int)(word(round, i) * chips * chips));
        if (values[i] != expected) {
            fail("value", round, i, values[i], expected);
        }
    }
}

static uint longer(uint cycles, uint since)
{
    const uint passed = since - tc[T1_COUNT];
    return passed > cycles ? passed : cycles;
}

static void exchange(uint round)
{
    uint32_t first, count;
    for (uint i = 0; i < trial.plan.words; i++) {
        sums[i] = (int32_t)(word(round, i) * (2 * trial.plan.position + 1));
    }
    const uint begin = tc[T1_COUNT];
    exchange_reduce_scatter(&trial.plan, sums, values);
    reduce_cycles = longer(reduce_cycles, begin);
    exchange_owned(&trial.plan, &first, &count);
    for (uint i = first; i < first + count; i++) {
        values[i] = value_of(sums[i]);
    }
    const uint between = tc[T1_COUNT];
    exchange_all_gather(&trial.plan, values);
    gather_cycles = longer(gather_cycles, between);
    both_cycles = longer(both_cycles, begin);
    check_sums(round, first, count);
    check_values(round);
}

void c_main(void)
{
    sark_word_cpy(&trial, (const void *)sark.vcpu->user0, sizeof trial);
    if (trial.magic != EXCHANGE_TRIAL_MAGIC) {
        io_printf(IO_BUF, "no trial at 0x%08x\n", sark.vcpu->user0);
        rt_error(RTE_SWERR);
    }
    const uint words = (trial.plan.words + 1) & ~1u;
    sums = sark_alloc(words + 1, sizeof *sums);
    values = sark_alloc(words + 2, sizeof *values);
    if (sums == NULL || values == NULL) {
        io_printf(IO_BUF, "no room for %u words\n", words);
        rt_error(RTE_MALLOC);
    }
    if (trial.plan.tree != 0) {
        exchange_packets_begin(); /* routers have no room for six neighbours' signals */
    }
    sark_delay_us(trial.delay_us);
    if (trial.plan.tree == 0) {
        exchange_packets_begin();
    }
    exchange_slots_begin(&trial.plan);
    tc[T1_LOAD] = 0;
    tc[T1_CONTROL] = FREE_RUNNING;
    for (uint round = 0; round < trial.rounds; round++) {
        if (trial.plan.position == STALE_POSITION && round == 1) {
            exchange_version--;
        }
        exchange(round);
    }
    io_printf(IO_BUF,
              "%u rounds of %u words; longest reduce-scatter %u cycles, all-gather %u, both %u\n",
              trial.rounds, trial.plan.words, reduce_cycles, gather_cycles, both_cycles);
}
