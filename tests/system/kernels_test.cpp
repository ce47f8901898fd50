/* kernels_test.cpp - the kernels as the ARM executes them: the same bits from the loops by hand,
 * from portable C, and on this host; and what a multiply-accumulate costs. */
#include "tests/system/program.h"

#include <sstream>

extern "C" {
#include "workloads/micro/kernel_cases.h"
#define FORMAT(name, ...)                                                                          \
    extern const struct kernel_case kernel_cases_##name[];                                         \
    extern const uint32_t kernel_case_count_##name;
#include "workloads/nn/formats.def"
}

namespace
{

struct said {
    uint32_t macs, dense_macs, check;
};

class Kernels : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    std::map<std::string, said> all(const std::string &name) const
    {
        const finished result = spinnsim({"elf", program(name)});
        EXPECT_EQ(result.status, 0) << result.err;
        std::map<std::string, said> made;
        for (const std::string &line : lines(result.out)) {
            std::istringstream in(line);
            std::string kernel;
            said row = {};
            in >> kernel >> row.macs >> row.dense_macs >> row.check;
            EXPECT_TRUE(in) << line;
            made[kernel] = row;
        }
        return made;
    }

    /* Cycles of a kernel for each of its multiply-accumulates. */
    double cost(const std::string &kernel, uint32_t macs) const
    {
        const finished result = spinnsim(
            {"elf", program("nn_kernels"), "--count", "begin_" + kernel + ":end_" + kernel});
        const words end = lines(result.err);
        unsigned long long cycles = 0;
        const size_t at = end.empty() ? std::string::npos : end.back().find("region_cycles ");
        if (at == std::string::npos ||
            sscanf(end.back().c_str() + at, "region_cycles %llu", &cycles) != 1) {
            ADD_FAILURE() << result.err;
        }
        return static_cast<double>(cycles) / macs;
    }
};

/* Of a single, libgcc's arithmetic is the host's: to nearest, ties to even, subnormal numbers kept.
 */
TEST_F(Kernels, GiveTheSameBitsInEachFormatByHandPortableAndOnTheHost)
{
    const struct {
        const char *program;
        const struct kernel_case *cases;
        uint32_t count;
    } formats[] = {
#define FORMAT(name, ...) {"nn_kernels_" #name, kernel_cases_##name, kernel_case_count_##name},
#include "workloads/nn/formats.def"
        {"nn_kernels_portable", kernel_cases_int16, kernel_case_count_int16}};
    for (const auto &format : formats) {
        const std::string name = format.program;
        const auto said = all(name == "nn_kernels_int16" ? "nn_kernels" : name);
        size_t there = 0;
        for (uint32_t i = 0; i < format.count; i++) {
            const struct kernel_case &one = format.cases[i];
            if (one.run != nullptr) {
                there++;
                EXPECT_EQ(said.at(one.name).check, one.run()) << name << " " << one.name;
            }
        }
        EXPECT_EQ(said.size(), there);
        EXPECT_GE(there, 7u);
    }
}

/* What is left of large loops when branches and addresses are shared out: 80 million a second. */
TEST_F(Kernels, LargeLoopsTakeAtMost26TenthsOfACycle)
{
    const auto rows = all("nn_kernels");
    for (const char *kernel : {"dense", "dense_last", "conv1", "conv2", "dense_gradient_of",
                               "dense_gradient_three", "dense_input_sums", "gradient1"}) {
        const double cycles = cost(kernel, rows.at(kernel).macs);
        EXPECT_LE(cycles, 2.6) << kernel;
        EXPECT_GE(cycles, 1.0) << kernel << ": a multiply-accumulate is an instruction";
    }
}

/* Behind a pool one position in four has an error: less than a cycle for each one that might. */
TEST_F(Kernels, EventsAreCheaperThanAllPositions)
{
    const auto rows = all("nn_kernels");
    for (const char *kernel : {"gradient1", "gradient2"}) {
        EXPECT_LE(cost(kernel, rows.at(kernel).dense_macs), 0.8) << kernel;
    }
    EXPECT_LE(cost("input_sums2", rows.at("input_sums2").dense_macs), 1.1);
}

} // namespace
