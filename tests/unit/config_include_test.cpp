/* Several files, and overrides: who wins, what is cleared, where a value came from. */
#include "tests/unit/config_fixture.h"

/* Loads FOLDER/main.yaml. */
static loaded::options main_file(const temporary_folder &folder,
                                 const std::vector<std::string> &sets = {})
{
    loaded::options options;
    options.from_file = true;
    options.path = folder.path("main.yaml");
    options.configs_folder = folder.path("configs");
    options.sets = sets;
    return options;
}

static std::string place_of(const loaded &config, const char *key)
{
    const struct config_place place = config_place_of(&config.config, key);
    return std::string(place.file) + ":" + std::to_string(place.line) + ":" +
           std::to_string(place.column);
}

TEST(ConfigInclude, TheIncludingFileWinsAndLaterIncludesWin)
{
    temporary_folder folder;
    folder.write("a.yaml", "seed: 10\nboard: {width: 10, height: 10}\nclock: {cpu: 100 MHz}\n");
    folder.write("b.yaml", "seed: 20\nboard: {width: 20}\n");
    folder.write("main.yaml", "include: [a.yaml, b.yaml]\n" + network_run + "seed: 30\n");
    const loaded config("", main_file(folder));
    ASSERT_TRUE(is_good(config));
    EXPECT_EQ(config->seed, 30u);
    EXPECT_EQ(config->machine.board_width, 20u);
    EXPECT_EQ(config->machine.board_height, 10u);
    EXPECT_EQ(config->machine.clock_cpu_hz, 100000000u);
    EXPECT_EQ(place_of(config, "seed"), folder.path("main.yaml") + ":5:7");
    EXPECT_EQ(place_of(config, "board.width"), folder.path("b.yaml") + ":2:16");
    EXPECT_EQ(place_of(config, "board.height"), folder.path("a.yaml") + ":2:28");
    EXPECT_EQ(place_of(config, "sdram.cas"), "default:0:0");
}

TEST(ConfigInclude, ListsAndSingleValuesReplace)
{
    temporary_folder folder;
    folder.write("a.yaml", "app: [{file: a.elf, cores: 1}, {file: b.elf, cores: 2}]\n"
                           "energy: {free: [core.a, core.b]}\n");
    folder.write("main.yaml", "name: x\ninclude: [a.yaml]\napp: [{file: c.elf}]\n"
                              "energy: {free: [core.c]}\n");
    const loaded config("", main_file(folder));
    ASSERT_TRUE(is_good(config));
    ASSERT_EQ(config->app_count, 1u);
    EXPECT_STREQ(config->app[0].file, "c.elf");
    ASSERT_EQ(config->energy.free_count, 1u);
    EXPECT_STREQ(config->energy.free[0], "core.c");
}

TEST(ConfigInclude, NullClearsWhatWasInherited)
{
    temporary_folder folder;
    folder.write("a.yaml", network_run + "mode: train\ntrain: {epochs: 7, global_batch: 64}\n"
                                         "accept: {accuracy: {min: 0.9}, seconds: {max: 5}}\n");
    folder.write("main.yaml", "include: [a.yaml]\ntrain: {epochs: null}\n"
                              "accept: {accuracy: null}\n");
    const loaded config("", main_file(folder));
    ASSERT_TRUE(is_good(config));
    EXPECT_EQ(config->train_epochs, 1u);
    EXPECT_EQ(config->train_global_batch, 64u);
    EXPECT_EQ(config.bounds(), 1u);
    EXPECT_TRUE(config_accepts(&config->accept[CONFIG_METRIC_SECONDS]));

    folder.write("main.yaml", "include: [a.yaml]\nmode: infer\ntrain: null\naccept: ~\n");
    const loaded cleared("", main_file(folder));
    ASSERT_TRUE(is_good(cleared));
    EXPECT_EQ(cleared.bounds(), 0u);

    folder.write("middle.yaml", "include: [a.yaml]\naccept: null\n");
    folder.write("main.yaml", "include: [middle.yaml]\naccept: {guest_errors: {max: 0}}\n");
    const loaded again("", main_file(folder));
    ASSERT_TRUE(is_good(again));
    EXPECT_EQ(again.bounds(), 1u);
    EXPECT_EQ(again->accept[CONFIG_METRIC_GUEST_ERRORS].max, 0);
}

