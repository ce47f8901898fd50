/* Weights: where each parameter lies, how doubles become integers, and a file that is read whole,
 * checked whole, or refused with its array's name. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/data/npz.h"
}

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace
{

/* 2 maps of 2 x 2 from 3 x 3, then 2 classes: 8 + 2 and 16 + 2 parameters, in a block of 28. */
const std::string SMALL = "name: small\n"
                          "variant: modern\n"
                          "input: {channels: 1, height: 3, width: 3}\n"
                          "formats: {weight_fraction: 13, activation_fraction: 11}\n"
                          "layers:\n"
                          "  - {name: c, type: conv2d, maps: 2, kernel: 2, activation: relu}\n"
                          "  - {name: out, type: dense, units: 2, activation: softmax}\n";
constexpr size_t PARAMETERS = 28;

TEST(WeightsPlace, OneLayerAfterTheOtherWeightsBeforeBiases)
{
    const auto network = lenet1();
    const size_t expected[][2] = {{0, 100}, {104, 104}, {104, 1304}, {1316, 1316}, {1316, 3236}};
    for (size_t i = 0; i < 5; i++) {
        const struct weights_place place = weights_place(&network->network, i);
        EXPECT_EQ(place.weights, expected[i][0]) << i;
        EXPECT_EQ(place.biases, expected[i][1]) << i;
    }
}

/* ---- rounding ---- */

class rounded
{
  public:
    rounded(const test_network &network, const std::vector<double> &parameters)
    {
        status =
            weights_round(&weights, &network.network, network.table, parameters.data(), &said_of);
    }
    ~rounded()
    {
        weights_deinit(&weights);
    }
    rounded(const rounded &) = delete;
    rounded &operator=(const rounded &) = delete;

    struct weights weights = {};
    struct diagnostic said_of = {};
    enum status status;
};

TEST(WeightsRound, ToNearestTiesUpwardsCutAndCounted)
{
    const test_network network(SMALL);
    const struct {
        double units; /* of the last bit, 2^-13 */
        int16_t expected;
        uint32_t cut;
    } cases[] = {{0, 0, 0},
                 {0.5, 1, 0},
                 {0.4999, 0, 0},
                 {-0.5, 0, 0},
                 {-0.5001, -1, 0},
                 {-1.5, -1, 0},
                 {1.5, 2, 0},
                 {32767.25, 32767, 0},
                 {32767.5, 32767, 1},
                 {-32768.5, -32768, 0},
                 {-32768.75, -32768, 1},
                 {1e9, 32767, 1},
                 {-1e9, -32768, 1}};
    for (const auto &c : cases) {
        std::vector<double> parameters(PARAMETERS, 0.0);
        parameters[9] = std::ldexp(c.units, -13);
        const rounded r(network, parameters);
        ASSERT_EQ(r.status, STATUS_OK);
        EXPECT_EQ(static_cast<const int16_t *>(r.weights.block)[9], c.expected) << c.units;
        EXPECT_EQ(r.weights.saturated, c.cut) << c.units;
        EXPECT_EQ(r.weights.float64[9], parameters[9]) << "the double is kept as it was";
        EXPECT_STREQ(r.weights.origin.recipe, "");
    }
}

/* 15 fractional bits of 32. */
TEST(WeightsRound, IntoTheOtherFormat)
{
    test_network network(SMALL);
    network_use(&network.network, NETWORK_S1615);
    const struct {
        double units; /* of the last bit, 2^-15 */
        int32_t expected;
        uint32_t cut;
    } cases[] = {{0.5, 1, 0},
                 {-0.5, 0, 0},
                 {100000, 100000, 0},
                 {2147483647.25, 2147483647, 0},
                 {2147483647.5, 2147483647, 1},
                 {-2147483648.5, INT32_MIN, 0},
                 {-2147483648.75, INT32_MIN, 1}};
    for (const auto &c : cases) {
        std::vector<double> parameters(PARAMETERS, 0.0);
        parameters[9] = std::ldexp(c.units, -15);
        const rounded r(network, parameters);
        ASSERT_EQ(r.status, STATUS_OK);
        EXPECT_EQ(static_cast<const int32_t *>(r.weights.block)[9], c.expected) << c.units;
        EXPECT_EQ(r.weights.saturated, c.cut) << c.units;
    }
}

