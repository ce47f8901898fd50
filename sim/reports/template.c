/* template.c - see template.h. */
#include "sim/reports/template.h"

#include "sim/file.h"
#include "sim/reports/report.h"
#include "sim/reports/run_values.h"
#include "sim/results/result_table.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_CHARS = 512, TEXT_CHARS = 4096, RUNS_MAX = 16, CONDITIONS_MAX = 8 };

struct filling {
    FILE *stream;
    const struct template_request *request;
    struct diagnostic *diagnostic;
    const char *text;                /* the template */
    const struct result_table *rows; /* whose row the place is in; NULL: in none */
    bool empty;                      /* whether the place has named a cell that is empty */
};

static const char NO_VALUE[] = "-"; /* what an empty cell shows */

/* The cell of a column; NULL: there is no such column. */
static const char *cell(struct filling *page, const char *column)
{
    const char *text = result_table_text(page->rows, column);
    struct diagnostic unknown;
    if (text[0] != '\0') {
        return text;
    }
    page->empty = true;
    return result_table_require(page->rows, column, &unknown) == STATUS_OK ? NO_VALUE : NULL;
}

static bool column_value(void *context, const char *name, double *value)
{
    struct filling *page = context;
    const char *text = cell(page, name);
    char *end;
    if (text == NULL || text == NO_VALUE) {
        *value = 0;
        return text != NULL;
    }
    *value = strtod(text, &end);
    return end != text && *end == '\0';
}

static struct expression_scope scope_of(struct filling *page)
{
    return page->rows == NULL ? run_values(page->request->runs)
                              : (struct expression_scope){column_value, NULL, page};
}

static enum status refuse(const struct filling *page, const char *what, const char *place)
{
    const enum status status = diagnose(page->diagnostic, STATUS_CONFIGURATION, "%s", what);
    diagnostic_key(page->diagnostic, place);
    return status;
}

/* ---- places ---- */

static enum status put_value(struct filling *page, char *place)
{
    char text[TEXT_CHARS];
    char *format = strchr(place, '|');
    page->empty = false;
    if (format != NULL) {
        const struct expression_scope scope = scope_of(page);
        *format++ = '\0';
        format += strspn(format, " ");
        const enum status status =
            expression_format(text, sizeof text, format, place, &scope, page->diagnostic);
        (void)fputs(page->empty ? NO_VALUE : text, page->stream);
        return status;
    }
    const char *value = text;
    if (page->rows != NULL) {
        value = cell(page, place);
    } else if (!run_values_text(page->request->runs, place, text, sizeof text)) {
        value = NULL;
    }
    if (value == NULL) {
        return refuse(page, "nothing has this name", place);
    }
    (void)fputs(value, page->stream);
    return STATUS_OK;
}

/* Of runs, their folders in malloc'ed memory; the number of them. */
static size_t folders_of(const struct filling *page, char *names, char *folder[RUNS_MAX])
{
    size_t count = 0;
    char *rest = names;
    for (char *name = strsep(&rest, " "); name != NULL && count < RUNS_MAX;
         name = strsep(&rest, " ")) {
        folder[count] = file_join(page->request->runs, name);
        count += folder[count] != NULL;
    }
    return count;
}

/* Writes a report without its trailing line ends, since the page has one after the placeholder. */
static void put_lines(const struct filling *page, const char *text, size_t size)
{
    while (size > 0 && text[size - 1] == '\n') {
        size--;
    }
    if (size > 0) {
        (void)fwrite(text, 1, size, page->stream);
    }
}

static enum status put_report(struct filling *page, char *names)
{
    char *folder[RUNS_MAX];
    char *text = NULL;
    size_t size = 0;
    const size_t count = folders_of(page, names, folder);
    const struct report_request request = {.folder = (const char *const *)folder,
                                           .folder_count = count};
    FILE *stream = open_memstream(&text, &size);
    enum status status = stream == NULL ? no_memory(page->diagnostic)
                                        : report_write(stream, &request, page->diagnostic);
    if (stream != NULL && fclose(stream) == 0) {
        put_lines(page, text, size);
    }
    free(text);
    for (size_t i = 0; i < count; i++) {
        free(folder[i]);
    }
    return status;
}

static enum status put_phases(struct filling *page, char *name)
{
    FREED char *folder = file_join(page->request->runs, name);
    return folder == NULL ? no_memory(page->diagnostic)
                          : report_phases(page->stream, folder, page->diagnostic);
}

