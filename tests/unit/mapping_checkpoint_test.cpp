/* Checkpoints: what was written comes back, and no value that no training can have left. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/data/npz.h"
#include "sim/networks/checkpoint.h"
#include "sim/run_control/outcome.h"
}

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace
{

const char DIGEST[] = "the data";
const double NOTHING = std::nan("");
const double ENDLESS = INFINITY;

/* A training of four epochs with ten updates and 100 images each, of which two are done. */
class Checkpoint : public ::testing::Test
{
  protected:
    Checkpoint()
    {
        learning.epochs = 4;
        learning.updates_per_epoch = 10;
        learning.batch = 10;
        learning.order.images = 100;
        learning.rule.optimizer = NN_ADAM;
    }

    using change = std::function<void(struct checkpoint *)>;

    /* Writes a checkpoint with something changed and reads it again. */
    enum status after(const change &spoil, struct checkpoint *read)
    {
        struct checkpoint made;
        EXPECT_EQ(checkpoint_init(&made, &learning, network->table, DIGEST, &diagnostic),
                  STATUS_OK);
        made.epochs = 2;
        made.parameters[0] = -32768; /* is one: NN_VALUE_LEAST */
        for (size_t i = 0; i < 3; i++) {
            made.joules[i] = static_cast<double>(i);
        }
        const double rows[2][CHECKPOINT_ROW] = {
            {10, 1, 100, 0.5, NOTHING, NOTHING, NOTHING, 2.25, NOTHING, NOTHING, NOTHING},
            {20, 2, 200, 1.0, 1, 2, 3, 1.5, 1, 1.75, 0.25}};
        made.rows = 2;
        made.row = static_cast<double(*)[CHECKPOINT_ROW]>(malloc(sizeof rows));
        memcpy(made.row, rows, sizeof rows);
        spoil(&made);
        EXPECT_EQ(checkpoint_write(&made, folder.path().c_str(), &diagnostic), STATUS_OK);
        checkpoint_deinit(&made);
        return checkpoint_read(read, folder.path().c_str(), &learning, network->table, DIGEST,
                               false, &diagnostic);
    }

    void refuses(const char *array, const std::string &text, const change &spoil)
    {
        struct checkpoint read;
        EXPECT_EQ(after(spoil, &read), STATUS_CONFIGURATION) << array << " " << text;
        EXPECT_EQ(diagnostic.file, folder.file("checkpoint.npz"));
        EXPECT_STREQ(diagnostic.key, array);
        EXPECT_TRUE(contains(diagnostic.text, text)) << diagnostic.text;
        EXPECT_NE(diagnostic.hint[0], '\0');
        EXPECT_EQ(read.parameters, nullptr);
        checkpoint_deinit(&read);
    }

    void accepts(const change &spoil)
    {
        struct checkpoint read;
        EXPECT_EQ(after(spoil, &read), STATUS_OK) << said(diagnostic);
        checkpoint_deinit(&read);
    }

    temporary_folder folder;
    std::unique_ptr<test_network> network = lenet1();
    struct learning learning = {};
    struct diagnostic diagnostic = {};
};

TEST_F(Checkpoint, ComesBack)
{
    struct checkpoint read;
    ASSERT_EQ(after([](struct checkpoint *) {}, &read), STATUS_OK) << said(diagnostic);
    EXPECT_EQ(read.epochs, 2u);
    EXPECT_EQ(read.parameters[0], -32768);
    struct outcome outcome = {};
    ASSERT_TRUE(outcome_restore(&outcome, &read));
    ASSERT_EQ(outcome.learning_count, 2u);
    EXPECT_EQ(outcome.learning[1].update, 20u);
    EXPECT_EQ(outcome.learning[1].images, 200u);
    EXPECT_TRUE(std::isnan(outcome.learning[0].accuracy));
    EXPECT_TRUE(std::isnan(outcome.learning[0].validation_accuracy));
    EXPECT_EQ(outcome.learning[1].accuracy, 1);
    EXPECT_EQ(outcome.learning[1].validation_loss, 1.75);
    EXPECT_EQ(outcome.learning[1].validation_accuracy, 0.25);
    outcome_deinit(&outcome);
    checkpoint_deinit(&read);
}

