/* timeline_test.cpp - events to a time line, and a time line to its files, decoded by a reader of
 * its own. */
#include "tests/support/perfetto_reader.h"
#include "tests/unit/machine_fixture.h"

extern "C" {
#include "models/common/units.h"
#include "sim/timeline/perfetto.h"
#include "sim/timeline/timeline_files.h"
}

#include <gtest/gtest.h>
#include <memory>

namespace
{

struct destroyer {
    void operator()(machine *machine) const
    {
        machine_destroy(machine);
    }
    void operator()(timeline *timeline) const
    {
        timeline_destroy(timeline);
    }
};

/* Two boards' worth of chips is more than is needed: 2 x 1. */
std::unique_ptr<machine, destroyer> two_chips()
{
    machine_config config = bench_config();
    config.topology.shape = TOPOLOGY_RECTANGLE;
    config.topology.width = 2;
    config.topology.height = 1;
    machine *made = nullptr;
    EXPECT_EQ(machine_create(&config, &made, nullptr), STATUS_OK);
    return std::unique_ptr<machine, destroyer>(made);
}

class Timeline : public testing::Test
{
  protected:
    void make(uint64_t from_ps = 0, uint64_t to_ps = TIME_NEVER, const char *cores = "")
    {
        const timeline_wish wish = {1u << TIMELINE_PHASE, from_ps, to_ps, 1000, cores};
        timeline *made = nullptr;
        diagnostic why = {};
        ASSERT_EQ(timeline_create(&wish, machine_.get(), &made, &why), STATUS_OK) << why.text;
        timeline_.reset(made);
    }

    /* As the machine would record it. */
    void add(machine_event_kind kind, machine_core at, uint64_t time_ps, uint64_t length_ps,
             uint32_t packet, uint8_t detail = 0)
    {
        machine_event event = {};
        event.kind = static_cast<uint8_t>(kind);
        event.x = at.x;
        event.y = at.y;
        event.p = at.p;
        event.time_ps = time_ps;
        event.length_ps = length_ps;
        event.packet = packet;
        event.word = 0x1234;
        event.purpose = 2;
        event.detail = detail;
        timeline *to = timeline_.get();
        to->event =
            static_cast<machine_event *>(realloc(to->event, (to->events + 1) * sizeof *to->event));
        to->event[to->events++] = event;
        to->room = to->events;
    }

    std::string file(void (*write)(const timeline_scene *, FILE *), uint64_t most_bytes = 1 << 20)
    {
        timeline_scene scene = {};
        scene.timeline = timeline_.get();
        scene.name = "test";
        scene.most_bytes = most_bytes;
        scene.phases = 2;
        scene.stages = 2;
        scene.phase = [](void *, unsigned phase) { return phase == 0 ? "start" : "conv1 forward"; };
        scene.stage = [](void *, unsigned stage) { return stage == 0 ? "load" : "train"; };
        scene.purpose = [](void *, unsigned purpose) { return purpose == 2 ? "error" : "none"; };
        scene.holder = [](void *, unsigned) { return "unread"; };
        scene.role = [](void *, machine_core core) { return core.p == 1 ? "group" : ""; };
        static const timeline_power POWER[] = {{0, 1.5}, {2000000, 0.25}};
        scene.power = power_ ? POWER : nullptr;
        scene.powers = power_ ? 2 : 0;
        char *text = nullptr;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        write(&scene, stream);
        EXPECT_EQ(fclose(stream), 0);
        std::string whole(text, size);
        free(text);
        return whole;
    }

    std::unique_ptr<machine, destroyer> machine_ = two_chips();
    std::unique_ptr<timeline, destroyer> timeline_;
    bool power_ = false;
};

std::string bytes(const perfetto_message &message)
{
    return std::string(reinterpret_cast<const char *>(message.byte), message.bytes);
}

} // namespace

