/* timeline_test.cpp - the time line of a training (record.timeline): it has every phase and every
 * packet, and recording it changes nothing. */
#include "tests/support/perfetto_reader.h"
#include "tests/system/training_fixture.h"

#include <set>

class TimelineFile : public TrainingTest
{
  protected:
    using key = std::vector<std::string>;

    static words two_chips(const std::string &what, const words &more = {})
    {
        words keys = {"mapping.chips=2", "board.width=2", "record.timeline.what=[" + what + "]"};
        keys.insert(keys.end(), more.begin(), more.end());
        return keys;
    }

    PerfettoReader trace(const std::string &out) const
    {
        return PerfettoReader(read(out + "/timeline.pftrace"));
    }

    static uint64_t number(const std::map<std::string, std::string> &row, const std::string &column)
    {
        return std::stoull(row.at(column));
    }

    /* "0,1" of "board 0,0/chip 0,1/core 3 group/sends"; and "0:1:3" */
    static std::string chip_of(const std::string &path)
    {
        const size_t at = path.find("/chip ") + 6;
        return path.substr(at, path.find('/', at) - at);
    }
    static std::string core_of(const std::string &path)
    {
        const size_t at = path.find("/core ") + 6;
        std::string chip = chip_of(path);
        chip[chip.find(',')] = ':';
        return chip + ":" + std::to_string(std::stoul(path.substr(at)));
    }

    static bool is_on(const PerfettoReader &read, const PerfettoReader::event &event,
                      const std::string &track)
    {
        return read.tracks.at(event.track).name == track;
    }
};

TEST_F(TimelineFile, HasThePhasesOfPhasesCsv)
{
    ASSERT_EQ(train("out", two_chips("phases")).status, 0);
    const PerfettoReader read = trace("out");
    std::map<key, uint64_t> sum_ps;
    std::map<uint64_t, const PerfettoReader::event *> open;
    std::map<uint64_t, uint64_t> end_ps;
    for (const auto &event : read.events) {
        if (event.type == PerfettoReader::BEGIN) {
            EXPECT_EQ(event.time_ps(), end_ps[event.track]) << "without a gap";
            open[event.track] = &event;
            continue;
        }
        ASSERT_EQ(event.type, PerfettoReader::END);
        const auto *begin = open.at(event.track);
        end_ps[event.track] = event.time_ps();
        sum_ps[{begin->category, begin->name}] += event.time_ps() - begin->time_ps();
    }
    size_t compared = 0;
    for (const auto &row : table_rows(SystemTest::read("out/phases.csv"))) {
        const std::string layer = row.at("layer");
        const key of = {row.at("stage"), layer + (layer.empty() ? "" : " ") + row.at("phase")};
        const uint64_t cycles = row.at("core_cycles").empty() ? 0 : number(row, "core_cycles");
        EXPECT_EQ(sum_ps.count(of) == 0 ? 0 : sum_ps.at(of), cycles * 5000) << of[0] << of[1];
        compared += cycles > 0;
        sum_ps.erase(of);
    }
    EXPECT_GT(compared, 10u);
    EXPECT_TRUE(sum_ps.empty());
}

