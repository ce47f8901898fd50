/* recording.cpp - a recording of datagrams.  One that is taken is written, and must read as the
 * same. */
#include "tests/fuzz/harness.h"

#include <cstring>

extern "C" {
#include "sim/serve/log.h"
}

namespace
{

void expect_same(const struct log &log, const struct log &again)
{
    if (log.count != again.count || log.end_ps != again.end_ps ||
        memcmp(&log.head, &again.head, sizeof log.head) != 0) {
        fuzz_fail("a recording is another one when it is written again");
    }
    for (size_t i = 0; i < log.count; i++) {
        const struct log_entry &one = log.entry[i];
        const struct log_entry &other = again.entry[i];
        if (one.time_ps != other.time_ps || one.board != other.board || one.port != other.port ||
            one.bytes != other.bytes ||
            (one.bytes > 0 && memcmp(one.payload, other.payload, one.bytes) != 0)) {
            fuzz_fail("a datagram is another one when it is written again");
        }
    }
}

void write_again(const struct log &log)
{
    struct diagnostic diagnostic = {};
    struct file_writer file = {};
    struct log again = {};
    const std::string path = fuzz_folder() + "/again";
    if (log_create(&file, path.c_str(), &log.head, &diagnostic) != STATUS_OK) {
        fuzz_fail("no file");
    }
    for (size_t i = 0; i < log.count; i++) {
        log_add(&file, &log.entry[i]);
    }
    if (log_end(&file, log.end_ps, &diagnostic) != STATUS_OK ||
        log_read(&again, path.c_str(), &diagnostic) != STATUS_OK) {
        fuzz_fail("a recording is refused when it is written again");
    }
    expect_same(log, again);
    log_deinit(&again);
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    struct log log = {};
    struct diagnostic diagnostic = {};
    const std::string path = fuzz_file("recording", bytes, size);
    if (fuzz_is_good(log_read(&log, path.c_str(), &diagnostic), diagnostic)) {
        write_again(log);
        log_deinit(&log);
    }
}
