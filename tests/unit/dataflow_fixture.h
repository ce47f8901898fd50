/* dataflow_fixture.h - graphs from texts, and networks with weights and images that are drawn. */
#pragma once
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/dataflow/execute.h"
#include "sim/dataflow/graph_network.h"
#include "sim/dataflow/graph_read.h"
#include "sim/networks/learning.h"
}

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

/* A graph of a text. */
struct parsed {
    explicit parsed(const std::string &text)
        : status(dataflow_parse("graph.yaml", text.data(), text.size(), &graph, &said))
    {
    }
    ~parsed()
    {
        dataflow_graph_deinit(&graph);
    }
    parsed(const parsed &) = delete;
    parsed &operator=(const parsed &) = delete;

    struct dataflow_graph graph = {};
    struct diagnostic said = {};
    enum status status;
};

/* Nodes between a source and a sink. */
inline std::string with(const std::string &nodes, const std::string &sink = "[]", int words = 0,
                        const std::string &input = "[]")
{
    return "name: g\ninput: " + input + "\nnodes:\n  begin: {source: " + std::to_string(words) +
           "}\n" + nodes + "  end: {sink: " + sink + "}\n";
}

/* What an execution on the host leaves. */
struct answers {
    explicit answers(const struct dataflow_graph &of, uint64_t seed = 0) : graph(of)
    {
        EXPECT_EQ(dataflow_execute(&graph, seed, &given, nullptr), STATUS_OK);
    }
    ~answers()
    {
        dataflow_answers_deinit(&given);
    }
    answers(const answers &) = delete;
    answers &operator=(const answers &) = delete;

    std::vector<int32_t> of_sink() const
    {
        const size_t words = (size_t)graph.steps * graph.node[graph.sink].words;
        return {given.answer, given.answer + words};
    }
    std::vector<int32_t> of_state() const
    {
        return {given.state, given.state + graph.states.count};
    }

    const struct dataflow_graph &graph;
    struct dataflow_answers given = {};
};

constexpr char THREE_LAYERS[] = "name: net\nvariant: modern\n"
                                "input: {channels: 1, height: 2, width: 3}\n"
                                "layers:\n"
                                "  - {name: one, type: dense, units: 5, activation: relu}\n"
                                "  - {name: two, type: dense, units: 4, activation: relu}\n"
                                "  - {name: output, type: dense, units: 3, activation: softmax}\n";

/* A network with weights, images and labels that are drawn. */
struct learner {
    enum { ERROR_FRACTION = 9 };

    explicit learner(const std::string &text, uint32_t count, uint64_t seed = 7) : images(count)
    {
        EXPECT_EQ(network_parse("net.yaml", text.data(), text.size(), &network, nullptr),
                  STATUS_OK);
        EXPECT_EQ(layer_table_make(&network, &table, nullptr), STATUS_OK);
        block.resize(weights_places(table));
        learning_draw(&network, table, CONFIG_INITIALIZER_HE, seed, block.data());
        std::mt19937 draw((unsigned)seed);
        pixels.resize((size_t)count * network_values(network.input));
        for (uint8_t &pixel : pixels) {
            pixel = (uint8_t)draw();
        }
        for (uint32_t i = 0; i < count; i++) {
            labels.push_back((uint8_t)(draw() % table->classes));
        }
    }
    ~learner()
    {
        network_deinit(&network);
        free(table);
    }
    learner(const learner &) = delete;
    learner &operator=(const learner &) = delete;

    /* The caller frees it. */
    struct dataflow_graph graph(enum dataflow_form form, uint32_t rate = 9) const
    {
        struct dataflow_graph made;
        struct diagnostic said = {};
        const struct dataflow_network_request request = {&network,      table,  block.data(),
                                                         form,          images, pixels.data(),
                                                         labels.data(), rate,   ERROR_FRACTION};
        EXPECT_EQ(dataflow_of_network(&request, &made, &said), STATUS_OK) << said.text;
        return made;
    }

    struct network network = {};
    struct nn_table *table = nullptr;
    std::vector<int16_t> block;
    std::vector<uint8_t> pixels, labels;
    uint32_t images;
};
