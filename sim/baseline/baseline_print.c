/* baseline_print.c - the row of `spinnsim baseline` as text, CSV and JSON. */
#include "sim/baseline/baseline.h"
#include "sim/csv.h"
#include "sim/results/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Empty when it is not known. */
static const char *real_cell(double value, char text[REAL_TEXT_CHARS])
{
    if (!isfinite(value)) {
        return "";
    }
    (void)snprintf(text, REAL_TEXT_CHARS, "%.6g", value);
    return text;
}

static void print_csv(const struct baseline_row *row, FILE *out)
{
    static const char NAMES[] =
#define NAME(name, meaning) "," #name
#define TEXT                NAME
#define WHOLE               NAME
#define REAL                NAME
#define HOST_TEXT           NAME
#define HOST_REAL           NAME
#include "sim/baseline/baseline_columns.def"
        ;
    char text[REAL_TEXT_CHARS];
    const char *comma = "";
    (void)fprintf(out, "%s\n", NAMES + 1);
#define CELL(format, value)                                                                        \
    (void)fprintf(out, "%s" format, comma, value);                                                 \
    comma = ",";
#define CELL_TEXT(value)                                                                           \
    (void)fputs(comma, out);                                                                       \
    csv_text(out, value);                                                                          \
    comma = ",";
#define TEXT(name, meaning)      CELL_TEXT(row->name)
#define WHOLE(name, meaning)     CELL("%" PRIu64, row->name)
#define REAL(name, meaning)      CELL("%s", real_cell(row->name, text))
#define HOST_TEXT(name, meaning) CELL_TEXT(row->host.name)
#define HOST_REAL(name, meaning) CELL("%s", real_cell(row->host.name, text))
#include "sim/baseline/baseline_columns.def"
    (void)fprintf(out, "\n");
}

static void print_json(const struct baseline_row *row, FILE *out)
{
    struct json json;
    json_begin(&json, out);
#define TEXT(name, meaning)      json_text(&json, #name, row->name);
#define WHOLE(name, meaning)     json_whole(&json, #name, row->name);
#define REAL(name, meaning)      json_real(&json, #name, row->name);
#define HOST_TEXT(name, meaning) json_text(&json, #name, row->host.name);
#define HOST_REAL(name, meaning) json_real(&json, #name, row->host.name);
#include "sim/baseline/baseline_columns.def"
    json_end(&json);
}

static void print_table(const struct baseline_row *row, FILE *out)
{
    static const double PERCENT = 100;
    static const double MICRO = 1e6;
    (void)fprintf(out, "%s: %s trained by %s%s%s, %" PRIu64 " thread%s, %" PRIu64 " process%s\n",
                  row->experiment, row->network, row->program,
                  row->instructions[0] == '\0' ? "" : " with ", row->instructions, row->threads,
                  row->threads == 1 ? "" : "s", row->processes, row->processes == 1 ? "" : "es");
    (void)fprintf(out, "accuracy        %.2f %%, loss %.4g\n", PERCENT * row->accuracy, row->loss);
    (void)fprintf(out,
                  "training        %.6g s (%.6g to %.6g, %" PRIu64
                  " repeat%s), %.6g s of CPU time; "
                  "with files %.6g s\n",
                  row->seconds_train, row->seconds_train_least, row->seconds_train_most,
                  row->repeats, row->repeats == 1 ? "" : "s", row->cpu_seconds, row->seconds_cold);
    (void)fprintf(out, "work            %" PRIu64 " images, %" PRIu64 " updates of %" PRIu64 "\n",
                  row->images, row->updates, row->batch);
    (void)fprintf(out, "speed           %.6g images/s, %.4g GFLOP/s; of a core %.4g GFLOP/s\n",
                  row->images_per_second, row->gflops, row->gflops_core);
    (void)fprintf(out, "test            %.6g s\n", row->seconds_test);
    (void)fprintf(out, "energy          %.4g J (%.4g to %.4g), %s\n", row->joules, row->joules_low,
                  row->joules_high, row->joules_kind);
    (void)fprintf(out, "per image       %.4g uJ (%.4g to %.4g)\n",
                  MICRO * row->joules / (double)row->images,
                  MICRO * row->joules_low / (double)row->images,
                  MICRO * row->joules_high / (double)row->images);
    (void)fprintf(out, "host            %s, load %.2f, %s\n", row->host.cpu, row->host.load,
                  row->host.compiler);
}

void baseline_print(const struct baseline_row *row, enum baseline_format format, FILE *out)
{
    static void (*const PRINT[])(const struct baseline_row *, FILE *) = {
        [BASELINE_TABLE] = print_table, [BASELINE_CSV] = print_csv, [BASELINE_JSON] = print_json};
    PRINT[format](row, out);
}
