/* restore_test.cpp - a run that is saved and restored in another process gives the files of one that
 * was left alone; a fork is refused, or the run that changed a parameter then. */
#include "tests/system/training_fixture.h"

#include <algorithm>
#include <random>

namespace
{

class Restore : public TrainingTest
{
  protected:
    void SetUp() override
    {
        TrainingTest::SetUp();
        if (!IsSkipped()) {
            write("packets.yaml", PACKETS);
            write("flood.yaml", FLOOD);
        }
    }

    /* Every core of a board sends to every other, and checks what comes. */
    static constexpr const char *PACKETS =
        "include: [boards/spin3.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
        "name: packets\n"
        "app: [{file: ring_exchange.elf, chips: all, cores: 1-8}]\n"
        "exchange: {words: 64, rings: 1}\n"
        "run: {simulated_time_limit: 1 s}\n";
    /* Packets that nobody reads in time. */
    static constexpr const char *FLOOD =
        "include: [boards/spin3.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
        "name: flood\n"
        "app: [{file: test_flood.elf, chips: all, cores: 1-4}]\n"
        "run: {simulated_time_limit: 400 us}\n";

    finished run_any(const std::string &what, const std::string &out, const words &keys,
                     const words &more = {}) const
    {
        words command = {"run", what, "--force", "--out", out};
        const words options = sets(keys);
        command.insert(command.end(), options.begin(), options.end());
        command.insert(command.end(), more.begin(), more.end());
        return spinnsim(command);
    }

    static std::string at(double seconds)
    {
        return "run.save_at=" + std::to_string(static_cast<uint64_t>(1e9 * seconds)) + " ns";
    }

    /* All result files are the same, but for what depends on the host, and for the keys of saving in
     * the configuration. */
    void expect_same(const std::string &one, const std::string &other) const
    {
        words names = files(one);
        names.erase(std::remove(names.begin(), names.end(), "state.spinn"), names.end());
        words others = files(other);
        others.erase(std::remove(others.begin(), others.end(), "state.spinn"), others.end());
        ASSERT_EQ(names, others);
        for (const std::string &name : names) {
            if (name == "config.yaml" || name == "manifest.csv") {
                continue;
            }
            EXPECT_TRUE(lasting(name, read(one + "/" + name)) ==
                        lasting(name, read(other + "/" + name)))
                << name << " of " << one << " and " << other;
        }
    }

    /* Saves at a time, restores on other threads and another tier. */
    void expect_goes_on(const std::string &what, const words &keys, const std::string &save,
                        int status = 0) const
    {
        SCOPED_TRACE(what + " " + save);
        words saving = keys;
        saving.push_back(save);
        const finished first = run_any(what, "first", saving, {"--tier", "translator"});
        ASSERT_EQ(first.status, status) << first.err;
        expect_same("first", "whole");
        ASSERT_TRUE(exists("first/state.spinn"));
        const finished second =
            run_any(what, "second", keys,
                    {"--restore", "first/state.spinn", "--threads", "2", "--tier", "interpreter"});
        ASSERT_EQ(second.status, status) << second.err;
        expect_same("second", "whole");
        EXPECT_EQ(text("second", "identity.stats_hash"), text("whole", "identity.stats_hash"));
        EXPECT_EQ(text("second", "identity.sim_hash"), text("whole", "identity.sim_hash"));
    }

    /* At random times of a run of which `whole` has the results. */
    void expect_goes_on_anywhere(const std::string &what, const words &keys, unsigned times,
                                 int status = 0) const
    {
        const finished whole = run_any(what, "whole", keys);
        ASSERT_EQ(whole.status, status) << whole.err;
        const double seconds = number("whole", "seconds");
        std::mt19937 draw(7);
        for (unsigned i = 0; i < times && !HasFailure(); i++) {
            const double part = (i + std::uniform_real_distribution<>(0, 1)(draw)) / times;
            expect_goes_on(what, keys, at(seconds * part), status);
        }
    }

