/* spinnsim baseline's parts: sums over processes, joules, and trainings of a configuration. */
#include "tests/unit/data_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern "C" {
#include "sim/baseline/baseline.h"
}

namespace
{

/* ---- sums over members ---- */

/* Calls action(exchange) for every member at the same time, each on a thread. */
template <typename Action> void together(unsigned members, size_t bytes, Action action)
{
    struct exchange exchange;
    struct diagnostic said_of = {};
    ASSERT_EQ(exchange_init(&exchange, members, bytes, &said_of), STATUS_OK) << said(said_of);
    std::vector<std::thread> thread;
    for (unsigned rank = 0; rank < members; rank++) {
        thread.emplace_back([&, rank] {
            struct exchange own = exchange;
            own.rank = rank;
            action(own);
        });
    }
    for (std::thread &one : thread) {
        one.join();
    }
    exchange_deinit(&exchange);
}

TEST(BaselineExchange, AddsInTheOrderOfMembers)
{
    together(3, 80, [](const struct exchange &exchange) {
        struct diagnostic said_of = {};
        /* (1e8 + 1) - 1e8 is 0 in float32; in another order it is 1. */
        const float part[] = {1e8F, 1.0F, -1e8F};
        std::vector<float> floats(20, part[exchange.rank]);
        ASSERT_EQ(exchange_sum(&exchange, EXCHANGE_FLOATS, floats.data(), 20, &said_of), STATUS_OK);
        EXPECT_EQ(floats, std::vector<float>(20, 0.0F));
        std::vector<int32_t> words = {INT32_MAX, static_cast<int32_t>(exchange.rank)};
        ASSERT_EQ(exchange_sum(&exchange, EXCHANGE_WORDS, words.data(), 2, &said_of), STATUS_OK);
        EXPECT_EQ(words, (std::vector<int32_t>{INT32_MAX - 2, 3})) << "sums wrap";
        double one = 0.25 * (exchange.rank + 1);
        ASSERT_EQ(exchange_sum(&exchange, EXCHANGE_DOUBLES, &one, 1, &said_of), STATUS_OK);
        EXPECT_EQ(one, 1.5);
    });
}

TEST(BaselineExchange, OneMemberKeepsItsValues)
{
    together(1, 0, [](const struct exchange &exchange) {
        int32_t word = 7;
        EXPECT_EQ(exchange_sum(&exchange, EXCHANGE_WORDS, &word, 1, nullptr), STATUS_OK);
        EXPECT_EQ(word, 7);
    });
}

/* Sums until it fails; the other process of the two is the one to be killed. */
void sum_for_ever(struct exchange exchange, unsigned rank, pid_t other)
{
    exchange.rank = rank;
    exchange.context = &other;
    exchange.alone = [](void *context) {
        const pid_t pid = *static_cast<pid_t *>(context);
        siginfo_t ended = {};
        return pid == 0 ? getppid() == 1
                        : waitid(P_PID, static_cast<id_t>(pid), &ended,
                                 WEXITED | WNOHANG | WNOWAIT) != 0 ||
                              ended.si_pid != 0;
    };
    int32_t word = 1;
    while (exchange_sum(&exchange, EXCHANGE_WORDS, &word, 1, nullptr) == STATUS_OK) {
    }
}

/* Also while it holds what guards the gate. */
TEST(BaselineExchange, NobodyWaitsForAProcessThatWasKilledAnywhere)
{
    for (unsigned i = 0; i < 30; i++) {
        struct exchange exchange;
        struct diagnostic said_of = {};
        ASSERT_EQ(exchange_init(&exchange, 2, 16, &said_of), STATUS_OK) << said(said_of);
        const pid_t waiting = fork(); /* a process of its own, so that it can be waited for */
        if (waiting == 0) {
            const pid_t child = fork();
            if (child == 0) {
                sum_for_ever(exchange, 1, 0);
                _exit(0);
            }
            std::thread killer([child, i] {
                usleep(1000 + 37 * i);
                (void)kill(child, SIGKILL);
            });
            sum_for_ever(exchange, 0, child);
            killer.join();
            _exit(0);
        }
        int ended = 0;
        for (unsigned looks = 0; waitpid(waiting, &ended, WNOHANG) == 0; looks++) {
            if (looks == 1000) {
                (void)kill(waiting, SIGKILL);
                (void)waitpid(waiting, &ended, 0);
                break;
            }
            usleep(10000);
        }
        exchange_deinit(&exchange);
        ASSERT_EQ(ended, 0) << "kill " << i << ": it waits for ever";
    }
}

TEST(BaselineExchange, NobodyWaitsForAMemberThatHasLeft)
{
    together(3, 16, [](const struct exchange &exchange) {
        struct diagnostic said_of = {};
        int32_t word = 1;
        if (exchange.rank == 1) {
            exchange_leave(&exchange);
            return;
        }
        EXPECT_EQ(exchange_sum(&exchange, EXCHANGE_WORDS, &word, 1, &said_of), STATUS_INTERNAL);
        EXPECT_TRUE(contains(said(said_of), "another process")) << said(said_of);
    });
}

TEST(BaselineExchange, SharesOfABatchCoverIt)
{
    for (const uint32_t count : {0u, 1u, 5u, 192u}) {
        for (const unsigned members : {1u, 2u, 3u, 64u}) {
            EXPECT_EQ(share_first(count, members, 0), 0u);
            EXPECT_EQ(share_first(count, members, members), count);
            for (unsigned i = 0; i < members; i++) {
                const uint32_t share =
                    share_first(count, members, i + 1) - share_first(count, members, i);
                EXPECT_LE(share, count / members + 1);
                EXPECT_GE(share, count / members);
            }
        }
    }
}

/* ---- joules ---- */

byte_string bytes_of(const std::string &text)
{
    return byte_string(text.begin(), text.end());
}

class Joules : public ::testing::Test
{
  protected:
    void zone(const std::string &zone_name, const std::string &name,
              const std::string &energy) const
    {
        (void)folder.write(zone_name + "/name", bytes_of(name + "\n"));
        (void)folder.write(zone_name + "/max_energy_range_uj", bytes_of("1000000\n"));
        (void)folder.write(zone_name + "/energy_uj", bytes_of(energy + "\n"));
    }

