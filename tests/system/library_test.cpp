/* library_test.cpp - the simulator as a library (sim/library/spinnsim.h): runs that are divided,
 * looked at and given up, against runs of the program. */
#include "sim/library/spinnsim.h"
#include "tests/system/training_fixture.h"

#include <memory>

namespace
{

struct closing {
    void operator()(spinnsim *experiment) const
    {
        spinnsim_close(experiment);
    }
};
using handle = std::unique_ptr<spinnsim, closing>;

constexpr uint32_t ALL = SPINNSIM_EVENT(SPINNSIM_EVENTS) - 1;

class Library : public TrainingTest
{
  protected:
    handle open(const words &keys, const std::string &file = "small.yaml")
    {
        std::vector<const char *> sets;
        for (const std::string &key : keys) {
            sets.push_back(key.c_str());
        }
        spinnsim_options options = {};
        options.set = sets.data();
        options.set_count = sets.size();
        struct spinnsim *experiment = nullptr;
        const enum spinnsim_status status =
            spinnsim_open(path(file).c_str(), &options, &experiment, &error);
        EXPECT_EQ(status, SPINNSIM_OK) << error.text;
        return handle(experiment);
    }

    static std::string hash_of(const handle &experiment)
    {
        const char *summary = spinnsim_summary(experiment.get());
        if (summary == nullptr) {
            return "no summary";
        }
        const std::string text = summary;
        const std::string key = "\"stats_hash\": \"";
        const size_t at = text.find(key);
        return at == std::string::npos ? "no hash" : text.substr(at + key.size(), 64);
    }

    std::vector<double> tensor(const handle &experiment, const std::string &name, size_t count)
    {
        std::vector<double> values(count);
        EXPECT_EQ(spinnsim_read(experiment.get(), name.c_str(), values.data(), count, &error),
                  SPINNSIM_OK)
            << error.text;
        return values;
    }

    /* "before_epoch 1 0": name, epoch, update. */
    words events_of(const handle &experiment, uint32_t wanted = ALL)
    {
        words names;
        spinnsim_event event;
        bool ended = false;
        uint64_t time_ps = 0;
        while (!ended) {
            EXPECT_EQ(spinnsim_run_to(experiment.get(), wanted, &event, &ended, &error),
                      SPINNSIM_OK)
                << error.text;
            if (!ended) {
                names.push_back(std::string(spinnsim_event_name(event.kind)) + " " +
                                std::to_string(event.epoch) + " " + std::to_string(event.update));
                EXPECT_GE(event.time_ps, time_ps) << names.back();
                time_ps = event.time_ps;
            }
        }
        return names;
    }

    spinnsim_error error = {};
};

} // namespace

/* The fourteen points, over two epochs of two updates. */
static const words ORDER = {
    "before_run 0 0",         "before_epoch 1 0",    "before_training_set 1 0",
    "before_step 1 1",        "after_step 1 1",      "step_check 1 1",
    "before_step 1 2",        "after_step 1 2",      "step_check 1 2",
    "after_training_set 1 2", "before_test_set 1 2", "before_inference 1 2",
    "after_inference 1 2",    "after_test_set 1 2",  "after_epoch 1 2",
    "epoch_check 1 2",        "before_epoch 2 2",    "before_training_set 2 2",
    "before_step 2 3",        "after_step 2 3",      "step_check 2 3",
    "before_step 2 4",        "after_step 2 4",      "step_check 2 4",
    "after_training_set 2 4", "before_test_set 2 4", "before_inference 2 4",
    "after_inference 2 4",    "after_test_set 2 4",  "after_epoch 2 4",
    "epoch_check 2 4",        "after_run 2 4"};

TEST_F(Library, StandsAtAllEventsInTheirOrderAndGivesTheResultsOfTheProgram)
{
    run(path("small.yaml"), "program");
    const handle experiment = open({});
    EXPECT_EQ(events_of(experiment), ORDER);
    EXPECT_EQ(hash_of(experiment), text("program", "identity.stats_hash"));
    EXPECT_EQ(spinnsim_record(experiment.get(), path("library").c_str(), false, &error),
              SPINNSIM_OK)
        << error.text;
    for (const std::string &file : files("program")) {
        const bool equal =
            lasting(file, read("library/" + file)) == lasting(file, read("program/" + file));
        EXPECT_TRUE(equal) << file;
    }
}

