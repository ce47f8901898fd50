/* The table's keys: each kind on both sides of its bounds, defaults, and what is missing, unknown
 * or without effect. */
#include "tests/unit/config_fixture.h"

extern "C" {
#include "sim/config/config_schema.h"
}

#include <cmath>

static std::vector<const struct config_key *> all_keys()
{
    size_t count = 0;
    const struct config_key *keys = config_keys(&count);
    std::vector<const struct config_key *> list;
    for (size_t i = 0; i < count; i++) {
        list.push_back(&keys[i]);
    }
    return list;
}

/* A document with that one key. */
static std::string document(const struct config_key *key, const std::string &value)
{
    std::string text;
    std::string indent;
    std::istringstream path(key->name);
    for (std::string name; std::getline(path, name, '.'); indent += "  ") {
        text += (text.empty() ? "" : ":\n") + indent + name;
    }
    return text + ": " + value + "\n";
}

static loaded::options as_fragment()
{
    loaded::options options;
    options.fragment = true;
    return options;
}

/* Where the value of document() stands. */
static std::string place(const struct config_key *key)
{
    const std::string path = key->name;
    const size_t groups = (size_t)std::count(path.begin(), path.end(), '.');
    const size_t name = path.size() - (groups == 0 ? 0 : path.rfind('.') + 1);
    return "test.yaml:" + std::to_string(groups + 1) + ":" + std::to_string(2 * groups + name + 3) +
           " " + path;
}

static bool is_whole(const struct config_key *key)
{
    return key->kind <= KIND_SHARE;
}

static std::string whole_text(const struct config_key *key, uint64_t value)
{
    return units_write_whole(config_units(key->kind), value).text;
}

TEST(ConfigKeys, WholeNumbersEndAtTheirBounds)
{
    size_t checked = 0;
    for (const struct config_key *key : all_keys()) {
        if (!is_whole(key)) {
            continue;
        }
        checked++;
        for (uint64_t value : {key->whole.minimum, key->whole.maximum}) {
            const loaded good(document(key, whole_text(key, value)), as_fragment());
            ASSERT_TRUE(is_good(good));
            EXPECT_EQ(config_field_whole(&good.config, key), value) << key->name;
        }
        const std::string above = whole_text(key, key->whole.maximum + 1);
        EXPECT_TRUE(is_refused(loaded(document(key, above), as_fragment()), place(key),
                               "\"" + above + "\" is out of range",
                               "from " + whole_text(key, key->whole.minimum) + " to " +
                                   whole_text(key, key->whole.maximum)));
        if (key->whole.minimum > 0) {
            const std::string below = whole_text(key, key->whole.minimum - 1);
            EXPECT_TRUE(is_refused(loaded(document(key, below), as_fragment()), place(key),
                                   "\"" + below + "\" is out of range"));
        }
    }
    EXPECT_GT(checked, 90u);
}

TEST(ConfigKeys, DimensionsAreRequiredExactlyWhereTheyBelong)
{
    for (const struct config_key *key : all_keys()) {
        if (!is_whole(key)) {
            continue;
        }
        const bool plain = key->kind == KIND_COUNT;
        const std::string number = std::to_string(key->whole.minimum);
        const loaded attempt(document(key, plain ? number + " ns" : number), as_fragment());
        EXPECT_TRUE(is_refused(attempt, place(key), plain ? "without a unit" : "has no unit"));
    }
}

TEST(ConfigKeys, FractionsEndAtTheirBounds)
{
    for (const struct config_key *key : all_keys()) {
        if (key->kind != KIND_FRACTION) {
            continue;
        }
        for (double value : {key->real.minimum, key->real.maximum}) {
            const loaded good(document(key, units_write_real(UNITS_FRACTION, value).text),
                              as_fragment());
            ASSERT_TRUE(is_good(good));
            EXPECT_EQ(config_field_real(&good.config, key), value) << key->name;
        }
        const double above = std::nextafter(key->real.maximum, 1e300);
        EXPECT_TRUE(is_refused(
            loaded(document(key, units_write_real(UNITS_FRACTION, above).text), as_fragment()),
            place(key), "is out of range"));
        EXPECT_TRUE(is_refused(loaded(document(key, "-0.1"), as_fragment()), place(key),
                               "\"-0.1\" is not a number"));
        EXPECT_TRUE(is_refused(loaded(document(key, "0.5 s"), as_fragment()), place(key),
                               "without a unit"));
    }
}

