/* run_figures.c - see figure.h: the figures that every run on the modelled machine has: energy by
 * component, time by phase, energy by phase and component. */
#include "sim/config/config.h"
#include "sim/reports/bars.h"
#include "sim/results/energy_account.h"
#include "sim/results/result_table.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Opens a table that has these columns. */
static enum status open_table(struct result_table *table, const struct results *results,
                              const char *file, const char *const column[3],
                              struct diagnostic *diagnostic)
{
    enum status status = result_table_open(table, results->folder, file, diagnostic);
    for (unsigned i = 0; status == STATUS_OK && i < 3; i++) {
        status = result_table_require(table, column[i], diagnostic);
    }
    return status;
}

/* The current row's three numbers; false when one is missing. */
static bool take_row(const struct result_table *row, const char *const column[3], double number[3])
{
    bool good = true;
    for (unsigned i = 0; i < 3; i++) {
        number[i] = result_table_number(row, column[i]);
        good = good && isfinite(number[i]);
    }
    return good;
}

/* ---- energy by component ---- */

/* The bar of a coefficient, which has a row for each stage. */
static struct bar *bar_of(struct bars *bars, const char *term)
{
    for (size_t i = 0; i < bars->count; i++) {
        if (strcmp(bars->bar[i].label, term) == 0) {
            return &bars->bar[i];
        }
    }
    return bars_add(bars, "%s", term);
}

static enum status add_terms(struct bars *bars, const struct results *results,
                             struct diagnostic *diagnostic)
{
    static const char *const COLUMN[] = {"joules_low", "joules_default", "joules_high"};
    struct result_table table;
    double joules[3];
    enum status status = open_table(&table, results, "energy.csv", COLUMN, diagnostic);
    while (status == STATUS_OK && result_table_next(&table)) {
        if (strcmp(result_table_text(&table, "stage"), ENERGY_EPOCH) == 0 ||
            !take_row(&table, COLUMN, joules) || !(joules[2] > 0)) {
            continue;
        }
        struct bar *bar = bar_of(bars, result_table_text(&table, "term"));
        if (bar == NULL) {
            status = no_memory(diagnostic);
        } else {
            bar->low += joules[0];
            bar->value += joules[1];
            bar->high += joules[2];
        }
    }
    return result_table_end(&table, status, diagnostic);
}

static const char COEFFICIENTS[] = "default coefficients, whiskers from low to high";

/* Bars of joules, one for each `of`. */
static struct bars bars_of_energy(const char *of, const char *title, const struct results *results)
{
    struct bars bars = {
        .of = of, .quantity = "Energy", .unit = "J", .note = COEFFICIENTS, .nothing = "no joules"};
    (void)snprintf(bars.title, sizeof bars.title, "%s: %s (scope: %s)", title,
                   results_text(results, "name"), results_text(results, "energy.scope"));
    return bars;
}

/* Draws the bars that `add` adds to a figure that has none yet, and takes them away again. */
static enum status draw_bars(const struct plotter *plotter, const struct results *results,
                             const char *kind, const struct bars *empty,
                             enum status (*add)(struct bars *bars, const struct results *results,
                                                struct diagnostic *diagnostic))
{
    RELEASED(bars_deinit) struct bars bars = *empty;
    TRY(add(&bars, results, plotter->diagnostic));
    bars_merge(&bars);
    return bars_draw(plotter, results, kind, &bars);
}

static enum status draw_energy(const struct plotter *plotter, const struct results *results)
{
    const struct bars bars = bars_of_energy("term", "Energy by component", results);
    return draw_bars(plotter, results, "energy_by_component", &bars, add_terms);
}

/* ---- time by phase ---- */

static struct bar *add_phase(struct bars *bars, const char *stage, const char *layer,
                             const char *phase)
{
    return bars_add(bars, "%s: %s%s%s", stage, layer, layer[0] == '\0' ? "" : " ", phase);
}

static enum status add_times(struct bars *bars, const struct results *results,
                             struct diagnostic *diagnostic)
{
    static const char *const COLUMN[] = {"core_cycles", "core_cycles_least", "core_cycles_most"};
    struct result_table row;
    double cycles[3];
    const double core_hz = fmax(1, results_number(results, "clock.cpu"));
    const double cores = fmax(1, results_number(results, "cores_used"));
    enum status status = open_table(&row, results, "phases.csv", COLUMN, diagnostic);
    while (status == STATUS_OK && result_table_next(&row)) {
        if (!take_row(&row, COLUMN, cycles) || !(cycles[0] > 0)) {
            continue;
        }
        struct bar *bar =
            add_phase(bars, result_table_text(&row, "stage"), result_table_text(&row, "layer"),
                      result_table_text(&row, "phase"));
        if (bar == NULL) {
            status = no_memory(diagnostic);
        } else {
            bar->value = cycles[0] / cores / core_hz;
            bar->low = cycles[1] / core_hz;
            bar->high = cycles[2] / core_hz;
        }
    }
    return result_table_end(&row, status, diagnostic);
}

