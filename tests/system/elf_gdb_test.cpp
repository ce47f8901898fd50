/* elf_gdb_test.cpp - `spinnsim elf --gdb`: with a client of our own, and with gdb-multiarch where
 * it is installed. */
#include "tests/system/gdb_program.h"

#include <algorithm>
#include <regex>

namespace
{

/* In each tier the same. */
class ElfGdb : public GdbProgram, public ::testing::WithParamInterface<const char *>
{
  protected:
    void start(const words &arguments)
    {
        words command = {"--tier", GetParam()};
        command.insert(command.end(), arguments.begin(), arguments.end());
        GdbProgram::start("elf", command);
        ASSERT_EQ(lines(read("said")).at(0),
                  "waiting for GDB at 127.0.0.1:" + std::to_string(port_) +
                      ": target remote :" + std::to_string(port_));
    }
    /* What `monitor time` says. */
    static std::string time(const gdb_user &client)
    {
        return gdb_monitor(client, "time");
    }
};

const char ALONE[] = "instructions 60 cycles 149 region_instructions 0 region_cycles 0";

} // namespace

INSTANTIATE_TEST_SUITE_P(Tiers, ElfGdb, ::testing::Values("interpreter", "everything"),
                         [](const auto &info) { return std::string(info.param); });

/* main() is at 0x8048, count_down() at 0x8074: ElfTrace has their cycles. */
TEST_P(ElfGdb, StopsAtBreakpointsAndChangesNoCount)
{
    start({program("test_profiled")});
    const gdb_user client(port_);
    EXPECT_EQ(client.ask("?"), "T05thread:1;");
    EXPECT_EQ(time(client), "cycle 0, 0 instructions\n");
    EXPECT_EQ(client.ask("Z0,8048,4"), "OK");
    EXPECT_EQ(client.ask("vCont;c"), "T05thread:1;");
    EXPECT_EQ(client.ask("pf"), "48800000");
    EXPECT_EQ(time(client), "cycle 11, 7 instructions\n");
    EXPECT_EQ(client.ask("Z1,8074,4"), "OK");
    for (unsigned i = 0; i < 4; i++) { /* a core at a breakpoint goes past it */
        EXPECT_EQ(client.ask("c"), "T05thread:1;");
        EXPECT_EQ(client.ask("pf"), "74800000");
    }
    EXPECT_EQ(client.ask("s"), "T05thread:1;");
    EXPECT_EQ(client.ask("pf"), "78800000");
    EXPECT_EQ(client.ask("z1,8074,4"), "OK");
    EXPECT_EQ(client.ask("c"), "W00");
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(last_line(), ALONE);
}

/* As GDB expects it of an ARM: it steps over the instruction, and compares what is watched. */
TEST_P(ElfGdb, StopsBeforeAnAccessToWhatIsWatched)
{
    start({program("test_profiled")});
    const gdb_user client(port_);
    EXPECT_EQ(client.ask("Z2,fffffff,2"), "E1c") << "behind the memory";
    EXPECT_EQ(client.ask("Z2,2b,1"), "OK"); /* a part of the word at 0x28 */
    EXPECT_EQ(client.ask("c"), "T05watch:2b;thread:1;");
    EXPECT_EQ(client.ask("pf"), "0c800000");
    EXPECT_EQ(time(client), "cycle 3, 3 instructions\n");
    EXPECT_EQ(client.ask("m28,4"), "00000000");
    EXPECT_EQ(client.ask("s"), "T05thread:1;") << "it is not stopped twice before the same";
    EXPECT_EQ(time(client), "cycle 5, 4 instructions\n");
    EXPECT_EQ(client.ask("m28,4"), "90800000");
    EXPECT_EQ(client.ask("z2,2b,1"), "OK");

    EXPECT_EQ(client.ask("Z4,8,4"), "OK"); /* written */
    EXPECT_EQ(client.ask("c"), "T05awatch:8;thread:1;");
    EXPECT_EQ(time(client), "cycle 6, 5 instructions\n");
    EXPECT_EQ(client.ask("z4,8,4"), "OK");
    EXPECT_EQ(client.ask("Z3,28,4"), "OK"); /* read by the vector of SVC */
    EXPECT_EQ(client.ask("c"), "T05rwatch:28;thread:1;");
    EXPECT_EQ(client.ask("pf"), "08000000");
    EXPECT_EQ(client.ask("Z0,8,4"), "OK");
    EXPECT_EQ(client.ask("D"), "OK");
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(last_line(), ALONE);
}

