/* answer_golden_test.cpp - answers in goldens: a run that counts the same and answers something
 * else is found, and what differs is named; the function that moved is named, too. */
#include "tests/system/program.h"

extern "C" {
#include "sim/experiment/experiment.h"
#include "sim/networks/weights.h"
}

namespace
{

class AnswerGolden : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
        write("own.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: own\n"
                          "app:\n  - {file: own.elf, chips: \"0,0\", cores: 3}\n");
    }

    void put(const std::string &name) const
    {
        ASSERT_EQ(run_command({"cp", program("test_answer_" + name), path("own.elf")}).status, 0);
    }

    /* Records the golden of one program, and compares another one with it. */
    finished compared(const std::string &recorded, const std::string &now, words more = {}) const
    {
        put(recorded);
        EXPECT_EQ(spinnsim({"regress", "goldens", "--add", "own.yaml"}).status, 0);
        put(now);
        more.insert(more.begin(), {"regress", "goldens"});
        return spinnsim(more);
    }

    void replace(const std::string &name, const std::string &what, const std::string &by) const
    {
        std::string text = read(name);
        const size_t at = text.find(what);
        ASSERT_NE(at, std::string::npos) << what << " in " << text;
        write(name, text.replace(at, what.size(), by));
    }
};

bool has(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

/* The lines from one that begins so up to an empty one. */
words section(const std::string &text, const std::string &title)
{
    words found;
    for (const std::string &line : lines(text)) {
        if (!found.empty() && line.empty()) {
            break;
        }
        if (!found.empty() || line.compare(0, title.size(), title) == 0) {
            found.push_back(line);
        }
    }
    return found;
}

TEST_F(AnswerGolden, AnotherLineOnTheConsoleIsFoundAndShown)
{
    const finished moved = compared("plain", "character");
    EXPECT_EQ(moved.status, 5) << moved.out;
    EXPECT_TRUE(has(moved.out, "differs own: console, memory; 0 of ")) << moved.out;
    EXPECT_TRUE(has(moved.out, " counts; program own has changed, the compiler has not\n"));
    const words answers = section(moved.out, "Answers that differ");
    ASSERT_GE(answers.size(), 3U) << moved.out;
    EXPECT_EQ(answers[1], "  console line 2: '0,0,3 the answer is A', now '0,0,3 the answer is B'");
    EXPECT_EQ(answers[2].compare(0, 27, "  memory of chip (0,0) "), 4) << answers[2];
    EXPECT_FALSE(has(moved.out, "Functions:")) << "no count has moved";
}

/* The number lies in the data memory of core 3 only. */
TEST_F(AnswerGolden, AnotherNumberInMemoryIsFoundWithItsCoreAndAddress)
{
    const finished moved = compared("plain", "number");
    EXPECT_EQ(moved.status, 5) << moved.out;
    EXPECT_TRUE(has(moved.out, "differs own: memory; 0 of ")) << moved.out;
    EXPECT_EQ(section(moved.out, "Answers that differ"),
              (words{"Answers that differ: of the golden, now",
                     "  memory of chip (0,0) core 3 from 0x00400000 on"}));
    const finished json = spinnsim({"regress", "goldens", "--format", "json"});
    EXPECT_TRUE(has(json.out, "\"kind\": \"memory\""));
    EXPECT_TRUE(has(json.out, "\"answer\": \"memory of chip (0,0) core 3 from 0x00400000 on\""));
    const finished junit = spinnsim({"regress", "goldens", "--format", "junit"});
    EXPECT_TRUE(has(junit.out, ">memory of chip (0,0) core 3 from 0x00400000 on\n</failure>"))
        << junit.out;
    EXPECT_TRUE(has(spinnsim({"regress", "goldens", "--bless"}).out, "blessed own: memory; 0 of "));
    EXPECT_EQ(spinnsim({"regress", "goldens"}).status, 0);
}

TEST_F(AnswerGolden, TheFunctionThatMovedIsNamedAndTheTimeComesFirst)
{
    const finished moved = compared("plain", "longer");
    EXPECT_EQ(moved.status, 5) << moved.out;
    EXPECT_TRUE(has(moved.out, " counts, most in wander (+")) << moved.out;
    const words counts = section(moved.out, "Counts:");
    ASSERT_GT(counts.size(), 3U) << moved.out;
    EXPECT_EQ(counts[2].compare(0, 10, "  time_ps "), 0) << moved.out;
    const words functions = section(moved.out, "Functions:");
    ASSERT_GE(functions.size(), 4U) << moved.out;
    /* Exact, as the program is short: 40 rounds more of this function, and nothing else. */
    EXPECT_EQ(functions[2].compare(0, 10, "  wander, "), 0) << moved.out;
    EXPECT_EQ(functions[3].compare(0, 10, "  wander, "), 0) << moved.out;
    EXPECT_EQ(functions.size(), 4U) << moved.out;
}

TEST_F(AnswerGolden, AGoldenFromBeforeHoldsCountsOnlyAndSaysSo)
{
    put("plain");
    ASSERT_EQ(spinnsim({"regress", "goldens", "--add", "own.yaml"}).status, 0);
    const std::string whole = read("goldens/own.csv");
    std::string old;
    for (const std::string &line : lines(whole)) {
        const bool newer =
            line.compare(0, 7, "answer ") == 0 || line.compare(0, 9, "function ") == 0;
        old += newer ? "" : line + "\n";
    }
    write("goldens/own.csv", old);
    put("number");
    const finished same = spinnsim({"regress", "goldens"});
    EXPECT_EQ(same.status, 0) << same.out;
    EXPECT_TRUE(has(same.out, "; it holds no answers: --bless adds them\n")) << same.out;
    put("plain");
    const finished blessed = spinnsim({"regress", "goldens", "--bless"});
    EXPECT_TRUE(has(blessed.out, "blessed own: ")) << blessed.out;
    EXPECT_TRUE(has(blessed.out, "; answers are held from now on\n")) << blessed.out;
    EXPECT_EQ(read("goldens/own.csv"), whole);
}

TEST_F(AnswerGolden, AnswersAreHeldIfTheyAreAskedFor)
{
    put("plain");
    ASSERT_EQ(
        spinnsim({"regress", "time.csv", "--add", "own.yaml", "--counters", "time_ps"}).status, 0);
    ASSERT_EQ(spinnsim({"regress", "console.csv", "--add", "own.yaml", "--counters",
                        "time_ps,answer console*"})
                  .status,
              0);
    put("number");
    const finished console = spinnsim({"regress", "console.csv"});
    EXPECT_EQ(console.status, 0) << console.out;
    EXPECT_TRUE(has(console.out, "same    console: 1 counts, 3 answers; program own"))
        << console.out;
    put("character");
    EXPECT_EQ(spinnsim({"regress", "console.csv"}).status, 5);
    const finished time = spinnsim({"regress", "time.csv"});
    EXPECT_EQ(time.status, 0) << time.out;
    EXPECT_FALSE(has(time.out, "holds no answers")) << time.out;
}

TEST_F(AnswerGolden, WithStrictASkipIsAFailure)
{
    put("plain");
    ASSERT_EQ(spinnsim({"regress", "goldens", "--add", "own.yaml"}).status, 0);
    replace("goldens/own.csv", "compiler,GCC: ", "compiler,GCC: 1");
    put("character");
    EXPECT_EQ(spinnsim({"regress", "goldens"}).status, 0);
    const finished strict = spinnsim({"regress", "goldens", "--strict"});
    EXPECT_EQ(strict.status, 5) << strict.out;
    EXPECT_TRUE(has(strict.out, "skipped own: program own is another one")) << strict.out;
    const finished junit = spinnsim({"regress", "goldens", "--strict", "--format", "junit"});
    EXPECT_EQ(junit.status, 5);
    EXPECT_TRUE(has(junit.out, "tests=\"1\" failures=\"1\" skipped=\"0\"")) << junit.out;
    EXPECT_TRUE(has(junit.out, "<failure message=\"program own is another one")) << junit.out;
}

const char *const NETWORK = "include: [experiments/lenet1_synthetic.yaml]\nname: net\n"
                            "data: {test_images: 60}\nnetwork: {weights: net.npz}\n";

/* Writes net.npz: the weights of lenet1_synthetic, the last of them changed by one. */
void write_changed_weights(const std::string &file, int32_t change)
{
    const std::string of = experiment("lenet1_synthetic");
    const char *sets[] = {"data.test_images=1"};
    struct experiment experiment = {};
    struct diagnostic said = {};
    struct experiment_request request = {};
    request.file = of.c_str();
    request.configs_folder = SPINN_SOURCE_DIR "/configs";
    request.sets = sets;
    request.set_count = 1;
    request.job.workloads_folder = SPINN_WORKLOAD_DIR;
    request.job.threads = 1;
    ASSERT_EQ(experiment_prepare(&experiment, &request, &said), STATUS_OK) << said.text;
    const struct network *network = &experiment.job.network;
    struct weights *weights = &experiment.job.weights;
    const size_t last = weights_places(experiment.job.table) - 1;
    weights_set_value(network, weights->block, last,
                      weights_value(network, weights->block, last) + change);
    free(weights->float64); /* they would contradict it */
    weights->float64 = nullptr;
    EXPECT_EQ(weights_write(weights, file.c_str(), network, experiment.job.table, &said), STATUS_OK)
        << said.text;
    experiment_deinit(&experiment);
}

TEST_F(AnswerGolden, OneOtherWeightIsFoundInItsLayer)
{
    write("net.yaml", NETWORK);
    write_changed_weights(path("net.npz"), 0);
    const finished added = spinnsim({"regress", "goldens", "--add", "net.yaml"});
    ASSERT_EQ(added.status, 0) << added.err;
    EXPECT_TRUE(has(spinnsim({"regress", "goldens"}).out, "same    net: "));
    ASSERT_EQ(run_command({"rm", path("net.npz")}).status, 0);
    write_changed_weights(path("net.npz"), 1);
    const finished moved = spinnsim({"regress", "goldens"});
    EXPECT_EQ(moved.status, 5) << moved.out;
    EXPECT_TRUE(has(moved.out, "differs net: scores, weights, memory; 0 of ")) << moved.out;
    EXPECT_TRUE(has(moved.out, "\n  scores of images 0-49\n  scores of images 50-59\n"
                               "  weights output.biases\n  memory of chip (0,0) "))
        << moved.out;
    EXPECT_FALSE(has(moved.out, "weights conv1")) << moved.out;
}

TEST_F(AnswerGolden, AnotherPredictionIsNamedByItsImage)
{
    write("net.yaml", NETWORK);
    write_changed_weights(path("net.npz"), 0);
    ASSERT_EQ(spinnsim({"regress", "goldens", "--add", "net.yaml"}).status, 0);
    replace("goldens/net.csv", "answer predictions 50-59,", "answer predictions 50-59,7 ");
    const finished moved = spinnsim({"regress", "goldens", "--threads", "2"});
    EXPECT_EQ(moved.status, 5) << moved.out;
    EXPECT_TRUE(has(moved.out, "\n  prediction of image 50: 7, now ")) << moved.out;
}

} // namespace
