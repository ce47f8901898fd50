/* training_fake_test.cpp - a training is what the cores have executed: nothing of it comes from the
 * host's kernels (this program has none: each of them is kernel_was_called()), from labels of the
 * test, or from the order in which things arrive; and what goes wrong in the machine is seen. */
#include "tests/system/training_fixture.h"

extern "C" {
#include "sim/experiment/experiment.h"
#include "sim/mapping/plan_train.h"
#include "sim/run_control/session.h"
}

#include <cstddef>
#include <functional>
#include <memory>
#include <set>

namespace
{

unsigned kernel_calls;

} // namespace

/* In the place of every kernel (CMakeLists.txt). */
extern "C" uint32_t kernel_was_called();
extern "C" uint32_t kernel_was_called()
{
    kernel_calls++;
    return 0;
}

namespace
{

using look = std::function<void(struct machine *, enum machine_stop)>;

/* small.yaml in this process, looked at after each slice of machine time. */
class board
{
  public:
    board(const std::string &file, const words &keys, look after = nullptr)
        : after(std::move(after))
    {
        std::vector<const char *> sets = {"train.log_images=true"};
        for (const std::string &key : keys) {
            sets.push_back(key.c_str());
        }
        struct experiment_request request = {};
        request.file = file.c_str();
        request.configs_folder = SPINN_SOURCE_DIR "/configs";
        request.sets = sets.data();
        request.set_count = sets.size();
        request.job.workloads_folder = SPINN_WORKLOAD_DIR;
        request.job.threads = 1;
        request.job.run_until = run_and_look;
        request.job.run_context = this;
        EXPECT_EQ(experiment_prepare(&experiment, &request, &said), STATUS_OK) << said.text;
    }
    ~board()
    {
        experiment_deinit(&experiment);
    }
    board(const board &) = delete;
    board &operator=(const board &) = delete;

    /* The whole run by its backend. */
    enum status run()
    {
        return experiment_execute(&experiment, &said);
    }

    /* The whole run, looked at between its commands. */
    enum status run_in_pieces(const std::function<void(struct session &)> &before)
    {
        const auto session = std::make_unique<struct session>();
        enum status status =
            session_open(session.get(), &experiment.job, &experiment.outcome, &said);
        if (status != STATUS_OK) {
            return status;
        }
        before(*session);
        status = session_train(session.get(), &said);
        if (status == STATUS_OK) {
            status = session_take_down(session.get(), session->stop, &said);
        }
        session_close(session.get());
        return status;
    }

    std::vector<int16_t> block() const
    {
        const auto *from = static_cast<const int16_t *>(experiment.outcome.trained.block);
        return {from, from + (from == nullptr ? 0 : experiment.job.table->parameter_bytes / 2)};
    }

    struct experiment experiment = {};
    struct diagnostic said = {};

  private:
    static enum machine_stop run_and_look(void *context, struct machine *machine, uint64_t time_ps)
    {
        auto *self = static_cast<board *>(context);
        const enum machine_stop stop = machine_run_until(machine, time_ps);
        if (self->after) {
            self->after(machine, stop);
        }
        return stop;
    }

    look after;
};

} // namespace

class TrainingFake : public TrainingTest
{
  protected:
    std::string small() const
    {
        return path("small.yaml");
    }

    const words over_chips = {"board.shape=spin5", "board.width=null", "board.height=null",
                              "mapping.chips=3",   "train.epochs=1",   "data.train_images=48",
                              "data.test_images=6"};
};

/* ---- nothing comes from the host ---- */

TEST_F(TrainingFake, TheHostsKernelsAreNotUsed)
{
    train("out", {"train.log_images=true"});
    kernel_calls = 0;
    board machine(small(), {});
    ASSERT_EQ(machine.run(), STATUS_OK) << machine.said.text;
    EXPECT_EQ(kernel_calls, 0u);
    EXPECT_EQ(machine.experiment.outcome.stats_hash, text("out", "identity.stats_hash"))
        << "of the program that has its kernels";
    ASSERT_EQ(record_write(&machine.experiment.record, path("stubbed").c_str(), &machine.said),
              STATUS_OK);
    EXPECT_EQ(weights("stubbed"), weights("out"));
    EXPECT_EQ(read("stubbed/predictions.csv"), read("out/predictions.csv"));

    board host(small(), on_host());
    ASSERT_EQ(host.run(), STATUS_OK) << host.said.text;
    EXPECT_GT(kernel_calls, 1000u) << "whoever uses them is counted";
    EXPECT_NE(host.block(), machine.block());
}

/* ---- nothing comes from the labels of the test ---- */

