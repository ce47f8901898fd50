/* Keys of the machine with an effect on others: how SDRAM treats its rows, and how links differ. */
#include "tests/unit/config_fixture.h"

extern "C" {
#include "models/chip/sdram.h"
}

static std::string text_to_hash(const std::string &text)
{
    return loaded(text).canonical(CONFIG_PART_SIMULATION);
}

TEST(ConfigMachine, ChoosesWhenRowsOfSdramAreClosed)
{
    const std::pair<std::string, uint64_t> policies[] = {
        {"closed", SDRAM_CLOSED}, {"open", SDRAM_OPEN}, {"interleaved", SDRAM_INTERLEAVED}};
    for (const auto &[text, number] : policies) {
        const loaded config(network_run + "sdram: {policy: " + text + "}\n");
        ASSERT_TRUE(is_good(config));
        EXPECT_EQ(config->machine.sdram_policy, number);
        EXPECT_NE(config.dump().find("  policy: " + text + "\n"), std::string::npos);
    }
    EXPECT_TRUE(is_refused(loaded(network_run + "sdram: {policy: opened}\n"),
                           "test.yaml:4:17 sdram.policy", "\"opened\" is not one of the choices",
                           "did you mean \"open\"? choices: closed, open or interleaved"));
}

TEST(ConfigMachine, HasTimesOfOpenRowsOnlyWhereRowsStayOpen)
{
    for (const std::string key :
         {"banks: 2", "row_active: 8", "row_cycle: 11", "row_to_row: 3", "write_recovery: 4"}) {
        EXPECT_TRUE(is_good(loaded(network_run + "sdram: {policy: interleaved, " + key + "}\n")));
        const std::string name = key.substr(0, key.find(':'));
        EXPECT_TRUE(is_refused(loaded(network_run + "sdram: {" + key + "}\n"),
                               "test.yaml:4:9 sdram." + name, "no effect with sdram.policy: closed",
                               name + ": null"));
    }
    EXPECT_EQ(loaded(network_run).dump().find("\n  banks:"), std::string::npos);
    const std::string open = loaded(network_run + "sdram: {policy: open}\n").dump();
    EXPECT_NE(open.find("  banks: 4\n"), std::string::npos);
}

TEST(ConfigMachine, DrawsLinksFromTheRunsSeed)
{
    const loaded none(network_run + "seed: 7\n");
    EXPECT_EQ(none->machine.link_spread_ppm, 0u);
    EXPECT_EQ(none->machine.link_seed, 0u) << "nothing is drawn";
    EXPECT_EQ(none.dump().find("  seed: "), std::string::npos);
    const loaded drawn(network_run + "seed: 7\nlink: {spread: 3 %}\n");
    ASSERT_TRUE(is_good(drawn));
    EXPECT_EQ(drawn->machine.link_spread_ppm, 30000u);
    EXPECT_EQ(drawn->machine.link_seed, 7u);
    const loaded again(drawn.dump());
    ASSERT_TRUE(is_good(again)) << "a dump names the seed";
    EXPECT_EQ(again->machine.link_seed, 7u);
    const loaded own(network_run + "seed: 7\nlink: {spread: 500 ppm, seed: 0}\n");
    ASSERT_TRUE(is_good(own));
    EXPECT_EQ(own->machine.link_spread_ppm, 500u);
    EXPECT_EQ(own->machine.link_seed, 0u);
    EXPECT_TRUE(is_refused(loaded(network_run + "link: {seed: 3}\n"), "test.yaml:4:8 link.seed",
                           "no effect without link.spread", "seed: null"));
}

TEST(ConfigMachine, TakesAShareForTheSpread)
{
    const auto refused = [](const std::string &value, const std::string &what,
                            const std::string &hint) {
        return is_refused(loaded(network_run + "link: {spread: " + value + "}\n"),
                          "test.yaml:4:16 link.spread", what, hint);
    };
    EXPECT_TRUE(is_good(loaded(network_run + "link: {spread: 50 %}\n")));
    EXPECT_TRUE(refused("51 %", "out of range", "a share from 0 ppm to 50 %"));
    EXPECT_TRUE(refused("3", "has no unit", "ppm or %"));
    EXPECT_TRUE(refused("3 percent", "has an unknown unit", "ppm or %"));
    EXPECT_TRUE(refused("3 ns", "is not a share", "ppm or %"));
    EXPECT_TRUE(refused("-1 %", "is not a share", "ppm or %"));
    EXPECT_TRUE(refused("0.00001 %", "no whole number of ppm", ""));
}

/* A hash of a run without these keys is what it was before there were any. */
TEST(ConfigMachine, DefaultsAreNoLinesOfTheTextToHash)
{
    const std::string plain = text_to_hash(app_run);
    for (const char *line :
         {"sdram.policy", "sdram.banks", "sdram.row_active", "sdram.row_cycle", "sdram.row_to_row",
          "sdram.write_recovery", "link.spread", "link.seed"}) {
        EXPECT_EQ(plain.find(line), std::string::npos) << line;
    }
    EXPECT_EQ(text_to_hash(app_run + "sdram: {policy: closed}\nlink: {spread: 0 %}\n"), plain);
    const std::string other =
        text_to_hash(app_run + "sdram: {policy: open}\nlink: {spread: 1 %}\n");
    EXPECT_NE(other.find("sdram.policy=open\n"), std::string::npos);
    EXPECT_NE(other.find("sdram.row_cycle=10\n"), std::string::npos);
    EXPECT_NE(other.find("link.spread=1 %\n"), std::string::npos);
    EXPECT_NE(other.find("link.seed=1\n"), std::string::npos);
}
