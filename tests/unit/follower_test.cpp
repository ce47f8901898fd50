/* The host's training beside a run: what is far from it, and when. */
#include "tests/unit/host_job.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/host_backend/job_training.h"
#include "sim/results/recorder.h"
#include "sim/run_control/follower.h"
}

#include <gtest/gtest.h>

#include <cmath>

namespace
{

const std::string TRAIN = HOST +
                          "mode: train\nnetwork: {name: lenet1}\n"
                          "data: {set: synthetic, train_images: 120, test_images: 40}\n"
                          "train: {epochs: 2, global_batch: 24, learning_rate: 0.001953125}\n";

TEST(Follower, DistancesAreEuclids)
{
    const double run[] = {3, 4, 0};
    const double host[] = {3, 0, 3};
    EXPECT_EQ(follower_distance(run, host, 3).length, 5);
    EXPECT_EQ(follower_distance(run, host, 3).distance, 5);
    EXPECT_EQ(follower_distance(run, host, 1).distance, 0);
}

/* A parameter block as doubles, laid out as weights_place() says. */
std::vector<double> doubles_of(const host_job &j, const void *parameters)
{
    std::vector<double> all;
    const auto *block = static_cast<const int16_t *>(parameters);
    for (size_t i = 0; i < j.job.network.layer_count; i++) {
        const int16_t *weights = block + j.job.table->layer[i].weights / 2;
        const int16_t *biases = block + j.job.table->layer[i].biases / 2;
        for (size_t k = 0; k < network_layer_weights(&j.job.network.layer[i]); k++) {
            all.push_back(weights[k] / 8192.0);
        }
        for (size_t k = 0; k < network_layer_biases(&j.job.network.layer[i]); k++) {
            all.push_back(biases[k] / 8192.0);
        }
    }
    return all;
}

/* A run in the host's integers, as it comes from a modelled machine: update by update. */
class followed
{
  public:
    followed() : j(TRAIN)
    {
        j.config.backend = CONFIG_BACKEND_SPINNAKER; /* only follower_open() looks at it */
        EXPECT_EQ(learning_of(&j.config, &j.job.network, j.job.train.count, &learning, &j.said_of),
                  STATUS_OK);
        EXPECT_EQ(host_training_initial(&j.job, &HOST_FORMAT_int16, &initial, &j.said_of),
                  STATUS_OK);
        const struct host_training training =
            host_training_of(&j.job, &HOST_FORMAT_int16, &learning, initial);
        EXPECT_EQ(trainer_open(&training, &trainer, &j.said_of), STATUS_OK);
        EXPECT_EQ(follower_open(&j.job, &follower, &j.said_of), STATUS_OK) << said(j.said_of);
    }
    ~followed()
    {
        follower_close(follower);
        trainer_close(trainer);
        free(initial);
    }
    followed(const followed &) = delete;
    followed &operator=(const followed &) = delete;

    /* The next update; a fault is added to one parameter. */
    enum status update(size_t place = 0, int16_t fault = 0)
    {
        EXPECT_EQ(trainer_step(trainer, &j.said_of), STATUS_OK);
        const auto *at = static_cast<const int16_t *>(trainer_parameters(trainer));
        std::vector<int16_t> block(at, at + j.job.table->parameter_bytes / 2);
        block[place] = static_cast<int16_t>(block[place] + fault);
        return follower_update(follower, ++updates, block.data(), &j.outcome, &j.said_of);
    }

    std::string rows() const
    {
        std::string all;
        for (size_t i = 0; i < j.outcome.parameters_count; i++) {
            const struct outcome_parameters &row = j.outcome.parameters[i];
            all += std::to_string(row.update) + row.layer + (row.distance == 0 ? " " : "! ");
        }
        return all;
    }

