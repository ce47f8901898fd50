/* own_golden_test.cpp - goldens of a user's own, in a folder of their own: begun, compared,
 * renewed, refused. */
#include "tests/system/program.h"

namespace
{

const char *const OWN = "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: own\n"
                        "app:\n  - {file: own.elf, chips: \"0,0\", cores: 1-2}\n";

class OwnGolden : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
        write("own.yaml", OWN);
        put("hello");
    }

    /* Makes a built program the experiment's. */
    void put(const std::string &name) const
    {
        ASSERT_EQ(run_command({"cp", program(name), path("own.elf")}).status, 0);
    }

    void add() const
    {
        const finished added = spinnsim({"regress", "goldens", "--add", "own.yaml"});
        ASSERT_EQ(added.status, 0) << added.err;
    }

    void replace(const std::string &name, const std::string &what, const std::string &by) const
    {
        std::string text = read(name);
        const size_t at = text.find(what);
        ASSERT_NE(at, std::string::npos) << what << " in " << text;
        write(name, text.replace(at, what.size(), by));
    }
};

bool has(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

TEST_F(OwnGolden, NamesItsExperimentFromItsOwnFolder)
{
    const finished added = spinnsim({"regress", "deep/goldens", "--add", "own.yaml"});
    EXPECT_EQ(added.status, 0) << added.err;
    EXPECT_TRUE(has(added.out, " counts, 11 answers in deep/goldens/own.csv\n"
                               "1 golden: 0 same, 0 differ, 0 skipped, 1 added\n"))
        << added.out;
    EXPECT_EQ(lines(read("deep/goldens/own.csv"))[1], "experiment,../../own.yaml");
    for (const char *from : {".", "deep", "deep/goldens", "/"}) {
        const finished again = run_command({SPINN_PROGRAM, "regress", path("deep/goldens")},
                                           *from == '/' ? from : path(from));
        EXPECT_EQ(again.status, 0) << from << again.out << again.err;
        EXPECT_TRUE(has(again.out, "same    own: ")) << again.out;
        EXPECT_TRUE(has(again.out, "\n1 golden: 1 same, 0 differ, 0 skipped\n")) << again.out;
    }
    EXPECT_EQ(run_command({SPINN_PROGRAM, "regress", "own.csv"}, path("deep/goldens")).status, 0);
}

TEST_F(OwnGolden, OfAnExperimentOfSpinnsimsKeepsItsName)
{
    const std::string branch =
        std::string(SPINN_SOURCE_DIR) + "/configs/experiments/micro/branch.yaml";
    const finished added = spinnsim({"regress", "mine.csv", "--add", branch});
    EXPECT_EQ(added.status, 0) << added.err;
    EXPECT_EQ(read("mine.csv"), read_text(SPINN_SOURCE_DIR "/tests/golden/micro_branch.csv"));
    EXPECT_EQ(spinnsim({"regress", "mine.csv", "--threads", "2"}).status, 0);
}

TEST_F(OwnGolden, AProgramIsAnExperiment)
{
    EXPECT_EQ(spinnsim({"regress", ".", "--add", "own.elf"}).status, 0);
    EXPECT_EQ(lines(read("own.csv"))[1], "experiment,own.elf");
    EXPECT_EQ(spinnsim({"regress", "."}).status, 0);
}

TEST_F(OwnGolden, AProgramThatChangedIsCompared)
{
    add();
    put("test_hello_thumb");
    const finished moved = spinnsim({"regress", "goldens"});
    EXPECT_EQ(moved.status, 5) << moved.err;
    EXPECT_EQ(moved.out.compare(0, 13, "differs own: "), 0) << moved.out;
    EXPECT_TRUE(has(moved.out, " counts, most in "));
    EXPECT_TRUE(has(moved.out, " cycles); program own has changed, the compiler has not\n"));
    EXPECT_TRUE(has(moved.out, "\n\nCounts: A of the golden, B now\n")) << moved.out;
    EXPECT_TRUE(has(moved.out, "\n1 golden: 0 same, 1 differs, 0 skipped\n")) << moved.out;
    const finished blessed = spinnsim({"regress", "goldens", "--bless"});
    EXPECT_EQ(blessed.status, 0) << blessed.err;
    EXPECT_TRUE(has(blessed.out, "\n1 golden: 0 same, 0 differ, 0 skipped, 1 blessed\n"));
    EXPECT_EQ(spinnsim({"regress", "goldens"}).status, 0);
}

/* Text that changed, for example. */
TEST_F(OwnGolden, AProgramThatChangedMayCountTheSame)
{
    add();
    replace("goldens/own.csv", "program own,", "program own,0");
    const finished same = spinnsim({"regress", "goldens"});
    EXPECT_EQ(same.status, 0) << same.out;
    EXPECT_TRUE(has(same.out, "answers; program own has changed, the compiler has not\n"))
        << same.out;
    EXPECT_TRUE(has(same.out, "1 golden: 1 same")) << same.out;
}

TEST_F(OwnGolden, AProgramOfAnotherCompilerIsSkipped)
{
    add();
    put("test_hello_thumb");
    replace("goldens/own.csv", "compiler,GCC: ", "compiler,GCC: 1");
    const finished skipped = spinnsim({"regress", "goldens"});
    EXPECT_EQ(skipped.status, 0) << skipped.out;
    EXPECT_TRUE(
        has(skipped.out, "skipped own: program own is another one: recorded with \"GCC: 1"));
    EXPECT_TRUE(has(skipped.out, "\n1 golden: 0 same, 0 differ, 1 skipped\n")) << skipped.out;
}

TEST_F(OwnGolden, HoldsTheCountsThatAreAskedFor)
{
    const finished added =
        spinnsim({"regress", "few.csv", "--add", "own.yaml", "--counters", "time_ps,core.ins*",
                  "--tolerance", "core.*=30 %", "--tolerance", "time_ps=0%"});
    EXPECT_EQ(added.status, 0) << added.err;
    const words rows = lines(read("few.csv"));
    ASSERT_GT(rows.size(), 9u) << read("few.csv");
    EXPECT_EQ(rows[2], "counters,\"time_ps,core.ins*\"");
    EXPECT_EQ(rows[3], "tolerance core.*,30 %");
    EXPECT_EQ(rows[4], "tolerance time_ps,0%");
    EXPECT_EQ(rows[7].compare(0, 8, "time_ps,"), 0);
    EXPECT_EQ(rows[8].compare(0, 18, "core.instructions,"), 0);
    for (size_t i = 9; i < rows.size(); i++) {
        EXPECT_EQ(rows[i].compare(0, 9, "function "), 0)
            << "explains, and is not held: " << rows[i];
    }
    put("test_hello_thumb");
    const finished moved = spinnsim({"regress", "few.csv"});
    EXPECT_TRUE(has(moved.out, "differs few: 1 of 2 counts, most in ")) << moved.out;
    const finished blessed = spinnsim({"regress", "few.csv", "--bless"});
    EXPECT_TRUE(has(blessed.out, "blessed few: 2 of 2 counts, most in ")) << blessed.out;
    EXPECT_EQ(lines(read("few.csv"))[3], "tolerance core.*,30 %");
    EXPECT_EQ(spinnsim({"regress", "few.csv"}).status, 0);
}

TEST_F(OwnGolden, ARunThatFailsIsNeitherComparedNorRecorded)
{
    add();
    write("own.yaml", std::string(OWN) + "accept: {seconds: {max: 0.001}}\n");
    const finished outside = spinnsim({"regress", "goldens"});
    EXPECT_EQ(outside.status, 5);
    EXPECT_TRUE(has(outside.out, "failed  own: goldens/../own.yaml: seconds is 0.003"))
        << outside.out;
    EXPECT_TRUE(has(outside.out, ", at most 0.001 is accepted\n"
                                 "1 golden: 0 same, 0 differ, 1 failed, 0 skipped\n"))
        << outside.out;
    const std::string before = read("goldens/own.csv");
    EXPECT_EQ(spinnsim({"regress", "goldens", "--bless"}).status, 5);
    EXPECT_EQ(read("goldens/own.csv"), before);
    EXPECT_EQ(spinnsim({"regress", "new", "--add", "own.yaml"}).status, 5);
    EXPECT_FALSE(exists("new"));
}

TEST_F(OwnGolden, RowsAreSortedByNameAndCounted)
{
    for (const char *name : {"a", "a_b", "a-b", "B"}) {
        write(std::string(name) + ".csv", "name,value\nexperiment,own.yaml\ntime_ps,1\n");
    }
    write("not_a_golden.txt", "");
    const finished result = spinnsim({"regress", "."});
    EXPECT_EQ(result.status, 5);
    EXPECT_EQ(result.out.find('\r'), std::string::npos);
    std::vector<std::string> names;
    for (const std::string &line : lines(result.out)) {
        if (line.compare(0, 8, "differs ") == 0) {
            names.push_back(line.substr(8, line.find(':') - 8));
        }
    }
    EXPECT_EQ(names, (words{"B", "a", "a-b", "a_b"}));
    EXPECT_EQ(lines(result.out).back(), "4 goldens: 0 same, 4 differ, 0 skipped");
    EXPECT_TRUE(has(result.out, "\n  and "));
}

TEST_F(OwnGolden, ProgramsReadJsonAndJunit)
{
    add();
    replace("goldens/own.csv", "core.exception_cycles,", "core.exception_cycles,1");
    const finished json = spinnsim({"regress", "goldens", "--format", "json"});
    EXPECT_EQ(json.status, 5);
    for (const char *part :
         {"{\n  \"same\": 0,\n  \"differs\": 1,\n  \"failed\": 0,\n", "\"name\": \"own\"",
          "\"file\": \"goldens/own.csv\"", "\"verdict\": \"differs\"",
          "counts; the programs are the recorded ones\"", "\"count\": \"core.exception_cycles\"",
          "\"share\": "}) {
        EXPECT_TRUE(has(json.out, part)) << part << " in " << json.out;
    }
    EXPECT_TRUE(has(json.err, "differs own: 1 of ")) << "the text, meanwhile: " << json.err;
    const finished junit = spinnsim({"regress", "goldens", "--format", "junit"});
    EXPECT_EQ(junit.status, 5);
    for (const char *part :
         {"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"goldens\" tests=\"1\" "
          "failures=\"1\" skipped=\"0\">\n  <testcase classname=\"spinnsim.regress\" "
          "name=\"own\">\n"
          "    <failure message=\"1 of ",
          "counts; the programs are the recorded ones\">core.exception_cycles: 1", ", now ",
          " %)\n</failure>\n  </testcase>\n</testsuite>\n"}) {
        EXPECT_TRUE(has(junit.out, part)) << part << " in " << junit.out;
    }
}

TEST_F(OwnGolden, AMissingExperimentIsSaidBeforeAnythingRuns)
{
    add();
    write("goldens/zero.csv", "name,value\nexperiment,../none.yaml\n");
    const finished result = spinnsim({"regress", "goldens"});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(has(result.err, "spinnsim: goldens/zero.csv: there is no experiment ../none.yaml\n"
                                "    hint: looked in goldens/ and in "))
        << result.err;
}

TEST_F(OwnGolden, WhatCannotBeAGoldenIsRefused)
{
    add();
    write("none.yaml", "include: [nothing.yaml]\n");
    write("host.yaml", "include: [experiments/lenet1_synthetic.yaml]\nbackend: host\n");
    write("sampled.yaml", "include: [experiments/fc16_neuron_per_core.yaml]\n"
                          "data: {train_images: 200}\ntrain: {global_batch: 16}\n"
                          "run: {sample: {updates: 9}}\n");
    write("mnist.yaml", "include: [experiments/lenet1_inference.yaml]\n");
    write("tolerance.csv", "name,value\nexperiment,own.yaml\ntolerance core.*,much\n");
    write("nameless.csv", "name,value\ntime_ps,1\n");
    ASSERT_EQ(run_command({"mkdir", path("empty")}).status, 0);
    const struct {
        words arguments;
        const char *said;
    } cases[] = {
        {{"nowhere"}, "nowhere: there is no such folder, and no golden of that name"},
        {{"micro_alu_lop"}, "hint: did you mean micro_alu_loop?"},
        {{"nowhere.csv"}, "nowhere.csv: cannot read: No such file"},
        {{"empty"}, "empty: no goldens here\n    hint: a golden is a file NAME.csv; --add"},
        {{"tolerance.csv"}, "tolerance.csv:3: not a line of a golden"},
        {{"nameless.csv"}, "nameless.csv: the golden names no experiment"},
        {{"goldens", "--add", "own.yaml"}, "goldens/own.csv: there is a golden of that name"},
        {{"new", "--add", "missing.yaml"}, "missing.yaml: cannot read: No such file"},
        {{"own.yaml/new", "--add", "own.yaml"}, "own.yaml/new/own.csv: cannot write: Not a dir"},
        {{"new", "--add", "none.yaml"}, "none.yaml:1:11"},
        {{"new", "--add", "host.yaml"}, "host.yaml:2:10: backend: a golden holds counts of the"},
        {{"new", "--add", "sampled.yaml"}, "run.sample.updates: a golden holds counts that the"},
        {{"new", "--add", "own.yaml", "--counters", "cor.*"}, "the run has no count cor.*"},
        {{"new", "--add", "own.yaml", "--counters", ""}, "--counters  is no list of patterns"},
        {{"new", "--add", "own.yaml", "--tolerance", "core.*"}, "is not PATTERN=PERCENT"},
        {{"new", "--add", "own.yaml", "--tolerance", "core.*=1"}, "is not PATTERN=PERCENT"},
        {{"new", "--add", "own.yaml", "--bless"}, "not both"},
        {{"new", "--add", "own.yaml", "--set", "seed=2"}, "--add with --set would record"},
        {{"goldens", "--bless", "--set", "seed=2"}, "--bless with --set would record"},
        {{"goldens", "--counters", "core.*"}, "belong to a new golden: --add EXPERIMENT"},
        {{"new", "--add", "mnist.yaml", "--data", "nowhere"}, "nowhere"},
        {{"goldens", "--threads", "0"}, "--threads: 0 is not a number from 1 to "},
        {{"goldens", "--format", "xml"}, "--format: xml is none of text, json, junit"}};
    for (const auto &c : cases) {
        words arguments = {"regress"};
        arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
        const finished result = spinnsim(arguments);
        EXPECT_EQ(result.status, 2) << c.said << result.out;
        EXPECT_EQ(result.out, "") << c.said;
        EXPECT_TRUE(has(result.err, c.said)) << c.said << " in " << result.err;
    }
    EXPECT_FALSE(exists("new"));
}

} // namespace
