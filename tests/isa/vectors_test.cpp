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

TEST(Vectors, StepsAreBounded)
{
    const std::string before = "V 0 nop A ", after =
                                                 " 0 | d3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 | 0 0 | "
                                                 "d3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1004 | 0\n";
    for (const char *steps : {"1", "3e8", "3e9", "ffffffff"}) {
        const std::string path = ::testing::TempDir() + "spinnsim_vector.txt";
        FILE *file = fopen(path.c_str(), "w");
        ASSERT_NE(file, nullptr);
        (void)fputs((before + steps + after).c_str(), file);
        (void)fclose(file);
        struct vectors_result result = {};
        struct diagnostic diagnostic = {};
        const bool few = std::string(steps).size() < 3 || std::string(steps) == "3e8";
        EXPECT_EQ(vectors_run(path.c_str(), nullptr, 0, &result, &diagnostic),
                  few ? STATUS_OK : STATUS_CONFIGURATION)
            << steps;
        (void)remove(path.c_str());
    }
}
