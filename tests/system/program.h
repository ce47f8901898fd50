/* program.h - runs spinnsim as a user does, and looks at what it says and writes. */
#pragma once
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

struct finished {
    int status; /* exit status; -1: ended by a signal */
    std::string out, err;
};

using words = std::vector<std::string>;

/* Runs a program to its end; both streams are pipes or files, no terminal. */
finished run_command(const words &command, const std::string &folder = ".");

/* A test with a folder of its own, which is removed afterwards. */
class SystemTest : public ::testing::Test
{
  protected:
    void SetUp() override;
    void TearDown() override;

    /* Skips the test, with the reason, when no ARM programs were built. */
    static bool has_programs();

    /* spinnsim with these arguments, in the test's folder. */
    finished spinnsim(const words &arguments) const;

    /* spinnsim run with --out OUT; expects exit status 0. */
    finished run(const std::string &what, const std::string &out, const words &more = {}) const;

    std::string path(const std::string &name) const; /* in the test's folder */
    void write(const std::string &name, const std::string &text) const;
    std::string read(const std::string &name) const; /* "" when there is none */
    bool exists(const std::string &name) const;
    words files(const std::string &name) const; /* of a folder, sorted */

    /* Writes the manifest that matches a result folder's files, as a forger would. */
    void sign(const std::string &out) const;

    /* Whether the files of a result folder are those of its manifest; else what is wrong. */
    ::testing::AssertionResult matches_manifest(const std::string &out) const;

    /* A number of summary.json, by dotted key; fails the test when it is not there. */
    double number(const std::string &out, const std::string &key) const;
    std::string text(const std::string &out, const std::string &key) const;

    /* Sums over all parts of counters.csv, whole run, by "component.counter". */
    std::map<std::string, uint64_t> counters(const std::string &out) const;

    std::string folder;
};

std::string experiment(const std::string &name); /* path of configs/experiments/NAME.yaml */
std::string program(const std::string &name);    /* path of a built ARM program */

/* The bytes of a built ARM program from address 0 on, as a boot image. */
std::string boot_image_of(const std::string &name);

/* What of a result file's text is the same in every run: not `host` of summary.json, and so not the
 * line of summary.json in manifest.csv, which is its last. */
std::string lasting(const std::string &file, const std::string &text);

/* Lines of a text. */
words lines(const std::string &text);

/* The rows of a table without quoted commas, by the names in its first line; a row of another
 * length fails the test. */
std::vector<std::map<std::string, std::string>> table_rows(const std::string &text);

/* A file anywhere; "" when there is none. */
std::string read_text(const std::string &path);
