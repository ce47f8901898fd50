/* What is written from a configuration: YAML that loads again, an explanation, text to hash. */
#include "tests/unit/config_fixture.h"

extern "C" {
#include "sim/config/config_schema.h"
}

#include <cstring>
#include <random>

static const std::string full_run =
    "include: [boards/one_chip.yaml, timing/arm968_rev1.yaml, energy/spinnaker1.yaml]\n"
    "name: full\nmode: train\nseed: 7\n"
    "data: {set: mnist, train_images: 1000, input: ethernet}\nnetwork: {name: lenet5, variant: "
    "\"1998\"}\n"
    "train: {learning_rate: 0.1, momentum: 0.3333333333333333, decay: step}\n"
    "mapping: {kind: replica_per_chip}\n"
    "chip: {dma_word: 14.701 ns}\nclock: {sdram: 133.333333 MHz}\n"
    "sdram: {policy: open}\nlink: {spread: 0.5 %}\n"
    "energy: {board_profile: snab}\n"
    "accept: {accuracy: {min: 0.97}, dropped_packets: {max: 0}}\n";

/* The same in every field that is a value. */
static void expect_same(const loaded &a, const loaded &b)
{
    size_t count = 0;
    const struct config_key *keys = config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        const struct config_key *key = &keys[i];
        if (key->kind == KIND_NAME || key->kind == KIND_TEXT) {
            EXPECT_STREQ(config_field_text(&a.config, key), config_field_text(&b.config, key));
        } else if (key->kind == KIND_FRACTION) {
            EXPECT_EQ(config_field_real(&a.config, key), config_field_real(&b.config, key));
        } else {
            EXPECT_EQ(config_field_whole(&a.config, key), config_field_whole(&b.config, key))
                << key->name;
        }
    }
    ASSERT_EQ(a->energy.term_count, b->energy.term_count);
    for (size_t i = 0; i < a->energy.term_count; i++) {
        EXPECT_STREQ(a->energy.term[i].name, b->energy.term[i].name);
        EXPECT_EQ(a->energy.term[i].value, b->energy.term[i].value);
        EXPECT_EQ(a->energy.term[i].low, b->energy.term[i].low);
        EXPECT_EQ(a->energy.term[i].high, b->energy.term[i].high);
        EXPECT_EQ(a->energy.term[i].per_count, b->energy.term[i].per_count);
        EXPECT_EQ(a->energy.term[i].kind, b->energy.term[i].kind);
        EXPECT_STREQ(a->energy.term[i].source, b->energy.term[i].source);
    }
    ASSERT_EQ(a->app_count, b->app_count);
    for (size_t i = 0; i < a->app_count; i++) {
        EXPECT_STREQ(a->app[i].file, b->app[i].file);
        EXPECT_EQ(a->app[i].all_chips, b->app[i].all_chips);
        EXPECT_EQ(a->app[i].x, b->app[i].x);
        EXPECT_EQ(a->app[i].y, b->app[i].y);
        EXPECT_EQ(a->app[i].cores, b->app[i].cores);
        EXPECT_EQ(a->app[i].app_id, b->app[i].app_id);
    }
}

TEST(ConfigDump, LoadsAgainToTheSame)
{
    for (const std::string &text :
         {network_run, app_run, full_run, full_run + "run: {sample: {updates: 9, seed: 4}}\n",
          app_run + "board: {shape: spin5}\n",
          network_run +
              "board: {shape: torus, width: 4, height: 4}\nfaults: {down_links: [\"3,2,5\", "
              "\"0,0,0\"], down_cores: [\"1,2,17\"], down_chips: [\"3,3\", \"1,0\"]}\n",
          std::string(
              "name: x\nboard: {width: 2}\napp:\n  - {file: \"a \\\"b\\\" \\\\c.elf\", "
              "chips: \"1,0\", cores: [1, 4-6], app_id: 17}\n  - {file: ü.aplx, cores: 2}\n")}) {
        const loaded first(text);
        ASSERT_TRUE(is_good(first));
        const std::string dump = first.dump();
        const loaded second(dump);
        ASSERT_TRUE(is_good(second)) << dump;
        expect_same(first, second);
        EXPECT_EQ(second.dump(), dump);
        for (enum config_part part : {CONFIG_PART_SIMULATION, CONFIG_PART_ENERGY}) {
            EXPECT_EQ(first.canonical(part), second.canonical(part));
        }
    }
}

