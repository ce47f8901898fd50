/* report_tables.c - see report_parts.h: the tables of results. */
#include "sim/reports/report_parts.h"

#include <string.h>

/* A column: its head, the key, what the number is multiplied with for its unit, digits. */
struct column {
    const char *head;
    const char *key;
    double scale;
    int digits;
};

static const struct column NAME = {"run", "name", 0, 0}; /* the first of each table */

enum { COLUMNS_MOST = 8 };

/* What was run, speed, energy, training, and the digests that identify the run. */
static const struct table {
    const char *title;
    const char *only_with; /* a key that one of the runs must have; NULL: always */
    struct column column[COLUMNS_MOST + 1];
} TABLES[] = {
    {"Runs",
     NULL,
     {
         {"status", "status", 0, 0},
         {"network", "network", 0, 0},
         {"data", "dataset", 0, 0},
         {"backend", "backend", 0, 0},
         {"images", "images_tested", 1, 0},
         {"accuracy [%]", "accuracy", 100, 2},
         {"float64 [%]", "reference_accuracy", 100, 2},
     }},
    {"Speed (machine time)",
     NULL,
     {
         {"chips", "chips", 1, 0},
         {"cores", "cores_used", 1, 0},
         {"machine time [ms]", "seconds", 1e3, 3},
         {"of it set-up [ms]", "seconds_load", 1e3, 3},
         {"images/s", "images_per_second", 1, 1},
         {"instructions", "instructions", 1, 0},
         {"SDRAM [MB]", "sdram_bytes", 1e-6, 3},
         {"limited by", "limited_by", 0, 0},
     }},
    {"Energy (default, and from the low to the high coefficients)",
     NULL,
     {
         {"scope", "energy.scope", 0, 0},
         {"board profile", "energy.board_profile", 0, 0},
         {"energy [mJ]", "energy.joules", 1e3, 3},
         {"dynamic [mJ]", "energy.dynamic_joules", 1e3, 3},
         {"per image [uJ]", "energy.joules_per_image", 1e6, 2},
         {"mean power [W]", "energy.mean_watts", 1, 4},
     }},
    {"Energy by scope [J]: each has the ones before it in it",
     "energy.scopes.board.default",
     {
         {"chips", "energy.scopes.chips", 1, 3},
         {"board", "energy.scopes.board", 1, 3},
         {"wall", "energy.scopes.wall", 1, 3},
         {"rack", "energy.scopes.rack", 1, 3},
         {"host", "energy.scopes.host", 1, 3},
         {"epoch, board", "energy.epoch_scopes.board", 1, 3},
         {"epoch, wall", "energy.epoch_scopes.wall", 1, 3},
         {"epoch, rack", "energy.epoch_scopes.rack", 1, 3},
     }},
    {"Training",
     "train_time.sum",
     {
         {"batch", "global_batch", 1, 0},
         {"updates", "updates", 1, 0},
         {"images/s", "train_images_per_second", 1, 1},
         {"epoch [s]", "seconds_per_epoch", 1, 4},
         {"epoch [J]", "joules_per_epoch", 1, 3},
         {"test loss", "loss", 1, 4},
         {"head-room", "training_numerics.head_room", 1, 1},
     }},
    {"Sampled trainings: epochs are estimates from the updates that the machine has executed, with "
     "intervals of 95 % confidence; accuracy is the host's, of the same weights",
     "sampled.updates",
     {
         {"executed", "sampled.updates", 1, 0},
         {"of", "sampled.of", 1, 0},
         {"places", "sampled.places", 1, 0},
         {"epoch [s]", "sampled.seconds_per_epoch", 1, 4},
         {"epoch [J]", "sampled.joules_per_epoch", 1, 3},
     }},
    {"Training: core time over cores, by what the cores did",
     "train_time.sum",
     {
         {"compute [s]", "train_time.compute", 1, 4},
         {"exchange [s]", "train_time.exchange", 1, 4},
         {"SDRAM [s]", "train_time.sdram", 1, 4},
         {"imbalance [s]", "train_time.imbalance", 1, 4},
         {"sum [s]", "train_time.sum", 1, 4},
         {"stage [s]", "seconds_train", 1, 4},
     }},
    {"Loading of the images, apart from the run (computed from a stated rate, not executed; "
     "preload: "
     "in SDRAM before the clock starts, not charged)",
     "loading.input",
     {
         {"data.input", "loading.input", 0, 0},
         {"images", "loading.images", 1, 0},
         {"chips with each", "loading.copies", 1, 0},
         {"in SDRAM [MB]", "loading.sdram_bytes", 1e-6, 3},
         {"Ethernet [MB]", "loading.ethernet_bytes", 1e-6, 3},
         {"rate [Mbit/s]", "loading.bits_per_second", 1e-6, 3},
         {"loading [s]", "loading.seconds", 1, 3},
         {"loading [J]", "loading.joules", 1, 3},
     }},
    {"Lost packets",
     "drops.recorded",
     {
         {"packets sent", "packets_sent", 1, 0},
         {"lost", "dropped_packets", 1, 0},
         {"copies in drops.csv", "drops.recorded", 1, 0},
         {"copies beyond", "drops.unrecorded", 1, 0},
     }},
    {"Identity",
     NULL,
     {
         {"sim_hash", "identity.sim_hash", 0, 0},
         {"stats_hash", "identity.stats_hash", 0, 0},
         {"guest compiler", "identity.guest_compiler", 0, 0},
     }},
};

