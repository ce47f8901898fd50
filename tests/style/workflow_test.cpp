/* workflow_test.cpp - the files of .github/workflows are valid, take actions by tag, and run what
 * the README says. */
#include "tests/system/program.h"

#include <filesystem>
#include <regex>
#include <yaml-cpp/yaml.h>

namespace fs = std::filesystem;

/* A step of a job is `uses` (an action) or `run` (a script). */
struct step {
    std::string uses, run;
};

static std::vector<step> steps_of(const fs::path &path)
{
    std::vector<step> found;
    const YAML::Node file = YAML::LoadFile(path.string());
    EXPECT_TRUE(file["name"].IsScalar() && file["on"].IsDefined()) << path;
    EXPECT_GE(file["jobs"].size(), 1u) << path;
    for (const auto &job : file["jobs"]) {
        EXPECT_TRUE(job.second["runs-on"].IsScalar()) << path << job.first;
        for (const auto &at : job.second["steps"]) {
            found.push_back({at["uses"].as<std::string>(""), at["run"].as<std::string>("")});
            EXPECT_NE(found.back().uses.empty(), found.back().run.empty()) << path << at;
        }
    }
    return found;
}

static std::vector<fs::path> workflows()
{
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(SPINN_SOURCE_DIR "/.github/workflows")) {
        found.push_back(entry.path());
    }
    return found;
}

/* The commands of the section "Two commands". */
static words commands_of_the_readme()
{
    words found;
    bool inside = false;
    for (const std::string &line : lines(read_text(SPINN_SOURCE_DIR "/README.md"))) {
        if (line.rfind("## ", 0) == 0) {
            inside = line == "## Two commands";
        } else if (inside && line.rfind("    ./", 0) == 0) {
            found.push_back(line.substr(4, line.find(' ', 4) - 4));
        }
    }
    return found;
}

TEST(Workflow, TakesActionsByTag)
{
    ASSERT_FALSE(workflows().empty());
    for (const fs::path &path : workflows()) {
        for (const step &at : steps_of(path)) {
            EXPECT_TRUE(at.uses.empty() ||
                        std::regex_match(at.uses, std::regex("[\\w-]+/[\\w-]+@v\\d+(\\.\\d+)*")))
                << path << ": " << at.uses;
        }
    }
}

TEST(Workflow, RunsTheTwoCommandsOfTheReadmeAndTheGoldens)
{
    words expected = commands_of_the_readme();
    ASSERT_EQ(expected, (words{"./scripts/quickstart.sh", "./scripts/test.sh"}));
    expected.push_back("build/spinnsim regress --strict");
    words run;
    bool checked_out = false;
    for (const step &at : steps_of(SPINN_SOURCE_DIR "/.github/workflows/tests.yml")) {
        checked_out = checked_out || at.uses.rfind("actions/checkout@", 0) == 0;
        if (checked_out && !at.run.empty()) {
            run.push_back(at.run);
        }
    }
    EXPECT_EQ(run, expected);
}

/* What an automatic build runs that knows no workflows. */
TEST(Workflow, AndTheBuildScriptEndWithTheTests)
{
    const words script = lines(read_text(SPINN_SOURCE_DIR "/.ci/run"));
    ASSERT_FALSE(script.empty());
    EXPECT_EQ(script.back(), "exec " + commands_of_the_readme().back());
}
