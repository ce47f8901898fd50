/* maps_test.cpp - LeNet-1 with its maps spread over the cores of a chip: pooled values travel as
 * packets, exactly as many as there are values, and the logits are the host's. */
#include "tests/system/own_network.h"

#include <set>

class Maps : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    static words with(words arguments, const words &more)
    {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    void run_on_host(const std::string &what, const words &more = {}) const
    {
        run(experiment(what), "host",
            with({"--set", "backend=host", "--set", "mapping=null", "--set", "run=null", "--set",
                  "accept=null"},
                 more));
    }

    /* 576 values leave conv1 and pool1 for `conv2_cores` cores each, 192 conv2 and pool2 for one.
     */
    void expect_packets(const std::string &out, double images, double conv2_cores) const
    {
        EXPECT_EQ(number(out, "packets_sent"), 768 * images);
        EXPECT_EQ(number(out, "deliveries"), (576 * conv2_cores + 192) * images);
        EXPECT_EQ(number(out, "dropped_packets"), 0);
        EXPECT_EQ(number(out, "late_interrupts"), 0);
        const auto sums = counters(out);
        EXPECT_EQ(sums.at("comms.sent_multicast"), 768 * images);
        EXPECT_EQ(sums.at("comms.received_multicast"), (576 * conv2_cores + 192) * images);
        EXPECT_EQ(sums.at("comms.lost_by_overrun"), 0u);
        EXPECT_EQ(sums.at("link.packets"), 0u) << "no value leaves its chip";
    }
};

TEST_F(Maps, SyntheticDigitsGiveTheHostsLogitsBy768PacketsAnImage)
{
    const words few = {"--set", "data.test_images=200"};
    run(experiment("lenet1_packets_synthetic"), "machine", few);
    run_on_host("lenet1_packets_synthetic", few);
    EXPECT_EQ(lines(read("machine/predictions.csv")).size(), 201u);
    EXPECT_EQ(read("machine/predictions.csv"), read("host/predictions.csv"));
    EXPECT_EQ(number("machine", "numerics.saturations"), number("host", "numerics.saturations"));
    expect_packets("machine", 200, 12);
    EXPECT_EQ(number("machine", "cores_used"), 17);
}

TEST_F(Maps, AnyNumberOfCoresGivesTheSameLogits)
{
    const words few = {"--set", "data.test_images=25"};
    run_on_host("lenet1_packets_synthetic", few);
    for (const auto &[cores, conv2_cores] :
         {std::pair<int, int>{3, 1}, {5, 2}, {11, 6}, {16, 11}}) {
        const std::string out = std::to_string(cores);
        run(experiment("lenet1_packets_synthetic"), out,
            with(few, {"--set", "mapping.cores_per_chip=" + out}));
        EXPECT_EQ(read(out + "/predictions.csv"), read("host/predictions.csv")) << cores;
        EXPECT_EQ(number(out, "cores_used"), cores);
        expect_packets(out, 25, conv2_cores);
    }
}

