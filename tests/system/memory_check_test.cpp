/* memory_check_test.cpp - check.memory: each planted fault is named once, with its line; nothing is
 * named in what is shipped; and nobody feels the check. */
#include "tests/system/program.h"

#include "sim/memory_check/memory_check.h"

#include <regex>
#include <set>

enum { CORES = 17 };

class MemoryCheck : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    /* The planted faults, by a program on two chips. */
    void plant(const std::string &name) const
    {
        write("faults.yaml", "name: faults\ninclude: [boards/one_chip.yaml, "
                             "energy/spinnaker1.yaml]\nboard: {width: 2}\n"
                             "app: [{file: " +
                                 name + ".elf, cores: 1-17}]\n");
    }

    /* Exit status 2 and a message, for these options. */
    void refuses(const words &options, const std::string &message) const
    {
        words command = {"run", experiment("ring"), "--out", "refused"};
        command.insert(command.end(), options.begin(), options.end());
        const finished result = spinnsim(command);
        EXPECT_EQ(result.status, 2) << message;
        EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
        EXPECT_FALSE(exists("refused"));
    }
};

static const words ON = {"--set", "check.memory=true"};

static words with(words options, const words &more)
{
    options.insert(options.end(), more.begin(), more.end());
    return options;
}

/* ---- planted faults ---- */

using found = std::tuple<std::string, std::string, std::string>; /* kind, function, line */

static const char GUEST[] = "/tests/system/guests/memory_faults.c";

static std::string kind_of(const std::string &name)
{
    static const std::map<std::string, memory_check_kind> KINDS = {
#define KIND(NAME, text, meaning) {#NAME, MEMORY_CHECK_##NAME},
#include "sim/memory_check/kinds.def"
#undef KIND
    };
    return memory_check_kind_text(KINDS.at(name));
}

/* By the number of the fault: what the comments of the guest say. */
static std::map<unsigned, found> planted()
{
    std::map<unsigned, found> faults;
    std::string function;
    unsigned line = 0;
    static const std::regex BEGINS("^static [^=;]*?(\\w+)\\(.*[^;]$");
    static const std::regex COMMENT("/\\* fault (\\d+): ([A-Z_]+) \\*/");
    for (const std::string &text : lines(read_text(std::string(SPINN_SOURCE_DIR) + GUEST))) {
        line++;
        std::smatch match;
        if (std::regex_search(text, match, BEGINS)) {
            function = match[1];
        }
        for (std::sregex_iterator at(text.begin(), text.end(), COMMENT), end; at != end; ++at) {
            faults[(unsigned)std::stoul((*at)[1])] = {kind_of((*at)[2]), function,
                                                      std::to_string(line)};
        }
    }
    return faults;
}

static std::map<unsigned, std::vector<found>> reported(const std::string &table)
{
    std::map<unsigned, std::vector<found>> faults;
    for (const auto &row : table_rows(table)) {
        const unsigned number =
            CORES * (unsigned)std::stoul(row.at("x")) + (unsigned)std::stoul(row.at("core"));
        EXPECT_NE(row.at("file").find("memory_faults.c"), std::string::npos) << row.at("file");
        faults[number].emplace_back(row.at("kind"), row.at("function"), row.at("line"));
    }
    return faults;
}

class MemoryCheckFaults : public MemoryCheck, public ::testing::WithParamInterface<const char *>
{
};

TEST_P(MemoryCheckFaults, EachIsNamedOnceWithFunctionAndLine)
{
    plant(GetParam());
    run("faults.yaml", "out", ON);
    const std::map<unsigned, found> expected = planted();
    const std::map<unsigned, std::vector<found>> seen = reported(read("out/memory_check.csv"));
    ASSERT_GE(expected.size(), 30u);
    for (const auto &[number, fault] : expected) {
        const auto at = seen.find(number);
        ASSERT_NE(at, seen.end()) << "fault " << number;
        EXPECT_EQ(at->second, std::vector<found>{fault}) << "fault " << number;
    }
    EXPECT_EQ(seen.size(), expected.size()) << "cores without a fault have no row";
    EXPECT_EQ(number("out", "memory_faults"), (double)expected.size());
}