TEST(ConfigKeys, FlagsAreTrueOrFalse)
{
    for (const struct config_key *key : all_keys()) {
        if (key->kind != KIND_FLAG) {
            continue;
        }
        for (bool value : {true, false}) {
            const loaded good(document(key, value ? "true" : "false"), as_fragment());
            ASSERT_TRUE(is_good(good));
            EXPECT_EQ(config_field_whole(&good.config, key), value ? 1u : 0u);
        }
        for (const char *text : {"yes", "no", "on", "off", "True", "1", "0", "\"true\""}) {
            EXPECT_TRUE(is_refused(loaded(document(key, text), as_fragment()), place(key),
                                   "is not true or false", "true or false"));
        }
    }
}

TEST(ConfigKeys, ChoicesTakeTheirTextsAndNothingElse)
{
    for (const struct config_key *key : all_keys()) {
        if (key->kind != KIND_CHOICE) {
            continue;
        }
        std::string last;
        for (size_t i = 0; key->choices[i] != nullptr; i++) {
            last = key->choices[i];
            if (last.empty()) {
                continue;
            }
            const loaded good(document(key, last), as_fragment());
            ASSERT_TRUE(is_good(good));
            EXPECT_EQ(config_field_whole(&good.config, key), i);
            EXPECT_EQ(config_field_text(&good.config, key), last);
        }
        EXPECT_TRUE(is_refused(loaded(document(key, "neither"), as_fragment()), place(key),
                               "\"neither\" is not one of the choices", last));
        EXPECT_TRUE(is_refused(loaded(document(key, "\"\""), as_fragment()), place(key),
                               "is not one of the choices"));
        EXPECT_TRUE(is_refused(loaded(document(key, last + "x"), as_fragment()), place(key),
                               "is not one of the choices", "did you mean \"" + last + "\"?"));
    }
}

TEST(ConfigKeys, SetsTakeAnyOfTheirTextsAndNothingElse)
{
    size_t sets = 0;
    for (const struct config_key *key : all_keys()) {
        if (key->kind != KIND_SET) {
            continue;
        }
        sets++;
        std::string all;
        std::string first;
        uint64_t bits = 0;
        for (size_t i = 0; key->choices[i] != nullptr; i++) {
            first = i == 0 ? key->choices[i] : first;
            all = key->choices[i] + std::string(i == 0 ? "" : ", ") + all; /* in any order */
            bits |= UINT64_C(1) << i;
        }
        const loaded good(document(key, "[" + all + "]"), as_fragment());
        ASSERT_TRUE(is_good(good));
        EXPECT_EQ(config_field_whole(&good.config, key), bits);
        const loaded again(good.dump(), as_fragment());
        ASSERT_TRUE(is_good(again)) << good.dump();
        EXPECT_EQ(config_field_whole(&again.config, key), bits);
        const loaded one(document(key, first), as_fragment());
        ASSERT_TRUE(is_good(one));
        EXPECT_EQ(config_field_whole(&one.config, key), 1u);
        const loaded none(document(key, "[]"), as_fragment());
        ASSERT_TRUE(is_good(none));
        EXPECT_EQ(config_field_whole(&none.config, key), 0u);
        EXPECT_TRUE(is_refused(loaded(document(key, "neither"), as_fragment()), place(key),
                               "\"neither\" is not one of the choices", first));
        const loaded twice(document(key, "[" + first + ", " + first + "]"), as_fragment());
        EXPECT_FALSE(is_good(twice));
    }
    EXPECT_EQ(sets, 1u);
}