/* From a training before this one: epochs, parameters and state, and none of its results. */
TEST_F(Checkpoint, OfAnEarlierTrainingHasNoResults)
{
    struct checkpoint read;
    ASSERT_EQ(after(
                  [](struct checkpoint *made) {
                      made->training[0] = 'x';
                      made->state[1] = 77;
                      made->time_ps = 5;
                      made->numerics[0] = UINT64_MAX;
                  },
                  &read),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "the checkpoint is of another training");
    const auto read_earlier = [&] {
        return checkpoint_read(&read, folder.path().c_str(), &learning, network->table,
                               "other images", true, &diagnostic);
    };
    ASSERT_EQ(read_earlier(), STATUS_OK) << said(diagnostic);
    EXPECT_EQ(read.epochs, 2u);
    EXPECT_EQ(read.parameters[0], -32768);
    EXPECT_EQ(read.state[1], 77);
    EXPECT_EQ(read.rows, 0u);
    EXPECT_EQ(read.time_ps, 0u);
    EXPECT_EQ(read.numerics[0], 0u);
    EXPECT_EQ(read.joules[2], 0);
    EXPECT_EQ(read.run, nullptr);
    checkpoint_deinit(&read);
    learning.epochs = 2;
    EXPECT_EQ(read_earlier(), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "the checkpoint has no epoch left to train");
    learning.rule.weight_fraction++;
    EXPECT_EQ(read_earlier(), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "the checkpoint is of another network or optimizer");
}

/* `epoch` of 6: every two, the last, both or none. */
TEST(CheckpointIsDue, EverySoManyEpochsOrBehindTheLast)
{
    for (uint64_t epoch = 1; epoch <= 6; epoch++) {
        EXPECT_FALSE(checkpoint_is_due(0, false, epoch, epoch == 6));
        EXPECT_EQ(checkpoint_is_due(0, true, epoch, epoch == 6), epoch == 6);
        EXPECT_EQ(checkpoint_is_due(2, false, epoch, epoch == 6), epoch == 2 || epoch == 4);
        EXPECT_EQ(checkpoint_is_due(2, true, epoch, epoch == 6), epoch % 2 == 0);
    }
}

const uint8_t RUN[] = "the state of a run";

void give_run(struct checkpoint *to)
{
    to->run_bytes = sizeof RUN;
    to->run = static_cast<uint8_t *>(malloc(sizeof RUN));
    memcpy(to->run, RUN, sizeof RUN);
}

/* Changes a bit of one array of a file, whose checksums are right. */
void change_bit(const std::string &path, const std::string &name, size_t at)
{
    struct npz npz;
    struct npz_writer writer;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(npz_open(&npz, path.c_str(), 1 << 24, &diagnostic), STATUS_OK) << said(diagnostic);
    ASSERT_EQ(npz_create(&writer, path.c_str(), &diagnostic), STATUS_OK);
    for (size_t i = 0; i < npz.count; i++) {
        if (npz.array[i].name == name) {
            *(static_cast<uint8_t *>(const_cast<void *>(npz.array[i].data)) + at) ^= 1;
        }
        ASSERT_EQ(npz_add(&writer, &npz.array[i], &diagnostic), STATUS_OK);
    }
    ASSERT_EQ(npz_commit(&writer, &diagnostic), STATUS_OK);
    npz_close(&npz);
}

TEST_F(Checkpoint, TakesARunWithItsSealOnly)
{
    const temporary_folder home;
    const environment_variable cache("XDG_CACHE_HOME", home.path().c_str());
    struct checkpoint read;
    ASSERT_EQ(after(give_run, &read), STATUS_OK) << said(diagnostic);
    ASSERT_EQ(read.run_bytes, sizeof RUN);
    EXPECT_EQ(memcmp(read.run, RUN, sizeof RUN), 0);
    EXPECT_FALSE(read.strange);
    checkpoint_deinit(&read);
    const std::string file = folder.file("checkpoint.npz");
    const auto read_again = [&] {
        ASSERT_EQ(checkpoint_read(&read, folder.path().c_str(), &learning, network->table, DIGEST,
                                  false, &diagnostic),
                  STATUS_OK)
            << said(diagnostic);
    };
    const struct {
        const char *array;
        size_t at;
    } changes[] = {{"epochs", 0}, {"parameters", 0}, {"state", 0},     {"time_ps", 0},
                   {"joules", 0}, {"numerics", 0},   {"learning", 24}, {"since_row", 0},
                   {"run", 3},    {"seal", 7}};
    for (const auto &change : changes) {
        SCOPED_TRACE(change.array);
        change_bit(file, change.array, change.at);
        read_again();
        EXPECT_EQ(read.run, nullptr);
        EXPECT_TRUE(read.strange);
        checkpoint_deinit(&read);
        change_bit(file, change.array, change.at);
        read_again();
        EXPECT_NE(read.run, nullptr);
        checkpoint_deinit(&read);
    }
    const temporary_folder elsewhere;
    const environment_variable other("XDG_CACHE_HOME", elsewhere.path().c_str());
    read_again();
    EXPECT_EQ(read.run, nullptr) << "of another key";
    EXPECT_TRUE(read.strange);
    checkpoint_deinit(&read);
}

TEST_F(Checkpoint, HasNoRunWithoutAKey)
{
    const environment_variable cache("XDG_CACHE_HOME", nullptr);
    const environment_variable home("HOME", nullptr);
    struct checkpoint read;
    ASSERT_EQ(after(give_run, &read), STATUS_OK) << said(diagnostic);
    EXPECT_EQ(read.run, nullptr);
    EXPECT_FALSE(read.strange);
    checkpoint_deinit(&read);
}

