/* baseline.c - see baseline.h. */
#include "sim/baseline/baseline.h"

#include "sim/baseline/staged.h"
#include "sim/baseline/stopwatch.h"
#include "sim/baseline/training.h"
#include "sim/host_backend/job_training.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>

/* ---- the experiment ---- */

/* Whether the experiment trains, as its file says. */
static enum status check_kind(const struct sim_config *config, struct diagnostic *diagnostic)
{
    if (config->has_app || config->mode != CONFIG_MODE_TRAIN) {
        return config_refuse(config, "mode", "name an experiment with mode: train", diagnostic,
                             "there is nothing to train");
    }
    return STATUS_OK;
}

static enum status check_file(const struct experiment_request *run, struct diagnostic *diagnostic)
{
    struct sim_config config;
    const struct config_request request = {.path = run->file,
                                           .configs_folder = run->configs_folder,
                                           .sets = run->sets,
                                           .set_count = run->set_count};
    TRY(config_load(&request, &config, diagnostic));
    const enum status status = check_kind(&config, diagnostic);
    config_deinit(&config);
    return status;
}

static enum status prepare(struct experiment *experiment, const struct baseline_request *request,
                           struct diagnostic *diagnostic)
{
    const size_t given = request->run.set_count;
    struct experiment_request run = request->run;
    char format[FACT_CHARS];
    const char **sets = calloc(given + 2, sizeof *sets);
    if (sets == NULL) {
        return no_memory(diagnostic);
    }
    (void)snprintf(format, sizeof format, "network.number_format=%s",
                   request->program->number_format);
    for (size_t i = 0; i < given; i++) {
        sets[i] = run.sets[i];
    }
    sets[given] = "backend=host";
    sets[given + 1] = format;
    run.sets = sets;
    run.set_count = given + 2;
    const enum status status = experiment_prepare(experiment, &run, diagnostic);
    free(sets);
    return status;
}

static enum status check(const struct job *job, const struct baseline_request *request,
                         struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    if (config->stage_count > 0) {
        return baseline_check_stages(request->program, job, request->processes, diagnostic);
    }
    if (request->processes > 1 && request->program->alone) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "the program %s cannot be divided among processes\v"
                        "--program int16 and float32 can",
                        request->program->name);
    }
    if (request->processes > config->train_global_batch) {
        return config_refuse(config, "train.global_batch", "fewer --processes", diagnostic,
                             "%u processes have no image each in a batch of %llu",
                             request->processes, (unsigned long long)config->train_global_batch);
    }
    return baseline_check(request->program, job, diagnostic);
}

/* ---- figures ---- */

static int compare(const void *a, const void *b)
{
    const double first = *(const double *)a;
    const double second = *(const double *)b;
    return (first > second) - (first < second);
}

