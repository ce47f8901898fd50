/* Groups with maps of their own: accept, app, energy. */
#include "tests/unit/config_fixture.h"

#include <cmath>

/* ---- accept ---- */

TEST(ConfigAccept, ReadsTheBoundsOfMetrics)
{
    const loaded config(network_run +
                        "accept:\n  unmodelled: {max: 0}\n"
                        "  accuracy: {min: 0.97, max: 0.99}\n  seconds: {max: 12.5}\n");
    ASSERT_TRUE(is_good(config));
    EXPECT_EQ(config.bounds(), 3u);
    EXPECT_EQ(config->accept[CONFIG_METRIC_ACCURACY].min, 0.97);
    EXPECT_EQ(config->accept[CONFIG_METRIC_ACCURACY].max, 0.99);
    EXPECT_EQ(config->accept[CONFIG_METRIC_SECONDS].min, -INFINITY);
    EXPECT_EQ(config->accept[CONFIG_METRIC_SECONDS].max, 12.5);
    EXPECT_EQ(config->accept[CONFIG_METRIC_UNMODELLED].max, 0.0);
}

TEST(ConfigAccept, RefusesWhatIsNoBound)
{
    const std::string head = network_run + "accept: ";
    EXPECT_TRUE(is_refused(loaded(head + "{acuracy: {min: 1}}\n"), "test.yaml:4:10 accept.acuracy",
                           "unknown key", "did you mean \"accuracy\"?"));
    EXPECT_TRUE(is_refused(loaded(head + "{watts: {max: 1}}\n"), "test.yaml:4:10 accept.watts",
                           "unknown key", "dropped_packets"));
    EXPECT_TRUE(is_refused(loaded(head + "{accuracy: {least: 1}}\n"),
                           "test.yaml:4:21 accept.accuracy.least", "unknown key", "min, max"));
    EXPECT_TRUE(is_refused(loaded(head + "{accuracy: {min: 1.1}}\n"),
                           "test.yaml:4:26 accept.accuracy.min", "out of range", "from 0 to 1"));
    EXPECT_TRUE(is_good(loaded(head + "{accuracy: {min: 1}}\n")));
    EXPECT_TRUE(is_refused(loaded(head + "{accuracy: {min: 97 %}}\n"),
                           "test.yaml:4:26 accept.accuracy.min", "without a unit"));
    EXPECT_TRUE(is_refused(loaded(head + "{accuracy: 0.97}\n"), "test.yaml:4:20 accept.accuracy",
                           "a group of keys is expected"));
    EXPECT_TRUE(is_refused(loaded(head + "{accuracy: {}}\n"), "test.yaml:4:20 accept.accuracy",
                           "no bound", "min"));
    EXPECT_TRUE(is_refused(loaded(head + "{seconds: {min: 2, max: 1}}\n"),
                           "test.yaml:4:25 accept.seconds.min", "greater than max", "max is 1"));
    EXPECT_TRUE(is_good(loaded(head + "{seconds: {min: 2, max: 2}}\n")));
    EXPECT_TRUE(is_refused(loaded(head + "[accuracy]\n"), "test.yaml:4:9 accept",
                           "a list where a group of keys"));
}

/* Of an inherited bound one side, or all of it: what null clears is not there. */
TEST(ConfigAccept, NullClearsASideAndTheWhole)
{
    const std::string text =
        network_run + "accept: {accuracy: {min: 0.9, max: 1}, seconds: {max: 5}}\n";
    loaded::options options;
    options.sets = {"accept.accuracy.max=null"};
    const loaded side(text, options);
    ASSERT_TRUE(is_good(side));
    EXPECT_EQ(side.bounds(), 2u);
    EXPECT_EQ(side->accept[CONFIG_METRIC_ACCURACY].min, 0.9);
    EXPECT_EQ(side->accept[CONFIG_METRIC_ACCURACY].max, INFINITY);
    options.sets = {"accept.seconds.max=null"};
    const loaded bound(text, options);
    ASSERT_TRUE(is_good(bound));
    EXPECT_EQ(bound.bounds(), 1u);
    EXPECT_TRUE(config_accepts(&bound->accept[CONFIG_METRIC_ACCURACY]));
    options.sets = {"accept=null", "accept.accuracy.min=0.5"};
    const loaded other(text, options);
    ASSERT_TRUE(is_good(other));
    EXPECT_EQ(other.bounds(), 1u);
    EXPECT_EQ(other->accept[CONFIG_METRIC_ACCURACY].min, 0.5);
    EXPECT_EQ(other->accept[CONFIG_METRIC_ACCURACY].max, INFINITY);
}