/* Examples of the encoding: protobuf.dev/programming-guides/encoding. */
TEST(Perfetto, WritesFieldsAsTheEncodingSays)
{
    perfetto_message message = {};
    perfetto_message inner = {};
    perfetto_put_number(&message, PERFETTO_PACKET_TIMESTAMP, 150);
    EXPECT_EQ(bytes(message), std::string("\x40\x96\x01", 3));
    message.bytes = 0;
    perfetto_put_text(&message, PERFETTO_TRACK_NAME, "testing");
    EXPECT_EQ(bytes(message), std::string("\x12\x07testing"));
    message.bytes = 0;
    perfetto_put_fixed(&message, PERFETTO_EVENT_FLOW, 0x0102030405060708);
    EXPECT_EQ(bytes(message), std::string("\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01", 10));
    message.bytes = 0;
    perfetto_put_number(&message, PERFETTO_TRACK_UUID, UINT64_MAX);
    EXPECT_EQ(bytes(message), std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11));
    message.bytes = 0;
    perfetto_put_number(&inner, PERFETTO_TRACK_UUID, 1);
    perfetto_put_message(&message, PERFETTO_PACKET_TRACK, &inner);
    EXPECT_EQ(bytes(message), std::string("\xe2\x03\x02\x08\x01", 5));
    EXPECT_EQ(inner.bytes, 0u) << "it can be used again";
    perfetto_message_deinit(&message);
    perfetto_message_deinit(&inner);
}

TEST_F(Timeline, HasPhasesToThePicosecond)
{
    make();
    timeline_phase(timeline_.get(), {0, 0, 1}, 0, 0, 0, 6667);
    timeline_phase(timeline_.get(), {0, 0, 1}, 1, 1, 6667, 20000);
    timeline_phase(timeline_.get(), {0, 0, 1}, 1, 0, 20000, 20000);
    timeline_finish(timeline_.get());
    const PerfettoReader read(file(timeline_write_perfetto));
    ASSERT_EQ(read.events.size(), 4u) << "an empty phase is left out";
    EXPECT_EQ(read.path(read.events[0].track), "board 0,0/chip 0,0/core 1 group");
    EXPECT_EQ(read.events[0].name, "start");
    EXPECT_EQ(read.events[0].category, "load");
    EXPECT_EQ(read.events[0].type, PerfettoReader::BEGIN);
    EXPECT_EQ(read.events[1].type, PerfettoReader::END);
    EXPECT_EQ(read.events[1].time_ps(), 6667u);
    EXPECT_EQ(read.events[2].name, "conv1 forward");
    EXPECT_EQ(read.events[2].category, "train");
    EXPECT_EQ(read.events[2].time_ps(), 6667u);
    EXPECT_EQ(read.events[3].time_ps(), 20000u);
}

TEST_F(Timeline, ConnectsAPacketWithEachOfItsEnds)
{
    make();
    add(MACHINE_EVENT_RECEIVED, {1, 0, 4}, 9000, 0, 7);
    add(MACHINE_EVENT_RECEIVED, {1, 0, 3}, 9000, 0, 7);
    add(MACHINE_EVENT_DROPPED, {1, 0, MACHINE_EVENT_ROUTER}, 8000, 1000, 7,
        MACHINE_DROP_HELD_BY_UNREAD);
    add(MACHINE_EVENT_SENT, {0, 0, 1}, 1000, 0, 7);
    add(MACHINE_EVENT_SENT, {0, 0, 1}, 12000, 0, 7); /* its number is used again */
    add(MACHINE_EVENT_RECEIVED, {1, 0, 3}, 15000, 0, 7);
    add(MACHINE_EVENT_RECEIVED, {1, 0, 3}, 500, 0, 0); /* sent before */
    timeline_finish(timeline_.get());
    const PerfettoReader read(file(timeline_write_perfetto));
    ASSERT_EQ(read.events.size(), 7u);
    EXPECT_TRUE(read.events[0].last_flows.empty());
    EXPECT_EQ(read.events[0].number.at("key"), 0x1234u);
    EXPECT_EQ(read.path(read.events[1].track), "board 0,0/chip 0,0/core 1 group/sends");
    EXPECT_EQ(read.events[1].name, "error") << "its purpose";
    ASSERT_EQ(read.events[1].flows.size(), 3u);
    EXPECT_EQ(read.path(read.events[2].track), "board 0,0/chip 1,0/drops");
    EXPECT_EQ(read.events[2].name, "lost: error");
    EXPECT_EQ(read.events[2].text.at("held by"), "unread");
    EXPECT_EQ(read.events[2].text.at("output"), "link 0");
    EXPECT_EQ(read.events[2].number.at("waited_ps"), 1000u);
    EXPECT_EQ(read.path(read.events[3].track), "board 0,0/chip 1,0/core 3/receives");
    EXPECT_EQ(read.path(read.events[4].track), "board 0,0/chip 1,0/core 4/receives");
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_EQ(read.events[2 + i].last_flows, std::vector<uint64_t>{read.events[1].flows[i]});
    }
    ASSERT_EQ(read.events[5].flows.size(), 1u);
    EXPECT_EQ(read.events[6].last_flows, read.events[5].flows);
    EXPECT_GT(read.events[5].flows[0], read.events[1].flows[2]);
}

