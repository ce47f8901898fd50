/* exchange_test.cpp - rings of chips add up random words: every sum is right, and no packet is
 * lost; a packet that is missing ends the run with the stream's name. */
#include "tests/system/program.h"

#include <sstream>

class Exchange : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    static words cores(unsigned count)
    {
        return {"app=[{file: ring_exchange.elf, cores: 1-" + std::to_string(count) + "}]"};
    }
    static words row_of(unsigned chips)
    {
        return {"board.shape=rectangle", "board.width=" + std::to_string(chips), "board.height=1"};
    }
    static words sets(const std::vector<words> &groups)
    {
        words arguments;
        for (const words &group : groups) {
            for (const std::string &set : group) {
                arguments.push_back("--set");
                arguments.push_back(set);
            }
        }
        return arguments;
    }

    /* All sums were right (the programs look), and every packet that there should be has come. */
    void expect_exchange(const std::string &out, uint64_t chips, uint64_t cores,
                         uint64_t words_each, uint64_t rounds) const
    {
        const uint64_t sums_in = (2 * words_each + 2) / 3; /* packets of six bytes */
        const uint64_t values_in = (2 * ((words_each + 1) / 2) + 2) / 3;
        const uint64_t streams = words_each == 0 || chips == 1 ? 0 : rounds * cores;
        const uint64_t packets = /* open; headers, trailers */
            streams * (chips * (1 + 4) + (chips - 1) * (sums_in + values_in));
        const auto sums = counters(out);
        EXPECT_EQ(sums.at("comms.sent_multicast"), packets);
        EXPECT_EQ(sums.at("comms.received_multicast"), packets);
        EXPECT_EQ(sums.at("comms.lost_by_overrun"), 0u);
        EXPECT_EQ(number(out, "dropped_packets"), 0);
        EXPECT_EQ(number(out, "late_interrupts"), 0);
        EXPECT_EQ(lines(read(out + "/console.txt")).size(), chips * cores);
    }
};

TEST_F(Exchange, OfFewChipsWithAnyNumberOfCoresAndWords)
{
    for (const unsigned chips : {1u, 2u, 3u}) {
        for (const unsigned count : {1u, 3u, 12u, 16u}) {
            for (const unsigned each : {0u, 1u, 47u, 203u}) {
                const std::string out = std::to_string(chips) + "_" + std::to_string(count) + "_" +
                                        std::to_string(each);
                SCOPED_TRACE(out);
                run(experiment("micro/ring_exchange"), out,
                    sets({row_of(chips),
                          cores(count),
                          {"exchange.words=" + std::to_string(each), "exchange.rounds=2"}}));
                expect_exchange(out, chips, count, each, 2);
            }
        }
    }
}

TEST_F(Exchange, OfABoardWithAnyNumberOfCores)
{
    for (const auto &[count, each] : {std::pair<unsigned, unsigned>{1, 203}, {3, 47}, {16, 203}}) {
        const std::string out = std::to_string(count);
        SCOPED_TRACE(out);
        run(experiment("micro/ring_exchange"), out,
            sets({cores(count), {"exchange.words=" + std::to_string(each), "exchange.rounds=2"}}));
        expect_exchange(out, 48, count, each, 2);
    }
}

/* Fewer words than chips: some chips pass on what others have, and have nothing themselves. */
TEST_F(Exchange, OfABoardWithFewerWordsThanChips)
{
    for (const unsigned each : {0u, 1u, 2u, 47u}) {
        const std::string out = std::to_string(each);
        SCOPED_TRACE(out);
        run(experiment("micro/ring_exchange"), out,
            sets({cores(12), {"exchange.words=" + out, "exchange.rounds=2"}}));
        expect_exchange(out, 48, 12, each, 2);
    }
}

