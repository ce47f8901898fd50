/* train_piece.c - see train_piece.h. */
#include "sim/mapping/train_piece.h"

#include "models/common/bits.h"
#include "models/common/check.h"
#include "sim/mapping/plan.h"
#include "sim/mapping/train_share.h"
#include "sim/networks/activation.h"
#include "sim/networks/links.h"
#include "workloads/nn/kernels.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 2 /* in the whole network's table, whatever the number format */ };

static bool has_weights(const struct nn_layer *layer)
{
    return layer->kind == NN_CONV2D || nn_is_dense(layer);
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

/* Number of rows of a map that the row passes to the next stage. */
static uint32_t rows_of_map(const struct nn_table *table, uint32_t row)
{
    return table->layer[end_of_stage(table, row)].output.height;
}

bool train_piece_is_1998(const struct nn_table *table)
{
    bool is = false;
    for (uint32_t i = 0; i < table->layers; i++) {
        const struct nn_layer *layer = &table->layer[i];
        is = is || activation_of_row(layer->activation)->of_1998 || layer->kind == NN_RBF;
    }
    return is;
}

bool train_piece_is_large(const struct nn_table *table)
{
    enum { LARGE = 4096 /* words of sums */ };
    bool is = false;
    for (uint32_t i = 1; i < table->layers; i++) {
        const struct nn_layer *layer = &table->layer[i];
        is = is || (layer->kind == NN_CONV2D && nn_values(layer->input) >= LARGE);
    }
    return is;
}

bool train_piece_takes_few(const struct nn_table *table)
{
    return train_piece_is_1998(table) || train_piece_is_large(table);
}

/* Whether a stage takes nothing but what its core has made in the stage before: a subsampling of
 * the maps of a convolution that lies directly before it, map by map, in windows side by side. */
static bool is_own(const struct nn_table *table, uint32_t row)
{
    const struct nn_layer *layer = &table->layer[row];
    return row > 0 && row < table->layers && layer->one_weight && layer[-1].kind == NN_CONV2D &&
           layer[-1].padding == 0 && layer->padding == 0 && layer->stride == layer->kernel &&
           layer->input.channels == layer->output.channels &&
           layer->input.height == layer->output.height * layer->kernel &&
           layer->input.width == layer->output.width * layer->kernel && train_piece_is_1998(table);
}

/* Number of bands into which a map can be divided: rows, or the rows of the stage behind if that
 * takes its core's own. */
static uint32_t bands_of_map(const struct nn_table *table, uint32_t row)
{
    return rows_of_map(table, is_own(table, row + 1) ? row + 1 : row);
}

/* Whether some members make rows of a map: there are fewer maps than members.  A window that is
 * clipped at the input's edge has to know its row in the whole map. */
static bool has_bands(const struct nn_layer *layer, uint32_t members)
{
    return layer->output.channels < members && layer->kind == NN_CONV2D && layer->padding == 0;
}

/* Number of cores that share a layer of an image. */
static uint32_t mates_of(const struct nn_layer *layer, const struct train_sharing *sharing)
{
    return layer->kind == NN_CONV2D ? sharing->members / sharing->at_once : sharing->members;
}

/* Whether members have the weights of a layer in common: bands of a map, or teams. */
static bool has_twins(const struct nn_layer *layer, const struct train_sharing *sharing)
{
    return layer->kind == NN_CONV2D &&
           (sharing->at_once > 1 || has_bands(layer, mates_of(layer, sharing)));
}

/* Mates first .. end - 1 that make the rows of one map. */
struct twins {
    uint32_t map, first, end;
};

static struct twins twins_of(const struct nn_table *table, uint32_t row, uint32_t members,
                             uint32_t member)
{
    const uint32_t maps = table->layer[row].output.channels;
    const uint32_t map = member * maps / members;
    const uint32_t first = (map * members + maps - 1) / maps;
    const uint32_t end = ((map + 1) * members + maps - 1) / maps;
    const uint32_t rows = bands_of_map(table, row);
    return (struct twins){map, first, end - first < rows ? end : first + rows};
}

/* Where member m's band begins. */
static uint32_t band_bound(const struct nn_table *table, uint32_t row, uint32_t members, uint32_t m)
{
    const struct twins twins = twins_of(table, row, members, m);
    const uint32_t rows = bands_of_map(table, row);
    const uint32_t values = values_of_map(table, row);
    const uint32_t band = (m < twins.end ? m : twins.end) - twins.first;
    return twins.map * values + rows * band / (twins.end - twins.first) * (values / rows);
}

/* Words of a unit of a dense layer that go between chips: its weights and its bias and, if the next
 * layer is the last one, the weights from the unit. */
static uint32_t words_of_unit(const struct nn_table *table, uint32_t row)
{
    const struct nn_layer *layer = &table->layer[row];
    return nn_values(layer->input) + 1 + (row + 2 == table->layers ? layer[1].output.channels : 0);
}

/* Divides the units of a dense layer. */
static void set_units(const struct nn_table *table, uint32_t row,
                      const struct train_sharing *sharing, struct train_load *load, uint32_t *bound)
{
    const uint32_t units = table->layer[row].output.channels;
    uint32_t count[NN_TRAIN_MEMBERS];
    bound[0] = 0;
    if (sharing->rings > 1) {
        train_share_units(load, units, words_of_unit(table, row), count);
    }
    for (uint32_t m = 0; m < sharing->members; m++) {
        bound[m + 1] = sharing->rings > 1
                           ? bound[m] + count[m]
                           : (uint32_t)((uint64_t)units * (m + 1) / sharing->members);
    }
}

/* Adds each member's maps of a convolution that no other has to its words. */
static void add_maps(const struct nn_table *table, uint32_t row, struct train_load *load)
{
    const struct nn_layer *layer = &table->layer[row];
    const uint32_t maps = layer->output.channels;
    for (uint32_t m = 0; m < load->members; m++) {
        const uint32_t first = maps * m / load->members;
        const uint32_t end = maps * (m + 1) / load->members;
        load->words[m] +=
            links_weights_before(layer, end) - links_weights_before(layer, first) + (end - first);
    }
}

static enum status set_bounds(const struct nn_table *table, uint32_t row,
                              const struct train_sharing *sharing, struct train_load *load,
                              uint32_t *bound, struct diagnostic *diagnostic)
{
    const struct nn_layer *layer = &table->layer[row];
    const uint32_t members = mates_of(layer, sharing);
    const uint32_t maps = layer->output.channels;
    CHECK(members > 0, "a layer is divided among cores");
    const uint32_t values = values_of_map(table, row);
    if (row + 1 == table->layers) { /* all outputs in each core */
        return nn_is_dense(layer)
                   ? STATUS_OK
                   : refuse(layer, "the last layer must be dense", members, diagnostic);
    }
    const bool bands = has_bands(layer, members);
    for (uint32_t m = 0; m <= members; m++) {
        bound[m] =
            bands && m < members ? band_bound(table, row, members, m) : maps * m / members * values;
    }
    if (nn_is_dense(layer)) {
        set_units(table, row, sharing, load, bound);
    } else if (sharing->rings > 1 && !has_twins(layer, sharing)) {
        add_maps(table, row, load);
    }
    return sharing->whole_last && maps < members
               ? refuse(layer, "it has fewer maps or units", members, diagnostic)
               : STATUS_OK;
}

enum status train_bounds_make(const struct nn_table *table, const struct train_sharing *sharing,
                              uint32_t **bounds, uint32_t *stages, struct diagnostic *diagnostic)
{
    struct train_load load = {.members = sharing->members, .rings = sharing->rings};
    *stages = 0;
    *bounds = calloc((size_t)table->layers * (sharing->members + 1u), sizeof **bounds);
    if (*bounds == NULL) {
        return no_memory(diagnostic);
    }
    for (uint32_t row = 0; row < table->layers; row++) {
        if (has_weights(&table->layer[row])) {
            uint32_t *bound = *bounds + (size_t)*stages * (sharing->members + 1u);
            TRY(set_bounds(table, row, sharing, &load, bound, diagnostic));
            ++*stages;
        }
    }
    return *stages <= NN_TRAIN_STAGES
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_CONFIGURATION,
                          "network %s has %u layers with weights, a program that trains has room "
                          "for %d",
                          table->name, *stages, NN_TRAIN_STAGES);
}

