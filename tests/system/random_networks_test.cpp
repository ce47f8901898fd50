/* random_networks_test.cpp - networks that nobody chose: random layers of odd sizes, trained in
 * random divisions over cores and chips, come to the host's bits. */
#include "tests/system/training_fixture.h"

#include <random>

namespace
{

class RandomNetworks : public TrainingTest
{
  protected:
    /* What is trained, and how it is divided. */
    struct training {
        std::string layers;
        words mapping;
    };

    uint32_t between(uint32_t least, uint32_t most)
    {
        return least + random_() % (most - least + 1);
    }

    /* A convolution and, mostly, a pool.  `side`: of the input's maps, then of the output's. */
    std::string maps(const std::string &name, uint32_t &side, bool first, bool smooth)
    {
        const uint32_t kernel = between(1, std::min(6u, side));
        const uint32_t stride = side > 14 ? between(1, 2) : 1;
        const uint32_t padding = first || smooth ? between(0, kernel - 1) : 0;
        const std::string activation = smooth && between(0, 1) != 0 ? "tanh" : "relu";
        side = (side + 2 * padding - kernel) / stride + 1;
        std::string text =
            "  - {name: c" + name + ", type: conv2d, maps: " + std::to_string(between(1, 7)) +
            ", kernel: " + std::to_string(kernel) + ", stride: " + std::to_string(stride) +
            ", padding: " + std::to_string(padding) + ", activation: " + activation + "}\n";
        if (side >= 4 && between(0, 3) != 0) {
            const uint32_t size = between(2, 3);
            const char *const type = smooth && between(0, 1) != 0 ? "average" : "max";
            text += "  - {name: p" + name + ", type: " + type +
                    "_pool2d, size: " + std::to_string(size) + "}\n";
            side = (side - size) / size + 1;
        }
        return text;
    }

    training any(bool smooth)
    {
        training made;
        uint32_t side = 28;
        const uint32_t convolutions = between(0, 2);
        const uint32_t hidden = between(convolutions == 0 ? 1 : 0, 2);
        for (uint32_t i = 0; i < convolutions; i++) {
            made.layers += maps(std::to_string(i), side, i == 0, smooth);
        }
        for (uint32_t i = 0; i < hidden; i++) {
            made.layers += "  - {name: d" + std::to_string(i) +
                           ", type: dense, units: " + std::to_string(between(1, 21)) +
                           ", activation: relu}\n";
        }
        made.layers += "  - {name: out, type: dense, units: 10, activation: softmax}\n";
        const bool teams = convolutions > 0 && hidden > 0 && between(0, 1) != 0;
        const uint32_t at_once = teams ? between(2, 3) : 1;
        const uint32_t members = at_once * between(1, 16 / at_once);
        const uint32_t groups = between(1, 16 / members);
        made.mapping = {"mapping.cores_per_image=" + std::to_string(members),
                        "mapping.images_at_once=" + std::to_string(at_once),
                        "mapping.cores_per_chip=" + std::to_string(groups * members),
                        "mapping.chips=" + std::to_string(between(1, 3)),
                        "train.global_batch=" + std::to_string(between(5, 48))};
        return made;
    }

    /* Dense layers alone: a block of each on every chip, in rows or columns, or, `alone`, all of
     * them in every core. */
    training dense(bool alone)
    {
        training made;
        const uint32_t hidden = between(1, 3);
        for (uint32_t i = 0; i < hidden; i++) {
            made.layers += "  - {name: d" + std::to_string(i) +
                           ", type: dense, units: " + std::to_string(between(3, alone ? 4 : 9)) +
                           ", activation: relu}\n";
        }
        made.layers += "  - {name: out, type: dense, units: 10, activation: softmax}\n";
        made.mapping = {std::string("mapping.kind=") + (alone                ? "replica_per_core"
                                                        : between(0, 1) == 0 ? "neuron_blocks"
                                                                             : "neuron_columns"),
                        "mapping.cores_per_image=null",
                        "mapping.cores_per_chip=" + std::to_string(between(2, 6)),
                        "mapping.chips=" + std::to_string(between(1, 3)),
                        "train.global_batch=" + std::to_string(between(5, 24))};
        return made;
    }

