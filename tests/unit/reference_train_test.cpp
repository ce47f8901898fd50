/* Training in double precision: the schedule's values, one update by hand, the same bits on any
 * number of threads, and what makes no sense. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/data/sha256.h"
#include "sim/host_backend/parallel.h"
#include "sim/host_backend/trainer.h"
#include "sim/networks/learning.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

namespace
{

using doubles = std::vector<double>;

/* ---- schedule ---- */

TEST(TrainingSchedule, RisesOverTheWarmUpAndFallsToZero)
{
    const struct nn_schedule s = training_schedule_of(313, 1, 0.3, CONFIG_DECAY_LINEAR, 1);
    EXPECT_EQ(s.updates, 313u);
    EXPECT_EQ(s.warm_up, 94u) << "0.3 x 313 = 93.9";
    EXPECT_EQ(nn_rate(&s, 0), 3u) << "256 / 94 = 2.7";
    EXPECT_EQ(nn_rate(&s, 46), 128u);
    EXPECT_EQ(nn_rate(&s, 92), 253u);
    EXPECT_EQ(nn_rate(&s, 93), 256u);
    EXPECT_EQ(nn_rate(&s, 94), 256u) << "219 of 219 are left";
    EXPECT_EQ(nn_rate(&s, 95), 255u);
    EXPECT_EQ(nn_rate(&s, 312), 1u) << "256 / 219 = 1.2";
}

/* The warm-up is a share of the first epoch, the decay goes over all. */
TEST(TrainingSchedule, StretchesOverAllEpochs)
{
    const struct nn_schedule s = training_schedule_of(313, 10, 0.3, CONFIG_DECAY_LINEAR, 1);
    EXPECT_EQ(s.updates, 3130u);
    EXPECT_EQ(s.warm_up, 94u);
    EXPECT_EQ(nn_rate(&s, 94 + 1518), 128u) << "half of 3036 are left";
    EXPECT_EQ(nn_rate(&s, 3129), 1u) << "never 0: 256 / 3036 = 0.08";
}

TEST(TrainingSchedule, ConstantWithoutDecay)
{
    const struct nn_schedule s = training_schedule_of(10, 2, 0.5, CONFIG_DECAY_NONE, 1);
    EXPECT_EQ(s.warm_up, 5u);
    EXPECT_EQ(nn_rate(&s, 3), 205u);
    for (uint32_t update = 4; update < 20; update++) {
        EXPECT_EQ(nn_rate(&s, update), 256u);
    }
}

TEST(TrainingSchedule, WarmUpOfNothingAndOfAll)
{
    const struct nn_schedule none = training_schedule_of(10, 1, 0, CONFIG_DECAY_LINEAR, 1);
    EXPECT_EQ(none.warm_up, 0u);
    EXPECT_EQ(nn_rate(&none, 0), 256u);
    EXPECT_EQ(nn_rate(&none, 9), 26u);
    const struct nn_schedule all = training_schedule_of(10, 1, 1, CONFIG_DECAY_LINEAR, 1);
    EXPECT_EQ(all.warm_up, 10u);
    EXPECT_EQ(nn_rate(&all, 0), 26u);
    EXPECT_EQ(nn_rate(&all, 9), 256u);
}

TEST(TrainingOrder, IsAnotherPermutationInEachEpoch)
{
    constexpr uint32_t COUNT = 1000;
    std::vector<uint32_t> first(COUNT);
    std::vector<uint32_t> again(COUNT);
    std::vector<uint32_t> next(COUNT);
    trainer_order(1, 0, first.data(), COUNT);
    trainer_order(1, 0, again.data(), COUNT);
    trainer_order(1, 1, next.data(), COUNT);
    EXPECT_EQ(first, again);
    size_t kept = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        kept += first[i] == next[i];
    }
    EXPECT_LT(kept, 10u);
    trainer_order(2, 0, next.data(), COUNT);
    EXPECT_NE(first, next);
    std::sort(first.begin(), first.end());
    for (uint32_t i = 0; i < COUNT; i++) {
        ASSERT_EQ(first[i], i);
    }
    uint32_t alone = 7;
    trainer_order(1, 0, &alone, 1);
    EXPECT_EQ(alone, 0u);
    trainer_order(1, 0, &alone, 0);
    EXPECT_EQ(alone, 0u) << "nothing is written";
}

