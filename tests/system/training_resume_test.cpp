/* training_resume_test.cpp - a training that is cut off, goes on, ends early, or is tested in
 * between comes to the bits of one that was left alone. */
#include "tests/system/resume_fixture.h"

extern "C" {
#include "sim/experiment/experiment.h"
#include "sim/run_control/session.h"
#include "sim/run_control/session_state.h"
}

#include <algorithm>
#include <memory>
#include <sys/stat.h>

TEST_F(TrainingResume, AKilledRunGoesOnToTheSameBits)
{
    train("whole", longer);
    EXPECT_FALSE(exists("whole/checkpoint.npz")) << "of a run that is done nothing is left to do";
    run_and_kill("out", longer);
    train("out", longer, {"--resume", "out"});
    expect_same_files("out", "whole");
    EXPECT_FALSE(exists("out/checkpoint.npz"));
}

/* With everything that a run may record besides. */
TEST_F(TrainingResume, AKilledRunGoesOnToTheSameRecords)
{
    words keys = longer;
    keys.insert(keys.end(), {"record.profile_cycles=1000", "record.interval=500 us",
                             "record.learning_every=3", "train.log_images=true"});
    train("whole", keys);
    run_and_kill("out", keys);
    train("out", keys, {"--resume", "out"});
    expect_same_files("out", "whole");
    EXPECT_GT(lines(read("out/intervals.csv")).size(), 100u);
    EXPECT_GT(lines(read("out/profile.csv")).size(), 10u);
}

/* The mean of a row of learning.csv that begins in one epoch and ends in the next. */
TEST_F(TrainingResume, AKilledRunOnTheHostGoesOnToTheSameFiles)
{
    words keys = longer;
    keys.insert(keys.end(), {"data.train_images=400", "record.learning_every=5"});
    for (const std::string &key : on_host()) {
        keys.push_back(key);
    }
    train("whole", keys);
    run_and_kill("out", keys);
    train("out", keys, {"--resume", "out"});
    expect_same_files("out", "whole");
}

/* A machine's state is taken from oneself only, and as it was written; the rest from anybody. */
TEST_F(TrainingResume, AForeignMachineIsNotTaken)
{
    stop_in_second_epoch("cut", longer);
    train("whole", longer);
    const auto resumes_in_part = [&](const char *what, const std::string &why) {
        SCOPED_TRACE(what);
        const finished result = train("out", longer, {"--resume", "cut"});
        EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
        EXPECT_EQ(weights("out"), weights("whole"));
        EXPECT_EQ(number("out", "resumed_after_epoch"), 1);
        EXPECT_EQ(number("out", "epochs"), 3);
        EXPECT_NEAR(number("out", "train_images_per_second"),
                    number("whole", "train_images_per_second"),
                    0.01 * number("whole", "train_images_per_second"));
        expect_same_learning("whole", "out");
    };
    const std::string cache = path("another_cache");
    ASSERT_EQ(run_command({"mkdir", cache}).status, 0);
    const char *own = getenv("XDG_CACHE_HOME");
    const std::string before = own == nullptr ? "" : own;
    ASSERT_EQ(setenv("XDG_CACHE_HOME", cache.c_str(), 1), 0);
    resumes_in_part("another user's key", "is taken from oneself only");
    ASSERT_EQ(chmod((cache + "/spinnsim/seal.key").c_str(), 0644), 0);
    resumes_in_part("a key that others can read", "is taken from oneself only");
    ASSERT_EQ(before.empty() ? unsetenv("XDG_CACHE_HOME")
                             : setenv("XDG_CACHE_HOME", before.c_str(), 1),
              0);
    words other = longer;
    other.emplace_back("record.interval=1 ms");
    const finished result = train("out", other, {"--resume", "cut"});
    EXPECT_NE(result.err.find("of another configuration, mapping or spinnsim"), std::string::npos)
        << result.err;
    EXPECT_EQ(number("out", "resumed_after_epoch"), 1);
    EXPECT_EQ(weights("out"), weights("whole"));
    train("out", longer, {"--resume", "cut"});
    expect_same_files("out", "whole");
}

