/* backends_test.cpp - every backend trains XOR and LeNet-1; each capability is switched off in
 * turn, with equal bits in integers and a higher cost; libraries of users, and what is wrong with
 * them; from one backend to another between two epochs. */
#include "tests/system/training_fixture.h"

#include <algorithm>
#include <fstream>

class Backend : public TrainingTest
{
  protected:
    void SetUp() override
    {
        /* TrainingTest skips without ARM programs, which most tests here do not need.
         * NOLINTNEXTLINE(bugprone-parent-virtual-call) */
        SystemTest::SetUp();
        write("small.yaml", HOSTED);
    }

    /* LeNet-1: two epochs of two updates. */
    static constexpr const char *HOSTED =
        "include: [energy/spinnaker1.yaml]\n"
        "name: small\nmode: train\nbackend: host\n"
        "data: {set: synthetic, train_images: 60, test_images: 20}\n"
        "network: {name: lenet1}\n"
        "train: {epochs: 2, global_batch: 30, learning_rate: 0.00390625, decay: none}\n";

    static std::string library(const std::string &name)
    {
        return SPINN_BACKEND_FOLDER "/" + name + ".so";
    }
    static words of_library(const std::string &name)
    {
        return {"backend=library", "run.library=" + library(name)};
    }

    static std::vector<words> xor_backends()
    {
        return {{"backend=host"},
                {"backend=host", "network.number_format=float64"},
                {"backend=host_float32"},
                of_library("plain_backend"),
                of_library("whole_float32"),
                of_library("whole_float64")};
    }

    finished run_xor(const std::string &out, const words &keys, const words &more = {}) const
    {
        words options = sets(keys);
        options.insert(options.end(), more.begin(), more.end());
        return run(experiment("xor_train"), out, options);
    }

    std::string weights_of(const std::string &out, const words &names) const
    {
        struct npz npz = {};
        struct diagnostic diagnostic = {};
        std::string bytes;
        EXPECT_EQ(npz_open(&npz, path(out + "/weights.npz").c_str(), SIZE_MAX, &diagnostic),
                  STATUS_OK)
            << diagnostic.text;
        for (const std::string &name : names) {
            const struct npz_array *array = npz_find(&npz, name.c_str());
            EXPECT_NE(array, nullptr) << name;
            if (array != nullptr) {
                bytes.append(static_cast<const char *>(array->data),
                             array->count * array->item_bytes);
            }
        }
        npz_close(&npz);
        return bytes;
    }
    std::string lenet_weights(const std::string &out) const
    {
        return weights_of(out, {"conv1.weights", "conv1.biases", "conv2.weights", "conv2.biases",
                                "output.weights", "output.biases"});
    }
    std::string xor_weights(const std::string &out) const
    {
        return weights_of(out,
                          {"hidden.weights", "hidden.biases", "output.weights", "output.biases"});
    }

    /* A field of a row of operations.csv: 1 calls, 2 elements, 3 fallbacks. */
    uint64_t counted(const std::string &out, const std::string &operation, size_t field) const
    {
        for (const std::string &line : lines(read(out + "/operations.csv"))) {
            std::istringstream stream(line);
            std::string text;
            std::getline(stream, text, ',');
            if (text != operation) {
                continue;
            }
            for (size_t i = 0; i < field; i++) {
                std::getline(stream, text, ',');
            }
            return std::stoull(text);
        }
        ADD_FAILURE() << out << " has no " << operation;
        return 0;
    }

    void refused(const std::string &file, const words &options, const words &texts) const
    {
        words command = {"run", file, "--out", "refused"};
        command.insert(command.end(), options.begin(), options.end());
        const finished result = spinnsim(command);
        EXPECT_EQ(result.status, 2) << result.err;
        for (const std::string &text : texts) {
            EXPECT_NE(result.err.find(text), std::string::npos) << text << "\n" << result.err;
        }
        EXPECT_FALSE(exists("refused"));
    }
};

/* ---- every backend trains ---- */

