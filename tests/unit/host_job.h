/* host_job.h - a job of the backend `host` from a configuration's text. */
#pragma once
#include "tests/unit/data_fixture.h"

extern "C" {
#include "sim/run_control/backend.h"
}

#include <gtest/gtest.h>

inline const std::string HOST = "include: [energy/spinnaker1.yaml]\nname: test\nbackend: host\n";

class host_job
{
  public:
    explicit host_job(const std::string &text, const std::vector<const char *> &sets = {},
                      const char *path = "test.yaml", unsigned threads = 2)
    {
        struct config_request request = {};
        struct job_options options = {};
        request.path = path;
        request.text = text.data();
        request.text_bytes = text.size();
        request.configs_folder = SPINN_CONFIGS_FOLDER;
        request.sets = sets.data();
        request.set_count = sets.size();
        options.workloads_folder = "/no/such/folder";
        options.threads = threads;
        EXPECT_EQ(config_load(&request, &config, &said_of), STATUS_OK) << said(said_of);
        EXPECT_EQ(job_prepare(&job, &config, &options, &said_of), STATUS_OK) << said(said_of);
    }
    ~host_job()
    {
        outcome_deinit(&outcome);
        job_deinit(&job);
        config_deinit(&config);
    }
    host_job(const host_job &) = delete;
    host_job &operator=(const host_job &) = delete;

    bool can_run()
    {
        return backend_of(&config)->check(&job, &said_of) == STATUS_OK;
    }
    enum status run()
    {
        return backend_of(&config)->run(&job, &outcome, &said_of);
    }

    struct sim_config config = {};
    struct job job = {};
    struct outcome outcome = {};
    struct diagnostic said_of = {};
};
