/* intervals_test.cpp - counters and power by time (record.interval): they add up to the whole
 * run's, and looking changes nothing. */
#include "tests/system/training_fixture.h"

#include <cmath>

class Intervals : public TrainingTest
{
  protected:
    /* Sums of intervals.csv by quantity; watts become joules.  Checks the times of its rows. */
    std::map<std::string, double> sums(const std::string &out, double interval_ps) const
    {
        std::map<std::string, double> all;
        double begin = 0;
        double end = 0;
        for (const auto &row : table_rows(read(out + "/intervals.csv"))) {
            const double from = std::stod(row.at("begin_ps"));
            const double to = std::stod(row.at("end_ps"));
            if (from != begin) {
                EXPECT_EQ(from, end) << "without a gap";
                EXPECT_EQ(std::fmod(from, interval_ps), 0);
                begin = from;
            }
            end = to;
            const bool power = row.at("quantity").rfind("watts", 0) == 0;
            EXPECT_EQ(row.at("unit") == "W", power);
            all[row.at("quantity")] +=
                std::stod(row.at("value")) * (power ? (to - from) * 1e-12 : 1);
        }
        all["end"] = end;
        return all;
    }

    void expect_sums(const std::string &out, double interval_ps) const
    {
        std::map<std::string, double> all = sums(out, interval_ps);
        EXPECT_NEAR(all.at("end") * 1e-12, number(out, "seconds"), 1e-12);
        const double joules = number(out, "energy.joules.default");
        EXPECT_NEAR(all.at("watts"), joules, 1e-9 * joules);
        const double high = number(out, "energy.joules.high");
        EXPECT_NEAR(all.at("watts_high"), high, 1e-9 * high);
        size_t compared = 0;
        for (const auto &[name, value] : counters(out)) {
            if (name.rfind("machine.", 0) == 0) {
                continue; /* time, chips and boards */
            }
            EXPECT_EQ(all.count(name) == 0 ? 0 : all.at(name), static_cast<double>(value)) << name;
            compared += value > 0;
        }
        EXPECT_GT(compared, 20u);
    }
};

TEST_F(Intervals, OfATrainingAddUpAndChangeNothing)
{
    ASSERT_EQ(train("plain").status, 0);
    ASSERT_EQ(train("looked", {"record.interval=700 us"}).status, 0);
    EXPECT_FALSE(exists("plain/intervals.csv"));
    expect_sums("looked", 700e6);
    EXPECT_EQ(read("looked/counters.csv"), read("plain/counters.csv"));
    EXPECT_EQ(text("looked", "identity.stats_hash"), text("plain", "identity.stats_hash"));
    EXPECT_EQ(weights("looked"), weights("plain"));
}

TEST_F(Intervals, AreTheSameOnAnyNumberOfThreads)
{
    const words keys = {"mapping.chips=2", "board.width=2", "record.interval=500 us"};
    ASSERT_EQ(train("one", keys, {"--threads", "1"}).status, 0);
    ASSERT_EQ(train("two", keys, {"--threads", "2"}).status, 0);
    expect_sums("one", 500e6);
    EXPECT_EQ(read("one/intervals.csv"), read("two/intervals.csv"));
}

TEST_F(Intervals, OfARunThatWasGivenUpAreThere)
{
    run(experiment("lenet1_synthetic"), "looked",
        {"--set", "data.test_images=20", "--set", "record.interval=100 us"});
    expect_sums("looked", 100e6);
    const finished ended =
        spinnsim({"run", experiment("lenet1_synthetic"), "--set", "data.test_images=20", "--set",
                  "record.interval=100 us", "--set", "run.simulated_time_limit=250 us", "--set",
                  "accept=null", "--out", "cut"});
    EXPECT_EQ(ended.status, 4) << ended.err;
    expect_sums("cut", 100e6);
}

TEST_F(Intervals, MoveNoGolden)
{
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"board_cable", "50 us"}, /* a transmitter becomes free whose core sleeps until then */
        {"lenet1_1998_synthetic", "50 us"}, /* in a DMA burst of a core that sleeps */
    };
    for (const auto &[golden, interval] : rows) {
        const finished compared =
            spinnsim({"regress", golden, "--set", "record.interval=" + interval});
        EXPECT_EQ(compared.status, 0) << compared.out << compared.err;
        EXPECT_NE(compared.out.find("1 golden: 1 same"), std::string::npos) << compared.out;
    }
}

TEST_F(Intervals, AreDrawn)
{
    ASSERT_EQ(train("looked", {"record.interval=1 ms"}).status, 0);
    ASSERT_EQ(train("plain").status, 0);
    const finished drawn = spinnsim({"plot", "looked", "--kind", "power", "--out", "plots"});
    ASSERT_EQ(drawn.status, 0) << drawn.err;
    const auto rows = table_rows(read("plots/looked_power.csv"));
    const double milliseconds = 1000 * number("looked", "seconds");
    ASSERT_EQ(rows.size(), static_cast<size_t>(std::ceil(milliseconds)));
    EXPECT_EQ(rows[1].at("begin_s"), "0.001");
    for (const auto &row : rows) {
        EXPECT_LT(std::stod(row.at("watts_low")), std::stod(row.at("watts")));
        EXPECT_LT(std::stod(row.at("watts")), std::stod(row.at("watts_high")));
    }
    EXPECT_NE(read("plots/looked_power.svg").find("Power (W)"), std::string::npos);
    ASSERT_EQ(spinnsim({"plot", "looked", "--out", "all"}).status, 0);
    EXPECT_TRUE(exists("all/looked_power.svg"));
    ASSERT_EQ(spinnsim({"plot", "plain", "--out", "all"}).status, 0) << "other figures only";
    EXPECT_FALSE(exists("all/plain_power.svg"));
    const finished refused = spinnsim({"plot", "plain", "--kind", "power", "--out", "plots"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("there is no intervals.csv"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("record.interval"), std::string::npos) << refused.err;
}

TEST_F(Intervals, AreRefusedWhereTheyMeanNothing)
{
    const struct {
        words keys;
        const char *said;
    } cases[] = {{{"record.interval=10 ns"}, "less than 1 us"},
                 {{"record.interval=1 ms", "run.sample.updates=6", "run.sample.at=2",
                   "train.global_batch=5"},
                  "a sample of updates"},
                 {{"record.interval=5"}, "5"}};
    for (const auto &c : cases) {
        words command = {"run", "small.yaml", "--out", "out"};
        for (const std::string &option : sets(c.keys)) {
            command.push_back(option);
        }
        const finished ended = spinnsim(command);
        EXPECT_EQ(ended.status, 2) << ended.err;
        EXPECT_NE(ended.err.find(c.said), std::string::npos) << ended.err;
    }
}
