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
    const finished other = spinnsim({"energy", "out", "--set", "energy.core_cycle.value=200 pJ"});
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
        {"sweep", "small.yaml", "--axis", "energy.core_cycle.value=195 pJ,200 pJ", "--out", "s"});
    ASSERT_EQ(result.status, 0) << result.err;
    const std::vector<table_row> rows = table_rows(read("s/small-sweep.csv"));
    ASSERT_EQ(rows.size(), 2u);
    ASSERT_EQ(train("out", {"energy.core_cycle.value=200 pJ"}).status, 0);
    for (const std::string part : {"low", "default", "high"}) {
        const double alone = number("out", "joules_per_epoch." + part);
        EXPECT_NEAR(std::stod(rows[1].at("joules_per_epoch." + part + " [J]")), alone,
                    1e-12 * alone);
    }
}

/* An independent computation: awk, no code of the simulator. */
TEST_F(TrainingEnergy, IsWhatAnotherProgramComputes)
{
    const std::string check = std::string(SPINN_SOURCE_DIR) + "/scripts/check_energy.sh";
    std::string yaml = read("small.yaml");
    yaml.replace(yaml.find("one_chip"), strlen("one_chip"), "spin3");
    write("small.yaml", yaml);
    ASSERT_EQ(train("whole").status, 0);
    ASSERT_EQ(train("sample", {"train.epochs=1", "train.global_batch=16", "data.train_images=200",
                               "run.sample.updates=9", "data.input=ethernet",
                               "energy.scopes.host.value=50 W", "energy.scopes.host.high=60 W"})
                  .status,
              0);
    for (const char *out : {"whole", "sample"}) {
        const finished same = run_command({check, path(out)});
        EXPECT_EQ(same.status, 0) << same.out << same.err;
        EXPECT_NE(same.out.find("follow from the counters"), std::string::npos) << same.out;
    }
    const struct {
        const char *file, *from, *to, *says;
    } controls[] = {
        {"counters.csv", "\ntrain,router,,,,bits,bit,", "\ntrain,router,,,,bits,bit,1",
         "energy.csv: train, router_bit count: "},
        {"counters.csv", "\nepochs,machine,,,,epochs,epoch,2", "\nepochs,machine,,,,epochs,epoch,3",
         "joules_per_epoch.default: "},
        {"config.yaml", "value: 195 pJ", "value: 195.00000001 pJ", "energy.joules.default: "},
        {"config.yaml", "value: 0.842", "value: 0.8420000000016", "energy.scopes.wall.default: "},
        {"energy.csv", "\nload,chip,chip,", "\nload,chip,ship,",
         "energy.csv: no row for load, chip"},
    };
    for (const auto &control : controls) {
        const std::string file = std::string("whole/") + control.file;
        const std::string before = read(file);
        std::string after = before;
        ASSERT_NE(after.find(control.from), std::string::npos) << control.from;
        after.replace(after.find(control.from), strlen(control.from), control.to);
        write(file, after);
        const finished other = run_command({check, path("whole")});
        EXPECT_EQ(other.status, 1) << control.to;
        EXPECT_NE(other.out.find(control.says), std::string::npos) << control.says << other.out;
        write(file, before);
    }
    EXPECT_EQ(run_command({check, path("nowhere")}).status, 2);
}

TEST_F(TrainingEnergy, ComparesWithAnotherFileOfCoefficients)
{
    ASSERT_EQ(train("out").status, 0);
    const std::string tools = std::string(SPINN_SOURCE_DIR) + "/configs/energy/spinntools.yaml";
    const finished csv = spinnsim({"energy", "out", "--against", tools, "--format", "csv"});
    ASSERT_EQ(csv.status, 0) << csv.err;
    std::map<std::string, double> second;
    double difference = 0;
    for (const table_row &line : table_rows(csv.out)) {
        second[line.at("term")] = std::stod(line.at("joules_second"));
        if (line.at("term") == "total") {
            break;
        }
        difference += std::stod(line.at("difference"));
    }
    const std::map<std::string, uint64_t> count = counters("out");
    const double seconds = number("out", "seconds");
    const double chip = 0.35 * seconds;
    const double cores = 170e-12 * static_cast<double>(count.at("core.active_cycles"));
    const double packets = 1e-9 * static_cast<double>(count.at("router.packets_mc"));
    EXPECT_NEAR(second.at("chip"), chip, 1e-12);
    EXPECT_NEAR(second.at("core_cycle"), cores, 1e-12);
    EXPECT_NEAR(second.at("router_short"), packets, 1e-15);
    EXPECT_EQ(second.at("sdram_byte"), 0);
    EXPECT_NEAR(second.at("total"), chip + cores + packets, 1e-12);
    EXPECT_NEAR(difference, second.at("total") - number("out", "energy.joules.default"), 1e-12);
    const finished text = spinnsim({"energy", "out", "--against", tools});
    EXPECT_NE(text.out.find("\nan epoch "), std::string::npos) << text.out;
    EXPECT_EQ(spinnsim({"energy", "out", "--against", "nowhere.yaml"}).status, 2);
    const finished none = spinnsim(
        {"energy", "out", "--against", "small.yaml", "--set", "energy.board_profile=snab"});
    EXPECT_EQ(none.status, 0) << "any file with coefficients: " << none.err;
    write("few.yaml", "energy: {free: [core.instructions]}\n");
    const finished few = spinnsim({"energy", "out", "--against", "few.yaml"});
    EXPECT_EQ(few.status, 2);
    EXPECT_NE(few.err.find("few.yaml"), std::string::npos) << few.err;
}