TEST_F(Exchange, OfThreeBoardsAndOfATorusOfChips)
{
    run(experiment("micro/ring_exchange_torus"), "boards");
    expect_exchange("boards", 144, 3, 150, 2);
    run(experiment("micro/ring_exchange_torus"), "torus",
        sets({cores(4),
              {"board.shape=torus", "board.width=8", "board.height=12", "exchange.rounds=1",
               "energy.board_profile=none"}}));
    expect_exchange("torus", 96, 4, 150, 1);
}

TEST_F(Exchange, DoesNotDependOnTheLinks)
{
    const words few = sets({cores(12), {"exchange.words=97", "exchange.rounds=1"}});
    run(experiment("micro/ring_exchange"), "usual", few);
    const std::vector<words> others = {{"link.packet=250 ns"},
                                       {"link.buffer=2", "link.credit_latency=300 ns"},
                                       {"router.pipeline=8", "router.core_buffer=1"},
                                       {"exchange.rings=1"}};
    for (size_t i = 0; i < others.size(); i++) {
        const std::string out = std::to_string(i);
        words more = few;
        const words set = sets({others[i]});
        more.insert(more.end(), set.begin(), set.end());
        run(experiment("micro/ring_exchange"), out, more);
        SCOPED_TRACE(others[i][0]);
        expect_exchange(out, 48, 12, 97, 1);
        EXPECT_NE(text(out, "identity.stats_hash"), text("usual", "identity.stats_hash"));
    }
}

TEST_F(Exchange, OverTreesGivesTheSameSums)
{
    const words slow = {"exchange.over=tree", "exchange.rings=null", "exchange.pace=0.3",
                        "exchange.rounds=2"};
    for (const unsigned chips : {1u, 2u, 3u, 48u}) {
        for (const unsigned each : {0u, 1u, 47u, 100u}) {
            const std::string out = std::to_string(chips) + "_" + std::to_string(each);
            SCOPED_TRACE(out);
            run(experiment("micro/ring_exchange"), out,
                sets({chips == 48 ? words{} : row_of(chips),
                      cores(chips == 48 ? 3 : 16),
                      {"exchange.words=" + std::to_string(each)},
                      slow}));
            const auto sums = counters(out);
            const uint64_t streams = chips == 48 ? 3 : 16;
            const uint64_t sent = 2 * streams * (chips - 1) * (each + (each + 1) / 2);
            const uint64_t opens = sums.at("comms.sent_multicast") - sent;
            EXPECT_EQ(opens, each == 0 || chips == 1
                                 ? 0
                                 : 2 * streams * (chips == 48 ? 240 : 2 * (chips - 1)));
            EXPECT_EQ(sums.at("comms.received_multicast"), sums.at("comms.sent_multicast"));
            EXPECT_EQ(number(out, "dropped_packets"), 0);
        }
    }
}

TEST_F(Exchange, OverTreesNamesWhatIsMissing)
{
    words arguments = {"run", experiment("micro/ring_exchange"), "--force", "--out", "out"};
    const words more = sets({cores(1),
                             {"exchange.over=tree", "exchange.pace=0.3", "exchange.words=60",
                              "faults={deleted_routes: [\"0,0,0x80000000\"]}"}});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const finished result = spinnsim(arguments);
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("waits for what cannot come: key 0x80008000 mask 0x80788000: "),
              std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find("some were lost (drops.csv)"), std::string::npos) << result.err;
}

/* The first ring with a program on a core of chip 0,0 that interferes with its routes. */
static words with_program(const char *name)
{
    return {std::string("app=[{file: ring_exchange.elf, cores: 1-3}, {file: ") + name +
                ".elf, chips: \"0,0\", cores: 17, app_id: 20}]",
            "exchange.start_spread=0 s", "exchange.rounds=1"};
}

TEST_F(Exchange, WithARouteThatIsNotThereNamesItsStream)
{
    words arguments = {"run", experiment("micro/ring_exchange"), "--force", "--out", "out"};
    const words more = sets({cores(3), {"faults={deleted_routes: [\"0,0,0x80000000\"]}"}});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const finished result = spinnsim(arguments);
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("chip (1,1) core 1: waits for what cannot come: key 0x80000000 mask "
                              "0xfffe0000: 0 of 134 came in round 1, some were lost (drops.csv)"),
              std::string::npos)
        << result.err;
    EXPECT_LT(number("out", "seconds"), 0.01);
}

