/* run_counters_test.cpp - the counters that an outcome keeps: their order, and what is hashed. */
#include "tests/unit/machine_fixture.h"

extern "C" {
#include "models/chip/sdram.h"
#include "sim/run_control/counters.h"
}

#include <gtest/gtest.h>

#include <algorithm>

namespace
{

/* What counters.c leaves to its lists: every counter, sorted by comparing all of its name. */
using row = std::tuple<std::string, std::string, int, int, int, uint64_t>;

std::vector<row> all_of(const struct machine *machine)
{
    std::vector<row> rows;
    machine_each_counter(
        machine,
        [](void *context, const struct machine_counter *counter) {
            static_cast<std::vector<row> *>(context)->emplace_back(
                counter->component, counter->info->name, counter->x, counter->y, counter->instance,
                counter->value);
        },
        &rows);
    std::sort(rows.begin(), rows.end());
    return rows;
}

std::string digest_of(struct sha256 hash)
{
    uint8_t digest[SHA256_BYTES];
    sha256_final(&hash, digest);
    return std::string(digest, digest + sizeof digest);
}

std::string digest_of(const std::vector<row> &rows)
{
    struct sha256 hash;
    sha256_init(&hash);
    for (const auto &[component, name, x, y, instance, value] : rows) {
        const std::string line = component + " " + name + " " + std::to_string(x) + " " +
                                 std::to_string(y) + " " + std::to_string(instance) + " " +
                                 std::to_string(value) + "\n";
        sha256_update(&hash, line.data(), line.size());
    }
    return digest_of(hash);
}

/* Twelve chips on a torus; two cores of different chips run, the others never start. */
class RunCounters : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        machine_config config = bench_config();
        config.topology.shape = TOPOLOGY_TORUS;
        config.topology.width = 4;
        config.topology.height = 3;
        ASSERT_EQ(machine_create(&config, &machine_, nullptr), STATUS_OK);
        Program program;
        program.store(SDRAM, 1);
        program.branch(program.here());
        for (const struct machine_core core : {machine_core{2, 1, 3}, machine_core{0, 2, 1}}) {
            ASSERT_EQ(machine_write(machine_, core, program.base(), program.words().data(),
                                    4 * static_cast<uint32_t>(program.words().size())),
                      STATUS_OK);
            ASSERT_EQ(machine_start_core(machine_, core, CODE, 0), STATUS_OK);
        }
        machine_run_until(machine_, 20 * US);
    }

    void TearDown() override
    {
        machine_destroy(machine_);
    }

    /* Takes them and returns the digest of what was hashed. */
    std::string take(bool zeros, std::vector<row> &rows)
    {
        struct outcome outcome = {};
        struct sha256 hash;
        sha256_init(&hash);
        EXPECT_EQ(counters_take(machine_, zeros, &outcome, &hash, nullptr), STATUS_OK);
        for (size_t i = 0; i < outcome.counter_count; i++) {
            const struct outcome_counter *at = &outcome.counter[i];
            rows.emplace_back(at->component, at->info->name, at->x, at->y, at->instance, at->value);
        }
        free(outcome.counter);
        return digest_of(hash);
    }

    struct machine *machine_ = nullptr;
};

TEST_F(RunCounters, StandByNameThenByPlace)
{
    const std::vector<row> all = all_of(machine_);
    std::vector<row> taken;
    EXPECT_EQ(take(true, taken), digest_of(all));
    EXPECT_EQ(taken, all);
}

TEST_F(RunCounters, ThatAreZeroAreHashedButNotKept)
{
    std::vector<row> all = all_of(machine_);
    std::vector<row> taken;
    EXPECT_EQ(take(false, taken), digest_of(all));
    const auto is_zero = [](const row &of) { return std::get<5>(of) == 0; };
    ASSERT_TRUE(std::any_of(all.begin(), all.end(), is_zero));
    all.erase(std::remove_if(all.begin(), all.end(), is_zero), all.end());
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(taken, all);
}

/* Runs of one machine are added up although different counters of them are 0. */
TEST_F(RunCounters, OfTwoRunsAreAddedUp)
{
    size_t count;
    const struct counter_info *info = sdram_counter_info(&count);
    struct outcome_counter one[] = {{"core", 0, 0, 1, &info[0], 1}, {"core", 0, 1, 2, &info[0], 2}};
    struct outcome_counter other[] = {{"core", 0, 0, 4, &info[0], 8},
                                      {"core", 0, 1, 2, &info[0], 16},
                                      {"sdram", 0, 0, -1, &info[0], 32}};
    struct outcome whole = {};
    struct outcome run = {};
    run.counter = one;
    run.counter_count = 2;
    ASSERT_TRUE(outcome_add_run(&whole, &run, false));
    run.counter = other;
    run.counter_count = 3;
    ASSERT_TRUE(outcome_add_run(&whole, &run, false));
    std::vector<uint64_t> values;
    for (size_t i = 0; i < whole.counter_count; i++) {
        values.push_back(whole.counter[i].value);
    }
    EXPECT_EQ(values, (std::vector<uint64_t>{1, 8, 18, 32}));
    run.counter = nullptr;
    outcome_deinit(&whole);
}

} // namespace