/* ---- a piece ---- */

/* Which piece. */
struct sharing {
    const uint32_t *bounds;
    const struct train_sharing *among;
    uint32_t member;
};

/* A member's part of a layer with weights. */
struct part {
    uint32_t first_output, outputs;
    uint32_t first_input, inputs; /* values of a dense layer, all channels of a convolution */
    uint32_t first_row, rows;     /* of each map, pooled */
};

static struct part part_of(const struct nn_table *table, uint32_t row, uint32_t stage,
                           const struct sharing *by)
{
    const struct nn_layer *layer = &table->layer[row];
    const uint32_t mates = mates_of(layer, by->among);
    assert(mates > 0); /* at_once divides members */
    const uint32_t mate = by->member % mates;
    const uint32_t rows = rows_of_map(table, row);
    struct part part = {0, layer->output.channels, 0, nn_values(layer->input), 0, rows};
    const uint32_t *bound = by->bounds + (size_t)stage * (by->among->members + 1u);
    if (row + 1 < table->layers) {
        const uint32_t values = values_of_map(table, row);
        const uint32_t count = bound[mate + 1] - bound[mate];
        const uint32_t width = values / rows;
        part.first_output = bound[mate] / values;
        part.outputs = (count + values - 1) / values;
        part.first_row = bound[mate] % values / width;
        part.rows = count < values && count > 0 ? count / width : rows;
    } else if (stage > 0 && !by->among->whole_last) {
        const uint32_t *before = bound - (by->among->members + 1u);
        part.first_input = before[by->member];
        part.inputs = before[by->member + 1] - before[by->member];
    }
    return part;
}

