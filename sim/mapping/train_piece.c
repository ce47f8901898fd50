/* train_piece.c - see train_piece.h. */
#include "sim/mapping/train_piece.h"

#include "sim/mapping/plan.h"
#include "sim/networks/links.h"
#include "workloads/nn/kernels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 2 /* in the whole network's table, whatever the number format */ };

static bool has_weights(const struct nn_layer *layer)
{
    return layer->kind == NN_CONV2D || layer->kind == NN_DENSE;
}

/* ---- bounds ---- */

/* Last layer of the stage that begins at a row: the pooling layer after it, or the row itself. */
static uint32_t end_of_stage(const struct nn_table *table, uint32_t row)
{
    while (row + 1 < table->layers && !has_weights(&table->layer[row + 1])) {
        row++;
    }
    return row;
}

/* Number of values that a map or unit of the row passes to the next stage. */
static uint32_t values_of_map(const struct nn_table *table, uint32_t row)
{
    return nn_values(table->layer[end_of_stage(table, row)].output) /
           table->layer[row].output.channels;
}

static enum status refuse(const struct nn_layer *layer, const char *why, uint32_t members,
                          struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_CONFIGURATION,
                    "layer %s cannot be divided into %u parts: %s", layer->name, members, why);
}

static enum status set_bounds(const struct nn_table *table, uint32_t row, uint32_t members,
                              bool on_words, uint32_t *bound, struct diagnostic *diagnostic)
{
    const struct nn_layer *layer = &table->layer[row];
    const uint32_t maps = layer->output.channels;
    const uint32_t values = values_of_map(table, row);
    if (row + 1 == table->layers) { /* all outputs in each core */
        return layer->kind == NN_DENSE
                   ? STATUS_OK
                   : refuse(layer, "the last layer must be dense", members, diagnostic);
    }
    for (uint32_t m = 0; m <= members; m++) {
        bound[m] = maps * m / members * values;
        if (on_words && bound[m] % 2 != 0 && members > 1) {
            return refuse(layer, "a part would not begin on a word", members, diagnostic);
        }
    }
    return maps < members ? refuse(layer, "it has fewer maps or units", members, diagnostic)
                          : STATUS_OK;
}

enum status train_bounds_make(const struct nn_table *table, uint32_t members, bool on_words,
                              uint32_t **bounds, uint32_t *stages, struct diagnostic *diagnostic)
{
    *stages = 0;
    *bounds = calloc((size_t)table->layers * (members + 1u), sizeof **bounds);
    if (*bounds == NULL) {
        return no_memory(diagnostic);
    }
    for (uint32_t row = 0; row < table->layers; row++) {
        if (has_weights(&table->layer[row])) {
            uint32_t *bound = *bounds + (size_t)*stages * (members + 1u);
            TRY(set_bounds(table, row, members, on_words, bound, diagnostic));
            ++*stages;
        }
    }
    return STATUS_OK;
}

/* ---- a piece ---- */

/* How a network is divided among members. */
struct sharing {
    const uint32_t *bounds;
    uint32_t members, member;
    bool whole_last;
};

/* A member's part of a layer with weights. */
struct part {
    uint32_t first_output, outputs;
    uint32_t first_input, inputs; /* values of a dense layer, all channels of a convolution */
};

static struct part part_of(const struct nn_table *table, uint32_t row, uint32_t stage,
                           const struct sharing *by)
{
    const uint32_t members = by->members;
    const uint32_t member = by->member;
    const struct nn_layer *layer = &table->layer[row];
    struct part part = {0, layer->output.channels, 0, nn_values(layer->input)};
    const uint32_t *bound = by->bounds + (size_t)stage * (members + 1u);
    if (row + 1 < table->layers) {
        const uint32_t values = values_of_map(table, row);
        part.first_output = bound[member] / values;
        part.outputs = bound[member + 1] / values - part.first_output;
    } else if (stage > 0 && !by->whole_last) {
        const uint32_t *before = bound - (members + 1u);
        part.first_input = before[member];
        part.inputs = before[member + 1] - before[member];
    }
    return part;
}