/* ---- app ---- */

TEST(ConfigApp, HasDefaultsForAllButTheFile)
{
    const loaded config(app_run);
    ASSERT_TRUE(is_good(config));
    ASSERT_EQ(config->app_count, 1u);
    EXPECT_STREQ(config->app[0].file, "hello.aplx");
    EXPECT_TRUE(config->app[0].all_chips);
    EXPECT_EQ(config->app[0].cores, 0x3fffeu); /* 1 to 17: core 0 is the monitor */
    EXPECT_EQ(config->app[0].app_id, 16u);
    EXPECT_EQ(config->app[0].place.line, 2);
    const loaded small(app_run + "chip: {cores: 4, monitor_cores: 0}\n");
    ASSERT_TRUE(is_good(small));
    EXPECT_EQ(small->app[0].cores, 0xfu);
}

TEST(ConfigApp, ReadsEntriesInOrder)
{
    const loaded config("name: x\nchip: {monitor_cores: 0}\nboard: {width: 8, height: 8}\napp:\n"
                        "  - {file: a.elf, chips: \"7,0\", cores: 5, app_id: 255}\n"
                        "  - file: b.aplx\n    chips: 0, 7\n    cores: 1-17\n"
                        "  - file: c.aplx\n    chips: \"1,1\"\n    cores: [0, 2-4, 17]\n");
    ASSERT_TRUE(is_good(config));
    ASSERT_EQ(config->app_count, 3u);
    EXPECT_FALSE(config->app[0].all_chips);
    EXPECT_EQ(config->app[0].x, 7u);
    EXPECT_EQ(config->app[0].y, 0u);
    EXPECT_EQ(config->app[0].cores, 1u << 5);
    EXPECT_EQ(config->app[0].app_id, 255u);
    EXPECT_EQ(config->app[1].x, 0u);
    EXPECT_EQ(config->app[1].y, 7u);
    EXPECT_EQ(config->app[1].cores, 0x3fffeu);
    EXPECT_EQ(config->app[2].cores, 0x2001du);
    EXPECT_EQ(config->app[2].place.line, 9);
}

TEST(ConfigApp, RefusesWhatNamesNoProgramChipOrCore)
{
    const std::string head = "name: x\napp:\n  - file: a.elf\n    ";
    EXPECT_TRUE(is_refused(loaded("name: x\napp: {file: a.elf}\n"), "test.yaml:2:6 app",
                           "where a list is expected"));
    EXPECT_TRUE(is_refused(loaded("name: x\napp: [a.elf]\n"), "test.yaml:2:7 app[0]",
                           "a group of keys is expected"));
    EXPECT_TRUE(is_refused(loaded("name: x\napp: [{cores: 1}]\n"), "test.yaml:2:7 app[0]",
                           "file is missing", "PROGRAM.aplx"));
    EXPECT_TRUE(is_refused(loaded("name: x\napp: [{file: \"\"}]\n"), "test.yaml:2:14 app[0].file",
                           "a text of 0 characters", "from 1"));
    EXPECT_TRUE(is_refused(loaded(head + "core: 1\n"), "test.yaml:4:5 app[0].core", "unknown key",
                           "did you mean \"cores\"?"));
    for (const char *chips : {"0", "0,", "0,0,0", "a,b", "256,0", "0,256", "-1,0", "00,1", "every",
                              "[0, 0]", "\"0 ,0\""}) {
        EXPECT_TRUE(is_refused(loaded(head + "chips: " + chips + "\n"),
                               "test.yaml:4:12 app[0].chips", "names no chips", "x,y"));
    }
    for (const char *cores :
         {"18", "5-3", "1-18", "-1", "a", "1,2", "01", "1-", "[]", "{}", "1.0"}) {
        EXPECT_TRUE(is_refused(loaded(head + "cores: " + cores + "\n"),
                               "test.yaml:4:12 app[0].cores", "names no cores", "0 to 17"));
    }
    EXPECT_TRUE(is_refused(loaded(head + "cores: [1-4, 4]\n"), "test.yaml:4:18 app[0].cores[1]",
                           "core 4 stands here twice"));
    EXPECT_TRUE(is_refused(loaded(head + "app_id: 0\n"), "test.yaml:4:13 app[0].app_id",
                           "out of range", "from 1 to 255"));
    EXPECT_TRUE(
        is_refused(loaded(head + "app_id: 256\n"), "test.yaml:4:13 app[0].app_id", "out of range"));
    EXPECT_TRUE(is_good(loaded(head + "app_id: 1\n")));
}