/* Sets the shapes in the rows of the piece's table. */
static void shape_layers(struct nn_table *table, uint32_t row, const struct part *part)
{
    struct nn_layer *layer = &table->layer[row];
    const uint32_t end = end_of_stage(table, row);
    if (row + 1 == table->layers) {
        layer->input = (struct nn_shape){(uint16_t)part->inputs, 1, 1, 0};
    }
    layer->output.channels = (uint16_t)part->outputs;
    for (uint32_t i = row + 1; i <= end; i++) {
        table->layer[i].input.channels = (uint16_t)part->outputs;
        table->layer[i].output.channels = (uint16_t)part->outputs;
    }
    if (part->rows < table->layer[end].output.height) {
        uint32_t rows = part->rows;
        for (uint32_t i = end; i > row; i--) {
            table->layer[i].output.height = (uint16_t)rows;
            rows = (rows - 1) * table->layer[i].stride + table->layer[i].kernel;
            table->layer[i].input.height = (uint16_t)rows;
        }
        layer->output.height = (uint16_t)rows;
    }
}

/* The input of a stage that takes its core's own values: without those of other members. */
static void shape_own(struct nn_table *table, uint32_t row, const struct part *part)
{
    struct nn_layer *layer = &table->layer[row];
    uint32_t *links = (uint32_t *)(void *)layer + layer->output.links;
    layer->input.channels = (uint16_t)part->outputs;
    layer->input.height = (uint16_t)(layer->output.height * layer->kernel);
    for (uint32_t o = 0; o < part->outputs; o++) {
        links[o] = UINT32_C(1) << o;
    }
}

static uint32_t even(uint32_t values)
{
    return (values + 1) & ~UINT32_C(1);
}

static uint32_t weights_of_part(const struct nn_layer *whole, const struct part *part)
{
    return nn_is_dense(whole) ? part->outputs * part->inputs
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
        const uint32_t count = nn_is_dense(whole) ? part->inputs : end - own;
        for (uint32_t i = 0; i < count; i++) {
            piece->origin[at++] = own + part->first_input + i;
        }
    }
}

/* Values of a stage's input before the first that a band begins with. */
static uint32_t skipped_by(const struct nn_table *table, uint32_t row, const struct part *part)
{
    const struct nn_layer *layer = &table->layer[row];
    uint32_t first = part->outputs == 0 ? 0 : part->first_row;
    for (uint32_t i = end_of_stage(table, row); i > row; i--) {
        first *= table->layer[i].stride;
    }
    return first * layer->stride * layer->input.width;
}

/* ---- blocks of twins ---- */

/* Whether members have a block of a layer: convolutions of twins; and if there are any, the last
 * layer's biases, which each member has.  Without twins these few are not worth a round. */
static bool has_block(const struct nn_table *whole, uint32_t row, const struct sharing *by)
{
    if (row + 1 < whole->layers) {
        return has_twins(&whole->layer[row], by->among);
    }
    bool any = false;
    for (uint32_t k = 0; k < row; k++) {
        any |= has_twins(&whole->layer[k], by->among);
    }
    return any && !by->among->whole_last;
}