    void refused(const std::string &out, const words &keys, const words &more,
                 const std::string &why) const
    {
        const finished done = run_any("small.yaml", out, keys, more);
        EXPECT_EQ(done.status, 2);
        EXPECT_NE(done.err.find(why), std::string::npos) << done.err;
        EXPECT_FALSE(exists(out));
    }
};

TEST_F(Restore, ATrainingGoesOnFromAnyTime)
{
    expect_goes_on_anywhere("small.yaml",
                            {"record.profile_cycles=1000", "record.interval=500 us",
                             "record.zero_counts=true"},
                            5);
}

TEST_F(Restore, ProgramsGoOnFromAnyTime)
{
    expect_goes_on_anywhere("packets.yaml", {"record.interval=50 us"}, 4);
}

TEST_F(Restore, AFloodGoesOnFromAnyTime)
{
    expect_goes_on_anywhere("flood.yaml", {"record.drops=10"}, 3, 4);
}

TEST_F(Restore, AnInferenceGoesOn)
{
    write("infer.yaml",
          "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
          "name: infer\n"
          "data: {set: synthetic, test_images: 40}\n"
          "network: {name: lenet1}\n"
          "mapping: {kind: feature_maps_per_core, cores_per_chip: 17, chips: 1}\n");
    expect_goes_on_anywhere("infer.yaml", {}, 2);
}

TEST_F(Restore, BehindAnEpochAndAtAMark)
{
    train("whole");
    expect_goes_on("small.yaml", {}, "run.save_at_epoch=1");
    expect_goes_on("small.yaml", {}, "run.save_at_epoch=2");
    expect_goes_on("small.yaml", {}, "run.save_at_mark=stage_train");
    expect_goes_on("small.yaml", {}, "run.save_at_mark=stage_test");
    EXPECT_EQ(run_any("small.yaml", "first", {"run.save_at_mark=nowhere"}).status, 2);
    EXPECT_EQ(run_any("small.yaml", "first", {"run.save_at_epoch=3"}).status, 2);
    EXPECT_EQ(run_any("small.yaml", "first", {"run.save_at=1 ms", "run.save_at_epoch=1"}).status, 2);
}

TEST_F(Restore, ARunThatEndsBeforeSaysSo)
{
    const finished done = train("out", {"run.save_at=1 s"});
    EXPECT_NE(done.err.find("run.save_at: no state was saved: the run ended before, at "),
              std::string::npos)
        << done.err;
    EXPECT_FALSE(exists("out/state.spinn"));
}

/* The file has another name, stays when its results are replaced, and a second run reads it there. */
TEST_F(Restore, AStateStaysInItsFolder)
{
    train("out", {"run.save_at=1 ms", "run.state=booted"});
    EXPECT_TRUE(exists("out/booted.spinn"));
    train("out", {}, {"--restore", "out/booted.spinn"});
    EXPECT_TRUE(exists("out/booted.spinn"));
    EXPECT_EQ(run_any("small.yaml", "out", {"train.epochs=1"}).status, 0);
    EXPECT_TRUE(exists("out/booted.spinn"));
    EXPECT_TRUE(matches_manifest("out"));
}

/* A limit of time gives a state of a machine that has booted, and no results of more. */
TEST_F(Restore, ALimitMayBeAnother)
{
    train("whole");
    const finished booted =
        run_any("small.yaml", "booted", {"run.save_at=2 ms", "run.simulated_time_limit=2 ms"});
    EXPECT_EQ(booted.status, 4) << booted.err;
    train("out", {}, {"--restore", "booted/state.spinn"});
    expect_same("out", "whole");
    EXPECT_EQ(text("out", "identity.sim_hash"), text("whole", "identity.sim_hash"));
}

TEST_F(Restore, EnergyIsThatOfTheNewCoefficients)
{
    const words keys = {"record.interval=500 us"};
    words other = keys;
    other.emplace_back("energy.sdram_byte={value: 900 pJ, low: 800 pJ, high: 1000 pJ}");
    words saving = keys;
    train("reference", keys);
    const double late = 0.8 * number("reference", "seconds"); /* in the second epoch */
    saving.push_back(at(late));
    train("whole", other);
    train("first", saving);
    train("out", other, {"--restore", "first/state.spinn"});
    expect_same("out", "whole");
    EXPECT_NE(number("whole", "energy.joules.default"), number("reference", "energy.joules.default"));
}

/* Records that begin with the restored run. */
TEST_F(Restore, OtherRecordsBeginThere)
{
    train("first", {"run.save_at=3 ms"});
    train("out",
          {"record.interval=1 ms", "record.profile_cycles=1000",
           "record.timeline.what=[phases, packets]", "record.timeline.file=perfetto",
           "record.trace.core=\"0,0,1\"", "record.trace.count=100"},
          {"--restore", "first/state.spinn"});
    EXPECT_EQ(text("out", "identity.stats_hash"), text("first", "identity.stats_hash"));
    const auto rows = table_rows(read("out/intervals.csv"));
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows[0].at("begin_ps"), "3000000000") << "the first interval begins where the run does";
    EXPECT_GT(read("out/timeline.pftrace").size(), 1000u);
    EXPECT_EQ(lines(read("out/trace.txt")).size(), 101u);
}

