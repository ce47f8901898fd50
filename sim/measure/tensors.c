/* tensors.c - see tensors.h. */
#include "sim/measure/tensors.h"

#include "sim/csv.h"
#include "sim/data/npz.h"
#include "sim/results/result_table.h"
#include "sim/steps.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const char WEIGHTS[] = "weights.npz";
static const char PREDICTIONS[] = "predictions.csv";

struct pair {
    const char *a, *b; /* folders */
    FILE *csv;
    struct tensors_report *report;
    struct diagnostic *diagnostic;
};

static void add_value(struct tensors_row *row, double a, double b)
{
    const double difference = fabs(a - b);
    if (difference != 0 && row->differing++ == 0) {
        row->at = row->values;
    }
    row->largest = difference > row->largest ? difference : row->largest;
    row->values++;
}

static void add_row(const struct pair *pair, const struct tensors_row *row)
{
    struct tensors_report *report = pair->report;
    report->tensors++;
    if (row->differing > 0 && report->differing++ == 0) {
        report->first = *row;
    }
    if (pair->csv != NULL) {
        csv_text(pair->csv, row->name);
        (void)fprintf(pair->csv, ",%llu,%llu,", row->values, row->differing);
        if (row->differing > 0) {
            (void)fprintf(pair->csv, "%llu", row->at);
        }
        (void)fprintf(pair->csv, ",%.9g\n", row->largest);
    }
}

/* ---- weights.npz ---- */

struct files {
    struct npz a, b;
};

static void files_deinit(struct files *files)
{
    npz_close(&files->a);
    npz_close(&files->b);
}

static double item_of(const struct npz_array *array, size_t i)
{
    switch (array->type) {
    case NPZ_INT8:
        return ((const int8_t *)array->data)[i];
    case NPZ_UINT8:
        return ((const uint8_t *)array->data)[i];
    case NPZ_INT16:
        return ((const int16_t *)array->data)[i];
    case NPZ_INT32:
        return ((const int32_t *)array->data)[i];
    case NPZ_INT64:
        return (double)((const int64_t *)array->data)[i];
    case NPZ_FLOAT32:
        return (double)((const float *)array->data)[i];
    case NPZ_FLOAT64:
        return ((const double *)array->data)[i];
    case NPZ_TEXT:
        break;
    }
    return 0;
}

/* A step of the array's values as a real number: integers have the file's weight_fraction. */
static double step_of(const struct npz *npz, const struct npz_array *array)
{
    const struct npz_array *fraction = npz_find(npz, "weight_fraction");
    const bool is_real = array->type == NPZ_FLOAT32 || array->type == NPZ_FLOAT64;
    return is_real || fraction == NULL || fraction->type != NPZ_INT32 || fraction->rank != 0
               ? 1
               : ldexp(1, -*(const int32_t *)fraction->data);
}

