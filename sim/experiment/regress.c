/* regress.c - see regress.h. */
#include "sim/experiment/regress.h"

#include "sim/file.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

/* ---- measuring ---- */

static bool is_on_the_host(const struct sim_config *config)
{
    return config->backend != CONFIG_BACKEND_SPINNAKER;
}

static bool is_sampled(const struct sim_config *config)
{
    return config->run_sample_updates > 0;
}

/* Runs that have no golden: a row for each reason. */
static const struct {
    bool (*is)(const struct sim_config *config);
    const char *key, *why, *hint;
} WITHOUT_GOLDEN[] = {
    {is_on_the_host, "backend",
     "a golden holds counts of the machine, and other backends have none", "backend: spinnaker"},
    {is_sampled, "run.sample.updates",
     "a golden holds counts that the machine made, and most of these would be estimates",
     "a training of few updates, all of them executed: run.sample.updates=0"},
};

static enum status check_config(const struct sim_config *config, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < sizeof WITHOUT_GOLDEN / sizeof *WITHOUT_GOLDEN; i++) {
        if (WITHOUT_GOLDEN[i].is(config)) {
            return config_refuse(config, WITHOUT_GOLDEN[i].key, WITHOUT_GOLDEN[i].hint, diagnostic,
                                 "%s", WITHOUT_GOLDEN[i].why);
        }
    }
    return STATUS_OK;
}

/* Runs an experiment and takes its counts, if it ends as it should; otherwise says why it did not,
 * and `now` is empty. */
static enum status measure(const struct regress_request *request, const struct golden_entry *entry,
                           struct regress_case *at, struct golden *now,
                           struct diagnostic *diagnostic)
{
    RELEASED(experiment_destroy) struct experiment *run = calloc(1, sizeof *run);
    struct experiment_request of = request->run;
    struct diagnostic end = {0};
    of.file = entry->experiment;
    of.job.for_golden = true;
    TRY(run == NULL ? no_memory(diagnostic) : experiment_prepare(run, &of, diagnostic));
    TRY(check_config(&run->config, diagnostic));
    TRY(experiment_execute(run, diagnostic));
    if (experiment_verdict(run, &end) == STATUS_OK) {
        return golden_of_run(now, &entry->golden, &run->record, diagnostic);
    }
    (void)snprintf(at->failure, sizeof at->failure, "%s%s%s", end.file,
                   end.file[0] == '\0' ? "" : ": ", end.text);
    return STATUS_OK;
}

/* ---- one golden ---- */

static enum status write_golden(const struct golden *golden, const char *path,
                                struct diagnostic *diagnostic)
{
    TRY(file_make_folder_of(path, diagnostic));
    return golden_write(golden, path, diagnostic);
}

static enum status add(const struct golden_entry *entry, const struct golden *now,
                       struct regress_case *at, struct diagnostic *diagnostic)
{
    char pattern[GOLDEN_VALUE_CHARS];
    if (!golden_check_patterns(now, pattern, sizeof pattern)) {
        return file_refuse(entry->experiment,
                           "names of counts are as core.instructions, time_ps, "
                           "run/LAYER/PHASE:core.instructions: `spinnsim columns`",
                           diagnostic, "the run has no count %s", pattern);
    }
    golden_compare(&at->comparison, now, now, true); /* how many there are */
    at->verdict = REGRESS_ADDED;
    return write_golden(now, entry->file, diagnostic);
}

static enum status judge(const struct regress_request *request, const struct golden_entry *entry,
                         const struct golden *now, struct regress_case *at,
                         struct diagnostic *diagnostic)
{
    if (request->wish != NULL) {
        return add(entry, now, at, diagnostic);
    }
    struct golden_comparison *comparison = &at->comparison;
    golden_compare(comparison, &entry->golden, now, !request->bless);
    if (request->bless) {
        const bool same = comparison->counts.ranked_count == 0 && comparison->answer_count == 0 &&
                          !comparison->other_programs && !comparison->unheld;
        at->verdict = same ? REGRESS_SAME : REGRESS_BLESSED;
        return same ? STATUS_OK : write_golden(now, entry->file, diagnostic);
    }
    const bool differs = comparison->counts.ranked_count > 0 || comparison->answer_count > 0;
    at->verdict = comparison->other_compiler ? REGRESS_SKIPPED
                  : differs                  ? REGRESS_DIFFERS
                                             : REGRESS_SAME;
    return STATUS_OK;
}

static enum status run_case(const struct regress_request *request, const struct golden_entry *entry,
                            struct regress_case *at, struct diagnostic *diagnostic)
{
    RELEASED(golden_deinit) struct golden now = {0};
    TRY(measure(request, entry, at, &now, diagnostic));
    if (at->failure[0] != '\0') {
        at->verdict = REGRESS_FAILED;
    } else {
        TRY(judge(request, entry, &now, at, diagnostic));
    }
    if (request->tell != NULL) {
        request->tell(request->tell_context, at);
    }
    return STATUS_OK;
}

/* ---- all ---- */

enum status regress_run(const struct regress_request *request, struct regress_result *result,
                        struct diagnostic *diagnostic)
{
    struct golden_list *goldens = &result->goldens;
    const struct golden_places places = {request->golden_folder, request->run.configs_folder};
    *result = (struct regress_result){0};
    TRY(request->wish == NULL
            ? golden_list_read(goldens, request->which, &places, diagnostic)
            : golden_list_wish(goldens, request->which, &places, request->wish, diagnostic));
    result->of = calloc(goldens->count, sizeof *result->of);
    enum status status = result->of == NULL ? no_memory(diagnostic) : STATUS_OK;
    for (size_t i = 0; i < goldens->count && status == STATUS_OK; i++) {
        struct regress_case *at = &result->of[result->count++];
        at->name = goldens->of[i].name;
        at->file = goldens->of[i].file;
        status = run_case(request, &goldens->of[i], at, diagnostic);
        result->verdicts[at->verdict]++;
    }
    if (status != STATUS_OK) {
        regress_result_deinit(result);
    }
    return status;
}

void regress_result_deinit(struct regress_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        golden_comparison_deinit(&result->of[i].comparison);
    }
    free(result->of);
    golden_list_deinit(&result->goldens);
    *result = (struct regress_result){0};
}
