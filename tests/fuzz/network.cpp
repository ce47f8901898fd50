/* network.cpp - a network's file, up to the table that programs execute, in each of the formats. */
#include "tests/fuzz/harness.h"

#include <cstdlib>

extern "C" {
#include "sim/networks/layer_table.h"
#include "sim/networks/operators.h"
#include "sim/networks/weights.h"
}

void fuzz_one(const uint8_t *bytes, size_t size)
{
    for (const auto numbers : {NETWORK_INT16, NETWORK_S1615, NETWORK_FLOAT32}) {
        struct network network = {};
        struct diagnostic diagnostic = {};
        const enum status status = network_parse(
            "network.yaml", reinterpret_cast<const char *>(bytes), size, &network, &diagnostic);
        if (!fuzz_is_good(status, diagnostic)) {
            return;
        }
        network_use(&network, numbers);
        struct nn_table *table = nullptr;
        if (fuzz_is_good(layer_table_make(&network, &table, &diagnostic), diagnostic)) {
            const struct weights_place last = weights_place(&network, network.layer_count - 1);
            if (last.weights > network_parameters(&network) || network_macs(&network) == 0) {
                fuzz_fail("parameters beyond the last one");
            }
        }
        free(table);
        network_deinit(&network);
    }
}
