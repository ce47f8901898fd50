/* training_test.cpp - a training on the machine, as its user sees it: the host's bits, where its
 * time and its joules went, how far it has come. */
#include "tests/system/training_fixture.h"

class Training : public TrainingTest
{
};

TEST_F(Training, ComesToTheHostsBitsInEveryMapping)
{
    run("small.yaml", "host", sets(on_host()));
    train("groups");
    train("pairs", {"mapping.cores_per_image=2", "mapping.cores_per_chip=6"});
    train("alone", {"mapping.kind=replica_per_core", "mapping.cores_per_image=null",
                    "mapping.cores_per_chip=3"});
    const std::vector<int16_t> bits = weights("host");
    for (const char *out : {"groups", "pairs", "alone"}) {
        EXPECT_EQ(weights(out), bits) << out;
        EXPECT_EQ(read(std::string(out) + "/predictions.csv"), read("host/predictions.csv")) << out;
        EXPECT_EQ(number(out, "loss"), number("host", "loss")) << out;
        EXPECT_EQ(number(out, "updates"), 4);
        EXPECT_EQ(number(out, "images_trained"), 180);
        EXPECT_EQ(number(out, "late_interrupts"), 0);
        for (const char *key : {"largest_sum", "head_room", "saturations", "error_saturations",
                                "weight_saturations", "overflows"}) {
            const std::string name = std::string("training_numerics.") + key;
            EXPECT_EQ(number(out, name), number("host", name)) << out << " " << name;
        }
        EXPECT_GT(number(out, "training_numerics.head_room"), 2) << out;
        EXPECT_NE(read(std::string(out) + "/summary.json").find("\"reference_accuracy\": null"),
                  std::string::npos);
    }
}

TEST_F(Training, StagesAndPartsOfTheTimeAddUp)
{
    for (const words &keys :
         {words{}, words{"mapping.cores_per_image=2", "mapping.cores_per_chip=14"},
          words{"mapping.kind=replica_per_core", "mapping.cores_per_image=null"}}) {
        const finished result = train("out", keys);
        const double stage = number("out", "seconds_train");
        EXPECT_NEAR(number("out", "seconds_load") + stage + number("out", "seconds_test"),
                    number("out", "seconds"), 1e-12);
        EXPECT_GT(number("out", "seconds_load"), 0);
        EXPECT_GT(number("out", "seconds_test"), 0);
        EXPECT_EQ(number("out", "epochs"), 2);
        EXPECT_NEAR(2 * number("out", "seconds_per_epoch"), stage, 1e-12);
        EXPECT_NEAR(number("out", "train_images_per_second"), 180 / stage, 1e-6 / stage);
        EXPECT_NEAR(number("out", "images_per_second"), 40 / number("out", "seconds_test"), 1e-6);
        double sum = 0;
        for (const char *part : {"compute", "exchange", "sdram", "imbalance"}) {
            const double seconds = number("out", std::string("train_time.") + part);
            EXPECT_GE(seconds, 0) << part;
            sum += seconds;
        }
        EXPECT_NEAR(sum, number("out", "train_time.sum"), 1e-12);
        EXPECT_NEAR(sum / stage, 1, 0.02);
        EXPECT_GT(number("out", "train_time.compute"), 0.5 * stage);
        EXPECT_EQ(result.out.find("float64"), std::string::npos) << result.out;
        EXPECT_NE(result.out.find("of that time    compute "), std::string::npos) << result.out;
    }
}

TEST_F(Training, OneGroupWaitsForNobodyBetweenChips)
{
    train("one", {"mapping.kind=replica_per_core", "mapping.cores_per_image=null",
                  "mapping.cores_per_chip=1"});
    EXPECT_LT(number("one", "train_time.imbalance"), 0.001 * number("one", "seconds_train"));
    EXPECT_LT(number("one", "train_time.exchange"), 0.001 * number("one", "seconds_train"));
    train("uneven", {"mapping.kind=replica_per_core", "mapping.cores_per_image=null",
                     "mapping.cores_per_chip=2", "data.train_images=1", "train.epochs=1"});
    const double share =
        number("uneven", "train_time.imbalance") / number("uneven", "seconds_train");
    EXPECT_GT(share, 0.25) << "one core has an image, the other has none: half of the update apart";
    EXPECT_LT(share, 0.5);
}