TEST(ConfigDump, WritesUnitsExactlyAndEveryKeyThatHasAnEffect)
{
    const std::string dump = loaded(full_run).dump();
    EXPECT_NE(dump.find("\nclock:\n  cpu: 200 MHz\n"), std::string::npos) << dump;
    EXPECT_NE(dump.find("\n  sdram: 133.333333 MHz\n"), std::string::npos);
    EXPECT_NE(dump.find("\n  dma_word: 14.701 ns\n"), std::string::npos);
    EXPECT_NE(dump.find("\n  dma_setup: 20 cycles\n"), std::string::npos);
    EXPECT_NE(dump.find("\n  dtcm: 64 KiB\n"), std::string::npos);
    EXPECT_NE(dump.find("\n  spread: 5000 ppm\n  seed: 7\n"), std::string::npos);
    EXPECT_NE(dump.find("\n  simulated_time_limit: 60 s\n"), std::string::npos);
    EXPECT_NE(dump.find("\n  momentum: 0.3333333333333333\n"), std::string::npos);
    EXPECT_NE(dump.find("\n  load_scaled: 1\n"), std::string::npos);
    EXPECT_NE(dump.find("\n  core_cycle:\n    value: 195 pJ\n"), std::string::npos);
    EXPECT_NE(dump.find("\naccept:\n  accuracy:\n    min: 0.97\n"), std::string::npos);
    EXPECT_EQ(dump.find("include:"), std::string::npos);
    size_t count = 0;
    const struct config_key *keys = config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (keys[i].use == USE_RINGS) {
            EXPECT_EQ(dump.find("\nexchange:"), std::string::npos);
            continue;
        }
        if (keys[i].use == USE_SWEEP) {
            EXPECT_EQ(dump.find("\nplot:"), std::string::npos) << "no part of one run";
            continue;
        }
        if (keys[i].use == USE_SAMPLED) {
            EXPECT_NE(dump.find("\n  sample:\n    updates: 0\n"), std::string::npos)
                << "every update is executed, so there are no places";
            continue;
        }
        if (keys[i].use == USE_TIMELINE) {
            EXPECT_NE(dump.find("\n  timeline:\n    what: []\n"), std::string::npos);
            EXPECT_EQ(dump.find("\n    file: "), std::string::npos) << "there is no time line";
            continue;
        }
        if (keys[i].use == USE_TRACE) {
            EXPECT_NE(dump.find("\n  trace:\n    core: \"\"\n"), std::string::npos);
            EXPECT_EQ(dump.find("\n    count: "), std::string::npos) << "there is no trace";
            continue;
        }
        if (keys[i].use == USE_FILES) {
            EXPECT_EQ(dump.find("\n  train: "), std::string::npos) << "the set is a named one";
            continue;
        }
        if (keys[i].use == USE_LIBRARY) {
            EXPECT_EQ(dump.find("library: "), std::string::npos) << "the backend is another one";
            continue;
        }
        const char *dot = std::strrchr(keys[i].name, '.');
        const std::string name = dot == nullptr ? keys[i].name : dot + 1;
        EXPECT_NE(dump.find(name + ": "), std::string::npos) << keys[i].name;
    }
    EXPECT_NE(loaded(full_run + "run: {sample: {updates: 9}}\n")
                  .dump()
                  .find("\n  sample:\n    updates: 9\n    at: 3\n    seed: 0\n"),
              std::string::npos);
    EXPECT_NE(loaded("name: x\nmode: train\nnetwork: {name: xor}\n"
                     "data: {set: files, train: a.npz, test: b.npz}\n")
                  .dump()
                  .find("\n  set: files\n  train: a.npz\n  test: b.npz\n  train_images: 0\n"),
              std::string::npos);
    const std::string app = loaded(app_run).dump();
    EXPECT_EQ(app.find("\nexchange:"), std::string::npos);
    EXPECT_NE(loaded(app_run + "exchange: {words: 5}\n").dump().find("\nexchange:\n  words: 5\n"),
              std::string::npos);
    EXPECT_NE(app.find("\napp:\n  - file: hello.aplx\n    chips: all\n    cores: 1-17\n"
                       "    app_id: 16\n"),
              std::string::npos)
        << app;
    for (const char *group : {"mode:", "train:", "test:", "data:", "network:", "mapping:"}) {
        EXPECT_EQ(app.find(std::string("\n") + group), std::string::npos) << group;
    }
}