TEST_F(Timeline, JoinsSleepAndShowsBurstsAndLinks)
{
    make();
    add(MACHINE_EVENT_SLEPT, {0, 0, 2}, 0, 4000, 0, MACHINE_WAIT_PACKET);
    add(MACHINE_EVENT_SLEPT, {0, 0, 3}, 0, 2000, 0, MACHINE_WAIT_PACKET);
    add(MACHINE_EVENT_SLEPT, {0, 0, 2}, 4000, 3000, 0, MACHINE_WAIT_PACKET);
    add(MACHINE_EVENT_SLEPT, {0, 0, 2}, 7000, 1000, 0, MACHINE_WAIT_DMA);
    add(MACHINE_EVENT_SLEPT, {0, 0, 2}, 9000, 1000, 0, MACHINE_WAIT_DMA);
    add(MACHINE_EVENT_BURST, {0, 0, 2}, 7000, 1000, 0, 1);
    add(MACHINE_EVENT_LINK, {0, 0, MACHINE_EVENT_ROUTER}, 1000, 5000, 0);
    timeline_finish(timeline_.get());
    const PerfettoReader read(file(timeline_write_perfetto));
    std::map<std::string, std::string> slices;
    for (size_t i = 0; i < read.events.size(); i += 2) {
        const auto &begin = read.events[i];
        const auto &end = read.events[i + 1];
        EXPECT_EQ(begin.track, end.track);
        slices[read.path(begin.track)] += begin.name + " " + std::to_string(begin.time_ns) + "-" +
                                          std::to_string(end.time_ns) + "; ";
    }
    const std::string core = "board 0,0/chip 0,0/core 2";
    EXPECT_EQ(slices[core + "/sleep"],
              "waits for packets 0-7; waits for DMA 7-8; waits for DMA 9-10; ");
    EXPECT_EQ(slices["board 0,0/chip 0,0/core 3/sleep"], "waits for packets 0-2; ");
    EXPECT_EQ(slices[core + "/DMA"], "write 7-8; ");
    EXPECT_EQ(slices["board 0,0/chip 0,0/link east"], "error 1-6; ");
    EXPECT_EQ(slices.size(), 4u);
}

TEST_F(Timeline, HasInterruptsFromTheirVectorsToTheirReturns)
{
    make();
    timeline *to = timeline_.get();
    timeline_return(to, {0, 0, 1}, false, 1000); /* of one that began before */
    timeline_interrupt(to, {0, 0, 1}, false, 0x40, 5000);
    timeline_interrupt(to, {0, 0, 1}, true, 0x1230, 6000); /* within it */
    timeline_interrupt(to, {0, 0, 2}, false, 0x80, 6000);
    timeline_return(to, {0, 0, 1}, true, 8000);
    timeline_return(to, {0, 0, 1}, false, 9000);
    timeline_finish(to);
    const PerfettoReader read(file(timeline_write_perfetto));
    ASSERT_EQ(read.events.size(), 5u);
    const struct {
        const char *name;
        uint64_t type, time_ns;
    } expected[] = {{"IRQ", PerfettoReader::BEGIN, 5},
                    {"", PerfettoReader::END, 9},
                    {"FIQ", PerfettoReader::BEGIN, 6},
                    {"", PerfettoReader::END, 8},
                    {"IRQ", PerfettoReader::INSTANT, 6}};
    for (size_t i = 0; i < 5; i++) {
        EXPECT_EQ(read.events[i].name, expected[i].name) << i;
        EXPECT_EQ(read.events[i].type, expected[i].type) << i;
        EXPECT_EQ(read.events[i].time_ns, expected[i].time_ns) << i;
    }
    EXPECT_EQ(read.path(read.events[0].track), "board 0,0/chip 0,0/core 1 group/interrupts");
    EXPECT_EQ(read.events[0].track, read.events[2].track);
    EXPECT_EQ(read.events[0].number.at("address"), 0x40u);
    EXPECT_EQ(read.events[2].number.at("address"), 0x1230u);
    EXPECT_EQ(read.path(read.events[4].track), "board 0,0/chip 0,0/core 2/interrupts");
    const std::string vcd = file(timeline_write_vcd);
    EXPECT_NE(vcd.find(" irq $end"), std::string::npos);
    EXPECT_NE(vcd.find(" fiq $end"), std::string::npos);
    EXPECT_EQ(vcd.find("core_2"), std::string::npos) << "a moment is no signal";
}

