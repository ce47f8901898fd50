/* The board's shape and what is broken of it; whether programs and mappings fit what is left; what
 * idle boards draw. */
#include "tests/unit/config_fixture.h"

extern "C" {
#include "models/common/units.h"
#include "models/energy/energy.h"
}

#include <memory>

/* ---- shape ---- */

TEST(ConfigBoard, IsOneChipWhenNobodySaysMore)
{
    const loaded config(app_run);
    ASSERT_TRUE(is_good(config));
    EXPECT_EQ(config->topology.shape, TOPOLOGY_RECTANGLE);
    EXPECT_EQ(config->topology.width, 1u);
    EXPECT_EQ(config->topology.height, 1u);
    EXPECT_EQ(config->topology.down_chips, 0u);
    EXPECT_EQ(config->topology.down_cores, 0u);
    EXPECT_EQ(config->topology.down_links, 0u);
}

TEST(ConfigBoard, NamesEveryShape)
{
    const struct {
        const char *board;
        enum topology_shape shape;
        size_t chips;
    } shapes[] = {{"shape: rectangle, width: 3, height: 2", TOPOLOGY_RECTANGLE, 6},
                  {"shape: torus, width: 4, height: 4", TOPOLOGY_TORUS, 16},
                  {"shape: spin3", TOPOLOGY_SPIN3, 4},
                  {"shape: spin5", TOPOLOGY_SPIN5, 48},
                  {"shape: boards, width: 24, height: 12", TOPOLOGY_BOARDS, 288}};
    for (const auto &wanted : shapes) {
        loaded config(app_run + "board: {" + wanted.board + "}\n");
        ASSERT_TRUE(is_good(config)) << wanted.board;
        EXPECT_EQ(config->topology.shape, wanted.shape);
        struct topology topology;
        struct diagnostic diagnostic;
        ASSERT_EQ(config_topology(&config.config, &topology, &diagnostic), STATUS_OK);
        EXPECT_EQ(topology.count, wanted.chips) << wanted.board;
        topology_deinit(&topology);
    }
    EXPECT_TRUE(is_refused(loaded(app_run + "board: {shape: spin4}\n"),
                           "test.yaml:3:16 board.shape", "spin4", "did you mean"));
}

TEST(ConfigBoard, ASizeHasNoEffectWhereTheShapeSaysIt)
{
    EXPECT_TRUE(is_refused(loaded(app_run + "board: {shape: spin5, width: 8}\n"),
                           "test.yaml:3:23 board.width", "no effect: the board's shape says"));
    EXPECT_TRUE(is_refused(loaded(app_run + "board: {shape: spin3, height: 2}\n"),
                           "test.yaml:3:23 board.height", "no effect: the board's shape says"));
    EXPECT_TRUE(is_good(loaded(app_run + "board: {shape: spin5, width: null}\n")));
    const std::string dump = loaded(app_run + "board: {shape: spin5}\n").dump();
    EXPECT_NE(dump.find("\nboard:\n  shape: spin5\nchip:\n"), std::string::npos) << dump;
}

TEST(ConfigBoard, ImpossibleSizesAreRefusedAtTheirPlace)
{
    EXPECT_TRUE(is_refused(loaded(app_run + "board: {shape: boards, width: 12, height: 18}\n"),
                           "test.yaml:3:43 board.height", "18 chips", ""));
    EXPECT_TRUE(is_refused(loaded(app_run + "board: {shape: boards}\n"), "default:0:0 board.width",
                           "1 chips"));
}

/* A hash of a run without shapes is what it was before there were any. */
TEST(ConfigBoard, ARectangleIsNoLineOfTheTextToHash)
{
    const std::string plain = loaded(app_run).canonical(CONFIG_PART_SIMULATION);
    EXPECT_EQ(plain.find("board.shape"), std::string::npos);
    EXPECT_NE(plain.find("board.width=1\n"), std::string::npos);
    const std::string torus =
        loaded(app_run + "board: {shape: torus}\n").canonical(CONFIG_PART_SIMULATION);
    EXPECT_NE(torus.find("board.shape=torus\n"), std::string::npos);
    const std::string spin5 =
        loaded(app_run + "board: {shape: spin5}\n").canonical(CONFIG_PART_SIMULATION);
    EXPECT_EQ(spin5.find("board.width"), std::string::npos);
}

/* ---- faults ---- */

static const std::string spin5_run = app_run + "board: {shape: spin5}\n";

