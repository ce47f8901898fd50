/* training_energy_test.cpp - joules of the stages and of an epoch follow from a result folder. */
#include "tests/system/training_fixture.h"

using table_row = std::map<std::string, std::string>;

class TrainingEnergy : public TrainingTest
{
  protected:
    struct joules {
        double low, value, high;
    };

    /* Sum of energy.csv over its rows of one stage. */
    joules of_stage(const std::string &out, const std::string &stage) const
    {
        joules sum = {0, 0, 0};
        for (const table_row &line : table_rows(read(out + "/energy.csv"))) {
            if (line.at("stage") == stage) {
                sum.low += std::stod(line.at("joules_low"));
                sum.value += std::stod(line.at("joules_default"));
                sum.high += std::stod(line.at("joules_high"));
            }
        }
        return sum;
    }

    void is_an_epoch(const std::string &out) const
    {
        const joules epoch = of_stage(out, "epoch");
        for (const auto &[name, value] :
             {std::pair{"low", epoch.low}, {"default", epoch.value}, {"high", epoch.high}}) {
            const double summary = number(out, std::string("joules_per_epoch.") + name);
            EXPECT_NEAR(value, summary, 1e-12 * summary) << out << " " << name;
        }
    }

    /* The line of `spinnsim energy` that begins so: its default. */
    double printed(const std::string &text, const std::string &begin) const
    {
        const size_t at = text.find("\n" + begin + " ");
        double low = 0;
        double value = 0;
        EXPECT_EQ(at == std::string::npos
                      ? 0
                      : sscanf(&text[at + 1 + begin.size()], "%lf%lf", &low, &value),
                  2)
            << begin << "\n"
            << text;
        return value;
    }
};

TEST_F(TrainingEnergy, StagesAddUpToTheRun)
{
    ASSERT_EQ(train("out").status, 0);
    is_an_epoch("out");
    const double all = number("out", "energy.joules.default");
    const double stages = of_stage("out", "load").value + of_stage("out", "train").value +
                          of_stage("out", "test").value;
    EXPECT_NEAR(stages, all, 1e-12 * all);
    EXPECT_EQ(of_stage("out", "run").value, 0) << "every count is in a stage";
    EXPECT_NEAR(of_stage("out", "train").value, 2 * of_stage("out", "epoch").value, 1e-12 * all);
    const finished same = spinnsim({"energy", "out", "--format", "csv"});
    EXPECT_EQ(same.out, read("out/energy.csv")) << same.err;
}

/* 5 pJ more a cycle: only the epoch's own cycles. */
TEST_F(TrainingEnergy, AnEpochIsComputedAgain)
{
    ASSERT_EQ(train("out").status, 0);
    double cycles = 0;
    for (const table_row &line : table_rows(read("out/energy.csv"))) {
        if (line.at("stage") == "epoch" && line.at("term") == "core_cycle") {
            cycles = std::stod(line.at("count"));
        }
    }
    EXPECT_GT(cycles, 1e6);
    const finished other = spinnsim({"energy", "out", "--set", "energy.core_cycle.value=150 pJ"});
    EXPECT_EQ(other.status, 0) << other.err;
    const double before = number("out", "joules_per_epoch.default");
    EXPECT_NEAR(printed(other.out, "an epoch"), before + 5e-12 * cycles, 1e-5 * before);
}

TEST_F(TrainingEnergy, AnEpochOfASampleIsItsEstimate)
{
    ASSERT_EQ(train("out", {"train.epochs=1", "train.global_batch=16", "data.train_images=200",
                            "run.sample.updates=9"})
                  .status,
              0);
    is_an_epoch("out");
    EXPECT_GT(of_stage("out", "epoch").value, 0);
    const finished same = spinnsim({"energy", "out", "--format", "csv"});
    EXPECT_EQ(same.out, read("out/energy.csv")) << same.err;
}

TEST_F(TrainingEnergy, ASweepOfCoefficientsHasJoulesOfAnEpoch)
{
    const finished result = spinnsim(
        {"sweep", "small.yaml", "--axis", "energy.core_cycle.value=145 pJ,150 pJ", "--out", "s"});
    ASSERT_EQ(result.status, 0) << result.err;
    const std::vector<table_row> rows = table_rows(read("s/small-sweep.csv"));
    ASSERT_EQ(rows.size(), 2u);
    ASSERT_EQ(train("out", {"energy.core_cycle.value=150 pJ"}).status, 0);
    for (const std::string part : {"low", "default", "high"}) {
        const double alone = number("out", "joules_per_epoch." + part);
        EXPECT_NEAR(std::stod(rows[1].at("joules_per_epoch." + part + " [J]")), alone,
                    1e-12 * alone);
    }
}
