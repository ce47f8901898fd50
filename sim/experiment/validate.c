/* validate.c - see validate.h. */
#include "sim/experiment/validate.h"
#include "sim/experiment/validate_reads.h"

#include "sim/file.h"
#include "sim/reports/run_values.h"
#include "sim/results/result_table.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_CHARS = 128 };

/* Runs the row's experiment into out/RUN. */
static enum status run_row(FILE *stream, const struct validate_request *request,
                           const struct result_table *row, struct diagnostic *diagnostic)
{
    (void)stream;
    const char *set = result_table_text(row, "set");
    FREED char *file = file_join(request->run.configs_folder, result_table_text(row, "experiment"));
    FREED char *folder = file_join(request->out, result_table_text(row, "run"));
    RELEASED(experiment_destroy) struct experiment *run = calloc(1, sizeof *run);
    struct experiment_request of = request->run;
    of.file = file;
    of.sets = &set;
    of.set_count = set[0] != '\0';
    if (file == NULL || folder == NULL || run == NULL) {
        return no_memory(diagnostic);
    }
    TRY(experiment_prepare(run, &of, diagnostic));
    TRY(experiment_record(run, folder, true, diagnostic));
    return experiment_verdict(run, diagnostic);
}

/* The deviation of the model's figure from the published one. */
static void name_difference(const struct result_table *row, const char *shown,
                            char difference[SHOWN_CHARS])
{
    const char *published = result_table_text(row, "published");
    const double low = result_table_number(row, "low");
    const double high = result_table_number(row, "high");
    const double model = strtod(shown, NULL);
    char *end;
    const double number = strtod(published, &end);
    const char *text = "-";
    if (published[0] == '\0') {
        text = "unvalidated";
    } else if (low <= high) {
        text = low <= model && model <= high ? "within" : "outside";
    } else if (*end == '\0') {
        (void)snprintf(difference, SHOWN_CHARS, "%+.1f %%", 100 * (model / number - 1));
        return;
    }
    (void)snprintf(difference, SHOWN_CHARS, "%s", text);
}

static const char *or_none(const char *text)
{
    return text[0] == '\0' ? "-" : text;
}

static enum status write_row(FILE *stream, const struct validate_request *request,
                             const struct result_table *row, struct diagnostic *diagnostic)
{
    char shown[SHOWN_CHARS];
    char difference[SHOWN_CHARS];
    const struct expression_scope scope = run_values(request->out);
    const enum status status =
        expression_format(shown, sizeof shown, result_table_text(row, "format"),
                          result_table_text(row, "model"), &scope, diagnostic);
    if (status != STATUS_OK) {
        diagnostic_at(diagnostic, row->path, row->line, 0);
        return status;
    }
    name_difference(row, shown, difference);
    (void)fprintf(stream, "| %s | %s | %s | %s | %s | %s |\n", result_table_text(row, "figure"),
                  or_none(result_table_text(row, "published")),
                  or_none(result_table_text(row, "source")),
                  or_none(result_table_text(row, "kind")), shown, difference);
    return STATUS_OK;
}

/* What is done with each row of a table. */
typedef enum status row_work(FILE *stream, const struct validate_request *request,
                             const struct result_table *row, struct diagnostic *diagnostic);

static enum status each_row(const char *file, row_work *work, FILE *stream,
                            const struct validate_request *request, struct diagnostic *diagnostic)
{
    struct result_table table;
    enum status status = STATUS_OK;
    TRY(result_table_open(&table, request->folder, file, diagnostic));
    while (status == STATUS_OK && result_table_next(&table)) {
        status = work(stream, request, &table, diagnostic);
    }
    return result_table_end(&table, status, diagnostic);
}

enum status validate_write(FILE *stream, const struct validate_request *request,
                           struct diagnostic *diagnostic)
{
    TRY(file_make_folder(request->out, diagnostic));
    TRY(each_row("runs.csv", run_row, stream, request, diagnostic));
    if (request->image != NULL) {
        TRY(each_row("reads.csv", validate_reads, stream, request, diagnostic));
    }
    (void)fputs("| figure | published | source | kind | model | difference |\n"
                "| --- | ---: | --- | --- | ---: | ---: |\n",
                stream);
    TRY(each_row("published.csv", write_row, stream, request, diagnostic));
    return request->image == NULL
               ? STATUS_OK
               : each_row("published_image.csv", write_row, stream, request, diagnostic);
}