/* Sets the shapes in the rows of the piece's table. */
static void shape_layers(struct nn_table *table, uint32_t row, const struct part *part)
{
    struct nn_layer *layer = &table->layer[row];
    const uint32_t end = end_of_stage(table, row);
    if (row + 1 == table->layers) {
        const uint32_t area = (uint32_t)layer->input.height * layer->input.width;
        layer->input.channels = (uint16_t)(part->inputs / area);
    }
    layer->output.channels = (uint16_t)part->outputs;
    for (uint32_t i = row + 1; i <= end; i++) {
        table->layer[i].input.channels = (uint16_t)part->outputs;
        table->layer[i].output.channels = (uint16_t)part->outputs;
    }
}

static uint32_t weights_of_part(const struct nn_layer *whole, const struct part *part)
{
    return whole->kind == NN_DENSE
               ? part->outputs * part->inputs
               : links_weights_before(whole, part->first_output + part->outputs) -
                     links_weights_before(whole, part->first_output);
}

static void place_weights(struct train_piece *piece, const struct nn_layer *whole,
                          const struct part *part, uint32_t at)
{
    const uint32_t first = whole->weights / VALUE_BYTES;
    for (uint32_t o = part->first_output; o < part->first_output + part->outputs; o++) {
        const uint32_t own = first + links_weights_before(whole, o);
        const uint32_t end = first + links_weights_before(whole, o + 1);
        const uint32_t count = whole->kind == NN_DENSE ? part->inputs : end - own;
        for (uint32_t i = 0; i < count; i++) {
            piece->origin[at++] = own + part->first_input + i;
        }
    }
}

static void place_biases(struct train_piece *piece, const struct nn_layer *whole,
                         const struct part *part, uint32_t at)
{
    for (uint32_t o = 0; o < part->outputs; o++) {
        piece->origin[at + o] = whole->biases / VALUE_BYTES + part->first_output + o;
    }
}

static uint32_t even(uint32_t values)
{
    return (values + 1) & ~UINT32_C(1);
}

/* Assigns offsets to weights, then to biases; without `origin` it only counts.  Offsets in the
 * piece's table are bytes of `VALUE_BYTES` values; the plan scales them. */
static void place_all(struct train_piece *piece, const struct nn_table *whole,
                      const struct sharing *by)
{
    uint32_t at = 0;
    for (unsigned biases = 0; biases < 2; biases++) {
        uint32_t stage = 0;
        for (uint32_t row = 0; row < whole->layers; row++) {
            const struct nn_layer *layer = &whole->layer[row];
            if (!has_weights(layer)) {
                continue;
            }
            const struct part part = part_of(whole, row, stage++, by);
            struct nn_layer *mine = &piece->table->layer[row];
            *(biases ? &mine->biases : &mine->weights) = at * VALUE_BYTES;
            if (piece->origin != NULL) {
                (biases ? place_biases : place_weights)(piece, layer, &part, at);
            }
            shape_layers(piece->table, row, &part);
            if (nn_links(layer) != NULL) { /* from the weights of the member's first map on */
                mine->output.links = (uint16_t)(layer->output.links + part.first_output);
            }
            at += even(biases ? part.outputs : weights_of_part(layer, &part));
        }
        piece->weights_end = biases ? piece->weights_end : at;
    }
    piece->count = (at + TRAIN_PIECE_BLOCK - 1) / TRAIN_PIECE_BLOCK * TRAIN_PIECE_BLOCK;
}

enum status train_piece_make(const struct nn_table *table, const uint32_t *bounds, uint32_t members,
                             uint32_t member, bool whole_last, struct train_piece *piece,
                             struct diagnostic *diagnostic)
{
    const struct sharing by = {bounds, members, member, whole_last};
    *piece = (struct train_piece){.table = malloc(table->bytes)};
    if (piece->table == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(piece->table, table, table->bytes);
    place_all(piece, table, &by);
    piece->origin = malloc((piece->count + 1) * sizeof *piece->origin);
    if (piece->origin == NULL) {
        train_piece_deinit(piece);
        return no_memory(diagnostic);
    }
    for (uint32_t i = 0; i < piece->count; i++) {
        piece->origin[i] = TRAIN_PIECE_FILLER;
    }
    memcpy(piece->table, table, table->bytes);
    place_all(piece, table, &by);
    piece->table->parameter_bytes = piece->count * VALUE_BYTES;
    return STATUS_OK;
}

void train_piece_deinit(struct train_piece *piece)
{
    free(piece->table);
    free(piece->origin);
    *piece = (struct train_piece){0};
}