TEST_F(TrainingResume, GoesOnInAnyMappingAndOnTheHost)
{
    for (const char *optimizer : {"momentum", "adam", "sgd", "accelegrad"}) {
        words keys = shorter;
        keys.push_back(std::string("train.optimizer=") + optimizer);
        if (std::string(optimizer) == "adam" || std::string(optimizer) == "accelegrad") {
            keys.emplace_back("train.learning_rate=0.001");
        }
        words host = keys;
        for (const std::string &key : on_host()) {
            host.push_back(key);
        }
        words pairs = keys;
        pairs.insert(pairs.end(), {"mapping.cores_per_image=2", "mapping.cores_per_chip=6"});
        run("small.yaml", "whole", sets(host));
        stop_in_second_epoch("cut", keys);
        for (const auto &[out, set] :
             {std::pair{"groups", keys}, std::pair{"pairs", pairs}, std::pair{"host", host}}) {
            train(out, set, {"--resume", "cut"});
            EXPECT_EQ(weights(out), weights("whole")) << out << " " << optimizer;
            if (out == std::string("groups")) { /* the machine that was cut off */
                EXPECT_EQ(text(out, "identity.stats_hash"),
                          text("cut_whole", "identity.stats_hash"));
            } else {
                EXPECT_EQ(number(out, "resumed_after_epoch"), 1);
            }
        }
    }
}

TEST_F(TrainingResume, GoesOnOverOtherChips)
{
    words chips = shorter; /* three of six, joined by a ring */
    chips.insert(chips.end(), {"board.width=3", "board.height=2", "mapping.chips=3",
                               "mapping.cores_per_chip=8"});
    train("whole", shorter);
    stop_in_second_epoch("cut_1", shorter);
    stop_in_second_epoch("cut_3", chips);
    train("one", shorter, {"--resume", "cut_3"});
    train("three", chips, {"--resume", "cut_1"});
    train("again", chips, {"--resume", "cut_3"});
    for (const char *out : {"one", "three", "again"}) {
        EXPECT_EQ(weights(out), weights("whole")) << out;
    }
}

TEST_F(TrainingResume, TheHostsCheckpointGoesOnInTheMachine)
{
    words keys = longer;
    keys.insert(keys.end(), {"data.train_images=400", "train.epochs=3"});
    words host = keys;
    for (const std::string &key : on_host()) {
        host.push_back(key);
    }
    run("small.yaml", "whole", sets(host));
    run_and_kill("cut", host);
    train("out", keys, {"--resume", "cut"});
    EXPECT_EQ(weights("out"), weights("whole"));
    train("host", host, {"--resume", "cut"});
    EXPECT_EQ(weights("host"), weights("whole"));
    for (const char *key : {"largest_sum", "saturations", "weight_saturations"}) {
        const std::string name = std::string("training_numerics.") + key;
        EXPECT_EQ(number("host", name), number("whole", name)) << key;
        EXPECT_EQ(number("out", name), number("whole", name)) << key;
    }
}

TEST_F(TrainingResume, AnythingElseIsRefused)
{
    stop_in_second_epoch("cut", longer);
    const auto refused = [&](const words &keys, const std::string &from, const char *what) {
        words command = {"run", "small.yaml", "--force", "--out", "out", "--resume", from};
        const words options = sets(keys);
        command.insert(command.end(), options.begin(), options.end());
        const finished result = spinnsim(command);
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_NE(result.err.find(what), std::string::npos) << result.err;
        EXPECT_NE(result.err.find("hint:"), std::string::npos) << result.err;
        EXPECT_FALSE(exists("out"));
    };
    const auto with = [&](const char *key) {
        words keys = longer;
        keys.emplace_back(key);
        return keys;
    };
    const char *const other = "the checkpoint is of another training";
    for (const char *key :
         {"seed=2", "train.global_batch=45", "data.train_images=89", "train.epochs=5",
          "train.momentum=0.5", "train.learning_rate=0.0001", "train.rounding=stochastic",
          "train.shards=24", "train.warm_up=0", "train.decay=none", "network.name=fc128"}) {
        refused(with(key), "cut", other);
    }
    refused(with("record.parameter_norms=1"), "cut", "record.parameter_norms");
    refused({"backend=host", "mapping=null", "network.number_format=float64"}, "cut",
            "only a training in int16");
    refused(longer, "gone", "gone/checkpoint.npz");
    ASSERT_EQ(run_command({"mkdir", path("bad")}).status, 0);
    write("bad/checkpoint.npz", "no archive");
    const finished bad =
        spinnsim({"run", "small.yaml", "--force", "--out", "out", "--resume", "bad"});
    EXPECT_EQ(bad.status, 2) << bad.err;
    const finished app = spinnsim({"run", experiment("idle_chip"), "--resume", "cut"});
    EXPECT_EQ(app.status, 2) << app.err;
    EXPECT_NE(app.err.find("only a training in int16"), std::string::npos) << app.err;
}

