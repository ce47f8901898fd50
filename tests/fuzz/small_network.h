/* small_network.h - a network of a few parameters, and its table. */
#pragma once
#include "tests/fuzz/harness.h"

#include <cstdlib>
#include <cstring>

extern "C" {
#include "sim/networks/layer_table.h"
}

struct small_network {
    small_network()
    {
        static const char TEXT[] =
            "name: small\nvariant: modern\ninput: {channels: 1, height: 28, width: 28}\n"
            "formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}\nlayers:\n"
            "  - {name: conv, type: conv2d, maps: 1, kernel: 5, activation: relu}\n"
            "  - {name: pool1, type: max_pool2d, size: 2}\n"
            "  - {name: pool2, type: max_pool2d, size: 6}\n"
            "  - {name: output, type: dense, units: 10, activation: softmax}\n";
        struct diagnostic diagnostic = {};
        if (network_parse("small.yaml", TEXT, strlen(TEXT), &network, &diagnostic) != STATUS_OK ||
            layer_table_make(&network, &table, &diagnostic) != STATUS_OK) {
            fuzz_fail(diagnostic.text);
        }
    }
    ~small_network()
    {
        free(table);
        network_deinit(&network);
    }
    small_network(const small_network &) = delete;
    small_network &operator=(const small_network &) = delete;

    struct network network = {};
    struct nn_table *table = nullptr;
};