/* Members that have a member's block of a layer: twins in each team; the mates of all teams that
 * have no part of it are nobody's twins. */
static uint32_t twins_mask(const struct nn_table *whole, uint32_t row, const struct sharing *by)
{
    const struct nn_layer *layer = &whole->layer[row];
    const uint32_t mates = row + 1 == whole->layers ? 1 : mates_of(layer, by->among);
    struct twins twins = {0, by->member % mates, by->member % mates + 1};
    if (mates > 1 && has_bands(layer, mates)) {
        twins = twins_of(whole, row, mates, by->member % mates);
    }
    uint32_t mask = 0;
    for (uint32_t m = 0; m < by->among->members; m++) {
        mask |= (m % mates >= twins.first && m % mates < twins.end ? 1u : 0u) << m;
    }
    return mask;
}

/* Parameters of a part of a layer that are in the member's block. */
static uint32_t block_weights(const struct nn_table *whole, uint32_t row, const struct part *part)
{
    return row + 1 == whole->layers ? 0 : even(weights_of_part(&whole->layer[row], part));
}

static struct sharing of_member(const struct sharing *by, uint32_t member)
{
    return (struct sharing){by->bounds, by->among, member};
}

/* Words that a member has to exchange beside its shares of blocks. */
static uint32_t own_words(const struct nn_table *whole, const struct sharing *by)
{
    uint32_t words = 0;
    for (uint32_t row = 0, stage = 0; row < whole->layers; row++) {
        if (has_weights(&whole->layer[row])) {
            const struct part part = part_of(whole, row, stage++, by);
            const uint32_t all =
                even(weights_of_part(&whole->layer[row], &part)) + even(part.outputs);
            const uint32_t block = block_weights(whole, row, &part) + even(part.outputs);
            words += has_block(whole, row, by) ? all - block : all;
        }
    }
    return words;
}

/* Shares a layer's blocks among their twins and notes the member's. */
static void share_blocks(struct train_piece *piece, const struct nn_table *whole, uint32_t row,
                         uint32_t stage, const struct sharing *by, struct train_load *load)
{
    struct nn_train_part *note = &piece->part[stage];
    uint32_t largest = 0;
    note->block = piece->shared;
    for (uint32_t m = 0; m < by->among->members; m++) {
        const struct sharing other = of_member(by, m);
        const struct part part = part_of(whole, row, stage, &other);
        const uint32_t twins = twins_mask(whole, row, &other);
        const uint32_t weights = block_weights(whole, row, &part);
        const uint32_t words = weights + even(part.outputs);
        largest = words > largest ? words : largest;
        uint32_t count[NN_TRAIN_MEMBERS];
        if ((twins & ((1u << m) - 1)) != 0) {
            continue; /* its first twin has come */
        }
        train_share_block(load, twins, words, count);
        if ((twins >> by->member & 1) == 0 || words == 0) {
            continue;
        }
        note->twins = twins;
        note->weights = weights;
        note->words = words;
        note->count = count[by->member];
        const uint32_t added = has_twins(&whole->layer[row], by->among) ? twins : 1u << by->member;
        note->added = note->count > 0 ? added : 0;
        for (uint32_t before = 0; before < by->member; before++) {
            note->first += count[before];
        }
    }
    piece->shared += largest; /* at the same place in all twins */
    const uint32_t added = bits_count(note->added);
    const uint32_t taken = (added < NN_TRAIN_AT_ONCE ? added : NN_TRAIN_AT_ONCE) * note->count;
    piece->taken_words = taken > piece->taken_words ? taken : piece->taken_words;
}

/* Notes how all stages are divided, and the member's shares of blocks. */
static void note_parts(struct train_piece *piece, const struct nn_table *whole,
                       const struct sharing *by)
{
    struct train_load load = {.members = by->among->members, .rings = by->among->rings};
    for (uint32_t m = 0; m < load.members && !by->among->whole_last; m++) {
        const struct sharing other = of_member(by, m);
        load.words[m] = own_words(whole, &other);
    }
    uint32_t shares = 0;
    for (uint32_t row = 0, stage = 0; row < whole->layers; row++) {
        if (has_weights(&whole->layer[row])) {
            const struct part part = part_of(whole, row, stage, by);
            const bool own = is_own(whole, row);
            piece->part[stage].own_input = own;
            piece->part[stage].skipped = own ? 0 : skipped_by(whole, row, &part);
            if (has_block(whole, row, by)) {
                share_blocks(piece, whole, row, stage, by, &load);
            }
            shares += piece->part[stage++].count;
        }
    }
    piece->taken_words = shares > piece->taken_words ? shares : piece->taken_words;
}