TEST_F(TrainingResume, MoreEpochsWhereTheRateKnowsNoEnd)
{
    words keys = {"train.decay=none", "train.warm_up=0", "record.checkpoint_every_epochs=1"};
    words three = keys;
    three.emplace_back("train.epochs=3");
    train("whole", three);
    keys.emplace_back("train.epochs=2");
    stop_in_second_epoch("cut", keys);
    train("out", three, {"--resume", "cut"});
    EXPECT_EQ(weights("out"), weights("whole"));
}

/* ---- early stop ---- */

/* Validation decides when a training ends, on the machine and on the host at the same epoch. */
TEST_F(TrainingResume, EndsByValidation)
{
    const struct {
        words keys;
        double epochs;
        const char *why;
    } cases[] = {
        {{"train.patience=2", "train.learning_rate=1e-8"},
         3,
         "the first validation is the best, and two are no better"},
        {{"train.target_accuracy=0.5", "data.train_images=960", "train.learning_rate=0.004"},
         2,
         "the second comes to the target"},
    };
    for (const auto &one : cases) {
        words keys = {"train.epochs=9", "data.validation_images=30", "train.decay=none"};
        keys.insert(keys.end(), one.keys.begin(), one.keys.end());
        train("out", keys);
        EXPECT_EQ(number("out", "epochs"), one.epochs) << one.why;
        for (const std::string &key : on_host()) {
            keys.push_back(key);
        }
        run("small.yaml", "host", sets(keys));
        EXPECT_EQ(weights("out"), weights("host"));
        EXPECT_EQ(number("host", "updates"), number("out", "updates"));
        EXPECT_EQ(number("host", "validation_accuracy"), number("out", "validation_accuracy"));
        EXPECT_EQ(number("host", "images_validated"), 30);
        EXPECT_EQ(read("host/predictions.csv"), read("out/predictions.csv"));
        const std::vector<row> machine = learning("out");
        const std::vector<row> host = learning("host");
        ASSERT_EQ(machine.size(), host.size());
        for (size_t i = 0; i < host.size(); i++) {
            const bool test = std::isfinite(host[i].accuracy);
            EXPECT_EQ(std::isfinite(host[i].validation_accuracy), test);
            if (test) {
                EXPECT_EQ(machine[i].accuracy, host[i].accuracy);
                EXPECT_EQ(machine[i].loss, host[i].loss);
                EXPECT_EQ(machine[i].validation_accuracy, host[i].validation_accuracy);
                EXPECT_EQ(machine[i].validation_loss, host[i].validation_loss);
            }
        }
    }
}

/* Validation images are classified beside the test's; they change nothing in a training. */
TEST_F(TrainingResume, LearnsTheSameWithValidation)
{
    train("without", {});
    train("with", {"data.validation_images=30"});
    EXPECT_EQ(weights("with"), weights("without"));
    EXPECT_EQ(read("with/predictions.csv"), read("without/predictions.csv"));
    EXPECT_EQ(number("with", "images_tested"), 20);
}

TEST(Enough, IsSaidByValidationsAlone)
{
    struct outcome outcome = {};
    struct outcome_learning row = {};
    row.loss = 1;
    row.joules = outcome_no_joules();
    const double accuracy[] = {0.5, NAN, 0.7, 0.7, 0.6, 0.8};
    const uint64_t best[] = {1, 1, 3, 3, 3, 6};
    EXPECT_FALSE(outcome_is_enough(&outcome, 10, 1, 0.1)) << "never validated";
    EXPECT_TRUE(std::isnan(outcome_validation_accuracy(&outcome)));
    for (uint64_t epoch = 1; epoch <= 6; epoch++) {
        row.epoch = epoch;
        row.validation_accuracy = accuracy[epoch - 1];
        row.accuracy = epoch < 6 ? 0.1 * static_cast<double>(epoch) : 1; /* always better */
        ASSERT_TRUE(outcome_add_learning(&outcome, &row));
        for (uint64_t patience = 1; patience < 4; patience++) {
            EXPECT_EQ(outcome_is_enough(&outcome, epoch, patience, 0),
                      epoch - best[epoch - 1] >= patience)
                << epoch << " " << patience;
        }
        EXPECT_FALSE(outcome_is_enough(&outcome, epoch, 0, 0));
        EXPECT_EQ(outcome_is_enough(&outcome, epoch, 0, 0.7), epoch >= 3) << epoch;
        EXPECT_FALSE(outcome_is_enough(&outcome, epoch, 0, 0.9)) << "of the test, not of it";
        EXPECT_EQ(outcome_is_enough(&outcome, epoch, 2, 0.8), epoch >= 5) << epoch;
    }
    EXPECT_EQ(outcome_validation_accuracy(&outcome), 0.8);
    outcome_deinit(&outcome);
}

