/* golden.c - see golden.h. */
#include "sim/results/golden_rows.h"

#include "sim/csv.h"
#include "sim/file.h"
#include "sim/grow.h"
#include "sim/results/result_table.h"
#include "sim/steps.h"

#include <fnmatch.h>
#include <math.h>

static const char EXPERIMENT[] = "experiment";
static const char COUNTERS[] = "counters";
static const char TOLERANCE[] = "tolerance ";
const char GOLDEN_COMPILER[] = "compiler";
const char GOLDEN_PROGRAM[] = "program ";
static const char ANSWER[] = "answer ";
static const char FUNCTION[] = "function ";

/* ---- rows ---- */

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

void golden_add_text(struct golden *golden, const char *name, const char *value)
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

bool golden_is_asked(const struct golden_row *row)
{
    return strcmp(row->name, EXPERIMENT) == 0 || strcmp(row->name, COUNTERS) == 0 ||
           begins(row->name, TOLERANCE);
}

bool golden_is_program(const struct golden_row *row)
{
    return begins(row->name, GOLDEN_PROGRAM);
}

bool golden_is_answer(const struct golden_row *row)
{
    return begins(row->name, ANSWER);
}

bool golden_is_function(const struct golden_row *row)
{
    return begins(row->name, FUNCTION);
}

bool golden_is_count(const struct golden_row *row)
{
    return !golden_is_asked(row) && !golden_is_program(row) && !golden_is_answer(row) &&
           !golden_is_function(row) && strcmp(row->name, GOLDEN_COMPILER) != 0;
}

/* "0.5 %", "0.5%"; false when it is no percentage. */
static bool read_percent(const char *text, double *percent)
{
    static const double MOST = 100;
    char *end;
    *percent = strtod(text, &end);
    end += strspn(end, " ");
    return end != text && strcmp(end, "%") == 0 && *percent >= 0 && *percent <= MOST;
}

static bool is_row(const char *name, const char *value)
{
    double percent;
    return name[0] != '\0' && strlen(name) < GOLDEN_NAME_CHARS && value[0] != '\0' &&
           strlen(value) < GOLDEN_VALUE_CHARS &&
           (!begins(name, TOLERANCE) ||
            (name[strlen(TOLERANCE)] != '\0' && read_percent(value, &percent)));
}

bool golden_add(struct golden *golden, const char *name, const char *value)
{
    const bool good = is_row(name, value);
    if (good) {
        golden_add_text(golden, name, value);
    }
    return good;
}

/* ---- patterns ---- */

static bool matches(const char *pattern, const char *name)
{
    return fnmatch(pattern, name, 0) == 0;
}

/* Takes the first pattern from a list with commas; returns the rest, NULL behind the last. */
static const char *next_pattern(const char *list, char pattern[GOLDEN_VALUE_CHARS])
{
    const size_t length = strcspn(list, ",");
    (void)snprintf(pattern, GOLDEN_VALUE_CHARS, "%.*s", (int)length, list);
    return list[length] == ',' ? list + length + 1 : NULL;
}

bool golden_holds(const struct golden *asked, const char *name)
{
    char pattern[GOLDEN_VALUE_CHARS];
    const char *list = golden_value(asked, COUNTERS);
    bool held = list == NULL;
    while (list != NULL && !held) {
        list = next_pattern(list, pattern);
        held = matches(pattern, name);
    }
    return held;
}

double golden_tolerance(const struct golden *golden, const char *name)
{
    double percent = 0;
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_row *row = &golden->row[i];
        if (begins(row->name, TOLERANCE) && matches(row->name + strlen(TOLERANCE), name) &&
            read_percent(row->value, &percent)) {
            return percent;
        }
    }
    return 0;
}

static bool is_used(const struct golden *golden, const char *pattern)
{
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_row *row = &golden->row[i];
        if ((golden_is_count(row) || golden_is_answer(row)) && matches(pattern, row->name)) {
            return true;
        }
    }
    return false;
}

bool golden_check_patterns(const struct golden *golden, char *pattern, size_t size)
{
    char one[GOLDEN_VALUE_CHARS];
    const char *list = golden_value(golden, COUNTERS);
    bool good = true;
    while (list != NULL && good) {
        list = next_pattern(list, one);
        good = is_used(golden, one);
    }
    for (size_t i = 0; i < golden->count && good; i++) {
        if (begins(golden->row[i].name, TOLERANCE)) {
            (void)snprintf(one, sizeof one, "%s", golden->row[i].name + strlen(TOLERANCE));
            good = is_used(golden, one);
        }
    }
    if (!good) {
        (void)snprintf(pattern, size, "%s", one);
    }
    return good;
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

/* Reads the rows; on an error `line` of the table is the invalid line. */
static enum status read_rows(struct golden *golden, struct result_table *table,
                             struct diagnostic *diagnostic)
{
    bool good = table->columns == 2 && strcmp(table->head[0], "name") == 0 &&
                strcmp(table->head[1], "value") == 0;
    while (good && result_table_next(table)) {
        good = is_row(table->field[0], table->field[1]);
        golden_add_text(golden, table->field[0], table->field[1]);
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
                                      "`spinnsim regress` writes these files: --add, --bless",
                                      diagnostic);
}

enum status golden_read(struct golden *golden, const char *path, struct diagnostic *diagnostic)
{
    RELEASED(result_table_close) struct result_table table;
    *golden = (struct golden){0};
    TRY(result_table_open(&table, "", path, diagnostic));
    const enum status status = read_rows(golden, &table, diagnostic);
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
        csv_text(writer.stream, golden->row[i].name);
        (void)fputc(',', writer.stream);
        csv_text(writer.stream, golden->row[i].value);
        (void)fputc('\n', writer.stream);
    }
    return file_commit(&writer, diagnostic);
}