/* ---- threads ---- */

TEST(Parallel, DoesEachTaskOnce)
{
    for (const unsigned threads : {0u, 1u, 2u, 5u, 300u}) {
        struct seen {
            std::vector<std::atomic<int>> done = std::vector<std::atomic<int>>(77);
            std::atomic<unsigned> highest{0};
        } all;
        struct parallel *parallel = parallel_create(threads);
        ASSERT_NE(parallel, nullptr);
        EXPECT_EQ(parallel_workers(parallel), std::min(std::max(threads, 1u), 64u));
        for (int round = 1; round <= 3; round++) {
            parallel_run(
                parallel, all.done.size(),
                [](void *context, unsigned worker, size_t task) {
                    auto *s = static_cast<seen *>(context);
                    s->done[task]++;
                    unsigned highest = s->highest;
                    while (worker > highest && !s->highest.compare_exchange_weak(highest, worker)) {
                    }
                },
                &all);
            for (const auto &count : all.done) {
                EXPECT_EQ(count, round);
            }
        }
        EXPECT_LT(all.highest, parallel_workers(parallel));
        parallel_run(
            parallel, 0, [](void *, unsigned, size_t) { FAIL() << "there is no task"; }, nullptr);
        parallel_destroy(parallel);
    }
}

/* ---- training ---- */

/* A window is pooled first, so that an image costs little. */
const std::string FAST = "name: fast\nvariant: modern\n"
                         "input: {channels: 1, height: 28, width: 28}\nlayers:\n"
                         "  - {name: p, type: max_pool2d, size: 4}\n"
                         "  - {name: c, type: conv2d, maps: 3, kernel: 3, activation: relu}\n"
                         "  - {name: out, type: dense, units: 10, activation: softmax}\n";

class training
{
  public:
    training(uint32_t train_images, uint32_t test_images, const std::string &yaml = FAST)
        : network(yaml), train("synthetic", DATASET_TRAIN, train_images),
          test("synthetic", DATASET_TEST, test_images)
    {
        request.format = &HOST_FORMAT_FLOAT64;
        request.network = &network.network;
        request.train = &train.dataset;
        request.test = &test.dataset;
        request.shuffled = true;
        request.seed = 1;
        request.learning = &learning;
        request.reals.optimizer = CONFIG_OPTIMIZER_MOMENTUM;
        request.reals.momentum = 0.9;
        request.reals.rate = 0x1p-8;
        request.threads = 2;
        request.context = this;
        request.listener = [](void *context, const struct trainer_news *news, bool *,
                              struct diagnostic *) {
            auto *self = static_cast<training *>(context);
            if (news->event == TRAINER_UPDATED || news->event == TRAINER_TESTED) {
                self->progress.push_back(*news);
            }
            return STATUS_OK;
        };
    }
    training(const training &) = delete;
    training &operator=(const training &) = delete;

    enum status run()
    {
        struct trainer *trainer = nullptr;
        learning.epochs = epochs;
        learning.batch = batch;
        learning.updates_per_epoch = (train.dataset.count + batch - 1) / batch;
        learning.order.images = train.dataset.count;
        learning.schedule =
            training_schedule_of(learning.updates_per_epoch, epochs, warm_up, decay, 1);
        if (initial.empty()) {
            initial.resize(network.parameters());
            reference_draw(&network.network, CONFIG_INITIALIZER_HE, 1, initial.data());
        }
        request.initial = initial.data();
        progress.clear();
        trained.clear();
        enum status status = trainer_open(&request, &trainer, &said_of);
        if (status == STATUS_OK) {
            status = trainer_run(trainer, &said_of);
        }
        if (status == STATUS_OK) {
            const auto *found = static_cast<const double *>(trainer_parameters(trainer));
            trained.assign(found, found + network.parameters());
        }
        trainer_close(trainer);
        return status;
    }