/* Halfway between two singles: to even. */
TEST(WeightsRound, IntoSingles)
{
    test_network network(SMALL);
    network_use(&network.network, NETWORK_FLOAT32);
    const struct {
        double value;
        float expected;
    } cases[] = {{0.1, 0.1F},
                 {1 + std::ldexp(1, -24), 1},
                 {1 + 3 * std::ldexp(1, -24), 1 + std::ldexp(1.0F, -22)},
                 {-1e-45, -1e-45F},
                 {1e39, HUGE_VALF}};
    for (const auto &c : cases) {
        std::vector<double> parameters(PARAMETERS, 0.0);
        parameters[9] = c.value;
        const rounded r(network, parameters);
        ASSERT_EQ(r.status, STATUS_OK);
        EXPECT_EQ(static_cast<const float *>(r.weights.block)[9], c.expected);
        EXPECT_EQ(weights_real(&network.network, r.weights.block, 9), c.expected);
        EXPECT_EQ(r.weights.saturated, c.value > 2 ? 1u : 0u);
    }
}

/* An odd number of weights: in the block, biases begin on the next word; in the doubles nothing
 * lies between them. */
TEST(WeightsRound, PutsEachPartWhereTheTableSays)
{
    const test_network network("name: odd\nvariant: modern\n"
                               "input: {channels: 1, height: 3, width: 3}\nlayers:\n"
                               "  - {name: c, type: conv2d, maps: 1, kernel: 3}\n"
                               "  - {name: p, type: max_pool2d, size: 1}\n"
                               "  - {name: out, type: dense, units: 3, activation: softmax}\n");
    std::vector<double> parameters;
    for (int i = 0; i < 16; i++) {
        parameters.push_back(std::ldexp(i + 1, -13));
    }
    const rounded r(network, parameters);
    ASSERT_EQ(r.status, STATUS_OK);
    EXPECT_EQ(
        block_of(r.weights, network),
        (std::vector<int16_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 10, 0, 11, 12, 13, 0, 14, 15, 16, 0}));
}

TEST(WeightsRound, RefusesWhatIsNoNumber)
{
    const test_network network(SMALL);
    const double bad[] = {std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity()};
    for (const double value : bad) {
        std::vector<double> parameters(PARAMETERS, 0.0);
        parameters[9] = value;
        const rounded r(network, parameters);
        EXPECT_EQ(r.status, STATUS_CONFIGURATION);
        EXPECT_STREQ(r.said_of.key, "c.biases");
        EXPECT_TRUE(contains(r.said_of.text, "parameter 1 is not a finite number"));
        EXPECT_EQ(r.weights.block, nullptr);
        EXPECT_EQ(r.weights.float64, nullptr);
    }
}

/* ---- files ---- */

const std::string DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

std::vector<double> some_parameters()
{
    random_source random(7);
    return random.units(PARAMETERS, 2);
}

/* Writes a good file; returns its path. */
std::string good_file(const temporary_folder &folder, const test_network &network,
                      const std::string &name = "w.npz")
{
    rounded r(network, some_parameters());
    struct weights_origin *origin = &r.weights.origin;
    (void)snprintf(origin->dataset, sizeof origin->dataset, "synthetic");
    (void)snprintf(origin->dataset_digest, sizeof origin->dataset_digest, "%s", DIGEST.c_str());
    (void)snprintf(origin->recipe, sizeof origin->recipe, "spinnsim run x.yaml");
    origin->reference_accuracy = 0.25;
    struct diagnostic diagnostic = {};
    const std::string path = folder.file(name);
    EXPECT_EQ(weights_write(&r.weights, path.c_str(), &network.network, network.table, &diagnostic),
              STATUS_OK)
        << said(diagnostic);
    return path;
}

TEST(WeightsFile, ComesBackAsItWasWritten)
{
    const temporary_folder folder;
    const test_network network(SMALL);
    const rounded r(network, some_parameters());
    struct weights weights;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(weights_read(&weights, good_file(folder, network).c_str(), &network.network,
                           network.table, &diagnostic),
              STATUS_OK)
        << said(diagnostic);
    EXPECT_EQ(block_of(weights, network), block_of(r.weights, network));
    ASSERT_NE(weights.float64, nullptr);
    EXPECT_EQ(std::memcmp(weights.float64, r.weights.float64, PARAMETERS * sizeof(double)), 0);
    EXPECT_STREQ(weights.origin.dataset, "synthetic");
    EXPECT_EQ(weights.origin.dataset_digest, DIGEST);
    EXPECT_STREQ(weights.origin.recipe, "spinnsim run x.yaml");
    EXPECT_EQ(weights.origin.reference_accuracy, 0.25);
    weights_deinit(&weights);
}