/* ---- a training that goes on from another ---- */

static words with(words some, const words &more)
{
    some.insert(some.end(), more.begin(), more.end());
    return some;
}

/* Epoch by epoch in runs of their own: on the machine, and on the host from the machine's state. */
TEST_F(TrainingResume, GoesOnFromTheLastCheckpointOfAnother)
{
    for (const char *optimizer : {"momentum", "adam"}) {
        words keys = {"train.decay=none", "train.learning_rate=0.001",
                      std::string("train.optimizer=") + optimizer};
        words one = keys;
        one.insert(one.end(), {"train.epochs=1", "record.last_checkpoint=true"});
        words next = keys;
        next.insert(next.end(), {"train.epochs=2", "train.continues=true"});
        words host = next;
        for (const std::string &key : on_host()) {
            host.push_back(key);
        }
        keys.emplace_back("train.epochs=2");
        train("whole", keys);
        train("one", one);
        const finished quiet = train("next", next, {"--resume", "one"});
        EXPECT_EQ(quiet.err.find("resumed_after_epoch"), std::string::npos) << quiet.err;
        run("small.yaml", "host", with(sets(host), {"--resume", "one"}));
        for (const char *out : {"next", "host"}) {
            EXPECT_EQ(weights(out), weights("whole")) << out << " " << optimizer;
            EXPECT_EQ(read(std::string(out) + "/predictions.csv"), read("whole/predictions.csv"));
            EXPECT_FALSE(exists(std::string(out) + "/checkpoint.npz"));
        }
        EXPECT_NE(weights("one"), weights("whole"));
        const std::vector<row> rows = learning("next"); /* of the second epoch alone */
        for (const row &of : rows) {
            EXPECT_EQ(of.epoch, 2u);
        }
        EXPECT_NEAR(number("next", "seconds_per_epoch"), number("whole", "seconds_per_epoch"),
                    0.02 * number("whole", "seconds_per_epoch"));
    }
}

/* With other images, another batch, and other weights: the state alone is of the checkpoint. */
TEST_F(TrainingResume, GoesOnWithOtherImagesAndWeights)
{
    const words keys = {"backend=host", "mapping=null", "train.decay=none", "train.optimizer=adam",
                        "train.learning_rate=0.001"};
    const words other = {"data.train_images=40", "train.global_batch=24"};
    train("one", with(keys, {"train.epochs=1", "record.last_checkpoint=true"}));
    const words next = with(with(keys, other), {"train.epochs=2", "train.continues=true"});
    train("same", next, {"--resume", "one"});
    train("named", with(next, {"network.weights=one/weights.npz"}), {"--resume", "one"});
    train("anew", with(with(keys, other), {"train.epochs=1"}));
    train("moved", with(next, {"network.weights=anew/weights.npz"}), {"--resume", "one"});
    EXPECT_EQ(weights("named"), weights("same"));
    EXPECT_NE(weights("moved"), weights("same"));
    const finished refused =
        spinnsim(with({"run", "small.yaml", "--out", "none", "--resume", "one"},
                      sets(with(next, {"train.optimizer=rmsprop"}))));
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("the checkpoint is of another network or optimizer"),
              std::string::npos)
        << refused.err;
}

