/* The files that ship in configs/. */
#include "tests/unit/config_fixture.h"

extern "C" {
#include "sim/run_control/job.h"
}

#include <fstream>
#include <map>
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
    EXPECT_GE(count, 8u);
}

TEST(ConfigFiles, ExperimentsAreWholeRuns)
{
    for (const char *folder : {"experiments", "study"}) {
        for (const std::filesystem::path &path : files_in(folder)) {
            loaded::options options = file(path.string());
            options.fragment = false;
            EXPECT_TRUE(is_good(loaded("", options)));
        }
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
        {"board_s14", 10.0, 6.2, 10.0},         {"board_snab", 6.2, 6.2, 10.0},
        {"board_spin3", 1.27, 1.20, 1.34},      {"chip", 0.332, 0.315, 0.349},
        {"core_cycle", 195, 145, 230},          {"router_bit", 25, 17.5, 32.5},
        {"sdram_activation", 6600, 3300, 8900}, {"sdram_background", 0.01875, 0.015, 0.0225},
        {"sdram_byte", 220, 150, 370}};
    ASSERT_EQ(config->energy.term_count, std::size(expected));
    for (size_t i = 0; i < std::size(expected); i++) {
        EXPECT_STREQ(config->energy.term[i].name, expected[i].name);
        EXPECT_EQ(config->energy.term[i].value, expected[i].value) << expected[i].name;
        EXPECT_EQ(config->energy.term[i].low, expected[i].low) << expected[i].name;
        EXPECT_EQ(config->energy.term[i].high, expected[i].high) << expected[i].name;
    }
}

/* ---- every counter has its price, or is free, by name ---- */

static std::vector<std::string> all_counters()
{
    std::vector<std::string> names;
    machine_each_counter_name(
        [](void *context, const char *component, const struct counter_info *info) {
            static_cast<std::vector<std::string> *>(context)->push_back(std::string(component) +
                                                                        "." + info->name);
        },
        &names);
    return names;
}

TEST(ConfigFiles, EnergyNamesEachCounterOnce)
{
    const loaded config("", file(std::string(SPINN_CONFIGS_FOLDER) + "/energy/spinnaker1.yaml"));
    ASSERT_TRUE(is_good(config));
    std::map<std::string, int> named;
    for (const std::string &counter : all_counters()) {
        named[counter] = 0;
    }
    const struct energy_table &table = config->energy;
    for (size_t i = 0; i < table.free_count; i++) {
        EXPECT_EQ(named.count(table.free[i]), 1u) << table.free[i] << ": no counter, or a \"*\"";
        named[table.free[i]]++;
    }
    for (size_t i = 0; i < table.term_count; i++) {
        for (size_t j = 0; j < table.term[i].per_count && !table.term[i].is_power; j++) {
            named[table.term[i].per[j]]++;
        }
    }
    for (const auto &counter : named) {
        EXPECT_EQ(counter.second, 1) << counter.first;
    }
}

/* The shipped file with one line changed (nothing: taken out), in a run without programs. */
struct energy_attempt {
    energy_attempt(const std::string &line, const std::string &other)
    {
        const temporary_folder folder;
        std::ifstream stream(std::string(SPINN_CONFIGS_FOLDER) + "/energy/spinnaker1.yaml");
        std::stringstream text;
        text << stream.rdbuf();
        std::string changed = text.str();
        const size_t at = changed.find(line);
        if (at == std::string::npos) {
            ADD_FAILURE() << "no line " << line;
            return;
        }
        changed.replace(at, line.size(), other);
        path = folder.write("energy.yaml", changed);
        const loaded config("include: [" + path + "]\nname: test\napp: []\n");
        EXPECT_TRUE(is_good(config));
        struct job job;
        struct job_options options = {};
        options.threads = 1;
        status = job_prepare(&job, &config.config, &options, &diagnostic);
        job_deinit(&job);
    }

    std::string path;
    struct diagnostic diagnostic = {};
    enum status status = STATUS_INTERNAL;
};

TEST(ConfigFiles, ACounterWithoutPriceOrFreedomIsRefused)
{
    const energy_attempt same("    - dma.bursts\n", "    - dma.bursts\n");
    EXPECT_EQ(same.status, STATUS_OK) << same.diagnostic.text;

    const energy_attempt dropped("    - dma.bursts\n", "");
    EXPECT_EQ(dropped.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(dropped.diagnostic.text,
                 "this counter has no coefficient and is not free: dma.bursts");
    EXPECT_STREQ(dropped.diagnostic.key, "energy");
    EXPECT_EQ(dropped.diagnostic.file, dropped.path);
    EXPECT_NE(dropped.diagnostic.line, 0);
    EXPECT_STREQ(dropped.diagnostic.hint,
                 "name it in energy.NAME.per of a coefficient, or in energy.free");
}

TEST(ConfigFiles, ACounterThatDoesNotExistIsRefused)
{
    const energy_attempt freed("    - dma.bursts\n", "    - dma.bursts\n    - dma.burst\n");
    EXPECT_EQ(freed.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(freed.diagnostic.text, "there is no counter of that name: dma.burst");
    EXPECT_STREQ(freed.diagnostic.key, "energy.free");
    EXPECT_EQ(freed.diagnostic.file, freed.path);
    EXPECT_NE(freed.diagnostic.line, 0);

    const energy_attempt priced("per: core.active_cycles", "per: core.awake_cycles");
    EXPECT_EQ(priced.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(priced.diagnostic.text, "there is no counter of that name: core.awake_cycles");
    EXPECT_STREQ(priced.diagnostic.key, "energy.core_cycle");
    EXPECT_EQ(priced.diagnostic.file, priced.path);
    EXPECT_NE(priced.diagnostic.line, 0);
}

TEST(ConfigFiles, AMachineLargerThanTheComputersMemoryIsRefused)
{
    const loaded config("include: [energy/spinnaker1.yaml]\nname: test\n"
                        "board: {width: 100, height: 10}\napp: []\n");
    ASSERT_TRUE(is_good(config));
    constexpr uint64_t CHIP = 480 * 1024;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(job_check_memory(&config.config, 1000, 1000 * CHIP, &diagnostic), STATUS_OK);
    EXPECT_EQ(job_check_memory(&config.config, 1000, 1000 * CHIP - 1, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "1000 chips take more memory than this computer has, 0.5 GiB");
    EXPECT_STREQ(diagnostic.key, "board.width");
    EXPECT_EQ(diagnostic.line, 3);
}