TEST_F(TimelineFile, HasEveryPacketAndItsWay)
{
    ASSERT_EQ(train("out", two_chips("packets")).status, 0);
    const PerfettoReader read = trace("out");
    std::map<key, uint64_t> sent;
    std::map<key, uint64_t> received;
    std::map<uint64_t, std::string> end_of; /* flow: the core at its end */
    for (const auto &event : read.events) {
        const std::string path = read.path(event.track);
        if (is_on(read, event, "sends")) {
            sent[{chip_of(path), event.name}]++;
        } else {
            ASSERT_TRUE(is_on(read, event, "receives")) << path;
            received[{chip_of(path), event.name}]++;
            ASSERT_EQ(event.last_flows.size(), 1u);
            EXPECT_TRUE(end_of.emplace(event.last_flows[0], core_of(path)).second);
        }
    }
    uint64_t packets = 0;
    for (const auto &row : table_rows(SystemTest::read("out/traffic.csv"))) {
        if (row.at("link") == "cores") {
            const key of = {row.at("x") + "," + row.at("y"), row.at("purpose")};
            EXPECT_EQ(sent[of], number(row, "received")) << of[0] << of[1];
            EXPECT_EQ(received[of], number(row, "sent")) << of[0] << of[1];
            packets += number(row, "received");
            sent.erase(of);
            received.erase(of);
        }
    }
    EXPECT_GT(packets, 1000u);
    EXPECT_TRUE(sent.empty() && received.empty());

    /* every flow ends at the cores that the packet's edge names */
    const auto edges = table_rows(SystemTest::read("out/keys.csv"));
    for (const auto &event : read.events) {
        if (!is_on(read, event, "sends")) {
            continue;
        }
        std::set<std::string> ends;
        for (const uint64_t flow : event.flows) {
            EXPECT_TRUE(ends.insert(end_of.at(flow)).second);
            end_of.erase(flow);
        }
        std::set<std::string> targets;
        for (const auto &edge : edges) {
            const uint64_t mask = std::stoul(edge.at("mask"), nullptr, 16);
            if ((event.number.at("key") & mask) == std::stoul(edge.at("key"), nullptr, 16)) {
                EXPECT_EQ(edge.at("source"), core_of(read.path(event.track)));
                std::istringstream list(edge.at("targets"));
                for (std::string core; list >> core;) {
                    targets.insert(core);
                }
            }
        }
        ASSERT_EQ(ends, targets) << std::hex << event.number.at("key");
    }
    EXPECT_TRUE(end_of.empty());
}

TEST_F(TimelineFile, HasBurstsSleepAndLinksAsTheyAreCounted)
{
    ASSERT_EQ(train("out", two_chips("dma, waits, links, interrupts")).status, 0);
    const PerfettoReader read = trace("out");
    std::map<std::string, uint64_t> sum_ns;
    std::map<std::string, uint64_t> slices;
    std::map<uint64_t, const PerfettoReader::event *> open;
    for (const auto &event : read.events) {
        if (event.type == PerfettoReader::BEGIN) {
            open[event.track] = &event;
            continue;
        }
        ASSERT_EQ(event.type, PerfettoReader::END) << "each interrupt is seen to return";
        const auto *begin = open.at(event.track);
        const std::string &track = read.tracks.at(event.track).name;
        const bool named = track == "sleep" || track == "interrupts";
        const std::string what = named ? begin->name : track.substr(0, 4);
        sum_ns[what] += event.time_ns - begin->time_ns;
        slices[what]++;
    }
    const auto all = counters("out");
    const auto expect_near = [&](const std::string &what, const std::string &counter) {
        EXPECT_GT(slices[what], 10u) << what;
        EXPECT_NEAR(static_cast<double>(sum_ns[what]), static_cast<double>(all.at(counter)) / 1000,
                    static_cast<double>(slices[what]))
            << what << ": each end is cut to a nanosecond";
    };
    expect_near("DMA", "dma.busy_ps");
    expect_near("waits for DMA", "dma.core_wait_ps");
    expect_near("waits for packets", "comms.core_wait_ps");
    expect_near("link", "link.busy_ps");
    EXPECT_EQ(slices["IRQ"], all.at("core.interrupts"));
    EXPECT_EQ(slices["FIQ"], all.at("core.fast_interrupts"));
    EXPECT_GT(slices["FIQ"], 100u);
    EXPECT_GT(sum_ns["FIQ"], 100 * slices["FIQ"]) << "20 cycles each";
    EXPECT_LT(sum_ns["FIQ"], 1000 * slices["FIQ"]);
}

