/* bench_core_test.cpp - scripts/bench_core.sh: the form of what it prints and writes, programs that
 * it builds from folders outside, mistakes.  Not how fast anything is. */
#include "tests/system/program.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace
{

const char *const CSV_HEAD = "program,way,guest_instructions,rounds,user_seconds,host_instructions";

bool succeeds(const char *command)
{
    return std::system(command) == 0;
}

/* Fields of a line of CSV. */
words fields(const std::string &line)
{
    words found(1);
    for (const char c : line) {
        if (c == ',') {
            found.emplace_back();
        } else {
            found.back() += c;
        }
    }
    return found;
}

bool is_number(const std::string &text)
{
    return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
}

} // namespace

class BenchCore : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        if (!succeeds("test -e \"$(arm-none-eabi-gcc -print-file-name=rdimon.specs)\"")) {
            GTEST_SKIP() << "libnewlib-arm-none-eabi is not installed";
        }
        SystemTest::SetUp();
        for (const char *name : {"tmp", "work"}) {
            std::filesystem::create_directories(path(name));
        }
    }

    /* In a folder of its own, with another for temporary files. */
    finished bench(const words &arguments) const
    {
        words command = {"/usr/bin/env", "TMPDIR=" + path("tmp"),
                         "BUILD=" + std::filesystem::path(SPINN_PROGRAM).parent_path().string(),
                         SPINN_SOURCE_DIR "/scripts/bench_core.sh"};
        command.insert(command.end(), arguments.begin(), arguments.end());
        return run_command(command, path("work"));
    }

    void put(const std::string &name, const std::string &text) const
    {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        write(name, text);
    }

    /* By program and way, of a table whose head is right. */
    std::map<std::pair<std::string, std::string>, words> table(const std::string &name) const
    {
        std::map<std::pair<std::string, std::string>, words> found;
        const words all = lines(read(name));
        EXPECT_FALSE(all.empty());
        EXPECT_EQ(all.empty() ? "" : all[0], CSV_HEAD);
        for (size_t i = 1; i < all.size(); i++) {
            const words row = fields(all[i]);
            EXPECT_EQ(row.size(), 6u) << all[i];
            found[{row[0], row[1]}] = row;
        }
        return found;
    }

    std::string instructions_of(const std::string &elf) const
    {
        const finished result = spinnsim({"elf", elf});
        EXPECT_EQ(result.status, 0) << result.err;
        const std::string last = lines(result.err).back();
        return last.substr(13, last.find(' ', 13) - 13); /* "instructions N cycles ..." */
    }
};

TEST_F(BenchCore, MeasuresProgramsOfCAndCppInBothStates)
{
    put("in put/loop.c", "int main(void) { volatile int i = 0; while (i < 1000) i++; return 0; }");
    put("in put/twice.cc",
        "template <int N> static int twice() { volatile int n = N; return 2 * n; }"
        "int main() { return twice<4>() - 8; }");
    const finished result =
        bench({"--programs", "../in put", "--rounds", "2", "--count", "none", "--csv", "table.csv",
               "--build", "made", "--stop-every", "500", program("test_profiled")});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(files("work"), (words{"made", "table.csv"}));
    EXPECT_EQ(files("tmp"), words{});
    const auto rows = table("work/table.csv");
    words ways = {"cold", "warm", "interpreter"};
    for (const char *way : {"qemu-arm", "qemu-system-arm"}) {
        if (succeeds((std::string("command -v ") + way + " >/dev/null").c_str())) {
            ways.push_back(way);
        } else {
            EXPECT_NE(result.out.find(std::string(way) + " is not installed\n"), std::string::npos);
        }
    }
    ways.push_back("stop-500");
    EXPECT_EQ(rows.count({"test_profiled", "warm"}), 1u);
    const words names = {"programs/loop", "programs/loop_thumb", "programs/twice",
                         "programs/twice_thumb"};
    for (const std::string &name : names) {
        const std::string instructions = instructions_of(path("work/made/" + name + ".elf"));
        EXPECT_NE(result.out.find("\n" + name + " "), std::string::npos) << result.out;
        for (const std::string &way : ways) {
            ASSERT_EQ(rows.count({name, way}), 1u) << name << " " << way;
            const words row = rows.at({name, way});
            EXPECT_EQ(row[2], instructions);
            EXPECT_EQ(row[3], "2");
            EXPECT_TRUE(is_number(row[4])) << row[4];
            EXPECT_EQ(row[5], "");
        }
    }
    EXPECT_NE(result.out.find("host instructions: not counted\n"), std::string::npos);
}