TEST_F(Restore, AForkIsRefusedOrSaysSo)
{
    train("first", {"run.save_at=3 ms"});
    const words from = {"--restore", "first/state.spinn"};
    refused("out", {"link.buffer=4"}, from,
            "link.buffer: 4, in the saved state 3: the senders hold their credits by it");
    refused("out", {"clock.cpu=100 MHz"}, from, "the registers of the clocks show it");
    refused("out", {"train.learning_rate=0.001"}, from, "stand in the programs' memories");
    refused("out", {"seed=2"}, from, "seed: 2, in the saved state 1:");
    refused("out", {"timing.data=2"}, from, "timing.data: 2, in the saved state 1:");
    train("out", {"sdram.cas=5", "chip.noc_request=30 ns"}, from);
    EXPECT_NE(text("out", "identity.sim_hash"), text("first", "identity.sim_hash"));
    EXPECT_NE(text("out", "identity.stats_hash"), text("first", "identity.stats_hash"));
    EXPECT_EQ(text("out", "fork.from"), text("first", "identity.sim_hash"));
    EXPECT_EQ(number("out", "fork.seconds"), 0.003);
    EXPECT_GT(number("out", "seconds"), number("first", "seconds")) << "accesses take longer";
    /* the fork, saved and restored, is the same fork */
    train("again", {"sdram.cas=5", "chip.noc_request=30 ns", "run.save_at=6 ms"}, from);
    train("end", {"sdram.cas=5", "chip.noc_request=30 ns"}, {"--restore", "again/state.spinn"});
    expect_same("again", "out");
    expect_same("end", "out");
}

TEST_F(Restore, OtherFilesAndRunsAreRefused)
{
    train("first", {"run.save_at=3 ms"});
    const std::string good = read("first/state.spinn");
    write("cut.spinn", good.substr(0, good.size() / 2));
    std::string bad = good;
    bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);
    write("bad.spinn", bad);
    refused("out", {}, {"--restore", "cut.spinn"}, "the saved state is cut off");
    refused("out", {}, {"--restore", "bad.spinn"}, "the saved state is damaged");
    refused("out", {}, {"--restore", "small.yaml"}, "this is no saved state");
    refused("out", {}, {"--restore", "absent.spinn"}, "absent.spinn");
    refused("out", {}, {"--restore", "first/state.spinn", "--resume", "first"}, "--resume");
    refused("out", {"backend=host", "mapping=null"}, {"--restore", "first/state.spinn"},
            "--restore: there is no machine");
    refused("out", {"run.sample.updates=2"}, {"--restore", "first/state.spinn"}, "run.sample");
    refused("out", {"record.parameter_norms=1", "run.save_at=1 ms"}, {}, "record.parameter_norms");
    refused("out", {"run.save_at=1 ms", "backend=host", "mapping=null"}, {},
            "run.save_at: there is no machine");
}

/* Each point of a sweep from a state is the run that --restore gives; what it changes and may not is
 * a row that says so. */
TEST_F(Restore, ASweepForksOneState)
{
    train("first", {"run.save_at=3 ms"});
    const finished swept = spinnsim({"sweep", "small.yaml", "--from", "first/state.spinn", "--out",
                                     "points", "--axis", "sdram.cas=3,5,7", "--axis",
                                     "link.buffer=3,4"});
    EXPECT_EQ(swept.status, 0) << swept.err;
    EXPECT_NE(swept.out.find("6 points: 3 done, 0 failed, 0 at a limit, 3 refused"),
              std::string::npos)
        << swept.out;
    const auto rows = table_rows(read("points/small-sweep.csv"));
    ASSERT_EQ(rows.size(), 6u);
    for (const auto &point : rows) {
        if (point.at("link.buffer") == "4") {
            EXPECT_EQ(point.at("status"), "refused");
            continue;
        }
        train("out", {"sdram.cas=" + point.at("sdram.cas")}, {"--restore", "first/state.spinn"});
        EXPECT_EQ(text("points/" + point.at("folder"), "identity.stats_hash"),
                  text("out", "identity.stats_hash"));
    }
    const finished listed = spinnsim({"sweep", "small.yaml", "--from", "first/state.spinn", "--out",
                                      "points", "--axis", "sdram.cas=3,5", "--list"});
    EXPECT_NE(listed.out.find("--restore first/state.spinn"), std::string::npos) << listed.out;
}

} // namespace
