/* backends.c - see backends.h. */
#include "sim/backends/backends.h"

#include <string.h>

#define NEED(NAME) BACKEND_BIT(BACKEND_CAN_##NAME)
const struct backend_capability_row BACKEND_CAPABILITY[] = {
#define CAPABILITY(NAME, name, minimal, needs, fallback, meaning)                                  \
    {name, (minimal) != 0, needs, fallback, meaning},
#include "sim/backends/backends.def"
};

const struct backend_row BACKEND_ROW[] = {
#define BACKEND(NAME, name, choice, numbers, operations) {name, choice, numbers, operations},
#include "sim/backends/backends.def"
};

uint32_t backend_has(const struct spinnsim_backend *operations)
{
    const struct {
        enum backend_capability of;
        bool has;
    } part[] = {
        {BACKEND_CAN_ALLOCATE, operations->allocate != NULL},
        {BACKEND_CAN_FREE, operations->free != NULL},
        {BACKEND_CAN_LOAD, operations->load != NULL},
        {BACKEND_CAN_DUMP, operations->dump != NULL},
        {BACKEND_CAN_GEMV, operations->gemv != NULL},
        {BACKEND_CAN_ELEMENTWISE, operations->elementwise != NULL},
        {BACKEND_CAN_REDUCE, operations->reduce != NULL},
        {BACKEND_CAN_SYNC, operations->sync != NULL},
        {BACKEND_CAN_COST, operations->cost != NULL},
        {BACKEND_CAN_CONVOLUTION, operations->convolve != NULL &&
                                      operations->convolve_gradient != NULL &&
                                      operations->convolve_back != NULL},
        {BACKEND_CAN_POOLING, operations->pool != NULL && operations->pool_back != NULL},
        {BACKEND_CAN_SOFTMAX, operations->softmax != NULL},
        {BACKEND_CAN_OPTIMIZER, operations->optimize != NULL},
    };
    uint32_t has = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        has |= part[i].has ? BACKEND_BIT(part[i].of) : 0;
    }
    return has;
}

/* ---- run.without ---- */

static enum status refuse(struct diagnostic *diagnostic)
{
    diagnostic_key(diagnostic, "run.without");
    return STATUS_CONFIGURATION;
}

static bool find(const char *name, size_t length, uint32_t *without)
{
    static const char NOTHING[] = "nothing";
    if (length == sizeof NOTHING - 1 && memcmp(name, NOTHING, length) == 0) {
        return true;
    }
    for (size_t i = 0; i < BACKEND_CAPABILITIES; i++) {
        if (strlen(BACKEND_CAPABILITY[i].name) == length &&
            memcmp(name, BACKEND_CAPABILITY[i].name, length) == 0) {
            *without |= BACKEND_BIT(i);
            return true;
        }
    }
    return false;
}

enum status backend_read_without(const char *text, uint32_t *without, struct diagnostic *diagnostic)
{
    static const char BETWEEN[] = ", ";
    *without = 0;
    for (text += strspn(text, BETWEEN); *text != '\0'; text += strspn(text, BETWEEN)) {
        const size_t length = strcspn(text, BETWEEN);
        if (!find(text, length, without)) {
            (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                           "%.*s is no capability of a backend\v`spinnsim backends` lists them; "
                           "`nothing` switches none off, and counts operations",
                           (int)length, text);
            return refuse(diagnostic);
        }
        text += length;
    }
    return STATUS_OK;
}

/* What is left, by itself or by fallbacks. */
static uint32_t left_of(uint32_t has)
{
    uint32_t left = has;
    for (size_t rounds = 0; rounds < BACKEND_CAPABILITIES; rounds++) {
        for (size_t i = 0; i < BACKEND_CAPABILITIES; i++) {
            const uint32_t needs = BACKEND_CAPABILITY[i].needs;
            left |= needs != 0 && (needs & ~left) == 0 ? BACKEND_BIT(i) : 0;
        }
    }
    return left;
}

enum status backend_check(const char *name, uint32_t has, uint32_t without,
                          struct diagnostic *diagnostic)
{
    const uint32_t left = left_of(has & ~without);
    for (size_t i = 0; i < BACKEND_CAPABILITIES; i++) {
        const struct backend_capability_row *row = &BACKEND_CAPABILITY[i];
        if ((left >> i & 1) != 0) {
            continue;
        }
        if (row->needs != 0) {
            const uint32_t missing = row->needs & ~left;
            const struct backend_capability_row *need = &BACKEND_CAPABILITY[__builtin_ctz(missing)];
            (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                           "nothing is left of backend %s to make %s of: its fallback, %s, needs "
                           "%s\vleave %s on",
                           name, row->name, row->fallback, need->name, need->name);
        } else {
            (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                           "nothing is left of backend %s to make %s of: it has no fallback\v"
                           "leave %s on",
                           name, row->name, row->name);
        }
        return refuse(diagnostic);
    }
    return STATUS_OK;
}

/* ---- the matrix ---- */

const char *backend_cell(enum backend_number row, enum backend_capability capability)
{
    const struct backend_capability_row *of = &BACKEND_CAPABILITY[capability];
    if (row == BACKEND_ROW_LIBRARY) {
        return of->minimal ? "required" : "optional";
    }
    if (row == BACKEND_ROW_SPINNAKER) {
        return capability == BACKEND_CAN_OPTIMIZER ? "switch" : "yes";
    }
    return of->needs != 0 ? "switch" : "yes";
}