    temporary_folder folder;
    struct joule_meter meter = {};
};

TEST_F(Joules, AddsPackagesAndCountersThatWrap)
{
    zone("intel-rapl:0", "package-0", "100");
    zone("intel-rapl:1", "package-1", "900000");
    zone("intel-rapl:1:0", "core", "5");
    zone("intel-rapl:2", "psys", "5");
    joule_meter_open(&meter, folder.path().c_str());
    EXPECT_EQ(meter.packages, 2u);
    joule_meter_begin(&meter);
    zone("intel-rapl:0", "package-0", "250100");
    zone("intel-rapl:1", "package-1", "400000"); /* beyond a million: 500000 more */
    zone("intel-rapl:1:0", "core", "900000");
    joule_meter_read(&meter);
    EXPECT_DOUBLE_EQ(meter.joules, 0.75);
    joule_meter_read(&meter);
    EXPECT_DOUBLE_EQ(meter.joules, 0.75);
    joule_meter_begin(&meter);
    EXPECT_EQ(meter.joules, 0);
}

TEST_F(Joules, NothingIsMeasuredWhereNothingCanBeRead)
{
    joule_meter_open(&meter, folder.file("missing").c_str());
    EXPECT_EQ(meter.packages, 0u);
    zone("intel-rapl:0", "package-0", "no number");
    joule_meter_open(&meter, folder.path().c_str());
    EXPECT_EQ(meter.packages, 0u);
    joule_meter_begin(&meter);
    EXPECT_TRUE(std::isnan(meter.joules));
    zone("intel-rapl:0", "package-0", "1");
    joule_meter_open(&meter, folder.path().c_str());
    ASSERT_EQ(meter.packages, 1u);
    joule_meter_begin(&meter);
    ASSERT_EQ(std::remove(folder.file("intel-rapl:0/energy_uj").c_str()), 0);
    joule_meter_read(&meter);
    EXPECT_TRUE(std::isnan(meter.joules)) << "a counter that goes is no joules";
}

TEST_F(Joules, WattsComeFromATable)
{
    const std::string head = "device,watts_low,watts_high,scope\n\"another\",1,2,core\n";
    const std::string core = "\"" JOULE_CORE "\",";
    struct assumed_watts watts = {};
    struct diagnostic said_of = {};
    const std::string good = folder.write("good.csv", bytes_of(head + core + "2,8,core\n"));
    ASSERT_EQ(assumed_watts_read(&watts, good.c_str(), &said_of), STATUS_OK) << said(said_of);
    EXPECT_EQ(watts.low, 2);
    EXPECT_EQ(watts.value, 4);
    EXPECT_EQ(watts.high, 8);
    for (const char *row : {"", "2", "2,", "2,8", ",8,core", "8,2,core", "0,8,core", "x,8,core",
                            "2 W,8,core", "2,inf,core", "-1,8,core"}) {
        const std::string bad =
            folder.write("bad.csv", bytes_of(*row == '\0' ? head : head + core + row + "\n"));
        EXPECT_EQ(assumed_watts_read(&watts, bad.c_str(), &said_of), STATUS_CONFIGURATION) << row;
        EXPECT_TRUE(contains(said(said_of), "bad.csv")) << said(said_of);
    }
    EXPECT_EQ(assumed_watts_read(&watts, folder.file("none").c_str(), &said_of),
              STATUS_CONFIGURATION);
}

TEST(BaselineWatts, TheShippedTableIsRead)
{
    struct assumed_watts watts = {};
    struct diagnostic said_of = {};
    ASSERT_EQ(assumed_watts_read(&watts, SPINN_CONFIGS_FOLDER "/baselines/watts.csv", &said_of),
              STATUS_OK)
        << said(said_of);
    EXPECT_EQ(watts.low, 4.4);
    EXPECT_EQ(watts.high, 26);
}

/* ---- trainings ---- */

const std::string TRAINING =
    "include: [boards/spin5.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
    "name: test\nmode: train\nbackend: spinnaker\nseed: 3\n"
    "data: {set: synthetic, train_images: 300, test_images: 100}\n"
    "network: {name: lenet1, number_format: int16}\n"
    "mapping: {kind: replica_per_chip, cores_per_image: 4, cores_per_chip: 16, chips: 48}\n"
    "train: {epochs: 1, global_batch: 48, optimizer: momentum, momentum: 0.9,\n"
    "        learning_rate: 0.001953125, warm_up: 0.3, decay: linear}\n";

const std::string LINEAR =
    "name: linear\nvariant: modern\ninput: {channels: 1, height: 28, width: 28}\n"
    "formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}\nlayers:\n"
    "  - {name: h, type: dense, units: 8}\n"
    "  - {name: i, type: dense, units: 8}\n"
    "  - {name: out, type: dense, units: 10, activation: softmax}\n";

class Baseline : public ::testing::Test
{
  protected:
    Baseline()
    {
        request.run.configs_folder = SPINN_CONFIGS_FOLDER;
        request.run.job.workloads_folder = "/no/such/folder";
        request.run.job.threads = 1;
        request.program = &BASELINE_FLOAT32;
        request.processes = request.repeats = 1;
        request.watts_file = SPINN_CONFIGS_FOLDER "/baselines/watts.csv";
        meters = folder.file("none");
        request.meters_folder = meters.c_str();
    }