TEST(ConfigKeys, NamesAndTextsEndAtTheirLengths)
{
    for (const struct config_key *key : all_keys()) {
        if (key->kind != KIND_NAME && key->kind != KIND_TEXT) {
            continue;
        }
        for (uint64_t length : {key->whole.minimum, key->whole.maximum}) {
            const std::string text(length, 'x');
            const loaded good(document(key, "\"" + text + "\""), as_fragment());
            ASSERT_TRUE(is_good(good));
            EXPECT_EQ(config_field_text(&good.config, key), text);
        }
        const std::string above(key->whole.maximum + 1, 'x');
        EXPECT_TRUE(is_refused(loaded(document(key, above), as_fragment()), place(key),
                               std::to_string(key->whole.maximum + 1) + " characters"));
        if (key->kind == KIND_NAME) {
            for (const char *text : {"Upper", "two words", "dot.ted", "ümlaut", "a/b"}) {
                EXPECT_TRUE(is_refused(loaded(document(key, text), as_fragment()), place(key),
                                       "is not a name", "a-z, 0-9"));
            }
        }
    }
}

TEST(ConfigKeys, EveryKeyRefusesListsAndGroups)
{
    for (const struct config_key *key : all_keys()) {
        if (key->kind != KIND_SET) {
            EXPECT_TRUE(is_refused(loaded(document(key, "[1]"), as_fragment()), place(key),
                                   "a list where "));
        }
        EXPECT_TRUE(is_refused(loaded(document(key, "{a: 1}"), as_fragment()), place(key),
                               "a group of keys where "));
    }
}

TEST(ConfigKeys, NullLeavesTheDefault)
{
    for (const struct config_key *key : all_keys()) {
        const loaded attempt(document(key, "null"), as_fragment());
        ASSERT_TRUE(is_good(attempt)) << key->name;
        EXPECT_EQ(attempt.dump(), loaded("", as_fragment()).dump()) << key->name;
    }
}

TEST(ConfigKeys, RowsAreSound)
{
    for (const struct config_key *key : all_keys()) {
        EXPECT_LE(key->whole.minimum, key->whole.maximum) << key->name;
        if (is_whole(key)) {
            EXPECT_LE(key->whole.minimum, key->whole.standard) << key->name;
            EXPECT_LE(key->whole.standard, key->whole.maximum) << key->name;
        }
        EXPECT_LE(key->real.minimum, key->real.maximum) << key->name;
        EXPECT_NE(std::string(key->help), "") << key->name;
        size_t same = 0;
        for (const struct config_key *other : all_keys()) {
            same += std::string(key->name) == other->name ? 1 : 0;
        }
        EXPECT_EQ(same, 1u) << key->name;
    }
}

TEST(ConfigKeys, DefaultsAreThoseOfTheTables)
{
    const loaded config(network_run);
    ASSERT_TRUE(is_good(config));
    EXPECT_STREQ(config->name, "test");
    EXPECT_EQ(config->mode, CONFIG_MODE_INFER);
    EXPECT_EQ(config->backend, CONFIG_BACKEND_SPINNAKER);
    EXPECT_EQ(config->seed, 1u);
    EXPECT_EQ(config->data_set, CONFIG_DATA_SET_SYNTHETIC);
    EXPECT_EQ(config->data_test_images, 10000u);
    EXPECT_STREQ(config->network_name, "lenet1");
    EXPECT_STREQ(config->network_weights, "");
    EXPECT_EQ(config->network_variant, CONFIG_VARIANT_MODERN);
    EXPECT_EQ(config->mapping_cores_per_chip, 17u);
    EXPECT_EQ(config->train_momentum, 0.9);
    EXPECT_EQ(config->train_warm_up, 0.3);
    EXPECT_EQ(config->run_stop_on, CONFIG_STOP_ON_GUEST_ERROR);
    EXPECT_EQ(config->run_simulated_time_limit_ps, UINT64_C(60000000000000));
    EXPECT_TRUE(config->record_predictions);
    EXPECT_STREQ(config->energy.board_profile, "none");
    const struct machine_parameters machine = machine_parameters_default();
    EXPECT_EQ(memcmp(&config->machine, &machine, sizeof machine), 0);
    const struct arm968_timing timing = arm968_timing_default();
    EXPECT_EQ(memcmp(&config->timing, &timing, sizeof timing), 0);
}

