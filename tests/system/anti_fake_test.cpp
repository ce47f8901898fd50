/* anti_fake_test.cpp - results come from what was executed: change what is executed, and they
 * change by exactly that. */
#include "tests/system/program.h"

extern "C" {
#include "sim/experiment/experiment.h"
}

#include <cstring>
#include <memory>

class AntiFake : public SystemTest
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

TEST_F(AntiFake, ExtraNopsInALoopAddExactlyTheirNumberTimesItsRounds)
{
    run(program("test_nops_0"), "none");
    run(program("test_nops_7"), "seven");
    const auto none = counters("none");
    const auto seven = counters("seven");
    EXPECT_EQ(seven.at("core.instructions") - none.at("core.instructions"), 7u * 1000);
    EXPECT_EQ(seven.at("core.active_cycles") - none.at("core.active_cycles"), 7u * 1000);
    EXPECT_EQ(seven.at("machine.time_ps") - none.at("machine.time_ps"), 7u * 1000 * 5000);
}

TEST_F(AntiFake, DoublingTheCostOfABranchAddsItForEachBranchTaken)
{
    for (const char *name : {"micro/alu_loop", "micro/multiply", "micro/tcm_copy", "busy_chip"}) {
        const std::string out = std::string(name).substr(std::string(name).find('/') + 1);
        run(experiment(name), out + "_3");
        run(experiment(name), out + "_6", {"--set", "timing.branch_taken=6"});
        const auto three = counters(out + "_3");
        const auto six = counters(out + "_6");
        const uint64_t taken = three.at("core.branches_taken");
        EXPECT_GT(taken, 900u);
        EXPECT_EQ(six.at("core.branches_taken"), taken) << name;
        EXPECT_EQ(six.at("core.active_cycles") - three.at("core.active_cycles"), 3 * taken) << name;
        EXPECT_EQ(six.at("core.instructions"), three.at("core.instructions")) << name;
    }
}

TEST_F(AntiFake, TheSameProgramOptimisedLessTakesOtherCountsToTheSameResults)
{
    const std::string parts = path("less_fast/parts/int16/");
    ASSERT_EQ(run_command({"mkdir", path("less_fast")}).status, 0);
    ASSERT_EQ(run_command({"cp", "-r", SPINN_WORKLOAD_DIR "/parts", path("less_fast")}).status, 0);
    ASSERT_EQ(run_command({"rm", "-r", parts + "fast"}).status, 0);
    ASSERT_EQ(run_command({"cp", "-r", parts + "tight", parts + "fast"}).status, 0);
    const words few = {"--set", "data.test_images=40"};
    run(experiment("lenet1_synthetic"), "fast", few);
    run(experiment("lenet1_synthetic"), "less",
        {"--set", "data.test_images=40", "--workloads", "less_fast"});
    EXPECT_EQ(read("fast/predictions.csv"), read("less/predictions.csv"));
    EXPECT_NE(number("fast", "instructions"), number("less", "instructions"));
    EXPECT_NE(number("fast", "seconds"), number("less", "seconds"));
}

/* ---- a bit of the weights, flipped in SDRAM while the machine runs ---- */

namespace
{

struct flip {
    uint32_t address; /* 0: none */
    bool done;
};

enum machine_stop run_and_flip(void *context, struct machine *machine, uint64_t time_ps)
{
    auto *flip = static_cast<struct flip *>(context);
    if (flip->address != 0 && !flip->done) {
        const struct machine_core core = {0, 0, 1};
        const enum machine_stop stop = machine_run_until(machine, 1000000); /* 1 us */
        uint8_t byte = 0;
        EXPECT_EQ(stop, MACHINE_REACHED);
        EXPECT_EQ(machine_read(machine, core, flip->address, &byte, 1), STATUS_OK);
        byte ^= 0x20;
        EXPECT_EQ(machine_write(machine, core, flip->address, &byte, 1), STATUS_OK);
        flip->done = true;
    }
    return machine_run_until(machine, time_ps);
}

struct outcome_of_run {
    std::vector<int32_t> logits;
    std::map<std::string, uint32_t> tensors;
    std::string stats_hash;
};

outcome_of_run classify(flip *flip)
{
    outcome_of_run result;
    const std::string file = experiment("lenet1_synthetic");
    const std::string configs = std::string(SPINN_SOURCE_DIR) + "/configs";
    const char *sets[] = {"data.test_images=20"};
    struct experiment_request request = {};
    request.file = file.c_str();
    request.configs_folder = configs.c_str();
    request.sets = sets;
    request.set_count = 1;
    request.job.workloads_folder = SPINN_WORKLOAD_DIR;
    request.job.threads = 1;
    request.job.run_until = run_and_flip;
    request.job.run_context = flip;
    auto run = std::make_unique<struct experiment>();
    struct diagnostic diagnostic = {};
    EXPECT_EQ(experiment_prepare(run.get(), &request, &diagnostic), STATUS_OK) << diagnostic.text;
    EXPECT_EQ(experiment_execute(run.get(), &diagnostic), STATUS_OK) << diagnostic.text;
    for (uint32_t i = 0; i < run->outcome.result_count; i++) {
        const int32_t *logits = run->outcome.result[i].logits;
        result.logits.insert(result.logits.end(), logits, logits + 10);
    }
    for (size_t i = 0; i < run->outcome.tensor_count; i++) {
        result.tensors[run->outcome.tensor[i].name] = run->outcome.tensor[i].address;
    }
    result.stats_hash = run->outcome.stats_hash;
    experiment_deinit(run.get());
    return result;
}

} // namespace

TEST_F(AntiFake, AWeightBitFlippedInSdramDuringTheRunChangesLogits)
{
    flip nothing = {0, false};
    const outcome_of_run first = classify(&nothing);
    ASSERT_EQ(first.logits.size(), 200u);
    EXPECT_EQ(classify(&nothing).logits, first.logits) << "the run itself repeats";
    for (const char *tensor : {"conv1.weights", "conv2.weights", "output.weights"}) {
        ASSERT_EQ(first.tensors.count(tensor), 1u) << tensor;
        flip one = {first.tensors.at(tensor) + 1, false}; /* the high byte of the first weight */
        const outcome_of_run other = classify(&one);
        EXPECT_TRUE(one.done);
        EXPECT_NE(other.logits, first.logits) << tensor;
        EXPECT_NE(other.stats_hash, first.stats_hash);
    }
}
