/* session_intervals.c - see session.h: counters and power by time (record.interval), from the sums
 * that a run's joules are made from.  Neither a look nor the stop for it changes a count. */
#include "sim/run_control/session.h"

#include "models/common/memory.h"
#include "models/common/units.h"
#include "sim/grow.h"
#include "sim/run_control/session_stream.h"

#include <stdlib.h>
#include <string.h>

struct session_intervals {
    uint64_t end_ps;                   /* of the last interval */
    struct session_sums sums[2], *was; /* at its end; the other is filled next */
    struct energy_joules joules;       /* at its end */
    size_t room;                       /* of outcome->interval */
};

uint64_t session_interval_end(const struct session *session)
{
    const uint64_t interval_ps = session->job->config->record_interval_ps;
    if (interval_ps == 0) {
        return TIME_NEVER;
    }
    const uint64_t last_ps = session->intervals == NULL ? 0 : session->intervals->end_ps;
    return (last_ps / interval_ps + 1) * interval_ps;
}

static void add_row(struct session *session, const char *quantity, const char *unit, double value)
{
    struct outcome *outcome = session->outcome;
    struct outcome_interval *rows = grow(outcome->interval, &session->intervals->room,
                                         outcome->interval_count, sizeof *outcome->interval);
    memory_need(rows);
    outcome->interval = rows;
    struct outcome_interval *row = &rows[outcome->interval_count++];
    *row = (struct outcome_interval){.begin_ps = session->intervals->end_ps,
                                     .end_ps = machine_time_ps(session->machine),
                                     .unit = unit,
                                     .value = value};
    (void)snprintf(row->quantity, sizeof row->quantity, "%s", quantity);
}

/* What a counter has grown by; those that have not have no row.  Counters never fall. */
static void add_counts(struct session *session, const struct session_sums *now)
{
    const struct session_sums *was = session->intervals->was;
    for (size_t i = 0; i < now->size; i++) {
        const uint64_t before = i < was->size ? was->count[i].value : 0;
        if (now->count[i].value != before) {
            add_row(session, now->kind[i].name, now->kind[i].info->unit,
                    (double)(now->count[i].value - before));
        }
    }
}

static struct session_intervals *intervals_of(struct session *session)
{
    if (session->intervals == NULL) {
        session->intervals = calloc(1, sizeof *session->intervals);
        memory_need(session->intervals);
        session->intervals->was = &session->intervals->sums[0];
    }
    return session->intervals;
}

void session_take_interval(struct session *session)
{
    struct session_intervals *intervals = intervals_of(session);
    const uint64_t now_ps = machine_time_ps(session->machine);
    if (now_ps == intervals->end_ps) {
        return;
    }
    struct session_sums *now = &intervals->sums[intervals->was == &intervals->sums[0]];
    struct energy_joules joules;
    const bool good = session_sum(session, now, NULL) == STATUS_OK &&
                      session_joules(session, &joules, NULL) == STATUS_OK;
    memory_need(good ? session : NULL);
    const double seconds = (double)(now_ps - intervals->end_ps) / (double)PS_PER_S;
    add_row(session, "watts_low", "W", (joules.low - intervals->joules.low) / seconds);
    add_row(session, "watts", "W", (joules.value - intervals->joules.value) / seconds);
    add_row(session, "watts_high", "W", (joules.high - intervals->joules.high) / seconds);
    add_counts(session, now);
    intervals->was = now;
    intervals->joules = joules;
    intervals->end_ps = now_ps;
}

/* ---- a state of the run ---- */

static void visit_row(struct session *session, size_t number, struct session_stream *stream)
{
    struct outcome *outcome = session->outcome;
    struct outcome_interval row = {.begin_ps = 0};
    if (stream->saving) {
        row = outcome->interval[number];
    }
    const void *unit = row.unit;
    session_stream_visit(stream, &row.begin_ps, sizeof row.begin_ps);
    session_stream_visit(stream, &row.end_ps, sizeof row.end_ps);
    session_stream_visit(stream, row.quantity, sizeof row.quantity);
    session_stream_constant(stream, &unit);
    session_stream_visit(stream, &row.value, sizeof row.value);
    if (!stream->saving && !stream->failed) {
        struct outcome_interval *rows =
            grow(outcome->interval, &session->intervals->room, number, sizeof *outcome->interval);
        memory_need(rows);
        row.unit = unit;
        outcome->interval = rows;
        rows[number] = row;
        outcome->interval_count = number + 1;
    }
}

/* From now on, where nothing has been recorded before. */
static void begin_here(struct session *session)
{
    struct session_intervals *intervals = intervals_of(session);
    const bool good = session_sum(session, intervals->was, NULL) == STATUS_OK &&
                      session_joules(session, &intervals->joules, NULL) == STATUS_OK;
    memory_need(good ? session : NULL);
    intervals->end_ps = machine_time_ps(session->machine);
}

