/* operator_measure.c - operator_measure() of operators.h: experiments of one case. */
#include "sim/measure/operators.h"

#include "sim/experiment/experiment.h"
#include "sim/file.h"
#include "sim/measure/temporary.h"
#include "sim/networks/layer_table.h"
#include "sim/networks/weights.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* The experiments: on the host, and on one core of one chip. */
static const struct {
    const char *name, *text;
} FILES[] = {{"host.yaml", "include: [energy/spinnaker1.yaml]\n"
                           "name: host\nmode: infer\nbackend: host\n"
                           "data: {set: files, train: given.npz, test: given.npz}\n"
                           "network: {name: op.yaml}\n"},
             {"core.yaml", "include: [boards/one_chip.yaml, timing/arm968.yaml, "
                           "energy/spinnaker1.yaml]\n"
                           "name: core\nmode: infer\nbackend: spinnaker\n"
                           "data: {set: files, train: given.npz, test: given.npz}\n"
                           "network: {name: op.yaml}\n"
                           "mapping: {kind: replica_per_core, cores_per_chip: 1, chips: 1}\n"
                           "run: {stop_on: guest_error, simulated_time_limit: 10 s}\n"}};
enum { HOST, CORE, FILE_COUNT = sizeof FILES / sizeof *FILES };

static const char NETWORK_FILE[] = "op.yaml";

/* ---- files ---- */

static enum status write_text(const char *folder, const char *name, const char *text,
                              struct diagnostic *diagnostic)
{
    struct file_writer writer;
    FREED char *path = file_join(folder, name);
    if (path == NULL) {
        return no_memory(diagnostic);
    }
    TRY(file_create(&writer, path, diagnostic));
    (void)fputs(text, writer.stream);
    return file_commit(&writer, diagnostic);
}

enum status operators_folder_make(struct operators_folder *folder, struct diagnostic *diagnostic)
{
    TRY(temporary_folder(&folder->path, diagnostic));
    for (size_t i = 0; i < FILE_COUNT; i++) {
        TRY(write_text(folder->path, FILES[i].name, FILES[i].text, diagnostic));
    }
    return STATUS_OK;
}

static void remove_file(const char *folder, const char *name)
{
    FREED char *path = file_join(folder, name);
    if (path != NULL) {
        (void)unlink(path);
    }
}

void operators_folder_remove(struct operators_folder *folder)
{
    if (folder->path == NULL) {
        return;
    }
    for (size_t i = 0; i < FILE_COUNT; i++) {
        remove_file(folder->path, FILES[i].name);
    }
    remove_file(folder->path, NETWORK_FILE);
    (void)rmdir(folder->path);
    free(folder->path);
    folder->path = NULL;
}

/* ---- parameters in the format ---- */

struct formatted {
    struct network network;
    struct nn_table *table;
    struct weights weights;
};

static void formatted_deinit(struct formatted *formatted)
{
    network_deinit(&formatted->network);
    free(formatted->table);
    weights_deinit(&formatted->weights);
}

/* A run makes the parameters of int8 from those of int16. */
static enum status format_parameters(const struct operator_case *of, struct formatted *formatted,
                                     struct diagnostic *diagnostic)
{
    TRY(network_parse("operator", of->text, strlen(of->text), &formatted->network, diagnostic));
    if (of->numbers != NETWORK_INT8) {
        network_use(&formatted->network, of->numbers);
    }
    TRY(layer_table_make(&formatted->network, &formatted->table, diagnostic));
    return weights_round(&formatted->weights, &formatted->network, formatted->table, of->parameters,
                         diagnostic);
}

/* ---- runs ---- */

struct run {
    const struct operators_request *request;
    const struct operators_folder *folder;
    const struct operator_case *of;
    const void *parameters;
    char format[64]; /* "network.number_format=int16" */
};

