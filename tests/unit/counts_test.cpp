/* Sizes of networks against the figures that the literature has published for them. */
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/networks/counts.h"
}

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>

namespace
{

/* A network of configs/networks. */
struct shipped {
    explicit shipped(const std::string &name)
    {
        struct diagnostic said = {};
        EXPECT_EQ(network_load((networks_folder() + name + ".yaml").c_str(), &network, &said),
                  STATUS_OK)
            << name << ": " << said.text;
    }
    ~shipped()
    {
        network_deinit(&network);
    }
    shipped(const shipped &) = delete;
    shipped &operator=(const shipped &) = delete;

    struct network network = {};
};

struct size_of_network {
    const char *name, *variant;
    struct counts counts;
};

/* Sources: [LC98] LeCun, Bottou, Bengio, Haffner 1998 (figures 11 and 12, section II-B); [LC95]
 * LeCun et al. 1995; [LC90] LeCun et al. 1990.  Where none is named, the figures follow from the
 * shapes.  MACs: LeCun's multiply-adds without biases; training_macs: twice those of the first
 * layer and three times those of the others. */
const size_of_network SIZES[] = {
    {"xor", "modern", {42, 42, 32, 80}},
    {"fc16", "modern", {12730, 12730, 12704, 25568}},
    /* The size in the tutorials of Keras. */
    {"fc128", "modern", {101770, 101770, 101632, 204544}},
    {"fc128_dropout", "modern", {101770, 101770, 101632, 204544}},
    {"fc300", "modern", {238510, 238510, 238200, 479400}},
    /* 795 K multiply-adds and 795 K variables: [LC98]. */
    {"fc1000", "modern", {795010, 795010, 794000, 1598000}},
    /* 267 K: [LC98]; the LeNet-300-100 of later literature. */
    {"fc300_100", "modern", {266610, 266610, 266200, 563400}},
    /* 469 K: [LC98]. */
    {"fc500_150", "modern", {469160, 469160, 468500, 1013500}},
    {"fc1000_150", "modern", {936660, 936660, 935500, 2022500}},
    /* 2,578 parameters, 98,442 connections: [LC90], section 4. */
    {"lenet1_1998", "1998", {2578, 98442, 92288, 219264}},
    {"lenet1", "modern", {3246, 142474, 136320, 351360}},
    /* About 17,000 parameters, about 260,000 connections: [LC95], [LC98]. */
    {"lenet4_1998", "reconstruction", {16998, 258306, 245568, 658304}},
    {"lenet4", "modern", {51050, 297202, 287600, 784400}},
    /* 60,000 parameters, 340,908 connections: [LC98], section II-B; 840 of the connections have
     * weights that are not trained. */
    {"lenet5_1998", "1998", {60000, 340908, 328096, 866688}},
    {"lenet5", "modern", {61706, 429342, 416520, 1131960}},
    {"lenet5_28", "modern", {44426, 290814, 281640, 758520}},
};

void expect_counts(const struct network &network, struct counts expected)
{
    const struct counts counts = counts_of(&network);
    EXPECT_EQ(counts.parameters, expected.parameters) << network.name;
    const bool is_rbf = network.layer[network.layer_count - 1].type == NETWORK_RBF;
    EXPECT_EQ(counts.parameters + (is_rbf ? 850 : 0), network_parameters(&network)) << network.name;
    EXPECT_EQ(counts.connections, expected.connections) << network.name;
    EXPECT_EQ(counts.macs, expected.macs) << network.name;
    EXPECT_EQ(counts.training_macs, expected.training_macs) << network.name;
}

TEST(Counts, OfEveryShippedNetworkAreThePublished)
{
    std::set<std::string> left;
    for (const auto &file : std::filesystem::directory_iterator(networks_folder())) {
        if (file.path().extension() == ".yaml") {
            left.insert(file.path().stem());
        }
    }
    for (const size_of_network &size : SIZES) {
        if (left.erase(size.name) == 0) {
            ADD_FAILURE() << "no network " << size.name;
            continue;
        }
        const shipped made(size.name);
        EXPECT_STREQ(made.network.name, size.name);
        EXPECT_STREQ(made.network.variant, size.variant) << size.name;
        expect_counts(made.network, size.counts);
    }
    EXPECT_EQ(left, std::set<std::string>()) << "add the network to SIZES";
}

/* 123 K: [LC98], for digits of 20 x 20 with 300 hidden units. */
TEST(Counts, OfTheNetForSmallDigits)
{
    const test_network network("name: small\nvariant: modern\n"
                               "input: {channels: 1, height: 20, width: 20}\nlayers:\n"
                               "  - {name: hidden, type: dense, units: 300, activation: relu}\n"
                               "  - {name: out, type: dense, units: 10, activation: softmax}\n");
    expect_counts(network.network, {123310, 123310, 123000, 249000});
}

/* Three LeNet-4: 51 K variables [LC98]. */
TEST(Counts, OfBoostedLeNet4AreThreeTimesOfOne)
{
    const shipped one("lenet4_1998");
    const struct counts counts = counts_of(&one.network);
    EXPECT_EQ(3 * counts.parameters, 50994u);
    EXPECT_EQ(3 * counts.connections, 774918u);
    EXPECT_EQ(3 * counts.macs, 736704u);
}

/* [LC98], section II-B, layer by layer; the subsampling layers have 12 and 32 parameters, 5,880 and
 * 2,000 connections. */
TEST(Counts, OfLeNet5LayerByLayer)
{
    const shipped made("lenet5_1998");
    const struct counts expected[] = {{156, 122304, 117600, 235200},
                                      {12, 5880, 1176, 3528},
                                      {1516, 151600, 150000, 450000},
                                      {32, 2000, 400, 1200},
                                      {48120, 48120, 48000, 144000},
                                      {10164, 10164, 10080, 30240},
                                      {0, 840, 840, 2520}};
    ASSERT_EQ(made.network.layer_count, 7u);
    for (size_t i = 0; i < 7; i++) {
        const struct counts counts = counts_of_layer(&made.network, i);
        EXPECT_EQ(counts.parameters, expected[i].parameters) << i;
        EXPECT_EQ(counts.connections, expected[i].connections) << i;
        EXPECT_EQ(counts.macs, expected[i].macs) << i;
        EXPECT_EQ(counts.training_macs, expected[i].training_macs) << i;
    }
}

/* The links of LeNet-4's hidden units: 80 see 5 of the 16 maps, 40 see 4; no two see the same, and
 * all maps feed as many. */
TEST(Counts, OfTheLinksOfLeNet4)
{
    const shipped made("lenet4_1998");
    const struct network_layer &hidden = made.network.layer[4];
    std::set<uint32_t> rows;
    int fives = 0;
    std::vector<int> fed(16);
    for (uint32_t u = 0; u < hidden.outputs; u++) {
        rows.insert(hidden.links[u]);
        fives += __builtin_popcount(hidden.links[u]) == 5;
        for (size_t map = 0; map < fed.size(); map++) {
            fed[map] += network_is_linked(&hidden, u, map);
        }
    }
    EXPECT_EQ(rows.size(), 120u);
    EXPECT_EQ(fives, 80);
    EXPECT_EQ(fed, std::vector<int>(16, 35));
}

std::string printed(const struct network &network, bool csv)
{
    char *text = nullptr;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    counts_print(&network, csv, stream);
    (void)fclose(stream);
    const std::string all(text);
    std::free(text);
    return all;
}

TEST(Counts, ArePrinted)
{
    const shipped made("fc16");
    EXPECT_EQ(printed(made.network, true),
              "layer,type,output,parameters,connections,macs,training_macs\n"
              "hidden,dense,16x1x1,12560,12560,12544,25088\n"
              "output,dense,10x1x1,170,170,160,480\n"
              "fc16,modern,10x1x1,12730,12730,12704,25568\n");
    EXPECT_EQ(
        printed(made.network, false),
        "layer            type            output         parameters  connections         macs "
        "training_macs\n"
        "hidden           dense           16x1x1              12560        12560        12544 "
        "        25088\n"
        "output           dense           10x1x1                170          170          160 "
        "          480\n"
        "fc16             modern          10x1x1              12730        12730        12704 "
        "        25568\n");
}

} // namespace