TEST_F(Backend, EachTrainsXor)
{
    size_t count = 0;
    for (const words &keys : xor_backends()) {
        const std::string out = "xor" + std::to_string(count++);
        run_xor(out, keys);
        EXPECT_EQ(number(out, "accuracy"), 1.0) << keys.back();
    }
    if (has_programs()) {
        run_xor("machine", {});
        EXPECT_EQ(xor_weights("machine"), xor_weights("xor0"));
        EXPECT_EQ(xor_weights("xor3"), xor_weights("xor0")) << "a library in int16";
        EXPECT_EQ(text("xor3", "identity.stats_hash"), text("xor0", "identity.stats_hash"));
    }
}

TEST_F(Backend, EachTrainsLeNet1)
{
    const words longer = {"data.train_images=600", "data.test_images=50", "train.epochs=3",
                          "train.learning_rate=0.0009765625"};
    size_t count = 0;
    for (words keys : xor_backends()) {
        const std::string out = "lenet" + std::to_string(count++);
        keys.insert(keys.end(), longer.begin(), longer.end());
        train(out, keys);
        EXPECT_GE(number(out, "accuracy"), 0.7) << keys[0] << " " << keys[1];
    }
    EXPECT_EQ(lenet_weights("lenet3"), lenet_weights("lenet0")) << "a library in int16";
    EXPECT_EQ(read("lenet3/predictions.csv"), read("lenet0/predictions.csv"));
    EXPECT_EQ(text("lenet3", "identity.stats_hash"), text("lenet0", "identity.stats_hash"));
    if (has_programs()) {
        write("machine.yaml", TrainingTest::SMALL);
        const words same = {"data.train_images=60", "train.global_batch=30", "train.decay=none",
                            "train.learning_rate=0.00390625"};
        run("machine.yaml", "machine", sets(same));
        train("host");
        train("library", of_library("plain_backend"));
        EXPECT_EQ(lenet_weights("machine"), lenet_weights("host"));
        EXPECT_EQ(lenet_weights("machine"), lenet_weights("library"));
    }
}

/* ---- each capability switched off ---- */

/* What takes its place shows in the row of another operation, which is asked for more often. */
TEST_F(Backend, WithoutACapabilityHasEqualBitsAtAHigherCost)
{
    const struct {
        const char *without, *more, *fallback;
    } rows[] = {
        {"convolution", "gemv", "gemv of patches"},
        {"pooling", "elementwise", "elementwise maxima"},
        {"softmax", "reduce", "elementwise and reduce"},
        {"optimizer", "load", "the reference optimizer on the host, over dump and load"},
        {"gemv", "elementwise", "dot: products elementwise, then their sum"},
    };
    train("fast");
    train("whole", {}, {"--without", "nothing"});
    EXPECT_EQ(lenet_weights("whole"), lenet_weights("fast"));
    EXPECT_FALSE(exists("fast/operations.csv"));
    EXPECT_EQ(number("whole", "operations.fallbacks"), 0);
    for (const auto &row : rows) {
        const std::string out = row.without;
        const finished result = train(out, {}, {"--without", row.without});
        EXPECT_EQ(lenet_weights(out), lenet_weights("fast")) << out;
        EXPECT_EQ(read(out + "/predictions.csv"), read("fast/predictions.csv")) << out;
        EXPECT_EQ(text(out, "identity.stats_hash"), text("fast", "identity.stats_hash")) << out;
        EXPECT_EQ(text(out, "operations.without"), out);
        EXPECT_EQ(counted(out, row.without, 1), 0u);
        EXPECT_GT(counted(out, row.without, 3), 0u);
        EXPECT_GT(counted(out, row.more, 1), counted("whole", row.more, 1)) << out;
        EXPECT_GT(number(out, "operations.calls"),
                  number("whole", "operations.calls") * (out == "optimizer" ? 0 : 1))
            << out;
        EXPECT_NE(result.err.find(std::string(row.without) + " by its fallback"), std::string::npos)
            << result.err;
        EXPECT_NE(result.err.find(row.fallback), std::string::npos) << result.err;
    }
    /* of the optimizer: the parameters move at each of the four updates, not once an epoch */
    EXPECT_GT(number("optimizer", "operations.bytes_moved"),
              number("whole", "operations.bytes_moved"));
}

