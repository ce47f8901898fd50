/* What loading the images takes: copies, bytes, bits in routers and time, of shares and of copies
 * for each chip. */
#include "tests/unit/plan_fixture.h"

extern "C" {
#include "sim/mapping/data_input.h"
}

#include <cstdlib>

namespace
{

/* The images of a network's plan; `count` are more than exist: only the numbers are used. */
class input_of
{
  public:
    input_of(const std::string &name, const std::string &more, uint32_t test_count,
             uint32_t train_count = 0)
        : test("synthetic", DATASET_TEST, 1), train("synthetic", DATASET_TRAIN, 1)
    {
        const std::string text = "name: test\nnetwork: {name: " + name + "}\n" +
                                 (train_count > 0 ? "mode: train\n" : "") + more;
        struct config_request request = {};
        request.path = "test.yaml";
        request.text = text.data();
        request.text_bytes = text.size();
        request.configs_folder = SPINN_CONFIGS_FOLDER;
        EXPECT_EQ(config_load(&request, &config, &said_of), STATUS_OK) << said(said_of);
        const std::string path = networks_folder() + "/" + name + ".yaml";
        EXPECT_EQ(network_load(path.c_str(), &network, &said_of), STATUS_OK) << said(said_of);
        EXPECT_EQ(layer_table_make(&network, &table, &said_of), STATUS_OK) << said(said_of);
        EXPECT_EQ(config_topology(&config, &topology, &said_of), STATUS_OK) << said(said_of);
        parameters.resize(table->parameter_bytes);
        test.dataset.count = test_count;
        train.dataset.count = train_count;
        struct plan_request request_of = {};
        request_of.config = &config;
        request_of.network = &network;
        request_of.table = table;
        request_of.parameters = parameters.data();
        request_of.images = &test.dataset;
        request_of.train_images = train_count > 0 ? &train.dataset : nullptr;
        request_of.program = &program.image;
        EXPECT_EQ(load_plan_make(&request_of, &plan, &said_of), STATUS_OK) << said(said_of);
        status = data_input_of(&plan, &config, &topology, &input, &said_of);
    }
    ~input_of()
    {
        load_plan_deinit(&plan);
        topology_deinit(&topology);
        std::free(table);
        network_deinit(&network);
        config_deinit(&config);
    }
    input_of(const input_of &) = delete;
    input_of &operator=(const input_of &) = delete;

    const struct data_input *operator->() const
    {
        return &input;
    }

    struct diagnostic said_of = {};
    enum status status = STATUS_OK;