TEST_F(Training, LearningRowsCarryWhatTheMachineHadUsedByThen)
{
    train("out");
    const std::vector<row> rows = learning("out");
    ASSERT_EQ(rows.size(), 6u); /* two updates and a test, twice */
    const uint64_t update[] = {1, 2, 2, 3, 4, 4};
    const uint64_t images[] = {48, 90, 90, 138, 180, 180};
    for (size_t i = 0; i < rows.size(); i++) {
        EXPECT_EQ(rows[i].update, update[i]);
        EXPECT_EQ(rows[i].images, images[i]);
        EXPECT_EQ(rows[i].epoch, 1 + i / 3);
        EXPECT_TRUE(std::isfinite(rows[i].loss));
        EXPECT_EQ(std::isfinite(rows[i].accuracy), i % 3 == 2) << "tests only";
        EXPECT_EQ(std::isfinite(rows[i].joules), i % 3 != 0)
            << "the machine stands still at the end of an epoch and of a test, not in between";
        EXPECT_TRUE(i == 0 || rows[i].seconds > rows[i - 1].seconds);
        if (std::isfinite(rows[i].joules)) {
            EXPECT_LT(rows[i].low, rows[i].joules);
            EXPECT_LT(rows[i].joules, rows[i].high);
        }
    }
    EXPECT_LT(rows[1].joules, rows[2].joules);
    EXPECT_LT(rows[2].joules, rows[4].joules);
    EXPECT_EQ(rows[5].accuracy, number("out", "accuracy"));
    EXPECT_EQ(rows[5].loss, number("out", "loss"));
    EXPECT_NEAR(rows[5].seconds, number("out", "seconds_train") + number("out", "seconds_test"),
                2e-5)
        << "the programs' end comes after it";
    EXPECT_NEAR(2 * number("out", "joules_per_epoch"),
                rows[1].joules + rows[4].joules - rows[2].joules, 1e-12);
    const double all = number("out", "energy.joules");
    EXPECT_LT(rows[5].joules, all);
    EXPECT_NEAR(rows[5].joules / all, 1 - number("out", "seconds_load") / number("out", "seconds"),
                0.02)
        << "loading is not learning";
}

TEST_F(Training, ABoundOnTheEpochsTimeIsKept)
{
    train("good", {"accept.seconds_per_epoch.max=1", "train.epochs=1"});
    const finished result =
        spinnsim({"run", "small.yaml", "--out", "bad", "--set", "accept.seconds_per_epoch.max=1e-6",
                  "--set", "train.epochs=1"});
    EXPECT_EQ(result.status, 5);
    EXPECT_NE(result.err.find("seconds_per_epoch"), std::string::npos) << result.err;
}

TEST_F(Training, ReportHasItsTables)
{
    train("out");
    const finished report = spinnsim({"report", "out"});
    EXPECT_EQ(report.status, 0) << report.err;
    EXPECT_NE(report.out.find("imbalance [s]"), std::string::npos) << report.out;
    EXPECT_NE(report.out.find("epoch [J]"), std::string::npos);
    EXPECT_EQ(spinnsim({"report", "out"}).out, report.out);
    run(experiment("lenet1_synthetic"), "infer", sets({"data.test_images=20"}));
    EXPECT_EQ(spinnsim({"report", "infer"}).out.find("imbalance"), std::string::npos);
}

