/* regress.c - see regress.h. */
#include "sim/experiment/regress.h"

#include "sim/experiment/experiment.h"
#include "sim/file.h"
#include "sim/results/golden.h"
#include "sim/steps.h"

#include <assert.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char SUFFIX[] = ".csv";

/* ---- which goldens there are ---- */

static int is_golden(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > strlen(SUFFIX) && strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) == 0;
}

static enum status list_cases(const struct regress_request *request, struct regress_result *result,
                              struct diagnostic *diagnostic)
{
    struct dirent **entry = NULL;
    const int found = scandir(request->golden_folder, &entry, is_golden, alphasort);
    result->of = calloc((size_t)(found > 0 ? found : 0) + 1, sizeof *result->of);
    for (int i = 0; i < found; i++) {
        struct regress_case *at = &result->of[result->count];
        (void)snprintf(at->name, sizeof at->name, "%.*s",
                       (int)(strlen(entry[i]->d_name) - strlen(SUFFIX)), entry[i]->d_name);
        if (request->only == NULL || strcmp(request->only, at->name) == 0) {
            result->count++;
        }
        free(entry[i]);
    }
    free(entry);
    if (result->count > 0) {
        return STATUS_OK;
    }
    return file_refuse(request->golden_folder, "a golden is a file NAME.csv of this folder",
                       diagnostic, request->only == NULL ? "no goldens here" : "no golden %s",
                       request->only);
}

/* ---- one golden ---- */

/* Whether this build's programs differ from the golden's, so that its counts do not apply; with the
 * reason. */
static bool programs_differ(const struct golden *golden, const struct golden *now, char *reason,
                            size_t size)
{
    for (size_t i = 0; i < now->count; i++) {
        const struct golden_row *row = &now->row[i];
        const char *recorded = golden_value(golden, row->name);
        if (strncmp(row->name, "program ", strlen("program ")) != 0 ||
            (recorded != NULL && strcmp(recorded, row->value) == 0)) {
            continue;
        }
        const char *then = golden_value(golden, "compiler");
        const char *today = golden_value(now, "compiler");
        (void)snprintf(reason, size, "%s is another one: recorded with \"%s\", built with \"%s\"",
                       row->name, then == NULL ? "?" : then, today == NULL ? "?" : today);
        return true;
    }
    return false;
}

static bool add_change(struct regress_case *at, const char *name, const char *golden,
                       const char *now)
{
    struct regress_change *larger =
        realloc(at->change, (at->change_count + 1) * sizeof *at->change);
    if (larger == NULL) {
        return false;
    }
    at->change = larger;
    struct regress_change *change = &larger[at->change_count++];
    (void)snprintf(change->name, sizeof change->name, "%s", name);
    change->golden = golden == NULL ? 0 : strtoull(golden, NULL, 10);
    change->now = now == NULL ? 0 : strtoull(now, NULL, 10);
    return true;
}

static void compare(struct regress_case *at, const struct golden *golden, const struct golden *now)
{
    bool good = true;
    assert(now->row != NULL && golden->row != NULL); /* each names its experiment at least */
    for (size_t i = 0; i < now->count && good; i++) {
        const struct golden_row *row = &now->row[i];
        const char *recorded = golden_value(golden, row->name);
        at->counts += golden_is_count(row);
        if (golden_is_count(row) && (recorded == NULL || strcmp(recorded, row->value) != 0)) {
            good = add_change(at, row->name, recorded, row->value);
        }
    }
    for (size_t i = 0; i < golden->count && good; i++) {
        const struct golden_row *row = &golden->row[i];
        if (golden_is_count(row) && golden_value(now, row->name) == NULL) {
            good = add_change(at, row->name, row->value, NULL);
        }
    }
    if (!good) {
        (void)snprintf(at->reason, sizeof at->reason, "out of memory");
    }
}

/* Runs the golden's experiment and takes its counts. */
static enum status measure(const struct regress_request *request, const char *name,
                           struct golden *now, struct diagnostic *diagnostic)
{
    char *path = file_join(request->configs_folder, name);
    struct experiment *run = calloc(1, sizeof *run);
    const struct experiment_request of = {.file = path,
                                          .configs_folder = request->configs_folder,
                                          .sets = request->sets,
                                          .set_count = request->set_count,
                                          .job = {.workloads_folder = request->workloads_folder,
                                                  .threads = 1,
                                                  .tier = request->tier}};
    enum status status =
        path == NULL || run == NULL ? no_memory(diagnostic) : experiment_run(run, &of, diagnostic);
    if (status == STATUS_OK) {
        status = experiment_verdict(run, diagnostic);
        if (status == STATUS_OK) {
            status = golden_of_run(now, name, &run->record, diagnostic);
        }
        experiment_deinit(run);
    }
    free(run);
    free(path);
    return status;
}

static void judge(const struct regress_request *request, const struct golden *golden,
                  const struct golden *now, struct regress_case *at)
{
    const bool other = programs_differ(golden, now, at->reason, sizeof at->reason);
    if (other && !request->bless) {
        at->verdict = REGRESS_SKIPPED;
        return;
    }
    compare(at, golden, now);
    const bool same = at->change_count == 0 && !other;
    at->verdict = same ? REGRESS_PASSED : request->bless ? REGRESS_BLESSED : REGRESS_FAILED;
}

static enum status run_case(const struct regress_request *request, struct regress_case *at,
                            struct diagnostic *diagnostic)
{
    char *path = NULL;
    struct golden golden;
    struct golden now = {0};
    if (asprintf(&path, "%s/%s%s", request->golden_folder, at->name, SUFFIX) < 0) {
        return no_memory(diagnostic);
    }
    enum status status = golden_read(&golden, path, diagnostic);
    const char *experiment = status == STATUS_OK ? golden_value(&golden, "experiment") : NULL;
    if (status == STATUS_OK && experiment == NULL) {
        status = file_refuse(path, NULL, diagnostic, "the golden names no experiment");
    }
    if (status == STATUS_OK) {
        struct diagnostic own = {0};
        if (measure(request, experiment, &now, &own) != STATUS_OK) {
            at->verdict = REGRESS_FAILED;
            (void)snprintf(at->reason, sizeof at->reason, "%s%s%s", own.file,
                           own.file[0] == '\0' ? "" : ": ", own.text);
        } else {
            judge(request, &golden, &now, at);
        }
        if (at->verdict == REGRESS_BLESSED) {
            status = golden_write(&now, path, diagnostic);
        }
        golden_deinit(&now);
        golden_deinit(&golden);
    }
    free(path);
    return status;
}

enum status regress_run(const struct regress_request *request, struct regress_result *result,
                        struct diagnostic *diagnostic)
{
    *result = (struct regress_result){0};
    enum status status = list_cases(request, result, diagnostic);
    for (size_t i = 0; i < result->count && status == STATUS_OK; i++) {
        status = run_case(request, &result->of[i], diagnostic);
        result->failed += result->of[i].verdict == REGRESS_FAILED;
        result->skipped += result->of[i].verdict == REGRESS_SKIPPED;
    }
    if (status != STATUS_OK) {
        regress_result_deinit(result);
    }
    return status;
}

void regress_result_deinit(struct regress_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        free(result->of[i].change);
    }
    free(result->of);
    *result = (struct regress_result){0};
}