TEST(WeightsFile, OfTheOtherFormatComesBackToo)
{
    const temporary_folder folder;
    test_network network(SMALL);
    const std::string narrow = good_file(folder, network, "narrow.npz");
    network_use(&network.network, NETWORK_S1615);
    const std::string path = good_file(folder, network);
    const rounded r(network, some_parameters());
    struct weights weights;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(weights_read(&weights, path.c_str(), &network.network, network.table, &diagnostic),
              STATUS_OK)
        << said(diagnostic);
    EXPECT_EQ(std::memcmp(weights.block, r.weights.block,
                          weights_block_bytes(&network.network, network.table)),
              0);
    weights_deinit(&weights);
    EXPECT_EQ(weights_read(&weights, narrow.c_str(), &network.network, network.table, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(said(diagnostic), "13 fractional bits, expected 15"));
    EXPECT_TRUE(contains(said(diagnostic), "s16.15"));
}

TEST(WeightsFile, OfSinglesComesBackToo)
{
    const temporary_folder folder;
    test_network network(SMALL);
    const std::string narrow = good_file(folder, network, "narrow.npz");
    network_use(&network.network, NETWORK_FLOAT32);
    const std::string path = good_file(folder, network);
    const rounded r(network, some_parameters());
    struct weights weights;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(weights_read(&weights, path.c_str(), &network.network, network.table, &diagnostic),
              STATUS_OK)
        << said(diagnostic);
    EXPECT_EQ(std::memcmp(weights.block, r.weights.block,
                          weights_block_bytes(&network.network, network.table)),
              0);
    weights_deinit(&weights);
    EXPECT_EQ(weights_read(&weights, narrow.c_str(), &network.network, network.table, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(said(diagnostic), "13 fractional bits, expected 0"));
    EXPECT_TRUE(contains(said(diagnostic), "float32 has no other format"));
}

TEST(WeightsFile, IsTheSameBytesEachTime)
{
    const temporary_folder folder;
    const test_network network(SMALL);
    EXPECT_EQ(read_file(good_file(folder, network, "a.npz")),
              read_file(good_file(folder, network, "b.npz")));
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.npz", "b.npz"}));
}

/* A file's arrays, to be changed and written again. */
struct array_copy {
    std::string name;
    enum npz_type type;
    std::vector<size_t> shape;
    std::vector<uint8_t> data;

    void set_text(const std::string &text)
    {
        data.assign(text.begin(), text.end());
        data.push_back(0);
    }
    template <typename value_type> void set(size_t index, value_type value)
    {
        std::memcpy(&data[index * sizeof value], &value, sizeof value);
    }
};

class arrays
{
  public:
    explicit arrays(const std::string &path)
    {
        struct npz npz;
        struct diagnostic diagnostic = {};
        EXPECT_EQ(npz_open(&npz, path.c_str(), SIZE_MAX / 2, &diagnostic), STATUS_OK)
            << said(diagnostic);
        for (size_t i = 0; i < npz.count; i++) {
            const struct npz_array &from = npz.array[i];
            const auto *data = static_cast<const uint8_t *>(from.data);
            all.push_back({from.name, from.type,
                           std::vector<size_t>(from.shape, from.shape + from.rank),
                           std::vector<uint8_t>(data, data + from.count * from.item_bytes)});
            if (from.type == NPZ_TEXT) {
                all.back().data.push_back(0);
            }
        }
        npz_close(&npz);
    }

    array_copy &operator[](const std::string &name)
    {
        for (array_copy &array : all) {
            if (array.name == name) {
                return array;
            }
        }
        ADD_FAILURE() << "no array " << name;
        return all[0];
    }

    void drop(const std::string &name)
    {
        for (size_t i = 0; i < all.size(); i++) {
            if (all[i].name == name) {
                all.erase(all.begin() + static_cast<ptrdiff_t>(i));
                return;
            }
        }
        ADD_FAILURE() << "no array " << name;
    }

    void write(const std::string &path) const
    {
        struct npz_writer writer;
        struct diagnostic diagnostic = {};
        ASSERT_EQ(npz_create(&writer, path.c_str(), &diagnostic), STATUS_OK) << said(diagnostic);
        for (const array_copy &from : all) {
            if (from.type == NPZ_TEXT) {
                ASSERT_EQ(npz_add_text(&writer, from.name.c_str(),
                                       reinterpret_cast<const char *>(from.data.data()),
                                       &diagnostic),
                          STATUS_OK);
                continue;
            }
            struct npz_array array = {};
            array.name = from.name.c_str();
            array.type = from.type;
            array.rank = static_cast<unsigned>(from.shape.size());
            std::copy(from.shape.begin(), from.shape.end(), array.shape);
            array.data = from.data.data();
            ASSERT_EQ(npz_add(&writer, &array, &diagnostic), STATUS_OK) << said(diagnostic);
        }
        ASSERT_EQ(npz_commit(&writer, &diagnostic), STATUS_OK) << said(diagnostic);
    }

    std::vector<array_copy> all;
};

using change = std::function<void(arrays *)>;

/* The good file with one change. */
struct attempt {
    explicit attempt(const change &alter)
    {
        const temporary_folder folder;
        const test_network network(SMALL);
        path = good_file(folder, network);
        arrays altered(path);
        alter(&altered);
        altered.write(path);
        status = weights_read(&weights, path.c_str(), &network.network, network.table, &said_of);
    }
    ~attempt()
    {
        weights_deinit(&weights);
    }
    attempt(const attempt &) = delete;
    attempt &operator=(const attempt &) = delete;

    std::string path;
    struct weights weights = {};
    struct diagnostic said_of = {};
    enum status status;
};

void expect_refused(const change &alter, const char *key, const char *text, const char *hint)
{
    const attempt a(alter);
    EXPECT_EQ(a.status, STATUS_CONFIGURATION) << key << ": " << text;
    EXPECT_EQ(a.said_of.file, a.path);
    EXPECT_STREQ(a.said_of.key, key) << said(a.said_of);
    EXPECT_TRUE(contains(a.said_of.text, text)) << said(a.said_of);
    EXPECT_TRUE(contains(a.said_of.hint, hint)) << said(a.said_of);
    EXPECT_EQ(a.weights.block, nullptr) << "not empty";
    EXPECT_EQ(a.weights.float64, nullptr) << "not empty";
}

void expect_good(const change &alter)
{
    const attempt a(alter);
    EXPECT_EQ(a.status, STATUS_OK) << said(a.said_of);
}

TEST(WeightsFile, EachArrayIsNeeded)
{
    const temporary_folder folder;
    const test_network network(SMALL);
    for (const array_copy &array : arrays(good_file(folder, network)).all) {
        const attempt a([&array](arrays *all) { all->drop(array.name); });
        EXPECT_EQ(a.status, STATUS_CONFIGURATION) << array.name;
        EXPECT_EQ(a.said_of.key, array.name) << said(a.said_of);
        EXPECT_STRNE(a.said_of.hint, "") << array.name;
    }
}

/* The doubles of all layers, or of none. */
TEST(WeightsFile, DoublesMayBeLeftOutTogether)
{
    const attempt a([](arrays *all) {
        for (const char *name : {"c.weights", "c.biases", "out.weights", "out.biases"}) {
            all->drop(std::string(name) + "_float64");
        }
    });
    EXPECT_EQ(a.status, STATUS_OK) << said(a.said_of);
    EXPECT_NE(a.weights.block, nullptr);
    EXPECT_EQ(a.weights.float64, nullptr);
}

TEST(WeightsFile, IsAnotherNetworks)
{
    expect_refused([](arrays *all) { (*all)["network"].set_text("lenet1"); }, "network",
                   "these are weights of network lenet1, expected small", "test.yaml");
    expect_refused([](arrays *all) { (*all)["variant"].set_text("1998"); }, "variant",
                   "these are weights of variant 1998, expected modern", "");
    expect_refused([](arrays *all) { (*all)["weight_fraction"].set<int32_t>(0, 12); },
                   "weight_fraction", "12 fractional bits, expected 13", "formats.weight_fraction");
    expect_refused([](arrays *all) { (*all)["activation_fraction"].set<int32_t>(0, -1); },
                   "activation_fraction", "-1 fractional bits, expected 11",
                   "formats.activation_fraction");
    expect_refused([](arrays *all) { (*all)["network"].set_text(std::string(32, 'x')); }, "network",
                   "longer than 31 characters", "");
}

TEST(WeightsFile, SaysOfItsMakingWhatCannotBe)
{
    const change cases[] = {
        [](arrays *all) { (*all)["dataset_digest"].set_text(DIGEST.substr(1)); },
        [](arrays *all) { (*all)["dataset_digest"].set_text("A" + DIGEST.substr(1)); },
        [](arrays *all) { (*all)["dataset_digest"].set_text("g" + DIGEST.substr(1)); }};
    for (const change &alter : cases) {
        expect_refused(alter, "dataset_digest", "no SHA-256", "64 lower-case hexadecimal digits");
    }
    expect_refused([](arrays *all) { (*all)["dataset_digest"].set_text(DIGEST + "0"); },
                   "dataset_digest", "longer than 64 characters", "");
    expect_refused([](arrays *all) { (*all)["recipe"].set_text(std::string(512, 'x')); }, "recipe",
                   "longer than 511 characters", "");
    expect_good([](arrays *all) { (*all)["recipe"].set_text(std::string(511, 'x')); });
}

TEST(WeightsFile, AnAccuracyIsAShare)
{
    const double above = std::nextafter(1.0, 2.0);
    const double below = -std::numeric_limits<double>::denorm_min();
    for (const double value : {above, below, std::numeric_limits<double>::infinity()}) {
        expect_refused([value](arrays *all) { (*all)["reference_accuracy"].set(0, value); },
                       "reference_accuracy", "is no accuracy", "0 to 1");
    }
    for (const double value : {0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
        expect_good([value](arrays *all) { (*all)["reference_accuracy"].set(0, value); });
    }
}

TEST(WeightsFile, HoldsWhatBelongsToNoLayer)
{
    expect_refused([](arrays *all) { (*all)["c.biases"].name = "c.biasses"; }, "c.biasses",
                   "have no such array", "did you mean c.biases?");
    expect_refused(
        [](arrays *all) {
            all->all.push_back((*all)["recipe"]);
            all->all.back().name = "recipes";
        },
        "recipes", "have no such array", "did you mean recipe?");
    expect_refused(
        [](arrays *all) {
            all->all.push_back((*all)["c.biases"]);
            all->all.back().name = "hidden.velocity";
        },
        "hidden.velocity", "the weights of small have no such array", "LAYER.weights");
}

TEST(WeightsFile, ShapesAndTypesAreTheLayers)
{
    expect_refused(
        [](arrays *all) {
            (*all)["out.weights"].shape = {8, 2};
        },
        "out.weights", "the array is 8 x 2, expected 2 x 8", "the layer in test.yaml");
    expect_refused(
        [](arrays *all) {
            (*all)["c.weights"].shape = {2, 2, 2, 1};
        },
        "c.weights", "the array is 2 x 2 x 2 x 1, expected 2 x 1 x 2 x 2", "");
    expect_refused([](arrays *all) { (*all)["c.weights"].shape = {8}; }, "c.weights", "",
                   "int16, 2 x 1 x 2 x 2");
    expect_refused(
        [](arrays *all) {
            (*all)["c.biases_float64"].shape = {1, 2};
        },
        "c.biases_float64", "", "float64, 2");
    expect_refused(
        [](arrays *all) {
            (*all)["c.biases"].type = NPZ_UINT8;
            (*all)["c.biases"].data.resize(2);
        },
        "c.biases", "", "int16, 2");
}

/* Nobody can publish integers and doubles that are not one another's. */
TEST(WeightsFile, IntegersAreTheDoublesRounded)
{
    const double parameter = some_parameters()[8];
    const auto integer = static_cast<int16_t>(std::floor(std::ldexp(parameter, 13) + 0.5));
    const double least = std::ldexp(integer - 0.5, -13);
    const double most = std::ldexp(integer + 0.5, -13); /* rounds upwards: the next integer's */
    for (const double value : {least, std::nextafter(most, least)}) {
        expect_good([value](arrays *all) { (*all)["c.biases_float64"].set(0, value); });
    }
    for (const double value :
         {std::nextafter(least, -10.0), most, std::numeric_limits<double>::quiet_NaN(),
          std::numeric_limits<double>::infinity()}) {
        expect_refused([value](arrays *all) { (*all)["c.biases_float64"].set(0, value); },
                       "c.biases_float64", "does not round to the integer", "c.biases");
    }
    expect_refused(
        [integer](arrays *all) { (*all)["c.biases"].set(0, static_cast<int16_t>(integer + 1)); },
        "c.biases_float64", "value 0, ", "times 2^13, rounded");
}

TEST(WeightsFile, IsNotThereOrNotWritable)
{
    const test_network network(SMALL);
    struct weights weights;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(
        weights_read(&weights, "/no/such/w.npz", &network.network, network.table, &diagnostic),
        STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.file, "/no/such/w.npz");
    EXPECT_EQ(weights.block, nullptr);
    const rounded r(network, some_parameters());
    EXPECT_EQ(
        weights_write(&r.weights, "/no/such/w.npz", &network.network, network.table, &diagnostic),
        STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.file, "/no/such/w.npz");
}

} // namespace