TEST_F(Training, ATrainingThatDivergesEndsWithTheLayer)
{
    const finished result = spinnsim({"run", "small.yaml", "--force", "--out", "out", "--set",
                                      "train.learning_rate=1", "--set", "train.warm_up=0", "--set",
                                      "train.epochs=5", "--set", "train.global_batch=90"});
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(result.err.find("lower train.learning_rate"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("update "), std::string::npos) << result.err;
}

TEST_F(Training, ALogOfTheImagesIsAProofThatTakesTime)
{
    train("plain");
    train("logged", {"train.log_images=true"});
    EXPECT_EQ(read("plain/predictions.csv"), read("logged/predictions.csv"));
    EXPECT_EQ(number("plain", "loss"), number("logged", "loss"));
    EXPECT_LT(number("plain", "seconds_per_epoch"), number("logged", "seconds_per_epoch"));
    EXPECT_NE(text("plain", "identity.stats_hash"), text("logged", "identity.stats_hash"));
}

/* ---- progress ---- */

TEST_F(Training, WhoListensChangesNothing)
{
    const words longer = {"train.epochs=5"};
    train("alone", longer, {"--progress", "none"});
    const finished watched = train("watched", longer, {"--progress", "json"});
    for (const char *file : {"counters.csv", "learning.csv", "phases.csv", "predictions.csv",
                             "traffic.csv", "energy.csv"}) {
        EXPECT_EQ(read(std::string("watched/") + file), read(std::string("alone/") + file)) << file;
    }
    EXPECT_EQ(text("watched", "identity.stats_hash"), text("alone", "identity.stats_hash"));
    const words told = lines(watched.err);
    ASSERT_GE(told.size(), 2u) << watched.err;
    for (const std::string &line : told) {
        for (const char *key : {"\"done\": ", "\"total\": 10", "\"unit\": \"updates\"",
                                "\"images_per_second\": ", "\"joules\": "}) {
            EXPECT_NE(line.find(key), std::string::npos) << key << " in " << line;
        }
    }
    EXPECT_NE(told.front().find("\"done\": 1,"), std::string::npos) << told.front();
    EXPECT_NE(told.back().find("\"done\": 10,"), std::string::npos) << "however fast the host is";
    EXPECT_NE(told.back().find("\"loss\": "), std::string::npos) << told.back();
    EXPECT_NE(watched.err.find("\"accuracy\": "), std::string::npos)
        << "of the first tests, while later epochs are on";
}

/* ---- curves ---- */

TEST_F(Training, IsDrawnAsItLearnt)
{
    if (run_command({"gnuplot", "--version"}).status != 0) {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    train("one");
    train("two", {"seed=2"});
    const std::vector<row> rows = learning("one");
    const struct {
        const char *x, *y;
        size_t rows; /* of both runs */
    } figures[] = {{"images", "accuracy", 4}, {"seconds", "accuracy", 4}, {"joules", "accuracy", 4},
                   {"images", "loss", 12},    {"seconds", "loss", 12},    {"joules", "loss", 8}};
    for (const auto &figure : figures) {
        const finished plot =
            spinnsim({"plot", "one", "two", "--x", figure.x, "--y", figure.y, "--out", "figures"});
        EXPECT_EQ(plot.status, 0) << plot.err;
        const std::string name = std::string("figures/") + figure.y + "_over_" + figure.x;
        const words table = lines(read(name + ".csv"));
        ASSERT_EQ(table.size(), 1 + figure.rows) << name;
        EXPECT_EQ(table[0], std::string("folder,of,") + figure.x + "," + figure.y);
        EXPECT_EQ(table[1].compare(0, 9, "one,test,"), 0) << table[1];
        EXPECT_TRUE(exists(name + ".svg"));
    }
    EXPECT_EQ(lines(read("figures/accuracy_over_images.csv"))[1].compare(0, 12, "one,test,90,"), 0);
    double joules = 0;
    ASSERT_EQ(sscanf(lines(read("figures/accuracy_over_joules.csv"))[1].c_str(), "one,test,%lf,",
                     &joules),
              1);
    EXPECT_EQ(joules, rows[2].joules);
}

TEST_F(Training, ACurveThatNobodyMeasuredIsRefused)
{
    run("small.yaml", "host", sets(on_host()));
    const finished plot = spinnsim({"plot", "host", "--x", "joules", "--y", "accuracy"});
    EXPECT_EQ(plot.status, 2);
    EXPECT_NE(plot.err.find("no row of learning.csv has both joules and accuracy"),
              std::string::npos)
        << plot.err;
}

/* With an update an epoch the host follows update by update: the machine is never away from it. */
TEST_F(Training, TheHostFollows)
{
    train("out", {"data.train_images=48", "train.epochs=3", "record.parameter_norms=1"});
    const words rows = lines(read("out/parameters.csv"));
    ASSERT_EQ(rows.size(), 10u);
    EXPECT_EQ(rows[0], "update,layer,length,distance");
    for (size_t i = 1; i < rows.size(); i++) {
        const std::string layer = std::vector<std::string>{"conv1", "conv2", "output"}[(i - 1) % 3];
        const std::string begin = std::to_string((i - 1) / 3 + 1) + "," + layer + ",";
        EXPECT_EQ(rows[i].compare(0, begin.size(), begin), 0) << rows[i];
        EXPECT_EQ(rows[i].compare(rows[i].size() - 2, 2, ",0"), 0) << rows[i];
    }
    train("epochs", {"record.parameter_norms=1"});
    EXPECT_EQ(lines(read("epochs/parameters.csv")).size(), 7u)
        << "two updates an epoch: their ends";
}
