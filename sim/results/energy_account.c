/* energy_account.c - see energy_account.h. */
#include "sim/results/energy_account.h"

#include "models/common/units.h"
#include "sim/steps.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char STATIC_PHASE[] = "static";
static const char OTHER_PHASE[] = "other";
static const char WHOLE_RUN[] = "run";
const char ENERGY_EPOCH[] = "epoch";

static struct energy_activity activity_of(const struct tally *tally, const struct tally_sums *sums,
                                          uint64_t time_ps)
{
    return (struct energy_activity){.count = sums->count,
                                    .count_count = sums->size,
                                    .time_ps = time_ps,
                                    .chips = tally->chips,
                                    .boards = tally->boards};
}

static struct energy_row *add_row(struct energy_account *account, const char *stage,
                                  const char *phase, const char *layer, struct energy_joules joules)
{
    struct energy_row *row = &account->row[account->row_count++];
    *row = (struct energy_row){.stage = stage, .phase = phase, .layer = layer, .joules = joules};
    return row;
}

static void add_stage(struct energy_account *account, const struct energy_table *table,
                      const struct tally *tally, enum stage stage)
{
    static const struct tally_sums NOTHING = {.size = 0};
    if (tally->stage_ps[stage] == 0) {
        return;
    }
    const struct energy_activity time = activity_of(tally, &NOTHING, tally->stage_ps[stage]);
    const struct energy_joules idle = energy_total(table, &time);
    add_row(account, stage_text(stage), STATIC_PHASE, "", idle);
    energy_add(&account->stage[stage], idle);
    for (size_t i = 0; i < tally->phase_count; i++) {
        const struct tally_phase *phase = &tally->phase[i];
        if (phase->stage != stage) {
            continue;
        }
        const struct energy_activity activity = activity_of(tally, &phase->sums, 0);
        const struct energy_joules joules = energy_dynamic(table, &activity);
        struct energy_row *row =
            add_row(account, stage_text(stage), phase->phase.name, phase->phase.layer, joules);
        row->core_cycles = tally_value(&phase->sums, "core.active_cycles") +
                           tally_value(&phase->sums, "core.sleep_cycles");
        row->packets = tally_packets_sent(&phase->sums);
        row->least_cycles = phase->least_cycles;
        row->most_cycles = phase->most_cycles;
        row->sdram_bytes = tally_value(&phase->sums, "sdram.bytes_read") +
                           tally_value(&phase->sums, "sdram.bytes_written");
        energy_add(&account->stage[stage], joules);
    }
}

/* The counts of the whole run less those of all phases. */
static bool add_rest(struct energy_account *account, const struct energy_table *table,
                     const struct tally *tally)
{
    FREED struct tally_sums *rest = malloc(sizeof *rest);
    if (rest == NULL) {
        return false;
    }
    *rest = tally->total;
    uint64_t any = 0;
    for (size_t i = 0; i < rest->size; i++) {
        rest->count[i].name = rest->name[i];
        for (size_t p = 0; p < tally->phase_count; p++) {
            rest->count[i].value -= tally_value(&tally->phase[p].sums, rest->name[i]);
        }
        any |= rest->count[i].value;
    }
    const struct energy_activity activity = activity_of(tally, rest, 0);
    const struct energy_joules joules = energy_dynamic(table, &activity);
    if (any != 0 && joules.high != 0) {
        add_row(account, WHOLE_RUN, OTHER_PHASE, "", joules);
    }
    return true;
}

static struct energy_term_row term_row(const struct energy_term *term, const char *stage,
                                       double count, struct energy_joules joules)
{
    struct energy_term_row row = {.stage = stage,
                                  .count = count,
                                  .unit = term->is_power ? "ps" : "event",
                                  .term = term->name,
                                  .joules = joules,
                                  .kind = energy_kind_text(term->kind),
                                  .source = term->source};
    (void)snprintf(row.component, sizeof row.component, "%.*s", (int)strcspn(term->name, "_"),
                   term->name);
    return row;
}

static void add_terms(struct energy_account *account, const struct energy_table *table,
                      const struct energy_activity *whole)
{
    for (size_t i = 0; i < table->term_count; i++) {
        const struct energy_term *term = &table->term[i];
        if (energy_term_applies(table, term)) {
            account->term[account->term_count++] = term_row(term, "", energy_count_of(term, whole),
                                                            energy_of_term(table, term, whole));
        }
    }
}

/* Rows of a stage that took time, or has events of a coefficient. */
static void add_stage_terms(struct energy_account *account, const struct energy_table *table,
                            const struct tally *tally, enum stage stage)
{
    const struct energy_activity activity =
        activity_of(tally, &tally->stage[stage], tally->stage_ps[stage]);
    const size_t before = account->stage_term_count;
    double any = 0;
    for (size_t i = 0; i < table->term_count; i++) {
        const struct energy_term *term = &table->term[i];
        const double count = energy_count_of(term, &activity);
        if (energy_term_applies(table, term)) {
            account->stage_term[account->stage_term_count++] =
                term_row(term, stage_text(stage), count, energy_of_count(term, count));
            any += count;
        }
    }
    if (any == 0) {
        account->stage_term_count = before;
    }
}