/* Of `count` values that it sorts. */
static double median(double *value, size_t count)
{
    qsort(value, count, sizeof *value, compare);
    return count % 2 == 1 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

/* Floating-point operations of an image: two for each product, forward; and if it is trained for
 * the gradients of weights, and for those of inputs behind the first layer with weights. */
static double operations(const struct network *network, bool trained)
{
    static const double EACH = 2;
    double products = 0;
    bool passes = false;
    for (size_t i = 0; i < network->layer_count; i++) {
        const double layer = (double)network_layer_macs(&network->layer[i]);
        const double ways = trained ? passes ? 3 : 2 : 1;
        products += network_is_pool(&network->layer[i]) ? 0 : layer * ways;
        passes = passes || !network_is_pool(&network->layer[i]);
    }
    return EACH * products;
}

enum { SECONDS, CPU, TEST, JOULES, SERIES };

static void fill_joules(struct baseline_row *row, double *joules, size_t repeats,
                        const struct assumed_watts *watts)
{
    row->joules_kind = isfinite(joules[0]) ? "measured" : "assumed";
    if (isfinite(joules[0])) {
        row->joules = median(joules, repeats);
        row->joules_low = joules[0];
        row->joules_high = joules[repeats - 1];
        return;
    }
    row->joules_low = row->cpu_seconds * watts->low;
    row->joules = row->cpu_seconds * watts->value;
    row->joules_high = row->cpu_seconds * watts->high;
}

static void fill(struct baseline_row *row, const struct job *job,
                 const struct baseline_measured *first, double *series[SERIES], size_t repeats)
{
    static const double GIGA = 1e9;
    row->images = first->images;
    row->epochs = first->epochs;
    row->updates = first->updates;
    row->accuracy = first->accuracy;
    row->loss = first->loss;
    row->validation_accuracy = first->validation_accuracy;
    row->seconds_train = median(series[SECONDS], repeats);
    row->seconds_train_least = series[SECONDS][0];
    row->seconds_train_most = series[SECONDS][repeats - 1];
    row->seconds_test = median(series[TEST], repeats);
    row->cpu_seconds = median(series[CPU], repeats);
    row->images_per_second = (double)row->images / row->seconds_train;
    const double done = (operations(&job->network, true) * (double)first->images +
                         operations(&job->network, false) * (double)first->looks) /
                        GIGA;
    row->gflops = done / row->seconds_train;
    row->gflops_core = done / row->cpu_seconds;
}

/* ---- repeats ---- */

static enum status train(const struct baseline_request *request, const struct job *job,
                         const struct host_training *training, struct joule_meter *meter,
                         struct baseline_measured *measured, struct diagnostic *diagnostic)
{
    return job->config->stage_count > 0
               ? baseline_train_stages(request->program, job, meter, measured, diagnostic)
               : baseline_train(training, job, request->processes, meter, measured, diagnostic);
}

static enum status repeat(const struct baseline_request *request, const struct job *job,
                          const struct host_training *training, double load_seconds,
                          double *series[SERIES], struct baseline_row *row,
                          struct diagnostic *diagnostic)
{
    struct baseline_measured first = {0};
    struct joule_meter meter;
    joule_meter_open(&meter,
                     request->meters_folder == NULL ? JOULE_FOLDER : request->meters_folder);
    for (unsigned i = 0; i < request->repeats; i++) {
        struct baseline_measured measured;
        TRY(train(request, job, training, &meter, &measured, diagnostic));
        if (i == 0) {
            first = measured;
            row->seconds_cold = load_seconds + measured.setup_seconds + measured.train_seconds;
        }
        if (measured.accuracy != first.accuracy || measured.loss != first.loss) {
            return diagnose(diagnostic, STATUS_INTERNAL,
                            "two trainings of the same experiment have different results");
        }
        series[SECONDS][i] = measured.train_seconds;
        series[CPU][i] = measured.cpu_seconds;
        series[TEST][i] = measured.test_seconds;
        series[JOULES][i] = measured.joules;
    }
    fill(row, job, &first, series, request->repeats);
    return STATUS_OK;
}

static enum status measure(const struct baseline_request *request, const struct job *job,
                           double load_seconds, struct baseline_row *row,
                           struct diagnostic *diagnostic)
{
    const bool staged = job->config->stage_count > 0; /* each stage has these of its own */
    struct learning learning = {0};
    struct assumed_watts watts;
    void *initial = NULL;
    double *series[SERIES];
    TRY(check(job, request, diagnostic));
    TRY(assumed_watts_read(&watts, request->watts_file, diagnostic));
    if (!staged) {
        TRY(learning_of(job->config, &job->network, job->train.count, &learning, diagnostic));
    }
    double *memory = calloc((size_t)SERIES * request->repeats, sizeof *memory);
    if (memory == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < SERIES; i++) {
        series[i] = memory + i * request->repeats;
    }
    enum status status =
        staged ? STATUS_OK : baseline_initial(request->program, job, &initial, diagnostic);
    if (status == STATUS_OK) {
        const struct host_training training =
            host_training_of(job, request->program->format, &learning, initial);
        status = repeat(request, job, &training, load_seconds, series, row, diagnostic);
    }
    if (status == STATUS_OK) {
        fill_joules(row, series[JOULES], request->repeats, &watts);
    }
    free(initial);
    free(memory);
    return status;
}

enum status baseline_run(const struct baseline_request *request, struct baseline_row *row,
                         struct diagnostic *diagnostic)
{
    const double begin = stopwatch_now();
    struct experiment experiment;
    *row = (struct baseline_row){.program = request->program->name,
                                 .instructions = baseline_instructions(request->program),
                                 .threads = request->run.job.threads,
                                 .processes = request->processes,
                                 .repeats = request->repeats};
    host_facts_of(&row->host);
    TRY(check_file(&request->run, diagnostic));
    TRY(prepare(&experiment, request, diagnostic));
    (void)snprintf(row->experiment, sizeof row->experiment, "%s", experiment.config.name);
    (void)snprintf(row->network, sizeof row->network, "%s", experiment.job.network.name);
    row->batch = experiment.config.train_global_batch;
    row->optimizer = experiment.config.stage_count > 0
                         ? ""
                         : config_optimizer_text(experiment.config.train_optimizer);
    const enum status status =
        measure(request, &experiment.job, stopwatch_now() - begin, row, diagnostic);
    experiment_deinit(&experiment);
    return status;
}
