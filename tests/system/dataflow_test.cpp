/* dataflow_test.cpp - dataflow graphs on the machine: the answers of the host, whatever the
 * folding. */
#include "tests/system/program.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace
{

/* A row of dataflow.csv. */
struct row {
    std::string what, node;
    uint32_t step, word;
    int32_t value, host;
};

std::vector<row> rows_of(const std::string &text)
{
    std::istringstream lines(text);
    std::vector<row> rows;
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "what,node,step,word,value,host,x,y,core");
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        row next = {};
        std::string field;
        std::getline(fields, next.what, ',');
        std::getline(fields, next.node, ',');
        for (uint32_t *number : {&next.step, &next.word}) {
            std::getline(fields, field, ',');
            *number = (uint32_t)std::stoul(field);
        }
        for (int32_t *number : {&next.value, &next.host}) {
            std::getline(fields, field, ',');
            *number = (int32_t)std::stol(field);
        }
        rows.push_back(next);
    }
    return rows;
}

} // namespace

class DataflowMachine : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    /* An experiment on cores of a board. */
    void experiment_of(const std::string &board, const std::string &cores,
                       const std::string &dataflow)
    {
        write("own.yaml", "include: [boards/" + board +
                              ".yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\nname: own\n"
                              "app:\n  - {file: dataflow.elf, chips: all, cores: " +
                              cores + "}\ndataflow: {" + dataflow + "}\n");
    }

    /* The rows of a run; expects that the machine has the host's words. */
    std::vector<row> equal_rows(const std::string &out) const
    {
        std::vector<row> rows = rows_of(read(out + "/dataflow.csv"));
        EXPECT_GT(rows.size(), 0U);
        for (const row &next : rows) {
            EXPECT_EQ(next.value, next.host)
                << next.what << " " << next.node << " " << next.step << " " << next.word;
        }
        return rows;
    }

    std::vector<int32_t> values_of(const std::vector<row> &rows) const
    {
        std::vector<int32_t> values;
        for (const row &next : rows) {
            values.push_back(next.value);
        }
        return values;
    }
};

/* A word of each edge between cores is a packet, one for all its targets. */
TEST_F(DataflowMachine, OneCoreSendsNothing)
{
    experiment_of("one_chip", "1", "network: xor, form: unrolled, images: 3");
    run("own.yaml", "out");
    equal_rows("out");
    EXPECT_EQ(counters("out")["comms.sent_multicast"], 0U);
    EXPECT_EQ(number("out", "cores_used"), 1);
}

/* Both forms, both foldings, both orders, on 1 to 17 cores: equal weights. */
TEST_F(DataflowMachine, TrainingStepsAreEqualOnAnyCores)
{
    std::set<std::vector<int32_t>> answers;
    for (const std::string form : {"unrolled", "machines"}) {
        experiment_of("one_chip", "1-17", "network: xor, form: " + form + ", images: 4");
        for (const std::string cores : {"1", "5", "17"}) {
            for (const std::string how : {"list", "random"}) {
                run("own.yaml", "out",
                    {"--set", "dataflow.cores=" + cores, "--set", "dataflow.fold=" + how, "--set",
                     "dataflow.order=" + std::string(how == "list" ? "arrival" : "random"),
                     "--force"});
                const std::vector<row> rows = equal_rows("out");
                std::vector<row> sums;
                std::copy_if(rows.begin(), rows.end(), std::back_inserter(sums),
                             [](const row &next) { return next.what == "answer"; });
                answers.insert(values_of(sums));
                EXPECT_EQ(number("out", "dropped_packets"), 0);
            }
        }
    }
    EXPECT_EQ(answers.size(), 1U);
}

TEST_F(DataflowMachine, ARaceHasItsThreeOutcomes)
{
    std::set<int32_t> outcomes;
    for (int seed = 1; seed <= 40 && outcomes.size() < 3; seed++) {
        run(experiment("dataflow_updates"), "out",
            {"--set", "seed=" + std::to_string(seed), "--force"});
        outcomes.insert(rows_of(read("out/dataflow.csv")).at(0).value);
    }
    EXPECT_EQ(outcomes, (std::set<int32_t>{1, 2, 3}));
}

TEST_F(DataflowMachine, AnAssignAddHasOneOutcome)
{
    for (int seed = 1; seed <= 10; seed++) {
        run(experiment("dataflow_updates"), "out",
            {"--set", "dataflow.graph=dataflow/two_assign_adds.yaml", "--set",
             "seed=" + std::to_string(seed), "--force"});
        EXPECT_EQ(rows_of(read("out/dataflow.csv")).at(0).value, 3);
    }
}

/* On 1, 17 and 816 cores. */
TEST_F(DataflowMachine, A784_128_10IsTheSameOnAnyCores)
{
    std::set<std::vector<int32_t>> answers;
    const std::vector<words> folds = {{"spin5", "1"}, {"spin5", "17"}, {"spin5", "816"}};
    experiment_of("spin5", "1-17", "network: fc128, images: 2");
    for (const words &fold : folds) {
        run("own.yaml", "out", {"--set", "dataflow.cores=" + fold[1], "--force"});
        answers.insert(values_of(equal_rows("out")));
        EXPECT_EQ(number("out", "dropped_packets"), 0);
    }
    EXPECT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers.begin()->size(), 20U);
}

TEST_F(DataflowMachine, MistakesAreRefusedBeforeAnythingIsWritten)
{
    const struct {
        std::string dataflow, text;
    } mistakes[] = {
        {"cores: 3", "dataflow: no graph"},
        {"network: xor, graph: a.yaml", "dataflow: a graph and a network"},
        {"network: lenet1", "layer conv1 is not dense"},
        {"network: xor, cores: 18", "the program of app has 17 cores"},
        {"graph: bad.yaml", "bad.yaml:3:3"},
    };
    write("bad.yaml", "name: bad\nnodes:\n  begin: {source: 1}\n  begin: {source: 1}\n");
    for (const auto &mistake : mistakes) {
        experiment_of("one_chip", "1-17", mistake.dataflow);
        const finished result = spinnsim({"run", "own.yaml", "--out", "none"});
        EXPECT_EQ(result.status, 2) << mistake.dataflow;
        EXPECT_NE(result.err.find(mistake.text), std::string::npos) << result.err;
        EXPECT_FALSE(exists("none/summary.json"));
    }
}

TEST_F(DataflowMachine, TheCommandCounts784_128_10)
{
    const finished result =
        spinnsim({"dataflow", "fc128", "--network", "forward", "--format", "csv"});
    EXPECT_EQ(result.status, 0);
    for (const std::string line :
         {"nodes,924\n", "operations,922\n", "weighted_edges,101632\n", "races,0\n"}) {
        EXPECT_NE(result.out.find(line), std::string::npos) << result.out;
    }
}
