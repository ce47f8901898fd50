/* sweep.c - see sweep.h: the plan of a sweep. */
#include "sim/sweep/sweep.h"

#include "sim/file.h"
#include "sim/results/printable.h"
#include "sim/results/results.h"
#include "sim/steps.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* ---- the file and its axes ---- */

enum status sweep_begin(struct sweep *sweep, const struct sweep_request *request,
                        struct diagnostic *diagnostic)
{
    *sweep = (struct sweep){.request = request, .out = request->out == NULL ? "out" : request->out};
    const struct config_request config = {.path = request->run.file,
                                          .configs_folder = request->run.configs_folder,
                                          .sets = request->run.sets,
                                          .set_count = request->run.set_count};
    TRY(config_load(&config, &sweep->config, diagnostic));
    enum status status =
        axes_make(&sweep->axes, &sweep->config, request->axes, request->axis_count, diagnostic);
    if (status == STATUS_OK && sweep->axes.count == 0) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "no axis\v--axis KEY=A,B,C, or in the file sweep: [{KEY: [A, B, C]}]");
        diagnostic_at(diagnostic, request->run.file, 0, 0);
    }
    if (status == STATUS_OK) {
        status = sweep_check_figure(sweep, diagnostic);
    }
    if (status == STATUS_OK) {
        sweep->point = calloc(sweep->axes.points, sizeof *sweep->point);
        sweep->name = strdup(sweep->config.name);
        sweep->store = job_store_create();
        const bool good = sweep->point != NULL && sweep->name != NULL && sweep->store != NULL;
        status = good ? STATUS_OK : no_memory(diagnostic);
    }
    if (status != STATUS_OK) {
        sweep_deinit(sweep);
    }
    return status;
}

static void keep_point(void *point)
{
    (void)point; /* an entry of sweep->point */
}

void sweep_deinit(struct sweep *sweep)
{
    tdestroy(sweep->by_folder, keep_point);
    for (size_t i = 0; sweep->point != NULL && i < sweep->axes.points; i++) {
        free(sweep->point[i].folder);
        free(sweep->point[i].message);
    }
    free(sweep->point);
    free(sweep->name);
    job_store_destroy(sweep->store);
    axes_deinit(&sweep->axes);
    config_deinit(&sweep->config);
    *sweep = (struct sweep){0};
}

/* ---- the points ---- */

void sweep_tell(const struct sweep *sweep, const char *stage, size_t done, size_t total)
{
    const struct sweep_request *request = sweep->request;
    if (request->progress != NULL) {
        const struct job_progress now = {.stage = stage,
                                         .unit = "points",
                                         .done = done,
                                         .total = total,
                                         .images_per_second = NAN,
                                         .loss = NAN,
                                         .accuracy = NAN,
                                         .joules = NAN};
        request->progress(request->context, &now);
    }
}

/* "key: text", without place and hint: a line of the table. */
static char *message_of(const struct diagnostic *diagnostic)
{
    const bool key = diagnostic->key[0] != '\0';
    return file_print("%s%s%s", key ? diagnostic->key : "", key ? ": " : "", diagnostic->text);
}

/* Notes, and tells the user, that the point's older results do not match their manifest. */
static void distrust(const struct sweep *sweep, struct point *point, struct diagnostic *why)
{
    const struct sweep_request *request = sweep->request;
    point->distrusted = true;
    diagnostic_hint(why, "the point is run again");
    if (request->warn != NULL) {
        request->warn(request->context, why);
    }
}

enum status point_find_results(const struct sweep *sweep, struct point *point, const char *sim_hash,
                               struct diagnostic *diagnostic)
{
    RELEASED(results_close) struct results results;
    struct diagnostic why = {0};
    const enum status status = results_open(&results, point->folder, &why);
    if (status == STATUS_CONFIGURATION && results_exist(point->folder)) {
        distrust(sweep, point, &why);
    }
    if (status != STATUS_OK || strcmp(results_text(&results, "identity.sim_hash"), sim_hash) != 0) {
        return STATUS_OK;
    }
    TRY(point_take_end(point, &results, diagnostic));
    point->kept = point_has_results(point);
    return STATUS_OK;
}

static int compare_folders(const void *a, const void *b)
{
    const struct point *first = a;
    const struct point *second = b;
    return strcmp(first->folder, second->folder);
}

/* The first point with the same folder; false: out of memory. */
static bool find_first(struct sweep *sweep, struct point *point)
{
    struct point *const *node = tsearch(point, &sweep->by_folder, compare_folders);
    point->runs_for = node == NULL ? 0 : (size_t)(*node - sweep->point);
    return node != NULL;
}

