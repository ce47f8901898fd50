/* import.c - see import.h. */
#include "sim/import/import.h"

#include "sim/file.h"
#include "sim/import/imported.h"
#include "sim/networks/layer_table.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct describe_formats UNSCALED = {RANGES_WEIGHT_FRACTION, RANGES_ACTIVATION_FRACTION,
                                                 1};

static void drop_exact(struct imported *imported)
{
    network_deinit(&imported->exact);
    free(imported->parameters);
    imported->parameters = NULL;
}

static void imported_deinit(struct imported *imported)
{
    drop_exact(imported);
    images_deinit(&imported->images);
    network_deinit(&imported->network);
    weights_deinit(&imported->weights);
    free(imported->table);
    model_deinit(&imported->model);
}

/* ---- names ---- */

/* A network's name of the file's: a-z, 0-9, "_" and "-". */
static enum status take_name(struct imported *imported, struct diagnostic *diagnostic)
{
    const char *out = imported->request->out;
    size_t length = 0;
    if (!file_ends_in(out, ".yaml")) {
        return file_refuse(out, "--out NAME.yaml", diagnostic,
                           "an experiment's name ends in .yaml");
    }
    for (const char *at = file_name_of(out);
         strcmp(at, ".yaml") != 0 && length + 1 < sizeof imported->name; at++) {
        const char lower = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
        const bool is_kept = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9') ||
                             lower == '_' || lower == '-';
        imported->name[length++] = (char)(is_kept ? lower : '_');
    }
    return STATUS_OK;
}

static enum status take_digest(struct imported *imported, struct diagnostic *diagnostic)
{
    FREED uint8_t *bytes = NULL;
    size_t size;
    uint8_t digest[SHA256_BYTES];
    TRY(file_read(imported->request->model, MODEL_MOST_FILE_BYTES, &bytes, &size, diagnostic));
    struct sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, bytes, size);
    sha256_final(&hash, digest);
    sha256_hex(digest, imported->digest);
    return STATUS_OK;
}

/* ---- the model in doubles ---- */

static enum status make_exact(struct imported *imported, double scale,
                              struct diagnostic *diagnostic)
{
    drop_exact(imported);
    imported->pixels.scale = scale;
    TRY(lower_model(&imported->model, &imported->pixels, &imported->lowered, diagnostic));
    TRY(describe_parse(&imported->lowered, &UNSCALED, imported->name, &imported->exact,
                       diagnostic));
    return describe_parameters(&imported->lowered, &imported->parameters, diagnostic);
}

static enum status measure(struct imported *imported, double scale, struct diagnostic *diagnostic)
{
    TRY(make_exact(imported, scale, diagnostic));
    if (imported->images.test.count == 0) {
        TRY(images_load(&imported->images, imported->request->data, imported->exact.input,
                        diagnostic));
    }
    return ranges_measure(&imported->ranges, &imported->exact, imported->parameters,
                          &imported->images.calibration, diagnostic);
}

/* Of the scales of pixels that frameworks use, the one with which most images are right; the first
 * of equals. */
static enum status find_scale(struct imported *imported, struct diagnostic *diagnostic)
{
    static const double SCALES[IMPORT_SCALES] = {1.0 / 255, 1};
    const double given =
        imported->pixels.scale > 0 ? imported->pixels.scale : imported->model.input_scale;
    double best = 0;
    double most = -1;
    if (given > 0) {
        return measure(imported, given, diagnostic);
    }
    for (size_t i = 0; i < IMPORT_SCALES; i++) {
        TRY(measure(imported, SCALES[i], diagnostic));
        imported->right[i] = imported->ranges.right;
        if (imported->ranges.right > most) {
            most = imported->ranges.right;
            best = SCALES[i];
        }
    }
    return measure(imported, best, diagnostic);
}

/* ---- the network in integers ---- */

static enum status make_network(struct imported *imported, struct diagnostic *diagnostic)
{
    const size_t last = imported->exact.layer_count - 1;
    FREED double *scaled = NULL;
    TRY(describe_parameters(&imported->lowered, &scaled, diagnostic));
    ranges_choose(&imported->ranges, &imported->exact);
    ranges_apply(&imported->ranges, &imported->exact, scaled);
    imported->formats =
        (struct describe_formats){imported->ranges.weight_fraction, RANGES_ACTIVATION_FRACTION,
                                  imported->ranges.layer[last].factor};
    TRY(describe_parse(&imported->lowered, &imported->formats, imported->name, &imported->network,
                       diagnostic));
    TRY(layer_table_make(&imported->network, &imported->table, diagnostic));
    return weights_round(&imported->weights, &imported->network, imported->table, scaled,
                         diagnostic);
}

static enum status compare(struct imported *imported, struct diagnostic *diagnostic)
{
    const struct agreement_sides sides = {.exact = &imported->exact,
                                          .parameters = imported->parameters,
                                          .network = &imported->network,
                                          .table = imported->table,
                                          .weights = &imported->weights,
                                          .logit_factor = imported->formats.logit_factor};
    return agreement_measure(&imported->agreement, &sides, &imported->images.test,
                             imported->request->threads, diagnostic);
}

enum status import_model(const struct import_request *request, FILE *report,
                         struct diagnostic *diagnostic)
{
    RELEASED(imported_deinit)
    struct imported imported = {.request = request, .pixels = *request->pixels};
    TRY(take_name(&imported, diagnostic));
    TRY(model_read(&imported.model, request->model, diagnostic));
    TRY(take_digest(&imported, diagnostic));
    TRY(find_scale(&imported, diagnostic));
    TRY(make_network(&imported, diagnostic));
    TRY(compare(&imported, diagnostic));
    TRY(imported_write(&imported, diagnostic));
    imported_report(&imported, report);
    return STATUS_OK;
}
