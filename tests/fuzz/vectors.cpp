/* vectors.cpp - a file of instruction vectors. */
#include "tests/fuzz/harness.h"

extern "C" {
#include "sim/flat/vectors.h"
}

void fuzz_one(const uint8_t *bytes, size_t size)
{
    const std::string path = fuzz_file("vectors.txt", bytes, size);
    struct vectors_result result = {};
    struct diagnostic diagnostic = {};
    (void)fuzz_is_good(vectors_run(path.c_str(), fuzz_nowhere(), 2, &result, &diagnostic),
                       diagnostic);
}
