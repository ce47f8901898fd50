/* table.c - see sweep.h: the table of a sweep's results. */
#include "sim/sweep/sweep.h"

#include "sim/config/config_tree.h"
#include "sim/file.h"
#include "sim/grow.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"
#include "sim/results/quantity.h"
#include "sim/results/results.h"
#include "sim/results/tally.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns: the numbers of summary.json, in the order in which they first occur ---- */

/* Parts of summary.json that say nothing of the machine, or differ from host to host. */
static const char *const ASIDE[] = {"schema", "name", "status", "identity", "accept", "host"};

/* What other coefficients change. */
static const char *const JOULES[] = {"joules_per_epoch", "sampled.joules_per_epoch",
                                     "loading.joules", "energy"};

enum { KEY_CHARS = 128, PARTS = 3 };
static const char *const PART[PARTS] = {"low", "default", "high"};

struct columns {
    char (*key)[KEY_CHARS];
    size_t count, room;
};

static bool add_column(struct columns *columns, const char *key)
{
    for (size_t i = 0; i < columns->count; i++) {
        if (strcmp(columns->key[i], key) == 0) {
            return true;
        }
    }
    void *larger = grow(columns->key, &columns->room, columns->count, sizeof *columns->key);
    if (larger == NULL) {
        return false;
    }
    columns->key = larger;
    (void)snprintf(columns->key[columns->count++], KEY_CHARS, "%s", key);
    return true;
}

static bool add_columns(struct columns *columns, const struct config_node *map)
{
    for (const struct config_node *node = map->first; node != NULL; node = node->next) {
        if (results_key_is_of(node->path, ASIDE, sizeof ASIDE / sizeof *ASIDE)) {
            continue;
        }
        char *end = NULL;
        const bool number = node->shape == CONFIG_SCALAR && !node->quoted &&
                            (strtod(node->text, &end), *end == '\0');
        if (number ? !add_column(columns, node->path)
                   : node->shape == CONFIG_MAP && !add_columns(columns, node)) {
            return false;
        }
    }
    return true;
}

/* ---- joules by other coefficients ---- */

struct own_energy {
    bool other; /* the folder's are not the point's */
    struct energy_account account;
    double seconds, images;
};

static enum status energy_of(const struct sweep *sweep, size_t i, const char *folder,
                             struct own_energy *energy, struct diagnostic *diagnostic)
{
    RELEASED(tally_deinit) struct tally tally = {0};
    RELEASED(config_deinit) struct sim_config config = {0};
    RELEASED(point_sets_free) struct point_sets sets;
    if (!point_sets_make(sweep, i, &sets)) {
        return no_memory(diagnostic);
    }
    const struct config_request request = {.path = sweep->request->run.file,
                                           .configs_folder = sweep->request->run.configs_folder,
                                           .sets = sets.set,
                                           .set_count = sets.count,
                                           .base = &sweep->config};
    TRY(config_load(&request, &config, diagnostic));
    TRY(tally_read(&tally, folder, diagnostic));
    return energy_account_of(&energy->account, &config.energy, &tally, diagnostic);
}

static double part_of(const struct energy_joules *joules, unsigned part)
{
    return part == 0 ? joules->low : part == 1 ? joules->value : joules->high;
}

#define SCOPE(name, scope)                                                                         \
    {"energy.scopes." name, &energy->account.scopes.joules[scope], 1},                             \
    {                                                                                              \
        "energy.epoch_scopes." name, &energy->account.epoch_scopes.joules[scope], 1                \
    }

/* Writes a key of the energy by the point's own coefficients; a key that counters do not give stays
 * empty. */
static void put_energy(FILE *stream, const char *key, const struct own_energy *energy)
{
    const struct {
        const char *name;
        const struct energy_joules *joules;
        double over;
    } known[] = {{"energy.joules", &energy->account.total, 1},
                 {"energy.dynamic_joules", &energy->account.dynamic, 1},
                 {"energy.mean_watts", &energy->account.total, energy->seconds},
                 {"joules_per_epoch", &energy->account.epoch, 1},
                 SCOPE("chips", ENERGY_CHIPS),
                 SCOPE("board", ENERGY_BOARD),
                 SCOPE("wall", ENERGY_WALL),
                 SCOPE("rack", ENERGY_RACK),
                 SCOPE("host", ENERGY_HOST),
                 {"energy.joules_per_image", &energy->account.stage[STAGE_TEST], energy->images}};
    char text[REAL_TEXT_CHARS];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        for (unsigned part = 0; part < PARTS && results_key_is_of(key, &known[i].name, 1); part++) {
            if (strcmp(key + strlen(known[i].name) + 1, PART[part]) == 0) {
                (void)fputs(real_text(part_of(known[i].joules, part) / known[i].over, text),
                            stream);
            }
        }
    }
}

/* ---- rows ---- */

/* Of points without results; those with results have the status of summary.json. */
static const char *const STATE[POINT_STATES] = {
    [POINT_OPEN] = "open", [POINT_REFUSED] = "refused", [POINT_FAILED] = "failed"};

