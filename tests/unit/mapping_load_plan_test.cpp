/* The load plan of replica_per_core: which cores, which addresses, which tensors; what lies in the
 * machine's memory afterwards; and what does not fit, from both sides of each bound. */
#include "tests/unit/plan_fixture.h"

extern "C" {
#include "sim/load/machine_load.h"
#include "sim/load/sark_layout.h"
}

#include <algorithm>
#include <cstring>

namespace
{

/* ---- cores ---- */

/* LeNet-1's layer table. */
constexpr uint64_t TABLE_BYTES = 352;

TEST(LoadPlan, EveryApplicationCoreHoldsTheWholeNetwork)
{
    const plan_of p("");
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    ASSERT_EQ(p.plan.core_count, 17u);
    for (uint32_t i = 0; i < 17; i++) {
        const struct load_plan_core &core = p.plan.core[i];
        EXPECT_EQ(core.core.x, 0);
        EXPECT_EQ(core.core.y, 0);
        EXPECT_EQ(core.core.p, i + 1) << "core 0 is the monitor";
        EXPECT_EQ(core.virtual_core, i + 1);
        EXPECT_STREQ(core.role, "replica_infer");
        EXPECT_EQ(core.macs, 136320u);
        EXPECT_EQ(core.itcm_bytes, PROGRAM_ITCM);
        /* program, stacks, then: layer table, parameters, activations, exponentials, two images,
         * two results, and nine blocks' heads */
        EXPECT_EQ(core.dtcm_bytes, PROGRAM_DTCM + 4992 + TABLE_BYTES + 6492 + 6176 + 4100 +
                                       2 * 784 + 2 * 64 + 9 * 16);
    }
}

TEST(LoadPlan, FewerCoresAndAnotherMonitor)
{
    const plan_of p("mapping: {cores_per_chip: 5}\nchip: {monitor_cores: 2}\n");
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    ASSERT_EQ(p.plan.core_count, 5u);
    EXPECT_EQ(p.plan.core[0].core.p, 2);
    EXPECT_EQ(p.plan.core[4].core.p, 6);
}

/* The configuration's own check says this first, of a file; the plan does not rely on it. */
TEST(LoadPlan, RefusesMoreCoresOrChipsThanThereAre)
{
    plan_of p("mapping: {cores_per_chip: 17, chips: 1}\n");
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    p.config.mapping_cores_per_chip = 18;
    p.make();
    EXPECT_EQ(p.status, STATUS_CONFIGURATION);
    EXPECT_EQ(p.where(), "test.yaml:4:27 mapping.cores_per_chip");
    EXPECT_STREQ(p.said_of.text, "18 asked for, the machine has 17: 1 short");
    EXPECT_TRUE(contains(p.said_of.hint, "18 cores, 1 of them for the monitor"));
    EXPECT_EQ(p.plan.core, nullptr);
    p.config.machine.chip_monitor_cores = 0;
    p.make();
    EXPECT_EQ(p.status, STATUS_OK) << said(p.said_of);
    p.config.mapping_chips = 2;
    p.make();
    EXPECT_EQ(p.status, STATUS_CONFIGURATION);
    EXPECT_EQ(p.where(), "test.yaml:4:38 mapping.chips");
    EXPECT_STREQ(p.said_of.text, "2 asked for, the machine has 1: 1 short");
}

/* ---- memory ---- */

struct extent {
    uint32_t begin, bytes;
};

std::vector<extent> extents_of(const struct load_plan &plan)
{
    return {{plan.plan_address, sizeof plan.run},
            {plan.run.table, plan.run.table_bytes},
            {plan.run.parameters, plan.run.parameter_bytes},
            {plan.run.images, plan.run.image_count * plan.run.image_bytes},
            {plan.run.results, plan.run.image_count * nn_result_bytes(10)}};
}

void expect_apart(const struct load_plan &plan)
{
    std::vector<extent> all = extents_of(plan);
    std::sort(all.begin(), all.end(),
              [](const extent &a, const extent &b) { return a.begin < b.begin; });
    EXPECT_GE(all.front().begin, SARK_SDRAM_HEAP);
    for (size_t i = 0; i < all.size(); i++) {
        EXPECT_EQ(all[i].begin % 64, 0u);
        const uint32_t end = all[i].begin + all[i].bytes;
        EXPECT_LE(end, i + 1 < all.size() ? all[i + 1].begin : plan.end);
    }
}

TEST(LoadPlan, NothingLiesOnAnythingElse)
{
    const plan_of own("", 10000);
    ASSERT_EQ(own.status, STATUS_OK) << said(own.said_of);
    expect_apart(own.plan);
    EXPECT_EQ(own.plan.run.magic, NN_PLAN_MAGIC);
    EXPECT_EQ(own.plan.run.version, 1u);
    EXPECT_NE(own.plan.run.table, 0u);
    EXPECT_EQ(own.plan.run.table_bytes, own.network->table->bytes);
    EXPECT_EQ(own.plan.run.table_check, nn_check(own.network->table, own.network->table->bytes));
    EXPECT_EQ(own.plan.run.parameter_bytes, 6492u);
    EXPECT_EQ(own.plan.run.image_bytes, 784u);
    EXPECT_EQ(own.plan.run.image_count, 10000u);
    EXPECT_LE(own.plan.end, SARK_SDRAM_BASE + 128 * 1024 * 1024 - SARK_SYSTEM_HEAP_BYTES);
    EXPECT_GE(own.plan.run.counter, SARK_SV_BASE) << "in System RAM, where no heap reaches";
}

constexpr uint64_t on_64(uint64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

constexpr uint64_t TABLE = on_64(TABLE_BYTES);

TEST(LoadPlan, SdramMustHoldImagesAndResults)
{
    constexpr uint32_t COUNT = 9999;
    const plan_of good("", COUNT);
    ASSERT_EQ(good.status, STATUS_OK);
    const uint64_t bytes =
        0x640000 + 64 + TABLE + 6528 + on_64(COUNT * 784) + COUNT * 64 +
        SARK_SYSTEM_HEAP_BYTES; /* run plan, layer table, parameters, images, results */
    const auto sdram = [](uint64_t size) {
        return "sdram: {size: " + std::to_string(size) + " B}\n";
    };
    EXPECT_EQ(plan_of(sdram(bytes), COUNT).status, STATUS_OK);
    const plan_of small(sdram(bytes - 1), COUNT);
    EXPECT_EQ(small.status, STATUS_CONFIGURATION);
    EXPECT_EQ(small.where(), "test.yaml:4:15 sdram.size");
    EXPECT_EQ(small.said_of.text, "network lenet1 needs " + std::to_string(bytes) +
                                      " bytes of SDRAM for images, parameters and results, there "
                                      "are " +
                                      std::to_string(bytes - 1));
    EXPECT_TRUE(contains(small.said_of.hint, "data.test_images"));
    EXPECT_EQ(plan_of(sdram(1048576), COUNT).status, STATUS_CONFIGURATION);
}

TEST(LoadPlan, DtcmMustHoldTheNetwork)
{
    plan_of small("mapping: {kind: replica_per_core}\n");
    const uint32_t needed = small.plan.core[0].dtcm_bytes;
    small.config.machine.chip_dtcm_bytes = needed; /* no power of two, which a file would need */
    small.make();
    EXPECT_EQ(small.status, STATUS_OK);
    small.config.machine.chip_dtcm_bytes = needed - 1;
    small.make();
    EXPECT_EQ(small.status, STATUS_CONFIGURATION);
    EXPECT_EQ(small.where(), "test.yaml:4:17 mapping.kind");
    EXPECT_TRUE(contains(small.said_of.text, "network lenet1 does not fit a core: it needs " +
                                                 std::to_string(needed) + " bytes of DTCM"))
        << said(small.said_of);
    EXPECT_TRUE(contains(small.said_of.text, "(6492 of them parameters) for all, there are " +
                                                 std::to_string(needed - 1)));
    EXPECT_STREQ(small.said_of.hint, "it fits with mapping.kind: feature_maps_per_core");
    EXPECT_EQ(small.plan.core, nullptr);
    EXPECT_EQ(small.plan.tensor, nullptr);
}

/* ---- many chips ---- */

const std::string SPIN5 = "board: {shape: spin5}\n";

TEST(LoadPlan, ChipsGetEqualPartsOfTheImages)
{
    const plan_of p(SPIN5 + "mapping: {chips: 48}\n", 10000);
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    ASSERT_EQ(p.plan.chip_count, 48u);
    ASSERT_EQ(p.plan.core_count, 816u);
    uint32_t next = 0;
    for (size_t i = 0; i < 48; i++) {
        const struct load_plan_chip &chip = p.plan.chip[i];
        EXPECT_EQ(chip.first_image, next);
        EXPECT_EQ(chip.image_count, i < 10000 % 48 ? 209u : 208u);
        next += chip.image_count;
        for (size_t c = 0; c < 17; c++) {
            const struct load_plan_core &core = p.plan.core[17 * i + c];
            EXPECT_EQ(core.core.x, chip.core.x);
            EXPECT_EQ(core.core.y, chip.core.y);
            EXPECT_EQ(core.core.p, c + 1);
            EXPECT_EQ(core.macs, 136320u);
        }
    }
    EXPECT_EQ(next, 10000u);
    EXPECT_EQ(p.plan.run.image_count, 209u) << "room for the largest part";
    expect_apart(p.plan);
    EXPECT_EQ(p.plan.chip[47].core.x, 7);
    EXPECT_EQ(p.plan.chip[47].core.y, 7);
}

TEST(LoadPlan, FewerImagesThanChips)
{
    const plan_of p(SPIN5 + "mapping: {chips: 48}\n", 30);
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    EXPECT_EQ(p.plan.chip[29].image_count, 1u);
    EXPECT_EQ(p.plan.chip[30].image_count, 0u);
    EXPECT_EQ(p.plan.chip[47].first_image, 30u);
}

TEST(LoadPlan, PassesOverWhatIsDown)
{
    const plan_of p("board: {width: 3}\nmapping: {chips: 2, cores_per_chip: 16}\n"
                    "faults: {down_cores: [\"0,0,4\", \"1,0,5\", \"1,0,6\", \"2,0,0\"]}\n");
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    ASSERT_EQ(p.plan.chip_count, 2u);
    EXPECT_EQ(p.plan.chip[0].core.x, 0);
    EXPECT_EQ(p.plan.chip[1].core.x, 2) << "15 cores are left of 1,0";
    EXPECT_EQ(p.plan.core[2].core.p, 3);
    EXPECT_EQ(p.plan.core[3].core.p, 5);
    EXPECT_EQ(p.plan.core[3].virtual_core, 4u);
    EXPECT_EQ(p.plan.core[16].core.p, 2) << "core 1 is the monitor, for core 0 is down";
    EXPECT_EQ(p.plan.core[16].virtual_core, 1u);
}

TEST(LoadPlan, RefusesMoreChipsThanHaveTheCores)
{
    plan_of p("board: {width: 3}\nfaults: {down_cores: [\"1,0,5\"]}\nmapping: {chips: 2}\n");
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    p.config.mapping_chips = 3;
    p.make();
    EXPECT_EQ(p.status, STATUS_CONFIGURATION);
    EXPECT_EQ(p.where(), "test.yaml:6:18 mapping.chips");
    EXPECT_STREQ(p.said_of.text, "3 asked for, the machine has 2: 1 short");
    EXPECT_TRUE(contains(p.said_of.hint, "of some, cores are down")) << p.said_of.hint;
}

TEST(LoadPlan, EachChipHasItsOwnTensors)
{
    const plan_of p(SPIN5 + "mapping: {chips: 3}\n");
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    ASSERT_EQ(p.plan.tensor_count, 18u);
    EXPECT_STREQ(p.plan.tensor[12].name, "conv1.weights");
    EXPECT_EQ(p.plan.tensor[12].address, p.plan.tensor[0].address);
    EXPECT_EQ(p.plan.tensor[12].core.x, 0);
    EXPECT_EQ(p.plan.tensor[12].core.y, 2);
}

TEST(LoadPlan, SdramMustHoldTheLargestPart)
{
    constexpr uint32_t COUNT = 9999;
    const std::string mapping = "board: {width: 2}\nmapping: {chips: 2}\n";
    const plan_of good(mapping, COUNT);
    ASSERT_EQ(good.status, STATUS_OK);
    const uint64_t bytes =
        0x640000 + 64 + TABLE + 6528 + on_64(5000 * 784) + 5000 * 64 + SARK_SYSTEM_HEAP_BYTES;
    const auto sdram = [&mapping](uint64_t size) {
        return mapping + "sdram: {size: " + std::to_string(size) + " B}\n";
    };
    EXPECT_EQ(plan_of(sdram(bytes), COUNT).status, STATUS_OK);
    EXPECT_EQ(plan_of(sdram(bytes - 1), COUNT).status, STATUS_CONFIGURATION);
}

/* ---- tensors ---- */

TEST(LoadPlan, TensorsByName)
{
    const plan_of p("");
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    const struct {
        const char *name;
        std::vector<uint32_t> shape;
        uint32_t offset, stride;
    } expected[] = {{"conv1.weights", {4, 1, 5, 5}, 0, 50},     {"conv1.biases", {4}, 200, 2},
                    {"conv2.weights", {12, 4, 5, 5}, 208, 200}, {"conv2.biases", {12}, 2608, 2},
                    {"output.weights", {10, 192}, 2632, 384},   {"output.biases", {10}, 6472, 2}};
    ASSERT_EQ(p.plan.tensor_count, 6u);
    for (size_t i = 0; i < 6; i++) {
        const struct load_plan_tensor &tensor = p.plan.tensor[i];
        EXPECT_STREQ(tensor.name, expected[i].name);
        EXPECT_STREQ(tensor.type, "int16");
        EXPECT_EQ(tensor.fraction, 13u);
        EXPECT_EQ(std::vector<uint32_t>(tensor.shape, tensor.shape + tensor.rank),
                  expected[i].shape);
        EXPECT_EQ(tensor.address, p.plan.run.parameters + expected[i].offset) << tensor.name;
        EXPECT_EQ(tensor.stride_bytes, expected[i].stride) << tensor.name;
        EXPECT_EQ(tensor.core.p, 1);
    }
}

/* ---- the machine's memory ---- */

template <typename Object> byte_string bytes_of(const Object *object, size_t count)
{
    const auto *bytes = reinterpret_cast<const uint8_t *>(object);
    return byte_string(bytes, bytes + count);
}

TEST(LoadPlan, IsWhatLiesInMemory)
{
    plan_of p("", 30);
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    const machine_of m(p.config);
    const uint32_t used = 0xffffffff;
    ASSERT_EQ(machine_write(m.machine, {0, 0, 1}, p.plan.run.counter, &used, 4), STATUS_OK);
    ASSERT_EQ(load_plan_write(&p.plan, m.machine, &p.said_of), STATUS_OK) << said(p.said_of);
    EXPECT_EQ(m.read(p.plan.plan_address, sizeof p.plan.run),
              bytes_of(&p.plan.run, sizeof p.plan.run));
    EXPECT_EQ(m.read(p.plan.run.table, p.network->table->bytes),
              bytes_of(p.network->table, p.network->table->bytes));
    EXPECT_EQ(m.read(p.plan.run.parameters, 6492), bytes_of(p.weights->block, 6492));
    EXPECT_EQ(m.read(p.plan.run.counter, 4), byte_string(4)) << "the first image is dealt first";
    for (const uint32_t i : {0u, 1u, 29u}) {
        EXPECT_EQ(m.read(p.plan.run.images + 784 * i, 784), bytes_of(p.test.image(i), 784)) << i;
    }

    std::vector<struct nn_result> written(30);
    for (uint32_t i = 0; i < 30; i++) {
        written[i].label = i % 10;
        written[i].core = 1 + i % 17;
        written[i].logits[9] = -static_cast<int32_t>(i);
    }
    const uint32_t bytes = nn_result_bytes(10);
    for (uint32_t i = 0; i < 30; i++) {
        ASSERT_EQ(
            machine_write(m.machine, {0, 0, 3}, p.plan.run.results + i * bytes, &written[i], bytes),
            STATUS_OK);
    }
    std::vector<struct nn_result> found(30);
    ASSERT_EQ(load_plan_read_results(&p.plan, m.machine, found.data()), STATUS_OK);
    EXPECT_EQ(std::memcmp(found.data(), written.data(), 30 * sizeof written[0]), 0);
}

TEST(LoadPlan, EachChipHasItsPartAndResultsComeInTheImagesOrder)
{
    plan_of p("board: {width: 2, height: 2}\nmapping: {chips: 4, cores_per_chip: 2}\n", 30);
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    const machine_of m(p.config);
    ASSERT_EQ(load_plan_write(&p.plan, m.machine, &p.said_of), STATUS_OK) << said(p.said_of);
    EXPECT_EQ(load_plan_dealt(&p.plan, m.machine), 0u);
    const uint32_t first[] = {0, 8, 16, 23};
    for (uint32_t i = 0; i < 4; i++) {
        const struct machine_core core = {static_cast<uint8_t>(i / 2), static_cast<uint8_t>(i % 2),
                                          1};
        const uint32_t count = i < 2 ? 8 : 7;
        struct nn_plan run = {};
        ASSERT_EQ(machine_read(m.machine, core, p.plan.plan_address, &run, sizeof run), STATUS_OK);
        EXPECT_EQ(run.image_count, count);
        EXPECT_EQ(run.images, p.plan.run.images);
        EXPECT_EQ(m.read(run.parameters, 6492, core), bytes_of(p.weights->block, 6492));
        for (const uint32_t image : {0u, count - 1}) {
            EXPECT_EQ(m.read(run.images + 784 * image, 784, core),
                      bytes_of(p.test.image(first[i] + image), 784));
        }
        for (uint32_t image = 0; image < count; image++) {
            struct nn_result result = {};
            result.label = first[i] + image;
            ASSERT_EQ(machine_write(m.machine, core, run.results + image * nn_result_bytes(10),
                                    &result, nn_result_bytes(10)),
                      STATUS_OK);
        }
        /* a core asks once more than there are images: nothing is dealt then */
        const uint32_t next = i == 0 ? 3 : count + 2;
        ASSERT_EQ(machine_write(m.machine, core, run.counter, &next, sizeof next), STATUS_OK);
    }
    EXPECT_EQ(load_plan_dealt(&p.plan, m.machine), 3u + 8 + 7 + 7);
    std::vector<struct nn_result> found(30);
    ASSERT_EQ(load_plan_read_results(&p.plan, m.machine, found.data()), STATUS_OK);
    for (uint32_t i = 0; i < 30; i++) {
        EXPECT_EQ(found[i].label, i);
    }
}

/* ---- boot ---- */

TEST(BootDirect, EachChipKnowsItsPlaceAndItsCores)
{
    plan_of p("board: {width: 2, height: 3}\nfaults: {down_cores: [\"1,2,0\", \"1,2,3\"]}\n");
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    const machine_of m(p.config);
    ASSERT_EQ(machine_boot_direct(m.machine, &p.config.machine, 0, &p.said_of), STATUS_OK);
    const auto byte = [&m](uint32_t address, struct machine_core core) {
        return static_cast<unsigned>(m.read(SARK_SV_BASE + address, 1, core).at(0));
    };
    for (uint8_t x = 0; x < 2; x++) {
        for (uint8_t y = 0; y < 3; y++) {
            const struct machine_core core = {x, y, 5};
            EXPECT_EQ(byte(SV_P2P_ADDR, core), y);
            EXPECT_EQ(byte(SV_P2P_ADDR + 1, core), x);
            EXPECT_EQ(byte(SV_P2P_DIMS, core), 3u);
            EXPECT_EQ(byte(SV_P2P_DIMS + 1, core), 2u);
        }
    }
    const struct machine_core whole = {0, 1, 9};
    EXPECT_EQ(byte(SV_NUM_CPUS, whole), 18u);
    EXPECT_EQ(byte(SV_P2V_MAP + 17, whole), 17u);
    EXPECT_EQ(machine_virtual_core(m.machine, whole), 9u);
    const struct machine_core torn = {1, 2, 9};
    EXPECT_EQ(byte(SV_NUM_CPUS, torn), 16u);
    EXPECT_EQ(byte(SV_P2V_MAP, torn), 0xffu);
    EXPECT_EQ(byte(SV_P2V_MAP + 1, torn), 0u);
    EXPECT_EQ(byte(SV_P2V_MAP + 3, torn), 0xffu);
    EXPECT_EQ(byte(SV_P2V_MAP + 4, torn), 2u);
    EXPECT_EQ(byte(SV_V2P_MAP + 2, torn), 4u);
    EXPECT_EQ(byte(SV_V2P_MAP + 15, torn), 17u);
    EXPECT_EQ(byte(SV_V2P_MAP + 16, torn), 0xffu);
    EXPECT_EQ(machine_virtual_core(m.machine, torn), 7u);
}

TEST(LoadPlan, AMachineWithoutThatMemoryRefuses)
{
    plan_of p("");
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    p.config.machine.sdram_bytes = 1048576;
    const machine_of m(p.config);
    EXPECT_EQ(load_plan_write(&p.plan, m.machine, &p.said_of), STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(p.said_of.text, "memory cannot hold"));
    std::vector<struct nn_result> found(30);
    EXPECT_EQ(load_plan_read_results(&p.plan, m.machine, found.data()), STATUS_CONFIGURATION);
}

} // namespace
