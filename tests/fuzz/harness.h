/* harness.h - what every harness of this folder is made of: fuzz_one() takes one input to the code
 * that reads such inputs.  It leaves nothing behind, neither memory nor files, and ends the process
 * (abort) where an input has done what no input may.  It is driven by libFuzzer, which knows it as
 * LLVMFuzzerTestOneInput(), or by driver.cpp. */
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

extern "C" {
#include "models/common/status.h"
}

/* Whether memory is watched by a sanitizer. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FUZZ_SANITIZED true
#elif defined(__has_feature)
#define FUZZ_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define FUZZ_SANITIZED false
#endif

/* Of the harness. */
void fuzz_one(const uint8_t *bytes, size_t size);

/* What no input may cause: says what, and aborts. */
[[noreturn]] void fuzz_fail(const std::string &what);

/* An input is good, or a mistake of the user with a message that can be shown on a terminal: never
 * a fault of ours, nor out of memory.  True when it is good. */
bool fuzz_is_good(enum status status, const struct diagnostic &diagnostic);

/* How often it was good. */
uint64_t fuzz_good();

/* The folder of this process, in memory where the host has such a place; gone at its end. */
const std::string &fuzz_folder();

/* Writes a file in it, in place of an older one, and returns its path. */
std::string fuzz_file(const std::string &name, const void *bytes, size_t size);

/* Standard input is empty and standard output nowhere from now on: for code that uses them. */
void fuzz_no_console();

/* Reads all bytes: a sanitizer sees those that are not there. */
void fuzz_touch(const void *bytes, size_t size);

/* A stream that keeps nothing. */
FILE *fuzz_nowhere();

/* What a function writes to a stream. */
template <typename Writer> std::string fuzz_text_of(Writer writer)
{
    char *text = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    writer(stream);
    (void)fclose(stream);
    std::string written(text, size);
    free(text);
    return written;
}

/* Takes numbers from an input, front to back; 0 behind its end. */
class fuzz_reader
{
  public:
    fuzz_reader(const uint8_t *bytes, size_t size) : at_(bytes), end_(bytes + size)
    {
    }
    size_t left() const
    {
        return static_cast<size_t>(end_ - at_);
    }
    const uint8_t *rest() const
    {
        return at_;
    }
    uint8_t byte()
    {
        return at_ == end_ ? uint8_t{0} : *at_++;
    }
    uint32_t half()
    {
        const uint32_t low = byte();
        return low | static_cast<uint32_t>(byte()) << 8;
    }
    uint32_t word()
    {
        const uint32_t low = half();
        return low | half() << 16;
    }

  private:
    const uint8_t *at_, *end_;
};
