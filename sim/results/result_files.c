/* result_files.c - see result_files.h. */
#include "sim/results/result_files.h"

#include "sim/csv.h"
#include "sim/results/incidents.h"
#include "sim/results/json.h"
#include "sim/results/manifest.h"
#include "sim/results/recorder.h"
#include "sim/results/summary.h"
#include "sim/state/state_file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- what several files use ---- */

#define CORE "%u:%u:%u"

static const char *const PACKET_TYPE[] = {"mc", "p2p", "nn", "fr"};

static bool never(const struct record *record)
{
    (void)record;
    return false;
}

/* ---- the files' own functions, and one of each PRINT(), named by file and line ---- */

#define NAMED_BY(file, line) put_##file##_##line
#define NAMED_OF(file, line) NAMED_BY(file, line)
#define NAMED(line)          NAMED_OF(RESULT_FILE_ID, line)
#define RESULT_FUNCTIONS
#define PRINT(name, condition, unit, meaning, ...)                                                 \
    static void NAMED(__LINE__)(FILE * stream, const struct record *record, const void *of)        \
    {                                                                                              \
        const ROW *row = of;                                                                       \
        char text[REAL_TEXT_CHARS];                                                                \
        (void)record;                                                                              \
        (void)text;                                                                                \
        if (condition) {                                                                           \
            (void)fprintf(stream, __VA_ARGS__);                                                    \
        }                                                                                          \
    }
#include "tables/result_files.def"
#undef RESULT_FUNCTIONS

/* ---- rows and columns of the tables ---- */

#define TABLE(identifier, file, means, when, is_due, array, number)                                \
    static struct result_rows identifier##_rows(const struct record *record)                       \
    {                                                                                              \
        return (struct result_rows){(array), (number), sizeof *(array)};                           \
    }                                                                                              \
    static const struct result_column identifier##_column[] = {
#define END                                                                                        \
    }                                                                                              \
    ;
#define OWN(identifier, file, means, when)                                                         \
    TABLE(identifier, file, means, when, NULL, record->outcome->identifier,                        \
          record->outcome->identifier##_count)
#define OWN_END                             END
#define COLUMN(name, member, unit, meaning) {RESULT_MEMBER(name, member, unit, meaning)},
#define FIELD(type, member, unit, meaning)  COLUMN(#member, member, unit, meaning)
#define CHARS(bytes, member, unit, meaning) COLUMN(#member, member, unit, meaning)
#define HEX(name, member, unit, meaning)    {RESULT_COLUMN(name, member, RESULT_HEX32, unit, meaning)},
#define CHOICE(name, member, names, meaning)                                                       \
    {RESULT_COLUMN(name, member, RESULT_CHOICE, "", meaning), .choice = (names)},
#define OTHER(text, function, of_unit, means)                                                      \
    {.name = (text),                                                                               \
     .unit = (of_unit),                                                                            \
     .meaning = (means),                                                                           \
     .kind = RESULT_OTHER,                                                                         \
     .put = (function)},
#define PRINT(name, condition, unit, meaning, ...) OTHER(name, NAMED(__LINE__), unit, meaning)
#define PART(found, name, member, unit, meaning)                                                   \
    {RESULT_MEMBER(name, member, unit, meaning), .part = (found)},
#define SERIES(number, text, function, of_unit, means)                                             \
    {.name = (text),                                                                               \
     .unit = (of_unit),                                                                            \
     .meaning = (means),                                                                           \
     .kind = RESULT_OTHER,                                                                         \
     .put = (function),                                                                            \
     .times = (number)},
#include "tables/result_files.def"

/* ---- the files ---- */

const struct result_file RESULT_FILES[] = {
#define TABLE(identifier, file, means, when_due, due, array, number)                               \
    {.name = (file),                                                                               \
     .meaning = (means),                                                                           \
     .when = (when_due),                                                                           \
     .is_due = (due),                                                                              \
     .column = identifier##_column,                                                                \
     .columns = sizeof identifier##_column / sizeof *identifier##_column,                          \
     .rows = identifier##_rows},
#define OWN(identifier, file, means, when_due) TABLE(identifier, file, means, when_due, NULL, 0, 0)
#define WHOLE(file, means, ...)                {file, means, __VA_ARGS__},
#include "tables/result_files.def"
};
const size_t RESULT_FILE_COUNT = sizeof RESULT_FILES / sizeof *RESULT_FILES;

const struct result_file *result_file_find(const char *name)
{
    for (size_t i = 0; i < RESULT_FILE_COUNT; i++) {
        if (strcmp(RESULT_FILES[i].name, name) == 0) {
            return &RESULT_FILES[i];
        }
    }
    return NULL;
}

bool result_file_is_recorded(const struct result_file *file)
{
    return file->write != NULL || file->write_path != NULL || file->rows != NULL;
}

bool result_file_is_due(const struct result_file *file, const struct record *record)
{
    return file->is_due != NULL ? file->is_due(record)
                                : file->when == NULL || file->rows(record).count > 0;
}

enum status result_file_write(const struct result_file *file, FILE *stream,
                              const struct record *record)
{
    if (file->write != NULL) {
        return file->write(stream, record);
    }
    const struct result_rows rows = file->rows(record);
    result_table_write_head(stream, file->column, file->columns, record);
    for (size_t i = 0; i < rows.count; i++) {
        result_table_write_row(stream, file->column, file->columns, record,
                               (const char *)rows.first + i * rows.bytes);
    }
    return STATUS_OK;
}

void result_file_explain(FILE *stream, const struct result_file *file)
{
    (void)fprintf(stream, "\n## %s\n\n%s.%s%s%s\n", file->name, file->meaning,
                  file->when == NULL ? "" : " Written ", file->when == NULL ? "" : file->when,
                  file->when == NULL ? "" : ".");
    if (file->columns > 0) {
        (void)fputs("\n| column | unit | meaning |\n| --- | --- | --- |\n", stream);
    }
    for (size_t c = 0; c < file->columns; c++) {
        const struct result_column *column = &file->column[c];
        const bool series = column->times != NULL;
        (void)fprintf(stream, "| %s%s%s%s | %s | %s |\n", column->name, series ? "0, " : "",
                      series ? column->name : "", series ? "1, ..." : "", column->unit,
                      column->meaning);
    }
    if (file->explain != NULL) {
        file->explain(stream);
    }
}