    const doubles &parameters() const
    {
        return trained;
    }

    /* Sum of the gradients of these images, by the one-image functions. */
    doubles gradients(const doubles &at, const std::vector<uint32_t> &which) const
    {
        struct reference_pass pass;
        struct diagnostic diagnostic = {};
        doubles sum(network.parameters());
        EXPECT_EQ(reference_pass_init(&pass, &network.network, &diagnostic), STATUS_OK);
        for (const uint32_t i : which) {
            (void)reference_forward(&pass, at.data(), train.image(i));
            reference_backward(&pass, at.data(), train.dataset.labels[i], sum.data());
        }
        reference_pass_deinit(&pass);
        return sum;
    }

    test_network network;
    images train, test;
    uint32_t epochs = 1, batch = 16;
    double warm_up = 0.3;
    enum config_decay decay = CONFIG_DECAY_LINEAR;
    struct learning learning = {};
    struct host_training request = {};
    doubles initial; /* empty: drawn */
    doubles trained;
    struct diagnostic said_of = {};
    std::vector<struct trainer_news> progress;
};

/* v <- m v + rate step / 256 G, w <- w - v, for the batches 0..15, 16..31 and the rest, 32..39. */
TEST(ReferenceTrain, FollowsItsRule)
{
    training t(40, 10);
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    std::vector<uint32_t> order(40);
    trainer_order(1, 0, order.data(), 40);
    doubles w(t.network.parameters());
    doubles v(t.network.parameters());
    reference_draw(&t.network.network, CONFIG_INITIALIZER_HE, 1, w.data());
    const uint32_t step[] = {256, 256, 128}; /* 3 updates, the first is the warm-up */
    for (size_t update = 0; update < 3; update++) {
        const auto first = order.begin() + static_cast<ptrdiff_t>(16 * update);
        const auto last = update == 2 ? order.end() : first + 16;
        const doubles g = t.gradients(w, std::vector<uint32_t>(first, last));
        for (size_t i = 0; i < w.size(); i++) {
            v[i] = 0.9 * v[i] + 0x1p-8 * step[update] / 256 * g[i];
            w[i] -= v[i];
        }
    }
    const doubles found = t.parameters();
    for (size_t i = 0; i < w.size(); i++) {
        ASSERT_NEAR(found[i], w[i], 1e-14) << i;
    }
    EXPECT_EQ(t.progress.back().update, 3u);
    EXPECT_EQ(t.progress.back().images, 40u);
}

/* a <- a + 0.1 (G - a), u <- u + 0.001 (G^2 - u), and both divided by what is missing of them. */
TEST(ReferenceTrain, FollowsAdam)
{
    training t(48, 10);
    t.request.reals.optimizer = CONFIG_OPTIMIZER_ADAM;
    t.request.reals.rate = 0x1p-6;
    t.warm_up = 0;
    t.epochs = 2;
    t.decay = CONFIG_DECAY_STEP;
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    std::vector<uint32_t> order(48);
    doubles w(t.network.parameters());
    doubles a(w.size());
    doubles u(w.size());
    reference_draw(&t.network.network, CONFIG_INITIALIZER_HE, 1, w.data());
    for (int update = 0; update < 6; update++) {
        trainer_order(1, static_cast<uint32_t>(update / 3), order.data(), 48);
        const auto first = order.begin() + 16 * (update % 3);
        const doubles g = t.gradients(w, std::vector<uint32_t>(first, first + 16));
        for (size_t i = 0; i < w.size(); i++) {
            a[i] += 0.1 * (g[i] - a[i]);
            u[i] += 0.001 * (g[i] * g[i] - u[i]);
            const double mean = a[i] / (1 - std::pow(0.9, update + 1));
            const double square = u[i] / (1 - std::pow(0.999, update + 1));
            const double rate = update < 3 ? 0x1p-6 : 0x1p-7; /* halved after an epoch */
            w[i] -= rate * mean / (std::sqrt(square) + 1e-8);
        }
    }
    const doubles found = t.parameters();
    for (size_t i = 0; i < w.size(); i++) {
        ASSERT_NEAR(found[i], w[i], 1e-10) << i;
    }
}

