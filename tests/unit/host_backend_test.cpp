/* The backend `host`, from a configuration's text to an outcome. */
#include "tests/unit/host_job.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/results/recorder.h"
#include "sim/results/summary.h"
}

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace
{

const std::string TRAIN = HOST + "mode: train\n"
                                 "network: {name: lenet1, number_format: float64}\n"
                                 "data: {set: synthetic, train_images: 120, test_images: 40}\n"
                                 "train: {epochs: 2, global_batch: 24, learning_rate: 0.002}\n"
                                 "record: {learning_every: 2}\n";

TEST(HostBackend, TrainsAndSignsTheWeights)
{
    host_job j(TRAIN, {"seed=3", "train.momentum=0.5"},
               "/home/me/spinnsim/configs/experiments/a.yaml");
    ASSERT_TRUE(j.can_run()) << said(j.said_of);
    ASSERT_EQ(j.run(), STATUS_OK) << said(j.said_of);
    const struct weights &trained = j.outcome.trained;
    ASSERT_NE(trained.block, nullptr);
    ASSERT_NE(trained.float64, nullptr);
    EXPECT_STREQ(trained.origin.dataset, "synthetic");
    EXPECT_STREQ(trained.origin.dataset_digest, j.job.train.digest_hex);
    EXPECT_STREQ(trained.origin.recipe, "spinnsim run configs/experiments/a.yaml --set seed=3 "
                                        "--set train.momentum=0.5")
        << "the same from every checkout";
    EXPECT_EQ(j.outcome.updates, 10u);
    EXPECT_EQ(j.outcome.images_trained, 240u);
    EXPECT_EQ(j.outcome.result_count, 40u);
    uint32_t right = 0;
    for (uint32_t i = 0; i < 40; i++) {
        EXPECT_EQ(j.outcome.result[i].done, 1u);
        EXPECT_LE(j.outcome.result[i].confidence, 65536u);
        right += j.outcome.result[i].label == j.job.test.labels[i];
    }
    EXPECT_EQ(j.outcome.right, right);
    EXPECT_EQ(trained.origin.reference_accuracy, right / 40.0);
    EXPECT_FALSE(j.outcome.has_logits);
}

TEST(HostBackend, RecipesOfOtherFilesAreAsWritten)
{
    const char *const paths[][2] = {{"a.yaml", "spinnsim run a.yaml"},
                                    {"configs/a.yaml", "spinnsim run configs/a.yaml"},
                                    {"/x/configs/y/configs/a.yaml", "spinnsim run configs/a.yaml"},
                                    {"/x/myconfigs/a.yaml", "spinnsim run /x/myconfigs/a.yaml"}};
    for (const auto &path : paths) {
        host_job j(TRAIN, {"train.epochs=1", "data.train_images=24"}, path[0]);
        ASSERT_EQ(j.run(), STATUS_OK) << said(j.said_of);
        EXPECT_EQ(j.outcome.trained.origin.recipe,
                  std::string(path[1]) + " --set train.epochs=1 --set data.train_images=24");
    }
}

TEST(HostBackend, LeavesTheWeightsInTheResultFolder)
{
    host_job j(TRAIN);
    struct record record;
    ASSERT_EQ(j.run(), STATUS_OK) << said(j.said_of);
    ASSERT_EQ(record_make(&record, &j.job, &j.outcome, &j.said_of), STATUS_OK);
    const temporary_folder folder;
    const std::string path = folder.file("run");
    ASSERT_EQ(record_write(&record, path.c_str(), &j.said_of), STATUS_OK) << said(j.said_of);
    record_deinit(&record);

    host_job again(HOST +
                   "data: {set: synthetic, test_images: 40}\n"
                   "network: {name: lenet1, number_format: float64, weights: " +
                   path + "/weights.npz}\n");
    ASSERT_TRUE(again.can_run()) << said(again.said_of);
    ASSERT_EQ(again.run(), STATUS_OK) << said(again.said_of);
    EXPECT_EQ(again.outcome.right, j.outcome.right);
    EXPECT_STREQ(again.outcome.stats_hash, j.outcome.stats_hash) << "the same network";
    EXPECT_EQ(again.outcome.reference_accuracy, j.outcome.right / 40.0);
}

/* Other images under MNIST's name can be told by the record. */
TEST(HostBackend, SaysWhetherTheImagesAreThePublishedOnes)
{
    const struct {
        bool train, test;
        const char *said;
    } cases[] = {{true, true, "\"original\": true\n"},
                 {false, true, "\"original\": false\n"},
                 {true, false, "\"original\": false\n"}};
    host_job j(TRAIN, {"train.epochs=1", "data.train_images=24"});
    ASSERT_EQ(j.run(), STATUS_OK) << said(j.said_of);
    for (const auto &c : cases) {
        struct record record;
        char *text = nullptr;
        size_t size = 0;
        j.job.train.original = c.train;
        j.job.test.original = c.test;
        ASSERT_EQ(record_make(&record, &j.job, &j.outcome, &j.said_of), STATUS_OK);
        FILE *stream = open_memstream(&text, &size);
        summary_write(stream, &record);
        (void)fclose(stream);
        const std::string digests = std::string("\"data_digest\": {\n      \"train\": \"") +
                                    j.job.train.digest_hex + "\",\n      \"test\": \"" +
                                    j.job.test.digest_hex + "\",\n      " + c.said;
        EXPECT_TRUE(contains(text, digests)) << text;
        free(text);
        record_deinit(&record);
    }
}

/* Every second update, the mean of two; each test a row of its own. */
TEST(HostBackend, WritesRowsOfLearning)
{
    host_job j(TRAIN);
    ASSERT_EQ(j.run(), STATUS_OK) << said(j.said_of);
    std::string rows;
    for (size_t i = 0; i < j.outcome.learning_count; i++) {
        const struct outcome_learning &row = j.outcome.learning[i];
        rows += std::to_string(row.update) + "/" + std::to_string(row.epoch) + "/" +
                std::to_string(row.images) + (std::isnan(row.accuracy) ? " " : "t ");
        EXPECT_TRUE(std::isnan(row.seconds)) << "no machine, no time";
        EXPECT_TRUE(std::isnan(row.joules.value));
        EXPECT_GT(row.loss, 0);
    }
    EXPECT_EQ(rows, "2/1/48 4/1/96 5/1/120t 6/2/144 8/2/192 10/2/240 10/2/240t ");
    EXPECT_EQ(j.outcome.learning[6].loss, j.outcome.loss);
}

/* Each test classifies the validation images, too: as it would if they were the test's. */
TEST(HostBackend, ValidatesWithImagesOfItsOwn)
{
    const std::vector<const char *> sets = {"network.number_format=int16",
                                            "data.validation_images=30"};
    host_job one(TRAIN, sets);
    host_job other(TRAIN, sets);
    std::swap(other.job.test, other.job.validation);
    ASSERT_EQ(one.run(), STATUS_OK) << said(one.said_of);
    ASSERT_EQ(other.run(), STATUS_OK) << said(other.said_of);
    EXPECT_EQ(one.outcome.validation_count, 30u);
    EXPECT_EQ(one.outcome.result_count, 40u);
    ASSERT_EQ(one.outcome.learning_count, 7u);
    for (const size_t test : {2u, 6u}) {
        const struct outcome_learning &a = one.outcome.learning[test];
        const struct outcome_learning &b = other.outcome.learning[test];
        EXPECT_EQ(a.accuracy, b.validation_accuracy);
        EXPECT_EQ(a.loss, b.validation_loss);
        EXPECT_EQ(a.validation_accuracy, b.accuracy);
        EXPECT_EQ(a.validation_loss, b.loss);
        EXPECT_NE(a.loss, b.loss);
    }
    EXPECT_TRUE(std::isnan(one.outcome.learning[0].validation_accuracy)) << "not a test";
    EXPECT_EQ(outcome_validation_accuracy(&one.outcome),
              one.outcome.learning[6].validation_accuracy);
}

TEST(HostBackend, IsTheSameOnAnyNumberOfThreads)
{
    host_job one(TRAIN, {}, "test.yaml", 1);
    host_job many(TRAIN, {}, "test.yaml", 7);
    ASSERT_EQ(one.run(), STATUS_OK);
    ASSERT_EQ(many.run(), STATUS_OK);
    EXPECT_STREQ(one.outcome.stats_hash, many.outcome.stats_hash);
    host_job other(TRAIN, {"seed=2"});
    ASSERT_EQ(other.run(), STATUS_OK);
    EXPECT_STRNE(one.outcome.stats_hash, other.outcome.stats_hash);
}

/* The weights' file holds integers alone, and goes on being trained and tested. */
TEST(HostBackend, TrainsInIntegers)
{
    host_job j(TRAIN, {"network.number_format=int16", "train.learning_rate=0.001953125"});
    ASSERT_TRUE(j.can_run()) << said(j.said_of);
    ASSERT_EQ(j.run(), STATUS_OK) << said(j.said_of);
    EXPECT_EQ(j.outcome.updates, 10u);
    EXPECT_EQ(j.outcome.images_trained, 240u);
    EXPECT_EQ(j.outcome.trained.float64, nullptr);
    EXPECT_TRUE(std::isnan(j.outcome.trained.origin.reference_accuracy));
    EXPECT_STREQ(j.outcome.trained.origin.dataset, "synthetic");
    EXPECT_GT(j.outcome.training.largest_sum, 0u);
    EXPECT_TRUE(j.outcome.has_logits);
    EXPECT_EQ(j.outcome.learning_count, 7u);
    EXPECT_EQ(j.outcome.learning[6].loss, j.outcome.loss);
    EXPECT_EQ(j.outcome.learning[6].accuracy, j.outcome.right / 40.0);

    struct record record;
    ASSERT_EQ(record_make(&record, &j.job, &j.outcome, &j.said_of), STATUS_OK);
    const temporary_folder folder;
    const std::string path = folder.file("run");
    ASSERT_EQ(record_write(&record, path.c_str(), &j.said_of), STATUS_OK) << said(j.said_of);
    record_deinit(&record);
    const std::string weights = "network.weights=" + path + "/weights.npz";
    const byte_string summary = read_file(path + "/summary.json");
    EXPECT_TRUE(contains(std::string(summary.begin(), summary.end()), "\"head_room\": "));

    host_job again(HOST + "data: {set: synthetic, test_images: 40}\nnetwork: {name: lenet1}\n",
                   {weights.c_str()});
    ASSERT_EQ(again.run(), STATUS_OK) << said(again.said_of);
    EXPECT_STREQ(again.outcome.stats_hash, j.outcome.stats_hash) << "the same network";
    host_job more(TRAIN, {"network.number_format=int16", weights.c_str()});
    ASSERT_EQ(more.run(), STATUS_OK) << said(more.said_of);
    EXPECT_LT(more.outcome.learning[0].loss, j.outcome.learning[0].loss) << "not from the start";
}

TEST(HostBackend, InitialWeightsAndReductionHaveNames)
{
    std::vector<double> losses;
    for (const char *set : {"train.initializer=he", "train.initializer=glorot",
                            "train.initializer=lecun", "train.reduction=mean"}) {
        for (const char *format :
             {"network.number_format=float64", "network.number_format=int16"}) {
            host_job j(TRAIN, {set, format, "train.epochs=1"});
            ASSERT_EQ(j.run(), STATUS_OK) << said(j.said_of);
            losses.push_back(j.outcome.loss);
        }
    }
    for (size_t i = 0; i < losses.size(); i += 2) {
        EXPECT_NEAR(losses[i] / losses[i + 1], 1, 0.2) << "doubles and integers: other draws";
        for (size_t j = 0; j < i; j++) {
            EXPECT_NE(losses[i], losses[j]);
        }
    }
}

TEST(HostBackend, ClassifiesInIntegersAndInDoubles)
{
    const std::string data = "data: {set: synthetic, test_images: 200}\n";
    host_job integers(HOST + data + "network: {name: lenet1}\n");
    ASSERT_TRUE(integers.can_run()) << said(integers.said_of);
    ASSERT_EQ(integers.run(), STATUS_OK) << said(integers.said_of);
    EXPECT_TRUE(integers.outcome.has_logits);
    EXPECT_GE(integers.outcome.right, 196u);
    EXPECT_EQ(integers.outcome.trained.block, nullptr);

    host_job doubles(HOST + data + "network: {name: lenet1, number_format: float64}\n");
    ASSERT_TRUE(doubles.can_run()) << said(doubles.said_of);
    ASSERT_EQ(doubles.run(), STATUS_OK) << said(doubles.said_of);
    EXPECT_EQ(integers.outcome.reference_accuracy, doubles.outcome.right / 200.0)
        << "of the same images, not the 0.9957 of the file";
    EXPECT_EQ(doubles.outcome.reference_accuracy, doubles.outcome.right / 200.0);
    EXPECT_FALSE(doubles.outcome.has_logits);
    EXPECT_GE(doubles.outcome.right, 196u);
    uint32_t different = 0;
    for (uint32_t i = 0; i < 200; i++) {
        const auto a = static_cast<int>(integers.outcome.result[i].confidence);
        const auto b = static_cast<int>(doubles.outcome.result[i].confidence);
        different += integers.outcome.result[i].label != doubles.outcome.result[i].label;
        EXPECT_LT(std::abs(a - b), 3000) << i << ": 0.05, from the rounding of weights";
    }
    EXPECT_LE(different, 1u);
}

TEST(HostBackend, RefusesWhatItCannotDo)
{
    host_job dropout(TRAIN, {"network.name=fc128_dropout"});
    EXPECT_FALSE(dropout.can_run());
    EXPECT_TRUE(contains(dropout.said_of.text, "without dropout"));
    host_job no_doubles(HOST + "network: {name: lenet1, number_format: float64}\n"
                               "data: {set: synthetic, test_images: 20}\n");
    free(no_doubles.job.weights.float64);
    no_doubles.job.weights.float64 = nullptr;
    EXPECT_FALSE(no_doubles.can_run());
    EXPECT_STREQ(no_doubles.said_of.key, "network.weights");
    EXPECT_TRUE(contains(no_doubles.said_of.text, "only integers"));
}

} // namespace