/* GDB would not look for a breakpoint where a watchpoint stops. */
TEST_P(ElfGdb, StopsAtABreakpointBeforeAWatchpoint)
{
    start({program("test_profiled")});
    const gdb_user client(port_);
    EXPECT_EQ(client.ask("Z2,28,4"), "OK");
    EXPECT_EQ(client.ask("Z0,800c,4"), "OK");
    EXPECT_EQ(client.ask("c"), "T05thread:1;");
    EXPECT_EQ(client.ask("c"), "T05watch:28;thread:1;");
    EXPECT_EQ(client.ask("pf"), "0c800000");
    EXPECT_EQ(client.ask("c"), "W00");
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(last_line(), ALONE);
}

TEST_P(ElfGdb, StopsOfOthersStay)
{
    const words counted = {"--count", "main:leaf", program("test_profiled")};
    words alone = {"elf"};
    alone.insert(alone.end(), counted.begin(), counted.end());
    start(counted);
    const gdb_user client(port_);
    EXPECT_EQ(client.ask("Z0,8048,4"), "OK");
    EXPECT_EQ(client.ask("c"), "T05thread:1;");
    EXPECT_EQ(client.ask("c"), "W00");
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(last_line() + "\n", spinnsim(alone).err);
}

/* A NOP in place of the call of halve(): eight instructions fewer. */
TEST_P(ElfGdb, ExecutesWhatWasWrittenIntoCode)
{
    start({program("test_profiled")});
    const gdb_user client(port_);
    EXPECT_EQ(client.ask("Z0,8048,4"), "OK");
    EXPECT_EQ(client.ask("c"), "T05thread:1;");
    EXPECT_EQ(client.ask("M804c,4:0000a0e1"), "OK");
    EXPECT_EQ(client.ask("m804c,4"), "0000a0e1");
    EXPECT_EQ(client.ask("c"), "W00");
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(last_line().find("instructions 52 "), 0u) << last_line();
}

TEST_P(ElfGdb, ShowsAFaultWhereItWasCaused)
{
    start({program("test_fault_WRITE")});
    const gdb_user client(port_);
    const std::string shown = client.ask("c");
    ASSERT_EQ(shown.substr(0, 1), "O");
    const std::string text = gdb_unhex_text(shown.substr(1));
    EXPECT_NE(text.find("a write of 2 bytes at "), std::string::npos) << text;
    EXPECT_EQ(client.receive(), "O0a");
    EXPECT_EQ(client.receive(), "T0bthread:1;");
    const std::string pc = client.ask("pf");
    const std::string place = text.substr(text.find("pc 0x") + 5, 8);
    EXPECT_EQ(pc, place.substr(6, 2) + place.substr(4, 2) + place.substr(2, 2) + place.substr(0, 2))
        << text;
    EXPECT_EQ(client.ask("p19").substr(0, 2), "d3") << "the mode before";
    EXPECT_EQ(client.ask("c"), "X0b");
    EXPECT_EQ(finish(), 113);
    EXPECT_NE(read("said").find(text), std::string::npos) << read("said");
}

TEST_P(ElfGdb, WaitsForTheNextClientWhenOneIsLost)
{
    start({program("test_profiled")});
    {
        const gdb_user lost(port_);
        EXPECT_EQ(lost.ask("Z0,8048,4"), "OK");
        EXPECT_EQ(lost.ask("c"), "T05thread:1;");
    }
    const gdb_user client(port_);
    EXPECT_EQ(client.ask("pf"), "48800000");
    EXPECT_EQ(client.ask("vKill;1"), "OK");
    EXPECT_EQ(finish(), 114);
    EXPECT_NE(read("said").find("ended by GDB at pc 0x00008048 (main"), std::string::npos)
        << read("said");
    EXPECT_EQ(last_line().find("instructions 7 cycles 11 "), 0u) << last_line();
}

