/* board_gdb_test.cpp - `spinnsim run --gdb`: every core is a process of GDB, and the machine stops
 * where a trace says; with a client of our own, and with gdb-multiarch where it is installed. */
#include "tests/system/board_trace.h"
#include "tests/system/gdb_program.h"

#include <algorithm>
#include <regex>

namespace
{

std::string hex(uint64_t number)
{
    char digits[20];
    (void)snprintf(digits, sizeof digits, "%llx", static_cast<unsigned long long>(number));
    return digits;
}

/* A word as packets have it: from the lowest byte on. */
std::string word_of(uint32_t word)
{
    char digits[12];
    (void)snprintf(digits, sizeof digits, "%08x", __builtin_bswap32(word));
    return digits;
}

/* Core p of the ring's chip is process p + 1. */
std::string thread_of(unsigned p)
{
    return "p" + hex(p + 1) + ".1";
}

/* The core in which a breakpoint is hit, and the one whose word is watched. */
constexpr unsigned BREAKS = 2, STORES = 3;

const BoardTrace &ring()
{
    static const BoardTrace trace(experiment("ring"), {0, 0, BREAKS}, "pass_on", {0, 0, STORES},
                                  "next_key");
    return trace;
}

class BoardGdbBase : public GdbProgram
{
  protected:
    void start(const words &arguments)
    {
        words all = {"--out", "o"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        GdbProgram::start("run", all);
    }
    static void begin(const gdb_user &client)
    {
        EXPECT_NE(client.ask("qSupported:multiprocess+;swbreak+").find("ReverseStep+"),
                  std::string::npos);
    }
    static void select(const gdb_user &client, unsigned p)
    {
        EXPECT_EQ(client.ask("Hg" + thread_of(p)), "OK");
    }
    static std::string time(const gdb_user &client, unsigned p)
    {
        select(client, p);
        return gdb_monitor(client, "time");
    }
    static unsigned long long cycle(const gdb_user &client, unsigned p)
    {
        return gdb_number_behind(time(client, p), ": cycle ", 1);
    }
    /* All registers of all cores, and the time. */
    static words state(const gdb_user &client)
    {
        words registers = {time(client, 0)};
        for (unsigned p = 0; p <= 17; p++) {
            select(client, p);
            registers.push_back(client.ask("g"));
        }
        return registers;
    }
    std::string hash() const
    {
        return text("o", "stats_hash");
    }
};

/* Host threads and tier. */
class BoardGdb : public BoardGdbBase,
                 public ::testing::WithParamInterface<std::tuple<const char *, const char *>>
{
  protected:
    words ways() const
    {
        return {"--threads", std::get<0>(GetParam()), "--tier", std::get<1>(GetParam())};
    }
    void start_ring()
    {
        words arguments = ways();
        arguments.push_back(experiment("ring"));
        start(arguments);
    }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Ways, BoardGdb,
                         ::testing::Combine(::testing::Values("1", "2"),
                                            ::testing::Values("interpreter", "everything")),
                         [](const auto &info) {
                             return "threads_" + std::string(std::get<0>(info.param)) + "_" +
                                    std::get<1>(info.param);
                         });

TEST_P(BoardGdb, StopsWhereATraceSaysAndGoesBack)
{
    ASSERT_GT(ring().store.cycle, 0u);
    ASSERT_GT(ring().reached.cycle, ring().store.cycle);
    start_ring();
    const gdb_user client(port_);
    begin(client);
    EXPECT_EQ(client.ask("?"), "T05thread:" + thread_of(1) + ";") << "the first with a program";

    /* Before the store, as GDB expects of an ARM; GDB then takes the point away and steps. */
    const std::string watch = "2," + hex(ring().object_address) + ",4";
    select(client, STORES);
    EXPECT_EQ(client.ask("Z" + watch), "OK");
    EXPECT_EQ(client.ask("vCont;c"),
              "T05watch:" + hex(ring().object_address) + ";thread:" + thread_of(STORES) + ";");
    EXPECT_EQ(cycle(client, STORES), ring().store.cycle);
    EXPECT_EQ(client.ask("pf"), word_of(ring().store.pc));
    EXPECT_EQ(client.ask("m" + hex(ring().object_address) + ",4"), "00000000");
    EXPECT_EQ(client.ask("z" + watch), "OK");
    EXPECT_EQ(client.ask("vCont;s:" + thread_of(STORES)), "T05thread:" + thread_of(STORES) + ";");
    EXPECT_EQ(cycle(client, STORES), ring().behind_store.cycle);
    EXPECT_EQ(client.ask("pf"), word_of(ring().behind_store.pc));
    EXPECT_EQ(client.ask("m" + hex(ring().object_address) + ",4"), word_of(0x1004));

    select(client, BREAKS);
    EXPECT_EQ(client.ask("Z0," + hex(ring().function_address) + ",4"), "OK");
    EXPECT_EQ(client.ask("vCont;c"), "T05swbreak:;thread:" + thread_of(BREAKS) + ";");
    EXPECT_EQ(cycle(client, BREAKS), ring().reached.cycle);
    EXPECT_EQ(client.ask("pf"), word_of(ring().function_address));

    /* An instruction on and back; then back to before the store, and here again. */
    const words here = state(client);
    EXPECT_EQ(client.ask("vCont;s:" + thread_of(BREAKS)), "T05thread:" + thread_of(BREAKS) + ";");
    EXPECT_NE(state(client), here);
    EXPECT_EQ(client.ask("bs"), "T05thread:" + thread_of(BREAKS) + ";");
    EXPECT_EQ(state(client), here);
    select(client, STORES);
    EXPECT_EQ(client.ask("Z" + watch), "OK");
    EXPECT_EQ(client.ask("bc"),
              "T05watch:" + hex(ring().object_address) + ";thread:" + thread_of(STORES) + ";");
    EXPECT_EQ(cycle(client, STORES), ring().behind_store.cycle) << "going back, it is behind it";
    EXPECT_EQ(client.ask("vCont;c"), "T05swbreak:;thread:" + thread_of(BREAKS) + ";");
    EXPECT_EQ(state(client), here);

    EXPECT_EQ(client.ask("D"), "OK");
    EXPECT_EQ(finish(), 0) << read("said");
    EXPECT_EQ(hash(), ring().stats_hash);
}

TEST_P(BoardGdb, StopsWhereATraceSaysUnderGdb)
{
    if (!has_gdb()) {
        GTEST_SKIP() << "gdb-multiarch is not installed";
    }
    start_ring();
    const finished shown = gdb("set pagination off\n"
                               "set schedule-multiple on\n"
                               "target extended-remote :" +
                               std::to_string(port_) +
                               "\n"
                               "inferior 3\n"
                               "info inferiors\n"
                               "watch *(unsigned *)&next_key\n"
                               "continue\n"
                               "monitor core 0,0,3\n"
                               "monitor time\n"
                               "delete\n"
                               "break *pass_on thread 2.1\n"
                               "continue\n"
                               "monitor core 0,0,2\n"
                               "monitor time\n"
                               "info registers\n"
                               "stepi\n"
                               "reverse-stepi\n"
                               "info registers\n"
                               "monitor time\n"
                               "backtrace 1\n"
                               "monitor core\n");
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_EQ(finish(), 0) << shown.out << shown.err; /* the end of GDB lets the run go on */
    EXPECT_EQ(hash(), ring().stats_hash);

    EXPECT_NE(shown.out.find("Old value = 0\nNew value = 4100\n"), std::string::npos) << shown.out;
    EXPECT_EQ(gdb_number_behind(shown.err, "core 0,0,3: cycle ", 1), ring().behind_store.cycle)
        << shown.err;
    EXPECT_TRUE(std::regex_search(shown.out, std::regex("Thread 2\\.1 .*hit Breakpoint 2"))) << shown.out;
    EXPECT_EQ(gdb_number_behind(shown.err, "core 0,0,2: cycle ", 1), ring().reached.cycle)
        << shown.err;
    EXPECT_EQ(gdb_number_behind(shown.err, "core 0,0,2: cycle ", 2), ring().reached.cycle);
    const std::regex block("r0  [^]*?cpsr [^\n]*\n");
    std::vector<std::string> registers;
    for (std::sregex_iterator at(shown.out.begin(), shown.out.end(), block), end; at != end; ++at) {
        registers.push_back(at->str());
    }
    ASSERT_EQ(registers.size(), 2u) << shown.out;
    EXPECT_EQ(registers[0], registers[1]);
}