TEST_P(MemoryCheckFaults, NobodyFeelsTheCheck)
{
    plant(GetParam());
    run("faults.yaml", "plain");
    run("faults.yaml", "on", ON);
    run("faults.yaml", "threads", with(ON, {"--threads", "2", "--tier", "interpreter"}));
    run("faults.yaml", "translator", with(ON, {"--tier", "translator"}));
    for (const char *out : {"on", "threads", "translator"}) {
        EXPECT_EQ(text(out, "identity.stats_hash"), text("plain", "identity.stats_hash")) << out;
        EXPECT_EQ(text(out, "identity.sim_hash"), text("plain", "identity.sim_hash")) << out;
        EXPECT_EQ(read(std::string(out) + "/memory_check.csv"), read("on/memory_check.csv"));
    }
    EXPECT_FALSE(exists("plain/memory_check.csv"));
}

INSTANTIATE_TEST_SUITE_P(Programs, MemoryCheckFaults,
                         ::testing::Values("test_memory_faults", "test_memory_faults_thumb"),
                         [](const auto &info) {
                             return std::string(info.param).substr(5) == "memory_faults" ? "Arm"
                                                                                         : "Thumb";
                         });

TEST_F(MemoryCheck, ARowNamesTheBlockItsOwnerAndWhereItWasAllocated)
{
    plant("test_memory_faults");
    run("faults.yaml", "out", ON);
    std::map<std::string, std::map<std::string, std::string>> rows;
    for (auto row : table_rows(read("out/memory_check.csv"))) {
        rows[row["function"]] = row;
    }
    const auto &past = rows.at("fault_2");
    EXPECT_EQ(past.at("times"), "2") << "a loop that goes on";
    EXPECT_EQ(past.at("access"), "write");
    EXPECT_EQ(past.at("memory"), "DTCM");
    EXPECT_EQ(past.at("block"), "heap");
    EXPECT_EQ(past.at("block_bytes"), "32");
    EXPECT_EQ(past.at("owner"), "2");
    EXPECT_EQ(std::stoul(past.at("address"), nullptr, 16),
              std::stoul(past.at("block_address"), nullptr, 16) + 32);
    EXPECT_EQ(past.at("freed_function"), "");
    const auto &others = rows.at("fault_4");
    EXPECT_EQ(others.at("owner"), "5");
    EXPECT_EQ(others.at("memory"), "SDRAM");
    const auto &freed = rows.at("fault_15");
    EXPECT_EQ(freed.at("freed_function"), "fault_15");
    EXPECT_NE(freed.at("freed_line"), "0");
    EXPECT_EQ(rows.at("fault_10").at("access"), "DMA write");
    EXPECT_EQ(rows.at("fault_14").at("access"), "free");
    EXPECT_EQ(rows.at("fault_6").at("memory"), "ITCM");
}

TEST_F(MemoryCheck, ACoreHasSoManyRowsAndOneThatCountsTheRest)
{
    write("many.yaml", "name: many\ninclude: [boards/one_chip.yaml, energy/spinnaker1.yaml]\n"
                       "app: [{file: test_memory_many.elf, cores: 3}]\n");
    run("many.yaml", "out", ON);
    const auto rows = table_rows(read("out/memory_check.csv"));
    std::map<std::string, unsigned> kinds;
    for (const auto &row : rows) {
        kinds[row.at("kind")]++;
        if (row.at("kind") == "more") {
            EXPECT_EQ(row.at("times"), std::to_string(40 - MEMORY_CHECK_REPORTS));
        }
    }
    EXPECT_EQ(kinds["stray write"], (unsigned)MEMORY_CHECK_REPORTS);
    EXPECT_EQ(kinds["more"], 1u);
}

TEST_F(MemoryCheck, AcceptBoundsTheFaults)
{
    plant("test_memory_faults");
    const finished result = spinnsim({"run", "faults.yaml", "--out", "out", "--set",
                                      "check.memory=true", "--set", "accept.memory_faults.max=0"});
    EXPECT_EQ(result.status, 5);
    EXPECT_NE(result.err.find("memory_faults is"), std::string::npos) << result.err;
    EXPECT_NE(result.out.find("memory faults"), std::string::npos) << result.out;
}

