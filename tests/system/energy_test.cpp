/* energy_test.cpp - joules follow from counters, and add up. */
#include "tests/system/program.h"

#include <cmath>
#include <sstream>

class Energy : public SystemTest
{
  protected:
    /* Sum of a column of a table. */
    double column(const std::string &file, const std::string &name) const
    {
        const words rows = lines(read(file));
        size_t at = 0;
        std::stringstream head(rows.at(0));
        std::string field;
        for (; std::getline(head, field, ',') && field != name; at++) {
        }
        EXPECT_EQ(field, name) << file;
        double sum = 0;
        for (size_t i = 1; i < rows.size(); i++) {
            std::stringstream row(rows[i]);
            for (size_t f = 0; f <= at; f++) {
                std::getline(row, field, ',');
            }
            sum += std::stod(field);
        }
        return sum;
    }

    void adds_up(const std::string &out) const
    {
        const double joules = number(out, "energy.joules");
        EXPECT_NEAR(column(out + "/energy.csv", "joules_default"), joules, 1e-12 * joules);
        EXPECT_NEAR(column(out + "/phases.csv", "joules_default"), joules, 1e-12 * joules);
        const double least = column(out + "/energy.csv", "joules_low");
        const double most = column(out + "/energy.csv", "joules_high");
        EXPECT_LT(least, joules);
        EXPECT_GT(most, joules);
        EXPECT_NEAR(column(out + "/phases.csv", "joules_low"), least, 1e-12 * joules);
        EXPECT_NEAR(column(out + "/phases.csv", "joules_high"), most, 1e-12 * joules);
    }
};

TEST_F(Energy, AnIdleChipDraws351Milliwatts)
{
    run(experiment("idle_chip"), "out");
    EXPECT_NEAR(number("out", "energy.joules") / number("out", "seconds"), 0.332 + 0.01875, 1e-12);
    EXPECT_EQ(text("out", "energy.scope"), "chips");
    adds_up("out");
}

TEST_F(Energy, AnIdleRunOfDoubleLengthAddsIdlePowerTimesTime)
{
    run(experiment("idle_chip"), "one");
    run(experiment("idle_chip"), "two", {"--set", "run.simulated_time_limit=2 s"});
    const double one = number("one", "energy.joules");
    const double two = number("two", "energy.joules");
    EXPECT_NEAR(two - one, 0.35075 * 1.0, 0.35075 * 1e-12);
}

TEST_F(Energy, EighteenBusyCoresAt180MegahertzDraw098Watts)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    run(experiment("busy_chip"), "out");
    const double watts = number("out", "energy.joules") / number("out", "seconds");
    /* 0.35075 W + 18 cores x 195 pJ x 180 MHz = 0.98255 W, less the few us of start and end. */
    EXPECT_NEAR(watts, 0.98255, 0.00005);
    adds_up("out");
}

TEST_F(Energy, SameTimeWithOtherTrafficGivesOtherJoules)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    run(program("test_traffic_512"), "little");
    run(program("test_traffic_4096"), "much");
    EXPECT_EQ(counters("little").at("machine.time_ps"), counters("much").at("machine.time_ps"));
    EXPECT_EQ(counters("little").at("core.active_cycles"),
              counters("much").at("core.active_cycles"));
    EXPECT_EQ(counters("little").at("sdram.bytes_read"), 512u);
    EXPECT_EQ(counters("much").at("sdram.bytes_read"), 4096u);
    const double more = number("much", "energy.joules") - number("little", "energy.joules");
    EXPECT_EQ(counters("little").at("sdram.activations"), 4u) << "one for each burst";
    EXPECT_EQ(counters("much").at("sdram.activations"), 32u);
    /* 220 pJ a byte, 6.6 nJ a row */
    EXPECT_NEAR(more, (4096 - 512) * 220e-12 + (32 - 4) * 6600e-12, 1e-15);
    adds_up("much");
}

TEST_F(Energy, IsComputedAgainFromTheRecordedCounters)
{
    run(experiment("idle_chip"), "out");
    const std::string before = read("out/summary.json");
    const finished same = spinnsim({"energy", "out"});
    EXPECT_EQ(same.status, 0) << same.err;
    EXPECT_NE(same.out.find("0.35075"), std::string::npos) << same.out;
    const finished doubled = spinnsim(
        {"energy", "out", "--set", "energy.chip.value=0.664 W", "--set", "energy.chip.high=0.7 W"});
    EXPECT_EQ(doubled.status, 0) << doubled.err;
    EXPECT_NE(doubled.out.find("0.68275"), std::string::npos) << doubled.out;
    EXPECT_EQ(read("out/summary.json"), before) << "the record is not changed";
    EXPECT_EQ(spinnsim({"energy", "nowhere"}).status, 2);
    EXPECT_EQ(spinnsim({"energy", "out", "--set", "clock.cpu=100 MHz"}).status, 2);
}

TEST_F(Energy, SaysWhereItIsExtrapolated)
{
    const std::string text = "clock.cpu: at 1 GHz joules are extrapolated: the sources of the "
                             "energy coefficients cover 180 MHz to 200 MHz";
    const words sets = {"--set", "clock.cpu=1000 MHz", "--set", "run.simulated_time_limit=1 ms"};
    const finished ran = run(experiment("idle_chip"), "out", sets);
    EXPECT_EQ(ran.err.find("spinnsim: warning: " + text + "\n    hint: "), 0u) << ran.err;
    EXPECT_EQ(ran.err.rfind("warning"), ran.err.find("warning")) << "once";
    EXPECT_NE(read("out/summary.json").find("\"key\": \"clock.cpu\""), std::string::npos);
    EXPECT_EQ(spinnsim({"energy", "out"}).err, ran.err);
    EXPECT_EQ(spinnsim({"energy", "out", "--set", "energy.clocks.cpu.high=1000 MHz"}).err, "");
    const finished usual = run(experiment("idle_chip"), "usual", {sets[2], sets[3]});
    EXPECT_EQ(usual.err, "");
    EXPECT_EQ(read("usual/summary.json").find("remarks"), std::string::npos);
}

TEST_F(Energy, ACoefficientWithoutCounterAndACounterWithoutPriceAreErrors)
{
    const std::string head = "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: x\n"
                             "app: []\nenergy:\n";
    write("unknown.yaml", head + "  warp: {value: 1 pJ, low: 1 pJ, high: 1 pJ, per: core.warps, "
                                 "kind: assumed, source: none}\n");
    const finished unknown = spinnsim({"run", "unknown.yaml", "--out", "out"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_NE(unknown.err.find("core.warps"), std::string::npos) << unknown.err;
    write("unpriced.yaml", head + "  free: [core.instructions]\n");
    const finished unpriced = spinnsim({"run", "unpriced.yaml", "--out", "out"});
    EXPECT_EQ(unpriced.status, 2);
    EXPECT_NE(unpriced.err.find("energy.free"), std::string::npos) << unpriced.err;
    EXPECT_FALSE(exists("out"));
}
