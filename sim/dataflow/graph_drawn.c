/* graph_drawn.c - see graph_drawn.h. */
#include "sim/dataflow/graph_drawn.h"

#include "models/common/draw.h"
#include "sim/data/dataset.h"
#include "sim/networks/layer_table.h"
#include "sim/networks/learning.h"
#include "sim/networks/weights.h"
#include "sim/steps.h"

#include <stdlib.h>

enum { STREAM_PIXELS = 6 << 24, STREAM_LABELS, PIXEL_VALUES = 256 };
static const char DIGITS[] = "synthetic";

struct drawn {
    struct network network;
    struct nn_table *table;
    struct weights weights;
    struct dataset images;
};

static void drawn_deinit(struct drawn *drawn)
{
    network_deinit(&drawn->network);
    free(drawn->table);
    weights_deinit(&drawn->weights);
    dataset_deinit(&drawn->images);
}

static enum status draw_images(const struct dataflow_drawn_request *request, struct drawn *drawn,
                               struct diagnostic *diagnostic)
{
    const size_t pixels = network_values(drawn->network.input);
    struct dataset *images = &drawn->images;
    *images = (struct dataset){.count = request->images,
                               .images = calloc(request->images, pixels),
                               .labels = calloc(request->images, 1)};
    if (images->images == NULL || images->labels == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < request->images * pixels; i++) {
        images->images[i] =
            (uint8_t)draw_below(draw_word(request->seed, STREAM_PIXELS, i), PIXEL_VALUES);
    }
    for (size_t i = 0; i < request->images; i++) {
        images->labels[i] =
            (uint8_t)draw_below(draw_word(request->seed, STREAM_LABELS, i), drawn->table->classes);
    }
    return STATUS_OK;
}

static enum status take_images(const struct dataflow_drawn_request *request, struct drawn *drawn,
                               struct diagnostic *diagnostic)
{
    struct dataset like = {.count = 0};
    const struct network_shape *input = &drawn->network.input;
    if (!dataset_shape(DIGITS, &like) || like.channels != input->channels ||
        like.height != input->height || like.width != input->width ||
        like.classes != drawn->table->classes) {
        return draw_images(request, drawn, diagnostic);
    }
    const struct dataset_request digits = {
        .set = DIGITS, .split = DATASET_TRAIN, .limit = request->images};
    return dataset_load(&drawn->images, &digits, diagnostic);
}

static enum status take_weights(const struct dataflow_drawn_request *request, struct drawn *drawn,
                                struct diagnostic *diagnostic)
{
    if (request->weights != NULL) {
        return weights_read(&drawn->weights, request->weights, &drawn->network, drawn->table,
                            diagnostic);
    }
    drawn->weights.block = calloc(1, weights_block_bytes(&drawn->network, drawn->table) + 1);
    if (drawn->weights.block == NULL) {
        return no_memory(diagnostic);
    }
    learning_draw(&drawn->network, drawn->table, CONFIG_INITIALIZER_HE, request->seed,
                  drawn->weights.block);
    return STATUS_OK;
}

enum status dataflow_drawn_load(const struct dataflow_drawn_request *request,
                                struct dataflow_graph *graph, struct diagnostic *diagnostic)
{
    RELEASED(drawn_deinit) struct drawn drawn = {.table = NULL};
    *graph = (struct dataflow_graph){.name = NULL};
    TRY(network_load(request->path, &drawn.network, diagnostic));
    TRY(layer_table_make(&drawn.network, &drawn.table, diagnostic));
    TRY(take_weights(request, &drawn, diagnostic));
    TRY(take_images(request, &drawn, diagnostic));
    const struct dataflow_network_request network = {.network = &drawn.network,
                                                     .table = drawn.table,
                                                     .parameters = drawn.weights.block,
                                                     .form = request->form,
                                                     .images = request->images,
                                                     .pixels = drawn.images.images,
                                                     .labels = drawn.images.labels,
                                                     .rate = request->rate,
                                                     .error_fraction = request->error_fraction};
    return dataflow_of_network(&network, graph, diagnostic);
}
