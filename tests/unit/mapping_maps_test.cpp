/* feature_maps_per_core: stages and the cores they get, tables and parameters of parts, records,
 * keys and rows of waits on every chip; and what does not fit. */
#include "tests/unit/plan_fixture.h"

extern "C" {
#include "sim/load/sark_layout.h"
#include "sim/mapping/plan_maps.h"
#include "workloads/nn/wait_note.h"
}

#include <algorithm>
#include <set>

namespace
{

/* Cores of each stage; empty: refused. */
std::vector<uint32_t> cores_of(const struct network &network, uint32_t cores,
                               struct diagnostic *said_of = nullptr)
{
    struct plan_stages stages;
    struct diagnostic diagnostic = {};
    std::vector<uint32_t> found;
    if (plan_stages_make(&network, cores, &stages, &diagnostic) == STATUS_OK) {
        for (size_t i = 0; i < stages.count; i++) {
            found.push_back(stages.stage[i].cores);
        }
    }
    if (said_of != nullptr) {
        *said_of = diagnostic;
    }
    return found;
}

using list = std::vector<uint32_t>;

const std::string HEAD =
    "name: test\nvariant: modern\ninput: {channels: 1, height: 28, width: 28}\n"
    "layers:\n";
const std::string OUTPUT = "  - {name: output, type: dense, units: 10, activation: softmax}\n";

/* ---- stages ---- */

TEST(PlanStages, ALayerWithWeightsAndThePoolingBehindIt)
{
    const auto network = lenet1();
    struct plan_stages stages;
    ASSERT_EQ(plan_stages_make(&network->network, 17, &stages, nullptr), STATUS_OK);
    ASSERT_EQ(stages.count, 3u);
    const struct {
        uint32_t first_layer, layer_count, outputs, values, cores;
        uint64_t macs;
    } expected[] = {{0, 2, 4, 144, 4, 14400}, {2, 2, 12, 16, 12, 6400}, {4, 1, 10, 1, 1, 192}};
    for (size_t i = 0; i < 3; i++) {
        const struct plan_stage &stage = stages.stage[i];
        EXPECT_EQ(stage.first_layer, expected[i].first_layer);
        EXPECT_EQ(stage.layer_count, expected[i].layer_count);
        EXPECT_EQ(stage.outputs, expected[i].outputs);
        EXPECT_EQ(stage.values, expected[i].values);
        EXPECT_EQ(stage.cores, expected[i].cores);
        EXPECT_EQ(stage.macs, expected[i].macs);
    }
}

/* Loads of one core: conv1 4 x 14,400, conv2 12 x 6,400, output 1,920. */
TEST(PlanStages, CoresGoWhereTheMostLoadedCoreIs)
{
    const auto network = lenet1();
    EXPECT_EQ(cores_of(network->network, 3), (list{1, 1, 1}));
    EXPECT_EQ(cores_of(network->network, 4), (list{1, 2, 1}));
    EXPECT_EQ(cores_of(network->network, 5), (list{2, 2, 1}));
    EXPECT_EQ(cores_of(network->network, 6), (list{2, 3, 1}));
    EXPECT_EQ(cores_of(network->network, 7), (list{2, 4, 1})) << "a third core for conv1 is none";
    EXPECT_EQ(cores_of(network->network, 8), (list{4, 3, 1}));
    EXPECT_EQ(cores_of(network->network, 11), (list{4, 6, 1}));
    EXPECT_EQ(cores_of(network->network, 16), (list{4, 11, 1}));
    EXPECT_EQ(cores_of(network->network, 17), (list{4, 12, 1}));
}

TEST(PlanStages, RefusesFewerCoresThanStagesAndMoreThanMaps)
{
    const auto network = lenet1();
    struct diagnostic said_of = {};
    EXPECT_TRUE(cores_of(network->network, 2, &said_of).empty());
    EXPECT_STREQ(said_of.text, "network lenet1 needs at least 3 cores of a chip, 2 are given: 1 "
                               "short, one for each layer with weights");
    EXPECT_TRUE(cores_of(network->network, 18, &said_of).empty());
    EXPECT_STREQ(said_of.text, "network lenet1 occupies at most 17 cores of a chip, 18 are given: "
                               "one for each map or unit, and one for the last layer");
    const test_network pooled(HEAD + "  - {name: pool, type: max_pool2d, size: 2}\n" + OUTPUT);
    EXPECT_TRUE(cores_of(pooled.network, 2, &said_of).empty());
    EXPECT_STREQ(said_of.text, "the first layer of network test, pool, has no weights: maps are "
                               "spread with the layer that makes them");
    const test_network alone(HEAD + OUTPUT);
    EXPECT_EQ(cores_of(alone.network, 1), list{1});
    EXPECT_TRUE(cores_of(alone.network, 2).empty()) << "the last layer is not divided";
}

TEST(PlanStages, SlicesFollowEachOther)
{
    for (uint32_t outputs = 1; outputs <= 20; outputs++) {
        for (uint32_t cores = 1; cores <= outputs; cores++) {
            struct plan_stage stage = {};
            stage.outputs = outputs;
            stage.cores = cores;
            uint32_t next = 0;
            for (uint32_t i = 0; i < cores; i++) {
                const struct plan_slice slice = plan_share(stage.outputs, stage.cores, i);
                EXPECT_EQ(slice.first, next);
                EXPECT_GE(slice.count, outputs / cores);
                EXPECT_LE(slice.count, (outputs + cores - 1) / cores);
                EXPECT_LE(slice.count, plan_share(stage.outputs, stage.cores, 0).count)
                    << "the first is largest";
                next += slice.count;
            }
            EXPECT_EQ(next, outputs);
        }
    }
}

/* The convolutions of Keras' examples with a dense layer: by products it would have one core. */
TEST(PlanStages, AStageWithLargePartsTakesCoresOfOthers)
{
    const test_network network(HEAD +
                               "  - {name: a, type: conv2d, maps: 32, kernel: 3}\n"
                               "  - {name: b, type: max_pool2d, size: 2}\n"
                               "  - {name: c, type: conv2d, maps: 64, kernel: 3}\n"
                               "  - {name: d, type: max_pool2d, size: 2}\n"
                               "  - {name: e, type: dense, units: 128}\n" +
                               OUTPUT);
    struct plan_stages stages;
    const auto cores = [&stages] {
        return list{stages.stage[0].cores, stages.stage[1].cores, stages.stage[2].cores,
                    stages.stage[3].cores};
    };
    ASSERT_EQ(plan_stages_make(&network.network, 16, &stages, nullptr), STATUS_OK);
    EXPECT_EQ(cores(), (list{1, 13, 1, 1}));
    EXPECT_TRUE(plan_stages_widen(&stages, 2, 16));
    EXPECT_EQ(cores(), (list{2, 11, 2, 1}));
    EXPECT_TRUE(plan_stages_widen(&stages, 2, 16));
    EXPECT_EQ(cores(), (list{1, 11, 3, 1}));
    EXPECT_FALSE(plan_stages_widen(&stages, 3, 16)) << "the last stage is one core's";
    while (plan_stages_widen(&stages, 2, 16)) {
    }
    EXPECT_EQ(cores(), (list{1, 1, 13, 1})) << "each of the others keeps one";
    EXPECT_FALSE(plan_stages_widen(&stages, 0, 16));
    EXPECT_EQ(cores(), (list{1, 1, 13, 1}));
}

/* ---- parts: the same numbers as the whole network's ---- */

struct freed {
    void operator()(void *memory) const
    {
        free(memory);
    }
};

/* One stage of an image, part by part. */
std::vector<uint8_t> stage_of(const test_network &network, const std::vector<int16_t> &parameters,
                              const struct plan_stage &stage, const uint8_t *input,
                              struct nn_numerics *numerics)
{
    std::vector<uint8_t> output;
    for (uint32_t i = 0; i < stage.cores; i++) {
        const struct plan_slice slice = plan_share(stage.outputs, stage.cores, i);
        const std::unique_ptr<nn_table, freed> part(
            part_table_make(network.table, &stage, slice, 2));
        std::vector<uint32_t> own(part->parameter_bytes / 4);
        auto *bytes = reinterpret_cast<uint8_t *>(own.data());
        part_parameters(network.table, reinterpret_cast<const uint8_t *>(parameters.data()), &stage,
                        slice, part.get(), 2, bytes);
        std::vector<uint32_t> activations(part->activation_bytes / 4 + 1);
        auto *between = reinterpret_cast<uint8_t *>(activations.data());
        const auto *values = reinterpret_cast<const int16_t *>(input);
        if (stage.first_layer == 0) {
            auto *pixels = reinterpret_cast<int16_t *>(between + part->layer[0].from);
            nn_load_image(part.get(), input, pixels);
            values = pixels;
        }
        const bool last = part->layer[part->layers - 1].is_last != 0;
        const size_t size = size_t{slice.count} * stage.values * (last ? 4 : 2);
        std::vector<uint32_t> made((size + 3) / 4);
        nn_forward_values(part.get(), bytes, between, values, made.data(), nullptr, numerics);
        const auto *from = reinterpret_cast<const uint8_t *>(made.data());
        output.insert(output.end(), from, from + size);
    }
    return output;
}

void expect_the_wholes_logits(const test_network &network, const std::vector<int16_t> &parameters,
                              const uint8_t *image, uint32_t cores)
{
    const integer_run whole(network, parameters, image);
    struct plan_stages stages;
    ASSERT_EQ(plan_stages_make(&network.network, cores, &stages, nullptr), STATUS_OK);
    struct nn_numerics numerics = {};
    std::vector<uint8_t> values;
    const uint8_t *input = image;
    for (size_t i = 0; i < stages.count; i++) {
        values = stage_of(network, parameters, stages.stage[i], input, &numerics);
        input = values.data();
    }
    const auto *logits = reinterpret_cast<const int32_t *>(values.data());
    EXPECT_EQ(std::vector<int32_t>(logits, logits + network.table->classes), whole.logits) << cores;
    EXPECT_EQ(numerics.saturations, whole.numerics.saturations);
}

TEST(PartTable, LenetInPartsIsTheWholeForEveryNumberOfCores)
{
    const auto network = lenet1();
    const lenet1_weights weights(*network, "synthetic");
    const images test("synthetic", DATASET_TEST, 3);
    for (uint32_t cores = 3; cores <= 17; cores++) {
        expect_the_wholes_logits(*network, block_of(weights.weights, *network), test.image(2),
                                 cores);
    }
}

TEST(PartTable, SoAreOtherShapesAndSumsThatSaturate)
{
    const test_network network(HEAD +
                               "  - {name: a, type: conv2d, maps: 5, kernel: 3, stride: 2, "
                               "activation: relu}\n"
                               "  - {name: b, type: max_pool2d, size: 3, stride: 2}\n"
                               "  - {name: c, type: conv2d, maps: 7, kernel: 2}\n"
                               "  - {name: d, type: dense, units: 9, activation: relu}\n" +
                               OUTPUT);
    random_source random(3);
    const images test("synthetic", DATASET_TEST, 1);
    const auto parameters = random.int16s(network.table->parameter_bytes / 2, 20000);
    const integer_run whole(network, parameters, test.image(0));
    EXPECT_GT(whole.numerics.saturations, 0u);
    for (const uint32_t cores : {4u, 9u, 13u, 22u}) {
        expect_the_wholes_logits(network, parameters, test.image(0), cores);
    }
}

/* ---- the plan ---- */

const std::string MAPS = "mapping: {kind: feature_maps_per_core}\n";

TEST(PlanMaps, CoresKnowTheirMaps)
{
    const plan_of p(MAPS);
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    ASSERT_EQ(p.plan.core_count, 17u);
    uint64_t macs = 0;
    for (uint32_t i = 0; i < 17; i++) {
        const struct load_plan_core &core = p.plan.core[i];
        EXPECT_STREQ(core.role, "maps_infer");
        EXPECT_EQ(core.core.p, i + 1);
        EXPECT_EQ(core.argument, p.plan.maps->part[i].address);
        macs += core.macs;
    }
    EXPECT_EQ(macs, 136320u);
    EXPECT_STREQ(p.plan.core[0].layer, "conv1 map 0");
    EXPECT_STREQ(p.plan.core[15].layer, "conv2 map 11");
    EXPECT_STREQ(p.plan.core[16].layer, "output units 0-9");
    EXPECT_EQ(p.plan.core[4].macs, 6400u);
    /* program, stacks; table, parameters, image and map of conv1; two images, two outputs; the head
     * of a wait note that it has not, and ten blocks' heads */
    const uint32_t table = sizeof(struct nn_table) + 2 * sizeof(struct nn_layer);
    EXPECT_EQ(p.plan.core[0].dtcm_bytes, PROGRAM_DTCM + 4992 + table + 52 + 4 + 1568 + 1152 +
                                             2 * (784 + 288) + sizeof(struct nn_wait_note) +
                                             10 * 16);
    const plan_of few(MAPS + "board: {width: 2}\n");
    ASSERT_EQ(few.status, STATUS_OK);
    const plan_of five("mapping: {kind: feature_maps_per_core, cores_per_chip: 5}\n");
    ASSERT_EQ(five.status, STATUS_OK) << said(five.said_of);
    EXPECT_STREQ(five.plan.core[1].layer, "conv1 maps 2-3");
    EXPECT_STREQ(five.plan.core[2].layer, "conv2 maps 0-5");
}

TEST(PlanMaps, NothingLiesOnAnythingElse)
{
    const plan_of p(MAPS, 10000);
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    const struct nn_plan &run = p.plan.run;
    std::vector<std::pair<uint32_t, uint32_t>> all = {
        {p.plan.plan_address, sizeof run},
        {run.images, run.image_count * run.image_bytes},
        {run.results, run.image_count * nn_result_bytes(10)}};
    uint32_t parameters = 0;
    for (size_t i = 0; i < p.plan.maps->part_count; i++) {
        const struct plan_part &part = p.plan.maps->part[i];
        all.push_back({part.address, sizeof part.record});
        all.push_back({part.record.table, part.record.table_bytes});
        all.push_back({part.record.parameters, part.record.parameter_bytes});
        all.push_back({part.record.waits, part.record.wait_count * sizeof(struct nn_wait)});
        all.push_back({part.record.totals, sizeof(struct nn_part_totals)});
        parameters += part.record.parameter_bytes;
    }
    EXPECT_EQ(run.parameter_bytes, parameters);
    std::sort(all.begin(), all.end());
    EXPECT_GE(all.front().first, SARK_SDRAM_HEAP);
    for (size_t i = 0; i < all.size(); i++) {
        EXPECT_EQ(all[i].first % 64, 0u);
        const uint32_t next = i + 1 < all.size() ? all[i + 1].first : p.plan.end;
        EXPECT_LE(all[i].first + all[i].second, next);
    }
}

/* What lies in the memory of a chip for one of its cores. */
struct placed_part {
    struct nn_part record = {};
    std::vector<struct nn_wait> waits;
};

placed_part part_in(const machine_of &machine, const struct load_plan_core &core)
{
    placed_part part;
    EXPECT_EQ(
        machine_read(machine.machine, core.core, core.argument, &part.record, sizeof part.record),
        STATUS_OK);
    part.waits.resize(part.record.wait_count);
    EXPECT_EQ(machine_read(machine.machine, core.core, part.record.waits, part.waits.data(),
                           static_cast<uint32_t>(part.waits.size() * sizeof part.waits[0])),
              STATUS_OK);
    return part;
}

/* Which cores of a chip send to core i, and how many values each of them: 4 cores of conv1, 12 of
 * conv2, one of the output layer. */
struct sender_range {
    size_t first, count;
    uint32_t values;
};

sender_range senders_of(size_t i)
{
    if (i < 4) {
        return {0, 0, 144};
    }
    return i < 16 ? sender_range{0, 4, 144} : sender_range{4, 12, 16};
}

/* Sender number w of a receiver, which sends so many values an image, and what the receiver waits
 * for. */
void compare_wait(const placed_part &part, const placed_part &from, size_t w, uint32_t values)
{
    const struct nn_wait &wait = part.waits[w];
    const uint32_t shift = part.record.wait_shift;
    EXPECT_EQ(from.record.output_values, values);
    EXPECT_EQ(wait.expected, values);
    EXPECT_EQ(wait.arrived, 0u);
    EXPECT_EQ(from.record.key & wait.mask, wait.key);
    EXPECT_EQ((from.record.odd_key + values - 1) & wait.mask, wait.key);
    EXPECT_GE(from.record.odd_key, from.record.key + values);
    EXPECT_EQ((wait.key >> shift) - (part.waits[0].key >> shift), w);
    EXPECT_EQ(from.record.place, w * values);
    EXPECT_EQ(from.record.output_places, part.record.input_places);
    EXPECT_EQ(part.record.input_places, part.waits.size() * values);
}

TEST(PlanMaps, EveryReceiverKnowsTheKeysOfItsSendersAndNobodyElses)
{
    plan_of p(MAPS + "board: {width: 2, height: 2}\nfaults: {down_cores: [\"1,1,3\"]}\n"
                     "chip: {monitor_cores: 0}\n",
              30);
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    p.config.mapping_chips = 4;
    p.make();
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    const machine_of m(p.config);
    ASSERT_EQ(load_plan_write(&p.plan, m.machine, &p.said_of), STATUS_OK) << said(p.said_of);
    std::set<uint32_t> keys;
    for (size_t c = 0; c < 4; c++) {
        const struct load_plan_core *core = &p.plan.core[17 * c];
        uint32_t starters = 0;
        for (size_t i = 0; i < 17; i++) {
            const placed_part part = part_in(m, core[i]);
            EXPECT_EQ(part.record.magic, NN_PART_MAGIC);
            EXPECT_EQ(part.record.plan, p.plan.plan_address);
            EXPECT_EQ(part.record.starts_network, i < 4 ? 1u : 0u);
            EXPECT_EQ(part.record.ends_network, i == 16 ? 1u : 0u);
            starters |= i < 4 ? 1u << core[i].core.p : 0;
            EXPECT_EQ(part.record.told, i == 16 ? starters : 0u);
            const sender_range senders = senders_of(i);
            ASSERT_EQ(part.waits.size(), senders.count);
            for (size_t w = 0; w < senders.count; w++) {
                compare_wait(part, part_in(m, core[senders.first + w]), w, senders.values);
            }
            if (i < 16) {
                EXPECT_TRUE(keys.insert(part.record.key).second) << "chips share no keys";
            }
        }
    }
    EXPECT_EQ(keys.size(), 64u);
    ASSERT_EQ(p.plan.routing.edge_count, 64u);
    const struct routing_edge &edge = p.plan.routing.edge[plan_maps_edge(p.plan.maps, 3, 4)];
    EXPECT_STREQ(edge.name, "conv2 map 0 of chip 1,1");
    EXPECT_EQ(edge.purpose, ROUTING_FORWARD);
    ASSERT_EQ(edge.target_count, 1u);
    EXPECT_EQ(edge.target[0].p, 17) << "core 3 is down";
    EXPECT_EQ(p.plan.routing.edge[0].target_count, 12u);
}

TEST(PlanMaps, TensorsAreWhereTheirCoresReadThem)
{
    plan_of p(MAPS);
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    const machine_of m(p.config);
    ASSERT_EQ(load_plan_write(&p.plan, m.machine, &p.said_of), STATUS_OK) << said(p.said_of);
    ASSERT_EQ(p.plan.tensor_count, 34u);
    const struct load_plan_tensor &weights = p.plan.tensor[2 * 6];
    EXPECT_STREQ(weights.name, "conv2.weights[2]");
    EXPECT_EQ(weights.core.p, 7);
    EXPECT_EQ(weights.shape[0], 1u);
    EXPECT_EQ(weights.shape[1], 4u);
    const uint8_t *block = reinterpret_cast<const uint8_t *>(p.weights->block);
    EXPECT_EQ(m.read(weights.address, 200), byte_string(block + 208 + 400, block + 208 + 600));
    EXPECT_STREQ(p.plan.tensor[33].name, "output.biases");
    EXPECT_EQ(m.read(p.plan.tensor[33].address, 20), byte_string(block + 6472, block + 6492));
}

TEST(PlanMaps, RefusesWhatDoesNotFit)
{
    const auto mapping = [](unsigned cores) {
        return "mapping: {kind: feature_maps_per_core, cores_per_chip: " + std::to_string(cores) +
               "}\n";
    };
    EXPECT_EQ(plan_of(mapping(3)).status, STATUS_OK);
    const plan_of few(mapping(2));
    EXPECT_EQ(few.status, STATUS_CONFIGURATION);
    EXPECT_EQ(few.where(), "test.yaml:4:56 mapping.cores_per_chip");
    EXPECT_STREQ(few.said_of.text, "network lenet1 needs at least 3 cores of a chip, 2 are given: "
                                   "1 short, one for each layer with weights");
    EXPECT_STREQ(few.said_of.hint, "mapping.cores_per_chip: 3 is the least with which it fits");
    EXPECT_EQ(few.plan.maps, nullptr);
    const plan_of many(mapping(18) + "chip: {monitor_cores: 0}\n");
    EXPECT_EQ(many.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(many.said_of.text, "network lenet1 occupies at most 17 cores of a chip, 18 are "
                                    "given: one for each map or unit, and one for the last layer");
    EXPECT_STREQ(many.said_of.hint, "mapping.cores_per_chip: 3 is the least with which it fits");
    plan_of small(MAPS);
    const uint32_t needed = small.plan.core[16].dtcm_bytes;
    small.config.machine.chip_dtcm_bytes = needed; /* no power of two, which a file would need */
    small.make();
    EXPECT_EQ(small.status, STATUS_OK);
    small.config.machine.chip_dtcm_bytes = needed - 1;
    small.make();
    EXPECT_EQ(small.status, STATUS_CONFIGURATION);
    EXPECT_EQ(small.where(), "test.yaml:4:17 mapping.kind");
    EXPECT_TRUE(
        contains(small.said_of.text, "does not fit a core: it needs " + std::to_string(needed)))
        << said(small.said_of);
}

} // namespace
