/* layer_kinds.c - the table of layer types: see layer.h. */
#include "sim/networks/layer.h"

#define LAYER(NAME, name) extern const struct layer_kind LAYER_##NAME;
#include "tables/layers.def"

const struct layer_kind *layer_kind_of(enum network_layer_type type)
{
    static const struct layer_kind *const KIND[] = {
#define LAYER(NAME, name) [NETWORK_##NAME] = &LAYER_##NAME,
#include "tables/layers.def"
    };
    return KIND[type];
}

size_t layer_room(const struct network_layer *layer)
{
    const struct layer_kind *kind = layer_kind_of(layer->type);
    return kind->room == NULL ? 0 : kind->room(layer);
}
