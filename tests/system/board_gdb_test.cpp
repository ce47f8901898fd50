/* board_gdb_test.cpp - `spinnsim run --gdb`: every core is a process of GDB, and the machine stops
 * where a trace says; with a client of our own, and with gdb-multiarch where it is installed. */
#include "tests/system/board_trace.h"
#include "tests/system/gdb_program.h"

#include <algorithm>
#include <regex>
#include <set>

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
        EXPECT_NE(client.ask("qSupported:multiprocess+;swbreak+;hwbreak+").find("ReverseStep+"),
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
        return text("o", "identity.stats_hash");
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
    const std::string stores =
        "T05watch:" + hex(ring().object_address) + ";thread:" + thread_of(STORES) + ";";
    select(client, STORES);
    EXPECT_EQ(client.ask("Z" + watch), "OK");
    EXPECT_EQ(client.ask("vCont;c"), stores) << "the start-up code stores zero";
    EXPECT_LT(cycle(client, STORES), ring().store.cycle);
    EXPECT_EQ(client.ask("vCont;c"), stores);
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
    EXPECT_EQ(client.ask("bc"), stores);
    EXPECT_EQ(cycle(client, STORES), ring().behind_store.cycle) << "going back, it is behind it";
    EXPECT_EQ(client.ask("vCont;c"), "T05swbreak:;thread:" + thread_of(BREAKS) + ";");
    EXPECT_EQ(state(client), here);

    EXPECT_EQ(client.ask("D"), "OK");
    EXPECT_EQ(finish(), 0) << read("said");
    EXPECT_EQ(hash(), ring().stats_hash);
}

