/* The groups `stages` and `vote`. */
#include "tests/unit/config_fixture.h"

namespace
{

const std::string HEAD = "name: test\nmode: train\nbackend: host\ndata: {set: synthetic, "
                         "train_images: 500}\nnetwork: {name: lenet4}\ntrain: {epochs: 3}\n";
const std::string STAGES =
    HEAD + "stages:\n"
           "  - {name: a, seed: 1, epochs: 2}\n"
           "  - {name: b, seed: 2, learning_rate: 0.001, stream: {images: 900, seed: 9, part: 90, "
           "shift: 1.5, scale: 0.25}, filter: {kind: errors, of: a, keep: 40}}\n"
           "  - {name: c, seed: 3, from: a, network: lenet4, filter: {kind: disagreement, of: [b, "
           "a], keep: 7}}\n";

TEST(ConfigStages, ReadsThemAndFillsInTheRest)
{
    const loaded config(STAGES + "vote: {of: [c, a], confidence: [0.5, 0.99]}\n");
    ASSERT_TRUE(is_good(config));
    ASSERT_EQ(config->stage_count, 3u);
    const struct config_stage *stage = config->stage;
    EXPECT_STREQ(stage[0].network, "lenet4");
    EXPECT_EQ(stage[0].epochs, 2u);
    EXPECT_EQ(stage[0].images, 500u);
    EXPECT_EQ(stage[0].part, 1000u);
    EXPECT_EQ(stage[0].learning_rate, config->train_learning_rate);
    EXPECT_EQ(stage[0].filter, CONFIG_FILTER_NONE);
    EXPECT_EQ(stage[1].epochs, 3u);
    EXPECT_EQ(stage[1].seed, 2u);
    EXPECT_EQ(stage[1].stream_seed, 9u);
    EXPECT_EQ(stage[1].images, 900u);
    EXPECT_EQ(stage[1].part, 90u);
    EXPECT_EQ(stage[1].learning_rate, 0.001);
    EXPECT_EQ(stage[1].shift, 1.5);
    EXPECT_EQ(stage[1].scale, 0.25);
    EXPECT_EQ(stage[1].of_bits, 1u);
    EXPECT_EQ(stage[1].keep, 40u);
    EXPECT_STREQ(stage[2].from, "a");
    EXPECT_EQ(stage[2].of_bits, 3u);
    EXPECT_EQ(config->vote.of_bits, 5u);
    ASSERT_EQ(config->vote.confidences, 2u);
    EXPECT_EQ(config->vote.confidence[1], 0.99);
}

TEST(ConfigStages, TheLastOneVotesAlone)
{
    const loaded config(STAGES);
    ASSERT_TRUE(is_good(config));
    EXPECT_EQ(config->vote.of_bits, 4u);
    EXPECT_EQ(config->vote.confidences, 0u);
}

TEST(ConfigStages, ADumpLoadsAgain)
{
    const loaded config(STAGES + "vote: {of: [c, a], confidence: [0.5, 0.99]}\n");
    ASSERT_TRUE(is_good(config));
    const std::string dump = config.dump();
    EXPECT_NE(dump.find("stages:\n  - name: a\n    network: lenet4\n    seed: 1\n    epochs: 2\n"),
              std::string::npos)
        << dump;
    EXPECT_NE(
        dump.find(
            "    stream:\n      images: 900\n      seed: 9\n      part: 90\n      shift: 1.5\n"),
        std::string::npos)
        << dump;
    EXPECT_NE(
        dump.find("    filter:\n      kind: errors\n      of: [a]\n      keep: 40\n  - name: c"),
        std::string::npos)
        << dump;
    EXPECT_NE(dump.find("vote:\n  of: [a, c]\n  confidence: [0.5, 0.99]\n"), std::string::npos);
    const loaded again(dump);
    ASSERT_TRUE(is_good(again));
    EXPECT_EQ(again.dump(), dump);
    EXPECT_EQ(again.canonical(CONFIG_PART_SIMULATION), config.canonical(CONFIG_PART_SIMULATION));
}

TEST(ConfigStages, ExplainsEachKey)
{
    const std::string text = loaded(STAGES).explain();
    EXPECT_NE(text.find("stages[1].stream.shift = 1.5"), std::string::npos);
    EXPECT_NE(text.find("pixels by which an image moves at most, in each direction [0 to 8]"),
              std::string::npos)
        << text;
}

TEST(ConfigStages, RefusesWhatDoesNotGoTogether)
{
    const std::string head = HEAD + "stages:\n  - {name: a, seed: 1}\n";
    const struct {
        const char *stage, *where, *text, *hint;
    } cases[] = {
        {"{seed: 1}", "test.yaml:9:5 stages[1]", "name is missing", ""},
        {"{name: b}", "test.yaml:9:5 stages[1]", "seed is missing", ""},
        {"{name: b, seed: 1, sead: 2}", "test.yaml:9:24 stages[1].sead", "unknown key", "seed"},
        {"{name: a, seed: 1}", "test.yaml:9:12 stages[1].name", "two stages of one name", ""},
        {"{name: b, seed: 1, from: c}", "test.yaml:9:30 stages[1].from", "no such stage before",
         ""},
        {"{name: b, seed: 1, from: a, network: lenet1}", "test.yaml:9:30 stages[1].from",
         "another network, lenet4", "lenet1"},
        {"{name: b, seed: 1, stream: {squeeze: 0.5, scale: 0.5}}",
         "test.yaml:9:42 stages[1].stream.squeeze", "shrink to nothing", "below 1"},
        {"{name: b, seed: 1, stream: {shift: 9}}", "test.yaml:9:40 stages[1].stream.shift",
         "out of range", "0 to 8"},
        {"{name: b, seed: 1, filter: {keep: 2}}", "test.yaml:9:32 stages[1].filter",
         "no effect without a kind", "errors"},
        {"{name: b, seed: 1, filter: {kind: errors, keep: 2}}", "test.yaml:9:32 stages[1].filter",
         "of is missing", ""},
        {"{name: b, seed: 1, filter: {kind: errors, of: [b], keep: 2}}",
         "test.yaml:9:51 stages[1].filter.of", "is not a stage before", ""},
        {"{name: b, seed: 1, filter: {kind: errors, of: [a], keep: 3}}",
         "test.yaml:9:32 stages[1].filter", "no whole number", "even"},
        {"{name: b, seed: 1, filter: {kind: disagreement, of: [a], keep: 3}}",
         "test.yaml:9:57 stages[1].filter.of", "does not disagree", "two"},
    };
    for (const auto &one : cases) {
        EXPECT_TRUE(
            is_refused(loaded(head + "  - " + one.stage + "\n"), one.where, one.text, one.hint))
            << one.stage;
    }
}

TEST(ConfigStages, RefusesRunsWithoutThem)
{
    EXPECT_TRUE(is_refused(loaded(HEAD + "stages: []\n"), "test.yaml:7:9 stages", "0 stages"));
    EXPECT_TRUE(is_refused(loaded(network_run + "vote: {confidence: [0.5]}\n"),
                           "test.yaml:4:1 vote", "no effect without stages", "vote: null"));
    EXPECT_TRUE(is_refused(loaded(network_run + "stages: [{name: a, seed: 1}]\n"),
                           "test.yaml:4:9 stages", "no effect without a training", "mode: train"));
    EXPECT_TRUE(is_refused(loaded(STAGES + "vote: {of: [d]}\n"), "test.yaml:11:12 vote.of",
                           "is not a stage before"));
    EXPECT_TRUE(is_refused(loaded(STAGES + "vote: {confidence: [1.5]}\n"),
                           "test.yaml:11:21 vote.confidence[0]", "out of range"));
    loaded::options s1615;
    s1615.sets = {"network.number_format=s16.15"};
    EXPECT_TRUE(is_refused(loaded(STAGES, s1615), "--set:0:0 network.number_format", "int16 only",
                           "int16"));
}

} // namespace
