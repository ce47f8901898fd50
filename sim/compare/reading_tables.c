/* reading_tables.c - see reading.h: what the tables of a result folder say. */
#include "models/common/memory.h"
#include "sim/compare/reading.h"
#include "sim/config/config_arena.h"
#include "sim/grow.h"
#include "sim/results/energy_account.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char INSTRUCTIONS[] = "core.instructions";
static const double PS_PER_S = 1e12;

/* The program of a core. */
struct role {
    int16_t x, y, core;
    const char *text;
};

/* What is summed up while tables are read, to be checked with summary.json. */
struct sums {
    const struct reading *of;
    struct role *role; /* of the cores; owned */
    size_t roles, room;
    uint64_t run_instructions, phase_instructions;
    double phase_joules, term_joules;
};

static struct difference_table *to(const struct sums *sums, enum comparison_table table)
{
    return &sums->of->comparison->table[table];
}

static void add_count(const struct sums *sums, enum comparison_table table, const char *item,
                      const char *unit, const char *of, uint64_t count)
{
    difference_add_count(to(sums, table), sums->of->run, item, unit, of, count);
}

/* ---- opening ---- */

static enum status open_table(const struct reading *reading, const char *file,
                              struct result_table *table)
{
    const enum status status = result_table_open(table, reading->folder, file, reading->diagnostic);
    if (status != STATUS_OK) {
        diagnostic_hint(reading->diagnostic,
                        "the results are incomplete: run the experiment again");
        return status;
    }
    const size_t length = table->rest == NULL ? 0 : strlen(table->rest);
    const bool complete = table->rest != NULL && (length == 0 || table->rest[length - 1] == '\n');
    return complete ? STATUS_OK : reading_refuse(reading, file, READING_CUT_OFF);
}

/* Gives each row of a table to `take`, which returns false for one that is none. */
static enum status read_table(struct sums *sums, const char *file,
                              bool (*take)(struct sums *sums, const struct result_table *table))
{
    RELEASED(result_table_close) struct result_table table;
    bool good = true;
    TRY(open_table(sums->of, file, &table));
    while (good && result_table_next(&table)) {
        good = take(sums, &table);
    }
    char what[64];
    (void)snprintf(what, sizeof what, "%s of a result folder", file);
    return good && !table.bad
               ? STATUS_OK
               : result_table_refuse(&table, what,
                                     "the results are incomplete or were changed: run the "
                                     "experiment again",
                                     sums->of->diagnostic);
}

static bool take_count(const struct result_table *table, const char *column, uint64_t *value)
{
    const char *text = result_table_text(table, column);
    *value = strtoull(text, NULL, 10);
    return reading_is_count(text);
}

/* stage/layer/phase, less an empty layer. */
static const char *place_of(const struct reading *reading, const char *stage, const char *layer,
                            const char *phase)
{
    const char *end = layer[0] == '\0' ? phase : reading_join(reading, layer, "/", phase);
    return reading_join(reading, stage, "/", end);
}

/* ---- phases.csv, energy.csv, profile.csv ---- */

static bool take_phase(struct sums *sums, const struct result_table *table)
{
    const struct reading *of = sums->of;
    const char *place =
        place_of(of, result_table_text(table, "stage"), result_table_text(table, "layer"),
                 result_table_text(table, "phase"));
    double joules;
    uint64_t cycles;
    if (!result_table_take_real(table, "joules_default", &joules) ||
        !take_count(table, "core_cycles", &cycles)) {
        return false;
    }
    sums->phase_joules += joules;
    difference_add_real(to(sums, COMPARISON_PHASE_JOULES), of->run, place, "J", "energy.joules",
                        joules);
    add_count(sums, COMPARISON_PHASE_CYCLES, place, "cycle", "core_cycles", cycles);
    return true;
}

static bool take_term(struct sums *sums, const struct result_table *table)
{
    double joules;
    const bool good = result_table_take_real(table, "joules_default", &joules);
    if (good && strcmp(result_table_text(table, "stage"), ENERGY_EPOCH) != 0) {
        sums->term_joules += joules;
        difference_add_real(to(sums, COMPARISON_TERM_JOULES), sums->of->run,
                            result_table_text(table, "term"), "J", "energy.joules", joules);
    }
    return good;
}

static bool take_function(struct sums *sums, const struct result_table *table)
{
    uint64_t cycles;
    const bool good = take_count(table, "cycles", &cycles);
    if (good) {
        const char *item = reading_join(sums->of, result_table_text(table, "role"), ": ",
                                        result_table_text(table, "function"));
        add_count(sums, COMPARISON_FUNCTION_CYCLES, item, "cycle", "core_cycles", cycles);
    }
    return good;
}

/* ---- placement.csv, and counters.csv after it ---- */

static bool take_role(struct sums *sums, const struct result_table *table)
{
    struct role *role = grow(sums->role, &sums->room, sums->roles, sizeof *role);
    uint64_t at[3];
    memory_need(role);
    sums->role = role;
    if (!take_count(table, "x", &at[0]) || !take_count(table, "y", &at[1]) ||
        !take_count(table, "core", &at[2])) {
        return false;
    }
    role[sums->roles++] =
        (struct role){(int16_t)at[0], (int16_t)at[1], (int16_t)at[2],
                      reading_join(sums->of, "", "", result_table_text(table, "role"))};
    return true;
}

