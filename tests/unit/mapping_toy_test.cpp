/* A mapping more costs its file, its program and its test: this one has a kind of its own, and is
 * read, planned, written and refused by what is there, compiled with its rows in the table. */
#include "tests/unit/plan_fixture.h"

extern "C" {
#include "sim/mapping/mapping.h"
}

namespace
{

const std::string TOY = "board: {width: 2}\nmapping: {kind: toy_per_chip, chips: 2, "
                        "cores_per_chip: 3}\n";

TEST(MappingToy, IsPlannedAndWritten)
{
    plan_of p(TOY);
    ASSERT_EQ(p.status, STATUS_OK) << said(p.said_of);
    ASSERT_EQ(p.plan.core_count, 2u);
    EXPECT_STREQ(p.plan.core[1].role, "toy_infer");
    EXPECT_STREQ(p.plan.core[1].layer, "all on chip 1");
    EXPECT_EQ(p.plan.core[1].core.x, 1);
    EXPECT_EQ(p.plan.chip[1].first_image, 15u);
    const machine_of m(p.config);
    ASSERT_EQ(load_plan_write(&p.plan, m.machine, &p.said_of), STATUS_OK) << said(p.said_of);
    const auto *parameters = static_cast<const uint8_t *>(p.weights->block);
    EXPECT_EQ(m.read(p.plan.run.parameters, 6492, {1, 0, 9}),
              byte_string(parameters, parameters + 6492));
}

TEST(MappingToy, HasAProgramByItsRow)
{
    plan_of p(TOY);
    struct mapping_program program = {};
    ASSERT_EQ(mapping_program(&p.config, &p.network->network, &program, &p.said_of), STATUS_OK);
    EXPECT_STREQ(program.name, "toy");
    EXPECT_STREQ(program.sources, "lenet/roles/replica_infer.c");
    p.config.network_number_format = CONFIG_NUMBER_FORMAT_INT8;
    EXPECT_EQ(mapping_program(&p.config, &p.network->network, &program, &p.said_of),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(p.said_of.text, "the machine has no program that classifies with network lenet1 "
                                 "in int8 by toy_per_chip");
    EXPECT_STREQ(p.said_of.hint, "use replica_per_core, feature_maps_per_core; backend: host needs "
                                 "no program");
}

TEST(MappingToy, StandsInTheMatrixAndInHints)
{
    char text[4096] = "";
    FILE *stream = fmemopen(text, sizeof text, "w");
    mapping_matrix(stream);
    (void)fclose(stream);
    EXPECT_TRUE(contains(text, "| infer | toy_per_chip | - | any | int16 | - | - |\n")) << text;
    const plan_of p("mapping: {kind: neuron_blocks}\n");
    EXPECT_STREQ(p.said_of.hint, "use replica_per_core, feature_maps_per_core, toy_per_chip");
}

} // namespace
