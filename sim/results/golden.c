/* golden.c - see golden.h. */
#include "sim/results/golden.h"

#include "sim/file.h"
#include "sim/grow.h"
#include "sim/results/printable.h"
#include "sim/results/result_table.h"
#include "sim/steps.h"

#include <inttypes.h>

static const char PROGRAM[] = "program ";

/* ---- rows ---- */

static void add_text(struct golden *golden, const char *name, const char *value)
{
    struct golden_row *grown = grow(golden->row, &golden->room, golden->count, sizeof *golden->row);
    if (grown == NULL) {
        golden->incomplete = true;
        return;
    }
    golden->row = grown;
    struct golden_row *row = &grown[golden->count++];
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    (void)snprintf(row->value, sizeof row->value, "%s", value);
}

void golden_deinit(struct golden *golden)
{
    free(golden->row);
    *golden = (struct golden){0};
}

const char *golden_value(const struct golden *golden, const char *name)
{
    for (size_t i = 0; i < golden->count; i++) {
        if (strcmp(golden->row[i].name, name) == 0) {
            return golden->row[i].value;
        }
    }
    return NULL;
}

bool golden_is_count(const struct golden_row *row)
{
    return strcmp(row->name, "experiment") != 0 && strcmp(row->name, "compiler") != 0 &&
           strncmp(row->name, PROGRAM, strlen(PROGRAM)) != 0;
}

/* ---- files ---- */

struct named {
    const char *name;
    size_t row;
};

static int by_name(const void *a, const void *b)
{
    const struct named *first = a;
    const struct named *second = b;
    const int order = strcmp(first->name, second->name);
    return order != 0 ? order : (first->row > second->row) - (first->row < second->row);
}

/* Index of the first row with a repeated name; the number of rows if there is none; SIZE_MAX: out
 * of memory. */
static size_t find_repeated(const struct golden *golden)
{
    struct named *sorted = calloc(golden->count + 1, sizeof *sorted);
    if (sorted == NULL) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i < golden->count; i++) {
        sorted[i] = (struct named){golden->row[i].name, i};
    }
    qsort(sorted, golden->count, sizeof *sorted, by_name);
    size_t found = golden->count;
    for (size_t i = 1; i < golden->count; i++) {
        if (strcmp(sorted[i].name, sorted[i - 1].name) == 0 && sorted[i].row < found) {
            found = sorted[i].row;
        }
    }
    free(sorted);
    return found;
}

static bool is_row(const char *name, const char *value)
{
    return name[0] != '\0' && strlen(name) < GOLDEN_NAME_CHARS && value[0] != '\0' &&
           strlen(value) < GOLDEN_VALUE_CHARS;
}

/* Reads the rows; on an error `line` of the table is the invalid line. */
static enum status read_rows(struct golden *golden, struct result_table *table,
                             struct diagnostic *diagnostic)
{
    bool good = table->columns == 2 && strcmp(table->head[0], "name") == 0 &&
                strcmp(table->head[1], "value") == 0;
    while (good && result_table_next(table)) {
        good = is_row(table->field[0], table->field[1]);
        add_text(golden, table->field[0], table->field[1]);
    }
    good = good && !table->bad;
    if (good) { /* each line but the first is a row */
        const size_t row = find_repeated(golden);
        if (golden->incomplete || row == SIZE_MAX) {
            return no_memory(diagnostic);
        }
        good = row == golden->count;
        table->line = (int)row + 2;
    }
    return good ? STATUS_OK
                : result_table_refuse(table, "golden",
                                      "scripts/bless_goldens.sh writes these files", diagnostic);
}

enum status golden_read(struct golden *golden, const char *path, struct diagnostic *diagnostic)
{
    struct result_table table;
    *golden = (struct golden){0};
    enum status status = result_table_open(&table, "", path, diagnostic);
    if (status == STATUS_OK) {
        status = read_rows(golden, &table, diagnostic);
    }
    result_table_close(&table);
    if (status != STATUS_OK) {
        golden_deinit(golden);
    }
    return status;
}

enum status golden_write(const struct golden *golden, const char *path,
                         struct diagnostic *diagnostic)
{
    struct file_writer writer;
    TRY(file_create(&writer, path, diagnostic));
    (void)fputs("name,value\n", writer.stream);
    for (size_t i = 0; i < golden->count; i++) {
        (void)fprintf(writer.stream, "%s,", golden->row[i].name);
        csv_text(writer.stream, golden->row[i].value);
        (void)fputc('\n', writer.stream);
    }
    return file_commit(&writer, diagnostic);
}

/* ---- a run ---- */

static void add_count(struct golden *golden, const char *name, uint64_t value)
{
    char text[GOLDEN_VALUE_CHARS];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    add_text(golden, name, text);
}

static void add_sums(struct golden *golden, const char *prefix, const struct tally_sums *sums)
{
    for (size_t i = 0; i < sums->size; i++) {
        char name[GOLDEN_NAME_CHARS];
        (void)snprintf(name, sizeof name, "%s%s", prefix, sums->name[i]);
        if (sums->count[i].value != 0) {
            add_count(golden, name, sums->count[i].value);
        }
    }
}

static void describe(struct golden *golden, const char *experiment, const struct job *job)
{
    add_text(golden, "experiment", experiment);
    if (job->program_count > 0) {
        add_text(golden, "compiler", job->program[0].image.compiler);
    }
    for (size_t i = 0; i < job->program_count; i++) {
        char name[GOLDEN_NAME_CHARS];
        (void)snprintf(name, sizeof name, "%s%s", PROGRAM, job->program[i].name);
        if (golden_value(golden, name) == NULL) {
            add_text(golden, name, job->program[i].digest);
        }
    }
}

enum status golden_of_run(struct golden *golden, const char *experiment,
                          const struct record *record, struct diagnostic *diagnostic)
{
    *golden = (struct golden){0};
    describe(golden, experiment, record->job);
    add_count(golden, "time_ps", record->outcome->time_ps);
    add_sums(golden, "", &record->tally.total);
    for (size_t i = 0; i < record->tally.phase_count; i++) {
        const struct tally_phase *phase = &record->tally.phase[i];
        char prefix[GOLDEN_NAME_CHARS];
        (void)snprintf(prefix, sizeof prefix, "%s/%s/%s:", stage_text(phase->stage),
                       phase->phase.layer, phase->phase.name);
        add_sums(golden, prefix, &phase->sums);
    }
    if (golden->incomplete) {
        golden_deinit(golden);
        return no_memory(diagnostic);
    }
    return STATUS_OK;
}
