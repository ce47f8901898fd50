/* golden.cpp - a golden: read, written, and read again, it is the same. */
#include "tests/fuzz/harness.h"

#include <cstring>

extern "C" {
#include "sim/results/golden.h"
}

namespace
{

bool same(const struct golden &a, const struct golden &b)
{
    bool is = a.count == b.count;
    for (size_t i = 0; is && i < a.count; i++) {
        is = strcmp(a.row[i].name, b.row[i].name) == 0 &&
             strcmp(a.row[i].value, b.row[i].value) == 0;
    }
    return is;
}

void look(const struct golden &golden)
{
    char pattern[GOLDEN_VALUE_CHARS];
    (void)golden_check_patterns(&golden, pattern, sizeof pattern);
    for (size_t i = 0; i < golden.count; i++) {
        const double percent = golden_tolerance(&golden, golden.row[i].name);
        if (!(percent >= 0 && percent <= 100)) {
            fuzz_fail("a tolerance that is no percentage");
        }
    }
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    struct golden golden = {};
    struct golden again = {};
    struct diagnostic diagnostic = {};
    const std::string path = fuzz_file("golden.csv", bytes, size);
    if (!fuzz_is_good(golden_read(&golden, path.c_str(), &diagnostic), diagnostic)) {
        return;
    }
    look(golden);
    const std::string copy = fuzz_folder() + "/copy.csv";
    if (!fuzz_is_good(golden_write(&golden, copy.c_str(), &diagnostic), diagnostic) ||
        !fuzz_is_good(golden_read(&again, copy.c_str(), &diagnostic), diagnostic) ||
        !same(golden, again)) {
        fuzz_fail("a golden is not read back as it was written");
    }
    golden_deinit(&again);
    golden_deinit(&golden);
}