TEST(ConfigApp, FitsOntoTheMachine)
{
    const std::string one = "name: x\napp: [{file: a.elf, chips: \"1,0\"}]\n";
    EXPECT_TRUE(
        is_refused(loaded(one), "test.yaml:2:28 app[0].chips", "no such chip", "board.width is 1"));
    EXPECT_TRUE(is_good(loaded(one + "board: {width: 2}\n")));
    const std::string core = "name: x\napp: [{file: a.elf, cores: 1-4}]\nchip: {cores: ";
    EXPECT_TRUE(is_refused(loaded(core + "4}\n"), "test.yaml:2:28 app[0].cores", "no such core",
                           "chip.cores is 4"));
    EXPECT_TRUE(is_good(loaded(core + "5}\n")));
    const std::string two = "name: x\nboard: {width: 2}\napp:\n"
                            "  - {file: a.elf, chips: \"0,0\", cores: 1-4}\n";
    EXPECT_TRUE(is_refused(loaded(two + "  - {file: b.elf, cores: 4}\n"), "test.yaml:5:5 app[1]",
                           "two programs on the same core", "line 4"));
    EXPECT_TRUE(is_good(loaded(two + "  - {file: b.elf, cores: 5}\n")));
    EXPECT_TRUE(is_good(loaded(two + "  - {file: b.elf, chips: \"1,0\", cores: 4}\n")));
}

/* ---- energy ---- */

static const std::string term_end = "kind: measured, source: \"somewhere\"}";

static std::string energy(const std::string &content)
{
    return network_run + "energy:\n  " + content + "\n";
}

TEST(ConfigEnergy, ReadsTermsProfilesAndFreeCounters)
{
    const loaded config(energy(
        "sdram: {value: 0.20 nJ, low: 0.1 nJ, high: 0.4 nJ, per: [sdram.written, sdram.read], " +
        term_end +
        "\n  board_b: {value: 2 W, low: 1 W, high: 3 W, per: board, kind: assumed, "
        "source: guess}\n  board_a: {value: 1 W, low: 1 W, high: 1 W, per: board, " +
        term_end + "\n  chip: {value: 332 mW, low: 0.3 W, high: 0.4 W, per: chip, " + term_end +
        "\n  core: {value: 145 pJ, low: 1 pJ, high: 1 uJ, per: core.active_cycles, " + term_end +
        "\n  board_profile: b\n  free: [\"core.*\", ahb.accesses]"));
    ASSERT_TRUE(is_good(config));
    const struct energy_table &table = config->energy;
    EXPECT_STREQ(table.board_profile, "b");
    ASSERT_EQ(table.term_count, 5u);
    EXPECT_STREQ(table.term[0].name, "board_a");
    EXPECT_STREQ(table.term[1].name, "board_b");
    EXPECT_TRUE(table.term[1].is_power);
    EXPECT_EQ(table.term[1].kind, ENERGY_ASSUMED);
    EXPECT_STREQ(table.term[1].source, "guess");
    EXPECT_STREQ(table.term[2].name, "chip");
    EXPECT_EQ(table.term[2].value, 0.332);
    EXPECT_TRUE(table.term[2].is_power);
    EXPECT_STREQ(table.term[2].per[0], "chip");
    EXPECT_STREQ(table.term[3].name, "core");
    EXPECT_FALSE(table.term[3].is_power);
    EXPECT_EQ(table.term[3].high, 1e6);
    EXPECT_EQ(table.term[3].kind, ENERGY_MEASURED);
    EXPECT_STREQ(table.term[4].name, "sdram");
    EXPECT_EQ(table.term[4].value, 200.0);
    ASSERT_EQ(table.term[4].per_count, 2u);
    EXPECT_STREQ(table.term[4].per[0], "sdram.read");
    EXPECT_STREQ(table.term[4].per[1], "sdram.written");
    ASSERT_EQ(table.free_count, 2u);
    EXPECT_STREQ(table.free[0], "ahb.accesses");
    EXPECT_STREQ(table.free[1], "core.*");
    EXPECT_FALSE(energy_term_applies(&table, &table.term[0]));
    EXPECT_TRUE(energy_term_applies(&table, &table.term[1]));
    EXPECT_TRUE(energy_term_applies(&table, &table.term[2]));
}

