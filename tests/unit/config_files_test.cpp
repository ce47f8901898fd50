/* The files that ship in configs/. */
#include "tests/unit/config_fixture.h"

#include <fstream>
#include <sstream>

static std::vector<std::filesystem::path> files_in(const std::string &folder)
{
    std::vector<std::filesystem::path> files;
    const std::filesystem::path root = std::filesystem::path(SPINN_CONFIGS_FOLDER) / folder;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().extension() == ".yaml") {
            files.push_back(entry.path());
        }
    }
    return files;
}

static loaded::options file(const std::string &path)
{
    loaded::options options;
    options.from_file = true;
    options.fragment = true;
    options.path = path;
    return options;
}

TEST(ConfigFiles, FilesToIncludeLoadAndSayWhichQuestionTheyAnswer)
{
    size_t count = 0;
    for (const char *folder : {"boards", "timing", "energy"}) {
        for (const std::filesystem::path &path : files_in(folder)) {
            count++;
            EXPECT_TRUE(is_good(loaded("", file(path.string()))));
            std::ifstream stream(path);
            std::string first;
            std::getline(stream, first);
            EXPECT_EQ(first.rfind("# Question: ", 0), 0u) << path << ": " << first;
        }
    }
    EXPECT_GE(count, 4u);
}

TEST(ConfigFiles, ExperimentsAreWholeRuns)
{
    size_t count = 0;
    for (const std::filesystem::path &path : files_in("experiments")) {
        loaded::options options = file(path.string());
        options.fragment = false;
        EXPECT_TRUE(is_good(loaded("", options)));
        count++;
    }
    if (count == 0) {
        GTEST_SKIP() << "configs/experiments has no file yet";
    }
}

TEST(ConfigFiles, TheTimingFileRestatesEveryRowOfTheDefaultCore)
{
    const std::string path = std::string(SPINN_CONFIGS_FOLDER) + "/timing/arm968.yaml";
    const loaded config("", file(path));
    ASSERT_TRUE(is_good(config));
    const struct arm968_timing timing = arm968_timing_default();
    EXPECT_EQ(memcmp(&config->timing, &timing, sizeof timing), 0);
    size_t count = 0;
    const struct arm968_timing_row *rows = arm968_timing_rows(&count);
    for (size_t i = 0; i < count; i++) {
        const std::string key = std::string("timing.") + rows[i].name;
        EXPECT_EQ(config_place_of(&config.config, key.c_str()).file, path) << key;
    }
}

TEST(ConfigFiles, TheEarlierCoreDiffersInFourRows)
{
    const loaded config("", file(std::string(SPINN_CONFIGS_FOLDER) + "/timing/arm968_rev1.yaml"));
    ASSERT_TRUE(is_good(config));
    struct arm968_timing timing = arm968_timing_default();
    timing.load_scaled = 1;
    timing.load_pc_scaled = 5;
    timing.store_scaled = 1;
    timing.data_pc_logical = 3;
    EXPECT_EQ(memcmp(&config->timing, &timing, sizeof timing), 0);
}

TEST(ConfigFiles, OneChipIsTheDefaultMachineWithoutABoardToPay)
{
    const loaded config("", file(std::string(SPINN_CONFIGS_FOLDER) + "/boards/one_chip.yaml"));
    ASSERT_TRUE(is_good(config));
    const struct machine_parameters machine = machine_parameters_default();
    EXPECT_EQ(memcmp(&config->machine, &machine, sizeof machine), 0);
    EXPECT_STREQ(config->energy.board_profile, "none");
}

TEST(ConfigFiles, EnergyHasTheCoefficientsOfTheReadings)
{
    const loaded config("", file(std::string(SPINN_CONFIGS_FOLDER) + "/energy/spinnaker1.yaml"));
    ASSERT_TRUE(is_good(config));
    const struct {
        const char *name;
        double value, low, high;
    } expected[] = {
        {"board_s14", 10.0, 6.2, 10.0},     {"board_snab", 6.2, 6.2, 10.0},
        {"board_spin3", 1.27, 1.20, 1.34},  {"chip", 0.332, 0.315, 0.349},
        {"core_cycle", 145, 129, 198},      {"sdram_background", 0.01875, 0.015, 0.0225},
        {"sdram_byte", 200.0, 100.0, 400.0}};
    ASSERT_EQ(config->energy.term_count, std::size(expected));
    for (size_t i = 0; i < std::size(expected); i++) {
        EXPECT_STREQ(config->energy.term[i].name, expected[i].name);
        EXPECT_EQ(config->energy.term[i].value, expected[i].value) << expected[i].name;
        EXPECT_EQ(config->energy.term[i].low, expected[i].low) << expected[i].name;
        EXPECT_EQ(config->energy.term[i].high, expected[i].high) << expected[i].name;
    }
}
