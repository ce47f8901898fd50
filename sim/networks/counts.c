/* counts.c - see counts.h. */
#include "sim/networks/counts.h"

#include "sim/csv.h"
#include "sim/networks/layer.h"

#include <inttypes.h>

struct counts counts_of_layer(const struct network *network, size_t layer)
{
    enum { PASSES = 3 }; /* values, gradients of weights, gradients of inputs */
    const struct network_layer *own = &network->layer[layer];
    const uint64_t products = network_layer_macs(own);
    const uint64_t outputs = network_values(own->output);
    const uint64_t window = (uint64_t)own->kernel * own->kernel;
    const bool given = layer_kind_of(own->type)->given != NULL;
    const uint64_t macs = layer_kind_of(own->type)->one_weight ? outputs : products;
    return (struct counts){
        .parameters = given ? 0 : network_layer_weights(own) + network_layer_biases(own),
        .connections = network_is_pool(own) ? window * outputs
                       : given              ? products
                                            : products + outputs,
        .macs = macs,
        .training_macs = (own->from == NETWORK_INPUT ? PASSES - 1 : PASSES) * macs};
}

struct counts counts_of(const struct network *network)
{
    struct counts sum = {0};
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct counts layer = counts_of_layer(network, i);
        sum.parameters += layer.parameters;
        sum.connections += layer.connections;
        sum.macs += layer.macs;
        sum.training_macs += layer.training_macs;
    }
    return sum;
}

static void print_row(bool csv, const char *name, const char *type, struct network_shape shape,
                      struct counts counts, FILE *out)
{
    char size[48];
    (void)snprintf(size, sizeof size, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, shape.channels,
                   shape.height, shape.width);
    if (csv) {
        csv_text(out, name);
        (void)fputc(',', out);
        csv_text(out, type);
    } else {
        (void)fprintf(out, "%-16s %-15s", name, type);
    }
    (void)fprintf(out,
                  csv ? ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n"
                      : " %-12s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %13" PRIu64 "\n",
                  size, counts.parameters, counts.connections, counts.macs, counts.training_macs);
}

void counts_print(const struct network *network, bool csv, FILE *out)
{
    const struct network_shape last = network->layer[network->layer_count - 1].output;
    (void)fprintf(out, csv ? "%s,%s,%s,%s,%s,%s,%s\n" : "%-16s %-15s %-12s %12s %12s %12s %13s\n",
                  "layer", "type", "output", "parameters", "connections", "macs", "training_macs");
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        print_row(csv, layer->name, layer_kind_of(layer->type)->name, layer->output,
                  counts_of_layer(network, i), out);
    }
    print_row(csv, network->name, network->variant, last, counts_of(network), out);
}
