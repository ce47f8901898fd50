/* mapping_choose_test.cpp - mapping.kind: auto: the estimate of an update's time against what
 * updates have taken on a board, and exactly; what is chosen by it; what is said if nothing fits.
 */
#include "tests/unit/plan_fixture.h"

extern "C" {
#include "sim/mapping/choose.h"
#include "sim/mapping/estimate.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"
#include "sim/run_control/number_formats.h"
}

#include <cmath>
#include <cstdlib>
#include <map>

namespace
{

/* As large as the programs that train. */
struct elf_segment segment_of(uint32_t address, uint32_t bytes)
{
    struct elf_segment segment = {};
    segment.address = address;
    segment.memory_bytes = bytes;
    return segment;
}
struct elf_segment PROGRAM[] = {segment_of(0, 32016), segment_of(0x00400000, 3264)};

const char *const SPIN5 = "board: {shape: spin5}\n";

/* A training as it is prepared; no images are looked at. */
class training
{
  public:
    training(const std::string &network_name, const std::string &mapping, uint32_t batch,
             const std::string &more = SPIN5, const std::string &optimizer = "momentum",
             const std::string &format = "int16")
    {
        const std::string text =
            "name: test\nmode: train\ndata: {set: synthetic}\nnetwork: {name: " + network_name +
            ", number_format: " + format + "}\nmapping: {" + mapping +
            "}\ntrain: {global_batch: " + std::to_string(batch) + ", optimizer: " + optimizer +
            "}\n" + more;
        struct config_request request = {};
        request.path = "test.yaml";
        request.text = text.data();
        request.text_bytes = text.size();
        request.configs_folder = SPINN_CONFIGS_FOLDER;
        EXPECT_EQ(config_load(&request, &config, &said_of), STATUS_OK) << text << said(said_of);
        const bool is_path = network_name.find('/') != std::string::npos;
        const std::string path =
            is_path ? network_name : networks_folder() + "/" + network_name + ".yaml";
        EXPECT_EQ(network_load(path.c_str(), &network, &said_of), STATUS_OK) << said(said_of);
        EXPECT_EQ(number_formats_use(&config, &network, &said_of), STATUS_OK) << said(said_of);
        EXPECT_EQ(layer_table_make(&network, &table, &said_of), STATUS_OK) << said(said_of);
        program.image.segment = PROGRAM;
        train.count = 60000; /* only the number is used */
        test.count = 10000;
    }
    ~training()
    {
        std::free(table);
        network_deinit(&network);
        config_deinit(&config);
    }
    training(const training &) = delete;
    training &operator=(const training &) = delete;

    struct plan_request request()
    {
        struct plan_request request = {};
        request.config = &config;
        request.network = &network;
        request.table = table;
        request.images = &test;
        request.train_images = &train;
        request.program = &program.image;
        request.trial = true;
        return request;
    }

    struct estimate estimate()
    {
        const struct plan_request trial = request();
        return estimate(&trial);
    }
    struct estimate estimate(const struct plan_request *trial)
    {
        struct load_plan plan = {};
        struct topology topology = {};
        struct exchange_pace rings = {};
        EXPECT_EQ(load_plan_try(trial, &plan, &said_of), STATUS_OK) << said(said_of);
        EXPECT_EQ(config_topology(&config, &topology, &said_of), STATUS_OK);
        EXPECT_EQ(estimate_rings_make(&config, &topology, false, &rings, &said_of), STATUS_OK);
        const struct estimate made = estimate_update(&plan, &config, &rings);
        topology_deinit(&topology);
        load_plan_deinit(&plan);
        return made;
    }

    struct sim_config choose()
    {
        const struct plan_request asked = request();
        struct sim_config chosen = config;
        status = choose_mapping(
            &asked,
            [](void *context, const struct sim_config *) {
                return static_cast<const struct elf_image *>(
                    &static_cast<training *>(context)->program.image);
            },
            this, &chosen, &said_of);
        return chosen;
    }