TEST(ConfigKeys, ReadsIntoTheMachinesFields)
{
    const loaded config(network_run +
                        "chip: {dma_word: 14.7 ns, dma_contention: false, itcm: 64 KiB, "
                        "dma_setup: 21 cycles}\n"
                        "clock: {cpu: 160 MHz}\ntiming: {load_scaled: 1}\n");
    ASSERT_TRUE(is_good(config));
    EXPECT_EQ(config->machine.chip_dma_word_ps, 14700u);
    EXPECT_EQ(config->machine.chip_dma_contention, 0u);
    EXPECT_EQ(config->machine.chip_itcm_bytes, 65536u);
    EXPECT_EQ(config->machine.chip_dma_setup_cycles, 21u);
    EXPECT_EQ(config->machine.clock_cpu_hz, 160000000u);
    EXPECT_EQ(config->timing.load_scaled, 1u);
    EXPECT_EQ(config->timing.load, 1u);
}

TEST(ConfigKeys, SizesThatTheHardwareHasAsPowersOfTwoAreThat)
{
    EXPECT_TRUE(is_refused(loaded(network_run + "chip: {dtcm: 96 KiB}\n"),
                           "test.yaml:4:8 chip.dtcm", "96 KiB is no power of two",
                           "64 KiB or 128 KiB"));
    EXPECT_TRUE(is_refused(loaded(network_run + "chip: {itcm: 33 KiB}\n"),
                           "test.yaml:4:8 chip.itcm", "33 KiB is no power of two",
                           "32 KiB or 64 KiB"));
    EXPECT_TRUE(is_refused(loaded(network_run + "sdram: {bus_width: 3 B}\n"),
                           "test.yaml:4:9 sdram.bus_width", "no power of two", "2 B or 4 B"));
    EXPECT_TRUE(is_refused(loaded(network_run + "sdram: {row: 1000 B}\n"),
                           "test.yaml:4:9 sdram.row", "no power of two", "512 B or 1 KiB"));
    EXPECT_TRUE(is_refused(loaded(network_run + "sdram: {policy: open, banks: 6}\n"),
                           "test.yaml:4:23 sdram.banks", "6 is no power of two", "4 or 8"));
    EXPECT_TRUE(is_good(loaded(network_run + "chip: {itcm: 4 KiB, dtcm: 4 MiB}\n")));
    EXPECT_TRUE(is_good(loaded(network_run + "sdram: {bus_width: 1 B, row: 64 KiB}\n")));
    EXPECT_TRUE(is_refused(loaded(network_run + "chip: {system_ram: 16 KiB}\n"),
                           "test.yaml:4:20 chip.system_ram", "out of range", "32 KiB"));
}

TEST(ConfigKeys, UnknownKeysNameTheNearest)
{
    EXPECT_TRUE(is_refused(loaded("name: x\nclok: {cpu: 200 MHz}\n"), "test.yaml:2:1 clok",
                           "unknown key", "did you mean \"clock\"?"));
    EXPECT_TRUE(is_refused(loaded("clock:\n  cpi: 200 MHz\n"), "test.yaml:2:3 clock.cpi",
                           "unknown key", "did you mean \"cpu\"?"));
    EXPECT_TRUE(is_refused(loaded("timing: {load_scalled: 1}\n"),
                           "test.yaml:1:10 timing.load_scalled", "unknown key",
                           "did you mean \"load_scaled\"?"));
    EXPECT_TRUE(is_refused(loaded("width: 2\n"), "test.yaml:1:1 width", "unknown key",
                           "did you mean board.width?"));
    EXPECT_TRUE(is_refused(loaded("board: {sdram: 1}\n"), "test.yaml:1:9 board.sdram",
                           "unknown key", "did you mean clock.sdram?"));
    EXPECT_TRUE(is_refused(loaded("board: {frobnicate: 1}\n"), "test.yaml:1:9 board.frobnicate",
                           "unknown key", "known here: shape, width, height"));
    EXPECT_TRUE(is_refused(loaded("includes: [a]\n"), "test.yaml:1:1 includes", "unknown key",
                           "did you mean \"include\"?"));
    EXPECT_TRUE(
        is_refused(loaded("frobnicate: null\n"), "test.yaml:1:1 frobnicate", "unknown key"));
}

TEST(ConfigKeys, UnknownUnitsNameTheNearest)
{
    EXPECT_TRUE(is_refused(loaded("clock: {cpu: 200 mhz}\n"), "test.yaml:1:14 clock.cpu",
                           "\"200 mhz\" has an unknown unit", "did you mean \"MHz\"?"));
    EXPECT_TRUE(is_refused(loaded("clock: {cpu: 200 ns}\n"), "test.yaml:1:14 clock.cpu",
                           "\"200 ns\" is not a frequency", "from 1 MHz to 1 GHz"));
    EXPECT_TRUE(is_refused(loaded("chip: {dma_word: 14.7003 ns}\n"), "test.yaml:1:18 chip.dma_word",
                           "no whole number of ps"));
}