/* All at once: down to one element after the other. */
TEST_F(Backend, WithoutAllButTheLastWayHasEqualBits)
{
    const std::string all = "convolution,gemv,reduce,pooling,softmax,optimizer";
    const words two = {"data.train_images=8", "data.test_images=4", "train.global_batch=4"};
    words off = two;
    off.push_back("run.without=" + all);
    words of_plain = of_library("plain_backend");
    of_plain.insert(of_plain.end(), two.begin(), two.end());
    of_plain.push_back("run.without=gemv,reduce");
    train("fast", two);
    train("bare", off);
    train("library", of_plain);
    for (const char *out : {"bare", "library"}) {
        EXPECT_EQ(lenet_weights(out), lenet_weights("fast")) << out;
        EXPECT_EQ(text(out, "identity.stats_hash"), text("fast", "identity.stats_hash")) << out;
        for (const char *operation :
             {"convolution", "gemv", "reduce", "pooling", "softmax", "optimizer"}) {
            EXPECT_EQ(counted(out, operation, 1), 0u) << out << " " << operation;
            EXPECT_GT(counted(out, operation, 3), 0u) << out << " " << operation;
        }
    }
    EXPECT_EQ(counted("bare", "elementwise", 1), counted("library", "elementwise", 1));
}

/* In floats the sums of the fallbacks have another order: equal classes, nearly equal weights. */
TEST_F(Backend, WithoutACapabilityFloatsAreNear)
{
    for (const words &keys :
         {words{"backend=host_float32"}, words{"network.number_format=float64"}}) {
        words off = keys;
        off.emplace_back("run.without=convolution,pooling,softmax,optimizer,gemv");
        train("whole" + keys[0].substr(0, 7), keys, {"--without", "nothing"});
        train("off" + keys[0].substr(0, 7), off);
        const std::string a = "whole" + keys[0].substr(0, 7);
        const std::string b = "off" + keys[0].substr(0, 7);
        const words names = {"conv1.weights_float64", "conv2.weights_float64",
                             "output.weights_float64"};
        const std::string one = weights_of(a, names);
        const std::string other = weights_of(b, names);
        ASSERT_EQ(one.size(), other.size());
        double most = 0;
        for (size_t i = 0; i + sizeof(double) <= one.size(); i += sizeof(double)) {
            double x = 0;
            double y = 0;
            std::copy_n(one.data() + i, sizeof x, reinterpret_cast<char *>(&x));
            std::copy_n(other.data() + i, sizeof y, reinterpret_cast<char *>(&y));
            most = std::max(most, std::fabs(x - y));
        }
        EXPECT_LE(most, keys[0] == "backend=host_float32" ? 1e-4 : 1e-12) << keys[0];
    }
}

TEST_F(Backend, SaysWhatIsMissing)
{
    refused("small.yaml", {"--without", "elementwise"},
            {"run.without", "nothing is left of backend host, int16 to make elementwise of"});
    refused("small.yaml", {"--set", "run.without=dump"}, {"to make dump of: it has no fallback"});
    refused("small.yaml", {"--without", "fish"}, {"fish is no capability", "spinnsim backends"});
    refused("small.yaml", {"--without", "gemv", "--set", "network.number_format=s16.15"},
            {"run.without", "nothing can be switched off of the host in s16.15"});
    refused("small.yaml", {"--without", "gemv", "--set", "train.loss=square"},
            {"train.loss", "softmax_cross_entropy"});
    refused(experiment("xor_train"), {"--without", "gemv"},
            {"run.without", "only the optimizer can be switched off of spinnaker"});
    refused("small.yaml",
            {"--set", "backend=host_float32", "--set", "network.number_format=float64"},
            {"network.number_format", "host_float32 has numbers of its own"});
    refused("small.yaml", {"--set", "backend=host_float32", "--set", "record.last_checkpoint=true"},
            {"record.last_checkpoint", "floats, not integers"});
    write("linked.yaml", "name: linked\nvariant: modern\n"
                         "input: {channels: 1, height: 28, width: 28}\n"
                         "formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}\n"
                         "layers:\n"
                         "  - {name: a, type: conv2d, maps: 2, kernel: 5, activation: tanh}\n"
                         "  - {name: out, type: dense, units: 10, activation: softmax}\n");
    refused("small.yaml", {"--without", "gemv", "--set", "network.name=linked.yaml"},
            {"layer a", "the operations of backends do not make such a layer"});
}

