/* own_network.h - a network of a test's own, beside its configuration: networks/NAME.yaml and .npz,
 * with drawn parameters. */
#pragma once
#include "tests/system/program.h"

extern "C" {
#include "models/common/draw.h"
#include "sim/networks/layer_table.h"
#include "sim/networks/weights.h"
}

/* Writes FOLDER/networks/NAME.npz for a network's text. */
inline void write_parameters(const std::string &folder, const std::string &name,
                             const std::string &text)
{
    struct network network = {};
    struct nn_table *table = nullptr;
    struct weights weights = {};
    const std::string path = folder + "/networks/" + name + ".npz";
    ASSERT_EQ(network_parse("own.yaml", text.data(), text.size(), &network, nullptr), STATUS_OK);
    ASSERT_EQ(layer_table_make(&network, &table, nullptr), STATUS_OK);
    std::vector<double> parameters(network_parameters(&network));
    for (size_t i = 0; i < parameters.size(); i++) {
        parameters[i] = 0.25 * draw_signed_unit(draw_word(7, 0, i));
    }
    ASSERT_EQ(weights_round(&weights, &network, table, parameters.data(), nullptr), STATUS_OK);
    (void)snprintf(weights.origin.dataset, sizeof weights.origin.dataset, "none");
    (void)snprintf(weights.origin.dataset_digest, sizeof weights.origin.dataset_digest, "%064d", 0);
    ASSERT_EQ(weights_write(&weights, path.c_str(), &network, table, nullptr), STATUS_OK);
    weights_deinit(&weights);
    free(table);
    network_deinit(&network);
}