TEST_F(Timeline, HasInterruptsThatDoNotReturnAsMoments)
{
    make();
    timeline_interrupt(timeline_.get(), {0, 0, 1}, false, 0x40, 5000);
    timeline_interrupt(timeline_.get(), {0, 0, 1}, false, 0x44, 7000);
    timeline_return(timeline_.get(), {0, 0, 1}, false, 9000);
    timeline_return(timeline_.get(), {0, 0, 1}, false, 11000);
    timeline_finish(timeline_.get());
    const PerfettoReader read(file(timeline_write_perfetto));
    ASSERT_EQ(read.events.size(), 3u);
    EXPECT_EQ(read.events[0].type, PerfettoReader::INSTANT);
    EXPECT_EQ(read.events[0].time_ns, 5u);
    EXPECT_EQ(read.events[1].type, PerfettoReader::BEGIN);
    EXPECT_EQ(read.events[1].time_ns, 7u);
    EXPECT_EQ(read.events[2].time_ns, 9u);
}

TEST_F(Timeline, KeepsWhatIsWithinItsTimesAndCores)
{
    make(1000, 5000, "0,0,1  1,0");
    timeline_phase(timeline_.get(), {0, 0, 1}, 0, 0, 0, 2000);
    timeline_phase(timeline_.get(), {0, 0, 1}, 0, 1, 2000, 9000);
    timeline_phase(timeline_.get(), {0, 0, 1}, 0, 1, 9000, 9500);
    timeline_phase(timeline_.get(), {0, 0, 2}, 0, 1, 2000, 3000);
    timeline_phase(timeline_.get(), {1, 0, 17}, 0, 1, 2000, 3000);
    timeline_finish(timeline_.get());
    ASSERT_EQ(timeline_->events, 3u);
    EXPECT_EQ(timeline_->event[0].time_ps, 1000u);
    EXPECT_EQ(timeline_->event[0].length_ps, 1000u);
    EXPECT_EQ(timeline_->event[1].p, 1);
    EXPECT_EQ(timeline_->event[1].length_ps, 3000u);
    EXPECT_EQ(timeline_->event[2].p, 17);
}

TEST_F(Timeline, RefusesCoresThatAreNotThere)
{
    for (const char *cores : {"0", "0,0,18", "2,0", "0,0,1,1", "x", "0,0 1,1", "0,0;1,0"}) {
        const timeline_wish wish = {1u << TIMELINE_PHASE, 0, TIME_NEVER, 1000, cores};
        timeline *made = nullptr;
        diagnostic why = {};
        EXPECT_EQ(timeline_create(&wish, machine_.get(), &made, &why), STATUS_CONFIGURATION)
            << cores;
        EXPECT_EQ(made, nullptr);
        EXPECT_NE(std::string(why.text).find("names no chip or core"), std::string::npos);
    }
}

TEST_F(Timeline, StopsTheMachineForItsPartsAndItsTimes)
{
    make(150 * PS_PER_US, 250 * PS_PER_US);
    EXPECT_EQ(timeline_stop_ps(timeline_.get(), 0), 150 * PS_PER_US);
    EXPECT_EQ(timeline_stop_ps(timeline_.get(), 150 * PS_PER_US), 200 * PS_PER_US);
    EXPECT_EQ(timeline_stop_ps(timeline_.get(), 200 * PS_PER_US), 250 * PS_PER_US);
    EXPECT_EQ(timeline_stop_ps(timeline_.get(), 250 * PS_PER_US), TIME_NEVER);
}

TEST_F(Timeline, SaysWhatItLeavesOut)
{
    make();
    for (uint64_t i = 0; i < 100; i++) {
        timeline_phase(timeline_.get(), {0, 0, 1}, 0, 1, 1000 * i, 1000 * (i + 1));
    }
    timeline_finish(timeline_.get());
    const std::string whole = file(timeline_write_perfetto);
    EXPECT_EQ(PerfettoReader(whole).events.size(), 200u);
    const std::string cut = file(timeline_write_perfetto, 1000);
    const PerfettoReader read(cut);
    EXPECT_LT(cut.size(), 2000u);
    const auto &last = read.events.back();
    EXPECT_EQ(read.path(last.track), "left out, for record.timeline.bytes");
    const size_t kept = (read.events.size() - 1) / 2;
    EXPECT_GT(kept, 10u);
    EXPECT_EQ(last.name, std::to_string(100 - kept) + " phases");
    EXPECT_EQ(last.time_ns, kept);
    EXPECT_NE(file(timeline_write_vcd, 1000).find("$comment left out"), std::string::npos);
}

