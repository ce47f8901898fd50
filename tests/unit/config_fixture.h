/* config_fixture.h - loading configurations from texts, and asking what was refused. */
#pragma once
extern "C" {
#include "sim/config/config.h"
}

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

/* The least that is a run. */
inline const std::string network_run =
    "name: test\ndata: {set: synthetic}\nnetwork: {name: lenet1}\n";
inline const std::string app_run = "name: test\napp: [{file: hello.aplx}]\n";

/* One attempt to load: the configuration, or the diagnostic. */
class loaded
{
  public:
    struct options {
        std::vector<std::string> sets = {};
        bool fragment = false;
        std::string path = "test.yaml";
        bool program = false;   /* `path` names a program; `text` is not used */
        bool from_file = false; /* read `path`; `text` is not used */
        std::string configs_folder = SPINN_CONFIGS_FOLDER;
    };

    explicit loaded(const std::string &text) : loaded(text, options())
    {
    }

    loaded(const std::string &text, const options &how);
    ~loaded();
    loaded(const loaded &) = delete;
    loaded &operator=(const loaded &) = delete;

    const struct sim_config *operator->() const
    {
        return &config;
    }

    std::string dump() const;
    std::string explain() const;
    std::string canonical(enum config_part part) const;

    /* "file:line:column key" of the diagnostic. */
    std::string where() const;

    enum status status = STATUS_INTERNAL;
    struct sim_config config = {};
    struct diagnostic diagnostic = {};
};

/* Loaded, or a failure that shows the diagnostic. */
testing::AssertionResult is_good(const loaded &attempt);

/* Refused at that place with that key, `text` and `hint` being parts of the message. */
testing::AssertionResult is_refused(const loaded &attempt, const std::string &where,
                                    const std::string &text, const std::string &hint = "");

/* A folder of its own for one test, removed afterwards. */
class temporary_folder
{
  public:
    temporary_folder();
    ~temporary_folder();
    temporary_folder(const temporary_folder &) = delete;
    temporary_folder &operator=(const temporary_folder &) = delete;

    /* Writes a file (folders are made) and returns its path. */
    std::string write(const std::string &name, const std::string &content) const;
    std::string path(const std::string &name) const;

  private:
    std::filesystem::path folder_;
};
