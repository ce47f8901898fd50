/* kills_commands_test.cpp - commands other than one run, killed at random moments and begun anew: a
 * sweep, a baseline, a new golden.  What stands under a final name is whole, nothing is left over,
 * and the results are those of a command that was left alone. */
#include "tests/system/kills_fixture.h"

class KillsOfCommands : public Kills
{
  protected:
    using table = std::map<std::string, std::string>;

    /* The files that the command has written, by name behind OUT: "/a/summary.json", "-b/a.csv";
     * without those that are being written. */
    table written(const std::string &out) const
    {
        table all;
        for (const auto &entry : fs::recursive_directory_iterator(folder)) {
            const std::string name = fs::relative(entry.path(), folder).string();
            if (entry.is_regular_file() && name.compare(0, out.size(), out) == 0 &&
                !is_part(name)) {
                all[name.substr(out.size())] =
                    lasting(entry.path().filename().string(), read(name));
            }
        }
        return all;
    }

    /* What is being written still: after a command that has ended, nothing. */
    words parts() const
    {
        words names;
        for (const auto &entry : fs::recursive_directory_iterator(folder)) {
            if (is_part(entry.path().filename().string())) {
                names.push_back(fs::relative(entry.path(), folder).string());
            }
        }
        return names;
    }

    /* `same`: what of a file is the same in every run. */
    template <typename Command, typename Same>
    void kill_and_repeat(Command command, uint64_t usual, Same same)
    {
        table whole;
        uint64_t unfinished = 0;
        const auto killed = [&] {
            whole = written("whole");
            const table left = written("out");
            unfinished += left.size() < whole.size();
            for (const auto &[name, text] : left) {
                EXPECT_EQ(same(text), same(whole[name])) << name;
            }
        };
        const auto finish = [&] {
            (void)complete(command("out"));
            const table now = written("out");
            EXPECT_EQ(now.size(), whole.size());
            for (const auto &[name, text] : whole) {
                EXPECT_EQ(same(text), same(now.count(name) ? now.at(name) : "")) << name;
            }
            EXPECT_EQ(parts(), words());
        };
        kill_commands(command, usual, killed, finish);
        EXPECT_GT(unfinished, 0u) << "no kill came before the end";
    }

    template <typename Command> void kill_and_repeat(Command command, uint64_t usual)
    {
        kill_and_repeat(command, usual, [](const std::string &text) { return text; });
    }

    /* A row of spinnsim baseline without what was measured. */
    static std::string without_measurements(const std::string &text)
    {
        std::string kept;
        for (const auto &row : table_rows(text)) {
            for (const char *name : {"experiment", "network", "program", "threads", "images",
                                     "epochs", "batch", "updates", "accuracy", "loss"}) {
                kept += row.at(name) + " ";
            }
        }
        return kept;
    }
};

TEST_F(KillsOfCommands, ASweepGoesOnToTheSameTable)
{
    kill_and_repeat(
        [](const std::string &out) {
            return words{SPINN_PROGRAM,
                         "sweep",
                         experiment("hello"),
                         "--axis",
                         "clock.cpu=100 MHz,150 MHz,200 MHz",
                         "--jobs",
                         "2",
                         "--tier",
                         "interpreter",
                         "--progress",
                         "none",
                         "--out",
                         out};
        },
        10);
}

TEST_F(KillsOfCommands, ABaselineIsWrittenAsAWhole)
{
    kill_and_repeat(
        [](const std::string &out) {
            return words{SPINN_PROGRAM,
                         "baseline",
                         experiment("fc128_train"),
                         "--set",
                         "data.set=synthetic",
                         "--set",
                         "data.train_images=400",
                         "--set",
                         "data.test_images=100",
                         "--program",
                         "int16",
                         "--processes",
                         "2",
                         "--format",
                         "csv",
                         "--out",
                         out + ".csv"};
        },
        10, without_measurements);
}

/* A golden that is there is not begun again. */
TEST_F(KillsOfCommands, AGoldenIsAddedAsAWhole)
{
    kill_and_repeat(
        [&](const std::string &out) {
            words command = {SPINN_PROGRAM, "regress", out};
            if (written(out).empty()) {
                command.insert(command.end(), {"--add", experiment("hello")});
            }
            return command;
        },
        10);
}