/* Their x, y and z one beside the other, and the sums of squares; AdaGrad is the same with weights
 * of 1, for which x is z. */
TEST(ReferenceTrain, FollowsAdaGradAndAcceleGrad)
{
    for (const bool accelerated : {false, true}) {
        training t(48, 10);
        t.request.reals.optimizer =
            accelerated ? CONFIG_OPTIMIZER_ACCELEGRAD : CONFIG_OPTIMIZER_ADAGRAD;
        t.request.reals.rate = 0x1p-6;
        t.warm_up = 0;
        t.epochs = 3;
        t.decay = CONFIG_DECAY_NONE;
        ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
        std::vector<uint32_t> order(48);
        const auto weight = [&](int step) {
            return accelerated && step > 2 ? (step + 1) / 4.0 : 1.0;
        };
        doubles x(t.network.parameters());
        doubles u(x.size());
        reference_draw(&t.network.network, CONFIG_INITIALIZER_HE, 1, x.data());
        doubles y = x;
        doubles z = x;
        for (int update = 0; update < 9; update++) {
            trainer_order(1, static_cast<uint32_t>(update / 3), order.data(), 48);
            const auto first = order.begin() + 16 * (update % 3);
            const double a = weight(update);
            for (size_t i = 0; i < x.size(); i++) {
                x[i] = z[i] / a + (1 - 1 / a) * y[i];
            }
            const doubles g = t.gradients(x, std::vector<uint32_t>(first, first + 16));
            for (size_t i = 0; i < x.size(); i++) {
                u[i] += a * a * g[i] * g[i];
                const double rate = 0x1p-6 / (std::sqrt(u[i]) + 1e-8);
                z[i] -= a * rate * g[i];
                y[i] = x[i] - rate * g[i];
            }
        }
        const doubles found = t.parameters();
        for (size_t i = 0; i < x.size(); i++) {
            const double a = weight(9);
            ASSERT_NEAR(found[i], z[i] / a + (1 - 1 / a) * y[i], 1e-10) << i << accelerated;
        }
    }
}

TEST(ReferenceTrain, BeginsWithGivenParameters)
{
    training t(16, 10);
    random_source random(4);
    const doubles initial = random.units(t.network.parameters(), 0.1);
    t.initial = initial;
    t.request.reals.momentum = 0;
    t.warm_up = 0;
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    std::vector<uint32_t> all(16);
    trainer_order(1, 0, all.data(), 16);
    const doubles g = t.gradients(initial, all);
    const doubles found = t.parameters();
    for (size_t i = 0; i < g.size(); i++) {
        ASSERT_NEAR(found[i], initial[i] - 0x1p-8 * g[i], 1e-15) << i;
    }
}

TEST(ReferenceTrain, IsTheSameOnAnyNumberOfThreads)
{
    training t(100, 30);
    t.epochs = 2;
    t.batch = 24;
    t.request.threads = 1;
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    const doubles expected = t.parameters();
    const std::vector<struct trainer_news> reported = t.progress;
    for (const unsigned threads : {2u, 3u, 16u, 40u}) {
        t.request.threads = threads;
        ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
        const doubles found = t.parameters();
        EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(double)), 0);
        ASSERT_EQ(t.progress.size(), reported.size());
        for (size_t i = 0; i < reported.size(); i++) {
            EXPECT_EQ(t.progress[i].loss, reported[i].loss) << "to the last bit";
            EXPECT_EQ(t.progress[i].accuracy, reported[i].accuracy);
        }
    }
}