/* The route is lost on the way; nothing of the stream comes any more. */
TEST_F(Exchange, WithARouteThatIsLostNamesItsStream)
{
    words arguments = {"run", experiment("micro/ring_exchange"), "--force", "--out", "out"};
    const words more = sets({with_program("test_route_lost")});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const finished result = spinnsim(arguments);
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("waits for what cannot come: key 0x"), std::string::npos)
        << result.err;
    unsigned came = 0;
    const std::string waits = read("out/waits.csv");
    const size_t row = waits.find("\n1,1,1,");
    const size_t at = waits.find("key 0x80000000 mask 0xfffe0000: ", row);
    ASSERT_NE(at, std::string::npos) << waits;
    ASSERT_EQ(sscanf(waits.c_str() + at, "key 0x80000000 mask 0xfffe0000: %u of 134 came", &came),
              1);
    EXPECT_GT(came, 50u);
    EXPECT_LT(came, 134u);
    EXPECT_LT(number("out", "seconds"), 0.01);
}

/* Some packets are lost, later ones come: the trailer comes too early. */
TEST_F(Exchange, WithAFewPacketsLostSaysHowManyCame)
{
    words arguments = {"run", experiment("micro/ring_exchange"), "--force", "--out", "out"};
    const words more = sets({with_program("test_route_interrupted")});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const finished result = spinnsim(arguments);
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("chip (1,1) core 1: run-time error 17 "), std::string::npos)
        << result.err;
    const std::string console = read("out/console.txt");
    const size_t at = console.find("1,1,1 exchange: ");
    ASSERT_NE(at, std::string::npos) << console;
    unsigned came = 0;
    EXPECT_EQ(sscanf(console.c_str() + at,
                     "1,1,1 exchange: %u of 134 packets of stream 0x80000000 came, not as they "
                     "were sent",
                     &came),
              1);
    EXPECT_GT(came, 100u);
    EXPECT_LT(came, 133u);
    EXPECT_EQ(console.find("exchange: ", at + 20), std::string::npos) << "nobody else is at fault";
}

TEST_F(Exchange, OfAnOldVersionOfTheWeightsIsRefused)
{
    words arguments = {"run", experiment("micro/ring_exchange"), "--force", "--out", "out"};
    const words more = sets({{"app=[{file: test_stale_version.elf, cores: 1}]", "exchange.rounds=2",
                              "exchange.words=60"}});
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(spinnsim(arguments).status, 3);
    const std::string console = read("out/console.txt");
    EXPECT_NE(console.find("3,0,1 exchange: a wrong header in stream 0x82400000\n"
                           "3,0,1 exchange: it is for tensor 0, version 1, 60 words\n"
                           "3,0,1 exchange: expected is one for tensor 0, version 0, 60 words\n"),
              std::string::npos)
        << console;
}

TEST_F(Exchange, NeedsAProgramWithTheSameCoresOnEachChip)
{
    const std::string head = "include: [boards/spin3.yaml, energy/spinnaker1.yaml]\nname: own\n";
    const std::string elf = program("ring_exchange");
    write("none.yaml", head + "app: []\nexchange: {words: 5}\n");
    const finished none = spinnsim({"run", "none.yaml", "--force", "--out", "out"});
    EXPECT_EQ(none.status, 2);
    EXPECT_NE(none.err.find("none.yaml:4:11: exchange: rings without a program"), std::string::npos)
        << none.err;
    write("down.yaml", head + "app:\n  - {file: " + elf +
                           ", cores: 1-3}\nexchange: {words: 5}\n"
                           "faults: {down_cores: [\"1,0,2\"]}\n");
    const finished down = spinnsim({"run", "down.yaml", "--force", "--out", "out"});
    EXPECT_EQ(down.status, 2);
    EXPECT_NE(down.err.find("down.yaml:5:11: exchange: chip 1,0 has not all the cores of a ring"),
              std::string::npos)
        << down.err;
    write("network.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: own\n"
                          "network: {name: lenet1}\ndata: {set: synthetic}\n"
                          "exchange: {words: 5}\n");
    const finished network = spinnsim({"run", "network.yaml", "--force", "--out", "out"});
    EXPECT_EQ(network.status, 2);
    EXPECT_NE(network.err.find("exchange.words: no effect without app"), std::string::npos)
        << network.err;
}