    enum status run(const std::vector<const char *> &sets = {}, const std::string &text = TRAINING)
    {
        const std::string file = folder.write("test.yaml", bytes_of(text));
        request.run.file = file.c_str();
        request.run.sets = sets.data();
        request.run.set_count = sets.size();
        return baseline_run(&request, &row, &said_of);
    }

    /* `spinnsim run --set backend=host` of what run() has trained. */
    enum status run_on_host(struct experiment *host)
    {
        struct experiment_request same = request.run;
        const std::string file = folder.file("test.yaml");
        const char *const sets[] = {"backend=host"};
        same.file = file.c_str();
        same.sets = sets;
        same.set_count = 1;
        const enum status status = experiment_prepare(host, &same, &said_of);
        return status != STATUS_OK ? status : experiment_execute(host, &said_of);
    }

    void refused(const std::vector<const char *> &sets, const std::vector<std::string> &texts,
                 const std::string &text = TRAINING)
    {
        EXPECT_EQ(run(sets, text), STATUS_CONFIGURATION);
        for (const std::string &part : texts) {
            EXPECT_TRUE(contains(said(said_of), part)) << said(said_of);
        }
    }

    temporary_folder folder;
    std::string meters;
    struct baseline_request request = {};
    struct baseline_row row = {};
    struct diagnostic said_of = {};
};

/* The accuracy of the host backend, which test IntegerTrain compares with the machine's kernels. */
TEST_F(Baseline, Int16IsTheHostBackend)
{
    request.program = &BASELINE_INT16;
    ASSERT_EQ(run(), STATUS_OK) << said(said_of);
    struct experiment host = {};
    ASSERT_EQ(run_on_host(&host), STATUS_OK) << said(said_of);
    EXPECT_EQ(row.accuracy, host.outcome.right / 100.0);
    EXPECT_TRUE(std::isnan(row.validation_accuracy)) << "there are no validation images";
    EXPECT_EQ(row.loss, host.outcome.loss);
    EXPECT_EQ(row.updates, host.outcome.updates);
    EXPECT_STREQ(row.optimizer, "momentum");
    EXPECT_EQ(row.images, 300u);
    experiment_deinit(&host);
    const double loss = row.loss;
    for (const unsigned processes : {2u, 3u}) {
        request.processes = processes;
        ASSERT_EQ(run(), STATUS_OK) << said(said_of);
        EXPECT_NEAR(row.loss, loss, 1e-12) << "sums of gradients are exact in any order";
    }
}

TEST_F(Baseline, ProgramsLearnTheSame)
{
    request.repeats = 2;
    ASSERT_EQ(run({"train.epochs=2"}), STATUS_OK) << said(said_of);
    const struct baseline_row floats = row;
    EXPECT_EQ(floats.updates, 14u);
    EXPECT_EQ(floats.images, 600u);
    EXPECT_EQ(floats.epochs, 2u);
    EXPECT_STREQ(floats.joules_kind, "assumed");
    EXPECT_NEAR(floats.joules / floats.joules_low, std::sqrt(26 / 4.4), 1e-9);
    EXPECT_LE(floats.seconds_train_least, floats.seconds_train);
    EXPECT_LE(floats.seconds_train, floats.seconds_train_most);
    EXPECT_GT(floats.seconds_cold, 0);
    request.repeats = 1;
    request.program = &BASELINE_FLOAT64;
    ASSERT_EQ(run({"train.epochs=2"}), STATUS_OK) << said(said_of);
    EXPECT_NEAR(floats.loss, row.loss, 1e-3 * row.loss);
    EXPECT_NEAR(floats.accuracy, row.accuracy, 0.011);
    request.program = &BASELINE_S1615;
    ASSERT_EQ(run({"train.epochs=2"}), STATUS_OK) << said(said_of);
    EXPECT_NEAR(floats.loss, row.loss, 0.05 * row.loss);
    request.program = &BASELINE_FLOAT32;
    request.processes = 2;
    ASSERT_EQ(run({"train.epochs=2"}), STATUS_OK) << said(said_of);
    EXPECT_NEAR(floats.loss, row.loss, 1e-3 * row.loss);
}

TEST_F(Baseline, StopsAsTheExperimentDoes)
{
    ASSERT_EQ(run({"data.validation_images=100", "data.train_images=200", "train.epochs=9",
                   "test.every_epochs=1", "train.target_accuracy=0.1"}),
              STATUS_OK)
        << said(said_of);
    EXPECT_EQ(row.epochs, 1u) << "more than a tenth is right after one";
    EXPECT_EQ(row.images, 200u);
    EXPECT_GT(row.validation_accuracy, 0.1);
}

TEST_F(Baseline, MeasuresWhereThereAreCounters)
{
    const std::string zone = "rapl/intel-rapl:0";
    (void)folder.write(zone + "/name", bytes_of("package-0\n"));
    (void)folder.write(zone + "/max_energy_range_uj", bytes_of("1000\n"));
    (void)folder.write(zone + "/energy_uj", bytes_of("7\n"));
    meters = folder.file("rapl");
    request.meters_folder = meters.c_str();
    ASSERT_EQ(run(), STATUS_OK) << said(said_of);
    EXPECT_STREQ(row.joules_kind, "measured");
    EXPECT_EQ(row.joules, 0) << "the counter has not moved";
}

TEST_F(Baseline, RefusesWhatItCannotTrain)
{
    refused({"mode=infer", "train=null", "mapping=null"}, {"mode"});
    refused({"network.name=lenet1_1998", "network.variant=1998"}, {"layer conv1", "float32"});
    refused({"train.optimizer=adam", "train.momentum=null"}, {"train.optimizer", "float32"});
    /* Without ReLU nothing stops its growth. */
    (void)folder.write("networks/linear.yaml", bytes_of(LINEAR));
    refused({"network.name=linear", "train.learning_rate=1"}, {"train.learning_rate", "diverged"});
    request.processes = 49;
    refused({}, {"train.global_batch", "49 processes"});
    request.processes = 2;
    request.program = &BASELINE_FLOAT64;
    refused({}, {"float64", "--program int16"});
    request.processes = 1;
    request.watts_file = "missing.csv";
    refused({}, {"missing.csv"});
}

/* ---- stages ---- */

const std::string STAGES =
    "stages:\n"
    "  - {name: a, seed: 1, stream: {images: 600, seed: 4, shift: 1, shear: 0.1}}\n"
    "  - {name: b, seed: 2, from: a, stream: {images: 1250, seed: 5, part: 500, shift: 2, scale: "
    "0.2,"
    " shear: 0.3},\n     filter: {kind: errors, of: [a], keep: 100}}\n"
    "  - {name: c, seed: 3, stream: {images: 1250, seed: 6, part: 500, shift: 2, scale: 0.2,"
    " shear: 0.3},\n     filter: {kind: disagreement, of: [a, b], keep: 60}}\n"
    "vote: {of: [a, b, c], confidence: [0.9]}\n"
    "test: {every_epochs: 0}\n";

/* What `spinnsim run --set backend=host` makes of it, which the machine does bit for bit. */
TEST_F(Baseline, StagesInInt16AreTheHostBackend)
{
    request.program = &BASELINE_INT16;
    ASSERT_EQ(run({}, TRAINING + STAGES), STATUS_OK) << said(said_of);
    struct experiment host = {};
    ASSERT_EQ(run_on_host(&host), STATUS_OK) << said(said_of);
    EXPECT_EQ(row.accuracy, host.outcome.right / 100.0);
    EXPECT_EQ(row.updates, host.outcome.updates);
    EXPECT_EQ(row.images, host.outcome.images_trained);
    EXPECT_EQ(row.epochs, 3u);
    /* The other two train on what networks before them get wrong. */
    EXPECT_LT(row.images, 600u + 1250 + 1250);
    EXPECT_GT(row.images, 600u + 2);
    experiment_deinit(&host);
    const double loss = row.loss;
    request.run.job.threads = 3;
    ASSERT_EQ(run({}, TRAINING + STAGES), STATUS_OK) << said(said_of);
    EXPECT_EQ(row.loss, loss);
}

/* Vectors and threads deform, look and vote alike; looking counts as work. */
TEST_F(Baseline, StagesInFloat32DoNotDependOnThreads)
{
    ASSERT_EQ(run({}, TRAINING + STAGES), STATUS_OK) << said(said_of);
    const struct baseline_row one = row;
    EXPECT_GT(one.accuracy, 0.3);
    request.run.job.threads = 3;
    ASSERT_EQ(run({}, TRAINING + STAGES), STATUS_OK) << said(said_of);
    EXPECT_EQ(row.accuracy, one.accuracy);
    EXPECT_EQ(row.loss, one.loss);
    EXPECT_EQ(row.images, one.images);
    EXPECT_GT(one.gflops * one.seconds_train / double(one.images), 2 * 2 * 119500 / 1e9)
        << "more than LeNet-1's products, forward and for the weights";
}

/* One stage is a training as usual; its loss is that of probabilities with 16 fractional bits. */
TEST_F(Baseline, OneStageIsATrainingAsUsual)
{
    ASSERT_EQ(run(), STATUS_OK) << said(said_of);
    const struct baseline_row usual = row;
    ASSERT_EQ(run({}, TRAINING + "stages: [{name: a, seed: 3}]\n"), STATUS_OK) << said(said_of);
    EXPECT_EQ(row.accuracy, usual.accuracy);
    EXPECT_NEAR(row.loss, usual.loss, 1e-3);
    EXPECT_EQ(row.images, usual.images);
}

/* Nothing is learnt at no rate: the second network is the first, and not a new one. */
TEST_F(Baseline, AStageGoesOnFromAnother)
{
    const std::string first = "stages:\n  - {name: a, seed: 3, epochs: 12}\n";
    const std::string second = "  - {name: b, seed: 9, from: a, learning_rate: 1.0e-9}\n";
    for (const struct baseline_program *program : {&BASELINE_FLOAT32, &BASELINE_INT16}) {
        request.program = program;
        ASSERT_EQ(run({}, TRAINING + first), STATUS_OK) << said(said_of);
        const double accuracy = row.accuracy;
        EXPECT_GT(accuracy, 0.5) << program->name;
        ASSERT_EQ(run({}, TRAINING + first + second), STATUS_OK) << said(said_of);
        EXPECT_EQ(row.accuracy, accuracy) << program->name;
        EXPECT_EQ(row.epochs, 13u);
    }
}

TEST_F(Baseline, RefusesStagesThatItCannotTrain)
{
    request.processes = 2;
    refused({}, {"stages", "processes"}, TRAINING + STAGES);
    request.processes = 1;
    request.program = &BASELINE_FLOAT64;
    refused({}, {"stages", "float64"}, TRAINING + STAGES);
    request.program = &BASELINE_FLOAT32;
    refused({}, {"stages[1].filter", "none of 1 images"},
            TRAINING + "stages:\n  - {name: a, seed: 3, epochs: 12}\n"
                       "  - {name: b, seed: 3, stream: {images: 1}, filter: {kind: errors, of: "
                       "[a], keep: 2}}\n");
    refused({"train.optimizer=adam", "train.momentum=null"}, {"train.optimizer", "float32"},
            TRAINING + STAGES);
}

} // namespace
