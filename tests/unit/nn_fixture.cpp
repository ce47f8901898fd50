/* nn_fixture.cpp - see nn_fixture.h. */
#include "tests/unit/nn_fixture.h"

#include "tests/unit/data_fixture.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

std::vector<int16_t> random_source::int16s(size_t count, int32_t most)
{
    std::vector<int16_t> values(count);
    for (int16_t &value : values) {
        value = static_cast<int16_t>(between(-most, most));
    }
    return values;
}

std::vector<double> random_source::units(size_t count, double scale)
{
    std::vector<double> values(count);
    for (double &value : values) {
        value = scale * unit();
    }
    return values;
}

test_network::test_network(const std::string &yaml)
{
    struct diagnostic diagnostic = {};
    EXPECT_EQ(network_parse("test.yaml", yaml.data(), yaml.size(), &network, &diagnostic),
              STATUS_OK)
        << said(diagnostic);
    EXPECT_EQ(layer_table_make(&network, &table, &diagnostic), STATUS_OK) << said(diagnostic);
}

test_network::~test_network()
{
    free(table);
    network_deinit(&network);
}

std::string networks_folder()
{
    return std::string(SPINN_SOURCE_DIR) + "/configs/networks/";
}

std::unique_ptr<test_network> lenet1()
{
    std::ifstream stream(networks_folder() + "lenet1.yaml");
    std::stringstream text;
    text << stream.rdbuf();
    return std::make_unique<test_network>(text.str());
}

lenet1_weights::lenet1_weights(const test_network &network, const std::string &set)
{
    struct diagnostic diagnostic = {};
    const std::string path = networks_folder() + "lenet1_" + set + ".npz";
    EXPECT_EQ(weights_read(&weights, path.c_str(), &network.network, network.table, &diagnostic),
              STATUS_OK)
        << said(diagnostic);
}

images::images(const char *set, enum dataset_split split, uint32_t limit)
{
    struct diagnostic diagnostic = {};
    const struct dataset_request request = {set, nullptr, split, limit, nullptr, 0};
    EXPECT_EQ(dataset_load(&dataset, &request, &diagnostic), STATUS_OK) << said(diagnostic);
}

integer_run::integer_run(const test_network &network, const std::vector<int16_t> &parameters,
                         const uint8_t *image)
    : activations(network.table->activation_bytes)
{
    nn_forward(network.table, reinterpret_cast<const uint8_t *>(parameters.data()),
               activations.data(), image, nullptr, &numerics);
    const int32_t *found = nn_logits(network.table, activations.data());
    logits.assign(found, found + network.table->classes);
}

host_test::host_test(const test_network &network, const struct host_format &format,
                     const void *parameters, const struct dataset &images, unsigned threads)
    : result(images.count)
{
    struct host_training training = {};
    training.format = &format;
    training.network = &network.network;
    training.table = network.table;
    training.initial = parameters;
    training.threads = threads;
    status = trainer_classify(&training, &images, result.data(), &score, &said_of);
    for (const struct nn_result &one : result) {
        saturations += one.saturations;
        overflows += one.overflows;
    }
}

std::vector<int16_t> block_of(const struct weights &weights, const test_network &network)
{
    const auto *block = static_cast<const int16_t *>(weights.block);
    return std::vector<int16_t>(block, block + weights_places(network.table));
}
