/* trainings.c - see trainings.h. */
#include "sim/measure/trainings.h"

#include "sim/host_backend/job_training.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2 };

struct side {
    const struct job *job;
    const struct host_format *format;
    struct learning learning;
    void *initial; /* owned */
    struct host_training training;
    struct trainer *trainer;
    double *parameters; /* owned */
    uint64_t updates;   /* of the whole training */
};

struct sides {
    struct side of[SIDES];
    size_t count; /* of parameters */
};

static void sides_deinit(struct sides *sides)
{
    for (size_t i = 0; i < SIDES; i++) {
        if (sides->of[i].trainer != NULL) {
            trainer_close(sides->of[i].trainer);
        }
        free(sides->of[i].initial);
        free(sides->of[i].parameters);
    }
}

static bool has_same_layers(const struct network *a, const struct network *b)
{
    bool same = a->layer_count == b->layer_count;
    for (size_t i = 0; same && i < a->layer_count; i++) {
        same = network_layer_weights(&a->layer[i]) == network_layer_weights(&b->layer[i]) &&
               network_layer_biases(&a->layer[i]) == network_layer_biases(&b->layer[i]);
    }
    return same;
}

static enum status open_side(struct side *side, const struct job *job,
                             struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    side->job = job;
    side->format = host_format_of(job);
    side->parameters = calloc(network_parameters(&job->network) + 1, sizeof(double));
    if (side->parameters == NULL) {
        return no_memory(diagnostic);
    }
    TRY(learning_of(config, &job->network, job->train.count, &side->learning, diagnostic));
    TRY(host_training_initial(job, side->format, &side->initial, diagnostic));
    side->training = host_training_of(job, side->format, &side->learning, side->initial);
    side->updates = (uint64_t)side->learning.epochs * side->learning.updates_per_epoch;
    return trainer_open(&side->training, &side->trainer, diagnostic);
}

static enum status check(const struct job *a, const struct job *b, struct diagnostic *diagnostic)
{
    const struct job *const of[SIDES] = {a, b};
    for (size_t i = 0; i < SIDES; i++) {
        if (!of[i]->has_network || of[i]->config->mode != CONFIG_MODE_TRAIN ||
            of[i]->config->stage_count > 0) {
            return config_refuse(of[i]->config, "mode", "train, without stages", diagnostic,
                                 "only trainings can be compared step by step");
        }
    }
    return has_same_layers(&a->network, &b->network)
               ? STATUS_OK
               : config_refuse(b->config, "network.name", "the same network", diagnostic,
                               "networks %s and %s have other parameters", a->network.name,
                               b->network.name);
}

static struct trainings_row measure(const struct sides *sides, uint64_t update)
{
    const double *a = sides->of[0].parameters;
    const double *b = sides->of[1].parameters;
    struct trainings_row row = {.update = update};
    for (size_t i = 0; i < SIDES; i++) {
        const struct side *side = &sides->of[i];
        host_doubles(side->job, side->format, trainer_parameters(side->trainer), side->parameters);
    }
    for (size_t i = 0; i < sides->count; i++) {
        const double difference = fabs(a[i] - b[i]);
        row.distance += difference * difference;
        row.largest = difference > row.largest ? difference : row.largest;
        row.length_a += a[i] * a[i];
        row.length_b += b[i] * b[i];
    }
    row.distance = sqrt(row.distance);
    row.length_a = sqrt(row.length_a);
    row.length_b = sqrt(row.length_b);
    return row;
}

static void take_row(struct trainings_report *report, const struct trainings_row *row, FILE *csv)
{
    report->last = *row;
    report->most = row->distance > report->most ? row->distance : report->most;
    if (row->distance > 0 && report->first == UINT64_MAX) {
        report->first = row->update;
    }
    if (csv != NULL) {
        (void)fprintf(csv, "%" PRIu64 ",%.9g,%.9g,%.9g,%.9g\n", row->update, row->distance,
                      row->largest, row->length_a, row->length_b);
    }
}

enum status trainings_compare(const struct job *a, const struct job *b, FILE *csv,
                              struct trainings_report *report, struct diagnostic *diagnostic)
{
    RELEASED(sides_deinit) struct sides sides = {0};
    TRY(check(a, b, diagnostic));
    sides.count = network_parameters(&a->network);
    TRY(open_side(&sides.of[0], a, diagnostic));
    TRY(open_side(&sides.of[1], b, diagnostic));
    const uint64_t of_a = sides.of[0].updates;
    const uint64_t of_b = sides.of[1].updates;
    *report = (struct trainings_report){.updates = of_a < of_b ? of_a : of_b,
                                        .updates_a = of_a,
                                        .updates_b = of_b,
                                        .first = UINT64_MAX};
    if (csv != NULL) {
        (void)fprintf(csv, "update,distance,largest,length_a,length_b\n");
    }
    for (uint64_t update = 0; update <= report->updates; update++) {
        for (size_t i = 0; i < SIDES && update > 0; i++) {
            TRY(trainer_step(sides.of[i].trainer, diagnostic));
        }
        const struct trainings_row row = measure(&sides, update);
        take_row(report, &row, csv);
    }
    return STATUS_OK;
}

void trainings_tell(const struct trainings_report *report, FILE *stream)
{
    const struct trainings_row *last = &report->last;
    if (report->updates_a != report->updates_b) {
        (void)fprintf(stream,
                      "A has %" PRIu64 " updates, B %" PRIu64 ": the first %" PRIu64
                      " are compared\n",
                      report->updates_a, report->updates_b, report->updates);
    }
    if (report->first == UINT64_MAX) {
        (void)fprintf(stream, "equal after each of %" PRIu64 " updates\n", report->updates);
        return;
    }
    (void)fprintf(stream,
                  "differ first after update %" PRIu64 " of %" PRIu64 "; largest distance %.6g\n"
                  "at the end: distance %.6g, largest difference of a parameter %.6g; norms %.6g "
                  "and %.6g\n",
                  report->first, report->updates, report->most, last->distance, last->largest,
                  last->length_a, last->length_b);
}
