/* write.c - the files of an import (imported.h). */
#include "sim/config/config_arena.h"
#include "sim/config/config_value.h"
#include "sim/file.h"
#include "sim/import/imported.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* networks/NAME + ending, beside the experiment. */
static char *path_beside(const struct imported *imported, const char *ending)
{
    const char *out = imported->request->out;
    const size_t folder = (size_t)(file_name_of(out) - out);
    return file_print("%.*snetworks/%s%s", (int)folder, out, imported->name, ending);
}

static enum status write_weights(struct imported *imported, const char *path,
                                 struct diagnostic *diagnostic)
{
    struct weights_origin *origin = &imported->weights.origin;
    (void)snprintf(origin->dataset, sizeof origin->dataset, "imported");
    (void)snprintf(origin->dataset_digest, sizeof origin->dataset_digest, "%s", imported->digest);
    (void)snprintf(origin->recipe, sizeof origin->recipe, "%s", imported->request->command);
    const struct agreement *agreement = &imported->agreement;
    origin->reference_accuracy =
        agreement->images == 0 ? NAN : (double)agreement->right_exact / (double)agreement->images;
    return weights_write(&imported->weights, path, &imported->network, imported->table, diagnostic);
}

static enum status write_network(const struct imported *imported, const char *path,
                                 struct diagnostic *diagnostic)
{
    struct file_writer writer;
    TRY(file_create(&writer, path, diagnostic));
    (void)fprintf(writer.stream, "# What does %s say?  (%s; written by spinnsim import)\n",
                  file_name_of(imported->model.path), imported->model.format);
    describe_network(&imported->lowered, &imported->formats, imported->name, writer.stream);
    return file_commit(&writer, diagnostic);
}

/* A relative name holds in this folder: one that holds where the experiment lies; and as YAML. */
static enum status describe_data(const struct imported *imported, FILE *stream,
                                 struct diagnostic *diagnostic)
{
    const char *out = imported->request->out;
    const char *file = imported->images.file;
    if (imported->images.is_mnist) {
        (void)fprintf(stream, "data: {set: mnist, test_images: %zu}\n",
                      imported->images.test.count);
        return STATUS_OK;
    }
    ARENA struct config_arena *arena = config_arena_create();
    FREED char *whole = file_name_of(out) == out ? strdup(file) : realpath(file, NULL);
    const char *text = arena == NULL || whole == NULL ? NULL : config_yaml_text(whole, arena);
    if (text == NULL) {
        return no_memory(diagnostic);
    }
    (void)fprintf(stream, "data: {set: files, test: %s, test_images: %zu}\n", text,
                  imported->images.test.count);
    return STATUS_OK;
}

static enum status describe(const struct imported *imported, FILE *stream,
                            struct diagnostic *diagnostic)
{
    (void)fprintf(
        stream,
        "# Question: how fast, and with how many joules, does one SpiNNaker chip classify "
        "with %s?  (Written by spinnsim import.)\n"
        "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
        "name: %s\nmode: infer\nbackend: spinnaker\n",
        file_name_of(imported->model.path), imported->name);
    TRY(describe_data(imported, stream, diagnostic));
    (void)fprintf(stream,
                  "network: {name: %s, variant: modern, number_format: int16, "
                  "weights: networks/%s.npz}\n"
                  "mapping: {kind: auto}\n"
                  "run: {stop_on: guest_error, simulated_time_limit: 1000 s}\n"
                  "record: {counters: core}\n",
                  imported->name, imported->name);
    return STATUS_OK;
}

static enum status write_experiment(const struct imported *imported, struct diagnostic *diagnostic)
{
    struct file_writer writer;
    TRY(file_create(&writer, imported->request->out, diagnostic));
    return file_finish(&writer, describe(imported, writer.stream, diagnostic), diagnostic);
}

enum status imported_write(struct imported *imported, struct diagnostic *diagnostic)
{
    FREED char *network = path_beside(imported, ".yaml");
    FREED char *weights = path_beside(imported, ".npz");
    if (network == NULL || weights == NULL) {
        return no_memory(diagnostic);
    }
    TRY(file_make_folder_of(network, diagnostic));
    TRY(write_weights(imported, weights, diagnostic));
    TRY(write_network(imported, network, diagnostic));
    return write_experiment(imported, diagnostic);
}