/* A reader of the format that is not ours: it knows the wire format, and no names. */
TEST_F(TimelineFile, IsReadByProtoc)
{
    if (run_command({"protoc", "--version"}).status != 0) {
        GTEST_SKIP() << "protoc is not installed (protobuf-compiler)";
    }
    const words interval = {"record.interval=200 us"};
    ASSERT_EQ(train("out", two_chips("phases, packets, dma, interrupts, power", interval)).status,
              0);
    const finished decoded =
        run_command({"sh", "-c", "exec protoc --decode_raw <timeline.pftrace"}, path("out"));
    ASSERT_EQ(decoded.status, 0) << decoded.err;
    const PerfettoReader read = trace("out");
    size_t flows = 0;
    size_t last_flows = 0;
    std::map<uint64_t, size_t> types;
    for (const auto &event : read.events) {
        types[event.type]++;
        flows += event.flows.size();
        last_flows += event.last_flows.size();
    }
    std::map<std::string, size_t> found;
    for (const std::string &line : lines(decoded.out)) {
        found[line.substr(0, line.find(": 0x"))]++; /* of numbers of 8 bytes the field alone */
    }
    EXPECT_EQ(found["1 {"], 1 + read.tracks.size() + read.events.size()) << "packets, names";
    EXPECT_EQ(found["  60 {"], read.tracks.size());
    EXPECT_EQ(found["  11 {"], read.events.size());
    for (const uint64_t type : {PerfettoReader::BEGIN, PerfettoReader::END, PerfettoReader::INSTANT,
                                PerfettoReader::COUNTER}) {
        EXPECT_GT(types[type], 0u) << type;
        EXPECT_EQ(found["    9: " + std::to_string(type)], types[type]) << type;
    }
    EXPECT_EQ(found["    44"], types[PerfettoReader::COUNTER]);
    EXPECT_EQ(found["    47"], flows);
    EXPECT_EQ(found["    48"], last_flows);
    EXPECT_GT(last_flows, 1000u);
}

TEST_F(TimelineFile, ChangesNothingAndIsTheSameOnAnyNumberOfThreadsAndInBothTiers)
{
    const std::string all = "phases, packets, links, dma, waits, interrupts, power";
    const words interval = {"record.interval=200 us"};
    const words plain = {"mapping.chips=2", "board.width=2", interval[0]};
    ASSERT_EQ(train("plain", plain).status, 0);
    ASSERT_EQ(train("one", two_chips(all, interval), {"--threads", "1"}).status, 0);
    EXPECT_FALSE(exists("plain/timeline.pftrace"));
    for (const char *file : {"counters.csv", "phases.csv", "traffic.csv", "intervals.csv",
                             "learning.csv", "energy.csv"}) {
        EXPECT_EQ(read(std::string("one/") + file), read(std::string("plain/") + file)) << file;
    }
    EXPECT_EQ(text("one", "identity.stats_hash"), text("plain", "identity.stats_hash"));
    EXPECT_EQ(text("one", "identity.sim_hash"), text("plain", "identity.sim_hash"));
    const PerfettoReader decoded = trace("one");
    size_t powers = 0;
    for (const auto &event : decoded.events) {
        powers += event.type == PerfettoReader::COUNTER && event.value > 0;
    }
    EXPECT_GT(powers, 5u);

    /* with a bound, too, which decides where it ends */
    const words small = {"record.interval=200 us", "record.timeline.bytes=200 KiB"};
    ASSERT_EQ(train("small", two_chips(all, small), {"--threads", "1"}).status, 0);
    for (const words &way : {words{"--threads", "2", "--tier", "interpreter"},
                             words{"--threads", "2", "--tier", "translator"}}) {
        ASSERT_EQ(train("other", two_chips(all, interval), way).status, 0);
        EXPECT_TRUE(read("one/timeline.pftrace") == read("other/timeline.pftrace")) << way.back();
        ASSERT_EQ(train("other_small", two_chips(all, small), way).status, 0);
        EXPECT_TRUE(read("small/timeline.pftrace") == read("other_small/timeline.pftrace"))
            << way.back();
    }
}

