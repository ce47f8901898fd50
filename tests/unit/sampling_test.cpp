/* sampling_test.cpp - which updates a sample executes, and what is estimated from them. */
extern "C" {
#include "sim/sampling/estimates.h"
#include "sim/sampling/interval.h"
#include "sim/sampling/places.h"
}

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <vector>

namespace
{

learning of(uint32_t images, uint32_t batch, uint32_t epochs)
{
    learning made = {};
    made.epochs = epochs;
    made.batch = batch;
    made.updates_per_epoch = (images + batch - 1) / batch;
    made.order.images = images;
    return made;
}

struct drawn {
    struct places places = {};
    bool good;

    drawn(const learning &learning, uint32_t updates, uint32_t at, uint32_t seed = 0)
    {
        const places_request request = {&learning, updates, at, seed};
        good = places_draw(&request, &places);
    }
    ~drawn()
    {
        places_deinit(&places);
    }
    drawn(const drawn &) = delete;
    drawn &operator=(const drawn &) = delete;
};

TEST(Places, LieOneInEachStretch)
{
    const learning learning = of(6000, 20, 2); /* 2 epochs of 300 updates */
    for (uint32_t seed = 0; seed < 50; seed++) {
        const drawn d(learning, 20, 6, seed);
        ASSERT_TRUE(d.good);
        ASSERT_EQ(d.places.count, 6u);
        EXPECT_EQ(d.places.small, 6u) << "every batch is whole";
        EXPECT_EQ(d.places.updates, 20u);
        for (uint32_t i = 0; i < 6; i++) {
            const plan_train_part part = d.places.part[i];
            EXPECT_GE(part.first, 100 * i) << seed;
            EXPECT_LE(part.first + part.updates, 100 * (i + 1)) << seed;
            EXPECT_GE(part.first, 1u) << "the first update of all is none among others";
        }
    }
}

TEST(Places, DoNotCrossAnEpochNorTakeItsSmallBatch)
{
    const learning learning = of(210, 20, 3); /* 3 epochs of 10 whole batches and a half */
    std::set<uint32_t> firsts;
    for (uint32_t seed = 0; seed < 200; seed++) {
        const drawn d(learning, 8, 2, seed);
        ASSERT_TRUE(d.good);
        ASSERT_EQ(d.places.count, 3u);
        EXPECT_EQ(d.places.updates, 9u);
        uint32_t end = 0;
        for (size_t i = 0; i < d.places.count; i++) {
            const plan_train_part part = d.places.part[i];
            if (i == d.places.small) {
                EXPECT_EQ(part.first, 10u) << "the first epoch's last batch";
                EXPECT_EQ(part.updates, 1u);
            } else {
                EXPECT_LE(part.first % 11 + part.updates, 10u) << seed;
                firsts.insert(part.first);
            }
            EXPECT_GE(part.first, end) << "in the order of the training";
            end = part.first + part.updates;
        }
    }
    /* Stretches 0..15 and 16..32, parts of 4: from 1 to 6 and 11 to 12, from 16 to 17 and 22 to 28.
     */
    EXPECT_EQ(firsts,
              (std::set<uint32_t>{1, 2, 3, 4, 5, 6, 11, 12, 16, 17, 22, 23, 24, 25, 26, 27, 28}));
}

TEST(Places, NeedThreeUpdatesEach)
{
    const learning learning = of(6000, 20, 1);
    EXPECT_TRUE(drawn(learning, 9, 3).good);
    EXPECT_FALSE(drawn(learning, 8, 3).good);
    EXPECT_TRUE(drawn(learning, 294, 3).good);
    EXPECT_FALSE(drawn(learning, 300, 3).good) << "the first update is never one";
}

TEST(Interval, IsStudents)
{
    const std::vector<double> values = {1, 2, 3, 4};
    const interval four = interval_of(values.data(), values.size());
    EXPECT_DOUBLE_EQ(four.mean, 2.5);
    EXPECT_NEAR(four.half, 3.182 * 0.6454972243679028, 1e-12); /* sqrt(5/3 / 4) */
    const interval two = interval_of(values.data(), 2);
    EXPECT_NEAR(two.half, 12.706 * 0.5, 1e-12);
}

/* A machine whose updates take random times: 1 s and a drift, each with noise. */
struct machine {
    std::vector<double> update;
    double ends, small;

    machine(const learning &learning, double drift, double noise, uint32_t seed)
        : ends(0.25), small(0.5)
    {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal(0, noise);
        const uint32_t count = learning.updates_per_epoch * learning.epochs;
        for (uint32_t i = 0; i < count; i++) {
            update.push_back(1 + drift * i / count + normal(random));
        }
    }

    double sum(uint32_t first, uint32_t count) const
    {
        double seconds = 0;
        for (uint32_t i = first; i < first + count; i++) {
            seconds += update[i];
        }
        return seconds;
    }

    outcome_sampled estimated(const learning &learning, const struct places &places) const
    {
        session_sums none = {};
        std::vector<window_result> results(places.count);
        for (size_t i = 0; i < places.count; i++) {
            const plan_train_part part = places.part[i];
            results[i].sums = &none;
            results[i].first.seconds = i == places.small ? small + ends : sum(part.first, 1) + ends;
            results[i].others.seconds = sum(part.first + 1, part.updates - 1) + ends;
        }
        const auto out = std::make_unique<outcome>();
        EXPECT_EQ(estimates_make(&learning, &places, results.data(), out.get(), nullptr),
                  STATUS_OK);
        const outcome_sampled seconds = out->sample.row[0];
        EXPECT_STREQ(seconds.quantity, "seconds");
        EXPECT_EQ(out->epoch_count, learning.epochs);
        outcome_deinit(out.get());
        return seconds;
    }
};

TEST(Estimates, AreExactOfAMachineWithoutNoise)
{
    for (uint32_t images : {200u, 210u}) {
        const learning learning = of(images, 20, 1);
        const machine even(learning, 0, 0, 1);
        const drawn d(learning, 6, 2);
        ASSERT_TRUE(d.good);
        const outcome_sampled seconds = even.estimated(learning, d.places);
        EXPECT_NEAR(seconds.update, 1, 1e-12);
        EXPECT_NEAR(seconds.epoch, images == 200 ? 10.25 : 10.75, 1e-12);
        EXPECT_NEAR(seconds.epoch_high - seconds.epoch_low, 0, 1e-12);
    }
}

TEST(Estimates, HaveAnHonestInterval)
{
    const learning learning = of(6000, 20, 1);
    for (double drift : {0.0, 0.1}) {
        uint32_t within = 0;
        for (uint32_t seed = 0; seed < 20; seed++) {
            const machine real(learning, drift, 0.02, seed);
            const drawn d(learning, 40, 8, seed);
            ASSERT_TRUE(d.good);
            const outcome_sampled seconds = real.estimated(learning, d.places);
            const double truth = real.sum(0, 300) + real.ends;
            within += truth >= seconds.epoch_low && truth <= seconds.epoch_high;
            EXPECT_NEAR(seconds.epoch, truth, 0.03 * truth);
        }
        EXPECT_GE(within, 18u) << drift;
    }
}

} // namespace