/* What an experiment asks: a key, or the comment at the head of its own file. */
TEST(ConfigDump, HasTheQuestion)
{
    const auto question = [](const std::string &text) {
        const loaded config(text);
        EXPECT_TRUE(is_good(config));
        return std::string(config->question);
    };
    EXPECT_EQ(question(app_run), "");
    EXPECT_EQ(question("# Question: how long?\n" + app_run), "How long?");
    EXPECT_EQ(question("# Question: how\n# long \"is\" it? On a board?\n# Yes.\n" + app_run),
              "How long \"is\" it?");
    EXPECT_EQ(question("# Question: how long\n" + app_run), "") << "no question mark";
    EXPECT_EQ(question("# Why?\n" + app_run), "");
    EXPECT_EQ(question("\n# Question: why?\n" + app_run), "") << "not at the head";
    EXPECT_EQ(question("# Question: why?\nquestion: what?\n" + app_run), "what?");
    EXPECT_EQ(question("# Question: " + std::string(499, 'x') + "?\n" + app_run).size(), 500u);
    EXPECT_EQ(question("# Question: " + std::string(500, 'x') + "?\n" + app_run), "") << "too long";
    EXPECT_EQ(question("include: [boards/one_chip.yaml]\n" + app_run), "")
        << "that of an included file";
    const loaded asked("# Question: why?\n" + app_run);
    EXPECT_NE(asked.dump().find("\nquestion: \"Why?\"\n"), std::string::npos) << asked.dump();
    EXPECT_EQ(loaded(asked.dump())->question, std::string("Why?"));
    for (const enum config_part part : {CONFIG_PART_SIMULATION, CONFIG_PART_ENERGY}) {
        EXPECT_EQ(asked.canonical(part), loaded(app_run).canonical(part));
    }
}

/* A program's path may be anything: no YAML is made of it that could be read otherwise. */
TEST(ConfigDump, AnyPathOfAProgramSurvives)
{
    std::mt19937 random(7);
    const std::vector<std::string> pieces = {
        "a",        "-",  "~",    "null", ".", "'", "\"", "\\", "\n",   "\r",
        "\t",       ": ", " #",   "- ",   "{", "]", "!",  "&a", "\x01", "\x7f",
        "\xc2\x85", "ü",  "$(x)", "`x`",  " ", "%", "*a", "€"};
    const temporary_folder folder;
    std::vector<std::string> names = {"null", "~", "-", "true", "o'brien", "a: b #c", "\n", " "};
    for (int run = 0; run < 200; run++) {
        std::string name;
        for (size_t length = 1 + random() % 8; length > 0; length--) {
            name += pieces[random() % pieces.size()];
        }
        names.push_back(name);
    }
    for (const std::string &name : names) {
        const std::string path =
            std::filesystem::canonical(folder.write("folder/" + name + ".elf", "")).string();
        loaded::options how;
        how.path = path;
        how.program = true;
        const loaded first("", how);
        ASSERT_TRUE(is_good(first)) << path;
        ASSERT_EQ(first->app_count, 1u);
        ASSERT_EQ(first->app[0].file, path);
        ASSERT_EQ(first->app[0].cores, 2u);
        const loaded second(first.dump());
        ASSERT_TRUE(is_good(second)) << first.dump();
        ASSERT_EQ(second->app[0].file, path);
        ASSERT_STREQ(second->name, first->name);
        ASSERT_EQ(second.dump(), first.dump());
    }
}

