/* outcome_add.c - see outcome.h: sums of several runs on the same machine. */
#include "sim/grow.h"
#include "sim/run_control/outcome.h"

#include <stdlib.h>
#include <string.h>

/* The order of outcome->counter. */
static int compare_counters(const struct outcome_counter *a, const struct outcome_counter *b)
{
    int order = strcmp(a->component, b->component);
    order = order != 0 || a->info == b->info ? order : strcmp(a->info->name, b->info->name);
    order = order != 0 ? order : a->x - b->x;
    order = order != 0 ? order : a->y - b->y;
    return order != 0 ? order : a->instance - b->instance;
}

/* Each may have counters that are 0 in the other, which has no row for them. */
static bool add_counters(struct outcome *whole, const struct outcome *run)
{
    const size_t most = whole->counter_count + run->counter_count;
    struct outcome_counter *sum = calloc(most + 1, sizeof *sum);
    size_t count = 0;
    size_t i = 0;
    size_t k = 0;
    if (sum == NULL) {
        return false;
    }
    while (i < whole->counter_count || k < run->counter_count) {
        const int order = i == whole->counter_count ? 1
                          : k == run->counter_count
                              ? -1
                              : compare_counters(&whole->counter[i], &run->counter[k]);
        sum[count] = order <= 0 ? whole->counter[i++] : run->counter[k++];
        sum[count++].value += order == 0 ? run->counter[k++].value : 0;
    }
    free(whole->counter);
    whole->counter = sum;
    whole->counter_count = count;
    return true;
}

static bool add_unmodelled(struct outcome *whole, const struct outcome *run)
{
    const size_t count = whole->unmodelled_count + run->unmodelled_count;
    struct machine_unmodelled *larger =
        realloc(whole->unmodelled, (count + 1) * sizeof *whole->unmodelled);
    if (larger == NULL) {
        return false;
    }
    if (run->unmodelled_count > 0) {
        memcpy(larger + whole->unmodelled_count, run->unmodelled,
               run->unmodelled_count * sizeof *larger);
    }
    whole->unmodelled = larger;
    whole->unmodelled_count = count;
    return true;
}

/* The number of a phase of that name, added if it is new; PHASES_MAX: there is no room. */
static unsigned phase_of(struct outcome *whole, const struct phase *phase)
{
    unsigned i = 0;
    while (i < whole->phase_count && (strcmp(whole->phase[i].layer, phase->layer) != 0 ||
                                      strcmp(whole->phase[i].name, phase->name) != 0)) {
        i++;
    }
    if (i == whole->phase_count && i < PHASES_MAX) {
        whole->phase[whole->phase_count++] = *phase;
    }
    return i;
}

static void add_phase(struct phase_sum *to, const struct phase_sum *from)
{
    const bool first = to->most_cycles == 0;
    for (size_t i = 0; i < MACHINE_SHARES_MAX; i++) {
        to->share[i] += from->share[i];
    }
    to->times += from->times;
    to->least_cycles =
        first || from->least_cycles < to->least_cycles ? from->least_cycles : to->least_cycles;
    to->most_cycles = from->most_cycles > to->most_cycles ? from->most_cycles : to->most_cycles;
}

static struct outcome_stage_sum *stage_sum_of(struct outcome *outcome, const char *component,
                                              const struct counter_info *info)
{
    for (size_t i = 0; i < outcome->stage_sum_count; i++) {
        struct outcome_stage_sum *sum = &outcome->stage_sum[i];
        if (sum->info == info && strcmp(sum->component, component) == 0) {
            return sum;
        }
    }
    struct outcome_stage_sum *grown =
        grow(outcome->stage_sum, &outcome->stage_sum_room, outcome->stage_sum_count, sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    outcome->stage_sum = grown;
    struct outcome_stage_sum *added = &grown[outcome->stage_sum_count++];
    *added = (struct outcome_stage_sum){.info = info};
    (void)snprintf(added->component, sizeof added->component, "%s", component);
    return added;
}

bool outcome_add_stage_sum(struct outcome *outcome, enum stage stage, const char *component,
                           const struct counter_info *info, uint64_t value)
{
    struct outcome_stage_sum *sum = value == 0 ? NULL : stage_sum_of(outcome, component, info);
    if (sum != NULL) {
        sum->of[stage] += value;
    }
    return value == 0 || sum != NULL;
}

static enum stage stage_as(unsigned stage, bool looks)
{
    return looks && stage == STAGE_TEST ? STAGE_RUN : (enum stage)stage;
}

static bool add_stage_sums(struct outcome *whole, const struct outcome *run, bool looks)
{
    bool good = true;
    for (size_t i = 0; i < run->stage_sum_count; i++) {
        const struct outcome_stage_sum *sum = &run->stage_sum[i];
        for (unsigned s = 0; good && s < STAGES; s++) {
            good = outcome_add_stage_sum(whole, stage_as(s, looks), sum->component, sum->info,
                                         sum->of[s]);
        }
    }
    return good;
}

static void add_times(struct outcome *whole, const struct outcome *run, bool looks)
{
    whole->time_ps += run->time_ps;
    for (unsigned s = 0; s < STAGES; s++) {
        const enum stage as = stage_as(s, looks);
        whole->stage_ps[as] += run->stage_ps[s];
        for (unsigned i = 0; i < run->phase_count; i++) {
            const unsigned phase = phase_of(whole, &run->phase[i]);
            if (phase < PHASES_MAX) { /* else the counts belong to none */
                add_phase(&whole->phase_sum[as][phase], &run->phase_sum[s][i]);
            }
        }
    }
    whole->core_time.compute += run->core_time.compute;
    whole->core_time.bus_stall += run->core_time.bus_stall;
    whole->core_time.dma_wait += run->core_time.dma_wait;
    whole->core_time.packet_wait += run->core_time.packet_wait;
    whole->core_time.idle += run->core_time.idle;
}

static uint32_t larger_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void add_input(struct data_input *to, const struct data_input *from)
{
    to->images += from->images;
    to->copies = to->copies > from->copies ? to->copies : from->copies;
    to->sdram_bytes += from->sdram_bytes;
    to->ethernet_bytes += from->ethernet_bytes;
    to->router_bits += from->router_bits;
    to->time_ps += from->time_ps;
}

bool outcome_add_run(struct outcome *whole, const struct outcome *run, bool looks)
{
    whole->chips = run->chips;
    whole->boards = run->boards;
    whole->core_hz = run->core_hz;
    whole->cores_used = larger_of(whole->cores_used, run->cores_used);
    whole->sdram_bytes_used = larger_of(whole->sdram_bytes_used, run->sdram_bytes_used);
    whole->late_interrupts += run->late_interrupts;
    whole->guest_errors += run->guest_errors;
    whole->drops_unrecorded += run->drop_count + run->drops_unrecorded;
    whole->run_seconds += run->run_seconds;
    whole->native.translations += run->native.translations;
    whole->native.runs += run->native.runs;
    add_times(whole, run, looks);
    if (!looks) { /* a look works on images that the machine has made */
        add_input(&whole->input, &run->input);
    }
    return add_counters(whole, run) && add_stage_sums(whole, run, looks) &&
           add_unmodelled(whole, run);
}
