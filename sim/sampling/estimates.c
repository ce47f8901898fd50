/* estimates.c - see estimates.h.
 *
 * A window's first command has one update, its second k more; both have the same beginning and end.
 * So an update among others takes (second - first) / (k - 1), and beginning and end what the first
 * takes beyond that.  Windows are the measurements of the interval: updates of one window are not
 * independent. */
#include "sim/sampling/estimates.h"

#include "models/common/units.h"
#include "sim/sampling/interval.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>

struct source {
    const struct learning *learning;
    const struct places *places;
    const struct window_result *result;
    double *value; /* room for one of each window */
};

/* A quantity of a window's cost. */
struct quantity {
    const char *name, *unit;
    double (*of)(const struct window_cost *cost, size_t count);
    size_t count; /* which of the counts */
};

static double seconds(const struct window_cost *cost, size_t count)
{
    (void)count;
    return cost->seconds;
}

static double joules_low(const struct window_cost *cost, size_t count)
{
    (void)count;
    return cost->joules.low;
}

static double joules_default(const struct window_cost *cost, size_t count)
{
    (void)count;
    return cost->joules.value;
}

static double joules_high(const struct window_cost *cost, size_t count)
{
    (void)count;
    return cost->joules.high;
}

static double counted(const struct window_cost *cost, size_t count)
{
    return cost->count[count];
}

enum { SECONDS, JOULES, JOULES_LOW, JOULES_HIGH, QUANTITIES };
static const struct quantity QUANTITY[QUANTITIES] = {
    [SECONDS] = {"seconds", "s", seconds, 0},
    [JOULES] = {"joules", "J", joules_default, 0},
    [JOULES_LOW] = {"joules_low", "J", joules_low, 0},
    [JOULES_HIGH] = {"joules_high", "J", joules_high, 0}};

static struct outcome_sampled estimate(const struct source *from, const struct quantity *quantity)
{
    const uint32_t whole = from->learning->order.images / from->learning->batch;
    const struct places *places = from->places;
    size_t windows = 0;
    double first = 0;
    double small = 0;
    for (size_t i = 0; i < places->count; i++) {
        const struct window_result *result = &from->result[i];
        const double lead = quantity->of(&result->first, quantity->count);
        if (i == places->small) {
            small = lead;
        } else {
            const double others = quantity->of(&result->others, quantity->count);
            first += lead;
            from->value[windows++] = (others - lead) / (places->part[i].updates - 2);
        }
    }
    const struct interval update = interval_of(from->value, windows);
    const double ends = first / (double)windows - update.mean;
    const double rest = places->small < places->count ? small : ends;
    const double epoch = whole * update.mean + rest;
    struct outcome_sampled row = {.unit = quantity->unit,
                                  .update = update.mean,
                                  .update_low = update.mean - update.half,
                                  .update_high = update.mean + update.half,
                                  .epoch = epoch,
                                  .epoch_low = epoch - whole * update.half,
                                  .epoch_high = epoch + whole * update.half};
    (void)snprintf(row.quantity, sizeof row.quantity, "%s", quantity->name);
    return row;
}

static bool fill_epochs(const struct learning *learning, struct outcome *outcome)
{
    const struct outcome_sampled *row = outcome->sample.row;
    outcome->epoch = calloc(learning->epochs, sizeof *outcome->epoch);
    for (uint32_t i = 0; i < learning->epochs && outcome->epoch != NULL; i++) {
        outcome->epoch[outcome->epoch_count++] = (struct outcome_epoch){
            (uint64_t)llround(row[SECONDS].epoch * (double)PS_PER_S),
            {row[JOULES_LOW].epoch, row[JOULES].epoch, row[JOULES_HIGH].epoch}};
    }
    return outcome->epoch != NULL;
}

enum status estimates_make(const struct learning *learning, const struct places *places,
                           const struct window_result *result, struct outcome *outcome,
                           struct diagnostic *diagnostic)
{
    const struct session_sums *sums = result[0].sums;
    struct outcome_sample *sample = &outcome->sample;
    FREED double *value = calloc(places->count, sizeof *value);
    const struct source from = {learning, places, result, value};
    sample->row = calloc(QUANTITIES + sums->size, sizeof *sample->row);
    const bool memory = value != NULL && sample->row != NULL;
    for (size_t q = 0; q < QUANTITIES && memory; q++) {
        sample->row[sample->rows++] = estimate(&from, &QUANTITY[q]);
    }
    for (size_t c = 0; c < sums->size && memory; c++) {
        const struct quantity count = {sums->kind[c].name, sums->kind[c].info->unit, counted, c};
        sample->row[sample->rows++] = estimate(&from, &count);
    }
    return memory && fill_epochs(learning, outcome) ? STATUS_OK : no_memory(diagnostic);
}