/* ---- the optimizer of the machine ---- */

/* The host makes the updates of the machine's gradients: the same weights, in more machine time. */
TEST_F(Backend, MachineWithoutItsOptimizerHasEqualBits)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    write("machine.yaml", TrainingTest::SMALL); /* LeNet-1; the second batch is smaller */
    const std::vector<words> rows = {{},
                                     {"train.optimizer=adam", "train.learning_rate=0.001"},
                                     {"train.optimizer=sgd", "train.rounding=stochastic"}};
    size_t count = 0;
    for (const words &row : rows) {
        const std::string on = "on" + std::to_string(count);
        const std::string off = "off" + std::to_string(count++);
        words without = row;
        without.emplace_back("run.without=optimizer");
        run("machine.yaml", on, sets(row));
        const finished result = run("machine.yaml", off, sets(without));
        EXPECT_EQ(lenet_weights(off), lenet_weights(on)) << off;
        EXPECT_EQ(read(off + "/predictions.csv"), read(on + "/predictions.csv")) << off;
        EXPECT_GT(number(off, "seconds"), number(on, "seconds")) << off;
        EXPECT_GT(number(off, "energy.joules.default"), number(on, "energy.joules.default"));
        EXPECT_EQ(number(off, "updates"), 4);
        EXPECT_EQ(number(off, "images_trained"), 180);
        EXPECT_EQ(number(off, "operations.fallbacks"), 4);
        EXPECT_EQ(counted(off, "dump", 1), 4u);
        EXPECT_NE(result.err.find("optimizer by its fallback, 4 times: the reference optimizer on "
                                  "the host, over dump and load"),
                  std::string::npos)
            << result.err;
    }
    run_xor("on", {});
    run_xor("off", {}, {"--without", "optimizer"});
    EXPECT_EQ(xor_weights("off"), xor_weights("on"));
    EXPECT_GT(number("off", "seconds"), 3 * number("on", "seconds"));
    for (const char *kind : {"neuron_blocks", "neuron_columns", "neuron_per_core"}) {
        const std::string mapping =
            std::string("mapping={kind: ") + kind + ", chips: 1, cores_per_chip: 17}";
        run_xor(kind, {mapping}, {"--without", "optimizer"});
        EXPECT_EQ(xor_weights(kind), xor_weights("on")) << kind;
    }
    refused("machine.yaml", {"--without", "optimizer", "--without", "gemv"},
            {"run.without", "only the optimizer can be switched off of spinnaker"});
    refused("machine.yaml", {"--without", "optimizer", "--set", "record.last_checkpoint=true"},
            {"record.last_checkpoint", "leaves no checkpoints"});
    refused("machine.yaml", {"--without", "optimizer", "--set", "network.number_format=s16.15"},
            {"network.number_format", "in int16 only"});
}

/* ---- libraries ---- */

TEST_F(Backend, LibrariesTellTheirCost)
{
    train("plain", of_library("plain_backend"));
    const double elements = number("plain", "operations.elements");
    EXPECT_NEAR(number("plain", "operations.seconds"), elements * 1e-9, 0.01 * elements * 1e-9);
    EXPECT_NEAR(number("plain", "operations.joules"), elements * 1e-10, 0.01 * elements * 1e-10);
    train("off",
          {"run.without=gemv", "backend=library", "run.library=" + library("plain_backend")});
    EXPECT_GT(number("off", "operations.seconds"), number("plain", "operations.seconds"));
    EXPECT_GT(number("off", "operations.joules"), number("plain", "operations.joules"));
    EXPECT_EQ(lenet_weights("off"), lenet_weights("plain"));
}

