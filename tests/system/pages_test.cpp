/* pages_test.cpp - pages of the documentation that show commands: each is tried from its text
 * alone, in an empty folder.
 *
 * In such a page a line "`NAME`:" before a fenced block gives a file.  In a block ```console lines
 * "$ " are commands; what follows is what they say, where ... stands for anything. */
#include "tests/support/shell_word.h"
#include "tests/system/program.h"

#include <filesystem>

extern "C" {
#include "sim/config/config.h"
}

namespace
{

class Pages : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    /* Runs a command as a reader does who has spinnsim in the path. */
    std::string say(const std::string &command) const
    {
        const std::string bin = SPINN_PROGRAM;
        const finished done = run_command(
            {"/bin/sh", "-c",
             "exec 2>&1; SPINNSIM=" + shell_word(SPINN_SOURCE_DIR) + "; export SPINNSIM; PATH=" +
                 shell_word(bin.substr(0, bin.rfind('/'))) + ":$PATH\n" + command},
            folder);
        return done.out + done.err;
    }

    void expect(const std::string &command, const std::string &expected) const
    {
        const std::string said = say(command);
        if (expected.empty()) {
            EXPECT_EQ(said, "") << command;
        }
        size_t at = 0;
        size_t from = 0;
        while (from <= expected.size()) {
            const size_t end = std::min(expected.find("...", from), expected.size());
            const std::string part = expected.substr(from, end - from);
            const size_t found = said.find(part, at);
            ASSERT_NE(found, std::string::npos) << command << "\nshould say\n"
                                                << part << "\nsays\n"
                                                << said;
            EXPECT_TRUE(from > 0 || found == 0) << command << "\nsays before\n" << said;
            at = found + part.size();
            from = end + 3;
        }
    }

    void console(const words &block) const
    {
        for (size_t i = 0; i < block.size();) {
            ASSERT_EQ(block[i].compare(0, 2, "$ "), 0) << block[i];
            const std::string command = block[i++].substr(2);
            std::string expected;
            while (i < block.size() && block[i].compare(0, 2, "$ ") != 0) {
                expected += block[i++] + "\n";
            }
            expect(command, expected);
        }
    }

    void put(const std::string &name, const words &block) const
    {
        std::string text;
        for (const std::string &line : block) {
            text += line + "\n";
        }
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        write(name, text);
    }

    void try_page(const std::string &page) const
    {
        const words all = lines(read_text(std::string(SPINN_SOURCE_DIR) + "/docs/" + page));
        std::string name; /* of a file that the next block gives */
        size_t commands = 0;
        for (size_t i = 0; i < all.size() && !HasFatalFailure(); i++) {
            const std::string &line = all[i];
            if (line.compare(0, 3, "```") == 0) {
                words block;
                while (++i < all.size() && all[i] != "```") {
                    block.push_back(all[i]);
                }
                if (line == "```console") {
                    console(block);
                    commands++;
                } else if (!name.empty()) {
                    put(name, block);
                }
                name.clear();
            } else if (line.size() > 3 && line[0] == '`' && line.find("`:") == line.size() - 2) {
                name = line.substr(1, line.size() - 3);
            }
        }
        EXPECT_GT(commands, 0u) << page;
    }
};

TEST_F(Pages, Goldens)
{
    try_page("goldens.md");
    const std::string workflow = read(".github/workflows/goldens.yml");
    for (const char *step :
         {" ./scripts/setup.sh\n", " run: sh check.sh\n", " -DSPINN_BUILD_TESTS=OFF\n"}) {
        EXPECT_NE(workflow.find(step), std::string::npos) << step;
    }
    EXPECT_TRUE(std::filesystem::exists(SPINN_SOURCE_DIR "/scripts/setup.sh"));
    const std::string page = read_text(SPINN_SOURCE_DIR "/docs/goldens.md");
    for (int metric = 0; metric < CONFIG_METRICS; metric++) {
        const std::string name = config_metric_text(static_cast<enum config_metric>(metric));
        EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
    }
}

TEST_F(Pages, Sweeps)
{
    if (run_command({"gnuplot", "--version"}).status != 0) {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    try_page("sweeps.md");
}

TEST_F(Pages, Forks)
{
    try_page("forks.md");
}

TEST_F(Pages, OwnExperiments)
{
    try_page("own_experiments.md");
}

} // namespace
