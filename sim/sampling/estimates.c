/* estimates.c - see estimates.h.
 *
 * What an update takes is a line in its work, with an error.  The host has counted the work of all
 * updates, so the line says what the mean update takes.  The first and the last update of a window
 * have the beginning and the end of a command, too.  Errors of one window are alike: they are taken
 * to correlate by CORRELATION (README.md), and made independent before the line is drawn. */
#include "sim/sampling/estimates.h"

#include "models/common/check.h"
#include "models/common/units.h"
#include "sim/sampling/regression.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>

static const double CORRELATION = 0.4; /* of the errors of two updates of a window */

enum { UPDATE, BEGIN, END, WORK };

struct source {
    const struct estimates_request *request;
    struct regression_row *row; /* room for one of each update */
    double mean_work;           /* of whole batches */
};

/* A quantity of an update's cost. */
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

/* The work of an update, as a part of the mean, less 1. */
static double work_of(const struct source *from, uint32_t update)
{
    return from->mean_work > 0 ? from->request->work[update] / from->mean_work - 1 : 0;
}

static double mean_work(const struct estimates_request *request)
{
    const struct learning *learning = request->learning;
    const uint32_t whole = learning->order.images / learning->batch;
    double sum = 0;
    for (uint32_t epoch = 0; epoch < learning->epochs; epoch++) {
        for (uint32_t u = 0; u < whole; u++) {
            sum += request->work[epoch * learning->updates_per_epoch + u];
        }
    }
    return sum / whole / learning->epochs;
}

/* Takes from each row of a window a share of the window's mean, such that the errors no longer
 * correlate, and keeps their variance. */
static void make_independent(struct regression_row *row, uint32_t count)
{
    const double left = 1 - CORRELATION;
    const double share = 1 - sqrt(left / (1 + (count - 1) * CORRELATION));
    struct regression_row sum = {.value = 0};
    for (uint32_t i = 0; i < count; i++) {
        sum.value += row[i].value;
        for (size_t t = 0; t < REGRESSION_TERMS; t++) {
            sum.term[t] += row[i].term[t];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        row[i].value = (row[i].value - share * sum.value / count) / sqrt(left);
        for (size_t t = 0; t < REGRESSION_TERMS; t++) {
            row[i].term[t] = (row[i].term[t] - share * sum.term[t] / count) / sqrt(left);
        }
    }
}

/* Fills a row for each update of a whole batch; returns their number. */
static size_t fill_rows(const struct source *from, const struct quantity *quantity)
{
    const struct places *places = from->request->places;
    size_t rows = 0;
    for (size_t i = 0; i < places->count; i++) {
        const struct plan_train_part part = places->part[i];
        if (i == places->small) {
            continue;
        }
        for (uint32_t u = 0; u < part.updates; u++) {
            const struct window_cost *cost = &from->request->result[i].update[u];
            from->row[rows + u] =
                (struct regression_row){.term = {[UPDATE] = 1,
                                                 [BEGIN] = u == 0,
                                                 [END] = u + 1 == part.updates,
                                                 [WORK] = work_of(from, part.first + u)},
                                        .value = quantity->of(cost, quantity->count)};
        }
        make_independent(&from->row[rows], part.updates);
        rows += part.updates;
    }
    return rows;
}

/* Without the term of the work if the updates have none, or all the same. */
static void draw_line(const struct regression_row *row, size_t rows, struct regression *line)
{
    if (!regression_fit(row, rows, REGRESSION_TERMS, line)) {
        const bool drawn = regression_fit(row, rows, WORK, line);
        CHECK(drawn, "two windows of three updates have all terms but work");
    }
}

static struct outcome_sampled estimate(const struct source *from, const struct quantity *quantity)
{
    const struct learning *learning = from->request->learning;
    const struct places *places = from->request->places;
    const uint32_t whole = learning->order.images / learning->batch;
    const double mean[REGRESSION_TERMS] = {[UPDATE] = 1};
    struct regression line;
    const size_t rows = fill_rows(from, quantity);
    draw_line(from->row, rows, &line);
    const struct interval update = regression_at(&line, mean, 1.0 / whole);
    const double rest =
        places->small < places->count
            ? quantity->of(&from->request->result[places->small].update[0], quantity->count)
            : line.coefficient[BEGIN] + line.coefficient[END];
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

enum status estimates_make(const struct estimates_request *request, struct outcome *outcome,
                           struct diagnostic *diagnostic)
{
    const struct session_sums *sums = request->result[0].sums;
    struct outcome_sample *sample = &outcome->sample;
    FREED struct regression_row *row = calloc(request->places->updates, sizeof *row);
    const struct source from = {request, row, mean_work(request)};
    sample->row = calloc(QUANTITIES + sums->size, sizeof *sample->row);
    const bool memory = row != NULL && sample->row != NULL;
    for (size_t q = 0; q < QUANTITIES && memory; q++) {
        sample->row[sample->rows++] = estimate(&from, &QUANTITY[q]);
    }
    for (size_t c = 0; c < sums->size && memory; c++) {
        const struct quantity count = {sums->kind[c].name, sums->kind[c].info->unit, counted, c};
        sample->row[sample->rows++] = estimate(&from, &count);
    }
    return memory && fill_epochs(request->learning, outcome) ? STATUS_OK : no_memory(diagnostic);
}