TEST(ConfigInclude, LooksBesideTheFileThenInTheConfigurationFolder)
{
    temporary_folder folder;
    folder.write("configs/both.yaml", "seed: 1\nclock: {cpu: 100 MHz}\n");
    folder.write("configs/boards/only.yaml", "include: [near.yaml]\n");
    folder.write("configs/boards/near.yaml", "board: {width: 3}\n");
    folder.write("both.yaml", "seed: 2\n");
    folder.write("main.yaml", network_run + "include: [both.yaml, boards/only.yaml]\n");
    const loaded config("", main_file(folder));
    ASSERT_TRUE(is_good(config));
    EXPECT_EQ(config->seed, 2u);
    EXPECT_EQ(config->machine.clock_cpu_hz, 200000000u);
    EXPECT_EQ(config->machine.board_width, 3u);
    folder.write("main.yaml", network_run + "include: [\"" + folder.path("both.yaml") + "\"]\n");
    EXPECT_TRUE(is_good(loaded("", main_file(folder))));
}

TEST(ConfigInclude, ErrorsInIncludedFilesNameThatFile)
{
    temporary_folder folder;
    folder.write("a.yaml", "# bad\nclock:\n  cpu: 200\n");
    folder.write("main.yaml", network_run + "include: [a.yaml]\nclock: {cpu: 100 MHz}\n");
    /* Refused although the value is overridden: each file must be right by itself. */
    EXPECT_TRUE(is_refused(loaded("", main_file(folder)), folder.path("a.yaml") + ":3:8 clock.cpu",
                           "\"200\" has no unit"));
    folder.write("a.yaml", "name: [\n");
    EXPECT_TRUE(
        is_refused(loaded("", main_file(folder)), folder.path("a.yaml") + ":2:1 ", "not YAML"));
}

TEST(ConfigInclude, ACyclePrintsItsChain)
{
    temporary_folder folder;
    folder.write("main.yaml", network_run + "include: [a.yaml]\n");
    folder.write("a.yaml", "include:\n  - sub/../b.yaml\n");
    folder.write("b.yaml", "seed: 1\ninclude: [main.yaml]\n");
    folder.write("sub/x.yaml", "");
    const loaded attempt("", main_file(folder));
    EXPECT_TRUE(is_refused(attempt, folder.path("sub/../b.yaml") + ":2:11 include[0]",
                           folder.path("main.yaml") + " -> " + folder.path("a.yaml") + " -> " +
                               folder.path("sub/../b.yaml") + " -> "));
    folder.write("main.yaml", "include: [main.yaml]\n");
    EXPECT_TRUE(is_refused(loaded("", main_file(folder)),
                           folder.path("main.yaml") + ":1:11 include[0]", "includes itself"));
}

