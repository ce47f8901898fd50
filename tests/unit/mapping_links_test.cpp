/* Tables of links: from the text to the layer table, to pieces and parts of it, to the weights'
 * file; the numbers of published networks; doubles with a table against doubles without. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/data/npz.h"
#include "sim/mapping/plan_maps.h"
#include "sim/mapping/train_piece.h"
#include "sim/networks/links.h"
}

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace
{

/* LeNet-5's third layer as LeCun et al. 1998 have it (table I), behind six maps. */
const std::string TABLE =
    "[[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [0, 4, 5], [0, 1, 5], [0, 1, 2, 3], "
    "[1, 2, 3, 4], [2, 3, 4, 5], [0, 3, 4, 5], [0, 1, 4, 5], [0, 1, 2, 5], [0, 1, 3, 4], "
    "[1, 2, 4, 5], [0, 2, 3, 5], [0, 1, 2, 3, 4, 5]]";

std::string lenet5(const std::string &links)
{
    return "name: five\nvariant: modern\n"
           "input: {channels: 1, height: 28, width: 28}\n"
           "layers:\n"
           "  - {name: c1, type: conv2d, maps: 6, kernel: 5, padding: same, activation: tanh}\n"
           "  - {name: s2, type: subsample2d, size: 2, activation: tanh}\n"
           "  - {name: c3, type: conv2d, maps: 16, kernel: 5, activation: tanh" +
           links +
           "}\n"
           "  - {name: s4, type: subsample2d, size: 2, activation: tanh}\n"
           "  - {name: out, type: dense, units: 10, activation: softmax}\n";
}

/* "about 1,516 parameters, 151,600 connections": 60 links of 25 weights, and biases. */
TEST(Links, OfLeNet5AreTheNumbersThatArePublished)
{
    const test_network network(lenet5(", links: " + TABLE));
    const struct network_layer &c3 = network.layer(2);
    EXPECT_EQ(network_layer_weights(&c3) + network_layer_biases(&c3), 1516u);
    EXPECT_EQ(network_layer_macs(&c3) + 16 * 100, 151600u);
    const struct network_layer &s2 = network.layer(1);
    EXPECT_EQ(network_layer_weights(&s2) + network_layer_biases(&s2), 12u);
    EXPECT_EQ(network_layer_macs(&s2) + 6 * 14 * 14, 5880u);
    const struct nn_layer *row = &network.table->layer[2];
    ASSERT_NE(nn_links(row), nullptr);
    EXPECT_EQ(nn_links(row)[0], 0x07u);
    EXPECT_EQ(nn_links(row)[9], 0x39u);
    EXPECT_EQ(nn_links(row)[15], 0x3fu);
    EXPECT_EQ(network.table->bytes,
              sizeof(struct nn_table) + 5 * sizeof(struct nn_layer) + (6 + 16 + 16) * 4);
    EXPECT_EQ(nn_links(&network.table->layer[0]), nullptr);
    EXPECT_EQ(row->biases - row->weights, 3000u);
    EXPECT_EQ(links_weights_before(row, 7), (6 * 3 + 4) * 25u);
    EXPECT_EQ(links_weights(row), 1500u);
    EXPECT_EQ(links_macs(row), 150000u);
    uint32_t shape[4] = {};
    EXPECT_EQ(links_tensor_shape(row, shape), 3u);
    EXPECT_EQ(shape[0], 60u);
    EXPECT_EQ(shape[2], 5u);
    row = &network.table->layer[3];
    EXPECT_EQ(row->kind, NN_CONV2D);
    EXPECT_EQ(row->one_weight, 1);
    EXPECT_EQ(nn_links(row)[15], 0x8000u);
    EXPECT_EQ(links_weights_before(row, 7), 7u);
    EXPECT_EQ(links_macs(row), 16 * 25 * 4u);
    EXPECT_EQ(links_tensor_shape(row, shape), 1u);
    EXPECT_EQ(shape[0], 16u);
}

/* ---- what is refused ---- */