static bool has_same_shape(const struct npz_array *a, const struct npz_array *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

static enum status compare_array(const struct pair *pair, const struct files *files,
                                 const struct npz_array *a)
{
    const struct npz_array *b = npz_find(&files->b, a->name);
    if (b == NULL || b->type == NPZ_TEXT || !has_same_shape(a, b)) {
        return npz_refuse(&files->b, a->name, "compare results of one network", pair->diagnostic,
                          "%s", b == NULL ? "this tensor is not there" : "it has another shape");
    }
    struct tensors_row row = {0};
    const double step_a = step_of(&files->a, a);
    const double step_b = step_of(&files->b, b);
    (void)snprintf(row.name, sizeof row.name, "%s", a->name);
    for (size_t i = 0; i < a->count; i++) {
        add_value(&row, step_a * item_of(a, i), step_b * item_of(b, i));
    }
    add_row(pair, &row);
    return STATUS_OK;
}

static bool is_tensor(const struct npz_array *array)
{
    return array->rank > 0 && array->type != NPZ_TEXT;
}

static size_t count_tensors(const struct npz *npz)
{
    size_t count = 0;
    for (size_t i = 0; i < npz->count; i++) {
        count += is_tensor(&npz->array[i]);
    }
    return count;
}

static enum status open_weights(const char *folder, struct npz *npz, struct diagnostic *diagnostic)
{
    FREED char *path = file_join(folder, WEIGHTS);
    return path == NULL ? no_memory(diagnostic) : npz_open(npz, path, FILE_TABLE_BYTES, diagnostic);
}

static enum status compare_weights(const struct pair *pair)
{
    RELEASED(files_deinit) struct files files = {0};
    TRY(open_weights(pair->a, &files.a, pair->diagnostic));
    TRY(open_weights(pair->b, &files.b, pair->diagnostic));
    for (size_t i = 0; i < files.a.count; i++) {
        if (is_tensor(&files.a.array[i])) {
            TRY(compare_array(pair, &files, &files.a.array[i]));
        }
    }
    if (count_tensors(&files.a) != count_tensors(&files.b)) {
        return npz_refuse(&files.b, NULL, "compare results of one network, both in one format",
                          pair->diagnostic, "it has tensors that %s has not", files.a.path);
    }
    return STATUS_OK;
}

/* ---- predictions.csv ---- */

struct answers {
    struct result_table a, b;
};

static void answers_deinit(struct answers *answers)
{
    result_table_close(&answers->a);
    result_table_close(&answers->b);
}

/* The answers of one image. */
static enum status compare_image(const struct pair *pair, const struct answers *answers,
                                 struct tensors_row *row)
{
    struct tensors_report *report = pair->report;
    const unsigned long long before = row->differing;
    for (unsigned i = 0; i < answers->a.columns; i++) {
        const char *column = answers->a.head[i];
        if (strncmp(column, "logit_", strlen("logit_")) == 0) {
            double a;
            double b;
            if (!result_table_take_real(&answers->a, column, &a)) {
                return result_table_refuse(&answers->a, NULL, NULL, pair->diagnostic);
            }
            if (!result_table_take_real(&answers->b, column, &b)) {
                return result_table_refuse(&answers->b, NULL, NULL, pair->diagnostic);
            }
            add_value(row, a, b);
        }
    }
    const bool is_other = strcmp(result_table_text(&answers->a, "predicted"),
                                 result_table_text(&answers->b, "predicted")) != 0;
    report->other_class += is_other;
    if ((row->differing > before || is_other) && report->first_image == UINT64_MAX) {
        report->first_image = report->images;
    }
    report->images++;
    return STATUS_OK;
}

static enum status compare_answers(const struct pair *pair)
{
    RELEASED(answers_deinit) struct answers answers = {0};
    struct tensors_row row = {.name = "predictions.csv: logits"};
    TRY(result_table_open(&answers.a, pair->a, PREDICTIONS, pair->diagnostic));
    TRY(result_table_open(&answers.b, pair->b, PREDICTIONS, pair->diagnostic));
    bool more = true;
    while (more) {
        more = result_table_next(&answers.a);
        if (result_table_next(&answers.b) != more || answers.a.columns != answers.b.columns) {
            return result_table_refuse(&answers.b, NULL,
                                       "compare results of one network on the same images",
                                       pair->diagnostic);
        }
        if (more) {
            TRY(compare_image(pair, &answers, &row));
        }
    }
    TRY(result_table_end(&answers.a, STATUS_OK, pair->diagnostic));
    TRY(result_table_end(&answers.b, STATUS_OK, pair->diagnostic));
    add_row(pair, &row);
    return STATUS_OK;
}

/* ---- both ---- */

enum status tensors_compare(const char *a, const char *b, FILE *csv, struct tensors_report *report,
                            struct diagnostic *diagnostic)
{
    const struct pair pair = {a, b, csv, report, diagnostic};
    const bool has_weights = file_is_in(a, WEIGHTS);
    const bool has_answers = file_is_in(a, PREDICTIONS);
    *report = (struct tensors_report){.first_image = UINT64_MAX};
    if (!has_weights && !has_answers) {
        return file_refuse(a, "name result folders of networks", diagnostic,
                           "it has neither %s nor %s", WEIGHTS, PREDICTIONS);
    }
    if (csv != NULL) {
        (void)fprintf(csv, "tensor,values,differing,first_place,largest\n");
    }
    TRY(has_weights ? compare_weights(&pair) : STATUS_OK);
    return has_answers ? compare_answers(&pair) : STATUS_OK;
}

void tensors_tell(const struct tensors_report *report, FILE *stream)
{
    if (report->differing == 0 && report->other_class == 0) {
        (void)fprintf(stream, "%llu tensors and %llu images: nothing differs\n", report->tensors,
                      report->images);
        return;
    }
    if (report->differing > 0) {
        (void)fprintf(stream,
                      "%llu of %llu tensors differ, first %s: %llu of %llu values, from place "
                      "%llu on, by up to %.9g\n",
                      report->differing, report->tensors, report->first.name,
                      report->first.differing, report->first.values, report->first.at,
                      report->first.largest);
    }
    if (report->first_image != UINT64_MAX) {
        (void)fprintf(stream,
                      "image %llu is the first of %llu with another answer; %llu in "
                      "another class\n",
                      report->first_image, report->images, report->other_class);
    }
}