TEST(ConfigKeys, NumbersAreDecimalAndFitTheirType)
{
    const auto refused = [](const std::string &text, const std::string &what) {
        return is_refused(loaded("seed: " + text + "\n"), "test.yaml:1:7 seed", what,
                          "from 0 to 4294967295, in decimal digits");
    };
    for (const char *text : {"010", "0x10", "1e3", "1_000", "yes", "-1", "+1", ".5", "0o7"}) {
        EXPECT_TRUE(refused(text, "\"" + std::string(text) + "\" is not a whole number"));
    }
    EXPECT_TRUE(refused("1.0", "\"1.0\" is not a whole number"));
    EXPECT_TRUE(refused("4294967296", "out of range"));
    EXPECT_TRUE(refused("18446744073709551616", "out of range"));
    EXPECT_TRUE(refused("18446744073709551617", "out of range"));
    EXPECT_TRUE(refused("999999999999999999999999999", "out of range"));
    EXPECT_TRUE(is_refused(loaded("run: {simulated_time_limit: 99999999999 s}\n"),
                           "test.yaml:1:29 run.simulated_time_limit", "out of range",
                           "to 1000000 s"));
}

TEST(ConfigKeys, QuotesMakeATextNotANumber)
{
    EXPECT_TRUE(is_refused(loaded("board: {width: \"2\"}\n"), "test.yaml:1:16 board.width",
                           "a text in quotes"));
    EXPECT_TRUE(is_good(loaded(network_run + "clock: {cpu: \"200 MHz\"}\n")));
}

TEST(ConfigKeys, GroupsAreGroups)
{
    EXPECT_TRUE(is_refused(loaded("board: 3\n"), "test.yaml:1:8 board",
                           "\"3\" where a group of keys is expected", "board: {key: value}"));
    EXPECT_TRUE(is_refused(loaded("board: [width]\n"), "test.yaml:1:8 board",
                           "a list where a group of keys is expected"));
    EXPECT_TRUE(is_good(loaded(network_run + "board:\n")));
}

TEST(ConfigKeys, WhatARunNeedsIsAskedFor)
{
    EXPECT_TRUE(is_refused(loaded(""), "test.yaml:0:0 name", "missing"));
    EXPECT_TRUE(is_refused(loaded("name: x\n"), "test.yaml:0:0 network.name", "nothing to run",
                           "or programs"));
    EXPECT_TRUE(is_refused(loaded("name: x\nnetwork: {variant: modern}\n"),
                           "test.yaml:2:1 network.name", "nothing to run"));
    EXPECT_TRUE(is_refused(loaded("name: x\nnetwork: {name: lenet1}\n"), "test.yaml:0:0 data.set",
                           "missing", "mnist"));
    EXPECT_TRUE(is_refused(loaded("name: x\ndata: {test_images: 5}\nnetwork: {name: lenet1}\n"),
                           "test.yaml:2:1 data.set", "missing"));
    loaded::options fragment = as_fragment();
    EXPECT_TRUE(is_good(loaded("", fragment)));
}