static void visit_last(struct session_intervals *intervals, struct session_stream *stream)
{
    struct session_sums *was = intervals->was;
    session_stream_visit(stream, &intervals->end_ps, sizeof intervals->end_ps);
    session_stream_visit(stream, &intervals->joules, sizeof intervals->joules);
    session_stream_visit(stream, &was->size, sizeof was->size);
    stream->failed = stream->failed || was->size > SESSION_SUMS;
    for (size_t i = 0; i < was->size && !stream->failed; i++) { /* of the rest nothing is asked */
        session_stream_visit(stream, &was->count[i].value, sizeof was->count[i].value);
    }
}

void session_visit_intervals(struct session *session, struct session_stream *stream)
{
    const bool wanted = session->job->config->record_interval_ps > 0;
    bool any = session->intervals != NULL;
    session_stream_visit(stream, &any, sizeof any);
    if (!stream->saving && !wanted) {
        stream->at = stream->size;
        return;
    }
    if (!stream->saving && !any && machine_time_ps(session->machine) > 0) {
        begin_here(session);
    }
    if (!any || stream->failed) {
        return;
    }
    struct session_intervals *intervals = intervals_of(session);
    size_t rows = session->outcome->interval_count;
    visit_last(intervals, stream);
    session_stream_visit(stream, &rows, sizeof rows);
    for (size_t i = 0; i < rows && !stream->failed; i++) {
        visit_row(session, i, stream);
    }
}

/* ---- another energy table ---- */

/* Adds what a row says of a counter. */
static void add_count(struct session_sums *sums, const struct outcome_interval *row)
{
    for (size_t i = 0; i < sums->size; i++) {
        if (strcmp(sums->kind[i].name, row->quantity) == 0) {
            sums->count[i].value += (uint64_t)row->value;
            return;
        }
    }
}

static struct energy_joules joules_at(const struct session *session,
                                      const struct session_sums *sums)
{
    return energy_total(&session->job->config->energy,
                        &(struct energy_activity){.count = sums->count,
                                                  .count_count = sums->size,
                                                  .time_ps = sums->time_ps,
                                                  .chips = machine_chip_count(session->machine),
                                                  .boards = machine_board_count(session->machine)});
}

/* The value of a row of power. */
static double watts(const char *quantity, struct energy_joules joules, double seconds)
{
    static const char LOW[] = "watts_low";
    static const char HIGH[] = "watts_high";
    return (strcmp(quantity, LOW) == 0    ? joules.low
            : strcmp(quantity, HIGH) == 0 ? joules.high
                                          : joules.value) /
           seconds;
}

static bool is_power(const struct outcome_interval *row)
{
    return strcmp(row->unit, "W") == 0;
}

/* Counts the joules of one interval, whose rows begin at `row`, again; returns the row behind
 * them. */
static size_t price_one(struct session *session, struct session_sums *sums, size_t row)
{
    struct outcome *outcome = session->outcome;
    const uint64_t begin_ps = outcome->interval[row].begin_ps;
    const uint64_t end_ps = outcome->interval[row].end_ps;
    const struct energy_joules before = session->intervals->joules;
    size_t end = row;
    for (; end < outcome->interval_count && outcome->interval[end].end_ps == end_ps; end++) {
        if (!is_power(&outcome->interval[end])) {
            add_count(sums, &outcome->interval[end]);
        }
    }
    sums->time_ps = end_ps;
    const struct energy_joules now = joules_at(session, sums);
    const struct energy_joules step = {now.low - before.low, now.value - before.value,
                                       now.high - before.high};
    for (size_t i = row; i < end; i++) {
        struct outcome_interval *at = &outcome->interval[i];
        if (is_power(at)) {
            at->value = watts(at->quantity, step, (double)(end_ps - begin_ps) / (double)PS_PER_S);
        }
    }
    session->intervals->joules = now;
    return end;
}

/* What the machine had counted when the first interval began: all that the rows do not tell. */
static void begin_of(const struct session *session, struct session_sums *sums)
{
    const struct outcome *outcome = session->outcome;
    const struct session_sums *was = session->intervals->was;
    for (size_t i = 0; i < sums->size; i++) {
        sums->count[i].value = i < was->size ? was->count[i].value : 0;
    }
    for (size_t i = 0; i < outcome->interval_count; i++) {
        for (size_t k = 0; !is_power(&outcome->interval[i]) && k < sums->size; k++) {
            const bool same = strcmp(sums->kind[k].name, outcome->interval[i].quantity) == 0;
            sums->count[k].value -= same ? (uint64_t)outcome->interval[i].value : 0;
        }
    }
}

void session_price_intervals(struct session *session)
{
    struct session_intervals *intervals = session->intervals;
    const struct outcome *outcome = session->outcome;
    if (intervals == NULL || outcome->interval_count == 0) { /* or they begin now */
        return;
    }
    struct session_sums *sums =
        &intervals->sums[intervals->was == &intervals->sums[0]]; /* the names of the machine's */
    memory_need(session_sum(session, sums, NULL) == STATUS_OK ? session : NULL);
    begin_of(session, sums);
    sums->time_ps = outcome->interval[0].begin_ps;
    intervals->joules =
        sums->time_ps == 0 ? (struct energy_joules){0} : joules_at(session, sums);
    for (size_t row = 0; row < outcome->interval_count;) {
        row = price_one(session, sums, row);
    }
}
