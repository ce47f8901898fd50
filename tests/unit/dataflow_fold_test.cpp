/* Folded dataflow graphs: the tables of the cores, interpreted on the host by the program's own
 * interpreter, with packets that come in an order that is drawn. */
#include "tests/unit/dataflow_fixture.h"

extern "C" {
#include "sim/dataflow/fold.h"
#include "sim/dataflow/tables.h"
#include "workloads/dataflow/interpreter.h"
}

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace
{

struct packet {
    uint32_t target, key;
    int32_t word;
};

/* All cores of a folded graph, and the packets between them. */
class folded
{
  public:
    folded(const struct dataflow_graph &graph, uint32_t cores, enum dataflow_folding folding,
           uint32_t seed)
        : graph_(graph), draw_(seed + 1)
    {
        EXPECT_EQ(dataflow_fold(&graph, folding, seed, cores, &core_of, nullptr), STATUS_OK);
        EXPECT_EQ(dataflow_tables_make(&graph, core_of, cores, seed, &tables, nullptr), STATUS_OK);
        for (size_t g = 0; g < tables.groups; g++) {
            group_of_[tables.group[g].key] = g;
        }
    }
    ~folded()
    {
        dataflow_tables_deinit(&tables);
        free(core_of);
    }
    folded(const folded &) = delete;
    folded &operator=(const folded &) = delete;

    /* Until nothing happens any more; each core holds at most what its inbox has room for. */
    void run()
    {
        cores_.resize(tables.cores);
        for (uint32_t c = 0; c < tables.cores; c++) {
            begin(c);
        }
        for (bool active = true; active;) {
            active = deliver();
            for (auto &core : cores_) {
                if (core.head != nullptr && draw_() % 2 == 0 && dataflow_core_fire(&core.core)) {
                    active = true;
                }
            }
            active = active || std::any_of(cores_.begin(), cores_.end(), [](const auto &core) {
                         return core.head != nullptr && core.core.ready_count > 0;
                     });
        }
        for (const auto &core : cores_) {
            EXPECT_TRUE(core.head == nullptr || dataflow_core_ended(&core.core));
            EXPECT_TRUE(core.head == nullptr || core.core.strange == 0);
        }
    }

    std::vector<int32_t> of_sink() const
    {
        return words(dataflow_tables_answer(&tables),
                     graph_.steps * graph_.node[graph_.sink].words);
    }
    std::vector<int32_t> of_state() const
    {
        std::vector<int32_t> all(graph_.states.count);
        for (uint32_t n = 0; n < graph_.nodes.count; n++) {
            if (graph_.node[n].kind == DATAFLOW_VARIABLE) {
                put(dataflow_tables_state(&tables, n), graph_.node[n].state, all);
            }
        }
        for (size_t m = 0; m < graph_.machines.count; m++) {
            put(dataflow_tables_machine(&tables, m), graph_.machine[m].state, all);
        }
        return all;
    }

    struct dataflow_tables tables = {};
    uint32_t *core_of = nullptr;
    uint64_t sent = 0;

  private:
    struct one {
        const struct dataflow_head *head = nullptr;
        struct dataflow_core core = {};
        std::vector<std::vector<uint32_t>> parts;
        folded *all = nullptr;
    };

    static void send(void *context, uint32_t key, int32_t word, bool payload)
    {
        folded &all = *(folded *)context;
        auto found = std::prev(all.group_of_.upper_bound(key));
        const struct dataflow_group &group = all.tables.group[found->second];
        ASSERT_LT(key - group.key, group.keys);
        EXPECT_EQ(group.control, !payload);
        all.sent++;
        for (size_t t = 0; t < group.targets; t++) {
            const uint32_t target = all.tables.target[group.first_target + t];
            EXPECT_NE(target, group.source);
            all.packets_.push_back({target, key, word});
        }
    }

    void begin(uint32_t number)
    {
        one &own = cores_[number];
        own.head = (const struct dataflow_head *)tables.table[number].word;
        if (own.head == nullptr) {
            return;
        }
        EXPECT_EQ(own.head->magic, DATAFLOW_MAGIC);
        EXPECT_EQ(own.head->bytes, tables.table[number].bytes);
        void *part[DATAFLOW_PARTS];
        own.parts.resize(DATAFLOW_PARTS);
        for (unsigned p = 0; p < DATAFLOW_PARTS; p++) {
            own.parts[p].resize(dataflow_part_bytes(own.head, (enum dataflow_part)p) / 4);
            part[p] = own.parts[p].data();
        }
        dataflow_core_init(&own.core, own.head, part, send, this);
        dataflow_core_begin(&own.core);
    }

    bool deliver()
    {
        const size_t waiting = packets_.size();
        for (size_t i = 0; i < waiting / 2 + 1 && !packets_.empty(); i++) {
            const size_t place = draw_() % packets_.size();
            const packet next = packets_[place];
            packets_[place] = packets_.back();
            packets_.pop_back();
            dataflow_core_take(&cores_[next.target].core, next.key, next.word);
        }
        return waiting > 0;
    }

    std::vector<int32_t> words(struct dataflow_at at, size_t count) const
    {
        const auto *first = (const int32_t *)tables.table[at.core].word + at.offset / 4;
        return {first, first + count};
    }
    void put(struct dataflow_at at, struct dataflow_words of, std::vector<int32_t> &all) const
    {
        const std::vector<int32_t> own = words(at, of.count);
        std::copy(own.begin(), own.end(), all.begin() + (ptrdiff_t)of.first);
    }

    const struct dataflow_graph &graph_;
    std::mt19937 draw_;
    std::map<uint32_t, size_t> group_of_;
    std::vector<one> cores_;
    std::vector<packet> packets_;
};

/* Folds to so many cores in both ways, several times. */
void fold_all(const struct dataflow_graph &graph, const std::vector<uint32_t> &cores,
              uint32_t times)
{
    const answers host(graph);
    for (const uint32_t count : cores) {
        for (const enum dataflow_folding how : {DATAFLOW_FOLD_LIST, DATAFLOW_FOLD_RANDOM}) {
            for (uint32_t seed = 0; seed < times; seed++) {
                folded machine(graph, count, how, seed);
                machine.run();
                ASSERT_EQ(machine.of_sink(), host.of_sink()) << count << " " << how << " " << seed;
                ASSERT_EQ(machine.of_state(), host.of_state())
                    << count << " " << how << " " << seed;
            }
        }
    }
}

TEST(DataflowFold, TwoAssignAddsOnAnyCores)
{
    const parsed read(
        with("  x: {variable: [0]}\n  one: {operation: constant, values: [1]}\n"
             "  two: {operation: copy, x: begin}\n"
             "  a: {assign: add, to: x, value: one}\n"
             "  b: {assign: add, to: x, value: two}\n  last: {read: x, after: [a, b]}\n"
             "  other: {variable: [5, 6]}\n",
             "[last, begin, last]", 1, "[[2], [3], [-9]]"));
    ASSERT_EQ(read.status, STATUS_OK) << read.said.text;
    fold_all(read.graph, {1, 2, 3, 7, 40}, 20);
}

TEST(DataflowFold, TrainingStepsOnAnyCores)
{
    const learner net(THREE_LAYERS, 3);
    for (const enum dataflow_form form : {DATAFLOW_FORWARD, DATAFLOW_UNROLLED, DATAFLOW_MACHINES}) {
        struct dataflow_graph graph = net.graph(form);
        fold_all(graph, {1, 2, 5, 17, 64}, 8);
        dataflow_graph_deinit(&graph);
    }
}

TEST(DataflowFold, AVariableAndAMachineAreOnOneCore)
{
    const learner net(THREE_LAYERS, 1);
    for (const enum dataflow_form form : {DATAFLOW_UNROLLED, DATAFLOW_MACHINES}) {
        struct dataflow_graph graph = net.graph(form);
        for (const enum dataflow_folding how : {DATAFLOW_FOLD_LIST, DATAFLOW_FOLD_RANDOM}) {
            const folded machine(graph, 17, how, 3);
            std::set<uint32_t> used;
            for (uint32_t n = 0; n < graph.nodes.count; n++) {
                const struct dataflow_node &node = graph.node[n];
                used.insert(machine.core_of[n]);
                if (node.of != DATAFLOW_NONE) {
                    const uint32_t owner =
                        node.kind == DATAFLOW_PHASE ? graph.machine[node.of].first : node.of;
                    EXPECT_EQ(machine.core_of[n], machine.core_of[owner]);
                }
            }
            EXPECT_GT(used.size(), 1U);
            EXPECT_TRUE(how == DATAFLOW_FOLD_LIST || used.size() == 17) << used.size();
        }
        dataflow_graph_deinit(&graph);
    }
}

/* A word to several cores is one packet; a word to its own core is none; each core but the source's
 * says once that it receives. */
TEST(DataflowFold, PacketsAreCounted)
{
    const learner net(THREE_LAYERS, 2);
    struct dataflow_graph graph = net.graph(DATAFLOW_FORWARD);
    folded one(graph, 1, DATAFLOW_FOLD_LIST, 0);
    one.run();
    EXPECT_EQ(one.sent, 0U);
    folded many(graph, 64, DATAFLOW_FOLD_RANDOM, 0); /* 20 nodes, each on a core of its own */
    many.run();
    /* 6 words of the source, of 6 pixels, 5 + 4 + 3 neurons, and the sink's */
    EXPECT_EQ(many.tables.packets, 6U + 6 + 12 + 1);
    EXPECT_EQ(many.tables.deliveries, 6U + 6 * 5 + 5 * 4 + 4 * 3 + 3 + 1);
    EXPECT_EQ(many.sent, 19 + 2 * many.tables.packets - 1);
    dataflow_graph_deinit(&graph);
}

TEST(DataflowFold, GroupsHaveKeysOfTheirOwn)
{
    const learner net(THREE_LAYERS, 1);
    struct dataflow_graph graph = net.graph(DATAFLOW_UNROLLED);
    const folded machine(graph, 9, DATAFLOW_FOLD_RANDOM, 1);
    uint32_t next = DATAFLOW_FIRST_KEY;
    ASSERT_GT(machine.tables.groups, 9U);
    for (size_t g = 0; g < machine.tables.groups; g++) {
        const struct dataflow_group &group = machine.tables.group[g];
        uint32_t block = 1;
        while (block < group.keys) {
            block *= 2;
        }
        EXPECT_EQ(group.key % block, 0U);
        EXPECT_GE(group.key, next);
        next = group.key + block;
    }
    dataflow_graph_deinit(&graph);
}

} // namespace