static void put_number(FILE *stream, double value, const struct column *column)
{
    (void)fprintf(stream, "%.*f", column->digits, value * column->scale);
}

static bool is_number(const struct column *column)
{
    return column->scale != 0;
}

static void put_value(const struct page *page, const struct results *results,
                      const struct column *column)
{
    struct result_value value;
    if (!results_find(results, column->key, &value) || strcmp(value.text, "null") == 0) {
        (void)fputs("-", page->stream);
    } else if (!is_number(column) || !value.is_number) {
        page_text(page, value.text);
    } else {
        put_number(page->stream, value.value, column);
        if (value.low < value.high) {
            (void)fputs(" (", page->stream);
            put_number(page->stream, value.low, column);
            (void)fputs(" to ", page->stream);
            put_number(page->stream, value.high, column);
            (void)fputs(")", page->stream);
        }
    }
}

static void put_cell(const struct page *page, const struct results *results,
                     const struct column *column)
{
    page_cell_begin(page, is_number(column));
    put_value(page, results, column);
    page_cell_end(page);
}

/* Rows of a sweep, or of a page, say in what their runs differ, if it is little. */
static size_t axes_shown(const struct page *page, const struct report_runs *runs)
{
    const bool shown = page->format == PAGE_HTML || runs->folders.any_found;
    return shown && runs->differing_count <= REPORT_AXES_MOST ? runs->differing_count : 0;
}

static void put_table(const struct page *page, const struct table *table,
                      const struct report_runs *runs)
{
    struct page_column column[1 + REPORT_AXES_MOST + COLUMNS_MOST] = {{NAME.head, false}};
    const size_t axes = axes_shown(page, runs);
    size_t columns = 1;
    for (size_t k = 0; k < axes; k++) {
        column[columns++].head = runs->differing[k];
    }
    for (const struct column *c = table->column; c->head != NULL; c++) {
        column[columns++] = (struct page_column){c->head, is_number(c)};
    }
    page_title(page, table->title);
    page_table_begin(page, column, columns);
    for (size_t i = 0; i < runs->count; i++) {
        page_row_begin(page);
        report_name_cell(page, runs, i);
        for (size_t k = 0; k < axes; k++) {
            const char *value = report_configured(&runs->results[i], runs->differing[k]);
            page_cell(page, value == NULL ? "-" : value);
        }
        for (const struct column *c = table->column; c->head != NULL; c++) {
            put_cell(page, &runs->results[i], c);
        }
        page_row_end(page);
    }
    page_table_end(page);
}

static bool any_has(const char *key, const struct report_runs *runs)
{
    struct result_value value;
    bool any = false;
    for (size_t i = 0; i < runs->count; i++) {
        any = any || results_find(&runs->results[i], key, &value);
    }
    return any;
}

void report_tables(const struct page *page, const struct report_runs *runs)
{
    for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++) {
        if (TABLES[t].only_with == NULL || any_has(TABLES[t].only_with, runs)) {
            put_table(page, &TABLES[t], runs);
        }
    }
}

void report_name_cell(const struct page *page, const struct report_runs *runs, size_t run)
{
    page_cell_begin(page, false);
    if (page->format == PAGE_HTML && runs->count > 1) { /* runs of a sweep have one name */
        (void)fprintf(page->stream, "%zu. ", run + 1);
    }
    put_value(page, &runs->results[run], &NAME);
    page_cell_end(page);
}