TEST(ConfigEnergy, ChecksTheOrderOfLowValueHigh)
{
    const auto term = [](const std::string &low, const std::string &value,
                         const std::string &high) {
        return energy("t: {low: " + low + ", value: " + value + ", high: " + high +
                      ", per: core.x, " + term_end);
    };
    EXPECT_TRUE(is_good(loaded(term("1 pJ", "1 pJ", "1 pJ"))));
    EXPECT_TRUE(is_good(loaded(term("0 pJ", "0.001 nJ", "1.0 pJ"))));
    EXPECT_TRUE(is_refused(loaded(term("1.1 pJ", "1 pJ", "2 pJ")), "test.yaml:5:12 energy.t.low",
                           "low is above value", "value is 1 pJ"));
    EXPECT_TRUE(is_refused(loaded(term("1 pJ", "2 pJ", "1.9 pJ")), "test.yaml:5:37 energy.t.high",
                           "high is below value", "value is 2 pJ"));
}

TEST(ConfigEnergy, NeedsEveryPartOfATerm)
{
    const std::vector<std::string> parts = {"value: 1 pJ", "low: 1 pJ",      "high: 1 pJ",
                                            "per: core.x", "kind: measured", "source: x"};
    for (const std::string &missing : parts) {
        std::string term = "t: {";
        for (const std::string &part : parts) {
            term += part == missing ? "" : part + ", ";
        }
        const std::string name = missing.substr(0, missing.find(':'));
        EXPECT_TRUE(is_refused(loaded(energy(term + "}")), "test.yaml:5:3 energy.t",
                               "without \"" + name + "\"", "needed"));
        loaded::options fragment;
        fragment.fragment = true;
        EXPECT_FALSE(is_good(loaded(energy(term + "}"), fragment)));
    }
}

TEST(ConfigEnergy, ATermMayBeSpreadOverFiles)
{
    temporary_folder folder;
    folder.write("base.yaml", "energy: {t: {value: 5 pJ, low: 1 pJ, high: 9 pJ, per: core.x, " +
                                  term_end + "}\n");
    loaded::options options;
    options.path = folder.path("main.yaml");
    const loaded config("include: [base.yaml]\n" + energy("t: {value: 6 pJ, high: 7 pJ}"), options);
    ASSERT_TRUE(is_good(config));
    EXPECT_EQ(config->energy.term[0].low, 1.0);
    EXPECT_EQ(config->energy.term[0].value, 6.0);
    EXPECT_EQ(config->energy.term[0].high, 7.0);
    EXPECT_TRUE(is_refused(loaded("include: [base.yaml]\n" + energy("t: {value: 10 pJ}"), options),
                           folder.path("base.yaml") + ":1:44 energy.t.high",
                           "high is below value"));
    EXPECT_TRUE(is_good(loaded("include: [base.yaml]\n" + energy("t: null"), options)));
}

TEST(ConfigEnergy, UnitsFollowWhatTheTermIsPer)
{
    const auto term = [](const std::string &amount, const std::string &per) {
        return energy("t: {value: " + amount + ", low: " + amount + ", high: " + amount +
                      ", per: " + per + ", " + term_end);
    };
    EXPECT_TRUE(is_good(loaded(term("1 W", "chip"))));
    EXPECT_TRUE(is_good(loaded(term("1 pJ", "core.x"))));
    EXPECT_TRUE(is_refused(loaded(term("1 pJ", "chip")), "test.yaml:5:14 energy.t.value",
                           "\"1 pJ\" is not a power", "uW, mW or W"));
    EXPECT_TRUE(is_refused(loaded(term("1 W", "core.x")), "test.yaml:5:14 energy.t.value",
                           "\"1 W\" is not an energy"));
    EXPECT_TRUE(
        is_refused(loaded(term("1", "core.x")), "test.yaml:5:14 energy.t.value", "has no unit"));
    EXPECT_TRUE(is_good(loaded(term("1 J", "core.x"))));
    EXPECT_TRUE(is_refused(loaded(term("1.001 J", "core.x")), "test.yaml:5:14 energy.t.value",
                           "out of range", "to 1 J"));
    EXPECT_TRUE(is_good(loaded(term("65536 W", "chip"))));
    EXPECT_TRUE(is_refused(loaded(term("65537 W", "chip")), "test.yaml:5:14 energy.t.value",
                           "out of range"));
}