/* A refusal becomes the remark, and *experiment stays empty. */
static enum status run_one(const struct run *run, size_t file, struct experiment **experiment,
                           char *remark, struct diagnostic *diagnostic)
{
    struct diagnostic refusal = {0};
    FREED char *path = file_join(run->folder->path, FILES[file].name);
    const char *const sets[] = {run->format};
    struct experiment_request request = {.file = path,
                                         .configs_folder = run->request->configs_folder,
                                         .sets = sets,
                                         .set_count = 1,
                                         .job = run->request->job};
    request.job.given = (struct job_given){
        .train = &run->of->images, .test = &run->of->images, .parameters = run->parameters};
    struct experiment *made = calloc(1, sizeof *made);
    if (path == NULL || made == NULL) {
        free(made);
        return no_memory(diagnostic);
    }
    enum status status = experiment_prepare(made, &request, &refusal);
    if (status == STATUS_OK) {
        *experiment = made;
        status = experiment_execute(made, &refusal);
        status = status == STATUS_OK ? experiment_verdict(made, &refusal) : status;
        if (status != STATUS_OK) {
            experiment_destroy(experiment);
        }
    } else {
        free(made);
    }
    if (status == STATUS_INTERNAL) {
        *diagnostic = refusal;
        return status;
    }
    (void)snprintf(remark, DIAGNOSTIC_TEXT_CHARS, "%s", refusal.text);
    return STATUS_OK;
}

static void compare(const struct operator_case *of, const struct experiment *host,
                    struct operator_figures *figures)
{
    const struct nn_table *table = host->job.table;
    const struct nn_layer *last = &table->layer[table->layers - 1];
    const int sums = last->weight_fraction + last->input_fraction;
    const bool is_float = network_format(&host->job.network)->array == NPZ_FLOAT32;
    const bool is_last = of->at + 1 == table->layers;
    figures->computed = true;
    figures->lsb =
        is_float ? NAN : ldexp(1, -table->layer[is_last ? of->at - 1 : of->at].output_fraction);
    for (size_t i = 0; i < OPERATOR_IMAGES; i++) {
        const struct nn_result *result = &host->outcome.result[i];
        figures->saturations += result->saturations;
        for (size_t o = 0; o < of->outputs; o++) {
            const double own = ldexp(result->logits[o], -sums);
            const double difference = fabs(own - of->expected[i * of->outputs + o]);
            figures->largest = difference > figures->largest ? difference : figures->largest;
            figures->mean += difference;
        }
    }
    figures->mean /= (double)(OPERATOR_IMAGES * of->outputs);
}

static void take_cost(const struct operator_case *of, const struct experiment *host,
                      const struct experiment *core, struct operator_figures *figures)
{
    const struct energy_account *energy = &core->record.energy;
    const char *layer = of->network.layer[of->at].name;
    figures->modelled = true;
    figures->equal = true;
    for (size_t i = 0; i < OPERATOR_IMAGES; i++) {
        figures->equal =
            figures->equal && memcmp(host->outcome.result[i].logits, core->outcome.result[i].logits,
                                     sizeof host->outcome.result[i].logits) == 0;
    }
    for (size_t i = 0; i < energy->row_count; i++) {
        if (strcmp(energy->row[i].layer, layer) == 0 &&
            strcmp(energy->row[i].stage, stage_text(STAGE_TEST)) == 0) {
            figures->cycles += (double)energy->row[i].core_cycles / OPERATOR_IMAGES;
            figures->joules += energy->row[i].joules.value / OPERATOR_IMAGES;
        }
    }
}

enum status operator_measure(const struct operators_request *request,
                             const struct operators_folder *folder, const struct operator_case *of,
                             struct operator_figures *figures, struct diagnostic *diagnostic)
{
    RELEASED(formatted_deinit) struct formatted formatted = {0};
    RELEASED(experiment_destroy) struct experiment *host = NULL;
    RELEASED(experiment_destroy) struct experiment *core = NULL;
    *figures = (struct operator_figures){.format = NUMBER_FORMAT[of->numbers].text};
    TRY(format_parameters(of, &formatted, diagnostic));
    TRY(write_text(folder->path, NETWORK_FILE, of->text, diagnostic));
    struct run run = {
        .request = request, .folder = folder, .of = of, .parameters = formatted.weights.block};
    (void)snprintf(run.format, sizeof run.format, "network.number_format=%s", figures->format);
    TRY(run_one(&run, HOST, &host, figures->remark, diagnostic));
    if (host == NULL) {
        return STATUS_OK;
    }
    compare(of, host, figures);
    if (request->job.workloads_folder != NULL) {
        TRY(run_one(&run, CORE, &core, figures->remark, diagnostic));
    }
    if (core != NULL) {
        take_cost(of, host, core, figures);
    }
    return STATUS_OK;
}