static enum status plan_point(struct sweep *sweep, size_t i, struct diagnostic *diagnostic)
{
    struct point *point = &sweep->point[i];
    RELEASED(experiment_deinit) struct experiment experiment = {.record = {0}};
    struct diagnostic refused;
    const enum status status = point_prepare(sweep, i, &experiment, &refused);
    if (status == STATUS_INTERNAL) {
        *diagnostic = refused;
        return status;
    }
    point->runs_for = i;
    if (status != STATUS_OK) {
        point->state = POINT_REFUSED;
        point->message = message_of(&refused);
        return point->message == NULL ? no_memory(diagnostic) : STATUS_OK;
    }
    point->folder = experiment_folder(&experiment, sweep->out);
    if (point->folder == NULL || !find_first(sweep, point)) {
        return no_memory(diagnostic);
    }
    (void)snprintf(point->energy_hash, sizeof point->energy_hash, "%s",
                   experiment.job.identity.energy_hash);
    return point->runs_for == i
               ? point_find_results(sweep, point, experiment.job.identity.sim_hash, diagnostic)
               : STATUS_OK;
}

enum status sweep_plan(struct sweep *sweep, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < sweep->axes.points; i++) {
        sweep_tell(sweep, "checking", i, sweep->axes.points);
        TRY(plan_point(sweep, i, diagnostic));
    }
    return STATUS_OK;
}

/* ---- telling ---- */

/* A file name that begins with '-' would be an option: it gets "./". */
enum status sweep_list(const struct sweep *sweep, FILE *stream, struct diagnostic *diagnostic)
{
    const struct sweep_request *request = sweep->request;
    for (size_t i = 0; i < sweep->axes.points; i++) {
        RELEASED(point_sets_free) struct point_sets sets = {.set = NULL};
        if (sweep->point[i].folder == NULL || sweep->point[i].runs_for != i) {
            continue;
        }
        if (!point_sets_make(sweep, i, &sets)) {
            return no_memory(diagnostic);
        }
        (void)fputs("spinnsim run ", stream);
        printable_put_word(stream, request->run.file[0] == '-' ? "./" : "", request->run.file);
        for (size_t s = 0; s < sets.count; s++) {
            (void)fputs(" --set ", stream);
            printable_put_word(stream, "", sets.set[s]);
        }
        for (size_t o = 0; o < request->run_option_count; o++) {
            (void)fputc(' ', stream);
            printable_put_word(stream, "", request->run_options[o]);
        }
        (void)fputs(" --out ", stream);
        printable_put_word(stream, "", sweep->point[i].folder);
        (void)fputc('\n', stream);
    }
    return STATUS_OK;
}

/* Why points are refused; once for points with one message that follow each other. */
static void print_refused(const struct sweep *sweep, FILE *stream)
{
    size_t next;
    for (size_t i = 0; i < sweep->axes.points; i = next) {
        const struct point *point = &sweep->point[i];
        next = i + 1;
        if (point->state != POINT_REFUSED) {
            continue;
        }
        while (next < sweep->axes.points && sweep->point[next].state == POINT_REFUSED &&
               strcmp(sweep->point[next].message, point->message) == 0) {
            next++;
        }
        (void)fprintf(stream, "refused: point %zu", i + 1);
        if (next > i + 1) {
            (void)fprintf(stream, " to %zu", next);
        }
        (void)fprintf(stream, ": %s\n", point->message);
    }
}

void sweep_estimate(const struct sweep *sweep, FILE *stream)
{
    static const double MINUTE = 60;
    size_t done = 0;
    size_t open = 0;
    size_t refused = 0;
    double seconds = 0;
    for (size_t i = 0; i < sweep->axes.points; i++) {
        const struct point *point = &sweep->point[i];
        struct results results;
        struct diagnostic none;
        refused += point->state == POINT_REFUSED;
        open += point->state == POINT_OPEN && point->runs_for == i;
        if (point->kept && results_open(&results, point->folder, &none) == STATUS_OK) {
            done++;
            seconds += results_number(&results, "host.wall_seconds");
            results_close(&results);
        }
    }
    (void)fprintf(stream,
                  "%zu points: %zu to run, %zu have run, %zu refused, the rest share a run\n",
                  sweep->axes.points, open, done, refused);
    print_refused(sweep, stream);
    if (open > 0 && done > 0) {
        (void)fprintf(stream, "about %.1f minutes with -j %u, by the %zu that have run\n",
                      ceil((double)open / sweep->request->jobs) * seconds / (double)done / MINUTE,
                      sweep->request->jobs, done);
    } else if (open > 0) {
        (void)fputs("time: unknown until one has run\n", stream);
    }
}