TEST_F(Library, HearsTheSameEventsOnTheHost)
{
    for (const std::string format : {"int16", "s16.15", "float32", "float64"}) {
        words keys = on_host();
        keys.push_back("network.number_format=" + format);
        if (format == "float32") { /* has dense layers alone */
            keys.insert(keys.end(), {"network.name=fc128", "train.learning_rate=0.001"});
        }
        const handle once = open(keys);
        EXPECT_EQ(spinnsim_run(once.get(), &error), SPINNSIM_OK) << error.text;
        const handle experiment = open(keys);
        EXPECT_EQ(events_of(experiment), ORDER) << format;
        EXPECT_EQ(hash_of(experiment), hash_of(once)) << format;
    }
}

TEST_F(Library, ATestAloneHasTheEventsOfATest)
{
    const words order = {"before_run 0 0",      "before_test_set 0 0", "before_inference 0 0",
                         "after_inference 0 0", "after_test_set 0 0",  "after_run 0 0"};
    const words machine = {"mode=infer",
                           "train=null",
                           "record=null",
                           "data.train_images=null",
                           "mapping.kind=replica_per_core",
                           "mapping.cores_per_image=null"};
    const words host = {"mode=infer",   "train=null",  "record=null", "data.train_images=null",
                        "backend=host", "mapping=null"};
    EXPECT_EQ(events_of(open(machine)), order);
    EXPECT_EQ(events_of(open(host)), order);
}

TEST_F(Library, ARunInPartsIsTheRun)
{
    const handle whole = open({});
    EXPECT_EQ(spinnsim_run(whole.get(), &error), SPINNSIM_OK) << error.text;
    const handle parts = open({});
    bool ended = false;
    uint64_t instructions = 0;
    uint64_t time_ps = 0;
    unsigned stands = 0;
    while (!ended) {
        time_ps += 777777777; /* 0.78 ms */
        ASSERT_EQ(spinnsim_run_until(parts.get(), time_ps, &ended, &error), SPINNSIM_OK)
            << error.text;
        if (!ended) {
            uint64_t now = 0;
            stands++;
            EXPECT_EQ(spinnsim_time_ps(parts.get()), time_ps);
            EXPECT_EQ(spinnsim_counter(parts.get(), "core.instructions", -1, -1, &now, &error),
                      SPINNSIM_OK);
            EXPECT_GE(now, instructions);
            instructions = now;
        }
    }
    EXPECT_GT(stands, 10u);
    EXPECT_GT(instructions, 1000000u);
    EXPECT_EQ(hash_of(parts), hash_of(whole));
    EXPECT_EQ(spinnsim_run(parts.get(), &error), SPINNSIM_CONFIGURATION) << "it has ended";
    EXPECT_STREQ(error.text, "the run has ended");
}

TEST_F(Library, TwoAtOnceAreTwoRuns)
{
    const words seeds[2] = {{"seed=1"}, {"seed=2"}};
    std::string alone[2];
    for (int i = 0; i < 2; i++) {
        const handle one = open(seeds[i]);
        EXPECT_EQ(spinnsim_run(one.get(), &error), SPINNSIM_OK) << error.text;
        alone[i] = hash_of(one);
    }
    EXPECT_NE(alone[0], alone[1]);
    handle both[2] = {open(seeds[0]), open(seeds[1])};
    bool ended[2] = {false, false};
    while (!ended[0] || !ended[1]) {
        for (int i = 0; i < 2; i++) {
            if (!ended[i]) {
                ASSERT_EQ(spinnsim_run_to(both[i].get(), SPINNSIM_EVENT(SPINNSIM_AFTER_STEP),
                                          nullptr, &ended[i], &error),
                          SPINNSIM_OK)
                    << error.text;
            }
        }
    }
    EXPECT_EQ(hash_of(both[0]), alone[0]);
    EXPECT_EQ(hash_of(both[1]), alone[1]);
}