/* ---- places ---- */

static void place_biases(struct train_piece *piece, const struct nn_layer *whole,
                         const struct part *part, uint32_t at)
{
    for (uint32_t o = 0; o < part->outputs; o++) {
        piece->origin[at + o] = whole->biases / VALUE_BYTES + part->first_output + o;
    }
}

/* Places the columns of inner layers, and of the last one, of networks whose tables have a row for
 * each stage. */
static uint32_t place_columns(struct train_piece *piece, const struct nn_table *whole,
                              const struct sharing *by, uint32_t at)
{
    const uint32_t end = by->among->columns ? whole->layers : whole->layers - 1;
    for (uint32_t row = 1; row < end; row++) {
        const struct nn_layer *layer = &whole->layer[row];
        const struct part before = part_of(whole, row - 1, row - 1, by);
        const uint32_t units = layer->output.channels;
        const uint32_t inputs = layer->input.channels;
        piece->columns[row] = at;
        for (uint32_t i = 0; i < before.outputs * units && piece->origin != NULL; i++) {
            piece->origin[at + i] =
                layer->weights / VALUE_BYTES + i % units * inputs + before.first_output + i / units;
        }
        at += even(before.outputs * units);
    }
    return at;
}

/* Places the weights or biases of a layer from `at` on; returns how many values they take. */
static uint32_t place_layer(struct train_piece *piece, const struct nn_table *whole, uint32_t row,
                            const struct part *part, const struct sharing *by, bool biases,
                            uint32_t at)
{
    const struct nn_layer *layer = &whole->layer[row];
    struct nn_layer *mine = &piece->table->layer[row];
    const bool in_columns = row > 0 && by->among->columns && !biases;
    *(biases ? &mine->biases : &mine->weights) = at * VALUE_BYTES;
    if (piece->origin != NULL && !in_columns) {
        (biases ? place_biases : place_weights)(piece, layer, part, at);
    }
    shape_layers(piece->table, row, part);
    if (nn_links(layer) != NULL) { /* from the weights of the member's first map on */
        mine->output.links = (uint16_t)(layer->output.links + part->first_output);
    }
    if (is_own(whole, row)) {
        shape_own(piece->table, row, part);
    }
    return in_columns ? 0 : even(biases ? part->outputs : weights_of_part(layer, part));
}

/* Places the weights or biases of this member's shares from `at` on; returns the end. */
static uint32_t place_shares(struct train_piece *piece, bool biases, uint32_t at)
{
    for (uint32_t stage = 0; stage < NN_TRAIN_STAGES; stage++) {
        struct nn_train_part *part = &piece->part[stage];
        const uint32_t weights = nn_train_share_weights(part);
        const uint32_t count = biases ? part->count - weights : weights;
        const uint32_t from = part->block + part->first + (biases ? weights : 0);
        *(biases ? &part->own_biases : &part->own_weights) = at;
        for (uint32_t i = 0; i < count && piece->origin != NULL; i++) {
            piece->owned_origin[at - piece->first + i] = piece->origin[from + i];
        }
        at += count;
    }
    return at;
}

/* Places a layer's values that are in the block of a stage. */
static void place_block(struct train_piece *piece, const struct nn_table *whole, uint32_t row,
                        uint32_t stage, const struct part *part, const struct sharing *by)
{
    const struct nn_train_part *note = &piece->part[stage];
    if (row + 1 < whole->layers) {
        (void)place_layer(piece, whole, row, part, by, false, note->block);
    }
    (void)place_layer(piece, whole, row, part, by, true, note->block + note->weights);
}

static uint32_t share_weights(const struct train_piece *piece)
{
    uint32_t weights = 0;
    for (uint32_t stage = 0; stage < NN_TRAIN_STAGES; stage++) {
        weights += nn_train_share_weights(&piece->part[stage]);
    }
    return weights;
}