static void add_epoch_terms(struct energy_account *account, const struct energy_table *table,
                            const struct tally *tally)
{
    for (size_t i = 0; tally->epoch.number > 0 && i < table->term_count; i++) {
        const struct energy_term *term = &table->term[i];
        const double count = tally_epoch_value(tally, term);
        if (energy_term_applies(table, term)) {
            const struct energy_joules joules = energy_of_count(term, count);
            account->stage_term[account->stage_term_count++] =
                term_row(term, ENERGY_EPOCH, count, joules);
            energy_add(&account->epoch, joules);
        }
    }
}

static void add_scopes(struct energy_account *account, const struct energy_table *table,
                       const struct tally *tally, const struct energy_activity *whole)
{
    struct energy_table chips = *table;
    struct energy_joules epoch_chips = {0, 0, 0};
    chips.board_profile = "none";
    energy_scopes_of(&account->scopes, table, energy_total(&chips, whole), account->total,
                     (double)tally->time_ps / (double)PS_PER_S, tally->boards);
    for (size_t i = 0; i < table->term_count; i++) {
        if (energy_term_is_of_chips(&table->term[i]) && tally->epoch.number > 0) {
            energy_add(&epoch_chips,
                       energy_of_count(&table->term[i], tally_epoch_value(tally, &table->term[i])));
        }
    }
    energy_scopes_of(&account->epoch_scopes, table, epoch_chips, account->epoch,
                     tally->epoch.time_ps / (double)PS_PER_S, tally->boards);
}

enum status energy_account_of(struct energy_account *account, const struct energy_table *table,
                              const struct tally *tally, struct diagnostic *diagnostic)
{
    *account = (struct energy_account){0};
    account->row = calloc(tally->phase_count + STAGES + 1, sizeof *account->row);
    account->term = calloc(table->term_count + 1, sizeof *account->term);
    account->stage_term = calloc(table->term_count * (STAGES + 1) + 1, sizeof *account->stage_term);
    bool good = account->row != NULL && account->term != NULL && account->stage_term != NULL;
    const struct energy_activity whole = activity_of(tally, &tally->total, tally->time_ps);
    account->total = energy_total(table, &whole);
    account->dynamic = energy_dynamic(table, &whole);
    for (unsigned s = 0; good && s < STAGES; s++) {
        add_stage(account, table, tally, (enum stage)s);
        add_stage_terms(account, table, tally, (enum stage)s);
    }
    if (good) {
        add_terms(account, table, &whole);
        add_epoch_terms(account, table, tally);
        add_scopes(account, table, tally, &whole);
    }
    good = good && add_rest(account, table, tally);
    if (!good) {
        energy_account_deinit(account);
        return no_memory(diagnostic);
    }
    return STATUS_OK;
}

void energy_account_deinit(struct energy_account *account)
{
    free(account->row);
    free(account->term);
    free(account->stage_term);
    *account = (struct energy_account){0};
}

static void print_line(FILE *stream, const char *name, struct energy_joules joules, double total,
                       const char *kind)
{
    static const double PERCENT = 100;
    (void)fprintf(stream, "%-20s %12.6g %12.6g %12.6g %6.1f %%  %s\n", name, joules.low,
                  joules.value, joules.high, total > 0 ? PERCENT * joules.value / total : 0, kind);
}

/* Beside the total: what other scopes have. */
static void print_scopes(FILE *stream, const char *of, const struct energy_scopes *scopes)
{
    for (unsigned s = 0; s < ENERGY_SCOPES; s++) {
        const struct energy_joules *joules = &scopes->joules[s];
        if (s != ENERGY_BOARD && isfinite(joules->value) &&
            isfinite(scopes->joules[ENERGY_BOARD].value)) {
            char name[40];
            (void)snprintf(name, sizeof name, "%s%s", of, energy_scope_text((enum energy_scope)s));
            (void)fprintf(stream, "%-20s %12.6g %12.6g %12.6g\n", name, joules->low, joules->value,
                          joules->high);
        }
    }
}

void energy_print(FILE *stream, const struct energy_account *account)
{
    (void)fprintf(stream, "%-20s %12s %12s %12s %8s  %s\n", "term", "low [J]", "default [J]",
                  "high [J]", "share", "kind");
    for (size_t i = 0; i < account->term_count; i++) {
        const struct energy_term_row *row = &account->term[i];
        print_line(stream, row->term, row->joules, account->total.value, row->kind);
    }
    print_line(stream, "total", account->total, account->total.value, "");
    print_scopes(stream, "", &account->scopes);
    if (account->epoch.value > 0) {
        (void)fprintf(stream, "%-20s %12.6g %12.6g %12.6g\n", "an epoch", account->epoch.low,
                      account->epoch.value, account->epoch.high);
        print_scopes(stream, "an epoch, ", &account->epoch_scopes);
    }
}