TEST(ConfigFaults, ReadsSortedLists)
{
    const loaded config(spin5_run + "faults:\n  down_chips: [\"3,4\", \"1, 1\", \"1,0\"]\n"
                                    "  down_cores: [\"2,2,17\", \"2,2,3\"]\n"
                                    "  down_links: [\"7,7,5\"]\n");
    ASSERT_TRUE(is_good(config));
    const struct topology_request &topology = config->topology;
    ASSERT_EQ(topology.down_chips, 3u);
    EXPECT_EQ(topology.down_chip[0].x, 1);
    EXPECT_EQ(topology.down_chip[0].y, 0);
    EXPECT_EQ(topology.down_chip[1].y, 1);
    EXPECT_EQ(topology.down_chip[2].x, 3);
    ASSERT_EQ(topology.down_cores, 2u);
    EXPECT_EQ(topology.down_core[0].number, 3);
    EXPECT_EQ(topology.down_core[1].number, 17);
    ASSERT_EQ(topology.down_links, 1u);
    EXPECT_EQ(topology.down_link[0].number, 5);
    const std::string canonical = config.canonical(CONFIG_PART_SIMULATION);
    EXPECT_NE(canonical.find("faults.down_chips=[\"1,0\", \"1,1\", \"3,4\"]\n"), std::string::npos);
    EXPECT_NE(canonical.find("faults.down_cores=[\"2,2,3\", \"2,2,17\"]\n"), std::string::npos);
    EXPECT_NE(canonical.find("faults.down_links=[\"7,7,5\"]\n"), std::string::npos);
    EXPECT_NE(config.explain().find("faults.down_links = [\"7,7,5\"]"), std::string::npos);
}

TEST(ConfigFaults, NoFaultsAreNoLine)
{
    const loaded config(spin5_run + "faults: {down_chips: [], down_links: null}\n");
    ASSERT_TRUE(is_good(config));
    EXPECT_EQ(config.dump().find("faults"), std::string::npos);
    EXPECT_EQ(config.canonical(CONFIG_PART_SIMULATION),
              loaded(spin5_run).canonical(CONFIG_PART_SIMULATION));
}

TEST(ConfigFaults, RefusesWhatNamesNoPart)
{
    const std::string head = spin5_run + "faults: {";
    for (const char *chip : {"\"1\"", "\"1,2,3\"", "\"256,0\"", "\"0,256\"", "\"a,b\"", "[1, 1]",
                             "\"01,1\"", "\"1 ,1\"", "\"1,  1\""}) {
        EXPECT_TRUE(is_refused(loaded(head + "down_chips: [" + chip + "]}\n"),
                               "test.yaml:4:23 faults.down_chips[0]", "names no chip", "\"x,y\""))
            << chip;
    }
    for (const char *core : {"\"1,1\"", "\"1,1,18\"", "\"1,1,1,1\""}) {
        EXPECT_TRUE(is_refused(loaded(head + "down_cores: [" + core + "]}\n"),
                               "test.yaml:4:23 faults.down_cores[0]", "names no core", "0 to 17"))
            << core;
    }
    for (const char *link : {"\"1,1\"", "\"1,1,6\""}) {
        EXPECT_TRUE(is_refused(loaded(head + "down_links: [" + link + "]}\n"),
                               "test.yaml:4:23 faults.down_links[0]", "names no link", "5 S"))
            << link;
    }
    EXPECT_TRUE(is_refused(loaded(head + "down_links: [\"1,1,5\", \"1, 1, 5\"]}\n"),
                           "test.yaml:4:32 faults.down_links[1]", "stands here twice"));
    EXPECT_TRUE(is_refused(loaded(head + "down_link: [\"1,1,5\"]}\n"),
                           "test.yaml:4:10 faults.down_link", "unknown key",
                           "did you mean \"down_links\"?"));
    EXPECT_TRUE(is_refused(loaded(head + "down_chips: \"1,1\"}\n"),
                           "test.yaml:4:22 faults.down_chips", "where a list is expected"));
    EXPECT_TRUE(is_refused(loaded(spin5_run + "faults: []\n"), "test.yaml:4:9 faults",
                           "a group of keys is expected"));
}

