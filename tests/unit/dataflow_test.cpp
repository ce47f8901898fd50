/* Dataflow graphs: types, counts, schedules, and networks as graphs. */
#include "tests/unit/dataflow_fixture.h"

extern "C" {
#include "sim/dataflow/graph_check.h"
#include "sim/dataflow/graph_counts.h"
#include "sim/dataflow/interleave.h"
#include "sim/host_backend/integer_pass.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace
{

std::vector<int32_t> answer_of(const std::string &text)
{
    const parsed read(text);
    EXPECT_EQ(read.status, STATUS_OK) << read.said.text;
    return read.status == STATUS_OK ? answers(read.graph).of_sink() : std::vector<int32_t>();
}

std::string file_text(const std::string &path)
{
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string shipped(const std::string &name)
{
    return file_text(std::string(SPINN_SOURCE_DIR) + "/configs/dataflow/" + name + ".yaml");
}

/* ---- mistakes, with their place ---- */

struct mistake {
    const char *name, *nodes, *sink;
    int line, column;
    const char *text, *hint;
};

void PrintTo(const mistake &given, std::ostream *out)
{
    *out << given.name;
}

class DataflowMistake : public testing::TestWithParam<mistake>
{
};

TEST_P(DataflowMistake, IsRefusedAtItsPlace)
{
    const parsed read(with(GetParam().nodes, GetParam().sink));
    EXPECT_EQ(read.status, STATUS_CONFIGURATION);
    EXPECT_EQ(read.said.line, GetParam().line);
    EXPECT_EQ(read.said.column, GetParam().column);
    EXPECT_STREQ(read.said.file, "graph.yaml");
    EXPECT_STREQ(read.said.text, GetParam().text);
    EXPECT_STREQ(read.said.hint, GetParam().hint);
}

const mistake MISTAKES[] = {
    {"data_into_reference", "  c: {operation: constant, values: [1]}\n  r: {read: c}\n", "r", 6, 13,
     "c gives data, and the reference port of r takes a reference", "name a variable"},
    {"reference_into_data", "  x: {variable: [1]}\n  s: {operation: sum, x: x}\n", "s", 6, 26,
     "x gives a reference, and this port of s takes data", "a node {read: x} turns it into data"},
    {"assign_into_data",
     "  x: {variable: [1]}\n  c: {operation: constant, values: [1]}\n"
     "  w: {assign: add, to: x, value: c}\n  s: {operation: sum, x: w}\n",
     "s", 8, 26, "w has no output, and this port of s takes data", "`after: w` waits for it"},
    {"reference_to_sink", "  x: {variable: [1]}\n", "x", 6, 15,
     "x gives a reference, and this port of end takes data", "a node {read: x} turns it into data"},
    {"cycle",
     "  a: {operation: add, a: c, b: b}\n  b: {operation: copy, x: a}\n"
     "  c: {operation: constant, values: [1]}\n",
     "b", 5, 6, "a cycle without a variable: a waits for b, which waits for a",
     "what a step leaves in a variable, the next step can read"},
    {"cycle_by_control",
     "  x: {variable: [1]}\n  r: {read: x, after: w}\n  w: {assign: set, to: x, value: r}\n", "r",
     6, 6, "a cycle without a variable: r waits for w, which waits for r",
     "what a step leaves in a variable, the next step can read"},
    {"waits_for_itself", "  x: {variable: [1]}\n  r: {read: x, after: r}\n", "r", 6, 6,
     "a cycle without a variable: r waits for r",
     "what a step leaves in a variable, the next step can read"},
    {"waits_for_variable", "  x: {variable: [1]}\n  r: {read: x, after: x}\n", "r", 6, 23,
     "nothing waits for a variable: x", "it does not fire; its Reads and Assigns do"},
    {"widths",
     "  a: {operation: constant, values: [1, 2]}\n  b: {operation: constant, values: [1]}\n"
     "  s: {operation: add, a: a, b: b}\n",
     "s", 7, 6, "input b of s has 1 word, not 2", ""},
    {"width_of_variable",
     "  x: {variable: [1, 2, 3]}\n  c: {operation: constant, values: [1]}\n"
     "  w: {assign: add, to: x, value: c}\n",
     "[]", 7, 6, "input value of w has 1 word, not 3", ""},
    {"missing_input", "  a: {operation: constant, values: [1]}\n  s: {operation: add, a: a}\n", "s",
     6, 6, "input b of s is missing", ""},
    {"no_such_node", "  s: {operation: sum, x: nobody}\n", "s", 5, 26, "no node \"nobody\"",
     "a node, NODE.3 or NODE.2-5 for words of it, MACHINE.PHASE"},
    {"near_node",
     "  constant: {operation: constant, values: [1]}\n  s: {operation: sum, x: constnt}\n", "s", 6,
     26, "no node \"constnt\"", "maybe constant"},
    {"no_such_words",
     "  a: {operation: constant, values: [1, 2]}\n  s: {operation: sum, x: a.1-2}\n", "s", 6, 26,
     "a has 2 words: 1 to 2 are not among them", "words count from 0"},
    {"no_such_operation", "  s: {operation: ad, x: begin}\n", "s", 5, 18, "no operation \"ad\"",
     "maybe add"},
    {"no_such_assign", "  x: {variable: [1]}\n  w: {assign: ad, to: x, value: begin}\n", "[]", 6,
     15, "no Assign \"ad\"", "maybe add"},
    {"unknown_key", "  s: {operation: sum, y: begin}\n", "s", 5, 23, "s has no key y", "maybe x"},
    {"far_key", "  s: {operation: sum, elsewhere: begin}\n", "s", 5, 23, "s has no key elsewhere",
     "its keys are operation x after"},
    {"no_kind", "  s: {x: begin}\n", "s", 5, 6, "s is no node",
     "one of the keys source, sink, operation, variable, read, assign, machine says what it is"},
    {"parameter_range", "  s: {operation: shift, x: begin, shift: 31}\n", "s", 5, 42,
     "\"31\" is no whole number from 1 to 30", ""},
    {"no_parameter", "  s: {operation: shift, x: begin}\n", "s", 5, 6, "s has no shift", ""},
    {"weights",
     "  a: {operation: constant, values: [1, 2]}\n"
     "  s: {operation: last_neuron, x: a, weights: [1, 2, 3], bias: 0, lift: 0}\n",
     "s", 6, 6, "s has 3 weights for 2 input words", ""},
    {"second_sink", "  s: {sink: []}\n", "[]", 6, 8, "end is a second sink",
     "the first is s; a graph has one"},
    {"not_a_map", "  s: 3\n", "[]", 5, 6, "\"3\" where a group of keys is expected",
     "s: {key: value}"},
};

INSTANTIATE_TEST_SUITE_P(All, DataflowMistake, testing::ValuesIn(MISTAKES),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Dataflow, NeedsASourceAndASink)
{
    const parsed no_source("name: g\nnodes:\n  end: {sink: []}\n");
    EXPECT_STREQ(no_source.said.text, "the graph has no source");
    const parsed no_sink("name: g\nnodes:\n  begin: {source: 0}\n");
    EXPECT_STREQ(no_sink.said.text, "the graph has no sink");
}

TEST(Dataflow, InputHasTheWordsOfEachStep)
{
    const parsed few(with("", "begin", 2, "[[1, 2], [3]]"));
    EXPECT_EQ(few.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(few.said.text, "this step has 1 words, the first has 2");
    const parsed other(with("", "begin", 2, "[1, 2, 3]"));
    EXPECT_STREQ(other.said.text, "the input has 3 words, not 2: 1 step of the source's 2");
}

/* ---- what nodes do ---- */

struct action {
    const char *name, *nodes, *sink;
    std::vector<int32_t> answer;
};

void PrintTo(const action &given, std::ostream *out)
{
    *out << given.name;
}

class DataflowAction : public testing::TestWithParam<action>
{
};

TEST_P(DataflowAction, GivesItsWords)
{
    EXPECT_EQ(answer_of(with(GetParam().nodes, GetParam().sink, 4, "[5, -3, 2147483647, 6]")),
              GetParam().answer);
}

const action ACTIONS[] = {
    {"source", "", "begin", {5, -3, 2147483647, 6}},
    {"parts", "", "[begin.3, begin.0-1, begin.1]", {6, 5, -3, -3}},
    {"constant", "  n: {operation: constant, values: [7, -8]}\n", "n", {7, -8}},
    {"copy", "  n: {operation: copy, x: begin.0-1}\n", "n", {5, -3}},
    {"add", "  n: {operation: add, a: begin.2-3, b: begin.0-1}\n", "n", {-2147483644, 3}},
    {"subtract", "  n: {operation: subtract, a: begin.0, b: begin.1}\n", "n", {8}},
    {"multiply",
     "  n: {operation: multiply, a: begin.0-1, b: begin.2-3}\n",
     "n",
     {2147483643, -18}},
    {"sum", "  n: {operation: sum, x: begin}\n", "n", {-2147483641}},
    {"shift", "  n: {operation: shift, x: begin, shift: 1}\n", "n", {3, -1, 1073741824, 3}},
    {"largest", "  n: {operation: largest, x: [begin.0-1, begin.0]}\n", "n", {0}},
    {"neuron",
     "  n: {operation: neuron, x: begin.0-1, weights: [3, -4], bias: 1, lift: 2, shift: 1}\n",
     "n",
     {16}},
    {"closed_neuron",
     "  n: {operation: neuron, x: begin.0-1, weights: [-3, 4], bias: 1, lift: 2, shift: 1}\n",
     "n",
     {0}},
    {"cut_neuron",
     "  n: {operation: neuron, x: begin.2, weights: [1], bias: 0, lift: 0, shift: 1}\n",
     "n",
     {32767}},
    {"last_neuron",
     "  n: {operation: last_neuron, x: begin.0-1, weights: [-3, 4], bias: 1, lift: 2}\n",
     "n",
     {-23}},
    {"weighted_sum",
     "  w: {operation: constant, values: [-3, 4, 1]}\n"
     "  n: {operation: weighted_sum, x: begin.0-1, w: w, lift: 2}\n",
     "n",
     {-23}},
    {"rectify", "  n: {operation: rectify, x: begin, shift: 2}\n", "n", {1, 0, 32767, 2}},
    {"weigh_back",
     "  w: {operation: constant, values: [-3, 4, 1]}\n"
     "  n: {operation: weigh_back, e: begin.0, w: w}\n",
     "n",
     {-15, 20}},
    {"gather_error",
     "  n: {operation: gather_error, p: [begin.0, begin.3], y: begin.3, shift: 1}\n",
     "n",
     {6}},
    {"closed_error",
     "  n: {operation: gather_error, p: begin.0, y: begin.1, shift: 1}\n",
     "n",
     {0}},
    {"gradient",
     "  n: {operation: gradient, e: begin.1, x: [begin.0, begin.3]}\n",
     "n",
     {-15, -18, -3}},
    /* exp(0), exp(-1), exp(-2) of sums with 16 fractional bits */
    {"softmax",
     "  x: {operation: constant, values: [131072, 65536, 0]}\n"
     "  n: {operation: softmax, x: x, fraction: 16}\n",
     "n",
     {43598, 16038, 5900}},
    {"softmax_error",
     "  x: {operation: constant, values: [131072, 65536, 0]}\n"
     "  l: {operation: constant, values: [1]}\n"
     "  n: {operation: softmax_error, x: x, label: l, fraction: 16, errors: 9}\n",
     "n",
     {341, -387, 46}},
};

INSTANTIATE_TEST_SUITE_P(All, DataflowAction, testing::ValuesIn(ACTIONS),
                         [](const auto &info) { return std::string(info.param.name); });

struct assignment {
    const char *name, *assign;
    std::vector<int32_t> variable;
};

void PrintTo(const assignment &given, std::ostream *out)
{
    *out << given.name;
}

class DataflowAssign : public testing::TestWithParam<assignment>
{
};

TEST_P(DataflowAssign, ChangesItsVariable)
{
    const std::string nodes = std::string("  x: {variable: [10, -20]}\n  w: {assign: ") +
                              GetParam().assign + ", to: x}\n  r: {read: x, after: w}\n";
    EXPECT_EQ(answer_of(with(nodes, "r", 2, "[7, -9]")), GetParam().variable);
}

const assignment ASSIGNS[] = {
    {"set", "set, value: begin", {7, -9}},
    {"add", "add, value: begin", {17, -29}},
    {"subtract", "subtract, value: begin", {3, -11}},
    {"descend", "descend, value: begin, shift: 2", {8, -18}}, /* 1.75 and -2.25, rounded */
    {"most", "most, value: begin", {10, -9}},
    {"least", "least, value: begin", {7, -20}},
    {"scale", "scale, value: begin.0, shift: 1", {35, -70}},
    {"clip", "clip, value: begin.0", {7, -7}},
};

INSTANTIATE_TEST_SUITE_P(All, DataflowAssign, testing::ValuesIn(ASSIGNS),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Dataflow, VariablesGoOnFromStepToStep)
{
    EXPECT_EQ(answer_of(with("  x: {variable: [0]}\n  w: {assign: add, to: x, value: begin}\n"
                             "  r: {read: x, after: w}\n",
                             "r", 1, "[[1], [2], [4]]")),
              (std::vector<int32_t>{1, 3, 7}));
}

/* ---- the order of firing ---- */

struct ended {
    explicit ended(const std::string &text) : read(text)
    {
        EXPECT_EQ(read.status, STATUS_OK) << read.said.text;
        EXPECT_EQ(dataflow_interleave(&read.graph, &endings, nullptr), STATUS_OK);
    }
    ~ended()
    {
        dataflow_endings_deinit(&endings);
    }
    ended(const ended &) = delete;
    ended &operator=(const ended &) = delete;

    std::vector<std::pair<int32_t, double>> all() const
    {
        std::vector<std::pair<int32_t, double>> found;
        for (size_t i = 0; i < endings.count; i++) {
            EXPECT_EQ(endings.ending[i].answer[0], endings.ending[i].state[0]);
            found.emplace_back(endings.ending[i].answer[0], endings.ending[i].orders);
        }
        return found;
    }

    parsed read;
    struct dataflow_endings endings = {};
};

/* Both constants first: of the 20 orders of two times three nodes, two do one update behind the
 * other; the rest end with the last write.  The constants may also come later. */
TEST(Dataflow, ReadAddWriteHasThreeOutcomes)
{
    const ended three(shipped("two_updates"));
    ASSERT_EQ(three.endings.count, 3U);
    EXPECT_EQ(three.all()[0].first, 1);
    EXPECT_EQ(three.all()[1].first, 2);
    EXPECT_EQ(three.all()[2].first, 3);
    EXPECT_EQ(three.all()[0].second, three.all()[1].second);
    EXPECT_EQ(three.all()[0].second + three.all()[1].second + three.all()[2].second,
              three.endings.orders);
    EXPECT_EQ(dataflow_races(&three.read.graph, nullptr, 0), 3U); /* r1 w2, r2 w1, w1 w2 */
}

TEST(Dataflow, OrdersAreCounted)
{
    const std::string chain = "  x: {variable: [0]}\n  one: {operation: constant, values: [1]}\n"
                              "  two: {operation: constant, values: [2], after: one}\n"
                              "  r1: {read: x, after: two}\n  s1: {operation: add, a: r1, b: one}\n"
                              "  w1: {assign: set, to: x, value: s1}\n"
                              "  r2: {read: x, after: two}\n  s2: {operation: add, a: r2, b: two}\n"
                              "  w2: {assign: set, to: x, value: s2}\n"
                              "  last: {read: x, after: [w1, w2]}\n";
    const ended three(with(chain, "last"));
    EXPECT_EQ(three.all(),
              (std::vector<std::pair<int32_t, double>>{{1, 9}, {2, 9}, {3, 2}})); /* C(6, 3) = 20 */
}

TEST(Dataflow, AssignAddHasOneOutcome)
{
    const ended one(shipped("two_assign_adds"));
    ASSERT_EQ(one.endings.count, 1U);
    EXPECT_EQ(one.all()[0].first, 3);
    EXPECT_GT(one.endings.orders, 1);
    EXPECT_EQ(dataflow_races(&one.read.graph, nullptr, 0), 0U);
}

TEST(Dataflow, ControlEdgeOrdersReadAndAssign)
{
    const std::string nodes = "  x: {variable: [1]}\n  c: {operation: constant, values: [2]}\n";
    const ended after(
        with(nodes + "  w: {assign: set, to: x, value: c}\n  r: {read: x, after: w}\n", "r"));
    EXPECT_EQ(after.all().size(), 1U);
    EXPECT_EQ(after.endings.ending[0].answer[0], 2);
    const ended before(
        with(nodes + "  r: {read: x}\n  w: {assign: set, to: x, value: c, after: r}\n", "r"));
    EXPECT_EQ(before.endings.count, 1U);
    EXPECT_EQ(before.endings.ending[0].answer[0], 1);
    const ended either(with(nodes + "  r: {read: x}\n  w: {assign: set, to: x, value: c}\n", "r"));
    EXPECT_EQ(either.endings.count, 2U);
    EXPECT_EQ(dataflow_races(&either.read.graph, nullptr, 0), 1U);
}

TEST(Dataflow, TooManyOrdersAreALimit)
{
    std::string nodes;
    for (int i = 0; i < 24; i++) { /* 2^24 sets of fired nodes */
        nodes += "  c" + std::to_string(i) + ": {operation: constant, values: [1]}\n";
    }
    const parsed read(with(nodes));
    struct dataflow_endings endings;
    struct diagnostic said = {};
    ASSERT_EQ(read.status, STATUS_OK);
    EXPECT_EQ(dataflow_interleave(&read.graph, &endings, &said), STATUS_LIMIT);
}

TEST(Dataflow, RacesShowInSchedules)
{
    const parsed read(shipped("two_updates"));
    ASSERT_EQ(read.status, STATUS_OK);
    std::vector<int32_t> seen;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        seen.push_back(answers(read.graph, seed).of_sink()[0]);
    }
    for (const int32_t outcome : {1, 2, 3}) {
        EXPECT_GT(std::count(seen.begin(), seen.end(), outcome), 0) << outcome;
    }
}

/* ---- machines ---- */

TEST(Dataflow, AMachineKeepsItsInputsAndLearns)
{
    const std::string nodes =
        "  m: {machine: output_neuron, weights: [3, -4, 1], lift: 2, shift: 1, "
        "rate: 1, forward: {x: begin.0-1}, backward: {e: e}}\n"
        "  e: {operation: sum, x: m.forward}\n";
    const parsed read(with(nodes, "[m.forward, m.backward]", 2, "[[5, -3], [5, -3]]"));
    ASSERT_EQ(read.status, STATUS_OK) << read.said.text;
    const answers given(read.graph);
    /* 15 + 12 + 4 = 31 is also its error; 31 x 5 / 2 = 77.5, rounded up; -46.5, rounded up; 15.5 */
    EXPECT_EQ(given.of_sink()[0], 31);
    EXPECT_EQ(given.of_sink()[1], 93);
    EXPECT_EQ(given.of_sink()[2], -124);
    const int32_t w0 = 3 - 78, w1 = -4 + 46, bias = 1 - 16;
    EXPECT_EQ(given.of_sink()[3], 5 * w0 - 3 * w1 + 4 * bias);
    const struct dataflow_counts counts = dataflow_counts_of(&read.graph);
    EXPECT_EQ(counts.nodes[DATAFLOW_PHASE], 1U);
    EXPECT_EQ(counts.weighted_edges, 2U);
}

/* ---- networks ---- */

/* The weights of a neuron after a graph has been executed, or of its gradient in a machine. */
std::vector<int32_t> neuron_of(const answers &given, const std::string &name, size_t *gradient)
{
    for (size_t i = 0; i < given.graph.nodes.count; i++) {
        const struct dataflow_node &node = given.graph.node[i];
        if (node.name == name + "_w") {
            const int32_t *first = given.given.state + node.state.first;
            return {first, first + node.state.count};
        }
    }
    for (size_t i = 0; i < given.graph.machines.count; i++) {
        const struct dataflow_machine &machine = given.graph.machine[i];
        if (machine.name == name) {
            const int32_t *first = given.given.state + machine.state.first;
            *gradient = machine.state.first + 2 * machine.weights.count;
            return {first, first + machine.weights.count};
        }
    }
    ADD_FAILURE() << name;
    return {};
}

template <typename Check> void each_neuron(const struct network &network, Check check)
{
    for (size_t l = 0; l < network.layer_count; l++) {
        for (uint32_t i = 0; i < network.layer[l].outputs; i++) {
            check(std::string(network.layer[l].name) + "_" + std::to_string(i), l, i);
        }
    }
}

TEST(DataflowNetwork, HasTheCountsOf784_128_10)
{
    struct network network;
    struct nn_table *table;
    const std::string path = networks_folder() + "fc128.yaml";
    ASSERT_EQ(network_load(path.c_str(), &network, nullptr), STATUS_OK);
    ASSERT_EQ(layer_table_make(&network, &table, nullptr), STATUS_OK);
    struct dataflow_graph graph;
    const struct dataflow_network_request request = {
        &network, table, nullptr, DATAFLOW_FORWARD, 0, nullptr, nullptr, 0, 0};
    ASSERT_EQ(dataflow_of_network(&request, &graph, nullptr), STATUS_OK);
    const struct dataflow_counts counts = dataflow_counts_of(&graph);
    EXPECT_EQ(counts.all_nodes, 784U + 128 + 10 + 2);
    EXPECT_EQ(counts.nodes[DATAFLOW_OPERATION], 784U + 128 + 10);
    EXPECT_EQ(counts.weighted_edges, 101632U);
    EXPECT_EQ(counts.data_edges, 784U + 101632 + 10);
    EXPECT_EQ(counts.words, 784U + 101632 + 10);
    EXPECT_EQ(counts.control_edges + counts.implied_edges + counts.races, 0U);
    dataflow_graph_deinit(&graph);
    network_deinit(&network);
    free(table);
}

/* The host's own kernels, image by image. */
struct passed {
    explicit passed(const learner &of) : net(of), parameters(of.block), gradients(of.block.size())
    {
        EXPECT_EQ(integer_pass_init(&pass, of.table, learner::ERROR_FRACTION, nullptr), STATUS_OK);
    }
    ~passed()
    {
        integer_pass_deinit(&pass);
    }
    passed(const passed &) = delete;
    passed &operator=(const passed &) = delete;

    void go(uint32_t image, uint32_t rate)
    {
        const uint8_t *pixels = net.pixels.data() + image * network_values(net.network.input);
        std::fill(gradients.begin(), gradients.end(), 0);
        integer_forward(&pass, parameters.data(), pixels, net.labels[image], nullptr);
        logits.assign(pass.logits, pass.logits + net.table->classes);
        integer_backward(&pass, parameters.data(), gradients.data());
        for (size_t i = 0; i < parameters.size(); i++) {
            parameters[i] = (int16_t)(parameters[i] - (((gradients[i] >> (rate - 1)) + 1) >> 1));
        }
    }

    const learner &net;
    struct integer_pass pass = {};
    std::vector<int16_t> parameters;
    std::vector<int32_t> gradients;
    std::vector<int32_t> logits;
};

TEST(DataflowNetwork, SumsAreThoseOfTheHostsKernels)
{
    const learner net(THREE_LAYERS, 20);
    struct dataflow_graph graph = net.graph(DATAFLOW_FORWARD);
    const answers given(graph);
    passed host(net);
    std::vector<int32_t> sums;
    for (uint32_t i = 0; i < net.images; i++) {
        host.go(i, 30); /* no update */
        sums.insert(sums.end(), host.logits.begin(), host.logits.end());
    }
    EXPECT_EQ(given.of_sink(), sums);
    dataflow_graph_deinit(&graph);
}

TEST(DataflowNetwork, BothFormsLearnAsTheHostsKernelsDo)
{
    enum { RATE = 9 };
    const learner net(THREE_LAYERS, 20);
    passed host(net);
    std::vector<int32_t> sums;
    for (uint32_t i = 0; i < net.images; i++) {
        host.go(i, RATE);
        sums.insert(sums.end(), host.logits.begin(), host.logits.end());
    }
    for (const enum dataflow_form form : {DATAFLOW_UNROLLED, DATAFLOW_MACHINES}) {
        struct dataflow_graph graph = net.graph(form, RATE);
        EXPECT_EQ(dataflow_races(&graph, nullptr, 0), 0U);
        const answers given(graph);
        EXPECT_EQ(given.of_sink(), sums) << form;
        size_t changed = 0;
        each_neuron(net.network, [&](const std::string &name, size_t l, uint32_t i) {
            size_t gradient = 0;
            const struct nn_layer &row = net.table->layer[l];
            const std::vector<int32_t> weights = neuron_of(given, name, &gradient);
            const size_t inputs = weights.size() - 1;
            for (size_t k = 0; k <= inputs; k++) {
                const size_t place =
                    k < inputs ? row.weights / 2 + i * inputs + k : row.biases / 2 + i;
                EXPECT_EQ(weights[k], host.parameters[place]) << form << " " << name << " " << k;
                changed += host.parameters[place] != net.block[place] ? 1 : 0;
                if (form == DATAFLOW_MACHINES) { /* of the last image */
                    EXPECT_EQ(given.given.state[gradient + k], host.gradients[place]) << name;
                }
            }
        });
        EXPECT_GT(changed, 40U) << "of 71 parameters";
        dataflow_graph_deinit(&graph);
    }
}

TEST(DataflowNetwork, AThousandSchedulesOfATrainingStepLeaveTheSame)
{
    const learner net(THREE_LAYERS, 2);
    for (const enum dataflow_form form : {DATAFLOW_UNROLLED, DATAFLOW_MACHINES}) {
        struct dataflow_graph graph = net.graph(form);
        const answers first(graph);
        for (uint64_t seed = 1; seed <= 1000; seed++) {
            const answers drawn(graph, seed);
            ASSERT_TRUE(dataflow_answers_equal(&graph, &first.given, &drawn.given)) << seed;
        }
        dataflow_graph_deinit(&graph);
    }
}

TEST(DataflowNetwork, OtherLayersAreRefusedAtTheirPlace)
{
    struct network network;
    struct nn_table *table;
    struct diagnostic said = {};
    struct dataflow_graph graph;
    const std::string path = networks_folder() + "lenet1.yaml";
    ASSERT_EQ(network_load(path.c_str(), &network, nullptr), STATUS_OK);
    ASSERT_EQ(layer_table_make(&network, &table, nullptr), STATUS_OK);
    const struct dataflow_network_request request = {
        &network, table, nullptr, DATAFLOW_FORWARD, 0, nullptr, nullptr, 0, 0};
    EXPECT_EQ(dataflow_of_network(&request, &graph, &said), STATUS_CONFIGURATION);
    EXPECT_STREQ(said.text, "layer conv1 is not dense");
    EXPECT_GT(said.line, 0);
    network_deinit(&network);
    free(table);
}

} // namespace