static void print_text(FILE *out)
{
    enum { FIRST = 13, CELL = 15 };
    (void)fprintf(out, "%-*s", FIRST, "");
    for (size_t b = 0; b < BACKEND_ROWS; b++) {
        (void)fprintf(out, "%-*s", CELL, BACKEND_ROW[b].name);
    }
    (void)fprintf(out, "fallback\n");
    for (size_t c = 0; c < BACKEND_CAPABILITIES; c++) {
        (void)fprintf(out, "%-*s", FIRST, BACKEND_CAPABILITY[c].name);
        for (size_t b = 0; b < BACKEND_ROWS; b++) {
            (void)fprintf(out, "%-*s", CELL,
                          backend_cell((enum backend_number)b, (enum backend_capability)c));
        }
        const char *fallback = BACKEND_CAPABILITY[c].fallback;
        (void)fprintf(out, "%s\n", fallback[0] == '\0' ? "-" : fallback);
    }
    (void)fprintf(out, "\nyes: always there; switch: `--without` switches it off, and the fallback "
                       "computes it;\nrequired, optional: of the user's file\n\n");
    for (size_t b = 0; b < BACKEND_ROWS; b++) {
        (void)fprintf(out, "%-*s%s; numbers: %s\n", CELL, BACKEND_ROW[b].name,
                      BACKEND_ROW[b].choice, BACKEND_ROW[b].numbers);
    }
}

static void print_csv(FILE *out)
{
    (void)fprintf(out, "capability,meaning");
    for (size_t b = 0; b < BACKEND_ROWS; b++) {
        (void)fprintf(out, ",\"%s\"", BACKEND_ROW[b].name);
    }
    (void)fprintf(out, ",fallback\n");
    for (size_t c = 0; c < BACKEND_CAPABILITIES; c++) {
        const struct backend_capability_row *row = &BACKEND_CAPABILITY[c];
        (void)fprintf(out, "%s,\"%s\"", row->name, row->meaning);
        for (size_t b = 0; b < BACKEND_ROWS; b++) {
            (void)fprintf(out, ",%s",
                          backend_cell((enum backend_number)b, (enum backend_capability)c));
        }
        (void)fprintf(out, ",\"%s\"\n", row->fallback);
    }
}

static void print_json(FILE *out)
{
    (void)fprintf(out, "{\n  \"backends\": [");
    for (size_t b = 0; b < BACKEND_ROWS; b++) {
        const struct backend_row *row = &BACKEND_ROW[b];
        (void)fprintf(out, "%s\n    {\"name\": \"%s\", \"choice\": \"%s\", \"numbers\": \"%s\"}",
                      b == 0 ? "" : ",", row->name, row->choice, row->numbers);
    }
    (void)fprintf(out, "\n  ],\n  \"capabilities\": [");
    for (size_t c = 0; c < BACKEND_CAPABILITIES; c++) {
        const struct backend_capability_row *row = &BACKEND_CAPABILITY[c];
        (void)fprintf(out,
                      "%s\n    {\"name\": \"%s\", \"meaning\": \"%s\", \"minimal\": %s, "
                      "\"fallback\": \"%s\", \"of\": {",
                      c == 0 ? "" : ",", row->name, row->meaning, row->minimal ? "true" : "false",
                      row->fallback);
        for (size_t b = 0; b < BACKEND_ROWS; b++) {
            (void)fprintf(out, "%s\"%s\": \"%s\"", b == 0 ? "" : ", ", BACKEND_ROW[b].name,
                          backend_cell((enum backend_number)b, (enum backend_capability)c));
        }
        (void)fprintf(out, "}}");
    }
    (void)fprintf(out, "\n  ]\n}\n");
}

static void print_markdown(FILE *out)
{
    (void)fprintf(out, "| capability |");
    for (size_t b = 0; b < BACKEND_ROWS; b++) {
        (void)fprintf(out, " %s |", BACKEND_ROW[b].name);
    }
    (void)fprintf(out, " fallback |\n| --- |");
    for (size_t b = 0; b < BACKEND_ROWS; b++) {
        (void)fprintf(out, " --- |");
    }
    (void)fprintf(out, " --- |\n");
    for (size_t c = 0; c < BACKEND_CAPABILITIES; c++) {
        const struct backend_capability_row *row = &BACKEND_CAPABILITY[c];
        (void)fprintf(out, "| `%s`: %s |", row->name, row->meaning);
        for (size_t b = 0; b < BACKEND_ROWS; b++) {
            (void)fprintf(out, " %s |",
                          backend_cell((enum backend_number)b, (enum backend_capability)c));
        }
        (void)fprintf(out, " %s |\n", row->fallback[0] == '\0' ? "-" : row->fallback);
    }
}

void backend_print(enum backend_format format, FILE *out)
{
    static void (*const PRINT[])(FILE * out) = {[BACKEND_TEXT] = print_text,
                                                [BACKEND_CSV] = print_csv,
                                                [BACKEND_JSON] = print_json,
                                                [BACKEND_MARKDOWN] = print_markdown};
    PRINT[format](out);
}
