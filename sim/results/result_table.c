/* result_table.c - see result_table.h. */
#include "sim/results/result_table.h"

#include "models/common/check.h"
#include "sim/csv.h"
#include "sim/file.h"
#include "sim/results/json.h"
#include "sim/steps.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

/* Number `unsigned` of a row. */
static uint64_t whole_of(const void *member, size_t bytes)
{
    uint64_t value = 0; /* hosts are little endian, as the machine is */
    memcpy(&value, member, bytes);
    return value;
}

bool result_column_is(const struct result_column *column, const char *name)
{
    const size_t length = strlen(column->name);
    return column->times == NULL
               ? strcmp(column->name, name) == 0
               : strncmp(column->name, name, length) == 0 && name[length] != '\0' &&
                     strspn(name + length, "0123456789") == strlen(name + length);
}

static void put_member(FILE *stream, const struct result_column *column, const void *member)
{
    static const size_t BYTES[] = {1, 2, 4, 8};
    char text[REAL_TEXT_CHARS];
    switch (column->kind) {
    case RESULT_U8:
    case RESULT_U16:
    case RESULT_U32:
    case RESULT_U64:
        (void)fprintf(stream, "%" PRIu64, whole_of(member, BYTES[column->kind]));
        break;
    case RESULT_I16:
        if (*(const int16_t *)member >= 0) {
            (void)fprintf(stream, "%d", *(const int16_t *)member);
        }
        break;
    case RESULT_I32:
        (void)fprintf(stream, "%" PRId32, *(const int32_t *)member);
        break;
    case RESULT_HEX32:
        (void)fprintf(stream, "0x%08" PRIx32, *(const uint32_t *)member);
        break;
    case RESULT_REAL: {
        const double value = *(const double *)member;
        (void)fputs(isfinite(value) ? real_text(value, text) : "", stream);
        break;
    }
    case RESULT_CHARS:
        csv_text(stream, member);
        break;
    case RESULT_TEXT:
        csv_text(stream, *(const char *const *)member);
        break;
    case RESULT_CHOICE:
        (void)fputs(column->choice[*(const uint8_t *)member], stream);
        break;
    case RESULT_OTHER:
        CHECK(false, "a column without a member");
    }
}

void result_table_write_head(FILE *stream, const struct result_column *column, size_t columns,
                             const struct record *record)
{
    const char *comma = "";
    for (size_t c = 0; c < columns; c++) {
        const size_t count = column[c].times == NULL ? 1 : column[c].times(record);
        for (size_t i = 0; i < count; i++) {
            (void)fprintf(stream, "%s%s", comma, column[c].name);
            if (column[c].times != NULL) {
                (void)fprintf(stream, "%zu", i);
            }
            comma = ",";
        }
    }
    (void)fputc('\n', stream);
}

void result_table_write_row(FILE *stream, const struct result_column *column, size_t columns,
                            const struct record *record, const void *row)
{
    const char *comma = "";
    for (size_t c = 0; c < columns; c++) {
        if (column[c].times != NULL && column[c].times(record) == 0) {
            continue;
        }
        const void *of = column[c].part == NULL ? row : column[c].part(record, row);
        (void)fputs(comma, stream);
        comma = ",";
        if (column[c].put != NULL) {
            column[c].put(stream, record, of);
        } else {
            put_member(stream, &column[c], (const char *)of + column[c].offset);
        }
    }
    (void)fputc('\n', stream);
}

/* ---- reading ---- */

enum status result_table_open(struct result_table *table, const char *folder, const char *file,
                              struct diagnostic *diagnostic)
{
    return result_table_open_within(table, folder, file, FILE_TABLE_BYTES, diagnostic);
}