    host_job j;
    struct learning learning = {};
    void *initial = nullptr;
    struct trainer *trainer = nullptr;
    struct follower *follower = nullptr;
    uint64_t updates = 0;
};

TEST(Follower, AMachineIsAsFarAsItsFault)
{
    followed run;
    ASSERT_EQ(run.update(), STATUS_OK);
    const size_t place = run.j.job.table->layer[2].biases / 2 + 1;
    ASSERT_EQ(run.update(place, 3), STATUS_OK);
    ASSERT_EQ(run.update(), STATUS_OK);
    EXPECT_EQ(run.rows(), "1conv1 1conv2 1output 2conv1 2conv2! 2output 3conv1 3conv2 3output ");
    EXPECT_EQ(run.j.outcome.parameters[4].distance, std::ldexp(3, -13));
    EXPECT_GT(run.j.outcome.parameters[0].length, 1);
}

/* Several updates at once: those of an epoch on a machine. */
TEST(Follower, CatchesUp)
{
    followed run;
    for (uint32_t i = 0; i < 4; i++) {
        ASSERT_EQ(trainer_step(run.trainer, &run.j.said_of), STATUS_OK);
    }
    ASSERT_EQ(follower_update(run.follower, 2, nullptr, &run.j.outcome, &run.j.said_of), STATUS_OK);
    run.updates = 4;
    ASSERT_EQ(run.update(), STATUS_OK);
    EXPECT_EQ(run.rows(), "5conv1 5conv2 5output ");
    EXPECT_EQ(follower_update(run.follower, 10, nullptr, &run.j.outcome, &run.j.said_of),
              STATUS_OK);
    EXPECT_EQ(follower_update(run.follower, 11, nullptr, &run.j.outcome, &run.j.said_of),
              STATUS_INTERNAL)
        << "the host has come to its end";
}

/* The host's integers beside doubles from the same weights and in the same order: a layer is off by
 * less than a thirtieth of how far it has moved; from doubles that see the images in another order,
 * by more. */
TEST(Follower, TheHostsIntegersAreNearTheDoubles)
{
    host_job j(TRAIN, {"record.parameter_norms=5"});
    ASSERT_EQ(j.run(), STATUS_OK) << said(j.said_of);
    ASSERT_EQ(j.outcome.parameters_count, 6u);
    void *initial = nullptr;
    ASSERT_EQ(host_training_initial(&j.job, &HOST_FORMAT_int16, &initial, &j.said_of), STATUS_OK);
    const std::vector<double> before = doubles_of(j, initial);
    const std::vector<double> after = doubles_of(j, j.outcome.trained.block);
    free(initial);
    struct learning learning = {};
    ASSERT_EQ(learning_of(&j.config, &j.job.network, j.job.train.count, &learning, &j.said_of),
              STATUS_OK);
    struct host_training training =
        host_training_of(&j.job, &HOST_FORMAT_FLOAT64, &learning, before.data());
    training.shuffled = true;
    struct trainer *trainer = nullptr;
    ASSERT_EQ(trainer_open(&training, &trainer, &j.said_of), STATUS_OK);
    ASSERT_EQ(trainer_run(trainer, &j.said_of), STATUS_OK);
    const auto *other = static_cast<const double *>(trainer_parameters(trainer));
    for (size_t i = 0; i < 6; i++) {
        const struct outcome_parameters &row = j.outcome.parameters[i];
        const size_t layer = (i % 3) * 2;
        EXPECT_EQ(row.update, i < 3 ? 5u : 10u);
        EXPECT_STREQ(row.layer, j.job.network.layer[layer].name);
        const size_t at = weights_place(&j.job.network, layer).weights;
        const size_t count = network_layer_weights(&j.job.network.layer[layer]) +
                             network_layer_biases(&j.job.network.layer[layer]);
        const double moved = follower_distance(&after[at], &before[at], count).distance;
        EXPECT_GT(row.distance, 0);
        EXPECT_LT(row.distance, moved / 30);
        EXPECT_GT(follower_distance(&after[at], other + at, count).distance, moved / 30);
    }
    trainer_close(trainer);
}

/* After one update it is the weights' rounding: to 2^-15, no longer to 2^-13. */
TEST(Follower, IntegersOfTheOtherFormatAreNearer)
{
    host_job narrow(TRAIN, {"record.parameter_norms=1"});
    host_job wide(TRAIN, {"record.parameter_norms=1", "network.number_format=s16.15"});
    ASSERT_EQ(narrow.run(), STATUS_OK) << said(narrow.said_of);
    ASSERT_EQ(wide.run(), STATUS_OK) << said(wide.said_of);
    ASSERT_EQ(wide.outcome.parameters_count, 30u);
    for (size_t i = 0; i < 3; i++) {
        const struct outcome_parameters &row = wide.outcome.parameters[i];
        const double expected = narrow.outcome.parameters[i].distance / 4;
        EXPECT_NEAR(row.length, narrow.outcome.parameters[i].length, row.length / 1000);
        EXPECT_NEAR(row.distance, expected, expected / 3);
    }
}

/* Gradients are words of 2^-20, each product half a unit away: nothing else is to be seen. */
TEST(Follower, SinglesStayNearDoubles)
{
    host_job j(TRAIN,
               {"record.parameter_norms=1", "network.number_format=float32", "network.name=fc16"});
    ASSERT_EQ(j.run(), STATUS_OK) << said(j.said_of);
    ASSERT_EQ(j.outcome.parameters_count, 20u);
    for (size_t i = 0; i < 20; i++) {
        const struct outcome_parameters &row = j.outcome.parameters[i];
        EXPECT_GT(row.distance, row.length * 1e-8);
        EXPECT_LT(row.distance, row.length * 4e-6) << row.update;
    }
}

TEST(Follower, WritesItsRowsWhenThereAreAny)
{
    for (const bool wanted : {false, true}) {
        host_job j(TRAIN, {wanted ? "record.parameter_norms=10" : "record.parameter_norms=0"});
        struct record record;
        ASSERT_EQ(j.run(), STATUS_OK) << said(j.said_of);
        ASSERT_EQ(record_make(&record, &j.job, &j.outcome, &j.said_of), STATUS_OK);
        const temporary_folder folder;
        const std::string path = folder.file("run");
        ASSERT_EQ(record_write(&record, path.c_str(), &j.said_of), STATUS_OK) << said(j.said_of);
        ASSERT_EQ(record_write(&record, path.c_str(), &j.said_of), STATUS_OK)
            << "over its own results: " << said(j.said_of);
        record_deinit(&record);
        const byte_string text = wanted ? read_file(path + "/parameters.csv") : byte_string();
        const std::string rows(text.begin(), text.end());
        EXPECT_EQ(rows.find("update,layer,length,distance\n10,conv1,"),
                  wanted ? 0 : std::string::npos)
            << rows;
        EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), wanted ? 4 : 0);
        EXPECT_EQ(access((path + "/parameters.csv").c_str(), F_OK) == 0, wanted);
    }
}

TEST(Follower, DoublesCannotFollowEverything)
{
    host_job j(TRAIN, {"record.parameter_norms=1", "network.name=fc128_dropout"});
    EXPECT_EQ(j.run(), STATUS_CONFIGURATION);
    EXPECT_STREQ(j.said_of.key, "record.parameter_norms");
}

} // namespace
