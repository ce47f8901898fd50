/* vectors_test.cpp - the 20,000 instruction vectors, each stepped and compared. */
extern "C" {
#include "sim/flat/vectors.h"
}

#include <gtest/gtest.h>
#include <string>

TEST(Vectors, AllTwentyThousandPass)
{
    uint64_t passed = 0;
    for (const char *part : {"vectors-1.txt.gz", "vectors-2.txt.gz"}) {
        const std::string path = std::string(SPINN_TEST_VECTORS) + "/" + part;
        struct vectors_result result = {};
        struct diagnostic diagnostic = {};
        ASSERT_EQ(vectors_run(path.c_str(), stderr, 10, &result, &diagnostic), STATUS_OK)
            << diagnostic.text;
        EXPECT_EQ(result.failed, 0u) << part;
        passed += result.passed;
    }
    EXPECT_EQ(passed, 20000u);
}