enum status result_table_open_within(struct result_table *table, const char *folder,
                                     const char *file, size_t most, struct diagnostic *diagnostic)
{
    uint8_t *bytes = NULL;
    size_t size;
    *table = (struct result_table){.path = file_join(folder, file)};
    if (table->path == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = file_read(table->path, most, &bytes, &size, diagnostic);
    if (status == STATUS_OK) {
        table->text = table->rest = (char *)bytes;
        table->columns = csv_split(&table->rest, table->head, RESULT_TABLE_COLUMNS);
        table->line = 1;
    }
    if (status == STATUS_OK && table->columns > RESULT_TABLE_COLUMNS) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "the table has more columns than the %d there is room for",
                          RESULT_TABLE_COLUMNS);
        diagnostic_at(diagnostic, table->path, 1, 0);
    }
    if (status != STATUS_OK) {
        result_table_close(table);
    }
    return status;
}

void result_table_close(struct result_table *table)
{
    free(table->path);
    free(table->text);
    *table = (struct result_table){0};
}

/* NULL: no such column. */
static char *const *find(const struct result_table *table, char *const *row, const char *column)
{
    for (unsigned c = 0; c < table->columns; c++) {
        if (strcmp(table->head[c], column) == 0) {
            return &row[c];
        }
    }
    return NULL;
}

enum status result_table_require(const struct result_table *table, const char *column,
                                 struct diagnostic *diagnostic)
{
    if (find(table, table->head, column) != NULL) {
        return STATUS_OK;
    }
    const enum status status =
        diagnose(diagnostic, STATUS_CONFIGURATION, "the table has no column %s", column);
    diagnostic_at(diagnostic, table->path, 1, 0);
    return status;
}

bool result_table_has(const struct result_table *table, const struct result_column *column,
                      size_t columns)
{
    bool has = table->columns == columns;
    for (size_t c = 0; has && c < columns; c++) {
        has = strcmp(table->head[c], column[c].name) == 0;
    }
    return has;
}

enum status result_table_refuse(const struct result_table *table, const char *what,
                                const char *hint, struct diagnostic *diagnostic)
{
    (void)file_refuse(
        table->path, hint == NULL ? "the file has been changed, or another program wrote it" : hint,
        diagnostic, "not a line of a %s", what == NULL ? file_name_of(table->path) : what);
    diagnostic_at(diagnostic, table->path, table->line, 0);
    return STATUS_CONFIGURATION;
}

bool result_table_next(struct result_table *table)
{
    if (table->rest == NULL || table->rest[0] == '\0') {
        return false;
    }
    table->line++;
    table->bad = csv_split(&table->rest, table->field, RESULT_TABLE_COLUMNS) != table->columns;
    return !table->bad;
}

enum status result_table_end(struct result_table *table, enum status status,
                             struct diagnostic *diagnostic)
{
    if (status == STATUS_OK && table->bad) {
        status = result_table_refuse(table, NULL, NULL, diagnostic);
    }
    result_table_close(table);
    return status;
}

const char *result_table_text(const struct result_table *table, const char *column)
{
    char *const *field = find(table, table->field, column);
    return field == NULL ? "" : *field;
}

double result_table_number(const struct result_table *table, const char *column)
{
    const char *text = result_table_text(table, column);
    return text[0] == '\0' ? NAN : strtod(text, NULL);
}

bool result_table_take_real(const struct result_table *table, const char *column, double *value)
{
    char *end;
    const char *text = result_table_text(table, column);
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static bool take_whole(const char *text, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value <= most;
}

static bool take_field(const struct result_column *column, const char *text, void *member)
{
    uint64_t value = 0;
    if (column->kind == RESULT_U64) {
        return take_whole(text, UINT64_MAX, member);
    }
    if (column->kind == RESULT_I16) {
        const bool good = text[0] == '\0' || take_whole(text, INT16_MAX, &value);
        *(int16_t *)member = text[0] == '\0' ? -1 : (int16_t)value;
        return good;
    }
    CHECK(column->kind == RESULT_TEXT, "a column that is not read back");
    *(const char **)member = text;
    return true;
}

bool result_table_take(const struct result_table *table, const struct result_column *column,
                       size_t columns, void *row)
{
    bool good = table->columns == columns;
    for (size_t c = 0; good && c < columns; c++) {
        good = take_field(&column[c], table->field[c], (char *)row + column[c].offset);
    }
    return good;
}
