/* diff_test.cpp - `spinnsim diff` of real results: the same, changed, three, damaged. */
#include "tests/system/program.h"

#include <filesystem>

namespace fs = std::filesystem;

class Diff : public SystemTest
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        run(experiment("hello"), "a");
    }

    void copy(const std::string &name) const
    {
        fs::remove_all(path(name));
        fs::copy(path("a"), path(name));
    }
};

/* The host's threads, tier and time make no difference. */
TEST_F(Diff, OfTheSameRunNothingDiffers)
{
    run(experiment("hello"), "b", {"--threads", "2", "--tier", "interpreter"});
    const finished same = spinnsim({"diff", "a", "b", "--exit-code"});
    EXPECT_EQ(same.status, 0) << same.err;
    EXPECT_EQ(same.out, "A  a\nB  b\n\nnothing differs\n");
}

/* Timers count core cycles, so that at half the clock the chip stands for twice the time. */
TEST_F(Diff, TellsTheClockAndWhatFollows)
{
    run(experiment("hello"), "b", {"--set", "clock.cpu=100 MHz"});
    const finished told = spinnsim({"diff", "a", "b"});
    EXPECT_EQ(told.status, 0) << told.err;
    EXPECT_EQ(told.out.find("A  a\nB  b\n\nConfiguration\n                   A        B\n"
                            "  clock.cpu  200 MHz  100 MHz\n\nResults\n"),
              0u)
        << told.out;
    for (const std::string &line : lines(told.out)) {
        EXPECT_LE(line.size(), 100u) << line;
    }
    EXPECT_NE(told.out.find("\nMachine time by stage (s)\n"), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("\nEnergy by coefficient (J)\n"), std::string::npos) << told.out;
    EXPECT_EQ(told.out.find("host"), std::string::npos) << told.out;
    EXPECT_EQ(spinnsim({"diff", "a", "b", "--exit-code"}).status, 5);
    EXPECT_EQ(spinnsim({"diff", "b", "a", "a", "--exit-code"}).status, 5);
    EXPECT_GT(lines(spinnsim({"diff", "a", "b", "--all"}).out).size(), lines(told.out).size());

    const finished table = spinnsim({"diff", "a", "b", "a", "--format", "csv"});
    const auto rows = table_rows(table.out);
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows[0].at("item"), "clock.cpu");
    double explained = 0;
    for (const auto &row : rows) {
        EXPECT_EQ(row.at("base"), "a");
        EXPECT_EQ(row.at("folder"), "b") << "nothing differs from itself";
        explained += row.at("table") == "stage_seconds" ? std::stod(row.at("explains_percent")) : 0;
    }
    EXPECT_NEAR(explained, 100, 1e-6);
    const finished object = spinnsim({"diff", "a", "b", "--format", "json"});
    EXPECT_NE(object.out.find("\"item\": \"clock.cpu\""), std::string::npos) << object.out;
}

/* A result folder that is damaged or none: one message with the file, status 2, nothing printed. */
TEST_F(Diff, RefusesWhatIsNoCompleteFolder)
{
    for (const char *file : {"summary.json", "config.yaml", "counters.csv", "phases.csv",
                             "energy.csv", "placement.csv"}) {
        const std::string whole = read(std::string("a/") + file);
        for (const size_t kept :
             {size_t{0}, whole.rfind('\n', whole.size() / 2) + 2, whole.size() - 2}) {
            copy("b");
            write(std::string("b/") + file, whole.substr(0, kept));
            sign("b");
            const finished wrong = spinnsim({"diff", "a", "b"});
            EXPECT_EQ(wrong.status, 2) << file << " cut at " << kept;
            EXPECT_EQ(wrong.out, "");
            EXPECT_EQ(wrong.err.find(std::string("spinnsim: b/") + file + ":"), 0u) << wrong.err;
        }
        copy("b");
        fs::remove(path(std::string("b/") + file));
        sign("b");
        const finished missing = spinnsim({"diff", "b", "a"});
        EXPECT_EQ(missing.status, 2);
        EXPECT_NE(missing.err.find("cannot read: No such file or directory\n    hint: "),
                  std::string::npos)
            << missing.err;
    }
    EXPECT_EQ(spinnsim({"diff", "a", "a", "nowhere"}).out, "");
    const finished alone = spinnsim({"diff", "a"});
    EXPECT_EQ(alone.status, 2);
    EXPECT_NE(alone.err.find("name a second result folder"), std::string::npos) << alone.err;
}