/* Windows and steps of other sizes, a hidden dense layer, an odd number of values. */
TEST_F(Maps, AnotherNetworkGivesTheHostsLogitsToo)
{
    const std::string text =
        "name: own\nvariant: modern\ninput: {channels: 1, height: 28, width: 28}\n"
        "weights: {synthetic: own.npz}\nlayers:\n"
        "  - {name: a, type: conv2d, maps: 3, kernel: 3, stride: 3, activation: relu}\n"
        "  - {name: b, type: max_pool2d, size: 3}\n"
        "  - {name: c, type: conv2d, maps: 5, kernel: 2, activation: relu}\n"
        "  - {name: d, type: dense, units: 7, activation: relu}\n"
        "  - {name: output, type: dense, units: 10, activation: softmax}\n";
    ASSERT_EQ(run_command({"mkdir", path("networks")}).status, 0);
    write("networks/own.yaml", text);
    write_parameters(path("."), "own", text);
    write("own.yaml", "include: [experiments/lenet1_packets_synthetic.yaml]\n"
                      "name: own\ndata: {test_images: 30}\nnetwork: {name: own}\n"
                      "mapping: {cores_per_chip: 4}\naccept: {accuracy: null}\n");
    run("own.yaml", "host",
        {"--set", "backend=host", "--set", "mapping=null", "--set", "run=null", "--set",
         "accept=null"});
    for (const auto &[cores, copies] : {std::pair<int, int>{4, 27 + 20 + 7},
                                        {8, 27 * 3 + 20 * 1 + 7},
                                        {16, 27 * 5 + 20 * 7 + 7}}) {
        const std::string out = std::to_string(cores);
        run("own.yaml", out, {"--set", "mapping.cores_per_chip=" + out});
        EXPECT_EQ(read(out + "/predictions.csv"), read("host/predictions.csv")) << cores;
        EXPECT_EQ(number(out, "packets_sent"), 30 * (27 + 20 + 7));
        EXPECT_EQ(number(out, "deliveries"), 30 * copies) << cores;
        EXPECT_EQ(number(out, "dropped_packets"), 0);
    }
    const finished many = spinnsim({"run", "own.yaml", "--set", "mapping.cores_per_chip=17"});
    EXPECT_EQ(many.status, 2);
    EXPECT_NE(many.err.find("network own occupies at most 16 cores of a chip, 17 are given"),
              std::string::npos)
        << many.err;
}

/* Fewer images than chips, parts of unequal length, a core down: every image once. */
TEST_F(Maps, ChipsShareTheImages)
{
    const words few = {"--set", "data.test_images=7"};
    run(experiment("lenet1_packets_synthetic"), "four",
        with(few, {"--set", "board.width=3", "--set", "board.height=2", "--set", "mapping.chips=5",
                   "--set", "mapping.cores_per_chip=16", "--set",
                   "faults={down_chips: [\"2,1\"], down_cores: [\"1,0,0\"]}"}));
    run_on_host("lenet1_packets_synthetic", few);
    EXPECT_EQ(read("four/predictions.csv"), read("host/predictions.csv"));
    expect_packets("four", 7, 11);
    run(experiment("lenet1_packets_synthetic"), "few",
        {"--set", "data.test_images=2", "--set", "board.width=3", "--set", "mapping.chips=3"});
    expect_packets("few", 2, 12);
}

TEST_F(Maps, TwoRunsAreTheSame)
{
    const words few = {"--set", "data.test_images=20", "--set", "board.width=2",
                       "--set", "mapping.chips=2"};
    run(experiment("lenet1_packets_synthetic"), "a", few);
    run(experiment("lenet1_packets_synthetic"), "b", with(few, {"--threads", "2"}));
    EXPECT_EQ(text("a", "identity.stats_hash"), text("b", "identity.stats_hash"));
    for (const char *file : {"counters.csv", "phases.csv", "predictions.csv", "placement.csv",
                             "energy.csv", "tensors.csv", "keys.csv", "traffic.csv"}) {
        EXPECT_EQ(read(std::string("a/") + file), read(std::string("b/") + file)) << file;
    }
}

