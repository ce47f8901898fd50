/* golden_test.cpp - exact counts: they hold, a changed row of the timing table moves some, blessing
 * says which. */
#include "tests/support/processor_time.h"
#include "tests/system/program.h"

#include <algorithm>
#include <filesystem>

extern "C" {
#include "models/arm968/arm968.h"
#include "sim/experiment/regress.h"
#include "sim/results/golden.h"
}

class Golden : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }
};

TEST_F(Golden, EveryCountIsTheRecordedOne)
{
    const finished result = spinnsim({"regress"});
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_NE(result.out.find("same    micro_alu_loop: 31 counts, 2 answers\n"), std::string::npos);
}

/* A row is tried with one program after the other, until a count moves; first with those that rows
 * before it have moved. */
TEST_F(Golden, EveryRowOfTheTimingTableMovesACountOfTheMicroPrograms)
{
    size_t count = 0;
    const struct arm968_timing_row *rows = arm968_timing_rows(&count);
    const std::string configs = std::string(SPINN_SOURCE_DIR) + "/configs";
    words goldens;
    for (const auto &entry :
         std::filesystem::directory_iterator(SPINN_SOURCE_DIR "/tests/golden")) {
        const std::string name = entry.path().stem().string();
        if (name.rfind("micro_", 0) == 0 && name != "micro_packet_flood") { /* which takes long */
            goldens.push_back(entry.path().string());
        }
    }
    std::sort(goldens.begin(), goldens.end());
    for (size_t i = 0; i < count; i++) {
        const std::string set =
            std::string("timing.") + rows[i].name + "=" + std::to_string(rows[i].default_value + 1);
        const auto moves = [&](const std::string &golden) {
            const char *sets[] = {set.c_str()};
            struct regress_request request = {};
            request.which = golden.c_str();
            request.run.configs_folder = configs.c_str();
            request.run.job.workloads_folder = SPINN_WORKLOAD_DIR;
            request.run.job.threads = 1;
            request.run.sets = sets;
            request.run.set_count = 1;
            struct regress_result result = {};
            struct diagnostic diagnostic = {};
            EXPECT_EQ(regress_run(&request, &result, &diagnostic), STATUS_OK) << diagnostic.text;
            EXPECT_EQ(result.verdicts[REGRESS_SKIPPED], 0u) << golden;
            const bool differs = result.verdicts[REGRESS_DIFFERS] > 0;
            regress_result_deinit(&result);
            return differs;
        };
        const auto moved = std::find_if(goldens.begin(), goldens.end(), moves);
        ASSERT_NE(moved, goldens.end()) << set << " moves no count";
        std::rotate(goldens.begin(), moved, moved + 1);
    }
}

TEST_F(Golden, BlessingPrintsOldNewAndPercent)
{
    write("micro_multiply.csv", read_text(SPINN_SOURCE_DIR "/tests/golden/micro_multiply.csv"));
    std::string text = read("micro_multiply.csv");
    const size_t at = text.find("core.instructions,25012");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 23, "core.instructions,20000");
    write("micro_multiply.csv", text);
    const finished moved = spinnsim({"regress", folder});
    EXPECT_EQ(moved.status, 5);
    const finished blessed = spinnsim({"regress", folder, "--bless"});
    EXPECT_EQ(blessed.status, 0);
    for (const char *part : {"blessed micro_multiply", "  20000  25012   +5012  +25.1 %"}) {
        EXPECT_NE(blessed.out.find(part), std::string::npos) << part << " in " << blessed.out;
    }
    EXPECT_EQ(read("micro_multiply.csv"),
              read_text(SPINN_SOURCE_DIR "/tests/golden/micro_multiply.csv"));
}

TEST_F(Golden, ProgramsOfAnotherCompilerAreSkippedWithThatReason)
{
    std::string text = read_text(SPINN_SOURCE_DIR "/tests/golden/lenet1_synthetic.csv");
    const size_t at = text.find("program lenet1_infer_int16,") + 27;
    text.replace(at, 4, "0000");
    const size_t compiler = text.find("compiler,");
    text.replace(compiler, text.find('\n', compiler) - compiler, "compiler,GCC: 99.9");
    write("lenet1_synthetic.csv", text);
    const finished result = spinnsim({"regress", folder});
    EXPECT_EQ(result.status, 0) << result.out;
    EXPECT_NE(result.out.find("skipped lenet1_synthetic: program lenet1_infer_int16 is another "
                              "one: recorded with \"GCC: 99.9\", built with"),
              std::string::npos)
        << result.out;
    const finished junit = spinnsim({"regress", folder, "--format", "junit"});
    EXPECT_NE(junit.out.find("<skipped message="), std::string::npos);
    const finished json = spinnsim({"regress", folder, "--format", "json"});
    EXPECT_NE(json.out.find("\"skipped\": 1"), std::string::npos);
}

TEST_F(Golden, ARowThatIsThereTwiceIsRefusedWithItsLine)
{
    write("mine.csv", "name,value\nb,1\na,2\nb,3\na,4\n");
    const finished result = spinnsim({"regress", folder});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("mine.csv:4: not a line of a golden"), std::string::npos)
        << result.err;
}

/* Comparing each row with those before it took minutes. */
TEST_F(Golden, ManyRowsAreReadAtOnce)
{
    struct golden golden;
    struct diagnostic diagnostic = {};
    std::string text = "name,value\n";
    for (unsigned i = 0; i < 200000; i++) {
        text += "counter_" + std::to_string(i) + ",1\n";
    }
    write("long.csv", text);
    const double before = processor_seconds();
    ASSERT_EQ(golden_read(&golden, path("long.csv").c_str(), &diagnostic), STATUS_OK);
    EXPECT_LT(processor_seconds() - before, 5);
    EXPECT_EQ(golden.count, 200000u);
    golden_deinit(&golden);
}

TEST_F(Golden, AnotherTimingSaysWhatMovedWhereAndByHowMuch)
{
    const finished result =
        spinnsim({"regress", "micro_busy_loop", "--set", "timing.branch_taken=4"});
    EXPECT_EQ(result.status, 2) << "there is no such golden";
    const finished moved =
        spinnsim({"regress", "micro_alu_loop", "--set", "timing.branch_taken=4"});
    EXPECT_EQ(moved.status, 5);
    EXPECT_NE(moved.out.find("core.active_cycles"), std::string::npos);
    EXPECT_NE(moved.out.find("+1000"), std::string::npos) << moved.out;
}