TEST(ConfigEnergy, RefusesWhatIsNoCounter)
{
    const auto per = [](const std::string &text) {
        return energy("t: {per: " + text + ", value: 1 pJ, low: 1 pJ, high: 1 pJ, " + term_end);
    };
    EXPECT_TRUE(is_good(loaded(per("[core.x, core.y]"))));
    for (const char *text :
         {"core", "core.", ".x", "core.x.y", "Core.x", "\"core.*\"", "\"\"", "{}"}) {
        const loaded attempt(per(text));
        EXPECT_EQ(attempt.status, STATUS_CONFIGURATION) << text;
        EXPECT_EQ(attempt.where(), "test.yaml:5:12 energy.t.per") << text;
    }
    EXPECT_TRUE(is_refused(loaded(per("[core.x, chip]")), "test.yaml:5:21 energy.t.per[1]",
                           "\"chip\" is not a counter"));
    EXPECT_TRUE(is_refused(loaded(per("[core.x, core.x]")), "test.yaml:5:21 energy.t.per[1]",
                           "stands here twice"));
    EXPECT_TRUE(is_refused(loaded(per("[]")), "test.yaml:5:12 energy.t.per", "an empty list"));
    EXPECT_TRUE(is_refused(loaded(energy("free: core.x")), "test.yaml:5:9 energy.free",
                           "where a list is expected"));
    EXPECT_TRUE(is_refused(loaded(energy("free: [core]")), "test.yaml:5:10 energy.free[0]",
                           "not a counter", "component.*"));
}

TEST(ConfigEnergy, RefusesUnknownPartsAndKinds)
{
    EXPECT_TRUE(is_refused(loaded(energy("t: {vale: 1 pJ}")), "test.yaml:5:7 energy.t.vale",
                           "unknown key", "did you mean \"value\"?"));
    EXPECT_TRUE(is_refused(loaded(energy("t: {kind: guessed}")), "test.yaml:5:13 energy.t.kind",
                           "not one of the choices", "assumed"));
    EXPECT_TRUE(is_refused(loaded(energy("t: 145 pJ")), "test.yaml:5:6 energy.t",
                           "a group of keys is expected"));
    EXPECT_TRUE(is_refused(loaded(energy("Term: {}")), "test.yaml:5:3 energy.Term",
                           "not a coefficient's name"));
    EXPECT_TRUE(is_refused(loaded(energy("\"null\": {}")), "test.yaml:5:3 energy.null",
                           "not a coefficient's name"));
}

/* Clock number i of energy.clocks: the text of the warning; "": none. */
static std::string warning(const loaded &config, size_t i)
{
    struct diagnostic about = {};
    return config_extrapolates(&config.config, i, &about)
               ? std::string(about.key) + ": " + about.text
               : "";
}

TEST(ConfigEnergy, SaysAtWhichClocksItIsExtrapolated)
{
    const std::string clocks =
        energy("clocks:\n    sdram: {low: 130 MHz, high: 130 MHz, source: a}\n"
               "    cpu: {low: 180 MHz, high: 200 MHz, source: b}");
    const auto at = [&](const std::string &cpu, const std::string &sdram) {
        return loaded(clocks + "clock: {cpu: " + cpu + ", sdram: " + sdram + "}\n");
    };
    for (const char *inside : {"180 MHz", "190 MHz", "200 MHz"}) {
        const loaded config = at(inside, "130 MHz");
        ASSERT_TRUE(is_good(config));
        ASSERT_EQ(config->energy.clock_count, 2u);
        EXPECT_STREQ(config->energy.clock[0].name, "cpu");
        EXPECT_EQ(warning(config, 0), "") << inside;
        EXPECT_EQ(warning(config, 1), "");
    }
    const std::string text =
        "joules are extrapolated: the sources of the energy coefficients cover ";
    for (const char *outside : {"179.999999 MHz", "200.000001 MHz", "1 GHz"}) {
        EXPECT_EQ(warning(at(outside, "130 MHz"), 0),
                  std::string("clock.cpu: at ") + outside + " " + text + "180 MHz to 200 MHz");
    }
    EXPECT_EQ(warning(at("200 MHz", "166 MHz"), 1), "clock.sdram: at 166 MHz " + text + "130 MHz");
    EXPECT_EQ(at("200 MHz", "130 MHz").canonical(CONFIG_PART_ENERGY),
              loaded(network_run).canonical(CONFIG_PART_ENERGY))
        << "joules do not depend on it";
}