static enum status put_file(struct filling *page, char *name)
{
    FREED char *path = file_join(page->request->runs, name);
    FREED uint8_t *bytes = NULL;
    size_t size = 0;
    TRY(path == NULL ? no_memory(page->diagnostic)
                     : file_read(path, FILE_TABLE_BYTES, &bytes, &size, page->diagnostic));
    put_lines(page, (const char *)bytes, size);
    return STATUS_OK;
}

/* ---- the page ---- */

static enum status fill(struct filling *page, const char *begin, const char *end);

/* A condition of rows: COLUMN=VALUE. */
struct condition {
    const char *column, *value;
};

static bool meets(const struct result_table *row, const struct condition *condition, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(result_table_text(row, condition[i].column), condition[i].value) != 0) {
            return false;
        }
    }
    return true;
}

/* FILE [COLUMN=VALUE ...], and the text that each row fills that meets all conditions. */
static enum status put_rows(struct filling *page, char *place, const char *begin, const char *end)
{
    struct result_table table;
    struct condition condition[CONDITIONS_MAX];
    size_t count = 0;
    char *rest = place;
    const char *file = strsep(&rest, " ");
    enum status status = result_table_open(&table, page->request->runs, file, page->diagnostic);
    for (char *text = strsep(&rest, " "); status == STATUS_OK && text != NULL;
         text = strsep(&rest, " ")) {
        const char *column = strsep(&text, "=");
        if (text == NULL || count == CONDITIONS_MAX) {
            status =
                refuse(page, text == NULL ? "not COLUMN=VALUE" : "too many conditions", column);
        } else {
            status = result_table_require(&table, column, page->diagnostic);
            condition[count++] = (struct condition){column, text};
        }
    }
    page->rows = &table;
    while (status == STATUS_OK && result_table_next(&table)) {
        if (meets(&table, condition, count)) {
            status = fill(page, begin, end);
        }
    }
    page->rows = NULL;
    return result_table_end(&table, status, page->diagnostic);
}

static enum status fill_place(struct filling *page, char *place)
{
    static const struct {
        const char *word;
        enum status (*put)(struct filling *page, char *rest);
    } WORD[] = {{"report ", put_report}, {"phases ", put_phases}, {"text ", put_file}};
    for (size_t i = 0; i < sizeof WORD / sizeof *WORD; i++) {
        const size_t length = strlen(WORD[i].word);
        if (strncmp(place, WORD[i].word, length) == 0) {
            return WORD[i].put(page, place + length);
        }
    }
    return put_value(page, place);
}

static int line_of(const struct filling *page, const char *at)
{
    int line = 1;
    for (const char *c = page->text; c < at; c++) {
        line += *c == '\n';
    }
    return line;
}

static enum status fill(struct filling *page, const char *begin, const char *end)
{
    static const char ROWS[] = "rows ";
    static const char END[] = "{{end}}";
    enum status status = STATUS_OK;
    while (status == STATUS_OK && begin < end) {
        char place[PLACE_CHARS];
        const char *open = strstr(begin, "{{");
        if (open == NULL || open >= end) {
            (void)fwrite(begin, 1, (size_t)(end - begin), page->stream);
            break;
        }
        (void)fwrite(begin, 1, (size_t)(open - begin), page->stream);
        const char *close = strstr(open, "}}");
        if (close == NULL || close - open >= PLACE_CHARS) {
            status = refuse(page, "no place ends here", "{{");
            diagnostic_at(page->diagnostic, page->request->file, line_of(page, open), 0);
            break;
        }
        (void)snprintf(place, sizeof place, "%.*s", (int)(close - open - 2), open + 2);
        begin = close + 2;
        if (strncmp(place, ROWS, strlen(ROWS)) == 0) {
            const char *last = strstr(begin, END);
            status = last == NULL || page->rows != NULL
                         ? refuse(page, "rows without an end, or in rows", place)
                         : put_rows(page, place + strlen(ROWS), begin, last);
            begin = last == NULL ? end : last + strlen(END);
        } else {
            status = fill_place(page, place);
        }
        if (status != STATUS_OK && page->diagnostic->file[0] == '\0') {
            diagnostic_at(page->diagnostic, page->request->file, line_of(page, open), 0);
        }
    }
    return status;
}

enum status template_fill(FILE *stream, const struct template_request *request,
                          struct diagnostic *diagnostic)
{
    FREED uint8_t *bytes = NULL;
    size_t size = 0;
    TRY(file_read(request->file, FILE_TABLE_BYTES, &bytes, &size, diagnostic));
    struct filling page = {.stream = stream,
                           .request = request,
                           .diagnostic = diagnostic,
                           .text = (const char *)bytes};
    return fill(&page, page.text, page.text + size);
}