/* ---- shipped programs ---- */

struct shipped {
    const char *name;
    words keys; /* a shorter run */
};

class MemoryCheckShipped : public MemoryCheck, public ::testing::WithParamInterface<shipped>
{
};

TEST_P(MemoryCheckShipped, HasNoFaultsAndDoesNotFeelTheCheck)
{
    words options;
    for (const std::string &key : GetParam().keys) {
        options.insert(options.end(), {"--set", key});
    }
    run(experiment(GetParam().name), "plain", options);
    run(experiment(GetParam().name), "on", with(options, ON));
    EXPECT_EQ(read("on/memory_check.csv"), "");
    EXPECT_EQ(number("on", "memory_faults"), 0);
    EXPECT_EQ(text("on", "identity.stats_hash"), text("plain", "identity.stats_hash"));
}

INSTANTIATE_TEST_SUITE_P(
    Experiments, MemoryCheckShipped,
    ::testing::Values(shipped{"hello", {}}, shipped{"ring", {}}, shipped{"micro/alu_loop", {}},
                      shipped{"micro/branch", {}}, shipped{"micro/dma_pingpong", {}},
                      shipped{"micro/exceptions", {}}, shipped{"micro/lock_contention", {}},
                      shipped{"micro/multiply", {}}, shipped{"micro/packet_flood", {}},
                      shipped{"micro/ring_exchange", {}}, shipped{"micro/sdram_stream", {}},
                      shipped{"micro/tcm_copy", {}}, shipped{"micro/timer_tick", {}},
                      shipped{"micro/link_one_core", {}}, shipped{"published/arithmetic_mix", {}},
                      shipped{"published/dma_soak", {}}, shipped{"published/message_to_core", {}},
                      shipped{"published/round_trip", {}}, shipped{"published/refused_packets", {}},
                      shipped{"lenet1_synthetic", {"data.test_images=20"}},
                      shipped{"lenet1_packets_synthetic", {"data.test_images=10"}},
                      shipped{"lenet1_board_synthetic", {"data.test_images=16"}},
                      shipped{"lenet1_1998_synthetic", {"data.test_images=10"}},
                      shipped{"xor_train", {"train.epochs=2"}}),
    [](const auto &info) {
        return std::regex_replace(std::string(info.param.name), std::regex("[^a-z0-9]"), "_");
    });

/* ---- the page ---- */

TEST(MemoryCheckPage, HasEachKind)
{
    const std::string page = read_text(std::string(SPINN_SOURCE_DIR) + "/docs/memory_check.md");
    for (int kind = 0; kind < MEMORY_CHECK_KINDS; kind++) {
        const std::string row = std::string("| ") +
                                memory_check_kind_text((memory_check_kind)kind) + " | " +
                                memory_check_kind_meaning((memory_check_kind)kind) + " |\n";
        EXPECT_NE(page.find(row), std::string::npos) << row;
    }
}

/* ---- refusals ---- */

TEST_F(MemoryCheck, BadValuesAndWhatDoesNotGoTogetherAreRefused)
{
    refuses({"--set", "check.memory=maybe"}, "check.memory");
    refuses({"--set", "check.memories=true"}, "check.memories");
    refuses({"--set", "check=true"}, "check");
    refuses(with(ON, {"--gdb", "0"}), "--gdb: going back");
    const finished host = spinnsim(
        {"run", experiment("lenet1_host_train"), "--out", "host", "--set", "check.memory=true"});
    EXPECT_EQ(host.status, 2);
    EXPECT_NE(host.err.find("this backend has no memory of a machine"), std::string::npos)
        << host.err;
    const finished checkpoint =
        spinnsim({"run", experiment("xor_train"), "--out", "checkpoint", "--set",
                  "check.memory=true", "--set", "record.checkpoint_every_epochs=1"});
    EXPECT_EQ(checkpoint.status, 2);
    EXPECT_NE(checkpoint.err.find("a checkpoint does not say"), std::string::npos)
        << checkpoint.err;
}
