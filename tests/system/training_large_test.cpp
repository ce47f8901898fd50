/* training_large_test.cpp - networks whose convolutions have many inputs: data of a core share
 * their places (sim/mapping/train_place.h), and the weights are the host's. */
#include "tests/system/own_network.h"
#include "tests/system/training_fixture.h"

namespace
{

const std::string OUTPUT = "  - {name: out, type: dense, units: 10, activation: softmax}\n";

/* That of Keras' own examples: 34,826 parameters. */
const std::string KERAS = "  - {name: conv1, type: conv2d, maps: 32, kernel: 3, activation: relu}\n"
                          "  - {name: pool1, type: max_pool2d, size: 2}\n"
                          "  - {name: conv2, type: conv2d, maps: 64, kernel: 3, activation: relu}\n"
                          "  - {name: pool2, type: max_pool2d, size: 2}\n";

/* LeNet-5 as PyTorch exports it: zeros around the image. */
const std::string LENET5 =
    "  - {name: conv1, type: conv2d, maps: 6, kernel: 5, padding: 2, activation: relu}\n"
    "  - {name: pool1, type: max_pool2d, size: 2}\n"
    "  - {name: conv2, type: conv2d, maps: 16, kernel: 5, activation: relu}\n"
    "  - {name: pool2, type: max_pool2d, size: 2}\n"
    "  - {name: hidden1, type: dense, units: 120, activation: relu}\n"
    "  - {name: hidden2, type: dense, units: 84, activation: relu}\n";

class TrainingLarge : public TrainingTest
{
  protected:
    static std::string named(const std::string &name, const std::string &layers)
    {
        return "name: " + name +
               "\nvariant: modern\ninput: {channels: 1, height: 28, width: 28}\n"
               "weights: {synthetic: " +
               name + ".npz}\nlayers:\n" + layers + OUTPUT;
    }

    void network(const std::string &name, const std::string &layers) const
    {
        ASSERT_EQ(run_command({"mkdir", "-p", path("networks")}).status, 0);
        write("networks/" + name + ".yaml", named(name, layers));
    }

    void expect_the_hosts_weights(const std::string &name, const words &mapping,
                                  const std::string &optimizer = "sgd") const
    {
        const words same = {"network.name=" + name, "data.train_images=10",
                            "data.test_images=4",   "train.global_batch=10",
                            "train.epochs=1",       "train.optimizer=" + optimizer};
        words board = mapping;
        words host = on_host();
        board.insert(board.end(), same.begin(), same.end());
        host.insert(host.end(), same.begin(), same.end());
        train("board", board, {"--force"});
        train("host", host, {"--force"});
        EXPECT_EQ(weights("board"), weights("host")) << name;
        EXPECT_EQ(read("board/predictions.csv"), read("host/predictions.csv")) << name;
    }
};

/* 89,444 bytes of a core's 65,536, if nothing shared its place. */
TEST_F(TrainingLarge, TheNetworkOfKerasExamplesTrainsOn16CoresOfAChip)
{
    network("keras", KERAS);
    expect_the_hosts_weights("keras", {"mapping.cores_per_image=16"});
}

TEST_F(TrainingLarge, ItsCoresAreNamedWhereThereAreTooFew)
{
    network("keras", KERAS);
    const finished few = spinnsim(
        {"run", "small.yaml", "--set", "network.name=keras", "--set", "train.optimizer=sgd"});
    EXPECT_EQ(few.status, 2);
    EXPECT_NE(few.err.find("does not fit a core: it needs"), std::string::npos) << few.err;
    EXPECT_NE(few.err.find("mapping.cores_per_image: 16"), std::string::npos) << few.err;
}

/* With momentum on one chip: 66,708 bytes of a core, if nothing shared its place. */
TEST_F(TrainingLarge, LeNet5WithPaddingTrainsOnOneChip)
{
    network("padded", LENET5);
    expect_the_hosts_weights("padded", {"mapping.cores_per_image=17", "mapping.cores_per_chip=17"},
                             "momentum");
}

/* Teams, dense layers behind, averages, odd parts, inputs with zeros around them. */
TEST_F(TrainingLarge, SoDoOthersInAnyDivision)
{
    network("dense", "  - {name: a, type: conv2d, maps: 25, kernel: 3, activation: relu}\n"
                     "  - {name: p, type: max_pool2d, size: 2}\n"
                     "  - {name: b, type: conv2d, maps: 5, kernel: 3, padding: 1}\n"
                     "  - {name: q, type: max_pool2d, size: 2}\n"
                     "  - {name: c, type: dense, units: 21, activation: relu}\n");
    expect_the_hosts_weights("dense", {"mapping.cores_per_image=5", "mapping.cores_per_chip=15"});
    expect_the_hosts_weights("dense", {"mapping.cores_per_image=16", "mapping.images_at_once=2"});
    network("average", "  - {name: a, type: conv2d, maps: 27, kernel: 3, activation: tanh}\n"
                       "  - {name: p, type: average_pool2d, size: 2}\n"
                       "  - {name: b, type: conv2d, maps: 3, kernel: 5, activation: relu}\n");
    expect_the_hosts_weights("average", {"mapping.cores_per_image=16"});
}

/* With a dense layer of 128 units, whose parts need eight cores of a chip: for inference. */
TEST_F(TrainingLarge, WithADenseLayerItClassifiesOnAChip)
{
    const std::string layers =
        KERAS + "  - {name: hidden, type: dense, units: 128, activation: relu}\n";
    network("keras128", layers);
    write_parameters(path("."), "keras128", named("keras128", layers));
    write("infer.yaml", "include: [experiments/lenet1_packets_synthetic.yaml]\nname: infer\n"
                        "data: {test_images: 6}\nnetwork: {name: keras128}\n"
                        "mapping: {cores_per_chip: 16}\naccept: null\n");
    run("infer.yaml", "board");
    run("infer.yaml", "host",
        {"--set", "backend=host", "--set", "mapping=null", "--set", "run=null"});
    EXPECT_EQ(read("board/predictions.csv"), read("host/predictions.csv"));
    const finished few = spinnsim({"run", "infer.yaml", "--set", "mapping.cores_per_chip=13"});
    EXPECT_EQ(few.status, 2);
    EXPECT_NE(few.err.find("mapping.cores_per_chip: 14 is the least with which it fits"),
              std::string::npos)
        << few.err;
}

} // namespace