TEST(ConfigEnergy, HasScopesBeyondTheBoard)
{
    const loaded config(
        energy("scopes:\n    wall: {value: 0.8, low: 0.7, high: 1, kind: derived, source: a}\n"
               "    host: {value: 40 W, low: 0 W, high: 50 W, kind: assumed, source: b}"));
    ASSERT_TRUE(is_good(config));
    const struct energy_outside *outside = config->energy.outside;
    EXPECT_EQ(outside[ENERGY_OUTSIDE_WALL].low, 0.7);
    EXPECT_EQ(outside[ENERGY_OUTSIDE_WALL].high, 1);
    EXPECT_EQ(outside[ENERGY_OUTSIDE_RACK].source, nullptr);
    EXPECT_EQ(outside[ENERGY_OUTSIDE_HOST].value, 40);
    EXPECT_EQ(outside[ENERGY_OUTSIDE_HOST].kind, ENERGY_ASSUMED);
    EXPECT_NE(config.canonical(CONFIG_PART_ENERGY).find("energy.scopes.wall.value=0.8\n"),
              std::string::npos);
    const auto scopes = [](const std::string &text) {
        return loaded(energy("scopes: {" + text + "}"));
    };
    EXPECT_TRUE(is_refused(scopes("moon: {value: 1 W}"), "test.yaml:5:12 energy.scopes.moon",
                           "unknown key", "wall, rack, host"));
    EXPECT_TRUE(is_refused(scopes("rack: {value: 1 W, low: 1 W, high: 1 W, kind: derived}"),
                           "test.yaml:5:12 energy.scopes.rack", "without \"source\"",
                           "low, high, kind, source"));
    EXPECT_TRUE(is_refused(scopes("wall: {value: 1 W, low: 1, high: 1, kind: derived, source: s}"),
                           "test.yaml:5:26 energy.scopes.wall.value", "unit"));
    EXPECT_TRUE(is_refused(scopes("wall: {value: 0.5, low: 0, high: 1, kind: derived, source: s}"),
                           "test.yaml:5:36 energy.scopes.wall.low", "an efficiency of 0"));
    EXPECT_TRUE(
        is_refused(scopes("wall: {value: 0.5, low: 0.6, high: 1, kind: derived, source: s}"),
                   "test.yaml:5:36 energy.scopes.wall.low", "low is above value"));
    EXPECT_TRUE(
        is_refused(scopes("wall: {value: 0.5, low: 0.5, high: 1.5, kind: derived, source: s}"),
                   "test.yaml:5:47 energy.scopes.wall.high", "1"));
}

TEST(ConfigEnergy, RefusesRangesOfClocksThatAreNone)
{
    const auto range = [](const std::string &text) {
        return loaded(energy("clocks: {" + text + "}"));
    };
    EXPECT_TRUE(is_refused(range("gpu: {low: 1 MHz, high: 2 MHz, source: s}"),
                           "test.yaml:5:12 energy.clocks.gpu", "no clock", "cpu or sdram"));
    EXPECT_TRUE(is_refused(range("system_divider: {low: 1 MHz, high: 2 MHz, source: s}"),
                           "test.yaml:5:12 energy.clocks.system_divider", "no clock"));
    EXPECT_TRUE(is_refused(range("cpu: {low: 1 MHz, high: 2 MHz}"),
                           "test.yaml:5:12 energy.clocks.cpu", "a range without \"source\"",
                           "low, high, source"));
    EXPECT_TRUE(is_refused(range("cpu: {low: 3 MHz, high: 2 MHz, source: s}"),
                           "test.yaml:5:17 energy.clocks.cpu", "low is above high",
                           "high is 2 MHz"));
    EXPECT_TRUE(is_refused(range("cpu: {low: 3, high: 2 MHz, source: s}"),
                           "test.yaml:5:23 energy.clocks.cpu.low", "has no unit"));
    EXPECT_TRUE(is_refused(range("cpu: 200 MHz"), "test.yaml:5:17 energy.clocks.cpu",
                           "a group of keys is expected"));
}