TEST_F(TrainingFake, LabelsOfTheTestChangeNothingButTheAccuracy)
{
    board given(small(), {});
    board other(small(), {});
    struct dataset &test = other.experiment.job.test;
    auto *labels = const_cast<uint8_t *>(test.labels);
    for (uint32_t i = 0; i < test.count; i++) {
        labels[i] = 10; /* no class */
    }
    ASSERT_EQ(given.run(), STATUS_OK);
    ASSERT_EQ(other.run(), STATUS_OK);
    EXPECT_STREQ(other.experiment.outcome.stats_hash, given.experiment.outcome.stats_hash);
    EXPECT_EQ(other.block(), given.block());
    EXPECT_GT(given.experiment.outcome.right, 0u);
    EXPECT_EQ(other.experiment.outcome.right, 0u);
}

namespace
{

/* Runs of `least` labels of a list, in memory: byte after byte, or at another distance. */
struct scan {
    const uint8_t *labels;
    uint32_t count;
    size_t found, bytes;
};

void find_labels(void *context, uint8_t, uint8_t, uint32_t, int, const uint8_t *bytes,
                 uint32_t count)
{
    auto *scan = static_cast<struct scan *>(context);
    constexpr size_t LEAST = 4;
    const size_t distances[] = {1, 2, 4, 8, 792, 800};
    scan->bytes += count;
    for (const size_t distance : distances) {
        for (size_t i = 0; i + (LEAST - 1) * distance < count; i++) {
            if ((bytes[i] & 0xc0) != 0x80) {
                continue;
            }
            for (uint32_t l = 0; l + LEAST <= scan->count; l++) {
                bool same = true;
                for (size_t k = 0; k < LEAST && same; k++) {
                    same = bytes[i + k * distance] == scan->labels[l + k];
                }
                scan->found += same;
            }
        }
    }
}

} // namespace

TEST_F(TrainingFake, LabelsOfTheTestAreNowhereInTheMachinesMemory)
{
    std::vector<uint8_t> pattern; /* 0x80 to 0xbf, no two quadruples alike, and no pixels */
    uint32_t word = 1;
    for (unsigned i = 0; i < 20; i++) {
        word = word * 1664525 + 1013904223;
        pattern.push_back(static_cast<uint8_t>(0x80 | (word >> 24 & 0x3f)));
    }
    scan test = {pattern.data(), 20, 0, 0};
    scan train = {pattern.data(), 20, 0, 0};
    board machine(small(), {"train.epochs=1"}, [&](struct machine *at, enum machine_stop) {
        machine_each_written(at, find_labels, &test);
    });
    std::copy(pattern.begin(), pattern.end(),
              const_cast<uint8_t *>(machine.experiment.job.test.labels));
    ASSERT_EQ(machine.run(), STATUS_OK);
    EXPECT_EQ(test.found, 0u);
    EXPECT_GT(test.bytes, 100000u);

    /* The same labels on training images, which do lie there, are found. */
    board control(small(), {"train.epochs=1"}, [&](struct machine *at, enum machine_stop) {
        machine_each_written(at, find_labels, &train);
    });
    std::copy(pattern.begin(), pattern.end(),
              const_cast<uint8_t *>(control.experiment.job.train.labels));
    (void)control.run();
    EXPECT_GT(train.found, 0u);
}

/* ---- each image once an epoch ---- */

TEST_F(TrainingFake, ALogThatRepeatsAnImageIsSeen)
{
    uint32_t log = 0;
    bool planted = false;
    board machine(small(), {}, [&](struct machine *at, enum machine_stop stop) {
        uint32_t first[2] = {};
        const struct machine_core core = {0, 0, 1};
        if (log != 0 && stop == MACHINE_QUIESCENT) {
            ASSERT_EQ(machine_read(at, core, log, first, sizeof first), STATUS_OK);
            if (first[0] != 0) {
                ASSERT_NE(first[0], first[1]);
                ASSERT_EQ(machine_write(at, core, log + 4, first, 4), STATUS_OK);
                planted = true;
            }
        }
    });
    EXPECT_EQ(machine.run_in_pieces(
                  [&](struct session &session) { log = session.plan.train->record[0].log; }),
              STATUS_INTERNAL);
    EXPECT_TRUE(planted);
    EXPECT_NE(std::string(machine.said.text).find("each training image exactly once"),
              std::string::npos)
        << machine.said.text;
}

