/* training_recorded_test.cpp - the recorded trainings on the board keep what
 * docs/results/training.md says of them: accuracy and time of the same run, parts that add up,
 * nothing lost. */
#include "tests/system/program.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>

extern "C" {
#include "sim/experiment/experiment.h"
}

using row = std::map<std::string, std::string>;

/* The file of an experiment, which may be the study's own. */
static std::string file_of(const std::string &name)
{
    const std::string own = SPINN_SOURCE_DIR "/configs/study/" + name + ".yaml";
    return std::filesystem::exists(own) ? own : experiment(name);
}

static std::map<std::string, row> recorded(const std::string &name = "board_training.csv")
{
    std::map<std::string, row> rows;
    for (const row &of : table_rows(read_text(SPINN_SOURCE_DIR "/docs/results/recorded/" + name))) {
        rows[of.at("experiment")] = of;
    }
    return rows;
}

static double number_of(const row &from, const std::string &name)
{
    const auto found = from.find(name);
    EXPECT_NE(found, from.end()) << name;
    return found == from.end() ? -1 : std::atof(found->second.c_str());
}

TEST(RecordedTraining, KeepsItsBars)
{
    const struct {
        const char *experiment;
        double epochs, accuracy, seconds;
    } bars[] = {{"fc128_train", 1, 0.964, 1.1},       {"fc128_train_to95", 1, 0.95, 1.1},
                {"fc128_dropout_adam", 1, 0.96, 1.2}, {"lenet1_train", 1, 0.974, 0.47},
                {"lenet1_train_to95", 1, 0.95, 1.4},  {"lenet1_train_five", 5, 0.984, 1.4},
                {"lenet4_train", 1, 0.98, 1.65},      {"lenet5_train", 1, 0.977, 2.2},
                {"fc300_100_train", 1, 0.964, 2.8}};
    const std::map<std::string, row> rows = recorded();
    ASSERT_EQ(rows.count("fc128_train"), 1u);
    ASSERT_EQ(rows.count("lenet1_train"), 1u);
    for (const auto &bar : bars) {
        if (rows.count(bar.experiment) == 0) {
            continue; /* five epochs take an hour: they may not have been recorded */
        }
        const row &of = rows.at(bar.experiment);
        EXPECT_EQ(number_of(of, "epochs"), bar.epochs);
        const double images = number_of(of, "images") / bar.epochs;
        EXPECT_EQ(number_of(of, "updates"),
                  std::ceil(images / number_of(of, "batch")) * bar.epochs);
        EXPECT_GE(number_of(of, "accuracy"), bar.accuracy) << bar.experiment;
        EXPECT_LE(number_of(of, "seconds_per_epoch"), bar.seconds) << bar.experiment;
        EXPECT_EQ(number_of(of, "dropped"), 0);
        const double parts = number_of(of, "compute") + number_of(of, "exchange") +
                             number_of(of, "sdram") + number_of(of, "imbalance");
        const double epochs = bar.epochs * number_of(of, "seconds_per_epoch");
        EXPECT_NEAR(parts, epochs, 0.02 * epochs) << bar.experiment;
        EXPECT_LT(number_of(of, "joules_low"), number_of(of, "joules"));
        EXPECT_LT(number_of(of, "joules"), number_of(of, "joules_high"));
        EXPECT_EQ(of.at("stats_hash").size(), 64u);
    }
}

/* A row says what a program takes that is built no more: scripts/study/record_board_training.sh. */
TEST(RecordedTraining, IsOfTheProgramsThatAreBuilt)
{
    if (!SPINN_HAVE_WORKLOADS) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    for (const auto &[name, of] : recorded()) {
        const std::string file = file_of(name);
        const char *const sets[] = {"data.set=synthetic", "data.train_images=192",
                                    "data.test_images=1", "accept=null"};
        struct experiment_request request = {};
        struct diagnostic diagnostic = {};
        const auto built = std::make_unique<struct experiment>();
        request.file = file.c_str();
        request.configs_folder = SPINN_SOURCE_DIR "/configs";
        request.sets = sets;
        request.set_count = 4;
        request.job.workloads_folder = SPINN_WORKLOAD_DIR;
        ASSERT_EQ(experiment_prepare(built.get(), &request, &diagnostic), STATUS_OK)
            << diagnostic.text;
        const struct job_program &program = built->job.program[0];
        std::string compiler = program.image.compiler;
        std::replace(compiler.begin(), compiler.end(), ',', ';');
        if (compiler == of.at("compiler")) {
            EXPECT_EQ(of.at("elf"), program.digest)
                << name << " was recorded with another " << program.name;
        }
        experiment_deinit(built.get());
    }
}

/* Each training of the board has its row of seeds; seed 11 is the board's: the same bits. */
TEST(RecordedTraining, HasSeedsOfTheHost)
{
    const std::map<std::string, row> seeds = recorded("host_seeds.csv");
    for (const auto &[name, of] : recorded()) {
        ASSERT_EQ(seeds.count(name), 1u) << name;
        const row &host = seeds.at(name);
        if (number_of(of, "images") == number_of(host, "images")) {
            EXPECT_EQ(number_of(host, "first"), number_of(of, "accuracy")) << name;
        }
    }
    for (const auto &[name, of] : seeds) {
        EXPECT_GE(number_of(of, "seeds"), 5) << name;
        for (const std::string what : {"", "validation_"}) {
            EXPECT_LE(number_of(of, what + "lowest"), number_of(of, what + "mean")) << name;
            EXPECT_LE(number_of(of, what + "mean"), number_of(of, what + "highest")) << name;
        }
        EXPECT_LE(number_of(of, "lowest"), number_of(of, "first")) << name;
        EXPECT_LE(number_of(of, "first"), number_of(of, "highest")) << name;
    }
}

/* The experiments "to 95 %" do what they say with nine of ten seeds, by validation. */
TEST(RecordedTraining, ComesToItsTargetWithNineOfTenSeeds)
{
    const std::map<std::string, row> seeds = recorded("host_seeds.csv");
    for (const std::string name : {"fc128_train_to95", "lenet1_train_to95"}) {
        ASSERT_EQ(seeds.count(name), 1u);
        const row &of = seeds.at(name);
        EXPECT_EQ(number_of(of, "seeds"), 10) << name;
        EXPECT_GE(number_of(of, "validated"), 9) << name;
        EXPECT_GE(number_of(of, "at_95"), 9) << name;
        const std::string experiment = read_text(file_of(name));
        const std::string data = "train_images: " + of.at("images") +
                                 ", validation_images: " + of.at("validation_images");
        EXPECT_NE(experiment.find(data), std::string::npos) << name << ": " << data;
    }
}
