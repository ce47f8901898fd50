/* An exchange more costs its file, its part of the program and its test: this one is read, planned,
 * written and refused by what is there, compiled with its rows in the table. */
#include "tests/unit/plan_fixture.h"

extern "C" {
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"
}

namespace
{

class toy_training
{
  public:
    explicit toy_training(const std::string &format = "int16")
        : network(lenet1()), train("synthetic", DATASET_TRAIN, 96),
          test("synthetic", DATASET_TEST, 30),
          text("name: test\nmode: train\nboard: {width: 2, height: 2}\ndata: {set: synthetic, "
               "train_images: 96}\nnetwork: {name: lenet1, number_format: " +
               format +
               "}\nmapping: {chips: 4, cores_per_chip: 3}\ntrain: {global_batch: 48, exchange: "
               "toy}\n")
    {
        struct config_request request = {};
        request.path = "test.yaml";
        request.text = text.data();
        request.text_bytes = text.size();
        request.configs_folder = SPINN_CONFIGS_FOLDER;
        EXPECT_EQ(config_load(&request, &config, &said_of), STATUS_OK) << said(said_of);
    }
    ~toy_training()
    {
        load_plan_deinit(&plan);
        config_deinit(&config);
    }
    toy_training(const toy_training &) = delete;
    toy_training &operator=(const toy_training &) = delete;

    enum status make()
    {
        struct plan_request request = {};
        request.config = &config;
        request.network = &network->network;
        request.table = network->table;
        request.images = &test.dataset;
        request.train_images = &train.dataset;
        request.program = &program.image;
        return load_plan_make(&request, &plan, &said_of);
    }

    std::unique_ptr<test_network> network;
    images train, test;
    fake_program program;
    std::string text;
    struct sim_config config = {};
    struct load_plan plan = {};
    struct diagnostic said_of = {};
};

TEST(ExchangeToy, IsPlannedAndWritten)
{
    toy_training toy;
    ASSERT_EQ(toy.make(), STATUS_OK) << said(toy.said_of);
    const struct plan_train &train = *toy.plan.train;
    ASSERT_EQ(toy.plan.core_count, 12u);
    for (size_t i = 0; i < toy.plan.core_count; i++) {
        EXPECT_EQ(train.record[i].exchange.chips, 4u) << i;
    }
    const machine_of m(toy.config);
    ASSERT_EQ(load_plan_write(&toy.plan, m.machine, &toy.said_of), STATUS_OK);
    for (size_t c = 0; c < toy.plan.chip_count; c++) {
        EXPECT_EQ(m.read(train.exchange_address, 4, toy.plan.chip[c].core),
                  (byte_string{static_cast<uint8_t>(c + 1), 0, 0, 0}));
    }
}

TEST(ExchangeToy, HasAProgramByItsRow)
{
    toy_training toy;
    struct mapping_program program = {};
    ASSERT_EQ(mapping_program(&toy.config, &toy.network->network, &program, &toy.said_of),
              STATUS_OK);
    EXPECT_STREQ(program.name, "train_toy");
    EXPECT_TRUE(contains(program.sources, " exchange/exchange_toy.c")) << program.sources;
}

TEST(ExchangeToy, StandsInTheMatrixAndInRefusals)
{
    char text[4096] = "";
    FILE *stream = fmemopen(text, sizeof text, "w");
    mapping_matrix(stream);
    (void)fclose(stream);
    EXPECT_TRUE(contains(text, "| train | replica_per_core | toy | any; pools behind convolutions "
                               "| int16 | - | - |\n"))
        << text;
    toy_training other("s16.15");
    struct mapping_program program = {};
    EXPECT_EQ(mapping_program(&other.config, &other.network->network, &program, &other.said_of),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(other.said_of.text, "the machine has no program that trains network lenet1 in "
                                     "s16.15 by replica_per_core with toys");
    EXPECT_STREQ(other.said_of.hint, "use rings; backend: host needs no program");
}

} // namespace
