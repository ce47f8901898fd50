/* unmodelled_test.cpp - what is not modelled is counted and listed, and no shipped program needs
 * it.
 */
#include "tests/system/program.h"

#include <algorithm>
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

namespace
{

/* Every experiment that runs on a machine by itself, below configs/experiments, and those of the
 * study.  Boards of `spinnsim serve` wait for a host. */
words shipped()
{
    namespace fs = std::filesystem;
    const fs::path folder = SPINN_SOURCE_DIR "/configs/experiments";
    words found;
    std::vector<fs::path> files;
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder)) {
        files.push_back(entry.path());
    }
    for (const fs::directory_entry &entry : fs::directory_iterator(folder / "../study")) {
        files.push_back(entry.path());
    }
    for (const fs::path &file : files) {
        const std::string text = file.extension() == ".yaml" ? read_text(file.string()) : "";
        if (!text.empty() && text.find("\nbackend: host") == std::string::npos &&
            text.find("boot: handover") == std::string::npos &&
            text.find("neuron_per_core_errors") ==
                std::string::npos) { /* published_test looks there */
            found.push_back(fs::relative(file, folder).replace_extension().string());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string name_of(const ::testing::TestParamInfo<std::string> &experiment)
{
    std::string name = experiment.param.substr(experiment.param.rfind("../", 0) == 0 ? 3 : 0);
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
}

} // namespace

TEST(UnmodelledExperiments, AreAllThatRunOnAMachine)
{
    EXPECT_GE(shipped().size(), 40u);
}

class UnmodelledIn : public Unmodelled, public ::testing::WithParamInterface<std::string>
{
  protected:
    /* Few images; `text`: the experiment as it is resolved. */
    static words few(const std::string &text)
    {
        words keys = {"accept=null"};
        const bool files = text.find("\n  set: files\n") != std::string::npos; /* small ones */
        if (text.find("\nnetwork:") != std::string::npos && !files) {
            keys.emplace_back("data.test_images=48");
        }
        if (text.find("\nmode: train") != std::string::npos) {
            keys.emplace_back("train.epochs=1");
            keys.emplace_back(files ? "data.train_images=4" : "data.train_images=96");
        }
        if (text.find("\n  validation_images: ") != std::string::npos &&
            text.find("\n  validation_images: 0\n") == std::string::npos) {
            keys.emplace_back("data.validation_images=48");
        }
        if (text.find("\nstages:") != std::string::npos) {
            keys.insert(keys.end(), {"vote=null", "stages=[{name: one, seed: 1, epochs: 1, stream: "
                                                  "{images: 96, seed: 2, shift: 1}}]"});
        }
        return keys;
    }

    static words with(words options, const words &keys)
    {
        for (const std::string &key : keys) {
            options.insert(options.end(), {"--set", key});
        }
        return options;
    }
};

/* A network for all chips of a board is put on a quarter of them, where it fits, else on half or on
 * all: the programs are the same, and the rings have members of each kind.  Of the 96 images of a
 * training fewer chips make two updates. */
TEST_P(UnmodelledIn, NoExperimentNeedsAny)
{
    const std::string yaml = ::experiment(GetParam());
    const finished shown = spinnsim({"config", yaml});
    ASSERT_EQ(shown.status, 0) << shown.err;
    const std::string &text = shown.out;
    const bool bench = GetParam().rfind("bench/", 0) == 0; /* of the host, and long */
    words keys = few(text);
    if (bench) {
        keys.emplace_back("run.simulated_time_limit=100 us");
    }
    const words command = with({"run", yaml, "--force", "--out", "out"}, keys);
    std::vector<words> sizes = {{}};
    if (text.find("\n  chips: 48\n") != std::string::npos) {
        sizes = {{"mapping.chips=12"}, {"mapping.chips=24"}, {}};
        if (text.find("\nmode: train\n") != std::string::npos) {
            sizes[0].emplace_back("train.global_batch=48");
            sizes[1].emplace_back("train.global_batch=48");
        }
    }
    finished result = {};
    for (const words &size : sizes) {
        result = spinnsim(with(command, size));
        if (result.status != 2 || result.err.find("does not fit a core") == std::string::npos) {
            break;
        }
    }
    if (result.status == 2 && result.err.find("data.set") != std::string::npos) {
        GTEST_SKIP() << result.err;
    }
    EXPECT_TRUE(result.status == 0 || result.status == 3 || (bench && result.status == 4))
        << result.err;
    EXPECT_EQ(counters("out").at("chip.unmodelled_accesses"), 0u);
    EXPECT_NE(read("out/summary.json").find("\"unmodelled\": []"), std::string::npos);
    EXPECT_EQ(number("out", "late_interrupts"), 0);
}

INSTANTIATE_TEST_SUITE_P(Shipped, UnmodelledIn, ::testing::ValuesIn(shipped()), name_of);