TEST(ConfigDump, AProgramThatCannotBeNamedIsRefused)
{
    const temporary_folder folder;
    loaded::options how;
    how.program = true;
    how.path = folder.write("\xff.elf", "");
    EXPECT_TRUE(is_refused(loaded("", how), how.path + ":0:0 ", "not UTF-8"));
    how.path = folder.path("none.elf");
    EXPECT_TRUE(is_refused(loaded("", how), how.path + ":0:0 ", "No such file"));
}

TEST(ConfigDump, AnyTextSurvives)
{
    std::mt19937 random(4);
    const std::vector<std::string> pieces = {"a", "Z", "0", " ", "\"", "\\", "'", "#", ": ",  "- ",
                                             "{", "}", "[", "]", ",",  "&",  "*", "!", "|",   ">",
                                             "%", "@", "`", "?", "ü",  "€",  "😀", "~", "null"};
    for (int run = 0; run < 500; run++) {
        std::string text = "x";
        for (size_t length = random() % 12; length > 0; length--) {
            text += pieces[random() % pieces.size()];
        }
        std::string quoted;
        for (char c : text) {
            quoted += c == '\'' ? "''" : std::string(1, c);
        }
        const loaded first(network_run.substr(0, network_run.rfind('}')) + ", weights: '" + quoted +
                           "'}\n");
        ASSERT_TRUE(is_good(first)) << text;
        ASSERT_EQ(first->network_weights, text);
        const loaded second(first.dump());
        ASSERT_TRUE(is_good(second)) << text;
        ASSERT_EQ(second->network_weights, text);
    }
}

TEST(ConfigExplain, SaysWhereEachValueCameFrom)
{
    loaded::options options;
    options.sets = {"sdram.cas=4"};
    const std::string text = loaded(full_run, options).explain();
    const auto line = [&text](const std::string &key) {
        const size_t begin = text.find("\n" + key + " = ");
        return begin == std::string::npos
                   ? "no " + key
                   : text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
    };
    const std::string configs = SPINN_CONFIGS_FOLDER;
    EXPECT_NE(line("seed").find("seed = 7 "), std::string::npos) << line("seed");
    EXPECT_NE(line("seed").find("# test.yaml:4"), std::string::npos) << line("seed");
    EXPECT_NE(line("train.epochs").find("# default"), std::string::npos);
    EXPECT_NE(line("sdram.cas").find("sdram.cas = 4 "), std::string::npos);
    EXPECT_NE(line("sdram.cas").find("# --set"), std::string::npos);
    EXPECT_NE(line("clock.cpu").find("# " + configs + "/boards/one_chip.yaml:10"),
              std::string::npos)
        << line("clock.cpu");
    EXPECT_NE(line("timing.load_scaled").find("/timing/arm968_rev1.yaml:"), std::string::npos)
        << line("timing.load_scaled");
    EXPECT_NE(line("timing.load").find("/timing/arm968.yaml:"), std::string::npos);
    EXPECT_NE(line("energy.core_cycle.value").find("/energy/spinnaker1.yaml:"), std::string::npos);
    EXPECT_NE(line("accept.accuracy.min").find("# test.yaml:"), std::string::npos);
    EXPECT_NE(text.find("core clock [1 MHz to 1 GHz]\n    source: ST: SC&MP default\n"),
              std::string::npos);
    EXPECT_NE(text.find("[infer or train]"), std::string::npos);
}

/* Lists of faults are keys as others: listed with their meaning while nothing is broken. */
TEST(ConfigExplain, ListsFaultsThatAreNotThere)
{
    const std::string none = loaded(network_run).explain();
    for (const char *name : {"down_chips", "down_cores", "down_links", "deleted_routes"}) {
        const std::string key = std::string("\nfaults.") + name + " = []";
        EXPECT_NE(none.find(key), std::string::npos) << name;
    }
    EXPECT_NE(none.find("\n    cores that do not work, each as \"x,y,p\"\n"), std::string::npos);
    const loaded broken(network_run +
                        "mapping: {cores_per_chip: 4}\nfaults: {down_cores: [\"0,0,3\"]}\n");
    ASSERT_TRUE(is_good(broken));
    EXPECT_NE(broken.explain().find("faults.down_cores = [\"0,0,3\"]"), std::string::npos);
    EXPECT_EQ(loaded(network_run).dump().find("faults"), std::string::npos)
        << "a file says what differs";
}

