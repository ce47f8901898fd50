/* golden.c - see golden.h. */
#include "sim/experiment/golden.h"

#include "sim/file.h"
#include "sim/results/printable.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char HEADER[] = "name,value";
static const char PROGRAM[] = "program ";

/* ---- rows ---- */

static struct golden_row *add_row(struct golden *golden)
{
    struct golden_row *larger = realloc(golden->row, (golden->count + 1) * sizeof *larger);
    if (larger == NULL) {
        return NULL;
    }
    golden->row = larger;
    memset(&larger[golden->count], 0, sizeof *larger);
    return &larger[golden->count++];
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

bool golden_is_count(const struct golden_row *row)
{
    return strcmp(row->name, "experiment") != 0 && strcmp(row->name, "compiler") != 0 &&
           strncmp(row->name, PROGRAM, strlen(PROGRAM)) != 0;
}

/* ---- files ---- */

/* name,value; the value may be in quotes. */
static bool take_line(struct golden *golden, char *line)
{
    char *comma = strchr(line, ',');
    if (comma == NULL || comma == line) {
        return false;
    }
    *comma = '\0';
    char *value = comma + 1;
    size_t length = strlen(value);
    if (length >= 2 && value[0] == '"' && value[length - 1] == '"') {
        value[length - 1] = '\0';
        value++;
        length -= 2;
    }
    if (strlen(line) >= GOLDEN_NAME_CHARS || length >= GOLDEN_VALUE_CHARS || length == 0) {
        return false;
    }
    struct golden_row *row = add_row(golden);
    if (row == NULL) {
        return false;
    }
    memcpy(row->name, line, strlen(line) + 1);
    memcpy(row->value, value, length + 1);
    return true;
}

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

/* The first row whose name another has had before; the number of rows: none; SIZE_MAX: no memory.
 */
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

static enum status refuse_line(const char *path, int number, struct diagnostic *diagnostic)
{
    (void)diagnose(diagnostic, STATUS_CONFIGURATION, "not a line of a golden");
    diagnostic_at(diagnostic, path, number, 0);
    diagnostic_hint(diagnostic, "scripts/bless_goldens.sh writes these files");
    return STATUS_CONFIGURATION;
}

/* Each line but the first is a row. */
static enum status refuse_repeated(const struct golden *golden, const char *path,
                                   struct diagnostic *diagnostic)
{
    const size_t row = find_repeated(golden);
    return row == SIZE_MAX        ? diagnose(diagnostic, STATUS_INTERNAL, "out of memory")
           : row == golden->count ? STATUS_OK
                                  : refuse_line(path, (int)row + 2, diagnostic);
}

enum status golden_read(struct golden *golden, const char *path, struct diagnostic *diagnostic)
{
    uint8_t *bytes;
    size_t size;
    int number = 0;
    *golden = (struct golden){0};
    enum status status = file_read(path, FILE_TABLE_BYTES, &bytes, &size, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    char *rest = (char *)bytes;
    for (char *line = strsep(&rest, "\n"); line != NULL && status == STATUS_OK;
         line = strsep(&rest, "\n")) {
        number++;
        const bool good = number == 1 ? strcmp(line, HEADER) == 0
                                      : (*line == '\0' && rest == NULL) || take_line(golden, line);
        if (!good) {
            status = refuse_line(path, number, diagnostic);
        }
    }
    free(bytes);
    if (status == STATUS_OK) {
        status = refuse_repeated(golden, path, diagnostic);
    }
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
    (void)fprintf(writer.stream, "%s\n", HEADER);
    for (size_t i = 0; i < golden->count; i++) {
        (void)fprintf(writer.stream, "%s,", golden->row[i].name);
        csv_text(writer.stream, golden->row[i].value);
        (void)fputc('\n', writer.stream);
    }
    return file_commit(&writer, diagnostic);
}

/* ---- a run ---- */

static bool add_text(struct golden *golden, const char *name, const char *value)
{
    struct golden_row *row = add_row(golden);
    if (row == NULL) {
        return false;
    }
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    (void)snprintf(row->value, sizeof row->value, "%s", value);
    return true;
}

static bool add_count(struct golden *golden, const char *name, uint64_t value)
{
    char text[GOLDEN_VALUE_CHARS];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    return add_text(golden, name, text);
}

static bool add_sums(struct golden *golden, const char *prefix, const struct tally_sums *sums)
{
    bool good = true;
    for (size_t i = 0; i < sums->size && good; i++) {
        char name[GOLDEN_NAME_CHARS];
        (void)snprintf(name, sizeof name, "%s%s", prefix, sums->name[i]);
        good = sums->count[i].value == 0 || add_count(golden, name, sums->count[i].value);
    }
    return good;
}

static bool add_phase(struct golden *golden, const struct tally_phase *phase)
{
    char prefix[GOLDEN_NAME_CHARS];
    (void)snprintf(prefix, sizeof prefix, "%s/%s/%s:", stage_text(phase->stage), phase->phase.layer,
                   phase->phase.name);
    return add_sums(golden, prefix, &phase->sums);
}

static bool describe(struct golden *golden, const char *experiment, const struct experiment *run)
{
    bool good = add_text(golden, "experiment", experiment);
    if (good && run->job.program_count > 0) {
        good = add_text(golden, "compiler", run->job.program[0].image.compiler);
    }
    for (size_t i = 0; i < run->job.program_count && good; i++) {
        char name[GOLDEN_NAME_CHARS];
        (void)snprintf(name, sizeof name, "%s%s", PROGRAM, run->job.program[i].name);
        good = golden_value(golden, name) != NULL ||
               add_text(golden, name, run->job.program[i].digest);
    }
    return good;
}

enum status golden_of_run(struct golden *golden, const char *experiment,
                          const struct experiment *run, struct diagnostic *diagnostic)
{
    *golden = (struct golden){0};
    bool good = describe(golden, experiment, run) &&
                add_count(golden, "time_ps", run->outcome.time_ps) &&
                add_sums(golden, "", &run->record.tally.total);
    for (size_t i = 0; i < run->record.tally.phase_count && good; i++) {
        good = add_phase(golden, &run->record.tally.phase[i]);
    }
    if (!good) {
        golden_deinit(golden);
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    return STATUS_OK;
}
