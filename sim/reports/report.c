/* report.c - see report.h. */
#include "sim/reports/report.h"

#include "sim/results/printable.h"
#include "sim/results/result_table.h"
#include "sim/results/results.h"
#include "sim/steps.h"

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

/* A text in one line of Markdown that is shown as it stands. */
static void put_text(FILE *stream, const char *text)
{
    char character[PRINTABLE_BYTES];
    while (*text != '\0') {
        text = printable_next(text, character);
        if (strchr("\\|<>&[]*`~$", character[0]) != NULL) {
            (void)fputc('\\', stream);
        }
        (void)fputs(character, stream);
    }
}

static void put_number(FILE *stream, double value, const struct column *column)
{
    (void)fprintf(stream, "%.*f", column->digits, value * column->scale);
}

static void put_cell(FILE *stream, const struct results *results, const struct column *column)
{
    struct result_value value;
    (void)fputs(" ", stream);
    if (!results_find(results, column->key, &value) || strcmp(value.text, "null") == 0) {
        (void)fputs("-", stream);
    } else if (column->scale == 0 || !value.is_number) {
        put_text(stream, value.text);
    } else {
        put_number(stream, value.value, column);
        if (value.low < value.high) {
            (void)fputs(" (", stream);
            put_number(stream, value.low, column);
            (void)fputs(" to ", stream);
            put_number(stream, value.high, column);
            (void)fputs(")", stream);
        }
    }
    (void)fputs(" |", stream);
}

static void put_table(FILE *stream, const struct table *table, const struct results *results,
                      size_t count)
{
    (void)fprintf(stream, "**%s**\n\n| %s |", table->title, NAME.head);
    for (const struct column *c = table->column; c->head != NULL; c++) {
        (void)fprintf(stream, " %s |", c->head);
    }
    (void)fputs("\n| --- |", stream);
    for (const struct column *c = table->column; c->head != NULL; c++) {
        (void)fprintf(stream, " %s |", c->scale == 0 ? "---" : "---:");
    }
    for (size_t i = 0; i < count; i++) {
        (void)fputs("\n|", stream);
        put_cell(stream, &results[i], &NAME);
        for (const struct column *c = table->column; c->head != NULL; c++) {
            put_cell(stream, &results[i], c);
        }
    }
    (void)fputs("\n\n", stream);
}

static bool any_has(const char *key, const struct results *results, size_t count)
{
    struct result_value value;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || results_find(&results[i], key, &value);
    }
    return any;
}

enum status report_write(FILE *stream, const char *const *folder, size_t folder_count,
                         struct diagnostic *diagnostic)
{
    struct results *results;
    TRY(results_open_all(&results, folder, folder_count, diagnostic));
    for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++) {
        if (TABLES[t].only_with == NULL || any_has(TABLES[t].only_with, results, folder_count)) {
            put_table(stream, &TABLES[t], results, folder_count);
        }
    }
    results_close_all(results, folder_count);
    return STATUS_OK;
}

/* ---- phases ---- */

enum { GROUPS_MAX = 64 };

struct group {
    char name[64];
    double cycles, joules;
};

/* Rows of the stage `test`, in the order in which they first occur. */
static size_t read_groups(struct result_table *table, struct group *group)
{
    size_t count = 0;
    while (result_table_next(table)) {
        const char *layer = result_table_text(table, "layer");
        const char *name = layer[0] == '\0' ? result_table_text(table, "phase") : layer;
        size_t i = 0;
        if (strcmp(result_table_text(table, "stage"), "test") != 0) {
            continue;
        }
        while (i < count && strcmp(group[i].name, name) != 0) {
            i++;
        }
        if (i == GROUPS_MAX) {
            break;
        }
        if (i == count) {
            (void)snprintf(group[count].name, sizeof group[count].name, "%s", name);
            count++;
        }
        group[i].cycles += result_table_number(table, "core_cycles");
        group[i].joules += result_table_number(table, "joules_default");
    }
    return count;
}

enum status report_phases(FILE *stream, const char *folder, struct diagnostic *diagnostic)
{
    struct results results;
    struct result_value images;
    struct result_table table;
    struct group group[GROUPS_MAX] = {{.cycles = 0}};
    double cycles = 0;
    double joules = 0;
    TRY(results_open(&results, folder, diagnostic));
    const enum status known = results_require(&results, "images_tested", &images, diagnostic);
    results_close(&results);
    TRY(known);
    TRY(result_table_open(&table, folder, "phases.csv", diagnostic));
    const size_t count = read_groups(&table, group);
    result_table_close(&table);
    for (size_t i = 0; i < count; i++) {
        cycles += group[i].cycles;
        joules += group[i].joules;
    }
    (void)fputs("| phase | core cycles an image | share of core time | energy an image [uJ] | "
                "share of energy |\n| --- | ---: | ---: | ---: | ---: |",
                stream);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(stream, "\n| %s | %.0f | %.1f %% | %.2f | %.1f %% |", group[i].name,
                      group[i].cycles / images.value, 100 * group[i].cycles / cycles,
                      1e6 * group[i].joules / images.value, 100 * group[i].joules / joules);
    }
    return STATUS_OK;
}