TEST_F(BenchCore, CountsInstructionsByValgrindWhereItIs)
{
    if (!succeeds("command -v valgrind >/dev/null")) {
        GTEST_SKIP() << "valgrind is not installed";
    }
    if (SPINN_HAS_SANITIZER) {
        GTEST_SKIP() << "valgrind runs no program with sanitizers";
    }
    const finished result = bench(
        {"--rounds", "1", "--count", "valgrind", "--csv", "table.csv", program("test_profiled")});
    ASSERT_EQ(result.status, 0) << result.err;
    const auto rows = table("work/table.csv");
    ASSERT_EQ(rows.count({"test_profiled", "cold"}), 1u);
    EXPECT_EQ(rows.at({"test_profiled", "cold"})[5], "");
    for (const char *way : {"warm", "interpreter"}) {
        ASSERT_EQ(rows.count({"test_profiled", way}), 1u);
        const words row = rows.at({"test_profiled", way});
        ASSERT_TRUE(is_number(row[5])) << row[5];
        EXPECT_GT(std::stoull(row[5]), std::stoull(row[2])) << way;
    }
}

/* Suites of these forms, a few lines each: of the size that was asked for, in both states. */
TEST_F(BenchCore, BuildsSuitesOfTheWantedLength)
{
    put("embench/support/support.h", "int benchmark(void);\nint verify_benchmark(int result);\n"
                                     "void initialise_board(void);\n");
    put("embench/support/main.c",
        "#include \"support.h\"\n"
        "int main(void) { initialise_board(); return !verify_benchmark(benchmark()); }\n");
    put("embench/support/beebsc.c", "int beebsc;\n");
    put("embench/src/one/one.c",
        "#include \"support.h\"\n"
        "int benchmark(void) { volatile int n = 0;\n"
        "  for (int i = 0; i < GLOBAL_SCALE_FACTOR * 1000; i++) n++; return n; }\n"
        "int verify_benchmark(int result) { return result == CPU_MHZ * 1000; }\n");
    put("coremark/coremark.h", "#include \"core_portme.h\"\ntypedef ee_u32 secs_ret;\n");
    put("coremark/core_main.c",
        "#include \"coremark.h\"\n"
        "extern volatile ee_s32 seed3_volatile, seed4_volatile;\n"
        "int ee_printf(const char *format, ...);\n"
        "int main(void) { core_portable port; portable_init(&port, 0, 0);\n"
        "  for (volatile int i = 0; i < 1000 * seed4_volatile; i++) {}\n"
        "  if (seed3_volatile == 0x66) ee_printf(\"Correct operation validated. See README\\n\");\n"
        "  portable_fini(&port); return 2; }\n");
    put("dhrystone/dhry.h", "");
    put("dhrystone/dhry_2.c", "");
    put("dhrystone/dhry_1.c",
        "int Int_Glob = 5, Bool_Glob = 1, Arr_1_Glob[50], Arr_2_Glob[50][50];\n"
        "char Ch_1_Glob = 'A', Ch_2_Glob = 'B';\n"
        "int main() { volatile int i = 0; int runs; scanf(\"%d\", &runs);\n"
        "  while (i < runs * 50) i++; Arr_1_Glob[8] = 7; Arr_2_Glob[8][7] = runs + 10; }\n");
    const finished result =
        bench({"--embench", path("embench"), "--coremark", path("coremark"), "--dhrystone",
               path("dhrystone"), "--rounds", "1", "--million", "2", "--count", "none", "--csv",
               "table.csv", program("test_profiled")});
    ASSERT_EQ(result.status, 0) << result.err;
    const auto rows = table("work/table.csv");
    EXPECT_EQ(rows.count({"test_profiled", "warm"}), 1u);
    for (const char *name : {"embench/one", "embench/one_thumb", "coremark", "coremark_thumb",
                             "dhrystone", "dhrystone_thumb"}) {
        ASSERT_EQ(rows.count({name, "warm"}), 1u) << name;
        const double million = std::stod(rows.at({name, "warm"})[2]) / 1e6;
        EXPECT_GT(million, 1) << name;
        EXPECT_LT(million, 3) << name;
    }
}

