/* data_fixture.h - shared by the tests of sim/data: a temporary folder, files in it, gzip, texts of
 * diagnostics. */
#pragma once
#include <cstdint>
#include <string>
#include <vector>

extern "C" {
#include "models/common/status.h"
}

using byte_string = std::vector<uint8_t>;

/* A fresh folder, removed with everything in it at the end. */
class temporary_folder
{
  public:
    temporary_folder();
    ~temporary_folder();
    temporary_folder(const temporary_folder &) = delete;
    temporary_folder &operator=(const temporary_folder &) = delete;

    const std::string &path() const
    {
        return path_;
    }
    std::string file(const std::string &name) const
    {
        return path_ + "/" + name;
    }
    /* Writes a file (and the folders above it); returns its path. */
    std::string write(const std::string &name, const byte_string &content) const;
    std::vector<std::string> names() const; /* sorted, of this folder only */

  private:
    std::string path_;
};

/* Sets an environment variable (nullptr: removes it) until the end of the scope. */
class environment_variable
{
  public:
    environment_variable(const char *name, const char *value);
    ~environment_variable();
    environment_variable(const environment_variable &) = delete;
    environment_variable &operator=(const environment_variable &) = delete;

  private:
    std::string name_;
    bool was_set_;
    std::string old_value_;
};

byte_string read_file(const std::string &path);
byte_string gzip_of(const byte_string &content);
byte_string deflate_of(const byte_string &content); /* raw, as in zip entries */

/* An IDX file of unsigned bytes. */
byte_string idx_of(const std::vector<uint32_t> &shape, const byte_string &elements);

std::string sha256_of(const void *bytes, size_t size);

/* Everything a diagnostic says, for HasSubstr-like checks and failure messages. */
std::string said(const struct diagnostic &diagnostic);
bool contains(const std::string &text, const std::string &part);

/* The folder with the MNIST files, empty when SPINNSIM_DATA is not set. */
std::string mnist_folder();

#define SKIP_WITHOUT_MNIST()                                                                       \
    if (mnist_folder().empty()) {                                                                  \
        GTEST_SKIP() << "SPINNSIM_DATA does not name the folder of the MNIST files";               \
    }
