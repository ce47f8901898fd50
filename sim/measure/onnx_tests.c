/* onnx_tests.c - see onnx_tests.h. */
#include "sim/measure/onnx_tests.h"

#include "sim/csv.h"
#include "sim/file.h"
#include "sim/steps.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* A test's operators and why it was refused, to be counted. */
struct reason {
    char text[ONNX_OPERATORS_CHARS + DIAGNOSTIC_TEXT_CHARS];
    unsigned long long count;
};

struct reasons {
    struct reason *of; /* [count], room for all tests; owned */
    size_t count;
};

static void reasons_deinit(struct reasons *reasons)
{
    free(reasons->of);
}

/* Names of values and numbers differ from test to test: numbers become "#". */
static void generalise(const char *from, char *to, size_t size)
{
    size_t length = 0;
    bool in_number = false;
    for (; *from != '\0' && length + 1 < size; from++) {
        const bool is_digit = *from >= '0' && *from <= '9';
        if (!is_digit || !in_number) {
            to[length++] = (char)(is_digit ? '#' : *from);
        }
        in_number = is_digit;
    }
    to[length] = '\0';
}

static void count_reason(struct reasons *reasons, const char *text)
{
    struct reason *next = &reasons->of[reasons->count];
    generalise(text, next->text, sizeof next->text);
    for (size_t i = 0; i < reasons->count; i++) {
        if (strcmp(reasons->of[i].text, next->text) == 0) {
            reasons->of[i].count++;
            return;
        }
    }
    next->count = 1;
    reasons->count++;
}

static int by_count(const void *left, const void *right)
{
    const struct reason *a = left;
    const struct reason *b = right;
    return a->count != b->count ? (a->count < b->count ? 1 : -1) : strcmp(a->text, b->text);
}

static void write_row(FILE *csv, const char *name, const struct onnx_case *test)
{
    csv_text(csv, name);
    (void)fputc(',', csv);
    csv_text(csv, test->operators);
    (void)fprintf(csv, ",%s,%llu,%.3g,", onnx_verdict_text(test->verdict), test->values,
                  test->largest);
    csv_text(csv, test->reason);
    (void)fputc('\n', csv);
}

static void write_report(FILE *report, struct reasons *reasons, const struct onnx_counts *counts)
{
    qsort(reasons->of, reasons->count, sizeof *reasons->of, by_count);
    if (reasons->count > 0) {
        (void)fprintf(report, "Refused, by reason:\n");
    }
    for (size_t i = 0; i < reasons->count; i++) {
        (void)fprintf(report, "%7llu  %s\n", reasons->of[i].count, reasons->of[i].text);
    }
    for (size_t i = 0; i < ONNX_VERDICTS; i++) {
        (void)fprintf(report, "%s%llu %s", i == 0 ? "" : ", ", counts->of[i],
                      onnx_verdict_text((enum onnx_verdict)i));
    }
    (void)fputc('\n', report);
}

enum status onnx_tests_run(const char *folder, FILE *csv, FILE *report, struct onnx_counts *counts,
                           struct diagnostic *diagnostic)
{
    RELEASED(file_names_deinit) struct file_names names = {0};
    RELEASED(reasons_deinit) struct reasons reasons = {0};
    unsigned long long tests = 0;
    *counts = (struct onnx_counts){0};
    if (!file_names_take(&names, AT_FDCWD, folder)) {
        return file_cannot("read", folder, diagnostic);
    }
    reasons.of = calloc(names.count + 1, sizeof *reasons.of);
    if (reasons.of == NULL) {
        return no_memory(diagnostic);
    }
    if (csv != NULL) {
        (void)fprintf(csv, "test,operators,verdict,values,largest_difference,reason\n");
    }
    for (size_t i = 0; i < names.count; i++) {
        struct onnx_case test;
        const char *name = names.entry[i]->d_name;
        FREED char *path = file_join(folder, name);
        if (path == NULL) {
            return no_memory(diagnostic);
        }
        if (!file_is_in(path, "model.onnx")) {
            continue;
        }
        TRY(onnx_case_run(path, &test, diagnostic));
        tests++;
        counts->of[test.verdict]++;
        if (csv != NULL) {
            write_row(csv, name, &test);
        }
        if (test.verdict == ONNX_REFUSED) {
            count_reason(&reasons, test.reason);
        } else if (test.verdict == ONNX_FAILED) {
            (void)fprintf(report, "failed: %s (%s): %s\n", name, test.operators, test.reason);
        }
    }
    if (tests == 0) {
        return file_refuse(folder, "name onnx/backend/test/data/node of a checkout of ONNX",
                           diagnostic, "no folder in it has a model.onnx");
    }
    write_report(report, &reasons, counts);
    return STATUS_OK;
}