TEST_F(TimelineFile, LeavesGoldensAsTheyAre)
{
    for (const char *golden :
         {"micro_packet_flood", "micro_dma_pingpong_all", "micro_exceptions", "micro_timer_tick"}) {
        const finished ended =
            spinnsim({"regress", golden, "--set",
                      "record.timeline.what=[phases, packets, links, dma, waits, interrupts]"});
        EXPECT_EQ(ended.status, 0) << golden << ended.out << ended.err;
        EXPECT_NE(ended.out.find("1 same"), std::string::npos) << golden << ended.out;
    }
}

TEST_F(TimelineFile, OfAPartHasThatPartAndSaysWhatItLeavesOut)
{
    const words part = {"record.timeline.from=150 us", "record.timeline.to=450 us",
                        "record.timeline.cores=0,0,1 1,0"};
    ASSERT_EQ(train("part", two_chips("phases, waits", part)).status, 0);
    const PerfettoReader read = trace("part");
    std::set<std::string> places;
    for (const auto &event : read.events) {
        EXPECT_GE(event.time_ns, 150000u);
        EXPECT_LE(event.time_ns, 450000u);
        const std::string path = read.path(event.track);
        places.insert(chip_of(path) == "0,0" ? core_of(path) : chip_of(path));
    }
    EXPECT_EQ(places, (std::set<std::string>{"0:0:1", "1,0"}));

    ASSERT_EQ(train("small", two_chips("phases, packets", {"record.timeline.bytes=20 KiB"})).status,
              0);
    const PerfettoReader small = trace("small");
    EXPECT_EQ(small.path(small.events.back().track), "left out, for record.timeline.bytes");
    EXPECT_LT(SystemTest::read("small/timeline.pftrace").size(), 40000u);

    ASSERT_EQ(train("vcd", two_chips("phases, waits, links", {"record.timeline.file=vcd"})).status,
              0);
    EXPECT_FALSE(exists("vcd/timeline.pftrace"));
    const std::string vcd = SystemTest::read("vcd/timeline.vcd");
    EXPECT_NE(vcd.find("$scope module chip_1_0 $end"), std::string::npos);
    EXPECT_NE(vcd.find(" link_east $end"), std::string::npos);
    EXPECT_NE(vcd.find("sconv1_forward "), std::string::npos);
}

TEST_F(TimelineFile, OfKeysThatDoNotFitIsRefused)
{
    const struct {
        words keys;
        const char *key, *text;
    } cases[] = {
        {{"record.timeline.what=[phase]"}, "record.timeline.what", "did you mean \"phases\"?"},
        {{"record.timeline.what=[dma, dma]"}, "record.timeline.what", "twice"},
        {{"record.timeline.from=1 ms"}, "record.timeline.from", "no effect"},
        {{"record.timeline.what=[power]"}, "record.timeline.what", "record.interval"},
        {{"record.timeline.what=[dma]", "record.timeline.cores=9,9"},
         "record.timeline.cores",
         "names no chip or core"},
        {{"record.timeline.what=[dma]", "record.timeline.from=2 ms", "record.timeline.to=1 ms"},
         "record.timeline.to",
         "before it begins"},
        {{"record.timeline.what=[dma]", "record.checkpoint_every_epochs=1"},
         "record.checkpoint_every_epochs",
         "time line"},
        {{"record.timeline.what=[dma]", "run.sample.updates=6", "run.sample.at=2"},
         "record.timeline.what",
         "sample"},
        {{"record.timeline.wat=[dma]"}, "record.timeline.wat", "what"},
    };
    for (const auto &row : cases) {
        words command = {"run", "small.yaml", "--force", "--out", "out"};
        for (const std::string &option : sets(row.keys)) {
            command.push_back(option);
        }
        const finished refused = spinnsim(command);
        EXPECT_EQ(refused.status, 2) << row.keys.back();
        EXPECT_NE(refused.err.find(row.key), std::string::npos) << refused.err;
        EXPECT_NE(refused.err.find(row.text), std::string::npos) << refused.err;
    }
}