/* The bits that the committed weights rest on, in small: 192 images of LeNet-1's own recipe. */
TEST(ReferenceTrain, IsTheSameWithEveryCompiler)
{
    std::string yaml;
    for (const uint8_t byte : read_file(networks_folder() + "lenet1.yaml")) {
        yaml.push_back(static_cast<char>(byte));
    }
    training t(192, 20, yaml);
    t.epochs = 2;
    t.batch = 48;
    t.request.reals.rate = 0x1p-9;
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    EXPECT_EQ(sha256_of(t.trained.data(), t.network.parameters() * sizeof(double)),
              "074a3a7af4df3a50ae9e87ab8739f0dbe07aaebd798d3f35e4f21f0cfcbf28c3");
}

TEST(ReferenceTrain, ReportsUpdatesAndTests)
{
    training t(50, 20);
    t.epochs = 5;
    t.request.test_every_epochs = 2;
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    std::vector<uint32_t> tested;
    uint64_t updates = 0;
    for (const struct trainer_news &p : t.progress) {
        EXPECT_EQ(p.updates, 20u);
        if (p.event == TRAINER_TESTED) {
            tested.push_back(p.epoch);
            EXPECT_EQ(p.update, 4u * p.epoch);
            continue;
        }
        updates++;
        EXPECT_EQ(p.update, updates);
        EXPECT_EQ(p.images,
                  50 * ((updates - 1) / 4) + std::min<uint64_t>(50, 16 * ((updates - 1) % 4 + 1)));
        EXPECT_EQ(p.epoch, (updates - 1) / 4 + 1);
    }
    EXPECT_EQ(updates, 20u);
    EXPECT_EQ(tested, (std::vector<uint32_t>{2, 4, 5})) << "the last is always tested";
    t.request.test_every_epochs = 0;
    ASSERT_EQ(t.run(), STATUS_OK);
    EXPECT_EQ(std::count_if(t.progress.begin(), t.progress.end(),
                            [](const struct trainer_news &p) { return p.event == TRAINER_TESTED; }),
              1);
}

TEST(ReferenceTrain, Learns)
{
    training t(1000, 300);
    t.epochs = 6;
    ASSERT_EQ(t.run(), STATUS_OK) << said(t.said_of);
    EXPECT_GT(t.progress.back().accuracy, 200 / 300.0);
    EXPECT_LT(t.progress.back().loss, 0.5 * t.progress.front().loss);
}

/* ---- what makes no sense ---- */

TEST(ReferenceTrain, EndsWhereALossIsNoNumber)
{
    training t(40, 10);
    t.request.reals.rate = 1e300;
    EXPECT_EQ(t.run(), STATUS_CONFIGURATION);
    EXPECT_STREQ(t.said_of.key, "train.learning_rate") << said(t.said_of);
    EXPECT_TRUE(contains(t.said_of.text, "has diverged")) << said(t.said_of);
    t.request.reals.rate = 0x1p-8;
    t.request.reals.momentum = std::nextafter(1.0, 0.0);
    EXPECT_EQ(t.run(), STATUS_OK) << said(t.said_of);
}

TEST(ReferenceTrain, RefusesDataThatDoNotFit)
{
    const std::string head = "name: n\nvariant: modern\ninput: {channels: 1, height: 28, width: ";
    const std::string out = "}\nlayers:\n  - {name: o, type: dense, activation: softmax, units: ";
    training narrow(20, 10, head + "27" + out + "10}\n");
    EXPECT_EQ(narrow.run(), STATUS_CONFIGURATION);
    EXPECT_TRUE(
        contains(narrow.said_of.text, "takes 1 x 28 x 27 pixels, an image has 1 x 28 x 28"));
    training few(20, 10, head + "28" + out + "9}\n");
    EXPECT_EQ(few.run(), STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(few.said_of.text, "has 9 outputs, the data set 10 classes"));
    training none(20, 10);
    none.train.dataset.count = 0;
    EXPECT_EQ(none.run(), STATUS_CONFIGURATION);
    EXPECT_STREQ(none.said_of.key, "data.set");
    none.train.dataset.count = 20;
    none.test.dataset.count = 0;
    EXPECT_EQ(none.run(), STATUS_CONFIGURATION);
    EXPECT_STREQ(none.said_of.key, "data.set");
}

} // namespace