TEST_F(Maps, EveryCycleBelongsToAPhaseAndEveryCoreHasItsPlace)
{
    run(experiment("lenet1_packets_synthetic"), "out", {"--set", "data.test_images=10"});
    double cycles = 0;
    std::set<std::string> phases;
    const words rows = lines(read("out/phases.csv"));
    for (size_t i = 1; i < rows.size(); i++) {
        size_t at = 0;
        for (int field = 0; field < 3; field++) {
            at = rows[i].find(',', at) + 1;
        }
        phases.insert(rows[i].substr(0, at - 1));
        cycles += std::stod(rows[i].substr(at));
    }
    EXPECT_EQ(cycles, number("out", "core_cycles"));
    for (const char *phase : {"test,images_wait,", "test,packets_wait,", "test,window_wait,",
                              "test,result_store,", "test,forward,conv1", "test,forward,pool1",
                              "test,forward,conv2", "test,forward,pool2", "test,forward,output"}) {
        EXPECT_EQ(phases.count(phase), 1u) << phase;
    }
    const words placed = lines(read("out/placement.csv"));
    ASSERT_EQ(placed.size(), 18u);
    EXPECT_EQ(placed[1].find("0,0,1,1,maps_infer,conv1 map 0,"), 0u) << placed[1];
    EXPECT_NE(placed[16].find("0,0,16,16,maps_infer,conv2 map 11,"), std::string::npos);
    EXPECT_NE(placed[17].find("0,0,17,17,maps_infer,output units 0-9,"), std::string::npos);
    EXPECT_NE(placed[17].find(",1920"), std::string::npos);
}

/* Of the four edges to the cores of conv2 one has no entry: its packets go nowhere, and those who
 * need them say so. */
TEST_F(Maps, OneDeletedEntryEndsTheRunWithTheKeyThatIsWaitedFor)
{
    const std::string maps = experiment("lenet1_packets_synthetic");
    const words few = {"run", maps, "--set", "data.test_images=20", "--force", "--out"};
    ASSERT_EQ(spinnsim(with(few, {"whole"})).status, 0);
    const std::string edge = lines(read("whole/keys.csv")).at(2);
    EXPECT_EQ(edge.substr(0, 38), "0x00000200,0xfffffe00,forward,0:0:2,0:");
    const finished result =
        spinnsim(with(few, {"deleted", "--set", "faults={deleted_routes: [\"0,0,0x00000200\"]}"}));
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("chip (0,0) core 5: waits for what cannot come: key 0x00000200 mask "
                              "0xfffffe00: 0 of 144 came in round 0"),
              std::string::npos)
        << result.err;
    EXPECT_EQ(text("deleted", "status"), "guest_failed");
    EXPECT_EQ(number("deleted", "dropped_packets"), 2 * 144) << "two images are let on their way";
    const words rows = lines(read("deleted/waits.csv"));
    ASSERT_EQ(rows.size(), 18u);
    for (size_t core = 5; core <= 16; core++) {
        EXPECT_NE(rows[core].find("key 0x00000200 mask 0xfffffe00: 0 of 144 came in round 0"),
                  std::string::npos)
            << rows[core];
    }
    EXPECT_NE(rows[17].find("key 0x00000800 mask 0xffffffe0: 0 of 16 came in round 0, and 11 more"),
              std::string::npos)
        << rows[17];
}

TEST_F(Maps, CoresThatDoNotFitAreRefused)
{
    const std::string maps = experiment("lenet1_packets_synthetic");
    const finished few = spinnsim({"run", maps, "--set", "mapping.cores_per_chip=2"});
    EXPECT_EQ(few.status, 2);
    EXPECT_NE(few.err.find("mapping.cores_per_chip"), std::string::npos) << few.err;
    EXPECT_NE(few.err.find("needs at least 3 cores of a chip, 2 are given: 1 short"),
              std::string::npos)
        << few.err;
    const finished many = spinnsim(
        {"run", maps, "--set", "mapping.cores_per_chip=18", "--set", "chip.monitor_cores=0"});
    EXPECT_EQ(many.status, 2);
    EXPECT_NE(many.err.find("occupies at most 17 cores of a chip, 18 are given"), std::string::npos)
        << many.err;
    const finished memory = spinnsim({"run", maps, "--set", "chip.dtcm=8 KiB"});
    EXPECT_EQ(memory.status, 2);
    EXPECT_NE(memory.err.find("mapping.kind"), std::string::npos) << memory.err;
    EXPECT_NE(memory.err.find("bytes of DTCM"), std::string::npos) << memory.err;
}