TEST(ConfigInclude, DepthAndNumberAreLimited)
{
    temporary_folder folder;
    for (int i = 0; i < 20; i++) {
        folder.write("f" + std::to_string(i) + ".yaml",
                     "include: [f" + std::to_string(i + 1) + ".yaml]\n");
    }
    folder.write("f14.yaml", "seed: 5\n");
    folder.write("main.yaml", network_run + "include: [f0.yaml]\n");
    EXPECT_TRUE(is_good(loaded("", main_file(folder)))); /* main, f0 .. f14: 16 */
    folder.write("f14.yaml", "include: [f15.yaml]\n");
    folder.write("f15.yaml", "seed: 5\n");
    EXPECT_TRUE(is_refused(loaded("", main_file(folder)),
                           folder.path("f14.yaml") + ":1:11 include[0]", "too many includes",
                           "16"));
    /* Two includes a file double the work each time. */
    for (int i = 0; i < 14; i++) {
        const std::string next = "g" + std::to_string(i + 1) + ".yaml";
        std::string text = "include: [";
        text.append(next).append(", ").append(next).append("]\n");
        folder.write("g" + std::to_string(i) + ".yaml", text);
    }
    folder.write("g14.yaml", "seed: 5\n");
    folder.write("main.yaml", network_run + "include: [g0.yaml]\n");
    const loaded attempt("", main_file(folder));
    EXPECT_EQ(attempt.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(attempt.diagnostic.text, "too many includes");
}

TEST(ConfigInclude, WhatCannotBeReadIsRefused)
{
    temporary_folder folder;
    folder.write("main.yaml", network_run + "include: [gone.yaml]\n");
    EXPECT_TRUE(is_refused(loaded("", main_file(folder)),
                           folder.path("main.yaml") + ":4:11 include[0]",
                           "cannot find \"gone.yaml\"", folder.path("configs")));
    folder.write("configs/x/y.yaml", "");
    folder.write("main.yaml", network_run + "include: [x]\n");
    EXPECT_TRUE(is_refused(loaded("", main_file(folder)),
                           folder.path("main.yaml") + ":4:11 include[0]", "\"x\" is a folder",
                           "[x/NAME.yaml]"));
    folder.write("main.yaml", network_run + "include: a.yaml\n");
    EXPECT_TRUE(is_refused(loaded("", main_file(folder)),
                           folder.path("main.yaml") + ":4:10 include",
                           "where a list of files is expected"));
    folder.write("main.yaml", network_run + "include: [[a.yaml]]\n");
    EXPECT_TRUE(is_refused(loaded("", main_file(folder)),
                           folder.path("main.yaml") + ":4:11 include[0]",
                           "a file name is expected"));
    folder.write("main.yaml", "board: {include: [a.yaml]}\n");
    EXPECT_TRUE(is_refused(loaded("", main_file(folder)),
                           folder.path("main.yaml") + ":1:9 board.include", "unknown key"));
    loaded::options gone = main_file(folder);
    gone.path = folder.path("nowhere.yaml");
    EXPECT_TRUE(is_refused(loaded("", gone), gone.path + ":0:0 ",
                           "cannot read: No such file or directory"));
    folder.write("main.yaml", std::string((1 << 20) + 1, '#'));
    EXPECT_TRUE(is_refused(loaded("", main_file(folder)), folder.path("main.yaml") + ":0:0 ",
                           "the file has more than 1048576 bytes"));
    loaded::options endless = main_file(folder);
    endless.path = "/dev/zero";
    EXPECT_EQ(loaded("", endless).status, STATUS_CONFIGURATION);
}

/* ---- overrides ---- */

static loaded::options with(const std::vector<std::string> &sets)
{
    loaded::options options;
    options.sets = sets;
    return options;
}

TEST(ConfigSet, IsAppliedLastInOrder)
{
    const loaded config(network_run + "seed: 1\n",
                        with({"seed=2", "clock.cpu=150 MHz", "seed=3", "name=other",
                              "board={width: 4, height: 2}", "accept.accuracy.min=0.5"}));
    ASSERT_TRUE(is_good(config));
    EXPECT_EQ(config->seed, 3u);
    EXPECT_EQ(config->machine.clock_cpu_hz, 150000000u);
    EXPECT_EQ(config->machine.board_width, 4u);
    EXPECT_EQ(config->machine.board_height, 2u);
    EXPECT_STREQ(config->name, "other");
    EXPECT_EQ(config.bounds(), 1u);
    EXPECT_EQ(config->accept[CONFIG_METRIC_ACCURACY].min, 0.5);
    EXPECT_EQ(place_of(config, "seed"), "--set:0:0");
    EXPECT_EQ(place_of(config, "data.set"), "test.yaml:2:13");
}

TEST(ConfigSet, NullClears)
{
    const std::string text = network_run + "seed: 9\naccept: {seconds: {max: 1}}\n";
    const loaded config(text, with({"seed=null", "accept=~"}));
    ASSERT_TRUE(is_good(config));
    EXPECT_EQ(config->seed, 1u);
    EXPECT_EQ(config.bounds(), 0u);
}

TEST(ConfigSet, NoValueIsRefused)
{
    for (const char *set : {"seed=", "clock.cpu=", "accept= ", "network.weights="}) {
        EXPECT_TRUE(is_refused(loaded(network_run, with({set})), "--set:0:0 ", "no value", "null"))
            << set;
    }
    EXPECT_TRUE(is_good(loaded(network_run, with({"network.weights=\"\""}))));
}

TEST(ConfigSet, MayReplaceTheWholeProgramList)
{
    const loaded config(app_run, with({"app=[{file: \"b c.elf\", cores: 1-3}]"}));
    ASSERT_TRUE(is_good(config));
    EXPECT_STREQ(config->app[0].file, "b c.elf");
    EXPECT_EQ(config->app[0].cores, 0xeu);
}

TEST(ConfigSet, IsCheckedAsAFileIs)
{
    EXPECT_TRUE(is_refused(loaded(network_run, with({"board.widht=2"})), "--set:0:0 board.widht",
                           "unknown key", "did you mean \"width\"?"));
    EXPECT_TRUE(is_refused(loaded(network_run, with({"clock.cpu=200"})), "--set:0:0 clock.cpu",
                           "has no unit"));
    EXPECT_TRUE(is_refused(loaded(network_run, with({"clock.cpu.x=200"})), "--set:0:0 clock.cpu",
                           "a group of keys where a frequency is expected"));
    EXPECT_TRUE(is_refused(loaded(network_run, with({"clock=5"})), "--set:0:0 clock",
                           "a group of keys is expected"));
    EXPECT_TRUE(is_refused(loaded(network_run, with({"train.epochs=5"})), "--set:0:0 train.epochs",
                           "no effect with mode: infer"));
    EXPECT_TRUE(is_refused(loaded(network_run, with({"seed=!!int 5"})), "--set:0:0 ", "tags"));
    EXPECT_TRUE(is_refused(loaded(network_run, with({"seed=\"5"})), "--set:0:0 ", "not YAML"));
    EXPECT_TRUE(is_refused(loaded(network_run, with({"board={width: 1"})), "--set:0:0 board",
                           "never closed"));
    EXPECT_TRUE(is_refused(loaded(network_run, with({"board={width: 1, width: 1}"})),
                           "--set:0:0 board.width", "given twice"));
}

TEST(ConfigSet, NeedsAKeyAndAnEqualsSign)
{
    for (const char *set :
         {"seed", "=5", ".seed=5", "seed.=5", "a..b=5", "a b=5", "", "app[0].x=1"}) {
        EXPECT_TRUE(is_refused(loaded(network_run, with({set})), "--set:0:0 ", "", "--set")) << set;
    }
    EXPECT_TRUE(is_refused(loaded(network_run, with({"include=[a]"})), "--set:0:0 ",
                           "includes stand in files"));
    EXPECT_TRUE(is_refused(loaded(network_run, with({"a.b.c.d.e.f.g.h.i.j=1"})), "--set:0:0 ",
                           "not a key"));
}

TEST(ConfigSet, MissingKeysAreStillReportedInTheFile)
{
    EXPECT_TRUE(is_refused(
        loaded("name: x\nnetwork: {variant: modern}\n", with({"network.number_format=int16"})),
        "test.yaml:2:1 network.name", "nothing to run"));
    EXPECT_TRUE(is_refused(loaded("", with({"seed=1"})), "test.yaml:0:0 name", "missing"));
}

TEST(ConfigSet, WorksWithoutAnyFile)
{
    const char *const sets[] = {"name=x", "app=[{file: a.elf}]"};
    struct config_request request = {};
    request.sets = sets;
    request.set_count = 2;
    struct sim_config config;
    struct diagnostic diagnostic;
    ASSERT_EQ(config_load(&request, &config, &diagnostic), STATUS_OK) << diagnostic.text;
    EXPECT_STREQ(config.app[0].file, "a.elf");
    config_deinit(&config);
    EXPECT_EQ(config_load(&request, &config, nullptr), STATUS_OK); /* nobody asks why */
    config_deinit(&config);
    request.set_count = 1;
    EXPECT_EQ(config_load(&request, &config, nullptr), STATUS_CONFIGURATION);
    config_deinit(&config);
}

/* ---- files that values name ---- */

TEST(ConfigFindFile, LooksBesideTheFileThatNamesItThenInTheConfigurationFolder)
{
    temporary_folder folder;
    folder.write("configs/weights/a.npz", "");
    folder.write("nets/b.npz", "");
    folder.write("nets/net.yaml", "network: {weights: b.npz}\n");
    folder.write("main.yaml", network_run + "include: [nets/net.yaml]\n");
    const loaded config("", main_file(folder));
    ASSERT_TRUE(is_good(config));
    char *path = nullptr;
    struct diagnostic diagnostic;
    ASSERT_EQ(config_find_file(&config.config, "network.weights", config->network_weights, &path,
                               &diagnostic),
              STATUS_OK);
    EXPECT_EQ(path, folder.path("nets/b.npz"));
    free(path);
    ASSERT_EQ(
        config_find_file(&config.config, "network.weights", "weights/a.npz", &path, &diagnostic),
        STATUS_OK);
    EXPECT_EQ(path, folder.path("configs/weights/a.npz"));
    free(path);
    EXPECT_EQ(config_find_file(&config.config, "network.weights", "c.npz", &path, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_EQ(path, nullptr);
    EXPECT_EQ(diagnostic.file, folder.path("nets/net.yaml"));
    EXPECT_EQ(diagnostic.line, 1);
    EXPECT_EQ(diagnostic.column, 20);
    EXPECT_STREQ(diagnostic.key, "network.weights");
}

/* ---- what others refuse when a configuration has been read ---- */

TEST(ConfigRefuse, SaysTextPlaceKeyAndHint)
{
    temporary_folder folder;
    folder.write("main.yaml", network_run + "seed: 30\n");
    const loaded config("", main_file(folder, {"clock.cpu=100 MHz"}));
    ASSERT_TRUE(is_good(config));
    struct diagnostic said = {};
    EXPECT_EQ(config_refuse(&config.config, "seed", "use 5", &said, "%d is odd", 30),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(said.text, "30 is odd");
    EXPECT_EQ(said.file, folder.path("main.yaml"));
    EXPECT_EQ(said.line, 4);
    EXPECT_EQ(said.column, 7);
    EXPECT_STREQ(said.key, "seed");
    EXPECT_STREQ(said.hint, "use 5");

    (void)config_refuse(&config.config, "clock.cpu", nullptr, &said, "too slow");
    EXPECT_STREQ(said.file, "--set");
    EXPECT_STREQ(said.hint, "");
    (void)config_refuse(&config.config, "sdram.cas", "%s is no format", &said, "default");
    EXPECT_STREQ(said.file, "default");
    EXPECT_EQ(said.line, 0);
    EXPECT_STREQ(said.hint, "%s is no format");
    EXPECT_EQ(config_refuse(&config.config, "seed", nullptr, nullptr, "nobody listens"),
              STATUS_CONFIGURATION);
}

TEST(ConfigLocate, AddsThePlaceOfTheKeyThatIsThereOrGiven)
{
    temporary_folder folder;
    folder.write("main.yaml", network_run + "seed: 30\n");
    const loaded config("", main_file(folder));
    ASSERT_TRUE(is_good(config));
    struct diagnostic said = {};
    (void)diagnose(&said, STATUS_CONFIGURATION, "it is odd");
    diagnostic_key(&said, "seed");
    config_locate(&config.config, nullptr, &said);
    EXPECT_EQ(said.line, 4);
    EXPECT_STREQ(said.key, "seed");
    EXPECT_STREQ(said.text, "it is odd");
    config_locate(&config.config, "sdram.cas", &said);
    EXPECT_STREQ(said.file, "default");
    EXPECT_STREQ(said.key, "sdram.cas");
    config_locate(&config.config, "seed", nullptr);
}