/* 200 packets and a header, whose cycles are less than 200: 33 cycles a word, 16 a value of 16
 * bits. */
TEST_F(Exchange, CostsAReceiver49CyclesAPacket)
{
    write("cost.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: cost\n"
                       "app:\n  - {file: " +
                           program("test_exchange_cost") + ", cores: 1-2}\n");
    run("cost.yaml", "out");
    const words said = lines(read("out/console.txt"));
    ASSERT_EQ(said.size(), 2u);
    for (const size_t gather : {0, 1}) {
        const std::string &line = said[gather];
        unsigned cycles = 0;
        ASSERT_EQ(sscanf(line.c_str(), "0,0,1 200 of 200 packets, %u cycles for them all", &cycles),
                  1)
            << line;
        EXPECT_EQ(cycles / 200, gather == 0 ? 49u : 48u);
    }
}

/* Chips 0,0 to 0,4 (guests/exchange_order.c). */
TEST_F(Exchange, NoticesPacketsThatAreLostOrRepeatedOrInAnotherOrder)
{
    write("order.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: order\n"
                        "board: {width: 1, height: 5}\nrun: {stop_on: nothing}\napp:\n  - {file: " +
                            program("test_exchange_order") + ", cores: 1-2}\n");
    EXPECT_EQ(spinnsim({"run", "order.yaml", "--out", "out"}).status, 3);
    EXPECT_EQ(read("out/console.txt"),
              "0,0,1 2 control packets; words 21 131075 14\n"
              "0,1,1 exchange: 4 of 6 packets of stream 0x80000000 came, not as they were sent\n"
              "0,2,1 exchange: 5 of 6 packets of stream 0x80000000 came, not as they were sent\n"
              "0,3,1 exchange: 5 of 6 packets of stream 0x80000000 came, not as they were sent\n"
              "0,4,1 exchange: after 5 of 6 packets of stream 0x80000000 came key 0x80000002\n");
}

/* A whole training: 12 chips in three columns, gradients on a ring and on trees. */
TEST_F(Exchange, OfATrainingComesToTheSameWeightsOnRingsAndTrees)
{
    const std::string text =
        "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
        "name: own\nmode: train\nboard: {width: 3, height: 4}\n"
        "data: {set: synthetic, train_images: 96, test_images: 12}\nnetwork: {name: lenet1}\n"
        "mapping: {kind: replica_per_chip, cores_per_image: 4, cores_per_chip: 8, chips: 12}\n"
        "train: {epochs: 1, global_batch: 48, shards: 12";
    write("train.yaml", text + "}\n");
    run("train.yaml", "rings");
    write("train.yaml", text + ", exchange: tree, pace: 0.3}\n"); /* weights.npz has the command */
    run("train.yaml", "tree");
    EXPECT_EQ(number("rings", "updates"), 2);
    EXPECT_EQ(number("tree", "dropped_packets"), 0);
    EXPECT_EQ(number("tree", "loss"), number("rings", "loss"));
    EXPECT_EQ(read("tree/predictions.csv"), read("rings/predictions.csv"));
    EXPECT_TRUE(read("tree/weights.npz") == read("rings/weights.npz"));
    EXPECT_GT(number("tree", "train_time.exchange"), number("rings", "train_time.exchange"));

    words blocks = {"run", "train.yaml", "--out", "blocks"};
    const words more = sets({{"network.name=fc128", "mapping.kind=neuron_blocks",
                              "mapping.cores_per_image=null", "mapping.cores_per_chip=16"}});
    blocks.insert(blocks.end(), more.begin(), more.end());
    const finished refused = spinnsim(blocks);
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("train.exchange: "), std::string::npos) << refused.err;
}