TEST_F(Timeline, HasPowerAsACounter)
{
    make();
    power_ = true;
    timeline_finish(timeline_.get());
    const PerfettoReader read(file(timeline_write_perfetto));
    ASSERT_EQ(read.events.size(), 2u);
    EXPECT_EQ(read.events[0].type, PerfettoReader::COUNTER);
    EXPECT_EQ(read.events[0].value, 1.5);
    EXPECT_EQ(read.events[1].time_ns, 2000u);
    EXPECT_EQ(read.events[1].value, 0.25);
    EXPECT_TRUE(read.tracks.at(read.events[0].track).counter);
    EXPECT_EQ(read.tracks.at(read.events[0].track).unit, "W");
}

TEST_F(Timeline, HasAProfileOfEachCoreForSpeedscope)
{
    make();
    timeline_phase(timeline_.get(), {1, 0, 2}, 0, 0, 500, 2500);
    timeline_phase(timeline_.get(), {0, 0, 1}, 0, 0, 0, 2000);
    timeline_phase(timeline_.get(), {0, 0, 1}, 0, 1, 2000, 5000);
    timeline_finish(timeline_.get());
    EXPECT_EQ(
        file(timeline_write_speedscope),
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
        "\"shared\":{\"frames\":[{\"name\":\"start\"},{\"name\":\"conv1 forward\"}]},\n"
        "\"profiles\":[\n"
        "{\"type\":\"evented\",\"name\":\"chip 0,0 core 1 group\",\"unit\":\"nanoseconds\","
        "\"startValue\":0,\"events\":[\n"
        "{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"C\",\"frame\":0,\"at\":2},\n"
        "{\"type\":\"O\",\"frame\":1,\"at\":2},{\"type\":\"C\",\"frame\":1,\"at\":5}],"
        "\"endValue\":5},\n"
        "{\"type\":\"evented\",\"name\":\"chip 1,0 core 2\",\"unit\":\"nanoseconds\","
        "\"startValue\":0.500,\"events\":[\n"
        "{\"type\":\"O\",\"frame\":0,\"at\":0.500},{\"type\":\"C\",\"frame\":0,\"at\":2.500}],"
        "\"endValue\":2.500}],\n"
        "\"name\":\"test\"}\n");
}

TEST_F(Timeline, IsSignalsInAValueChangeDump)
{
    make();
    timeline_phase(timeline_.get(), {0, 0, 1}, 0, 0, 0, 2000);
    timeline_phase(timeline_.get(), {0, 0, 1}, 0, 1, 2000, 5000);
    add(MACHINE_EVENT_BURST, {0, 0, 1}, 2000, 1000, 0);
    add(MACHINE_EVENT_LINK, {1, 0, MACHINE_EVENT_ROUTER}, 1000, 1000, 0);
    add(MACHINE_EVENT_SENT, {0, 0, 1}, 1000, 0, 7); /* no signal */
    timeline_finish(timeline_.get());
    const std::string text = file(timeline_write_vcd);
    const auto code = [&](const std::string &name) {
        const size_t end = text.find(" " + name + " $end");
        const size_t begin = text.rfind(' ', end - 1);
        return text.substr(begin + 1, end - begin - 1);
    };
    EXPECT_EQ(text.substr(text.find("$enddefinitions")),
              "$enddefinitions $end\n#0\nsstart " + code("phase") + "\n#1000\n1" +
                  code("link_east") + "\n#2000\ns " + code("phase") + "\n0" + code("link_east") +
                  "\n1" + code("dma") + "\nsconv1_forward " + code("phase") + "\n#3000\n0" +
                  code("dma") + "\n#5000\ns " + code("phase") + "\n");
    EXPECT_NE(text.find("$timescale 1 ps $end\n$scope module chip_0_0 $end\n"
                        "$scope module core_1 $end\n$var string 1 "),
              std::string::npos)
        << text;
}