TEST(ConfigFaults, MustBeFaultsOfThisMachine)
{
    EXPECT_TRUE(is_refused(loaded(spin5_run + "faults: {down_chips: [\"0,7\"]}\n"),
                           "test.yaml:4:22 faults.down_chips", "the machine has no chip 0,7"));
    EXPECT_TRUE(is_refused(loaded(spin5_run + "faults: {down_links: [\"0,0,3\"]}\n"),
                           "test.yaml:4:22 faults.down_links", "leads to no chip"));
    EXPECT_TRUE(is_refused(loaded(app_run + "board: {width: 3}\nfaults: {down_chips: [\"1,0\"]}\n"),
                           "test.yaml:4:22 faults.down_chips",
                           "cut in two: no way from chip 0,0 to 2,0"));
    EXPECT_TRUE(
        is_refused(loaded(app_run + "board: {width: 2}\nfaults: {down_links: [\"1,0,3\"]}\n"),
                   "test.yaml:4:22 faults.down_links", "cut in two: no way from chip 0,0 to 1,0"));
}

/* ---- what is run on it ---- */

TEST(ConfigFaults, ProgramsNeedAChipThatWorks)
{
    const std::string one =
        "name: x\nboard: {shape: spin5}\napp: [{file: a.elf, chips: \"2,2\", cores: 3-4}]\n";
    EXPECT_TRUE(is_good(loaded(one)));
    EXPECT_TRUE(is_refused(loaded(one + "faults: {down_chips: [\"2,2\"]}\n"),
                           "test.yaml:3:28 app[0].chips", "no such chip", "faults.down_chips"));
    EXPECT_TRUE(is_refused(loaded(one + "faults: {down_cores: [\"2,2,3\", \"2,2,4\"]}\n"),
                           "test.yaml:3:28 app[0].chips", "are down", "faults.down_cores"));
    EXPECT_TRUE(is_good(loaded(one + "faults: {down_cores: [\"2,2,3\"]}\n")));
    /* of the first three cores down, the next two: one is the monitor, the other has the program */
    const std::string first = "faults: {down_cores: [\"2,2,0\", \"2,2,1\", \"2,2,2\"";
    EXPECT_TRUE(is_good(loaded(one + first + "]}\n")));
    EXPECT_TRUE(is_refused(loaded(one + first + ", \"2,2,4\"]}\n"), "test.yaml:3:28 app[0].chips",
                           "are down", "faults.down_cores"));
    EXPECT_TRUE(
        is_refused(loaded("name: x\nboard: {shape: spin5}\napp: [{file: a.elf, chips: \"0,4\"}]\n"),
                   "test.yaml:3:28 app[0].chips", "no such chip", "board.shape is spin5"));
}

static std::string mapping(const std::string &what, const std::string &faults = "")
{
    return network_run + "board: {shape: spin5}\nmapping: {" + what + "}\nfaults: {" + faults +
           "}\n";
}

TEST(ConfigFaults, MappingsCountWhatWorks)
{
    EXPECT_TRUE(is_good(loaded(mapping("chips: 48"))));
    EXPECT_TRUE(is_refused(loaded(mapping("chips: 49")), "test.yaml:5:11 mapping.chips",
                           "more chips than the board has: 49 of 48", "board.shape"));
    EXPECT_TRUE(is_refused(loaded(mapping("chips: 48", "down_chips: [\"7,7\"]")),
                           "test.yaml:5:11 mapping.chips",
                           "more chips than the board has: 48 of 47", "faults.down_chips"));
    EXPECT_TRUE(is_good(loaded(mapping("chips: 47", "down_chips: [\"7,7\"]"))));
    const std::string core = "down_cores: [\"3,3,5\"]";
    EXPECT_TRUE(is_refused(loaded(mapping("chips: 48", core)), "test.yaml:5:11 mapping.chips",
                           "more chips than have mapping.cores_per_chip working cores: 48 of 47",
                           "faults.down_cores"));
    EXPECT_TRUE(is_good(loaded(mapping("chips: 47", core))));
    EXPECT_TRUE(is_good(loaded(mapping("chips: 48, cores_per_chip: 16", core))));
    /* another core is the monitor then */
    EXPECT_TRUE(is_refused(loaded(mapping("chips: 48", "down_cores: [\"4,4,0\"]")),
                           "test.yaml:5:11 mapping.chips", "working cores: 48 of 47"));
}

/* ---- what idle boards draw ---- */