void expect_refused(const std::string &links, const std::string &said, const std::string &hint)
{
    struct network network;
    struct diagnostic diagnostic = {};
    const std::string yaml = lenet5(", links: " + links);
    EXPECT_EQ(network_parse("net.yaml", yaml.data(), yaml.size(), &network, &diagnostic),
              STATUS_CONFIGURATION)
        << links;
    EXPECT_NE(std::string(diagnostic.text).find(said), std::string::npos) << diagnostic.text;
    EXPECT_NE(std::string(diagnostic.hint).find(hint), std::string::npos) << diagnostic.hint;
    EXPECT_EQ(diagnostic.line, 7) << links;
    network_deinit(&network);
}

TEST(Links, BadTables)
{
    const std::string rest = TABLE.substr(TABLE.find("], ") + 3);
    expect_refused("5", "", "");
    expect_refused("[[0], [1]]", "2 lists of links for 16 maps", "for each output map");
    expect_refused("[0, " + rest, "", "");
    expect_refused("[[], " + rest, "no input map feeds", "one input map at least");
    expect_refused("[[0, 0], " + rest, "input map 0 stands here twice", "remove one");
    expect_refused("[[2, 1, 2], " + rest, "input map 2 stands here twice", "remove one");
    expect_refused("[[-1], " + rest, "", "");
    expect_refused("[[32], " + rest, "out of range", "0 to 31");
    expect_refused("[[0, 6], " + rest, "a map that its input does not have", "6 maps");
    struct network network;
    struct diagnostic diagnostic = {};
    const std::string yaml = "name: net\nvariant: modern\n"
                             "input: {channels: 33, height: 8, width: 8}\nlayers:\n"
                             "  - {name: a, type: conv2d, maps: 1, kernel: 3, links: [[0]]}\n"
                             "  - {name: out, type: dense, units: 10, activation: softmax}\n";
    EXPECT_EQ(network_parse("net.yaml", yaml.data(), yaml.size(), &network, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_NE(std::string(diagnostic.text).find("no room for 33 input maps"), std::string::npos);
    const std::string sub = "name: net\nvariant: modern\n"
                            "input: {channels: 33, height: 8, width: 8}\nlayers:\n"
                            "  - {name: a, type: subsample2d, size: 2}\n"
                            "  - {name: out, type: dense, units: 10, activation: softmax}\n";
    EXPECT_EQ(network_parse("net.yaml", sub.data(), sub.size(), &network, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_NE(std::string(diagnostic.text).find("33 maps, too many for subsampling"),
              std::string::npos);
}

/* The order of writing has no effect: weights stand by rising input map. */
TEST(Links, InAnyOrder)
{
    const std::string head = "name: net\nvariant: modern\n"
                             "input: {channels: 3, height: 8, width: 8}\nlayers:\n"
                             "  - {name: a, type: conv2d, maps: 1, kernel: 3, links: [[";
    const std::string end = "]]}\n  - {name: out, type: dense, units: 10, activation: softmax}\n";
    const test_network rising(head + "0, 2" + end);
    const test_network falling(head + "2, 0" + end);
    EXPECT_EQ(nn_links(&rising.table->layer[0])[0], 5u);
    EXPECT_EQ(nn_links(&falling.table->layer[0])[0], 5u);
}

/* All 32 bits. */
TEST(Links, AsManyInputMapsAsThereAreBits)
{
    const test_network network("name: net\nvariant: modern\n"
                               "input: {channels: 32, height: 8, width: 8}\nlayers:\n"
                               "  - {name: a, type: conv2d, maps: 1, kernel: 3, links: [[0, 31]]}\n"
                               "  - {name: out, type: dense, units: 10, activation: softmax}\n");
    EXPECT_EQ(network_layer_weights(&network.layer(0)), 18u);
    EXPECT_EQ(nn_links(&network.table->layer[0])[0], 0x80000001u);
}

/* ---- in pieces and parts ---- */

/* Every parameter is in one member's piece; a member's table has its own maps' links. */
TEST(Links, PiecesOfATrainingHaveEachParameterOnce)
{
    const test_network network(lenet5(", links: " + TABLE));
    for (const uint32_t members : {1u, 3u, 6u}) {
        uint32_t *bounds = nullptr;
        uint32_t stages = 0;
        struct diagnostic diagnostic = {};
        const struct train_sharing sharing = {members, 1, false, 1, false};
        ASSERT_EQ(train_bounds_make(network.table, &sharing, &bounds, &stages, &diagnostic),
                  STATUS_OK)
            << diagnostic.text;
        std::vector<unsigned> seen(network.table->parameter_bytes / 2);
        uint32_t first = 0; /* map of the third layer */
        for (uint32_t m = 0; m < members; m++) {
            struct train_piece piece;
            ASSERT_EQ(train_piece_make(network.table, bounds, &sharing, m, &piece, &diagnostic),
                      STATUS_OK);
            for (uint32_t i = 0; i < piece.count; i++) {
                if (piece.origin[i] != TRAIN_PIECE_FILLER) {
                    seen[piece.origin[i]]++;
                }
            }
            const struct nn_layer *own = &piece.table->layer[2];
            const struct nn_layer *whole = &network.table->layer[2];
            for (uint32_t map = 0; map < own->output.channels; map++) {
                EXPECT_EQ(nn_links(own)[map], nn_links(whole)[first + map]);
                EXPECT_EQ(piece.origin[own->weights / 2 + links_weights_before(own, map)],
                          whole->weights / 2 + links_weights_before(whole, first + map));
            }
            first += own->output.channels;
            train_piece_deinit(&piece);
        }
        EXPECT_EQ(first, 16u);
        for (const struct nn_layer *row :
             {&network.table->layer[0], &network.table->layer[1], &network.table->layer[2],
              &network.table->layer[3], &network.table->layer[4]}) {
            for (uint32_t i = 0; i < links_weights(row); i++) {
                ASSERT_EQ(seen[row->weights / 2 + i], 1u);
            }
        }
        free(bounds);
    }
}

struct freed {
    void operator()(void *memory) const
    {
        free(memory);
    }
};

TEST(Links, PartsOfAChipHaveTheirOwnRows)
{
    const test_network network(lenet5(", links: " + TABLE));
    struct plan_stages stages;
    ASSERT_EQ(plan_stages_make(&network.network, 17, &stages, nullptr), STATUS_OK);
    const struct nn_layer *whole = &network.table->layer[2];
    std::vector<int16_t> parameters(network.table->parameter_bytes / 2);
    for (size_t i = 0; i < parameters.size(); i++) {
        parameters[i] = static_cast<int16_t>(i);
    }
    const struct plan_stage *stage = &stages.stage[2];
    for (uint32_t i = 0; i < stage->cores; i++) {
        const struct plan_slice slice = plan_share(stage->outputs, stage->cores, i);
        const std::unique_ptr<nn_table, freed> part(
            part_table_make(network.table, stage, slice, 2));
        const struct nn_layer *own = &part->layer[0];
        std::vector<int16_t> mine(part->parameter_bytes / 2);
        part_parameters(network.table, reinterpret_cast<const uint8_t *>(parameters.data()), stage,
                        slice, part.get(), 2, reinterpret_cast<uint8_t *>(mine.data()));
        EXPECT_EQ(part->bytes, sizeof(struct nn_table) + sizeof(struct nn_layer) +
                                   slice.count * sizeof(uint32_t));
        for (uint32_t map = 0; map < slice.count; map++) {
            ASSERT_EQ(nn_links(own)[map], nn_links(whole)[slice.first + map]);
            EXPECT_EQ(
                mine[own->weights / 2 + links_weights_before(own, map)],
                parameters[whole->weights / 2 + links_weights_before(whole, slice.first + map)]);
            EXPECT_EQ(mine[own->biases / 2 + map],
                      parameters[whole->biases / 2 + slice.first + map]);
        }
        EXPECT_EQ(own->biases - own->weights, 2 * links_weights(own));
    }
}

/* ---- doubles, and their file ---- */

/* The same network with all links, and zeros for those that the table does not have. */
TEST(Links, DoublesAreThoseOfAllLinksWithZeros)
{
    const test_network some(lenet5(", links: " + TABLE));
    const test_network all(lenet5(""));
    random_source random(4);
    const std::vector<double> parameters = random.units(some.parameters(), 0.2);
    std::vector<double> padded;
    std::vector<size_t> from; /* of each of `padded`; SIZE_MAX: none */
    size_t at = 0;
    for (size_t i = 0; i < some.network.layer_count; i++) {
        const struct network_layer &layer = some.layer(i);
        const size_t window = size_t{layer.kernel} * layer.kernel;
        const size_t weights = network_layer_weights(&all.layer(i));
        for (size_t w = 0; w < weights; w++) {
            const bool linked = layer.type != NETWORK_CONV2D ||
                                network_is_linked(&layer, w / window / layer.input.channels,
                                                  w / window % layer.input.channels);
            padded.push_back(linked ? parameters[at] : 0);
            from.push_back(linked ? at++ : SIZE_MAX);
        }
        for (uint32_t b = 0; b < network_layer_biases(&layer); b++) {
            from.push_back(at);
            padded.push_back(parameters[at++]);
        }
    }
    ASSERT_EQ(at, parameters.size());
    ASSERT_EQ(padded.size(), all.parameters());
    byte_string image(28 * 28);
    for (uint8_t &pixel : image) {
        pixel = static_cast<uint8_t>(random.between(0u, 255u));
    }
    struct diagnostic diagnostic = {};
    struct reference_pass pass[2];
    ASSERT_EQ(reference_pass_init(&pass[0], &some.network, &diagnostic), STATUS_OK);
    ASSERT_EQ(reference_pass_init(&pass[1], &all.network, &diagnostic), STATUS_OK);
    const double *logits = reference_forward(&pass[0], parameters.data(), image.data());
    const double *expected = reference_forward(&pass[1], padded.data(), image.data());
    for (size_t c = 0; c < 10; c++) {
        EXPECT_NEAR(logits[c], expected[c], 1e-12);
    }
    std::vector<double> gradients(parameters.size());
    std::vector<double> all_gradients(padded.size());
    reference_backward(&pass[0], parameters.data(), 3, gradients.data());
    reference_backward(&pass[1], padded.data(), 3, all_gradients.data());
    for (size_t i = 0; i < padded.size(); i++) {
        if (from[i] != SIZE_MAX) {
            ASSERT_NEAR(gradients[from[i]], all_gradients[i], 1e-12) << i;
        }
    }
    reference_pass_deinit(&pass[0]);
    reference_pass_deinit(&pass[1]);
}

TEST(Links, AFileHasTheLinksOneAfterTheOther)
{
    const temporary_folder folder;
    const test_network network(lenet5(", links: " + TABLE));
    random_source random(5);
    struct diagnostic diagnostic = {};
    struct weights weights;
    const std::vector<double> parameters = random.units(network.parameters(), 0.2);
    ASSERT_EQ(
        weights_round(&weights, &network.network, network.table, parameters.data(), &diagnostic),
        STATUS_OK);
    (void)snprintf(weights.origin.dataset_digest, sizeof weights.origin.dataset_digest, "%s",
                   std::string(64, 'a').c_str());
    const std::string path = folder.file("w.npz");
    ASSERT_EQ(weights_write(&weights, path.c_str(), &network.network, network.table, &diagnostic),
              STATUS_OK);
    struct npz npz;
    ASSERT_EQ(npz_open(&npz, path.c_str(), SIZE_MAX / 2, &diagnostic), STATUS_OK);
    for (size_t i = 0; i < npz.count; i++) {
        if (std::string(npz.array[i].name) == "c3.weights") {
            EXPECT_EQ(npz.array[i].rank, 3u);
            EXPECT_EQ(npz.array[i].shape[0], 60u);
        }
    }
    npz_close(&npz);
    struct weights again;
    ASSERT_EQ(weights_read(&again, path.c_str(), &network.network, network.table, &diagnostic),
              STATUS_OK)
        << diagnostic.text;
    EXPECT_EQ(block_of(again, network), block_of(weights, network));
    weights_deinit(&again);
    weights_deinit(&weights);
    const test_network all(lenet5(""));
    EXPECT_EQ(weights_read(&again, path.c_str(), &all.network, all.table, &diagnostic),
              STATUS_CONFIGURATION);
}

} // namespace