/* Assigns offsets to blocks, then to weights, then to biases; without `origin` it only counts.
 * Offsets in the piece's table are bytes of `VALUE_BYTES` values; the plan scales them. */
static void place_all(struct train_piece *piece, const struct nn_table *whole,
                      const struct sharing *by)
{
    uint32_t at = piece->shared;
    piece->first = piece->shared - share_weights(piece);
    for (unsigned biases = 0; biases < 2; biases++) {
        uint32_t stage = 0;
        if (biases) {
            at = by->among->whole_last ? place_columns(piece, whole, by, at) : at;
            piece->weights_end = at;
        }
        for (uint32_t row = 0; row < whole->layers; row++) {
            if (!has_weights(&whole->layer[row])) {
                continue;
            }
            const struct part part = part_of(whole, row, stage, by);
            const bool block = has_block(whole, row, by);
            if (block && !biases) {
                place_block(piece, whole, row, stage, &part, by);
            }
            if (!block || (!biases && row + 1 == whole->layers)) {
                at += place_layer(piece, whole, row, &part, by, biases != 0, at);
            }
            stage++;
        }
    }
    if (piece->origin != NULL) {
        memcpy(piece->owned_origin + (piece->shared - piece->first), piece->origin + piece->shared,
               (piece->count - piece->shared) * sizeof *piece->origin);
    }
    (void)place_shares(piece, false, piece->first);
    at = place_shares(piece, true, at) - piece->first;
    piece->count =
        piece->first + (at + TRAIN_PIECE_BLOCK - 1) / TRAIN_PIECE_BLOCK * TRAIN_PIECE_BLOCK;
}

enum status train_piece_make(const struct nn_table *table, const uint32_t *bounds,
                             const struct train_sharing *sharing, uint32_t member,
                             struct train_piece *piece, struct diagnostic *diagnostic)
{
    const struct sharing by = {bounds, sharing, member};
    *piece = (struct train_piece){
        .table = malloc(table->bytes),
        .at_once = sharing->at_once,
        .in_columns = sharing->columns,
        .tight = train_piece_is_large(table),
    };
    if (piece->table == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(piece->table, table, table->bytes);
    note_parts(piece, table, &by);
    place_all(piece, table, &by);
    const uint32_t owned = piece->count - piece->first;
    piece->origin = malloc((piece->count + 1) * sizeof *piece->origin);
    piece->owned_origin = malloc((owned + 1) * sizeof *piece->owned_origin);
    if (piece->origin == NULL || piece->owned_origin == NULL) {
        train_piece_deinit(piece);
        return no_memory(diagnostic);
    }
    for (uint32_t i = 0; i < piece->count; i++) {
        piece->origin[i] = TRAIN_PIECE_FILLER;
    }
    for (uint32_t i = 0; i < owned; i++) {
        piece->owned_origin[i] = TRAIN_PIECE_FILLER;
    }
    memcpy(piece->table, table, table->bytes);
    place_all(piece, table, &by);
    piece->table->parameter_bytes = piece->count * VALUE_BYTES;
    return STATUS_OK;
}

void train_piece_stages(const struct train_piece *piece, struct nn_train_memory *memory)
{
    const struct nn_table *table = piece->table;
    *memory = (struct nn_train_memory){0};
    for (uint32_t i = 0; i < table->layers; i++) {
        const struct nn_layer *layer = &table->layer[i];
        const uint16_t offset = (uint16_t)((const uint8_t *)layer - (const uint8_t *)table);
        if (!has_weights(layer) && memory->stages > 0) {
            struct nn_train_stage *stage = &memory->stage[memory->stages - 1];
            stage->pool = offset;
            stage->outputs = nn_values(layer->output);
            continue;
        }
        const uint32_t places = nn_values(layer->output);
        memory->stage[memory->stages] = (struct nn_train_stage){
            .row = (uint16_t)i,
            .layer = offset,
            .inputs = nn_values(layer->input),
            .outputs = places,
            .places = places,
            .images = (uint16_t)(nn_is_dense(layer) ? piece->at_once : 1),
            .part = piece->part[memory->stages],
        };
        memory->stages++;
    }
}

void train_piece_deinit(struct train_piece *piece)
{
    free(piece->table);
    free(piece->origin);
    free(piece->owned_origin);
    *piece = (struct train_piece){0};
}