TEST_F(Library, TensorsAreThoseOfTheHostBehindEachEpoch)
{
    const handle machine = open({});
    const handle host = open(on_host());
    ASSERT_EQ(spinnsim_tensor_count(machine.get()), 6u);
    size_t parameters = 0;
    for (size_t i = 0; i < 6; i++) {
        spinnsim_tensor found = {};
        ASSERT_TRUE(spinnsim_tensor_at(machine.get(), i, &found));
        parameters += found.count;
        if (i == 0) {
            EXPECT_STREQ(found.name, "conv1.weights");
            EXPECT_EQ(found.rank, 4u);
            EXPECT_EQ(found.count, 4u * 1 * 5 * 5);
            EXPECT_EQ(found.shape[0], 4u);
        }
    }
    EXPECT_EQ(parameters, 3246u);
    EXPECT_FALSE(spinnsim_tensor_at(machine.get(), 6, nullptr));
    std::vector<double> before(100);
    for (int epoch = 0; epoch < 2; epoch++) {
        for (const handle *one : {&machine, &host}) {
            ASSERT_EQ(spinnsim_run_to(one->get(), SPINNSIM_EVENT(SPINNSIM_AFTER_EPOCH), nullptr,
                                      nullptr, &error),
                      SPINNSIM_OK)
                << error.text;
        }
        for (const char *name : {"conv1.weights", "conv1.biases"}) {
            const size_t count = name[6] == 'w' ? 100 : 4;
            EXPECT_EQ(tensor(machine, name, count), tensor(host, name, count)) << name;
        }
        EXPECT_NE(tensor(machine, "conv1.weights", 100), before);
        before = tensor(machine, "conv1.weights", 100);
    }
    EXPECT_EQ(spinnsim_run(machine.get(), &error), SPINNSIM_OK);
    EXPECT_EQ(tensor(machine, "conv1.weights", 100), before) << "the run's last";
}

TEST_F(Library, WhatIsWrittenBeforeTheRunIsWhatItBeginsWith)
{
    const handle drawn = open({});
    ASSERT_EQ(
        spinnsim_run_to(drawn.get(), SPINNSIM_EVENT(SPINNSIM_BEFORE_RUN), nullptr, nullptr, &error),
        SPINNSIM_OK);
    std::vector<double> first = tensor(drawn, "conv1.weights", 100);
    EXPECT_EQ(spinnsim_write(drawn.get(), "conv1.weights", first.data(), 100, &error),
              SPINNSIM_CONFIGURATION)
        << "the run has begun";
    EXPECT_EQ(spinnsim_run(drawn.get(), &error), SPINNSIM_OK);

    /* The same values: the same training.  Another one: another, the same on both backends. */
    const handle same = open({});
    ASSERT_EQ(spinnsim_write(same.get(), "conv1.weights", first.data(), 100, &error), SPINNSIM_OK)
        << error.text;
    EXPECT_EQ(tensor(same, "conv1.weights", 100), first);
    EXPECT_EQ(spinnsim_run(same.get(), &error), SPINNSIM_OK);
    EXPECT_EQ(tensor(same, "conv1.weights", 100), tensor(drawn, "conv1.weights", 100));

    first[7] += 0.25 + 1.0 / 32768; /* rounded to 2^-13 */
    const handle machine = open({});
    const handle host = open(on_host());
    for (const handle *one : {&machine, &host}) {
        ASSERT_EQ(spinnsim_write(one->get(), "conv1.weights", first.data(), 100, &error),
                  SPINNSIM_OK)
            << error.text;
        EXPECT_EQ(tensor(*one, "conv1.weights", 100)[7], first[7] - 1.0 / 32768);
        EXPECT_EQ(spinnsim_run(one->get(), &error), SPINNSIM_OK);
    }
    EXPECT_EQ(tensor(machine, "conv1.weights", 100), tensor(host, "conv1.weights", 100));
    EXPECT_NE(tensor(machine, "conv1.weights", 100), tensor(drawn, "conv1.weights", 100));
}

TEST_F(Library, ATrainingEndsBehindAnEpochOrAnUpdate)
{
    for (const words &keys : {words(), on_host()}) {
        const handle epoch = open(keys);
        ASSERT_EQ(spinnsim_run_to(epoch.get(), SPINNSIM_EVENT(SPINNSIM_AFTER_STEP), nullptr,
                                  nullptr, &error),
                  SPINNSIM_OK);
        spinnsim_stop(epoch.get(), true);
        EXPECT_EQ(spinnsim_run(epoch.get(), &error), SPINNSIM_OK) << error.text;
        const std::string summary = spinnsim_summary(epoch.get());
        EXPECT_NE(summary.find("\"updates\": 2,"), std::string::npos) << "of four";

        const handle update = open(keys);
        ASSERT_EQ(spinnsim_run_to(update.get(), SPINNSIM_EVENT(SPINNSIM_BEFORE_EPOCH), nullptr,
                                  nullptr, &error),
                  SPINNSIM_OK);
        spinnsim_stop(update.get(), false);
        EXPECT_EQ(spinnsim_run(update.get(), &error), SPINNSIM_LIMIT);
        EXPECT_STREQ(error.text, "a hook has ended the run behind update 1");
    }
}

