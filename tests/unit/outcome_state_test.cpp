/* outcome_state_test.cpp - what an outcome holds of several runs, written and read again. */
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
#include "models/network/link.h"
#include "models/network/router.h"
#include "sim/run_control/outcome_state.h"
}

namespace
{

struct outcome_counter counter(const char *component, const struct counter_info *info,
                               uint64_t value)
{
    struct outcome_counter made = {};
    (void)snprintf(made.component, sizeof made.component, "%s", component);
    made.x = 3;
    made.y = 5;
    made.instance = -1;
    made.info = info;
    made.value = value;
    return made;
}

/* A run whose machine has two counters, one stage that counted, and a place without a block. */
class OutcomeState : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        size_t count;
        router_ = router_counter_info(&count);
        link_ = link_counter_info(&count);
        counters_ = {counter("router", &router_[1], 7), counter("link", &link_[0], UINT64_MAX)};
        places_ = {{1, 2, "sysram", 0x40, true, 9, 3}, {0, 0, nullptr, 0x44, false, 1, 2}};
        run_.chips = 48;
        run_.time_ps = 123456789012345;
        run_.stage_ps[STAGE_TRAIN] = 42;
        run_.phase_count = 1;
        (void)snprintf(run_.phase[0].name, sizeof run_.phase[0].name, "forward");
        run_.phase_sum[STAGE_TRAIN][0].times = 11;
        run_.core_time.idle = 13;
        run_.input.images = 90;
        run_.drops_unrecorded = 17;
        run_.counter = counters_.data();
        run_.counter_count = counters_.size();
        run_.unmodelled = places_.data();
        run_.unmodelled_count = places_.size();
        ASSERT_TRUE(outcome_add_run(&whole_, &run_, false));
        ASSERT_TRUE(outcome_add_stage_sum(&whole_, STAGE_TEST, "router", &router_[1], 5));
        whole_.stage_sum[0].epochs = 4;
    }

    void TearDown() override
    {
        outcome_deinit(&whole_);
    }

    std::vector<uint8_t> written()
    {
        struct session_stream stream = {};
        stream.saving = true;
        outcome_visit_runs(&stream, &whole_);
        EXPECT_FALSE(stream.failed);
        const std::vector<uint8_t> bytes(stream.bytes, stream.bytes + stream.size);
        free(stream.bytes);
        return bytes;
    }

    static bool read(std::vector<uint8_t> &bytes, struct outcome *outcome)
    {
        struct session_stream stream = {};
        stream.bytes = bytes.data();
        stream.size = bytes.size();
        outcome_visit_runs(&stream, outcome);
        return !stream.failed && stream.at == stream.size;
    }

    const struct counter_info *router_, *link_;
    std::vector<struct outcome_counter> counters_;
    std::vector<struct machine_unmodelled> places_;
    struct outcome run_ = {}, whole_ = {};
};

TEST_F(OutcomeState, IsTheSameAfterItWasRead)
{
    std::vector<uint8_t> bytes = written();
    struct outcome other = {};
    ASSERT_TRUE(read(bytes, &other));
    EXPECT_EQ(other.chips, 48u);
    EXPECT_EQ(other.time_ps, 123456789012345u);
    EXPECT_EQ(other.stage_ps[STAGE_TRAIN], 42u);
    EXPECT_EQ(other.phase_count, 1u);
    EXPECT_STREQ(other.phase[0].name, "forward");
    EXPECT_EQ(other.phase_sum[STAGE_TRAIN][0].times, 11u);
    EXPECT_EQ(other.core_time.idle, 13u);
    EXPECT_EQ(other.input.images, 90u);
    EXPECT_EQ(other.drops_unrecorded, 17u);
    ASSERT_EQ(other.counter_count, 2u);
    EXPECT_STREQ(other.counter[0].component, "router");
    EXPECT_EQ(other.counter[0].info, &router_[1]);
    EXPECT_EQ(other.counter[1].info, &link_[0]);
    EXPECT_EQ(other.counter[1].value, UINT64_MAX);
    EXPECT_EQ(other.counter[1].instance, -1);
    ASSERT_EQ(other.stage_sum_count, 1u);
    EXPECT_EQ(other.stage_sum[0].info, &router_[1]);
    EXPECT_EQ(other.stage_sum[0].of[STAGE_TEST], 5u);
    EXPECT_EQ(other.stage_sum[0].epochs, 4u);
    ASSERT_EQ(other.unmodelled_count, 2u);
    EXPECT_STREQ(other.unmodelled[0].block, "sysram");
    EXPECT_EQ(other.unmodelled[1].block, nullptr);
    EXPECT_EQ(other.unmodelled[0].count, 9u);
    outcome_deinit(&other);
}

TEST_F(OutcomeState, TakesAnotherRun)
{
    std::vector<uint8_t> bytes = written();
    struct outcome other = {};
    ASSERT_TRUE(read(bytes, &other));
    ASSERT_TRUE(outcome_add_run(&other, &run_, false));
    EXPECT_EQ(outcome_sum(&other, "router", router_[1].name), 14u);
    EXPECT_EQ(other.time_ps, 2 * run_.time_ps);
    ASSERT_TRUE(outcome_add_stage_sum(&other, STAGE_RUN, "link", &link_[0], 1));
    EXPECT_EQ(other.stage_sum_count, 2u);
    outcome_deinit(&other);
}

TEST_F(OutcomeState, OfFewerBytesIsRefused)
{
    const std::vector<uint8_t> bytes = written();
    for (size_t size = 0; size < bytes.size(); size += 61) {
        std::vector<uint8_t> less(bytes.begin(), bytes.begin() + static_cast<long>(size));
        struct outcome other = {};
        EXPECT_FALSE(read(less, &other)) << size;
        outcome_deinit(&other);
    }
}

} // namespace