static enum status draw_time(const struct plotter *plotter, const struct results *results)
{
    struct bars bars = {
        .of = "phase", .quantity = "Time of a core", .unit = "s", .nothing = "no core has run"};
    char note[96];
    const double cores = results_number(results, "cores_used");
    (void)snprintf(note, sizeof note,
                   cores == 1 ? "of 1 core" : "mean of %.0f cores, whiskers from least to most",
                   cores);
    bars.note = note;
    (void)snprintf(bars.title, sizeof bars.title, "Time by phase: %s",
                   results_text(results, "name"));
    return draw_bars(plotter, results, "time_by_phase", &bars, add_times);
}

/* ---- energy by phase and component ---- */

/* The account of the run with the terms of one component alone. */
static enum status account_of(const char *component, const struct energy_table *table,
                              const struct tally *tally, struct energy_account *account,
                              struct diagnostic *diagnostic)
{
    const size_t length = strlen(component);
    FREED struct energy_term *term = calloc(table->term_count + 1, sizeof *term);
    if (term == NULL) {
        return no_memory(diagnostic);
    }
    struct energy_table own = *table;
    own.term = term;
    own.term_count = 0;
    for (size_t i = 0; i < table->term_count; i++) {
        const char *name = table->term[i].name;
        if (strncmp(name, component, length) == 0 &&
            (name[length] == '_' || name[length] == '\0')) {
            term[own.term_count++] = table->term[i];
        }
    }
    return energy_account_of(account, &own, tally, diagnostic);
}

static bool is_same_phase(const struct energy_row *a, const struct energy_row *b)
{
    return strcmp(a->stage, b->stage) == 0 && strcmp(a->phase, b->phase) == 0 &&
           strcmp(a->layer, b->layer) == 0;
}

/* Adds the joules of a component to the bars, which are the rows of the whole account. */
static void add_part(struct bars *bars, const char *component, const struct energy_account *whole,
                     const struct energy_account *own)
{
    bool any = false;
    for (size_t w = 0; w < whole->row_count; w++) {
        for (size_t i = 0; i < own->row_count; i++) {
            if (is_same_phase(&whole->row[w], &own->row[i])) {
                bars->bar[w].part[bars->parts] = own->row[i].joules.value;
                any |= own->row[i].joules.value > 0;
            }
        }
    }
    if (any) {
        (void)snprintf(bars->part_name[bars->parts++], BAR_PART_CHARS, "%s", component);
    }
}

static enum status add_parts(struct bars *bars, const struct energy_table *table,
                             const struct tally *tally, const struct energy_account *whole,
                             struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < whole->term_count && bars->parts < BAR_PARTS_MAX; i++) {
        const char *component = whole->term[i].component;
        RELEASED(energy_account_deinit) struct energy_account own = {.row = NULL};
        if (i == 0 || strcmp(component, whole->term[i - 1].component) != 0) {
            TRY(account_of(component, table, tally, &own, diagnostic));
            add_part(bars, component, whole, &own);
        }
    }
    return STATUS_OK;
}

static enum status add_phases(struct bars *bars, const struct results *results,
                              struct diagnostic *diagnostic)
{
    RELEASED(config_deinit) struct sim_config config = {0};
    RELEASED(tally_deinit) struct tally tally = {0};
    RELEASED(energy_account_deinit) struct energy_account whole = {.row = NULL};
    TRY(results_load_config(results->folder, &config, diagnostic));
    TRY(tally_read(&tally, results->folder, diagnostic));
    TRY(energy_account_of(&whole, &config.energy, &tally, diagnostic));
    for (size_t i = 0; i < whole.row_count; i++) {
        const struct energy_row *row = &whole.row[i];
        struct bar *bar = add_phase(bars, row->stage, row->layer, row->phase);
        if (bar == NULL) {
            return no_memory(diagnostic);
        }
        bar->low = row->joules.low;
        bar->value = row->joules.value;
        bar->high = row->joules.high;
    }
    return add_parts(bars, &config.energy, &tally, &whole, diagnostic);
}

static enum status draw_phases(const struct plotter *plotter, const struct results *results)
{
    const struct bars bars = bars_of_energy("phase", "Energy by phase", results);
    return draw_bars(plotter, results, "energy_by_phase", &bars, add_phases);
}

/* ---- the kinds ---- */

static const char NEEDS[] = "seconds"; /* it has run on the machine */

/* Drawn if no other kind is requested. */
static bool is_wanted(const struct plotter *plotter)
{
    return plotter->request->x == NULL && plotter->request->map == NULL;
}

const struct figure_kind FIGURE_ENERGY = {
    .about = {"energy", "Joules of a run by coefficient, each with its range from low to high."},
    .is_wanted = is_wanted,
    .draw_each = draw_energy,
    .needs = NEEDS};
const struct figure_kind FIGURE_TIME = {
    .about = {"time", "Time of a core by phase: the mean of all cores, and the cores with the "
                      "least and the most."},
    .is_wanted = is_wanted,
    .draw_each = draw_time,
    .needs = NEEDS};
const struct figure_kind FIGURE_PHASES = {
    .about = {"phases",
              "Joules of a run by stage, layer and phase, each bar divided by component."},
    .is_wanted = is_wanted,
    .draw_each = draw_phases,
    .needs = NEEDS};