/* Watts of a board on which nothing happens, by its own files. */
static double idle_watts(const std::string &board, const std::string &energy,
                         const std::string &more = "")
{
    loaded config("include: [boards/" + board + ".yaml, energy/" + energy +
                  ".yaml]\nname: x\napp: []\n" + more);
    EXPECT_TRUE(is_good(config));
    struct topology topology;
    struct diagnostic diagnostic;
    EXPECT_EQ(config_topology(&config.config, &topology, &diagnostic), STATUS_OK);
    struct energy_activity activity = {};
    activity.time_ps = PS_PER_S;
    activity.chips = (uint32_t)topology.count;
    activity.boards = topology.boards;
    topology_deinit(&topology);
    return energy_total(&config->energy, &activity).value;
}

TEST(ConfigBoardEnergy, IdleBoardsDrawTheSumOfTheirParts)
{
    static const double CHIP = 0.332 + 0.01875;
    EXPECT_DOUBLE_EQ(idle_watts("one_chip", "spinnaker1"), CHIP);
    EXPECT_DOUBLE_EQ(idle_watts("spin3", "spinnaker1"), 4 * CHIP + 1.27);
    EXPECT_DOUBLE_EQ(idle_watts("spin5", "spinnaker1"), 48 * CHIP + 6.2);
    EXPECT_DOUBLE_EQ(idle_watts("spin5", "spinnaker1", "energy: {board_profile: s14}\n"),
                     48 * CHIP + 10);
    EXPECT_DOUBLE_EQ(idle_watts("torus", "spinnaker1"), 3 * (48 * CHIP + 6.2));
    EXPECT_DOUBLE_EQ(idle_watts("spin3", "spinnaker1_unbooted"), 4 * 0.291 + 1.27);
    EXPECT_DOUBLE_EQ(idle_watts("spin5", "spinnaker1_unbooted"), 48 * 0.291 + 6.2);
}

/* The readings that made the coefficients, to the milliwatts of their rounding. */
TEST(ConfigBoardEnergy, IdleBoardsDrawWhatWasRead)
{
    EXPECT_NEAR(idle_watts("spin3", "spinnaker1"), 2.671, 0.005);
    EXPECT_NEAR(idle_watts("spin5", "spinnaker1"), 23.049, 0.02);
    EXPECT_NEAR(idle_watts("spin5", "spinnaker1_unbooted"), 20.179, 0.02);
    EXPECT_NEAR(idle_watts("spin5", "spinnaker1", "energy: {board_profile: s14}\n"), 26.84, 0.01);
}

/* Nothing of a SpiNN-3 before boot was used: its step is a prediction. */
TEST(ConfigBoardEnergy, BootingASpin3AddsWhatWasMeasured)
{
    const double step =
        idle_watts("spin3", "spinnaker1") - idle_watts("spin3", "spinnaker1_unbooted");
    EXPECT_NEAR(step, 2.671 - 2.435, 0.1 * (2.671 - 2.435));
}

TEST(ConfigFaults, NamesEntriesOfRoutersThatAreLost)
{
    const loaded config(spin5_run +
                        "faults: {deleted_routes: [\"1,0,0x2000\", \"0, 1, 0xffffffff\", "
                        "\"0,1,0x10\"]}\n");
    ASSERT_TRUE(is_good(config));
    ASSERT_EQ(config->deleted_routes, 3u);
    EXPECT_EQ(config->deleted_route[0].number, 0x10u);
    EXPECT_EQ(config->deleted_route[1].number, 0xffffffffu);
    EXPECT_EQ(config->deleted_route[2].x, 1u);
    const std::string canonical = config.canonical(CONFIG_PART_SIMULATION);
    EXPECT_NE(canonical.find("faults.deleted_routes=[\"0,1,0x00000010\", \"0,1,0xffffffff\", "
                             "\"1,0,0x00002000\"]\n"),
              std::string::npos)
        << canonical;
    for (const char *route : {"1,0", "\"1,0\"", "\"1,0,16\"", "\"1,0,0x\"", "\"1,0,0x123456789\"",
                              "\"256,0,0x1\"", "\"1,0,0x1 \"", "\"1,0,0xG\"", "[1, 0]"}) {
        EXPECT_TRUE(is_refused(loaded(spin5_run + "faults: {deleted_routes: [" + route + "]}\n"),
                               "test.yaml:4:27 faults.deleted_routes[0]", "names no route",
                               "0x00001000"))
            << route;
    }
    EXPECT_TRUE(
        is_refused(loaded(spin5_run + "faults: {deleted_routes: [\"1,1,0x5\", \"1,1,0x05\"]}\n"),
                   "test.yaml:4:38 faults.deleted_routes[1]", "stands here twice"));
}