TEST_F(TrainingResume, ContinuesFromAFolderOnly)
{
    const struct {
        words keys;
        const char *message;
    } cases[] = {
        {{"train.continues=true"}, "the training has no checkpoint to go on from"},
        {{"record.last_checkpoint=true", "run.sample.updates=4"}, "checkpoints of their own"},
        {{"record.last_checkpoint=true", "network.number_format=s16.15"},
         "there are no checkpoints of a training in s16.15"},
    };
    for (const auto &one : cases) {
        const finished refused =
            spinnsim(with({"run", "small.yaml", "--out", "none"}, sets(one.keys)));
        EXPECT_EQ(refused.status, 2) << one.message;
        EXPECT_NE(refused.err.find(one.message), std::string::npos) << refused.err;
        EXPECT_FALSE(exists("none"));
    }
}

/* ---- sessions ---- */

static std::unique_ptr<struct experiment> prepare(const std::string &file, const char *key)
{
    struct experiment_request request = {};
    request.file = file.c_str();
    request.configs_folder = SPINN_SOURCE_DIR "/configs";
    request.sets = &key;
    request.set_count = 1;
    request.job.workloads_folder = SPINN_WORKLOAD_DIR;
    request.job.threads = 1;
    request.job.run_until = [](void *, struct machine *machine, uint64_t time_ps) {
        return machine_run_until(machine, time_ps);
    };
    struct diagnostic diagnostic = {};
    auto experiment = std::make_unique<struct experiment>();
    EXPECT_EQ(experiment_prepare(experiment.get(), &request, &diagnostic), STATUS_OK)
        << diagnostic.text;
    return experiment;
}

/* Of the cores of a chip. */
static std::vector<uint32_t> lowest_sps(const struct session *session)
{
    std::vector<uint32_t> all;
    for (uint8_t core = 0; core < 18; core++) {
        struct machine_core at = {};
        at.p = core;
        all.push_back(machine_core_lowest_sp(session->machine, at));
    }
    return all;
}

/* How deep stacks have been before a checkpoint is in it, though no later epoch comes there. */
TEST_F(TrainingResume, TheStacksBeforeACheckpointCount)
{
    struct diagnostic diagnostic = {};
    const auto session = std::make_unique<struct session>();
    const auto first = prepare(path("small.yaml"), "train.epochs=3");
    ASSERT_EQ(session_open(session.get(), &first->job, &first->outcome, &diagnostic), STATUS_OK);
    ASSERT_EQ(session_train_begin(session.get(), &diagnostic), STATUS_OK);
    ASSERT_EQ(session_fit(session.get(), 1, &diagnostic), STATUS_OK);
    const std::vector<uint32_t> lowest = lowest_sps(session.get());
    uint8_t *state = nullptr;
    size_t size = 0;
    session_state_save(session.get(), &state, &size);
    session_close(session.get());
    ASSERT_NE(state, nullptr);
    EXPECT_GE(
        std::count_if(lowest.begin(), lowest.end(), [](uint32_t sp) { return sp != UINT32_MAX; }),
        16);

    const auto second = prepare(path("small.yaml"), "train.epochs=3");
    second->job.resumes = true;
    second->job.checkpoint.run = state; /* ownership moves */
    second->job.checkpoint.run_bytes = size;
    ASSERT_EQ(session_open(session.get(), &second->job, &second->outcome, &diagnostic), STATUS_OK);
    ASSERT_EQ(session_train_begin(session.get(), &diagnostic), STATUS_OK) << diagnostic.text;
    EXPECT_EQ(session->epochs_done, 1u);
    EXPECT_EQ(lowest_sps(session.get()), lowest);
    session_close(session.get());
    experiment_deinit(second.get());
    experiment_deinit(first.get());
}