TEST_F(BenchCore, ProgramsThatFailEndItAndQemuMayDoWithoutOne)
{
    put("wrong/wrong.c", "int main(void) { return 3; }\n");
    const finished wrong = bench({"--programs", path("wrong"), "--rounds", "1", "--count", "none",
                                  program("test_profiled")});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_NE(wrong.err.find("programs/wrong, warm: ends with status 3\n"), std::string::npos)
        << wrong.err;
    EXPECT_NE(wrong.out.find("\ntest_profiled "), std::string::npos) << wrong.out;

    /* A qemu-arm that can run nothing. */
    put("bin/qemu-arm", "#!/bin/sh\nexit 9\n");
    ASSERT_EQ(std::system(("chmod +x " + path("bin/qemu-arm")).c_str()), 0);
    const char *const search = std::getenv("PATH");
    const std::string old = search == nullptr ? "/usr/bin:/bin" : search;
    ASSERT_EQ(setenv("PATH", (path("bin") + ":" + old).c_str(), 1), 0);
    const finished without =
        bench({"--rounds", "2", "--count", "none", "--csv", "table.csv", program("test_profiled")});
    ASSERT_EQ(setenv("PATH", old.c_str(), 1), 0);
    EXPECT_EQ(without.status, 0) << without.err;
    EXPECT_NE(without.err.find("test_profiled, qemu-arm: ends with status 9\n"), std::string::npos)
        << without.err;
    const auto rows = table("work/table.csv");
    EXPECT_EQ(rows.count({"test_profiled", "warm"}), 1u);
    EXPECT_EQ(rows.count({"test_profiled", "qemu-arm"}), 0u);
}

TEST_F(BenchCore, MistakesAreExplainedAndLeaveNothing)
{
    put("text/broken.c", "int main(void) { return }\n");
    struct mistake {
        words arguments;
        const char *said;
    };
    const mistake MISTAKES[] = {
        {{"--fast"}, "unknown option --fast"},
        {{"--rounds"}, "--rounds wants a value"},
        {{"--rounds", "0"}, "--rounds wants a number from 1, not '0'"},
        {{"--million", "some"}, "--million wants a number from 1, not 'some'"},
        {{"--stop-every", ""}, "--stop-every wants a number from 1, not ''"},
        {{"--count", "sheep"}, "--count wants perf, valgrind or none, not 'sheep'"},
        {{"--embench", "nowhere"}, "--embench: there is no folder 'nowhere'"},
        {{"--embench", path("text")}, "has no src"},
        {{"--coremark", path("text")}, "has no coremark.h"},
        {{"--dhrystone", path("text")}, "has no dhry.h"},
        {{"--programs", path("work")}, "has no *.c, *.cc or *.cpp"},
        {{"--programs", path("text")}, "programs/broken cannot be built"},
        {{"--csv", "nowhere/table.csv"}, "nowhere/table.csv cannot be written"},
        {{"5"}, "there is no file '5'"},
    };
    for (const mistake &it : MISTAKES) {
        const finished result = bench(it.arguments);
        EXPECT_EQ(result.status, 2) << it.said;
        EXPECT_NE(result.err.find(it.said), std::string::npos) << result.err;
        EXPECT_EQ(files("work"), words{}) << it.said;
        EXPECT_EQ(files("tmp"), words{}) << it.said;
    }
    const finished help = bench({"--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.out.find("usage: scripts/bench_core.sh"), 0u) << help.out;
}