    void write_network(const std::string &layers)
    {
        write("networks/random.yaml",
              "name: random\nvariant: modern\n"
              "input: {channels: 1, height: 28, width: 28}\n"
              "formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}\n"
              "layers:\n" +
                  layers);
    }

    static std::string told(const training &what)
    {
        std::string text = what.layers;
        for (const std::string &key : what.mapping) {
            text += key + " ";
        }
        return text;
    }

    /* Trains on the machine and on the host and compares; false: it does not fit the machine. */
    bool comes_to_the_hosts_bits(const training &what, const std::string &format)
    {
        const words same = {"network.name=random", "network.number_format=" + format,
                            "train.epochs=1", what.mapping.back()};
        words board = what.mapping;
        board.insert(board.end(), same.begin(), same.end());
        words command = {"run", "small.yaml", "--out", path("board"), "--force"};
        const words options = sets(board);
        command.insert(command.end(), options.begin(), options.end());
        const finished made = spinnsim(command);
        if (made.status == 2 && made.err.find("bytes of DTCM") != std::string::npos) {
            return false;
        }
        EXPECT_EQ(made.status, 0) << told(what) << made.err;
        words host = on_host();
        host.insert(host.end(), same.begin(), same.end());
        train("host", host, {"--force"});
        const bool wide = format != "int16";
        EXPECT_TRUE(wide ? weights32("board") == weights32("host")
                         : weights("board") == weights("host"))
            << told(what);
        EXPECT_EQ(read("board/predictions.csv"), read("host/predictions.csv")) << told(what);
        EXPECT_EQ(number("board", "dropped_packets"), 0);
        EXPECT_EQ(number("board", "late_interrupts"), 0);
        return true;
    }

    /* Of `count` networks at least nine in ten start. */
    template <typename make>
    void train_all(unsigned count, const std::string &format, make make_one)
    {
        ASSERT_EQ(run_command({"mkdir", "-p", path("networks")}).status, 0);
        write("small.yaml", on_six_chips());
        unsigned started = 0;
        for (unsigned i = 0; i < count && !HasFailure(); i++) {
            const training what = make_one(i);
            write_network(what.layers);
            started += comes_to_the_hosts_bits(what, format) ? 1 : 0;
        }
        EXPECT_GE(10 * started, 9 * count);
    }

    void train_any(unsigned count, const std::string &format, bool smooth)
    {
        train_all(count, format, [&](unsigned) { return any(smooth); });
    }

    std::mt19937 random_{11};
};

TEST_F(RandomNetworks, TrainToTheHostsBits)
{
    train_any(20, "int16", false);
}

TEST_F(RandomNetworks, InTheOtherFormat)
{
    train_any(10, "s16.15", false);
}

/* On other mappings, which share no program, or no division, with those above. */
TEST_F(RandomNetworks, InBlocksAndAloneOnCores)
{
    train_all(6, "int16", [&](unsigned i) { return dense(i % 2 != 0); });
}

/* Nobody's choice either: LeNet-5, too large for fewer than ten cores, on one chip and on four. */
TEST_F(RandomNetworks, LeNet5OnAnyChips)
{
    const words same = {"network.name=lenet5",      "train.epochs=1",       "data.train_images=8",
                        "data.test_images=4",       "train.global_batch=8", "train.optimizer=sgd",
                        "mapping.cores_per_chip=16"};
    write("small.yaml", on_six_chips());
    words host = on_host();
    host.insert(host.end(), same.begin(), same.end() - 1);
    train("host", host);
    const words mappings[] = {
        {"mapping.cores_per_image=16", "mapping.chips=1"},
        {"mapping.cores_per_image=16", "mapping.chips=4", "mapping.images_at_once=2"},
    };
    for (words mapping : mappings) {
        mapping.insert(mapping.end(), same.begin(), same.end());
        train("board", mapping);
        EXPECT_EQ(weights("board"), weights("host"));
        EXPECT_EQ(number("board", "dropped_packets"), 0);
    }
}

TEST_F(RandomNetworks, WithOperators)
{
    train_any(10, "int16", true);
}

} // namespace