TEST(ConfigKeys, WhatHasNoEffectIsRefused)
{
    EXPECT_TRUE(is_refused(loaded(network_run + "train: {epochs: 2}\n"),
                           "test.yaml:4:9 train.epochs", "no effect with mode: infer",
                           "epochs: null"));
    EXPECT_TRUE(is_refused(loaded(network_run + "test: {every_epochs: 1}\n"),
                           "test.yaml:4:8 test.every_epochs", "no effect with mode: infer"));
    EXPECT_TRUE(is_refused(loaded("name: t\ndata: {set: mnist, train_images: 5}\n"
                                  "network: {name: lenet1}\n"),
                           "test.yaml:2:20 data.train_images", "no effect with mode: infer"));
    EXPECT_TRUE(is_refused(loaded("name: t\ndata: {set: mnist, input_rate: 1 Mbit/s}\n"
                                  "network: {name: lenet1}\n"),
                           "test.yaml:2:20 data.input_rate",
                           "no effect without data.input: ethernet"));
    const std::string training = network_run + "mode: train\n";
    EXPECT_TRUE(is_good(loaded(training + "train: {epochs: 2, momentum: 0.5}\n")));
    EXPECT_TRUE(is_refused(loaded(training + "train: {optimizer: sgd, momentum: 0.5}\n"),
                           "test.yaml:5:25 train.momentum",
                           "no effect without train.optimizer: momentum"));
    EXPECT_TRUE(is_good(loaded(training + "train: {optimizer: sgd, momentum: null}\n")));
    EXPECT_TRUE(is_refused(loaded(app_run + "mapping: {chips: 1}\n"),
                           "test.yaml:3:11 mapping.chips", "no effect beside app"));
    EXPECT_TRUE(is_refused(loaded(app_run + "mode: infer\n"), "test.yaml:3:1 mode",
                           "no effect beside app"));
    EXPECT_TRUE(is_refused(loaded(app_run + "network: {variant: modern}\n"),
                           "test.yaml:3:11 network.variant", "no effect beside app"));
    EXPECT_TRUE(is_refused(loaded(app_run + "accept: {accuracy: {min: 0.9}}\n"),
                           "test.yaml:3:10 accept.accuracy", "no effect beside app"));
    EXPECT_TRUE(is_refused(loaded(app_run + "network: {name: lenet1}\n"), "test.yaml:2:1 app",
                           "app and network"));
    EXPECT_TRUE(is_good(loaded("train: {epochs: 2}\n", as_fragment())));
}

TEST(ConfigKeys, TheMachineMustHaveWhatIsUsed)
{
    EXPECT_TRUE(is_refused(loaded(network_run + "mapping: {chips: 2}\n"),
                           "test.yaml:4:11 mapping.chips",
                           "more chips than the board has: 2 of 1"));
    EXPECT_TRUE(is_good(loaded(network_run + "mapping: {chips: 2}\nboard: {width: 2}\n")));
    EXPECT_TRUE(is_refused(loaded(network_run + "mapping: {cores_per_chip: 18}\n"),
                           "test.yaml:4:11 mapping.cores_per_chip", "more cores than a chip has"));
    EXPECT_TRUE(
        is_good(loaded(network_run + "mapping: {cores_per_chip: 18}\nchip: {monitor_cores: 0}\n")));
    EXPECT_TRUE(is_refused(loaded(network_run + "chip: {cores: 17, monitor_cores: 17}\n"),
                           "test.yaml:4:19 chip.monitor_cores", "no application core"));
    EXPECT_TRUE(is_refused(loaded(app_run + "backend: host\n"), "test.yaml:3:1 backend",
                           "only spinnaker runs programs"));
    const std::string over_ethernet = "name: t\ndata: {set: mnist, input: ethernet, "
                                      "input_rate: 40 Mbit/s}\nnetwork: {name: lenet1}\n";
    EXPECT_TRUE(is_good(loaded(over_ethernet)));
    EXPECT_TRUE(is_refused(loaded(over_ethernet + "backend: host\n"), "test.yaml:2:20 data.input",
                           "the host has its images in memory", "backend: spinnaker"));
    EXPECT_TRUE(is_refused(
        loaded(network_run.substr(0, 11) +
               "mode: train\ndata: {set: mnist, train_images: 0}\nnetwork: {name: lenet1}\n"),
        "test.yaml:3:20 data.train_images", "nothing to train with"));
}

TEST(ConfigKeys, EnumTextsAreThoseOfYaml)
{
    EXPECT_STREQ(config_mode_text(CONFIG_MODE_TRAIN), "train");
    EXPECT_STREQ(config_variant_text(CONFIG_VARIANT_1998), "1998");
    EXPECT_STREQ(config_data_set_text(CONFIG_DATA_SET_UNSET), "");
    EXPECT_STREQ(config_optimizer_text(CONFIG_OPTIMIZER_SGD), "sgd");
    EXPECT_STREQ(config_metric_text(CONFIG_METRIC_LATE_INTERRUPTS), "late_interrupts");
    EXPECT_STREQ(energy_kind_text(ENERGY_ASSUMED), "assumed");
}