TEST_F(TrainingResume, FitPredictFitIsFit)
{
    train("whole", {"test.every_epochs=0"});
    struct diagnostic diagnostic = {};
    const auto experiment = prepare(path("small.yaml"), "test.every_epochs=0");
    const auto session = std::make_unique<struct session>();
    struct outcome &outcome = experiment->outcome;
    ASSERT_EQ(session_open(session.get(), &experiment->job, &outcome, &diagnostic), STATUS_OK);
    ASSERT_EQ(session_train_begin(session.get(), &diagnostic), STATUS_OK);
    ASSERT_EQ(session_predict(session.get(), &diagnostic), STATUS_OK);
    ASSERT_EQ(session_fit(session.get(), 1, &diagnostic), STATUS_OK);
    EXPECT_EQ(session->epochs_done, 1u);
    ASSERT_EQ(session_predict(session.get(), &diagnostic), STATUS_OK);
    ASSERT_EQ(session_predict(session.get(), &diagnostic), STATUS_OK);
    ASSERT_EQ(session_fit(session.get(), 1, &diagnostic), STATUS_OK);
    EXPECT_EQ(session->epochs_done, 2u);
    ASSERT_EQ(session_fit(session.get(), 1, &diagnostic), STATUS_OK);
    EXPECT_EQ(session->epochs_done, 2u) << "train.epochs are all";
    ASSERT_TRUE(session->goes_on);
    ASSERT_EQ(session_train_end(session.get(), &diagnostic), STATUS_OK);
    ASSERT_EQ(session_take_down(session.get(), session->stop, &diagnostic), STATUS_OK);
    EXPECT_EQ(outcome.end, OUTCOME_DONE) << outcome.failure;
    EXPECT_EQ(outcome.tests, 4u) << "three, and the last epoch's";
    std::vector<double> accuracy;
    for (size_t i = 0; i < outcome.learning_count; i++) {
        if (std::isfinite(outcome.learning[i].accuracy)) {
            accuracy.push_back(outcome.learning[i].loss);
        }
    }
    ASSERT_EQ(accuracy.size(), 4u);
    EXPECT_EQ(accuracy[1], accuracy[2]) << "a test changes nothing";
    EXPECT_NE(accuracy[0], accuracy[1]);
    EXPECT_NE(accuracy[2], accuracy[3]);
    std::vector<int16_t> trained;
    const std::vector<int16_t> whole = weights("whole");
    const struct network &network = experiment->job.network;
    for (size_t i = 0; i < network.layer_count; i++) {
        const struct nn_layer &layer = experiment->job.table->layer[i];
        if (layer.kind == NN_MAX_POOL2D) {
            continue;
        }
        const auto *block = static_cast<const int16_t *>(outcome.trained.block);
        const auto count = static_cast<size_t>(network_layer_weights(&network.layer[i]));
        trained.insert(trained.end(), block + layer.weights / 2, block + layer.weights / 2 + count);
        trained.insert(trained.end(), block + layer.biases / 2,
                       block + layer.biases / 2 + network_layer_biases(&network.layer[i]));
    }
    EXPECT_EQ(trained, whole);
    session_close(session.get());
    experiment_deinit(experiment.get());
}

/* ---- weights out and in ---- */

TEST_F(TrainingResume, TrainedWeightsGoOutAndIn)
{
    train("out");
    for (const char *backend : {"spinnaker", "host"}) {
        words keys = {"mode=infer",
                      "train=null",
                      "record.learning_every=null",
                      "data.train_images=null",
                      "network.weights=" + path("out/weights.npz"),
                      std::string("backend=") + backend};
        if (std::string(backend) == "host") {
            keys.emplace_back("mapping=null");
        } else {
            keys.insert(keys.end(),
                        {"mapping.kind=replica_per_core", "mapping.cores_per_image=null"});
        }
        run("small.yaml", backend, sets(keys));
        EXPECT_EQ(read(std::string(backend) + "/predictions.csv"), read("out/predictions.csv"))
            << "the same logits, image by image";
        EXPECT_EQ(number(backend, "loss"), number("out", "loss"));
    }
    const words more = {"network.weights=" + path("out/weights.npz"), "train.epochs=1"};
    words host = more;
    for (const std::string &key : on_host()) {
        host.push_back(key);
    }
    train("more", more);
    run("small.yaml", "more_host", sets(host));
    EXPECT_EQ(weights("more"), weights("more_host"));
    train("fresh", {"train.epochs=1"});
    EXPECT_NE(weights("more"), weights("fresh")) << "it begins where the file ends";

    struct npz npz;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(npz_open(&npz, path("more/weights.npz").c_str(), SIZE_MAX / 2, &diagnostic),
              STATUS_OK);
    const auto said = [&](const char *name) {
        const struct npz_array *array = npz_find(&npz, name);
        return array == nullptr
                   ? std::string()
                   : std::string(static_cast<const char *>(array->data), array->item_bytes);
    };
    EXPECT_EQ(said("dataset"), "synthetic");
    EXPECT_EQ(said("dataset_digest").size(), 64u);
    EXPECT_EQ(said("recipe").compare(0, 23, "spinnsim run small.yaml"), 0) << said("recipe");
    EXPECT_NE(said("recipe").find(" --set train.epochs=1"), std::string::npos) << said("recipe");
    npz_close(&npz);
}
