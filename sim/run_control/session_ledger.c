/* session_ledger.c - see session.h: what the machine had counted when each command of a training
 * ended.  A run that is restored with another energy table counts its joules from that. */
#include "sim/run_control/session.h"

#include "models/common/memory.h"
#include "sim/grow.h"
#include "sim/run_control/session_stream.h"

#include <math.h>
#include <stdlib.h>

/* Kinds of counters are never fewer than before, and in the same order. */
struct entry {
    enum stage stage;
    uint32_t gap; /* named, so that equal states are the same bytes */
    uint64_t time_ps;
    uint64_t size;
    uint64_t value[SESSION_SUMS];
};

struct session_ledger {
    struct entry *entry; /* the first: before the first command */
    size_t entries, room;
};

static struct session_ledger *ledger_of(struct session *session)
{
    if (session->ledger == NULL) {
        session->ledger = calloc(1, sizeof *session->ledger);
        memory_need(session->ledger);
    }
    return session->ledger;
}

void session_enter(struct session *session, enum stage stage)
{
    struct session_ledger *ledger = ledger_of(session);
    const struct session_sums *counted = session->counted;
    struct entry *larger = grow(ledger->entry, &ledger->room, ledger->entries, sizeof *larger);
    memory_need(larger);
    ledger->entry = larger;
    struct entry *entry = &larger[ledger->entries++];
    memset(entry, 0, sizeof *entry);
    entry->stage = stage;
    entry->time_ps = counted->time_ps;
    entry->size = counted->size;
    for (size_t i = 0; i < counted->size; i++) {
        entry->value[i] = counted->count[i].value;
    }
}

/* ---- joules by another table ---- */

static struct energy_joules joules_at(const struct session *session, const struct entry *entry)
{
    const struct session_sums *names = session->counted;
    struct energy_count count[SESSION_SUMS];
    for (size_t i = 0; i < entry->size; i++) {
        count[i] = (struct energy_count){names->count[i].name, entry->value[i]};
    }
    return energy_total(&session->job->config->energy,
                        &(struct energy_activity){.count = count,
                                                  .count_count = entry->size,
                                                  .time_ps = entry->time_ps,
                                                  .chips = machine_chip_count(session->machine),
                                                  .boards = machine_board_count(session->machine)});
}

static struct energy_joules difference(struct energy_joules all, struct energy_joules less)
{
    return (struct energy_joules){all.low - less.low, all.value - less.value, all.high - less.high};
}

/* The next row of learning.csv that has joules, from *row on; NULL: none is left. */
static struct outcome_learning *next_row(const struct outcome *outcome, size_t *row)
{
    while (*row < outcome->learning_count && isnan(outcome->learning[*row].joules.value)) {
        ++*row;
    }
    return *row < outcome->learning_count ? &outcome->learning[(*row)++] : NULL;
}

void session_price(struct session *session)
{
    const struct session_ledger *ledger = ledger_of(session);
    const struct outcome *outcome = session->outcome;
    struct energy_joules before = {0};
    size_t row = 0;
    size_t epoch = 0;
    if (ledger->entries == 0) { /* nothing but loading has ended */
        return;
    }
    session->joules_before = joules_at(session, &ledger->entry[0]);
    for (size_t i = 1; i < ledger->entries; i++) {
        const struct entry *entry = &ledger->entry[i];
        const struct energy_joules now =
            difference(joules_at(session, entry), session->joules_before);
        struct outcome_learning *of = next_row(outcome, &row);
        if (of != NULL) {
            of->joules = now;
        }
        if (entry->stage == STAGE_TRAIN && epoch < outcome->epoch_count) {
            outcome->epoch[epoch++].joules = difference(now, before);
        }
        before = now;
    }
    session->joules = before;
}

/* ---- a state of the run ---- */

void session_visit_ledger(struct session *session, struct session_stream *stream)
{
    struct session_ledger *ledger = ledger_of(session);
    ledger->entry =
        session_stream_rows(stream, ledger->entry, &ledger->entries, sizeof *ledger->entry);
    ledger->room = ledger->entries;
    for (size_t i = 0; i < ledger->entries; i++) {
        stream->failed = stream->failed || ledger->entry[i].size > SESSION_SUMS;
    }
}

void session_close_ledger(struct session *session)
{
    if (session->ledger != NULL) {
        free(session->ledger->entry);
    }
    free(session->ledger);
}