TEST_P(ElfGdb, EndsWithASignal)
{
    start({program("test_profiled")});
    (void)kill(child_, SIGTERM);
    EXPECT_EQ(finish(), 1000 + SIGTERM);
    EXPECT_NE(read("said").find("ended by SIGTERM at pc 0x00008000"), std::string::npos);
    start({program("test_profiled")});
    const gdb_user client(port_);
    EXPECT_EQ(client.ask("s"), "T05thread:1;");
    (void)kill(child_, SIGTERM);
    EXPECT_EQ(finish(), 1000 + SIGTERM);
    EXPECT_EQ(last_line().find("instructions 1 "), 0u) << last_line();
}

TEST_P(ElfGdb, NamesWhoHasThePort)
{
    start({program("test_profiled")});
    const finished second =
        spinnsim({"elf", program("test_profiled"), "--gdb", std::to_string(port_)});
    EXPECT_EQ(second.status, 112);
    EXPECT_NE(second.err.find("TCP port " + std::to_string(port_) +
                              " of 127.0.0.1 is in use by process " + std::to_string(child_) +
                              " (spinnsim)"),
              std::string::npos)
        << second.err;
    EXPECT_EQ(spinnsim({"elf", program("test_profiled"), "--gdb", "65536"}).status, 112);
}

namespace
{

/* The rows of a trace: cycle, address, text. */
struct traced {
    unsigned long long cycle;
    unsigned address;
    std::string text;
};

std::vector<traced> rows_of(const std::string &trace)
{
    std::vector<traced> rows;
    for (const std::string &line : lines(trace)) {
        traced row;
        unsigned long long takes;
        unsigned word;
        int behind = 0;
        if (sscanf(line.c_str(), "%llu %llu %x %x %n", &row.cycle, &takes, &row.address, &word,
                   &behind) == 4) {
            row.text = line.substr(static_cast<size_t>(behind));
            rows.push_back(row);
        }
    }
    return rows;
}

} // namespace

TEST_P(ElfGdb, AgreesWithTheTraceUnderGdb)
{
    if (!has_gdb()) {
        GTEST_SKIP() << "gdb-multiarch is not installed";
    }
    const std::string guest = program("test_debugged");
    const finished alone = spinnsim({"elf", guest, "--trace", "t.txt"});
    EXPECT_EQ(alone.status, 15);
    const std::vector<traced> rows = rows_of(read("t.txt"));
    start({guest});
    const finished shown = gdb("set pagination off\n"
                               "target remote :" +
                               std::to_string(port_) +
                               "\n"
                               "break inner\n"
                               "continue\n"
                               "backtrace\n"
                               "monitor time\n"
                               "delete\n"
                               "watch watched if watched > 3\n"
                               "continue\n"
                               "monitor time\n"
                               "stepi\n"
                               "info registers pc sp_svc\n"
                               "print watched\n"
                               "detach\n");
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_EQ(finish(), 15) << shown.out;
    EXPECT_EQ(last_line() + "\n", alone.err);

    /* GDB has found the program's symbols by itself. */
    EXPECT_NE(shown.out.find("#0  inner (n="), std::string::npos) << shown.out;
    EXPECT_TRUE(std::regex_search(shown.out, std::regex("#1  0x[0-9a-f]+ in middle \\(n=")))
        << shown.out;
    EXPECT_TRUE(std::regex_search(shown.out, std::regex("#2  0x[0-9a-f]+ in main \\(")))
        << shown.out;
    const auto inner =
        static_cast<unsigned>(gdb_number_behind(shown.out, "Breakpoint 1 at 0x", 1, 16));
    const auto first = std::find_if(rows.begin(), rows.end(),
                                    [inner](const traced &row) { return row.address == inner; });
    ASSERT_NE(first, rows.end());
    EXPECT_EQ(gdb_number_behind("\n" + shown.err, "\ncycle ", 1), first->cycle) << shown.err;

    /* 1 + 2 and 1 + 2 + 3: the third store. */
    EXPECT_NE(shown.out.find("Old value = 3\nNew value = 6\n"), std::string::npos) << shown.out;
    unsigned stores = 0;
    unsigned long long behind = 0;
    for (size_t i = 0; i + 1 < rows.size() && stores < 3; i++) {
        if (rows[i].text.compare(0, 4, "str ") == 0) {
            stores++;
            behind = rows[i + 1].cycle;
        }
    }
    EXPECT_EQ(stores, 3u);
    EXPECT_EQ(gdb_number_behind("\n" + shown.err, "\ncycle ", 2), behind) << shown.err;
    EXPECT_NE(shown.out.find("$1 = 6\n"), std::string::npos) << shown.out;
}
