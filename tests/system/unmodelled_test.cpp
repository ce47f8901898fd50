/* unmodelled_test.cpp - what is not modelled is counted and listed, and no shipped program needs
 * it.
 */
#include "tests/system/program.h"

#include <algorithm>
#include <filesystem>
#include <set>

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

/* Every experiment that runs on a machine, with few images; those that then differ in name alone
 * run once. */
TEST_F(Unmodelled, NoShippedExperimentNeedsAny)
{
    namespace fs = std::filesystem;
    std::set<std::string> seen; /* configurations */
    unsigned runs = 0;
    std::string not_run;
    for (const fs::directory_entry &entry :
         fs::recursive_directory_iterator(SPINN_SOURCE_DIR "/configs/experiments")) {
        const std::string yaml = entry.path().extension() == ".yaml" ? entry.path().string() : "";
        const std::string text = yaml.empty() ? "" : read_text(yaml);
        if (yaml.empty() || text.find("\nbackend: host") != std::string::npos ||
            text.find("neuron_per_core_errors") !=
                std::string::npos) { /* published_test looks there */
            continue;
        }
        words sets = {"--set", "accept=null"};
        if (text.find("\nnetwork:") != std::string::npos) {
            sets.insert(sets.end(), {"--set", "data.test_images=100"});
        }
        if (text.find("\nmode: train") != std::string::npos) {
            sets.insert(sets.end(), {"--set", "data.train_images=96", "--set", "train.epochs=1"});
        }
        if (text.find("\nstages:") != std::string::npos) { /* a small one has the same programs */
            sets.insert(sets.end(), {"--set", "vote=null", "--set",
                                     "stages=[{name: one, seed: 1, epochs: 1, stream: {images: 96, "
                                     "seed: 2, shift: 1}}]"});
        }
        const bool bench = yaml.find("/bench/") != std::string::npos; /* of the host, and long */
        if (bench) {
            sets.insert(sets.end(), {"--set", "run.simulated_time_limit=100 us"});
        }
        words show = {"config", yaml};
        show.insert(show.end(), sets.begin(), sets.end());
        const finished shown = spinnsim(show);
        ASSERT_EQ(shown.status, 0) << shown.err;
        ASSERT_EQ(shown.out.find("name: "), 0u) << shown.out;
        if (!seen.insert(shown.out.substr(shown.out.find('\n'))).second) {
            continue;
        }
        words command = {"run", yaml, "--force", "--out", "out"};
        command.insert(command.end(), sets.begin(), sets.end());
        const finished result = spinnsim(command);
        if (result.status == 2 && result.err.find("data.set") != std::string::npos) {
            not_run += entry.path().filename().string() + " ";
            continue;
        }
        EXPECT_TRUE(result.status == 0 || result.status == 3 || (bench && result.status == 4))
            << yaml << ": " << result.err;
        EXPECT_EQ(counters("out").at("chip.unmodelled_accesses"), 0u) << yaml;
        EXPECT_NE(read("out/summary.json").find("\"unmodelled\": []"), std::string::npos) << yaml;
        EXPECT_EQ(number("out", "late_interrupts"), 0) << yaml;
        ASSERT_EQ(run_command({"rm", "-r", path("out")}).status, 0);
        runs++;
    }
    EXPECT_GE(runs, 20u);
    if (!not_run.empty()) {
        GTEST_SKIP() << "MNIST is not here, so these did not run: " << not_run;
    }
}
