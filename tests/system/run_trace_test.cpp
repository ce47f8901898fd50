/* run_trace_test.cpp - record.trace: the instructions of one core of a board, and that nobody feels
 * it. */
#include "tests/system/program.h"

#include <sstream>

class RunTrace : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    finished ring(const std::string &out, const words &keys, const words &more = {}) const
    {
        words options = more;
        for (const std::string &key : keys) {
            options.insert(options.end(), {"--set", key});
        }
        return run(experiment("ring"), out, options);
    }

    /* Exit status 2 and a message, for these keys. */
    void refuses(const words &keys, const std::string &message) const
    {
        words command = {"run", experiment("ring"), "--out", "refused"};
        for (const std::string &key : keys) {
            command.insert(command.end(), {"--set", key});
        }
        const finished result = spinnsim(command);
        EXPECT_EQ(result.status, 2);
        EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
        EXPECT_FALSE(exists("refused"));
    }

    struct line {
        uint64_t cycle, takes;
        uint32_t address;
        std::string rest;
    };

    /* The lines of instructions, without those that name functions. */
    std::vector<line> lines(const std::string &out) const
    {
        std::istringstream text(read(out + "/trace.txt"));
        std::vector<line> found;
        for (std::string row; std::getline(text, row);) {
            if (row[0] == '#' || row.back() == ':') {
                continue;
            }
            std::istringstream words(row);
            line at = {};
            words >> at.cycle >> at.takes >> std::hex >> at.address;
            std::getline(words, at.rest);
            found.push_back(at);
        }
        return found;
    }
};

static const words CORE_5 = {"record.trace.core=0,0,5", "record.counters=core"};

TEST_F(RunTrace, HasEachInstructionAndEachCycleOfTheCore)
{
    ring("out", CORE_5);
    std::map<std::string, uint64_t> counted;
    for (const auto &row : table_rows(read("out/counters.csv"))) {
        if (row.at("component") == "core" && row.at("core_or_link") == "5") {
            counted[row.at("counter")] += std::stoull(row.at("value"));
        }
    }
    uint64_t instructions = 0;
    uint64_t interrupts = 0;
    uint64_t cycle = 0;
    for (const line &at : lines("out")) {
        EXPECT_EQ(at.cycle, cycle) << "without a gap";
        cycle = at.cycle + at.takes;
        const bool interrupt = at.rest.find("(interrupt)") != std::string::npos;
        interrupts += interrupt;
        instructions += !interrupt;
    }
    EXPECT_EQ(instructions, counted.at("instructions"));
    EXPECT_GT(cycle, counted.at("active_cycles"));
    EXPECT_LE(cycle, counted.at("active_cycles") + counted.at("sleep_cycles"))
        << "without the sleep behind the last instruction";
    EXPECT_GT(interrupts, 10u) << "a packet comes in each round";
}

TEST_F(RunTrace, IsTheSameInEachTierAndChangesNothing)
{
    ring("plain", {});
    for (const char *tier : {"interpreter", "translator"}) {
        ring(tier, CORE_5, {"--tier", tier});
        EXPECT_EQ(text(tier, "identity.stats_hash"), text("plain", "identity.stats_hash"));
    }
    EXPECT_EQ(read("interpreter/trace.txt"), read("translator/trace.txt"));
    EXPECT_FALSE(exists("plain/trace.txt"));
}

TEST_F(RunTrace, BeginsAtATimeAndEndsWithANumberOfInstructions)
{
    ring("all", CORE_5);
    ring("part", {"record.trace.core=0,0,5", "record.trace.from=2 us", "record.trace.count=7"});
    const std::vector<line> all = lines("all");
    const std::vector<line> part = lines("part");
    ASSERT_EQ(part.size(), 7u);
    size_t first = 0;
    while (first < all.size() && all[first].cycle < 400) { /* at 200 MHz */
        first++;
    }
    ASSERT_LE(first + part.size(), all.size());
    for (size_t i = 0; i < part.size(); i++) {
        EXPECT_EQ(part[i].cycle, all[first + i].cycle);
        EXPECT_EQ(part[i].rest, all[first + i].rest);
    }
}

TEST_F(RunTrace, WhatCannotBeTracedIsRefused)
{
    refuses({"record.trace.core=0,0,0"}, "\"0,0,0\" names no core with a program");
    refuses({"record.trace.core=0,0"}, "\"0,0\" names no core with a program");
    refuses({"record.trace.core=0,0,5x"}, "\"0,0,5x\" names no core with a program");
    refuses({"record.trace.count=7"}, "no effect without record.trace.core");
    refuses({"record.trace.core=0,0,5", "run.boot=handover", "app=[]"}, "run.boot");
}
