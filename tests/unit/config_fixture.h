/* config_fixture.h - loads configurations from texts; checks for diagnostics. */
#pragma once
extern "C" {
#include "sim/config/config.h"
}

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

/* The smallest configuration that can be run. */
inline const std::string network_run =
    "name: test\ndata: {set: synthetic}\nnetwork: {name: lenet1}\n";
inline const std::string app_run = "name: test\napp: [{file: hello.aplx}]\n";

/* One attempt to load a configuration: holds the configuration or the diagnostic. */
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

    /* How many metrics `accept` bounds. */
    size_t bounds() const;

    /* "file:line:column key" of the diagnostic. */
    std::string where() const;

    enum status status = STATUS_INTERNAL;
    struct sim_config config = {};
    struct diagnostic diagnostic = {};
};

/* Success if it was loaded; else a failure that shows the diagnostic. */
testing::AssertionResult is_good(const loaded &attempt);

/* Success if it was refused at that place with that key, with `text` and `hint` as parts of the
 * message. */
testing::AssertionResult is_refused(const loaded &attempt, const std::string &where,
                                    const std::string &text, const std::string &hint = "");

/* A temporary folder for one test, removed at its end. */
class temporary_folder
{
  public:
    temporary_folder();
    ~temporary_folder();
    temporary_folder(const temporary_folder &) = delete;
    temporary_folder &operator=(const temporary_folder &) = delete;

    /* Writes a file (and creates its folders); returns its path. */
    std::string write(const std::string &name, const std::string &content) const;
    std::string path(const std::string &name) const;

  private:
    std::filesystem::path folder_;
};