TEST_F(TrainingFake, ACoreThatTakesAnImageTwiceIsSeen)
{
    board machine(small(), {"data.train_images=96", "train.shards=1"});
    EXPECT_EQ(machine.run_in_pieces([](struct session &session) {
        const struct plan_train *train = session.plan.train;
        const struct nn_train_core &core = train->record[4]; /* first of the second group */
        struct nn_order order = core.order;
        order.seed++; /* another order than the others' */
        ASSERT_EQ(core.member, 0u);
        ASSERT_EQ(core.group, 1u);
        for (unsigned i = 4; i < 8; i++) {
            ASSERT_EQ(machine_write(session.machine, session.plan.core[i].core,
                                    train->record_address[i] +
                                        static_cast<uint32_t>(offsetof(nn_train_core, order)),
                                    &order, sizeof order),
                      STATUS_OK);
        }
    }),
              STATUS_INTERNAL);
    EXPECT_NE(std::string(machine.said.text).find("each training image exactly once"),
              std::string::npos)
        << machine.said.text;
}

TEST_F(TrainingFake, AnImageThatChangesInSdramIsSeen)
{
    for (const uint32_t byte : {400u, 784u}) { /* a pixel, the label */
        board machine(small(), {});
        EXPECT_EQ(machine.run_in_pieces([&](struct session &session) {
            const struct nn_train_core &core = session.plan.train->record[0];
            const uint32_t address = core.images + 3 * core.image_bytes + byte;
            uint8_t value = 0;
            ASSERT_EQ(machine_read(session.machine, session.plan.core[0].core, address, &value, 1),
                      STATUS_OK);
            value ^= 1;
            ASSERT_EQ(machine_write(session.machine, session.plan.core[0].core, address, &value, 1),
                      STATUS_OK);
        }),
                  STATUS_INTERNAL)
            << byte;
    }
}

TEST_F(TrainingFake, ChipsThatDoNotAgreeAreNamed)
{
    uint32_t parameters = 0;
    struct machine_core core = {0, 0, 0};
    board machine(small(), over_chips, [&](struct machine *at, enum machine_stop stop) {
        int16_t value = 0;
        if (parameters != 0 && stop == MACHINE_QUIESCENT) { /* one weight of one chip */
            ASSERT_EQ(machine_read(at, core, parameters, &value, 2), STATUS_OK);
            value = static_cast<int16_t>(value ^ 1);
            ASSERT_EQ(machine_write(at, core, parameters, &value, 2), STATUS_OK);
        }
    });
    EXPECT_EQ(machine.run_in_pieces([&](struct session &session) {
        parameters = session.plan.train->record[0].parameters;
        core = session.plan.chip[1].core;
    }),
              STATUS_INTERNAL);
    EXPECT_NE(std::string(machine.said.text).find("elsewhere"), std::string::npos)
        << machine.said.text;
}

/* ---- any order of arrival ---- */

TEST_F(TrainingFake, AnyOrderOfArrivalGivesTheSameBits)
{
    board as_it_is(small(), over_chips);
    ASSERT_EQ(as_it_is.run(), STATUS_OK) << as_it_is.said.text;
    std::set<uint64_t> times = {as_it_is.experiment.outcome.time_ps};
    const words delays[] = {
        {"link.packet=171 ns", "link.packet_north=140 ns"},
        {"link.packet=143 ns", "link.packet_north=150 ns", "link.credit_latency=50 ns"},
        {"router.core_transit=620 ns", "chip.noc_request=30 ns"},
        {"sdram.cas=9", "chip.dma_word=20 ns"},
        {"clock.cpu=180 MHz", "router.pipeline=8", "link.buffer=4"},
        {"train.pace=0.3"},
    };
    for (const words &delay : delays) {
        words keys = over_chips;
        keys.insert(keys.end(), delay.begin(), delay.end());
        board late(small(), keys);
        ASSERT_EQ(late.run(), STATUS_OK) << delay[0] << late.said.text;
        EXPECT_EQ(late.block(), as_it_is.block()) << delay[0];
        EXPECT_EQ(late.experiment.outcome.late_interrupts, 0u);
        EXPECT_EQ(outcome_dropped_packets(&late.experiment.outcome), 0u);
        times.insert(late.experiment.outcome.time_ps);
    }
    EXPECT_EQ(times.size(), 7u) << "each run took its own way";
}

TEST_F(TrainingFake, AnyNumberOfThreadsGivesTheSameRun)
{
    train("one", over_chips);
    for (const char *threads : {"2", "3"}) {
        train(threads, over_chips, {"--threads", threads});
        EXPECT_EQ(text(threads, "identity.stats_hash"), text("one", "identity.stats_hash"));
        EXPECT_EQ(read(std::string(threads) + "/learning.csv"), read("one/learning.csv"));
        EXPECT_EQ(weights(threads), weights("one"));
    }
}