    struct sim_config config = {};
    struct network network = {};
    struct nn_table *table = nullptr;
    struct dataset train = {}, test = {};
    fake_program program;
    struct diagnostic said_of = {};
    enum status status = STATUS_OK;
};

/* Sixteen cores on three rings are six, five and five.  Where pieces that give the rings as many
 * words do not fit a core, all are as large. */
TEST(Pieces, AreEqualWhereThoseThatSuitTheRingsDoNotFit)
{
    const char *const mapping =
        "kind: replica_per_chip, chips: 4, cores_per_chip: 16, cores_per_image: 16";
    for (const bool fits : {false, true}) {
        training t("fc128", mapping, 48,
                   fits ? "board: {shape: spin5}\nchip: {dtcm: 128 KiB}\n" : SPIN5);
        struct load_plan plan = {};
        const struct plan_request trial = t.request();
        ASSERT_EQ(load_plan_try(&trial, &plan, &t.said_of), STATUS_OK) << said(t.said_of);
        EXPECT_EQ(plan.by_rings, fits);
        ASSERT_EQ(plan.train->pieces, 16u);
        const uint32_t first = plan.train->piece[0].count; /* six share its ring */
        const uint32_t second = plan.train->piece[1].count;
        EXPECT_EQ(first < second, fits) << first << " " << second;
        EXPECT_EQ(first == second, !fits) << first << " " << second;
        load_plan_deinit(&plan);
    }
}

/* LeNet-5 with momentum on one chip: 66,708 bytes of a core of 16, if all data had places of their
 * own. */
TEST(Pieces, AreTightWhereNothingElseFits)
{
    training t("lenet5",
               "kind: replica_per_chip, cores_per_chip: 17, cores_per_image: 17, chips: 1", 48);
    struct load_plan plan = {};
    struct plan_request trial = t.request();
    EXPECT_EQ(load_plan_try(&trial, &plan, &t.said_of), STATUS_CONFIGURATION);
    EXPECT_TRUE(load_plan_needs_tight(&trial));
    trial.tight = true;
    ASSERT_EQ(load_plan_try(&trial, &plan, &t.said_of), STATUS_OK) << said(t.said_of);
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    for (size_t i = 0; i < plan.core_count; i++) {
        EXPECT_TRUE(plan.train->piece[i].tight);
        least = std::min(least, plan.core[i].parameter_bytes);
        most = std::max(most, plan.core[i].parameter_bytes);
    }
    EXPECT_LE(most - least, 2 * 401u) << "a unit of the largest layer";
    load_plan_deinit(&plan);
    training board("lenet5",
                   "kind: replica_per_chip, cores_per_chip: 16, cores_per_image: 16, chips: 48",
                   672);
    const struct plan_request fits = board.request();
    EXPECT_FALSE(load_plan_needs_tight(&fits));
}

/* ---- what the estimate is made of ---- */

/* Cycles of one core, as docs/results/kernels.md has measured them: "What the kernels cost". */
TEST(Estimate, KernelsCostWhatWasMeasured)
{
    const training t("lenet1", "chips: 1", 192);
    struct load_plan plan = {};
    plan.network = &t.network;
    const struct estimate_matrix hidden = {784, 16};
    EXPECT_NEAR(estimate_values(&plan, hidden), 23187, 23);
    EXPECT_DOUBLE_EQ(estimate_values(&plan, hidden), 16 * (784 * 1.76 + 69));
    EXPECT_NEAR(estimate_values(&plan, {192, 10}), 4078, 10);
    EXPECT_NEAR(estimate_gradient(&plan, hidden, 12), 303900, 400);
    EXPECT_NEAR(estimate_gradient(&plan, hidden, 1), 82882, 100);
    EXPECT_DOUBLE_EQ(estimate_gradient(&plan, hidden, 17), 784 * 16 * (17 * 1.60 + 2 * 5.0))
        << "two passes";
    EXPECT_NEAR(estimate_errors(&plan, {120, 84}), 21376, 10);
    EXPECT_NEAR(estimate_errors(&plan, {192, 10}), 5483, 10);
    EXPECT_NEAR(estimate_forward(&plan, t.table, 0, 1), 136291 + 17673, 250) << "conv1, its pool";
    EXPECT_NEAR(estimate_forward(&plan, t.table, 2, 1), 134523 + 5900, 250) << "conv2, its pool";
    EXPECT_DOUBLE_EQ(estimate_backward(&plan, t.table, 2, 1, true),
                     76800 / 4.0 * (2.6 + 3.4) + 192 * (40 + 12.6));
    EXPECT_DOUBLE_EQ(estimate_backward(&plan, t.table, 0, 1, false),
                     57600 / 4.0 * 2.6 + 576 * (40 + 12.6));
    EXPECT_DOUBLE_EQ(estimate_work(&plan, ESTIMATE_ADD, 100), 800);
}

/* Inference lays the input out again, unless there is no room; training does not. */
TEST(Estimate, FramedConvolutionsOfInference)
{
    const training t("lenet1", "chips: 1", 192);
    struct plan_train trains = {};
    const double pool = 192 * 30.7;
    const double products = 12 * 4 * 8 * 8; /* for each place of a window */
    struct load_plan plan = {};
    struct nn_layer *conv2 = &t.table->layer[2];
    plan.network = &t.network;
    conv2->padding = 2;
    EXPECT_DOUBLE_EQ(estimate_forward(&plan, t.table, 2, 1), products * 25 * 1.75 + pool);
    conv2->kernel = 7;
    EXPECT_DOUBLE_EQ(estimate_forward(&plan, t.table, 2, 1), products * 49 * 9.8 + pool);
    conv2->kernel = 3;
    EXPECT_DOUBLE_EQ(estimate_forward(&plan, t.table, 2, 1), products * 9 * 2.8 + pool);
    plan.train = &trains;
    EXPECT_DOUBLE_EQ(estimate_forward(&plan, t.table, 2, 1),
                     products * (9 * 27.5 + 3 * 36) + 12 * 64 * 115 + pool)
        << "clipped";
    EXPECT_DOUBLE_EQ(estimate_backward(&plan, t.table, 2, 1, true),
                     products / 4 * (9 * 21.1 + 3 * 19.5) * 2 + 192 * (40 + 12.6));
    plan.train = nullptr;
    conv2->to = conv2->from;
    EXPECT_DOUBLE_EQ(estimate_forward(&plan, t.table, 2, 1), products * 9 * 15.67 + pool);
}

TEST(Estimate, OtherFormatsHaveCyclesOfTheirOwn)
{
    training t("fc128", "chips: 1", 192);
    struct load_plan plan = {};
    plan.network = &t.network;
    network_use(&t.network, NETWORK_S1615);
    EXPECT_DOUBLE_EQ(estimate_values(&plan, {784, 16}), 16 * (784 * 14.0 + 33));
    network_use(&t.network, NETWORK_FLOAT32);
    EXPECT_DOUBLE_EQ(estimate_values(&plan, {784, 16}), 16 * (784 * 96.0 + 160));
}

/* Links of 137.04 ns a packet of 11 symbols, here 19 symbols, at a pace of 0.85: 279 ns; six, five
 * and five cores take turns on three rings, all on the one ring of a column. */
TEST(Estimate, CoresOfARingTakeTurns)
{
    training t("lenet1", "kind: replica_per_chip, chips: 48, cores_per_chip: 16", 192);
    struct exchange_pace rings = {};
    struct topology topology = {};
    ASSERT_EQ(config_topology(&t.config, &topology, &t.said_of), STATUS_OK);
    ASSERT_EQ(estimate_rings_make(&t.config, &topology, true, &rings, &t.said_of), STATUS_OK);
    EXPECT_EQ(rings.rings, 3u);
    const double packet_s = static_cast<double>(t.config.machine.link_packet_ps) * 19 / 11 / 1e12;
    for (size_t r = 0; r < 3; r++) {
        const double slot_s = (r == 0 ? 6 : 5) * packet_s / 0.85;
        EXPECT_NEAR(rings.slot_s[r], slot_s, 5e-9) << "whole cycles, ring " << r;
        EXPECT_GE(rings.slot_s[r], slot_s);
    }
    t.config.mapping_chips = 2;
    ASSERT_EQ(estimate_rings_make(&t.config, &topology, true, &rings, &t.said_of), STATUS_OK);
    EXPECT_EQ(rings.rings, 1u);
    EXPECT_NEAR(rings.slot_s[0], 16 * packet_s / 0.85, 5e-9);
    topology_deinit(&topology);
}

TEST(Estimate, OneChipExchangesNothing)
{
    training one("lenet1", "kind: replica_per_chip, cores_per_chip: 16", 192);
    EXPECT_EQ(one.estimate().exchange_s, 0);
    training two("lenet1", "kind: replica_per_chip, cores_per_chip: 16, chips: 2", 192);
    EXPECT_GT(two.estimate().exchange_s, 0);
}

/* ---- against updates ---- */

/* Machine time of an update on the 48 chips of a board: configs/study/questions/mapping.yaml with
 * this network, batch and mapping, and sixteen batches of images (seconds_per_update). */
const struct measured {
    const char *network;
    uint32_t batch;
    const char *mapping;
    double milliseconds;
} MEASURED[] = {
#define CHIP    "kind: replica_per_chip, cores_per_chip: "
#define BLOCKS  "kind: neuron_blocks, cores_per_chip: "
#define COLUMNS "kind: neuron_columns, cores_per_chip: "
    {"lenet1", 192, CHIP "16, cores_per_image: 4", 1.350},
    {"lenet1", 192, CHIP "15, cores_per_image: 3", 1.650},
    {"lenet1", 192, CHIP "16, cores_per_image: 8", 1.841},
    {"lenet1", 192, CHIP "16, cores_per_image: 2", 2.043},
    {"lenet1", 192, CHIP "16, cores_per_image: 16", 2.478},
    {"fc128", 192, BLOCKS "16", 3.600},
    {"fc128", 192, BLOCKS "17", 3.621},
    {"fc128", 192, BLOCKS "15", 3.734},
    {"fc128", 192, BLOCKS "12", 4.044},
    {"fc128", 192, BLOCKS "8", 5.307},
    {"fc128", 192, COLUMNS "16", 1.950},
    {"fc128", 192, COLUMNS "17", 1.972},
    {"fc128", 192, COLUMNS "15", 1.995},
    {"fc128", 192, CHIP "16, cores_per_image: 16", 12.308},
    {"fc300_100", 192, BLOCKS "16", 8.505},
    {"fc300_100", 192, BLOCKS "17", 8.543},
    {"fc300_100", 192, COLUMNS "16", 6.141},
    {"lenet5", 192, CHIP "16, cores_per_image: 16, images_at_once: 2", 10.902},
    {"lenet5", 192, CHIP "16, cores_per_image: 16", 12.021},
    {"lenet5", 192, CHIP "15, cores_per_image: 15", 12.561},
    {"lenet4", 288, CHIP "15, cores_per_image: 15, images_at_once: 3", 9.630},
    {"lenet4", 288, CHIP "12, cores_per_image: 12, images_at_once: 3", 9.641},
    {"lenet4", 288, CHIP "16, cores_per_image: 16, images_at_once: 2", 9.837},
    {"lenet4", 288, CHIP "15, cores_per_image: 15", 11.501},
};

TEST(Estimate, IsWithinASixthOfWhatUpdatesHaveTaken)
{
    for (const struct measured &row : MEASURED) {
        training t(row.network, row.mapping + std::string(", chips: 48"), row.batch);
        const struct estimate estimate = t.estimate();
        EXPECT_NEAR(1e3 * estimate_seconds(&estimate) / row.milliseconds, 1, 1. / 6)
            << row.network << " " << row.mapping;
    }
}

/* Milliseconds of an update of lenet1 on one chip as executed: 16 cores, 48 images of 96
 * (synthetic).  Images come from SDRAM while cores compute, for which the estimate adds 20 %: up to
 * 17 % too much is left in int16.  And one of lenet5_train on a board, as recorded. */
TEST(Estimate, IsWithinAFifthForEachOptimizer)
{
    const struct {
        const char *optimizer;
        double int16, s1615;
    } rows[] = {{"sgd", 9.395, 38.83},     {"momentum", 9.414, 38.85},   {"adam", 10.83, 40.24},
                {"adagrad", 10.59, 40.03}, {"accelegrad", 10.89, 40.32}, {"rmsprop", 10.60, 40.03}};
    for (const auto &row : rows) {
        for (const bool wide : {false, true}) {
            training t("lenet1",
                       "kind: replica_per_chip, cores_per_chip: 16, cores_per_image: 4, chips: 1",
                       48, SPIN5, row.optimizer, wide ? "s16.15" : "int16");
            const struct estimate estimate = t.estimate();
            EXPECT_NEAR(1e3 * estimate_seconds(&estimate) / (wide ? row.s1615 : row.int16), 1,
                        1. / 5)
                << row.optimizer << (wide ? " s16.15" : "");
        }
    }
    training board("lenet5", CHIP "16, cores_per_image: 16, images_at_once: 2, chips: 48", 672,
                   SPIN5, "accelegrad");
    const struct estimate estimate = board.estimate();
    EXPECT_NEAR(1e3 * estimate_seconds(&estimate) / 20.398, 1, 1. / 6) << "lenet5_train";
}

/* Two convolutions with max pools of 2, dense 10. */
std::string two_convolutions(uint32_t maps, uint32_t side, uint32_t padding)
{
    const std::string more = ", kernel: " + std::to_string(side) +
                             ", padding: " + std::to_string(padding) + ", activation: relu}\n";
    return "name: two\nvariant: modern\ninput: {channels: 1, height: 28, width: 28}\nlayers:\n"
           "  - {name: conv1, type: conv2d, maps: " +
           std::to_string(maps) + more +
           "  - {name: pool1, type: max_pool2d, size: 2}\n"
           "  - {name: conv2, type: conv2d, maps: " +
           std::to_string(2 * maps) + more +
           "  - {name: pool2, type: max_pool2d, size: 2}\n"
           "  - {name: output, type: dense, units: 10, activation: softmax}\n";
}

/* Milliseconds of an update as executed: sgd, MNIST, two updates of 16 images on one chip, or one
 * of 96 on a board, 16 cores an image.  Windows are clipped value by value, in the backward pass of
 * inputs with zeros around them and of other windows than 5 x 5.  32 maps of 3 x 3: the network of
 * Keras' examples. */
TEST(Estimate, IsWithinAnEighthForOtherWindowsAndForPadding)
{
    const struct {
        uint32_t maps, side, padding, chips, batch;
        double milliseconds;
    } rows[] = {{32, 3, 0, 1, 16, 325.9}, {32, 3, 0, 48, 96, 45.7}, {8, 3, 0, 1, 16, 36.29},
                {8, 3, 1, 1, 16, 79.68},  {8, 5, 2, 1, 16, 160.8},  {8, 7, 3, 1, 16, 314.7}};
    const temporary_folder folder;
    for (const auto &row : rows) {
        const std::string text = two_convolutions(row.maps, row.side, row.padding);
        const std::string path = folder.write("two.yaml", byte_string(text.begin(), text.end()));
        training t(path, CHIP "16, cores_per_image: 16, chips: " + std::to_string(row.chips),
                   row.batch, SPIN5, "sgd");
        const struct estimate estimate = t.estimate();
        EXPECT_NEAR(1e3 * estimate_seconds(&estimate) / row.milliseconds, 1, 1. / 8)
            << row.maps << " maps, side " << row.side << ", padding " << row.padding << ", chips "
            << row.chips;
    }
    training one_chip("lenet5", CHIP "17, cores_per_image: 17, chips: 1", 48);
    struct plan_request tight = one_chip.request();
    tight.tight = true;
    const struct estimate estimate = one_chip.estimate(&tight);
    EXPECT_NEAR(1e3 * estimate_seconds(&estimate) / 69.3, 1, 1. / 8) << "a frame around images";
}

/* ---- the choice ---- */

std::string told(const struct sim_config &way)
{
    const bool groups = way.mapping_kind == CONFIG_MAPPING_KIND_REPLICA_PER_CHIP;
    std::string text = std::string("kind: ") + config_mapping_kind_text(way.mapping_kind) +
                       ", cores_per_chip: " + std::to_string(way.mapping_cores_per_chip);
    if (groups) {
        text += ", cores_per_image: " + std::to_string(way.mapping_cores_per_image);
    }
    if (groups && way.mapping_images_at_once > 1) {
        text += ", images_at_once: " + std::to_string(way.mapping_images_at_once);
    }
    return text;
}

/* Measured times that differ by less than this are equal: chips begin updates at other times. */
const double EQUAL = 1.01;

TEST(Choose, TakesTheFastestOfThoseMeasured)
{
    std::map<std::string, std::vector<struct measured>> of;
    for (const struct measured &row : MEASURED) {
        of[row.network].push_back(row);
    }
    ASSERT_EQ(of.size(), 5u);
    for (const auto &[network, rows] : of) {
        training t(network, "kind: auto", rows[0].batch);
        const struct sim_config chosen = t.choose();
        ASSERT_EQ(t.status, STATUS_OK) << said(t.said_of);
        EXPECT_EQ(chosen.mapping_chips, 48u) << "the whole board";
        double fastest = HUGE_VAL;
        double of_chosen = HUGE_VAL;
        for (const struct measured &row : rows) {
            fastest = std::min(fastest, row.milliseconds);
            of_chosen = row.mapping == told(chosen) ? row.milliseconds : of_chosen;
        }
        EXPECT_LE(of_chosen, EQUAL * fastest) << network << " " << told(chosen);
    }
}

TEST(Choose, FewerChipsIfTheFileSaysSo)
{
    training t("lenet1", "kind: auto, chips: 4", 192);
    const struct sim_config chosen = t.choose();
    ASSERT_EQ(t.status, STATUS_OK) << said(t.said_of);
    EXPECT_EQ(chosen.mapping_chips, 4u);
    EXPECT_EQ(told(chosen), "kind: replica_per_core, cores_per_chip: 16") << "48 images a chip";
}

/* Of 17 cores of a chip one is down, so a mapping over all chips has 16. */
TEST(Choose, OnlyCoresThatWork)
{
    training t("fc128", "kind: auto, chips: 48", 204,
               "board: {shape: spin5}\nfaults: {down_cores: ['3,3,5']}\n");
    const struct sim_config chosen = t.choose();
    ASSERT_EQ(t.status, STATUS_OK) << said(t.said_of);
    EXPECT_EQ(told(chosen), "kind: neuron_columns, cores_per_chip: 16");
    training whole("fc128", "kind: auto, chips: 48", 204);
    EXPECT_EQ(told(whole.choose()), "kind: neuron_columns, cores_per_chip: 17");
}

TEST(Choose, SaysWhatComesNearestIfNothingFits)
{
    training t("lenet5", "kind: auto, chips: 1", 192, "chip: {dtcm: 32 KiB}\n");
    t.choose();
    EXPECT_EQ(t.status, STATUS_CONFIGURATION);
    EXPECT_EQ(std::string(t.said_of.key), "mapping.kind");
    EXPECT_EQ(std::string(t.said_of.text),
              "no mapping of network lenet5 fits; the nearest is replica_per_chip, chips: 1, "
              "cores_per_chip: 17, cores_per_image: 17, images_at_once: 1: network lenet5 does not "
              "fit a core: it needs 64880 bytes of DTCM (7064 of them parameters) for group 0 "
              "member 0, there are 32768");
    EXPECT_EQ(
        std::string(t.said_of.hint),
        "neither another mapping.cores_per_image nor another mapping helps; chip.dtcm: 64 KiB "
        "would, on a chip of another design");
}

/* 784-1000-150-10 on one chip: its parameters fit SDRAM, but no program streams them. */
TEST(Choose, NoRefusalContradictsAnother)
{
    const char *const ways[] = {"kind: auto", "kind: replica_per_core"};
    for (const std::string way : ways) {
        training t("fc1000_150", way, 192);
        t.train.count = 1000;
        t.test.count = 100;
        t.choose();
        struct load_plan plan = {};
        const struct plan_request trial = t.request();
        if (way != "kind: auto") {
            t.status = load_plan_make(&trial, &plan, &t.said_of);
        }
        EXPECT_EQ(t.status, STATUS_CONFIGURATION) << way;
        EXPECT_NE(std::string(t.said_of.text).find(" does not fit a core: it needs "),
                  std::string::npos)
            << way << ": " << said(t.said_of);
        EXPECT_NE(std::string(t.said_of.text).find(", there are 65536"), std::string::npos);
        EXPECT_EQ(std::string(t.said_of.hint).find("neither another mapping."), 0u)
            << way << ": " << said(t.said_of);
        EXPECT_NE(std::string(t.said_of.hint).find(" nor another mapping helps"),
                  std::string::npos);
    }
}

TEST(Choose, SharesPlacesInDtcmOnOneChip)
{
    training t("lenet5", "kind: auto, chips: 1", 48);
    const struct sim_config chosen = t.choose();
    ASSERT_EQ(t.status, STATUS_OK) << said(t.said_of);
    EXPECT_EQ(told(chosen), "kind: replica_per_chip, cores_per_chip: 17, cores_per_image: 17");
}

TEST(Choose, HintsAtMoreChips)
{
    training t("fc300_100", "kind: auto, chips: 1", 192);
    t.choose();
    EXPECT_EQ(t.status, STATUS_CONFIGURATION);
    EXPECT_EQ(std::string(t.said_of.hint),
              "it fits with mapping.kind: neuron_blocks, mapping.chips: 43");
}

/* Adam keeps two words of state for each parameter; chips share the state. */
TEST(Choose, HintsAtChipsForTheStateAndAnOptimizerWithLess)
{
    const std::string less =
        " is the least with which it fits; so it does with train.optimizer: sgd";
    const struct {
        std::string board, hint;
    } cases[] = {{SPIN5, "mapping.chips: 2"},
                 {"board: {width: 1, height: 1}\n", "mapping.chips: 2, on a board of as many,"}};
    for (const auto &one : cases) {
        training t("lenet5", "kind: auto, chips: 1", 192, one.board, "adam");
        t.choose();
        EXPECT_EQ(t.status, STATUS_CONFIGURATION);
        EXPECT_EQ(std::string(t.said_of.hint), one.hint + less);
    }
}

TEST(Choose, SaysWhyIfNoMappingEverFits)
{
    training t("lenet1", "kind: auto, chips: 5", 192, "board: {width: 5, height: 1}\n");
    t.choose();
    EXPECT_EQ(t.status, STATUS_CONFIGURATION);
    EXPECT_NE(
        std::string(t.said_of.text).find("48 shards of the images cannot be dealt to 5 chips"),
        std::string::npos)
        << said(t.said_of);
}

} // namespace