  private:
    images test, train;
    fake_program program;
    struct sim_config config = {};
    struct network network = {};
    struct nn_table *table = nullptr;
    std::vector<uint8_t> parameters;
    struct topology topology = {};
    struct load_plan plan = {};
    struct data_input input = {};
};

constexpr uint64_t MS = 1000000000;
constexpr uint64_t ALL = 70000 * 792; /* of a training: 784 pixels, the label, whole doublewords */

std::string blocks(const std::string &data, const std::string &more = "")
{
    return "board: {shape: spin5}\nmapping: {kind: neuron_blocks, cores_per_chip: 16, chips: 48}\n"
           "data: {set: synthetic, test_images: 10000, train_images: 60000" +
           data + "}\n" + more;
}

TEST(DataInput, PreloadedImagesAreCountedAndCostNothing)
{
    const input_of all("fc128", blocks(""), 10000, 60000);
    ASSERT_EQ(all.status, STATUS_OK) << said(all.said_of);
    EXPECT_EQ(all->images, 70000u);
    EXPECT_EQ(all->copies, 48u);
    EXPECT_EQ(all->sdram_bytes, 48 * ALL);
    EXPECT_EQ(all->ethernet_bytes, 0u);
    EXPECT_EQ(all->router_bits, 0u);
    EXPECT_EQ(all->time_ps, 0u);
}

/* One copy over Ethernet; each word passes the router of each of the 48 chips once. */
TEST(DataInput, OneCopyCrossesEthernetForAllChipsOfABoard)
{
    const input_of all("fc128", blocks(", input: ethernet"), 10000, 60000);
    ASSERT_EQ(all.status, STATUS_OK) << said(all.said_of);
    EXPECT_EQ(all->copies, 48u);
    EXPECT_EQ(all->sdram_bytes, 48 * ALL);
    EXPECT_EQ(all->ethernet_bytes, ALL);
    EXPECT_EQ(all->router_bits, ALL / 4 * 72 * 48);
    EXPECT_EQ(all->time_ps, 55440 * MS) << "at 8 Mbit/s";
    const input_of fast("fc128", blocks(", input: ethernet, input_rate: 40 Mbit/s"), 10000, 60000);
    EXPECT_EQ(fast->time_ps, 11088 * MS);
    EXPECT_EQ(fast->router_bits, all->router_bits);
}

/* 19/11 of a short packet's time for each word; either kind of link may be the slower. */
TEST(DataInput, LinksMayBeSlowerThanEthernet)
{
    const std::string line = ", input: ethernet, input_rate: 100 Mbit/s";
    EXPECT_EQ(input_of("fc128", blocks(line), 10000, 60000)->time_ps, ALL * 8 * 10000);
    for (const char *link : {"packet", "packet_north"}) {
        const input_of slow("fc128", blocks(line, std::string("link: {") + link + ": 1.1 us}\n"),
                            10000, 60000);
        EXPECT_EQ(slow->time_ps, ALL / 4 * 1900000) << link;
    }
}

/* A chip's own images pass the routers on the way to it: none to the Ethernet chip itself. */
TEST(DataInput, SharesAreSentToTheirChips)
{
    const std::string data = "data: {set: synthetic, input: ethernet}\n";
    const input_of one("lenet1", data, 30);
    EXPECT_EQ(one->copies, 1u);
    EXPECT_EQ(one->ethernet_bytes, 30 * 784u);
    EXPECT_EQ(one->router_bits, 0u);
    EXPECT_EQ(one->time_ps, 23520000000u) << "188,160 bits at 8 Mbit/s";
    /* 11, 11 and 10 images in a row of three chips. */
    const input_of row("lenet1", data + "board: {width: 3}\nmapping: {chips: 3}\n", 32);
    EXPECT_EQ(row->images, 32u);
    EXPECT_EQ(row->copies, 1u);
    EXPECT_EQ(row->sdram_bytes, 32 * 784u);
    EXPECT_EQ(row->ethernet_bytes, 32 * 784u);
    EXPECT_EQ(row->router_bits, (11 * 2 + 10 * 3) * 196 * 72u);
    EXPECT_EQ(row->time_ps, 32 * 784 * MS / 1000) << "784 us an image";
}

TEST(DataInput, TrainingImagesAreShares)
{
    const input_of groups("lenet1",
                          "data: {set: synthetic, input: ethernet, train_images: 96, "
                          "test_images: 20}\nboard: {width: 2}\n"
                          "mapping: {kind: replica_per_core, cores_per_chip: 12, chips: 2}\n"
                          "train: {global_batch: 48}\n",
                          20, 96);
    ASSERT_EQ(groups.status, STATUS_OK) << said(groups.said_of);
    EXPECT_EQ(groups->images, 116u);
    EXPECT_EQ(groups->copies, 1u);
    EXPECT_EQ(groups->ethernet_bytes, (96 + 20) * 792u);
    EXPECT_EQ(groups->router_bits, (48 + 10) * 198 * 2 * 72u);
}

TEST(DataInput, BoardsLoadAtTheSameTime)
{
    const std::string boards = "board: {shape: boards, width: 12, height: 12}\n";
    const input_of shares("lenet1",
                          boards + "data: {set: synthetic, input: ethernet}\n"
                                   "mapping: {chips: 144}\n",
                          288);
    EXPECT_EQ(shares->ethernet_bytes, 288 * 784u);
    EXPECT_EQ(shares->time_ps, 96 * 784 * MS / 1000) << "two images for each of 48 chips";
    const input_of copies("fc128",
                          boards + "mapping: {kind: neuron_blocks, cores_per_chip: 16, chips: 96}\n"
                                   "data: {set: synthetic, input: ethernet}\n",
                          10000, 60000);
    ASSERT_EQ(copies.status, STATUS_OK) << said(copies.said_of);
    EXPECT_EQ(copies->copies, 96u);
    EXPECT_EQ(copies->ethernet_bytes, 3 * ALL) << "the chips are of three boards";
    EXPECT_EQ(copies->time_ps, 55440 * MS);
}

TEST(DataInput, AnEthernetChipThatIsDownIsRefused)
{
    const std::string machine = "board: {width: 2, height: 2}\nfaults: {down_chips: [\"0,0\"]}\n";
    const input_of down("lenet1", machine + "data: {set: synthetic, input: ethernet}\n", 30);
    EXPECT_EQ(down.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(down.said_of.key, "data.input");
    EXPECT_EQ(down.said_of.line, 5);
    EXPECT_STREQ(down.said_of.text, "chip 0,0, which has the Ethernet of its board, is down");
    EXPECT_STREQ(down.said_of.hint, "data.input: preload");
    EXPECT_EQ(input_of("lenet1", machine + "data: {set: synthetic}\n", 30).status, STATUS_OK);
}

} // namespace
