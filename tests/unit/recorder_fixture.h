/* recorder_fixture.h - outcomes that no run has made, and what the recorder makes of them. */
#pragma once
#include "tests/unit/data_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

extern "C" {
#include "sim/results/recorder.h"
#include "sim/results/result_files.h"
#include "sim/results/summary.h"
}

inline std::string written(const std::function<void(FILE *)> &write)
{
    char *text = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    write(stream);
    (void)fclose(stream);
    std::string made(text, size);
    free(text);
    return made;
}

/* A configuration of a machine on which no program runs, and more. */
class config_of
{
  public:
    explicit config_of(const std::string &more = "app: []\n")
    {
        const std::string text = "include: [energy/spinnaker1.yaml]\nname: test\n" + more;
        struct config_request request = {};
        struct diagnostic diagnostic = {};
        request.path = "test.yaml";
        request.text = text.data();
        request.text_bytes = text.size();
        request.configs_folder = SPINN_CONFIGS_FOLDER;
        EXPECT_EQ(config_load(&request, &config, &diagnostic), STATUS_OK) << said(diagnostic);
    }
    ~config_of()
    {
        config_deinit(&config);
    }
    config_of(const config_of &) = delete;
    config_of &operator=(const config_of &) = delete;

    struct sim_config config = {};
};

const struct counter_info ACTIVE = {"active_cycles", "cycle", ""};
const struct counter_info ASLEEP = {"sleep_cycles", "cycle", ""};
const struct counter_info READ = {"bytes_read", "byte", ""};

inline size_t share_of(const std::string &component, const std::string &counter)
{
    for (size_t i = 0; i < machine_share_count(); i++) {
        const struct machine_share_name name = machine_share_name(i);
        if (component == name.component && counter == name.info->name) {
            return i;
        }
    }
    ADD_FAILURE() << component << "." << counter << " is no share of a core";
    return 0;
}

/* Two cores of one chip, 3 s: 1 s of loading, 2 s of testing; two phases. */
class two_cores
{
  public:
    two_cores()
    {
        outcome.time_ps = 3 * s;
        outcome.stage_ps[STAGE_LOAD] = 1 * s;
        outcome.stage_ps[STAGE_TEST] = 2 * s;
        outcome.chips = 1;
        outcome.boards = 1;
        add("core", 1, ACTIVE, 1000);
        add("core", 2, ACTIVE, 5000);
        add("core", 1, ASLEEP, 70);
        add("core", 2, ASLEEP, 7);
        add("sdram", -1, READ, 4096);
        (void)snprintf(outcome.phase[0].name, PHASE_NAME_CHARS, "start");
        (void)snprintf(outcome.phase[1].name, PHASE_NAME_CHARS, "forward");
        (void)snprintf(outcome.phase[1].layer, PHASE_NAME_CHARS, "conv1");
        outcome.phase_count = 2;
        struct phase_sum *start = &outcome.phase_sum[STAGE_LOAD][0];
        start->times = 2;
        start->share[share_of("core", "active_cycles")] = 900;
        start->least_cycles = 400;
        start->most_cycles = 500;
        struct phase_sum *forward = &outcome.phase_sum[STAGE_TEST][1];
        forward->times = 10;
        forward->share[share_of("core", "active_cycles")] = 5100;
        forward->share[share_of("core", "sleep_cycles")] = 77;
        forward->share[share_of("sdram", "bytes_read")] = 4000;
        forward->least_cycles = 1;
        forward->most_cycles = 5176;
        outcome.stage_sum = stage_sum;
        outcome.stage_sum_count = 3;
    }
    ~two_cores()
    {
        free(outcome.counter);
    }
    two_cores(const two_cores &) = delete;
    two_cores &operator=(const two_cores &) = delete;

    void add(const char *component, int instance, const struct counter_info &info, uint64_t value)
    {
        const size_t bytes = (outcome.counter_count + 1) * sizeof *outcome.counter;
        outcome.counter = static_cast<struct outcome_counter *>(realloc(outcome.counter, bytes));
        struct outcome_counter *added = &outcome.counter[outcome.counter_count++];
        *added = {};
        (void)snprintf(added->component, sizeof added->component, "%s", component);
        added->instance = static_cast<int16_t>(instance);
        added->info = &info;
        added->value = value;
    }

    static constexpr uint64_t s = 1000000000000;
    /* of: load, train, test */
    struct outcome_stage_sum stage_sum[3] = {{"core", &ACTIVE, {900, 0, 5100, 0}, 0},
                                             {"core", &ASLEEP, {0, 0, 77, 0}, 0},
                                             {"sdram", &READ, {0, 0, 4000, 0}, 0}};
    struct outcome outcome = {};
};

class tally_of
{
  public:
    explicit tally_of(const struct outcome &outcome)
    {
        struct diagnostic diagnostic = {};
        EXPECT_EQ(tally_of_outcome(&tally, &outcome, &diagnostic), STATUS_OK) << said(diagnostic);
    }
    tally_of(const temporary_folder &folder, const std::string &text)
    {
        (void)folder.write("counters.csv", byte_string(text.begin(), text.end()));
        status = tally_read(&tally, folder.path().c_str(), &said_of);
    }
    ~tally_of()
    {
        tally_deinit(&tally);
    }
    tally_of(const tally_of &) = delete;
    tally_of &operator=(const tally_of &) = delete;

    const struct tally *operator->() const
    {
        return &tally;
    }

    struct tally tally = {};
    struct diagnostic said_of = {};
    enum status status = STATUS_OK;
};

inline std::string table_of(const struct outcome &outcome, bool by_core, bool zeros = false)
{
    return written([&outcome, by_core, zeros](FILE *stream) {
        tally_write(stream, &outcome, by_core, zeros);
    });
}