TEST(ConfigExplain, DerivesPeaksAndLatencies)
{
    const std::string text = loaded(network_run).explain();
    EXPECT_NE(text.find("core cycle: 5 ns\n"), std::string::npos) << text;
    EXPECT_NE(text.find("SDRAM peak: 1040.0 MB/s\n"), std::string::npos);
    EXPECT_NE(text.find("single SDRAM read: 109.92 ns, 22 core cycles\n"), std::string::npos);
    EXPECT_NE(text.find("single System RAM read: 105.00 ns, 21 core cycles\n"), std::string::npos);
    EXPECT_NE(text.find("DMA stream of one core: 272.1 MB/s\n"), std::string::npos);
    const std::string fast = loaded(network_run + "clock: {cpu: 400 MHz, sdram: 166 MHz}\n"
                                                  "sdram: {bus_width: 8 B, cas: 4, burst: 3}\n")
                                 .explain();
    EXPECT_NE(fast.find("core cycle: 2.5 ns\n"), std::string::npos) << fast;
    EXPECT_NE(fast.find("SDRAM peak: 2656.0 MB/s\n"), std::string::npos);
    /* 33 ns + (3 + 4 + 2) / 166 MHz = 87.2 ns = 34.9 cycles of 2.5 ns */
    EXPECT_NE(fast.find("single SDRAM read: 87.22 ns, 35 core cycles\n"), std::string::npos);
}

TEST(ConfigCanonical, IsTheSameForEveryWayOfWritingIt)
{
    const loaded one("name: a\ndata: {set: synthetic}\nnetwork: {name: lenet1}\n"
                     "clock: {cpu: 200 MHz}\nchip: {dma_word: 14.7 ns}\n");
    const loaded other("network:\n  name: \"lenet1\"\ndata:\n  set: synthetic\nname: b\n"
                       "chip: {dma_word: 0.0147 us}\naccept: {seconds: {max: 3}}\n"
                       "record: {counters: chip}\n"
                       "energy: {t: {value: 1 pJ, low: 1 pJ, high: 1 pJ, per: core.x, "
                       "kind: assumed, source: x}}\n");
    ASSERT_TRUE(is_good(one));
    ASSERT_TRUE(is_good(other));
    EXPECT_EQ(one.canonical(CONFIG_PART_SIMULATION), other.canonical(CONFIG_PART_SIMULATION));
    EXPECT_NE(one.canonical(CONFIG_PART_ENERGY), other.canonical(CONFIG_PART_ENERGY));
}

TEST(ConfigCanonical, ChangesWithEveryKeyOfItsPart)
{
    const std::string base = loaded(network_run).canonical(CONFIG_PART_SIMULATION);
    for (const char *set : {"seed=2", "backend=host", "clock.cpu=199 MHz", "timing.mul=3",
                            "network.weights=a.npz", "network.variant=1998", "run.stop_on=nothing",
                            "data.test_images=1", "run.simulated_time_limit=1 s"}) {
        loaded::options options;
        options.sets = {set};
        const loaded changed(network_run, options);
        ASSERT_TRUE(is_good(changed));
        EXPECT_NE(changed.canonical(CONFIG_PART_SIMULATION), base) << set;
    }
    EXPECT_NE(base.find("clock.cpu=200 MHz\n"), std::string::npos);
    EXPECT_EQ(base.find("name="), base.find("network.name=") + 8); /* the run's own is left out */
    const std::string energy = loaded(full_run).canonical(CONFIG_PART_ENERGY);
    EXPECT_EQ(energy.find("energy."), 0u);
    EXPECT_NE(energy.find("energy.board_profile=snab\n"), std::string::npos);
    EXPECT_NE(energy.find("energy.core_cycle.value=195 pJ\n"), std::string::npos);
    EXPECT_EQ(energy.find("\nclock"), std::string::npos);
}
