/* unmodelled_test.cpp - what is not modelled is counted and listed, and no shipped program needs
 * it.
 */
#include "tests/system/program.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

class Unmodelled : public SystemTest
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

TEST_F(Unmodelled, AnAccessIsListedByPlaceAndCounted)
{
    run(program("test_unmodelled"), "out");
    EXPECT_EQ(counters("out").at("chip.unmodelled_accesses"), 4u);
    std::string list = read("out/summary.json");
    list = list.substr(list.find("\"unmodelled\""));
    list.erase(std::remove_if(list.begin(), list.end(), [](char c) { return isspace(c) != 0; }),
               list.end());
    const std::string expected =
        "\"unmodelled\":["
        "{\"block\":\"ETHERNET\",\"offset\":36,\"access\":\"read\",\"count\":3,\"first_core\":1},"
        "{\"block\":\"ETHERNET\",\"offset\":64,\"access\":\"write\",\"count\":1,\"first_core\":1}]"
        ",";
    EXPECT_EQ(list.substr(0, expected.size()), expected);
    const finished accept = spinnsim(
        {"run", program("test_unmodelled"), "--out", "strict", "--set", "accept.unmodelled.max=3"});
    EXPECT_EQ(accept.status, 5) << accept.err;
}

/* ---- no shipped experiment needs any ---- */

namespace fs = std::filesystem;

/* Whether a shipped experiment's machine must not come to what is not modelled. */
static bool is_concerned(const std::string &text)
{
    return text.find("\nbackend: host") == std::string::npos &&
           text.find("neuron_per_core_errors") ==
               std::string::npos; /* published_test looks there */
}

/* The shipped experiments, by their paths in configs/experiments without the ending. */
static words shipped_experiments()
{
    const fs::path folder = SPINN_SOURCE_DIR "/configs/experiments";
    words names;
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().extension() == ".yaml" && is_concerned(read_text(entry.path().string()))) {
            names.push_back(fs::relative(entry.path(), folder).replace_extension().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

class UnmodelledIn : public Unmodelled, public ::testing::WithParamInterface<std::string>
{
};

/* With few images: the programs are the same. */
TEST_P(UnmodelledIn, NoShippedExperiment)
{
    const std::string yaml = SPINN_SOURCE_DIR "/configs/experiments/" + GetParam() + ".yaml";
    const std::string text = read_text(yaml);
    words command = {"run", yaml, "--out", "out", "--set", "accept=null"};
    if (text.find("\nnetwork:") != std::string::npos) {
        command.insert(command.end(), {"--set", "data.test_images=100"});
    }
    if (text.find("\nmode: train") != std::string::npos) {
        command.insert(command.end(), {"--set", "data.train_images=96", "--set", "train.epochs=1"});
    }
    if (text.find("\nstages:") != std::string::npos) { /* a small one has the same programs */
        command.insert(command.end(), {"--set", "vote=null", "--set",
                                       "stages=[{name: one, seed: 1, epochs: 1, stream: {images: "
                                       "96, seed: 2, shift: 1}}]"});
    }
    const bool bench = GetParam().find("bench/") == 0; /* of the host, and long */
    if (bench) {
        command.insert(command.end(), {"--set", "run.simulated_time_limit=100 us"});
    }
    const finished result = spinnsim(command);
    if (result.status == 2 && result.err.find("data.set") != std::string::npos) {
        GTEST_SKIP() << "MNIST is not here";
    }
    EXPECT_TRUE(result.status == 0 || result.status == 3 || (bench && result.status == 4))
        << result.err;
    EXPECT_EQ(counters("out").at("chip.unmodelled_accesses"), 0u);
    EXPECT_NE(read("out/summary.json").find("\"unmodelled\": []"), std::string::npos);
    EXPECT_EQ(number("out", "late_interrupts"), 0);
}

INSTANTIATE_TEST_SUITE_P(Of, UnmodelledIn, ::testing::ValuesIn(shipped_experiments()),
                         [](const ::testing::TestParamInfo<std::string> &experiment) {
                             std::string name = experiment.param;
                             std::replace_if(
                                 name.begin(), name.end(),
                                 [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                             return name;
                         });