TEST_F(Library, IsClosedAtAnyEvent)
{
    for (const words &keys : {words(), on_host()}) {
        for (int kind = 0; kind < SPINNSIM_EVENTS; kind++) {
            const handle experiment = open(keys);
            bool ended = true;
            EXPECT_EQ(
                spinnsim_run_to(experiment.get(), SPINNSIM_EVENT(kind), nullptr, &ended, &error),
                SPINNSIM_OK);
            EXPECT_FALSE(ended) << kind;
        }
    }
    spinnsim_close(nullptr);
    const handle never_run = open({});
    const handle between = open({});
    EXPECT_EQ(spinnsim_run_until(between.get(), 3000000000, nullptr, &error), SPINNSIM_OK);
}

TEST_F(Library, MemoryOfCoresAndChips)
{
    const handle experiment = open({});
    const spinnsim_place sdram = {0, 0, 1, 0x607ffff0};
    uint8_t bytes[4] = {1, 2, 3, 4};
    uint64_t count = 0;
    EXPECT_EQ(spinnsim_read_memory(experiment.get(), sdram, bytes, 4, &error),
              SPINNSIM_CONFIGURATION);
    EXPECT_STREQ(error.text, "there is a machine while a run of backend spinnaker stands");
    ASSERT_EQ(spinnsim_run_until(experiment.get(), 1000000000, nullptr, &error), SPINNSIM_OK);
    EXPECT_EQ(spinnsim_write_memory(experiment.get(), sdram, bytes, 4, &error), SPINNSIM_OK);
    uint8_t again[4] = {};
    EXPECT_EQ(spinnsim_read_memory(experiment.get(), sdram, again, 4, &error), SPINNSIM_OK);
    EXPECT_EQ(memcmp(bytes, again, 4), 0);
    const spinnsim_place nowhere[] = {{1, 0, 1, 0x60000000},
                                      {0, 0, 1, 0x20000000},
                                      {0, 0, 1, 0x67fffffe},
                                      {0, 0, 99, 0x60000000}};
    for (const spinnsim_place place : nowhere) {
        EXPECT_EQ(spinnsim_read_memory(experiment.get(), place, again, 4, &error),
                  SPINNSIM_CONFIGURATION);
    }
    EXPECT_EQ(spinnsim_counter(experiment.get(), "core.instruction", -1, -1, &count, &error),
              SPINNSIM_CONFIGURATION);
    EXPECT_STREQ(error.key, "core.instruction");
}

TEST_F(Library, SaysWhatIsWrong)
{
    struct spinnsim *experiment = nullptr;
    EXPECT_EQ(spinnsim_open(path("none.yaml").c_str(), nullptr, &experiment, &error),
              SPINNSIM_CONFIGURATION);
    EXPECT_EQ(experiment, nullptr);
    EXPECT_NE(std::string(error.file).find("none.yaml"), std::string::npos);
    const char *const wrong[] = {"mapping.kind=replica_per_chp"};
    spinnsim_options options = {};
    options.set = wrong;
    options.set_count = 1;
    EXPECT_EQ(spinnsim_open(path("small.yaml").c_str(), &options, &experiment, &error),
              SPINNSIM_CONFIGURATION);
    EXPECT_STREQ(error.key, "mapping.kind");
    EXPECT_NE(std::string(error.hint), "");

    const handle host = open(on_host());
    double value = 0;
    EXPECT_EQ(spinnsim_run_until(host.get(), 1, nullptr, &error), SPINNSIM_CONFIGURATION);
    EXPECT_EQ(spinnsim_read(host.get(), "conv9.weights", &value, 1, &error),
              SPINNSIM_CONFIGURATION);
    EXPECT_STREQ(error.key, "conv9.weights");
    EXPECT_EQ(spinnsim_read(host.get(), "conv1.biases", &value, 1, &error), SPINNSIM_CONFIGURATION);
    EXPECT_STREQ(error.text, "the tensor has 4 values, not 1");
    std::vector<double> values(4, NAN);
    EXPECT_EQ(spinnsim_write(host.get(), "conv1.biases", values.data(), 4, &error),
              SPINNSIM_CONFIGURATION);
    EXPECT_EQ(spinnsim_record(host.get(), path("early").c_str(), false, &error),
              SPINNSIM_CONFIGURATION);
    EXPECT_EQ(spinnsim_summary(host.get()), nullptr);
}