TEST_F(Backend, RefusesAWrongLibrary)
{
    const struct {
        const char *name, *text;
    } rows[] = {
        {"wrong_function", "it has no function spinnsim_backend()"},
        {"wrong_version", "it is a backend of version 77, and this spinnsim takes version 1"},
        {"wrong_bytes", "its struct spinnsim_backend has 8 bytes instead of"},
        {"wrong_numbers", "its numbers are none: 9"},
        {"wrong_gemv", "its struct spinnsim_backend has no gemv"},
        {"wrong_cost", "its struct spinnsim_backend has no cost"},
        {"wrong_open", "its struct spinnsim_backend has no open"},
        {"wrong_null", "spinnsim_backend() returns NULL"},
    };
    for (const auto &row : rows) {
        refused("small.yaml", sets(of_library(row.name)), {library(row.name), row.text});
    }
    write("text.so", "no library");
    refused("small.yaml", sets({"backend=library", "run.library=" + path("text.so")}),
            {"text.so", "it cannot be loaded as a shared library"});
    refused("small.yaml", sets({"backend=library", "run.library=none.so"}),
            {"run.library", "none.so"});
    refused("small.yaml", sets({"backend=library"}), {"run.library", "needs one"});
    refused("small.yaml", sets({"run.library=" + library("plain_backend")}),
            {"run.library", "no effect without backend: library"});
    const finished fails = spinnsim({"run", "small.yaml", "--set", "backend=library", "--set",
                                     "run.library=" + library("wrong_fails"), "--out", "fails"});
    EXPECT_EQ(fails.status, 1);
    EXPECT_NE(fails.err.find("gemv of backend plain has failed"), std::string::npos) << fails.err;
    EXPECT_FALSE(exists("fails/summary.json"));
}

/* ---- from one backend to another ---- */

/* Three epochs, each on another backend: the weights of a training that stays. */
TEST_F(Backend, ChangesBetweenEpochs)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    for (const std::string optimizer : {"momentum", "adam"}) {
        words all = {"train.epochs=3", "train.decay=none", "accept=null",
                     "train.optimizer=" + optimizer, "train.learning_rate=0.0078125"};
        if (optimizer == "adam") {
            all.emplace_back("train.momentum=null");
        }
        run_xor("whole" + optimizer, all);
        const std::vector<words> backends = {
            {"backend=host"}, of_library("plain_backend"), {"backend=spinnaker"}};
        std::string before;
        for (size_t i = 0; i < backends.size(); i++) {
            words keys = backends[i];
            keys.insert(keys.end(), all.begin() + 1, all.end());
            keys.push_back("train.epochs=" + std::to_string(i + 1));
            keys.emplace_back("record.last_checkpoint=true");
            words more;
            if (i > 0) {
                keys.emplace_back("train.continues=true");
                more = {"--resume", before};
            }
            before = optimizer + std::to_string(i);
            run_xor(before, keys, more);
        }
        EXPECT_EQ(xor_weights(before), xor_weights("whole" + optimizer)) << optimizer;
        EXPECT_EQ(read(before + "/predictions.csv"),
                  read("whole" + optimizer + "/predictions.csv"));
        EXPECT_NE(xor_weights(optimizer + "1"), xor_weights("whole" + optimizer));
    }
}

/* ---- the table ---- */

TEST_F(Backend, TheTableIsThatOfThePage)
{
    const finished table = spinnsim({"backends", "--format", "markdown"});
    ASSERT_EQ(table.status, 0) << table.err;
    std::ifstream page(SPINN_SOURCE_DIR "/docs/backends.md");
    std::stringstream text;
    text << page.rdbuf();
    EXPECT_NE(text.str().find(table.out), std::string::npos)
        << "scripts/update_results.sh --columns writes it";
    const finished csv = spinnsim({"backends", "--format", "csv"});
    ASSERT_EQ(csv.status, 0) << csv.err;
    EXPECT_NE(
        csv.out.find("gemv,\"matrix times vector, added to a vector\",yes,switch,switch,switch,"
                     "required,\"dot: products elementwise, then their sum\"\n"),
        std::string::npos)
        << csv.out;
    const finished json = spinnsim({"backends", "--format", "json"});
    ASSERT_EQ(json.status, 0) << json.err;
    EXPECT_EQ(json.out.front(), '{');
    EXPECT_NE(json.out.find("\"host_float32\": \"switch\""), std::string::npos) << json.out;
}
