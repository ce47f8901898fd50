/* result_table.c - see result_table.h. */
#include "sim/results/result_table.h"

#include "sim/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A field in quotes, which may hold commas, line ends and doubled quotes: unfolded where it stands.
 * Gives what follows it. */
static char *unquote(char *field)
{
    char *to = field;
    char *from = field + 1;
    while (*from != '\0' && !(from[0] == '"' && from[1] != '"')) {
        from += from[0] == '"' ? 1 : 0;
        *to++ = *from++;
    }
    from += *from == '"' ? 1 : 0;
    *to = '\0';
    return from;
}

/* The fields of the line at *rest, which goes on behind it; NULL behind the last line. */
static unsigned split(char **rest, char **field)
{
    unsigned count = 0;
    char *at = *rest;
    *rest = NULL;
    for (bool more = at != NULL; more && count < RESULT_TABLE_COLUMNS; count++) {
        field[count] = at;
        char *end = at[0] == '"' ? unquote(at) : at;
        end += strcspn(end, ",\n");
        more = *end == ',';
        *rest = *end == '\n' ? end + 1 : NULL;
        if (*end != '\0') {
            *end = '\0';
            at = end + 1;
        }
    }
    return count;
}

enum status result_table_open(struct result_table *table, const char *folder, const char *file,
                              struct diagnostic *diagnostic)
{
    uint8_t *bytes = NULL;
    size_t size;
    *table = (struct result_table){.path = file_join(folder, file)};
    if (table->path == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    const enum status status = file_read(table->path, FILE_TABLE_BYTES, &bytes, &size, diagnostic);
    if (status == STATUS_OK) {
        table->text = table->rest = (char *)bytes;
        table->columns = split(&table->rest, table->head);
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

bool result_table_next(struct result_table *table)
{
    return table->rest != NULL && table->rest[0] != '\0' &&
           split(&table->rest, table->field) == table->columns;
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