static int by_core(const void *a, const void *b)
{
    const struct role *first = a;
    const struct role *second = b;
    const int x = first->x - second->x;
    const int y = first->y - second->y;
    return x != 0 ? x : y != 0 ? y : first->core - second->core;
}

/* The role of the core that counted; NULL: no core did, or it was not loaded. */
static const char *role_of(const struct sums *sums, const struct tally_row *row)
{
    static const char *const OF_CORES[] = {"core", "dma", "write_buffer", "comms"};
    bool of_core = false;
    for (size_t i = 0; i < sizeof OF_CORES / sizeof *OF_CORES; i++) {
        of_core = of_core || strcmp(row->component, OF_CORES[i]) == 0;
    }
    const struct role wanted = {.x = row->x, .y = row->y, .core = row->instance};
    const struct role *found =
        of_core && row->instance >= 0 && sums->roles > 0
            ? bsearch(&wanted, sums->role, sums->roles, sizeof wanted, by_core)
            : NULL;
    return found == NULL ? NULL : found->text;
}

/* A counter of a part, over the whole run. */
static void take_counter(struct sums *sums, const struct tally_row *row, const char *name)
{
    const char *role = role_of(sums, row);
    add_count(sums, COMPARISON_COUNTERS, name, row->unit, NULL, row->value);
    if (role == NULL) {
        return;
    }
    add_count(sums, COMPARISON_ROLE_COUNTERS, reading_join(sums->of, role, ": ", name), row->unit,
              name, row->value);
    if (strcmp(name, "core.active_cycles") == 0 || strcmp(name, "core.sleep_cycles") == 0) {
        add_count(sums, COMPARISON_ROLE_CYCLES, role, "cycle", "core_cycles", row->value);
    }
}

static void take_machine(struct sums *sums, const struct tally_row *row)
{
    if (strcmp(row->counter, "stage_ps") == 0) {
        difference_add_real(to(sums, COMPARISON_STAGE_SECONDS), sums->of->run, row->phase, "s",
                            "seconds", (double)row->value / PS_PER_S);
    }
}

/* Counts of a whole stage, or of all epochs: the phases have them, too. */
static bool is_of_stage(const struct tally_row *row)
{
    return strchr(row->phase, '/') == NULL && strcmp(row->phase, "run") != 0 &&
           (strcmp(row->component, "machine") != 0 || strcmp(row->phase, TALLY_EPOCHS) == 0);
}

static bool take_counters(struct sums *sums, const struct result_table *table)
{
    struct tally_row row;
    if (!result_table_take(table, TALLY_COLUMNS, TALLY_COLUMN_COUNT, &row)) {
        return false;
    }
    if (is_of_stage(&row)) {
        return true;
    }
    if (strcmp(row.component, "machine") == 0) {
        take_machine(sums, &row);
        return true;
    }
    const char *name = reading_join(sums->of, row.component, ".", row.counter);
    const bool of_run = strcmp(row.phase, "run") == 0;
    if (strcmp(name, INSTRUCTIONS) == 0) {
        *(of_run ? &sums->run_instructions : &sums->phase_instructions) += row.value;
    }
    if (of_run) {
        take_counter(sums, &row, name);
        return true;
    }
    const char *empty = strstr(row.phase, "//"); /* a layer */
    const char *place = empty == NULL
                            ? row.phase
                            : config_arena_print(sums->of->comparison->arena, "%.*s%s",
                                                 (int)(empty - row.phase), row.phase, empty + 1);
    add_count(sums, COMPARISON_PHASE_COUNTERS, reading_join(sums->of, place, ": ", name), row.unit,
              name, row.value);
    return true;
}

/* ---- all of them ---- */

/* Whether a sum is what summary.json says; true when it says nothing. */
static bool agrees(const struct reading *reading, const char *key, double sum)
{
    static const double ROUNDING = 1e-9; /* of adding up, relative */
    struct result_value value;
    return !results_find(reading->results, key, &value) || !value.is_number ||
           fabs(sum - value.value) <= ROUNDING * fabs(value.value);
}

/* A table that was cut off behind a line is one like any other. */
static enum status check_sums(const struct sums *sums)
{
    const struct reading *of = sums->of;
    const bool counts = agrees(of, "instructions", (double)sums->run_instructions) &&
                        sums->phase_instructions == sums->run_instructions;
    if (!counts) {
        return reading_refuse(of, "counters.csv", "its instructions are not those of summary.json");
    }
    if (!agrees(of, "energy.joules", sums->phase_joules)) {
        return reading_refuse(of, "phases.csv", "its joules are not those of summary.json");
    }
    return agrees(of, "energy.joules", sums->term_joules)
               ? STATUS_OK
               : reading_refuse(of, "energy.csv", "its joules are not those of summary.json");
}

static void sums_deinit(struct sums *sums)
{
    free(sums->role);
}

enum status reading_take_tables(const struct reading *reading)
{
    RELEASED(sums_deinit) struct sums sums = {.of = reading};
    TRY(read_table(&sums, "phases.csv", take_phase));
    TRY(read_table(&sums, "energy.csv", take_term));
    TRY(read_table(&sums, "placement.csv", take_role));
    if (sums.roles > 0) {
        qsort(sums.role, sums.roles, sizeof *sums.role, by_core);
    }
    TRY(read_table(&sums, "counters.csv", take_counters));
    if (file_is_in(reading->folder, "profile.csv")) {
        TRY(read_table(&sums, "profile.csv", take_function));
    }
    return check_sums(&sums);
}