TEST(ConfigEnergy, ABoardProfileIsATermPerBoard)
{
    const std::string board = "{value: 1 W, low: 1 W, high: 1 W, per: board, " + term_end;
    EXPECT_TRUE(is_good(loaded(energy("board_snab: " + board + "\n  board_profile: snab"))));
    EXPECT_TRUE(is_good(loaded(energy("board_snab: " + board + "\n  board_profile: none"))));
    EXPECT_TRUE(is_refused(loaded(energy("board_snab: " + board + "\n  board_profile: snub")),
                           "test.yaml:6:18 energy.board_profile",
                           "no coefficient energy.board_snub", "did you mean \"snab\"?"));
    EXPECT_TRUE(is_refused(loaded(energy("board_profile: elsewhere")),
                           "test.yaml:5:18 energy.board_profile",
                           "no coefficient energy.board_elsewhere", "none, or the NAME"));
    EXPECT_TRUE(is_refused(loaded(energy("board_profile: \"Snab\"")),
                           "test.yaml:5:18 energy.board_profile", "not a name", "a-z"));
    EXPECT_TRUE(is_refused(loaded(energy("other: " + board)), "test.yaml:5:49 energy.other.per",
                           "only board profiles"));
    EXPECT_TRUE(is_refused(
        loaded(energy("board_x: {value: 1 W, low: 1 W, high: 1 W, per: chip, " + term_end)),
        "test.yaml:5:51 energy.board_x.per", "charged per board"));
    EXPECT_TRUE(is_refused(loaded(energy("board_none: " + board)),
                           "test.yaml:5:3 energy.board_none", "no board's name"));
}

/* ---- energy alone ---- */

static const std::string with_energy =
    energy("t: {value: 5 pJ, low: 1 pJ, high: 9 pJ, per: core.x, " + term_end +
           "\n  board_a: {value: 1 W, low: 1 W, high: 1 W, per: board, " + term_end);

/* Applies overrides to the energy of a loaded configuration. */
static enum status set(loaded &config, const std::vector<const char *> &sets)
{
    return config_set_energy(&config.config, sets.data(), sets.size(), &config.diagnostic);
}

TEST(ConfigSetEnergy, ChangesEnergyAndNothingElse)
{
    loaded config(with_energy);
    ASSERT_TRUE(is_good(config));
    const std::string before = config.canonical(CONFIG_PART_SIMULATION);
    ASSERT_EQ(set(config, {"energy.t.value=6 pJ", "energy.board_profile=a"}), STATUS_OK)
        << config.diagnostic.text;
    EXPECT_EQ(config->energy.term[1].value, 6.0);
    EXPECT_EQ(config->energy.term[1].low, 1.0);
    EXPECT_STREQ(config->energy.board_profile, "a");
    EXPECT_EQ(config.canonical(CONFIG_PART_SIMULATION), before);
    EXPECT_STREQ(config_place_of(&config.config, "energy.t.value").file, "--set");
    ASSERT_EQ(set(config, {"energy=null"}), STATUS_CONFIGURATION);
    ASSERT_EQ(set(config, {"energy.t=null", "energy.board_a=~", "energy.board_profile=null"}),
              STATUS_OK);
    EXPECT_EQ(config->energy.term_count, 0u);
    EXPECT_STREQ(config->energy.board_profile, "none");
}

TEST(ConfigSetEnergy, LeavesTheConfigurationAsItWasOnFailure)
{
    loaded config(with_energy);
    ASSERT_TRUE(is_good(config));
    const std::string before = config.dump();
    for (const char *bad : {"energy.t.value=10 pJ", "energy.t.value=6", "energy.t.vale=6 pJ",
                            "energy.board_profile=b", "energy.t.source=null", "clock.cpu=1 MHz",
                            "name=x", "energy.t", "energy.=3"}) {
        EXPECT_EQ(set(config, {"energy.t.low=2 pJ", bad}), STATUS_CONFIGURATION) << bad;
        EXPECT_STRNE(config.diagnostic.text, "") << bad;
        EXPECT_EQ(config.dump(), before) << bad;
    }
}