/* Rows of docs/results/recorded/exchange.csv, by column. */
static std::vector<std::map<std::string, std::string>> recorded()
{
    std::vector<std::map<std::string, std::string>> rows;
    words names;
    for (const std::string &line :
         lines(read_text(SPINN_SOURCE_DIR "/docs/results/recorded/exchange.csv"))) {
        std::istringstream stream(line);
        words cells;
        for (std::string cell; std::getline(stream, cell, ',');) {
            cells.push_back(cell);
        }
        if (names.empty()) {
            names = cells;
            continue;
        }
        std::map<std::string, std::string> row;
        for (size_t i = 0; i < names.size() && i < cells.size(); i++) {
            row[names[i]] = cells[i];
        }
        rows.push_back(row);
    }
    return rows;
}

/* The most packets on a link, and the most cycles for both phases. */
static uint64_t fullest_link(const words &traffic)
{
    std::map<std::string, uint64_t> sent;
    uint64_t most = 0;
    for (size_t i = 1; i < traffic.size(); i++) {
        char link[64] = "";
        uint64_t count = 0;
        if (sscanf(traffic[i].c_str(), "%63[^m]mc,%*[^,],%lu", link, &count) == 2 &&
            std::string(link).find("cores") == std::string::npos) {
            sent[link] += count;
            most = std::max(most, sent[link]);
        }
    }
    return most;
}

static uint64_t longest_both(const words &console)
{
    uint64_t most = 0;
    for (const std::string &line : console) {
        const size_t at = line.find("both ");
        most = std::max<uint64_t>(most,
                                  at == std::string::npos ? 0 : std::stoull(line.substr(at + 5)));
    }
    return most;
}

/* LeNet-1 on 12 cores: at its pace, over trees, without a pace. */
TEST_F(Exchange, TakesWhatIsRecorded)
{
    unsigned tried = 0;
    for (const auto &row : recorded()) {
        if (row.at("name") != "lenet1" || row.at("cores") != "12" || row.at("spread") != "5 us" ||
            row.at("rings") != "3" || row.at("pace") == "0.3") {
            continue;
        }
        const std::string out = std::to_string(tried++);
        SCOPED_TRACE(row.at("over") + " " + row.at("rings") + " " + row.at("pace"));
        words arguments = {"run", experiment("micro/ring_exchange"), "--force", "--out", out};
        const words more =
            sets({cores(12),
                  {"accept=null", "exchange.words=" + row.at("words"), "exchange.rounds=1",
                   "exchange.start_spread=5 us", "exchange.pace=" + row.at("pace"),
                   "seed=" + row.at("seed"), "exchange.over=" + row.at("over"),
                   "exchange.rings=" + row.at("rings"), "run.quiescent_limit=2 ms"}});
        arguments.insert(arguments.end(), more.begin(), more.end());
        const finished result = spinnsim(arguments);
        EXPECT_EQ(std::to_string(result.status), row.at("status")) << result.err;
        if (row.at("status") != "0") {
            EXPECT_GT(std::stoull(row.at("dropped")), 0u);
            EXPECT_GT(number(out, "dropped_packets"), 0);
            continue;
        }
        EXPECT_EQ(number(out, "packets_sent"), std::stod(row.at("packets_sent")));
        EXPECT_EQ(number(out, "dropped_packets"), 0);
        EXPECT_EQ(std::to_string(fullest_link(lines(read(out + "/traffic.csv")))),
                  row.at("worst_link"));
        const double took = static_cast<double>(longest_both(lines(read(out + "/console.txt"))));
        EXPECT_NEAR(took / std::stod(row.at("both_cycles")), 1, 0.02)
            << "other compilers may differ by this";
    }
    EXPECT_EQ(tried, 4u);
}