static enum status put_values(FILE *stream, const struct sweep *sweep, size_t i,
                              const struct columns *columns, const struct results *results,
                              struct diagnostic *diagnostic)
{
    struct own_energy energy = {.seconds = results_number(results, "seconds"),
                                .images = results_number(results, "images_tested") +
                                          results_number(results, "images_validated")};
    const struct config_node *hash = config_node_find(results->summary, "identity.energy_hash");
    energy.other = hash != NULL && strcmp(hash->text, sweep->point[i].energy_hash) != 0;
    if (energy.other) {
        TRY(energy_of(sweep, i, results->folder, &energy, diagnostic));
    }
    for (size_t c = 0; c < columns->count; c++) {
        const char *key = columns->key[c];
        const struct config_node *node = config_node_find(results->summary, key);
        (void)fputc(',', stream);
        if (energy.other && results_key_is_of(key, JOULES, sizeof JOULES / sizeof *JOULES)) {
            put_energy(stream, key, &energy);
        } else if (node != NULL && node->shape == CONFIG_SCALAR) {
            csv_line_text(stream, node->text);
        }
    }
    energy_account_deinit(&energy.account);
    return STATUS_OK;
}

static enum status put_row(FILE *stream, const struct sweep *sweep, size_t i,
                           const struct columns *columns, const struct results *results,
                           struct diagnostic *diagnostic)
{
    const struct point *point = &sweep->point[i];
    const char *state = STATE[point->state];
    (void)fprintf(stream, "%zu", i + 1);
    for (size_t k = 0; k < sweep->axes.keys; k++) {
        (void)fputc(',', stream);
        csv_line_text(stream, axes_value(&sweep->axes, i, k));
    }
    if (results->summary != NULL) {
        state = results_text(results, "status");
    }
    (void)fputc(',', stream);
    csv_line_text(stream, state);
    if (results->summary != NULL) {
        TRY(put_values(stream, sweep, i, columns, results, diagnostic));
    } else {
        for (size_t c = 0; c < columns->count; c++) {
            (void)fputc(',', stream);
        }
    }
    (void)fputc(',', stream);
    const char *folder = point->folder == NULL ? "" : point->folder + strlen(sweep->out) + 1;
    csv_line_text(stream, folder);
    (void)fputc(',', stream);
    csv_line_text(stream, point->message == NULL ? "" : point->message);
    (void)fputc('\n', stream);
    return STATUS_OK;
}

/* The key, and its unit. */
static void put_column_head(FILE *stream, const char *key)
{
    char head[KEY_CHARS + QUANTITY_UNIT_CHARS];
    struct quantity quantity;
    const bool has_unit = quantity_find(key, &quantity) && quantity.unit[0] != '\0';
    (void)snprintf(head, sizeof head, "%s%s%s%s", key, has_unit ? " [" : "",
                   has_unit ? quantity.unit : "", has_unit ? "]" : "");
    (void)fputc(',', stream);
    csv_line_text(stream, head);
}

static void put_head(FILE *stream, const struct sweep *sweep, const struct columns *columns)
{
    (void)fputs("point", stream);
    for (size_t k = 0; k < sweep->axes.keys; k++) {
        (void)fputc(',', stream);
        csv_line_text(stream, axes_key(&sweep->axes, k));
    }
    (void)fputs(",status", stream);
    for (size_t c = 0; c < columns->count; c++) {
        put_column_head(stream, columns->key[c]);
    }
    (void)fputs(",folder,message\n", stream);
}

/* Calls `visit` for each point with its results; without summary: it has none. */
static enum status visit_points(const struct sweep *sweep,
                                enum status (*visit)(void *context, size_t point,
                                                     const struct results *results),
                                void *context, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < sweep->axes.points; i++) {
        const struct point *point = &sweep->point[i];
        RELEASED(results_close) struct results results = {0};
        if (point_has_results(point)) {
            TRY(results_open(&results, point->folder, diagnostic));
        }
        TRY(visit(context, i, &results));
    }
    return STATUS_OK;
}

struct table {
    const struct sweep *sweep;
    struct columns columns;
    FILE *stream;
    struct diagnostic *diagnostic;
};

static void table_deinit(struct table *table)
{
    free(table->columns.key);
}

static enum status note_columns(void *context, size_t point, const struct results *results)
{
    struct table *table = context;
    (void)point;
    return results->summary == NULL || add_columns(&table->columns, results->summary)
               ? STATUS_OK
               : no_memory(table->diagnostic);
}

static enum status note_row(void *context, size_t point, const struct results *results)
{
    const struct table *table = context;
    return put_row(table->stream, table->sweep, point, &table->columns, results, table->diagnostic);
}

enum status sweep_write_table(const struct sweep *sweep, const char *path,
                              struct diagnostic *diagnostic)
{
    RELEASED(table_deinit) struct table table = {.sweep = sweep, .diagnostic = diagnostic};
    struct file_writer writer;
    TRY(visit_points(sweep, note_columns, &table, diagnostic));
    TRY(file_create(&writer, path, diagnostic));
    table.stream = writer.stream;
    put_head(table.stream, sweep, &table.columns);
    return file_finish(&writer, visit_points(sweep, note_row, &table, diagnostic), diagnostic);
}