TEST_F(Checkpoint, HasNoNumbersThatNoTrainingLeaves)
{
    for (const double bad : {-1.0, 1e300, ENDLESS}) {
        refuses("since_row", "a loss of ", [&](struct checkpoint *c) { c->since_row[0] = bad; });
    }
    for (const double bad : {-1.0, 0.5, 4294967296.0, ENDLESS, NOTHING}) {
        refuses("since_row", "a loss of 0 in ",
                [&](struct checkpoint *c) { c->since_row[1] = bad; });
    }
    refuses("", "a negative number of epochs", [](struct checkpoint *c) { c->epochs = -1u; });
    refuses("time_ps", "value 0 is -1, expected 0 to 4611686018427387903",
            [](struct checkpoint *c) { c->time_ps = UINT64_MAX; });
    refuses("numerics", "value 2 is -9223372036854775808",
            [](struct checkpoint *c) { c->numerics[2] = UINT64_C(1) << 63; });
    refuses("numerics", "value 4 is 4294967296, expected 0 to 4294967295",
            [](struct checkpoint *c) { c->numerics[4] = UINT64_C(1) << 32; });
    for (const double bad : {-1.0, 1e300, ENDLESS, -ENDLESS}) {
        refuses("joules", "value 1 is ", [&](struct checkpoint *c) { c->joules[1] = bad; });
    }
    accepts([](struct checkpoint *c) { c->joules[0] = c->joules[1] = c->joules[2] = NOTHING; });
}

TEST_F(Checkpoint, HasNoRowsThatNoTrainingLeaves)
{
    static const char *const column[] = {"update", "epoch", "images"};
    for (unsigned c = 0; c < 3; c++) {
        for (const double bad : {NOTHING, ENDLESS, -ENDLESS, 1e300, -1.0, 1.5, 201.0}) {
            refuses("learning", std::string(column[c]) + " of row 1 is ",
                    [&](struct checkpoint *of) { of->row[1][c] = bad; });
        }
        refuses("learning", std::string(column[c]) + " of row 1 is ",
                [&](struct checkpoint *of) { of->row[1][c] = of->row[0][c] - 1; });
    }
    for (unsigned c = 3; c < CHECKPOINT_ROW; c++) {
        for (const double bad : {ENDLESS, -ENDLESS, 1e300, -1.0}) {
            refuses("learning", " of row 0 is ",
                    [&](struct checkpoint *of) { of->row[0][c] = bad; });
        }
        accepts([&](struct checkpoint *of) { of->row[0][c] = NOTHING; });
    }
    refuses("learning", "accuracy of row 0 is 1.5, expected a number from 0 to 1, or not a number",
            [](struct checkpoint *of) { of->row[0][8] = 1.5; });
    refuses("learning", "validation accuracy of row 1 is 1.5, expected a number from 0 to 1",
            [](struct checkpoint *of) { of->row[1][10] = 1.5; });
}

TEST_F(Checkpoint, HasTheMomentsOfItsRule)
{
    for (const int32_t good : {0, -(1 << 30), (1 << 30) - 1}) {
        accepts([&](struct checkpoint *c) { c->state[2] = good; });
    }
    for (const int32_t bad : {INT32_MIN, -(1 << 30) - 1, 1 << 30, INT32_MAX}) {
        refuses("state", "value 2 is " + std::to_string(bad) + ", which is no first moment",
                [&](struct checkpoint *c) { c->state[2] = bad; });
    }
    /* exponent and mantissa */
    const auto word = [](uint32_t exponent, uint32_t mantissa) {
        return static_cast<int32_t>(exponent << 26 | mantissa);
    };
    for (const int32_t good : {word(0, 0x3ffffff), word(1, 0x2000000), word(35, 0x2000000)}) {
        accepts([&](struct checkpoint *c) { c->state[3] = good; });
    }
    for (const int32_t bad : {word(1, 0x1ffffff), word(35, 0x2000001), word(36, 0x2000000), -1}) {
        refuses("state", "value 3 is " + std::to_string(bad) + ", which is no second moment",
                [&](struct checkpoint *c) { c->state[3] = bad; });
    }
    learning.rule.optimizer = NN_MOMENTUM;
    accepts([](struct checkpoint *c) { c->state[1] = INT32_MIN; });
    for (const uint8_t optimizer : {NN_ADAGRAD, NN_ACCELEGRAD}) { /* which has z - x before it */
        learning.rule.optimizer = optimizer;
        accepts([&](struct checkpoint *c) { c->state[3] = word(37, 0x2000000); });
        refuses("state", "which is no sum of squares",
                [&](struct checkpoint *c) { c->state[3] = word(37, 0x2000001); });
    }
    accepts([](struct checkpoint *c) { c->state[2] = INT32_MIN; });
}

} // namespace