/* Four chips, so that two threads have work. */
TEST_P(BoardGdb, StopsInEveryCoreOfSeveralChips)
{
    write("four.yaml", "include: [boards/spin3.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
                       "name: four\n"
                       "app:\n"
                       "  - {file: hello.elf, chips: all, cores: 1-3}\n");
    words keys = ways();
    keys.push_back(path("four.yaml"));
    words alone = {"run", "--out", "alone"};
    alone.insert(alone.end(), keys.begin(), keys.end());
    EXPECT_EQ(spinnsim(alone).status, 0);
    start(keys);
    const gdb_user client(port_);
    begin(client);
    EXPECT_NE(gdb_monitor(client, "break-all c_main").find(" on 12 cores of hello\n"),
              std::string::npos);
    std::set<std::string> seen;
    for (unsigned n = 0; n < 12; n++) {
        client.send_packet("vCont;c");
        seen.insert(gdb_unhex_text(client.receive().substr(1)));
        EXPECT_EQ(client.receive(), "O0a");
        EXPECT_EQ(client.receive().substr(0, 12), "T05swbreak:;");
    }
    EXPECT_EQ(seen.size(), 12u);
    EXPECT_EQ(client.ask("bs").substr(0, 3), "T05");
    EXPECT_EQ(client.ask("D"), "OK");
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(hash(), text("alone", "identity.stats_hash"));
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
                               "inferior 2\n"
                               "break *pass_on\n"
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
    EXPECT_TRUE(std::regex_search(shown.out, std::regex("Thread 2\\.1 .*hit Breakpoint 2")))
        << shown.out;
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

namespace
{

/* What does not depend on threads and tier. */
class BoardGdbUser : public BoardGdbBase
{
  protected:
    /* Breaks at the ring's pass_on in core 2, and goes there. */
    void go_to_break(const gdb_user &client)
    {
        begin(client);
        select(client, BREAKS);
        EXPECT_EQ(client.ask("Z0," + hex(ring().function_address) + ",4"), "OK");
        EXPECT_EQ(client.ask("vCont;c"), "T05swbreak:;thread:" + thread_of(BREAKS) + ";");
    }
    /* The text that is shown before the next stop. */
    static std::string shown(std::string *answer, const gdb_user &client)
    {
        std::string text;
        for (; answer->substr(0, 1) == "O" && *answer != "OK"; *answer = client.receive()) {
            text += gdb_unhex_text(answer->substr(1));
        }
        return text;
    }
};

const char QUIET[] = "the machine is quiet: every core sleeps, and nothing will wake one; continue "
                     "ends the run, or its next part begins\n";

} // namespace

TEST_F(BoardGdbUser, MonitorShowsTheMachine)
{
    start({experiment("ring")});
    const gdb_user client(port_);
    go_to_break(client);
    EXPECT_EQ(gdb_monitor(client, "core"),
              "monitor shows the core that GDB has selected: core 0,0,2\n");
    EXPECT_EQ(gdb_monitor(client, "core 0,0,4"), "monitor shows core 0,0,4: process 5, ring\n");
    EXPECT_NE(gdb_monitor(client, "time").find("\ncore 0,0,4: cycle "), std::string::npos);
    EXPECT_NE(gdb_monitor(client, "core 0,0,0").find("process 1, without a program of this run"),
              std::string::npos);
    EXPECT_NE(gdb_monitor(client, "core").find("core 0,0,2"), std::string::npos);
    EXPECT_TRUE(std::regex_match(
        gdb_monitor(client, "route 0x1003"),
        std::regex("chip 0,0, key 0x00001003: entry [0-9]+, key 0x00001003 mask 0xffffffff, to "
                   "core 3\n")));
    EXPECT_EQ(gdb_monitor(client, "route 0x1003 0,0"), gdb_monitor(client, "route 0x1003"));
    EXPECT_EQ(gdb_monitor(client, "route 0x2000"),
              "chip 0,0 has no entry for key 0x00002000: such a packet leaves opposite to where it "
              "came from\n");
    const words cores = lines(gdb_monitor(client, "cores"));
    EXPECT_EQ(cores.size(), 17u);
    EXPECT_EQ(cores[1].find("core 0,0,2     pc 0x"), 0u) << cores[1];
    EXPECT_NE(cores[2].find(" sleeps"), std::string::npos) << cores[2];
    const words waits = lines(gdb_monitor(client, "waits"));
    EXPECT_EQ(waits.size(), 18u);
    EXPECT_NE(waits[2].find("core 0,0,3, ring, asleep at pc 0x"), std::string::npos) << waits[2];
    EXPECT_NE(waits[2].find("waits for "), std::string::npos) << waits[2];
    EXPECT_EQ(waits[17], "17 cores have not ended their programs");
    EXPECT_TRUE(std::regex_match(gdb_monitor(client, "history"),
                                 std::regex("[0-9]+ states in [0-9.]+ MB\n")));

    /* Core 2 sends the packet on. */
    std::string packets = gdb_monitor(client, "packets");
    EXPECT_EQ(packets, "0 packets under way\n");
    for (unsigned i = 0; i < 200 && packets[0] == '0'; i++) {
        EXPECT_EQ(client.ask("vCont;s:" + thread_of(BREAKS)),
                  "T05thread:" + thread_of(BREAKS) + ";");
        packets = gdb_monitor(client, "packets");
    }
    EXPECT_EQ(packets.find("multicast 0x00001003 payload 0x00000002, chip 0,0: "), 0u) << packets;
    EXPECT_NE(packets.find("\n1 packet under way\n"), std::string::npos) << packets;

    /* At the end, the joules are those of the results. */
    EXPECT_EQ(client.ask("z0," + hex(ring().function_address) + ",4"), "OK");
    std::string answer = client.ask("vCont;c");
    EXPECT_EQ(shown(&answer, client), QUIET);
    EXPECT_EQ(answer, "T05thread:" + thread_of(BREAKS) + ";");
    EXPECT_EQ(gdb_monitor(client, "waits"), "0 cores have not ended their programs\n");
    const double joules = std::stod(gdb_monitor(client, "joules"));
    EXPECT_EQ(client.ask("vCont;c"), "W00;process:" + hex(BREAKS + 1));
    EXPECT_EQ(finish(), 0) << read("said");
    EXPECT_NEAR(number("o", "energy.joules.default"), joules, 1e-8 * joules);
    EXPECT_EQ(hash(), ring().stats_hash);
}

TEST_F(BoardGdbUser, MonitorRefusesBadArguments)
{
    start({experiment("ring")});
    const gdb_user client(port_);
    begin(client);
    for (const char *wrong : {"core 0", "core 0,0", "core 0,0,1,1", "core 0,0,x", "core 0,0,-1",
                              "core 0,0,256", "core 99999999999999999999,0,1", "core ,,"}) {
        EXPECT_EQ(gdb_monitor(client, wrong), "name a core as X,Y,P: core 2,3,5\n") << wrong;
    }
    EXPECT_EQ(gdb_monitor(client, "core 0,0,18"), "there is no working core 0,0,18\n");
    EXPECT_EQ(gdb_monitor(client, "core 7,7,1"), "there is no working core 7,7,1\n");
    for (const char *wrong : {"route", "route x", "route 0x1001x", "route 0x1001 0",
                              "route 1 0,0,0", "route 0x100000000", "route 1 0,x"}) {
        EXPECT_EQ(gdb_monitor(client, wrong), "name a key, and a chip as X,Y: route 0x1001 0,0\n")
            << wrong;
    }
    EXPECT_EQ(gdb_monitor(client, "route 1 7,7"), "there is no chip 7,7\n");
    for (const char *wrong : {"break-all", "break-all nowhere", "break-all 0x100000000",
                              "break-all next_key", "unbreak-all nowhere"}) {
        EXPECT_EQ(gdb_monitor(client, wrong), "name a function of ring, or an address\n") << wrong;
    }
    EXPECT_EQ(gdb_monitor(client, "unbreak-all 0x100"), "break-all has set none at 0x00000100\n");
    EXPECT_EQ(gdb_monitor(client, "core 0,0,0").find("monitor shows core 0,0,0"), 0u);
    EXPECT_EQ(gdb_monitor(client, "break-all pass_on"),
              "core 0,0,0 has no program of this run; `monitor core X,Y,P` selects another\n");
    EXPECT_EQ(client.ask("k"), "");
    EXPECT_EQ(finish(), 3);
}

TEST_F(BoardGdbUser, BreaksInAllCoresOfAProgram)
{
    start({experiment("ring")});
    const gdb_user client(port_);
    begin(client);
    char address[12];
    (void)snprintf(address, sizeof address, "0x%08x", ring().function_address);
    EXPECT_EQ(gdb_monitor(client, "break-all pass_on"),
              "breakpoint at " + std::string(address) + " on 17 cores of ring\n");
    for (unsigned n = 0; n < 20; n++) {
        const unsigned p = (n + 1) % 17 + 1; /* the packet goes to core 2 first */
        std::string answer = client.ask("vCont;c");
        EXPECT_EQ(shown(&answer, client),
                  "break-all: core 0,0," + std::to_string(p) + " at " + address + "\n");
        EXPECT_EQ(answer, "T05swbreak:;thread:" + thread_of(p) + ";") << n;
        /* GDB takes its own breakpoints away at each stop. */
        EXPECT_EQ(client.ask("z0," + hex(ring().function_address) + ",4"), "OK");
    }
    EXPECT_EQ(gdb_monitor(client, "unbreak-all pass_on"), "removed on 17 cores of ring\n");
    std::string answer = client.ask("vCont;c");
    EXPECT_EQ(shown(&answer, client), QUIET);
    EXPECT_EQ(client.ask("D"), "OK");
    EXPECT_EQ(finish(), 0) << read("said");
    EXPECT_EQ(hash(), ring().stats_hash);
}

/* A write outside all memory: the run ends as it does without GDB. */
TEST_F(BoardGdbUser, ShowsAFaultWhereItWasCaused)
{
    const std::string guest = program("test_write_nowhere");
    const words stops = {"--set", "run.stop_on=guest_error"};
    start({guest, stops[0], stops[1]});
    const gdb_user client(port_);
    begin(client);
    std::string answer = client.ask("vCont;c");
    EXPECT_EQ(shown(&answer, client), "core 0,0,1: data abort at 0x50000008\n");
    EXPECT_EQ(answer, "T0bthread:" + thread_of(1) + ";");
    EXPECT_EQ(client.ask("bs"), "T05thread:" + thread_of(1) + ";");
    answer = client.ask("vCont;c");
    EXPECT_EQ(shown(&answer, client), "core 0,0,1: data abort at 0x50000008\n") << "once more";
    EXPECT_EQ(client.ask("vCont;c"), "W03;process:" + hex(2));
    EXPECT_EQ(finish(), 3) << read("said");
    const finished alone = spinnsim({"run", guest, stops[0], stops[1], "--out", "alone"});
    EXPECT_EQ(alone.status, 3);
    EXPECT_NE(alone.err.find(lines(read("said"))[1]), std::string::npos) << read("said");
    EXPECT_EQ(text("o", "failure"), text("alone", "failure"));
    EXPECT_EQ(hash(), text("alone", "identity.stats_hash"));
}

/* Host time in which the machine stands, or GDB is away, does not count. */
TEST_F(BoardGdbUser, ALostClientLeavesTheMachineToTheNext)
{
    start({experiment("ring")});
    {
        const gdb_user lost(port_);
        go_to_break(lost);
    }
    const gdb_user client(port_);
    begin(client);
    EXPECT_EQ(cycle(client, BREAKS), ring().reached.cycle);
    std::string answer = client.ask("vCont;c");
    EXPECT_EQ(shown(&answer, client), QUIET) << "its breakpoint has gone with it";
    EXPECT_EQ(client.ask("D"), "OK");
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(hash(), ring().stats_hash);
}

TEST_F(BoardGdbUser, CtrlCStopsAndKillEndsARun)
{
    start({program("test_endless"), "--set", "run.simulated_time_limit=1000 s"});
    const gdb_user client(port_);
    begin(client);
    client.send_packet("vCont;c");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    client.send("\x03");
    EXPECT_EQ(client.receive(), "T02thread:" + thread_of(1) + ";");
    EXPECT_GT(cycle(client, 1), 0u);
    EXPECT_EQ(client.ask("vKill;2"), "OK");
    EXPECT_EQ(finish(), 3);
    EXPECT_NE(read("said").find("the run has been ended from outside"), std::string::npos)
        << read("said");
}

/* A step may go beyond the end of an interval, at which the run's owner looks. */
TEST_F(BoardGdbUser, WhatIsRecordedByTimeIsAsWithoutGdb)
{
    const words keys = {"--set", "record.interval=1 us", experiment("ring")};
    words alone = {"run", "--out", "alone"};
    alone.insert(alone.end(), keys.begin(), keys.end());
    EXPECT_EQ(spinnsim(alone).status, 0);
    start(keys);
    const gdb_user client(port_);
    go_to_break(client);
    for (unsigned i = 0; i < 300; i++) {
        EXPECT_EQ(client.ask("vCont;s:" + thread_of(BREAKS)).substr(0, 3), "T05");
    }
    EXPECT_EQ(client.ask("D"), "OK");
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(hash(), text("alone", "identity.stats_hash"));
    EXPECT_EQ(read("o/intervals.csv"), read("alone/intervals.csv"));
    EXPECT_NE(read("o/intervals.csv"), "");
}

/* A training has a command behind the other; each ends with a quiet machine. */
TEST_F(BoardGdbUser, ATrainingGoesOnBehindEachCommand)
{
    const words keys = {"--set", "train.epochs=2", "--set", "test.every_epochs=1",
                        experiment("xor_train")};
    words alone = {"run", "--out", "alone"};
    alone.insert(alone.end(), keys.begin(), keys.end());
    const int status = spinnsim(alone).status;
    start(keys);
    const gdb_user client(port_);
    begin(client);
    unsigned stops = 0;
    std::string answer = client.ask("vCont;c");
    for (; shown(&answer, client) == QUIET; answer = client.ask("vCont;c")) {
        stops++;
        EXPECT_EQ(client.ask("bs").substr(0, 3), "T05");
        answer = client.ask("vCont;c");
        EXPECT_EQ(shown(&answer, client), QUIET) << "once more";
    }
    EXPECT_GE(stops, 3u);
    EXPECT_EQ(answer.substr(0, 1), "W") << answer;
    EXPECT_EQ(finish(), status);
    EXPECT_EQ(hash(), text("alone", "identity.stats_hash"));
}

TEST_F(BoardGdbUser, RunsThatCannotGoBackAreRefused)
{
    const struct {
        words arguments;
        const char *key, *hint;
    } RUNS[] = {
        {{"--set", "data.set=synthetic", experiment("boosted_lenet4")},
         "stages",
         "--set stages=null"},
        {{"--set", "data.set=synthetic", "--set", "run.sample.updates=6", "--set",
          "run.sample.at=2", experiment("lenet1_train")},
         "run.sample",
         "--set run.sample=null"},
        {{"--set", "data.set=synthetic", experiment("lenet1_host_train")},
         "backend",
         "--set backend=spinnaker"},
        {{"--set", "record.timeline.what=[phases]", experiment("ring")},
         "record.timeline.what",
         "record.timeline.what: []"},
    };
    for (const auto &run : RUNS) {
        words command = {"run", "--gdb", std::to_string(port_), "--out", "o"};
        command.insert(command.end(), run.arguments.begin(), run.arguments.end());
        const finished refused = spinnsim(command);
        EXPECT_EQ(refused.status, 2) << refused.err;
        EXPECT_NE(refused.err.find(run.key), std::string::npos) << refused.err;
        EXPECT_NE(refused.err.find("--gdb: "), std::string::npos) << refused.err;
        EXPECT_NE(refused.err.find(run.hint), std::string::npos) << refused.err;
    }
}

TEST_F(BoardGdbUser, NamesWhoHasThePort)
{
    start({experiment("ring")});
    const finished second =
        spinnsim({"run", experiment("ring"), "--out", "o2", "--gdb", std::to_string(port_)});
    EXPECT_EQ(second.status, 2);
    EXPECT_NE(second.err.find("TCP port " + std::to_string(port_) +
                              " of 127.0.0.1 is in use by process " + std::to_string(child_)),
              std::string::npos)
        << second.err;
    EXPECT_EQ(spinnsim({"run", experiment("ring"), "--gdb", "65536"}).status, 2);
}
